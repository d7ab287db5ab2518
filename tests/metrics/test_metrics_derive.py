"""The rules of `derive`: what wins, what is kept, what the door refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from advisor.reasoning.metrics.derive import check, derive
from advisor.records.errors import KnowledgeError
from advisor.records.readings import Access

Make = Callable[..., pd.DataFrame]


def one(frame: pd.DataFrame, **more: Any) -> pd.Series:
    return derive(frame, **more).iloc[0]


def test_a_reported_number_wins_over_its_formula(frame: Make) -> None:
    row = one(frame(dram_bytes=100.0, dram_read_bytes=10.0, dram_write_bytes=20.0))
    assert row.dram_bytes == 100


def test_a_formula_fills_what_the_report_lacks(frame: Make) -> None:
    row = one(frame(dram_read_bytes=10.0, dram_write_bytes=20.0, duration_ns=2.0))
    assert row.dram_bytes == 30
    assert row.dram_bytes_per_s == 30 / 2 * 1e9


def test_bytes_follow_from_a_printed_rate(frame: Make) -> None:
    row = one(frame(dram_bytes_per_s=4e12, duration_ns=1000.0))
    assert row.dram_bytes == pytest.approx(4e6)
    assert row.gb_per_s == pytest.approx(4000)


def test_no_eligible_is_the_rest_of_issue_active(frame: Make) -> None:
    assert one(frame(issue_active=1 / 6.8)).no_eligible_pct == pytest.approx(85.3, abs=0.05)


def test_warps_are_rounded_up_per_block(frame: Make) -> None:
    row = one(frame(grid=(10, 2, 1), block=(33, 1, 1)))
    assert row.grid_size == 20
    assert row.block_size == 33
    assert row.warps_per_block == 2
    assert row.warps == 40


def test_theoretical_occupancy_follows_from_the_limits(frame: Make) -> None:
    row = one(
        frame(
            block_size=256.0,
            grid_size=1320.0,
            sm_count=132.0,
            registers_per_thread=100.0,
            occupancy_limit_registers=2.0,
            occupancy_limit_shared=8.0,
            occupancy_limit_blocks=32.0,
            occupancy_limit_warps=8.0,
            device_max_threads_per_sm=2048.0,
        )
    )
    assert row.blocks_per_sm_limit == 2
    assert row.occupancy_theoretical_pct == 25
    assert row.occupancy_limiter == "registers"
    assert row.waves == 5
    assert row.registers_allocated == 104


def test_a_kernel_without_shared_memory_is_not_limited_by_it(frame: Make) -> None:
    limits = {f"occupancy_limit_{name}": 8.0 for name in ("registers", "blocks", "warps")}
    assert one(frame(**limits, shared_bytes_per_block=0.0)).blocks_per_sm_limit == 8
    assert np.isnan(one(frame(**limits, shared_bytes_per_block=1024.0)).blocks_per_sm_limit)
    assert one(frame(**limits, shared_bytes_per_block=0.0)).occupancy_limiter == "registers+blocks+warps"


def test_compute_is_the_fullest_pipe_and_sm_throughput_only_where_pipes_are_unknown(frame: Make) -> None:
    pipes = {f"pipe_{name}_pct": 5.0 for name in ("fma", "fp64", "xu", "tensor")} | {"pipe_alu_pct": 70.0}
    row = one(frame(**pipes, issue_pct=40.0, sm_throughput_pct=95.0, lsu_pct=95.0))
    assert (row.compute_pct, row.compute_leader, row.compute_from_breakdown) == (70, "pipe_alu_pct", 1)
    row = one(frame(**pipes, sm_throughput_pct=95.0))
    assert (row.compute_pct, row.compute_leader, row.compute_from_breakdown) == (95, "sm_throughput_pct", 0)
    # Without a total, a pipe that decides the class is the least that compute can be; a lower one says nothing.
    row = one(frame(**pipes))
    assert (row.compute_pct, row.compute_leader) == (70, "pipe_alu_pct")
    assert np.isnan(row.compute_from_breakdown)
    row = one(frame(**{**pipes, "pipe_alu_pct": 50.0}))
    assert np.isnan(row.compute_pct)
    assert row.compute_leader == ""


def test_memory_is_unknown_without_memory_throughput(frame: Make) -> None:
    row = one(frame(lsu_pct=80.0, dram_pct=70.0))
    assert np.isnan(row.memory_pct)
    assert row.memory_leader == ""


def test_memory_is_led_by_the_constant_cache_where_that_is_fuller(frame: Make) -> None:
    row = one(frame(memory_throughput_pct=30.0, dram_pct=30.0, idc_pct=90.0, lsu_pct=10.0))
    assert (row.memory_pct, row.memory_leader) == (90, "idc_pct")


def test_l1_leads_by_its_own_throughput_where_memory_throughput_counts_less_of_it(frame: Make) -> None:
    cycles = {"sm_cycles_active_avg": 90.0, "sm_cycles_elapsed": 100.0, "report_complete": 1.0}
    known = {"memory_throughput_pct": 46.0, "l1_throughput_pct": 100.0, "dram_pct": 10.0, "l2_throughput_pct": 10.0}
    row = one(frame(**known, **cycles))
    assert (row.memory_pct, row.memory_leader) == (pytest.approx(90), "l1_wavefronts_pct")
    assert one(frame(**known)).memory_pct == 46
    row = one(frame(**{**known, "l2_throughput_pct": 60.0}, **cycles))
    assert (row.memory_pct, row.memory_leader) == (pytest.approx(90), "l1_throughput_pct")
    # Two passes of a profile differ by a few percent.
    row = one(frame(memory_throughput_pct=85.0, l1_throughput_pct=100.0, l2_throughput_pct=60.0, **cycles))
    assert (row.memory_pct, row.memory_leader) == (85, "l1_throughput_pct")


@pytest.mark.parametrize(
    ("sm", "l2", "passes", "requests"),
    [
        (10.0, 5.0, 90.0, 10.0),  # nine cycles for each load or store, more than any access takes
        (10.0, 80.0, 90.0, 10.0),  # and twice what they take if L2 brings all data
        (15.0, 80.0, None, None),  # data that L2 brings can keep L1 so busy
        (15.0, 40.0, 90.0, 15.0),
        (60.0, 40.0, 90.0, None),  # how many of the passes are requests is unknown
        (60.0, None, None, None),
    ],
)
def test_l1_that_neither_requests_nor_l2_explain_is_busy_with_passes(
    frame: Make, sm: float, l2: float | None, passes: float | None, requests: float | None
) -> None:
    cycles = {"sm_cycles_active_avg": 90.0, "sm_cycles_elapsed": 100.0, "report_complete": 1.0}
    known = {"sm_throughput_pct": sm, "l1_throughput_pct": 100.0, "memory_throughput_pct": 90.0, **cycles}
    row = one(frame(**known, **({} if l2 is None else {"l2_throughput_pct": l2})))
    for value, wanted in ((row.l1_wavefronts_pct, passes), (row.l1_requests_pct, requests)):
        assert np.isnan(value) if wanted is None else value == pytest.approx(wanted)
    counted = one(frame(**known, l2_throughput_pct=5.0, l1_wavefronts_pct=70.0, l1_requests_pct=50.0))
    assert (counted.l1_wavefronts_pct, counted.l1_requests_pct) == (70, 50)


def test_memory_throughput_that_no_known_unit_explains_leads_by_itself(frame: Make) -> None:
    row = one(frame(memory_throughput_pct=80.0, dram_pct=30.0))
    assert (row.memory_pct, row.memory_leader) == (80, "memory_throughput_pct")


def test_the_busiest_part_of_l2_is_unknown_until_all_parts_are_known(frame: Make) -> None:
    parts = {f"l2_{name}_pct": 1.0 for name in ("tags", "data", "fill", "atomic")} | {"l2_read_xbar_pct": 5.0}
    assert np.isnan(one(frame(**parts)).l2_pct)
    assert one(frame(**parts, l2_write_xbar_pct=4.0)).l2_pct == 5


def test_a_stall_leads_only_where_no_unknown_one_can_exceed_it(frame: Make) -> None:
    assert one(frame(issue_interval=100.0, stall_long_scoreboard=60.0, stall_selected=1.0)).stall_leader == (
        "long_scoreboard"
    )
    assert one(frame(issue_interval=100.0, stall_long_scoreboard=40.0, stall_selected=1.0)).stall_leader == ""
    assert one(frame(stall_long_scoreboard=60.0)).stall_leader == ""


def test_ratios_of_nothing_to_nothing_are_no_excess(frame: Make) -> None:
    row = one(frame(shared_wavefronts=0.0, shared_wavefronts_ideal=0.0, accesses=()))
    assert row.shared_wavefront_ratio == 1
    assert row.load_sector_ratio == 1
    assert row.shared_atomic_excess_share == 0
    assert np.isnan(row.access_bits_mean)


def test_shared_atomics_get_their_share_of_the_excess(frame: Make) -> None:
    accesses = (
        Access("shared", "load", 32, 10, 320, np.nan, np.nan, 30, 10),
        Access("shared", "atomic", 32, 10, 320, np.nan, np.nan, 70, 10),
    )
    assert one(frame(accesses=accesses)).shared_atomic_excess_share == pytest.approx(60 / 80)


def test_a_count_that_an_access_lacks_leaves_the_sum_unknown(frame: Make) -> None:
    accesses = (
        Access("global", "load", 32, 10, 320, np.nan, np.nan, np.nan, np.nan),
        Access("global", "store", 128, 10, 160, 160, 80, np.nan, np.nan),
    )
    row = one(frame(accesses=accesses))
    assert np.isnan(row.load_sectors_actual)
    assert row.store_sector_ratio == 2
    assert row.requested_bytes == 320 * 4 + 160 * 16
    assert row.access_bits_mean == 80
    assert row.narrow_access_share == 0.5


def test_what_if_recomputes_what_follows_even_where_the_report_gave_it(frame: Make) -> None:
    was = derive(frame(dram_bytes=8.0, dram_read_bytes=4.0, dram_write_bytes=4.0, duration_ns=1.0))
    row = one(was.assign(dram_read_bytes=12.0), keep={"dram_read_bytes"})
    assert row.dram_bytes == 16
    assert row.dram_bytes_per_s == pytest.approx(16e9)


def test_what_if_holds_a_derived_number_as_it_is_set(frame: Make) -> None:
    was = derive(frame(shared_wavefronts=33.0, shared_wavefronts_ideal=2.0))
    assert was.shared_wavefront_ratio[0] == 16.5
    assert one(was.assign(shared_wavefront_ratio=1.0), keep={"shared_wavefront_ratio"}).shared_wavefront_ratio == 1


def test_a_number_that_was_told_stays_where_it_cannot_be_derived(frame: Make) -> None:
    assert one(frame(device_clock_hz=1.98e9)).device_clock_hz == 1.98e9
    assert one(frame(device_clock_hz=1.0, device_clock_khz=1_980_000.0)).device_clock_hz == 1.98e9


def test_zero_operations_need_no_lane_counts(frame: Make) -> None:
    row = one(frame(opcodes={"FADD.FTZ": 10.0, "IADD3": 5.0}, fadd_lanes=320.0, dram_bytes=80.0))
    assert row.fp32_flop == 320
    assert row.flop == 320
    assert row.intensity == 4


@pytest.mark.parametrize(("gpu", "expected"), [("NVIDIA A100-SXM4-40GB MIG 1g.5gb", 1.0), ("NVIDIA H200", 0.0)])
def test_a_part_of_a_gpu_is_known_by_its_name(frame: Make, gpu: str, expected: float) -> None:
    assert one(frame(gpu_name=gpu)).device_mig == expected


def test_compute_capability_is_read_from_the_identity(frame: Make) -> None:
    row = one(frame(cc="12.1"))
    assert (row.device_cc_major, row.device_cc_minor) == (12, 1)


def test_the_door_refuses_a_column_that_is_no_metric(frame: Make) -> None:
    check(frame(dram_pct=1.0))
    with pytest.raises(KnowledgeError, match="'dram_percent' of the frame is not a metric"):
        check(frame(dram_percent=1.0))


def test_the_door_refuses_a_column_of_another_type(frame: Make) -> None:
    with pytest.raises(KnowledgeError, match="'dram_pct' of the frame must be float64, not int64"):
        check(frame(dram_pct=1))
    with pytest.raises(KnowledgeError, match="must hold text"):
        check(frame(stall_leader=1.0))


def test_a_thousand_times_as_many_launches_take_far_less_than_a_thousand_times_as_long(base: pd.DataFrame) -> None:
    """Columns are computed at once: the time of a machine, however slow, is that of ten launches on it."""
    import time

    def seconds(frame: pd.DataFrame) -> float:
        start = time.process_time()
        derive(frame)
        return time.process_time() - start

    many = pd.concat([base.drop(columns=["opcodes", "accesses"])] * 460, ignore_index=True).iloc[:10_000]
    few = many.iloc[:10]
    derive(few)
    assert seconds(many) < 200 * min(seconds(few) for _ in range(3))


@pytest.mark.parametrize(
    ("waves", "grid", "limit", "sms"),
    [
        (0.54, 52.0, 4.0, 24.0),  # 51.5 to 52.5 blocks over 24 SMs
        (2.37, 512.0, 2.0, 108.0),
        (13107.2, 2097152.0, 4.0, 40.0),  # exact
        (0.01, 5.0, 4.0, None),  # 0.005 to 0.015 waves: 84 to 250 SMs
        (0.0, 5.0, 4.0, None),
        (1.01, 271.0, 2.0, 134.0),
        (1.01, 2710.0, 2.0, None),  # 1335 to 1348 SMs
    ],
)
def test_the_number_of_sms_follows_from_printed_waves_if_one_number_fits(
    frame: Make, waves: float, grid: float, limit: float, sms: float | None
) -> None:
    row = one(frame(waves=waves, grid_size=grid, **_limited_to(limit)))
    assert row.sm_count == sms if sms is not None else np.isnan(row.sm_count)


def test_a_stated_number_of_sms_wins_over_that_of_the_waves(frame: Make) -> None:
    assert one(frame(waves=0.54, grid_size=52.0, sm_count=25.0, **_limited_to(4.0))).sm_count == 25


@pytest.mark.parametrize("stated", [{"sm_count": 24.0}, {}])
def test_another_grid_leaves_the_number_of_sms(frame: Make, stated: dict[str, float]) -> None:
    """A what-if changes the grid, not the GPU: half of the blocks make half of the waves."""
    was = derive(frame(waves=0.5, grid_size=48.0, **stated, **_limited_to(4.0)))
    row = one(was.assign(grid_size=24.0), keep={"grid_size"})
    assert (row.sm_count, row.waves) == (24, 0.25)


def _limited_to(blocks: float) -> dict[str, float]:
    return {f"occupancy_limit_{name}": blocks for name in ("registers", "shared", "blocks", "warps")}
