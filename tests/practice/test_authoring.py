"""`practice selfcheck` as an author uses it, on a machine of stand-ins: run, record, judge, compile."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from learner import DONE, NAME, TILE, Learner, cut
from standin_runs import RIGHT, source

from advisor.cli.json_schema import schema


@pytest.fixture
def author(learner: Learner, tmp_path: Path) -> Learner:
    (tmp_path / "two.ncu-rep").write_bytes(cut(TILE, DONE))
    learner.environment(STANDIN_REPORT=str(tmp_path / "two.ncu-rep"))
    return learner


def kernel_folder(tmp_path: Path) -> Path:
    return tmp_path / "kernels" / NAME


def test_a_run_judges_records_and_is_judged_the_same_from_its_records(author: Learner, tmp_path: Path) -> None:
    text = author.does("selfcheck", "--run", "--record", "--readme", str(tmp_path / "README.md"))
    rows = {line.split()[0]: line for line in text.splitlines() if line.endswith("ok")}
    assert rows["slow"].split()[-2:] == ["bank_conflicts", "ok"]
    assert "2.0× near_compute_roofline" in " ".join(rows["fast"].split())
    assert "1 of 1 exercises shows what it claims." in text
    place = kernel_folder(tmp_path) / "recorded"
    assert [p.name for p in place.iterdir()] == ["stand-in"]
    (place / "stand-in").rename(place / "h200")
    again = author.does("selfcheck")
    assert text == f"recorded {NAME}\n{again}"
    table = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert f"| [{NAME}]({NAME}/exercise.yaml) | slow | 20 µs |" in table and "2.00" in table
    document = json.loads(author.does("selfcheck", "--format", "json"))
    jsonschema.validate(document, schema("selfcheck"))
    assert [s["status"] for s in document["exercises"][0]["steps"]] == ["ok", "ok"]
    # What was recorded is what a learner is shown.
    shown = author.does("show", NAME, "--profile", "--no-prediction")
    assert "20 µs (median of 20 runs, 20 µs)" in " ".join(shown.split()) and "bank_conflicts" in shown


def test_a_claim_that_a_run_breaks_is_exit_code_1(author: Learner, tmp_path: Path) -> None:
    (kernel_folder(tmp_path) / "2-fast.cu").write_text(source(RIGHT, "// microseconds scale: 19"), encoding="utf-8")
    assert "1.05× over slow, claimed at least 1.5×" in " ".join(author.does("selfcheck", "--run", code=1).split())


def test_a_wrong_step_is_exit_code_1(author: Learner, tmp_path: Path) -> None:
    wrong = source(f"{RIGHT}; args[1][0] = 9", "// microseconds scale: 10")
    (kernel_folder(tmp_path) / "2-fast.cu").write_text(wrong, encoding="utf-8")
    assert "Problem: wrong result: y[0] is 9" in author.does("selfcheck", "--run", code=1)


def test_forbidden_counters_are_told_beside_the_times(author: Learner) -> None:
    author.environment(STANDIN_NCU="forbidden")
    result = author.says("selfcheck", "--run")
    assert result.return_value == 1
    assert "NVreg_RestrictProfilingToAdminUsers=0" in result.stderr and "20 µs" in result.stdout


def test_a_run_without_a_gpu_is_one_line(author: Learner) -> None:
    author.environment(STANDIN_CUPY="no_gpu")
    assert "no NVIDIA GPU can be used here" in author.fails("selfcheck", "--run")


def test_a_missing_recording_fails_the_check(author: Learner) -> None:
    result = author.says("selfcheck")
    assert result.return_value == 1 and "no recording" in result.stderr


def test_every_source_is_compiled_where_asked(author: Learner, tmp_path: Path) -> None:
    author.does("selfcheck", "--run", "--record")
    place = kernel_folder(tmp_path) / "recorded"
    (place / "stand-in").rename(place / "h200")
    author.monkeypatch.setattr("advisor.practice.compiling.ARCHITECTURES", ("sm_80", "sm_90"))
    assert "2 sources compiled for sm_80, sm_90" in author.does("selfcheck", "--compile")
    broken = source() + "// a comment\nbroken here;\n"
    (kernel_folder(tmp_path) / "2-fast.cu").write_text(broken, encoding="utf-8")
    result = author.says("selfcheck", "--compile")  # a compiler's message is a line of its own, however long
    assert result.return_value == 1
    assert f"{NAME}, sm_80: 2-fast.cu:9: error: " in result.output


def test_options_that_contradict_each_other_are_refused(author: Learner) -> None:
    assert "--run" in author.fails("selfcheck", "--record")
    assert "--compile" in author.fails("selfcheck", "--run", "--compile")


def test_a_name_checks_one_exercise(author: Learner) -> None:
    assert "no exercise is called 'gone'" in author.fails("selfcheck", "gone")
