"""The guide's indicators for traffic inside the SM: requests to shared memory per global one, and the FMA share."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.knowledge.base import catalog
from advisor.knowledge.expressions import TRUE, parse_test
from advisor.reasoning.diagnose import analyse_numbers
from advisor.reasoning.notes import notes
from advisor.records.diagnosis import LaunchDiagnosis

RATIO = ("shared_requests_none", "shared_requests_few", "shared_requests_normal", "shared_requests_many")
# A tiled matrix product that the load/store path limits.
CROWDED: dict[str, Any] = {
    "l1_wavefronts_pct": 91,
    "l1_requests_pct": 76,
    "lsu_pct": 76,
    "dram_pct": 1,
    "l2_pct": 9,
    "memory_pct": 91,
    "compute_pct": 38,
    "memory_inst": 1300,
    "shared_wavefronts_ideal": 1200,
    "ffma_inst": 1000,
    **dict.fromkeys(("fadd_inst", "fmul_inst", "dfma_inst", "half_inst", "tensor_inst"), 0),
    "shared_wavefront_ratio": 1.0,
    "inst_executed": 2500,
    "fma_share": 0.4,
}


def judged(**more: float) -> LaunchDiagnosis:
    return analyse_numbers({**CROWDED, **more}).diagnosis.launches[0]


@pytest.mark.parametrize(
    ("ratio", "band"),
    [(0, RATIO[0]), (0.5, RATIO[1]), (4.9, RATIO[1]), (5, RATIO[2]), (20, RATIO[2]), (20.9, RATIO[3]), (400, RATIO[3])],
)
def test_the_ratio_is_in_one_band_of_the_guide(ratio: float, band: str) -> None:
    known = catalog().observations
    held = [name for name in RATIO if parse_test(known[name].test).truth({"shared_to_global_requests": ratio}) == TRUE]
    assert held == [band]


@pytest.mark.parametrize(
    ("more", "rule", "note"),
    [
        ({"shared_to_global_requests": 30}, "lsu_saturation.requests", "30 shared requests per global request (over"),
        ({"shared_to_global_requests": 3}, "lsu_saturation.reuse", "3.0 shared requests per global request (under 5)"),
        ({"shared_to_global_requests": 12}, "", "12.0 shared requests per global request (5 to 20): normal"),
        ({"inst_executed": 4000, "fma_share": 0.25}, "lsu_saturation.starved", "25 % of the instructions are fp32"),
        ({}, "", ""),
    ],
)
def test_an_indicator_adds_evidence_and_a_note_but_no_finding(more: dict[str, float], rule: str, note: str) -> None:
    launch, without = judged(**more), judged()
    assert [f.id for f in launch.findings] == [f.id for f in without.findings]
    found = next(f for f in launch.findings if f.id == "lsu_saturation")
    base = next(f for f in without.findings if f.id == "lsu_saturation")
    assert (found.because, found.confidence, found.speedup) == (base.because, base.confidence, base.speedup)
    assert set(found.rules) - set(base.rules) == ({rule} if rule else set())
    told = [text for text in launch.verdict.notes if text not in without.verdict.notes]
    assert bool(told) == bool(note) and all(text.startswith(note) for text in told)


def test_a_transpose_is_not_blamed_for_its_ratio_of_one() -> None:
    launch = judged(shared_to_global_requests=1, ffma_inst=0, fma_share=0)
    assert not any("reused little" in text or "multiply-adds" in text for text in launch.verdict.notes)
    assert not any(rule.endswith((".reuse", ".starved")) for f in launch.findings for rule in f.rules)


def test_an_unknown_ratio_is_not_judged() -> None:
    assert not any("shared requests" in text for text in judged().verdict.notes)


def test_a_note_on_the_class_names_observations_that_exist() -> None:
    for name, note in notes("class_notes.yaml").items():
        assert note.text or note.when, name
        assert set(note.when) <= set(catalog().observations), name
