"""The pages of the evidence as lines of a given width. A page is made when it is looked at, and kept by its widget."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from textual.content import Content

from advisor.records.diagnosis import Finding, Location
from advisor.session.cards import evidence_lines
from advisor.session.numbers import number_text
from advisor.session.records import Card, Line
from advisor.tui import words_evidence as words
from advisor.tui.evidence_context import Exhibit
from advisor.tui.layout import card_lines, chart_lines, hang, heading, styled
from advisor.tui.styles import ROLES
from advisor.view.charts import bars as charts
from advisor.view.charts import memory as memory_chart
from advisor.view.charts import roofline_text
from advisor.view.charts.canvas import Row
from advisor.view.source_marks import place_text, share, source_line

FEWEST: Final = 46  # columns that a chart row needs
_MOST_PLACES = 8
_BAR = 10  # cells of a share's bar
_COLUMN, _VALUE, _MEANING = 24, 16, 34  # cells of a number's name, of its value, and at least of what it means
_BYTES, _FLOP = "dram_bytes", "flop"


@dataclass(frozen=True, slots=True)
class How:
    """How a page is drawn: width and height in cells (a page may be higher), whether block characters may be used, and
    what the numbers that are listed must contain.
    """

    width: int
    blocks: bool = True
    wanted: str = ""
    height: int = 40


def picture_lines(rows: tuple[Row, ...]) -> list[Content]:
    """A picture of text cells, its roles as styles."""
    return [Content("").join(styled(text, ROLES.get(role, "")) for text, role in row) for row in rows]


def note(text: str, how: How, style: str = "$quiet") -> list[Content]:
    """A sentence, wrapped."""
    return hang(Content(""), Content(""), styled(text, style), how.width)


def _head(text: str, how: How) -> list[Content]:
    return hang(Content(""), Content(""), heading(text), how.width)


def _command(text: str, how: How) -> list[Content]:
    return hang(Content("  "), Content("    "), styled(text, "bold"), how.width)


def units(shown: Exhibit, how: How) -> list[Content]:
    """Speed of light with its breakdown, stalls, occupancy."""
    return chart_lines(shown.launch, max(how.width, FEWEST), how.blocks)


def roofline(shown: Exhibit, how: How) -> list[Content]:
    """The launch, its former versions and the napkin's expectation under the roofs of its card."""
    made = roofline_text.roofline(
        shown.launch,
        earlier=shown.earlier,
        paper=shown.paper,
        width=how.width,
        height=how.height - 2,
        blocks=how.blocks,
    )
    lines = _head(words.ROOFLINE, how)
    for text in made.notes:
        lines += note(text, how, "")
    if made.collect:
        lines += [*note(words.COLLECT, how), *_command(made.collect, how)]
    lines += picture_lines(made.rows)
    for key in made.keys:
        sign = styled(f"{key.sign} ", ROLES.get(key.role, "") or "bold")
        lines += hang(sign, Content("  "), styled(key.text, ""), how.width)
    if made.rows and shown.paper is None:
        lines += note(words.NO_PAPER, how)
    return lines


def memory(shown: Exhibit, how: How) -> list[Content]:
    """The memory chart, what stands out in it, and what it cannot show."""
    if shown.launch.scope == "workload":
        return [*_head(words.MEMORY, how), *note(words.NO_CHART, how)]
    made = memory_chart.memory_chart(shown.launch.metrics, width=how.width, blocks=how.blocks)
    lines = [*_head(words.MEMORY, how), *picture_lines(made.rows)]
    for text in made.notes:
        warn = text.startswith("! ")
        mark = styled("! ", "bold $text-warning") if warn else Content("")
        lines += hang(mark, Content("  ") if warn else Content(""), styled(text.removeprefix("! "), ""), how.width)
    return [*lines, *note(made.cannot, how)]


def source(shown: Exhibit, how: How) -> list[Content]:
    """Where in the code: the places of the findings, else the lines that were looked up, else how to look them up."""
    lines = _head(words.SOURCE, how)
    view = getattr(shown.seen, "view", shown.seen)
    texts = {} if view is None else view.texts
    read = dict(shown.places)
    placed = {f.id: places for f in _in_order(shown) if (places := f.locations or read.get(f.id, ()))}
    for finding in [f for f in _in_order(shown) if f.id in placed]:
        lines += note(finding.title, how, "bold")
        lines += _measure(placed[finding.id][0].metric, how)
        for place in placed[finding.id][:_MOST_PLACES]:
            lines += _place(place, texts.get((place.file, place.line), ""), how)
    wanted = getattr(shown.seen, "wanted", None)
    told = wanted is not None and wanted.own and wanted.finding in placed
    if view is not None and not told:
        lines += [Content("")] if placed else []
        lines += note(words.HOT.format(measure=view.measure.title), how, "bold")
        for line in view.lines[:_MOST_PLACES]:
            lines += _hot(place_text(line.file, line.line), line.share, how)
            text = view.texts.get((line.file, line.line), "")
            lines += _under(source_line(text), how, "") if text else []
            lines += _under(line.spots[0].row.sass, how, "$quiet") if line.spots else []
        lines += note(words.NOTHING_HOT, how) if not view.lines else []
    elif view is None and not placed:
        lines += note(words.NO_PLACES if shown.report else words.NO_CODE, how, "")
    return [*lines, Content(""), *note(words.MORE_SOURCE, how)] if shown.report else lines


def _in_order(shown: Exhibit) -> list[Finding]:
    """The finding at hand, then the others."""
    first = [] if shown.finding is None else [shown.finding]
    return first + [f for f in shown.launch.findings if f is not shown.finding]


def _measure(name: str, how: How) -> list[Content]:
    """What the shares of places are of, where it is a measure of ours."""
    from advisor.source.measures import MEASURES

    return note(words.HOT.format(measure=MEASURES[name].title), how) if name in MEASURES else []


def _place(place: Location, text: str, how: How) -> list[Content]:
    lines = _hot(place_text(place.file, place.line), place.share, how)
    lines += _under(source_line(text), how, "") if text else []
    lines += _under(place.sass, how, "$quiet") if place.sass else []
    for file, line in place.calls[:1]:
        lines += _under(words.INLINED.format(place=place_text(file, line)), how, "$quiet")
    return lines


def _hot(where: str, part: float, how: How) -> list[Content]:
    """A share as a number and as a bar, and the place that has it."""
    drawn = charts.bar(100.0 * part, _BAR, blocks=how.blocks, marks=())
    first = styled(f"{share(part)} ", "bold") + styled(drawn, "$primary") + Content(" ")
    return hang(first, Content(" " * (_BAR + 8)), styled(where, ""), how.width)


def _under(text: str, how: How, style: str) -> list[Content]:
    return hang(Content("       "), Content("         "), styled(text, style), how.width)


def napkin(shown: Exhibit, how: How) -> list[Content]:
    """What the algorithm needs beside what was measured, and what the user expected beside the class."""
    lines = _head(words.NAPKIN, how)
    if shown.napkin is not None:
        card = Card("napkin", shown.napkin.title, shown.napkin.lines)
        lines += card_lines(card, how.width, blocks=how.blocks)
    metrics = shown.launch.metrics
    if shown.paper is not None:
        lines += [Content(""), *_head(words.AGAINST, how)]
        for label, least, metric, unit in (
            (words.BYTES, shown.paper.bytes, _BYTES, "byte"),
            (words.OPERATIONS, shown.paper.flop, _FLOP, "FLOP"),
        ):
            lines += _share_of(label, least, charts.known(metrics, metric), unit, how)
    if shown.expected is not None:
        told = words.EXPECTED.format(bound=shown.expected.replace("_", " "), title=shown.launch.verdict.title)
        lines += [Content(""), *note(told, how, "")]
    if shown.napkin is None and shown.paper is None:
        lines += note(words.NO_NAPKIN, how, "")
    return lines


def _share_of(label: str, least: float, measured: float | None, unit: str, how: How) -> list[Content]:
    """How much of what was measured the algorithm needs; over 100 % the sizes are not those of this launch."""
    text = f"{label:<11}"
    if least <= 0 or not measured:
        what = words.NONE_NEEDED if least <= 0 else words.NOT_MEASURED if measured is None else words.NONE_MEASURED
        said = what.format(least=number_text(least, unit))
        return hang(styled(text, "$text-secondary"), Content(" " * len(text)), styled(said, "$quiet italic"), how.width)
    part = 100.0 * least / measured
    drawn = charts.bar(part, _BAR, blocks=how.blocks, marks=())
    said = words.NEEDED_OF.format(least=number_text(least, unit), measured=number_text(measured, unit))
    first = styled(f"{text}{charts.value_text(part):>9} ", "$text-secondary") + styled(drawn, "$primary")
    under = Content(" " * len(text))
    if first.cell_length + len(said) + 2 <= how.width:
        return [first + Content("  ") + styled(said, "")]
    return [first, *hang(under, under, styled(said, ""), how.width)]


def numbers(shown: Exhibit, how: How) -> list[Content]:
    """The evidence of the class and of the finding, then every number that is known of the launch."""
    lines: list[Content] = []
    wanted = how.wanted.casefold().split()
    sections = []
    if shown.launch.verdict.title:  # untitled where it is for the user to find out
        sections.append((words.CLASS.format(title=shown.launch.verdict.title), shown.launch.verdict.evidence))
    if shown.finding is not None:
        sections.append((words.FINDING.format(title=shown.finding.title), shown.finding.evidence))
    for title, items in sections if not wanted else ():
        card = Card("evidence", "", evidence_lines(items) or (Line(words.NO_EVIDENCE, "quiet"),))
        lines += [*_head(title, how), *card_lines(card, how.width, blocks=how.blocks)[1:], Content("")]
    told = {name: (unit, means) for name, unit, means in shown.metrics}
    found = [
        name
        for name in sorted(shown.launch.metrics)
        if all(word in f"{name} {told.get(name, ('', ''))[1]}".casefold() for word in wanted)
    ]
    count = len(found), len(shown.launch.metrics)
    lines += _head(words.ALL.format(found=count[0], all=count[1]), how)
    column = min(max((len(name) for name in found), default=0) + 2, max(how.width // 2, _COLUMN))
    for name in found:
        lines += _number(name, shown.launch.metrics[name], told.get(name, ("", "")), column, how)
    return lines if found else [*lines, *note(words.NO_NUMBER, how)]


def _number(name: str, value: float, told: tuple[str, str], column: int, how: How) -> list[Content]:
    """Name and value, one under the other where the name is long; where there is room, what it means."""
    unit, means = told
    text = styled(number_text(value, unit), "")
    if len(name) >= column:
        under = Content("    ")
        return [styled(name[: how.width], "$text-secondary"), *hang(under, under, text, how.width)]
    first = styled(f"{name:<{column}}", "$text-secondary")
    if how.width < column + _VALUE + _MEANING or not means:
        return hang(first, Content(" " * 4), text, how.width)
    lead = first + text + Content(" " * max(_VALUE - text.cell_length, 1))
    return hang(lead, Content(" " * lead.cell_length), styled(means, "$quiet"), how.width)


Page = Callable[[Exhibit, How], list[Content]]
# Page -> its tab, and how it is made. The order is that of the tabs.
PAGES: Final[Mapping[str, tuple[str, Page]]] = {
    "units": ("Units", units),
    "roofline": ("Roofline", roofline),
    "memory": ("Memory", memory),
    "source": ("Source", source),
    "napkin": ("Napkin", napkin),
    "numbers": ("Numbers", numbers),
}
