"""The commands `ncu-advisor open` and `demo`, which start the interactive session."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from advisor.cli.options import REPORT, Knowledge, argument, command, option
from advisor.tui.program import run


@dataclass(frozen=True, kw_only=True)
class DemoOptions(Knowledge):
    """Options of `demo`."""

    theme: str | None = option(
        "--theme",
        type=click.Choice(["dark", "light"]),
        help="Colours; by default those last chosen with Ctrl+T, or NCU_ADVISOR_THEME.",
    )
    predict: bool = option("--predict", is_flag=True, help="Ask for your prediction before each diagnosis.")


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
    return run(
        list(options.reports),
        gpu=options.gpu,
        theme=options.theme or "",
        knowledge=options.knowledge,
        predict=options.predict,
    )


@command(DemoOptions)
def demo(options: DemoOptions) -> int:
    """Open the interactive session on a bundled report of 22 kernels, recorded on an H200."""
    return run([], demo=True, theme=options.theme or "", knowledge=options.knowledge, predict=options.predict)
