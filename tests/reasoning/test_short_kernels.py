"""A kernel of a few microseconds: no factor from its percentages, and the saved time is that of the model."""

from __future__ import annotations

import pytest

from advisor.knowledge.time_model import time_model
from advisor.reasoning.diagnose import analyse, analyse_numbers
from advisor.records import resources
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


def test_where_no_unit_is_known_fewer_launches_save_what_launching_costs_the_host() -> None:
    """2.43 us and a launch of 2.5 us: 4.93 us / 2.43 us. Of the kernel's own time, it saves that share."""
    launch = of(2430)
    first = first_diagnosis(launch)
    assert first is not None and first.id == "launch_overhead" and first.speedup is not None
    cost = time_model().launch_ns
    assert first.speedup.estimate == pytest.approx(4930 / 2430)
    assert (first.speedup.low, first.speedup.high) == pytest.approx(
        ((2430 + cost.low) / 2430, (2430 + cost.high) / 2430)
    )
    assert first.speedup.beside_ns == cost.estimate
    assert launch.saved_ns == pytest.approx(2430 * (1 - 2430 / 4930))
    low, high = launch.saved_range_ns
    assert 2430 / (2430 - low) == pytest.approx(first.speedup.low)
    assert 2430 / (2430 - high) == pytest.approx(first.speedup.high)


@pytest.mark.parametrize("fullest", [0.2, 10, 40, 80])
def test_one_launch_for_all_leaves_what_the_fullest_unit_needs(fullest: float) -> None:
    """How far to go is a choice: the estimate is the log-middle; rough percentages give no gains in the thousands."""
    launch = analyse_numbers({**TINY, "duration_ns": 4000.0, "dram_pct": fullest}).diagnosis.launches[0]
    first = first_diagnosis(launch)
    assert first is not None and first.id == "launch_overhead" and first.speedup is not None
    cost, need = time_model().launch_ns, max(0.01, fullest / 100 / time_model().terms["dram"].ceiling)
    assert first.speedup.low == pytest.approx((4000 + cost.low) / 4000)
    assert first.speedup.high == pytest.approx((4000 + cost.high) / (4000 * need), rel=0.01)
    assert first.speedup.estimate == pytest.approx((first.speedup.low * first.speedup.high) ** 0.5)
    assert f"{100 * need:.0f} %" in first.speedup.how


@pytest.mark.parametrize(("launch", "measured"), [(0, (2.41, 52.7)), (1, (21.9,))])
def test_the_measured_gains_of_a_series_of_small_launches_are_in_the_range(
    launch: int, measured: tuple[float, ...]
) -> None:
    """400 launches, a graph of them, and one kernel for all: 2167, 899 and 41.1 us (kernels/small-launches)."""
    path = resources.folder("kernels") / "small-launches" / "recorded" / "h200" / "profile.ncu-rep.xz"
    first = first_diagnosis(analyse([path]).diagnosis.launches[launch])
    assert first is not None and first.id == "launch_overhead" and first.speedup is not None
    assert all(first.speedup.low <= gain <= first.speedup.high for gain in measured)
    assert first.speedup.low < first.speedup.estimate < first.speedup.high
