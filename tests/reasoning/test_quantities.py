"""The guide's step-3 formulas on its own worked examples, corrected where the errata say so."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.knowledge.base import catalog
from advisor.reasoning.time_model import formulas as f

shares = st.floats(0, 1)
factors = st.floats(1, 100)


def test_sixteen_sectors_where_four_would_do_waste_three_quarters() -> None:
    assert f.sector_waste(16, 4) == f.Waste(0.75, 4.0)


def test_five_sectors_where_four_would_do_waste_a_fifth() -> None:
    waste = f.sector_waste(5, 4)
    assert waste.share == pytest.approx(0.20)
    assert waste.speedup == pytest.approx(1.25)


def test_a_perfect_float4_load_of_sixteen_sectors_is_no_waste() -> None:
    assert f.ideal_sectors(32, 16) == 16
    assert f.sector_waste(16, f.ideal_sectors(32, 16)) == f.Waste(0.0, 1.0)


def test_four_sectors_are_the_ideal_of_a_warp_of_floats_only() -> None:
    assert f.ideal_sectors(32, 4) == 4
    assert f.ideal_sectors(32, 1) == 1
    assert f.ideal_sectors(8, 4) == 1


def test_traffic_twice_the_least_is_the_threshold() -> None:
    assert f.traffic_overhead(2e9, 1e9) == f.EXCESS_TRAFFIC == 2


def test_three_way_conflicts_on_sixty_percent_of_the_time_cost_1_67() -> None:
    assert f.conflict_speedup(0.6, 3) == pytest.approx(1 / 0.6)
    assert round(f.conflict_speedup(0.6, 3), 2) == 1.67


def test_an_lds_128_needs_four_wavefronts_and_32_are_28_too_many() -> None:
    ideal = f.ideal_wavefronts(32, 16)
    assert ideal == 4
    assert f.n_way(32, ideal) == f.Conflicts(4, 32, 28, 8)


def test_a_scalar_shared_load_needs_one_wavefront() -> None:
    assert f.ideal_wavefronts(32, 4) == 1


def test_an_8_by_8_tile_loads_a_quarter_word_for_each_fma_with_scalar_loads() -> None:
    assert f.tile_loads_per_fma(8, 8) == 0.25


def test_an_8_by_8_tile_needs_a_quarter_of_that_with_lds_128() -> None:
    assert f.tile_loads_per_fma(8, 8, words=4) == 0.0625


def test_without_a_register_tile_there_is_more_than_one_load_for_each_fma() -> None:
    assert f.tile_loads_per_fma(1, 1) >= 1
    assert f.memory_instructions_per_fma(lds=80, sts=5, ldg=10, stg=5, ffma=100) == 1.0


def test_24_of_32_lanes_waste_a_quarter() -> None:
    waste = f.divergence_waste(24)
    assert waste.share == 0.25
    assert round(waste.speedup, 2) == 1.33


@pytest.mark.parametrize(
    ("registers", "cc", "block", "warps"),
    [
        (128, "9.0", 32, 16),  # the guide's example: 4 a quarter, 25 % of 64
        (129, "9.0", 32, 12),  # one more rounds up to 136
        (32, "9.0", 32, 64),  # the register file would hold 64: the architecture's cap as well
        (16, "8.6", 32, 48),  # 128 by registers, 48 by the architecture
        (52, "8.0", 256, 32),  # 36 warps fit, but only 4 whole blocks of 8
    ],
)
def test_warps_by_registers_with_their_roundings(registers: int, cc: str, block: int, warps: int) -> None:
    assert f.max_warps_by_registers(registers, cc, block) == warps


def test_a_spilled_pair_costs_40_to_100_cycles_and_a_loop_multiplies_it() -> None:
    assert f.spill_cost(1) == f.Cost(40, 100)
    assert f.spill_cost(2, iterations=1000) == f.Cost(80_000, 200_000)


def test_latencies_grow_with_the_distance() -> None:
    for source, levels in f.LATENCIES.items():
        order = [f.latency(level, source).low for level in ("register", "shared", "l2", "dram") if level in levels]
        assert order == sorted(order)
        assert len(set(order)) == len(order)
    assert f.latency("dram", "guide") == f.Cost(200, 500)
    assert f.latency("dram") == f.Cost(700, 700)
    with pytest.raises(ValueError, match="no latency"):
        f.latency("tape")


def test_an_h200_needs_13_kilobytes_under_way_on_each_sm_at_unloaded_latency() -> None:
    assert f.bytes_in_flight(4.8e12, 700, 1.98e9) / 132 == pytest.approx(12_856, rel=0.01)


def test_half_of_a_unit_leaves_1_8_times() -> None:
    assert f.headroom(50) == 1.8
    assert f.headroom(95) == 1


def test_92_7_of_102_5_cycles_are_90_4_percent() -> None:
    assert round(100 * f.stall_share(92.7, 102.5), 1) == 90.4


def test_70_percent_multiply_adds_cap_the_peak_at_85_percent() -> None:
    assert f.instruction_mix_ceiling(0.7) == pytest.approx(0.85)


def test_16_warps_issuing_every_6_8_cycles_wait_109_cycles_each() -> None:
    assert round(f.littles_law_warps(16, 6.8)) == 109


def test_an_issue_every_6_8_cycles_leaves_85_percent_of_them_empty() -> None:
    assert round(100 * f.no_eligible(6.8)) == 85


def test_additions_and_multiplications_count_beside_multiply_adds() -> None:
    assert f.effective_gflops(ffma=1000, fadd=300, fmul=200, duration_ns=10) == 250


def test_bandwidth_by_hand_is_bytes_over_nanoseconds() -> None:
    assert f.effective_gb_per_s(4.3e9, 1e6) == 4300


def test_below_five_percent_is_not_the_right_battle() -> None:
    assert not f.worthwhile(1.049)
    assert f.worthwhile(1.05)


@settings(deadline=None)
@given(shares, factors)
def test_a_part_can_never_give_more_than_amdahl_allows(share: float, factor: float) -> None:
    speedup = f.amdahl(share, factor)
    assert 1 - 1e-12 <= speedup <= min(factor, 1 / (1 - share) if share < 1 else math.inf) * (1 + 1e-12)


@settings(deadline=None)
@given(st.floats(1, 1000), st.floats(1, 1000))
def test_waste_and_speedup_of_sectors_tell_the_same(sectors: float, ideal: float) -> None:
    waste = f.sector_waste(sectors, ideal)
    assert waste.speedup == pytest.approx(1 / (1 - waste.share))


@pytest.mark.parametrize(
    "call",
    [
        lambda: f.amdahl(1.2, 2),
        lambda: f.amdahl(0.5, 0),
        lambda: f.sector_waste(4, 0),
        lambda: f.divergence_waste(0),
        lambda: f.instruction_mix_ceiling(-0.1),
        lambda: f.no_eligible(0.5),
        lambda: f.effective_gflops(1, 1, 1, 0),
        lambda: f.spill_cost(-1),
    ],
)
def test_numbers_that_make_no_sense_are_refused(call: object) -> None:
    with pytest.raises(ValueError, match=r"must|at most"):
        call()  # type: ignore[operator]


def test_an_unknown_number_stays_unknown() -> None:
    assert math.isnan(f.traffic_overhead(math.nan, 1e9))
    assert math.isnan(f.amdahl(math.nan, 3))


def test_every_source_that_the_formulas_name_exists() -> None:
    heads = "guide|errata|h200|p3|ado|little"
    keys = set(re.findall(rf"\b(?:{heads})\.[A-Za-z0-9_.]*[A-Za-z0-9_]", Path(f.__file__).read_text(encoding="utf-8")))
    assert len(keys) > 15
    assert [key for key in sorted(keys) if catalog().cite(key) is None] == []
