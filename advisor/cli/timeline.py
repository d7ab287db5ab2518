"""The command `ncu-advisor timeline`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from advisor.cli import terminal
from advisor.cli.options import PATH, Knowledge, Output, Strict, argument, command, flag, formats, option
from advisor.records.errors import EXIT_DONE, EXIT_WRONG_USE, UsageError
from advisor.timeline.analyse import analyse
from advisor.timeline.results import TimelineResult
from advisor.view.pages.timeline import command_text, timeline_page
from advisor.view.text import shown
from advisor.view.writers import PAGE_FORMATS
from advisor.view.writers.json import document_json


@dataclass(frozen=True, kw_only=True)
class Options(Output, Strict, Knowledge):
    """Options of `timeline`."""

    traces: tuple[Path, ...] = argument(nargs=-1, required=True, type=PATH)
    ncu_command: bool = flag("--ncu-command", help="Print only the ncu command for the kernel to profile next.")
    width: int | None = option("--width", type=click.IntRange(60, 400), metavar="COLUMNS", help="Width of the text.")
    form: str = formats("text", "json", *PAGE_FORMATS)


@command(Options)
def timeline(options: Options) -> int:
    """Analyse the whole program: how busy the GPU is, which kernel dominates, and what to profile next.

    A TRACE is the database of `nsys export --type sqlite`, or the output of `nsys stats --format csv`. Several
    databases are several ranks; the CSV files of one run are one trace. To record one:

    \b
      nsys profile --trace=cuda,nvtx,osrt -o baseline ./app
      nsys export --type sqlite -o baseline.sqlite baseline.nsys-rep
    """
    if options.ncu_command and options.form != "text":
        raise UsageError("--ncu-command prints only the command: leave out --format")
    result = analyse(options.traces, knowledge=options.knowledge, progress=terminal.note)
    terminal.clear()
    for path, why in result.failed:
        terminal.warn(f"{shown(path)}: {shown(why)}")
    if options.form != "text" or options.ncu_command or options.out is not None:  # the page on the screen has them
        for trace in result.traces:
            terminal.tell_problems(trace.path, trace.problems)
    terminal.write(_text(result, options), options.out)
    troubled = bool(result.failed) or any(not t.complete or t.problems for t in result.traces)
    return EXIT_WRONG_USE if options.strict and troubled else EXIT_DONE


def _text(result: TimelineResult, options: Options) -> str:
    if options.ncu_command:
        text = command_text(result)
        if not text:
            raise UsageError("the trace has no kernel that could be profiled")
        return text
    if options.form == "json":
        return document_json(result)
    page = timeline_page(result, brief=options.form == "text")
    return terminal.page_text(page, options.form, options.out, 240, options.width)
