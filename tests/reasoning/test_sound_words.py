"""What a reader checks first: advice for the kind of kernel, profiles that can be, the clock of the roofs."""

from __future__ import annotations

from typing import Any

from advisor.knowledge.units import compute_units, memory_units
from advisor.reasoning.diagnose import analyse_numbers
from advisor.view.charts.roofline import clock_note

LOADS = {"memory_inst": 400, "ffma_inst": 400, "inst_executed": 2000, "memory_pct": 70, "lsu_pct": 70}


def per_fma(**numbers: float) -> str:
    launch = analyse_numbers({**LOADS, **numbers}).diagnosis.launches[0]
    return next((q.says for q in launch.quantities if q.id == "memory_instructions_per_fma"), "")


def test_register_tiles_are_named_only_where_operands_are_used_many_times() -> None:
    assert "register tiles" in per_fma(loaded_bytes=1e6, dram_bytes=1e4)
    once = per_fma(loaded_bytes=1e4, dram_bytes=1e4)
    assert once and "register tiles" not in once


def test_a_flip_changes_a_unit_and_not_the_maximum_of_all(tour: Any) -> None:
    """Memory at 80 % without a part of it at 80 % is no profile."""
    seen = 0
    for position, launch in enumerate(tour.diagnosis.launches):
        for flip in tour.flips(position):
            assert flip.metric not in ("memory_pct", "compute_pct"), launch.kernel
            if flip.metric in (*memory_units(), *compute_units()):
                seen += 1
    assert seen > 10


def test_the_roofs_say_that_the_clock_was_lower(tour: Any) -> None:
    assert clock_note(tour.diagnosis.launches[:1]) == ""
    slow = analyse_numbers({"sm_clock_hz": 0.59e9, "device_clock_hz": 1.59e9}).diagnosis.launches[0]
    assert "37 % of it" in clock_note([slow])


def test_what_ncu_shows_is_said_where_it_differs() -> None:
    def said(**numbers: float) -> bool:
        notes = analyse_numbers(numbers).diagnosis.launches[0].verdict.notes
        return any("ncu's page shows SM 64.6 %" in note for note in notes)

    ncu = {"sm_throughput_pct": 64.6, "memory_throughput_pct": 9.3, "pipe_alu_pct": 3, "pipe_fma_pct": 4, "lsu_pct": 5}
    assert said(**ncu, issue_pct=36.2, adu_pct=64.6)
    assert not said(**ncu, issue_pct=64.6)


def test_a_class_does_not_blame_warps_where_sms_have_no_work() -> None:
    notes = (
        analyse_numbers({"compute_pct": 48, "memory_pct": 20, "issue_active": 0.97}).diagnosis.launches[0].verdict.notes
    )
    assert any("SMs without work" in note for note in notes)


def test_a_matrix_product_is_not_told_to_fuse_elementwise_kernels() -> None:
    moved = {"dram_bytes": 2e9, "theoretical_bytes": 1e7, "dram_pct": 80, "memory_pct": 80, "inst_executed": 1e6}

    def fix(**numbers: float) -> str:
        launch = analyse_numbers({**moved, **numbers}).diagnosis.launches[0]
        found = next(f for f in launch.findings if f.id == "excess_traffic")
        return found.fix.id if found.fix is not None else ""

    assert fix(tensor_inst=1e5) == "larger_operand_tiles"
    assert fix(tensor_inst=0) == "reuse_data"
