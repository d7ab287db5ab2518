"""Write a page as lines for a terminal: at most `width` columns, optional colour, ASCII for limited encodings.

Plain strings, not Rich: importing rich.console costs 90 ms of processor time, a third of `explain` (bar: 5 %).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from advisor.view.blocks import (
    Bars,
    Block,
    Bullets,
    Code,
    Column,
    Command,
    Fact,
    Facts,
    Line,
    Outline,
    Page,
    Paragraph,
    Picture,
    Plain,
    Section,
    Table,
    Tone,
    Turn,
)
from advisor.view.charts.bars import bar, scale_line
from advisor.view.text import CODE_HANG, cut, cut_start, shown, wrap, wrap_code

_STYLES: dict[Tone, str] = {"plain": "", "good": "green", "warn": "yellow", "bad": "red", "lead": "cyan", "dim": "dim"}
_ANSI = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
_TITLE_LINES = 2
_LABEL = 11  # columns of the labels of facts, at least
_LONG_LABEL = 20  # and at most
_LEAST_TEXT = 12  # columns of a text column of a table, at least
_FAIR_TEXT = 32  # below this, optional columns are left out
_MOST_LABEL = 22  # columns of the label of a bar
_LEAST_BAR, _MOST_BAR = 6, 60
_NOTE = 8  # indentation of a note under a row
_MORE = 5  # indentation of a continued line
_APART = (Table, Code, Bars, Picture, Plain)  # blocks with an empty line before and after
_ASCII = str.maketrans(
    {"×": "x", "–": "-", "—": "-", "−": "-", "µ": "u", "→": ">", "·": "-", "…": "~", "≤": "<=", "≥": ">=",
     "█": "#", "▲": "+", "▼": "-", "─": "-", "│": "|", "┊": "|", "▸": ">", "✓": "+", "✗": "x"}
)  # fmt: skip


def paint(text: str, style: str, colour: bool) -> str:
    """Return the text in an ANSI style, or unchanged."""
    return f"\x1b[{_ANSI[style]}m{text}\x1b[0m" if colour and style and text else text


def terminal_text(page: Page, *, width: int = 80, colour: bool = False, blocks: bool = True) -> str:
    """Write the whole page. blocks: whether the output supports characters beyond ASCII."""
    return "".join(terminal_parts(page, (), width=width, colour=colour, blocks=blocks))


def terminal_parts(
    page: Page, more: Iterable[Section], *, width: int = 80, colour: bool = False, blocks: bool = True
) -> Iterator[str]:
    """Yield a page as text, then more sections of it one by one."""
    out: list[str] = []
    if page.title:
        title = wrap(cut(shown(page.title), _TITLE_LINES * width), width)
        out += [paint(line, "bold", colour) for line in title]
        out.append(paint("─" * max(map(len, title)), "dim", colour))
    out += block_lines(page.made, width=width, colour=colour)
    for part in page.sections:
        out += section_lines(part, width=width, colour=colour, blocks=blocks)
    yield plain_text(out, blocks)
    for part in more:
        lines = section_lines(part, width=width, colour=colour, blocks=blocks)
        if any(lines):
            yield "\n" + plain_text(lines, blocks)


def plain_text(lines: Sequence[str], blocks: bool = True) -> str:
    """Join lines without trailing blanks and leading empty lines; in ASCII without `blocks`."""
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in lines)).strip("\n") + "\n"
    return text if blocks else text.translate(_ASCII)


def section_lines(part: Section, *, width: int = 80, colour: bool = False, blocks: bool = True) -> list[str]:
    """Return an empty line, the heading and the blocks; nothing for a section whose drawings have no text."""
    pictures = [block for block in part.blocks if isinstance(block, Picture)]
    if pictures and not any(picture.draw for picture in pictures):
        return []
    out = [""]
    if part.title:
        heading = wrap(shown(part.title), width)
        out += [paint(line, "bold", colour) for line in heading]
        if part.level == 2:
            out.append(paint("─" * max(map(len, heading)), "dim", colour))
    return out + block_lines(part.blocks, width=width, colour=colour, blocks=blocks, indent=2 * (part.level > 2))


def block_lines(
    found: Sequence[Block], *, width: int = 80, colour: bool = False, blocks: bool = True, indent: int = 0
) -> list[str]:
    """Return the lines of the blocks. indent: of paragraphs and lists."""
    out: list[str] = []
    before: Block | None = None
    for block in found:
        lines = _block(block, width, colour, blocks, indent)
        if lines and before is not None and (isinstance(block, _APART) or isinstance(before, _APART)):
            out.append("")
        out += lines
        before = block if lines else before
    return out


def _block(block: Block, width: int, colour: bool, blocks: bool, indent: int) -> list[str]:
    if isinstance(block, Paragraph):
        return [paint(line, _STYLES[block.tone], colour) for line in wrap(shown(block.text), width, indent, indent)]
    if isinstance(block, Facts):
        return _facts(block, width, colour, indent)
    if isinstance(block, Bullets):
        marks = [f"{n}. " for n in range(1, len(block.items) + 1)] if block.ordered else ["· "] * len(block.items)
        return [
            line
            for mark, item in zip(marks, block.items, strict=True)
            for line in wrap(mark + shown(item), width, indent, indent + len(mark))
        ]
    if isinstance(block, Table):
        return _prose(block, width, indent) if block.prose else _table(block, width, colour)
    if isinstance(block, Code):
        return _code(block, width, colour)
    if isinstance(block, Command):
        lines = command_lines(shown(block.text), width, indent + 2) if block.fold else [shown(block.text)]
        return [" " * (indent or 2) + line for line in lines]
    if isinstance(block, Bars):
        return _bars(block, width, colour, blocks)
    if isinstance(block, Turn):
        return _turn(block, width, colour)
    if isinstance(block, Outline):
        return _outline(block.lines, width, colour, indent)
    if isinstance(block, Line):
        return _outline((block,), width, colour, indent)
    if isinstance(block, Plain):
        pad = " " * (indent or 2)
        return [pad + shown(line) if block.whole else cut(shown(line), width) for line in block.lines]
    caption = wrap(block.chart.title, width) if block.chart is not None else []
    return [*caption, *block.draw(width, blocks)] if block.draw is not None else []


def _facts(block: Facts, width: int, colour: bool, indent: int) -> list[str]:
    column = min(max([_LABEL, *(len(row.label) + 2 for row in block.rows)]), _LONG_LABEL) + indent
    out, before = [], ""
    for row in block.rows:
        out += _fact(row, "" if row.label == before else row.label, width, column, colour, indent)
        before = row.label
    return out


def _fact(row: Fact, name: str, width: int, column: int, colour: bool, indent: int) -> list[str]:
    label = " " * indent + cut(shown(name), column - indent - 1)
    lines = wrap(shown(row.text), width - column)
    style = _STYLES[row.tone]
    first = f"{label:<{column}}{lines[0]}"
    # All lines of a warning are coloured, for other tones only the first line.
    rest = [" " * column + line for line in lines[1:]]
    whole = row.tone in ("warn", "bad", "dim")
    return [paint(first, style, colour), *(paint(line, style if whole else "", colour) for line in rest)]


def _prose(table: Table, width: int, indent: int) -> list[str]:
    out = []
    for row in table.rows:
        first, *rest = (shown(cell.text) for cell in row)
        details = "; ".join(text for text in rest if text)
        out += wrap(f"· {first}{f' ({details})' if details else ''}", width, indent, indent + 2)
    return out


def _table(table: Table, width: int, colour: bool) -> list[str]:
    cells = [[shown(cell.text) for cell in row] for row in table.rows]
    widths = _widths(table, cells)
    kept = list(range(len(widths)))
    for room, spare in ((_FAIR_TEXT, 3), (_LEAST_TEXT, 1)):
        least = [w if column.numeric else min(w, room) for w, column in zip(widths, table.columns, strict=True)]
        while _span(least, kept) > width and any(table.columns[at].spare >= spare for at in kept):
            kept.remove(max(kept, key=lambda at: (table.columns[at].spare, at)))
    texts = [at for at in kept if not table.columns[at].numeric]
    while _span(widths, kept) > width and (wide := max(texts, key=lambda at: widths[at], default=None)) is not None:
        if widths[wide] <= _LEAST_TEXT:
            break
        widths[wide] = max(_LEAST_TEXT, widths[wide] - max(1, (_span(widths, kept) - width) // len(texts)))

    def line(texts_: Sequence[str]) -> str:
        return cut("  ".join(_padded(texts_[at], table.columns[at], widths[at]) for at in kept).rstrip(), width)

    out = [paint(line([column.name for column in table.columns]), "bold", colour)]
    spared = [at for at in range(len(widths)) if at not in kept]
    names = [column.name for column in table.columns]
    for row, found, notes in zip(table.rows, cells, table.notes or [None] * len(cells), strict=True):
        tone: Tone = next((cell.tone for cell in row if cell.tone != "plain"), "plain")
        out.append(paint(line(found), _STYLES[tone], colour))
        if notes is not None:
            # `(ideal)` belongs to the column before it.
            heads = [f"{names[at - 1]} {names[at]}" if names[at].startswith("(") else names[at] for at in spared]
            left = ", ".join(f"{head} {found[at]}" for head, at in zip(heads, spared, strict=True))
            for note in (*([left] if left else []), *notes):
                out += wrap(shown(note), width, _NOTE, _NOTE + 2)
    return out


def table_width(table: Table) -> int:
    """Return the width of a table in which nothing is cut."""
    return _span(_widths(table, [[shown(cell.text) for cell in row] for row in table.rows]), range(len(table.columns)))


def page_width(page: Page, least: int = 80) -> int:
    """Return the width of a page in which no table of its sections is cut, at least `least` columns."""
    tables = (block for section in page.sections for block in section.blocks if isinstance(block, Table))
    return max([least, *(table_width(table) for table in tables)])


def _widths(table: Table, cells: Sequence[Sequence[str]]) -> list[int]:
    return [max([len(column.name), *(len(row[at]) for row in cells)]) for at, column in enumerate(table.columns)]


def _span(widths: Sequence[int], kept: Sequence[int]) -> int:
    return sum(widths[at] for at in kept) + 2 * (len(kept) - 1)


def _padded(text: str, column: Column, width: int) -> str:
    text = cut_start(text, width) if column.keep == "end" else cut(text, width)
    return f"{text:>{width}}" if column.numeric else f"{text:<{width}}"


def _code(block: Code, width: int, colour: bool) -> list[str]:
    out = wrap(shown(block.caption), width) if block.caption else []
    last = block.start + len(block.lines) - 1
    room = len(str(last))
    for number, source in enumerate(block.lines, block.start):
        text = shown(source.expandtabs(4).rstrip())
        hot = number == block.hot > 0
        style = "bold" if hot else ""
        head = f"{'>' if hot else ' '} {number:>{room}}  "
        if block.diff:
            style = {"+": "green", "-": "red"}.get(text[:1], "")
        head = head if block.start and not block.diff else ""
        if block.diff:  # the sign stands before the indentation of the code
            head, text = text[:1], text[1:]
        out += [paint(line, style, colour) for line in _continued(head, text, width)]
    return out


def _continued(head: str, text: str, width: int) -> list[str]:
    """Return a line of code after its number; the continuation of a long line is indented."""
    parts = wrap_code(text, max(20, width - len(head)), CODE_HANG)
    return [head + parts[0], *(" " * len(head) + part for part in parts[1:])]


def command_lines(command: str, width: int, indent: int = 2) -> list[str]:
    """Split a command into lines that a shell joins again: before options, never inside quotes."""
    words = [match[0] for match in re.finditer(r"""(?:'[^']*'|"[^"]*"|[^\s'"])+""", command)]
    groups: list[str] = []
    for word in words:
        if not groups or (word.startswith("--") and groups):
            groups.append(word)
        else:
            groups[-1] += f" {word}"
    lines: list[str] = []
    for group in groups:
        if lines and indent + len(lines[-1]) + len(group) + 3 <= width:
            lines[-1] += f" {group}"
        elif lines:
            lines[-1] += " \\"
            lines.append(f"  {group}")
        else:
            lines.append(group)
    return lines


def _bars(block: Bars, width: int, colour: bool, blocks: bool) -> list[str]:
    if not block.rows:
        return []
    label = min(max(len(row.label) + 2 * (not row.total) for row in block.rows), _MOST_LABEL)
    value = max(len(row.text) for row in block.rows)
    note = min(max(len(row.note) for row in block.rows), max(0, width - label - value - _LEAST_BAR - 3))
    marks = [100.0 * mark for mark in block.marks]
    beyond = 2 if marks else 0  # the last number of the scale extends past the bars
    cells = min(max(width - label - value - max(note, beyond) - 3, _LEAST_BAR), _MOST_BAR)
    out = wrap(shown(block.caption), width) if block.caption else []
    out += [" " * (label + value + 2) + scale_line(marks, cells)] if marks else []
    for row in block.rows:
        name = cut(("" if row.total else "  ") + shown(row.label), label)
        drawn = bar(None if row.share is None else 100.0 * row.share, cells, blocks=blocks, marks=marks)
        text = f"{name:<{label}} {row.text:>{value}} {drawn} {cut(shown(row.note), note)}".rstrip()
        out.append(paint(cut(text, width), "bold" if row.total else "", colour))
    return out


def _turn(turn: Turn, width: int, colour: bool) -> list[str]:
    aside = f" ({turn.aside})" if turn.aside else ""
    out = [paint(line, "bold", colour) for line in wrap(shown(f"{turn.label}: {turn.title}{aside}"), width, 0, 2)]
    return out + _outline(turn.lines, width, colour, 2)


def _outline(lines: Sequence[Line], width: int, colour: bool, indent: int) -> list[str]:
    out = []
    for line in lines:
        label = f"{line.label}: " if line.label.strip() else ""
        pad = indent + 2 * line.depth
        texts = wrap(shown(f"· {label}{line.signed}"), width, pad, pad + 2)
        out += [paint(text, _STYLES[line.tone], colour) for text in texts]
    return out
