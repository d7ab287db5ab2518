"""Which axes of the grid the addresses of loads depend on, from the text of a kernel's instructions."""

from __future__ import annotations

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
    return load_axes(codes, graph(codes, range(0, STEP * len(codes), STEP)))


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


def test_what_a_called_function_returns_is_unknown() -> None:
    lines = ("CALL.REL.NOINC 0x40", "LDG.E R4, desc[UR4][R2.64]", "EXIT", "NOP", "RET.REL.NODEC R20 0x0")
    assert axes(lines) == {1: "?"}


def test_blocks_repeat_along_the_axes_that_no_address_depends_on() -> None:
    assert repeats({"x": 128.0}, (256, 128, 1)) == 128
    assert repeats({"x": 128.0, "xy": 128.0}, (256, 128, 1)) == pytest.approx(256 / (1 + 128))
    assert repeats({"x": 128.0, "?": 128.0}, (256, 128, 1)) == pytest.approx(256 / 129)
    assert repeats({"?": 128.0}, (256, 128, 1)) is None and repeats({}, (1, 1, 1)) is None


@given(st.lists(st.text(max_size=40), max_size=30))
def test_any_text_has_an_answer(lines: list[str]) -> None:
    codes = [parse(line) for line in lines]
    if codes:
        load_axes(codes, graph(codes, range(0, STEP * len(codes), STEP)))
