"""The command `ncu-advisor knowledge`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import click

from advisor.cli.options import PATH, argument, command
from advisor.lint.lint import run


@click.group()
def knowledge() -> None:
    """Check the knowledge base."""


@dataclass(frozen=True, kw_only=True)
class LintOptions:
    """Options of `knowledge lint`."""

    folder: Path | None = argument(required=False, type=PATH)


@command(LintOptions)
def lint(options: LintOptions) -> int:
    """Check the knowledge base or a team's own directory. Report each mistake with file and line."""
    return run([options.folder] if options.folder is not None else [], sys.stdout)


knowledge.add_command(lint)
