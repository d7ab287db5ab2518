"""A sweep of one's own kernel as a page: the point to pick and why, a bar and a row for each point, what changed."""

from __future__ import annotations

from advisor.sweep.records import SweepDocument, SweepPoint
from advisor.view.blocks import (
    BarRow,
    Bars,
    Block,
    Cell,
    Column,
    Fact,
    Facts,
    Page,
    Paragraph,
    Section,
    Table,
    Tone,
    section,
)
from advisor.view.numbers import amount_text, counted, percent_text, share_text, speedup_text, time_text
from advisor.view.pages.compare import change_sections
from advisor.view.text import shown

BARS = 60  # the most points with a bar, the fastest first
_LONGEST = 300
# Notes on the comparison as such; the others say what the times show.
_ADVICE = ("tied", "no_difference", "flat", "edge_high", "edge_low")


def sweep_page(found: SweepDocument) -> Page:
    """Build the page."""
    timed = [p for p in found.points if p.time is not None]
    return Page(_title(found), (_answer(found),), tuple(_sections(found, timed)))


def _title(found: SweepDocument) -> str:
    names = ", ".join(shown(name) for name, _ in found.parameters)
    gpu = (found.gpu.known_as or found.gpu.name) if found.gpu is not None else ""
    return " · ".join(x for x in (shown(found.kernel), f"sweep of {names}", shown(gpu)) if x)


def _answer(found: SweepDocument) -> Facts:
    """Return the pick with its reason, then what the times say about the parameters, then the caveats."""
    rows = []
    if found.pick is not None and found.measured > 1:
        rows.append(Fact("Pick", shown(found.pick.text), "lead"))
        first = next((p for p in found.points if p.picked), None)
        if first is not None and first.speedup is not None and first.values != found.first:
            rows.append(Fact("Gain", f"{speedup_text(first.speedup)} over the first point, {_label(found.first)}"))
    for item in found.notes:
        advice = item.id in _ADVICE
        tone: Tone = "plain" if advice else "warn"
        rows.append(Fact("Also" if advice else "Caveat", shown(item.text), tone))
    failed = len(found.points) - found.measured
    text = f"{found.measured} of {counted(len(found.points), 'point')} measured" + (f", {failed} not" if failed else "")
    return Facts((*rows, Fact("Points", text)))


def _label(values: tuple[tuple[str, str], ...]) -> str:
    return shown(" ".join(f"{name}={value}" for name, value in values))


def _name(point: SweepPoint) -> str:
    return f"{'* ' if point.picked else '  '}{shown(point.label)}"


def _sections(found: SweepDocument, timed: list[SweepPoint]) -> list[Section]:
    out = []
    if timed:
        out.append(section("Time", [_bars(timed), _more(timed)], name="times"))
    out.append(section("Points", [_table(found)], name="points"))
    if found.change is not None:
        text = f"From the slowest point, {_label(found.worst)}, to the picked one."
        out.append(section("What changed", [Paragraph(text)], name="change"))
        out += change_sections(found.change)
    return out


def _bars(timed: list[SweepPoint]) -> Bars:
    """Return a bar for each point; the range of its runs and the speedup follow the time."""
    longest = max((p.time.median_ns for p in timed if p.time is not None), default=1.0)
    rows = []
    for point in timed[:BARS]:
        if point.time is None:
            continue
        speedup = speedup_text(point.speedup) if point.speedup is not None else ""
        note = f"±{share_text(point.time.noise)} {speedup}".strip()
        share = point.time.median_ns / longest
        rows.append(BarRow(_name(point), share, time_text(point.time.median_ns), note, total=True))
    runs = max((p.time.runs for p in timed if p.time is not None), default=1)
    caption = (
        f"Median of up to {counted(runs, 'run')}, its possible error, the speedup over the first point; * the pick"
    )
    return Bars(caption, tuple(rows))


def _more(timed: list[SweepPoint]) -> Block | None:
    left = len(timed) - BARS
    return Paragraph(f"{counted(left, 'slower point')} in the table only.") if left > 0 else None


def _table(found: SweepDocument) -> Table:
    columns = (
        Column("Point"),
        Column("Time", True),
        Column("Speedup", True),
        Column("Regs", True),
        Column("Occupancy", True),
        Column("Achieved", True),
        Column("Spills", True),
        Column("Waves", True),
        Column("Class", spare=2),
        Column("First finding", spare=1),
    )
    rows, notes = [], []
    for point in found.points:
        tone: Tone = "lead" if point.picked else "plain" if point.time is not None else "dim"
        time = point.time.median_ns if point.time is not None else None
        rows.append(
            (
                Cell(_name(point), tone=tone),
                Cell(time_text(time) if time is not None else "-", time),
                Cell(speedup_text(point.speedup) if point.speedup is not None else "-", point.speedup),
                _number(point.registers_per_thread),
                _percent(point.occupancy_theoretical_pct),
                _percent(point.occupancy_achieved_pct),
                _number(point.spill_inst),
                _number(point.waves, 1),
                Cell(point.class_id),
                Cell(point.first or ("-" if time is not None else "")),
            )
        )
        notes.append((shown(point.problem)[:_LONGEST],) if point.problem else ())
    return Table(columns, tuple(rows), sortable=True, notes=tuple(notes))


def _percent(value: float | None) -> Cell:
    return Cell(percent_text(value) if value is not None else "-", value)


def _number(value: float | None, digits: int = 0) -> Cell:
    text = "-" if value is None else f"{value:.{digits}f}" if value < 10_000 else amount_text(value, "")
    return Cell(text, value)
