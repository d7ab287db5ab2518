"""Rules of weaker evidence: what a report without the deciding counters still tells, and what it must not say."""

from __future__ import annotations

import pytest

from advisor.reasoning.diagnose import analyse, analyse_numbers
from advisor.records import resources
from advisor.records.diagnosis import LaunchDiagnosis
from tests.bench.thin import DEFAULT, Pair, causes, pairs

Numbers = dict[str, float]
# A default set: throughputs broken down into units, nothing full.
WAITING: Numbers = {
    "pipe_fma_pct": 6, "pipe_alu_pct": 8, "pipe_fp64_pct": 0, "pipe_xu_pct": 0, "pipe_tensor_pct": 0, "issue_pct": 20,
    "lsu_pct": 10, "adu_pct": 1, "idc_pct": 0, "mio_pct": 3, "memory_throughput_pct": 35, "dram_pct": 20,
    "l1_wavefronts_pct": 12, "l1_requests_pct": 10, "l2_tags_pct": 35, "l2_data_pct": 20, "l2_fill_pct": 10,
    "l2_atomic_pct": 0, "l2_read_xbar_pct": 20, "l2_write_xbar_pct": 5, "sm_active_pct": 100, "duration_ns": 1e6,
    "dram_read_ceiling_pct": 93, "dram_copy_ceiling_pct": 87,
}  # fmt: skip
CAPPED: Numbers = {
    "occupancy_theoretical_pct": 25, "occupancy_limit_registers": 4, "occupancy_limit_shared": 8,
    "occupancy_limit_blocks": 32, "occupancy_limit_warps": 16, "blocks_per_sm_limit": 4, "grid_size": 9000,
    "sm_count": 132, "issue_active": 0.2,
}  # fmt: skip


def launch(values: Numbers) -> LaunchDiagnosis:
    return analyse_numbers(values).diagnosis.launches[0]


def first(values: Numbers) -> str:
    found = causes(launch(values))
    return found[0] if found else "unexplained"


@pytest.mark.parametrize(
    ("limit", "found"),
    [
        ("registers", "low_occupancy_registers"),
        ("shared", "low_occupancy_shared_memory"),
        ("blocks", "low_occupancy_block_size"),
    ],
)
def test_the_limit_of_the_occupancy_is_named_without_the_scheduler_counters(limit: str, found: str) -> None:
    limits = {f"occupancy_limit_{name}": 16.0 for name in ("registers", "shared", "blocks", "warps")}
    values = {**WAITING, **CAPPED, **limits, f"occupancy_limit_{limit}": 4.0}
    assert found in causes(launch(values))
    # A scheduler that issues most of the time has enough warps, and counted eligible warps decide alone.
    assert found not in causes(launch({**values, "issue_active": 0.8}))
    assert found not in causes(launch({**values, "eligible_warps": 2.0}))


def test_many_passes_are_conflicts_with_shared_memory_and_scattered_accesses_without() -> None:
    values = {**WAITING, "l1_wavefronts_pct": 88, "memory_throughput_pct": 88, "shared_dynamic_bytes": 0}
    assert first({**values, "shared_static_bytes": 4096}) == "bank_conflicts"
    assert first({**values, "shared_static_bytes": 0}) == "uncoalesced_access"
    # Two passes per request are wide accesses, and counted wavefronts at their ideal are no conflicts.
    assert first({**values, "shared_static_bytes": 4096, "l1_requests_pct": 44}) != "bank_conflicts"
    assert first({**values, "shared_static_bytes": 4096, "shared_wavefront_ratio": 1.0}) != "bank_conflicts"


def test_a_full_xu_pipe_is_special_functions_unless_doubles_run_beside_it() -> None:
    values = {**WAITING, "pipe_xu_pct": 92}
    assert first(values) == "sfu_saturation"
    assert first({**values, "pipe_fp64_pct": 25}) == "fp64_unintended"


def test_the_barrier_unit_names_barriers_where_no_stall_is_known() -> None:
    values = {**WAITING, "adu_pct": 65}
    assert "barrier_stalls" in causes(launch(values))
    assert "barrier_stalls" not in causes(launch({**values, "idc_pct": 60}))
    assert "barrier_stalls" not in causes(launch({**values, "stall_barrier_pct": 3}))


def test_l2_requests_for_parts_of_lines_are_scattered_accesses() -> None:
    values = {**WAITING, "l2_tags_pct": 51, "l2_tag_requests_pct": 51, "memory_throughput_pct": 51}
    assert first({**values, "l2_lookups_pct": 28}) == "uncoalesced_access"
    assert first({**values, "l2_lookups_pct": 50}) != "uncoalesced_access"


@pytest.mark.parametrize(("sectors", "expected"), [(4, False), (8, False), (12, True), (16, False), (24, True)])
def test_stores_are_judged_by_the_sectors_that_l1_passes_on(sectors: int, expected: bool) -> None:
    chart = {
        "dram_read_pct": 33, "dram_write_pct": 0, "l2_write_sectors": sectors * 1000, "global_store_inst": 1000,
        "local_store_inst": 0, "duration_ns": 17_500,
    }  # fmt: skip
    assert ("uncoalesced_access" in causes(launch(chart))) is expected
    assert "uncoalesced_access" not in causes(launch({**chart, "local_store_inst": 500}))


def test_empty_warp_slots_of_long_blocks_are_imbalance() -> None:
    values = {
        **WAITING, "occupancy_achieved_pct": 65, "occupancy_theoretical_pct": 100, "waves": 60,
        "sm_cycles_elapsed": 1e8, "issue_active": 0.2,
    }  # fmt: skip
    assert "workload_imbalance" in causes(launch(values))
    assert "workload_imbalance" not in causes(launch({**values, "occupancy_achieved_pct": 96}))
    # Short blocks: starting them leaves the slots empty.
    assert "workload_imbalance" not in causes(launch({**values, "sm_cycles_elapsed": 1e5}))


COMPUTE: Numbers = {**WAITING, "pipe_fma_pct": 63, "pipe_alu_pct": 2, "issue_pct": 66, "issue_active": 0.8}


def test_a_pipe_of_multiply_adds_is_near_its_limit_and_one_of_integers_is_not() -> None:
    assert first({**COMPUTE, "active_warps": 8}) == "near_compute_roofline"
    busy = {**COMPUTE, "pipe_alu_pct": 60, "issue_pct": 68, "device_cc_major": 9}
    assert first(busy) == "integer_overhead"
    # From CC 10 on the share of ALU says less.
    assert first({**busy, "device_cc_major": 12}) == "unexplained"


def test_passes_without_a_tile_of_registers_are_conflicts() -> None:
    values = {**WAITING, "l1_wavefronts_pct": 89, "memory_throughput_pct": 89, "l1_requests_pct": 22, "lsu_pct": 22}
    values |= {"shared_static_bytes": 16384, "shared_dynamic_bytes": 0, "registers_per_thread": 16, "block_size": 256}
    assert first(values) == "bank_conflicts"
    # A tile of registers reads 16 bytes per lane, two passes are 8 bytes per lane, and counted wavefronts decide alone.
    assert first({**values, "registers_per_thread": 48}) == "lsu_saturation"
    assert first({**values, "pipe_fma_pct": 40}) == "lsu_saturation"
    assert first({**values, "l1_requests_pct": 44, "lsu_pct": 44}) == "lsu_saturation"
    assert first({**values, "shared_wavefront_ratio": 1.0}) != "bank_conflicts"
    # Loads of 16 bytes per lane, the few sums of a reduction, and a shared memory that does little.
    for other in ({"sectors_per_request_load": 16}, {"shared_static_bytes": 128}, {"shared_wavefronts_hw_pct": 2}):
        assert first({**values, **other}) != "bank_conflicts", other


def test_a_librarys_random_numbers_are_done_at_any_utilisation_of_a_compute_bound_kernel() -> None:
    values = {**COMPUTE, "library_kernel": 1, "integer_work_kernel": 1, "pipe_fma_pct": 57, "pipe_alu_pct": 57}
    for issue in (66, 77, 92):
        assert first({**values, "issue_pct": issue}) == "near_compute_roofline", issue


def test_few_warps_with_idle_schedulers_leave_waits_exposed() -> None:
    values = {**COMPUTE, "issue_active": 0.66, "library_kernel": 0}
    assert first({**values, "active_warps": 2}) == "exposed_waits"
    assert first({**values, "active_warps": 8}) == "near_compute_roofline"


def test_the_halves_of_memory_throughput_and_single_units_replace_what_is_absent() -> None:
    found = launch(
        {"memory_busy_pct": 14, "memory_bandwidth_pct": 26, "sm_inst_per_cycle": 2.73, "device_schedulers_per_sm": 4}
    )
    assert found.metrics["memory_throughput_pct"] == 26
    assert found.metrics["issue_pct"] == pytest.approx(68.25)
    assert found.verdict.id == "compute_bound"
    # A unit below the threshold is no upper limit of the others: the class stays open.
    low = launch(
        {"memory_busy_pct": 14, "memory_bandwidth_pct": 26, "sm_inst_per_cycle": 1, "device_schedulers_per_sm": 4}
    )
    assert low.verdict.id == "undetermined"


def test_dram_below_85_percent_of_the_achievable_rate_is_not_near_it_where_no_access_was_counted() -> None:
    full = {**WAITING, "memory_throughput_pct": 74, "dram_pct": 75, "dram_achievable_pct": 87}
    assert first(full) == "near_memory_roofline"
    assert first({**full, "memory_throughput_pct": 71, "dram_pct": 71}) == "memory_latency"


@pytest.fixture(scope="module")
def tour() -> list[Pair]:
    return pairs(sorted(resources.folder("kernels").glob("tour/recorded/*/*.ncu-rep.xz")), DEFAULT)


def test_the_default_set_of_the_tour_tells_most_of_its_causes(tour: list[Pair]) -> None:
    outcomes = [pair.outcome for pair in tour]
    assert len(outcomes) >= 18
    assert outcomes.count("unexplained") <= 1
    assert outcomes.count("same") >= 0.6 * len(outcomes)


def test_no_rule_of_weaker_evidence_fires_on_a_whole_report(tour: list[Pair]) -> None:
    weak = {
        "uncoalesced_access.lines", "uncoalesced_access.l2_stores", "bank_conflicts.passes", "sfu_saturation.pipe",
        "fp64_unintended.pipes", "barrier_stalls.unit_alone", "memory_latency.dram_waits", "integer_overhead.pipe",
        "near_memory_roofline.unconfirmed", "low_occupancy_registers.unconfirmed", "exposed_waits.few_warps",
    }  # fmt: skip
    fired = {rule for pair in tour for finding in pair.whole.findings for rule in finding.rules}
    assert fired and not fired & weak
    thin = {rule for pair in tour for finding in pair.thin.findings for rule in finding.rules}
    assert len(thin & weak) >= 3


def test_the_speedup_of_more_blocks_begins_at_none_and_says_why() -> None:
    (launch_,) = analyse([*resources.folder("kernels").glob("one-block/recorded/*/profile.ncu-rep.xz")],
                         launches=frozenset({0})).diagnosis.launches  # fmt: skip
    gain = next(f.speedup for f in launch_.findings if f.id == "grid_too_small")
    assert gain is not None
    assert gain.low == 1 < gain.estimate < gain.high
    assert "depends on how much of the work is independent" in gain.how


def test_a_general_fix_has_a_wide_range_only_while_another_one_may_suit() -> None:
    full = {**WAITING, "lsu_pct": 94, "l1_requests_pct": 94, "l1_wavefronts_pct": 52, "memory_throughput_pct": 94}
    unknown = next(f.speedup for f in launch(full).findings if f.id == "lsu_saturation")
    assert unknown is not None
    assert unknown.low == 1
    assert unknown.high > 2
    assert "which of several fixes suits" in unknown.how


def test_equal_limits_of_registers_and_shared_memory_are_named_together() -> None:
    limits = {"occupancy_limit_registers": 3.0, "occupancy_limit_shared": 3.0, "occupancy_limit_warps": 16.0}
    values = {**WAITING, **CAPPED, **limits, "occupancy_limit_blocks": 32.0, "blocks_per_sm_limit": 3.0}
    assert "low_occupancy_registers" in causes(launch(values))
    found = next(f for f in launch(values).findings if f.id == "low_occupancy_registers")
    assert found.fix.id == "lower_both_limits"
    # With fewer blocks than fit, the grid is the limit, not registers or shared memory.
    assert "low_occupancy_registers" not in causes(launch({**values, "grid_size": 300}))


def test_as_many_registers_as_the_block_size_allows_are_a_sign_of_spills_only_where_no_local_access_was_counted() -> (
    None
):
    values = {**WAITING, "registers_per_thread": 80, "registers_most": 80, "block_size": 768, "library_kernel": 0}
    assert first(values) == "register_spilling"
    assert first({**values, "registers_per_thread": 72}) != "register_spilling"
    assert first({**values, "local_inst": 0, "inst_executed": 1e6}) != "register_spilling"
    assert first({**values, "library_kernel": 1}) != "register_spilling"


def test_integer_products_are_told_from_multiply_adds_by_the_issue_slots() -> None:
    values = {**COMPUTE, "pipe_fma_pct": 71, "pipe_alu_pct": 35, "issue_pct": 70, "issue_active": 0.71}
    hopper = {"device_cc_major": 9, "device_cc_minor": 0}
    assert first({**values, **hopper, "memory_throughput_pct": 66, "dram_pct": 66}) == "integer_overhead"
    # Enough issue slots for both; one half of the FMA pipe only (CC 8.0); packed half products without ALU.
    assert first({**values, **hopper, "issue_pct": 90, "issue_active": 0.9}) != "integer_overhead"
    assert first({**values, "device_cc_major": 8, "device_cc_minor": 0}) != "integer_overhead"
    assert first({**values, **hopper, "pipe_alu_pct": 6}) != "integer_overhead"


def test_dram_below_what_it_can_reach_with_idle_schedulers_is_waited_for() -> None:
    values = {**WAITING, "memory_throughput_pct": 64, "dram_pct": 64, "dram_achievable_pct": 87, "issue_active": 0.33}
    assert first(values) == "memory_latency"
    assert first({**values, "issue_active": 0.7, "issue_pct": 58}) == "unexplained"


def test_passes_of_a_kernel_with_shared_memory_are_scattered_accesses_where_l2_leads() -> None:
    values = {
        **WAITING, "l1_wavefronts_pct": 31, "l1_requests_pct": 4, "l2_tags_pct": 58, "memory_throughput_pct": 58,
        "shared_static_bytes": 4096, "shared_dynamic_bytes": 0, "issue_active": 0.1,
    }  # fmt: skip
    assert first(values) == "uncoalesced_access"
    assert first({**values, "sectors_per_request_load": 4, "l1_requests_pct": 16}) != "uncoalesced_access"


def test_the_launch_configuration_alone_shows_blocks_of_part_of_a_warp() -> None:
    alone = {"duration_ns": 1e6, "sm_count": 132, "grid_size": 5000}
    assert first({**alone, "block_size": 1}) == "partial_warps"
    assert first({**alone, "block_size": 256}) == "unexplained"
    assert first({**alone, "block_size": 1, "duration_ns": 5000}) != "partial_warps"
    # DRAM near its rate loses nothing by empty lanes.
    assert first({**alone, "block_size": 1, "dram_pct": 86, "dram_achievable_pct": 87}) != "partial_warps"
