"""Executions per warp that follow from the code alone: loops, slow paths, ends, functions, and hostile code."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.hardware.sass import parse
from advisor.hardware.sass_counts import RARE, TRIPS, VERY_RARE, counted_by_code, executions
from advisor.records.readings import CodeCounts

START, STEP = 0x1000, 16


def runs(text: str) -> list[float]:
    """The executions of each line; `@3` in a line is the address of line 3."""
    lines = [line.strip() for line in text.strip().splitlines()]
    for at in range(len(lines)):
        lines = [line.replace(f"@{at}!", hex(START + STEP * at)) for line in lines]
    return executions([parse(line) for line in lines], range(START, START + STEP * len(lines), STEP))


def test_straight_code_runs_once() -> None:
    assert runs("MOV R1, 0x1\nSTG.E [R2], R1\nEXIT") == pytest.approx([1, 1, 1])


def test_a_loop_runs_sixteen_times_and_one_inside_it_sixteen_times_as_often() -> None:
    found = runs("""
        MOV R1, RZ
        MOV R2, RZ
        IADD3 R2, R2, 0x1, RZ
        @P0 BRA @2!
        IADD3 R1, R1, 0x1, RZ
        @P1 BRA @1!
        EXIT
    """)
    assert found[1] == pytest.approx(TRIPS, rel=0.1)
    assert found[2] == pytest.approx(TRIPS**2, rel=0.1)
    assert found[6] == pytest.approx(1, rel=0.05)


def test_a_check_of_bounds_ends_few_warps() -> None:
    found = runs("ISETP.GE.AND P0, PT, R0, R1, PT\n@P0 BRA @4!\nLDG.E R2, [R4]\nEXIT\nEXIT")
    assert found[2] == pytest.approx(1 - RARE, rel=0.01)
    assert found[4] == pytest.approx(RARE, rel=0.01)


def test_a_slow_path_is_rare_and_both_sides_of_another_branch_are_equally_likely() -> None:
    slow = runs("@P0 BRA @3!\nFMUL R1, R1, R2\nEXIT\nCALL.REL.NOINC @5!\nEXIT\nMUFU.RCP R1, R1\nRET.REL.NODEC R20")
    assert slow[3] == pytest.approx(RARE, rel=0.01)
    assert slow[5] == pytest.approx(RARE, rel=0.02)  # the function that it calls
    even = runs("@P0 BRA @3!\nFMUL R1, R1, R2\nBRA @4!\nFADD R1, R1, R2\nEXIT")
    assert even[1] == even[3] == pytest.approx(0.5, rel=0.01)


def test_padding_after_the_code_and_a_loop_without_an_end_are_finite() -> None:
    assert runs("MOV R1, R2\nEXIT\nBRA @2!\nNOP")[2] == 0
    assert all(map(math.isfinite, runs("MOV R1, R2\nBRA @0!")))


@pytest.mark.parametrize("away", ["BRX R2", "JMXU UR4", "CALL.REL.NOINC R8, @0!", "CALL.ABS.NOINC 0x999990"])
def test_code_that_goes_where_it_does_not_show_is_not_counted(away: str) -> None:
    assert runs(f"LDG.E R1, [R4]\n{away}\nSTG.E [R2], R1\nEXIT") == []


def test_a_recursion_ends_and_a_function_that_branches_into_its_caller_is_not_counted() -> None:
    assert runs("FADD R1, R1, R1\nCALL.REL.NOINC @0!\nEXIT")[0] == pytest.approx(1)
    assert runs("S2R R0, SR_TID.X\nCALL.REL @4!\n@P0 BRA @1!\nEXIT\nFADD R1, R1, R1\nBRA @1!") == []


def test_lanes_that_have_diverged_are_rare() -> None:
    found = runs("BRA.DIV UR4, @3!\nSHFL.BFLY PT, R1, R2, 0x1, 0x1f\nEXIT\nWARPSYNC.COLLECTIVE R6, @1!\nEXIT")
    assert found[1] == pytest.approx(1 - RARE, rel=0.01)
    assert found[3] == pytest.approx(RARE, rel=0.01)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(("", "@P0 ", "@!P1 ")), st.sampled_from("bcexo"), st.integers(0, 30)), max_size=30
    )
)
def test_any_branches_give_finite_counts_that_are_not_negative(program: list[tuple[str, str, int]]) -> None:
    def line(predicate: str, kind: str, goal: int) -> str:
        where = hex(START + STEP * goal)
        return (
            predicate
            + {"b": f"BRA {where}", "c": f"CALL.REL {where}", "e": "EXIT", "x": "BRX R2", "o": "FADD R1, R2, R3"}[kind]
        )

    codes = [parse(line(*one)) for one in program]
    found = executions(codes, range(START, START + STEP * len(codes), STEP))
    assert len(found) in (0, len(codes))
    assert all(math.isfinite(number) and number >= 0 for number in found)


def test_counts_by_opcode_and_by_access() -> None:
    found = counted_by_code(
        START, ["LDG.E.128 R4, desc[UR4][R2.64]", "STL [R1+0x8], R4", "LDL R5, [R6]", "EXIT", "a label:"]
    )
    assert found is not None
    assert found.opcodes == pytest.approx({"LDG.E.128": 1, "STL": 1, "LDL": 1, "EXIT": 1})
    assert (found.spills, found.indexed) == pytest.approx((1, 1))
    assert [(a.space, a.kind, a.width) for a in found.accesses] == [
        ("global", "load", 128),
        ("local", "load", 32),
        ("local", "store", 32),
    ]
    assert all(math.isnan(a.pieces) and not a.sure and a.lanes == 32 * a.executed for a in found.accesses)


def test_hundreds_of_loops_inside_each_other_are_not_followed() -> None:
    nested = [line for _ in range(700) for line in ("@P0 BRA 0x1000", *["FADD R1, R1, R2"] * 20)]
    assert counted_by_code(START, nested) is None


@pytest.mark.parametrize("lines", [[], ["N/A", ""], ["BRA 0x1000"] * 4000])
def test_code_that_tells_nothing_gives_nothing(lines: list[str]) -> None:
    assert counted_by_code(START, lines) is None


def test_large_arguments_of_a_sine_are_rare_whichever_way_the_branch_goes() -> None:
    near, after = "FSETP.GE.AND P0, PT, |R1|, 105615, PT", "FADD R1, R1, R2\nSTG.E [R4], R1\nEXIT"
    over = runs(f"{near}\n@!P0 BRA @3!\nSTL [R1], R2\n{after}")
    assert over[2:4] == pytest.approx([VERY_RARE, 1], rel=0.01)
    aside = runs(f"{near}\n@P0 BRA @3!\nBRA @4!\nSTL [R1], R2\n{after}")
    assert aside[3] == pytest.approx(VERY_RARE, rel=0.01)
    other = runs(f"{near.replace('105615', '3')}\n@!P0 BRA @3!\nSTL [R1], R2\n{after}")
    assert other[2] == pytest.approx(0.5, rel=0.01)


def counts(text: str, block: tuple[int, int, int] = (256, 1, 1)) -> CodeCounts:
    lines = [line.strip() for line in text.strip().splitlines()]
    for at in range(len(lines)):
        lines = [line.replace(f"@{at}!", hex(START + STEP * at)) for line in lines]
    found = counted_by_code(START, lines, block, "9.0")
    assert found is not None
    return found


LOADED = "S2R R0, SR_TID.X\nIMAD.WIDE R2, R0, 0x4, R10\nLDG.E R4, [R2.64]"
# After the first five lines: one side of a branch, or the body of a loop.
SIDE = "@!P0 BRA @7!\nFMUL R5, R5, R5\nFADD R5, R5, R6\nSTG.E [R2.64], R5\nEXIT"
LOOP = "FMUL R5, R5, R5\nIADD3 R7, R7, 0x1, RZ\n{}\n@P0 BRA @4!\nSTG.E [R2.64], R5\nEXIT"


@pytest.mark.parametrize(
    ("compared", "parts"),
    [
        ("ISETP.GT.AND P0, PT, R4, RZ, PT", True),  # what each lane has loaded
        ("FSETP.GT.AND P0, PT, R4, 1.5, PT", True),
        ("ISETP.GT.AND P0, PT, R0, 0x40, PT", False),  # the thread's number, as a check of bounds
        ("ISETP.GT.AND P0, PT, R9, RZ, PT", False),  # an argument
    ],
)
def test_a_branch_parts_lanes_where_data_of_each_decides(compared: str, parts: bool) -> None:
    found = counts(f"{LOADED}\n{compared}\n{SIDE}").data_branches
    assert found is not None
    # Half of the warps execute two of the seven instructions before the end.
    assert found == pytest.approx(1 / 8 if parts else 0, abs=0.02)


def test_a_loop_whose_trips_depend_on_data_is_behind_its_own_branch() -> None:
    own = LOOP.format("ISETP.LT.AND P0, PT, R7, R4, PT")
    shared = LOOP.format("ISETP.LT.AND P0, PT, R7, R9, PT")
    some, none = (counts(f"{LOADED}\nMOV R7, RZ\n{body}").data_branches for body in (own, shared))
    assert some is not None
    assert some > 0.8
    assert none == 0


def test_a_vote_of_the_warp_parts_no_lanes() -> None:
    voted = "ISETP.GT.AND P1, PT, R4, RZ, PT\nVOTE.ANY P0, P1"
    side = SIDE.replace("@7!", "@8!")
    assert counts(f"{LOADED}\n{voted}\n{side}").data_branches == 0


def test_without_the_shape_of_the_block_nothing_is_known_of_branches() -> None:
    assert counted_by_code(START, ["MOV R1, R2", "EXIT"]).data_branches is None  # type: ignore[union-attr]


def test_cycles_between_instructions_without_waits_for_global_memory() -> None:
    apart = counts("MOV R1, 0x1\nMOV R2, 0x2\nMOV R3, 0x3\nMOV R4, 0x4").own_cycles
    chain = counts("FMUL R1, R1, R2\nFMUL R1, R1, R2\nFMUL R1, R1, R2\nFMUL R1, R1, R2").own_cycles
    shared = counts("LDS R1, [R2]\nFMUL R1, R1, R1\nLDS R2, [R3]\nFMUL R2, R2, R2").own_cycles
    loaded = counts("LDG.E R1, [R2.64]\nFMUL R1, R1, R1\nLDG.E R4, [R6.64]\nFMUL R4, R4, R4").own_cycles
    assert apart == pytest.approx(1)
    assert chain == pytest.approx(1 + 2 * 9 / 4)  # each but the first is three cycles late
    assert shared == pytest.approx(1 + 30 * 2 / 4)
    assert loaded == pytest.approx(1)  # the wait is not its own
