"""What the names of library kernels tell: their purpose decides whether integer work is useful, and which fix suits."""

from __future__ import annotations

import pandas as pd
import pytest
from msgspec import structs

from advisor.knowledge.base import catalog
from advisor.knowledge.libraries import kinds_of
from advisor.knowledge.library_calls import calls_of
from advisor.reasoning.diagnose import analyse_frame, analyse_numbers
from advisor.reasoning.enrich import add_neighbours
from advisor.reasoning.inputs import Inputs, checked_answers
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.records.readings import ReportInfo
from advisor.view.pages.launch import shape_facts

PHILOX = "void at::native::<unnamed>::distribution_elementwise_grid_stride_kernel<float, (int)4, void f(int)>(long)"


@pytest.mark.parametrize(
    ("kernel", "random", "integers", "element_wise"),
    [
        (PHILOX, True, True, False),
        ("void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor>(int)", False, False, True),
        ("void cub::DeviceRadixSortOnesweepKernel<cub::Policy>(int*)", False, True, False),
        ("my_philox_kernel(float*)", False, False, False),  # no library's: its author can change it
    ],
)
def test_the_name_tells_what_a_library_kernel_is_for(
    kernel: str, random: bool, integers: bool, element_wise: bool
) -> None:
    found = tuple(kind in kinds_of(kernel) for kind in ("random_numbers", "integer_work", "element_wise"))
    assert found == (random, integers, element_wise)


# Multiplications and XORs on a state: 500 integer instructions of 1,000, for few stores.
GENERATOR = {"integer_inst": 600, "bit_inst": 200, "inst_executed": 1000, "memory_inst": 20, "compute_pct": 78}
GENERATOR |= {"high_product_inst": 0, "conversion_inst": 0, "mufu_inst": 0, "fp32_inst": 100, "fp64_inst": 0}
GENERATOR |= {"half_inst": 0, "tensor_inst": 0, "memory_pct": 20, "issue_pct": 78, "pipe_alu_pct": 70}
GENERATOR |= {"pipe_fma_pct": 70, "pipe_xu_pct": 2, "pipe_fp64_pct": 0, "pipe_tensor_pct": 0, "lanes_active": 32}


@pytest.mark.parametrize(
    ("numbers", "indices"),
    [
        ({}, False),
        ({"memory_inst": 70}, True),  # eight instructions for each access explain most of them
        ({"high_product_inst": 60}, True),  # divisions by constants do
        ({"conversion_inst": 40, "mufu_inst": 20}, True),  # divisions by variables do
    ],
)
def test_integer_work_that_cannot_compute_addresses_is_no_index_arithmetic(
    numbers: dict[str, float], indices: bool
) -> None:
    (launch,) = analyse_numbers(GENERATOR | numbers).diagnosis.launches
    found = [finding.id for finding in launch.findings]
    assert ("integer_overhead" in found) is indices
    assert indices or found[0] == "near_compute_roofline"


@pytest.mark.parametrize(
    ("kernel", "kinds"),
    [
        ("ampere_sgemm_128x64_nn", {"matrix_product", "plain_product"}),
        (
            "void cutlass::Kernel<cutlass_80_simt_sgemm_128x256_8x4_tt_align1>(T1::Params)",
            {"matrix_product", "plain_product"},
        ),
        (
            "void cutlass::Kernel2<cutlass_75_tensorop_f16_s1688gemm_f16_256x128_nn_align1>(T1::Params)",
            {"matrix_product", "unaligned_product"},
        ),
        ("void cutlass::Kernel<cutlass_80_tensorop_s16816gemm_f16_256x128_32x3>(T1::Params)", {"matrix_product"}),
        ("ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn", {"matrix_product"}),
        ("sgemm_naive(float*, float*)", set()),  # its author can change it
    ],
)
def test_the_name_tells_which_product_a_library_computes(kernel: str, kinds: set[str]) -> None:
    assert {*kinds_of(kernel), *calls_of(kernel)} == kinds


PRODUCT = {"duration_ns": 150e3, "compute_pct": 20, "memory_pct": 15, "eligible_warps": 0.2, "sm_count": 68}
ELEMENTS = "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>(int)"


@pytest.mark.parametrize(
    ("kernel", "numbers", "fix"),
    [
        ("ampere_sgemm_32x32_sliced1x4_tn", {"waves": 0.15, "grid_size": 10}, "fill_gpu_with_tiles"),
        (ELEMENTS, {"waves": 0.15, "grid_size": 10}, "fuse_torch_calls"),
        ("cupy_multiply__float32_float32_float32", {"waves": 0.15, "grid_size": 10}, "fuse_library_calls"),
        ("void cub::DeviceScanKernel<int>(int)", {"waves": 0.15, "grid_size": 10}, "call_library_differently"),
        ("mine(float*)", {"waves": 0.15, "grid_size": 10}, "more_blocks"),
    ],
)
def test_the_fix_of_a_library_kernel_follows_from_what_it_computes(
    kernel: str, numbers: dict[str, float], fix: str
) -> None:
    first = launch_named(kernel, PRODUCT | numbers).findings[0]
    assert first.id == "grid_too_small" and first.fix is not None and first.fix.id == fix


def test_a_full_product_on_the_plain_cores_is_sent_to_the_tensor_cores() -> None:
    full = {"waves": 5, "compute_pct": 69, "issue_pct": 69, "pipe_fma_pct": 60, "pipe_alu_pct": 20, "pipe_xu_pct": 0}
    full |= {"pipe_fp64_pct": 0, "pipe_tensor_pct": 0, "memory_pct": 58, "tensor_inst": 0, "device_cc_major": 8}
    first = launch_named("ampere_sgemm_128x64_nn", full | {"duration_ns": 150e3}).findings[0]
    assert first.id == "near_compute_roofline" and first.fix is not None
    assert first.fix.id == "product_on_tensor_cores"


def launch_named(kernel: str, numbers: dict[str, float]) -> LaunchDiagnosis:
    row = {"report": 0, "index": 0, "kernel": kernel.partition("(")[0], "kernel_full": kernel, "gpu_name": "", "cc": ""}
    row |= {"grid": None, "block": None, "opcodes": None, "accesses": None, "rules": ()}
    info = ReportInfo(path="typed", sha256="", tool="typed", format="numbers")
    inputs = Inputs(pd.DataFrame([row]), (info,), None, {None: checked_answers(catalog(), numbers)})
    return analyse_frame(catalog(), inputs).diagnosis.launches[0]


def test_an_array_that_the_next_element_wise_call_loads_is_a_temporary_one() -> None:
    names = ["cupy_subtract__f_f", "cupy_multiply__f_f", "DeviceScanKernel", "cupy_add__f_f", "cupy_add__f_f", "mine"]
    stored, loaded = [100.0, 100, 100, 50, 50, 0], [10.0, 100, 100, 100, 25, 50]
    frame = pd.DataFrame({"report": 0, "kernel": names, "kernel_full": names, "gpu_name": "", "grid": 1, "block": 1})
    frame = frame.assign(global_store_sectors=stored, global_load_sectors=loaded)
    # The scan can take nothing in, a launch of the same kernel is a later run, and the last kernel is no library's.
    assert add_neighbours(frame)["read_after"].tolist() == [1, 0, 1, 0, 0, 0]
    assert add_neighbours(frame.drop(columns="global_load_sectors"))["read_after"].isna().all()


POOL = "void at::native::<unnamed>::adaptivemaxpool<float>(const T1 *, T1 *, long *, int)"
IDLE = {"duration_ns": 900e3, "lanes_active": 1.2, "dram_pct": 5, "issue_pct": 45, "compute_pct": 45, "memory_pct": 20}


def test_the_cause_of_a_call_is_told_by_its_kernel_and_its_counters() -> None:
    found = launch_named(POOL, IDLE | {"dram_bytes": 2e8, "stall_long_scoreboard_pct": 60}).findings
    pooled = next(f for f in found if f.id == "partial_warps")
    assert pooled.rules == ("partial_warps.torch_adaptive_pool",) and pooled.fix is not None
    assert pooled.fix.id == "reduce_the_plane" and pooled.speedup is not None and pooled.speedup.high > 3
    # The same counters of a kernel of a user's own are no such call.
    assert "partial_warps" not in [f.id for f in launch_named("mine(float*)", IDLE).findings]


def test_a_call_is_named_on_the_page_of_its_launch() -> None:
    facts = {fact.label: fact.text for fact in shape_facts(shaped(launch_named(POOL, IDLE)))}
    assert facts["Call"].startswith("PyTorch's adaptive pooling")
    assert {f.label: f.text for f in shape_facts(shaped(launch_named(ELEMENTS, IDLE)))}["Library"] == "PyTorch"
    assert {f.label for f in shape_facts(shaped(launch_named("mine(float*)", IDLE)))} == {"Launch"}


def shaped(launch: LaunchDiagnosis) -> LaunchDiagnosis:
    return structs.replace(launch, grid=(16, 1, 1), block=(32, 8, 1))
