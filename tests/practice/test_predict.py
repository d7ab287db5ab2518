"""Points for a prediction: each part by itself, monotone in how far off it is, symmetric in the speedup."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.cli.practice import choose
from advisor.knowledge.base import catalog
from advisor.practice.predictions import CAUSE_POINTS, CLASS_POINTS, score
from advisor.records.errors import UsageError

RATIO = st.floats(0.01, 100)


def points(class_id: str = "dram_bound", cause: str = "narrow_accesses", speedup: float = 2.0, **actual: object) -> int:
    known: dict[str, object] = {
        "actual_class": "dram_bound",
        "actual_cause": "narrow_accesses",
        "others": (),
        "actual_speedup": 2.0,
    }
    return score(class_id, cause, speedup, **{**known, **actual}).total  # type: ignore[arg-type]


def test_all_right_is_a_hundred() -> None:
    assert points() == 100


def test_each_part_counts_by_itself() -> None:
    assert points(class_id="compute_bound") == 70
    assert points(cause="memory_latency") == 60
    assert points(cause="memory_latency", others=("memory_latency",)) == 80
    assert points(speedup=4.0) == 85
    assert points(speedup=8.0) == 70
    assert points(speedup=100.0) == 70


def test_without_a_measured_speedup_the_rest_is_everything() -> None:
    assert points(actual_speedup=None) == 100
    assert points(class_id="compute_bound", actual_speedup=None) == 57


@given(RATIO, RATIO)
def test_too_high_and_too_low_cost_the_same(said: float, actual: float) -> None:
    up = score("a", "b", said, actual_class="a", actual_cause="b", others=(), actual_speedup=actual)
    down = score("a", "b", actual, actual_class="a", actual_cause="b", others=(), actual_speedup=said)
    assert up.total == down.total
    assert 70 <= up.total <= 100


@given(RATIO, st.floats(1, 10), st.floats(1, 10))
def test_a_guess_further_off_never_gets_more(actual: float, a: float, b: float) -> None:
    near, far = sorted((a, b))
    assert points(speedup=actual * near, actual_speedup=actual) >= points(speedup=actual * far, actual_speedup=actual)


@pytest.mark.parametrize("speedup", [0.0, -1.0, float("nan"), float("inf")])
def test_a_speedup_is_a_positive_number(speedup: float) -> None:
    with pytest.raises(ValueError, match="positive"):
        points(speedup=speedup)


@pytest.mark.parametrize(
    ("said", "actual", "points"),
    [
        ("none", "near_memory_roofline", CAUSE_POINTS),
        ("none", "", CAUSE_POINTS),
        ("none", "bank_conflicts", 0),
        ("bank_conflicts", "near_memory_roofline", 0),
    ],
)
def test_none_is_the_right_cause_of_a_kernel_without_one(said: str, actual: str, points: int):
    made = score("x", said, 1.0, actual_class="x", actual_cause=actual, others=(actual,), actual_speedup=1.0)
    assert made.cause_points == points


@pytest.mark.parametrize(
    ("said", "actual", "points"),
    [
        ("mixed_memory_bound", "mixed_memory_bound", CLASS_POINTS),
        ("internal_congestion", "mixed_memory_bound", CLASS_POINTS // 2),
        ("dram_bound", "internal_congestion", CLASS_POINTS // 2),
        ("latency_bound", "mixed_memory_bound", 0),
        ("dram_bound", "compute_bound", 0),
    ],
)
def test_another_class_of_memory_is_half_right(said: str, actual: str, points: int):
    made = score(said, "a", 1.0, actual_class=actual, actual_cause="a", others=("a",), actual_speedup=1.0)
    assert made.class_points == points


@pytest.mark.parametrize("word", ["memory", "Memory-bound", "memory bound"])
def test_memory_alone_names_no_class_but_asks_which(word: str):
    with pytest.raises(
        UsageError,
        match=r"ambiguous: dram_bound \(DRAM-bound\); or internal_congestion \(On-chip.*\); or mixed_memory_bound",
    ):
        choose("Class", word, {name: entry.title for name, entry in catalog().classes.items()})
    assert choose("Cause", "nothing", {"none": "", "bank_conflicts": ""}) == "none"
