"""The command `ncu-advisor knowledge`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import click

from advisor.cli import terminal
from advisor.cli.options import PATH, argument, command
from advisor.lint.lint import run
from advisor.records.errors import EXIT_DONE


@click.group()
def knowledge() -> None:
    """Check the knowledge base, or make a site of it."""


@dataclass(frozen=True, kw_only=True)
class LintOptions:
    """Options of `knowledge lint`."""

    folder: Path | None = argument(required=False, type=PATH)


@command(LintOptions)
def lint(options: LintOptions) -> int:
    """Check the knowledge base or a team's own directory. Report each mistake with file and line."""
    return run([options.folder] if options.folder is not None else [], sys.stdout)


@dataclass(frozen=True, kw_only=True)
class SiteOptions:
    """Options of `knowledge site`."""

    folder: Path = argument(type=PATH, metavar="DIR")


@command(SiteOptions)
def site(options: SiteOptions) -> int:
    """Write a documentation site of the knowledge base, the exercises and the API to DIR.

    Open DIR/index.html; no network and no server are needed. DIR must be new, empty or such a site. It takes some
    minutes, since the recorded profiles of all exercises are diagnosed. Needs the extra `site`.
    """
    from advisor.cli.json_schema import DOCUMENTS, TRANSCRIPT, schema
    from advisor.site.build import build

    pages = build(options.folder, {name: schema(name) for name in (*DOCUMENTS, TRANSCRIPT)}, terminal.note)
    terminal.clear()
    terminal.write(f"{options.folder / 'index.html'}: {pages} pages")
    return EXIT_DONE


knowledge.add_command(lint)
knowledge.add_command(site)
