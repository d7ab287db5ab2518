"""A napkin result as text with a small roofline."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from advisor.hardware.roofline import Inconsistency, Result
from advisor.records.quantities import show
from advisor.view.numbers import time_text
from advisor.view.text import cut, labelled, paint, wrap

_COLUMN = 16  # width of the label column
_ROWS = 9  # of the roofline
_AXIS = 13  # columns left of it, for the rates
_BOUND = {"memory": "memory-bound", "compute": "compute-bound", "": "unknown: no arithmetic rate"}
_TERM = {"bytes": "bytes / bandwidth", "flop": "FLOP / peak"}


def napkin_text(result: Result, width: int = 80, colour: bool = False, checks: Sequence[Inconsistency] = ()) -> str:
    """The result in at most `width` columns; `checks`: what a measured launch says against it."""
    lines = [
        *(paint(line, "bold", colour) for line in wrap(_title(result), width)),
        *wrap(result.algorithm.means, width, indent=2),
        *wrap(", ".join(_parameters(result)), width, indent=2),
        "",
        *labelled("Work", _work(result), width, _COLUMN),
        *labelled("Intensity", f"{_figure(result.intensity)} FLOP/byte", width, _COLUMN),
        *labelled("Bandwidth", f"{show(result.gpu.bandwidth or math.nan, 'byte/s')} at the peak", width, _COLUMN),
        "",
        *_roofs(result, width, colour),
        *_measured(result, width),
        *_section("", list(roofline_lines(result, width, colour))),
        *_section("", [line for note in result.notes for line in wrap(f"- {note.says}", width, hang=2)]),
        *_section(
            paint("Measured against it", "bold", colour) if checks else "",
            [line for item in checks for line in wrap(f"- {item.says}", width, hang=2)],
        ),
        *_section("", labelled("How counted", result.algorithm.derivation, width, _COLUMN)),
    ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _section(title: str, lines: list[str]) -> list[str]:
    return ["", *([title] if title else []), *lines] if lines else []


def _title(result: Result) -> str:
    return f"{result.algorithm.title} in {result.dtype.title} on {result.gpu.name}"


def _figure(value: float) -> str:
    """A ratio with enough digits to compare: 682.7, 20.0, 0.25."""
    return f"{value:,.1f}" if value >= 10 else f"{value:.3g}"


def _parameters(result: Result) -> list[str]:
    names = {**result.parameters, **result.derived}
    return [f"{name} {show(value, '', 6)}" for name, value in names.items()]


def _work(result: Result) -> str:
    return f"{show(result.flop, 'FLOP')}, and at least {show(result.bytes, 'byte')} through DRAM"


def _roofs(result: Result, width: int, colour: bool) -> Iterator[str]:
    """A column for each kind of core, the expected one marked."""
    roofs = [roof for roof in (result.plain, result.tensor) if roof]
    if not roofs:
        yield from labelled("Floor", f"{time_text(result.bytes_ns)} (bytes / bandwidth)", width, _COLUMN)
        yield from labelled("Achievable", time_text(result.bytes_achievable_ns), width, _COLUMN)
        return
    room = max(20, (width - _COLUMN) // len(roofs))

    def row(label: str, cells: list[str]) -> str:
        parts = [
            paint(f"{cut(cell, room - 1):<{room}}", "cyan", colour and roof.cores == result.cores)
            for cell, roof in zip(cells, roofs, strict=True)
        ]
        return f"{label:<{_COLUMN}}{''.join(parts)}".rstrip()

    if len(roofs) > 1:
        yield row("", [f"{roof.cores} cores{' (expected)' if roof.cores == result.cores else ''}" for roof in roofs])
    yield row("Peak", [f"{show(roof.peak, 'FLOP/s')} ({roof.peak_name})" for roof in roofs])
    yield row("Ridge point", [f"{_figure(roof.ridge)} FLOP/byte" for roof in roofs])
    yield row("Expected", [_BOUND[roof.bound] for roof in roofs])
    yield row("Floor", [f"{time_text(roof.floor_ns)} ({_TERM[roof.term]})" for roof in roofs])
    yield row("Achievable", [f"{time_text(roof.achievable_ns)}" for roof in roofs])


def _measured(result: Result, width: int) -> list[str]:
    """Which shares of the peaks are this card's own."""
    if not result.measured:
        return []
    shares = ", ".join(f"{name} {share:.0%}" for name, share in result.measured.items())
    return labelled("", f"with what `practice calibrate` measured here: {shares} of the peak", width, _COLUMN)


def roofline_lines(result: Result, width: int = 80, colour: bool = False) -> Iterator[str]:
    """The roofline on logarithmic axes: roofs of - (plain) and = (tensor), the algorithm's point as O on its roof.

    Nothing when the algorithm computes nothing or no arithmetic rate is known: there is no place for it on the axis.
    """
    roofs = [roof for roof in (result.tensor, result.plain) if roof]
    expected, bandwidth = result.expected, result.gpu.bandwidth
    if not roofs or expected is None or not bandwidth or result.intensity <= 0:
        return
    columns = max(20, min(width, 100) - _AXIS - 1)
    marks = [result.intensity, *(roof.ridge for roof in roofs)]
    left, right = math.floor(math.log10(min(marks) / 2)), math.ceil(math.log10(max(marks) * 2))
    top, bottom = math.log10(roofs[0].peak), math.log10(10**left * bandwidth)

    def column(intensity: float) -> int:
        return round((math.log10(intensity) - left) / (right - left) * (columns - 1))

    def row(rate: float) -> int:
        return min(_ROWS - 1, max(0, round((top - math.log10(rate)) / (top - bottom) * (_ROWS - 1))))

    grid = [[" "] * columns for _ in range(_ROWS)]
    for roof in roofs:
        for at in range(columns):
            intensity = 10 ** (left + at / (columns - 1) * (right - left))
            rate = min(roof.peak, intensity * bandwidth)
            grid[row(rate)][at] = "/" if rate < roof.peak else "=" if roof.cores == "tensor" else "-"
    here = column(result.intensity)
    grid[row(expected.attainable)][here] = "O"
    labels = {row(roof.peak): show(roof.peak, "FLOP/s", 3) for roof in roofs}
    for at, cells in enumerate(grid):
        line = "".join(cells).rstrip()
        if at == row(expected.attainable):
            line = line.replace("O", paint("O", "cyan", colour))
        yield f"{labels.get(at, ''):>{_AXIS - 1}} |{line}"
    axis = ["-"] * columns
    for roof in roofs:
        axis[column(roof.ridge)] = "^"
    yield f"{'':>{_AXIS - 1}} +{''.join(axis)}"
    yield f"{'FLOP/byte':>{_AXIS - 1}}  {_ticks(left, right, columns)}"
    yield f"{'':>{_AXIS}} O this work on {expected.cores} cores, ^ ridge point"


def _ticks(left: int, right: int, columns: int) -> str:
    line = ""
    for decade in range(left, right + 1):
        at = round((decade - left) / (right - left) * (columns - 1))
        text = f"{10.0**decade:g}"
        at = min(at, columns - len(text))
        if at > len(line) or not line:
            line = f"{line:<{at}}{text}"
    return line
