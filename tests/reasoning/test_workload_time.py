"""The time model of typed-in workloads: the article's headroom is its upper bound, and the fix is not promised more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.knowledge.base import catalog, workloads
from advisor.knowledge.schemas import FixDef
from advisor.reasoning.workloads import workload_speedup, workload_terms, workload_time

WAIT = FixDef(id="f", summary="s", changes={"waits": "1"}, degrees={"waits": "0"})


def test_raising_the_top_unit_gives_90_over_its_percentage_at_most() -> None:
    found = workload_speedup({"sm_throughput_pct": 50.0, "tex_unit_pct": 30.0}, WAIT)
    assert found is not None
    assert (found.low, found.high) == (1, pytest.approx(1.8)) and found.estimate == pytest.approx(1.8**0.5)
    assert found.next_limiter == "sm"


def test_a_unit_without_work_leaves_the_time_to_the_next() -> None:
    fix = FixDef(id="f", summary="s", changes={"sm": "0.8", "tex": "0.8"}, degrees={"sm": "0.25", "tex": "0.25"})
    found = workload_speedup({"sm_throughput_pct": 90.0, "tex_unit_pct": 90.0, "l2_pct": 45.0}, fix)
    assert found is not None
    assert found.low == pytest.approx(1.25) and found.high == pytest.approx(2) and found.next_limiter == "l2"


def test_removing_work_from_a_unit_that_is_not_on_top_gives_nothing() -> None:
    fix = FixDef(id="f", summary="s", changes={"crop": "0.5"})
    found = workload_speedup({"sm_throughput_pct": 80.0, "crop_pct": 30.0}, fix)
    assert found is not None and found.high == 1


def test_an_empty_pipeline_can_give_back_its_own_time_only() -> None:
    fix = FixDef(id="f", summary="s", changes={"idle": "0.5"}, degrees={"idle": "0"})
    found = workload_speedup({"sm_throughput_pct": 30.0, "tex_unit_pct": 20.0, "graphics_idle_pct": 20.0}, fix)
    assert found is not None and found.high == pytest.approx(1.25) and found.low == pytest.approx(1 / 0.9)


def test_shorter_stalls_leave_the_time_without_commands_as_it_is() -> None:
    values = {"sm_throughput_pct": 45.0, "tex_unit_pct": 20.0, "graphics_idle_pct": 20.0, "sm_active_pct": 78.0}
    found = workload_speedup(values, WAIT)
    # 0.5 of work at 90 %, 0.2 idle; 2 % of empty SMs are too few to count.
    assert found is not None and found.high == pytest.approx(1 / 0.7)


@pytest.mark.parametrize("term", ["idle", "drains", "crop"])
def test_what_is_unknown_is_not_put_into_numbers(term: str) -> None:
    fix = FixDef(id="f", summary="s", changes={term: "0.5"})
    assert workload_speedup({"sm_throughput_pct": 30.0, "tex_unit_pct": 20.0}, fix) is None
    assert workload_speedup({}, WAIT) is None


def test_a_fix_that_says_nothing_has_no_speedup() -> None:
    assert workload_speedup({"sm_throughput_pct": 30.0}, FixDef(id="f", summary="s")) is None


def test_what_every_fix_changes_is_a_term_with_a_name() -> None:
    terms = workload_terms()
    for entry in workloads(catalog()).diagnoses.values():
        assert entry.fix is not None and set(entry.fix.changes) <= set(terms)
    assert all(workload_time().rest[name] for name, metric in terms.items() if not metric)


@given(
    st.dictionaries(st.sampled_from(["sm_throughput_pct", "tex_unit_pct", "l2_pct", "dram_pct"]), st.floats(0, 100)),
    st.dictionaries(
        st.sampled_from(["sm", "tex", "l2", "vram", "waits", "idle", "drains"]), st.floats(0, 1), min_size=1
    ),
    st.floats(0, 60),
    st.floats(40, 100),
)
def test_a_speedup_lies_in_its_range_and_is_at_least_one(
    units: dict[str, float], changes: dict[str, float], idle: float, active: float
) -> None:
    fix = FixDef(id="f", summary="s", changes={k: f"{v:.6f}" for k, v in changes.items()})
    found = workload_speedup({**units, "graphics_idle_pct": idle, "sm_active_pct": active}, fix)
    if found is not None:
        assert 1 <= found.low <= found.estimate <= found.high < 1e7


@given(st.floats(1, 100), st.floats(0, 1))
def test_no_better_use_of_the_top_unit_beats_the_headroom(top: float, left: float) -> None:
    fix = FixDef(id="f", summary="s", changes={"waits": f"{left:.6f}", "idle": "0", "drains": "0"})
    values = {"sm_throughput_pct": top, "graphics_idle_pct": 3.0, "sm_active_pct": max(top, 90.0)}
    found = workload_speedup(values, fix)
    assert found is not None and found.high <= max(1.0, 90 / top) * (1 + 1e-9)
