"""All steps of all exercises in one run: right or wrong, timed, and which launch of the report is whose."""

from __future__ import annotations

from pathlib import Path

import pytest
from standin_runs import CASE, RIGHT, STANDIN, runner, source

from advisor.practice import selfcheck
from advisor.practice.manifest import Exercise, StepDef
from advisor.practice.profiling import Profile, Profiled
from advisor.practice.run import JobResult, Outcome
from advisor.practice.selfcheck import Everything, copy_task, launches_of, run_all, task_of
from advisor.practice.tasks import Job, Stage, Task
from advisor.records import resources

LINE = "// launch: scale<<<ceil(n / 256), 256>>>(x, y, a, n)"


def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: dict[str, dict[str, str]], **env: str) -> Everything:
    """A run of exercises given as name -> step -> source; a device copy that the stand-in can do comes first."""
    exercises = []
    for name, steps in content.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "case.py").write_text(CASE)
        for step, text in steps.items():
            (tmp_path / name / f"{step}.cu").write_text(text)
        defined = tuple(
            StepDef(s, f"{s}.cu", s, s, "memory_latency", launches=t.count(LINE) + 1) for s, t in steps.items()
        )
        exercises.append(
            Exercise(1, "t", "s", "memory_latency", "3", 1, (), (), (), defined, "e", "MIT", (), name=name)
        )
    by_name = {e.name: e for e in exercises}
    (tmp_path / "copy.cu").write_text(source())
    (tmp_path / "copy.py").write_text(CASE)
    job = Job("copy", str(tmp_path / "copy.cu"), ("check", "time"))
    monkeypatch.setattr(selfcheck, "home", lambda name: tmp_path / name)
    monkeypatch.setattr(selfcheck, "exercise", by_name.__getitem__)
    monkeypatch.setattr(selfcheck, "copy_task", lambda seed: Task("copy", str(tmp_path / "copy.py"), (job,), seed))
    one = runner(STANDIN_LOG=str(tmp_path / "log"), **env)
    return run_all(exercises, 5, tmp_path, one, ncu=STANDIN / "ncu")


def test_every_step_is_checked_timed_and_found_in_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = {
        "one": {"slow": source(), "fast": source(RIGHT, LINE, "// microseconds scale: 2")},
        "two": {"slow": source(f"{RIGHT}; args[1][0] = 9"), "fast": source()},
    }
    found = made(tmp_path, monkeypatch, content)
    assert found.failure is None
    one, two = found.measured
    assert one.report == two.report == tmp_path / "selfcheck-0.ncu-rep"
    assert (one.steps["slow"].launches, one.steps["fast"].launches) == ((0,), (1, 2))
    assert (two.steps["slow"].launches, two.steps["fast"].launches) == ((3,), (4,))
    assert one.steps["fast"].times_ns == (4000.0,) * 20 and one.steps["fast"].right is True
    assert two.steps["slow"].right is False and two.steps["slow"].wrong.startswith("y[0] is 9, expected ")
    assert one.copy == pytest.approx(8 * 4096 / 10e-6) and one.sizes == {"n": 4096} and one.gpu == "Stand-in GPU"


def test_a_step_that_breaks_its_child_leaves_the_others_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = {
        "one": {"slow": source("errors.later('cudaErrorIllegalAddress')"), "fast": source()},
        "two": {"slow": source("errors.crash()"), "fast": source()},
    }
    one, two = made(tmp_path, monkeypatch, content).measured
    assert one.steps["slow"].right is False and "outside the arrays" in one.steps["slow"].wrong
    assert "SIGABRT" in two.steps["slow"].wrong
    assert (one.steps["fast"].launches, two.steps["fast"].launches) == ((0,), (1,))


def test_forbidden_counters_leave_times_without_profiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = made(tmp_path, monkeypatch, {"one": {"slow": source()}}, STANDIN_NCU="forbidden")
    assert found.failure is not None and found.failure.kind == "counters_forbidden"
    assert found.measured[0].steps["slow"].launches == () and found.measured[0].steps["slow"].times_ns


def test_a_machine_without_a_gpu_says_so_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = made(tmp_path, monkeypatch, {"one": {"slow": source()}}, STANDIN_CUPY="no_gpu")
    assert found.failure is not None and found.failure.kind == "no_gpu" and found.measured == ()


def profile_of(jobs: dict[str, int | None], said: list[str]) -> Profile:
    results = tuple(JobResult("e", step, profiled=count) for step, count in jobs.items())
    return Profile(Outcome(jobs=results), Path("r"), tuple(Profiled("e", s, "k", 1) for s in said))


def test_launches_that_cannot_be_counted_are_told_by_when_they_came() -> None:
    found = launches_of(profile_of({"a": 1, "cupy": None, "b": 2}, ["a", "cupy", "cupy", "cupy", "b", "b"]))
    assert found == {("e", "a"): (0,), ("e", "cupy"): (1, 2, 3), ("e", "b"): (4, 5)}


def test_when_ncu_speaks_late_the_counts_decide() -> None:
    assert launches_of(profile_of({"a": 1, "b": 2}, ["b", "b", "b"])) == {("e", "a"): (0,), ("e", "b"): (1, 2)}


def test_what_cannot_be_told_is_not_guessed() -> None:
    assert launches_of(profile_of({"a": 1, "cupy": None, "b": 2}, ["b"] * 6)) == {("e", "a"): (0,)}
    assert launches_of(profile_of({"a": 1, "b": 2}, ["b"] * 4)) == {}


def test_the_device_copy_is_the_bundled_one() -> None:
    task = copy_task(3)
    assert Path(task.case).is_file() and Path(task.jobs[0].source).parent == resources.folder("kernels") / "ceilings"


def test_paths_may_be_relative_to_a_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    step = StepDef("slow", "1-slow.cu", "t", "s", "memory_latency", extra=("k.cu",))
    one = Exercise(1, "t", "s", "d", "3", 1, (), (), (), (step,), "e", "MIT", (), name="one")
    monkeypatch.setattr(selfcheck, "home", lambda name: tmp_path / "kernels" / name)
    monkeypatch.setattr(selfcheck, "exercise", lambda name: one)
    do: tuple[Stage, ...] = ("check",)
    task = task_of("one", do, 4, tmp_path)
    assert task == Task(
        "one", "kernels/one/case.py", (Job("slow", "kernels/one/1-slow.cu", do, ("kernels/one/k.cu",)),), 4
    )
