"""The commands of `ncu-advisor practice` that run kernels, and the check of the exercises themselves."""

from __future__ import annotations

import contextlib
import re
import shlex
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from advisor.cli import terminal
from advisor.cli.options import PATH, Output, argument, clock_control, command, flag, formats, option
from advisor.cli.practice import MOST, OneExercise, ask_prediction, reveal, write
from advisor.compare.compare import compare as compare_analyses
from advisor.emulator.compile import cubin_compiler
from advisor.emulator.cubin import nvdisasm
from advisor.knowledge.base import catalog
from advisor.practice import attempts, compiling, workshop
from advisor.practice import selfcheck as checks
from advisor.practice import sweep as sweeping
from advisor.practice.attempts import NOT_ITS_FAULT, USUAL_ARCH
from advisor.practice.calibrate import calibrate as measure_ceilings
from advisor.practice.calibrate import keep
from advisor.practice.emulated_check import check as emulated_check
from advisor.practice.emulated_source import count_step
from advisor.practice.first_counts import FirstCounts, count_version, version_problem
from advisor.practice.folders import faults
from advisor.practice.manifest import Exercise, case, exercise, home, names, recording
from advisor.practice.predictions import MINE
from advisor.practice.readings import readings
from advisor.practice.run import Listener, Progress, Runner, nothing, one_child
from advisor.practice.selfcheck import selfcheck_document
from advisor.practice.stages import STAGE_WORDS
from advisor.practice.state import Store, latest
from advisor.practice.tasks import Request
from advisor.profiling.failures import Failure
from advisor.profiling.ncu import MISSING as NO_NCU
from advisor.profiling.ncu import find_ncu
from advisor.reasoning.emulated_counts import analyse_emulated, emulated_document
from advisor.records.emulated import EmulatedDocument
from advisor.records.errors import EXIT_CHECK_FAILED, EXIT_DONE, EXIT_WRONG_USE, AdvisorError, InputError, UsageError
from advisor.records.files import write_whole
from advisor.records.scratch import ScratchFolder
from advisor.view.writers.json import document_json

if TYPE_CHECKING:
    from advisor.reasoning.analysis import Analysis
from advisor.view.blocks import Page
from advisor.view.pages import measuring as view
from advisor.view.pages.compare import Result, compare_page
from advisor.view.pages.emulated import check_page, emulated_page

_EMULATED_S = 60.0  # CPU time for each of two versions
_ARCH = re.compile(r"(?:sm_|compute_)?(\d{1,2})\.?(\d)([af]?)\Z")


@dataclass(frozen=True, kw_only=True)
class _RunOptions(OneExercise):
    """The options `--seed` and `--limit`."""

    seed: int | None = option(
        "--seed", type=click.IntRange(0, 2**31 - 1), help="Seed of the inputs; random by default."
    )
    limit: float = option("--limit", default=30, type=click.IntRange(1, 3600), help="Time limit of one run in seconds.")

    @property
    def inputs(self) -> int:
        """The seed of the inputs: a new one for every check, unless the learner sets it."""
        return self.seed if self.seed is not None else attempts.fresh_seed()


@dataclass(frozen=True, kw_only=True)
class _Clocks:
    """The option `--clock-control`."""

    clock_control: str = clock_control()

    @property
    def clocks(self) -> str | None:
        """The clock option for ncu, or None for its default."""
        return None if self.clock_control == "base" else self.clock_control


@dataclass(frozen=True, kw_only=True)
class CheckOptions(_RunOptions):
    """Options of `check`."""

    arch: str | None = option(
        "--compile-only", metavar="SM", help="Only compile, for an architecture such as sm_80; needs no GPU."
    )
    watch: bool = flag("--watch", help="Check again after each save, until it passes; Ctrl+C ends.")


@command(CheckOptions)
def check(options: CheckOptions) -> int:
    """Compile your version, compare its result with the reference, and time it against the slow and the fast version.

    Exit code 0 if it is correct and as fast as the bundled solution, within a tenth and the noise; 1 if not; 2 if it
    could not be run. Without a GPU, a small problem is executed on the CPU (extra `emulate`): 1 if it is wrong, 2 if it
    is right, because the speed is unknown.
    """
    store = Store()
    shop = workshop.opened(exercise(options.name), store)
    if not options.watch:
        return _check(store, shop, options)
    saved = shop.digest()
    code = _check(store, shop, options)
    while code != EXIT_DONE:
        terminal.note(f"waiting until {shop.source.name} is saved; Ctrl+C ends")
        saved = workshop.next_save(shop, saved)
        terminal.clear()
        code = _check(store, shop, options)
    return code


def _check(store: Store, shop: workshop.Workshop, options: CheckOptions) -> int:
    if options.arch is not None:
        return _compile(store, shop, architecture(options.arch))
    tried = _try(store, shop, options.inputs, options)
    code = _show_attempt(tried, shop)
    if tried.mine is None:
        right = _emulate(store, shop)
        if right is not None:
            return code if right else EXIT_CHECK_FAILED
        if _compile(store, shop, USUAL_ARCH) == EXIT_CHECK_FAILED:
            return EXIT_CHECK_FAILED
    return code


def _emulate(store: Store, shop: workshop.Workshop) -> bool | None:
    """Without a GPU: return whether a small problem is right on the CPU; None if it cannot be emulated."""
    if shop.source.suffix != ".cu" or nvdisasm() is None or cubin_compiler() is None:
        return None
    found = recording(shop.exercise)
    if found is None:
        return None
    terminal.note("executing a small problem on the CPU")
    with contextlib.ExitStack() as stack:
        first = None if shop.untouched() else stack.enter_context(FirstCounts(shop.exercise))
        try:
            result = emulated_check(case(shop.exercise.name), shop.source, found.record.card)
        except AdvisorError as e:
            terminal.clear()
            terminal.warn(f"not emulated: {e}")
            return None
        counts = _counted(shop, first) if result.right and first is not None else None
    terminal.clear()
    terminal.write_page(check_page(shop.source.name, result, counts), "text", None)
    said = "right" if result.right else "wrong"
    attempts.note_emulated(store, shop, result.right, f"a small problem on the CPU: {said}; not timed")
    terminal.warn(
        "speed was not checked: that needs a GPU. `ncu-advisor emulate "
        f"{shlex.quote(str(shop.source))} --exercise {shop.exercise.number}` counts what it does to memory"
    )
    return result.right


def _counted(shop: workshop.Workshop, first: FirstCounts) -> tuple[EmulatedDocument, EmulatedDocument] | None:
    """Return the counts of the first version and of the learner's at the recorded size; None if not counted."""
    terminal.note("counting both versions on the CPU")
    first.wait_if_large()
    try:
        mine = count_version(version_problem(shop.exercise, shop.source))
    except AdvisorError:  # another number of launches, or what is not emulated: the check itself was done
        return None
    terminal.note("counting the first version on the CPU, once: the counts are kept")
    before = first.result()
    return (before, mine) if before is not None else None


def _try(store: Store, shop: workshop.Workshop, seed: int, options: _RunOptions) -> attempts.Attempt:
    """Run the learner's version, the slow version and the fast version, and record the outcome."""
    tried = attempts.check_and_record(store, shop, seed, attempts.runner(options.limit), _show_progress)
    terminal.clear()
    return tried


def _show_attempt(tried: attempts.Attempt, shop: workshop.Workshop, onward: bool = True) -> int:
    """Show the result of a check and, with `onward`, the next step; return the exit code."""
    mine = tried.mine
    if mine is None:
        terminal.warn((tried.outcome.failure or Failure("nothing", "nothing was run")).words)
        return EXIT_WRONG_USE
    if mine.failure is not None and mine.failure.kind in NOT_ITS_FAULT:
        terminal.warn(mine.failure.words)
        return EXIT_WRONG_USE
    write(view.attempt_page(shop.exercise, tried, onward))
    return EXIT_DONE if tried.solved else EXIT_CHECK_FAILED


def _show_progress(now: Progress) -> None:
    of = f" ({now.job}/{now.of})" if now.of > 1 else ""
    passes = f", {now.kernel[:30]} {now.percent} %" if now.kernel else ""
    terminal.note(f"{STAGE_WORDS.get(now.stage, now.stage)} {now.step}{of}{passes}")


def architecture(text: str) -> str:
    """Return the form `sm_80` of sm_80, 80 or 8.0. Raises UsageError if the text is not an architecture."""
    match = _ARCH.fullmatch(text.strip().lower())
    if match is None:
        raise UsageError(f"{text[:40]!r} is not an architecture: give one such as {', '.join(compiling.ARCHITECTURES)}")
    return f"sm_{match[1]}{match[2]}{match[3]}"


def _compile(store: Store, shop: workshop.Workshop, arch: str) -> int:
    """Compile the learner's source for an architecture without a GPU; return the exit code."""
    builds = attempts.compiled(store, shop, arch)
    if not builds:
        terminal.warn(f"{shop.source.name} is Python: there is nothing to compile, and running it needs an NVIDIA GPU")
        return EXIT_WRONG_USE
    failures = [b.failure for b in builds if b.failure is not None]
    if any(f.kind == compiling.MISSING.kind for f in failures):
        terminal.warn(compiling.MISSING.words)
        return EXIT_WRONG_USE
    for build in builds:
        write(view.build_page(build))
    return EXIT_CHECK_FAILED if failures else EXIT_DONE


@dataclass(frozen=True, kw_only=True)
class ProfileOptions(_Clocks, _RunOptions):
    """Options of `profile`."""

    no_prediction: bool = flag("--no-prediction", help="Show the profile without a prediction first.")


@command(ProfileOptions)
def profile(options: ProfileOptions) -> int:
    """Profile your version and the slow one with ncu, score your prediction, and compare before and after.

    Without a GPU or ncu, both are counted on the CPU at the recorded size (extra `emulate`): counts before and after,
    and what they show. Times stay unknown, and the prediction is not scored.
    """
    store, one, seed = Store(), exercise(options.name), options.inputs
    predicted = not options.no_prediction
    shop = workshop.opened(one, store)
    try:
        _require_profiler(asking=predicted)
    except InputError:
        if not _profile_emulated(shop):
            raise
        return EXIT_DONE
    if predicted:
        known = latest(store.record(one.name), MINE)
        if known is None or (known.points is not None and known.digest != shop.digest()):
            ask_prediction(store, one, MINE)
    tried = _try(store, shop, seed, options)
    code = _show_attempt(tried, shop, onward=False)
    if tried.mine is None or tried.mine.failure is not None:
        return code
    runner = attempts.runner(options.limit)
    made = attempts.before_and_after(store, shop, tried, seed, runner, _show_progress, options.clocks)
    terminal.clear()
    if predicted:
        terminal.write("")
        reveal(store, one, MINE, made.launch, tried.speedup, made.digest)
    write(view.profile_page(made.diagnosis))
    terminal.write("")
    write(compare_page(Result(made.compared), sections=None))
    terminal.write("")
    write(view.after_profile(one, made.report))
    return EXIT_DONE


def _profile_emulated(shop: workshop.Workshop) -> bool:
    """Count the first step and the learner's version on the CPU, and compare; return whether that was possible."""
    first, found = shop.exercise.stages[0], recording(shop.exercise)
    slow = home(shop.exercise.name) / first.source
    if any(s.suffix != ".cu" for s in (slow, shop.source)) or nvdisasm() is None or cubin_compiler() is None:
        return False
    if found is None:
        return False
    record, own = found.record, case(shop.exercise.name)
    terminal.note("counting both versions on the CPU")
    try:
        documents = [
            emulated_document(count_step(s, own, record.card, record.sizes, "sm_90", _EMULATED_S, launch))
            for s, launch in ((slow, first.look_at), (shop.source, None))
        ]
    except AdvisorError as e:
        terminal.clear()
        terminal.warn(f"not emulated: {e}")
        return False
    terminal.clear()
    before, after = (
        analyse_emulated(one, name=name) for one, name in zip(documents, (slow.name, shop.source.name), strict=True)
    )
    names = [one.kernel for one in documents]
    write(emulated_page(documents[1]))
    terminal.write("")
    maps = (f"{names[0]}={names[1]}",) if names[0] != names[1] else ()
    write(compare_page(Result(compare_analyses(before, after, maps=maps)), sections=None))
    terminal.warn("counted on the CPU at the recorded size; times are unknown: they need a GPU and ncu")
    return True


def _require_profiler(asking: bool) -> None:
    """Raise InputError if profiling is impossible here. asking: also check for a GPU, before asking the learner."""
    if find_ncu() is None:
        raise InputError(NO_NCU)
    if not asking:
        return
    runner = Runner()
    outcome, _ = one_child(Request(()), runner, Listener(nothing, runner.limits))
    if outcome.failure is not None:
        raise InputError(outcome.failure.words)


@dataclass(frozen=True, kw_only=True)
class SweepOptions(_Clocks, _RunOptions):
    """Options of `sweep`."""

    axes: tuple[str, ...] = option(
        "--vary",
        multiple=True,
        type=click.Choice(["block", "carveout", "registers"]),
        help="What to vary; all three by default.",
    )
    profiled: bool = flag("--profile", help="Also profile every point, for its occupancy.")


@command(SweepOptions)
def sweep(options: SweepOptions) -> int:
    """Vary block size, shared-memory carve-out and register cap of your version, and show the best point."""
    shop = workshop.opened(exercise(options.name), Store())
    task = attempts.task(shop, (attempts.own_job(shop, ("check", "time")),), options.inputs)
    chosen = tuple(a for a in sweeping.AXES if not options.axes or a in options.axes)
    found = sweeping.sweep(task, chosen, attempts.runner(options.limit), _show_progress)
    if options.profiled and found.failure is None:
        shop.profiles.mkdir(parents=True, exist_ok=True)
        report, runner = attempts.next_report(shop), attempts.runner(options.limit)
        found = sweeping.profiled(found, task, report, runner, _show_progress, clock_control=options.clocks)
    terminal.clear()
    failure = found.failure
    if not found.points:
        failure = failure or Failure("nothing", "nothing was run")
        if found.outcome.failure is not None or failure.kind in NOT_ITS_FAULT:
            terminal.warn(failure.words)
            return EXIT_WRONG_USE
        write(Page("", tuple(view.failure_blocks(failure)), ()))
        return EXIT_CHECK_FAILED
    write(view.sweep_page(found, shop.exercise))
    if failure is not None:
        terminal.warn(failure.words)
        return EXIT_WRONG_USE
    return EXIT_DONE


@dataclass(frozen=True)
class CalibrateOptions:
    """Options of `calibrate`, which has none."""


@command(CalibrateOptions)
def calibrate(options: CalibrateOptions) -> int:
    """Measure this GPU's read, copy and multiply-add ceilings, and store them."""
    made = measure_ceilings(attempts.fresh_seed(), lambda: datetime.now(UTC), Runner(), _show_progress)
    terminal.clear()
    if made.ceilings is None:
        raise InputError(made.failure.words if made.failure is not None else "nothing was measured")
    path = keep(made.ceilings)
    write(view.ceilings_page(made.ceilings, path))
    return EXIT_DONE


@dataclass(frozen=True, kw_only=True)
class SelfcheckOptions(_Clocks, Output):
    """Options of `selfcheck`."""

    names: tuple[str, ...] = argument(nargs=-1)
    run: bool = flag("--run", help="Run and profile every step on this GPU instead of reading the records.")
    form: str = formats("text", "json", "markdown")
    readme: Path | None = option("--readme", type=PATH, metavar="FILE", help="Also write the table as Markdown.")
    compiled: bool = flag("--compile", help="Also compile every source for every architecture.")
    keep: Path | None = option("--keep", type=PATH, metavar="DIR", help="With --run: folder to keep ncu's reports in.")
    record: bool = flag("--record", help="With --run: write reports and times into the exercises' folders.")

    def chosen(self) -> list[Exercise]:
        """Return the named exercises, or all exercises by default."""
        return [exercise(name) for name in (self.names or names())]


@command(SelfcheckOptions)
def selfcheck(options: SelfcheckOptions) -> int:
    """Check that every exercise shows what it claims (for authors of exercises).

    Exit code 1 if a claim does not hold.
    """
    if options.run and options.compiled:
        raise UsageError("--compile is for machines without a GPU: --run already compiles every source")
    if (options.keep is not None or options.record) and not options.run:
        raise UsageError("--keep and --record belong to --run")
    if options.run:
        return _run_here(options)
    cat, chosen = catalog(), options.chosen()
    wrong = [f"{f}" for f in faults(cat) if not options.names or any(n in f.file.parts for n in options.names)]
    wrong += _compile_all(chosen) if options.compiled else []
    for fault in wrong:
        click.echo(fault, err=True)
    found = [m for m in (checks.of_recording(e) for e in chosen) if m is not None]
    judged = checks.judge(cat, found, checks.analyse(cat, found, progress=terminal.narrate)) if found else ()
    terminal.clear()
    return _report(judged, found, bool(wrong), options)


def _compile_all(chosen: list[Exercise]) -> list[str]:
    """Return a line for each source that does not compile. Raises InputError if there is no compiler."""
    if compiling.compiler() is None:
        raise InputError(compiling.MISSING.words)
    sources = [path for one in chosen for path in sorted(home(one.name).glob("*.cu"))]
    total, builds = len(sources) * len(compiling.ARCHITECTURES), 0

    def done(build: compiling.Build) -> None:
        nonlocal builds
        builds += 1
        terminal.note(f"compiling {builds}/{total}")

    made = compiling.compile_all(sources, compiling.ARCHITECTURES, done=done)
    terminal.clear()
    click.echo(f"{len(sources)} sources compiled for {', '.join(compiling.ARCHITECTURES)}", err=True)
    return [f"{b.source.parent.name}, {b.arch}: {b.failure.words}" for b in made if b.failure is not None]


def _report(
    judged: tuple[checks.Judged, ...], measured: list[checks.Measured], broken: bool, options: SelfcheckOptions
) -> int:
    """Print the table (or JSON), write the README if requested, and return the exit code."""
    if options.form == "json":
        text = document_json(selfcheck_document(judged))
    elif options.form == "markdown":
        text = view.readme(judged, measured, readings())
    else:
        text = terminal.page_text(view.selfcheck_page(judged), out=options.out, most=MOST)
    terminal.write(text, options.out)
    if options.readme is not None:
        write_whole(options.readme, view.readme(judged, measured, readings()))
    return EXIT_DONE if all(j.ok for j in judged) and not broken else EXIT_CHECK_FAILED


def _run_here(options: SelfcheckOptions) -> int:
    """Check, time and profile the exercises on this GPU, and judge them like the recorded results."""
    cat, chosen = catalog(), options.chosen()
    with ScratchFolder() as place:
        folder = options.keep or Path(place)
        folder.mkdir(parents=True, exist_ok=True)
        seed = attempts.fresh_seed()
        made = checks.run_all(chosen, seed, folder, show=_show_progress, clock_control=options.clocks)
        terminal.clear()
        if not made.measured:
            raise InputError(made.failure.words if made.failure is not None else "nothing could be run")
        if made.failure is not None:
            terminal.warn(made.failure.words)
        measured = list(made.measured)
        profiled = [m for m in measured if m.report.is_file()]
        analysis = checks.analyse(cat, profiled, progress=terminal.narrate) if profiled else None
        terminal.clear()
        judged = checks.judge(cat, measured, analysis)
        if options.record:
            _record(measured, made, analysis, seed)
        return _report(judged, measured, False, options)


def _record(measured: list[checks.Measured], made: checks.Everything, analysis: Analysis | None, seed: int) -> None:
    """Write the trimmed and compressed reports and the times into the exercises' folders."""
    if made.outcome.card is None or analysis is None:
        raise InputError("nothing was profiled, so nothing is recorded")
    driver, (sm, memory) = checks.driver_version(), checks.clocks(analysis.inputs.frame)
    cuda, cupy = checks.versions_of(dict(made.outcome.versions))
    tool = analysis.diagnosis.reports[0].tool.removeprefix("ncu ")
    today = datetime.now(UTC).date().isoformat()
    environment = checks.Circumstances(made.outcome.card, driver, cuda, cupy, tool, sm, memory, today, seed)
    gpu = made.outcome.card.name.removeprefix("NVIDIA ").split(" ")[0].lower()
    checks.write_all(measured, environment, gpu, lambda name: click.echo(f"recorded {name}", err=True))
