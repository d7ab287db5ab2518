"""Numbers meet thresholds: three values, margins, the binding comparison, evidence."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.knowledge.base import Catalog
from advisor.knowledge.expressions import FALSE, TRUE, UNKNOWN
from advisor.knowledge.schemas import MetricDef, ObservationDef
from advisor.reasoning.observations import observe
from advisor.records.errors import KnowledgeError

NAN = math.nan


def seen(tests, *rows, **metrics):
    catalog = Catalog(())
    catalog.__dict__.update(
        observations={n: ObservationDef(id=n, test=t, says="{a:.0f} %", cites=("doc.a",)) for n, t in tests.items()},
        metrics={n: MetricDef(id=n, unit=u) for n, u in metrics.items()},
    )
    return observe(pd.DataFrame(list(rows)), catalog)


@pytest.mark.parametrize(
    ("test", "a", "truth", "margin"),
    [
        ("a > 60", 75.0, TRUE, 0.25),
        ("a > 60", 60.0, FALSE, 0.0),
        ("a >= 60", 60.0, TRUE, 0.0),
        ("a > 60", 45.0, FALSE, -0.25),
        ("a < 60", 45.0, TRUE, 0.25),
        ("a <= 60", 75.0, FALSE, -0.25),
        ("a > 0", 0.5, TRUE, 0.5),
        ("a == 1", 1.0, TRUE, 0.0),
        ("a == 2", 1.0, FALSE, -0.5),
        ("a != 2", 1.0, TRUE, 0.5),
        ("not a > 60", 75.0, FALSE, -0.25),
        ("a > 60", NAN, UNKNOWN, NAN),
        ("a > 60", math.inf, UNKNOWN, NAN),
        ("a / 0 > 1", 1.0, UNKNOWN, NAN),
        ("absent > 1", 1.0, UNKNOWN, NAN),
        ("a > 10 and a < 50", 40.0, TRUE, 0.2),
        ("a > 60 or a < 50", 40.0, TRUE, 0.2),
        ("a >= 30 and a < 60", 33.0, TRUE, 0.1),
    ],
)
def test_truth_and_the_margin_of_the_binding_comparison(test, a, truth, margin):
    observed = seen({"o": test}, {"a": a})
    assert observed.truth[0, 0] == truth
    assert observed.margin[0, 0] == pytest.approx(margin, nan_ok=True)


@pytest.mark.parametrize(
    ("test", "margin"),
    [
        ("a > 10 or u > 1", 0.1),
        ("a > 10 or (u > 1 and b > 1)", 0.1),
        ("(a > 10 or u > 1) and b > 1", 0.1),
        ("a > 20 and u > 1", -0.45),
        ("(a > 20 and u > 1) or b > 200", -0.45),
        ("not (a > 20 and u > 1)", 0.45),
        ("(a > 10 or u > 1) and not (u > 1 and b > 200)", 0.1),
    ],
)
def test_what_is_unknown_and_does_not_decide_does_not_set_the_margin(test, margin):
    observed = seen({"o": test}, {"a": 11.0, "b": 100.0})
    assert observed.truth[0, 0] != UNKNOWN
    assert observed.margin[0, 0] == pytest.approx(margin)


tests_ = st.recursive(
    st.tuples(st.sampled_from("abc"), st.sampled_from(["<", "<=", ">", ">="]), st.sampled_from(["0", "10", "60"])).map(
        " ".join
    ),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        inner.map(lambda t: f"(not {t})"),
    ),
    max_leaves=5,
)
values = st.one_of(st.just(NAN), st.floats(0, 200), st.sampled_from([0.0, 10.0, 60.0]))
rows = st.lists(st.fixed_dictionaries(dict.fromkeys("abc", values)), min_size=1, max_size=3)


@given(tests_, rows)
@settings(max_examples=250, deadline=None)
def test_a_margin_is_known_with_the_truth_and_has_its_sign(test, frame):
    observed = seen({"o": test}, *frame)
    for truth, margin in zip(observed.truth[:, 0], observed.margin[:, 0], strict=True):
        assert math.isfinite(margin) == (truth != UNKNOWN)
        assert not (truth == TRUE and margin < 0) and not (truth == FALSE and margin > 0)


@given(tests_, rows, st.sampled_from("abc"))
@settings(max_examples=150, deadline=None)
def test_losing_a_metric_never_turns_a_verdict_round(test, frame, lost):
    whole = seen({"o": test}, *frame).truth[:, 0]
    less = seen({"o": test}, *[{**row, lost: NAN} for row in frame]).truth[:, 0]
    assert all(after in (before, UNKNOWN) for before, after in zip(whole, less, strict=True))


@given(tests_, rows)
@settings(max_examples=100, deadline=None)
def test_a_row_is_judged_the_same_alone_and_among_others(test, frame):
    together = seen({"o": test}, *frame)
    for at, row in enumerate(frame):
        alone = seen({"o": test}, row)
        assert alone.truth[0, 0] == together.truth[at, 0]
        assert np.array_equal(alone.margin[0], together.margin[at], equal_nan=True)


def test_a_column_with_a_hole_is_unknown_there_only():
    observed = seen({"o": "a > 60"}, {"a": 70.0}, {"a": NAN}, {"a": 50.0})
    assert observed.truth[:, 0].tolist() == [TRUE, UNKNOWN, FALSE]
    assert observed.state(1) == {"o": UNKNOWN}


def test_evidence_is_one_line_a_comparison_with_value_threshold_and_distance():
    observed = seen({"o": "a > 60 and b < a - 10"}, {"a": 75.0, "b": 70.0}, a="%")
    first, second = observed.evidence(0, "o")
    assert (first.metric, first.value, first.unit, first.test, first.threshold) == ("a", 75.0, "%", "> 60", 60.0)
    assert (first.holds, first.margin_abs, first.margin, first.cites) == (True, 15.0, 0.25, ("doc.a",))
    assert (second.metric, second.value, second.test, second.threshold) == ("b", 70.0, "< a - 10", 65.0)
    assert (second.holds, second.margin_abs) == (False, -5.0)
    assert first.says == "75 %"


def test_evidence_of_an_unknown_value_has_no_margin():
    (line,) = seen({"o": "a > 60"}, {"b": 1.0}).evidence(0, "o")
    assert (line.value, line.holds, line.margin, line.margin_abs, line.says) == (None, None, None, None, "not known: a")


def test_the_metrics_that_an_observation_lacks_are_named():
    observed = seen({"o": "b > 1 and a > c"}, {"a": 1.0, "c": NAN})
    assert observed.unknown_metrics(0, "o") == ("b", "c")


def test_only_some_observations_can_be_asked_for():
    catalog = seen({"o": "a > 1", "p": "a > 2"}, {"a": 1.0}).catalog
    assert observe(pd.DataFrame([{"a": 3.0}]), catalog, only=["p"]).names == ("p",)


def test_a_test_outside_the_grammar_is_a_knowledge_error():
    with pytest.raises(KnowledgeError, match=r":\d+: o: "):
        seen({"o": "a"}, {"a": 1.0})


def test_words_and_objects_in_a_frame_are_no_metrics():
    observed = seen({"o": "a > 1"}, {"a": 2.0, "kernel": "a > 1", "grid": (1, 2, 3)})
    assert set(observed.columns) == {"a"} and observed.values(0) == {"a": 2.0}


def test_a_frame_without_rows_has_nothing_to_judge():
    observed = seen({"o": "a > 1"}, {"a": 2.0})
    assert observe(pd.DataFrame({"a": np.array([], dtype=float)}), observed.catalog).truth.shape == (0, 1)


@pytest.mark.parametrize(
    ("test", "a", "margin"),
    [
        ("a > 10 and b == 0", 15.0, 0.5),  # what is equal is no doubt about the other comparison
        ("b == 0 or a > 10", 15.0, 0.0),
        ("a > 10 and not (b == 1)", 15.0, 0.5),
        ("b == 0", 15.0, 0.0),
    ],
)
def test_an_equality_that_holds_leaves_the_margin_to_the_others(test, a, margin):
    observed = seen({"o": test}, {"a": a, "b": 0.0})
    assert observed.truth[0, 0] == TRUE and observed.margin[0, 0] == pytest.approx(margin)
