"""Theme colours and line styles; functions that draw cards and charts as styled lines of a given width.

Text from a report is data: control characters are escaped and markup in it stays text.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from unicodedata import category

from textual.content import Content
from textual.theme import Theme

from advisor.records.diagnosis import LaunchDiagnosis
from advisor.session.records import Card
from advisor.view.blocks import SIGNS, Bars, Block, Code, Line, Picture, Plain, Table, in_lines
from advisor.view.charts import bars as charts
from advisor.view.charts import workload
from advisor.view.text import CODE_HANG, shown, wrap_code
from advisor.view.writers.terminal import block_lines, plain_text, table_width

DARK: Final = Theme(
    name="advisor-dark",
    primary="#5aa9e6",
    secondary="#8fa3bf",
    accent="#f2b950",
    warning="#f2a65a",
    error="#ee6a6a",
    success="#7cc47f",
    foreground="#dde3ea",
    background="#12161c",
    surface="#191f27",
    panel="#232b36",
    dark=True,
    variables={"quiet": "#8b98a7"},
)
LIGHT: Final = Theme(
    name="advisor-light",
    primary="#1f6fb2",
    secondary="#5b6b7f",
    accent="#a86a00",
    warning="#b45a00",
    error="#b3261e",
    success="#2f7d32",
    foreground="#1c2430",
    background="#fbfbf8",
    surface="#f1f2ef",
    panel="#e4e7e6",
    dark=False,
    variables={"quiet": "#66707c"},
)

CARDS: Final = {
    "overview": "$text-primary",
    "class": "$text-primary",
    "finding": "$text-warning",
    "trust": "$text-warning",
    "fix": "$text-success",
    "next": "$text-success",
    "question": "$text-accent",
    "answer": "$text-secondary",
    "change": "$text-accent",
    "napkin": "$text-accent",
    "error": "$text-error",
    "step": "$text-accent",
    "steps": "$text-accent",
    "compared": "$text-success",
    "log": "$text-success",
    "timeline": "$text-primary",
}
OTHER_CARDS: Final = "$text-secondary"
LINES: Final = {
    "strong": "bold",
    "quiet": "$quiet",
    "holds": "$text-success",
    "fails": "$text-error",
    "unknown": "$quiet italic",
    "warning": "",
}
PLAIN_SIGNS: Final = {**SIGNS, "holds": "+", "fails": "x"}
_CODE: Final = {"+": "$text-success", "-": "$text-error", "@": "$quiet"}
BARS: Final = {
    "high": "$error",
    "busy": "$warning",
    "quiet": "$primary",
    "total": "$secondary",
    "stall": "$primary",
    "unknown": "$quiet",
}
LANES: Final = {
    "kernels": "$success",
    "communication": "$accent",
    "copies": "$primary",
    "migrations": "$primary",
    "other": "$secondary",
    "busy": "$foreground",
    "idle": "$warning",
    "stream": "$secondary",
}
# Styles for the roles in pictures made of text cells (view/text_canvas.py).
ROLES: Final = {
    "roof": "$primary",
    "now": "bold $text-warning",
    "then": "bold $text-secondary",
    "estimate": "bold $text-accent",
    "axis": "$quiet",
    "box": "$secondary",
    "title": "bold",
    "high": "bold $text-error",
    "busy": "$text-warning",
    "quiet": "$quiet",
    "unknown": "$quiet italic",
}

HEADING: Final = "bold $text-primary"  # style of evidence headings
_LONG_TABLE: Final = 30  # rows
_LABEL_MOST = 24
_NARROWEST = 16
_INDENT = 2
_BOUND: Final = "\ue000"  # stands for a blank at which no line may break; Textual breaks lines at no-break spaces too
_MARKS = 3  # maximum number of combining marks on one letter
_LONGEST = 4000  # maximum number of characters of one value: a very long name must not block the screen


def safe(text: str) -> str:
    """Make report data safe for the screen: escape control and direction characters, and cut overlong text."""
    made = shown(text if len(text) <= _LONGEST else text[:_LONGEST] + "…")
    return made if made.isascii() else unstacked(made)


def unstacked(text: str) -> str:
    """Remove stacked combining marks beyond those that a language needs, since they would overlap other rows."""
    out, marks = [], 0
    for c in text:
        marks = marks + 1 if category(c) in ("Mn", "Me") else 0
        if marks <= _MARKS:
            out.append(c)
    return "".join(out)


def styled(text: str, style: str) -> Content:
    """Return report data in a style; markup in the data stays text."""
    return Content.styled(safe(text), style) if style else Content(safe(text))


def hanging(first: Content | str, text: Content, width: int, rest: int | None = None) -> list[Content]:
    """Wrap `text` to `width` after `first`; indent the other lines by the width of `first`, or by `rest` cells."""
    first = Content(first) if isinstance(first, str) else first
    room = max(width - first.cell_length, _NARROWEST)
    if text.cell_length <= room and "\n" not in text.plain:
        return [first + text.rstrip()]
    bound = Content(text.plain.replace(" %", f"{_BOUND}%"), spans=list(text.spans))  # a number stays with its sign
    lines = [Content(line.plain.replace(_BOUND, " "), spans=list(line.spans)) for line in bound.wrap(room)] or [
        Content("")
    ]
    indent = Content(" " * (first.cell_length if rest is None else rest))
    return [first + lines[0].rstrip(), *(indent + line.rstrip() for line in lines[1:])]


def card_title(card: Card) -> Content:
    """Return the label, title and remark of a card in one line."""
    colour = CARDS.get(card.kind, OTHER_CARDS)
    parts = [styled(card.label, f"bold {colour}")] if card.label else []
    parts += [styled(card.title, "" if card.kind == "error" else "bold")] if card.title else []
    parts += [styled(card.aside, "$quiet")] if card.aside else []
    return Content("  ").join(parts)


def card_lines(card: Card, width: int, blocks: bool = True) -> list[Content]:
    """Return the lines of a card, at most `width` cells wide."""
    marks = SIGNS if blocks else PLAIN_SIGNS
    title = card_title(card)
    lines = hanging("", title, width) if title.plain else []
    labels = [line.label for block in card.blocks if not _drawn(block, width) for line in in_lines((block,))]
    labels += [card.label] if any(labels) else []  # title and texts begin in one column
    column = min(max(map(len, labels), default=0) + 2, _LABEL_MOST, max(width // 3, 8))
    number = 0
    for block in card.blocks:
        if isinstance(block, Code) and block.diff:
            lines += code_lines(block, width)
        elif _drawn(block, width):
            drawn = plain_text(block_lines((block,), width=width, blocks=blocks), blocks)
            lines += [styled(text, "") for text in drawn.splitlines()]
        else:
            for line in in_lines((block,)):
                number += line.style == "step"
                lines += _line(line, number, column, width, marks)
    return lines


def _drawn(block: Block, width: int) -> bool:
    """Return whether the terminal writer draws the block: a drawing, or a table that fits the width.

    A long table is drawn without the columns that it can spare: it would be a line for each cell otherwise.
    """
    if isinstance(block, Table):
        kept = [at for at, column in enumerate(block.columns) if len(block.rows) < _LONG_TABLE or not column.spare]
        rows = tuple(tuple(row[at] for at in kept) for row in block.rows)
        return table_width(Table(tuple(block.columns[at] for at in kept), rows)) <= width
    drawing = isinstance(block, Picture) and block.draw is not None
    return drawing or isinstance(block, Code | Bars) or (isinstance(block, Plain) and not block.whole)


def code_lines(code: Code, width: int) -> list[Content]:
    """Return the lines of code or of a diff; changed lines have a sign as well as a colour."""
    out = [heading(code.caption)] if code.caption else []
    for line in code.lines:
        text = line.expandtabs(4)
        # A sign of a diff stands before the indentation of the code.
        sign, code_text = (text[:1], text[1:]) if code.diff else ("", text)
        first, *more = wrap_code(code_text, max(width - len(sign), 20), CODE_HANG) or [""]
        parts = [sign + first, *(" " * len(sign) + part for part in more)]
        out += [styled(part, _CODE.get(line[:1], "")) for part in parts]
    return out


def _line(line: Line, number: int, column: int, width: int, marks: dict[str, str]) -> list[Content]:
    style, mark = LINES.get(line.style, ""), marks.get(line.style, "")
    indent = " " * (_INDENT * line.depth)
    text = styled(line.text, style)
    if line.style == "step":
        return hanging(Content(indent) + styled(f"{number}. ", "bold"), text, width)
    marked = styled(f"{mark} ", f"bold {style or '$text-warning'}") if mark else Content("")
    if not line.label:
        return hanging(Content(indent) + marked, text, width)
    label = safe(line.label)
    if len(label) + 2 > column:
        # Put a long label on its own line, with the text below it.
        return [Content(indent) + styled(label, "$text-secondary"), *hanging(f"{indent}  ", marked + text, width)]
    return hanging(Content(indent) + styled(f"{label:<{column}}", "$text-secondary"), marked + text, width)


def bar_lines(rows: Iterable[charts.Bar], width: int) -> list[Content]:
    """Return chart rows, each with its bar in the colour of its style."""
    lines = []
    for row in rows:
        text = charts.row_text(row, width)
        line = Content(text)
        at = text.find(row.bar.rstrip()) if row.bar.strip() else -1
        if at >= 0:
            filled = len(row.bar.rstrip("·┊.| "))
            line = line.stylize(BARS.get(row.style, ""), at, at + filled)
            line = line.stylize("$quiet", at + filled, at + len(row.bar))
        if row.style == "total":
            line = line.stylize("bold", 0, max(at, 0))
        if row.value is None:
            line = line.stylize("$quiet")
        lines.append(line)
    return lines


def chart_lines(launch: LaunchDiagnosis, width: int, blocks: bool) -> list[Content]:
    """Return the charts of a launch: speed of light, stalls and occupancy."""
    metrics, labels = launch.metrics, launch.labels
    lines = [heading("Speed of light, % of peak"), styled(charts.scale_text(width), "$quiet")]
    if launch.scope == "workload":
        for title, rows in workload.parts(metrics, width=width, blocks=blocks):
            lines += [*([Content(""), heading(title)] if title else []), *bar_lines(rows, width)]
        return lines
    lines += bar_lines(charts.speed_of_light(metrics, "compute", width=width, blocks=blocks, parts=True), width)
    lines += bar_lines(charts.speed_of_light(metrics, "memory", width=width, blocks=blocks, parts=True), width)
    lines += [Content(""), heading("Warp stalls, % of warp cycles")]
    lines += bar_lines(charts.stalls(metrics, width=width, blocks=blocks), width)
    lines += [Content("")]
    lines += bar_lines([charts.occupancy(metrics, labels, width=width, blocks=blocks)], width)
    limit = charts.occupancy_limit(metrics, labels)
    lines += hanging("  ", styled(limit, "$quiet"), width) if limit else []
    return lines


def heading(text: str) -> Content:
    """Return the heading of an evidence section."""
    return styled(text, HEADING)


_WIDTH: Final = 100


def card_text(card: Card, blocks: bool = True) -> str:
    """Return the lines of a card as plain text, 100 columns wide."""
    lines = card_lines(card, _WIDTH, blocks)
    return "\n".join(line.plain.rstrip() for line in lines).strip() + "\n"
