"""A launch on another card: each unit's work at that card's rate, and how the grid fills it."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.hardware import gpus
from advisor.hardware.gpus import Gpu
from advisor.reasoning.other_gpu.predict import Filling, Prediction, filling, predict
from advisor.reasoning.other_gpu.rates import changes
from advisor.reasoning.time_model import model as speedup_model

H200 = gpus.gpu("H200-SXM")
H100 = gpus.gpu("H100-SXM")
A100 = gpus.gpu("A100-SXM-80GB")


def moved(here: Gpu, there: Gpu, fill: tuple[Filling, Filling] = (Filling(), Filling()), **values: float) -> Prediction:
    model = speedup_model.build({name: np.array([value]) for name, value in values.items()}, 1)
    return predict(model, 0, changes(here, there), *fill)


def doubled(card: Gpu) -> Gpu:
    """A card with twice every rate."""
    assert card.sm_count and card.boost_clock_hz and card.bandwidth and card.bus_bits
    return msgspec.structs.replace(
        card,
        id="doubled",
        boost_clock_hz=2 * card.boost_clock_hz,
        bandwidth=2 * card.bandwidth,
        peaks={peak: 2 * rate for peak, rate in card.peaks.items()},
    )


def test_a_kernel_that_fills_dram_goes_with_the_bandwidth() -> None:
    assert moved(H200, H100, dram_pct=90.0).ratio == pytest.approx(4.8 / 3.35, rel=0.02)


def test_a_kernel_that_fills_the_issue_slots_is_as_fast_on_a_card_with_slower_memory() -> None:
    assert moved(H200, H100, issue_pct=96.0, dram_pct=20.0).ratio == pytest.approx(1, abs=0.01)


def test_double_precision_goes_with_its_own_peak() -> None:
    # An H800 has 132 SMs of the same clock and 1/32 of the rate.
    found = moved(H200, gpus.gpu("H800"), pipe_fp64_pct=95.0)
    assert found.ratio == pytest.approx(34 / 1.05, rel=0.02)
    assert found.leader == "fp64"


def test_what_hides_behind_dram_here_may_lead_there() -> None:
    # B200 has 1.7 times the bandwidth and nearly the same SMs.
    found = moved(H200, gpus.gpu("B200"), dram_pct=90.0, issue_pct=85.0)
    assert found.leader == "issue"
    assert found.ratio > 4.8 / 8 * 1.2


def test_l2_goes_with_the_bus_within_an_architecture_and_has_bounds_beyond() -> None:
    one, other = changes(H200, H100)["l2"], changes(H200, A100)["l2"]
    assert one.known == "rate" and one.ratio == pytest.approx(6016 / 5120)
    assert other.known == "bounds" and other.low < other.ratio < other.high


def test_a_unit_of_another_architecture_may_be_half_or_twice_as_wide() -> None:
    found = changes(H200, A100)["l1_global"]
    assert found.high / found.low == pytest.approx(4)
    assert found.ratio == pytest.approx(132 * 1980 / (108 * 1410), rel=0.01)


def test_half_precision_on_the_fma_pipe_goes_with_its_own_peak() -> None:
    single = changes(H200, A100)["fma"]
    half = changes(H200, A100, fma={"fp16": 1.0})["fma"]
    both = changes(H200, A100, fma={"fp16": 0.5, "fp32": 0.5})["fma"]
    assert single.ratio == pytest.approx(67 / 19.5, rel=0.02)
    assert half.ratio < 0.6 * single.ratio
    assert both.ratio == pytest.approx((single.ratio + half.ratio) / 2)


def test_a_rate_that_the_table_lacks_is_not_made_up() -> None:
    found = changes(H200, gpus.gpu("B100"))
    assert found["issue"].known == "" and found["latency_fixed"].known == ""
    assert found["dram"].known == "rate"


def test_fp32_peaks_tell_the_sms_of_a_sister_card() -> None:
    assert changes(H200, gpus.gpu("H100-NVL"))["lsu"].ratio == pytest.approx(67 / 60, rel=0.01)


def test_one_block_too_many_for_the_smaller_card_costs_another_round() -> None:
    here, there = filling(132, 1056, 132, 8), filling(132, 1056, 108, 8)
    assert here == Filling(1.0, 1.0)
    assert there.imbalance == pytest.approx(2 / (132 / 108))
    assert there.rounds == pytest.approx(2)


def test_fewer_warps_at_once_lengthen_a_kernel_that_waits() -> None:
    waiting = {
        "inst_issued": 1e6, "warps": 1e4, "sm_count": 100.0, "stall_long_scoreboard": 30.0, "global_load_inst": 1e4,
        "occupancy_theoretical_pct": 100.0, "device_max_warps_per_sm": 64.0, "sm_cycles_elapsed": 4.85e3,
    }  # fmt: skip
    fill = (filling(1250, 1e4, 100, 64), filling(1250, 1e4, 100, 32))
    assert moved(H200, H100, fill, **waiting).ratio == pytest.approx(2, rel=0.1)


percent = st.floats(0, 98)
some = st.tuples(percent, percent, percent, percent, percent)


def numbers(dram: float, l2: float, issue: float, l1: float, fp64: float) -> dict[str, float]:
    return {
        "dram_pct": dram, "l2_served_pct": l2, "issue_pct": issue, "l1_wavefronts_pct": l1, "pipe_fp64_pct": fp64,
        "sm_active_ratio": 1.2,
    }  # fmt: skip


@given(some)
def test_on_the_same_card_it_takes_the_same_time(drawn: tuple[float, ...]) -> None:
    found = moved(H200, H200, **numbers(*drawn))
    assert (found.low, found.ratio, found.high) == pytest.approx((1, 1, 1), abs=1e-9)


@given(some)
def test_a_card_with_every_rate_doubled_is_never_slower(drawn: tuple[float, ...]) -> None:
    found = moved(H200, doubled(H200), **numbers(*drawn))
    assert found.low <= found.ratio <= found.high <= 1 + 1e-9


@given(st.integers(1, 10_000), st.integers(1, 32), st.integers(1, 200), st.integers(1, 200))
def test_more_sms_never_give_the_busiest_one_more_to_do(grid: int, warps: int, few: int, more: int) -> None:
    few, more = sorted((few, more))
    one, other = (filling(grid, grid * warps, sms, 32) for sms in (few, more))
    assert other.imbalance * grid / more <= one.imbalance * grid / few * (1 + 1e-9)
    assert other.rounds <= one.rounds * (1 + 1e-9)


@given(some, st.sampled_from(gpus.ids()))
def test_the_range_holds_the_estimate_and_the_needs_are_shares(drawn: tuple[float, ...], card: str) -> None:
    found = moved(H200, gpus.gpu(card), **numbers(*drawn))
    assert 0 < found.low <= found.ratio <= found.high
    assert all(need >= 0 for need in found.needs.values())
