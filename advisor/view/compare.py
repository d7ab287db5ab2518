"""A comparison as text: the time first, then whether to trust it, what it means and what moved."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.compare.conditions import gpu_of
from advisor.compare.records import Compared, Condition, FindingChange, MetricChange, Pair, Reached, Runs
from advisor.compare.words import amount, factor, percent, plain_percent, times
from advisor.records.diagnosis import ENDS, LaunchDiagnosis
from advisor.view.charts import bars as charts
from advisor.view.numbers import gain_text
from advisor.view.pages.diagnosis import ceiling_text
from advisor.view.text import cut, labelled, paint, shown, wrap
from advisor.view.writers.terminal import plain_text

WORDS = {"faster": "Faster", "slower": "Slower", "same": "No difference", "unknown": "No time"}
_STYLES = {"faster": "green", "slower": "red", "same": "yellow", "unknown": "yellow"}
_STATES = {"gone": "green", "stayed": "dim", "came": "yellow"}
# Conditions that the trust entry runs_not_comparable explains.
_UNLIKE = ("gpu", "part", "clock", "control", "size")
_LABEL = 15
_BAR_LABEL = 19
_VALUE = 9
_CELL = 10
_CHANGE = 13
# Units that a table writes beside the value.
_UNITS = ("%", "ns", "us", "byte", "byte/s", "Hz", "kHz", "flop")


def word(pair: Pair) -> str:
    """faster, slower, same or unknown."""
    return pair.judged.word if pair.judged is not None else "unknown"


def title(pair: Pair, arrow: str = "->") -> str:
    """The kernel's name, or both where they differ."""
    old, new = (shown(x.launch.kernel) for x in (pair.base, pair.current))
    return old if old == new else f"{old} {arrow} {new}"


def shape(launch: LaunchDiagnosis) -> str:
    """`65536x1x1 of 256x1x1`: grid and block; empty when unknown."""
    if launch.grid is None or launch.block is None:
        return ""
    return f"{'x'.join(map(str, launch.grid))} of {'x'.join(map(str, launch.block))}"


def headline(pair: Pair, arrow: str = "->") -> str:
    """`2.73x: 137 us -> 50.1 us (-63 %; noise 4.8 %)`."""
    if pair.judged is None:
        sides = [amount(x.times.median, "ns") if x.times else "unknown" for x in (pair.base, pair.current)]
        return f"{sides[0]} {arrow} {sides[1]}: without both times nothing can be said of faster or slower"
    assert pair.base.times is not None and pair.current.times is not None
    before, after = (amount(x.times.median, "ns") for x in (pair.base, pair.current) if x.times)
    change = percent(pair.judged.change)
    noise = plain_percent(pair.judged.noise)
    if pair.judged.word == "same":
        return f"{before} {arrow} {after} ({change}), within the noise of {noise}"
    change = f"{change}; " if pair.judged.change < 10 else ""
    return f"{speed(pair)}: {before} {arrow} {after} ({change}noise {noise})"


def speed(pair: Pair) -> str:
    """`2.7x as fast`; of a slower kernel how many times longer it takes."""
    if pair.judged is None:
        return "-"
    value = pair.judged.speedup
    return f"{times(1 / value)} as long" if value < 1 else f"{times(value)} as fast"


def runs_text(pair: Pair) -> str:
    """What the times are medians of."""
    parts = []
    for name, runs in (("base", pair.base), ("current", pair.current)):
        if runs.times is None:
            continue
        kind = "measured runs" if runs.measured else "profiled launches"
        if runs.times.runs == 1:
            parts.append(f"{name}: one {kind[:-1] if kind.endswith('s') else kind}".replace("launche", "launch"))
        else:
            low, high = amount(runs.times.low, "ns"), amount(runs.times.high, "ns")
            parts.append(f"{name}: median of {runs.times.runs} {kind}, {low} to {high}")
    if parts == ["base: one profiled launch", "current: one profiled launch"]:
        return "one profiled launch on each side"
    return "; ".join(parts)


def compare_text(
    found: Compared,
    *,
    width: int = 80,
    colour: bool = False,
    blocks: bool = True,
    everything: bool = False,
    verdicts: Sequence[str] = (),
) -> str:
    """The whole comparison; `verdicts`: lines about `--fail-on` that stand at the end."""
    arrow = "→" if blocks else "->"
    out = [paint(line, "dim", colour) for line in _sources(found, width)]
    out += [line for gpu in found.ceilings for line in wrap(ceiling_text(gpu), width, 0, 2)]
    out += _careful(found.conditions, width, colour, 9)
    if len(found.pairs) > 1:
        out += ["", *_table(found.pairs, width, colour, arrow)]
    for pair in found.pairs:
        out += ["", *pair_lines(pair, width=width, colour=colour, blocks=blocks, everything=everything)]
    for name, left in (("base", found.base_only), ("current report", found.current_only)):
        if left:
            out += ["", paint(f"Only in the {name}, compared with nothing", "bold", colour)]
            for runs in left:
                out += wrap(f"· {only_text(runs)}", width, 2, 4)
    if verdicts:
        out += ["", paint("Thresholds", "bold", colour)]
        for line in verdicts:
            out += wrap(f"· {line}", width, 2, 4)
    return plain_text(out, blocks)


def only_text(runs: Runs) -> str:
    """A kernel without a partner in a line."""
    several = f", {len(runs.indexes)} launches" if len(runs.indexes) > 1 else ""
    size = shape(runs.launch)
    time = amount(runs.times.median, "ns") if runs.times is not None else "unknown time"
    return f"{shown(runs.launch.kernel)} (launch {runs.indexes[0]}{several}{f', {size}' if size else ''}): {time}"


def _sources(found: Compared, width: int) -> list[str]:
    lines = []
    for label, info in (("Base", found.base), ("Current", found.current)):
        tool = cut(shown(info.tool), 24)
        path, room = shown(info.path), width - len(tool) - 12
        # The end of a long path tells more than its beginning.
        lines.append(f"{label:<9}{path if len(path) <= room else f'…{path[1 - room :]}'} · {tool}")
    return lines


def _table(pairs: Sequence[Pair], width: int, colour: bool, arrow: str) -> list[str]:
    name = max(16, width - 58)
    head = f"{'kernel':<{name}} {'before':>9} {'after':>9} {'speed':>7}  {'':<6} now first"
    rows = [paint(cut(head, width), "bold", colour)]
    for pair in pairs:
        before, after = (amount(x.times.median, "ns") if x.times else "?" for x in (pair.base, pair.current))
        gain = times(pair.judged.speedup) if pair.judged is not None else "?"
        first = next((f.id for f in pair.current.launch.findings if f.kind == "diagnosis"), "-")
        left = f"{cut(title(pair, arrow), name):<{name}} {before:>9} {after:>9} {gain:>7}  "
        rest = cut(first, max(4, width - len(left) - 7))
        verdict = "?" if pair.judged is None else pair.judged.word
        rows.append(left + paint(f"{verdict:<6}", _STYLES[word(pair)], colour) + f" {rest}")
    known = [p for p in pairs if p.base.times is not None and p.current.times is not None]
    old, new = (sum(x.times.median for x in side if x.times) for side in _sides(known))
    if len(known) > 1 and new > 0:
        total = f"all {len(known)}, once each"
        rows.append(f"{total:<{name}} {amount(old, 'ns'):>9} {amount(new, 'ns'):>9} {times(old / new):>7}")
    return rows


def _sides(pairs: Sequence[Pair]) -> tuple[list[Runs], list[Runs]]:
    return [p.base for p in pairs], [p.current for p in pairs]


def pair_lines(
    pair: Pair, *, width: int = 80, colour: bool = False, blocks: bool = True, everything: bool = False
) -> list[str]:
    """One kernel before and after."""
    arrow = "→" if blocks else "->"
    base, current = pair.base.launch, pair.current.launch
    card = shown(gpu_of(current) or gpu_of(base)) or "GPU unknown"
    head = cut(f"{cut(title(pair, arrow), width - len(card) - 3)} · {card}", width)
    lines = [paint(head, "bold", colour), paint(("─" if blocks else "-") * len(head), "dim", colour)]
    told = labelled(WORDS[word(pair)], headline(pair, arrow), width, _LABEL)
    lines += [paint(told[0], _STYLES[word(pair)], colour), *told[1:]]
    lines += [paint(x, "dim", colour) for x in labelled("", _details(pair, arrow), width, _LABEL)]
    lines += _careful(pair.conditions, width, colour)
    lines += ["", *_time_bars(pair, width, blocks), ""]
    lines += labelled("Class", class_text(pair, arrow), width, _LABEL)
    if pair.promise is not None:
        lines += labelled("Estimate", pair.promise.text, width, _LABEL)
    advice = labelled("Next", pair.next.text, width, _LABEL)
    lines += [paint(advice[0], "cyan", colour), *advice[1:]]
    lines += _findings(pair.findings, width, colour)
    if pair.traps:
        lines += ["", paint("Percentages against the time", "bold", colour)]
        for trap in pair.traps:
            lines += wrap(f"· {trap.text}", width, 2, 4)
    if pair.units:
        lines += ["", *_unit_bars(pair.units, width, colour, blocks)]
    lines += _metrics(pair.metrics, width, colour, blocks, everything)
    return lines


def _details(pair: Pair, arrow: str) -> str:
    """Runs, and the shape where it changed."""
    old, new = shape(pair.base.launch), shape(pair.current.launch)
    parts = [runs_text(pair)]
    if old and new and old != new:
        parts.append(f"grid {old} {arrow} {new} threads")
    if any(x.measured for x in (pair.base, pair.current)):
        under = [amount(x.launch.duration_ns, "ns") for x in (pair.base, pair.current)]
        parts.append(f"under ncu {under[0]} {arrow} {under[1]}")
    return "; ".join(p for p in parts if p)


def _careful(conditions: Sequence[Condition], width: int, colour: bool, column: int = _LABEL) -> list[str]:
    lines = []
    for at, item in enumerate(conditions):
        told = labelled("Careful" if at == 0 else "", f"{item.text} [{item.id}]", width, column)
        lines += [paint(x, "yellow", colour) for x in told]
    if any(item.id in _UNLIKE for item in conditions):
        lines += labelled("", "`ncu-advisor explain runs_not_comparable`", width, _LABEL)
    return lines


def class_text(pair: Pair, arrow: str = "->") -> str:
    """The class before and after."""
    old, new = pair.base.launch.verdict, pair.current.launch.verdict
    return f"{old.title} {arrow} {new.title}" if old.id != new.id else f"{new.title}, as before"


def _time_bars(pair: Pair, width: int, blocks: bool) -> list[str]:
    sides = [(name, runs.times) for name, runs in (("before", pair.base), ("after", pair.current))]
    most = max((t.median for _, t in sides if t is not None), default=0.0)
    cells = width - _LABEL - _VALUE - 1
    rows = []
    for name, seen in sides:
        if seen is not None and most > 0:
            drawn = charts.bar(100.0 * seen.median / most, cells, blocks=blocks, marks=())
            rows.append(f"  {name:<{_LABEL - 2}}{drawn} {amount(seen.median, 'ns'):>{_VALUE}}".rstrip())
        else:
            rows.append(f"  {name:<{_LABEL - 2}}unknown")
    return rows


def _unit_bars(units: Sequence[Reached], width: int, colour: bool, blocks: bool) -> list[str]:
    """Two bars a unit, before over after; the mark is what kernels reach there."""
    cells = width - _BAR_LABEL - _VALUE - 9
    mark = "┊" if blocks else "|"
    head = f"Busiest units, percent of peak, before over after ({mark} what kernels reach)"
    lines = [paint(line, "bold", colour) for line in wrap(head, width)]
    for unit in units:
        marks = (unit.achievable,) if unit.achievable is not None and unit.achievable < 100 else ()
        for label, value in ((unit.name.partition(" (")[0], unit.before), ("", unit.after)):
            drawn = charts.bar(value, cells, blocks=blocks, marks=marks)
            moved = ""
            if not label and unit.before is not None and unit.after is not None:
                moved = f"{unit.after - unit.before:+.1f}"
            text = f"  {cut(label, _BAR_LABEL - 3):<{_BAR_LABEL - 2}}{charts.value_text(value):>{_VALUE - 1}} {drawn}"
            lines.append(f"{text} {moved:>7}".rstrip())
    return lines


def gain_of(change: FindingChange) -> str:
    """`was worth 2.4x (1.8 to 3.0)`, as far as it is known."""
    parts = []
    for finding, tense in ((change.before, "was worth"), (change.after, "worth")):
        if finding is not None and finding.speedup is not None and finding.kind == "diagnosis":
            told = finding.speedup
            parts.append(f"{tense} {gain_text(told.estimate, told.low, told.high)}")
    return ", now ".join(parts)


def _findings(changes: Sequence[FindingChange], width: int, colour: bool) -> list[str]:
    lines: list[str] = []
    for state in ("gone", "stayed", "came"):
        texts = []
        for change in changes:
            if change.state == state and change.kind != "trust":
                told = finding_text(change)
                texts.append(f"{change.title} [{change.id}]{f': {told}' if told else ''}")
        warnings = [c.id for c in changes if c.state == state and c.kind == "trust"]
        if warnings:
            texts.append(f"about the numbers: {', '.join(warnings)}")
        for at, text in enumerate(texts):
            found = labelled(f"  {state}" if at == 0 else "", text, width, 11)
            lines += [paint(found[0], _STATES[state], colour), *found[1:]]
    return ["", paint("Findings", "bold", colour), *lines] if lines else []


def finding_text(change: FindingChange) -> str:
    """What there is to say of a finding that went, stayed or came."""
    end = "the kernel is near its limit" if change.id in ENDS and change.state != "gone" else ""
    note = "a warning about the numbers" if change.kind == "trust" else end
    return "; ".join(x for x in (note, gain_of(change), change.text) if x)


def change_text(row: MetricChange, up: str = "", down: str = "") -> str:
    """The change of a metric: points of a percentage, otherwise the factor."""
    if row.before is None or row.after is None:
        return "?"
    if row.before == row.after:
        return "="
    sign = up if row.after > row.before else down
    if row.unit == "%":
        return f"{sign}{row.after - row.before:+.1f} pts"
    return f"{sign}{factor(row.change)}x" if row.change is not None else f"{sign}from {amount(row.before, '')}"


def _metrics(metrics: Sequence[MetricChange], width: int, colour: bool, blocks: bool, everything: bool) -> list[str]:
    rows = [row for row in metrics if everything or row.shown]
    if not rows:
        return []
    up, down = ("▲ ", "▼ ") if blocks else ("", "")
    name = width - 2 * _CELL - _CHANGE - 3
    heading = "All metrics" if everything else "What moved most"
    head = f"{heading:<{name}} {'before':>{_CELL}} {'after':>{_CELL}} {'change':>{_CHANGE}}"
    lines = ["", paint(head, "bold", colour)]
    for row in rows:
        before, after = (cell(value, row.unit) for value in (row.before, row.after))
        moved = change_text(row, up, down)
        lines.append(f"  {cut(row.metric, name - 2):<{name - 2}} {before:>{_CELL}} {after:>{_CELL}} {moved:>{_CHANGE}}")
    return lines


def cell(value: float | None, unit: str) -> str:
    """A value in a table: what a count counts stands in the metric's name already."""
    return amount(value, unit if unit in _UNITS else "")
