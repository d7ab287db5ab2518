"""The command `ncu-advisor profile`."""

from __future__ import annotations

import re
import shlex
import time
from dataclasses import dataclass
from pathlib import Path

import click

from advisor.cli import terminal
from advisor.cli.options import PATH, Knowledge, Output, argument, command, flag, formats, kernel_pattern, option
from advisor.compare.compare import compare, read_sides
from advisor.compare.side import Side
from advisor.knowledge.base import catalog
from advisor.profiling.process import ended_by
from advisor.program.collect import Collected, Replay, Settings, Step, Survey, collect, report_place, survey
from advisor.program.records import ProfileDocument, profile_document
from advisor.program.run import Program, program, run
from advisor.program.watch import stamp, until_changed
from advisor.reasoning.diagnose import analyse
from advisor.reasoning.document import DiagnosisDocument, diagnosis_document
from advisor.records.diagnosis import Diagnosis
from advisor.records.errors import EXIT_DONE, InputError, UsageError
from advisor.records.escapes import printable
from advisor.records.files import write_whole
from advisor.records.scratch import ScratchFolder
from advisor.source.locate import locate_findings
from advisor.view.blocks import Page, section
from advisor.view.numbers import time_text
from advisor.view.pages.compare import Result, compare_page
from advisor.view.pages.diagnosis import HTML_SECTIONS, MARKDOWN_SECTIONS, diagnosis_page
from advisor.view.pages.program import program_page
from advisor.view.writers import PAGE_FORMATS
from advisor.view.writers.json import document_json
from advisor.view.writers.ncu_section import FILE, IDENTIFIER, section_text


@dataclass(frozen=True, kw_only=True)
class Options(Output, Knowledge):
    """Options of `profile`."""

    words: tuple[str, ...] = argument(nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- PROGRAM [ARGS]...")
    kernel: str | None = option("--kernel", metavar="REGEX", help="Only kernels whose name matches.")
    most: int = option(
        "--most", default=5, type=click.IntRange(1, 100), metavar="N", help="Kernels to profile at most."
    )
    report: Path | None = option(
        "--report", type=PATH, metavar="FILE", help="Where to write the report; in the user's data folder by default."
    )
    replay: Replay | None = option(
        "--replay",
        type=click.Choice(["kernel", "application"]),
        help="How ncu repeats: kernels, or the whole program; kernels first by default.",
    )
    clock_control: str = option(
        "--clock-control",
        default="none",
        type=click.Choice(["base", "none"]),
        help="ncu's own option: `base` locks the clocks while profiling, `none` does not.",
    )
    surveyed: int = option(
        "--survey", default=5000, type=click.IntRange(1), metavar="N", help="Launches to time at most."
    )
    survey_only: bool = flag("--survey-only", help="Only show which kernels take the time.")
    limit_s: int = option(
        "--limit-s", default=600, type=click.IntRange(1, 86400), help="Limit in seconds of a run without progress."
    )
    echo: bool = flag("--echo", help="Show what the program prints, on stderr.")
    watch: bool = flag("--watch", help="After each change of the program's files, profile again and compare.")
    build: str | None = option("--build", metavar="COMMAND", help="With --watch: build the program after a change.")
    depends: tuple[Path, ...] = option(
        "--depends", multiple=True, type=PATH, metavar="FILE", help="With --watch: another file to watch; repeatable."
    )
    form: str = formats("text", "json", *PAGE_FORMATS)


@command(Options, context_settings={"allow_interspersed_args": False})
def profile(options: Options) -> int:
    """Profile a program and diagnose the kernels that take its time.

    The program runs alone first, then with the duration of each launch, then once or a few times with the metrics of
    typical launches of the kernels that take most of the time. What is piped into this command is the standard input of
    each run.

    \b
      ncu-advisor profile -- ./app 4096
      ncu-advisor profile --kernel '^gemm' -- python train.py
      ncu-advisor profile --watch --build 'nvcc -O3 -lineinfo -o app app.cu' --depends app.cu -- ./app 4096
    """
    pattern = kernel_pattern(options.kernel)
    if not options.watch and (options.build or options.depends):
        raise UsageError("--build and --depends belong to --watch")
    if options.watch and (options.form != "text" or options.out is not None or options.survey_only):
        raise UsageError("--watch prints text: leave out --format, --out and --survey-only")
    with ScratchFolder() as place:
        folder = Path(place)
        write_whole(folder / FILE, section_text(catalog(options.knowledge).metrics))
        started = program(options.words, folder)
        settings = _settings(options, folder, pattern)
        found, collected, diagnosis = _profiled(options, started, settings, report_place(options.report, started.name))
        _write(options, started, found, collected, diagnosis)
        if options.watch:
            _watch(options, started, settings, collected)
    return EXIT_DONE


def _settings(options: Options, folder: Path, pattern: re.Pattern[str] | None) -> Settings:
    return Settings(
        sections=folder,
        section=IDENTIFIER,
        kernel=pattern,
        most=options.most,
        limit_s=float(options.limit_s),
        surveyed=options.surveyed,
        clock_control=options.clock_control,
        replay=options.replay,
    )


def _profiled(
    options: Options, started: Program, settings: Settings, report: Path
) -> tuple[Survey, tuple[Collected, ...], Diagnosis | None]:
    """Measure and diagnose; show progress on stderr."""
    output = _echo if options.echo else None
    show = _Progress()
    found = survey(started, settings, settings.sections, show, output)
    if options.survey_only:
        terminal.clear()
        return found, (), None
    collected = collect(started, found, settings, report, show)
    analysis = analyse([one.report for one in collected], knowledge=options.knowledge, progress=terminal.narrate)
    diagnosis = analysis.diagnosis
    if options.form != "json":
        diagnosis = locate_findings(diagnosis, analysis.catalog, terminal.narrate).diagnosis
    terminal.clear()
    return found, collected, diagnosis


class _Progress:
    """Shows the steps: a line for each on a terminal that is overwritten, and the beginning of each run elsewhere."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._run: tuple[str, int] | None = None

    def __call__(self, step: Step) -> None:
        if (step.stage, step.run) != self._run:
            self._run, self._began = (step.stage, step.run), time.monotonic()
        terminal.note(printable(self._text(step)))

    def _text(self, step: Step) -> str:
        if step.stage == "alone":
            return "running the program alone"
        if step.stage == "survey":
            return f"timing the kernels: {step.done} launches, {step.kernel}" if step.kernel else "timing the kernels"
        which = f"run {step.run} of {step.runs}: " if step.runs > 1 else ""
        done = step.done - 1 + step.part
        text = f"profiling {which}{step.kernel}, launch {step.done} of {step.of}, {step.part:.0%} of its passes"
        if step.of and done > 0.05 * step.of:
            left = (time.monotonic() - self._began) * (step.of - done) / done
            text += f", {time_text(max(1.0, left) * 1e9)} left"
        return text


def _echo(line: str) -> None:
    terminal.clear()
    click.echo(printable(line), err=True)


def _write(
    options: Options, started: Program, found: Survey, collected: tuple[Collected, ...], diagnosis: Diagnosis | None
) -> None:
    document = profile_document(started, found, collected, _document(diagnosis))
    if options.form == "json":
        terminal.write(document_json(document), options.out)
        return
    page = _page(document, diagnosis, {"html": HTML_SECTIONS, "markdown": MARKDOWN_SECTIONS}.get(options.form, 3))
    terminal.write_page(page, options.form, options.out)


def _document(diagnosis: Diagnosis | None) -> DiagnosisDocument | None:
    return diagnosis_document(diagnosis) if diagnosis is not None else None


def _page(document: ProfileDocument, diagnosis: Diagnosis | None, sections: int | None) -> Page:
    """Return one page: what takes the time, the reports, then the diagnosis."""
    page = program_page(document)
    if diagnosis is None:
        return page
    found = diagnosis_page(diagnosis, sections=sections)
    head = section(found.title, found.made, name="diagnosis")
    return Page(page.title, page.made, (*page.sections, head, *found.sections))


def _watch(options: Options, started: Program, settings: Settings, before: tuple[Collected, ...]) -> None:
    """Wait for changes; build, profile and compare after each, until the user ends it."""
    files = [*(Path(word) for word in started.words if Path(word).is_file()), *options.depends]
    missing = next((path for path in options.depends if not path.is_file()), None)
    if missing is not None:
        raise UsageError(f"--depends {missing}: there is no such file")
    if not files:
        raise UsageError("the command names no file that could change: name one with --depends")
    names = ", ".join(sorted({path.name for path in files}))
    while True:
        seen = stamp(files)
        terminal.warn(printable(f"waiting for a change of {names}; Ctrl+C ends"))
        until_changed(files, seen)
        try:
            if options.build is not None:
                _build(options.build, settings.limit_s)
            now = _profiled(options, started, settings, report_place(options.report, started.name))[1]
            _compared(options, before, now)
            before = now
        except InputError as e:
            terminal.warn(printable(" ".join(str(e).split())))


def _build(text: str, limit_s: float) -> None:
    """Run the build command. Raises InputError with its last line if it fails."""
    terminal.note("building")
    words = shlex.split(text)
    if not words:
        raise UsageError("--build is empty")
    ran = run(words, limit_s)
    if not ran.good:
        raise InputError(f"the build {ended_by(ran.ended, text=chr(10).join(ran.lines))}")


def _compared(options: Options, before: tuple[Collected, ...], now: tuple[Collected, ...]) -> None:
    for old, new in zip(before, now, strict=False):
        sides = read_sides(Side(old.report), Side(new.report), knowledge=options.knowledge, progress=terminal.narrate)
        terminal.clear()
        terminal.write_page(compare_page(Result(compare(*sides), ())))
