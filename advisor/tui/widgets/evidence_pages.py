"""The evidence pages of a launch as lines of a given width."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from textual.content import Content

from advisor.records.diagnosis import Finding, LaunchDiagnosis, Location
from advisor.session import views
from advisor.session.cards import evidence_lines
from advisor.session.interview.choosing import revealed
from advisor.session.records import Card
from advisor.session.state import State
from advisor.source.measures import MEASURES
from advisor.tui.drawing import ROLES, card_lines, chart_lines, heading, styled, wrap_hanging
from advisor.view.blocks import Line
from advisor.view.charts import bars as charts
from advisor.view.charts import memory as memory_chart
from advisor.view.charts import roofline_text
from advisor.view.charts.canvas import Row
from advisor.view.charts.roofline_text import Paper
from advisor.view.numbers import amount_text, percent_text, share_text
from advisor.view.pages.source import place_text, source_line


@dataclass(frozen=True, slots=True, eq=False)
class EvidenceContext:
    """launch and finding at hand; earlier: former versions of the launch with their names; napkin: its latest card;
    paper: what the algorithm needs, where both numbers were answered; expected: the bound that the user expects, None
    where nothing was said; seen: the lines and instructions of the launch that were looked up last, by a finding's own
    measure and without a search; metrics: metric id to (unit, meaning); report: whether a report is open, so that its
    code can be read; places: finding id to its places, as far as they were read.
    """

    launch: LaunchDiagnosis
    finding: Finding | None = None
    earlier: tuple[tuple[LaunchDiagnosis, str], ...] = ()
    napkin: Card | None = None
    paper: Paper | None = None
    expected: str | None = None
    seen: Any = None
    metrics: tuple[tuple[str, str, str], ...] = ()
    report: bool = True
    places: tuple[tuple[str, tuple[Location, ...]], ...] = ()

    def same(self, other: EvidenceContext | None) -> bool:
        """Whether nothing changed. Records of the state are compared by identity, not by content."""
        if other is None:
            return False
        parts = ("launch", "finding", "earlier", "napkin", "seen", "metrics")
        alike = all(getattr(self, part) is getattr(other, part) for part in parts)
        mine, its = ((one.paper, one.expected, one.report, one.places) for one in (self, other))
        return alike and mine == its


def evidence_context(state: State) -> EvidenceContext | None:
    """The evidence of a state; None before a launch is open and while the user is asked for a prediction."""
    launch = state.launch
    if launch is None or not (state.numbers or revealed(state)):
        return None
    cards = (c for c in reversed(state.cards) if c.kind == "napkin" and c.position == state.position and not c.past)
    bounds = (bound for position, bound in reversed(state.expected) if position == state.position)
    return EvidenceContext(
        launch,
        state.finding_of(state.finding),
        state.earlier,
        next(cards, None),
        _paper(state),
        next(bounds, None),
        next(iter(views.read(state)), None),
        state.knowledge.metrics,
        not state.numbers,
        tuple((finding.id, views.places(state, finding)) for finding in launch.findings),
    )


def _paper(state: State) -> Paper | None:
    flop, size, dtype = (state.answer(q) for q in ("theoretical_flop", "theoretical_bytes", "intended_dtype"))
    if not isinstance(flop, int | float) or not isinstance(size, int | float):
        return None
    return Paper(float(flop), float(size), dtype if isinstance(dtype, str) else "")


FEWEST: Final = 46  # columns that a chart row needs
_MOST_PLACES = 8
_BAR = 10  # cells of a share's bar
_COLUMN, _VALUE, _MEANING = 24, 16, 34  # cells of a metric's name, of its value, and at least of its meaning
_BYTES, _FLOP = "dram_bytes", "flop"


@dataclass(frozen=True, slots=True)
class Layout:
    """How a page is drawn: width and height in cells (a page may be higher), whether block characters may be used, and
    what the numbers that are listed must contain.
    """

    width: int
    blocks: bool = True
    wanted: str = ""
    height: int = 40


def picture_lines(rows: tuple[Row, ...]) -> list[Content]:
    """The lines of a picture made of text cells."""
    return [Content("").join(styled(text, ROLES.get(role, "")) for text, role in row) for row in rows]


def note(text: str, how: Layout, style: str = "$quiet") -> list[Content]:
    """A wrapped sentence."""
    return wrap_hanging(Content(""), Content(""), styled(text, style), how.width)


def _head(text: str, how: Layout) -> list[Content]:
    return wrap_hanging(Content(""), Content(""), heading(text), how.width)


def _command(text: str, how: Layout) -> list[Content]:
    return wrap_hanging(Content("  "), Content("    "), styled(text, "bold"), how.width)


def units(shown: EvidenceContext, how: Layout) -> list[Content]:
    """Speed of light with its breakdown, stalls, occupancy."""
    return chart_lines(shown.launch, max(how.width, FEWEST), how.blocks)


def roofline(shown: EvidenceContext, how: Layout) -> list[Content]:
    """The launch, its former versions and the napkin's expectation under the roofs of its GPU."""
    made = roofline_text.roofline(
        shown.launch,
        earlier=shown.earlier,
        paper=shown.paper,
        width=how.width,
        height=how.height - 2,
        blocks=how.blocks,
    )
    lines = _head("Roofline", how)
    for text in made.notes:
        lines += note(text, how, "")
    if made.collect:
        lines += [*note("Collect it with these options and open the new report:", how), *_command(made.collect, how)]
    lines += picture_lines(made.rows)
    for key in made.keys:
        sign = styled(f"{key.sign} ", ROLES.get(key.role, "") or "bold")
        lines += wrap_hanging(sign, Content("  "), styled(key.text, ""), how.width)
    if made.rows and shown.paper is None:
        lines += note("Enter what the algorithm needs (/napkin) to mark its expected position as well.", how)
    return lines


def memory(shown: EvidenceContext, how: Layout) -> list[Content]:
    """The memory chart, its notes, and what it cannot show."""
    if shown.launch.scope == "workload":
        return [
            *_head("Memory chart", how),
            *note("A typed-in workload has no memory chart: Nsight Graphics reports no volumes.", how),
        ]
    made = memory_chart.memory_chart(shown.launch.metrics, width=how.width, blocks=how.blocks)
    lines = [*_head("Memory chart", how), *picture_lines(made.rows)]
    for text in made.notes:
        warn = text.startswith("! ")
        mark = styled("! ", "bold $text-warning") if warn else Content("")
        lines += wrap_hanging(
            mark, Content("  ") if warn else Content(""), styled(text.removeprefix("! "), ""), how.width
        )
    return [*lines, *note(made.cannot, how)]


def source(shown: EvidenceContext, how: Layout) -> list[Content]:
    """Where in the code: the locations of the findings, else the hot lines that were read, else how to read them."""
    lines = _head("Where in the code", how)
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
        lines += note(f"Hot lines by {view.measure.title}", how, "bold")
        for line in view.lines[:_MOST_PLACES]:
            lines += _hot(place_text(line.file, line.line), line.share, how)
            text = view.texts.get((line.file, line.line), "")
            lines += _under(source_line(text), how, "") if text else []
            lines += _under(line.spots[0].row.sass, how, "$quiet") if line.spots else []
        lines += (
            note("No line has a share of this measure, or the filters exclude them all.", how) if not view.lines else []
        )
    elif view is None and not placed:
        lines += note(
            "The lines behind this finding have not been read from the report yet."
            if shown.report
            else "Typed numbers have no code: open a report to see lines and instructions.",
            how,
            "",
        )
    return (
        [
            *lines,
            Content(""),
            *note("/source (F7) shows hot lines and instructions, with search and more columns.", how),
        ]
        if shown.report
        else lines
    )


def _in_order(shown: EvidenceContext) -> list[Finding]:
    """The current finding, then the others."""
    first = [] if shown.finding is None else [shown.finding]
    return first + [f for f in shown.launch.findings if f is not shown.finding]


def _measure(name: str, how: Layout) -> list[Content]:
    """The measure that the shares of locations refer to, if it is one of ours."""
    return note(f"Hot lines by {MEASURES[name].title}", how) if name in MEASURES else []


def _place(place: Location, text: str, how: Layout) -> list[Content]:
    lines = _hot(place_text(place.file, place.line), place.share, how)
    lines += _under(source_line(text), how, "") if text else []
    lines += _under(place.sass, how, "$quiet") if place.sass else []
    for file, line in place.calls[:1]:
        lines += _under(f"inlined at {place_text(file, line)}", how, "$quiet")
    return lines


def _hot(where: str, part: float, how: Layout) -> list[Content]:
    """A share as a number and a bar, and its location."""
    drawn = charts.bar(100.0 * part, _BAR, blocks=how.blocks, marks=())
    first = styled(f"{share_text(part):>6} ", "bold") + styled(drawn, "$primary") + Content(" ")
    return wrap_hanging(first, Content(" " * (_BAR + 8)), styled(where, ""), how.width)


def _under(text: str, how: Layout, style: str) -> list[Content]:
    return wrap_hanging(Content("       "), Content("         "), styled(text, style), how.width)


def napkin(shown: EvidenceContext, how: Layout) -> list[Content]:
    """What the algorithm needs against what was measured, and the prediction against the class."""
    lines = _head("Napkin math", how)
    if shown.napkin is not None:
        card = Card("napkin", shown.napkin.title, shown.napkin.lines)
        lines += card_lines(card, how.width, blocks=how.blocks)
    metrics = shown.launch.metrics
    if shown.paper is not None:
        lines += [Content(""), *_head("Needed as a share of measured", how)]
        for label, least, metric, unit in (
            ("Bytes", shown.paper.bytes, _BYTES, "byte"),
            ("Operations", shown.paper.flop, _FLOP, "FLOP"),
        ):
            lines += _share_of(label, least, charts.known(metrics, metric), unit, how)
    if shown.expected is not None:
        told = f"Your prediction: {shown.expected.replace('_', ' ')}. Actual: {shown.launch.verdict.title}."
        lines += [Content(""), *note(told, how, "")]
    if shown.napkin is None and shown.paper is None:
        lines += note(
            "The algorithm's needs are not known yet. /napkin asks for the algorithm and its sizes and computes the"
            " minimum bytes, operations and time.",
            how,
            "",
        )
    return lines


def _share_of(label: str, least: float, measured: float | None, unit: str, how: Layout) -> list[Content]:
    """The needed share of the measured amount; over 100 % the sizes are not those of this launch."""
    text = f"{label:<11}"
    if least <= 0 or not measured:
        what = (
            "the algorithm needs none"
            if least <= 0
            else "{least}; the measured value is unknown"
            if measured is None
            else "{least}; none was measured"
        )
        said = what.format(least=amount_text(least, unit))
        return wrap_hanging(
            styled(text, "$text-secondary"), Content(" " * len(text)), styled(said, "$quiet italic"), how.width
        )
    part = 100.0 * least / measured
    drawn = charts.bar(part, _BAR, blocks=how.blocks, marks=())
    said = f"{amount_text(least, unit)} of {amount_text(measured, unit)}"
    first = styled(f"{text}{percent_text(part):>9} ", "$text-secondary") + styled(drawn, "$primary")
    under = Content(" " * len(text))
    if first.cell_length + len(said) + 2 <= how.width:
        return [first + Content("  ") + styled(said, "")]
    return [first, *wrap_hanging(under, under, styled(said, ""), how.width)]


# One ASCII character for each, so that styles keep their places.
_ASCII: Final = str.maketrans({"×": "x", "–": "-", "—": "-", "−": "-", "µ": "u", "→": ">", "·": "-", "…": "~"})


def numbers(shown: EvidenceContext, how: Layout) -> list[Content]:
    """The evidence of the class and of the finding, then all metrics of the launch."""
    lines: list[Content] = []
    wanted = how.wanted.casefold().split()
    sections = []
    if shown.launch.verdict.title:  # empty where the learner has to find it out
        sections.append((f"Evidence for the class: {shown.launch.verdict.title}", shown.launch.verdict.evidence))
    if shown.finding is not None:
        sections.append((f"Evidence for the finding: {shown.finding.title}", shown.finding.evidence))
    for title, items in sections if not wanted else ():
        card = Card("evidence", "", evidence_lines(items) or (Line("No single number supports it.", "quiet"),))
        lines += [*_head(title, how), *card_lines(card, how.width, blocks=how.blocks), Content("")]
    told = {name: (unit, means) for name, unit, means in shown.metrics}
    found = [
        name
        for name in sorted(shown.launch.metrics)
        if all(word in f"{name} {told.get(name, ('', ''))[1]}".casefold() for word in wanted)
    ]
    count = len(found), len(shown.launch.metrics)
    lines += _head(f"All numbers of this launch, {count[0]} of {count[1]}", how)
    column = min(max((len(name) for name in found), default=0) + 2, max(how.width // 2, _COLUMN))
    for name in found:
        lines += _number(name, shown.launch.metrics[name], told.get(name, ("", "")), column, how)
    lines += [] if found else note("No metric has this in its name or meaning.", how)
    return lines if how.blocks else [Content(line.plain.translate(_ASCII), list(line.spans)) for line in lines]


def _number(name: str, value: float, told: tuple[str, str], column: int, how: Layout) -> list[Content]:
    """Name and value, on two lines if the name is long; where there is room, the meaning."""
    unit, means = told
    text = styled(amount_text(value, unit, 4), "")
    if len(name) >= column:
        under = Content("    ")
        return [styled(name[: how.width], "$text-secondary"), *wrap_hanging(under, under, text, how.width)]
    first = styled(f"{name:<{column}}", "$text-secondary")
    if how.width < column + _VALUE + _MEANING or not means:
        return wrap_hanging(first, Content(" " * 4), text, how.width)
    lead = first + text + Content(" " * max(_VALUE - text.cell_length, 1))
    return wrap_hanging(lead, Content(" " * lead.cell_length), styled(means, "$quiet"), how.width)


class Page(NamedTuple):
    """The label of its tab; the key that shows it (Alt with a letter: Textual takes Alt with a digit for the Option key
    of a Mac, which types a character); its name among all actions; what it shows; and how it is made.
    """

    tab: str
    key: str
    name: str
    says: str
    lines: Callable[[EvidenceContext, Layout], list[Content]]


# The order is that of the tabs.
PAGES: Final[Mapping[str, Page]] = {
    "units": Page(
        "Units", "alt+u", "Units", "Evidence: units, their speed of light with its breakdown, stalls, occupancy", units
    ),
    "roofline": Page(
        "Roofline", "alt+r", "Roofline", "Evidence: roofline, the launch under the roofs of its GPU", roofline
    ),
    "memory": Page(
        "Memory", "alt+m", "Memory chart", "Evidence: memory chart, volumes, percentages and hit rates", memory
    ),
    "source": Page("Source", "alt+c", "Hot lines", "Evidence: source code, the hot lines", source),
    "napkin": Page("Napkin", "alt+k", "Napkin", "Evidence: napkin math, required against measured", napkin),
    "numbers": Page(
        "Numbers", "alt+n", "All numbers", "Evidence: numbers of class and finding, all metrics with search", numbers
    ),
}
