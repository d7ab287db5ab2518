"""An estimate removes only the work of its own cause and is never above the bound that the same page shows."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.knowledge.base import catalog
from advisor.reasoning.diagnose import analyse, analyse_numbers
from advisor.records import resources
from advisor.records.diagnosis import LaunchDiagnosis, Speedup, lowest_bound

RECORDINGS = sorted(resources.folder("kernels").glob("*/recorded/*/profile.ncu-rep.xz"))
# A gather: each lane loads 4 of the 32 bytes of a sector, and DRAM limits.
GATHER: dict[str, float] = {
    "dram_pct": 85,
    "l2_pct": 40,
    "memory_pct": 85,
    "compute_pct": 5,
    "l1_wavefronts_pct": 10,
    "global_sectors": 8e6,
    "global_sectors_ideal": 1e6,
    "sector_ratio": 8,
    "load_sector_ratio": 8,
    "l2_sectors": 1.6e7,
    "dram_bytes": 3.2e8,
    "requested_bytes": 3.2e7,
    "global_load_inst": 1e6,
    "global_store_inst": 0,
    "l1_requests_pct": 5,
    "shared_wavefront_share": 0,
    "store_sector_ratio": 1,
}


def above(launch: LaunchDiagnosis) -> list[tuple[str, float, str]]:
    out = []
    for finding in launch.findings:
        # A formula that the model knows more than does not limit it.
        limits = [q for q in launch.quantities if catalog().quantities[q.id].beside_model]
        bound = lowest_bound(limits, finding.id)
        gain = finding.speedup
        if gain is not None and bound is not None and bound.at_most and gain.high > bound.at_most * (1 + 1e-9):
            out.append((finding.id, gain.high, bound.id))
    return out


def told_above(launch: LaunchDiagnosis) -> list[str]:
    """The findings whose text gives a gain by issue slots above the end of their range."""
    given = [
        (f.id, f.speedup, re.search(r"lost issue slots the fix gives ([\d.]+)×", f.speedup.how if f.speedup else ""))
        for f in launch.findings
    ]
    return [name for name, told, by in given if told and by and float(by[1]) > told.high + 0.05]


def gain(launch: LaunchDiagnosis, name: str) -> Speedup:
    found = next(f.speedup for f in launch.findings if f.id == name)
    assert found is not None
    return found


def with_local(share: float) -> dict[str, float]:
    """The gather with so much local traffic beside its own that it makes `share` of all."""
    more = 1 / (1 - share)
    grown = {"l2_sectors", "dram_bytes"}
    out = {name: value * more if name in grown else value for name, value in GATHER.items()}
    local = {"local_inst": 1e6, "local_load_inst": 5e5, "local_store_inst": 5e5}
    return out | local | {"local_l2_share": share, "local_missed_share": share}


def test_no_gain_in_the_words_of_an_estimate_is_above_its_range() -> None:
    tour = resources.folder("kernels") / "tour" / "recorded" / "h200" / "tour.ncu-rep.xz"
    launches = analyse([*RECORDINGS, tour]).diagnosis.launches
    assert {launch.kernel: told for launch in launches if (told := told_above(launch))} == {}


def test_no_estimate_of_a_recording_is_above_its_own_bound() -> None:
    wrong, bounded = {}, 0
    for launch in analyse(RECORDINGS).diagnosis.launches:
        bounded += any(f.speedup is not None and launch.bound_of(f.id) is not None for f in launch.findings)
        if found := above(launch):
            wrong[launch.report, launch.index, launch.kernel] = found
    assert wrong == {}
    assert bounded > 20


@settings(deadline=None, max_examples=30)
@given(st.floats(1.2, 16), st.floats(60, 95), st.floats(0, 0.95), st.floats(1, 64), st.integers(1, 131))
def test_no_numbers_give_an_estimate_above_the_bound(
    ratio: float, dram: float, local: float, waves: float, blocks: int
) -> None:
    wasteful = {**with_local(local), "sector_ratio": ratio, "load_sector_ratio": ratio, "dram_pct": dram}
    small = {"grid_size": blocks, "sm_count": 132, "waves": 1 / waves, "compute_pct": 5, "memory_pct": 9}
    small |= {
        "eligible_warps": 0.1,
        "warps": 8 * blocks,
        "device_schedulers_per_sm": 4,
        "sm_active_ratio": 132 / blocks,
    }
    for numbers in (wasteful, small):
        assert above(analyse_numbers(numbers).diagnosis.launches[0]) == []


def test_coalescing_leaves_the_traffic_of_local_memory() -> None:
    alone = gain(analyse_numbers(GATHER).diagnosis.launches[0], "uncoalesced_access")
    assert alone.estimate > 1.5
    found = gain(analyse_numbers(with_local(0.9)).diagnosis.launches[0], "uncoalesced_access")
    # A tenth of the traffic is the gather's: without it nine tenths remain.
    assert found.estimate <= 1 / 0.9 + 0.01


def test_the_bound_of_coalescing_counts_the_share_of_global_accesses() -> None:
    launch = analyse_numbers(with_local(0.9)).diagnosis.launches[0]
    bound = next(q for q in launch.quantities if q.id == "sector_waste")
    assert bound.at_most == pytest.approx(1 / (0.9 + 0.1 / 10), rel=0.01)


def test_more_blocks_fill_the_room_in_all_sms() -> None:
    """With two blocks per SM there is room for 264, whatever the 66 SMs without one could take alone."""
    numbers: dict[str, Any] = {"grid_size": 66, "sm_count": 132, "waves": 0.25, "compute_pct": 5, "memory_pct": 9}
    launch = analyse_numbers(numbers).diagnosis.launches[0]
    bound = launch.bound_of("grid_too_small")
    assert bound is not None and bound.at_most == 4
    assert "room for 264 blocks" in bound.says


def test_a_spilled_pair_costs_what_a_load_waits_on_the_launch() -> None:
    spilling = {"spill_inst": 2000, "local_inst": 2000, "local_load_inst": 1000, "global_load_inst": 0, "warps": 1}
    spilling |= {"inst_executed": 100_000, "issue_interval": 10, "stall_long_scoreboard": 8, "stall_lg_throttle": 0}
    spilling |= {"local_l2_share": 0.5, "local_wavefront_share": 0.9, "l1_wavefronts_pct": 30, "l2_pct": 20}
    launch = analyse_numbers({**spilling, "indexed_local_inst": 0}).diagnosis.launches[0]
    cost = next(q for q in launch.quantities if q.id == "spill_cost")
    assert "at the 800 cycles that a load waits here" in cost.says
    assert cost.at_most == pytest.approx(5)
