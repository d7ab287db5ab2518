"""The command `ncu-advisor emulate`."""

from __future__ import annotations

from dataclasses import dataclass

import click

from advisor.cli import terminal
from advisor.cli.options import Output, argument, command, flag, formats, option
from advisor.practice import manifest
from advisor.practice.validation import recorded_names, totals, validate
from advisor.records.errors import EXIT_DONE, UsageError
from advisor.view.pages.emulated_validation import validation_page
from advisor.view.writers import PAGE_FORMATS


@dataclass(frozen=True, kw_only=True)
class Options(Output):
    """Options of `emulate`."""

    names: tuple[str, ...] = argument(nargs=-1)
    validate: bool = flag("--validate", help="Compare emulated with recorded counts, of all exercises or those named.")
    seconds: float = option("--seconds", default=60.0, type=click.FloatRange(1), help="Limit for one launch.")
    jobs: int = option("--jobs", default=2, type=click.IntRange(1), metavar="N", help="Processes to use.")
    form: str = formats("text", *PAGE_FORMATS)


@command(Options)
def emulate(options: Options) -> int:
    """Run kernels on the CPU and count what Nsight Compute counts, without a GPU."""
    return _validate(options)


def _validate(options: Options) -> int:
    known = recorded_names()
    for name in options.names:
        manifest.exercise(name)
        if name not in known:
            raise UsageError(f"{name} has no recording to compare with")
    rows = []
    for row in validate(options.names or known, options.seconds, options.jobs):
        rows.append(row)
        terminal.note(f"{row.name}: {row.refused or 'emulated'}")
    terminal.clear()
    terminal.write_page(validation_page(rows, totals(rows)), options.form, options.out)
    return EXIT_DONE
