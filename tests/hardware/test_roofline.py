"""Intensity, ridge, expected bound and floors; and what a measured launch says against them."""

from __future__ import annotations

import math

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.hardware import algorithms
from advisor.hardware.gpus import from_device, gpu, ids
from advisor.hardware.roofline import estimate
from advisor.reasoning.napkin import check
from advisor.records.errors import UsageError


def test_a_large_gemm_is_compute_bound_and_its_floor_is_flop_over_peak() -> None:
    result = estimate("gemm", {"m": 4096, "n": 4096, "k": 4096}, dtype="f32", gpu_name="H100-SXM")
    assert round(result.intensity, 1) == 682.7
    assert result.bound == "compute"
    assert result.expected is not None
    assert result.expected.term == "flop"
    assert round(result.expected.ridge, 1) == 20.0
    assert result.floor_ns == pytest.approx(2 * 4096**3 / 66.9e12 * 1e9)
    assert result.tensor is None  # fp32 has no tensor rate


def test_a_reduction_is_memory_bound_and_its_floor_is_bytes_over_bandwidth() -> None:
    result = estimate("reduction", {"n": 1e9}, gpu_name="A100-SXM-80GB")
    assert result.intensity == 0.25
    assert result.bound == "memory"
    assert result.floor_ns == pytest.approx(4e9 / 2039e9 * 1e9)
    assert result.achievable_ns == pytest.approx(result.floor_ns / 0.9)


def test_tensor_cores_turn_compute_bound_work_memory_bound() -> None:
    result = estimate("gemm", {"m": 512, "n": 512, "k": 512}, dtype="f16", gpu_name="H200")
    assert result.plain is not None
    assert result.tensor is not None
    assert result.plain.bound == "compute"
    assert result.tensor.bound == "memory"
    assert result.cores == "tensor"
    assert "tensor_turns_memory" in [note.id for note in result.notes]


def test_the_data_type_doubles_the_intensity_and_moves_the_ridge() -> None:
    single = estimate("gemm", dtype="f32", gpu_name="V100-SXM2")
    half = estimate("gemm", dtype="f16", gpu_name="V100-SXM2", cores="plain")
    assert half.intensity == pytest.approx(2 * single.intensity)
    assert half.expected is not None
    assert single.expected is not None
    assert half.expected.ridge == pytest.approx(2 * single.expected.ridge, rel=0.01)


def test_work_without_the_shape_of_a_matrix_product_has_no_tensor_roof() -> None:
    result = estimate("softmax", dtype="f16", gpu_name="H200")
    assert result.tensor is None
    with pytest.raises(UsageError, match="no fp16 rate on tensor cores for softmax"):
        estimate("softmax", dtype="f16", gpu_name="H200", cores="tensor")


def test_own_numbers_are_taken_to_run_on_plain_cores_unless_told_otherwise() -> None:
    own = {"flop_count": 1e12, "byte_count": 1e9}
    assert estimate("own", own, dtype="f16", gpu_name="H200").cores == "plain"
    assert estimate("own", own, dtype="f16", gpu_name="H200", cores="tensor").cores == "tensor"


def test_the_lbm_kernel_of_12_flop_per_byte_is_compute_bound_in_double_on_a_v100() -> None:
    result = estimate("own", {"flop_count": 12e9, "byte_count": 1e9}, dtype="f64", gpu_name="V100-SXM2")
    assert result.expected is not None
    assert round(result.expected.ridge, 1) == 8.7
    assert result.bound == "compute"


def test_a_type_without_arithmetic_of_its_own_leaves_only_the_bytes() -> None:
    result = estimate("reduction", dtype="i8", gpu_name="L4")
    assert result.expected is None
    assert result.bound == ""
    assert result.floor_ns == result.bytes_ns
    assert "no_rate" in [note.id for note in result.notes]


def test_data_that_fits_the_l2_cache_and_tiny_work_are_pointed_out() -> None:
    notes = [note.id for note in estimate("reduction", {"n": 1e6}, gpu_name="H200").notes]
    assert "fits_l2" in notes
    assert "small" in notes
    assert estimate("reduction", {"n": 1e9}, gpu_name="H200").notes == ()


def test_only_a_minimum_that_dram_sets_can_be_undercut_from_l2() -> None:
    small = {"m": 256, "n": 256, "k": 256}
    plain = estimate("gemm", small, dtype="f32", gpu_name="H100-SXM")
    assert plain.bound == "compute" and "fits_l2" not in [note.id for note in plain.notes]
    tensor = estimate("gemm", small, dtype="f16", gpu_name="H100-SXM")  # memory-bound on tensor cores
    assert tensor.bound == "memory" and "fits_l2" in [note.id for note in tensor.notes]


def test_measured_ceilings_replace_the_usual_ones() -> None:
    usual = estimate("reduction", gpu_name="H200")
    measured = estimate("reduction", gpu_name="H200", ceilings={"memory": 0.5})
    assert measured.floor_ns == usual.floor_ns
    assert measured.achievable_ns == pytest.approx(measured.floor_ns / 0.5)


def test_a_gpu_worked_out_from_a_report_will_do() -> None:
    card = from_device(
        {
            "device_cc_major": 9.0,
            "device_cc_minor": 0.0,
            "device_sm_count": 132.0,
            "device_clock_hz": 1.98e9,
            "device_memory_clock_hz": 3.201e9,
            "device_bus_bits": 6016.0,
        },
        "NVIDIA H999",
    )
    assert estimate("gemm", gpu_name=card).floor_ns == pytest.approx(
        estimate("gemm", gpu_name="H200").floor_ns, rel=0.01
    )


def test_a_gpu_without_a_known_bandwidth_is_refused() -> None:
    with pytest.raises(UsageError, match="bandwidth of H200 SXM is unknown"):
        estimate("gemm", gpu_name=msgspec.structs.replace(gpu("H200"), bandwidth=None))


def test_cores_that_do_not_exist_are_refused() -> None:
    with pytest.raises(UsageError, match="no cores 'ray'"):
        estimate("gemm", gpu_name="H200", cores="ray")


@settings(deadline=None)
@given(
    st.sampled_from(sorted(algorithms.algorithms())),
    st.sampled_from(sorted(algorithms.dtypes())),
    st.sampled_from([name for name in ids() if gpu(name).bandwidth]),
    st.sampled_from(["auto", "plain", "tensor"]),
)
def test_floors_bounds_and_roofs_agree_with_one_another(name: str, dtype: str, card: str, cores: str) -> None:
    try:
        result = estimate(name, dtype=dtype, gpu_name=card, cores=cores)
    except UsageError:
        assert cores != "auto"
        return
    assert 0 < result.bytes_ns <= result.floor_ns <= result.achievable_ns
    for roof in (result.plain, result.tensor):
        if roof:
            assert roof.floor_ns == max(roof.bytes_ns, roof.flop_ns)
            assert roof.term == ("flop" if roof.bound == "compute" else "bytes")
            assert roof.attainable <= roof.peak
            if result.flop:
                assert result.flop / roof.attainable * 1e9 == pytest.approx(roof.floor_ns)


GEMM = estimate("gemm", {"m": 4096, "n": 4096, "k": 4096}, dtype="f32", gpu_name="H200")
SUM = estimate("reduction", {"n": 1e9}, gpu_name="H200")


def found(result: object, **measured: float) -> dict[str, str]:
    return {item.id: item.suggests for item in check(result, measured)}  # type: ignore[arg-type]


def test_an_entry_without_a_known_bandwidth_is_refused() -> None:
    with pytest.raises(UsageError, match="bandwidth of GeForce RTX 5090 Laptop is unknown"):
        estimate("reduction", gpu_name="RTX-5090-Laptop")


def test_a_gemm_that_is_memory_bound_wastes_bytes() -> None:
    assert found(GEMM, memory_pct=80, compute_pct=30) == {"memory_bound_above_ridge": "excess_traffic"}


def test_a_reduction_that_is_memory_bound_is_as_it_should_be() -> None:
    assert found(SUM, memory_pct=92, compute_pct=15, dram_bytes=4.02e9, duration_ns=1.2e6) == {}


def test_a_reduction_that_is_compute_bound_does_needless_work() -> None:
    assert found(SUM, memory_pct=20, compute_pct=85) == {"compute_bound_below_ridge": "redundant_compute"}


def test_a_gemm_that_is_compute_bound_is_as_it_should_be() -> None:
    assert found(GEMM, memory_pct=40, compute_pct=90, duration_ns=2.7e6, flop=2 * 4096**3) == {}


def test_half_as_many_bytes_again_is_excess_traffic() -> None:
    assert found(SUM, dram_bytes=6.1e9) == {"excess_traffic": "excess_traffic"}
    assert found(SUM, dram_bytes=5.9e9) == {}


def test_half_as_many_flop_again_are_redundant() -> None:
    assert found(GEMM, flop=1.6 * 2 * 4096.0**3) == {"redundant_flop": "redundant_compute"}


def test_a_launch_far_from_its_floor_is_told_how_far() -> None:
    (item,) = check(SUM, {"duration_ns": 2.5e6})
    assert item.id == "slower_than_floor"
    assert item.kind == "distance"
    assert dict(item.values)["floor_ratio"] == pytest.approx(2.5e6 / SUM.floor_ns)
    assert "3× the minimum time of 833.3 µs" in item.says


def test_a_launch_below_its_floor_is_a_contradiction() -> None:
    items = check(SUM, {"duration_ns": 400_000})
    # In that time DRAM cannot have moved the stated bytes, either.
    assert {item.id for item in items} == {"traffic_below_minimum", "faster_than_floor"}
    assert {item.kind for item in items} == {"contradiction"}


def test_fewer_bytes_than_the_least_are_a_contradiction_unless_the_cache_held_them() -> None:
    assert found(SUM, dram_bytes=1e9) == {"traffic_below_minimum": ""}
    small = estimate("reduction", {"n": 1e6}, gpu_name="H200")
    assert found(small, dram_bytes=1000.0) == {"traffic_from_cache": ""}
    assert found(small, duration_ns=500.0) == {"faster_from_cache": ""}


def test_unknown_metrics_say_nothing() -> None:
    assert check(GEMM, {}) == ()
    assert (
        check(GEMM, {"memory_pct": math.nan, "compute_pct": 10, "dram_bytes": math.inf, "duration_ns": math.nan}) == ()
    )


@settings(deadline=None)
@given(
    st.dictionaries(st.sampled_from(["memory_pct", "compute_pct", "dram_bytes", "duration_ns", "flop"]), st.floats())
)
def test_no_measurement_however_odd_makes_the_check_fail(measured: dict[str, float]) -> None:
    for item in check(GEMM, measured):
        assert "unknown" not in item.says
