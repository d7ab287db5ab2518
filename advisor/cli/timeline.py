"""`ncu-advisor timeline`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import click

from advisor.records.errors import EXIT_DONE, EXIT_WRONG_USE, UsageError


def run(
    traces: tuple[Path, ...],
    *,
    ncu_command: bool,
    form: str,
    out: Path | None,
    strict: bool,
    knowledge: tuple[Path, ...],
    write: Callable[[str, Path | None], None],
    note: Callable[[str], None],
    clear: Callable[[], None],
    colour: bool,
    width: int,
) -> int:
    """Read, reason, print; returns the exit code: 0 if any trace was read, with --strict 2 if one has a problem."""
    if ncu_command and form != "text":
        raise UsageError("--ncu-command prints the command alone: leave out --format")
    from advisor.timeline.analyse import analyse
    from advisor.view.text import shown

    result = analyse(traces, knowledge=knowledge, progress=note)
    clear()
    for path, why in result.failed:
        click.echo(f"ncu-advisor: {shown(path)}: {shown(why)}", err=True)
    for trace in result.traces:
        for problem in trace.problems:
            click.echo(f"ncu-advisor: {shown(trace.path)}: {shown(problem)}", err=True)
    if ncu_command:
        from advisor.view.timeline import command_text

        text = command_text(result)
        if not text:
            raise UsageError("no kernel that could be profiled is in the trace")
        write(text, out)
    elif form == "json":
        from advisor.view.timeline_json import timeline_json

        write(timeline_json(result), out)
    elif form in ("html", "markdown"):
        from advisor.view.pages.timeline import timeline_page

        document = timeline_page(result)
        if form == "html":
            from advisor.view.writers.html import page_html

            write(page_html(document), out)
        else:
            from advisor.view.writers.markdown import page_markdown

            write(page_markdown(document), out)
    else:
        from advisor.view.charts.bars import can_draw
        from advisor.view.timeline import timeline_text

        blocks = can_draw(getattr(sys.stdout, "encoding", None)) if out is None else True
        write(timeline_text(result, width=width, colour=colour and out is None, blocks=blocks), out)
    troubled = bool(result.failed) or any(not t.complete or t.problems for t in result.traces)
    return EXIT_WRONG_USE if strict and troubled else EXIT_DONE
