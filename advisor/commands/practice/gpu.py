"""The half of `practice` that runs kernels: check, profile, sweep, calibrate."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from pathlib import Path

import click

from advisor.commands.practice import learn
from advisor.commands.practice.face import Face
from advisor.errors import EXIT_CHECK_FAILED, EXIT_DONE, EXIT_WRONG_USE, InputError
from advisor.model import LaunchDiagnosis
from advisor.practice import attempt, calibrate, compiling, journal, reprofile, workshop
from advisor.practice import sweep as sweeping
from advisor.practice.failures import MACHINE, Failure
from advisor.practice.manifest import Exercise, exercise
from advisor.practice.run import Limits, OnProgress, Progress, Runner
from advisor.practice.state import Record, Store
from advisor.quantify.noise import spread
from advisor.render import attempt as words
from advisor.render import measuring

_STAGES = {
    "start": "starting",
    "inputs": "making inputs",
    "compile": "compiling",
    "reference": "computing the reference",
    "check": "checking",
    "time": "timing",
    "warm": "warming up",
    "profile": "profiling",
}
MINE = "mine"


def shower(face: Face) -> OnProgress:
    """Shows what a child does on one line of the terminal."""

    def show(now: Progress) -> None:
        of = f" ({now.job}/{now.of})" if now.of > 1 else ""
        passes = f", {now.kernel[:30]} {now.percent} %" if now.kernel else ""
        face.note(f"{_STAGES.get(now.stage, now.stage)} {now.step}{of}{passes}")

    return show


def _seed(given: int | None) -> int:
    """Fresh random inputs for every check, unless the learner asks for the same again."""
    return given if given is not None else random.SystemRandom().randrange(1 << 31)


def _runner(limit: float) -> Runner:
    return Runner(limits=Limits(check=limit, time=4 * limit, profile=2 * limit))


def _try(store: Store, name: str, seed: int, limit: float, face: Face) -> tuple[workshop.Workshop, attempt.Attempt]:
    """Run the learner's version beside slow and fast, and write the outcome down."""
    shop = workshop.opened(exercise(name), store)
    digest = shop.digest()
    tried = attempt.check(shop, seed, _runner(limit), shower(face))
    face.clear()
    if tried.mine is not None:
        store.change(name, lambda record: _note(record, digest, tried))
    return shop, tried


def check(store: Store, name: str, seed: int | None, limit: float, arch: str | None, face: Face) -> int:
    """Compile, compare and time the learner's version; 0 when it is right and as fast as the bundled answer."""
    if arch is not None:
        return compile_only(exercise(name), workshop.opened(exercise(name), store), arch, face)
    shop, tried = _try(store, name, _seed(seed), limit, face)
    failure = tried.outcome.failure
    if failure is not None and failure.kind in MACHINE:
        face.write(words.failure_text(failure, face.width, face.colour))
        compile_only(shop.exercise, shop, "sm_90", face)
        return EXIT_WRONG_USE
    face.write(words.attempt_text(shop.exercise, tried, face.width, face.colour, face.blocks))
    return EXIT_DONE if tried.solved else EXIT_CHECK_FAILED


def compile_only(one: Exercise, shop: workshop.Workshop, arch: str, face: Face) -> int:
    """Compile the learner's source for an architecture without a GPU, and say what that does not tell."""
    sources = [p for p in (shop.source, *shop.extra) if p.suffix == ".cu"]
    if not sources:
        face.write(f"{shop.source.name} is Python: there is nothing to compile. {compiling.NOT_DONE}.")
        return EXIT_WRONG_USE
    builds = [compiling.compile_source(p, arch, lines=p == shop.source) for p in sources]
    for build in builds:
        face.write(measuring.build_text(build, face.width, face.colour))
    if any(b.failure is not None and b.failure.kind == compiling.MISSING.kind for b in builds):
        return EXIT_WRONG_USE
    return EXIT_CHECK_FAILED if any(b.failure is not None for b in builds) else EXIT_DONE


def _note(record: Record, digest: str, tried: attempt.Attempt) -> None:
    record.attempts += 1
    record.solved = record.solved or tried.solved
    mine = tried.mine
    if mine is None:
        return
    if mine.failure is not None:
        journal.add(record, digest, "failed", observation=mine.failure.words[:300])
        return
    runs = spread(mine.times_ns) if mine.times_ns and tried.right else None
    journal.add(
        record,
        digest,
        "checked",
        right=tried.right,
        time_ns=runs.median if runs else None,
        noise=runs.noise if runs else None,
        observation=mine.wrong[:300],
    )


def profile(
    store: Store, name: str, seed: int | None, limit: float, clock_control: str, predicted: bool, face: Face
) -> int:
    """Profile the first step and the learner's version, score the prediction, show the diagnosis and the comparison."""
    seed = _seed(seed)
    one = exercise(name)
    if predicted and workshop.opened(one, store):
        learn.ask_prediction(store, one, MINE, face, again=True)
    shop, tried = _try(store, name, seed, limit, face)
    mine = tried.mine
    if mine is None or mine.failure is not None:
        face.write(words.attempt_text(one, tried, face.width, face.colour, face.blocks))
        machine = tried.outcome.failure is not None and tried.outcome.failure.kind in MACHINE
        return EXIT_WRONG_USE if machine else EXIT_CHECK_FAILED
    face.write(words.attempt_text(one, tried, face.width, face.colour, face.blocks))
    clocks = None if clock_control == "base" else clock_control
    made = reprofile.before_and_after(shop, tried, seed, _runner(limit), shower(face), clock_control=clocks)
    face.clear()
    if made.failure is not None or made.before is None or made.after is None:
        face.write(words.failure_text(made.failure or Failure("report", "no profile"), face.width, face.colour))
        return EXIT_WRONG_USE
    launch = made.after.diagnosis.launches[0]
    _remember(store, name, shop.digest(), launch)
    speedup = tried.over_slow.speedup if tried.over_slow is not None else None
    if predicted:
        face.write(learn.reveal(store, one, MINE, launch, speedup, face))
    face.write(measuring.profile_text(made, launch, face.width, face.colour, face.blocks))
    _compare(made, tried, face)
    face.write(f"The report with both versions: {made.report}")
    return EXIT_DONE


def _remember(store: Store, name: str, digest: str, launch: LaunchDiagnosis) -> None:
    first = next((f for f in launch.findings if f.kind == "diagnosis"), None)
    gain = f", {first.speedup.estimate:.2g}x to win" if first is not None and first.speedup is not None else ""
    seen = f"{launch.verdict.id}: {first.id if first is not None else 'no finding'}{gain}"
    store.change(name, lambda record: journal.add(record, digest, "profiled", observation=seen))


def _compare(made: reprofile.Reprofiled, tried: attempt.Attempt, face: Face) -> None:
    from advisor.pipelines.compare import compare
    from advisor.render.compare import compare_text

    assert made.before is not None
    assert made.after is not None
    slow, mine = tried.slow, tried.mine
    runs = (slow.times_ns, mine.times_ns) if slow is not None and mine is not None and slow.times_ns else None
    found = compare(made.before, made.after, runs=runs if runs is not None and runs[1] else None)
    face.write(compare_text(found, width=face.width, colour=face.colour, blocks=face.blocks))


def sweep(
    store: Store,
    name: str,
    axes: tuple[str, ...],
    profiled: bool,
    seed: int | None,
    limit: float,
    clocks: str,
    face: Face,
) -> int:
    """Vary block size, carve-out and register cap of the learner's source; show the table and the best point."""
    shop = workshop.opened(exercise(name), store)
    task = attempt.task(shop, (attempt.own_job(shop, ("check", "time")),), _seed(seed))
    chosen = tuple(a for a in sweeping.AXES if not axes or a in axes)
    found = sweeping.sweep(task, chosen, _runner(limit), shower(face))
    if profiled and found.failure is None:
        shop.profiles.mkdir(parents=True, exist_ok=True)
        control = None if clocks == "base" else clocks
        report = reprofile.next_report(shop)
        found = sweeping.profiled(found, task, report, _runner(limit), shower(face), clock_control=control)
    face.clear()
    if not found.points:
        failure = found.failure or Failure("nothing", "nothing was run")
        face.write(words.failure_text(failure, face.width, face.colour))
        return EXIT_WRONG_USE if failure.kind in MACHINE else EXIT_CHECK_FAILED
    face.write(measuring.sweep_text(found, face.width, face.colour))
    if found.failure is not None:
        face.write(words.failure_text(found.failure, face.width, face.colour))
        return EXIT_WRONG_USE
    return EXIT_DONE


def ceilings(face: Face) -> int:
    """Measure this card's read, copy and multiply-add ceilings and keep them."""
    made = calibrate.calibrate(_seed(None), lambda: datetime.now(UTC), Runner(), shower(face))
    face.clear()
    if made.ceilings is None:
        raise InputError(made.failure.words if made.failure is not None else "nothing was measured")
    path: Path = calibrate.keep(made.ceilings)
    face.write(measuring.ceilings_text(made.ceilings, path, face.width, face.colour))
    click.echo("From now on they are this card's ceilings in diagnoses on this machine.", err=True)
    return EXIT_DONE
