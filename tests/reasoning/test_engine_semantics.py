"""What the engine concludes from true, false and unknown: the semantics that explanations and questions rest on."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.knowledge.expressions import FALSE, TRUE, UNKNOWN
from advisor.reasoning.engine.reason import Engine
from advisor.reasoning.engine.trace import Undecided
from advisor.records.errors import KnowledgeError

A_OR_NOT_B = [("x.r", 3, ["a"], ["b"])]


@pytest.mark.parametrize(
    ("a", "b", "concluded", "undecided", "unknown_unless"),
    [
        (TRUE, FALSE, True, False, ()),
        (TRUE, TRUE, False, False, ()),
        (TRUE, UNKNOWN, True, False, ("b",)),
        (UNKNOWN, FALSE, False, True, ()),
        (UNKNOWN, UNKNOWN, False, True, ()),
        (UNKNOWN, TRUE, False, False, ()),
        (FALSE, UNKNOWN, False, False, ()),
        (FALSE, FALSE, False, False, ()),
    ],
)
def test_a_rule_fires_when_every_when_is_true_and_no_unless_is(make, a, b, concluded, undecided, unknown_unless):
    trace = Engine(make(A_OR_NOT_B)).conclude({"a": a, "b": b})
    assert (trace.findings == ("x",)) is concluded
    assert (trace.undecided == (Undecided("x.r", "x", 3, ("a",)),)) is undecided
    assert [f.unknown_unless for f in trace.fired_for("x")] == ([unknown_unless] if concluded else [])


def test_an_observation_that_nobody_judged_is_unknown(make):
    assert Engine(make(A_OR_NOT_B)).conclude({}).undecided[0].unknown == ("a",)


def test_a_rule_that_false_refutes_is_not_undecided_whatever_else_is_unknown(make):
    trace = Engine(make([("x.r", 3, ["a", "b"], [])])).conclude({"a": UNKNOWN, "b": FALSE})
    assert trace.undecided == () and trace.findings == ()


def test_two_rules_conclude_a_finding_once_and_both_are_in_the_trace(make):
    trace = Engine(make([("x.r", 3, ["a"], []), ("x.s", 3, ["b"], [])])).conclude({"a": TRUE, "b": TRUE})
    assert trace.findings == ("x",)
    assert [f.rule_id for f in trace.fired_for("x")] == ["x.r", "x.s"]


@pytest.mark.parametrize(("a", "finding"), [(TRUE, "x"), (FALSE, "y")])
def test_a_cause_of_a_later_step_gives_way_to_an_earlier_one(make, a, finding):
    trace = Engine(make([("x.r", 3, ["a"], []), ("y.r", 4, ["b"], ["found.x"])])).conclude({"a": a, "b": TRUE})
    assert trace.findings == (finding,)


def test_a_finding_whose_rules_are_undecided_is_an_unknown_unless(make):
    engine = Engine(make([("x.r", 3, ["a"], []), ("y.r", 4, ["b"], ["found.x"])]))
    trace = engine.conclude({"a": UNKNOWN, "b": TRUE})
    assert trace.findings == ("y",)
    assert trace.fired_for("y")[0].unknown_unless == ("found.x",)
    assert trace.truth("found.x") == UNKNOWN


def test_a_finding_whose_rules_are_undecided_leaves_what_needs_it_undecided(make):
    engine = Engine(make([("x.r", 3, ["a"], []), ("y.r", 4, ["b", "found.x"], []), ("z.r", 5, ["found.y"], [])]))
    trace = engine.conclude({"a": UNKNOWN, "b": TRUE})
    assert trace.findings == ()
    assert [(u.concludes, u.unknown) for u in trace.undecided] == [
        ("x", ("a",)),
        ("y", ("found.x",)),
        ("z", ("found.y",)),
    ]


def test_a_finding_is_known_once_one_of_its_rules_fires(make):
    rules = [("x.r", 3, ["a"], []), ("x.s", 3, ["b"], []), ("y.r", 4, ["found.x"], [])]
    trace = Engine(make(rules)).conclude({"a": UNKNOWN, "b": TRUE})
    assert trace.findings == ("x", "y")
    assert [u.rule_id for u in trace.undecided] == ["x.r"]


CLASSES = {"first": (["a"], []), "second": (["b"], [])}


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (TRUE, TRUE, "first"),
        (TRUE, UNKNOWN, "first"),
        (FALSE, TRUE, "second"),
        (FALSE, FALSE, "undetermined"),
        (UNKNOWN, FALSE, "undetermined"),
    ],
)
def test_the_class_is_the_first_of_the_list_that_holds(make, a, b, expected):
    trace = Engine(make(classes=CLASSES)).conclude({"a": a, "b": b})
    assert trace.class_id == expected
    assert [f.concludes for f in trace.fired] == [f"class.{expected}"]


def test_an_undecided_earlier_class_is_an_unknown_unless_of_the_one_that_holds(make):
    trace = Engine(make(classes=CLASSES)).conclude({"a": UNKNOWN, "b": TRUE})
    assert trace.class_id == "second"
    assert trace.fired[0].unknown_unless == ("class.first",)
    assert trace.undecided == ()


def test_an_undetermined_class_says_which_classes_are_open(make):
    trace = Engine(make(classes=CLASSES)).conclude({"a": UNKNOWN, "b": UNKNOWN})
    assert trace.class_id == "undetermined"
    assert [(u.concludes, u.unknown) for u in trace.undecided] == [("class.first", ("a",)), ("class.second", ("b",))]


def test_a_class_is_unknown_only_while_none_holds_and_its_own_rule_is_open(make):
    rules = [("x.r", 3, ["class.first"], []), ("y.r", 3, ["class.second"], []), ("z.r", 3, ["class.undetermined"], [])]
    engine = Engine(make(rules, classes=CLASSES))
    assert engine.conclude({"a": TRUE, "b": UNKNOWN}).findings == ("x",)
    trace = engine.conclude({"a": UNKNOWN, "b": FALSE})
    assert trace.findings == ("z",)
    assert [u.rule_id for u in trace.undecided] == ["class.first", "x.r"]


@pytest.mark.parametrize(
    ("answers", "truth"), [((), UNKNOWN), (("answer.type.f32",), TRUE), (("answer.type.f64",), FALSE)]
)
def test_an_answer_is_unknown_until_the_question_is_answered_and_then_false_for_the_other_choices(make, answers, truth):
    rules = [("x.r", 3, ["answer.type.f32"], []), ("y.r", 3, ["a"], ["answer.type.f32"])]
    trace = Engine(make(rules, choices={"type": ["f32", "f64"]})).conclude({"a": TRUE}, frozenset(answers))
    assert trace.findings == {UNKNOWN: ("y",), TRUE: ("x",), FALSE: ("y",)}[truth]
    assert [u.rule_id for u in trace.undecided] == (["x.r"] if truth == UNKNOWN else [])
    if truth != TRUE:
        assert trace.fired_for("y")[0].unknown_unless == (("answer.type.f32",) if truth == UNKNOWN else ())


SECOND = [("x.r", 3, ["a"], []), ("y.r", 6, ["found.x"], ["gain.large"]), ("z.r", 7, ["gain.large"], ["found.y"])]


def test_the_first_pass_runs_no_rule_that_needs_the_quantification(make):
    trace = Engine(make(SECOND)).conclude({"a": TRUE})
    assert trace.findings == ("x",) and not trace.quantified and trace.truth("gain.large") == UNKNOWN


@pytest.mark.parametrize(("words", "added"), [((), ("y",)), (("gain.large",), ("z",))])
def test_the_second_pass_repeats_the_first_and_adds_to_it(make, words, added, quantified):
    engine = Engine(make(SECOND))
    first = engine.conclude({"a": TRUE})
    second = engine.conclude({"a": TRUE}, quantified=quantified(*words))
    assert second.fired[: len(first.fired)] == first.fired
    assert second.findings == ("x", *added) and second.words == words


def test_an_undecided_finding_of_the_first_pass_stays_unknown_in_the_second(make, quantified):
    trace = Engine(make(SECOND)).conclude({"a": UNKNOWN}, quantified=quantified())
    assert [(u.concludes, u.unknown) for u in trace.undecided] == [("x", ("a",)), ("y", ("found.x",))]


def test_a_rule_without_conditions_fires_unless_it_is_blocked(make, quantified):
    engine = Engine(make([("alone.r", 6, [], ["gain.any"])]))
    assert engine.conclude({}, quantified=quantified()).findings == ("alone",)
    assert engine.conclude({}, quantified=quantified("gain.any")).findings == ()


def test_an_estimate_that_cannot_be_judged_leaves_its_word_unknown(make):
    trace = Engine(make([("alone.r", 6, [], ["gain.any"])])).conclude({}, quantified={})
    assert trace.findings == ("alone",) and trace.fired_for("alone")[0].unknown_unless == ("gain.any",)
    assert trace.truth("gain.any") == UNKNOWN


NAPKIN = [("x.r", 3, ["napkin.far", "a"], []), ("y.r", 6, ["napkin.far"], ["gain.large"])]


@pytest.mark.parametrize(("far", "found"), [(TRUE, ("x", "y")), (FALSE, ()), (UNKNOWN, ())])
def test_a_conclusion_of_the_napkin_math_is_a_fact_for_both_passes(make, far, found, quantified):
    state = {"a": TRUE, "first_far": far}
    trace = Engine(make(NAPKIN)).conclude(state, quantified=quantified())
    assert trace.findings == found and trace.truth("napkin.far") == far
    assert trace.words == (("napkin.far",) if far == TRUE else ())
    assert [u.concludes for u in trace.undecided] == (["napkin.far", "x", "y"] if far == UNKNOWN else [])


def test_of_two_findings_that_explain_a_symptom_the_earlier_counts(make):
    rules = [("x.r", 3, ["a"], []), ("y.r", 4, ["a"], [])]
    engine = Engine(make(rules, explains={"x": ["s"], "y": ["s", "t"]}))
    assert engine.conclude({"a": TRUE}).explained == {"s": "x", "t": "y"}
    assert engine.conclude({"a": FALSE}).explained == {}


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ([("x.r", 3, ["a"], ["found.x"])], "'found.x' is concluded in step 3: a rule of step 3 may read only earlier"),
        ([("x.r", 4, ["a"], []), ("y.r", 3, [], ["found.x"])], "is concluded in step 4: a rule of step 3"),
        ([("x.r", 3, ["found.nothing"], [])], "there is no such finding"),
        ([("x.r", 3, ["class.nothing"], [])], "there is no such class"),
        ([("x.r", 1, ["class.undetermined"], [])], "concluded in step 2: a rule of step 1 cannot read it"),
        ([("x.r", 3, ["answer.type.f32"], [])], "there is no question 'type'"),
        ([("x.r", 3, ["gain.large"], [])], "known only after the quantification"),
        ([("x.r", 3, ["late_large"], []), ("y.r", 6, ["gain.large"], [])], "known only after the quantification"),
        ([("x.r", 1, ["napkin.far"], [])], "concluded in step 1: a rule of step 1 cannot read it"),
        ([("x.r", 7, ["advice.go"], [])], "a rule cannot read the advice"),
        ([("x.r", 3, ["a"], ["a"])], "'a' is listed under both when and unless"),
        ([("x.r", 3, ["a"], []), ("x.r", 3, ["b"], [])], "'x.r' is already taken"),
        ([("x.R", 3, ["a"], [])], "is not a valid rule id"),
        ([("x.r", 3, ["a__b"], [])], "not a valid name in a rule"),
    ],
)
def test_a_rule_that_cannot_be_meant_is_refused_when_the_engine_is_built(make, rules, message):
    with pytest.raises(KnowledgeError, match=r".*:\d+: ") as caught:
        Engine(make(rules))
    assert message in str(caught.value)


# An independent reading of the semantics, without experta: whatever rules are drawn, both agree.

NAMES = ["a", "b", "c", "d"]


@st.composite
def programs(draw):
    rules: list[tuple[str, int, list[str], list[str]]] = []
    for at in range(draw(st.integers(1, 7))):
        step = draw(st.sampled_from([1, 3, 4, 5, 6]))
        pool = list(NAMES)
        pool += sorted({f"found.{r[0].partition('.')[0]}" for r in rules if r[1] < step})
        if step > 2:
            pool += ["class.k", "class.l", "class.undetermined"]
        pool += ["answer.q.y"] + (["gain.g"] if step >= 6 else [])
        names = draw(st.lists(st.sampled_from(pool), max_size=4, unique=True))
        cut = draw(st.integers(0, len(names)))
        rules.append((f"f{at}.r", step, names[:cut], names[cut:]))
    classes = {
        name: (draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=2, unique=True)), []) for name in ("k", "l")
    }
    return rules, classes


def reference(rules, classes, state, answers, words):
    """Findings, class, undecided rules, by evaluating each rule in Kleene's logic, step by step."""
    truth = dict(state)
    for choice in ("answer.q.y", "answer.q.n"):
        truth[choice] = TRUE if choice in answers else FALSE if answers else UNKNOWN
    truth["gain.g"] = TRUE if "gain.g" in words else FALSE

    def value(when, unless):
        return min([truth[n] for n in when] + [2 - truth[n] for n in unless], default=TRUE)

    def fires(when, unless):
        return all(truth[n] == TRUE for n in when) and all(truth[n] != TRUE for n in unless)

    def is_open(when, unless):
        return value(when, unless) == UNKNOWN and not fires(when, unless)

    found, open_ = [], []
    for step in (1, 2, 3, 4, 5, 6):
        if step == 2:
            first = next((c for c, (w, u) in classes.items() if fires(w, u)), None)
            for c, (w, u) in classes.items():
                truth[f"class.{c}"] = (TRUE if c == first else FALSE) if first else UNKNOWN if is_open(w, u) else FALSE
            open_ += [f"class.{c}" for c, (w, u) in classes.items() if first is None and is_open(w, u)]
            truth["class.undetermined"] = FALSE if first else TRUE
            class_id = first or "undetermined"
        now = [r for r in rules if r[1] == step]
        results = [(r, fires(r[2], r[3]), is_open(r[2], r[3])) for r in now]
        for (rule_id, *_), did, may in results:
            found += [rule_id] if did else []
            open_ += [rule_id] if may else []
            truth[f"found.{rule_id.partition('.')[0]}"] = TRUE if did else UNKNOWN if may else FALSE
    return class_id, found, open_


@given(
    programs(),
    st.lists(st.sampled_from([FALSE, UNKNOWN, TRUE]), min_size=4, max_size=4),
    st.sampled_from([frozenset(), frozenset({"answer.q.y"}), frozenset({"answer.q.n"})]),
    st.sampled_from([frozenset(), frozenset({"gain.g"})]),
)
@settings(max_examples=150, deadline=None)
def test_the_engine_agrees_with_a_plain_reading_of_the_rules(make, quantified, program, values, answers, words):
    rules, classes = program
    state = dict(zip(NAMES, values, strict=True))
    made = make([*rules, ("last.r", 9, ["gain.g"], [])], classes=classes, choices={"q": ["y", "n"]})
    trace = Engine(made).conclude(state, answers, quantified(*words))
    class_id, found, open_ = reference(rules, classes, state, answers, words)
    assert trace.class_id == class_id
    apart = ("class.", "gain.", "last")
    assert sorted(f.rule_id for f in trace.fired if not f.concludes.startswith(apart)) == sorted(found)
    assert sorted(u.rule_id for u in trace.undecided) == sorted(open_)
    assert [f.step for f in trace.fired] == sorted(f.step for f in trace.fired)


def test_knowing_more_never_takes_back_what_was_certain(make):
    """A finding without unknown `unless` stays, whatever the unknowns turn out to be."""
    rules = [("x.r", 3, ["a"], ["b"]), ("y.r", 4, ["c"], ["found.x"]), ("z.r", 5, ["found.y"], ["d"])]
    engine = Engine(make(rules))
    for values in product((FALSE, UNKNOWN, TRUE), repeat=4):
        trace = engine.conclude(dict(zip(NAMES, values, strict=True)))
        certain = {f.concludes for f in trace.fired if not f.unknown_unless} - {"class.undetermined"}
        if any(f.unknown_unless for f in trace.fired):
            continue
        for filled in product(*[(FALSE, TRUE) if v == UNKNOWN else (v,) for v in values]):
            assert certain <= set(engine.conclude(dict(zip(NAMES, filled, strict=True))).findings)
