"""The closed formatter: a name and a number format, nothing else."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.knowledge.texts import fields, fill

VALUES = {"share": 0.876, "count": 1234567.0, "leader": "DRAM", "gone": math.nan, "endless": math.inf}


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("{share:.0%} of it", "88 % of it"),
        ("{count:,.0f} sectors", "1,234,567 sectors"),
        ("{count:d}", "1234567"),
        ("{share:.2f} and {share}", "0.88 and 0.876"),
        ("led by {leader}", "led by DRAM"),
        ("led by {leader:.0f}", "led by DRAM"),
        ("{gone:.1f} {endless} {absent}", "unknown unknown unknown"),
        ("no field", "no field"),
    ],
)
def test_fields_are_filled(text, filled):
    assert fill(text, VALUES) == filled


@pytest.mark.parametrize(
    "text",
    ["{a.b}", "{a[0]}", "{0}", "{}", "{a!r}", "{a:>10}", "{a:{b}}", "{{a}}", "{A}", "{a", "a}", "{a:.9999999999999s}"],
)
def test_a_brace_that_is_no_field_is_refused(text):
    with pytest.raises(ValueError, match="a brace that is no"):
        fields(text)


def test_the_fields_of_a_text_are_its_names():
    assert fields("{a:.1f} of {b} and {a}") == {"a", "b"}


def test_a_value_is_data_and_is_not_filled_again():
    assert fill("{leader}", {"leader": "{share}", "share": 1.0}) == "{share}"


@given(st.text(), st.text())
def test_no_text_and_no_value_can_raise(text, name):
    fill(text, {"a": 1.5, "leader": name})
    fill("{leader} {a:.3e}", {"a": 1.5, "leader": name})


@pytest.mark.parametrize(
    ("text", "values", "says"),
    [
        ("blocks have {n:.0f} threads of {m:.0f} registers", {"n": 1, "m": 2}, "blocks have 1 thread of 2 registers"),
        ("{n:,.0f} shared-memory loads, {m:,.0f} stores", {"n": 1, "m": 1}, "1 shared-memory load, 1 store"),
        ("{n:,.0f} of {m:,.0f} launches", {"n": 1, "m": 21}, "1 of 21 launches"),
        ("{n:.1f} warps, {m} of them kernels", {"n": 1, "m": 1}, "1.0 warps, 1 of them kernels"),
        ("{n} blocks", {"n": "{m} blocks"}, "{m} blocks blocks"),
    ],
)
def test_one_is_singular(text: str, values: dict[str, float | str], says: str) -> None:
    assert fill(text, values) == says
