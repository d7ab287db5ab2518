"""Exact reasoning about linear tests: what is called impossible is, and what is called possible has a witness."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.knowledge.expressions import TRUE, parse_test
from advisor.lint.rules import Junction, TooManyCases, find_values, formula, is_linear, possible, surely_known

numbers = st.sampled_from(["0", "1", "2.5", "10", "60", "0.8"])
names = st.sampled_from(["a", "b", "c"])
linear = st.recursive(
    st.one_of(names, numbers),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(numbers, inner).map(lambda t: f"{t[0]} * ({t[1]})"),
        inner.map(lambda e: f"({e}) / 4"),
        st.tuples(st.sampled_from(["min", "max"]), inner, inner).map(lambda t: f"{t[0]}({t[1]}, {t[2]})"),
        inner.map(lambda e: f"abs({e})"),
        inner.map(lambda e: f"(-({e}))"),
    ),
    max_leaves=4,
)
comparison = st.tuples(linear, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), linear).map(" ".join)
tests = st.recursive(
    comparison,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda t: f"({t[0]}) and ({t[1]})"),
        st.tuples(inner, inner).map(lambda t: f"({t[0]}) or ({t[1]})"),
        inner.map(lambda t: f"not ({t})"),
    ),
    max_leaves=3,
).map(parse_test)
points = st.fixed_dictionaries({n: st.sampled_from([-20.0, 0.0, 1.0, 2.5, 3.0, 10.0, 60.0, 75.0]) for n in "abc"})


def holds(part, values):
    if isinstance(part, Junction):
        return (all if part.every else any)([holds(p, values) for p in part.parts])
    total = part.linear.constant + sum(f * Fraction(values[n]) for n, f in part.linear.terms)
    return total > 0 if part.strict else total >= 0


def close(test, values):
    """Whether a comparison is so near its threshold that floating-point and exact arithmetic may differ."""
    return any(abs(c.left.scalar(values) - c.right.scalar(values)) < 1e-9 for c in test.comparisons)


@given(tests, points)
@settings(max_examples=300, deadline=None)
def test_inequalities_say_what_the_test_says(test, values):
    assert is_linear(test)
    if not close(test, values):
        assert holds(formula(test), values) == (test.truth(values) == TRUE)
        assert holds(formula(test, False), values) == (test.truth(values) != TRUE)


@given(st.lists(tests, min_size=1, max_size=3), st.lists(points, max_size=30))
@settings(max_examples=200, deadline=None)
def test_what_is_impossible_holds_nowhere_and_what_is_possible_has_a_witness(several, tried):
    formulas = [formula(t) for t in several]
    try:
        witness = possible(formulas)
    except TooManyCases:
        return
    if witness is None:
        for values in tried:
            assert any(close(t, values) for t in several) or not all(t.truth(values) == TRUE for t in several)
    else:
        values = {**dict.fromkeys("abc", Fraction(0)), **witness}
        assert all(holds(f, values) for f in formulas)


@pytest.mark.parametrize(
    ("several", "expected"),
    [
        (["a > 60", "a < 60"], False),
        (["a >= 60", "a <= 60"], True),
        (["a > 60", "a <= 60"], False),
        (["a > b", "b > c", "c > a"], False),
        (["a > b", "b > c", "c > a - 1"], True),
        (["max(a, b) < 10", "a > 10"], False),
        (["max(a, b) > 10", "a < 10", "b < 10"], False),
        (["a >= 60 or a >= b - 10", "a < 60", "a < b - 10"], False),
        (["a == 3", "a != 3"], False),
        (["abs(a) < 2", "a > 1", "a < -1"], False),
        (["a / b > 2", "a / b < 1"], False),
        (["a / b > 2", "a > 0", "b > 0"], True),
        (["not a > 3", "a > 2", "a != 3", "a > 3 or a < 2.5"], True),
        (["1 < a < 2", "a > 1.5 and a < 1.4"], False),
        (["a * 0.1 > 0.3", "a <= 3"], False),
    ],
)
def test_known_cases(several, expected):
    assert (possible([formula(parse_test(t)) for t in several]) is not None) is expected


def test_an_exception_on_unknown_metrics_does_not_constrain():
    test = parse_test("a > 3 or b > 1")
    wanted = formula(parse_test("a > 5"))
    assert possible([wanted, formula(test, False, frozenset({"a"}))]) is None
    assert possible([formula(parse_test("a < 1")), formula(parse_test("b > 2")), formula(test, False)]) is None
    assert possible([formula(parse_test("b > 2")), formula(test, False, frozenset())]) is not None


def test_an_alternative_may_hold_with_a_metric_unknown():
    assert surely_known(parse_test("a > 1 and b > 2")) == {"a", "b"}
    assert surely_known(parse_test("a > 1 or b > 2")) == frozenset()


@pytest.mark.parametrize(
    ("true", "false"),
    [
        (["a / b > 2", "a * c < 100", "c > 5"], ["b > 3"]),
        (["ceil(a) / a > 1.15", "a > 1 and a < 4"], []),
        (["a * b * 4 < 32768", "a > 10", "b >= 16"], ["c > 3"]),
        (["log2(a) >= 10", "a < 2000"], []),
    ],
)
def test_values_are_found_where_tests_are_not_linear(true, false):
    wanted, unwanted = [parse_test(t) for t in true], [parse_test(t) for t in false]
    values = find_values(wanted, unwanted)
    assert values is not None and min(values.values()) >= 0
    assert all(t.truth(values) == TRUE for t in wanted) and all(t.truth(values) != TRUE for t in unwanted)


def test_the_search_gives_up_and_repeats_itself():
    impossible = [parse_test("a * a < 0")]
    assert find_values(impossible, []) is None
    wanted = [parse_test("a * b > 100")]
    assert find_values(wanted, []) == find_values(wanted, [])
