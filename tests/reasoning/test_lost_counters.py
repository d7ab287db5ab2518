"""What contradicts itself is unknown: no class and no factor from lost counters, none beyond a unit at its ceiling."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from advisor.knowledge.base import catalog
from advisor.reasoning.diagnose import analyse, analyse_numbers
from advisor.reasoning.metrics.derive import derive
from advisor.records import resources
from advisor.records.diagnosis import LaunchDiagnosis, first_diagnosis, is_settled
from advisor.view.pages.launch import _unknown

LOST = {"sm_throughput_pct": 0.0, "memory_throughput_pct": 3.08, "dram_pct": 3.26, "duration_ns": 1.59e11}
GRID = {"grid_size": 10, "sm_count": 19, "waves": 0.02, "warps": 20, "device_schedulers_per_sm": 4}


def test_no_compute_at_all_with_lost_cycles_is_unknown() -> None:
    frame = pd.DataFrame([{**LOST, "sm_cycles_elapsed": math.nan}, {**LOST, "sm_cycles_elapsed": 1e9}])
    found = derive(frame)["compute_pct"].to_numpy()
    assert np.isnan(found[0]) and found[1] == 0


def test_nothing_is_concluded_from_it() -> None:
    launch = analyse_numbers({**LOST, "grid_size": 1000, "sm_count": 19, "warps": 2000}).diagnosis.launches[0]
    first = first_diagnosis(launch)
    assert launch.verdict.id == "undetermined"
    assert first is not None and first.speedup is None and first.confidence == 0


def test_the_launch_configuration_alone_shows_idle_sms() -> None:
    """Ten blocks leave 9 of 19 SMs idle, whatever the lost counters were; the confidence says what is unknown."""
    launch = analyse_numbers({**LOST, **GRID}).diagnosis.launches[0]
    assert launch.verdict.id == "undetermined"
    (first,) = (one for one in launch.findings if one.kind == "diagnosis")
    assert first.id == "grid_too_small" and first.confidence < 0.7


def test_a_unit_at_its_ceiling_leaves_no_gain_to_a_fix_that_does_not_relieve_it() -> None:
    """A copy at 90.7 % of the DRAM peak: starting fewer blocks cannot make it 8 % faster."""
    numbers = {"dram_pct": 90.7, "memory_pct": 90.7, "l2_pct": 45, "compute_pct": 12, "blocks_per_cycle": 0.6}
    numbers |= {"block_launch_ceiling": 0.83, "duration_ns": 5e6}
    launch = analyse_numbers(numbers).diagnosis.launches[0]
    for finding in launch.findings:
        if finding.id == "block_launch_rate":
            assert finding.kind == "note" and finding.speedup is not None and finding.speedup.estimate < 1.05


FAILED = """
==ERROR== LaunchFailed
[5043] app@127.0.0.1
  render(float *) (0, 0, 0)x(0, 0, 0), Context 1, Stream 7, Device 0, CC 8.9
    Section: GPU Speed Of Light Throughput
    ----------------------- ------------ ------------
    Metric Name              Metric Unit Metric Value
    ----------------------- ------------ ------------
{rows}
    ----------------------- ------------ ------------
"""
SUMMARY = ("DRAM Frequency", "SM Frequency", "Elapsed Cycles", "Memory Throughput", "DRAM Throughput", "Duration")
SUMMARY += ("L1/TEX Cache Throughput", "L2 Cache Throughput", "SM Active Cycles", "Compute (SM) Throughput")


def test_collected_counters_without_a_value_are_a_failure_and_no_missing_section(tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    path.write_text(FAILED.format(rows="\n".join(f"    {name:23} {'%':>12} {'(!) nan':>12}" for name in SUMMARY)))
    (launch,) = analyse([path]).diagnosis.launches
    first = next(found for found in launch.findings if found.id == "unexplained")
    assert first.fix is not None and first.fix.summary.startswith("The counters failed")
    incomplete = next(found for found in launch.findings if found.id == "report_incomplete")
    assert "failed" in incomplete.because and "not collected" not in incomplete.because
    (unknown,) = (row.text for block in _unknown(launch) for row in block.rows if row.label == "Unknown")
    assert unknown.startswith(f"{len(unknown_causes(launch))} causes are not ruled out"), "no list of all causes"


def unknown_causes(launch: LaunchDiagnosis) -> set[str]:
    named = {name for missing in launch.missing for name in missing.needed_for}
    return named - {found.id for found in launch.findings} - set(catalog().trust)


STALE = {"sm_throughput_pct": 70.0, "compute_pct": 70.0, "memory_pct": 20.0, "dram_pct": 20.0, "duration_ns": 2e6}
STALE |= {"inst_executed": 5e5, "warps": 1e4, "global_load_inst": 1e4}
STALE |= {"global_swap_inst": 0, "strong_load_inst": 0}


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"source_inst_executed": 9e10}, True),
        ({"source_inst_executed": 3.6e5}, True),
        ({"source_inst_executed": 5.1e5}, False),
        ({"source_inst_executed": 2000, "inst_executed": 4000}, False),
        ({"source_inst_executed": 9e5, "global_swap_inst": 4e5}, False),
        ({"source_inst_executed": 9e5, "strong_load_inst": 9e3}, False),
        ({"source_inst_executed": 0}, False),
        ({}, False),
    ],
    ids=["stale", "a third fewer", "a replay more", "a tiny launch", "locks", "polling", "not counted", "unknown"],
)
def test_counts_of_the_same_instructions_that_differ_are_told(changed: dict[str, float], told: bool) -> None:
    launch = analyse_numbers(STALE | changed).diagnosis.launches[0]
    rules = [rule for finding in launch.findings for rule in finding.rules]
    assert ("counter_implausible.executed" in rules) is told
    assert not told or not any(is_settled(launch, finding) for finding in launch.findings)


RECORDED = sorted(resources.folder("kernels").glob("*/recorded/*/*.ncu-rep.xz"))


@pytest.mark.parametrize("report", RECORDED, ids=lambda path: f"{path.parts[-4]}-{path.parts[-2]}")
def test_no_recorded_launch_has_counts_that_contradict_each_other(report: Path) -> None:
    analysis = analyse([report])
    for launch, (_, row) in zip(analysis.diagnosis.launches, analysis.inputs.frame.iterrows(), strict=True):
        rules = [rule for finding in launch.findings for rule in finding.rules]
        assert "counter_implausible.executed" not in rules
        assert row["inst_executed"] > 0 and row["source_inst_executed"] > 0, "both counts are there"
