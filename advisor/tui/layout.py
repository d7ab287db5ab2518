"""Cards and charts as styled lines of a given width. Everything from a report is data: shown, never obeyed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from unicodedata import category

from textual.content import Content

from advisor.records.diagnosis import LaunchDiagnosis
from advisor.session.records import Card, Line
from advisor.tui.styles import BARS, CARDS, LINES, MARKS, OTHER_CARDS, PLAIN_MARKS
from advisor.view.charts import bars as charts
from advisor.view.charts import workload
from advisor.view.text import shown

_LABEL_MOST = 24
_NARROWEST = 16
_INDENT = 2
_MARKS = 3  # on one letter
_LONGEST = 4000  # characters of one piece of data; a name of a million must not stop the screen


def safe(text: str) -> str:
    """Data as it may stand on a screen: control and direction characters become their escapes, the absurd is cut."""
    made = shown(text if len(text) <= _LONGEST else text[:_LONGEST] + "…")
    return made if made.isascii() else unstacked(made)


def unstacked(text: str) -> str:
    """Without the marks on a letter beyond those that a language needs: they would grow over the rows around."""
    out, marks = [], 0
    for c in text:
        marks = marks + 1 if category(c) in ("Mn", "Me") else 0
        if marks <= _MARKS:
            out.append(c)
    return "".join(out)


def styled(text: str, style: str) -> Content:
    """Data in a style; markup in it stays text."""
    return Content.styled(safe(text), style) if style else Content(safe(text))


def hang(first: Content, rest: Content, text: Content, width: int) -> list[Content]:
    """`text` wrapped to `width` with `first` before its first line and `rest` before the others."""
    room = max(width - first.cell_length, _NARROWEST)
    if text.cell_length <= room and "\n" not in text.plain:
        return [first + text.rstrip()]
    lines = text.wrap(room) or [Content("")]
    return [first + lines[0].rstrip(), *(rest + line.rstrip() for line in lines[1:])]


def card_title(card: Card) -> Content:
    """The label, what the card is about, and the remark beside it."""
    colour = CARDS.get(card.kind, OTHER_CARDS)
    parts = [styled(card.label, f"bold {colour}")] if card.label else []
    parts += [styled(card.title, "" if card.kind == "error" else "bold")] if card.title else []
    parts += [styled(card.aside, "$quiet")] if card.aside else []
    return Content("  ").join(parts)


def card_lines(card: Card, width: int, extra: Sequence[str] = (), blocks: bool = True) -> list[Content]:
    """The whole card, at most `width` cells wide; `extra` are lines that another renderer made for it."""
    marks = MARKS if blocks else PLAIN_MARKS
    lines = hang(Content(""), Content(""), card_title(card), width)
    longest = max((len(line.label) for line in card.lines if line.label), default=0)
    column = min(longest + 2, _LABEL_MOST, max(width // 3, 8))
    number = 0
    for line in card.lines:
        number += line.style == "step"
        lines += _line(line, number, column, width, marks)
    lines += [styled(text, "") for text in extra]
    return lines


def _line(line: Line, number: int, column: int, width: int, marks: dict[str, str]) -> list[Content]:
    style = LINES.get(line.style, "")
    indent = Content(" " * (_INDENT * line.depth))
    text = styled(line.text, style)
    if line.style == "step":
        step = f"{number}. "
        return hang(indent + styled(step, "bold"), indent + Content(" " * len(step)), text, width)
    mark = marks.get(line.style, "")
    if mark:
        marked = styled(f"{mark} ", f"bold {style or '$text-warning'}")
        if not line.label:
            return hang(indent + marked, indent + Content("  "), text, width)
        text = marked + text
    if not line.label:
        return hang(indent, indent, text, width)
    label = safe(line.label)
    if len(label) + 2 > column:
        # A long label has a line of its own, and the text stands under it.
        under = indent + Content("  ")
        return [indent + styled(line.label, "$text-secondary"), *hang(under, under, text, width)]
    lead = indent + styled(f"{label:<{column}}", "$text-secondary")
    return hang(lead, indent + Content(" " * column), text, width)


def bar_lines(rows: Iterable[charts.Bar], width: int) -> list[Content]:
    """Chart rows with their bar in the colour of their style."""
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
    """Speed of light, stalls and occupancy of a launch."""
    metrics, labels = launch.metrics, launch.labels
    lines = [heading("Speed of light, % of peak"), styled(charts.scale_text(width), "$quiet")]
    if launch.scope == "workload":
        for title, rows in workload.parts(metrics, width=width, blocks=blocks):
            lines += [*([Content(""), heading(title)] if title else []), *bar_lines(rows, width)]
        return lines
    lines += bar_lines(charts.speed_of_light(metrics, "compute", width=width, blocks=blocks, parts=True), width)
    lines += bar_lines(charts.speed_of_light(metrics, "memory", width=width, blocks=blocks, parts=True), width)
    lines += [Content(""), heading("Where warps wait, % of their cycles")]
    lines += bar_lines(charts.stalls(metrics, width=width, blocks=blocks), width)
    lines += [Content("")]
    lines += bar_lines([charts.occupancy(metrics, labels, width=width, blocks=blocks)], width)
    limit = charts.occupancy_limit(metrics, labels)
    lines += hang(Content("  "), Content("  "), styled(limit, "$quiet"), width) if limit else []
    return lines


def heading(text: str) -> Content:
    """The head of a section of the evidence."""
    return styled(text, "bold $text-primary")
