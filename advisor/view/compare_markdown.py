"""A comparison as Markdown, for a comment on a pull request: the same words as the text, tables in place of columns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from advisor.compare.records import Condition, Pair
from advisor.compare.words import amount, times
from advisor.records.escapes import printable
from advisor.view.compare import (
    WORDS,
    cell,
    change_text,
    class_text,
    finding_text,
    headline,
    only_text,
    runs_text,
    title,
    word,
)
from advisor.view.compare_results import Result
from advisor.view.pages.diagnosis import ceiling_text
from advisor.view.text import shown

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~!&$@])")


def escaped(text: str) -> str:
    """Text whose every character is shown: nothing in it is markup, a link, a mention or the end of a cell."""
    return _SPECIAL.sub(r"\\\1", shown(text))


def compare_markdown(result: Result, *, everything: bool = False) -> str:
    """The whole comparison."""
    found = result.compared
    out = ["# ncu-advisor compare", ""]
    for name, info in (("Base", found.base), ("Current", found.current)):
        out.append(f"- {name}: {escaped(info.path)} ({escaped(info.tool)})")
    out += [f"- {escaped(ceiling_text(card))}" for card in found.ceilings]
    out += _careful(found.conditions)
    if len(found.pairs) > 1:
        out += ["", *_table(found.pairs)]
    for pair in found.pairs:
        out += ["", *_pair(pair, everything)]
    for name, left in (("base", found.base_only), ("current report", found.current_only)):
        if left:
            out += ["", f"## Only in the {name}, compared with nothing", ""]
            out += [f"- {escaped(only_text(runs))}" for runs in left]
    if lines := result.lines():
        out += ["", "## Thresholds", "", *(f"- {escaped(line)}" for line in lines)]
    return printable("\n".join(out)) + "\n"


def _careful(conditions: Sequence[Condition]) -> list[str]:
    return [f"- **Careful:** {escaped(item.text)} ({escaped(item.id)})" for item in conditions]


def _table(pairs: Sequence[Pair]) -> list[str]:
    rows = ["| kernel | before | after | speed | verdict |", "| --- | ---: | ---: | ---: | --- |"]
    for pair in pairs:
        before, after = (amount(x.times.median, "ns") if x.times else "?" for x in (pair.base, pair.current))
        gain = times(pair.judged.speedup) if pair.judged is not None else "?"
        rows.append(f"| {escaped(title(pair))} | {before} | {after} | {gain} | {WORDS[word(pair)].lower()} |")
    return rows


def _pair(pair: Pair, everything: bool) -> list[str]:
    out = [f"## {escaped(title(pair))}", "", f"**{WORDS[word(pair)]}** {escaped(headline(pair))}", ""]
    out += [f"- {escaped(runs_text(pair))}"] if runs_text(pair) else []
    out += _careful(pair.conditions)
    out.append(f"- **Class:** {escaped(class_text(pair))}")
    if pair.promise is not None:
        out.append(f"- **Estimate:** {escaped(pair.promise.text)}")
    out.append(f"- **Next:** {escaped(pair.next.text)}")
    if pair.findings:
        out += ["", "| finding | state | |", "| --- | --- | --- |"]
        for change in pair.findings:
            name = f"{escaped(change.title)} ({escaped(change.id)})"
            out.append(f"| {name} | {change.state} | {escaped(finding_text(change))} |")
    if pair.traps:
        out += ["", "Percentages against the time:", "", *(f"- {escaped(trap.text)}" for trap in pair.traps)]
    rows = [row for row in pair.metrics if everything or row.shown]
    if rows:
        out += ["", "| metric | before | after | change |", "| --- | ---: | ---: | ---: |"]
        for row in rows:
            before, after = (cell(value, row.unit) for value in (row.before, row.after))
            out.append(f"| {escaped(row.metric)} | {before} | {after} | {change_text(row)} |")
    return out
