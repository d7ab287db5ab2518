"""The bench of the section, with a profiler that hands out the recorded report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from advisor.practice.manifest import exercise, recording
from advisor.practice.profiling import FULL, Profile, Profiled
from advisor.practice.run import JobResult, Outcome, Problem, Progress
from advisor.practice.tasks import Request
from tests.bench.section import run

NAME = "strided-store"


def hand_out(passes: dict[bool, int]) -> Any:
    """A stand-in for `profile`: the recorded launches of the first step, with these passes for the full set or not."""

    def profile(
        request: Request, report: Path, runner: None, show: Any, ncu: Any, clocks: Any, collect: Any
    ) -> Profile:
        (task,) = request.tasks
        kept = recording(exercise(task.exercise))
        assert kept is not None and [j.step for j in task.jobs] == [exercise(NAME).steps[0].id]
        step, many = task.jobs[0].step, len(kept.record.steps[task.jobs[0].step].launches)
        for percent, done in ((0, 0), (100, passes[collect == FULL])):
            show(Progress(task.exercise, step, "profile", 0, 1, "k", percent, done))
        outcome = Outcome(
            problems=((task.exercise, Problem(kept.record.sizes, None)),),  # type: ignore[arg-type]
            jobs=(JobResult(task.exercise, step, profiled=many),),
        )
        launches = (Profiled(task.exercise, step, "k", passes[collect == FULL]),) * many
        report.write_bytes(b"")
        return Profile(outcome, kept.report, launches)

    return profile


@pytest.mark.parametrize(("section", "code"), [(19, 0), (20, 1)])
def test_it_measures_both_and_ends_with_1_above_half_of_the_passes(
    section: int, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter(range(10_000))
    monkeypatch.setattr(run.time, "monotonic", lambda: float(next(clock)))
    monkeypatch.setattr(run, "profile", hand_out({True: 38, False: section}))
    # The full set takes its time.
    monkeypatch.setattr(
        run,
        "measure",
        lambda names, report, collect, given, real=run.measure: (
            real(names, report, collect, given) | ({"ncu_s": 10.0} if collect == FULL else {})
        ),
    )
    assert run.main([str(tmp_path), "--only", NAME]) == code
    out = capsys.readouterr().out
    assert "same first finding: 1 of 1" in out and f"passes {section / 38:.2f}" in out
    (group,) = json.loads((tmp_path / "section.json").read_text())
    assert group["full"]["found"][NAME]["findings"] == group["section"]["found"][NAME]["findings"] != []
    assert (tmp_path / "NcuAdvisor.section").is_file()
    # Done is done: the second call only sums up.
    monkeypatch.setattr(run, "profile", None)
    assert run.main([str(tmp_path), "--only", NAME]) == code


def test_another_first_finding_is_named() -> None:
    def kind(*findings: str) -> dict[str, Any]:
        found = {NAME: {"class": "c", "findings": list(findings), "missing": []}}
        return {"wall_s": 1.0, "ncu_s": 1.0, "bytes": 1, "passes": [9], "failure": "", "found": found}

    lines, holds = run.summary([{"names": [NAME], "full": kind("one", "two"), "section": kind("two", "one")}])
    assert not holds and f"{NAME}: one with the full set, two with the section" in lines
    lines, holds = run.summary([{"names": [NAME], "full": kind("one"), "section": {**kind(), "found": {}}}])
    assert not holds and f"{NAME}: one with the full set, not profiled with the section" in lines


def test_the_watch_counts_from_the_first_sign_of_a_launch_to_its_last(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter((1.0, 3.0, 4.0, 9.0))
    monkeypatch.setattr(run.time, "monotonic", lambda: next(clock))
    watch = run.Watch()
    for kernel, percent, passes in (("a", 0, 0), ("a", 100, 19), ("b", 0, 0), ("b", 100, 19)):
        watch(Progress("e", "s", "profile", 0, 1, kernel, percent, passes))
    assert watch.seconds == [2.0, 5.0]
