"""`ncu-advisor source`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from advisor.records.errors import EXIT_DONE, UsageError


def run(
    report: Path,
    *,
    by: str | None,
    launch: int | None,
    top: int,
    other: str | None,
    search: str | None,
    where: tuple[str, ...],
    sources: tuple[Path, ...],
    columns: str | None,
    ptx: bool,
    align_by: str,
    form: str,
    out: Path | None,
    knowledge: tuple[Path, ...],
    write: Callable[[str, Path | None], None],
    note: Callable[[str], None],
    clear: Callable[[], None],
    colour: bool,
    width: int,
) -> int:
    """Read, find, print; returns the exit code.

    Without `by` the measure that belongs to the first finding; without `launch` the one with most to win back.
    """
    from advisor.cli.diagnose import time_to_win
    from advisor.reasoning.diagnose import analyse
    from advisor.source.columns import parse_columns
    from advisor.source.hotspots import parse_search, parse_where
    from advisor.source.measures import measure
    from advisor.source.view import view
    from advisor.source.viewer import Wanted, measures_for

    # A mistyped filter is told before anything is read.
    conditions = tuple(parse_where(text) for text in where)
    pattern = parse_search(search) if search is not None else None
    wanted = measure(by) if by is not None else None
    chosen_columns = parse_columns(columns) if columns is not None else ()
    for folder in sources:
        if not folder.is_dir():
            raise UsageError(f"--sources {folder}: not a folder")
    if other is not None:
        if search is not None or where or columns is not None or ptx:
            raise UsageError("--search, --where, --columns and --ptx are for one report; leave them out with --with")
        return _compared(
            report, other, by, launch, align_by, top, form, out, knowledge, write, note, clear, colour, width
        )
    note("reading the report")
    analysis = analyse([report], knowledge=knowledge, launches=frozenset([launch]) if launch is not None else None)
    launches = analysis.diagnosis.launches
    chosen = max(launches, key=lambda each: (time_to_win(each), -each.index))
    sought = Wanted((wanted,)) if wanted is not None else measures_for(chosen, analysis.catalog)
    note("reading the instructions")
    found = view(
        report,
        chosen.index,
        chosen.kernel,
        sought.measures,
        cc=chosen.cc,
        where=conditions,
        search=pattern,
        folders=sources,
        columns=chosen_columns,
        ptx=ptx,
        top=top,
    )
    clear()
    if form == "json":
        from advisor.view.source_json import source_json

        write(source_json(found, top), out)
    else:
        from advisor.view.source import reason_text, source_text

        write(source_text(found, top, reason=reason_text(sought), width=width, colour=colour and out is None), out)
        if len(launches) > 1:
            shown = f"launch {chosen.index} of {len(launches)}"
            click.echo(f"ncu-advisor: {shown} is shown; --launch N shows another", err=True)
    return EXIT_DONE


def _compared(
    report: Path,
    other: str,
    by: str | None,
    launch: int | None,
    align_by: str,
    top: int,
    form: str,
    out: Path | None,
    knowledge: tuple[Path, ...],
    write: Callable[[str, Path | None], None],
    note: Callable[[str], None],
    clear: Callable[[], None],
    colour: bool,
    width: int,
) -> int:
    """`--with`: by executed instructions unless another measure is asked for."""
    from advisor.compare.compare import parse_side
    from advisor.source.compare import read_and_compare
    from advisor.source.measures import measure
    from advisor.view.source_compare import compare_json, compare_text

    wanted = measure(by or "instructions")
    second = parse_side(other)
    note("reading the reports")
    sides = [_launch(path, at) for path, at in ((report, launch), (second.path, second.launch))]
    (a, b) = [(path, index, cc) for path, index, cc, _ in sides]
    found = read_and_compare(a, b, wanted, align_by)
    clear()
    if form == "json":
        write(compare_json(found, (a[1], b[1]), top), out)
    else:
        names = tuple(f"{path.name}#{index}: {kernel[:60]}" for path, index, _, kernel in sides)
        write(compare_text(found, (names[0], names[1]), top, width=width, colour=colour and out is None), out)
    return EXIT_DONE


def _launch(path: Path, index: int | None) -> tuple[Path, int, str, str]:
    """Report, index, compute capability and kernel of the launch that is meant; UsageError where that is unclear."""
    from advisor.readers.read import read

    frame = read(path, metric_filter=["duration_ns"]).frame
    found = {
        int(i): (str(cc), str(name)) for i, cc, name in zip(frame["index"], frame["cc"], frame["kernel"], strict=True)
    }
    if index is None and len(found) > 1:
        raise UsageError(
            f"{path.name} holds {len(found)} launches: say which with --launch N, or REPORT#N behind --with"
        )
    chosen = next(iter(found)) if index is None else index
    if chosen not in found:
        raise UsageError(f"{path.name}: there is no launch {chosen}: they count from 0 to {max(found)}")
    return path, chosen, *found[chosen]
