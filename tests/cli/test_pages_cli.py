"""The pages as a user asks for them: from a real report to a file, and one line for what does not go together."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.cli.main import main
from tests.view.pages import sound


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as caught:
        main([str(word) for word in arguments])
    return int(caught.value.code or 0)


def test_a_page_of_one_launch_has_its_source_lines(tour_path: Path, tmp_path: Path) -> None:
    out = tmp_path / "d.html"
    assert run("diagnose", tour_path, "--launch", 4, "--format", "html", "--out", out) == 0
    page = sound(out.read_text(encoding="utf-8"))
    assert "transpose_tile.cu:8 (100 % of shared-memory wavefronts beyond the ideal" in page.text
    assert "▶ 8" in page.text and "tile[threadIdx.x][threadIdx.y + j]" in page.text


def test_without_places_nothing_is_read_twice(tour_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("diagnose", tour_path, "--launch", 4, "--format", "markdown", "--no-locate") == 0
    text = capsys.readouterr().out
    assert text.startswith("# transpose\\_tile · launch 4") and "transpose_tile.cu:" not in text


def test_markdown_is_in_utf_8_whatever_the_locale(tour_path: Path) -> None:
    command = [sys.executable, "-m", "advisor", "diagnose", str(tour_path), "--launch", "4", "--format", "markdown"]
    settings = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONPATH": os.pathsep.join(sys.path)}
    out = subprocess.run(command, capture_output=True, check=True, env={**os.environ, **settings}).stdout
    assert "×" in out.decode("utf-8")


def test_sarif_places_every_finding_of_a_launch(tour_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("diagnose", tour_path, "--launch", 1, "--launch", 4, "--format", "sarif") == 0
    run_ = json.loads(capsys.readouterr().out)["runs"][0]
    lines = {
        r["ruleId"]: r["locations"][0]["physicalLocation"].get("region", {}).get("startLine") for r in run_["results"]
    }
    assert lines["bank_conflicts"] == 8 and lines["uncoalesced_access"] == 5


def test_what_was_supposed_stands_above_the_page(tour_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("diagnose", tour_path, "--launch", 4, "--what-if", "dram_pct=95", "--format", "markdown") == 0
    head = capsys.readouterr().out.partition("\n## ")[0]
    assert "the values below were not measured" in head


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--format", "html", "--how", "bank_conflicts"], "print text or JSON"),
        (["--format", "markdown", "--rules"], "print text or JSON"),
        (["--format", "sarif", "--what-if", "dram_pct=95"], "values are not measured"),
    ],
)
def test_what_does_not_go_together_is_one_line(
    tour_path: Path, options: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("diagnose", tour_path, *options) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and len(captured.err.splitlines()) == 1 and says in captured.err


def test_a_comparison_page_tells_the_threshold_that_was_crossed(tour_path: Path, tmp_path: Path) -> None:
    out = tmp_path / "c.html"
    arguments = ["compare", f"{tour_path}#2", f"{tour_path}#1", "--format", "html", "--out", out]
    assert run(*arguments, "--fail-on", "duration>5%") == 3
    assert "1 crossed, 0 not checked, 0 kept." in sound(out.read_text(encoding="utf-8")).text
