"""Which axes of the grid the addresses of loads depend on, from the text of a kernel's instructions."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.hardware.sass import parse
from advisor.hardware.sass_axes import load_axes, repeats
from advisor.hardware.sass_flow import graph

STEP = 16
# A row of blocks for each reading (y), a place for each thread (x): the survey's address does not depend on y.
SURVEY = (
    "S2R R0, SR_CTAID.X",
    "S2UR UR6, SR_CTAID.Y",
    "IMAD R0, R0, 0x100, R9",
    "ISETP.GE.AND P0, PT, R0, c[0x0][0x220], PT",
    "@P0 EXIT",
    "IMAD.WIDE R2, R0, 0x4, R12",
    "LDG.E.CONSTANT R4, desc[UR4][R2.64]",  # of x
    "IMAD R6, R10, 0x10, UR6",
    "IMAD.WIDE R6, R6, 0x4, R14",
    "LDG.E.CONSTANT R8, desc[UR4][R6.64]",  # of y
    "IADD3 R2, R4, R8, RZ",
    "EXIT",
)


def axes(lines: tuple[str, ...]) -> dict[int, str]:
    codes = [parse(line) for line in lines]
    pcs = range(0, STEP * len(codes), STEP)
    return load_axes(codes, pcs, graph(codes, pcs))


def test_each_load_has_the_axes_of_its_address() -> None:
    assert axes(SURVEY) == {6: "x", 9: "y"}


def test_a_branch_decides_about_all_loads_unless_it_only_ends_threads() -> None:
    ends = (*SURVEY[:4], "@P0 BRA 0xb0", *SURVEY[5:])
    assert axes(ends) == {6: "x", 9: "y"}
    skips = (*SURVEY[:4], "@P0 BRA 0xa0", *SURVEY[5:])  # the rest of the kernel runs in all blocks
    assert axes(skips) == {6: "x", 9: "xy"}


def test_an_address_from_memory_that_may_change_is_unknown() -> None:
    lines = (*SURVEY[:6], "LDG.E R4, desc[UR4][R2.64]", "IMAD.WIDE R6, R4, 0x4, R14", *SURVEY[9:])
    assert axes(lines) == {6: "x", 8: "?x"}
    constant = (*SURVEY[:7], "IMAD.WIDE R6, R4, 0x4, R14", *SURVEY[9:])
    assert axes(constant) == {6: "x", 8: "x"}  # read-only memory: the same in all blocks that read the same place


CALLS = (
    "S2R R2, SR_CTAID.X",
    "CALL.REL.NOINC 0x60",
    "LDG.E R4, desc[UR4][R2.64]",  # an address that the function does not write
    "LDG.E R5, desc[UR4][R8.64]",  # one that it writes
    "EXIT",
    "NOP",
    "IMAD R8, R9, 0x4, R9",
    "LDG.E R6, desc[UR4][R2.64]",  # its own load
    "RET.REL.NODEC R20 0x0",
)


def test_what_a_called_function_writes_is_unknown_behind_the_call() -> None:
    assert axes(CALLS) == {2: "x", 3: "?", 7: "x"}
    pointer = tuple("CALL.ABS.NOINC R16" if "CALL" in line else line for line in CALLS)
    assert axes(pointer) == {2: "?x", 3: "?", 7: "?"}


def test_a_loop_whose_rounds_depend_on_the_block_loads_what_others_do_not() -> None:
    rows = (
        "S2R R0, SR_CTAID.Y",
        "LDG.E.CONSTANT R4, desc[UR4][R2.64]",  # 0x10
        "IADD3 R1, R1, 0x1, RZ",
        "ISETP.LT.AND P0, PT, R1, R0, PT",
        "@P0 BRA 0x10",
        "EXIT",
    )
    assert axes(rows) == {1: "y"}


@pytest.mark.parametrize("branch", ["@UP0 BRA 0x50", "BRA.U UP0, 0x50", "BRA.U !UP0, 0x50"])
def test_a_branch_of_the_whole_block_depends_on_what_it_tests(branch: str) -> None:
    lines = (
        "S2UR UR4, SR_CTAID.X",
        "UISETP.NE.AND UP0, UPT, UR4, URZ, UPT",
        branch,
        "LDC.64 R2, c[0x0][0x160]",
        "BRA 0x60",
        "LDC.64 R2, c[0x0][0x168]",
        "LDG.E.CONSTANT R4, desc[UR6][R2.64]",
        "EXIT",
    )
    assert axes(lines) == {6: "x"}


def test_blocks_repeat_along_the_axes_that_no_address_depends_on() -> None:
    assert repeats({"x": 128.0}, (256, 128, 1)) == 128
    assert repeats({"x": 128.0, "xy": 128.0}, (256, 128, 1)) == pytest.approx(256 / (1 + 128))
    assert repeats({"x": 128.0, "?": 128.0}, (256, 128, 1)) == pytest.approx(256 / 129)
    assert repeats({"?": 128.0}, (256, 128, 1)) is None and repeats({}, (1, 1, 1)) is None


@pytest.mark.parametrize("loaded", [{"": 8.0, "x": -1.0}, {"": 1e-320}, {"": math.inf}, {"x": math.nan}])
def test_bytes_that_are_no_numbers_of_bytes_repeat_nothing(loaded: dict[str, float]) -> None:
    assert repeats(loaded, (2**31 - 1, 65535, 65535)) is None


@given(st.lists(st.text(max_size=40), max_size=30))
def test_any_text_has_an_answer(lines: list[str]) -> None:
    codes = [parse(line) for line in lines]
    pcs = range(0, STEP * len(codes), STEP)
    if codes:
        found = load_axes(codes, pcs, graph(codes, pcs))
        assert found.keys() <= set(range(len(codes))) and set("".join(found.values())) <= set("?xyz")
