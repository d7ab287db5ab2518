"""Write a page as Markdown, for a comment on a pull request or a wiki: headings, lists, tables, fenced code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from advisor.records.escapes import printable
from advisor.view.blocks import (
    Bars,
    Block,
    Bullets,
    Code,
    Command,
    Facts,
    Line,
    Outline,
    Page,
    Paragraph,
    Picture,
    Plain,
    Section,
    Table,
    Turn,
)
from advisor.view.charts.bars import bar
from advisor.view.text import cut, shown

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~!&$@])")
# Starts of a line that would begin a list or a heading; addresses are linked even without brackets.
_START = re.compile(r"^([-+=])(?=[\s=-]|$)")
_NUMBER = re.compile(r"^(\d+)([.)])(?=\s|$)")
_LINK = re.compile(r"(?i)\b(https?|ftp|mailto|xmpp|www)([:.])")
_QUOTED = re.compile(r"`([^`]+)`")
_FENCE = re.compile(r"`{3,}")
_CELLS = 24
_WIDTH = 78  # columns of a drawing in characters
# Names of thousands of characters are cut in a list; the JSON has the full names.
LONGEST = 400


def escaped(text: str) -> str:
    """Escape text, so that nothing in it is markup, a link, a mention or the end of a cell."""
    return _LINK.sub(r"\1\\\2", _SPECIAL.sub(r"\\\1", shown(text)))


def rich(text: str) -> str:
    """Escape text like `escaped`, with text between two backticks as code."""
    parts = _QUOTED.split(cut(shown(text), 4 * LONGEST))
    joined = "".join(_code(part) if at % 2 else escaped(part) for at, part in enumerate(parts))
    return _NUMBER.sub(r"\1\\\2", _START.sub(r"\\\1", joined))


def _code(text: str) -> str:
    # A vertical bar ends a table cell even within backticks.
    return f"<code>{escaped(text)}</code>" if "|" in text or not text.strip() else f"`{text}`"


def page_markdown(page: Page) -> str:
    """Write the whole page."""
    out = [f"# {rich(page.title)}"] if page.title else []
    for block in page.made:
        out += ["", *_block(block)]
    for part in page.sections:
        out += _section(part)
    return printable("\n".join(line for line, before in _spaced(out) if line or before)).lstrip("\n") + "\n"


def _spaced(lines: list[str]) -> list[tuple[str, str]]:
    """Return each line with the previous one, without consecutive empty lines."""
    return [(lines[0], "x"), *((now, before) for before, now in pairwise(lines))]


def _section(part: Section) -> list[str]:
    pictures = [block for block in part.blocks if isinstance(block, Picture)]
    if pictures and not any(picture.draw for picture in pictures):
        return []
    out = ["", f"{'#' * part.level} {rich(part.title)}"] if part.title else []
    for block in part.blocks:
        out += ["", *_block(block)]
    return out


def _block(block: Block) -> list[str]:
    if isinstance(block, Paragraph):
        text = rich(block.text)
        return [f"**{text}**" if block.tone in ("warn", "bad") and "`" not in text else text]
    if isinstance(block, Facts):
        return [f"- **{escaped(row.label)}:** {rich(row.text)}" for row in block.rows]
    if isinstance(block, Bullets):
        marks = [f"{n}." for n in range(1, len(block.items) + 1)] if block.ordered else ["-"] * len(block.items)
        return [f"{mark} {rich(item)}" for mark, item in zip(marks, block.items, strict=True)]
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Code):
        if block.diff or not block.start:
            caption = [rich(block.caption), ""] if block.caption else []
            return [*caption, *_fenced(map(shown, block.lines), "diff" if block.diff else "")]
        width = len(str(block.start + len(block.lines)))
        rows = [
            f"{'>' if n == block.hot else ' '} {n:>{width}}  {shown(line)}"
            for n, line in enumerate(block.lines, block.start)
        ]
        return [rich(block.caption), "", *_fenced(rows)]
    if isinstance(block, Command):
        return _fenced([shown(block.text)], "sh")
    if isinstance(block, Bars):
        return [rich(block.caption), "", *_fenced(_bars(block))]
    if isinstance(block, Turn):
        return _turn(block)
    if isinstance(block, Outline):
        return _outline(block.lines)
    if isinstance(block, Line):
        return _outline((block,))
    if isinstance(block, Plain):
        return _fenced(map(shown, block.lines))
    return _fenced(map(shown, block.draw(_WIDTH, True))) if block.draw is not None else []


def _turn(turn: Turn) -> list[str]:
    aside = f" ({rich(turn.aside)})" if turn.aside else ""
    lines = [f"**{escaped(turn.label)}:** {rich(turn.title)}{aside}"]
    return [*lines, "", *_outline(turn.lines)] if turn.lines else lines


def _outline(found: Sequence[Line]) -> list[str]:
    lines, before = [], -1
    for line in found:
        # The depth of a list may increase by only one level at a time.
        before = min(max(0, line.depth), before + 1)
        label = f"**{escaped(line.label)}:** " if line.label.strip() else ""
        lines.append(f"{'  ' * before}- {label}{rich(line.signed)}")
    return lines


def _fenced(texts: Iterable[str], language: str = "") -> list[str]:
    """Return the lines in a fence that is longer than any run of backticks in them."""
    lines = list(texts)
    longest = max((len(run) for line in lines for run in _FENCE.findall(line)), default=2)
    fence = "`" * (longest + 1)
    return [fence + language, *lines, fence]


def _bars(block: Bars) -> list[str]:
    label = max(len(row.label) + 2 * (not row.total) for row in block.rows)
    value = max(len(row.text) for row in block.rows)
    lines = []
    for row in block.rows:
        name = row.label if row.total else f"  {row.label}"
        drawn = bar(100 * row.share if row.share is not None else None, _CELLS, marks=[100 * m for m in block.marks])
        lines.append(f"{shown(name):<{label}} {row.text:>{value}} {drawn} {row.note}".rstrip())
    return lines


def _table(table: Table) -> list[str]:
    heads = [escaped(column.name) for column in table.columns]
    rules = ["---:" if column.numeric else "---" for column in table.columns]
    rows = [[rich(cut(shown(cell.text), LONGEST)) for cell in row] for row in table.rows]
    if any(table.notes):
        heads, rules = [*heads, "Notes"], [*rules, "---"]
        rows = [[*row, "; ".join(map(rich, notes))] for row, notes in zip(rows, table.notes, strict=True)]
    return [f"| {' | '.join(row)} |" for row in (heads, rules, *rows)]
