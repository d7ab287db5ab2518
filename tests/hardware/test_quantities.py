"""Numbers as people type them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.records.quantities import QuantityError, parse, show

UNITS = ("", "byte", "byte/s", "ns", "us", "Hz", "%", "FLOP", "FLOP/s", "cycle", "ratio", "count")


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("4096", "", 4096),
        ("4k", "", 4000),
        ("4K", "", 4000),
        ("4Ki", "", 4096),
        ("1M", "", 1e6),
        ("1m", "", 1e6),
        ("2^20", "", 1 << 20),
        ("2**20", "", 1 << 20),
        ("1e9", "", 1e9),
        (".5", "", 0.5),
        ("1,234.56", "", 1234.56),
        ("1_000_000", "", 1e6),
        ("  7 ", "", 7),
        ("-3", "", -3),
        ("1.2 TB/s", "byte/s", 1.2e12),
        ("1.2TB/s", "byte/s", 1.2e12),
        ("3.35 Tbyte/second", "byte/s", 3.35e12),
        ("1555 GBps", "byte/s", 1555e9),
        ("83%", "%", 83),
        ("83", "%", 83),
        ("83 %", "", 0.83),
        ("83 %", "ratio", 0.83),
        ("12.5us", "ns", 12_500),
        ("12.5 µs", "us", 12.5),
        ("12.5 µs", "ns", 12_500),
        ("12.5 usecond", "ns", 12_500),
        ("3 ms", "ns", 3e6),
        ("2s", "ns", 2e9),
        ("2 min", "ns", 120e9),
        ("64 MiB", "byte", 64 << 20),
        ("64 MB", "byte", 64e6),
        ("64M", "byte", 64e6),
        ("2^30 B", "byte", 1 << 30),
        ("512", "byte", 512),
        ("1.98 GHz", "Hz", 1.98e9),
        ("19.5 TFLOP/s", "FLOP/s", 19.5e12),
        ("19.5 TFLOPS", "FLOP/s", 19.5e12),
        ("19.5 TFLOPS", "FLOP", 19.5e12),
        ("137 GFLOP", "FLOP", 137e9),
        ("682.7 FLOP/byte", "", 682.7),
        ("700 cycles", "cycle", 700),
        ("128 bit", "bit", 128),
    ],
)
def test_a_number_is_read_as_it_is_meant(text: str, unit: str, value: float) -> None:
    assert parse(text, unit) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "unit", "says"),
    [
        ("", "", "is not a number"),
        ("abc", "", "is not a number"),
        ("nan", "", "is not a number"),
        ("inf", "", "is not a number"),
        ("1e999", "", "is not a number"),
        ("9^999", "", "is not a number"),
        ("12 furlong", "", "'furlong' is not a known unit"),
        ("1,5", "", "is not a known unit"),
        ("4 GB", "ns", "expected a time such as 12.5 us"),
        ("64 MiB", "", "expected a plain number"),
        ("4 us", "byte", "expected a size such as 64 MiB"),
        ("137 GFLOP", "FLOP/s", "expected a rate such as 19.5 TFLOP/s"),
        ("4x", "byte", "expected a size such as 64 MiB"),
    ],
)
def test_what_is_no_number_of_that_kind_is_refused_with_what_to_write(text: str, unit: str, says: str) -> None:
    with pytest.raises(QuantityError) as caught:
        parse(text, unit)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_megabyte_of_digits_is_refused_at_once_and_not_repeated() -> None:
    with pytest.raises(QuantityError) as caught:
        parse("1" * 1_000_000)
    assert len(str(caught.value)) < 200


@settings(deadline=None)
@given(st.text(max_size=80), st.sampled_from(UNITS))
def test_any_text_is_a_finite_number_or_one_line_of_error(text: str, unit: str) -> None:
    try:
        assert math.isfinite(parse(text, unit))
    except QuantityError as e:
        assert str(e).isprintable()


@settings(deadline=None)
@given(st.floats(1e-9, 1e17), st.sampled_from(UNITS))
def test_what_is_shown_with_all_digits_is_read_back_as_it_was(value: float, unit: str) -> None:
    assert parse(show(value, unit, digits=17), unit) == pytest.approx(value, rel=1e-12)


@settings(deadline=None)
@given(st.floats(1e-3, 1e17), st.sampled_from(UNITS))
def test_four_digits_are_right_to_four_digits(value: float, unit: str) -> None:
    assert parse(show(value, unit), unit) == pytest.approx(value, rel=1e-3)


@settings(deadline=None)
@given(st.integers(0, 10**15))
def test_a_whole_number_is_shown_and_read_back_exactly(value: int) -> None:
    assert parse(show(float(value))) == value


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (4096, "", "4,096"),
        (0.25, "", "0.25"),
        (682.6667, "", "682.7"),
        (1.555e12, "byte/s", "1.555 TB/s"),
        (201326592, "byte", "201.3 MB"),
        (12.5, "us", "12.5 µs"),
        (2054394, "ns", "2.054 ms"),
        (83.25, "%", "83.25 %"),
        (1.9789e15, "FLOP/s", "1.979 PFLOP/s"),
        (0, "FLOP", "0 FLOP"),
        (math.nan, "byte", "unknown"),
    ],
)
def test_numbers_are_shown_in_the_unit_that_reads_best(value: float, unit: str, text: str) -> None:
    assert show(value, unit) == text


def test_a_unit_that_nobody_knows_is_a_programming_error() -> None:
    with pytest.raises(ValueError, match="not a unit"):
        parse("4", "parsec")
