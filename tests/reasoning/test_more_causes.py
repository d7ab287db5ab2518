"""Causes that only the algorithm's own numbers or the opcodes tell, and what keeps each apart from its neighbour."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.reasoning.diagnose import analyse_numbers

MB = 1_000_000.0


def ids(values: dict[str, Any]) -> list[str]:
    """The diagnoses of one launch with these numbers and answers, first things first."""
    return [f.id for f in analyse_numbers(values).diagnosis.launches[0].findings if f.kind == "diagnosis"]


def gain(values: dict[str, Any], found: str) -> float:
    findings = analyse_numbers(values).diagnosis.launches[0].findings
    speedup = next(f.speedup for f in findings if f.id == found)
    assert speedup is not None
    return speedup.estimate


def memory(asked: float, moved: float, least: float, **more: Any) -> dict[str, Any]:
    """A launch at 88 % of DRAM; numbers in MB of what is asked for, moved and needed."""
    return {
        "global_sectors_ideal": asked * MB / 32,
        "dram_bytes": moved * MB,
        "theoretical_bytes": least * MB,
        "dram_pct": 88.0,
        "l2_pct": 40.0,
        "memory_throughput_pct": 88.0,
        "duration_ns": 1e6,
        **more,
    }


WALK = memory(8000, 8000, 1000)
STENCIL = memory(14_000, 6000, 2000)
CHAIN = memory(3000, 3000, 1000)


def test_passes_over_a_matrix_larger_than_l2_are_poor_cache_reuse_once_the_author_says_so() -> None:
    found = ids({**WALK, "reads_again": "yes"})
    assert "poor_cache_reuse" in found
    assert "excess_traffic" not in found


def test_where_every_access_misses_only_the_author_tells_passes_from_temporaries() -> None:
    launch = analyse_numbers(WALK).diagnosis.launches[0]
    assert "excess_traffic" in [f.id for f in launch.findings]
    assert "poor_cache_reuse" not in [f.id for f in launch.findings]
    assert "poor_cache_reuse" in next(q.would_change for q in launch.questions if q.id == "reads_again")
    assert "excess_traffic" in ids({**CHAIN, "reads_again": "no"})


def test_some_hits_prove_the_reuse_without_asking() -> None:
    assert "poor_cache_reuse" in ids(memory(12_000, 8000, 1000))
    assert "excess_traffic" in ids(memory(12_000, 8000, 1000, reads_again="no"))


def test_a_stencil_whose_caches_serve_most_of_what_is_read_again_has_excess_traffic() -> None:
    for answer in ({}, {"reads_again": "yes"}):
        found = ids({**STENCIL, **answer})
        assert "excess_traffic" in found
        assert "poor_cache_reuse" not in found


def test_a_stencil_whose_caches_serve_all_that_is_read_again_has_neither() -> None:
    found = ids(memory(14_000, 2100, 2000, reads_again="yes"))
    assert not {"excess_traffic", "poor_cache_reuse"} & set(found)


@pytest.mark.parametrize("values", [{**WALK, "reads_again": "yes"}, CHAIN])
def test_the_bytes_that_go_are_the_gain_and_no_more(values: dict[str, Any]) -> None:
    found = ids(values)[0]
    assert 1.5 < gain(values, found) <= values["dram_bytes"] / values["theoretical_bytes"]


DOUBLES = {
    "wide_access_share": 1.0,
    "fp64_inst": 900.0,
    "fp32_inst": 0.0,
    "f64_conversion_inst": 0.0,
    "inst_executed": 5000.0,
    "dram_pct": 86.0,
    "l2_pct": 50.0,
    "memory_throughput_pct": 86.0,
    "pipe_xu_pct": 1.0,
    "pipe_fp64_pct": 6.0,
    "pipe_fma_pct": 3.0,
    "pipe_alu_pct": 5.0,
    "duration_ns": 1e5,
}


def test_arrays_of_doubles_are_a_fault_only_where_single_precision_is_meant() -> None:
    assert "fp64_unintended" not in ids(DOUBLES)
    assert "fp64_unintended" not in ids({**DOUBLES, "intended_dtype": "f64"})
    assert ids({**DOUBLES, "intended_dtype": "f32"})[0] == "fp64_unintended"
    assert 1.4 < gain({**DOUBLES, "intended_dtype": "f32"}, "fp64_unintended") <= 2.01


def test_wide_accesses_of_a_kernel_that_converts_are_no_doubles() -> None:
    floats = {**DOUBLES, "f64_conversion_inst": 300.0, "intended_dtype": "f32"}
    assert "fp64_unintended" not in ids(floats)
    assert analyse_numbers(floats).diagnosis.launches[0].metrics["double_data_share"] == 0


PRODUCT = {
    "inst_executed": 1000.0,
    "half_math_inst": 0.0,
    "half_widen_inst": 0.0,
    "ffma_inst": 600.0,
    "tensor_inst": 0.0,
    "loaded_bytes": 100 * MB,
    "dram_bytes": MB,
    "pipe_tensor_pct": 0.0,
    "pipe_fma_pct": 75.0,
    "pipe_alu_pct": 10.0,
    "pipe_fp64_pct": 0.0,
    "pipe_xu_pct": 0.0,
    "issue_pct": 85.0,
    "lsu_pct": 40.0,
    "l1_requests_pct": 40.0,
    "l1_wavefronts_pct": 60.0,
    "memory_throughput_pct": 60.0,
    "dram_pct": 5.0,
    "l2_pct": 10.0,
    "device_cc_major": 9.0,
    "duration_ns": 1e6,
}
HALF = {**PRODUCT, "half_math_inst": 600.0, "ffma_inst": 0.0}


def test_an_fp32_product_of_matrices_stays_on_plain_cores_unless_tf32_or_half_is_allowed() -> None:
    assert "tensor_cores_unused" not in ids(PRODUCT)
    assert "tensor_cores_unused" not in ids({**PRODUCT, "intended_dtype": "f32"})
    assert ids({**PRODUCT, "intended_dtype": "tf32"})[0] == "tensor_cores_unused"
    assert ids({**PRODUCT, "intended_dtype": "f16"})[0] == "tensor_cores_unused"
    assert "tensor_cores_unused" not in ids({**PRODUCT, "intended_dtype": "tf32", "device_cc_major": 7.0})


def test_a_half_product_of_matrices_belongs_on_tensor_cores() -> None:
    assert ids(HALF)[0] == "tensor_cores_unused"
    assert gain(HALF, "tensor_cores_unused") > 2


@pytest.mark.parametrize(
    "changed",
    [
        {"tensor_inst": 40.0},
        {"loaded_bytes": 2 * MB},
        {"half_math_inst": 40.0},
        {"dram_pct": 90.0, "memory_throughput_pct": 90.0},
        {"device_cc_major": 6.0},
    ],
    ids=["tensor cores run", "elementwise", "constants", "DRAM carries the time", "no tensor cores"],
)
def test_half_arithmetic_that_tensor_cores_would_not_help_is_left_alone(changed: dict[str, float]) -> None:
    assert "tensor_cores_unused" not in ids({**HALF, **changed})


def test_halves_widened_for_fp32_multiply_adds_belong_on_tensor_cores_too() -> None:
    widened = {**PRODUCT, "ffma_inst": 200.0, "half_widen_inst": 400.0}
    assert "tensor_cores_unused" in ids(widened)
    assert "tensor_cores_unused" not in ids({**widened, "loaded_bytes": MB})


APART = {
    "fmul_inst": 480.0,
    "fadd_inst": 480.0,
    "ffma_inst": 0.0,
    "fp32_inst": 960.0,
    "dmul_inst": 0.0,
    "dadd_inst": 0.0,
    "dfma_inst": 0.0,
    "fp64_inst": 0.0,
    "hmul2_inst": 0.0,
    "hadd2_inst": 0.0,
    "hfma2_inst": 0.0,
    "half_math_inst": 0.0,
    "half_inst": 0.0,
    "tensor_inst": 0.0,
    "fma_pipe_inst": 970.0,
    "inst_executed": 1000.0,
    "pipe_tensor_pct": 0.0,
    "pipe_fma_pct": 93.0,
    "pipe_alu_pct": 3.0,
    "pipe_fp64_pct": 0.0,
    "pipe_xu_pct": 0.0,
    "issue_pct": 96.0,
    "memory_throughput_pct": 3.0,
    "lanes_active": 32.0,
    "duration_ns": 1e6,
}


def test_multiply_and_add_kept_apart_at_a_full_pipe_cost_nearly_half_the_time() -> None:
    assert ids(APART)[0] == "unfused_multiply_add"
    assert 1.7 < gain(APART, "unfused_multiply_add") <= 1 / (1 - 480 / 970)


@pytest.mark.parametrize(
    "changed",
    [
        {"fmul_inst": 200.0, "fadd_inst": 200.0, "ffma_inst": 500.0},
        {"fmul_inst": 900.0, "fadd_inst": 20.0},
        {"pipe_fma_pct": 28.0, "issue_pct": 45.0, "pipe_xu_pct": 97.0},
        {"memory_throughput_pct": 98.0},
    ],
    ids=["fused where it can be", "products without sums", "XU leads", "memory leads"],
)
def test_multiplications_beside_additions_are_not_always_a_fault(changed: dict[str, float]) -> None:
    assert "unfused_multiply_add" not in ids({**APART, **changed})


def test_only_the_part_that_can_be_fused_is_promised() -> None:
    uneven = {**APART, "fmul_inst": 360.0, "fadd_inst": 600.0}
    assert gain(uneven, "unfused_multiply_add") == pytest.approx(1 / (1 - 360 / 970), abs=0.12)


def test_double_multiply_and_add_count_against_the_double_pipe() -> None:
    doubles = {
        **APART,
        **dict.fromkeys(("fmul_inst", "fadd_inst", "fp32_inst"), 0.0),
        "dmul_inst": 400.0,
        "dadd_inst": 400.0,
        "fp64_inst": 800.0,
        "pipe_fma_pct": 2.0,
        "pipe_fp64_pct": 95.0,
        "issue_pct": 50.0,
    }
    assert ids(doubles)[0] == "unfused_multiply_add"
    assert "unfused_multiply_add" not in ids({**doubles, "dfma_inst": 500.0})


PARAMETERS = {
    "uniform_load_inst": 980.0,
    "uniform_load_bytes": 3920.0,
    "global_load_inst": 990.0,
    "global_store_inst": 10.0,
    **dict.fromkeys(("shared_load_inst", "shared_store_inst", "local_load_inst", "local_store_inst"), 0.0),
    "local_inst": 0.0,
    "ffma_inst": 990.0,
    "dfma_inst": 0.0,
    "half_inst": 0.0,
    "tensor_inst": 0.0,
    "inst_executed": 4000.0,
    "shared_wavefront_ratio": 1.0,
    "shared_wavefront_share": 0.0,
    "l2_load_bytes": 1300.0,
    "dram_read_bytes": 1250.0,
    "l1_wavefronts_pct": 70.0,
    "l1_requests_pct": 88.0,
    "lsu_pct": 88.0,
    "dram_pct": 12.0,
    "l2_pct": 15.0,
    "pipe_tensor_pct": 0.0,
    "pipe_fma_pct": 30.0,
    "pipe_alu_pct": 10.0,
    "pipe_fp64_pct": 0.0,
    "pipe_xu_pct": 0.0,
    "issue_pct": 40.0,
    "memory_throughput_pct": 88.0,
    "duration_ns": 1e6,
}


def test_parameters_loaded_by_every_lane_in_a_loop_come_before_the_full_load_path() -> None:
    found = ids(PARAMETERS)
    assert found[0] == "uniform_global_loads"
    assert "lsu_saturation" not in found


def test_an_element_of_a_matrix_for_all_lanes_is_no_parameter() -> None:
    # A product of matrices without tiles: half of its loads are alike, but each warp's are others, and come from L2.
    product = {**PARAMETERS, "uniform_load_inst": 500.0, "uniform_load_bytes": 2000.0, "l2_load_bytes": 4000.0}
    found = ids({**product, "dram_read_bytes": 100.0})
    assert "uniform_global_loads" not in found
    assert "lsu_saturation" in found


def test_uniform_loads_cost_nothing_where_another_unit_leads() -> None:
    assert "uniform_global_loads" not in ids({**PARAMETERS, "dram_pct": 91.0, "memory_throughput_pct": 91.0})


def test_uniform_loads_that_all_go_to_one_slice_of_l2_are_found_by_that_slice() -> None:
    slice_ = {**PARAMETERS, "l2_load_bytes": 40_000.0, "l2_slice_sectors_max": 90_000.0, "l2_slice_sectors_avg": 3000.0}
    quiet = {**slice_, "lsu_pct": 4.0, "l1_requests_pct": 4.0, "l1_wavefronts_pct": 4.0, "l2_pct": 3.0}
    quiet |= {"memory_throughput_pct": 4.0, "dram_pct": 1.0, "l2_atomic_max_pct": 0.0, "l2_atomic_pct": 0.0}
    assert "uniform_global_loads" in ids(quiet)
    assert "uniform_global_loads" not in ids({**quiet, "l2_slice_sectors_max": 3100.0})
