"""Addresses from the code: known, scaled by an argument, loaded, masked by predicates, spilled; and hostile code."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.hardware.sass import classify, parse
from advisor.hardware.sass_addresses import Follower, Reached
from advisor.hardware.sass_flow import graph
from advisor.hardware.simulators import banks_of, coalescing_of
from advisor.readers.launch_code import read_instances
from advisor.readers.read import read
from advisor.records import resources

START, STEP = 0x1000, 16
TID = "S2R R0, SR_TID.X"


def reached(text: str, block: tuple[int, int, int] = (256, 1, 1), cc: str = "9.0") -> dict[str, tuple[Reached, ...]]:
    """What the accesses of a code reach, by their lines; `@3!` in a line is the address of line 3."""
    lines = [line.strip() for line in text.strip().splitlines()]
    codes_text = list(lines)
    for at in range(len(lines)):
        codes_text = [line.replace(f"@{at}!", hex(START + STEP * at)) for line in codes_text]
    codes = [parse(line) for line in codes_text]
    pcs = range(START, START + STEP * len(codes), STEP)
    found = Follower(codes, pcs, graph(codes, pcs), block, cc).reached()
    return {lines[i]: what for i, what in found.items()}


def one(text: str, block: tuple[int, int, int] = (256, 1, 1), cc: str = "9.0") -> Reached:
    """What the last access of a code reaches."""
    return list(reached(text, block, cc).values())[-1][-1]


@pytest.mark.parametrize(
    ("multiple", "opcode", "sectors", "ideal"),
    [
        ("0x4", "LDG.E", 4, 4),
        ("0x8", "LDG.E", 8, 4),
        ("0x20", "LDG.E", 32, 4),
        ("0x10", "LDG.E.128", 16, 16),
        ("0x0", "LDG.E", 1, 1),
        ("0x2", "STG.E.U16", 2, 2),
    ],
)
def test_sectors_of_a_stride(multiple: str, opcode: str, sectors: int, ideal: int) -> None:
    found = one(f"{TID}\nULDC.64 UR4, c[0x0][0x210]\nIMAD.WIDE R2, R0, {multiple}, UR4\n{opcode} R4, [R2.64]\nEXIT")
    assert (found.pieces, found.ideal, found.sure, found.lanes) == (sectors, ideal, True, 32)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 300),
    st.integers(0, 64),
    st.sampled_from([(1, ".U8"), (2, ".U16"), (4, ""), (8, ".64"), (16, ".128")]),
)
def test_sectors_and_wavefronts_are_those_of_the_simulator(factor: int, plus: int, kind: tuple[int, str]) -> None:
    width, suffix = kind
    factor, plus = factor * width, plus * width
    lanes = [factor * lane + plus for lane in range(32)]
    code = f"{TID}\nIMAD R2, R0, {hex(factor)}, RZ\n"
    found = one(f"{code}LDG.E{suffix} R4, [R2+UR4+{hex(plus)}]\nEXIT", (32, 1, 1))
    assert found.pieces == coalescing_of(lanes, width).sectors
    if width >= 4:
        shared = one(f"{code}LDS{suffix} R4, [R2+UR4+{hex(plus)}]\nEXIT", (32, 1, 1))
        assert shared.pieces == banks_of(lanes, width).wavefronts


def test_an_argument_as_a_factor_leaves_the_distance_unknown() -> None:
    found = one(f"{TID}\nIMAD R2, R0, c[0x0][0x220], RZ\nIMAD.WIDE R2, R2, 0x4, R4\nLDG.E R6, [R2.64]\nEXIT")
    assert (found.pieces, found.sure) == (32, False)
    rows = "S2R R1, SR_TID.Y\nIMAD R2, R1, c[0x0][0x220], R0\nIMAD.WIDE R2, R2, 0x4, R4\nLDG.E R6, [R2.64]\nEXIT"
    assert one(f"{TID}\n{rows}", (32, 8, 1)).sure  # a warp is in one row
    halves = one(f"{TID}\n{rows}", (16, 16, 1))  # two rows, each two sectors
    assert (halves.pieces, halves.sure) == (4, False)


def test_a_loaded_index_may_be_anywhere_and_one_that_all_lanes_load_is_the_same() -> None:
    gather = "LDG.E R2, [R2.64]\nIMAD.WIDE R4, R2, 0x4, R6\nLDG.E R8, [R4.64]\nEXIT"
    assert not one(f"{TID}\nIMAD.WIDE R2, R0, 0x4, R4\n{gather}").sure
    row = "IADD3 R4, R2, R0, RZ\nIMAD.WIDE R4, R4, 0x4, R6\nLDG.E R8, [R4.64]\nEXIT"
    found = one(f"{TID}\nULDC.64 UR4, c[0x0][0x210]\nLDG.E R2, [UR4.64]\n{row}")
    assert (found.pieces, found.sure) == (4, True)


@pytest.mark.parametrize(("pitch", "wavefronts"), [("0x80", 32), ("0x84", 1), ("0x88", 2)])
def test_a_column_of_a_tile(pitch: str, wavefronts: int) -> None:
    found = one(f"{TID}\nIMAD R2, R0, {pitch}, RZ\nLDS R4, [R2+0x400]\nEXIT", (32, 8, 1))
    assert (found.pieces, found.ideal) == (wavefronts, 1)


def test_a_swizzled_column_has_no_conflicts() -> None:
    lane = "LOP3.LUT R1, R0, 0x1f, RZ, 0xc0, !PT\nSHF.R.U32.HI R2, RZ, 0x5, R0\nLOP3.LUT R3, R1, R2, RZ, 0x3c, !PT"
    found = one(f"{TID}\n{lane}\nIMAD R4, R1, 0x20, R3\nSHF.L.U32 R4, R4, 0x2, RZ\nLDS R5, [R4]\nEXIT", (1024, 1, 1))
    assert found.pieces == 1


def test_quotient_and_rest_of_an_unknown_width() -> None:
    # The quotient of neighbours is the same, as the compiler computes it from a reciprocal; their rests are neighbours.
    divide = "I2F.U32.RP R3, c[0x0][0x220]\nMUFU.RCP R3, R3\nF2I.FTZ.U32.TRUNC.NTZ R3, R3\nIMAD.HI.U32 R4, R3, R0, RZ"
    rest = "IMAD R5, R4, c[0x0][0x220], RZ\nIADD3 R5, R0, -R5, RZ\nIMAD.WIDE R6, R5, 0x4, R8\nLDG.E R10, [R6.64]\nEXIT"
    found = one(f"{TID}\n{divide}\n{rest}")
    assert (found.pieces, found.sure) == (4, True)


def test_a_loop_keeps_what_its_trips_agree_on() -> None:
    loop = """
        S2R R0, SR_TID.X
        IMAD.WIDE R2, R0, 0x4, R4
        LDG.E R6, [R2.64+0x80]
        IADD3 R2, P0, R2, c[0x0][0x230], RZ
        @P1 BRA @2!
        EXIT
    """
    assert (one(loop).pieces, one(loop).sure) == (4, True)
    doubling = loop.replace("IADD3 R2, P0, R2, c[0x0][0x230], RZ", "SHF.L.U32 R2, R2, 0x1, RZ")
    assert not one(doubling).sure


def test_predicates_and_branches_turn_lanes_off() -> None:
    compare = f"{TID}\nISETP.GT.AND P0, PT, R0, 0x7, PT\nSHF.L.U32 R2, R0, 0x2, RZ\n"
    found = one(f"{compare}@!P0 LDS R4, [R2]\nEXIT", (64, 1, 1))
    assert (found.lanes, found.pieces) == (4, 0.5)  # the second warp executes it with no lane
    branch = one(f"{compare}@P0 BRA @5!\nLDS R4, [R2]\nEXIT", (64, 1, 1))
    assert (branch.lanes, branch.pieces) == (8, 1)  # the second warp branches
    left = one(f"{compare}@P0 EXIT\nLDS R4, [R2]\nEXIT", (64, 1, 1))
    assert (left.lanes, left.pieces) == (8, 1)
    unknown = one(
        f"{TID}\nISETP.GT.AND P0, PT, R0, c[0x0][0x210], PT\nSHF.L.U32 R2, R0, 0x2, RZ\n@P0 LDS R4, [R2]\nEXIT"
    )
    assert unknown.lanes == 32
    assert (
        one(f"{compare}R2P PR, R9, 0x7f\n@!P0 LDS R4, [R2]\nEXIT", (64, 1, 1)).lanes == 32
    )  # set anew from a register


def test_the_block_has_a_shape() -> None:
    code = f"{TID}\nS2R R1, SR_TID.Y\nIMAD R2, R1, c[0x0][0x0], R0\nSHF.L.U32 R2, R2, 0x2, RZ\nLDS R4, [R2]\nEXIT"
    assert one(code, (16, 16, 1)).pieces == 1
    assert not one(code.replace("[0x0], R0", "[0x360], R0"), (16, 16, 1)).sure
    assert one(code.replace("[0x0], R0", "[0x360], R0"), (16, 16, 1), "10.0").pieces == 1
    assert one(code, (8, 1, 1)).lanes == 8


def test_a_spilled_address_is_read_back_and_a_function_changes_only_what_it_writes() -> None:
    spill = f"{TID}\nSHF.L.U32 R2, R0, 0x2, RZ\nSTL [R1+0x10], R2\nMOV R2, RZ\nLDL R6, [R1+0x10]\nLDS R4, [R6]\nEXIT"
    assert (one(spill).pieces, one(spill).sure) == (1, True)
    assert not one(spill.replace("LDL R6, [R1+0x10]", "LDL R6, [R1+0x20]")).sure
    call = f"{TID}\nSHF.L.U32 R2, R0, 0x2, RZ\nCALL.REL.NOINC @5!\nLDS R4, [R2]\nEXIT\nMOV R9, R8\nRET.REL.NODEC R20"
    assert (one(call).pieces, one(call).sure) == (1, True)
    assert not one(call.replace("MOV R9", "MOV R2")).sure
    assert not one(call.replace("LDS R4, [R2]", "LDS R4, [R9]")).sure  # what only the function writes


def test_lanes_that_have_diverged_leave_none_out() -> None:
    apart = f"{TID}\nSHF.L.U32 R2, R0, 0x2, RZ\nBRA.DIV UR4, @5!\nLDS R4, [R2]\nEXIT\nWARPSYNC.COLLECTIVE R6, @3!\nEXIT"
    assert one(apart).lanes == 32


def test_a_sign_extension_keeps_the_low_bits() -> None:
    found = one(f"{TID}\nSGXT.U32 R2, R0, 0x3\nIMAD R2, R2, 0x20, RZ\nLDG.E R4, [R2+UR4]\nEXIT")
    assert found.pieces == 8


def test_a_shuffle_from_one_lane_gives_each_part_of_a_warp_one_value() -> None:
    row = (
        "LOP3.LUT R5, R0, 0x7, RZ, 0xc0, !PT\nIMAD R4, R4, 0x40, R5\nIMAD.WIDE R4, R4, 0x4, R6\nLDG.E R8, [R4.64]\nEXIT"
    )
    gather = f"{TID}\nIMAD.WIDE R2, R0, 0x4, R6\nLDG.E R2, [R2.64]\nSHFL.IDX PT, R4, R2, RZ, 0x181f\n{row}"
    found = one(gather)
    assert (found.pieces, found.sure) == (4, False)  # four groups of eight lanes
    assert one(gather.replace("0x181f", "0x1f")).pieces == 1  # all load the eight words of one row
    assert one(gather.replace("IDX", "BFLY")).pieces == 32


def test_an_asynchronous_copy_reaches_both_memories_and_a_matrix_load_rows() -> None:
    copy = "LDGSTS.E.128 [R2], desc[UR4][R4.64]"
    found = reached(f"{TID}\nIMAD R2, R0, 0x10, RZ\nIMAD.WIDE R4, R0, 0x20, R6\n{copy}\nEXIT")[copy]
    assert [(a.space, a.pieces, a.ideal) for a in found] == [("shared", 4, 4), ("global", 32, 16)]
    rows = f"{TID}\nLOP3.LUT R0, R0, 0x1f, RZ, 0xc0, !PT\nIMAD R2, R0, PITCH, RZ\nLDSM.16.M88.4 R4, [R2]\nEXIT"
    assert one(rows.replace("PITCH", "0x80")).pieces == 32
    assert one(rows.replace("PITCH", "0x90")).pieces == 4


@pytest.mark.parametrize(
    "exercise", ["bank-conflicts", "array-of-structs", "transpose-ladder", "misaligned", "half-gemm"]
)
def test_recorded_accesses(exercise: str) -> None:
    """What the code shows agrees with the counters of each instruction that all lanes execute."""
    report = next((resources.folder("kernels") / exercise).glob("recorded/*/*.ncu-rep.xz"))
    names = [
        "inst_executed",
        "thread_inst_executed",
        "memory_l2_theoretical_sectors_global",
        "memory_l1_wavefronts_shared",
    ]
    table = read_instances(report, 0, names)
    codes, pcs = [parse(text) for text in table.sass], [int(pc) for pc in table.pc]
    found = Follower(codes, pcs, graph(codes, pcs), read(report).frame["block"].iloc[0], "9.0").reached()
    compared = 0
    for i, accesses in found.items():
        code = codes[i]
        executed, lanes, sectors, wavefronts = (float(table[name].iloc[i]) for name in names)
        if (
            code is None
            or not executed
            or lanes < 31 * executed
            or classify(code.opcode).access not in ("load", "store")
        ):
            continue
        for access in accesses:
            counted = (sectors if access.space == "global" else wavefronts) / executed
            assert access.pieces >= 0.95 * counted, table.sass.iloc[i]  # also the limit of an unknown distance
            if access.sure:
                assert access.pieces == pytest.approx(counted, rel=0.15), table.sass.iloc[i]
                compared += 1
    assert compared


_OPERANDS = st.sampled_from(
    [
        "R0",
        "R1",
        "-R2",
        "~R3",
        "RZ",
        "0x4",
        "-0x1",
        "UR4",
        "c[0x0][0x0]",
        "c[0x0][R1]",
        "c[0x0][RZ]",
        "PT",
        "!P0",
        "1e+30",
        "[R1+UR2]",
        "[R0.X4+0x8]",
        "@2!",
    ]
)
_STEMS = st.sampled_from(
    [
        "IADD3",
        "IADD3.X",
        "IMAD",
        "IMAD.WIDE",
        "IMAD.HI.U32",
        "LEA",
        "LEA.HI",
        "LOP3.LUT",
        "SHF.L.U32",
        "SHF.R.S32.HI",
        "ISETP.LT.AND",
        "SEL",
        "MOV",
        "S2R",
        "LDG.E",
        "STG.E.128",
        "LDS",
        "LDSM.16.M88.4",
        "STL",
        "LDL.64",
        "ATOMG.E.ADD",
        "SHFL.IDX",
        "R2UR",
        "VOTE.ANY",
        "BRA",
        "CALL.REL",
        "EXIT",
        "FFMA",
        "CS2R",
        "IMNMX",
        "P2R",
        "R2P",
        "LDGSTS.E",
        "PRMT",
    ]
)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["", "@P0 ", "@!UP1 "]), _STEMS, st.lists(_OPERANDS, max_size=6)),
        min_size=1,
        max_size=14,
    ),
    st.sampled_from([(1, 1, 1), (33, 1, 1), (16, 16, 2), (1024, 1, 1)]),
)
def test_any_code_gives_finite_numbers_within_their_limits(
    code: list[tuple[str, str, list[str]]], block: tuple[int, int, int]
) -> None:
    text = "\n".join(f"{guard}{stem} {', '.join(operands)}" for guard, stem, operands in code)
    for accesses in reached(text, block).values():
        for access in accesses:
            assert all(map(math.isfinite, (access.lanes, access.pieces, access.ideal, access.passes)))
            assert 0 <= access.lanes <= 32
            assert 0 <= access.ideal <= access.pieces + 1e-9
            assert access.pieces <= 32 * 16
