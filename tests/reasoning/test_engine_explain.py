"""HOW and WHY NOT: proofs with values and thresholds, read off the rules."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from advisor.knowledge.expressions import FALSE, TRUE, UNKNOWN
from advisor.knowledge.schemas import MetricDef
from advisor.reasoning.engine.explain import how, why_not
from advisor.reasoning.engine.reason import Engine
from advisor.reasoning.observations import observe
from advisor.records.errors import UsageError

RULES = [
    ("x.r", 3, ["a", "class.k"], ["b"]),
    ("y.r", 4, ["found.x"], ["c"]),
    ("z.r", 4, ["d"], ["found.x"]),
    ("n.r", 6, ["a"], ["gain.large"]),
]


@pytest.fixture
def case(make):
    catalog = make(
        RULES,
        classes={"k": (["a"], []), "l": (["d"], [])},
        metrics={"m_a": MetricDef(id="m_a", unit="%")},
        choices={"q": ["y"]},
    )
    frame = pd.DataFrame(
        {
            "m_a": [15.0, 5.0, math.nan],
            "m_b": [3.0, 3.0, 3.0],
            "m_c": [math.nan, 1.0, 1.0],
            "m_d": [20.0, 20.0, math.nan],
        }
    )
    observed = observe(frame, catalog)
    return catalog, observed, Engine(catalog).conclude_many(observed)


def test_a_proof_goes_from_the_finding_down_to_value_and_threshold(case):
    catalog, observed, traces = case
    proof = how(catalog, observed, 0, traces[0], "x")
    assert (proof.concludes, proof.title, proof.kind) == ("x", "X", "diagnosis")
    (rule,) = proof.rules
    assert (rule.rule_id, rule.because, rule.cites) == ("x.r", "because x.r", ("doc.a",))
    assert [(c.role, c.name, c.truth) for c in rule.clauses] == [
        ("when", "a", TRUE),
        ("when", "class.k", TRUE),
        ("unless", "b", FALSE),
    ]
    (line,) = rule.clauses[0].evidence
    assert (line.metric, line.value, line.unit, line.threshold, line.margin_abs) == ("m_a", 15.0, "%", 10.0, 5.0)


def test_a_proof_holds_the_proofs_of_what_it_rests_on(case):
    catalog, observed, traces = case
    (rule,) = how(catalog, observed, 0, traces[0], "found.y").rules
    below = rule.clauses[0].proof
    assert below is not None and below.concludes == "x"
    of_class = below.rules[0].clauses[1].proof
    assert of_class is not None and (of_class.kind, of_class.concludes) == ("class", "class.k")
    assert [(c.name, c.truth) for c in rule.clauses[1:]] == [("c", UNKNOWN)]


def test_a_proof_of_what_was_not_concluded_has_no_rules(case):
    catalog, observed, traces = case
    assert how(catalog, observed, 1, traces[1], "x").rules == ()


def test_the_proof_of_an_undetermined_class_names_what_is_unknown(case):
    catalog, observed, traces = case
    (rule,) = how(catalog, observed, 2, traces[2], "class.undetermined").rules
    assert [(c.name, c.truth, c.evidence[0].value) for c in rule.clauses] == [
        ("a", UNKNOWN, None),
        ("d", UNKNOWN, None),
    ]


def test_a_class_may_be_named_with_and_without_its_prefix(case):
    catalog, observed, traces = case
    assert how(catalog, observed, 0, traces[0], "k") == how(catalog, observed, 0, traces[0], "class.k")


def test_why_not_gives_the_distance_to_the_threshold_that_was_missed(case):
    catalog, observed, traces = case
    (rule,) = why_not(catalog, observed, 1, traces[1], "x")
    assert not rule.fired and rule.blocking == ()
    assert [c.name for c in rule.failing] == ["a", "class.k"]
    assert rule.failing[0].evidence[0].margin_abs == -5.0


def test_why_not_names_what_blocks_a_rule_and_how_that_was_concluded(case):
    catalog, observed, traces = case
    (rule,) = why_not(catalog, observed, 0, traces[0], "z")
    assert [c.name for c in rule.blocking] == ["found.x"]
    assert rule.blocking[0].proof is not None and rule.blocking[0].proof.concludes == "x"
    assert rule.failing == () and rule.unknown == ()


def test_why_not_names_what_is_unknown(case):
    catalog, observed, traces = case
    (rule,) = why_not(catalog, observed, 2, traces[2], "z")
    assert [(c.role, c.name) for c in rule.unknown] == [("when", "d"), ("unless", "found.x")]


def test_why_not_of_a_finding_of_the_second_pass_knows_the_words(case, quantified):
    catalog, observed, traces = case
    assert [c.name for c in why_not(catalog, observed, 0, traces[0], "n")[0].unknown] == ["gain.large"]
    engine = Engine(catalog)
    second = engine.conclude_many(observed, quantified=[engine.codes(quantified("gain.large"))] * 3)
    assert [c.name for c in why_not(catalog, observed, 0, second[0], "n")[0].blocking] == ["gain.large"]


def test_why_not_of_a_class_names_the_earlier_class_that_holds(case):
    catalog, observed, traces = case
    (rule,) = why_not(catalog, observed, 0, traces[0], "class.l")
    assert [c.name for c in rule.blocking] == ["class.k"] and rule.failing == ()


def test_why_not_marks_a_rule_that_did_fire(case):
    catalog, observed, traces = case
    assert why_not(catalog, observed, 0, traces[0], "x")[0].fired


@pytest.mark.parametrize("ask", [how, why_not])
def test_an_unknown_id_is_a_wrong_use(case, ask):
    catalog, observed, traces = case
    with pytest.raises(UsageError, match="'nonsense' is neither a finding nor a class"):
        ask(catalog, observed, 0, traces[0], "nonsense")


def test_texts_take_numbers_from_the_launch_and_names_from_the_labels(make):
    catalog = make([("x.r", 3, ["a"], [])])
    (rule,) = catalog.findings["x"].seen
    import msgspec

    said = msgspec.structs.replace(rule, because="{m_a:.0f} % by {leader}, {other}")
    catalog.findings["x"] = msgspec.structs.replace(catalog.findings["x"], seen=(said,))
    observed = observe(pd.DataFrame({"m_a": [15.0]}), catalog)
    trace = Engine(catalog).conclude_many(observed)[0]
    assert how(catalog, observed, 0, trace, "x", {"leader": "DRAM"}).rules[0].because == "15 % by DRAM, unknown"
