"""Where ncu's class differs, the note names the unit that makes the difference, or only the numbers."""

from __future__ import annotations

import pytest

from advisor.reasoning.diagnose import analyse, analyse_numbers
from advisor.records import resources

RECORDED = [
    # exercise, launch, the unit behind SM throughput that does not count as compute here
    ("averaging-ladder", 2, "LSU instructions"),
    ("tour", 16, "ADU"),
    ("lattice-ladder", 7, "pipe shared by FP64, tensor and FP16"),
]


@pytest.mark.parametrize(("exercise", "index", "unit"), RECORDED)
def test_a_recorded_disagreement_names_the_unit_of_ncus_number(exercise, index, unit):
    (report,) = (resources.folder("kernels") / exercise / "recorded" / "h200").glob("*.xz")
    launch = analyse([report]).diagnosis.launches[index]
    found = next(f for f in launch.findings if f.id == "rules_disagree")
    assert unit in found.because and f"{launch.metrics['sm_throughput_pct']:.0f} %" in found.because
    assert f"{launch.metrics['compute_pct']:.0f} %" in found.because
    assert found.confidence == 1.0


NUMBERS = {"ncu_verdict": 3, "sm_throughput_pct": 70, "memory_throughput_pct": 40, "dram_pct": 40}
PIPES = {f"pipe_{p}_pct": 20 for p in ("fma", "alu", "fp64", "xu", "tensor")} | {"issue_pct": 45}
OTHERS = {"lsu_pct": 10, "adu_pct": 5, "idc_pct": 5, "mio_pct": 12}


@pytest.mark.parametrize(
    ("unit", "name"), [("cbu_pct", "CBU"), ("tex_pct", "texture"), ("pipe_shared_pct", "shared by")]
)
def test_any_unit_that_only_ncu_counts_is_named(unit, name):
    launch = analyse_numbers(NUMBERS | PIPES | OTHERS | {unit: 70}).diagnosis.launches[0]
    assert launch.verdict.id == "latency_bound"
    because = next(f.because for f in launch.findings if f.id == "rules_disagree")
    assert name in because and "70 %" in because and "45 % (issue slots)" in because
    assert any(name in note for note in launch.verdict.notes)


def test_an_unknown_unit_is_not_guessed():
    launch = analyse_numbers(NUMBERS | PIPES | OTHERS).diagnosis.launches[0]
    because = next(f.because for f in launch.findings if f.id == "rules_disagree")
    assert "because of" not in because and "70 %" in because and "45 % (issue slots)" in because
    assert not any("arithmetic" in note or "because of" in note for note in launch.verdict.notes)
