"""The command `ncu-advisor compare`."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.cli import terminal
from advisor.cli.options import Knowledge, Launches, Output, argument, command, flag, formats, option
from advisor.compare.compare import compare as compare_analyses
from advisor.compare.compare import read_sides
from advisor.compare.side import parse_side
from advisor.compare.thresholds import check, parse
from advisor.knowledge.base import catalog
from advisor.records.errors import EXIT_DONE, EXIT_THRESHOLD, EXIT_WRONG_USE, UsageError
from advisor.view.pages.compare import HTML_SECTIONS, Result, compare_page
from advisor.view.writers import PAGE_FORMATS
from advisor.view.writers.json import document_json
from advisor.view.writers.junit import junit


@dataclass(frozen=True, kw_only=True)
class Options(Output, Launches, Knowledge):
    """Options of `compare`."""

    base: str = argument()
    current: str = argument()
    maps: tuple[str, ...] = option("--map", multiple=True, metavar="OLD=NEW", help="A renamed kernel; repeatable.")
    fail_on: tuple[str, ...] = option(
        "--fail-on", multiple=True, metavar="CHANGE", help="Exit with 3 on this change; repeatable."
    )
    beyond_noise: bool = flag("--beyond-noise", help="Let --fail-on ignore times within the noise.")
    everything: bool = flag("--all", help="Show every metric, not only the largest changes.")
    force: bool = flag("--force", help="Compare even if the GPUs differ.")
    form: str = formats("text", "json", *PAGE_FORMATS, "junit")


@command(Options)
def compare(options: Options) -> int:
    """Compare two reports: time, changed metrics, and findings that are gone, unchanged or new.

    BASE and CURRENT are reports, or one launch of a report: `REPORT#3`. A CHANGE is `duration>5%` (relative),
    `dram_pct>+5` or `dram_pct<-5` (in the metric's unit), or `finding:bank_conflicts` (a new finding).

    Exit code 3 if any pair crosses a --fail-on; 2 if none does and one could not be checked, or a report lost launches.
    """
    cat = catalog(options.knowledge)
    pattern = options.pattern
    # Report a mistyped threshold before reading any file.
    thresholds = [parse(text, cat) for text in options.fail_on]
    if options.beyond_noise and not any(each.name == "duration_ns" for each in thresholds):
        raise UsageError("--beyond-noise applies to times: give a --fail-on 'duration>5%' with it")
    analyses = read_sides(
        parse_side(options.base),
        parse_side(options.current),
        answers=options.given,
        gpu=options.gpu,
        knowledge=options.knowledge,
        kernel=pattern,
        progress=terminal.narrate,
    )
    terminal.clear()
    found = compare_analyses(*analyses, maps=options.maps, force=options.force)
    outcomes = tuple(
        tuple(check(t, pair, cat, beyond_noise=options.beyond_noise) for t in thresholds) for pair in found.pairs
    )
    result = Result(found, outcomes)
    for info in (found.base, found.current):
        terminal.tell_problems(info.path, info.problems, most=1)
    for line in result.trouble():
        terminal.warn(line)
    terminal.write(_text(result, options), options.out)
    checked = [o.crossed for row in outcomes for o in row]
    lost = [info for info in (found.base, found.current) if options.fail_on and not info.complete]
    for info in lost:
        terminal.warn(f"{info.path} is incomplete: what it lost was not checked, so this is no pass")
    return EXIT_THRESHOLD if True in checked else EXIT_WRONG_USE if None in checked or lost else EXIT_DONE


def _text(result: Result, options: Options) -> str:
    if options.form == "json":
        return document_json(result.document())
    if options.form == "junit":
        return junit(result, everything=options.everything)
    sections = HTML_SECTIONS if options.form == "html" else None
    page = compare_page(result, everything=options.everything, sections=sections)
    return terminal.page_text(page, options.form, options.out)
