"""Proofs as lines: the numbers of a condition, what each says, how far it is from its threshold."""

from __future__ import annotations

import pytest
from tui.factory import INDEX, comparison

from advisor.reasoning.engine.explain import BlockedRule, Clause
from advisor.records.diagnosis import Comparison
from advisor.session.cards import blocked_lines, measured
from tests.changed import replace


def under(value: float, threshold: float) -> Comparison:
    """`waves < threshold`."""
    made = comparison("waves_below_4", "waves", value, "count", threshold, "the grid is few waves")
    away = threshold - value
    return replace(made, test=f"< {threshold:g}", holds=away > 0, margin=away / threshold, margin_abs=away)


def over(value: float, threshold: float) -> Comparison:
    return comparison("waves_below_4", "waves", value, "count", threshold, "the grid is few waves")


@pytest.mark.parametrize(
    ("item", "away"),
    [
        (under(62.06, 4), "15.5 times the threshold"),
        (under(6, 4), "50 % over the threshold"),
        (under(1, 4), "75 % clear of the threshold"),
        (over(62.06, 4), "15.5 times the threshold"),
        (over(6, 4), "50 % clear of the threshold"),
        (over(3, 4), "25 % short of the threshold"),
        (over(-20, 4), "600 % short of the threshold"),
    ],
)
def test_how_far_a_number_is_from_its_threshold_is_said_as_people_would(item: Comparison, away: str) -> None:
    assert measured(item).endswith(f", {away}")


def test_of_two_comparisons_of_a_condition_that_fails_each_says_whether_it_holds() -> None:
    both = Clause("waves_below_4", "when", False, (over(62.0, 1), under(62.0, 4)))
    one = Clause("waves_below_4", "when", False, (under(62.0, 4),))
    rule = BlockedRule("tail_effect.uneven", "tail_effect", False, (both, one), (), (), ())
    lines = [(line.text.partition(",")[0], line.style) for line in blocked_lines((rule,), INDEX)[1:]]
    assert lines == [
        ("The grid is few waves", "fails"),
        ("waves = 62", "holds"),
        ("waves = 62", "fails"),
        ("The grid is few waves", "fails"),
        ("waves = 62", "quiet"),
    ]
