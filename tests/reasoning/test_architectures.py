"""The constants of the time model by architecture: sourced, and none of one architecture used for all."""

from __future__ import annotations

import math
from statistics import median

import numpy as np
import pandas as pd
import pytest

from advisor.hardware import gpus
from advisor.knowledge.base import catalog
from advisor.knowledge.time_model import (
    LEVELS,
    OTHER,
    block_launch_ceiling,
    dram_ceiling,
    latencies,
    time_model,
)
from advisor.reasoning.analysis import Analysis
from advisor.reasoning.diagnose import analyse_frame, analyse_numbers
from advisor.reasoning.enrich import add_base
from advisor.reasoning.inputs import Inputs
from advisor.reasoning.other_gpu.rates import matrix_peak
from advisor.reasoning.time_model.terms import needs
from advisor.records.readings import ReportInfo

TABLES = ("latency_cycles", "block_launch", "dram_ceiling")


@pytest.mark.parametrize("table", TABLES)
def test_each_entry_is_a_known_architecture_with_sources(table: str) -> None:
    for cc, entry in getattr(time_model(), table).items():
        assert cc in gpus.table().capabilities or cc == OTHER, cc
        assert entry.cites and all(catalog().cite(key) for key in entry.cites), cc


def test_the_assumption_for_all_others_is_the_middle_of_the_measured_architectures() -> None:
    model = time_model()
    for table, names, tolerance in ((model.latency_cycles, LEVELS, 0.02), (model.dram_ceiling, ("read", "copy"), 0.01)):
        for name in names:
            measured = [v for cc, entry in table.items() if cc != OTHER and (v := getattr(entry, name)) is not None]
            assert getattr(table[OTHER], name) == pytest.approx(median(measured), rel=tolerance), name


def test_the_levels_lie_in_order_on_every_architecture() -> None:
    for cc in (*gpus.table().capabilities, ""):
        cycles = latencies(cc)
        assert max(cycles["l1"], cycles["shared"]) < cycles["l2"] < cycles["dram"], cc
        assert dram_ceiling(cc)["copy"] <= dram_ceiling(cc)["read"] <= 100, cc


def test_the_launch_rate_of_an_architecture_that_nobody_measured_is_unknown() -> None:
    assert block_launch_ceiling("9.0") == 0.83
    assert block_launch_ceiling("8.0") is None
    assert block_launch_ceiling("") is None


def base(name: str, cc: str) -> pd.DataFrame:
    nothing = {"kernel_full": ["k"], "rules": [()], "opcodes": [None], "report": [0]}
    frame, _ = add_base(pd.DataFrame({"gpu_name": [name], "cc": [cc], **nothing}), (), None)
    return frame


def test_a_launch_has_the_constants_of_its_own_architecture() -> None:
    h200, ada, thor = base("NVIDIA H200", "9.0"), base("NVIDIA GeForce RTX 4090", "8.9"), base("NVIDIA Thor", "11.0")
    assert h200["dram_latency_cycles"][0] == 700
    assert ada["dram_latency_cycles"][0] == 636
    assert ada["dram_copy_ceiling_pct"][0] == 91
    assert math.isnan(ada["block_launch_ceiling"][0])
    assert thor["l2_latency_cycles"][0] == latencies(OTHER)["l2"]


def test_a_shorter_latency_leaves_more_of_the_same_wait_to_the_queue() -> None:
    """With DRAM saturated, a wait beyond the unloaded latency is queueing: it shrinks with the traffic."""
    numbers = {
        "dram_pct": 92.0,
        "inst_issued": 1e6,
        "inst_executed": 1e6,
        "warps": 1e4,
        "global_load_inst": 1e4,
        "l1_hit_pct": 0.0,
        "l2_hit_pct": 0.0,
        "stall_long_scoreboard": 20.0,
        "sm_count": 100.0,
        "occupancy_theoretical_pct": 100.0,
        "device_max_warps_per_sm": 64.0,
        "sm_cycles_elapsed": 1e5,
    }
    columns = {name: np.array([value, value]) for name, value in numbers.items()}
    columns |= {"dram_latency_cycles": np.array([460.0, 860.0])}
    memory = needs(columns, 2).terms["latency_memory"]
    assert memory[0] / memory[1] == pytest.approx(460 / 860)


def test_the_block_launch_rate_concludes_nothing_where_the_limit_is_unknown() -> None:
    numbers = {"blocks_per_cycle": 0.8, "waves": 200.0, "duration_ns": 5e6, "dram_pct": 20.0}
    named = {gpu: analyse_numbers(numbers, gpu=gpu).diagnosis.launches[0] for gpu in ("H200-SXM", "A100-SXM-80GB")}
    found = {gpu: {f.id for f in launch.findings} for gpu, launch in named.items()}
    assert "block_launch_rate" in found["H200-SXM"]
    assert "block_launch_rate" not in found["A100-SXM-80GB"]


def analysed(opcodes: dict[str, float], name: str = "NVIDIA H200", cc: str = "9.0", **numbers: float) -> Analysis:
    row = {"kernel": "k", "kernel_full": "k", "gpu_name": name, "cc": cc, "report": 0, "index": 0, **numbers}
    frame = pd.DataFrame([{**row, "grid": None, "block": None, "opcodes": opcodes, "accesses": None, "rules": ()}])
    info = ReportInfo(path="report", sha256="", tool="ncu", format="ncu-rep")
    return analyse_frame(catalog(), Inputs(frame, (info,), None, {}))


def with_opcodes(opcodes: dict[str, float]) -> dict[str, float]:
    return dict(analysed(opcodes).diagnosis.launches[0].metrics)


def test_the_operations_of_matrix_instructions_follow_from_their_shapes() -> None:
    found = with_opcodes({"HMMA.16816.F32": 10.0, "HGMMA.64x256x16.F32": 4.0, "FFMA": 100.0})
    assert found["tensor_inst"] == 14
    assert found["tensor_ops"] == 2 * (10 * 2048 + 64 * 256 * 16)
    assert with_opcodes({"FFMA": 100.0})["tensor_ops"] == 0


def test_the_operations_are_unknown_where_one_shape_is() -> None:
    assert "tensor_ops" not in with_opcodes({"UTCHMMA": 10.0, "HMMA.16816.F32": 10.0})


def test_the_type_of_the_matrix_work_is_that_of_most_multiply_adds() -> None:
    """Four counted HGMMA of 64 x 256 x 16 are the work of 128 HMMA.16816: the count alone names the wrong type."""
    assert matrix_peak({"QMMA.16832.F32.E4M3.E4M3": 60.0, "HMMA.16816.F32": 100.0}) == "fp8_tensor"
    assert matrix_peak({"HGMMA.64x256x16.F32": 4.0, "IMMA.16832.S8.S8": 60.0}) == "fp16_tensor"
    assert matrix_peak({"OMMA.SF.16864.F32.E2M1.E2M1.UE4M3.4X": 1.0}) == "fp4_tensor"
    assert matrix_peak({"UTCQMMA": 5.0, "FFMA": 900.0}) == "fp8_tensor"
    assert matrix_peak({"FFMA": 9.0}) == ""


@pytest.mark.parametrize(("there", "told"), [("RTX-5090", True), ("B300", False)])
def test_tensor_memory_does_not_move_to_an_architecture_without_it(there: str, told: bool) -> None:
    numbers = {"compute_pct": 90.0, "memory_pct": 30.0, "pipe_tensor_pct": 90.0, "duration_ns": 1e6, "dram_pct": 30.0}
    found = analysed({"UTCHMMA": 10.0, "FFMA": 100.0}, "NVIDIA B200", "10.0", **numbers).on((0,), gpus.gpu(there))
    assert ("tensor_memory_only" in {caveat.id for caveat in found[0].cannot}) == told
