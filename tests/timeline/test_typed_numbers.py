"""Numbers of a timeline that were typed: judged by the rules of traces, unknown where nothing was given."""

from __future__ import annotations

import pytest

from advisor.records.errors import UsageError
from advisor.timeline.analyse import FORM, conclude_numbers


def test_typed_numbers_are_decided_by_the_rules_of_a_trace():
    gpu = conclude_numbers({"computing_pct": 30, "top_kernel_pct": 40}).gpus[0]
    assert gpu.decision.id == "fix_system_first"
    gpu = conclude_numbers({"computing_pct": 95, "top_kernel_pct": 64, "tiny_span_pct": 0}).gpus[0]
    assert gpu.decision.id == "drill_down"
    assert [p.finding.id for p in gpu.patterns] == ["dominant_kernel"]


def test_without_a_loss_the_decision_for_a_kernel_is_open():
    assert conclude_numbers({"computing_pct": 95, "top_kernel_pct": 64}).gpus[0].decision.id == "undetermined"


def test_what_was_not_given_is_unknown_and_nothing_is_healthy():
    result = conclude_numbers({"gpu_busy_pct": 99.0, "computing_pct": 98.0})
    gpu = result.gpus[0]
    assert result.traces[0].form == FORM
    assert "healthy_pipeline" in {one.id for one in gpu.unseen}
    assert not gpu.patterns
    assert {part for one in gpu.unseen for part in one.parts} == {"person"} and "person" in result.parts


def test_what_follows_from_the_numbers_is_worked_out():
    given = {"gpu_busy_pct": 60.0, "computing_pct": 40.0, "host_copy_pct": 30.0, "copy_exposed_pct": 20.0}
    values = conclude_numbers(given).gpus[0].values
    assert values["gpu_idle_pct"] == 40.0 and values["system_loss_pct"] == 20.0
    assert values["copy_overlappable_pct"] == 20.0, "40 % of computation remain of 60 %"
    copies = {"computing_pct": 30.0, "host_copy_pct": 60.0, "copy_exposed_pct": 60.0}
    most = conclude_numbers(copies).gpus[0].values["copy_overlappable_pct"]
    assert most == 60.0, "if each direction takes 30 %, a third of the time remains"
    idle = {"gpu_busy_pct": 60.0, "sync_gap_pct": 10.0, "input_wait_pct": 5.0, "output_wait_pct": 5.0}
    assert conclude_numbers(idle).gpus[0].values["idle_unexplained_pct"] == 20.0
    assert "idle_unexplained_pct" not in conclude_numbers({"gpu_busy_pct": 60.0}).gpus[0].values


def test_a_gain_needs_a_known_share():
    gpu = conclude_numbers({"gpu_busy_pct": 60.0, "computing_pct": 40.0}).gpus[0]
    idle = next(p for p in gpu.patterns if p.finding.id == "gpu_idle")
    assert idle.finding.speedup is None and idle.finding.kind != "note"


@pytest.mark.parametrize(
    ("values", "part"),
    [
        ({"dram_pct": 10.0}, "not a number of a timeline"),
        ({"gpu_busy_pct": 140.0}, "is not possible"),
        ({"gpu_busy_pct": -1.0}, "is not possible"),
        ({"input_wait_count": float("nan")}, "is not possible"),
    ],
)
def test_impossible_numbers_are_refused_in_a_line(values: dict[str, float], part: str):
    with pytest.raises(UsageError, match=part):
        conclude_numbers(values)
