"""A kernel of a few microseconds: no factor from its percentages, and the saved time is that of the model."""

from __future__ import annotations

import pytest

from advisor.knowledge.time_model import time_model
from advisor.reasoning.diagnose import analyse_numbers
from advisor.records.diagnosis import LaunchDiagnosis, first_diagnosis

TINY: dict[str, float] = {
    "grid_size": 1,
    "sm_count": 24,
    "waves": 0.003,
    "warps": 2,
    "device_schedulers_per_sm": 4,
    "compute_pct": 0.3,
    "memory_pct": 0.6,
    "eligible_warps": 0.05,
    "sm_active_ratio": 24,
    "issue_active": 0.02,
}


def of(duration_ns: float) -> LaunchDiagnosis:
    return analyse_numbers({**TINY, "duration_ns": duration_ns}).diagnosis.launches[0]


@pytest.mark.parametrize("duration_ns", [1000.0, 2430.0, 6000.0, 9900.0])
def test_no_change_inside_a_short_kernel_gains_what_starting_it_takes(duration_ns: float) -> None:
    launch = of(duration_ns)
    limit = max(1.0, duration_ns / time_model().launch_ns.low)
    for finding in launch.findings:
        if finding.speedup is not None and finding.id != "launch_overhead":
            assert finding.speedup.high <= limit
            assert "starting and ending" in finding.speedup.how


def test_a_long_kernel_with_the_same_percentages_has_the_full_estimate() -> None:
    found = next(f for f in of(3e6).findings if f.id == "grid_too_small")
    assert found.speedup is not None and found.speedup.estimate > 20


def test_the_time_saved_agrees_with_the_speedup_beside_it() -> None:
    """2.43 us and a launch of 2.5 us, of which a quarter remains: 4.93 us / 3.055 us = 1.61, 38 % of the kernel's time.

    The 1.875 us that the launch itself loses are the host's, no part of the kernel's time that the pages sum up.
    """
    launch = of(2430)
    first = first_diagnosis(launch)
    assert first is not None and first.id == "launch_overhead" and first.speedup is not None
    assert first.speedup.estimate == pytest.approx(4930 / 3055)
    assert first.speedup.beside_ns == time_model().launch_ns.estimate
    assert launch.saved_ns == pytest.approx(2430 * (1 - 3055 / 4930))
    low, high = launch.saved_range_ns
    assert 2430 / (2430 - low) == pytest.approx(first.speedup.low)
    assert 2430 / (2430 - high) == pytest.approx(first.speedup.high)
