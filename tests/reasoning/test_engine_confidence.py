"""Confidence: 0 to 1, rising with the distance to the thresholds, falling with what is unknown."""

from __future__ import annotations

import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.reasoning.engine.reason import Engine
from advisor.reasoning.engine.trace import confidence, finding_confidence
from advisor.reasoning.observations import observe

margins = st.lists(st.floats(0, 1e6), max_size=5)
unknowns = st.integers(0, 20)


@given(margins, unknowns)
def test_confidence_is_between_zero_and_one(ms, unknown):
    assert 0 <= confidence(ms, unknown) <= 1


@given(margins, unknowns, st.integers(0, 4), st.floats(0, 1e6))
def test_confidence_never_falls_when_a_margin_grows(ms, unknown, at, more):
    grown = [m + more if i == at else m for i, m in enumerate(ms)]
    assert confidence(grown, unknown) >= confidence(ms, unknown)


@given(margins, unknowns)
def test_each_unknown_lowers_confidence(ms, unknown):
    assert confidence(ms, unknown + 1) < confidence(ms, unknown)


@given(margins, st.floats(0, 1e6))
def test_more_evidence_is_as_weak_as_its_weakest_piece(ms, m):
    assert confidence([*ms, m], 0) == min(confidence(ms, 0), confidence([m], 0))


@pytest.mark.parametrize(
    ("ms", "unknown", "expected"),
    [([0.0], 0, 0.5), ([0.25], 0, 0.816), ([1.0], 0, 0.991), ([], 0, 1.0), ([], 1, 0.85), ([math.nan], 0, 0.5)],
)
def test_confidence_at_the_points_that_its_docstring_names(ms, unknown, expected):
    assert confidence(ms, unknown) == pytest.approx(expected, abs=0.001)


@pytest.fixture
def launches(make):
    rules = [
        ("x.r", 3, ["a"], ["b"]),
        ("x.s", 3, ["c"], []),
        ("y.r", 4, ["found.x"], []),
        ("z.r", 4, ["flag"], []),
        ("w.r", 4, ["class.k", "flag"], []),
    ]
    catalog = make(rules, classes={"k": (["a"], [])}, tests={"flag": "m_flag == 1"})
    frame = pd.DataFrame(
        {"m_a": [11.0, 11.0, 20.0], "m_b": [1.0, math.nan, 1.0], "m_c": [1.0, 20.0, 1.0], "m_flag": 1.0}
    )
    observed = observe(frame, catalog)
    return observed, Engine(catalog).conclude_many(observed)


def test_a_finding_is_as_sure_as_its_surest_rule(launches):
    observed, traces = launches
    assert finding_confidence(observed, 0, traces[0], "x") == pytest.approx(confidence([0.1], 0))
    assert finding_confidence(observed, 1, traces[1], "x") == pytest.approx(confidence([1.0], 0))


def test_a_finding_is_no_surer_than_the_findings_and_the_class_that_it_rests_on(launches):
    observed, traces = launches
    assert finding_confidence(observed, 0, traces[0], "y") == finding_confidence(observed, 0, traces[0], "x")
    assert finding_confidence(observed, 0, traces[0], "w") == finding_confidence(observed, 0, traces[0], "class.k")


def test_a_flag_that_holds_is_certain(launches):
    observed, traces = launches
    assert finding_confidence(observed, 0, traces[0], "z") == 1.0


def test_what_was_not_concluded_has_no_confidence(launches):
    observed, traces = launches
    assert finding_confidence(observed, 0, traces[0], "class.undetermined") == 0.0
