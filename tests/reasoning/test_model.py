"""The time model: what it predicts for unmodified launches, and how what a fix leaves of the work becomes a speedup."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.knowledge.schemas import FixDef
from advisor.reasoning.time_model import model as speedup_model


def columns(**values: float) -> dict[str, Any]:
    return {name: np.array([value]) for name, value in values.items()}


def speedup(fix: dict[str, str], part: dict[str, str] | None = None, **values: float) -> Any:
    """Estimate a fix by what it leaves of each term; part: what a part of it leaves."""
    model = speedup_model.build(columns(**values), 1)
    parts = {} if part is None else {"a part": {"leave": part}}
    return speedup_model.speedups(
        model, FixDef(id="x", summary="x", operators={"leave": fix}, partial=parts), np.array([0])
    )[0]


def test_halving_the_work_of_the_only_busy_unit_nearly_doubles_the_speed() -> None:
    assert speedup({"dram": "0.5"}, dram_pct=90.0).estimate == pytest.approx(2, rel=0.02)


def test_what_no_unit_accounts_for_is_taken_for_latency_and_not_credited() -> None:
    # DRAM needs 0.6 of the time at most; halving its work cannot double the speed.
    assert speedup({"dram": "0.5"}, dram_pct=54.0).estimate < 1.1


def test_removing_work_from_a_unit_that_idles_gains_nothing() -> None:
    assert speedup({"xu": "0"}, dram_pct=88.0, pipe_xu_pct=3.0).estimate == pytest.approx(1, abs=0.02)


def test_work_that_was_not_measured_gives_no_estimate_where_a_fix_relieves_nothing_else() -> None:
    assert speedup({"l1_shared": "0.3"}, dram_pct=20.0) is None
    assert speedup({"l1_shared": "0.3", "latency_shared": "0.3"}, dram_pct=20.0) is None
    assert speedup({"l1_shared": "0.3"}, l1_wavefronts_pct=90.0) is None  # its share of them is unknown
    assert speedup({"l1_shared": "0.3"}, l1_wavefronts_pct=90.0, shared_wavefront_share=0.9).estimate > 1.5
    assert speedup({"l1_shared": "0.3", "dram": "0.5"}, dram_pct=90.0).estimate > 1.5


def test_latency_that_the_other_units_leave_counts_for_fixes_of_latency_alone() -> None:
    assert speedup({"latency_memory": "0.5"}, dram_pct=20.0).estimate > 1.5
    assert speedup({"latency": "0.5", "fma": "0.5"}, dram_pct=20.0) is None


@pytest.mark.parametrize(
    ("fix", "limit"),
    [
        ({"l1_shared": "0.3"}, True),  # DRAM stays full
        ({"dram": "0.3"}, False),
        ({"dram": "1"}, True),  # as far as is known, it leaves all bytes
    ],
)
def test_a_unit_whose_work_a_fix_leaves_limits_the_gain(fix: dict[str, str], limit: bool) -> None:
    model = speedup_model.build(columns(dram_pct=90.0, l1_wavefronts_pct=50.0, shared_wavefront_share=0.9), 1)
    gain = speedup_model.most(model, FixDef(id="x", summary="x", operators={"leave": fix}), np.array([0]))[0]
    assert (gain < 1.1) == limit


def test_a_unit_of_which_a_fix_relieves_a_part_is_no_limit_of_its_gain() -> None:
    # How much of L1 is shared memory may be an estimate: what is left of its other part says nothing.
    model = speedup_model.build(columns(dram_pct=30.0, l1_wavefronts_pct=95.0, shared_wavefront_share=0.1), 1)
    fix = FixDef(id="x", summary="x", operators={"leave": {"l1_shared": "0.3"}})
    assert speedup_model.most(model, fix, np.array([0]))[0] > 2


def test_what_fills_l2_goes_with_the_bytes_that_dram_moves() -> None:
    # The fills keep L2 as busy as DRAM is: half the bytes are half the fills.
    assert speedup({"dram": "0.5"}, dram_pct=90.0, l2_fill_pct=88.0, l2_served_pct=40.0).estimate > 1.8


def test_hits_instead_of_misses_lighten_l2() -> None:
    numbers = {"dram_pct": 90.0, "l2_served_pct": 75.0, "l2_hit_pct": 0.0}
    # Every look-up missed and was filled: without the misses L2 does half, else it keeps DRAM's gain under 1.3.
    assert speedup({"dram": "0.1"}, **numbers).estimate > 1.5
    assert speedup({"dram": "0.1"}, **{**numbers, "l2_hit_pct": 100.0}).estimate < 1.3


def test_fewer_look_ups_with_their_misses_are_that_much_less_work_for_l2() -> None:
    found = speedup({"l2": "0.25", "dram": "0.25"}, dram_pct=20.0, l2_served_pct=90.0, l2_hit_pct=50.0)
    assert found.estimate > 2.5


def test_lone_sectors_fill_dram_at_sixty_percent() -> None:
    random_walk = {"dram_pct": 60.0, "sector_ratio": 4.0, "dram_bytes": 8e9, "global_sectors": 1.3e8}
    assert speedup({"dram": "0.2"}, **random_walk).estimate > 3.5
    # In steps the neighbouring sector is touched next: nothing that DRAM moves is beyond the sectors.
    assert speedup({"dram": "0.2"}, **{**random_walk, "global_sectors": 2.5e8}).estimate < 1.5


def test_without_the_parts_of_l2_its_whole_percentage_counts() -> None:
    assert speedup({"l2": "0.5"}, l2_pct=90.0).estimate > 1.8


def test_loads_that_queue_behind_atomics_go_with_them() -> None:
    waiting = {
        "inst_issued": 1e6, "warps": 1e4, "sm_count": 100.0, "stall_long_scoreboard": 30.0, "global_load_inst": 1e4,
        "occupancy_theoretical_pct": 100.0, "device_max_warps_per_sm": 64.0, "sm_cycles_elapsed": 1e4,
    }  # fmt: skip
    behind = speedup({"atomics": "0.01"}, atomic_time_pct=98.0, **waiting)
    assert behind.estimate > 2


BARRIER = {
    "inst_issued": 1e6, "warps": 6400.0, "sm_count": 100.0, "stall_barrier": 20.0, "stall_mio_throttle": 4.0,
    "stall_wait": 3.0, "occupancy_theoretical_pct": 100.0, "device_max_warps_per_sm": 64.0, "sm_cycles_elapsed": 4375.0,
}  # fmt: skip


def test_where_nothing_is_full_all_waiting_at_barriers_goes_with_them() -> None:
    # Of 28 cycles an instruction takes a warp, 20 are at barriers; own waits and the issue of 8 stay.
    # The model explains a little less of the launch than usual, and that leaves too.
    assert speedup({"latency_barrier": "0"}, **BARRIER).estimate == pytest.approx(6.2, rel=0.05)


def test_waiting_at_barriers_for_the_queue_of_a_full_unit_stays_with_that_unit() -> None:
    full = speedup({"latency_barrier": "0"}, **BARRIER, l1_wavefronts_pct=95.0, shared_wavefront_share=1.0)
    assert full.estimate < 1.3


def test_a_time_that_the_counters_do_not_account_for_is_never_credited() -> None:
    # Latency is known and takes 4 of 28 cycles; what the rest is nobody knows. Without the latency 15 % are gone.
    found = speedup({"latency": "0"}, **{**BARRIER, "stall_barrier": 0.0})
    assert found.high < 1.4


def test_the_range_allows_for_what_the_model_is_off_by_about_what_is_removed() -> None:
    # One unit, no degrees, nothing beside it: no norm makes a range here. A tenth left is a speedup of 10, which fixes
    # reach to the power of 0.75 to 1.25, and 1.3 times as far up, as other people's fixes do.
    large = speedup({"dram": "0.1"}, dram_pct=90.0)
    assert large.estimate / large.low == pytest.approx(10**0.25, abs=0.01)
    assert 10**0.25 < large.high / large.estimate < 10 ** (0.25 * 1.3)  # what DRAM still needs bounds it
    small = speedup({"dram": "0.95"}, dram_pct=90.0)
    assert 1 < small.high / small.estimate < 1.02


def test_low_is_the_least_and_high_the_most_of_any_overlap() -> None:
    # The smaller of two needs goes: next to nothing where the units overlap, all that DRAM leaves where they do not.
    found = speedup({"issue": "0"}, dram_pct=81.0, issue_pct=77.6)
    assert found.low < 1.05 < found.estimate < found.high


def test_no_overlap_is_below_the_time_that_a_unit_still_needs() -> None:
    # DRAM needs nine tenths of the time whatever else goes; the model may be off by a twentieth.
    found = speedup({"issue": "0"}, dram_pct=81.0, issue_pct=77.6)
    assert found.estimate <= 1 / 0.9 + 1e-9 and found.high <= 1.05 / 0.9
    assert "limited by what DRAM still needs" in found.how


def test_the_next_limiter_is_the_unit_that_is_fullest_afterwards() -> None:
    found = speedup({"l1_shared": "1 / 16"}, l1_wavefronts_pct=95.0, shared_wavefront_share=0.95, dram_pct=45.0)
    assert found.next_limiter == "dram"
    assert 1.5 < found.estimate < 2.2


def test_a_fix_is_held_to_the_floor_of_the_algorithm() -> None:
    found = speedup(
        {"dram": "0.1"},
        dram_pct=88.0,
        napkin_reachable_ns=4e8 / 0.9e12 * 1e9,
        duration_ns=1e6,
    )
    # 400 MB at 0.9 TB/s take 444 us of the measured 1000: no fix can give more than 2.25.
    assert found.high <= 2.26


def test_a_fix_whose_factors_are_all_unknown_has_no_estimate() -> None:
    assert speedup({"dram": "1 / sector_ratio"}, dram_pct=88.0) is None


def test_one_unknown_factor_among_known_ones_changes_nothing() -> None:
    known = speedup({"dram": "0.5"}, dram_pct=90.0)
    assert speedup({"dram": "0.5", "l2": "1 / sector_ratio"}, dram_pct=90.0).estimate == pytest.approx(known.estimate)


def test_evening_out_gains_nothing_where_all_warps_run_at_once() -> None:
    # Latency alone, every warp resident: the busiest SM is no slower for having more of them.
    together = {
        "inst_issued": 1e6,
        "warps": 1000.0,
        "sm_count": 100.0,
        "stall_long_scoreboard": 9.0,
        "occupancy_theoretical_pct": 100.0,
        "device_max_warps_per_sm": 64.0,
        "sm_cycles_elapsed": 10000.0,
        "sm_active_ratio": 1.5,
    }
    assert speedup({"imbalance": "0"}, **together).estimate == pytest.approx(1, abs=0.01)


@given(
    dram=st.floats(0, 100),
    issue=st.floats(0, 100),
    l1=st.floats(0, 100),
    factor=st.floats(0, 1),
)
def test_less_work_is_never_slower_and_the_range_holds_the_estimate(
    dram: float, issue: float, l1: float, factor: float
) -> None:
    found = speedup({"dram": f"{factor:.6f}"}, dram_pct=dram, issue_pct=issue, l1_wavefronts_pct=l1)
    assert 1 <= found.low <= found.estimate <= found.high


@given(first=st.floats(0, 1), second=st.floats(0, 1))
def test_removing_more_never_gains_less(first: float, second: float) -> None:
    less, more = max(first, second), min(first, second)
    one = speedup({"dram": f"{less:.6f}"}, dram_pct=80.0, issue_pct=30.0).estimate
    two = speedup({"dram": f"{more:.6f}"}, dram_pct=80.0, issue_pct=30.0).estimate
    assert two >= one - 1e-9


def test_spreading_eight_blocks_over_the_card_gains_much(tour: Any) -> None:
    launch = next(x for x in tour.diagnosis.launches if x.kernel == "eight_blocks")
    found = next(f for f in launch.findings if f.id == "grid_too_small")
    # A sum of 268 MB takes 60 us at the rate of a read; the launch takes 2,960.
    assert found.speedup is not None and 12 < found.speedup.estimate <= 60


def test_the_model_accounts_for_the_unmodified_launches_of_the_tour(tour: Any) -> None:
    model = speedup_model.build(tour._reasoned.observed.columns, len(tour.diagnosis.launches))
    relative = [
        r for r, x in zip(model.relative, tour.diagnosis.launches, strict=True) if (x.duration_ns or 0) > 10_000
    ]
    errors = sorted(max(r, 1 / r) for r in relative)
    assert errors[len(errors) // 2] < 1.15


def test_a_fix_names_first_what_gives_most_time_back_and_three_units_at_most() -> None:
    busy = {"dram_pct": 50.0, "pipe_fma_pct": 90.0, "issue_pct": 60.0, "pipe_alu_pct": 40.0, "l2_served_pct": 0.0}
    told = speedup({"dram": "0.9", "l2": "0.1", "fma": "0.25", "alu": "0.5", "issue": "0.5"}, **busy).how
    assert told.startswith(
        "the fix reduces FMA pipe (to 25 % of today's), issue slots, ALU pipe, and 1 more; the next limit is"
    )
    # A unit that does nothing is not relieved of anything.
    assert "XU" not in speedup({"fma": "0.5", "xu": "0"}, pipe_fma_pct=90.0, pipe_xu_pct=0.0).how
    assert speedup({"xu": "0"}, pipe_fma_pct=90.0, pipe_xu_pct=0.0).how.startswith(
        "the fix reduces no unit of the time model"
    )


def test_a_term_of_two_units_is_named_by_those_that_the_launch_uses() -> None:
    waits = {"inst_issued": 1e6, "warps": 1e3, "stall_short_scoreboard": 20.0, "shared_inst": 5e5, "xu_inst": 5e5}
    waits |= {"sm_count": 132.0, "sm_cycles_elapsed": 4e4, "occupancy_theoretical_pct": 50.0, "l1_wavefronts_pct": 20.0}
    waits |= {"device_max_warps_per_sm": 64.0}
    shared, xu = {"shared_wavefront_share": 1.0, "pipe_xu_pct": 0.02}, {"pipe_xu_pct": 20.0}
    for used, name in (
        (shared, "shared-memory latency ("),
        (xu, "XU latency ("),
        ({**shared, "pipe_xu_pct": 20.0}, "shared-memory and XU latency ("),
    ):
        assert f"the fix reduces {name}" in speedup({"latency_shared": "0.1"}, **waits, **used).how


def test_of_the_parts_of_a_full_unit_the_limiter_is_the_larger_one() -> None:
    parts = {"l1_wavefronts_pct": 90.0, "l1_requests_pct": 5.0, "shared_pct": 5.0, "dram_pct": 10.0}
    for share, name in ((0.9, "shared"), (0.1, "global")):
        assert name in speedup({"dram": "0.5"}, shared_wavefront_share=share, **parts).next_limiter


FABRIC = {"l2_fabric_pct": 96.0, "l2_fabric_sectors": 100.0, "dram_pct": 60.0, "l2_served_pct": 50.0}


def test_what_misses_in_both_partitions_crosses_with_dram_and_the_rest_with_l2() -> None:
    assert speedup({"dram": "0.5"}, l2_fabric_misses=100.0, **FABRIC).estimate > 1.5
    assert speedup({"dram": "0.5"}, l2_fabric_misses=0.0, **FABRIC).estimate == pytest.approx(1.0, abs=0.02)
    assert speedup({"l2": "0.5"}, l2_fabric_misses=0.0, **FABRIC).estimate > 1.3
    assert speedup({"l2_fabric": "0.5"}, l2_fabric_misses=100.0, **FABRIC).estimate > 1.3


def test_fewer_misses_leave_the_crossbars_of_l2_what_they_pass() -> None:
    used = {"dram_pct": 80.0, "l2_served_pct": 70.0, "l2_hit_pct": 0.0}
    assert speedup({"dram": "0.1"}, **used).estimate > speedup({"dram": "0.1"}, l2_read_xbar_pct=65.0, **used).estimate
    assert speedup({"dram": "0.1"}, l2_read_xbar_pct=65.0, **used).estimate < 80 / 65 * 1.05


TURNS = {
    "first_sm_unit_pct": 52.0,
    "second_sm_unit_pct": 45.0,
    "pipe_alu_pct": 52.0,
    "pipe_xu_pct": 45.0,
    "phase_wait_pct": 50.0,
    "stall_long_scoreboard_pct": 0.0,
    "barrier_inst": 8000.0,
    "warps": 100.0,
}


@pytest.mark.parametrize(
    ("but", "takes"),
    [
        ({}, True),
        ({"phase_wait_pct": 10.0}, False),
        ({"barrier_inst": 100.0}, False),
        ({"second_sm_unit_pct": 20.0}, False),
        ({"stall_long_scoreboard_pct": 60.0}, False),
        ({"dram_pct": 85.0}, False),  # a full unit explains the time
    ],
)
def test_phases_that_use_two_units_in_turn_take_the_sum(but: dict[str, float], takes: bool) -> None:
    built = speedup_model.build(columns(**(TURNS | but)), 1)
    assert float(built.now.terms["in_turn"][0]) == (pytest.approx(0.97) if takes else 0.0)


def test_phases_shrink_with_the_units_that_they_use() -> None:
    assert speedup({"alu": "0.5", "xu": "0.5"}, **TURNS).estimate == pytest.approx(2.0, rel=0.1)
    assert 1.1 < speedup({"alu": "0.5"}, **TURNS).estimate < 1.6
    assert speedup({"fp64": "0.5"}, pipe_fp64_pct=5.0, **TURNS).estimate == pytest.approx(1.0, abs=0.01)


UNEVEN = {
    "sm_active_ratio": 5.0, "sm_active_pct": 20.0, "l2_pct": 2.0, "l2_served_pct": 2.0, "issue_pct": 2.0,
    "stall_long_scoreboard_not_issued_pct": 90.0, "stall_wait_not_issued_pct": 10.0, "stall_long_scoreboard": 2.0,
    "inst_issued": 1e6, "warps": 640.0, "sm_count": 100.0, "occupancy_theoretical_pct": 100.0,
    "device_max_warps_per_sm": 64.0, "sm_cycles_elapsed": 1e6,
}  # fmt: skip


@pytest.mark.parametrize(("ratio", "all_of_it"), [(5.0, True), (1.9, False)])
def test_what_idle_sms_leave_unexplained_ends_with_their_wait(ratio: float, all_of_it: bool) -> None:
    """Where less than half of the SMs work at a time, the estimate is the end at which the rest follows the slots."""
    model = speedup_model.build(columns(**UNEVEN | {"sm_active_ratio": ratio}), 1)
    left = {"imbalance": np.zeros(1)}
    assert bool(speedup_model._evens(model.now, left)[0]) is all_of_it
    assert not speedup_model._evens(model.now, {"l2": np.zeros(1)})[0]
    tried = speedup_model.attempted(columns(**UNEVEN), model.now, left, {})
    slots = speedup_model._by_slots(tried)
    norm = 3.5
    stays = float(speedup_model.new_time(model.now, tried.after, norm)[0])
    follows = float(speedup_model._rest_follows(model.now, tried.after, slots)[0])
    assert follows < stays
    estimate = speedup_model.gains(tried)[0].estimate
    assert estimate == pytest.approx(1 / follows if all_of_it else (stays * follows) ** -0.5, rel=0.01)


def test_passes_of_shared_memory_follow_from_the_code_where_l1_was_not_counted() -> None:
    """A million shared accesses of eight passes are most of what 132 SMs pass in 90 % of 70,000 cycles."""
    code = {"shared_inst": 1.0e6, "shared_wavefront_ratio": 8.0, "sm_count": 132.0, "sm_cycles_elapsed": 70_000.0}
    known = {"l1_wavefronts_pct": 90.0}
    assert speedup({"l1_shared": "0.125"}, **known, **code).estimate > 1.5
    columns = {name: np.array([value]) for name, value in (known | code).items()}
    terms = speedup_model.build(columns, 1).now.terms
    share = 8.0e6 / (0.9 * 132 * 70_000)
    assert terms["l1_shared"][0] / (terms["l1_shared"][0] + terms["l1_global"][0]) == pytest.approx(share)
    # Accesses of 128 bits take four passes, and those of local memory no more than the rest of the unit.
    wide = {
        **known,
        **code,
        "shared_wavefront_ratio": 2.0,
        "shared_bits_mean": 128.0,
        "local_inst": 9.0,
        "memory_inst": 10.0,
    }
    parts = speedup_model.build({name: np.array([value]) for name, value in wide.items()}, 1).now.terms
    assert parts["l1_shared"][0] == pytest.approx(terms["l1_shared"][0])
    assert sum(parts[name][0] for name in ("l1_shared", "l1_local", "l1_global")) == pytest.approx(0.9 / 0.95)
    absurd = {name: np.array([value]) for name, value in (known | code | {"sm_cycles_elapsed": 0.0}).items()}
    assert np.isfinite(speedup_model.build(absurd, 1).now.terms["l1_shared"]).all()
