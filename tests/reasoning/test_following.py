"""A supposed value moves what the time model knows: the units' work, the time, and so every utilisation."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.knowledge.units import units
from advisor.reasoning.analysis import Analysis
from advisor.reasoning.diagnose import analyse
from advisor.records import resources
from advisor.view.pages.answers.supposing import followed_text


def recorded(name: str) -> Analysis:
    return analyse([Path(resources.folder("kernels")) / name / "recorded" / "h200" / "profile.ncu-rep.xz"])


@pytest.fixture(scope="module")
def tile() -> Analysis:
    return recorded("bank-conflicts")


def test_without_bank_conflicts_the_kernel_is_supposed_to_be_what_the_padded_one_is_measured_to_be(
    tile: Analysis,
) -> None:
    supposed, padded = tile.what_if(0, {"shared_wavefront_ratio": 1.0}), tile.diagnosis.launches[1]
    assert supposed.verdict.id == padded.verdict.id == "dram_bound"
    assert [f.id for f in supposed.findings if f.kind == "diagnosis"] == ["near_memory_roofline"]
    for name in ("duration_ns", "dram_pct", "l1_wavefronts_pct", "lsu_pct", "issue_pct"):
        assert supposed.metrics[name] == pytest.approx(padded.metrics[name], rel=0.2), name


def test_the_stall_reasons_of_a_launch_that_takes_another_time_are_unknown(tile: Analysis) -> None:
    measured = [n for n in tile.diagnosis.launches[0].metrics if n.startswith("stall_") and n.endswith("_pct")]
    supposed = tile.what_if(0, {"shared_wavefront_ratio": 1.0}).metrics
    assert measured and not [name for name in measured if name in supposed]


def test_a_value_that_is_supposed_itself_stays(tile: Analysis) -> None:
    supposed = tile.what_if(0, {"shared_wavefront_ratio": 1.0, "dram_pct": 50.0})
    assert supposed.metrics["dram_pct"] == 50.0 and supposed.metrics["shared_wavefront_ratio"] == 1.0


@pytest.mark.parametrize("values", [{"dram_pct": 70.0}, {"l1_wavefronts_pct": 20.0}, {"l1_hit_pct": 90.0}])
def test_a_utilisation_or_a_value_of_no_fix_moves_nothing(tile: Analysis, values: dict[str, float]) -> None:
    before, after = tile.diagnosis.launches[0], tile.what_if(0, values)
    assert after.metrics["duration_ns"] == before.metrics["duration_ns"]
    text = followed_text(before, after, values)
    assert text.startswith("Kept as measured, although a real change would move them")
    assert ("L1 wavefronts" in text) == ("l1_wavefronts_pct" not in values)


def test_the_measured_value_moves_nothing(tile: Analysis) -> None:
    before = tile.diagnosis.launches[0]
    after = tile.what_if(0, {"shared_wavefront_ratio": before.metrics["shared_wavefront_ratio"]})
    assert after.metrics == before.metrics


def test_what_follows_is_said_in_numbers(tile: Analysis) -> None:
    values = {"shared_wavefront_ratio": 1.0}
    text = followed_text(tile.diagnosis.launches[0], tile.what_if(0, values), values)
    assert "With the same work, these follow in the time model: time 804 µs → " in text
    assert "DRAM 33.7 % → " in text and "L1 wavefronts 88.4 % → " in text and "Stall reasons are unknown then" in text


@pytest.mark.parametrize(
    ("name", "metric", "value"),
    [("stride-two-layout", "shared_wavefront_ratio", 1.0), ("column-walk", "sector_ratio", 1.0)],
)
def test_a_better_value_never_takes_longer(name: str, metric: str, value: float) -> None:
    analysis = recorded(name)
    before, after = analysis.diagnosis.launches[0], analysis.what_if(0, {metric: value})
    assert after.metrics["duration_ns"] < 0.7 * before.metrics["duration_ns"]
    assert all(after.metrics[name] <= 100 for name in units() if name.endswith("_pct") and name in after.metrics)


def test_a_fact_about_the_algorithm_moves_nothing() -> None:
    analysis = recorded("reread-stencil")
    before = analysis.diagnosis.launches[0]
    after = analysis.what_if(0, {"theoretical_bytes": 1e9})
    assert after.metrics["duration_ns"] == before.metrics["duration_ns"]
