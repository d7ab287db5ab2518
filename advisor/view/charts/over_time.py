"""Draw what ncu sampled over the run of a kernel: a row per metric, its phases under them, as a drawing or as text."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Final

from advisor.records.sampling import Phase, SampledSeries, Sampling
from advisor.view.charts.canvas import shaded
from advisor.view.charts.drawing import Box, Chart, Line, Word
from advisor.view.numbers import counted, percent_text, plural, time_text

# The drawing: size, height and distance of rows.
_WIDTH, _LEFT, _RIGHT, _TOP, _ROW, _GAP = 760, 150, 70, 6, 20, 8
_LABEL, _SHARE = 20, 8  # columns of a row's name and of its mean
_FEWEST, _MOST = 10, 48  # columns of a strip: the most is what 78 columns have, so that all wide pages look alike
_LEAST: Final = 2.0  # percent: a series that never reaches it is left out
_NOISE: Final = 0.5  # percent: less is drawn as nothing
_PARTLY: Final = ("start", "tail")  # phases in which not all SMs have work


def drawn(sampling: Sampling) -> tuple[SampledSeries, ...]:
    """Return the series worth drawing: those that reach 2 %."""
    return tuple(one for one in sampling.series if max(one.values) >= _LEAST)


def mean_text(one: SampledSeries) -> str:
    """Return the mean over the run; empty for a series without a peak, whose mean has no meaning."""
    return percent_text(fmean(one.values)) if one.scale == "percent" else ""


def phase_text(phase: Phase, sampling: Sampling) -> str:
    """`compute-bound, 0 ns to 41 µs (51 %): a pipe or the issue slots are utilised; XU pipe 97 %`."""
    share = percent_text(100 * (phase.end - phase.start))
    whole = sampling.duration_ns
    start = time_text(phase.start * whole) if whole and phase.start else "0"
    when = f"{start} to {time_text(phase.end * whole)} ({share})" if whole else share
    if phase.id in _PARTLY and "active" in phase.means:
        return f"{when}: {phase.says}, {percent_text(phase.means['active'])} of them are active on average"
    peaks = [(phase.means[one.id], one.title) for one in sampling.series if one.scale == "percent"]
    value, title = max(peaks, default=(0.0, ""))
    busiest = f"; {title} {percent_text(value)}" if value >= _LEAST else ""
    return f"{when}: {phase.says}{busiest}"


def facts_text(sampling: Sampling) -> str:
    """Return how the samples were taken, and what limits them."""
    every = f" every {time_text(sampling.interval_ns)}" if sampling.interval_ns else ""
    parts = [f"{counted(sampling.samples, 'sample')}{every}"]
    if sampling.runs > 1:
        parts.append(f"from {sampling.runs} runs of the kernel, drawn above each other")
    if sampling.dropped:
        parts.append(f"{counted(sampling.dropped, 'sample')} {plural(sampling.dropped, 'was', 'were')} lost")
    if any(one.scale == "largest" for one in drawn(sampling)):
        parts.append("rows without a percentage are relative to their largest sample")
    return "; ".join(parts)


def picture(sampling: Sampling, width: int, blocks: bool) -> list[str]:
    """Draw rows of at most `width` columns: each metric over the run, then the phases and the times."""
    cells = min(max(_FEWEST, width - _LABEL - _SHARE - 2), _MOST)
    edge = "│" if blocks else "|"
    rows = []
    for one in drawn(sampling):
        values = [one.part(at, cells) for at in range(cells)]
        shares = [value / 100 if value >= _NOISE else 0.0 for value in values]
        rows.append(
            f"{one.title[: _LABEL - 1]:<{_LABEL}}{edge}{shaded(shares, blocks)}{edge}{mean_text(one):>{_SHARE}}"
        )
    if sampling.phases:
        rows.append(f"{'Phases':<{_LABEL}}{edge}{_phase_cells(sampling.phases, cells, blocks)}{edge}")
    whole = sampling.duration_ns
    end = time_text(whole) if whole else "end"
    rows.append(" " * (_LABEL + 1) + "0" + end.rjust(cells - 1))
    return [row.rstrip() for row in rows]


def _phase_cells(phases: Sequence[Phase], cells: int, blocks: bool) -> str:
    """Return the names of the phases in their places, with a mark where one begins."""
    row = [" "] * cells
    for at, phase in enumerate(phases):
        first, end = round(phase.start * cells), round(phase.end * cells)
        name = phase.title if at == 0 else ("╎" if blocks else ":") + phase.title
        for place, character in zip(range(first, min(end, cells)), name, strict=False):
            row[place] = character
    return "".join(row)


def chart(sampling: Sampling) -> Chart:
    """Draw the same as an image."""
    series, span = drawn(sampling), _WIDTH - _LEFT - _RIGHT
    boxes, words, lines = [], [], []
    for at, one in enumerate(series):
        y, cell = _TOP + at * (_ROW + _GAP), span / len(one.values)
        boxes.append(Box(_LEFT, y, span, _ROW, "lane"))
        for n, value in enumerate(one.values):
            high = min(1.0, value / 100) * _ROW
            if high > 0:
                boxes.append(Box(_LEFT + n * cell, y + _ROW - high, cell, high, "busy"))
        words.append(Word(_LEFT - 8, y + _ROW - 5, one.title, "end", "lane"))
        words.append(Word(_WIDTH - _RIGHT + 8, y + _ROW - 5, mean_text(one), "start", "lane"))
    bottom = _TOP + len(series) * (_ROW + _GAP)
    for at, phase in enumerate(sampling.phases):
        x = _LEFT + phase.start * span
        if at:
            lines.append(Line(x, _TOP, x, bottom + 4, "axis"))
        words.append(Word(x + 3, bottom + 10, phase.title))
    whole = sampling.duration_ns
    words.append(Word(_LEFT, bottom + 26, "0"))
    words.append(Word(_WIDTH - _RIGHT, bottom + 26, time_text(whole) if whole else "end", "end"))
    return Chart(
        "Samples, in % of the peak", facts_text(sampling), _WIDTH, bottom + 34, tuple(lines), tuple(boxes), tuple(words)
    )
