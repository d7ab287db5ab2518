"""The evidence pages of a launch as lines of a given width."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from msgspec import Struct
from textual.content import Content

from advisor.records.diagnosis import Finding, LaunchDiagnosis, Location
from advisor.session import views
from advisor.session.cards import evidence_lines
from advisor.session.interview.choosing import revealed
from advisor.session.records import Card
from advisor.session.state import State
from advisor.source.measures import MEASURES
from advisor.tui.drawing import HEADING, ROLES, card_lines, chart_lines, hanging, styled
from advisor.view.blocks import Line
from advisor.view.charts import bars as charts
from advisor.view.charts import memory as memory_chart
from advisor.view.charts import roofline_text
from advisor.view.charts.canvas import Row
from advisor.view.charts.over_time import picture
from advisor.view.charts.roofline_text import AlgorithmNeeds
from advisor.view.numbers import amount_text, percent_text, share_text
from advisor.view.pages.over_run import OVER_RUN, phase_facts, sampled_text
from advisor.view.pages.slots import ISSUE_SLOTS, slot_rows, where_texts
from advisor.view.text import place_text, source_line


class EvidenceContext(Struct, frozen=True, eq=False):
    """The data of a state that the evidence pages show.

    earlier: earlier versions of the launch with their names; napkin: its latest card; needs: what the algorithm
    needs, if both numbers were answered; expected: the bound that the user predicted; seen: the code as last read,
    by the measure of a finding and without a search; metrics: (id, unit, meaning); report: whether a report is open;
    places: finding id -> its places, as far as they were read.
    """

    launch: LaunchDiagnosis
    finding: Finding | None = None
    earlier: tuple[tuple[LaunchDiagnosis, str], ...] = ()
    napkin: Card | None = None
    needs: AlgorithmNeeds | None = None
    expected: str | None = None
    seen: Any = None
    metrics: tuple[tuple[str, str, str], ...] = ()
    report: bool = True
    places: tuple[tuple[str, tuple[Location, ...]], ...] = ()

    def same(self, other: EvidenceContext | None) -> bool:
        """Return whether nothing changed. Records of the state are compared by identity, not by content."""
        values = {"needs", "expected", "report", "places"}
        return other is not None and all(
            mine == its if name in values else mine is its
            for name in self.__struct_fields__
            for mine, its in [(getattr(self, name), getattr(other, name))]
        )


def evidence_context(state: State) -> EvidenceContext | None:
    """Return the evidence of a state, or None if no launch is open or the user is being asked for a prediction."""
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
        _needs(state),
        next(bounds, None),
        next(iter(views.read(state)), None),
        state.knowledge.metrics,
        not state.numbers,
        tuple((finding.id, views.places(state, finding)) for finding in launch.findings),
    )


def _needs(state: State) -> AlgorithmNeeds | None:
    flop, size, dtype = (state.answer(q) for q in ("theoretical_flop", "theoretical_bytes", "intended_dtype"))
    if not isinstance(flop, int | float) or not isinstance(size, int | float):
        return None
    return AlgorithmNeeds(float(flop), float(size), dtype if isinstance(dtype, str) else "")


FEWEST: Final = 46  # smallest number of columns for a chart row
_MOST_PLACES = 8
_BAR = 10  # width in cells of the bar of a share
_COLUMN, _VALUE, _MEANING = 24, 16, 34  # widths in cells: a metric's name, its value, and the least for its meaning


class Layout(Struct, frozen=True):
    """Layout of a page: width and height in cells (a page may be higher), block characters or ASCII, the words that
    listed metrics must contain, and the largest number of listed metrics (0: all).
    """

    width: int
    blocks: bool = True
    wanted: str = ""
    height: int = 40
    most: int = 0


def picture_lines(rows: tuple[Row, ...]) -> list[Content]:
    """Return the lines of a picture made of text cells."""
    return [Content("").join(styled(text, ROLES.get(role, "")) for text, role in row) for row in rows]


def note(text: str, how: Layout, style: str = "$quiet") -> list[Content]:
    """Return a sentence, wrapped to the layout's width."""
    return hanging("", styled(text, style), how.width)


def _head(text: str, how: Layout) -> list[Content]:
    return note(text, how, HEADING)


def units(shown: EvidenceContext, how: Layout) -> list[Content]:
    """Draw speed of light with its breakdown, stalls and occupancy."""
    return chart_lines(shown.launch, max(how.width, FEWEST), how.blocks)


def roofline(shown: EvidenceContext, how: Layout) -> list[Content]:
    """Draw the roofline of the GPU with the launch, its earlier versions and the napkin estimate."""
    made = roofline_text.roofline(
        shown.launch,
        earlier=shown.earlier,
        needs=shown.needs,
        width=how.width,
        height=how.height - 2,
        blocks=how.blocks,
    )
    lines = _head("Roofline", how)
    for text in made.notes:
        lines += note(text, how, "")
    if made.collect:
        lines += [
            *note("Collect it with these options and open the new report:", how),
            *hanging("  ", styled(made.collect, "bold"), how.width, 4),
        ]
    lines += picture_lines(made.rows)
    for key in made.keys:
        sign = styled(f"{key.sign} ", ROLES.get(key.role, "") or "bold")
        lines += hanging(sign, styled(key.text, ""), how.width)
    if made.rows and shown.needs is None:
        lines += note("Enter what the algorithm needs (/napkin) to mark its expected position as well.", how)
    return lines


def memory(shown: EvidenceContext, how: Layout) -> list[Content]:
    """Draw the memory chart with its notes and limitations."""
    head = _head("Memory chart", how)
    if shown.launch.scope == "workload":
        return head + note("A typed-in workload has no memory chart: Nsight Graphics reports no volumes.", how)
    made = memory_chart.memory_chart(shown.launch.metrics, width=how.width, blocks=how.blocks)
    lines = head + picture_lines(made.rows)
    for text in made.notes:
        bare = text.removeprefix("! ")
        lines += hanging(styled(text[: len(text) - len(bare)], "bold $text-warning"), styled(bare, ""), how.width)
    return lines + note(made.cannot, how)


def source(shown: EvidenceContext, how: Layout) -> list[Content]:
    """Show the code locations of the findings, else the hot lines that were read, else how to read them."""
    lines = _head("Where in the code", how)
    view = getattr(shown.seen, "view", shown.seen)
    texts = {} if view is None else view.texts
    read, findings = dict(shown.places), [] if shown.finding is None else [shown.finding]
    findings += [f for f in shown.launch.findings if f is not shown.finding]
    placed = {f.id: places for f in findings if (places := f.locations or read.get(f.id, ()))}
    for finding in [f for f in findings if f.id in placed]:
        lines += note(finding.title, how, "bold")
        measure = placed[finding.id][0].metric
        lines += note(f"Hot lines by {MEASURES[measure].title}", how) if measure in MEASURES else []
        for place in placed[finding.id][:_MOST_PLACES]:
            lines += _hot(place.file, place.line, place.share, texts, how) + _under(place.sass, how)
            for call in place.calls[:1]:
                lines += _under(f"inlined at {place_text(call.file, call.line)}", how)
    wanted = getattr(shown.seen, "wanted", None)
    if view is not None and not (wanted is not None and wanted.own and wanted.finding in placed):
        lines += [Content("")] if placed else []
        lines += note(f"Hot lines by {view.measure.title}", how, "bold")
        for line in view.lines[:_MOST_PLACES]:
            lines += _hot(line.file, line.line, line.share, texts, how)
            lines += _under(line.spots[0].row.sass, how) if line.spots else []
        if not view.lines:
            lines += note("The measure is 0 on every line, or the filters exclude them all.", how)
    elif view is None and not placed:
        unread = "The lines behind this finding have not been read from the report yet."
        typed = "Typed numbers have no code: open a report to see lines and instructions."
        lines += note(unread if shown.report else typed, how, "")
    if shown.report:
        more = note("s (or /source) shows hot lines and instructions, with search and more columns.", how)
        lines += [Content(""), *more]
    return lines


def _hot(file: str, line: int, part: float, texts: Mapping[tuple[str, int], str], how: Layout) -> list[Content]:
    """Return a share as a number and a bar, its location, and the text of the line."""
    drawn = charts.bar(100.0 * part, _BAR, blocks=how.blocks, marks=())
    first = styled(f"{share_text(part):>6} ", "bold") + styled(drawn, "$primary") + Content(" ")
    lines = hanging(first, styled(place_text(file, line), ""), how.width, _BAR + 8)
    return lines + _under(source_line(texts.get((file, line), "")), how, "")


def _under(text: str, how: Layout, style: str = "$quiet") -> list[Content]:
    return hanging(" " * 7, styled(text, style), how.width, 9) if text else []


def napkin(shown: EvidenceContext, how: Layout) -> list[Content]:
    """Compare the needs of the algorithm with the measured amounts, and the user's prediction with the class."""
    lines = _head("Napkin math", how)
    if shown.napkin is not None:
        card = Card("napkin", shown.napkin.title, shown.napkin.lines)
        lines += card_lines(card, how.width, blocks=how.blocks)
    metrics = shown.launch.metrics
    if shown.needs is not None:
        lines += [Content(""), *_head("Needed as a share of measured", how)]
        for label, least, metric, unit in (
            ("Bytes", shown.needs.bytes, "dram_bytes", "byte"),
            ("Operations", shown.needs.flop, "flop", "FLOP"),
        ):
            lines += _share_of(label, least, charts.known(metrics, metric), unit, how)
    if shown.expected is not None:
        described = f"Your prediction: {shown.expected.replace('_', ' ')}. Actual: {shown.launch.verdict.title}."
        lines += [Content(""), *note(described, how, "")]
    if shown.napkin is None and shown.needs is None:
        text = "The algorithm's needs are not known yet. /napkin asks for the algorithm and its sizes and computes the"
        lines += note(f"{text} minimum bytes, operations and time.", how, "")
    return lines


def _share_of(label: str, least: float, measured: float | None, unit: str, how: Layout) -> list[Content]:
    """Show the needed share of the measured amount; above 100 %, the sizes are not those of this launch."""
    name, needed = styled(f"{label:<11}", "$text-secondary"), amount_text(least, unit)
    if least <= 0 or not measured:
        lacks = "the measured value is unknown" if measured is None else "none was measured"
        said = "the algorithm needs none" if least <= 0 else f"{needed}; {lacks}"
        return hanging(name, styled(said, "$quiet italic"), how.width)
    part = 100.0 * least / measured
    said = f"{needed} of {amount_text(measured, unit)}"
    first = name + styled(f"{percent_text(part):>9} ", "$text-secondary")
    first += styled(charts.bar(part, _BAR, blocks=how.blocks, marks=()), "$primary")
    if first.cell_length + len(said) + 2 <= how.width:
        return [first + Content("  ") + styled(said, "")]
    return [first, *hanging(" " * 11, styled(said, ""), how.width)]


# Replace each character with a single ASCII character, so that style positions remain valid.
_ASCII: Final = str.maketrans({"×": "x", "–": "-", "—": "-", "−": "-", "µ": "u", "→": ">", "·": "-", "…": "~"})


def numbers(shown: EvidenceContext, how: Layout) -> list[Content]:
    """List the evidence of the class and of the finding, then all metrics of the launch."""
    lines: list[Content] = []
    wanted = how.wanted.casefold().split()
    sections = []
    if shown.launch.verdict.title:  # empty in an exercise that asks the learner for it
        sections.append((f"Evidence for the class: {shown.launch.verdict.title}", shown.launch.verdict.evidence))
    if shown.finding is not None:
        sections.append((f"Evidence for the finding: {shown.finding.title}", shown.finding.evidence))
    for title, items in sections if not wanted else ():
        card = Card("evidence", "", evidence_lines(items) or (Line("No single number supports it.", "quiet"),))
        lines += [*_head(title, how), *card_lines(card, how.width, blocks=how.blocks), Content("")]
    described = {name: (unit, means) for name, unit, means in shown.metrics}
    found = [
        name
        for name in sorted(shown.launch.metrics)
        if all(word in f"{name} {described.get(name, ('', ''))[1]}".casefold() for word in wanted)
    ]
    count = len(found), len(shown.launch.metrics)
    lines += _head(f"All numbers of this launch, {count[0]} of {count[1]}", how)
    shown_names = found[: how.most or None]
    column = min(max((len(name) for name in shown_names), default=0) + 2, max(how.width // 2, _COLUMN))
    for name in shown_names:
        lines += _number(name, shown.launch.metrics[name], described.get(name, ("", "")), column, how)
    lines += [] if found else note("No metric has this in its name or meaning.", how)
    more = len(found) - len(shown_names)
    lines += note(f"… and {more} more: type a word to find them", how) if more else []
    return lines if how.blocks else [Content(line.plain.translate(_ASCII), list(line.spans)) for line in lines]


def _number(name: str, value: float, described: tuple[str, str], column: int, how: Layout) -> list[Content]:
    """Show name and value, on two lines if the name is long, and the meaning if there is room."""
    unit, means = described
    text = styled(amount_text(value, unit, 4), "")
    if len(name) >= column:
        return [styled(name[: how.width], "$text-secondary"), *hanging(" " * 4, text, how.width)]
    first = styled(f"{name:<{column}}", "$text-secondary")
    if how.width < column + _VALUE + _MEANING or not means:
        return hanging(first, text, how.width, 4)
    lead = first + text + Content(" " * max(_VALUE - text.cell_length, 1))
    return hanging(lead, styled(means, "$quiet"), how.width)


class Page(NamedTuple):
    """An evidence page.

    tab: its label; key: Alt with a letter, as Textual reads Alt with a digit as the Option key of a Mac; name: its
    action name; says: its description; lines: the function that draws it.
    """

    tab: str
    key: str
    name: str
    says: str
    lines: Callable[[EvidenceContext, Layout], list[Content]]


def over_run(shown: EvidenceContext, how: Layout) -> list[Content]:
    """Draw what ncu sampled over the run, with its phases, or how to sample it."""
    lines, sampling = _head(OVER_RUN, how), shown.launch.sampling
    if sampling is None:
        lines += note("No samples over the run of this launch are known, or the run is too short for them.", how)
        lines += note("Collect them with these options and open the new report:", how)
        return lines + hanging("  ", styled(_SAMPLE, "bold"), how.width, 4)
    lines += [styled(row, "") for row in picture(sampling, max(how.width, FEWEST), how.blocks)]
    for row in phase_facts(sampling).rows:
        lines += hanging(styled(f"{row.label}  ", "bold"), styled(row.text, ""), how.width, 4)
    return lines + note(sampled_text(sampling), how)


def slots(shown: EvidenceContext, how: Layout) -> list[Content]:
    """Draw what became of the issue slots, with the places of the reasons, or how to collect the samples."""
    lines, account = _head(ISSUE_SLOTS, how), getattr(shown.seen, "slots", None) or shown.launch.issue_slots
    if account is None:
        lines += note("Issue activity or the warp samples of cycles without an issue are not known.", how)
        lines += note("Collect them with these options and open the new report:", how)
        return lines + hanging("  ", styled(_SLOTS, "bold"), how.width, 4)
    lines += note("% of the slots of all SMs; without an issue: what the warps waited for", how)
    rows = tuple(slot_rows(account))
    widest = max(len(label) for label, _ in rows)
    cells = max(how.width - widest - 10, 8)
    for label, value in rows:
        drawn = charts.bar(value, cells, blocks=how.blocks, marks=())
        lines.append(styled(f"{label:<{widest}} {percent_text(value):>7} ", "") + styled(drawn, "$accent"))
    for text in where_texts(account):
        lines += hanging("", styled(text, ""), how.width, 2)
    return lines + note("A scheduler without a warp is not sampled: its slots are divided like the others.", how)


_SLOTS: Final = "--section SpeedOfLight --section SourceCounters"
_SAMPLE: Final = "--section PmSampling --section PmSampling_WarpStates"
_UNITS = "Evidence: units, their speed of light with its breakdown, stalls, occupancy"
_ROOFLINE = "Evidence: roofline, the launch under the roofs of its GPU"
_MEMORY = "Evidence: memory chart, volumes, percentages and hit rates"
_ACCOUNT = "Evidence: issue slots, what became of each: issued, idle SM, or lost to a stall reason"
_NUMBERS = "Evidence: numbers of class and finding, all metrics with search"
# The tabs have the same order.
PAGES: Final[Mapping[str, Page]] = {
    "units": Page("Units", "alt+u", "Units", _UNITS, units),
    "roofline": Page("Roofline", "alt+r", "Roofline", _ROOFLINE, roofline),
    "memory": Page("Memory", "alt+m", "Memory chart", _MEMORY, memory),
    "source": Page("Source", "alt+c", "Hot lines", "Evidence: source code, the hot lines", source),
    "napkin": Page("Napkin", "alt+k", "Napkin", "Evidence: napkin math, required against measured", napkin),
    "numbers": Page("Numbers", "alt+n", "All numbers", _NUMBERS, numbers),
    "over_run": Page("Time", "alt+o", OVER_RUN, "Evidence: samples over the run, its phases", over_run),
    "slots": Page("Slots", "alt+s", ISSUE_SLOTS, _ACCOUNT, slots),
}
