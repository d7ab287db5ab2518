"""Derived numbers of the bundled report against reckonings by hand and against NVIDIA's own library."""

from __future__ import annotations

import json
import lzma
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from advisor.knowledge.base import catalog
from advisor.reasoning.metrics.derive import LABELS, check, derive
from advisor.records.readings import IDENTITY

Launch = Callable[[str], pd.Series]
METRICS = catalog().metrics
WARPS = 524_288  # of the kernels with 65,536 blocks of 256 threads
# All values of the named metrics, launch by launch, straight from NVIDIA's library.
DIRECT = """
import json, sys
import ncu_report
names = json.load(sys.stdin)
report = ncu_report.load_report(sys.argv[1])
rows = []
for i in range(report.num_ranges()):
    for k in range(report.range_by_idx(i).num_actions()):
        action = report.range_by_idx(i).action_by_idx(k)
        found = {}
        for name in names:
            metric = action.metric_by_name(name)
            value = metric.value() if metric is not None else None
            if isinstance(value, (int, float)):
                found[name] = value
        rows.append({"kernel": action.name(), "values": found})
print(json.dumps(rows))
"""


def test_a_transposed_tile_takes_sixteen_and_a_half_times_its_wavefronts(launch: Launch) -> None:
    tile = launch("transpose_tile")
    assert tile.shared_wavefronts == 69_206_016
    assert tile.shared_wavefronts_ideal == 4_194_304
    assert tile.shared_wavefront_ratio == 16.5
    assert tile.shared_atomic_excess_share == 0
    assert tile.shared_to_global_requests == 1
    assert tile.memory_leader == "l1_wavefronts_pct"


def test_an_array_of_structs_uses_four_of_each_32_bytes(launch: Launch) -> None:
    field = launch("particle_field")
    assert field.load_sectors_actual == 32 * WARPS
    assert field.load_sectors_ideal == 4 * WARPS
    assert field.load_sector_ratio == 8
    assert field.store_sector_ratio == 1
    assert field.bytes_per_sector_load == 4
    assert field.sectors_per_request_load == 32
    assert field.ideal_sectors_per_request_load == 4
    # One 4-byte load and one 4-byte store a thread.
    assert field.requested_bytes == 2 * 4 * 32 * WARPS
    assert field.access_bits_mean == 32
    assert field.narrow_access_share == 1


def test_a_perfect_16_byte_access_needs_16_sectors_and_is_no_waste(launch: Launch) -> None:
    copy = launch("vector_copy")
    assert copy.sectors_per_request_load == 16
    assert copy.load_sector_ratio == copy.store_sector_ratio == copy.sector_ratio == 1
    assert copy.access_bits_mean == 128
    assert copy.narrow_access_share == 0
    assert copy.requested_bytes == 2 * 16 * 32 * WARPS


def test_one_byte_a_lane_is_a_narrow_access(launch: Launch) -> None:
    image = launch("byte_image")
    assert image.access_bits_mean == 8
    assert image.narrow_access_share == 1
    assert image.load_sector_ratio == 1


def test_spills_and_indexed_arrays_are_told_apart(launch: Launch) -> None:
    spilled, bins = launch("capped_moments"), launch("private_bins")
    assert spilled.spill_inst == 93_434_880 == spilled.local_inst
    assert spilled.indexed_local_inst == 0
    assert spilled.local_sectors_per_request == pytest.approx(4, rel=0.01)
    assert bins.spill_inst == 0
    assert bins.indexed_local_inst == bins.local_inst == 5_406_720
    assert bins.local_sectors_per_request > 20


def test_multiply_adds_count_two_operations_each(launch: Launch) -> None:
    tile = launch("gemm_one_output")
    # 268,435,456 warp instructions of 32 lanes: a 2048-cubed product.
    assert tile.ffma_inst == 2048**3 / 32
    assert tile.fp32_flop == pytest.approx(2 * 2048**3, rel=1e-6)
    assert tile.flop == tile.fp32_flop
    assert tile.gflop_per_s == pytest.approx(2 * 2048**3 / tile.duration_ns, rel=1e-6)
    assert tile.intensity == pytest.approx(tile.flop / tile.dram_bytes)
    assert tile.memory_inst_per_fma == pytest.approx(1.375, rel=0.001)


def test_a_literal_in_double_shows_as_conversions_not_as_special_functions(launch: Launch) -> None:
    literals, waves = launch("double_literals"), launch("wave_sum")
    assert literals.f64_conversion_inst == literals.conversion_inst == literals.xu_inst == 67_108_864
    assert literals.mufu_inst == 0
    assert literals.fp64_inst == 2 * 33_554_432
    assert literals.compute_leader == "pipe_xu_pct"
    assert waves.mufu_inst == waves.xu_inst > 0
    assert waves.conversion_inst == 0


def test_constants_in_hfma2_are_moves_not_half_arithmetic(derived: pd.DataFrame) -> None:
    hidden = [sum(n for op, n in ops.items() if op.startswith("HFMA2")) for ops in derived["opcodes"]]
    assert sum(n > 0 for n in hidden) >= 10
    assert (derived["half_inst"] == 0).all()
    assert (derived["half_flop"] == 0).all()
    assert (derived["move_inst"] >= hidden).all()


def test_every_executed_opcode_is_in_the_dictionary(derived: pd.DataFrame) -> None:
    assert (derived["unclassified_inst"] == 0).all()


def test_the_parts_of_the_mix_stay_below_the_whole(derived: pd.DataFrame) -> None:
    kinds = ["fp32_inst", "fp64_inst", "half_inst", "tensor_inst", "integer_inst", "move_inst", "control_inst"]
    assert (derived[kinds].sum(axis=1) <= derived["inst_executed"] * 1.0001).all()


def test_sm_throughput_led_by_loads_or_barriers_is_not_compute(launch: Launch) -> None:
    tile, step = launch("gemm_one_output"), launch("serial_step")
    assert tile.sm_throughput_pct > 60 > tile.compute_pct
    assert tile.memory_leader == "l1_wavefronts_pct"
    assert step.memory_leader == "adu_pct"
    assert step.memory_pct == step.adu_pct > step.memory_throughput_pct


def test_throughputs_are_the_largest_of_their_units(derived: pd.DataFrame) -> None:
    sm = ["pipe_fma_pct", "pipe_alu_pct", "pipe_fp64_pct", "pipe_xu_pct", "issue_pct", "lsu_pct", "adu_pct", "mio_pct"]
    memory = ["dram_pct", "l2_pct", "l1_wavefronts_pct", "l1_requests_pct", "l1_other_pct", "memory_internal_pct"]
    assert (derived[sm].max(axis=1) <= derived["sm_throughput_pct"] + 1e-6).all()
    assert derived[memory].max(axis=1).to_numpy() == pytest.approx(derived["memory_throughput_pct"].to_numpy())


def test_dram_percentage_is_bytes_over_the_peak_at_the_clock_of_the_profile(derived: pd.DataFrame) -> None:
    share = 100 * derived["dram_bytes_per_s"] / derived["dram_peak_bytes_per_s"]
    assert share.to_numpy() == pytest.approx(derived["dram_pct"].to_numpy(), rel=1e-3)
    assert derived["dram_peak_bytes_per_s"].between(4.6e12, 4.9e12).all()


def test_littles_law_holds_between_the_schedulers_own_numbers(derived: pd.DataFrame) -> None:
    long_enough = derived[derived["duration_ns"] > 10_000]
    ratio = long_enough["issue_active"] * long_enough["issue_interval"] / long_enough["active_warps"]
    assert ratio.between(0.9, 1.1).all()


def test_stall_shares_add_up_and_the_barrier_leads_where_warps_wait_for_one(
    derived: pd.DataFrame, launch: Launch
) -> None:
    from advisor.reasoning.metrics.fills import REASONS

    shares = derived[[f"stall_{reason}_pct" for reason in REASONS]].sum(axis=1)
    assert shares[derived["duration_ns"] > 10_000].between(97, 103).all()
    sampled = derived[derived["pc_samples"] > 1000]
    idle = sampled[[f"stall_{reason}_not_issued_pct" for reason in REASONS if reason != "gmma"]].sum(axis=1)
    assert idle.to_numpy() == pytest.approx(100.0)
    assert launch("serial_step").stall_leader == "barrier"
    assert launch("row_per_thread").stall_leader == "lg_throttle"
    assert launch("transpose_tile").stall_leader == "mio_throttle"


def test_the_limit_of_occupancy_is_named(launch: Launch) -> None:
    assert launch("chain_registers").occupancy_limiter == "registers"
    assert launch("chain_shared").occupancy_limiter == "shared"
    assert launch("chain_small_blocks").occupancy_limiter == "shared+blocks+barriers"
    assert launch("chain_registers").blocks_per_sm_limit == 1
    assert launch("chain_registers").registers_allocated == 176


def test_waves_and_occupancy_follow_from_the_limits(base: pd.DataFrame, derived: pd.DataFrame) -> None:
    for name in ("waves", "occupancy_theoretical_pct", "threads", "shared_bytes_per_block", "no_eligible_pct"):
        without = derive(base.drop(columns=name))
        assert without[name].to_numpy() == pytest.approx(derived[name].to_numpy(), rel=1e-6), name


def test_uniform_constant_loads_make_one_request_each(base: pd.DataFrame, derived: pd.DataFrame) -> None:
    assert derived["idc_requests_per_ldc"].to_numpy() == pytest.approx(1.0)
    # Where the requests are not counted, the busy cycles of the cache say nearly the same.
    estimated = derive(base.drop(columns="idc_requests"))
    busy = (derived["idc_pct"] > 1).to_numpy()
    assert estimated["idc_requests_per_ldc"].to_numpy()[busy] == pytest.approx(1.0, rel=0.1)
    assert estimated["idc_requests_per_ldc"][derived["duration_ns"] > 10_000].between(0.9, 1.6).all()


def test_derived_columns_are_finite_or_unknown_and_pass_the_door(derived: pd.DataFrame) -> None:
    check(derived)
    assert set(METRICS) <= set(derived.columns)
    assert set(LABELS) <= set(derived.columns)
    assert not np.isinf(derived[list(METRICS)].to_numpy()).any()
    for label in LABELS:
        assert label == "sm_leader" or derived[label].map(bool).all()


def test_deriving_twice_changes_nothing(derived: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(derive(derived), derived)


def test_canonical_values_are_those_that_nvidias_library_gives(
    base: pd.DataFrame, tour_path: Path, tmp_path: Path
) -> None:
    plain = tmp_path / "tour.ncu-rep"
    plain.write_bytes(lzma.decompress(tour_path.read_bytes()))
    wanted = sorted({name for entry in METRICS.values() for name in entry.names})
    done = subprocess.run(
        [sys.executable, "-c", DIRECT, str(plain)], input=json.dumps(wanted), capture_output=True, text=True, check=True
    )
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    assert [row["kernel"] for row in rows] == list(base["kernel"])
    compared = 0
    for at, row in enumerate(rows):
        for name, entry in METRICS.items():
            found = [row["values"][n] for n in entry.names if n in row["values"]]
            if not found:
                continue
            value = {"first": found[0], "max": max(found), "sum": math.fsum(found)}[entry.combine]
            assert base[name][at] == pytest.approx(value, rel=1e-12), (row["kernel"], name)
            compared += 1
    assert compared > 22 * 180


def test_identity_columns_pass_through(base: pd.DataFrame, derived: pd.DataFrame) -> None:
    for name in IDENTITY:
        assert list(derived[name]) == list(base[name])
