"""What is known of the unknown: bounds decide only what every completion of the numbers agrees on."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.knowledge.base import Catalog, catalog
from advisor.knowledge.expressions import FALSE, TRUE, UNKNOWN, parse, parse_test
from advisor.knowledge.schemas import MetricDef
from advisor.reasoning.observations import Ranges, bounds, decided, observe

NAMES = ("a", "b", "c", "d")
COUNTERS = {name: MetricDef(unit="count", id=name) for name in NAMES}
FORMULAS = (
    *("a + b", "a - b", "max(a, b, c)", "min(a, b)", "a * b - c", "abs(a - b)", "a / (b + 1)", "a / b", "-a"),
    *("ceil(a / 3)", "floor(b)", "log2(a + 1)", "max(1, a) / max(1, b)", "(1 - a) * b", "3"),
    *("sqrt(a + 4)", "first(a, b)", "first(a / b, c)"),
)
VALUE = st.floats(0, 200) | st.sampled_from([0.0, 1.0, 60.0])


def truth(test: str, values: dict[str, float], metrics: dict[str, MetricDef] | None = None) -> int:
    ranges = Ranges(metrics or COUNTERS, {name: np.array([value]) for name, value in values.items()}, 1)
    (comparison,) = parse_test(test).comparisons
    left, right = ranges.of(comparison.left, 0), ranges.of(comparison.right, 0)
    return int(decided(comparison, left, right)[0])


@settings(max_examples=400, deadline=None)
@given(
    left=st.sampled_from(FORMULAS),
    right=st.sampled_from(FORMULAS),
    op=st.sampled_from(["<", "<=", ">", ">=", "==", "!="]),
    full=st.fixed_dictionaries(dict.fromkeys(NAMES, VALUE)),
    known=st.sets(st.sampled_from(NAMES)),
)
def test_what_is_decided_holds_for_every_completion(
    left: str, right: str, op: str, full: dict[str, float], known: set[str]
) -> None:
    code = truth(f"{left} {op} {right}", {name: full[name] for name in known})
    (comparison,) = parse_test(f"{left} {op} {right}").comparisons
    values = comparison.left.scalar(full), comparison.right.scalar(full)
    # Rounding may tip what is equal: a completion a hair from the threshold proves nothing.
    near = math.isclose(*values, rel_tol=1e-9, abs_tol=1e-9)
    if code != UNKNOWN and all(map(math.isfinite, values)) and not near:
        assert bool(comparison.holds(*values)) == (code == TRUE)


@settings(max_examples=200, deadline=None)
@given(
    formula=st.sampled_from(FORMULAS),
    full=st.fixed_dictionaries(dict.fromkeys(NAMES, VALUE)),
    known=st.sets(st.sampled_from(NAMES)),
)
def test_the_value_lies_within_its_bounds(formula: str, full: dict[str, float], known: set[str]) -> None:
    ranges = Ranges(COUNTERS, {name: np.array([full[name]]) for name in known}, 1)
    low, high = bounds(parse(formula), ranges.metric, 1)
    value = parse(formula).scalar(full)
    if math.isfinite(value):
        assert low[0] - 1e-9 <= value <= high[0] + 1e-9


@pytest.mark.parametrize(
    ("test", "known", "code"),
    [
        ("a + b >= 50", {"a": 76.0}, TRUE),
        ("a + b >= 50", {"a": 40.0}, UNKNOWN),
        ("max(a, b) >= 60", {"a": 75.0}, TRUE),
        ("max(a, b) < 60", {"a": 75.0}, FALSE),
        ("a >= max(b, c)", {"a": 75.0, "b": 80.0}, FALSE),
        ("a >= max(b, c)", {"a": 75.0, "b": 70.0}, UNKNOWN),
        ("a / b > 2", {"a": 10.0}, UNKNOWN),
        ("a / (b + 1) > 2", {"b": 0.0, "a": 10.0}, TRUE),
        ("a * b == 0", {"a": 0.0}, TRUE),
        ("a == 0", {}, UNKNOWN),
        ("a - b > -1", {"a": 3.0}, UNKNOWN),
        ("a < 0", {}, FALSE),
        ("log2(a) > 0", {}, UNKNOWN),
        ("sqrt(a) > 5", {"a": 36.0}, TRUE),
        ("first(a, b) > 5", {"a": 6.0}, TRUE),
        ("first(a, b) > 5", {"b": 6.0}, UNKNOWN),
        ("first(b, a) > 5", {"a": 6.0, "b": 1.0}, FALSE),
    ],
)
def test_counters_are_not_negative_and_nothing_else_is_assumed(test: str, known: dict[str, float], code: int) -> None:
    assert truth(test, known) == code


def test_formulas_carry_bounds_on_and_what_code_computes_has_none() -> None:
    metrics = {
        **COUNTERS,
        "sum": MetricDef(formula="a + b"),
        "odd": MetricDef(source="python"),
        "gone": MetricDef(formula="a +"),
    }
    assert truth("sum >= 5", {"a": 6.0}, metrics) == TRUE
    assert truth("odd >= -5", {}, metrics) == UNKNOWN and truth("gone >= -5", {}, metrics) == UNKNOWN
    assert truth("stranger >= -5", {}, metrics) == UNKNOWN


def test_evidence_names_the_bound_and_never_passes_it_off_as_the_value() -> None:
    known: Catalog = catalog()
    seen = observe(pd.DataFrame({"stall_lg_throttle_pct": [75.9]}), known, only=["memory_waits_lead"])
    (item,) = seen.evidence(0, "memory_waits_lead")
    assert seen.truth[0, 0] == TRUE and item.holds is True
    assert item.value == 75.9 and item.bound == "at_least" and item.margin_abs == pytest.approx(25.9)
    assert "at least 76 %" in item.says
    open_ = observe(pd.DataFrame({"stall_lg_throttle_pct": [20.0]}), known, only=["memory_waits_lead"])
    (item,) = open_.evidence(0, "memory_waits_lead")
    assert (item.holds, item.value, item.margin, item.bound) == (None, None, None, "")
    assert seen.margin[0, 0] == pytest.approx(25.9 / 50) and math.isnan(open_.margin[0, 0])
