"""What follows from typed units: leads, clusters, bounds of what was not typed."""

from __future__ import annotations

import math
from itertools import pairwise

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.readers.workload import clusters, unit_names, units_of
from advisor.reasoning.workloads import derive_workloads, follows, unit_leads
from advisor.records.readings import IDENTITY


def derived(**values: float) -> dict[str, float]:
    row = {**dict.fromkeys(IDENTITY), "report": 0, "index": 0, "kernel": "w", "kernel_full": "w", "cc": ""}
    out = derive_workloads(pd.DataFrame([{**row, "rules": (), "gpu_name": "", **values}])).iloc[0]
    return {str(k): v for k, v in out.items() if isinstance(v, str) or (isinstance(v, float) and math.isfinite(v))}


def test_a_lead_is_the_distance_from_the_fullest_other_unit() -> None:
    found = derived(sm_throughput_pct=70.4, l2_pct=67.5, tex_unit_pct=49.3)
    assert found["sm_lead"] == pytest.approx(2.9) and found["l2_lead"] == pytest.approx(-2.9)
    assert found["tex_lead"] == pytest.approx(-21.1) and found["top_unit_pct"] == 70.4
    assert (found["compute_pct"], found["memory_pct"]) == (70.4, 67.5)
    assert (found["compute_leader"], found["memory_leader"]) == ("SM", "L2")


def test_a_unit_that_was_not_typed_is_at_most_as_full_as_the_lowest() -> None:
    found = derived(pd_pct=31.6, dram_pct=19.8, vaf_pct=12.4)
    assert found["crop_lead"] == pytest.approx(12.4 - 31.6)
    assert found["compute_pct"] == 12.4 and "not entered" in str(found["compute_leader"])


def test_where_that_does_not_settle_it_the_unit_stays_unknown() -> None:
    found = derived(sm_throughput_pct=94.5, tex_unit_pct=94.5)
    assert "crop_lead" not in found and "vram_pct" not in found
    assert "compute_pct" not in derived(l2_pct=80, tex_unit_pct=70)


def test_vram_counts_as_idle_only_where_the_lowest_unit_settles_it() -> None:
    assert derived(crop_pct=85, sm_throughput_pct=40, l2_pct=25)["vram_pct"] == 25
    assert "vram_pct" not in derived(crop_pct=85, sm_throughput_pct=45, l2_pct=40)
    assert derived(crop_pct=85, dram_pct=50)["vram_pct"] == 50


def test_the_top_stall_alone_settles_that_it_leads_where_the_rest_cannot_reach_it() -> None:
    units = {"sm_throughput_pct": 40.0, "tex_unit_pct": 30.0}
    most = derived(**units, stall_long_scoreboard_pct=65.7)
    assert most["long_scoreboard_lead"] == 65.7 and most["barrier_lead"] == pytest.approx(34.3 - 65.7)
    some = derived(**units, stall_long_scoreboard_pct=30)
    assert some["long_scoreboard_lead"] == 30 and "barrier_lead" not in some


def test_throughput_over_active_cycles_follows_where_it_was_not_typed() -> None:
    units = {"sm_throughput_pct": 40.0, "tex_unit_pct": 30.0, "sm_active_pct": 80.0}
    assert derived(**units)["sm_throughput_active_pct"] == 50
    assert derived(**units, sm_throughput_active_pct=53.0)["sm_throughput_active_pct"] == 53
    assert "sm_throughput_active_pct" not in derived(**{**units, "sm_active_pct": 0.0})


def test_pinned_numbers_stay_and_what_depends_on_them_follows() -> None:
    row = {**dict.fromkeys(IDENTITY), "report": 0, "index": 0, "kernel": "w", "kernel_full": "w", "cc": ""}
    frame = pd.DataFrame([{**row, "rules": (), "gpu_name": "", "sm_throughput_pct": 40.0, "tex_unit_pct": 30.0}])
    again = derive_workloads(derive_workloads(frame).assign(top_unit_pct=75.0), keep=("top_unit_pct",))
    assert again["top_unit_pct"].iat[0] == 75 and again["headroom_ratio"].iat[0] == pytest.approx(1.2)


def test_headroom_is_90_over_the_top_unit() -> None:
    assert derived(sm_throughput_pct=50, tex_unit_pct=20)["headroom_ratio"] == pytest.approx(1.8)
    assert derived(sm_throughput_pct=94, tex_unit_pct=20)["headroom_ratio"] == 1


PERCENT = st.floats(0, 100)


@given(st.dictionaries(st.sampled_from(tuple(unit_names())), PERCENT, min_size=1))
def test_clusters_hold_each_known_unit_once_within_10_points_of_their_first(values: dict[str, float]) -> None:
    groups = clusters(values)
    assert [u for group in groups for u in group] == [u for _, u in units_of(values)]
    assert {u for group in groups for u in group} == set(values)
    for group in groups:
        assert all(values[group[0]] - values[u] <= 10 for u in group)
    for one, other in pairwise(groups):
        assert values[one[0]] - values[other[0]] > 10


@given(st.dictionaries(st.sampled_from(tuple(unit_names())), PERCENT, min_size=2, max_size=6))
def test_at_most_one_unit_leads_unless_they_are_equal(values: dict[str, float]) -> None:
    found = follows(values)
    leading = [name for name in unit_leads() if found[name] > 0]
    assert len(leading) <= 1
    assert all(values.get(unit_leads()[name]) == max(values.values()) for name in leading)
