"""The half of `practice` that runs kernels: check, profile, sweep, calibrate; and the compile check in their place."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

from advisor.cli.practice import learn
from advisor.cli.practice.text import Face
from advisor.practice import attempts, calibrate, compiling, workshop
from advisor.practice import sweep as sweeping
from advisor.practice.attempts import NOT_ITS_FAULT, USUAL_ARCH
from advisor.practice.failures import Failure
from advisor.practice.manifest import exercise
from advisor.practice.predictions import MINE
from advisor.practice.profiling import MISSING as NO_NCU
from advisor.practice.profiling import find_ncu
from advisor.practice.run import Listener, OnProgress, Progress, Runner, nothing, one_child
from advisor.practice.state import Store
from advisor.practice.tasks import Request
from advisor.records.errors import EXIT_CHECK_FAILED, EXIT_DONE, EXIT_WRONG_USE, InputError, UsageError
from advisor.view import attempt as words
from advisor.view import measuring
from advisor.view.stages import STAGES

_ARCH = re.compile(r"(?:sm_|compute_)?(\d{1,2})\.?(\d)([af]?)\Z")


def shower(face: Face) -> OnProgress:
    """Shows what a child does on one line of the terminal."""

    def show(now: Progress) -> None:
        of = f" ({now.job}/{now.of})" if now.of > 1 else ""
        passes = f", {now.kernel[:30]} {now.percent} %" if now.kernel else ""
        face.note(f"{STAGES.get(now.stage, now.stage)} {now.step}{of}{passes}")

    return show


def _seed(given: int | None) -> int:
    """Fresh random inputs for every check, unless the learner asks for the same again."""
    return given if given is not None else attempts.fresh_seed()


def _try(store: Store, shop: workshop.Workshop, seed: int, limit: float, face: Face) -> attempts.Attempt:
    """Run the learner's version beside slow and fast, and write the outcome down."""
    tried = attempts.check_and_record(store, shop, seed, attempts.runner(limit), shower(face))
    face.clear()
    return tried


def _told(tried: attempts.Attempt, shop: workshop.Workshop, face: Face, onward: bool = True) -> int:
    """Say what came of a check and (`onward`) what to do next; the exit code."""
    mine = tried.mine
    if mine is None:
        face.fail((tried.outcome.failure or Failure("nothing", "nothing was run")).words)
        return EXIT_WRONG_USE
    if mine.failure is not None and mine.failure.kind in NOT_ITS_FAULT:
        face.fail(mine.failure.words)
        return EXIT_WRONG_USE
    face.write(words.attempt_text(shop.exercise, tried, face.width, face.colour, face.blocks, onward))
    return EXIT_DONE if tried.solved else EXIT_CHECK_FAILED


def check(store: Store, name: str, seed: int | None, limit: float, arch: str | None, face: Face) -> int:
    """Compile, compare and time the learner's version; 0 when it is right and as fast as the bundled answer.

    Where nothing can be run it is compiled at least: 1 when it does not compile, else 2, since it was not checked.
    """
    shop = workshop.opened(exercise(name), store)
    if arch is not None:
        return compile_only(store, shop, architecture(arch), face)
    tried = _try(store, shop, _seed(seed), limit, face)
    code = _told(tried, shop, face)
    if tried.mine is None:
        compiled = compile_only(store, shop, USUAL_ARCH, face)
        return EXIT_CHECK_FAILED if compiled == EXIT_CHECK_FAILED else code
    return code


def architecture(text: str) -> str:
    """`sm_80` from how people write it: sm_80, 80, 8.0; UsageError for what is none."""
    match = _ARCH.fullmatch(text.strip().lower())
    if match is None:
        raise UsageError(f"{text[:40]!r} is no architecture: give one such as {', '.join(compiling.ARCHITECTURES)}")
    return f"sm_{match[1]}{match[2]}{match[3]}"


def compile_only(store: Store, shop: workshop.Workshop, arch: str, face: Face) -> int:
    """Compile the learner's source for an architecture without a GPU, and say what that does not tell."""
    builds = attempts.compiled(store, shop, arch)
    if not builds:
        face.fail(f"{shop.source.name} is Python: there is nothing to compile, and running it needs an NVIDIA GPU")
        return EXIT_WRONG_USE
    failures = [b.failure for b in builds if b.failure is not None]
    if any(f.kind == compiling.MISSING.kind for f in failures):
        face.fail(compiling.MISSING.words)
        return EXIT_WRONG_USE
    for build in builds:
        face.write(measuring.build_text(build, face.width, face.colour))
    return EXIT_CHECK_FAILED if failures else EXIT_DONE


def _ready(asking: bool) -> None:
    """InputError when nothing can be profiled here; asking: also find out whether there is a GPU before a question."""
    if find_ncu() is None:
        raise InputError(NO_NCU)
    if not asking:
        return
    runner = Runner()
    outcome, _ = one_child(Request(()), runner, Listener(nothing, runner.limits))
    if outcome.failure is not None:
        raise InputError(outcome.failure.words)


def profile(
    store: Store, name: str, seed: int | None, limit: float, clock_control: str, predicted: bool, face: Face
) -> int:
    """Profile the first step and the learner's version, score the prediction, show the diagnosis and the comparison."""
    seed = _seed(seed)
    one = exercise(name)
    shop = workshop.opened(one, store)
    _ready(predicted)
    digest = shop.digest()
    if predicted:
        learn.own_prediction(store, one, digest, face)
    tried = _try(store, shop, seed, limit, face)
    code = _told(tried, shop, face, onward=False)
    if tried.mine is None or tried.mine.failure is not None:
        return code
    clocks = None if clock_control == "base" else clock_control
    made = attempts.before_and_after(shop, tried, seed, attempts.runner(limit), shower(face), clock_control=clocks)
    face.clear()
    if made.failure is not None or made.before is None or made.after is None:
        face.fail((made.failure or Failure("report", "ncu wrote no report")).words)
        return EXIT_WRONG_USE
    launch = made.after.diagnosis.launches[0]
    attempts.remember_profile(store, name, digest, launch)
    speedup = tried.over_slow.speedup if tried.over_slow is not None else None
    if predicted:
        face.write("\n" + learn.reveal(store, one, MINE, launch, speedup, face, digest))
    face.write(measuring.profile_text(made.after.diagnosis, face.width, face.colour, face.blocks))
    _compare(made, tried, face)
    face.write(measuring.after_profile(one, made.report, face.width))
    return EXIT_DONE


def _compare(made: attempts.Reprofiled, tried: attempts.Attempt, face: Face) -> None:
    from advisor.compare.compare import compare
    from advisor.view.pages.compare import Result, compare_page
    from advisor.view.writers.terminal import terminal_text

    assert made.before is not None
    assert made.after is not None
    slow, mine = tried.slow, tried.mine
    timed = slow is not None and mine is not None and slow.times_ns and mine.times_ns
    runs = (slow.times_ns, mine.times_ns) if timed and slow is not None and mine is not None else None
    found = compare(made.before, made.after, runs=runs)
    page = compare_page(Result(found), sections=None)
    face.write("\n" + terminal_text(page, width=face.width, colour=face.colour, blocks=face.blocks))


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
    task = attempts.task(shop, (attempts.own_job(shop, ("check", "time")),), _seed(seed))
    chosen = tuple(a for a in sweeping.AXES if not axes or a in axes)
    found = sweeping.sweep(task, chosen, attempts.runner(limit), shower(face))
    if profiled and found.failure is None:
        shop.profiles.mkdir(parents=True, exist_ok=True)
        control = None if clocks == "base" else clocks
        report = attempts.next_report(shop)
        found = sweeping.profiled(found, task, report, attempts.runner(limit), shower(face), clock_control=control)
    face.clear()
    failure = found.failure
    if not found.points:
        failure = failure or Failure("nothing", "nothing was run")
        if found.outcome.failure is not None or failure.kind in NOT_ITS_FAULT:
            face.fail(failure.words)
            return EXIT_WRONG_USE
        face.write(words.failure_text(failure, face.width, face.colour))
        return EXIT_CHECK_FAILED
    face.write(measuring.sweep_text(found, shop.exercise, face.width, face.colour))
    if failure is not None:
        face.fail(failure.words)
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
    return EXIT_DONE
