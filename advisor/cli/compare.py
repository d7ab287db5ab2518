"""`ncu-advisor compare`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from advisor.records.errors import EXIT_DONE, EXIT_THRESHOLD, EXIT_WRONG_USE, UsageError

if TYPE_CHECKING:
    from advisor.view.pages.compare import Result


def run(
    base: str,
    current: str,
    *,
    maps: tuple[str, ...],
    fail_on: tuple[str, ...],
    beyond_noise: bool,
    everything: bool,
    force: bool,
    kernel: str | None,
    answers: Path | None,
    gpu: str | None,
    form: str,
    out: Path | None,
    knowledge: tuple[Path, ...],
    write: Callable[[str, Path | None], None],
    narrate: Callable[[str, int, int], None],
    clear: Callable[[], None],
    colour: bool,
    width: int,
) -> int:
    """Read, compare, print; returns the exit code.

    3 when any pair crosses a `--fail-on`; 2 when none does and one could not be checked, since silence would read as
    a pass.
    """
    from advisor.cli.diagnose import read_answers
    from advisor.compare.compare import compare, parse_side, read_sides
    from advisor.compare.thresholds import check, parse
    from advisor.knowledge.base import catalog
    from advisor.view.pages.compare import Result

    try:
        pattern = re.compile(kernel) if kernel is not None else None
    except re.error as e:
        raise UsageError(f"--kernel {kernel!r} is not a regular expression: {e}") from None
    cat = catalog(knowledge)
    # A mistyped threshold is told before anything is read.
    thresholds = [parse(text, cat) for text in fail_on]
    if beyond_noise and not any(each.name == "duration_ns" for each in thresholds):
        raise UsageError("--beyond-noise is about times: give a --fail-on 'duration>5%' with it")
    analyses = read_sides(
        parse_side(base),
        parse_side(current),
        answers=read_answers(answers) if answers is not None else None,
        gpu=gpu,
        knowledge=knowledge,
        kernel=pattern,
        progress=narrate,
    )
    clear()
    found = compare(*analyses, maps=maps, force=force)
    outcomes = tuple(tuple(check(t, pair, cat, beyond_noise=beyond_noise) for t in thresholds) for pair in found.pairs)
    result = Result(found, outcomes)
    _narrate(result)
    write(_rendered(result, form, everything, colour and out is None, width, out), out)
    checked = [o.crossed for row in outcomes for o in row]
    return EXIT_THRESHOLD if True in checked else EXIT_WRONG_USE if None in checked else EXIT_DONE


def _rendered(result: Result, form: str, everything: bool, colour: bool, width: int, out: Path | None) -> str:
    if form == "json":
        from advisor.view.compare_json import compare_json

        return compare_json(result)
    if form == "junit":
        from advisor.view.writers.junit import junit

        return junit(result, everything=everything)
    from advisor.view.pages.compare import compare_page

    if form == "markdown":
        from advisor.view.writers.markdown import page_markdown

        return page_markdown(compare_page(result, everything=everything, sections=None))
    if form == "html":
        from advisor.view.writers.html import page_html

        return page_html(compare_page(result, everything=everything))
    from advisor.view.charts.bars import can_draw
    from advisor.view.writers.terminal import terminal_text

    blocks = can_draw(getattr(sys.stdout, "encoding", None)) if out is None else True
    page = compare_page(result, everything=everything, sections=None)
    return terminal_text(page, width=width, colour=colour, blocks=blocks)


def _narrate(result: Result) -> None:
    """On stderr: what was wrong with a report, which thresholds were crossed, what was compared with nothing."""
    from advisor.view.text import shown

    for info in (result.compared.base, result.compared.current):
        for problem in info.problems:
            click.echo(f"ncu-advisor: {shown(info.path)}: {shown(problem)}", err=True)
    for line in result.trouble():
        click.echo(f"ncu-advisor: {line}", err=True)
