"""The napkin of a session on the real tables, and what it says against a measured launch."""

from __future__ import annotations

import re

import pytest
from tui.factory import launch

from advisor.records.diagnosis import LaunchGpu
from advisor.records.errors import UsageError
from advisor.records.quantities import parse_metric
from advisor.session import cards
from advisor.session import napkin as napkin_cards
from advisor.session.actions.help import _HINTS
from advisor.session.records import UNIT_HINTS, Ask
from tests.changed import replace

GEMM = {"dtype": "f32", "m": 4096.0, "n": 4096.0, "k": 4096.0}


def text(reckoning: object) -> str:
    return "\n".join(f"{line.label} {line.text}" for line in reckoning.lines)  # type: ignore[attr-defined]


def test_every_algorithm_asks_for_its_type_first_and_for_every_parameter():
    known = {a.id: a for a in napkin_cards.algorithms()}
    assert [p.id for p in known["gemm"].parameters][:4] == ["dtype", "m", "n", "k"]
    assert all(a.parameters and a.title for a in known.values())


def test_a_gemm_is_compared_with_its_floor_and_answers_bytes_flop_and_type():
    found = napkin_cards.estimate(
        "gemm", GEMM, launch(0, "gemm", duration_ns=8e6, metrics={"dram_bytes": 3e8, "flop": 1.4e11})
    )
    answers = dict(found.answers)
    assert answers["theoretical_bytes"] == 3 * 4096 * 4096 * 4
    assert answers["theoretical_flop"] == 2 * 4096**3
    assert answers["intended_dtype"] == "f32"
    assert "682.7 FLOP/byte" in text(found) and "arithmetic should be the limit" in text(found)
    assert "Measured 8 ms, 300 MB, 140 GFLOP" in text(found)


def test_sizes_that_contradict_the_measurement_are_named_and_nothing_is_concluded_from_them():
    impossible = napkin_cards.estimate("gemm", GEMM, launch(0, "gemm", duration_ns=1e3, metrics={"flop": 1e6}))
    assert impossible.answers == ()
    assert "The two contradict each other" in text(impossible)


def test_a_card_that_the_user_named_is_the_one_that_counts():
    slow = napkin_cards.gpu_of(launch(0, "k", gpu=LaunchGpu("", "", "T4"), metrics={}))
    fast = napkin_cards.gpu_of(launch(0, "k", metrics={}))
    assert slow.bandwidth < fast.bandwidth


def test_a_card_whose_bandwidth_nobody_knows_is_refused_in_one_line():
    nameless = replace(launch(0, "k"), gpu=LaunchGpu("", "", ""), metrics={})
    with pytest.raises(UsageError, match="bandwidth"):
        napkin_cards.estimate("gemm", GEMM, nameless)


def test_what_a_suffix_means_is_said_where_a_number_is_asked_for_and_the_answer_stands_in_full():
    hints = [UNIT_HINTS["count"], *_HINTS]
    examples = [pair for hint in hints for pair in re.findall(r"(\S+) \(([\d,]+)\)", hint)]
    assert {typed for typed, _ in examples} >= {"4k", "4Ki", "2^12"}
    assert all(parse_metric(typed, "count") == float(full.replace(",", "")) for typed, full in examples)
    rows = Ask("m", "Rows (m)?", "", unit="count", group="napkin")
    assert "4k (4,000)" in cards.question_card(rows, 0).lines[0].text
    assert cards.answer_card(rows, parse_metric("8k", "count"), 0).title == "8,000"
