"""The half of `practice` that needs no GPU, as a learner meets it, on every bundled exercise."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner, Result

from advisor.cli import main
from advisor.cli.json_schema import schema
from advisor.knowledge.base import catalog
from advisor.practice.manifest import Exercise, all_exercises, exercise, names
from advisor.practice.state import Prediction, Store
from advisor.records.errors import AdvisorError, UsageError

NAME = "bank-conflicts"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that stands for the user's data folder."""
    monkeypatch.setattr("advisor.practice.state.data_folder", lambda: tmp_path / "data")
    return tmp_path / "data"


def practice(*args: str, says: str | None = None) -> Result:
    """The command's result; an error that a user sees is in `exception`."""
    return CliRunner().invoke(main.cli, ["practice", *args], input=says, standalone_mode=False)


def done(*args: str) -> str:
    result = practice(*args)
    assert result.exception is None, result.exception
    assert result.return_value == 0
    return result.stdout


def refused(*args: str) -> str:
    result = practice(*args)
    assert isinstance(result.exception, AdvisorError), (result.output, result.exception)
    return str(result.exception)


def letters(one: Exercise, right: bool) -> list[str]:
    out = []
    for question in one.quiz:
        at = next(i for i, a in enumerate(question.answers) if a.right == right)
        out += ["--answer", chr(ord("a") + at)]
    return out


def test_there_are_at_least_as_many_exercises_as_promised() -> None:
    assert len(names()) >= 34


def test_the_list_shows_every_exercise_in_the_recommended_order_with_progress(data: Path) -> None:
    ordered = all_exercises()
    assert [one.number for one in ordered] == list(range(1, len(ordered) + 1))
    text = done("list")
    listed = re.findall(r"^ *(\d+) +new +(.+?) *$", text, re.MULTILINE)
    assert listed == [(str(one.number), one.title) for one in ordered]
    Store(data).change(NAME, lambda r: setattr(r, "solved", True))
    one = exercise(NAME)
    assert re.search(rf"^ *{one.number} +solved +{re.escape(one.title)}", done("list"), re.MULTILINE)
    document = json.loads(done("list", "--format", "json"))
    jsonschema.validate(document, schema("practice-list"))
    rows = document["exercises"]
    assert [(r["number"], r["name"]) for r in rows] == [(one.number, one.name) for one in ordered]
    assert next(r for r in rows if r["name"] == NAME)["state"] == "solved"


def test_a_name_is_listed_after_the_prediction_or_on_request(data: Path) -> None:
    assert NAME not in done("list") and "array-of-structs" not in done("list")
    assert all(name in done("list", "--names") for name in names())
    scored = Prediction(step="slow", class_id="dram_bound", cause="bank_conflicts", speedup=2.0, points=60)
    Store(data).change(NAME, lambda record: record.predictions.append(scored))
    text = done("list")
    assert NAME in text and "array-of-structs" not in text


def test_an_exercise_is_named_by_its_number_too(data: Path) -> None:
    one = exercise(NAME)
    assert exercise(str(one.number)) == one
    assert done("show", str(one.number)) == done("show", NAME)
    assert "practice list" in refused("show", "999")


@pytest.mark.parametrize("name", names())
def test_an_exercise_can_be_read_without_giving_its_cause_away(data: Path, name: str) -> None:
    one = exercise(name)
    story = done("show", name)
    assert one.title in story
    assert one.diagnosis not in story
    napkin = done("show", name, "--napkin")
    assert all(number.value.split()[0] in napkin for number in one.napkin)
    assert not data.exists(), "reading writes nothing"


@pytest.mark.parametrize("name", names())
def test_the_quiz_takes_right_answers_and_tells_why_wrong_ones_are_wrong(data: Path, name: str) -> None:
    one = exercise(name)
    right = practice("quiz", name, *letters(one, True))
    assert right.return_value == 0
    assert f"{len(one.quiz)} of {len(one.quiz)} right" in right.stdout
    wrong = practice("quiz", name, *letters(one, False))
    assert wrong.return_value == 1
    assert "Wrong." in wrong.stdout


def test_the_quiz_keeps_the_first_answer(data: Path) -> None:
    one = exercise(NAME)
    practice("quiz", NAME, *letters(one, False))
    practice("quiz", NAME, *letters(one, True))
    kept = Store(data).record(NAME).quiz
    assert all(not one.quiz[int(k)].answers[v].right for k, v in kept.items())
    assert len(kept) == len(one.quiz)


def test_the_quiz_refuses_too_few_answers_and_letters_there_are_not(data: Path) -> None:
    assert "questions" in refused("quiz", NAME, "--answer", "a")
    count = len(exercise(NAME).quiz)
    assert "not one of the choices" in refused("quiz", NAME, *["--answer", "z"] * count)


def test_hints_come_one_at_a_time(data: Path) -> None:
    one = exercise(NAME)
    first = done("hint", NAME)
    assert "Hint 1" in first
    assert "Hint 2" not in first
    assert "Hint 2" in done("hint", NAME)
    assert f"Hint {len(one.hints)}" in done("hint", NAME, "--all")
    assert "the last" in done("hint", NAME)


def test_a_prediction_comes_before_the_profile_and_is_scored_once(data: Path) -> None:
    assert "first make a prediction" in refused("show", NAME, "--profile")
    done("predict", NAME, "--class", "latency", "--cause", "memory_latency", "--speedup", "3")
    revealed = done("show", NAME, "--profile")
    assert "of 100" in revealed
    kept = Store(data).record(NAME).predictions[0]
    assert kept.points is not None
    assert kept.actual_cause == exercise(NAME).stages[0].expect
    assert "was already shown" in refused(
        "predict", NAME, "--class", "dram", "--cause", "bank_conflicts", "--speedup", "2"
    )


def test_a_profile_can_be_shown_without_a_prediction(data: Path) -> None:
    last = exercise(NAME).stages[-1]
    text = done("show", NAME, "--profile", last.id, "--no-prediction")
    assert last.title in text
    assert "Your prediction" not in text


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--class", "dram_bound", "--cause", "gremlins", "--speedup", "2"], "Cause"),
        (["--class", "x", "--cause", "bank_conflicts", "--speedup", "2"], "Class"),
        (["--class", "dram_bound", "--cause", "bank_conflicts", "--speedup", "-1"], "between 0"),
        (["--class", "dram_bound", "--cause", "bank_conflicts", "--speedup", "nan"], "between 0"),
        (["--step", "gone", "--class", "dram_bound", "--cause", "bank_conflicts", "--speedup", "2"], "no step"),
    ],
)
def test_a_wrong_prediction_line_is_one_clear_line(data: Path, options: list[str], says: str) -> None:
    text = refused("predict", NAME, *options)
    assert says in text
    assert "\n" not in text


def test_the_solution_wants_an_attempt_or_a_request(data: Path) -> None:
    assert "--anyway" in refused("solution", NAME)
    text = done("solution", NAME, "--anyway")
    assert exercise(NAME).solution.source in text
    assert Store(data).record(NAME).solutions == [exercise(NAME).solution.id]


def test_the_solution_of_bank_conflicts_adds_the_padding(data: Path) -> None:
    text = done("solution", "bank-conflicts", "--anyway")
    assert re.search(r"^- +__shared__ float tile\[32\]\[32\];", text, re.MULTILINE)
    assert re.search(r"^\+ +__shared__ float tile\[32\]\[33\];", text, re.MULTILINE)
    assert "vector: 16 bytes per lane, swizzled" in text


def test_a_prediction_without_options_lists_the_classes_with_their_limits_and_all_causes(data: Path) -> None:
    result = practice("predict", NAME)
    assert isinstance(result.exception, UsageError)
    text = " ".join(result.stdout.split())
    assert "mixed_memory_bound: compute < 60, memory >= 60, dram >= 30, dram < 60" in text
    assert all(name in text for name in (*catalog().classes, "bank_conflicts", "memory_latency", "none"))
    wrong = refused("predict", NAME, "--class", "dram", "--cause", "shared_conflicts", "--speedup", "2")
    assert "The nearest of 55: bank_conflicts" in wrong and "without options lists all" in wrong


def test_an_exercise_that_needs_no_fix_does_not_send_the_learner_to_find_one(data: Path) -> None:
    text = " ".join(done("show", "good-copy", "--profile", "--no-prediction").split())
    assert "No fix is needed in this version" in text
    assert "find the fix" not in text and "fixing the cause" not in text
    text = " ".join(done("solution", "good-copy", "--anyway").split())
    assert "No fix is needed" in text and "Changes from" not in text


def test_the_first_kernel_has_a_cause_to_fix_and_every_story_says_what_works_without_a_gpu(data: Path) -> None:
    first = next(one for one in all_exercises() if isinstance(one, Exercise))
    assert not first.nothing_to_fix and first.level == 1 and first.fix_of(first.stages[0].id) is not None
    for name in names():
        source = exercise(name).stages[0].source
        says = "a small problem on the CPU" if source.endswith(".cu") else "check and profile do not run"
        assert says in " ".join(done("show", name).split())


def test_start_edit_reset_and_log(data: Path, tmp_path: Path) -> None:
    text = done("start", NAME, "--folder", str(tmp_path / "mine"))
    source = tmp_path / "mine" / "a-transpose-through-a-tile.cu"
    assert str(source.parent) in text
    original = source.read_text(encoding="utf-8")
    source.write_text("// mine\n", encoding="utf-8")
    assert "before-reset-1" in done("reset", NAME)
    assert source.read_text(encoding="utf-8") == original
    assert "no version yet" in done("log", NAME)
    assert "empty" in refused("log", NAME, "--next", "pad")


def test_a_name_that_is_nearly_right_is_suggested(data: Path) -> None:
    assert "did you mean bank-conflicts" in refused("show", "bank-conflict")
    assert "practice list" in refused("show", "../../etc/passwd")


def test_a_state_file_with_an_impossible_prediction_is_damaged_not_a_traceback(data: Path) -> None:
    done("predict", NAME, "--class", "latency_bound", "--cause", "memory_latency", "--speedup", "3")
    path = data / "practice.json"
    path.write_text(path.read_text("utf-8").replace('"speedup": 3.0', '"speedup": 0'), encoding="utf-8")
    assert "move it away" in refused("show", NAME, "--profile")


def test_text_that_is_not_utf_8_is_refused_in_one_line(data: Path, tmp_path: Path) -> None:
    assert "UTF-8" in refused("start", NAME, "--folder", str(tmp_path / "a\udcffb"))


def test_a_source_that_is_no_text_can_be_reset(data: Path, tmp_path: Path) -> None:
    done("start", NAME, "--folder", str(tmp_path / "mine"))
    source = tmp_path / "mine" / "a-transpose-through-a-tile.cu"
    source.write_bytes(b"\xff" * (2 << 20))
    assert "before-reset-1" in done("reset", NAME)
    assert "launch:" in source.read_text(encoding="utf-8")
    assert source.with_name("a-transpose-through-a-tile.before-reset-1.cu").stat().st_size == 2 << 20
