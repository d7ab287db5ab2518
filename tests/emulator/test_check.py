"""Errors of memory are found and named with their thread: races, uninitialised shared memory, bounds."""

from __future__ import annotations

import itertools
import time
from types import SimpleNamespace

import numpy as np
import pytest

from advisor.emulator.check import located, run_whole
from advisor.emulator.counts import Problem, machine_of, memory_of
from advisor.emulator.memory import GlobalMemory
from advisor.emulator.program import RefusedError
from advisor.emulator.state import FaultError
from advisor.emulator.watch import SharedWatch
from tests.emulator.small import program

START = ("S2R R0, SR_TID.X", "IMAD.SHL.U32 R5, R0, 0x4, RZ")


def watched(*lines: str, threads: int = 64) -> None:
    problem = Problem(program((*START, *lines), shared_bytes=512), (1, 1, 1), (threads, 1, 1), (), {})
    memory, addresses = memory_of(problem)
    machine = machine_of(problem, [0], memory, addresses, None, 10.0)
    machine.check = SharedWatch(machine)
    machine.run()


def test_a_load_of_what_nobody_wrote_is_found() -> None:
    with pytest.raises(FaultError) as caught:
        watched("LDS R4, [R5+0x400]")
    assert caught.value.kind == "uninitialised" and "thread (0, 0, 0) reads shared memory" in caught.value.words


def test_an_undefined_value_with_which_a_loop_does_not_end_is_the_error_and_not_the_time() -> None:
    lines = (
        "S2R R0, SR_TID.X",
        "ISETP.GE.AND P0, PT, R0, 0x8, PT",
        "@P0 EXIT",
        "SHFL.IDX PT, R4, R0, 0x8, 0x1f",
        "MOV R5, RZ",
        "again: VIADD R5, R5, 0x1",
        "ISETP.LT.U32.AND P1, PT, R5, R4, PT",
        "@P1 BRA @again",
    )
    begin = time.process_time()
    with pytest.raises(FaultError) as caught:
        run_whole(Problem(program(lines), (1, 1, 1), (32, 1, 1), (), {}), seconds=1.0, watch=True)
    assert caught.value.kind == "inactive_lane" and "lane 8" in caught.value.words
    assert time.process_time() - begin < 3


def test_a_load_without_a_barrier_after_the_store_of_another_warp_is_a_race() -> None:
    lines = ("STS [R5+0x400], R0", "LOP3.LUT R6, R5, 0x80, RZ, 0x3c, !PT", "LDS R4, [R6+0x400]")
    with pytest.raises(FaultError) as caught:
        watched(*lines)
    assert caught.value.kind == "race" and "another warp wrote" in caught.value.words
    watched(lines[0], "BAR.SYNC.DEFER_BLOCKING 0x0", *lines[1:])


def test_a_store_without_a_barrier_after_the_load_of_another_warp_is_a_race() -> None:
    lines = (
        "STS [R5+0x400], R0",
        "BAR.SYNC.DEFER_BLOCKING 0x0",
        "LOP3.LUT R6, R5, 0x80, RZ, 0x3c, !PT",
        "LDS R4, [R6+0x400]",
        "STS [R5+0x400], R4",
    )
    with pytest.raises(FaultError) as caught:
        watched(*lines)
    assert caught.value.kind == "race" and "another warp reads" in caught.value.words
    watched(*lines[:4], "BAR.SYNC.DEFER_BLOCKING 0x0", lines[4])


def test_accesses_of_one_warp_are_in_order_and_no_race() -> None:
    watched(
        "STS [R5+0x400], R0",
        "LOP3.LUT R6, R5, 0x40, RZ, 0x3c, !PT",
        "LDS R4, [R6+0x400]",
        "STS [R5+0x400], R4",
        threads=32,
    )


def test_atomic_operations_of_several_warps_are_no_race() -> None:
    watched(
        "ISETP.GE.AND P0, PT, R0, 0x20, PT",
        "@!P0 STS [R5+0x400], RZ",
        "BAR.SYNC.DEFER_BLOCKING 0x0",
        "ATOMS.ADD R4, [UR4+0x400], R0",
    )


def test_a_fault_names_the_source_line() -> None:
    made = program((*START, "LDS R4, [R5+0x4000]"))
    made.lines = {32: ("tile.cu", 7)}
    with pytest.raises(FaultError) as caught:
        run_whole(Problem(made, (1, 1, 1), (32, 1, 1), (), {}))
    assert located(caught.value, made).startswith("tile.cu:7: block (0, 0, 0), thread (0, 0, 0): a shared load")


def test_blocks_that_run_apart_see_each_others_results() -> None:
    made = program(("LDC.64 R2, c[0x0][0x210]", "MOV R4, 0x1", "REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R4"))
    from advisor.emulator.launch import Pointer

    done = run_whole(Problem(made, (700, 1, 1), (32, 1, 1), (Pointer("sum"),), {"sum": (4, None)}))
    assert done.memory.content("sum").view(np.uint32)[0] == 700 * 32


def test_the_time_limit_is_of_all_blocks_together(monkeypatch: pytest.MonkeyPatch) -> None:
    now = itertools.count()
    monkeypatch.setattr("advisor.emulator.check.time", SimpleNamespace(process_time=lambda: next(now)))
    made = program(("MOV R4, 0x1",))
    assert run_whole(Problem(made, (512, 1, 1), (32, 1, 1), (), {}), seconds=2.0).steps
    with pytest.raises(RefusedError, match="did not end within 2 s of CPU time"):
        run_whole(Problem(made, (4096, 1, 1), (32, 1, 1), (), {}), seconds=2.0)


def test_lanes_that_update_one_word_lose_updates_and_one_lane_does_not() -> None:
    loads = ("@P0 STS [RZ+0x400], RZ", "LDS R4, [RZ+0x400]", "IADD3 R4, R4, R0, RZ", "STS [RZ+0x400], R4")
    one = ("ISETP.EQ.AND P0, PT, R0, RZ, PT", loads[0], *(f"@P0 {line}" for line in loads[1:]))
    watched(*one, threads=32)
    with pytest.raises(FaultError) as caught:
        watched(one[0], *loads, threads=32)
    assert caught.value.kind == "race" and "updates are lost" in caught.value.words


def test_warps_whose_predicate_is_false_do_not_arrive_at_a_barrier() -> None:
    lines = ("ISETP.GE.AND P0, PT, R0, 0x20, PT", "@P0 BAR.SYNC.DEFER_BLOCKING 0x1, 0x20")
    watched(*lines)
    with pytest.raises(FaultError) as caught:
        watched(lines[0], lines[1].replace("0x20", "0x40"))
    assert caught.value.kind == "deadlock" and "thread (32, 0, 0) waits for ever" in caught.value.words


def test_a_copy_of_memory_has_its_bytes_and_fills_the_rest_itself() -> None:
    def rising(view: np.ndarray, start: int, stop: int) -> None:
        view[:] = np.arange(start, stop, dtype=np.uint64).astype(np.uint8)

    memory = GlobalMemory()
    memory.allocate("out", 100)
    memory.allocate("in", 1 << 20, rising)
    memory.content("out")[:] = 7
    other = memory.copy()
    memory.content("out")[:] = 8
    memory.content("in")[:] = 9
    assert (other.content("out") == 7).all() and (other.content("in")[:3] == (0, 1, 2)).all()
    assert (memory.copy().content("in") == 9).all()
