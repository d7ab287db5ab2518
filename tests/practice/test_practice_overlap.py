"""Step 0b: three times and a verdict."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.practice.overlap import CITES, held_equal, judge
from advisor.reasoning.time_model.noise import Spread


def exact(time_ns: float, noise: float = 0.0) -> Spread:
    return Spread(time_ns, time_ns, time_ns, 20, noise)


@pytest.mark.parametrize(
    ("full", "memory", "arithmetic", "word", "hidden"),
    [
        (100, 100, 60, "overlap", 1.0),  # the larger of the two
        (112, 100, 60, "overlap", 0.8),
        (130, 100, 60, "partial", 0.5),
        (150, 100, 60, "none", 1 / 6),
        (160, 100, 60, "none", 0.0),  # their sum
        (170, 100, 60, "none", -1 / 6),
        (180, 100, 60, "latency", -1 / 3),  # above the sum by more than a tenth of it
        (400, 100, 60, "latency", -4.0),
    ],
)
def test_the_verdict_follows_from_how_much_is_hidden(
    full: float, memory: float, arithmetic: float, word: str, hidden: float
) -> None:
    found = judge(exact(full), exact(memory), exact(arithmetic))
    assert (found.word, found.longer, found.sure) == (word, "memory", True)
    assert math.isclose(found.hidden, hidden, abs_tol=1e-9)
    assert (found.best_ns, found.worst_ns, found.full_ns) == (100, 160, full)


def test_noise_over_a_cut_makes_the_verdict_unsure() -> None:
    assert judge(exact(115, 0.02), exact(100, 0.02), exact(60, 0.02)).sure is False
    assert judge(exact(102, 0.02), exact(100, 0.02), exact(60, 0.02)).sure is True


def test_a_half_that_is_very_short_shows_nothing() -> None:
    assert judge(exact(100), exact(100), exact(2)).visible is False
    assert judge(exact(100), exact(20), exact(100)).visible is True


@given(st.floats(1, 1e9), st.floats(1, 1e9), st.floats(1, 1e9))
def test_the_two_halves_may_change_places(full: float, memory: float, arithmetic: float) -> None:
    one, other = (
        judge(exact(full), exact(memory), exact(arithmetic)),
        judge(exact(full), exact(arithmetic), exact(memory)),
    )
    assert (one.word, one.best_ns, one.worst_ns) == (other.word, other.best_ns, other.worst_ns)


def test_the_conditions_of_the_experiment_are_checked() -> None:
    full = {"global_load_inst": 1000.0, "global_store_inst": 500.0, "occupancy_theoretical_pct": 50.0}
    memory = {"global_load_inst": 1000.0, "global_store_inst": 0.0, "occupancy_theoretical_pct": 100.0}
    held = {(h.variant, h.metric): h.equal for h in held_equal(full, {"memory": memory, "math": {}})}
    assert held == {
        ("memory", "global_load_inst"): True,
        ("memory", "global_store_inst"): False,
        ("memory", "occupancy_theoretical_pct"): False,
        ("math", "occupancy_theoretical_pct"): None,
    }


def test_the_metrics_and_sources_exist() -> None:
    from advisor.knowledge.base import catalog
    from advisor.practice.overlap import ACCESSES, OCCUPANCY

    known = catalog()
    assert all(name in known.metrics for name in (*ACCESSES, OCCUPANCY))
    assert all(known.cite(key) is not None for key in CITES)
