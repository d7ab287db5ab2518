"""The commands `ncu-advisor open` and `demo`, which start the interactive session."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from advisor.cli.options import REPORT, Knowledge, argument, command, flag, option
from advisor.readers.kinds import DEMO, sort_out
from advisor.records import resources
from advisor.records.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class DemoOptions(Knowledge):
    """Options of `demo`."""

    theme: str | None = option(
        "--theme",
        type=click.Choice(["dark", "light"]),
        help="Colours; by default those last chosen with Ctrl+T, or NCU_ADVISOR_THEME.",
    )
    predict: bool = flag("--predict", help="Ask for your prediction before each diagnosis.")


@dataclass(frozen=True, kw_only=True)
class OpenOptions(DemoOptions):
    """Options of `open`."""

    reports: tuple[Path, ...] = argument(nargs=-1, type=REPORT)
    gpu: str | None = option("--gpu", metavar="NAME", help="The GPU, if a report does not name it.")


@command(OpenOptions, "open")
def open_(options: OpenOptions) -> int:
    """Open the interactive session on reports, Nsight Systems traces or a saved session.

    Without a report, the session first asks what to open.
    """
    return _session(options.reports, options, gpu=options.gpu)


@command(DemoOptions)
def demo(options: DemoOptions) -> int:
    """Open the interactive session on a bundled report of 22 kernels, recorded on an H200."""
    return _session((resources.folder("kernels") / DEMO,), options, recover=False)


def needs_terminal(instead: str = "`ncu-advisor diagnose`") -> None:
    """Raise UsageError if input or output is no terminal. instead: the command for scripts."""
    # Textual draws on stderr; stdout remains free for data.
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(f"the session needs a terminal: use {instead} in scripts and pipes")


def _session(paths: Sequence[Path], options: DemoOptions, *, gpu: str | None = None, recover: bool = True) -> int:
    needs_terminal()
    opening, theme = sort_out(paths), options.theme or ""
    if opening.transcripts and len(paths) > 1:
        raise UsageError("a saved session is replayed alone: give no other file with it")
    from advisor.tui import program

    if opening.transcripts:
        return program.replay(paths[0], theme=theme)
    return program.run(
        opening,
        gpu=gpu,
        knowledge=options.knowledge,
        theme=theme,
        predict=options.predict,
        recover=recover,
    )
