"""The command `ncu-advisor source`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from advisor.cli import terminal
from advisor.cli.options import PATH, Knowledge, Output, argument, command, flag, formats, option
from advisor.compare.side import parse_side
from advisor.readers.read import read
from advisor.reasoning.diagnose import analyse
from advisor.records.errors import EXIT_DONE, UsageError
from advisor.source.columns import parse_columns
from advisor.source.compare import read_and_compare
from advisor.source.document import comparison_document, source_document
from advisor.source.hotspots import parse_search, parse_where
from advisor.source.measures import measure
from advisor.source.view import Query, view
from advisor.source.viewer import Wanted, measures_for
from advisor.view.pages.source import reason_text, source_page
from advisor.view.pages.source_compare import source_compare_page
from advisor.view.writers import PAGE_FORMATS
from advisor.view.writers.json import document_json


@dataclass(frozen=True, kw_only=True)
class Options(Output, Knowledge):
    """Options of `source`."""

    report: Path = argument(type=PATH)
    by: str | None = option("--by", metavar="MEASURE", help="Measure to rank by (default: that of the first finding).")
    launch: int | None = option(
        "--launch",
        type=click.IntRange(0),
        metavar="N",
        help="Launch N, from 0 (default: the one with most to gain).",
    )
    top: int = option("--top", default=10, type=click.IntRange(1), help="Lines and instructions to show.")
    other: str | None = option("--with", metavar="REPORT[#N]", help="Compare with a launch of a second report.")
    search: str | None = option("--search", metavar="REGEX", help="Only where SASS, source line or FILE:LINE match.")
    where: tuple[str, ...] = option(
        "--where", multiple=True, metavar="TEST", help="Only where TEST holds, such as 'share>5%'; repeatable."
    )
    sources: tuple[Path, ...] = option(
        "--sources", multiple=True, type=PATH, metavar="DIR", help="Where to find the source files; repeatable."
    )
    columns: str | None = option(
        "--columns", metavar="NAMES", help="Columns of the instruction table: a set or names, separated by commas."
    )
    ptx: bool = flag("--ptx", help="Also show the hot lines of PTX.")
    align_by: str = option(
        "--align",
        default="opcode",
        type=click.Choice(["opcode", "instruction"]),
        help="With --with: how instructions are matched.",
    )
    form: str = formats("text", "json", *PAGE_FORMATS)


@command(Options)
def source(options: Options) -> int:
    """Show the source lines and instructions behind a finding, and the loops around them.

    A MEASURE is `excess_sectors`, `excess_wavefronts`, `load_wait` (long-scoreboard samples, at the load waited for),
    `samples`, `instructions`, `stall_barrier` … or the name of one of ncu's per-instruction metrics. A TEST compares
    share, value, executed, samples, lanes or line with a number. Sets of columns are memory, stalls, predication and
    instructions.
    """
    # Report a mistyped filter before reading any file.
    conditions = tuple(parse_where(text) for text in options.where)
    pattern = parse_search(options.search) if options.search is not None else None
    wanted = measure(options.by) if options.by is not None else None
    columns = parse_columns(options.columns) if options.columns is not None else ()
    for folder in options.sources:
        if not folder.is_dir():
            raise UsageError(f"--sources {folder}: not a folder")
    if options.other is not None:
        if options.search is not None or options.where or options.columns is not None or options.ptx:
            raise UsageError("--search, --where, --columns and --ptx are for one report; leave them out with --with")
        return _compare(options, options.other)
    terminal.note("reading the report")
    only = frozenset([options.launch]) if options.launch is not None else None
    analysis = analyse([options.report], knowledge=options.knowledge, launches=only)
    launches = analysis.diagnosis.launches
    chosen = max(launches, key=lambda each: (each.saved_ns, -each.index))
    ranked = Wanted((wanted,)) if wanted is not None else measures_for(chosen, analysis.catalog)
    terminal.note("reading the instructions")
    query = Query(conditions, pattern, options.sources, columns, options.ptx, options.top)
    found = view(options.report, chosen.index, chosen.kernel, ranked.measures, query, chosen.cc)
    terminal.clear()
    if options.form == "json":
        terminal.write(document_json(source_document(found, options.top)), options.out)
        return EXIT_DONE
    terminal.write_page(source_page(found, options.top, reason=reason_text(ranked)), options.form, options.out)
    if len(launches) > 1:
        terminal.warn(f"launch {chosen.index} of {len(launches)} is shown; --launch N shows another")
    return EXIT_DONE


def _compare(options: Options, other: str) -> int:
    """Compare with another report (`--with`), by executed instructions unless a measure is given."""
    wanted = measure(options.by or "instructions")
    second = parse_side(other)
    terminal.note("reading the reports")
    sides = [_launch(path, at) for path, at in ((options.report, options.launch), (second.path, second.launch))]
    a, b = [(path, index, cc) for path, index, cc, _ in sides]
    found = read_and_compare(a, b, wanted, options.align_by)
    terminal.clear()
    if options.form == "json":
        terminal.write(document_json(comparison_document(found, (a[1], b[1]), options.top)), options.out)
    else:
        one, two = [f"{path.name}#{index}: {kernel[:60]}" for path, index, _, kernel in sides]
        terminal.write_page(source_compare_page(found, (one, two), options.top), options.form, options.out)
    return EXIT_DONE


def _launch(path: Path, index: int | None) -> tuple[Path, int, str, str]:
    """Return report, index, compute capability and kernel of the launch. Raises UsageError if it is ambiguous."""
    frame = read(path, metric_filter=["duration_ns"]).frame
    found = {
        int(i): (str(cc), str(name)) for i, cc, name in zip(frame["index"], frame["cc"], frame["kernel"], strict=True)
    }
    if index is None and len(found) > 1:
        raise UsageError(
            f"{path.name} holds {len(found)} launches: choose one with --launch N, or REPORT#N after --with"
        )
    chosen = next(iter(found)) if index is None else index
    if chosen not in found:
        raise UsageError(f"{path.name}: there is no launch {chosen}: launches are numbered 0 to {max(found)}")
    return path, chosen, *found[chosen]
