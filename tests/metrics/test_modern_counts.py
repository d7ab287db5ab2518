"""Counts that tell the causes of newer kernels apart, and the order of causes on recordings of several GPUs."""

from __future__ import annotations

import math

import pytest
from bench.recording.place import launches

from advisor.practice.manifest import exercise, recorded_in
from advisor.reasoning.diagnose import analyse_numbers
from advisor.reasoning.metrics.instruction_mix import count


@pytest.mark.parametrize(
    ("opcode", "metrics"),
    [
        ("LDG.E.STRONG.SYS", {"strong_load_inst"}),
        ("LDG.E.64.STRONG.GPU", {"strong_load_inst"}),
        ("LDG.E.CONSTANT", {"read_only_load_inst"}),
        ("ATOMG.E.CAS.STRONG.GPU", {"global_swap_inst", "atomic_inst"}),
        ("ATOMG.E.ADD.STRONG.GPU", {"atomic_inst"}),
        ("ATOMS.CAST.SPIN", {"shared_swap_inst", "shared_atomic_inst", "atomic_inst"}),
        ("ATOMS.ADD", {"shared_atomic_inst", "atomic_inst"}),
        ("MUFU.RCP64H", {"double_seed_inst", "mufu_inst", "xu_inst"}),
        ("MUFU.RCP", {"mufu_inst", "xu_inst"}),
        ("FCHK", {"division_check_inst", "float_test_inst", "xu_inst"}),
        ("UBLKCP.S.G", {"bulk_copy_inst", "async_copy_inst"}),
        ("UBLKPF", {"async_copy_inst"}),
        ("MEMBAR.SC.GPU", {"fence_inst"}),
        ("ERRBAR", set()),
        ("CALL.REL.NOINC", {"call_inst", "control_inst"}),
        ("RET.REL.NODEC", {"control_inst"}),
        ("HMMA.16816.F32", {"warp_mma_inst", "tensor_inst"}),
        ("HGMMA.64x128x16.F32", {"warpgroup_inst", "tensor_inst"}),
        ("IADD3.X", {"carry_inst", "integer_inst"}),
        ("IMAD.WIDE.U32.X", {"carry_inst", "integer_inst", "fma_pipe_inst"}),
        ("IMAD.HI.U32.X", {"carry_inst", "high_product_inst", "integer_inst", "fma_pipe_inst"}),
        ("F2I.FTZ.NTZ", {"nearest_integer_inst", "conversion_inst", "xu_inst"}),
        ("F2I.TRUNC.NTZ", {"conversion_inst", "xu_inst"}),
        ("F2I.FLOOR.NTZ", {"conversion_inst", "xu_inst"}),
        ("F2I.FTZ.U32.TRUNC.NTZ", {"conversion_inst", "xu_inst"}),
        ("I2FP.F32.S32", {"float_of_integer_inst"}),
        ("I2F.S8", {"float_of_integer_inst", "byte_conversion_inst", "conversion_inst", "xu_inst"}),
        ("I2F.U16", {"float_of_integer_inst", "conversion_inst", "xu_inst"}),
        ("IMAD.WIDE.U32", {"integer_inst", "fma_pipe_inst"}),
    ],
)
def test_an_execution_counts_to_these_metrics(opcode: str, metrics: set[str]) -> None:
    found = count({opcode: 3.0, "NOP.X": 0.0})
    assert {name for name, number in found.items() if number == 3} == metrics


def test_without_modifiers_what_they_would_tell_is_unknown() -> None:
    found = count({"LDG": 5.0, "ATOMG": 1.0, "ATOMS": 1.0, "MUFU": 1.0, "MEMBAR": 1.0, "IADD3": 1.0})
    for name in ("strong_load_inst", "global_swap_inst", "shared_swap_inst", "double_seed_inst", "carry_inst"):
        assert math.isnan(found[name])
    assert found["fence_inst"] == 1


# The numbers that decide each cause, and the one of them without which it must not be concluded.
DECIDING = {
    "fence_stalls": (
        {"stall_membar_pct": 60, "compute_pct": 10, "memory_pct": 30, "fence_inst": 9},
        "stall_membar_pct",
    ),
    "partial_warps": ({"block_size": 33, "issue_pct": 90, "compute_pct": 90}, "block_size"),
    "call_overhead": ({"call_inst": 800, "inst_executed": 10000}, "call_inst"),
    "spin_lock": (
        {"global_swap_inst": 5000, "warps": 100, "inst_executed": 60000, "compute_pct": 10, "memory_pct": 20},
        "global_swap_inst",
    ),
}


@pytest.mark.parametrize("cause", DECIDING)
def test_a_missing_number_concludes_nothing(cause: str) -> None:
    numbers, deciding = DECIDING[cause]
    (whole,) = analyse_numbers(numbers).diagnosis.launches
    (less,) = analyse_numbers({k: v for k, v in numbers.items() if k != deciding}).diagnosis.launches
    assert cause in {f.id for f in whole.findings} and cause not in {f.id for f in less.findings}


def test_the_first_gpu_with_a_recording_counts() -> None:
    assert recorded_in(exercise("few-bin-histogram")).name == "h200"
    assert recorded_in(exercise("station-log")).name == "h100"


def test_launches_of_a_report_belong_to_its_jobs_in_order() -> None:
    jobs = [
        {"exercise": "a", "step": "slow", "profiled": 2, "failure": None},
        {"exercise": "a", "step": "wrong", "profiled": 0, "failure": {"kind": "crashed"}},
        {"exercise": "a", "step": "library", "profiled": None, "failure": None},
    ]
    assert launches(jobs) == {("a", "slow"): (0, 1), ("a", "library"): (2,)}
