"""`ncu-advisor source`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from advisor.errors import EXIT_DONE, UsageError


def run(
    report: Path,
    *,
    by: str | None,
    launch: int | None,
    top: int,
    search: str | None,
    where: tuple[str, ...],
    sources: tuple[Path, ...],
    form: str,
    out: Path | None,
    knowledge: tuple[Path, ...],
    write: Callable[[str, Path | None], None],
    note: Callable[[str], None],
    clear: Callable[[], None],
    colour: bool,
    width: int,
) -> int:
    """Read, find, print; without `by` the measure that belongs to the first finding, without `launch` the slowest win.

    Returns the exit code.
    """
    from advisor.commands.diagnose import time_to_win
    from advisor.pipelines.diagnose import analyse
    from advisor.source.measures import MEASURES, measure
    from advisor.source.view import view
    from advisor.source.where import parse_search, parse_where

    # A mistyped filter is told before anything is read.
    conditions = tuple(parse_where(text) for text in where)
    pattern = parse_search(search) if search is not None else None
    wanted = measure(by) if by is not None else None
    for folder in sources:
        if not folder.is_dir():
            raise UsageError(f"--sources {folder}: not a folder")
    note("reading the report")
    analysis = analyse([report], knowledge=knowledge, launches=frozenset([launch]) if launch is not None else None)
    launches = analysis.diagnosis.launches
    chosen = max(launches, key=lambda each: (time_to_win(each), -each.index))
    reason = ""
    if wanted is None:
        first = next((f for f in chosen.findings if f.kind == "diagnosis"), None)
        name = analysis.catalog.findings[first.id].locate if first is not None else ""
        wanted = MEASURES[name or "samples"]
        if first is not None:
            reason = f"the first finding is {first.id}{'' if name else ', which has no place of its own'}"
    note("reading the instructions")
    found = view(
        report,
        chosen.index,
        chosen.kernel,
        wanted,
        cc=chosen.cc,
        where=conditions,
        search=pattern,
        folders=sources,
    )
    clear()
    if form == "json":
        from advisor.render.source_json import source_json

        write(source_json(found, top), out)
    else:
        from advisor.render.source import source_text

        write(source_text(found, top, reason=reason, width=width, colour=colour and out is None), out)
        if len(launches) > 1:
            shown = f"launch {chosen.index} of {len(launches)}"
            click.echo(f"ncu-advisor: {shown} is shown; --launch N shows another", err=True)
    return EXIT_DONE
