"""What a reader is told of conditions that are unknown."""

from __future__ import annotations

from advisor.knowledge.base import catalog, unknown_text


def test_an_observation_is_told_by_what_it_states() -> None:
    assert unknown_text(["lanes_few"]) == "whether few lanes of a warp are active"


def test_an_observation_and_its_opposite_are_told_once() -> None:
    assert unknown_text(["barrier_leads", "barrier_small"]) == "whether warps wait mostly at barriers"


def test_an_answer_is_told_by_its_question() -> None:
    ask = catalog().questions["intended_dtype"].ask
    assert unknown_text(["answer.intended_dtype.f32", "answer.intended_dtype.f64"]) == f"your answer to `{ask}`"


def test_a_finding_is_told_by_its_title() -> None:
    title = catalog().findings["bank_conflicts"].title
    assert unknown_text(["found.bank_conflicts"]) == f"whether “{title}” applies"


def test_what_a_rule_may_lack_is_said_in_words() -> None:
    """An `unless` that is unknown is named beside the confidence, so each has words that are not its id."""
    known = catalog()
    rules = [rule for finding in known.findings.values() for rule in finding.seen]
    named = {name for rule in rules for name in rule.unless if name in known.observations and name not in rule.rare}
    without = {name for name in named if not known.observations[name].states}
    assert without <= set(), sorted(without)
