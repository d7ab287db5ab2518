"""The command `ncu-advisor triage`, and its progress display."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from advisor.cli import terminal
from advisor.cli.options import PATH, Knowledge, Launches, Output, Strict, argument, command, formats, option
from advisor.records.diagnosis import Finding, Location
from advisor.records.errors import EXIT_DONE, EXIT_WRONG_USE, UsageError
from advisor.source.locate import places_of
from advisor.triage.results import Group, Triage, TriageDocument
from advisor.triage.run import Progress
from advisor.triage.run import triage as triage_reports
from advisor.view.numbers import counted, time_text
from advisor.view.pages.triage import EXTENT, triage_page, trouble_text
from advisor.view.text import shown
from advisor.view.writers import PAGE_FORMATS
from advisor.view.writers.json import document_parts
from advisor.view.writers.triage_parquet import require, write_parquet
from advisor.view.writers.triage_sarif import triage_sarif

if TYPE_CHECKING:
    from advisor.timeline.results import TimelineResult
    from advisor.triage.results import Application

_SHOWN = 10  # maximum number of groups in the text output, and of files with problems on stderr
_LOCATED = 20  # maximum number of groups that SARIF locates in the source; each takes some tenths of a second


@dataclass(frozen=True, kw_only=True)
class Options(Output, Launches, Strict, Knowledge):
    """Options of `triage`."""

    paths: tuple[Path, ...] = argument(nargs=-1, required=True, type=PATH)
    top: int | None = option(
        "--top", type=click.IntRange(1), metavar="N", help="Only the N groups whose fix saves most time (text: 10)."
    )
    traces: tuple[Path, ...] = option(
        "--timeline",
        multiple=True,
        type=PATH,
        metavar="TRACE",
        help="Also estimate the speedup of the whole program from its Nsight Systems trace; repeatable.",
    )
    form: str = formats("text", "json", *PAGE_FORMATS, "sarif", "parquet")
    jobs: int = option("--jobs", default=2, type=click.IntRange(1, 256), help="Number of processes.")
    dask: str | None = option("--dask", metavar="ADDRESS", help="Work on the Dask cluster with this scheduler.")
    resume: Path | None = option(
        "--resume", type=PATH, metavar="FILE", help="Folder for the state of the run (default: the cache folder)."
    )


@command(Options)
def triage(options: Options) -> int:
    """Rank the kernels of reports and folders by the time that a fix would save.

    Launches of one kernel, launch shape and GPU form a group. The same command resumes an interrupted run. Parquet has
    a row per launch.
    """
    pattern = options.pattern
    if options.form == "parquet":
        if options.out is None:
            raise UsageError("--format parquet is binary: give --out FILE")
        if options.top is not None or options.traces:
            raise UsageError("--format parquet holds all launches: leave out --top and --timeline")
        require()
    timeline = _timeline(options)
    teller = Teller(terminal.note, terminal.warn, time.monotonic, sys.stderr is not None and sys.stderr.isatty())
    try:
        with triage_reports(
            options.paths,
            answers=options.given,
            gpu=options.gpu,
            kernel=pattern,
            knowledge=options.knowledge,
            rows=options.form == "parquet",
            jobs=options.jobs,
            dask=options.dask,
            state=options.resume,
            tell=teller,
        ) as result:
            terminal.clear()
            budgets = _budgets(result, timeline)
            if options.form != "text":
                _warn(result)
            _write(result, budgets, options)
            troubled = bool(result.totals.refused or result.totals.incomplete or result.unlisted)
    except KeyboardInterrupt:
        if teller.last is not None and teller.last.files_done:
            done = f"{teller.last.files_done:,} of {counted(teller.last.files, 'file')} are done"
            terminal.warn(f"{done}: run the same command again to resume")
        raise
    return EXIT_WRONG_USE if options.strict and troubled else EXIT_DONE


def _timeline(options: Options) -> TimelineResult | None:
    """Analyse the traces before the reports are read, so that an error in them appears immediately."""
    if not options.traces:
        return None
    from advisor.timeline.analyse import analyse  # imports pandas

    result = analyse(options.traces, knowledge=options.knowledge, progress=terminal.note)
    for path, why in result.failed:
        terminal.warn(f"{shown(path)}: {shown(why)}")
    return result


def _budgets(result: Triage, timeline: TimelineResult | None) -> tuple[Application, ...]:
    if timeline is None:
        return ()
    from advisor.triage.application import applications  # imports NumPy

    return applications(result, timeline)


def _write(result: Triage, budgets: tuple[Application, ...], options: Options) -> None:
    if options.form == "parquet":
        assert options.out is not None
        write_parquet(result, options.out)
    else:
        terminal.write_parts(_parts(result, budgets, options), options.out)


def _parts(result: Triage, budgets: tuple[Application, ...], options: Options) -> Iterator[str]:
    top = options.top
    if options.form == "json":
        yield from document_parts(TriageDocument, result.document(top, budgets))
    elif options.form == "sarif":

        def places(group: Group, finding: Finding) -> tuple[Location, ...]:
            worst = group.stands
            return places_of(Path(worst.report), worst.index, group.cc, finding.id, result.catalog)

        yield triage_sarif(result, most=top, located=_LOCATED, places=places)
    else:
        rows, sections = EXTENT.get(options.form, EXTENT["html"])
        brief = options.form == "text"
        page = triage_page(result, rows=top or rows, sections=sections, brief=brief, applications=budgets)
        yield terminal.page_text(page, options.form, options.out, 240)


def _warn(result: Triage) -> None:
    """Name the first files with problems on stderr, for output formats that a program reads."""
    for report in islice(result.troubled(), _SHOWN):
        terminal.warn(f"{shown(report.path)}: {shown(trouble_text(report))}")
    if (more := result.totals.refused + result.totals.incomplete - _SHOWN) > 0:
        terminal.warn(f"{more:,} more reports have a problem: --format json lists them")
    for path, why in result.problems:
        terminal.warn(f"{shown(path)}: {shown(why)}")


_TERMINAL_S, _PLAIN_S = 0.2, 10.0
_ENOUGH = 0.02  # share of the bytes that must be read before the remaining time is estimated


@dataclass
class Teller:
    """Shows progress: every 0.2 s on one line of a terminal, or every 10 s on a new line of other output.

    note: shows a line that the next one replaces; say: prints a permanent line; clock: returns seconds.
    """

    note: Callable[[str], None]
    say: Callable[[str], None]
    clock: Callable[[], float]
    terminal: bool
    last: Progress | None = None
    _start: float = 0.0
    _told: float = 0.0

    def __call__(self, progress: Progress) -> None:
        """Show the progress if the interval has passed."""
        now = self.clock()
        if self.last is None:
            self._start = self._told = now
            if progress.resumed:
                done = f"{progress.files_done:,} of {counted(progress.files, 'file')} are already done"
                self.say(f"resuming an interrupted run: {done}")
        self.last = progress
        if now - self._told >= (_TERMINAL_S if self.terminal else _PLAIN_S):
            self._told = now
            (self.note if self.terminal else self.say)(progress_text(progress, now - self._start))


def progress_text(progress: Progress, seconds: float) -> str:
    """Return the files and launches done, bytes per second, and the remaining time, estimated from file sizes."""
    text = f"{progress.files_done:,} of {counted(progress.files, 'file')}, {counted(progress.launches, 'launch')}"
    done = progress.bytes_done - progress.bytes_before
    if seconds <= 0 or done <= 0:
        return text
    rate = done / seconds
    text = f"{text}, {_bytes(rate)}/s"
    if done < _ENOUGH * (progress.bytes - progress.bytes_before):
        return text
    return f"{text}, about {_duration((progress.bytes - progress.bytes_done) / rate)} left"


def _bytes(count: float) -> str:
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= scale:
            return f"{count / scale:.3g} {unit}"
    return f"{count:.0f} B"


def _duration(seconds: float) -> str:
    if seconds < 100:
        return time_text(round(max(1.0, seconds)) * 1e9)
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"
