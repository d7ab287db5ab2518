"""Library kernels whose integer work is their purpose are no case of index arithmetic."""

from __future__ import annotations

import pytest

from advisor.knowledge.libraries import draws_random_numbers, is_element_wise, works_on_integers
from advisor.reasoning.diagnose import analyse_numbers

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
    found = draws_random_numbers(kernel), works_on_integers(kernel), is_element_wise(kernel)
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
