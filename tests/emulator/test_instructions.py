"""Each instruction does what the hardware does: small programs against Python's integers and NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from advisor.emulator.program import RefusedError
from advisor.emulator.state import FaultError
from tests.emulator.small import OUT, result, run

LANE = np.arange(32, dtype=np.uint32)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["IMAD R4, R0, 0x7, R0"], LANE * 8),
        (["IADD3 R4, -R0, 0x5, RZ"], (5 - LANE.astype(np.int64)) & 0xFFFFFFFF),
        (["LOP3.LUT R4, R0, 0x6, RZ, 0x3c, !PT"], LANE ^ 6),
        (["LOP3.LUT R4, R0, 0xc, 0x5, 0xe8, !PT"], (LANE & 12) | (LANE & 5) | (12 & 5)),
        (["SHF.L.U32 R4, R0, 0x3, RZ"], LANE << 3),
        (
            ["VIADD R4, R0, 0xfffffff0", "SHF.R.S32.HI R4, RZ, 0x2, R4"],
            ((LANE.astype(np.int64) - 16) >> 2) & 0xFFFFFFFF,
        ),
        (["LEA R4, R0, R0, 0x2"], LANE * 5),
        (["LEA.HI R4, R0, 0x1, RZ, 0x1e"], (LANE >> 2) + 1),
        (["PRMT R4, R0, 0x0123, RZ"], LANE << 24),
        (["ISETP.GT.AND P0, PT, R0, 0x7, PT", "SEL R4, R0, RZ, P0"], np.where(LANE > 7, LANE, 0)),
        (["VIMNMX R4, R0, 0x9, PT"], np.minimum(LANE, 9)),
        (["POPC R4, R0"], np.array([int(x).bit_count() for x in LANE])),
        (["FLO.U32 R4, R0"], np.array([int(x).bit_length() - 1 for x in LANE]) & 0xFFFFFFFF),
        (["BREV R4, R0"], np.array([int(f"{int(x):032b}"[::-1], 2) for x in LANE])),
        (["IABS R4, R0", "IADD3 R4, -R4, RZ, RZ", "IABS R4, R4"], LANE),
        (["BMSK R4, RZ, R0"], (1 << LANE.astype(np.uint64)) - 1),
        (["SGXT R4, R0, 0x3"], ((LANE & 7) - ((LANE & 4) << 1)) & 0xFFFFFFFF),
        (["IDP.4A.U8.U8 R4, R0, R0, R0"], LANE * LANE + LANE),
        (["I2FP.F32.S32 R4, R0"], LANE.astype(np.float32).view(np.uint32)),
        (["I2FP.F32.S32 R4, R0", "FMUL R4, R4, 1.5", "F2I.TRUNC.NTZ R4, R4"], (LANE * 3) // 2),
        (["I2FP.F32.S32 R4, R0", "MUFU.SQRT R4, R4"], np.sqrt(LANE.astype(np.float32)).view(np.uint32)),
        (["HFMA2.MMA R4, -RZ, RZ, 0, 2.384185791015625e-07"], np.full(32, 4)),
        (["SHFL.BFLY PT, R4, R0, 0x1, 0x1f"], LANE ^ 1),
        (["SHFL.DOWN PT, R4, R0, 0x4, 0x1f"], np.where(LANE < 28, LANE + 4, LANE)),
        (["SHFL.UP PT, R4, R0, 0x2, RZ"], np.where(LANE >= 2, LANE - 2, LANE)),
        (["SHFL.IDX PT, R4, R0, 0x3, 0x181f"], (LANE & 24) | 3),
        (["ISETP.LT.AND P0, PT, R0, 0x4, PT", "VOTE.ANY R4, PT, P0"], np.full(32, 15)),
        (["LOP3.LUT R4, R0, 0x1, RZ, 0xc0, !PT", "MATCH.ANY R4, R4"], np.where(LANE & 1, 0xAAAAAAAA, 0x55555555)),
        (["MOV R6, RZ", "MOV R7, 0x7ff80000", "F2I.F64.TRUNC R4, R6"], np.full(32, 1 << 31)),
        (["MOV R6, RZ", "MOV R7, 0x7ff80000", "F2I.U32.F64.TRUNC R4, R6"], np.full(32, 1 << 31)),
        (["MOV R6, 0x7fc00000", "F2I.TRUNC.NTZ R4, R6"], np.zeros(32)),
        (["MOV R6, 0x3f801fff", "F2FP.TF32.F32.PACK_B R4, R6"], np.full(32, 0x3F802000)),
        (["MOV R6, 0xbf801fff", "F2FP.TF32.F32.PACK_B.RZ R4, R6"], np.full(32, 0xBF800000)),
        (["REDUX.SUM UR8, R0", "MOV R4, UR8"], np.full(32, 496)),
        (["R2UR UR8, R0", "MOV R4, UR8"], np.zeros(32)),
        (["P2R R4, PR, RZ, 0x1"], np.full(32, 0)),
    ],
)
def test_an_instruction_gives_the_known_result(lines: list[str], expected: Any) -> None:
    assert (result(*lines) == np.asarray(expected).astype(np.uint32)).all()


@pytest.mark.parametrize("table", [*range(0, 256, 7), 0xC0, 0xFC, 0x3C, 0x96, 0xFE, 0x80, 0xF8, 0xEA, 0x33, 0x0F])
def test_each_table_of_lop3_is_looked_up_bit_by_bit(table: int) -> None:
    lines = [
        "SHF.R.U32.HI R5, RZ, 0x1, R0",
        "SHF.R.U32.HI R6, RZ, 0x2, R0",
        f"LOP3.LUT R4, R0, R5, R6, {table:#x}, !PT",
    ]
    bits = np.array([table >> int((x & 1) * 4 + (x >> 1 & 1) * 2 + (x >> 2 & 1)) & 1 for x in LANE])
    assert (result(*lines) & 1 == bits).all()


def test_carries_join_two_words() -> None:
    found = result("IADD3 R5, P0, R0, 0xffffffff, RZ", "IADD3.X R4, RZ, 0x5, RZ, P0, !PT")
    assert (found == np.where(LANE > 0, 6, 5)).all()


def test_a_comparison_of_64_bits_looks_at_the_low_words_if_the_high_ones_are_equal() -> None:
    found = result(
        "LOP3.LUT R6, R0, 0x1, RZ, 0xc0, !PT",
        "ISETP.GE.U32.AND P0, PT, R0, 0x10, PT",
        "ISETP.GE.AND.EX P0, PT, R6, RZ, PT, P0",
        "SEL R4, R0, RZ, P0",
    )
    assert (found == np.where((LANE & 1 > 0) | (LANE >= 16), LANE, 0)).all()


def test_doubles_use_pairs_of_registers() -> None:
    found = result("I2F.F64.U32 R6, R0", "DFMA R6, R6, 0.5, R6", "F2I.F64.TRUNC R4, R6")
    assert (found == (LANE * 3) // 2).all()


def test_lanes_that_branch_apart_meet_again_and_are_counted_apart() -> None:
    lines = [
        *OUT,
        "LOP3.LUT R5, R0, 0x1, RZ, 0xc0, !PT",
        "ISETP.NE.AND P0, PT, R5, RZ, PT",
        "BSSY B0, @join",
        "@P0 BRA @odd",
        "MOV R4, 0x1",
        "BRA @join",
        "odd: MOV R4, 0x2",
        "join: BSYNC B0",
        "STG.E desc[UR4][R2.64], R4",
    ]
    machine, arrays = run(lines)
    assert (arrays["out"] == np.where(LANE & 1, 2, 1)).all()
    by_text = {
        ins.text: (int(machine.executed()[i, 0]), int(machine.lanes_executed()[i, 0]))
        for i, ins in enumerate(machine.code)
    }
    assert by_text["MOV R4, 0x1"] == (1, 16)
    assert by_text["BSYNC B0"] == (2, 32)  # each part arrives
    assert by_text["STG.E desc[UR4][R2.64], R4"] == (1, 32)


def test_a_loop_with_a_different_count_for_each_lane() -> None:
    lines = [
        *OUT,
        "MOV R4, RZ",
        "BSSY B0, @done",
        "again: ISETP.GE.AND P0, PT, R4, R0, PT",
        "@P0 BRA @done",
        "VIADD R4, R4, 0x1",
        "BRA @again",
        "done: BSYNC B0",
        "STG.E desc[UR4][R2.64], R4",
    ]
    assert (run(lines)[1]["out"] == LANE).all()


def test_lanes_that_wait_for_another_lane_of_their_warp_get_on() -> None:
    lines = [
        *OUT,
        "MOV R5, 0x1",
        "BSSY B0, @done",
        "again: ATOMG.E.EXCH.STRONG.GPU PT, R6, desc[UR4][R8.64], R5",
        "ISETP.NE.AND P0, PT, R6, RZ, PT",
        "@P0 BRA @again",
        "ATOMG.E.EXCH.STRONG.GPU PT, R6, desc[UR4][R8.64], RZ",
        "MOV R4, R0",
        "done: BSYNC B0",
        "STG.E desc[UR4][R2.64], R4",
    ]
    lines.insert(9, "LDC.64 R8, c[0x0][0x218]")
    assert (run(lines, {"lock": np.zeros(1, np.uint32)})[1]["out"] == LANE).all()


def test_a_barrier_makes_the_shared_stores_of_other_warps_visible() -> None:
    lines = [
        *OUT,
        "IMAD.SHL.U32 R5, R0, 0x4, RZ",
        "STS [R5+0x400], R0",
        "BAR.SYNC.DEFER_BLOCKING 0x0",
        "LOP3.LUT R5, R5, 0x1fc, RZ, 0x3c, !PT",
        "LDS R4, [R5+0x400]",
        "STG.E desc[UR4][R2.64], R4",
    ]
    machine, arrays = run(lines, threads=128, shared_bytes=512)
    assert (arrays["out"] == 127 - np.arange(128)).all()
    assert all(c.wavefronts.sum() == 4 for c in machine.memory_counts.values() if c.space == "shared")


def test_a_barrier_that_a_warp_does_not_reach_is_a_deadlock() -> None:
    lines = [
        "S2R R0, SR_TID.X",
        "ISETP.GE.AND P0, PT, R0, 0x20, PT",
        "again: @P0 BRA @wait",
        "BAR.SYNC.DEFER_BLOCKING 0x0",
        "wait: @P0 BAR.SYNC.DEFER_BLOCKING 0x1",
    ]
    with pytest.raises(FaultError) as caught:
        run(lines, threads=64)
    assert caught.value.kind == "deadlock"


def test_atomic_operations_follow_the_order_of_warps_and_lanes() -> None:
    arrays = {"sum": np.zeros(2, np.uint32)}
    lines = [
        *OUT,
        "LDC.64 R8, c[0x0][0x218]",
        "MOV R5, 0x1",
        "ATOMG.E.ADD.STRONG.GPU PT, R4, desc[UR4][R8.64], R5",
        "REDG.E.MAX.STRONG.GPU desc[UR4][R8.64+0x4], R0",
        "STG.E desc[UR4][R2.64], R4",
    ]
    _, found = run(lines, arrays, threads=64)
    assert (found["out"] == np.arange(64)).all()
    assert found["sum"].tolist() == [64, 63]


def test_local_memory_counts_the_sectors_of_its_interleaved_words() -> None:
    lines = [
        *OUT,
        "LDC R1, c[0x0][0x28]",
        "VIADD R1, R1, 0xffffffe0",
        "STL [R1+0x4], R0",
        "LDL R4, [R1+0x4]",
        "LOP3.LUT R6, R0, 0x3, RZ, 0xc0, !PT",
        "IMAD R6, R6, 0x4, R1",
        "STL [R6+0x8], R4",
        "LDL R4, [R6+0x8]",
        "STG.E desc[UR4][R2.64], R4",
    ]
    machine, arrays = run(lines, local_bytes=32)
    assert (arrays["out"] == LANE).all()
    sectors = [int(c.sectors[0]) for c in machine.memory_counts.values() if c.space == "local"]
    assert sectors == [4, 4, 16, 16]


@pytest.mark.parametrize(
    ("line", "kind", "words"),
    [
        ("STG.E desc[UR4][R2.64+0x80], R0", "out_of_bounds", "thread (0, 0, 0): a store of 4 bytes"),
        ("STG.E desc[UR4][R2.64+0x2], R0", "misaligned", "not a multiple of 4"),
        ("LDS R4, [R0+0x2000]", "out_of_bounds", "a shared load of 4 bytes"),
        ("STL [R0+0x10000], R0", "out_of_bounds", "a local store"),
        ("BPT.TRAP 0x1", "trap", "reached a trap"),
    ],
)
def test_errors_of_memory_name_the_thread_and_the_address(line: str, kind: str, words: str) -> None:
    with pytest.raises(FaultError) as caught:
        result(line)
    assert caught.value.kind == kind and words in caught.value.words


@pytest.mark.parametrize(
    "line",
    [
        "HGMMA.64x128x16.F32 R24, gdesc, R24",
        "TEX.SCR.LL RZ, R1, R2",
        "FADD.WONDERFUL R4, R0, R0",
        "UTMALDG.2D [UR4], [UR6]",
    ],
)
def test_what_is_not_emulated_is_refused_by_name_when_it_is_reached(line: str) -> None:
    if "[UR4], [UR6]" not in line and "gdesc" in line:
        line = "HGMMA.64x128x16.F32 R24, R4, R24"
    name = line.split()[0]
    with pytest.raises(RefusedError, match=f"{name.replace('.', '[.]')} is not emulated"):
        result(line)
    assert (result("BRA @end", line, "end: MOV R4, R0") == LANE).all()


def test_an_endless_loop_is_ended() -> None:
    from advisor.emulator.counts import Problem, machine_of, memory_of
    from tests.emulator.small import program

    problem = Problem(program(["again: BRA @again"]), (1, 1, 1), (32, 1, 1), (), {})
    memory, addresses = memory_of(problem)
    with pytest.raises(RefusedError, match="did not end within"):
        machine_of(problem, [0], memory, addresses, None, 0.1).run()
