"""Proofs as lines: the numbers of a condition, what each says, how far it is from its threshold."""

from __future__ import annotations

import pytest
from tui.factory import INDEX, comparison

from advisor.reasoning.engine.explain import BlockedRule, Clause
from advisor.records.diagnosis import Comparison
from advisor.session.cards import blocked_lines
from advisor.view.numbers import comparison_text
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
        (under(62.06, 4), "16× the threshold"),
        (under(6, 4), "margin -50 %"),
        (under(1, 4), "margin +75 %"),
        (over(62.06, 4), "16× the threshold"),
        (over(6, 4), "margin +50 %"),
        (over(3, 4), "margin -25 %"),
        (over(-20, 4), "far below the threshold"),
    ],
)
def test_the_margin_of_a_number_is_a_share_of_its_threshold_and_a_factor_far_beyond_it(
    item: Comparison, away: str
) -> None:
    assert comparison_text(item).endswith(f", {away}")


def test_of_two_comparisons_of_a_condition_that_fails_each_says_whether_it_holds() -> None:
    both = Clause("waves_below_4", "when", False, (over(62.0, 1), under(62.0, 4)))
    one = Clause("waves_below_4", "when", False, (under(62.0, 4),))
    rule = BlockedRule("tail_effect.uneven", "tail_effect", False, (both, one), (), (), ())
    lines = [(line.text.partition(",")[0], line.style) for line in blocked_lines((rule,), INDEX)[1:]]
    assert lines == [
        ("The grid is few waves", "fails"),
        ("Waves Per SM (waves) = 62", "fails"),
        ("Waves Per SM (waves) = 62", "holds"),
        ("The grid is few waves", "fails"),
        ("Waves Per SM (waves) = 62", "quiet"),
    ]
