"""The arguments of `ncu-advisor replay`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from advisor.cli import terminal

_PATH = click.Path(path_type=Path)


@click.command()
@click.argument("transcripts", nargs=-1, type=_PATH)
@click.option("--check", is_flag=True, help="Exit with 1 if any conclusion is not what it was.")
@click.option("--accept", is_flag=True, help="Show what is concluded otherwise now, and rewrite the files with it.")
@click.option("--record", "script", type=_PATH, metavar="SCRIPT.yaml", help="Make a session of typed lines, to --out.")
@click.option(
    "--export",
    type=click.Choice(["md", "html", "json"]),
    help="Write the whole session as a page or as data, to --out or stdout.",
)
@click.option("--out", type=_PATH, metavar="FILE", help="Where --record and --export write.")
def replay(transcripts: tuple[Path, ...], **options: Any) -> int:
    """Play a saved session again, step by step; without one, list those that there are.

    A TRANSCRIPT is a file of /save, or the id or name of one that the list shows; with --check and --accept also a
    folder. Nothing in it is executed, and no file that it names is opened.
    """
    from advisor.cli.replay import run

    return run(
        transcripts,
        **options,
        write=terminal.write,
        note=terminal.note,
        clear=terminal.clear,
        width=terminal.full_width(),
    )
