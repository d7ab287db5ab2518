"""A comparison as a document: thresholds, all kernels, then each with its time, findings and what moved."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.compare.records import Compared, Condition, Pair, Reached, Runs
from advisor.compare.words import amount, times
from advisor.view.blocks import (
    BarRow,
    Bars,
    Block,
    Bullets,
    Cell,
    Column,
    Fact,
    Facts,
    Page,
    Paragraph,
    Picture,
    Section,
    Table,
    Tone,
)
from advisor.view.blocks import section as made_section
from advisor.view.charts.bars import value_text
from advisor.view.charts.roofline import Point, rooflines
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

# Kernels that get a section of their own, those that changed most first.
SECTIONS = 40
_NAME = 200
_TONES: dict[str, Tone] = {"faster": "good", "slower": "bad", "same": "plain", "unknown": "warn"}


def compare_page(result: Result, *, everything: bool = False) -> Page:
    """The whole comparison; everything: all metrics and not only those that moved most."""
    found = result.compared
    made: list[Block] = [
        Paragraph(f"{name}: {info.path} · {info.tool}", "dim")
        for name, info in (("Base", found.base), ("Current", found.current))
    ]
    made += [Paragraph(ceiling_text(card), "dim") for card in found.ceilings]
    made += [Facts(tuple(_careful(found.conditions)))] if found.conditions else []
    parts = _thresholds(result)
    chosen = sorted(range(len(found.pairs)), key=lambda at: (-_weight(found.pairs[at]), at))[:SECTIONS]
    links = {at: f"pair-{at}" for at in chosen}
    if len(found.pairs) > 1:
        parts.append(made_section("All kernels", [_table(found.pairs, links)], name="kernels"))
    points = [Point(pair.current.launch, links.get(at, ""), pair.base.launch) for at, pair in enumerate(found.pairs)]
    charts = rooflines(points)
    drawn: list[Section] = []
    if charts:
        note = Paragraph("Hollow marks are the base, filled ones the current report.", "dim")
        blocks: list[Block] = [block for chart, rest in charts for block in (Picture(chart), _dim(rest)) if block]
        drawn = [made_section("Roofline", [*blocks, note], name="roofline")]
    parts += drawn if len(found.pairs) > 1 else []
    for at in chosen:
        parts += pair_sections(found.pairs[at], links[at], everything=everything)
    parts += drawn if len(found.pairs) == 1 else []
    if left := len(found.pairs) - len(chosen):
        parts.append(made_section("And more", [Paragraph(f"{left} more kernels stand in the table only.")]))
    return Page(_title(found), tuple(made), (*parts, *_alone(found)))


def _dim(text: str) -> Paragraph | None:
    return Paragraph(text, "dim") if text else None


def _title(found: Compared) -> str:
    if len(found.pairs) == 1:
        return f"{title(found.pairs[0], '→')[:_NAME]}: before and after"
    return "Before and after"


def _weight(pair: Pair) -> float:
    """ns that the change is about; a kernel without times comes last."""
    if pair.base.times is None or pair.current.times is None:
        return -1.0
    return abs(pair.current.times.median - pair.base.times.median)


def _careful(conditions: Sequence[Condition]) -> list[Fact]:
    return [Fact("Careful", f"{item.text} ({item.id})", "warn") for item in conditions]


def _thresholds(result: Result) -> list[Section]:
    outcomes = [o for row in result.outcomes for o in row]
    if not outcomes:
        return []
    crossed = sum(o.crossed is True for o in outcomes)
    unknown = sum(o.crossed is None for o in outcomes)
    kept = len(outcomes) - crossed - unknown
    tone: Tone = "bad" if crossed else "warn" if unknown else "good"
    text = f"{crossed} crossed, {unknown} not checked, {kept} kept."
    lines = [line for line in result.lines("→") if not line.startswith("kept")]
    lines += [line for line in result.lines("→") if line.startswith("kept")]
    return [made_section("Thresholds", [Paragraph(text, tone), Bullets(tuple(lines))], name="thresholds")]


def _table(pairs: Sequence[Pair], links: dict[int, str]) -> Table:
    columns = (
        Column("kernel"),
        Column("before", True),
        Column("after", True),
        Column("speed", True),
        Column("verdict"),
        Column("now first"),
    )
    rows = []
    for at, pair in enumerate(pairs):
        spread = (pair.base.times, pair.current.times)
        first = next((f.id for f in pair.current.launch.findings if f.kind == "diagnosis"), "-")
        gain = pair.judged.speedup if pair.judged is not None else None
        rows.append(
            (
                Cell(title(pair, "→")[:_NAME], link=links.get(at, "")),
                *(Cell(amount(t.median, "ns") if t else "unknown", t.median if t else None) for t in spread),
                Cell(times(gain) if gain is not None else "unknown", gain),
                Cell(WORDS[word(pair)].lower()),
                Cell(first),
            )
        )
    return Table(columns, tuple(rows), sortable=True)


def pair_sections(pair: Pair, link: str, *, heading: str = "", everything: bool = False) -> list[Section]:
    """One kernel before and after. link: the id of its first section; heading: the first title, else the kernel's."""
    facts = [Fact(WORDS[word(pair)], headline(pair, "→"), _TONES[word(pair)])]
    facts += [Fact("Runs", runs_text(pair))] if runs_text(pair) else []
    facts += _careful(pair.conditions)
    facts.append(Fact("Class", class_text(pair, "→")))
    facts += [Fact("Estimate", pair.promise.text)] if pair.promise is not None else []
    facts.append(Fact("Next", pair.next.text))
    parts = [made_section(heading or title(pair, "→")[:_NAME], [_time_bars(pair), Facts(tuple(facts))], name=link)]
    if pair.findings:
        columns = (Column("finding"), Column("state"), Column("what of it"))
        rows = [(Cell(f"{c.title} ({c.id})"), Cell(c.state), Cell(finding_text(c))) for c in pair.findings]
        parts.append(made_section("Findings", [Table(columns, tuple(rows))], level=3))
    if pair.traps:
        bullets = Bullets(tuple(trap.text for trap in pair.traps))
        parts.append(made_section("Percentages against the time", [bullets], level=3))
    if pair.units:
        parts.append(made_section("Busiest units", [_unit_bars(pair.units)], level=3))
    moved = [row for row in pair.metrics if everything or row.shown]
    if moved:
        heads = (Column("metric"), Column("before", True), Column("after", True), Column("change", True))
        cells = []
        for row in moved:
            values = (Cell(cell(value, row.unit), value) for value in (row.before, row.after))
            cells.append((Cell(row.metric), *values, Cell(change_text(row), row.change)))
        heading = "All metrics" if everything else "What moved most"
        parts.append(made_section(heading, [Table(heads, tuple(cells), sortable=True)], level=3))
    return parts


def _time_bars(pair: Pair) -> Bars:
    sides = [(name, runs.times) for name, runs in (("before", pair.base), ("after", pair.current))]
    most = max((t.median for _, t in sides if t is not None), default=0.0)
    rows = [
        BarRow(name, t.median / most if t is not None and most else None, amount(t.median if t else None, "ns"))
        for name, t in sides
    ]
    return Bars("Time", tuple(rows))


def _unit_bars(units: Sequence[Reached]) -> Bars:
    rows = []
    for unit in units:
        for name, value in ((f"{unit.name.partition(' (')[0]}, before", unit.before), ("after", unit.after)):
            note = f"of {unit.achievable:.0f} %" if unit.achievable is not None and unit.achievable < 100 else ""
            share = value / 100 if value is not None else None
            rows.append(BarRow(name, share, value_text(value), note, total=name != "after"))
    return Bars("Percent of peak, before and after; beside it what kernels reach", tuple(rows))


def _alone(found: Compared) -> list[Section]:
    parts = []
    sides: tuple[tuple[str, tuple[Runs, ...]], ...] = (
        ("base", found.base_only),
        ("current report", found.current_only),
    )
    for name, left in sides:
        if left:
            bullets = Bullets(tuple(only_text(runs) for runs in left))
            parts.append(made_section(f"Only in the {name}, compared with nothing", [bullets]))
    return parts
