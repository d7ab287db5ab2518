"""The exercises that are read: what each recording shows, that nothing tells before the answer, and the commands."""

from __future__ import annotations

import json
import lzma
import re
import sqlite3
from pathlib import Path

import pytest
from bench.reading_exercises import recording
from click.testing import CliRunner, Result

from advisor.cli import main
from advisor.knowledge.base import catalog, timelines
from advisor.practice.folders import faults
from advisor.practice.predictions import SPEEDUP_POINTS
from advisor.practice.reading_answers import TIME_POINTS, choices, estimate_ns, score_answer
from advisor.practice.reading_recordings import shown
from advisor.practice.readings import LARGEST, NOTHING, STEP, Reading, load_reading, reading_names, readings
from advisor.practice.state import Store, state_of
from advisor.records import resources
from advisor.records.errors import AdvisorError, UsageError

# Caveats that no report can show, and why.
NOT_SHOWN = {
    "answer_contradicted": "needs a number of the algorithm, which the user types",
    "counts_from_code": "is true of each report of a smaller set of sections, and no fault of its numbers",
    "emulated_counts": "is true of no report: the program's own emulation has it",
    "duration_disagrees": "needs the kernel's time outside ncu, which the user types",
}
# Caveats that are no number: their explanations have none either.
WORDS = ("line_info_missing", "gpu_unknown", "report_incomplete")
DOC = Path(__file__).resolve().parents[2] / "docs" / "practice.md"


def one_of(kind: str, expect: str) -> Reading:
    return next(one for one in readings() if one.kind == kind and one.expect == expect)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("advisor.practice.state.data_folder", lambda: tmp_path / "data")
    return tmp_path / "data"


def practice(*args: str) -> Result:
    return CliRunner().invoke(main.cli, ["practice", *args], standalone_mode=False)


def done(*args: str) -> str:
    result = practice(*args)
    assert result.exception is None, result.exception
    assert result.return_value == 0
    assert [line for line in result.stdout.splitlines() if len(line) > 80] == []
    return result.stdout


def refused(*args: str) -> str:
    result = practice(*args)
    assert isinstance(result.exception, AdvisorError), (result.output, result.exception)
    assert "\n" not in str(result.exception)
    return str(result.exception)


def test_every_pattern_of_a_timeline_has_one_exercise() -> None:
    assert sorted(one.expect for one in readings() if one.kind == "timeline") == sorted(timelines(catalog()).findings)


def test_every_caveat_that_a_report_can_show_has_one_exercise_and_some_reports_are_sound() -> None:
    expected = [one.expect for one in readings() if one.kind == "profile"]
    assert expected.count(NOTHING) == 2
    assert sorted(x for x in expected if x != NOTHING) == sorted(set(catalog().trust) - set(NOT_SHOWN))


def test_the_caveats_without_an_exercise_are_documented_with_the_reason() -> None:
    text = DOC.read_text(encoding="utf-8")
    for name, why in NOT_SHOWN.items():
        assert re.search(rf"^\| `{name}` \| {re.escape(why)} \|$", text, re.MULTILINE)


@pytest.mark.parametrize("name", reading_names())
def test_the_diagnosis_of_a_recording_is_what_its_exercise_expects(name: str) -> None:
    found = shown(load_reading(name))
    assert found.answer == found.reading.expect
    if found.profile is not None:
        assert found.others == (), "only one caveat applies, so only one answer is right"


@pytest.mark.parametrize("name", reading_names())
def test_the_number_is_what_the_program_estimates(name: str) -> None:
    found = shown(load_reading(name))
    if found.timeline is None:
        assert found.time is None
        return
    gain, window = found.findings[0].speedup, found.timeline.overview.window
    assert 0 < found.timeline.time < window
    if gain is not None:
        assert found.timeline.time == pytest.approx(window * (1 - 1 / gain.high), rel=1e-6)


@pytest.mark.parametrize("name", reading_names())
def test_the_numbers_of_an_explanation_are_computed(name: str) -> None:
    one, found = load_reading(name), shown(load_reading(name))
    texts = [one.explanation, *([one.estimate.how] if one.estimate is not None else [])]
    for text in texts:
        filled = found.filled(text)
        assert filled.count("unknown") == text.count("unknown") and "{" not in filled, filled
        assert filled != text or one.expect in WORDS


@pytest.mark.parametrize("name", reading_names())
def test_the_recording_is_small_and_what_the_builder_makes(name: str) -> None:
    one = load_reading(name)
    assert one.path.stat().st_size <= LARGEST
    bundled, made = lzma.decompress(one.path.read_bytes()), recording(one)
    if one.kind == "profile":
        assert made == bundled
    else:  # The file itself depends on the version of SQLite.
        assert _dump(made) == _dump(bundled)


def _dump(data: bytes) -> list[str]:
    database = sqlite3.connect(":memory:")
    database.deserialize(data)
    return list(database.iterdump())


def test_the_folders_are_sound_and_a_mistake_in_one_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = readings()[0]
    assert [f for f in faults(catalog()) if f.file.parent.name in reading_names()] == []
    folder = tmp_path / "kernels" / one.name
    folder.mkdir(parents=True)
    text = (one.path.parent / "reading.yaml").read_text(encoding="utf-8")
    (folder / "reading.yaml").write_text(text.replace(f"expect: {one.expect}", "expect: gremlins"), encoding="utf-8")
    (folder / "stray.txt").write_text("", encoding="utf-8")
    real = resources.folder
    monkeypatch.setattr(resources, "folder", lambda kind: tmp_path / "kernels" if kind == "kernels" else real(kind))
    import learner

    learner.forget()
    found = "\n".join(map(str, faults(catalog())))
    assert "there is no timeline finding 'gremlins'" in found
    assert "trace.sqlite.xz is listed but missing" in found and "does not name this file" in found


# Nothing tells before the answer


@pytest.mark.parametrize("name", reading_names())
def test_nothing_names_the_answer_before_it_was_given(data: Path, name: str) -> None:
    one = load_reading(name)
    told = " ".join([done("show", name).partition("\nId ")[0], done("hint", name, "--all"), done("log", name)])
    titles = dict(choices(one))
    assert one.expect == NOTHING or one.expect not in told
    assert titles[one.expect].casefold() not in told.casefold()
    assert one.changed == "" or one.changed not in " ".join(told.split())
    assert one.recording not in told and one.expect not in done("list")
    words = set(re.findall(r"[a-z]{4,}", f"{one.name} {one.title} {one.recording}".casefold()))
    assert not words & (set(re.findall(r"[a-z]{4,}", f"{one.expect} {titles[one.expect]}".casefold())) - {"memory"})


# The commands


def test_an_answer_is_scored_once_and_kept(data: Path) -> None:
    one = one_of("timeline", "sync_between_kernels")
    found = shown(one)
    assert "first answer" in refused("show", one.name, "--profile")
    said = f"{(found.time or 0) * 2 / 1e6:.3f} ms"
    assert "practice show" in done("predict", str(one.number), "--cause", "sync", "--estimate", said)
    text = done("show", one.name, "--profile")
    assert "85 of 100" in text and "sync_between_kernels.gaps" in text and "cudaStreamWaitEvent" in text
    assert done("show", one.name, "--profile") == text
    record = Store(data).record(one.name)
    assert [p.points for p in record.predictions] == [85] and record.attempts == 1
    assert state_of(record) == "solved" and "85 of 100" in done("log", one.name)
    assert "already shown" in refused("predict", one.name, "--cause", "sync", "--estimate", "1 ms")
    rows = json.loads(done_json("list"))["exercises"]
    assert [(r["kind"], r["state"]) for r in rows if r["name"] == one.name] == [("timeline", "solved")]
    assert "deleted" in done("reset", one.name, "--progress")
    assert Store(data).record(one.name).predictions == []


def done_json(*args: str) -> str:
    result = practice(*args, "--format", "json")
    assert result.exception is None
    return result.stdout


def test_the_answer_about_a_profile_says_what_to_do_and_what_was_changed(data: Path) -> None:
    one = one_of("profile", "mig_or_green_context")
    done("predict", one.name, "--cause", "debug_build")
    text = " ".join(done("show", one.name, "--profile").split())
    assert "0 of 100" in text and "60 of 132 SMs" in text and one.changed in text
    assert state_of(Store(data).record(one.name)) == "tried"
    clean = one_of("profile", NOTHING)
    done("predict", clean.name, "--cause", NOTHING)
    assert "100 of 100" in done("show", clean.name, "--profile")


def test_the_answer_can_be_shown_without_one(data: Path) -> None:
    one = one_of("profile", "metric_nan")
    assert "--anyway" in refused("solution", one.name)
    assert "metric_nan" in done("solution", one.name, "--anyway")
    assert "metric_nan" in done("show", one.name, "--profile", "--no-prediction")
    assert Store(data).record(one.name).predictions == []


@pytest.mark.parametrize(
    "args", [("start",), ("check",), ("check", "--watch"), ("profile",), ("sweep",), ("quiz",), ("selfcheck",)]
)
def test_what_cannot_be_run_says_in_one_line_what_to_do_instead(data: Path, args: tuple[str, ...]) -> None:
    for name in ("1", readings()[0].name):
        text = refused(args[0], name, *args[1:])
        assert "practice show 1" in text and "practice predict 1" in text


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--cause", "sync"), "--estimate"),
        (("--estimate", "1 ms"), "--cause"),
        (("--cause", "gremlins", "--estimate", "1 ms"), "not one of the choices"),
        (("--cause", "sync", "--estimate", "7 GB"), "not a time"),
        (("--cause", "sync", "--estimate", "7"), "not a time"),
        (("--cause", "sync", "--estimate", "1 ms", "--class", "dram_bound"), "recording to read"),
    ],
)
def test_a_wrong_answer_line_is_one_clear_line(data: Path, options: tuple[str, ...], says: str) -> None:
    assert says in refused("predict", "1", *options)


def test_the_options_of_the_other_kind_are_refused(data: Path) -> None:
    assert "--estimate is for a timeline" in refused("predict", "bank-conflicts", "--estimate", "1 ms")
    profile = one_of("profile", "metric_nan")
    assert "no number" in refused("predict", profile.name, "--cause", "metric_nan", "--estimate", "1 ms")


# The points


@pytest.mark.parametrize(("factor", "points"), [(1, 100), (2, 85), (0.5, 85), (4, 70), (100, 70)])
def test_a_time_costs_half_of_its_points_at_a_factor_of_two(factor: float, points: int) -> None:
    found = shown(one_of("timeline", "gpu_idle"))
    assert TIME_POINTS == SPEEDUP_POINTS
    assert found.time is not None
    assert score_answer("gpu_idle", found.time * factor, found).total == points


def test_a_finding_that_is_not_the_first_gives_half() -> None:
    found = shown(one_of("timeline", "pageable_memory"))
    assert "copy_not_overlapped" in found.others
    assert score_answer("copy_not_overlapped", None, found).total == 35
    assert score_answer("gpu_idle", None, found).total == 0


@pytest.mark.parametrize(("typed", "ns"), [("12 ms", 12e6), ("12ms", 12e6), ("800 us", 8e5), ("0.2 s", 2e8)])
def test_a_time_is_typed_with_its_unit(typed: str, ns: float) -> None:
    assert estimate_ns(typed) == pytest.approx(ns)


@pytest.mark.parametrize("typed", ["", "12", "-", "12 GB", "1e99 s"])
def test_other_text_is_no_time(typed: str) -> None:
    with pytest.raises(UsageError, match="not a time"):
        estimate_ns(typed)


def test_the_step_of_a_recording_is_its_only_one() -> None:
    assert [step.id for step in readings()[0].stages] == [STEP]
