"""Near a ceiling the fix follows from the instruction mix and the bytes; what cannot matter is no finding."""

from __future__ import annotations

import pytest

from advisor.reasoning.diagnose import analyse_numbers
from advisor.records.diagnosis import Finding

COMPUTE = {
    "pipe_fma_pct": 72,
    "pipe_alu_pct": 9,
    "pipe_fp64_pct": 0,
    "pipe_tensor_pct": 0,
    "pipe_xu_pct": 0,
    "issue_pct": 80,
    "compute_pct": 80,
    "memory_pct": 20,
    "dram_pct": 15,
    "lanes_active": 32,
    "inst_executed": 1000,
    "fp32_inst": 850,
    "fp64_inst": 0,
    "half_inst": 0,
    "tensor_inst": 0,
    "dfma_inst": 0,
    "mufu_inst": 0,
    "integer_inst": 60,
    "bit_inst": 10,
    "shared_load_inst": 0,
    "duration_ns": 400000,
    "library_kernel": 0,
}
MEMORY = {
    "dram_pct": 85,
    "dram_achievable_pct": 87,
    "memory_pct": 85,
    "compute_pct": 15,
    "local_inst": 0,
    "inst_executed": 10000,
    "tensor_inst": 0,
    "fp64_inst": 0,
    "half_inst": 0,
    "access_bits_mean": 128,
    "narrow_access_share": 0,
    "sector_ratio": 1,
    "duration_ns": 400000,
    "library_kernel": 0,
    "double_data_share": 0,
}
GLOBAL = {"dram_pct": 40, "memory_pct": 70, "l1_wavefronts_pct": 70, "compute_pct": 20, "shared_wavefront_share": 0}


def findings(numbers: dict[str, float]) -> dict[str, Finding]:
    return {one.id: one for one in analyse_numbers(numbers).diagnosis.launches[0].findings}


@pytest.mark.parametrize(
    ("mix", "fix"),
    [
        ({"ffma_inst": 840, "fmul_inst": 5, "fadd_inst": 5}, "multiply_adds_only"),
        ({"ffma_inst": 560, "fmul_inst": 250, "fadd_inst": 40}, "fold_factors"),
        ({"ffma_inst": 560, "fmul_inst": 40, "fadd_inst": 250}, "collect_terms"),
        ({"ffma_inst": 600, "fmul_inst": 60, "fadd_inst": 60}, "do_less"),
        ({"ffma_inst": 100, "fmul_inst": 5, "fadd_inst": 5, "pipe_tensor_pct": 88}, "matrix_pipe_full"),
        ({"ffma_inst": 0, "fmul_inst": 0, "fadd_inst": 0, "pipe_fp64_pct": 85, "fp64_inst": 850, "fp32_inst": 0,
          "dfma_inst": 600, "pipe_fma_pct": 5}, "single_where_enough"),
    ],
)  # fmt: skip
def test_near_the_compute_roofline_the_fix_follows_from_the_instructions(mix: dict[str, float], fix: str) -> None:
    found = findings({**COMPUTE, **mix})["near_compute_roofline"]
    assert found.fix is not None and found.fix.id == fix


@pytest.mark.parametrize(
    ("numbers", "fix"),
    [
        # An array in, an array out; the same through shared memory without arithmetic; many values in, few out.
        ({"dram_read_bytes": 5e8, "dram_write_bytes": 5e8, "asked_bytes": 1e9, "fp32_inst": 900}, "fuse_passes"),
        ({"dram_read_bytes": 5e8, "dram_write_bytes": 5e8, "asked_bytes": 1e9, "fp32_inst": 0,
          "shared_store_inst": 400}, "avoid_rearranging"),
        ({"dram_read_bytes": 1e9, "dram_write_bytes": 5e6, "asked_bytes": 1e9}, "combine_where_computed"),
        # Each byte comes once from L2 and is used several times in the SM.
        ({"dram_read_bytes": 1e9, "dram_write_bytes": 5e6, "asked_bytes": 4e9, "l2_load_bytes": 1.02e9},
         "more_per_pass"),
        # The few bytes that a short kernel writes are still in L2.
        ({"dram_read_bytes": 1e9, "dram_write_bytes": 0, "asked_bytes": 1e9, "load_sectors_ideal": 3e7,
          "store_sectors_ideal": 3e7, "fp32_inst": 900}, "fuse_passes"),
    ],
)  # fmt: skip
def test_near_the_memory_roofline_the_fix_follows_from_the_bytes(numbers: dict[str, float], fix: str) -> None:
    moved = numbers["dram_read_bytes"] + numbers["dram_write_bytes"]
    more = {"dram_bytes": moved, "global_sectors_ideal": numbers["asked_bytes"] / 32, "l2_load_bytes": moved / 2}
    counts = {"global_load_inst": 400, "global_store_inst": 400, "shared_store_inst": 0}
    found = findings({**MEMORY, **counts, **more, **numbers})["near_memory_roofline"]
    assert found.fix is not None and found.fix.id == fix


@pytest.mark.parametrize(("stores", "found"), [(2e4, False), (5e5, True)])
def test_scattered_stores_are_a_finding_only_if_their_volume_matters(stores: float, found: bool) -> None:
    sectors = {"load_sectors_actual": 1e6, "load_sectors_ideal": 1e6, "load_sector_ratio": 1.0}
    sectors |= {"store_sectors_actual": 2 * stores, "store_sectors_ideal": stores, "store_sector_ratio": 2.0}
    assert ("uncoalesced_access" in findings({**GLOBAL, **sectors})) == found


@pytest.mark.parametrize(
    ("rate", "dram", "says"), [(0.83, 20, "near the GPU's limit"), (0.55, 20, "66 %"), (0.55, 80, "")]
)
def test_a_launch_rate_is_near_the_limit_only_where_it_is(rate: float, dram: float, says: str) -> None:
    numbers = {"blocks_per_cycle": rate, "block_launch_ceiling": 0.83, "waves": 200, "dram_pct": dram}
    found = findings({**numbers, "dram_achievable_pct": 87, "memory_pct": dram, "compute_pct": 10})
    assert ("block_launch_rate" in found) == bool(says)
    if says:
        assert says in found["block_launch_rate"].because


@pytest.mark.parametrize(
    ("numbers", "first"),
    [
        ({"waves": 0.06, "compute_pct": 1, "memory_pct": 7}, "grid_too_small"),
        ({"active_warps": 1, "issue_active": 0.25, "compute_pct": 26, "memory_pct": 30}, "instruction_latency"),
        ({"l2_atomic_max_pct": 60, "l2_atomic_pct": 18, "compute_pct": 1, "memory_pct": 29}, "atomic_contention"),
        ({"sm_throughput_pct": 87, "memory_throughput_pct": 33, "compute_pct": 87, "memory_pct": 33,
          "compute_from_breakdown": 0}, "near_compute_roofline"),
    ],
)  # fmt: skip
def test_the_default_set_alone_concludes_but_not_with_high_confidence(numbers: dict[str, float], first: str) -> None:
    found = next(iter(findings({**numbers, "duration_ns": 400000}).values()))
    assert found.id == first and found.confidence < 0.8
