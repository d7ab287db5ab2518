"""WHAT IF and the values at which conclusions turn."""

from __future__ import annotations

import math

import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from advisor.knowledge.schemas import MetricDef
from advisor.reasoning.engine.explain import Then
from advisor.reasoning.engine.reason import Engine
from advisor.reasoning.inputs import parse_assignments
from advisor.reasoning.observations import observe
from advisor.reasoning.what_if import flips_of, turns
from advisor.records.errors import UsageError

PERCENT = MetricDef(unit="%")


@pytest.fixture
def catalog(make):
    return make(
        [("x.r", 3, ["busy"], ["waste"]), ("y.r", 3, ["waste"], []), ("z.r", 4, ["ahead"], ["found.x"])],
        tests={"busy": "dram > 60", "waste": "moved / needed >= 2", "ahead": "dram >= l2 - 10 or dram < 20"},
        metrics={"dram": PERCENT, "l2": PERCENT, "moved": MetricDef(unit="byte"), "needed": MetricDef(unit="byte")},
    )


LAUNCH = {"dram": 75.0, "l2": 80.0, "moved": 100.0, "needed": 80.0}


def flips_at(catalog, target, values=LAUNCH):
    observed, engine = observe(pd.DataFrame([values]), catalog), Engine(catalog)

    def conclude(cases):
        rows = observe(pd.DataFrame([{**values, **case} for case in cases]), catalog)
        return [Then(trace.class_id, trace.findings) for trace in engine.conclude_many(rows)]

    return flips_of(turns(catalog, observed, 0, engine.conclude_many(observed)[0], (target,)), conclude)


def turn_points(catalog, target, values=LAUNCH):
    return {(f.observation, f.metric): f for f in flips_at(catalog, target, values)}


def test_a_comparison_with_a_number_turns_at_its_threshold(catalog):
    flip = turn_points(catalog, "x")["busy", "dram"]
    assert (flip.value, flip.turns_at, flip.unit, flip.test) == (75.0, 60.0, "%", "> 60")
    assert flip.then.findings == ()


def test_a_comparison_of_several_metrics_turns_along_each_of_them(catalog):
    points = turn_points(catalog, "x")
    assert points["waste", "moved"].turns_at == pytest.approx(160)
    assert points["waste", "needed"].turns_at == pytest.approx(50)
    assert points["waste", "moved"].then.findings == ("y", "z")


def test_a_comparison_that_no_value_of_a_percentage_can_turn_is_left_out(make):
    catalog = make([("x.r", 3, ["o"], [])], tests={"o": "dram < 120"}, metrics={"dram": PERCENT})
    assert [f.turns_at for f in turn_points(catalog, "x", {"dram": 50.0}).values()] == [120.0]
    catalog = make([("x.r", 3, ["o"], [])], tests={"o": "dram * 1 < 120"}, metrics={"dram": PERCENT})
    assert turn_points(catalog, "x", {"dram": 50.0}) == {}


def test_the_comparisons_of_the_class_can_be_asked_for(make):
    catalog = make(classes={"k": (["low"], [])}, tests={"low": "dram < 60"}, metrics={"dram": PERCENT})
    flip = turn_points(catalog, "class.k", {"dram": 50.0})["low", "dram"]
    assert (flip.turns_at, flip.then.class_id) == (60.0, "undetermined")


def test_a_share_turns_at_no_more_than_all(make):
    share = MetricDef(unit="ratio")
    catalog = make([("x.r", 3, ["o"], [])], tests={"o": "dram_share * 2 < moved"}, metrics={"dram_share": share})
    assert turn_points(catalog, "x", {"dram_share": 0.5, "moved": 1.9})["o", "dram_share"].turns_at == 0.95
    assert ("o", "dram_share") not in turn_points(catalog, "x", {"dram_share": 0.5, "moved": 2.1})


def test_the_turning_points_of_several_conclusions_are_told_once_each(catalog):
    observed, engine = observe(pd.DataFrame([{**LAUNCH, "moved": 200.0}]), catalog), Engine(catalog)
    found = turns(catalog, observed, 0, engine.conclude_many(observed)[0], ("y", "z", "y"))
    points = [(turn.metric, turn.turns_at) for turn in found]
    assert points == [("moved", pytest.approx(160)), ("needed", pytest.approx(100)), ("dram", 70.0), ("dram", 20.0)]


@given(st.floats(0, 100), st.floats(0, 100), st.floats(1, 1e12), st.floats(1, 1e12))
@settings(max_examples=60, deadline=None)
def test_just_beyond_a_flip_the_comparison_has_turned_and_before_it_has_not(catalog, dram, l2, moved, needed):
    values = {"dram": dram, "l2": l2, "moved": moved, "needed": needed}
    observed = observe(pd.DataFrame([values]), catalog)
    trace = Engine(catalog).conclude_many(observed)[0]
    for target in trace.findings:
        for flip in flips_at(catalog, target, values):
            at = flip.turns_at
            assume(abs(at - flip.value) > 1e-6 * max(abs(at), 1))
            sides = []
            for share in (0.999, 1.001):
                value = flip.value + share * (at - flip.value)
                seen = observe(pd.DataFrame([{**values, flip.metric: value}]), catalog).evidence(0, flip.observation)
                sides.append(next(c.holds for c in seen if c.test == flip.test))
            assert sides[0] != sides[1]


def test_assignments_are_metric_equals_number(catalog):
    assert parse_assignments(["dram=70", " l2 = 1e-3", "moved=1_000"], catalog) == {
        "dram": 70.0,
        "l2": 0.001,
        "moved": 1000.0,
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dram", "is not METRIC=NUMBER"),
        ("drum=70", "'drum' is not a metric"),
        ("dram=fast", "'fast' is not a number"),
        ("dram=nan", "'nan' is not a number"),
        ("dram=inf", "is not a number"),
        ("dram=", "'' is not a number"),
    ],
)
def test_a_wrong_assignment_is_refused_with_one_line(catalog, text, message):
    with pytest.raises(UsageError) as caught:
        parse_assignments([text], catalog)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_unknown_values_have_no_flips(catalog):
    assert turn_points(catalog, "x", {"dram": 75.0, "l2": math.nan, "moved": math.nan, "needed": 1.0}).keys() == {
        ("busy", "dram")
    }
