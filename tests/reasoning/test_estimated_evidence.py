"""A comparison with an estimate: unknown near its threshold, and with less margin beyond it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.knowledge.base import catalog
from advisor.knowledge.expressions import FALSE, TRUE, UNKNOWN, parse_test
from advisor.reasoning.observations import ESTIMATE_FACTOR, ESTIMATE_MEDIAN, Observed, for_estimates, observe_columns

TESTS = {
    "many": parse_test("fence_inst > 100"),
    "few": parse_test("fence_inst < 100"),
    "some": parse_test("fence_inst > 0"),
}


def observed(value: float, *, estimated: bool) -> Observed:
    names = frozenset(("fence_inst",)) if estimated else frozenset()
    return observe_columns(catalog(), {"fence_inst": np.array([value])}, 1, TESTS, None, (names,))


def truth(value: float, name: str, *, estimated: bool = True) -> int:
    return observed(value, estimated=estimated).state(0)[name]


@pytest.mark.parametrize(
    ("value", "many", "few"), [(150, TRUE, FALSE), (105, UNKNOWN, UNKNOWN), (95, UNKNOWN, UNKNOWN), (50, FALSE, TRUE)]
)
def test_near_its_threshold_an_estimate_decides_nothing(value: float, many: int, few: int) -> None:
    assert (truth(value, "many"), truth(value, "few")) == (many, few)
    counted = (truth(value, "many", estimated=False), truth(value, "few", estimated=False))
    assert counted == ((TRUE, FALSE) if value > 100 else (FALSE, TRUE))


def test_none_of_something_is_none() -> None:
    assert truth(0, "some") == FALSE
    assert truth(3, "some") == TRUE


@given(st.floats(1, 1e6))
def test_an_estimate_never_has_a_larger_margin_than_a_count(value: float) -> None:
    for name in ("many", "few"):
        if truth(value, name) == TRUE:
            margins = [observed(value, estimated=e).margin[0, list(TESTS).index(name)] for e in (True, False)]
            assert margins[0] <= margins[1]


@given(st.sampled_from((">", ">=", "<", "<=", "==")), st.floats(-1, 10))
def test_against_is_below_and_for_is_above_the_margin(op: str, margin: float) -> None:
    values = np.array([margin if op[0] != "<" else min(margin, 1.0)])
    for factor in (ESTIMATE_MEDIAN, ESTIMATE_FACTOR):
        against, for_it = for_estimates(op, values, factor)
        assert against[0] <= values[0] + 1e-9
        assert for_it[0] >= values[0] - 1e-9


@pytest.mark.parametrize(("value", "holds"), [(300, True), (105, None), (95, None), (10, False)])
def test_evidence_says_what_was_decided(value: float, holds: bool | None) -> None:
    tests = {"swaps_repeated": parse_test("global_swap_inst > 2 * warps")}
    columns = {"global_swap_inst": np.array([float(value)]), "warps": np.array([50.0])}
    found = observe_columns(catalog(), columns, 1, tests, None, (frozenset(("global_swap_inst",)),))
    (item,) = found.evidence(0, "swaps_repeated")
    assert (item.holds, item.bound) == (holds, "about")
    assert (item.margin is None) == (holds is None)
    assert found.state(0)["swaps_repeated"] == {True: TRUE, None: UNKNOWN, False: FALSE}[holds]
