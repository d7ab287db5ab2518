"""What a card was measured to reach decides what is achievable on it, is recorded, and decides nothing elsewhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from advisor.cli import main
from advisor.cli.json_schema import schema
from advisor.hardware import ceilings
from advisor.hardware.ceilings import Ceiling, Ceilings
from advisor.hardware.gpus import gpu
from advisor.practice.calibrate import keep
from advisor.reasoning.diagnose import analyse
from advisor.records.errors import InputError
from advisor.session.napkin import estimate as reckon

PEAK = 4.8e12


def rate(value: float) -> Ceiling:
    return Ceiling(value, value * 0.99, value * 1.01, 0.01, 20)


def card(name: str = "NVIDIA H200", cc: str = "9.0", read: float = 0.96, copy: float = 0.80) -> Ceilings:
    return Ceilings(
        name, cc, "2026-01-02T03:04:05+00:00", "13000", rate(read * PEAK), rate(copy * PEAK), rate(6e13), rate(3e13)
    )


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of its own, for a machine whose card was measured."""
    monkeypatch.setattr("advisor.records.resources.user_data", lambda: tmp_path)
    keep(card(), tmp_path)
    return tmp_path


def printed(*args: str) -> str:
    result = CliRunner().invoke(main.cli, list(args), standalone_mode=False)
    assert result.exception is None, result.exception
    return result.stdout


def expected(metrics: Any, read: float, copy: float) -> float:
    r, w = metrics["dram_read_bytes"], metrics["dram_write_bytes"]
    return read - 2 * (read - copy) * min(r, w) / (r + w)


def test_without_a_measurement_the_usual_shares_hold_and_nothing_is_recorded(tour: Any) -> None:
    assert tour.diagnosis.measured_ceilings == ()
    for launch in tour.diagnosis.launches:
        assert launch.metrics["dram_achievable_pct"] == pytest.approx(expected(launch.metrics, 93, 87), abs=1e-9)


def test_what_the_card_reached_replaces_the_usual_shares(kept: Path, tour_path: Path) -> None:
    found = analyse([tour_path]).diagnosis
    for launch in found.launches:
        peak = launch.metrics["dram_peak_bytes_per_s"] / PEAK
        want = expected(launch.metrics, 96 / peak, 80 / peak)
        assert launch.metrics["dram_achievable_pct"] == pytest.approx(want, rel=1e-6)
    (used,) = found.measured_ceilings
    assert (used.gpu, used.copy_bytes_per_s) == ("NVIDIA H200", 0.8 * PEAK)


def test_the_stop_rule_follows(kept: Path, tour_path: Path) -> None:
    """A copy at 84 % is done where 80 % was measured, and far from done where 99 % was."""
    cut = analyse([tour_path], launches=frozenset(copies(tour_path)))
    assert [x.findings[0].id for x in cut.diagnosis.launches] == ["near_memory_roofline"]
    keep(card(read=1.0, copy=1.0), kept)
    again = analyse([tour_path], launches=frozenset(copies(tour_path)))
    assert again.diagnosis.launches[0].metrics["dram_of_achievable"] < 90


def copies(path: Path) -> list[int]:
    return [x.index for x in analyse([path]).diagnosis.launches if x.kernel == "vector_copy"]


@pytest.mark.parametrize("other", [card("NVIDIA H100"), card(cc="8.0")])
def test_another_card_decides_nothing(
    other: Ceilings, tour: Any, tour_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("advisor.records.resources.user_data", lambda: tmp_path)
    keep(other, tmp_path)
    found = analyse([tour_path]).diagnosis
    assert found == tour.diagnosis


def test_a_rate_above_the_peak_counts_as_the_peak() -> None:
    assert ceilings.dram_percentages(card(read=1.2, copy=0.5), PEAK) == (100.0, 50.0)


def test_text_and_json_say_what_was_used(kept: Path, tour_path: Path) -> None:
    text = " ".join(printed("diagnose", str(tour_path), "--launch", "0").split())
    assert "Achievable rates measured by `practice calibrate` on NVIDIA H200 on 2026-01-02: read 4.61 TB/s" in text
    for explained in ((), ("--why-not", "memory_latency")):
        document = json.loads(printed("diagnose", str(tour_path), "--launch", "0", "--format", "json", *explained))
        jsonschema.validate(document, schema("diagnosis"))
        assert document["measured_ceilings"][0]["read_bytes_per_s"] == pytest.approx(0.96 * PEAK)


def test_a_comparison_says_it_too(kept: Path, tour_path: Path) -> None:
    sides = (f"{tour_path}#0", f"{tour_path}#0")
    assert "practice calibrate" in printed("compare", *sides)
    assert "practice calibrate" in printed("compare", *sides, "--format", "markdown").replace("\\", "")
    document = json.loads(printed("compare", *sides, "--format", "json"))
    jsonschema.validate(document, schema("compare"))
    assert [c["gpu"] for c in document["measured_ceilings"]] == ["NVIDIA H200"]


def test_the_napkin_reckons_with_it(kept: Path, tour: Any) -> None:
    args = ("napkin", "reduction", "--n", "1e9", "--gpu", "H200-SXM", "--format", "json")
    document = json.loads(printed(*args))
    jsonschema.validate(document, schema("napkin"))
    assert document["measured"]["memory"] == pytest.approx(0.8, rel=0.01)
    assert "measured" not in json.loads(printed(*args[:4], "--gpu", "A100-SXM-80GB", "--format", "json"))
    text = printed(*args[:6])
    assert "Measured" in text and "`practice calibrate` on this machine" in text
    doubles = json.loads(printed(*args, "--dtype", "f64"))
    assert doubles["measured"]["plain"] == pytest.approx(3e13 / gpu("H200-SXM").peaks["fp64"])
    halves = json.loads(printed(*args, "--dtype", "f16"))
    assert set(halves["measured"]) == {"memory"}


def test_the_napkin_of_a_session_reckons_with_it(kept: Path, tour: Any) -> None:
    launch = tour.diagnosis.launches[0]
    with_it = reckon("reduction", {"n": 1e9}, launch)
    (kept / ceilings.FILE).unlink()
    assert with_it.lines != reckon("reduction", {"n": 1e9}, launch).lines


def test_a_damaged_file_is_named_and_the_diagnosis_comes_without_it(kept: Path, tour_path: Path) -> None:
    (kept / ceilings.FILE).write_text("{", encoding="utf-8")
    result = CliRunner().invoke(main.cli, ["diagnose", str(tour_path), "--format", "json"], standalone_mode=False)
    document = json.loads(result.stdout)
    assert len(document["launches"]) == 22
    (problem,) = document["reports"][0]["problems"]
    assert "practice calibrate" in problem and "\n" not in problem and "specification" in problem


def test_a_file_that_others_can_change_is_not_believed(kept: Path) -> None:
    (kept / ceilings.FILE).chmod(0o666)
    with pytest.raises(InputError, match="can be changed by other users"):
        ceilings.kept()
    assert ceilings.kept_or_problem()[0] == {}


def test_without_a_home_folder_nothing_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platformdirs.user_data_dir", lambda *given, **more: "~/.local/share/ncu-advisor")
    assert ceilings.kept() == {}
