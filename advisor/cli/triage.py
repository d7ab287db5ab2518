"""`ncu-advisor triage`."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from advisor.records.errors import EXIT_DONE, EXIT_WRONG_USE, UsageError

if TYPE_CHECKING:
    from advisor.records.diagnosis import Finding, Location
    from advisor.timeline.results import TimelineResult
    from advisor.triage.application import Application
    from advisor.triage.results import Group, Triage

_SHOWN = 10  # groups in a text, and troubled files on stderr
_LOCATED = 20  # groups whose lines are sought: some tenths of a second each


def run(
    paths: tuple[Path, ...],
    *,
    kernel: str | None,
    top: int | None,
    answers: Path | None,
    gpu: str | None,
    traces: tuple[Path, ...],
    form: str,
    out: Path | None,
    jobs: int,
    dask: str | None,
    resume: Path | None,
    strict: bool,
    knowledge: tuple[Path, ...],
    write_parts: Callable[[Iterator[str], Path | None], None],
    note: Callable[[str], None],
    clear: Callable[[], None],
    colour: bool,
    width: int,
) -> int:
    """Read, judge, rank, print; returns the exit code: 0 if anything was read, with `strict` 2 if something was not."""
    from advisor.cli.diagnose import read_answers
    from advisor.cli.triage_progress import Teller
    from advisor.triage.run import triage

    pattern = _pattern(kernel)
    if form == "parquet":
        from advisor.view.writers.triage_parquet import require

        if out is None:
            raise UsageError("--format parquet is no text: give --out FILE")
        if top is not None or traces:
            raise UsageError("--format parquet holds all launches: leave out --top and --timeline")
        require()
    timeline = _timeline(traces, knowledge, note)

    def say(text: str) -> None:
        clear()
        click.echo(f"ncu-advisor: {text}", err=True)

    tell = Teller(note, say, time.monotonic, sys.stderr is not None and sys.stderr.isatty())
    try:
        with triage(
            paths,
            answers=read_answers(answers) if answers is not None else None,
            gpu=gpu,
            kernel=pattern,
            knowledge=knowledge,
            rows=form == "parquet",
            jobs=jobs,
            dask=dask,
            state=resume,
            tell=tell,
        ) as result:
            clear()
            budgets: tuple[Application, ...] = ()
            if timeline is not None:
                from advisor.triage.application import applications

                budgets = applications(result, timeline)
            if form != "text":
                _narrate(result, say)
            _write(result, budgets, form, top, out, write_parts, colour and out is None, width)
            totals = result.totals
            troubled = bool(totals.refused or totals.incomplete or result.unlisted)
    except KeyboardInterrupt:
        if tell.last is not None and tell.last.files_done:
            say(f"{tell.last.files_done:,} of {tell.last.files:,} files are done: the same command goes on from there")
        raise
    return EXIT_WRONG_USE if strict and troubled else EXIT_DONE


def _pattern(kernel: str | None) -> re.Pattern[str] | None:
    try:
        return re.compile(kernel) if kernel is not None else None
    except re.error as e:
        raise UsageError(f"--kernel {kernel!r} is not a regular expression: {e}") from None


def _timeline(
    traces: tuple[Path, ...], knowledge: tuple[Path, ...], note: Callable[[str], None]
) -> TimelineResult | None:
    """The traces, read before the reports, so that a wrong one is told at once."""
    if not traces:
        return None
    from advisor.timeline.analyse import analyse
    from advisor.view.text import shown

    result = analyse(traces, knowledge=knowledge, progress=note)
    for path, why in result.failed:
        click.echo(f"ncu-advisor: {shown(path)}: {shown(why)}", err=True)
    return result


def _write(
    result: Triage,
    budgets: tuple[Application, ...],
    form: str,
    top: int | None,
    out: Path | None,
    write_parts: Callable[[Iterator[str], Path | None], None],
    colour: bool,
    width: int,
) -> None:
    if form == "parquet":
        from advisor.view.writers.triage_parquet import write_parquet

        assert out is not None
        write_parquet(result, out)
    elif form == "json":
        from advisor.view.triage_json import triage_json

        write_parts(triage_json(result, most=top, applications=budgets), out)
    elif form in ("html", "markdown", "sarif"):
        write_parts(iter((_page(result, budgets, form, top),)), out)
    else:
        from advisor.view.charts.bars import can_draw
        from advisor.view.triage import triage_text

        blocks = can_draw(getattr(sys.stdout, "encoding", None)) if out is None else True
        text = triage_text(result, top=top or _SHOWN, applications=budgets, width=width, colour=colour, blocks=blocks)
        write_parts(iter((text,)), out)


def _page(result: Triage, budgets: tuple[Application, ...], form: str, top: int | None) -> str:
    """The triage for people, or for editors and code review."""
    if form == "sarif":
        from advisor.source.locate import places_of
        from advisor.view.writers.triage_sarif import triage_sarif

        def places(group: Group, finding: Finding) -> tuple[Location, ...]:
            stands = group.stands
            return places_of(Path(stands.report), stands.index, group.cc, finding.id, result.catalog)

        return triage_sarif(result, most=top, located=_LOCATED, places=places)
    from advisor.view.pages import triage as pages

    if form == "html":
        from advisor.view.writers.html import page_html

        document = pages.triage_page(result, rows=top or pages.HTML_ROWS, applications=budgets)
        return page_html(document)
    from advisor.view.writers.markdown import page_markdown

    document = pages.triage_page(
        result,
        rows=top or pages.MARKDOWN_ROWS,
        sections=pages.MARKDOWN_SECTIONS,
        applications=budgets,
    )
    return page_markdown(document)


def _narrate(result: Triage, say: Callable[[str], None]) -> None:
    """On stderr what is wrong, where the result itself is for a program: the first files, and how many more."""
    from advisor.view.text import shown
    from advisor.view.triage import trouble_text

    totals = result.totals
    for report in islice(result.troubled(), _SHOWN):
        say(f"{shown(report.path)}: {shown(trouble_text(report))}")
    if (more := totals.refused + totals.incomplete - _SHOWN) > 0:
        say(f"{more:,} more reports have a problem: --format json names them")
    for path, why in result.problems:
        say(f"{shown(path)}: {shown(why)}")
