"""The order of findings: by the gain to expect, which weighs the estimate with how likely the cause is real."""

from __future__ import annotations

import pytest

from advisor.knowledge.base import catalog
from advisor.reasoning.diagnose import analyse_numbers
from advisor.reasoning.ranking import Ranked, expected, likely, ranked
from advisor.records.diagnosis import Speedup, first_diagnosis
from tests.reasoning.test_thin_reports import COMPUTE, WAITING

HOT = "uncoalesced_access"


def found(name: str, confidence: float, estimate: float, low: float = 0.0, high: float = 0.0) -> Ranked:
    gain = Speedup(estimate, low or estimate, high or estimate, "dram", "")
    return Ranked(name, "diagnosis", gain, confidence)


def order(*findings: Ranked) -> list[str]:
    return [one.id for one in ranked(catalog(), findings)]


def test_a_guess_does_not_lead_before_a_sure_cause_of_a_comparable_gain() -> None:
    guess, sure = found("barrier_stalls", 0.05, 3.0), found(HOT, 0.95, 2.2)
    assert order(guess, sure) == [HOT, "barrier_stalls"]
    # It leads where its gain is so much larger that it is the better bet, and with equal confidence the gain decides.
    assert order(found("barrier_stalls", 0.05, 60.0), found(HOT, 0.95, 1.3))[0] == "barrier_stalls"
    assert order(found("barrier_stalls", 0.95, 3.0), sure)[0] == "barrier_stalls"


def test_gains_to_expect_within_a_tie_leave_the_earlier_step_first() -> None:
    early, late = found(HOT, 0.9, 1.50), found("instruction_latency", 0.9, 1.52)
    assert catalog().findings[early.id].step < catalog().findings[late.id].step
    assert order(late, early) == [early.id, late.id]


def test_among_equal_gains_the_precise_name_of_a_wait_comes_before_the_general_ones() -> None:
    """Starving tensor cores are found in the last step, and still precede the latency that they wait for."""
    tensor, latency = found("tensor_starved", 0.9, 1.70), found("memory_latency", 0.9, 1.75)
    registers = found("low_occupancy_registers", 0.9, 1.72)
    assert order(latency, registers, tensor) == ["tensor_starved", "low_occupancy_registers", "memory_latency"]
    assert order(found("memory_latency", 0.9, 2.5), tensor) == ["memory_latency", "tensor_starved"]  # no tie


def test_a_gain_that_may_be_none_ranks_below_one_that_is_attainable_inside_the_kernel() -> None:
    """Whether the work can fill more blocks is unknown, so the middle of the range counts instead of its end."""
    blocks, inside = found("grid_too_small", 0.95, 3.0, 1.0, 3.3), found(HOT, 0.95, 2.6, 2.2, 3.0)
    assert order(blocks, inside) == [HOT, "grid_too_small"]
    assert order(found("grid_too_small", 0.95, 60.0, 1.0, 66.0), inside)[0] == "grid_too_small"


def test_a_range_far_above_a_small_estimate_does_not_raise_its_rank() -> None:
    """The estimate of a lowered clock is of the clock alone; how much less power another design draws is unknown."""
    clock = found("power_limited", 0.6, 1.06, 1.0, 1.64)
    assert order(clock, found("bank_conflicts", 0.6, 1.2)) == ["bank_conflicts", "power_limited"]
    assert expected(catalog(), clock) < 1.06


@pytest.mark.parametrize("estimate", [1.05, 2.0, 100.0])
def test_the_gain_to_expect_rises_with_the_confidence_and_stays_below_the_estimate(estimate: float) -> None:
    worth = [expected(catalog(), found(HOT, at / 10, estimate)) for at in range(11)]
    assert worth == sorted(worth) and worth[0] > 1 and worth[-1] == pytest.approx(estimate)
    assert [likely(0.0), likely(1.0)] == [0.5, 1.0]


def test_a_cause_without_an_estimate_ranks_before_a_small_gain_and_after_a_usual_one() -> None:
    untold = Ranked("fp64_unintended", "diagnosis", None, 0.9)
    assert order(found("lsu_saturation", 0.9, 1.06), untold)[0] == untold.id
    assert order(untold, found("lsu_saturation", 0.9, 1.6))[0] == "lsu_saturation"


def test_at_low_confidence_the_range_begins_at_no_gain_and_says_why() -> None:
    values = {
        **COMPUTE,
        "issue_active": 0.66,
        "library_kernel": 0,
        "active_warps": 2,
        "duration_ns": 1e6,
        "copied_work_share": 1,
    }
    guess = first_diagnosis(analyse_numbers(values).diagnosis.launches[0])
    assert guess is not None and guess.confidence < 0.5 and guess.speedup is not None
    assert guess.speedup.low == 1 < guess.speedup.estimate < guess.speedup.high
    assert "may gain nothing" in guess.speedup.how
    conflicts = {**WAITING, "l1_wavefronts_pct": 92, "memory_throughput_pct": 92, "shared_wavefront_ratio": 31}
    values = {**conflicts, "shared_wavefronts_hw_pct": 90}
    sure = first_diagnosis(analyse_numbers(values).diagnosis.launches[0])
    assert sure is not None and sure.confidence >= 0.5 and sure.speedup is not None
    assert sure.speedup.low > 1 and "may gain nothing" not in sure.speedup.how
