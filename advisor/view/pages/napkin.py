"""A napkin estimate as a page: work, intensity, roofs, minimum time and a small roofline."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from advisor.hardware.roofline import Inconsistency, Result, Roof
from advisor.view.blocks import Block, Bullets, Cell, Column, Facts, Page, Paragraph, Picture, Table, facts, section
from advisor.view.numbers import share_text, show, time_text

_ROWS = 9  # of the roofline
_AXIS = 13  # columns left of it, for the rates
_BOUND = {"memory": "memory-bound", "compute": "compute-bound", "": "unknown: no arithmetic rate"}
_TERM = {"bytes": "bytes / bandwidth", "flop": "FLOP / peak"}


def napkin_page(result: Result, checks: Sequence[Inconsistency] = ()) -> Page:
    """Build the page. checks: disagreements with a measured launch."""
    names = {**result.parameters, **result.derived}
    sizes = ", ".join(f"{name} {show(value, '', 6)}" for name, value in names.items())
    shares = ", ".join(f"{name} {share_text(share)}" for name, share in result.measured.items())
    work = facts(
        ("Work", f"{show(result.flop, 'FLOP')}, and at least {show(result.bytes, 'byte')} through DRAM"),
        ("Intensity", f"{_figure(result.intensity)} FLOP/byte"),
        ("Bandwidth", f"{show(result.gpu.bandwidth or math.nan, 'byte/s')} at the peak"),
        ("Measured", f"`practice calibrate` on this machine: {shares} of the peak") if shares else None,
    )
    made: list[Block] = [Paragraph(result.algorithm.means), Paragraph(sizes, "dim"), work]
    drawing: Block | None = None
    if next(roofline_lines(result), None) is not None:
        drawing = Picture(None, lambda width, _: tuple(roofline_lines(result, width)))
    notes = Bullets(tuple(note.says for note in result.notes)) if result.notes else None
    parts = [section("", [_roofs(result)]), section("", [drawing, notes])]
    if checks:
        parts.append(section("Compared with the measurement", [Bullets(tuple(item.says for item in checks))], level=3))
    parts.append(section("", [facts(("How counted", result.algorithm.derivation))]))
    return Page(f"{result.algorithm.title} in {result.dtype.title} on {result.gpu.name}", tuple(made), tuple(parts))


def _figure(value: float) -> str:
    """Format a ratio with enough digits to compare: 682.7, 20.0, 0.25."""
    return f"{value:,.1f}" if value >= 10 else f"{value:.3g}"


def _roofs(result: Result) -> Table | Facts:
    """Return a table with a column for each kind of core; the expected one is marked."""
    roofs = [roof for roof in (result.plain, result.tensor) if roof]
    if not roofs:
        return facts(
            ("Minimum time", f"{time_text(result.bytes_ns)} (bytes / bandwidth)"),
            ("Achievable", time_text(result.bytes_achievable_ns)),
        )
    heads = [f"{roof.cores} cores{' (expected)' if roof.cores == result.cores else ''}" for roof in roofs]
    rows = (
        ("Peak", *(f"{show(roof.peak, 'FLOP/s')} ({roof.peak_name})" for roof in roofs)),
        ("Ridge point", *(f"{_figure(roof.ridge)} FLOP/byte" for roof in roofs)),
        ("Expected", *(_BOUND[roof.bound] for roof in roofs)),
        ("Minimum time", *(f"{time_text(roof.floor_ns)} ({_TERM[roof.term]})" for roof in roofs)),
        ("Achievable", *(f"{time_text(roof.achievable_ns)} ({_reached(roof)})" for roof in roofs)),
    )
    return Table((Column(""), *map(Column, heads)), tuple(tuple(map(Cell, row)) for row in rows))


def _reached(roof: Roof) -> str:
    """Return what an achievable time is: the share of the peak that good kernels reach."""
    share = roof.floor_ns / roof.achievable_ns if roof.achievable_ns else 1.0
    if roof.term != roof.achievable_term:
        return f"good kernels, limited by {_TERM[roof.achievable_term].partition(' ')[0]}"
    return f"{100 * share:.0f} % of the peak, as good kernels reach"


def roofline_lines(result: Result, width: int = 80) -> Iterator[str]:
    """Draw the roofline on logarithmic axes: roofs of - (plain) and = (tensor), the algorithm as O on its roof.

    Empty if the algorithm has no arithmetic or no arithmetic rate is known.
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
    grid[row(expected.attainable)][column(result.intensity)] = "O"
    labels = {row(roof.peak): show(roof.peak, "FLOP/s", 3) for roof in roofs}
    for at, cells in enumerate(grid):
        yield f"{labels.get(at, ''):>{_AXIS - 1}} |{''.join(cells).rstrip()}"
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
