"""The door to the practice room for a session: the same deeds as the commands, as records."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import learner as room
import pytest
from standin_runs import RIGHT, source

from advisor.practice.attempts import Reprofiled
from advisor.practice.lessons import Lesson, Lessons, Profile, Tried, actual_speedup
from advisor.practice.manifest import exercise, names
from advisor.practice.predictions import MINE
from advisor.practice.readings import reading_names
from advisor.practice.state import Store, latest
from advisor.records.errors import AdvisorError, UsageError

NAME = "bank-conflicts"


def silent(what: str, done: int, total: int) -> None:
    """Nobody listens."""


@pytest.fixture
def lessons(tmp_path: Path) -> Lessons:
    return Lessons(Store(tmp_path / "data"))


def do(lessons: Lessons, action: str, name: str = NAME, **arguments: str) -> Lesson:
    made = lessons.perform(action, name, {key.rstrip("_"): value for key, value in arguments.items()}, silent)
    assert isinstance(made, Lesson)
    return made


def test_the_list_has_every_exercise_by_level_with_what_was_done(lessons: Lessons) -> None:
    lessons.store.change(NAME, lambda record: setattr(record, "solved", True))
    rows = lessons.perform("list", "", {}, silent)
    assert isinstance(rows, tuple)
    assert {row.name for row in rows} == {*names(), *reading_names()}
    kernels = [row.level for row in rows if row.kind == "kernel"]
    assert kernels == sorted(kernels)
    assert [row.kind for row in rows] == sorted((row.kind for row in rows), key=["timeline", "profile", "kernel"].index)
    assert {row.name: row.state for row in rows}[NAME] == "solved"


def test_looking_at_a_profile_writes_nothing_and_predicting_then_revealing_gives_points_once(lessons: Lessons) -> None:
    shown = do(lessons, "profile").result
    assert isinstance(shown, Profile)
    assert shown.launch.kernel and len(shown.times_ns) == 20
    assert not lessons.store.path.exists()
    first = next(f.id for f in shown.launch.findings if f.kind == "diagnosis")
    do(lessons, "predict", class_=shown.launch.verdict.id, cause=first, speedup="2.4")
    profile, found = do(lessons, "reveal").result
    assert profile.launch == shown.launch
    assert (found.score.class_points, found.score.cause_points) == (30, 40)
    assert found.score.total > 90
    with pytest.raises(UsageError, match="points"):
        do(lessons, "predict", class_="balanced", cause=first, speedup="2")
    again = do(lessons, "reveal").result[1]
    assert again.score == found.score
    kept = latest(lessons.store.record(NAME), "tile")
    assert kept is not None and kept.points == found.score.total


def test_an_answer_without_a_prediction_has_no_points(lessons: Lessons) -> None:
    assert do(lessons, "reveal").result[1] is None
    assert lessons.store.record(NAME).predictions == []


@pytest.mark.parametrize("speedup", ["", "fast", "0", "-1", "nan", "1e9"])
def test_a_gain_that_is_none_is_refused(lessons: Lessons, speedup: str) -> None:
    with pytest.raises(UsageError, match="gain"):
        do(lessons, "predict", class_="balanced", cause="bank_conflicts", speedup=speedup)


def test_hints_quiz_and_solution_are_kept_as_the_commands_keep_them(lessons: Lessons) -> None:
    assert do(lessons, "hint").record.hints == 1
    assert do(lessons, "hint").record.hints == 2
    assert do(lessons, "quiz", at="0", chosen="1").record.quiz == {"0": 1}
    assert do(lessons, "quiz", at="0", chosen="2").record.quiz == {"0": 1}, "the first answer stays"
    with pytest.raises(UsageError, match="not tried"):
        do(lessons, "solution")
    told = do(lessons, "solution", anyway="1").result
    assert told.step.id == "padded", "the simplest fix, not the fastest version"
    assert (told.before.id, "[32][33]" in told.text, "[32][32]" in told.old) == ("tile", True, True)
    assert "slow: here" not in told.old


@pytest.mark.parametrize(
    ("action", "arguments"),
    [
        ("quiz", {}),
        ("quiz", {"at": "9", "chosen": "0"}),
        ("quiz", {"at": "0", "chosen": "-1"}),
        ("quiz", {"at": "x", "chosen": "0"}),
        ("profile", {"step": "none"}),
        ("compare", {"before": "none"}),
        ("solution", {"step": "../..", "anyway": "1"}),
        ("check", {}),
        ("reset", {}),
        ("log", {"next": "x"}),
        ("unheard", {}),
    ],
)
def test_what_makes_no_sense_is_one_line_and_changes_nothing(
    lessons: Lessons, action: str, arguments: dict[str, str]
) -> None:
    with pytest.raises(AdvisorError) as caught:
        do(lessons, action, **arguments)
    assert "\n" not in str(caught.value)
    assert lessons.store.record(NAME).attempts == 0


def test_a_folder_is_made_edited_and_put_back(lessons: Lessons) -> None:
    assert do(lessons, "open").yours is None
    yours = do(lessons, "start").yours
    assert yours is not None and yours.changes == ()
    yours.source.write_text(yours.source.read_text("utf-8") + "// mine\n", "utf-8")
    changed = do(lessons, "look").yours
    assert changed is not None and changed.changes[-1] == "+// mine"
    kept = do(lessons, "reset")
    assert kept.yours is not None and kept.yours.changes == ()
    assert [path.read_text("utf-8").endswith("// mine\n") for path in kept.result] == [True]
    yours.source.write_bytes(b"\xff\xfe")
    assert do(lessons, "look").yours is None, "what is no text is nobody's version"


@pytest.mark.parametrize("name", [n for n in names() if exercise(n).ladder] + [NAME])
def test_recorded_versions_are_compared_by_their_own_runs(lessons: Lessons, name: str) -> None:
    made = do(lessons, "compare", name).result
    one = exercise(name)
    fix = one.fix_of(one.stages[0].id)
    caveat = next((m.but for m in fix.mends if m.step == one.stages[0].id), "") if fix is not None else ""
    assert fix is not None and (made.before, made.after, made.also) == (one.stages[0].id, fix.id, caveat)
    assert len(made.compared.pairs) == 1


def test_a_version_that_changes_more_than_the_fix_is_compared_with_a_caveat(lessons: Lessons) -> None:
    assert do(lessons, "compare", before="tile", after="vector").result.also == "16 bytes per lane"
    assert do(lessons, "compare", before="tile", after="padded").result.also == ""


@pytest.mark.parametrize("name", names())
def test_the_scored_speedup_is_that_of_the_solution_that_is_shown(lessons: Lessons, name: str) -> None:
    one = exercise(name)
    first, solution = one.stages[0], one.solution
    measured = lessons.of_recording(one).measured
    actual = actual_speedup(one, first.id, measured)
    assert actual is not None
    if one.nothing_to_fix:
        assert actual == 1.0 and solution == first, "what needs no fix gains nothing"
        return
    times = {step.id: median(measured.steps[step.id].times_ns) for step in (first, solution)}
    fixes = [s for s in one.stages for m in s.mends if m.step == first.id]
    if fixes:
        assert solution in fixes and actual == times[first.id] / times[solution.id]
        alone = [s for s in fixes for m in s.mends if m.step == first.id and not m.but]
        assert solution == (alone or fixes)[0]
        assert alone == [] or one.diff_base(solution) == first


def at_the_machine(learner: room.Learner) -> Lessons:
    return Lessons(Store(learner.data), seed=lambda: 7)


def test_a_version_is_checked_and_profiled_on_a_gpu(learner: room.Learner) -> None:
    lessons = at_the_machine(learner)
    stages: list[str] = []
    learner.edits(source(RIGHT, "// microseconds scale: 10"))
    made = lessons.perform("check", room.NAME, {}, lambda what, done, total: stages.append(what))
    assert isinstance(made, Lesson) and isinstance(made.result, Tried)
    assert made.result.attempt.solved and made.record.solved
    assert {"compile", "check", "time"} <= set(stages)


def test_a_profile_of_ones_own_version_scores_its_prediction_and_compares(
    learner: room.Learner, tmp_path: Path
) -> None:
    lessons = at_the_machine(learner)
    (tmp_path / "two.ncu-rep").write_bytes(room.cut(room.TILE, room.DONE))
    learner.environment(STANDIN_REPORT=str(tmp_path / "two.ncu-rep"))
    learner.edits(source(RIGHT, "// microseconds scale: 10"))
    do(lessons, "predict", room.NAME, step=MINE, class_="dram_bound", cause="near_compute_roofline", speedup="2")
    made = do(lessons, "measure", room.NAME).result
    assert isinstance(made, Reprofiled)
    assert made.revealed is not None and made.revealed.score.speedup_points == 30
    assert made.compared.pairs[0].judged.speedup == pytest.approx(2.0)
    assert made.report is not None and made.report.is_file()
    assert lessons.store.record(room.NAME).log[-1].what == "profiled"


def test_without_a_gpu_it_is_compiled(learner: room.Learner) -> None:
    lessons = at_the_machine(learner)
    learner.edits(source() + "broken\n")
    learner.environment(STANDIN_CUPY="no_gpu")
    made = lessons.perform("check", room.NAME, {}, silent)
    assert isinstance(made, Lesson) and isinstance(made.result, Tried)
    assert made.result.attempt.mine is None
    assert len(made.result.builds) == 1


def test_profiling_needs_ncu(learner: room.Learner, monkeypatch: pytest.MonkeyPatch) -> None:
    lessons = at_the_machine(learner)
    learner.edits(source())
    monkeypatch.setattr("advisor.practice.profiling.find_ncu", lambda env=None: None)
    with pytest.raises(AdvisorError, match="Nsight Compute"):
        lessons.perform("measure", room.NAME, {}, silent)
