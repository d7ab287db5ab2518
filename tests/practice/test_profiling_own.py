"""`practice profile`: predict, then reveal, on a real report that a stand-in ncu puts in place."""

from __future__ import annotations

from pathlib import Path

import pytest
from learner import DONE, NAME, TILE, Learner, cut
from standin_runs import RIGHT, source

from advisor.practice.state import latest
from advisor.records.errors import InputError

FAST = source(RIGHT, "// microseconds scale: 10")
PREDICTION = ("--class", "dram_bound", "--cause", "near_compute_roofline", "--speedup", "2")


@pytest.fixture
def profiled(learner: Learner, tmp_path: Path) -> Learner:
    """A machine whose ncu shows a tile with conflicts before, and one that is done after."""
    (tmp_path / "two.ncu-rep").write_bytes(cut(TILE, DONE))
    learner.environment(STANDIN_REPORT=str(tmp_path / "two.ncu-rep"))
    learner.edits(FAST)
    return learner


def predicts(learner: Learner) -> None:
    assert "practice profile 1" in learner.does("predict", NAME, "--step", "mine", *PREDICTION)


def test_a_profile_wants_a_prediction_first(profiled: Learner) -> None:
    text = profiled.fails("profile", NAME)
    assert "practice predict 1 --step mine" in text and "--no-prediction" in text
    assert profiled.record.attempts == 0, "nothing was run before it"


def test_a_profile_reveals_score_diagnosis_and_comparison(profiled: Learner) -> None:
    predicts(profiled)
    text = profiled.does("profile", NAME)
    order = ["Correct; speedup", "Your prediction", "of 100 points.", "launch 1", "2.0×: ", "Next: "]
    places = [text.find(part) for part in order]
    assert -1 not in places and places == sorted(places), list(zip(order, places, strict=True))
    assert "bank_conflicts" in text[places[4] :], "the finding that went"
    known = latest(profiled.record, "mine")
    assert known is not None and known.points is not None
    assert known.actual_speedup == pytest.approx(2.0)
    row = profiled.record.log[-1]
    assert (row.version, row.what) == (1, "profiled") and known.actual_cause in row.observation
    report = Path(profiled.record.folder) / "profiles" / "001.ncu-rep"
    assert report.is_file() and str(report) in text


def test_a_second_profile_of_the_same_source_asks_nothing_and_one_of_another_does(profiled: Learner) -> None:
    predicts(profiled)
    profiled.does("profile", NAME)
    profiled.does("profile", NAME)
    assert (Path(profiled.record.folder) / "profiles" / "002.ncu-rep").is_file()
    profiled.edits(FAST + "// another\n")
    assert "--step mine" in profiled.fails("profile", NAME)
    predicts(profiled)
    profiled.does("profile", NAME)
    assert len([p for p in profiled.record.predictions if p.points is not None]) == 2
    assert "2 predictions" in profiled.does("list")


def test_without_a_prediction_nothing_is_scored(profiled: Learner) -> None:
    assert "Your prediction" not in profiled.does("profile", NAME, "--no-prediction")
    assert profiled.record.predictions == []


def test_a_wrong_version_may_be_profiled_and_is_said_to_be_wrong(profiled: Learner) -> None:
    profiled.edits(source(f"{RIGHT}; args[1][0] = 9"))
    text = profiled.does("profile", NAME, "--no-prediction")
    assert "Wrong result: y[0] is 9" in " ".join(text.split()) and "launch 1" in text


def test_what_does_not_compile_is_not_profiled(profiled: Learner) -> None:
    profiled.edits(source(RIGHT, "y; // compiler: error: y"))
    assert "launch 1" not in profiled.does("profile", NAME, "--no-prediction", code=1)


def test_without_ncu_it_is_said_before_anything_is_asked(profiled: Learner) -> None:
    profiled.monkeypatch.setattr("advisor.cli.practice_gpu.find_ncu", lambda: None)
    assert "ncu (Nsight Compute) is not on the PATH" in profiled.fails("profile", NAME)


def test_without_a_gpu_it_is_said_before_anything_is_asked(profiled: Learner) -> None:
    profiled.environment(STANDIN_CUPY="no_gpu")
    assert "no NVIDIA GPU can be used here" in profiled.fails("profile", NAME)
    assert "no NVIDIA GPU can be used here" in profiled.fails("profile", NAME, "--no-prediction")


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("forbidden", "NVreg_RestrictProfilingToAdminUsers=0"),
        ("busy", "another profiler holds the counters"),
        ("mig", "--clock-control none"),
    ],
)
def test_an_ncu_that_may_not_says_what_to_do(profiled: Learner, state: str, words: str) -> None:
    profiled.environment(STANDIN_NCU=state)
    result = profiled.says("profile", NAME, "--no-prediction")
    assert isinstance(result.exception, InputError)  # `main` prints it in one line and exits with 2
    assert words in str(result.exception) and "\n" not in str(result.exception)
    assert "Correct; " in result.stdout, "the check stands all the same"


def test_a_report_that_lacks_a_launch_is_not_compared(profiled: Learner, tmp_path: Path) -> None:
    (tmp_path / "two.ncu-rep").write_bytes(cut(TILE))
    assert "there is no launch 1" in profiled.fails("profile", NAME, "--no-prediction")


def test_a_damaged_report_is_one_line(profiled: Learner, tmp_path: Path) -> None:
    (tmp_path / "two.ncu-rep").write_bytes(b"NVR\0")
    assert "001.ncu-rep" in profiled.fails("profile", NAME, "--no-prediction")
