"""A comparison as a page: faster or slower first, then class, next step, findings and the changed metrics."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, structs

from advisor.compare.changes import is_counted
from advisor.compare.conditions import gpu_of
from advisor.compare.records import Compared, Condition, FindingChange, MetricChange, Outcome, Pair, Reached, Runs
from advisor.records.diagnosis import ENDS, LaunchDiagnosis
from advisor.records.quantities import MEDIUM_CONFIDENCE
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
    section,
)
from advisor.view.charts.roofline import Point, rooflines
from advisor.view.numbers import (
    amount_text,
    change_text,
    estimate_text,
    percent_text,
    plural,
    share_text,
    speedup_text,
    time_range_text,
    time_text,
)
from advisor.view.pages.diagnosis import ceiling_text
from advisor.view.text import shown

# Without times, of two versions whose counts come from an emulation.
_COUNTED = "Counted"
WORDS = {"faster": "Faster", "slower": "Slower", "same": "No difference", "unknown": "No time"}
_TONES: dict[str, Tone] = {"faster": "good", "slower": "bad", "same": "warn", "unknown": "warn"}
# State of a finding -> its label and tone.
_STATES: dict[str, tuple[str, Tone]] = {
    "gone": ("gone", "good"),
    "stayed": ("unchanged", "plain"),
    "unknown": ("unknown", "dim"),
    "came": ("new", "warn"),
}
HTML_SECTIONS = 40  # the most kernels with a section in HTML, the largest change first
_NAME = 200
_NAMED = 6  # launches of a side that are listed by number
# Conditions that the trust entry runs_not_comparable explains.
_UNLIKE = ("gpu", "part", "clock", "control", "size")
# Units written after the value; the metric's name contains other units.
_UNITS = ("%", "ns", "us", "byte", "byte/s", "Hz", "kHz", "flop")


class Result(Struct, frozen=True):
    """A comparison with the outcomes of `--fail-on`: one per pair and threshold."""

    compared: Compared
    outcomes: tuple[tuple[Outcome, ...], ...] = ()

    def document(self) -> Compared:
        """Return the comparison with the outcomes of all thresholds at each pair."""
        if not self.outcomes:
            return self.compared
        rows = zip(self.compared.pairs, self.outcomes, strict=True)
        return structs.replace(self.compared, pairs=tuple(structs.replace(pair, fail_on=row) for pair, row in rows))

    def lines(self) -> tuple[str, ...]:
        """One line for each threshold and pair."""
        words = {True: "crossed", False: "kept", None: "not checked"}
        return tuple(
            f"{words[o.crossed]}: {shown(o.threshold.text)} on {pair_title(pair)}: {shown(o.text)}"
            for pair, row in zip(self.compared.pairs, self.outcomes, strict=True)
            for o in row
        )

    def trouble(self) -> tuple[str, ...]:
        """The lines for a script's log: crossed or unchecked thresholds, and kernels without any threshold."""
        out = [line.replace("→", "->") for line in self.lines() if not line.startswith("kept")]
        if any(self.outcomes):
            for name, left in (("base", self.compared.base_only), ("current report", self.compared.current_only)):
                if left:
                    names = ", ".join(dict.fromkeys(shown(r.launch.kernel)[:40] for r in left[:3]))
                    more = f" and {len(left) - 3} more" if len(left) > 3 else ""
                    out.append(f"no threshold applies to kernels only in the {name}: {names}{more}")
        return tuple(out)


def compare_page(result: Result, *, everything: bool = False, sections: int | None = HTML_SECTIONS) -> Page:
    """Build the page of the whole comparison.

    everything: all metrics, not only the largest changes; sections: number of kernels with a section, the largest
    change first; None: all in the order of the report.
    """
    found = result.compared
    pairs = found.pairs
    alone = len(pairs) == 1
    made: list[Block] = [
        Paragraph(f"{name}: {info.path} · {info.tool}", "dim")
        for name, info in (("Base", found.base), ("Current", found.current))
    ]
    made += [Paragraph(ceiling_text(card), "dim") for card in found.ceilings]
    made += [Facts(tuple(_caveats(found.conditions)))] if found.conditions else []
    parts = _thresholds(result)
    chosen = list(range(len(pairs)))
    if sections is not None:
        chosen = sorted(chosen, key=lambda at: (-_weight(pairs[at]), at))[:sections]
    links = {at: f"pair-{at}" for at in chosen}
    if len(pairs) > 1:
        parts.append(section("All kernels", _table(pairs, links), name="kernels"))
        parts += _roofline(pairs, links)
    for at in chosen:
        head, *more = pair_sections(pairs[at], links[at], everything=everything, level=2 if alone else 3)
        made += head.blocks if alone else ()
        parts += more if alone else [head, *more]
    parts += _roofline(pairs, {}) if alone else []
    if left := len(pairs) - len(chosen):
        parts.append(section("Not shown in detail", [Paragraph(f"{left} more kernels appear only in the table.")]))
    title = _heading(pairs[0]) if alone else "Before and after"
    return Page(title, tuple(made), (*parts, *_unmatched(found)))


def pair_sections(
    pair: Pair, link: str, *, heading: str = "", everything: bool = False, level: int = 3
) -> list[Section]:
    """Return sections on one kernel. link, heading: id and title of the first section; level: of the other ones."""
    counted_ = _by_counts(pair)
    rows = [Fact(_COUNTED, _counted_text(pair), _counted_tone(pair)) if counted_ else Fact(*_verdict(pair))]
    rows += [Fact("Compared", which)] if (which := _which(pair)) else []
    rows += [Fact("Runs", details)] if (details := _details(pair)) else []
    rows += _caveats(pair.conditions)
    rows += [] if counted_ else [Fact("Class", class_text(pair))]
    rows += [Fact("Estimate", pair.promise.text)] if pair.promise is not None else []
    rows.append(Fact("Next", pair.next.text, "lead"))
    bars = None if counted_ else _time_bars(pair)
    head = section(heading or _heading(pair), [Facts(tuple(rows)), bars], name=link)
    return [head, *change_sections(pair, everything=everything, level=level)]


def _verdict(pair: Pair) -> tuple[str, str, Tone]:
    """Return label, text and tone of the times; those of other work are neither faster nor slower."""
    if any(item.id == "work" for item in pair.conditions) and pair.promise is None and pair.judged is not None:
        return "Other work", headline(pair), "warn"
    return WORDS[word(pair)], headline(pair), _TONES[word(pair)]


def _by_counts(pair: Pair) -> bool:
    """Whether only counts of an emulation are compared, which have no time."""
    return pair.judged is None and is_counted(pair.base.launch) and is_counted(pair.current.launch)


def _causes(pair: Pair, state: str) -> list[str]:
    return [change.title for change in pair.findings if change.kind == "diagnosis" and change.state == state]


def _counted_text(pair: Pair) -> str:
    """Return the result of a change by its counts: the causes that went, came and stayed."""
    words = (("gone", "gone"), ("came", "new"), ("stayed", "still there"))
    parts = [f"{label}: {', '.join(found)}" for state, label in words if (found := _causes(pair, state))]
    return f"{'; '.join(parts) or 'no cause in either version'} (by counts of an emulation, which have no time)"


def _counted_tone(pair: Pair) -> Tone:
    return "good" if _causes(pair, "gone") and not _causes(pair, "came") else "warn"


def _which(pair: Pair) -> str:
    """Return which launches were compared if a side has several; empty if each has one."""
    if len(pair.base.indexes) == len(pair.current.indexes) == 1:
        return ""
    how = {"shape": "same kernel and shape", "name": "same kernel, another shape"}.get(pair.matched, "")
    sides = (f"{_numbered(pair.base.indexes)} of the base", f"{_numbered(pair.current.indexes)} of the current")
    return " with ".join(sides) + (f" ({how})" if how else "")


def _numbered(indexes: Sequence[int]) -> str:
    """`launch 3`; `launches 0, 1 and 4`; `10 launches (0 to 17)`."""
    if len(indexes) == 1:
        return f"launch {indexes[0]}"
    if len(indexes) > _NAMED:
        return f"{len(indexes)} launches ({min(indexes)} to {max(indexes)})"
    return f"launches {', '.join(map(str, indexes[:-1]))} and {indexes[-1]}"


def change_sections(pair: Pair, *, everything: bool = False, level: int = 3) -> list[Section]:
    """Return the sections on what differs between the two sides: findings, percentages, units, metrics."""
    parts = []
    if pair.findings:
        parts.append(section("Findings", [_findings(pair.findings)], level=level))
    if pair.traps:
        bullets = Bullets(tuple(trap.text for trap in pair.traps))
        parts.append(section("Percentages that changed contrary to the time", [bullets], level=level))
    if pair.units:
        parts.append(section("Most utilised units", [_unit_bars(pair.units)], level=level))
    moved = [row for row in pair.metrics if everything or row.shown]
    if moved:
        title = "All metrics" if everything else "What changed most"
        parts.append(section(title, [_metrics(moved)], level=level))
    return parts


def word(pair: Pair) -> str:
    """Return `faster`, `slower`, `same` or `unknown`."""
    return pair.judged.word if pair.judged is not None else "unknown"


def pair_title(pair: Pair) -> str:
    """Return the kernel's name, or both names if they differ."""
    old, new = (shown(x.launch.kernel) for x in (pair.base, pair.current))
    return old if old == new else f"{old} → {new}"


def _heading(pair: Pair) -> str:
    gpu = shown(gpu_of(pair.current.launch) or gpu_of(pair.base.launch)) or "GPU unknown"
    return f"{pair_title(pair)[:_NAME]} · {gpu}"


def shape(launch: LaunchDiagnosis) -> str:
    """`65536x1x1 of 256x1x1`: grid and block; empty when unknown."""
    if launch.grid is None or launch.block is None:
        return ""
    return f"{'x'.join(map(str, launch.grid))} of {'x'.join(map(str, launch.block))}"


def headline(pair: Pair) -> str:
    """`2.7×: 137 µs → 50.1 µs (-63 %; noise 4.8 %)`; of a slower kernel `1.4× as long: …`."""
    before, after = (time_text(x.times.median) if x.times else "unknown" for x in (pair.base, pair.current))
    if pair.judged is None:
        return f"{before} → {after}: speedup unknown: a time was not collected"
    change, noise = change_text(pair.judged.change), share_text(pair.judged.noise)
    if pair.judged.word == "same":
        return f"{before} → {after} ({change}), within the noise of {noise}"
    percent = f"{change}; " if pair.judged.change < 10 else ""
    value = pair.judged.speedup
    speed = f"{speedup_text(1 / value)} the time" if value < 1 else speedup_text(value)
    return f"{speed}: {before} → {after} ({percent}noise {noise})"


def runs_text(pair: Pair) -> str:
    """Return a text on the runs whose median the times are."""
    parts = []
    for name, runs in (("base", pair.base), ("current", pair.current)):
        if runs.times is None:
            continue
        one, many = ("measured run", "measured runs") if runs.measured else ("profiled launch", "profiled launches")
        if runs.times.runs == 1:
            parts.append(f"{name}: one {one}")
        else:
            spread = time_range_text(runs.times.low, runs.times.high)
            parts.append(f"{name}: median of {runs.times.runs} {many}, {spread}")
    if parts == ["base: one profiled launch", "current: one profiled launch"]:
        return "one profiled launch on each side"
    return "; ".join(parts)


def _details(pair: Pair) -> str:
    """Return the runs, a changed shape, and the times under ncu if other times were measured."""
    old, new = shape(pair.base.launch), shape(pair.current.launch)
    parts = [runs_text(pair)]
    if old and new and old != new:
        parts.append(f"grid {old} → {new} threads")
    if any(x.measured for x in (pair.base, pair.current)):
        under = [time_text(x.launch.duration_ns) for x in (pair.base, pair.current)]
        parts.append(f"under ncu {under[0]} → {under[1]}")
    return "; ".join(p for p in parts if p)


def only_text(runs: Runs) -> str:
    """Return a line on a kernel without a counterpart."""
    several = f", {len(runs.indexes)} launches" if len(runs.indexes) > 1 else ""
    size = shape(runs.launch)
    time = time_text(runs.times.median) if runs.times is not None else "unknown time"
    return f"{shown(runs.launch.kernel)} (launch {runs.indexes[0]}{several}{f', {size}' if size else ''}): {time}"


def class_text(pair: Pair) -> str:
    """Return the class before and after."""
    old, new = pair.base.launch.verdict, pair.current.launch.verdict
    return f"{old.title} → {new.title}" if old.id != new.id else f"{new.title}, as before"


def finding_text(change: FindingChange) -> str:
    """Return the note on a removed, kept or new finding: a warning, the end of the search, its estimated speedups."""
    certain = change.after is not None and change.after.confidence >= MEDIUM_CONFIDENCE
    near = f"the kernel is {'' if certain else 'possibly '}near its limit"
    end = near if change.id in ENDS and change.after is not None else ""
    note = "a caveat about the data" if change.kind == "trust" else end
    gains = []
    for finding, tense in ((change.before, "estimated speedup was"), (change.after, "estimated speedup")):
        if finding is not None and finding.speedup is not None and finding.kind == "diagnosis":
            gains.append(f"{tense} {estimate_text(finding.speedup)}")
    return "; ".join(x for x in (note, ", now ".join(gains), change.text) if x)


def _findings(changes: Sequence[FindingChange]) -> Facts:
    rows = []
    for state, (label, tone) in _STATES.items():
        for change in changes:
            if change.state == state and change.id == "unexplained" and state in ("gone", "came"):
                when = "before" if state == "gone" else "after"
                rows.append(Fact(label if state == "gone" else "open", f"no cause found {when} ({change.id})", "plain"))
            elif change.state == state:
                note = finding_text(change)
                rows.append(Fact(label, f"{change.title} ({change.id}){f': {note}' if note else ''}", tone))
    return Facts(tuple(rows))


def metric_change_text(row: MetricChange) -> str:
    """Format the change of a metric: percentage points for a percentage, otherwise the factor."""
    if row.before is None or row.after is None:
        return "unknown"
    if row.before == row.after:
        return "="
    if row.unit == "%":
        return f"{row.after - row.before:+.1f} points"
    return speedup_text(row.change) if row.change is not None else f"from {amount_text(row.before, '')}"


def _metrics(moved: Sequence[MetricChange]) -> Table:
    columns = (Column("Metric"), Column("Before", True), Column("After", True), Column("Change", True))
    rows = []
    for row in moved:
        unit = row.unit if row.unit in _UNITS else ""
        values = (Cell(amount_text(value, unit), value) for value in (row.before, row.after))
        rows.append((Cell(row.metric), *values, Cell(metric_change_text(row), row.change)))
    return Table(columns, tuple(rows), sortable=True)


def _time_bars(pair: Pair) -> Bars:
    sides = [(name, runs.times) for name, runs in (("before", pair.base), ("after", pair.current))]
    most = max((t.median for _, t in sides if t is not None), default=0.0)
    rows = [
        BarRow(name, t.median / most if t is not None and most else None, time_text(t.median) if t else "unknown")
        for name, t in sides
    ]
    return Bars("Time", tuple(rows))


def _unit_bars(units: Sequence[Reached]) -> Bars:
    rows = []
    for unit in units:
        reaches = f"of {unit.achievable:.0f} %" if unit.achievable is not None and unit.achievable < 100 else ""
        both = unit.before is not None and unit.after is not None
        moved = (
            f"{unit.after - unit.before:+.1f}" if both and unit.after is not None and unit.before is not None else ""
        )
        name = unit.name.partition(" (")[0]
        for label, value, note in ((f"{name}, before", unit.before, reaches), ("after", unit.after, moved)):
            share = value / 100 if value is not None else None
            rows.append(BarRow(label, share, percent_text(value), note, total=label != "after"))
    return Bars("% of peak before and after, with the achievable share and the change in points", tuple(rows))


def _caveats(conditions: Sequence[Condition]) -> list[Fact]:
    rows = [Fact("Caveat", f"{item.text} ({item.id})", "warn") for item in conditions]
    if any(item.id in _UNLIKE for item in conditions):
        rows.append(Fact("Caveat", "see `ncu-advisor explain runs_not_comparable`", "warn"))
    return rows


def _thresholds(result: Result) -> list[Section]:
    outcomes = [o for row in result.outcomes for o in row]
    if not outcomes:
        return []
    crossed = sum(o.crossed is True for o in outcomes)
    unknown = sum(o.crossed is None for o in outcomes)
    kept = len(outcomes) - crossed - unknown
    tone: Tone = "bad" if crossed else "warn" if unknown else "good"
    lines = sorted(result.lines(), key=lambda line: line.startswith("kept"))
    text = f"{crossed} crossed, {unknown} not checked, {kept} kept."
    return [section("Thresholds", [Paragraph(text, tone), Bullets(tuple(lines))], name="thresholds")]


def _table(pairs: Sequence[Pair], links: dict[int, str]) -> list[Block]:
    columns = (
        Column("Kernel"),
        Column("Before", True),
        Column("After", True),
        Column("Speedup", True),
        Column("Verdict"),
        Column("Fix first now", spare=1),
    )
    rows = []
    for at, pair in enumerate(pairs):
        spread = (pair.base.times, pair.current.times)
        first = next((f.id for f in pair.current.launch.findings if f.kind == "diagnosis"), "-")
        gain = pair.judged.speedup if pair.judged is not None else None
        rows.append(
            (
                Cell(pair_title(pair)[:_NAME], link=links.get(at, "")),
                *(Cell(time_text(t.median) if t else "unknown", t.median if t else None) for t in spread),
                Cell(speedup_text(gain) if gain is not None else "unknown", gain),
                Cell(WORDS[word(pair)].lower(), tone=_TONES[word(pair)]),
                Cell(first),
            )
        )
    blocks: list[Block] = [Table(columns, tuple(rows), sortable=True)]
    known = [p for p in pairs if p.base.times is not None and p.current.times is not None]
    old = sum(p.base.times.median for p in known if p.base.times is not None)
    new = sum(p.current.times.median for p in known if p.current.times is not None)
    if len(known) > 1 and new > 0:
        text = f"All {len(known)} {plural(len(known), 'kernel')}, each once: {time_text(old)} → {time_text(new)}"
        blocks.append(Paragraph(f"{text}, {speedup_text(old / new)}."))
    return blocks


def _weight(pair: Pair) -> float:
    """Return the change of the time in nanoseconds, or -1 if a time is unknown."""
    if pair.base.times is None or pair.current.times is None:
        return -1.0
    return abs(pair.current.times.median - pair.base.times.median)


def _roofline(pairs: Sequence[Pair], links: dict[int, str]) -> list[Section]:
    points = [Point(pair.current.launch, links.get(at, ""), pair.base.launch) for at, pair in enumerate(pairs)]
    charts = rooflines(points)
    if not charts:
        return []
    blocks: list[Block] = []
    for chart, rest in charts:
        blocks += [Picture(chart), *([Paragraph(rest, "dim")] if rest else [])]
    note = Paragraph("Hollow marks are the base, filled ones the current report.", "dim")
    return [section("Roofline", [*blocks, note], name="roofline")]


def _unmatched(found: Compared) -> list[Section]:
    parts = []
    sides: tuple[tuple[str, tuple[Runs, ...]], ...] = (
        ("base", found.base_only),
        ("current report", found.current_only),
    )
    for name, left in sides:
        if left:
            bullets = Bullets(tuple(only_text(runs) for runs in left))
            parts.append(section(f"Only in the {name}, not compared", [bullets]))
    return parts
