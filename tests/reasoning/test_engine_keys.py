"""Launches whose words make the same rules possible are reasoned about once."""

from __future__ import annotations

import threading

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.reasoning.engine.reason import Engine
from advisor.reasoning.observations import observe

RULES = [
    ("x.r", 3, ["a", "b"], ["c"]),
    ("y.r", 4, ["d"], ["found.x", "c"]),
    ("z.r", 5, ["found.y"], ["b"]),
    ("n.r", 6, ["a", "d"], ["gain.large"]),
]
NAMES = ("a", "b", "c", "d")
codes = st.lists(st.sampled_from([0, 1, 2]), min_size=4, max_size=4)


def frame_of(*rows):
    """Metrics that give each observation the wanted truth: its test is `> 10`."""
    value = {0: 5.0, 1: np.nan, 2: 20.0}
    return pd.DataFrame([{f"m_{n}": value[code] for n, code in zip(NAMES, row, strict=True)} for row in rows])


@pytest.fixture
def engine(make):
    return Engine(make(RULES, classes={"k": (["a"], ["d"])}))


@given(codes, codes)
@settings(max_examples=120, deadline=None)
def test_rows_with_equal_keys_have_identical_traces(make, quantified, one, other):
    catalog = make(RULES, classes={"k": (["a"], ["d"])})
    observed = observe(frame_of(one, other), catalog)
    keys = Engine(catalog).keys(observed)
    if keys[0] == keys[1]:
        for late in (None, quantified()):
            first, second = (
                Engine(catalog).conclude(dict(zip(NAMES, row, strict=True)), quantified=late) for row in (one, other)
            )
            assert first == second


def test_a_key_ignores_the_observations_of_refuted_rules(engine):
    keys = engine.keys(observe(frame_of((0, 0, 2, 0), (0, 0, 1, 0), (0, 0, 0, 0)), engine.catalog))
    assert len(set(keys)) == 1


def test_a_key_tells_true_from_unknown(engine):
    keys = engine.keys(observe(frame_of((2, 2, 0, 0), (2, 2, 1, 0), (2, 1, 0, 0)), engine.catalog))
    assert len(set(keys)) == 3


def test_keys_do_not_depend_on_how_many_rows_are_asked_for_at_once(engine):
    rows = [tuple((i >> (2 * k)) % 3 for k in range(4)) for i in range(9000)]
    bulk = engine.keys(observe(frame_of(*rows), engine.catalog))
    few = engine.keys(observe(frame_of(*rows[8990:]), engine.catalog))
    assert bulk[8990:] == few


def test_a_thousand_launches_of_three_kinds_are_reasoned_about_three_times(engine, monkeypatch):
    from advisor.reasoning.engine.chain import Chain

    runs = []
    plain = Chain.conclude
    monkeypatch.setattr(Chain, "conclude", lambda self, *a: runs.append(1) or plain(self, *a))
    rows = [((2, 2, 0, 2), (0, 0, 0, 0), (1, 2, 0, 2))[i % 3] for i in range(1000)]
    observed = observe(frame_of(*rows), engine.catalog)
    traces = engine.conclude_many(observed)
    assert len(runs) == 3
    assert engine.conclude_many(observed) == traces
    assert len(runs) == 3
    assert [t.findings for t in traces[:3]] == [("x",), (), ("y",)]


def test_bulk_and_single_reasoning_agree(engine, quantified):
    rows = [(2, 2, 0, 2), (2, 0, 1, 2), (1, 1, 1, 1)]
    late = [quantified(), quantified("gain.large"), quantified()]
    observed = observe(frame_of(*rows), engine.catalog)
    many = engine.conclude_many(observed, quantified=[engine.codes(one) for one in late])
    for row, given_late, trace in zip(rows, late, many, strict=True):
        assert engine.conclude(dict(zip(NAMES, row, strict=True)), quantified=given_late) == trace


def test_answers_may_differ_from_row_to_row(make):
    engine = Engine(make([("x.r", 3, ["answer.q.y"], [])], choices={"q": ["y", "n"]}))
    observed = observe(pd.DataFrame({"m": [1.0, 1.0, 1.0]}), engine.catalog)
    answers = [frozenset({"answer.q.y"}), frozenset({"answer.q.n"}), frozenset()]
    assert [t.findings for t in engine.conclude_many(observed, answers)] == [("x",), (), ()]
    assert [len(t.undecided) for t in engine.conclude_many(observed, answers)] == [0, 0, 1]


def test_answers_that_no_rule_reads_do_not_multiply_the_work(engine):
    assert engine.conclude({"a": 2}, frozenset({"answer.other.y"})) is engine.conclude({"a": 2})


def test_an_empty_frame_has_no_conclusions(engine):
    assert engine.conclude_many(observe(pd.DataFrame({"m_a": []}, dtype=float), engine.catalog)) == []


def test_several_threads_get_the_same_conclusions(engine):
    wanted = {row: engine.conclude(dict(zip(NAMES, row, strict=True))) for row in [(2, 2, 0, 2), (2, 2, 0, 0)]}
    fresh = Engine(engine.catalog)
    got, wrong = [], []

    def work() -> None:
        for row in list(wanted) * 5:
            trace = fresh.conclude(dict(zip(NAMES, row, strict=True)))
            (got if trace == wanted[row] else wrong).append(row)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 40 and not wrong
