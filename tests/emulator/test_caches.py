"""Modelled values: caches by made streams of sectors, waits by small programs; no page takes them for counts."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from advisor.emulator.caches import Caches, CacheTraffic, model_caches
from advisor.emulator.counts import Problem, count, machine_of, memory_of
from advisor.emulator.launch import Pointer
from advisor.emulator.program import RefusedError
from advisor.emulator.waits import waits
from advisor.hardware.gpus import gpu
from advisor.knowledge.time_model import block_launch_ceiling
from advisor.reasoning.emulated_counts import emulated_document
from advisor.reasoning.modelled import modelled, with_modelled
from advisor.view.pages.emulated import emulated_page
from advisor.view.writers.terminal import terminal_text
from tests.emulator.small import OUT, program

H200 = gpu("H200-SXM")
COPY = (*OUT, "ULDC.64 UR8, c[0x0][0x218]", "IMAD.WIDE R6, R0, 0x4, RZ", "IADD3 R6, P0, R6, UR8, RZ")
COPY = (*COPY, "IADD3.X R7, R7, UR9, RZ, P0, !PT")
STORE = "STG.E desc[UR4][R2.64], R4"
LOAD = "LDG.E R4, desc[UR4][R6.64]"


def problem(lines: tuple[str, ...], blocks: int, block: int = 128) -> Problem:
    size = 4 * blocks * block
    arrays = {"out": (size, None), "in": (size, None)}
    return Problem(program(lines), (blocks, 1, 1), (block, 1, 1), (Pointer("out"), Pointer("in")), arrays)


def traffic(lines: tuple[str, ...], blocks: int, **sizes: Any) -> CacheTraffic:
    caches = {"sms": 4, "resident": 2, "l1": 1 << 17, "l2": 1 << 20, **sizes}
    found = model_caches(problem(lines, blocks), Caches(**caches))
    assert found is not None
    return found


def test_a_copy_that_is_larger_than_l2_reads_all_once_and_writes_back_what_does_not_fit() -> None:
    found = traffic((*COPY, LOAD, STORE), 4096)
    sectors = 4096 * 128 * 4 / 32
    assert (found.l1_hit, found.l2_hit) == (0, 0.5)
    assert (found.l2_reads, found.l2_writes, found.dram_reads) == (sectors, sectors, sectors)
    assert found.dram_writes == sectors * (1 - (1 << 20) / (2 * 32 * sectors))
    assert traffic((*COPY, LOAD, STORE), 4096, l2=1 << 30).dram_writes == 0


def test_a_second_load_hits_l1_if_the_lines_between_fit_and_a_strong_one_never_does() -> None:
    twice = traffic((*COPY, LOAD, LOAD.replace("R4,", "R5,"), STORE), 64)
    assert twice.l1_hit == pytest.approx(1 / 3)  # of two loads and a store, the second load
    strong = LOAD.replace("LDG.E", "LDG.E.STRONG.SYS")
    assert traffic((*COPY, LOAD, strong, STORE), 64).l1_hit == 0
    between = [LOAD.replace("R6.64", f"R6.64+{n:#x}") for n in (0, 0x800, 0x1000, 0)]
    # Another line than the own one is beyond the end of the array for the last blocks: a smaller grid than array.
    wide = problem((*COPY, *between, STORE), 16)
    wide.arrays["in"] = (1 << 20, None)
    small, large = (model_caches(wide, Caches(4, 2, l1, 1 << 20)) for l1 in (1 << 10, 1 << 17))
    assert small is not None and large is not None and small.l1_hit < large.l1_hit


def test_stores_to_parts_of_a_sector_find_it_in_l1_after_the_first() -> None:
    parts = [STORE.replace("R2.64", f"R2.64+{n:#x}") for n in (0, 0)]
    found = traffic((*OUT, "MOV R4, RZ", *parts), 64)
    assert found.l1_hit == 0.5 and found.l2_writes == 2 * 64 * 128 * 4 / 32


def test_without_global_memory_there_is_no_traffic() -> None:
    assert model_caches(problem(("MOV R4, 0x1",), 8), Caches(4, 2, 1 << 17, 1 << 20)) is None


def test_loads_that_are_issued_before_their_first_use_are_waited_for_together() -> None:
    def waited(*lines: str) -> Any:
        one = problem((*COPY, *lines, STORE), 1)
        memory, addresses = memory_of(one)
        builds = machine_of(one, [0], memory, addresses, None, 5.0).builds
        return waits(builds, [1.0] * len(builds))

    second = LOAD.replace("R4,", "R5,").replace("R6.64", "R6.64+0x4")
    assert waited(LOAD, second, "IADD3 R4, R4, R5, RZ").loads == 1
    assert waited(LOAD, "VIADD R4, R4, 0x1", second, "IADD3 R4, R4, R5, RZ").loads == 2
    assert waited("MOV R4, 0x1", "VIADD R4, R4, 0x1").fixed > waited("MOV R4, 0x1", "MOV R5, 0x1").fixed


def test_the_time_of_a_large_copy_is_that_of_dram_and_grows_with_the_grid() -> None:
    found = []
    for blocks in (1 << 18, 1 << 19):
        one = problem((*COPY, LOAD, STORE), blocks, 256)
        found.append({v.metric: v.value for v in modelled(one, count(one, seconds=5.0), H200)})
    bytes_moved = found[1]["dram_read_bytes"] + found[1]["dram_write_bytes"]
    assert found[1]["duration_ns"] > 1e9 * bytes_moved / (H200.bandwidth or math.nan)
    assert 50 < found[1]["dram_pct"] <= 100
    assert found[1]["duration_ns"] / found[0]["duration_ns"] == pytest.approx(2, rel=0.1)


def test_modelled_values_are_marked_and_stay_out_of_counts_and_findings() -> None:
    one = problem((*COPY, LOAD, STORE), 256)
    counted = count(one, seconds=5.0)
    plain = emulated_document(counted, "H200")
    with_values = with_modelled(plain, one, counted, "H200")
    assert with_values.modelled and with_values.modelled_on == "H200-SXM"
    assert (with_values.metrics, with_values.findings, with_values.counts) == (
        plain.metrics,
        plain.findings,
        plain.counts,
    )
    assert not {v.metric for v in with_values.modelled} & {name for name, _ in with_values.metrics}
    text = terminal_text(emulated_page(with_values), width=100)
    assert "Modelled for H200-SXM, neither counted nor measured" in " ".join(text.split())
    assert "Modelled" not in terminal_text(emulated_page(plain), width=100)
    # The code of one architecture says nothing about a GPU of another.
    other = with_modelled(plain, one, counted, "A100-SXM-80GB")
    assert not other.modelled and other.not_modelled.startswith("the code is of sm_90, A100-SXM-80GB has")
    assert "Not modelled: the code is of sm_90" in " ".join(terminal_text(emulated_page(other), width=100).split())


def test_fewer_blocks_are_executed_if_their_sectors_are_too_many_and_none_if_one_has_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = traffic((*COPY, LOAD, STORE), 4096)
    monkeypatch.setattr("advisor.emulator.caches._MOST_SECTORS", 40)  # a block accesses 32
    assert traffic((*COPY, LOAD, STORE), 4096) == whole
    monkeypatch.setattr("advisor.emulator.caches._MOST_SECTORS", 20)
    one = problem((*COPY, LOAD, STORE), 256)
    with pytest.raises(RefusedError, match="a block accesses more than 20 sectors"):
        model_caches(one, Caches(4, 2, 1 << 17, 1 << 20))
    counted = count(one, seconds=5.0)
    document = with_modelled(emulated_document(counted), one, counted, "H200")
    assert document.counts and not document.modelled
    assert document.not_modelled.startswith("a block accesses more than 20 sectors")


def test_the_time_limit_holds_for_the_model_too_and_the_counts_stay() -> None:
    one = problem((*COPY, LOAD, STORE), 256)
    counted = count(one, seconds=5.0)
    document = with_modelled(emulated_document(counted), one, counted, "H200", seconds=0.0)
    assert document.counts and not document.modelled and "did not end within 0 s" in document.not_modelled


def test_a_launch_with_tensor_instructions_has_traffic_but_no_time() -> None:
    one = problem((*COPY, LOAD, "HMMA.16816.F32 R8, R8, R12, R8", STORE), 64)
    found = {v.metric for v in modelled(one, count(one, seconds=5.0), H200)}
    assert "l2_hit_pct" in found and "duration_ns" not in found
    assert np.isfinite([v.value for v in modelled(one, count(one, seconds=5.0), H200)]).all()


def test_a_grid_whose_blocks_differ_has_the_traffic_that_was_counted() -> None:
    # Blocks from 1,024 on end at once; those of one SM are among the first.
    lines = ("S2R R9, SR_CTAID.X", "ISETP.GE.AND P0, PT, R9, 0x400, PT", "@P0 EXIT", *COPY, LOAD, STORE)
    one = problem(lines, 1 << 15)
    counted = count(one, seconds=5.0)
    read = next(v.value for v in modelled(one, counted, H200) if v.metric == "dram_read_bytes")
    assert read == 1024 * 128 * 4


@pytest.mark.parametrize(("resident", "lost"), [(2, 0.0), (64, 0.75)])
def test_what_running_blocks_share_is_lost_from_l2_as_far_as_they_use_more_than_it_holds(
    resident: int, lost: float
) -> None:
    # Each block reads 64 places all over an array of 4 MiB: eight blocks use 256 KiB of it, 256 use all; L2 has 1 MiB.
    places = [LOAD.replace("R6.64", f"R6.64+{n << 15:#x}") for n in range(64)]
    one = problem(
        (*COPY[:-3], "IMAD R0, R0, 0x1, RZ", "LOP3.LUT R0, R0, 0x1fff, RZ, 0xc0, !PT", *COPY[-3:], *places), 4096
    )
    one.arrays["in"] = (4 << 20, None)
    found = model_caches(one, Caches(4, resident, 1 << 10, 1 << 20))
    assert found is not None
    first = (4 << 20) / 32
    assert found.dram_reads == pytest.approx(first + lost * (found.l2_reads - first), rel=0.01)


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ((*COPY, LOAD, STORE, "UBLKCP.S.G [UR4], [UR6], UR8"), "bulk copies"),
        ((*COPY, LOAD, "STL [R1+0x4], R4", "LDL R4, [R1+0x4]", STORE), "local memory"),
    ],
)
def test_accesses_that_the_model_does_not_see_leave_all_unknown(lines: tuple[str, ...], why: str) -> None:
    one = problem((*COPY, LOAD, STORE), 64)
    counted = count(one, seconds=5.0)
    texts = [*lines, "EXIT"]
    like = counted.instructions[0]
    made = replace(
        counted,
        instructions=[
            replace(
                like,
                text=text,
                sectors=100.0 if "G.E" in text else None,
                local_sectors=50.0 if "L [" in text or "L R" in text else None,
            )
            for text in texts
        ],
    )
    document = with_modelled(emulated_document(counted), one, made, "H200")
    assert document.counts and not document.modelled
    assert document.not_modelled == f"{why} {'is' if 'memory' in why else 'are'} not in the model of the caches"


def test_a_launch_of_many_atomic_operations_has_traffic_but_no_time_and_says_why() -> None:
    one = problem((*COPY, LOAD, "RED.E.ADD.STRONG.GPU desc[UR4][R2.64], R4"), 64)
    counted = count(one, seconds=5.0)
    document = with_modelled(emulated_document(counted), one, counted, "H200")
    assert "duration_ns" not in {v.metric for v in document.modelled} and document.modelled
    text = " ".join(terminal_text(emulated_page(document), width=100).split())
    assert "No time: atomic operations are not in the model of the time." in text
    assert "Modelled for H200-SXM" in text


def test_many_short_blocks_take_the_time_to_start_them() -> None:
    one = problem(OUT, 1 << 20, 32)
    found = {v.metric: v.value for v in modelled(one, count(one, seconds=5.0), H200)}
    started = block_launch_ceiling("9.0")
    assert started is not None
    least = 1e9 * (1 << 20) / started / (H200.boost_clock_hz or math.nan)
    assert found["duration_ns"] == pytest.approx(least, rel=0.02)
