"""The command `ncu-advisor sweep`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from advisor.cli import terminal
from advisor.cli.options import PATH, Knowledge, Output, command, formats, kernel_pattern, option
from advisor.profiling.failures import Failure
from advisor.records import ending
from advisor.records.errors import EXIT_DONE, EXIT_WRONG_USE, UsageError
from advisor.records.escapes import printable
from advisor.records.files import write_whole
from advisor.sweep.drive import Progress, measure
from advisor.sweep.judge import judge
from advisor.sweep.plan import Plan, plan
from advisor.sweep.read import read_points
from advisor.sweep.script import script
from advisor.view.numbers import counted
from advisor.view.pages.sweep import sweep_page
from advisor.view.writers import PAGE_FORMATS
from advisor.view.writers.json import document_json

_STAGES = {"build": "building", "run": "running", "check": "checking", "ncu": "profiling", "repeat": "timing"}
_FOLDER = Path("sweep")


@dataclass(frozen=True, kw_only=True)
class Options(Output, Knowledge):
    """Options of `sweep`."""

    over: tuple[str, ...] = option(
        "--over", multiple=True, metavar="NAME=VALUE,…", help="A parameter and its values; repeatable."
    )
    build: str | None = option("--build", metavar="COMMAND", help="Builds one point.")
    run: str | None = option("--run", metavar="COMMAND", help="Runs the program of one point.")
    check: str | None = option("--check", metavar="COMMAND", help="Fails on a wrong result; runs after the program.")
    kernel: str | None = option("--kernel", metavar="REGEX", help="The kernel to profile; all by default.")
    launches: int = option(
        "--launches", default=3, type=click.IntRange(1, 1000), help="Launches to profile in a run, with --kernel."
    )
    repeat: int = option("--repeat", default=3, type=click.IntRange(1, 100), help="Profiled runs of each point.")
    limit_s: int = option(
        "--limit-s", default=120, type=click.IntRange(1, 86400), help="Time limit of each command in seconds."
    )
    depends: tuple[Path, ...] = option(
        "--depends", multiple=True, type=PATH, metavar="FILE", help="A file that the commands do not name; repeatable."
    )
    folder: Path = option("--folder", default=_FOLDER, type=PATH, metavar="DIR", help="Folder of the reports.")
    script: Path | None = option(
        "--script", type=PATH, metavar="FILE.sh", help="Write a shell script instead of running anything."
    )
    read: Path | None = option(
        "--read", type=PATH, metavar="DIR", help="Only read the reports that a sweep or its script left in DIR."
    )
    form: str = formats("text", "json", *PAGE_FORMATS)


@command(Options)
def sweep(options: Options) -> int:
    """Vary parameters of your own kernel: build, run, check and profile each point, and pick the best.

    A placeholder {NAME} in a command is the parameter's value, {out} the folder of the point. No shell runs the
    commands: write sh -c '…' for pipes and variables. For example:

    \b
      ncu-advisor sweep --over BLOCK=64,128,256 --over UNROLL=1,2,4 \\
        --build 'nvcc -O3 -lineinfo -DBLOCK={BLOCK} -DUNROLL={UNROLL} -o {out}/app app.cu' \\
        --run '{out}/app 4096' --check '{out}/app --verify' --kernel '^scale$'

    The clocks are not locked, as in a real run. A point that fails keeps its row with the reason. After Ctrl+C the same
    command goes on; only points whose commands or files changed are measured again.

    Exit code 2 if no point could be measured.
    """
    pattern = kernel_pattern(options.kernel)
    if options.read is not None:
        if options.over or options.build or options.run or options.check or options.script:
            raise UsageError("--read only reads reports: leave out --over, --build, --run, --check and --script")
        return _show(options, options.read, pattern)
    if options.run is None:
        raise UsageError("give --run COMMAND, or --read DIR to read the reports of a sweep")
    planned = plan(
        options.over, options.build, options.run, options.check, options.kernel, options.launches, options.depends
    )
    if options.script is not None:
        return _write_script(options, planned, options.script)
    _measure(options, planned)
    return _show(options, options.folder, None)


def _write_script(options: Options, planned: Plan, path: Path) -> int:
    if not str(options.folder).isprintable():
        raise UsageError("--folder: the name contains a control character")
    write_whole(path, script(planned, options.folder, options.repeat, options.limit_s))
    count = counted(len(planned.points), "point")
    terminal.warn(f"{count}: run `sh {shlex.quote(str(path))}` where ncu and the compiler are, in the sources' folder")
    terminal.warn(f"then `ncu-advisor sweep --read {shlex.quote(str(options.folder))}` reads the reports")
    return EXIT_DONE


def _measure(options: Options, planned: Plan) -> None:
    """Measure what the folder does not hold yet, with a line on stderr for each point."""
    if not planned.files:
        terminal.warn("the commands name no file, so changed sources are not noticed: name them with --depends")
    terminal.warn(f"{counted(len(planned.points), 'point')}, ncu with --clock-control none: the clocks are not locked")

    def stage(now: Progress) -> None:
        terminal.note(printable(f"[{now.at}/{now.of}] {_STAGES[now.stage]} {now.point.label}"))

    def done(now: Progress, failure: Failure | None) -> None:
        again = "a repeat failed: " if now.stage == "repeat" else ""
        words = "measured" if failure is None else f"{again}{' '.join(failure.words.split())}"
        terminal.warn(printable(f"[{now.at}/{now.of}] {now.point.label}: {words}"))

    with _kept(options.folder):
        kept = measure(planned, options.folder, options.repeat, options.limit_s, stage, done)
    terminal.clear()
    if kept:
        terminal.warn(f"{kept} of {len(planned.points)} points were measured before: {options.folder}")


@contextmanager
def _kept(folder: Path) -> Iterator[None]:
    """At the end by a signal, say that the measured points are kept."""
    try:
        yield
    except (KeyboardInterrupt, ending.Stopped):
        terminal.warn(f"what was measured is in {folder}: the same command goes on, --read {folder} shows it")
        raise


def _show(options: Options, folder: Path, pattern: re.Pattern[str] | None) -> int:
    found = judge(read_points(folder, pattern, options.knowledge, terminal.narrate))
    terminal.clear()
    if options.form == "json":
        text = document_json(found)
    else:
        text = terminal.page_text(sweep_page(found), options.form, options.out, 140)
    terminal.write(text, options.out)
    if found.measured:
        return EXIT_DONE
    problem = next((p.problem for p in found.points), "")
    terminal.warn(printable(f"no point was measured: {' '.join(problem.split())}"))
    return EXIT_WRONG_USE
