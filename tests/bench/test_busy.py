"""The service cycles of units, on counts made by hand."""

from __future__ import annotations

import math

import pytest

from tests.bench import busy


def test_heavy_half_of_the_fma_pipe_limits_when_products_of_integers_lead() -> None:
    assert busy.fma_cycles({"IMAD": 100.0, "FFMA": 20.0}, "9.0") == 200
    assert busy.fma_cycles({"IMAD.WIDE": 100.0}, "9.0") == 400


def test_free_half_of_the_fma_pipe_takes_what_the_other_has_no_time_for() -> None:
    assert busy.fma_cycles({"FFMA": 100.0}, "9.0") == 100
    assert busy.fma_cycles({"IMAD": 30.0, "FFMA": 100.0}, "8.6") == 130


def test_one_fma_pipe_before_8_6_takes_two_cycles_for_each() -> None:
    assert busy.fma_cycles({"FFMA": 100.0}, "8.0") == 200


@pytest.mark.parametrize(
    ("unit", "opcode", "cycles"),
    [("lsu", "LDG.E.128", 1), ("lsu", "LDC", 0), ("lsu", "S2R", 0.5), ("adu", "LDC.64", 2), ("cbu", "BSYNC", 1)],
)
def test_units_of_the_sm_serve_the_instructions_that_they_execute(unit: str, opcode: str, cycles: float) -> None:
    assert busy.served({opcode: 10.0}, unit, "9.0") == 10 * cycles


def test_scattered_lanes_take_a_pass_for_each_line_and_misaligned_rows_none_more() -> None:
    row = {"opcodes": {"LDG.E": 100.0}, "shared_wavefronts": math.nan, "store_lines": 0.0, "store_lines_ideal": 0.0}
    assert busy.passes({**row, "load_lines": 3200.0, "load_lines_ideal": 100.0}) == 3200
    assert busy.passes({**row, "load_lines": 130.0, "load_lines_ideal": 100.0}) == 100


def test_ratio_holds_within_a_tenth() -> None:
    assert busy.Ratio("alu", "one", "9.0", 50.0, 0.91).holds
    assert not busy.Ratio("alu", "one", "9.0", 50.0, 1.11).holds
