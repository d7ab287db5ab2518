from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.readers.frame import convert
from advisor.readers.numbers import count_nan, decimal_mark, number


@pytest.mark.parametrize(
    ("value", "unit", "target", "expected"),
    [
        (124.03, "us", "ns", 124030.0),
        (1.73, "msecond", "ns", 1_730_000.0),
        (10_776_576.0, "nsecond", "ns", 10_776_576.0),
        (2.0, "second", "ns", 2e9),
        (1.02, "Kbyte/block", "byte", 1020.0),
        (4.14, "Tbyte/s", "byte/s", 4.14e12),
        (98.06, "Gbyte/second", "byte/s", 98.06e9),
        (6.21, "cycle/nsecond", "Hz", 6.21e9),
        (1.95, "Ghz", "Hz", 1.95e9),
        (305.41, "Mhz", "Hz", 305.41e6),
        (1_001_100_999.47, "cycle/second", "Hz", 1_001_100_999.47),
        (16.0, "register/thread", "register", 16.0),
        (86.03, "%", "%", 86.03),
        (50.0, "%", "ratio", 0.5),
        (267_651.0, "inst", "inst", 267_651.0),
    ],
)
def test_every_spelling_of_a_unit_is_brought_to_the_metrics_own(
    value: float, unit: str, target: str, expected: float
) -> None:
    assert convert(value, unit, target) == pytest.approx(expected, rel=1e-12)


def test_a_value_without_a_unit_is_taken_to_be_in_the_metrics_own() -> None:
    assert convert(124032.0, "", "ns") == 124032.0


@pytest.mark.parametrize(("unit", "target"), [("byte", "ns"), ("us", "byte/s"), ("warp", "%"), ("?!", "ns")])
def test_a_unit_of_another_kind_makes_the_value_unknown(unit: str, target: str) -> None:
    assert math.isnan(convert(1.0, unit, target))


@given(st.floats(min_value=1e-3, max_value=1e12), st.sampled_from(["ns", "us", "ms", "s", "nsecond", "usecond"]))
def test_a_time_survives_the_way_to_nanoseconds_and_back(value: float, unit: str) -> None:
    assert convert(convert(value, unit, "ns"), "ns", unit) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "mark", "expected"),
    [
        ("267,651", ".", 267651.0),
        ("1,234.56", ".", 1234.56),
        ("242248", ".", 242248.0),
        ("27.595.520", ",", 27595520.0),
        ("65,77", ",", 65.77),
        ("117.344", ",", 117344.0),
        ("1'234'567", ".", 1234567.0),
        ("1 234 567,8", ",", 1234567.8),
        ("(!) 12.5", ".", 12.5),
        ("1.2e+06", ".", 1.2e6),
    ],
)
def test_numbers_of_all_locales_are_read(text: str, mark: str, expected: float) -> None:
    assert number(text, mark) == expected


@pytest.mark.parametrize("text", ["", "n/a", "(!) n/a", "(!) nan", "-inf", "PolicySpread", "12,34", "1,2345", "0x10"])
def test_what_is_no_number_is_unknown_and_never_zero(text: str) -> None:
    assert math.isnan(number(text))


@given(st.floats(min_value=0, max_value=1e12, allow_nan=False))
def test_a_number_printed_with_separators_is_read_back(value: float) -> None:
    assert number(f"{value:,.2f}") == pytest.approx(value, abs=0.0051)
    swapped = f"{value:,.2f}".translate(str.maketrans(",.", ".,"))
    assert number(swapped, ",") == pytest.approx(value, abs=0.0051)


def test_the_decimal_mark_is_that_of_the_numbers_that_can_be_read_one_way_only() -> None:
    assert decimal_mark(["117.344", "27.595.520", "65,77", "24"]) == ","
    assert decimal_mark(["1,234", "65.77"]) == "."
    assert decimal_mark(["1,234", "24"]) == "."
    assert decimal_mark(["65,77", "65.77"]) is None


def test_failed_measurements_are_counted_and_absent_ones_are_not() -> None:
    assert count_nan(["(!) nan", "nan", "inf", "n/a", "(!) n/a", "12.5", "all"]) == 3
