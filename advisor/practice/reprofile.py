"""Before and after: the first step and the learner's version, profiled into one report and reasoned about."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.errors import AdvisorError
from advisor.practice import attempt
from advisor.practice.cases import answers
from advisor.practice.failures import Failure
from advisor.practice.launchlines import read_lines
from advisor.practice.manifest import Exercise, bundled_text
from advisor.practice.predict import MINE
from advisor.practice.profiling import profile
from advisor.practice.run import OnProgress, Runner, nothing
from advisor.practice.selfcheck_run import launches_of
from advisor.practice.tasks import Request
from advisor.practice.workshop import Workshop, read_source

if TYPE_CHECKING:
    from advisor.pipelines.diagnose import Analysis


@dataclass(frozen=True, slots=True)
class Reprofiled:
    """The report with both versions, and an analysis of one launch each; or why there is none."""

    report: Path | None
    before: Analysis | None
    after: Analysis | None
    failure: Failure | None = None


def next_report(shop: Workshop) -> Path:
    """The path of the next report in the learner's folder: 001.ncu-rep, 002.ncu-rep, …"""
    taken = [int(p.stem) for p in shop.profiles.glob("*.ncu-rep") if p.stem.isdigit()]
    return shop.profiles / f"{max(taken, default=0) + 1:03d}.ncu-rep"


def like(one: Exercise, source: Path) -> str:
    """The step whose answers fit a learner's source best: the first that launches as many kernels, else the last."""
    try:
        count = len(read_lines(read_source(source), source.name)[0]) if source.suffix == ".cu" else 0
    except AdvisorError:  # a launch line under construction: any step's answers do
        return one.stages[0].id
    for step in one.stages:
        text = bundled_text(one.name, step.source)
        if not count or (step.source.endswith(".cu") and len(read_lines(text, step.source)[0]) == count):
            return step.id
    return one.stages[-1].id


def before_and_after(
    shop: Workshop,
    tried: attempt.Attempt,
    seed: int,
    runner: Runner | None = None,
    show: OnProgress = nothing,
    ncu: Path | None = None,
    clock_control: str | None = None,
) -> Reprofiled:
    """Profile the first step and the learner's version into the learner's folder; failures are in the result."""
    one = shop.exercise
    first = one.stages[0]
    jobs = (attempt.bundled_job(shop, first.id, ("profile",)), attempt.own_job(shop, ("profile",)))
    shop.profiles.mkdir(parents=True, exist_ok=True)
    made = profile(Request((attempt.task(shop, jobs, seed),)), next_report(shop), runner, show, ncu, clock_control)
    if made.failure is not None or made.report is None:
        return Reprofiled(made.report, None, None, made.failure or Failure("report", "ncu wrote no report"))
    places = launches_of(made)
    old, new = places.get((one.name, first.id), ()), places.get((one.name, MINE), ())
    if not old or not new:
        return Reprofiled(made.report, None, None, Failure("report", "the report does not hold both versions"))
    problem = tried.outcome.problem(one.name)
    sizes = problem.sizes if problem is not None else {}
    before = old[min(first.look_at, len(old) - 1)]
    after = new[min(first.look_at, len(new) - 1)]
    return Reprofiled(
        made.report,
        _analysis(made.report, before, one.name, first.id, sizes),
        _analysis(made.report, after, one.name, like(one, shop.source), sizes),
    )


def _analysis(report: Path, launch: int, name: str, step: str, sizes: dict[str, int]) -> Analysis:
    from advisor.pipelines.diagnose import analyse

    said = answers(name, step, sizes) if sizes else {}
    return analyse([report], answers=said, launches=frozenset({launch}))
