"""Arithmetic rounds as IEEE 754 says, checked against exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.emulator import rounding

FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)
DOUBLES = st.floats(min_value=-1e150, max_value=1e150, allow_nan=False).filter(lambda x: x == 0 or abs(x) > 1e-120)


def nearest(exact: Fraction, kind: type) -> float:
    """Round a fraction to the nearest number of a type, ties to even."""
    near = kind(float(exact)) if kind is np.float64 else np.float32(float(exact))
    best = min(
        (np.nextafter(near, kind(-np.inf)), near, np.nextafter(near, kind(np.inf))),
        key=lambda x: (abs(Fraction(float(x)) - exact), int(np.asarray(x).view(f"u{np.dtype(kind).itemsize}")) & 1),
    )
    return float(best)


@settings(max_examples=60, deadline=None)
@given(FLOATS, FLOATS, FLOATS)
def test_a_fused_multiply_add_of_floats_rounds_once(a: float, b: float, c: float) -> None:
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if abs(exact) < Fraction(2) ** 127:
        with np.errstate(all="ignore"):
            found = rounding.fma32(*(np.array([[x]], np.float32) for x in (a, b, c)))
        assert float(found[0, 0]) == nearest(exact, np.float32)


def test_a_sum_just_beyond_the_middle_of_two_floats_goes_up() -> None:
    one = np.array([[1.0]], np.float32)
    a, tiny = np.array([[1 + 2.0**-12]], np.float32), np.array([[2.0**-60]], np.float32)
    # (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24 is the middle of two floats; the addend decides.
    assert rounding.fma32(a, a, tiny)[0, 0] == np.float32(1 + 2.0**-11) + np.float32(2.0**-23)
    assert rounding.fma32(a, a, -tiny)[0, 0] == np.float32(1 + 2.0**-11)
    assert rounding.fma32(one, one, tiny)[0, 0] == 1


@settings(max_examples=60, deadline=None)
@given(DOUBLES, DOUBLES, DOUBLES)
def test_a_fused_multiply_add_of_doubles_rounds_once(a: float, b: float, c: float) -> None:
    with np.errstate(all="ignore"):
        found = rounding.fma64(*(np.array([[x]], np.float64) for x in (a, b, c)))
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0 or abs(exact) > Fraction(1, 10**300):
        assert float(found[0, 0]) == nearest(exact, np.float64)


@settings(max_examples=60, deadline=None)
@given(FLOATS, FLOATS, st.sampled_from(["RZ", "RM", "RP"]))
def test_directed_sums_enclose_the_exact_one(a: float, b: float, mode: str) -> None:
    exact = Fraction(a) + Fraction(b)
    if abs(exact) >= Fraction(2) ** 127:
        return
    with np.errstate(all="ignore"):
        found = float(rounding.add32(np.array([[a]], np.float32), np.array([[b]], np.float32), mode)[0, 0])
    near = Fraction(found)
    if mode == "RM" or (mode == "RZ" and exact > 0):
        assert near <= exact < Fraction(float(np.nextafter(np.float32(found), np.float32(np.inf))))
    else:
        assert near >= exact > Fraction(float(np.nextafter(np.float32(found), np.float32(-np.inf))))


@pytest.mark.parametrize(
    ("value", "how", "expected"),
    [
        (2.5, "RINT", 2),
        (-2.7, "TRUNC", -2),
        (-2.1, "FLOOR", -3),
        (1e20, "TRUNC", 2**31 - 1),
        (float("nan"), "TRUNC", 0),
    ],
)
def test_floats_become_integers_with_their_range_as_limit(value: float, how: str, expected: int) -> None:
    found = rounding.to_integer(np.array([[value]]), how, -(2**31), 2**31 - 1, np.int64)
    assert found[0, 0] == expected
