"""Draw the roofline of one launch as text: the GPU's roofs, the launch, earlier versions, the napkin estimate.

Both axes are logarithmic. A launch without operations, bytes or time has no point; a note explains that.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct

from advisor.records import quantities
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.view.charts.bars import known
from advisor.view.charts.canvas import Canvas, Row
from advisor.view.charts.roofline import MixRoof, clock_note, mix_roof, place_of, roofs

FEWEST = 40  # columns
_AXIS = 6  # columns left of the axis
_LOW, _HIGH = 9, 24  # rows of the drawing
_BESIDE = 4  # rows of heading and axes
_STEEP = 0.34  # rows for each column, at most
# Generous ranges of plausible values: FLOP/byte, FLOP/s, bytes/s. Values outside are not drawn.
_INTENSITIES, _RATES, _BANDWIDTHS = (1e-9, 1e12), (1e-3, 1e19), (1e6, 1e16)
_FAR = 100.0  # points beyond this many ridge points are drawn at the edge
_DEPTH = 1e4  # range shown below the highest roof, if no point is lower
_LETTERS = "abcdefgh"
_MIX = "m"  # the sign of the instruction-mix ceiling
_SIGNS = {"now": ("●", "@"), "estimate": ("◇", "*")}
# The user's data type (answer to question intended_dtype) -> peaks of the GPU table.
_PEAKS_OF: Mapping[str, tuple[tuple[str, str], ...]] = {
    "f64": (("fp64", "FP64"),),
    "f32": (("fp32", "FP32"),),
    "tf32": (("tf32_tensor", "TF32 tensor"),),
    "f16": (("fp16", "FP16"), ("fp16_tensor", "FP16 tensor")),
    "f8": (("fp8_tensor", "FP8 tensor"),),
}
# Work of a launch -> its roof; the type with most operations decides.
_WORK = (
    ("fp32_flop", "FP32"),
    ("fp64_flop", "FP64"),
    ("half_flop", "FP16"),
    ("tensor_ops", "FP16 tensor"),
)
_NEEDED = (("flop", "its operations"), ("dram_bytes", "its DRAM bytes"), ("duration_ns", "its duration"))
COLLECT = "ncu --section SpeedOfLight --section SpeedOfLight_RooflineChart --section MemoryWorkloadAnalysis_Tables"
NO_ROOFS = "The bandwidth and the peak rates of this GPU are unknown, so there is no roof to draw."
NO_FLOP = "The kernel does no floating-point work, so the roofline does not apply: check its DRAM utilisation instead."
NO_WORKLOAD = "A typed-in workload has no roofline: its operations and bytes are unknown."


class AlgorithmNeeds(Struct, frozen=True):
    """The napkin estimate of the algorithm: operations, bytes, and the intended data type."""

    flop: float
    bytes: float
    dtype: str = ""


class Key(Struct, frozen=True):
    """A sign of the drawing and its meaning."""

    sign: str
    role: str
    text: str


class Roofline(Struct, frozen=True):
    """A text roofline. rows: the drawing; keys: its legend; notes: missing parts; collect: a command for these."""

    rows: tuple[Row, ...] = ()
    keys: tuple[Key, ...] = ()
    notes: tuple[str, ...] = ()
    collect: str = ""


class Scale(Struct, frozen=True):
    """Logarithmic scales: intensity (FLOP/byte) to 0..width from the left, rate (FLOP/s) to 0..height from the top."""

    x0: float
    x1: float
    y0: float
    y1: float
    width: int
    height: int

    def x(self, intensity: float) -> float:
        """Return cells from the axis; values outside the range are at the edge."""
        return _share(intensity, self.x0, self.x1) * (self.width - 1)

    def y(self, rate: float) -> float:
        """Return cells from the top; values outside the range are at the edge."""
        return (1 - _share(rate, self.y0, self.y1)) * (self.height - 1)


def _share(value: float, low: float, high: float) -> float:
    return math.log(min(max(value, low), high) / low) / math.log(high / low)


def roofline(
    launch: LaunchDiagnosis,
    *,
    earlier: Sequence[tuple[LaunchDiagnosis, str]] = (),
    needs: AlgorithmNeeds | None = None,
    width: int = 80,
    height: int = 24,
    blocks: bool = True,
) -> Roofline:
    """Draw the launch under its GPU's roofs. earlier: former versions and their names, the oldest first.

    At most `width` columns (FEWEST or more); drawing and legend together take `height` rows if that leaves enough room
    for the drawing. blocks: False draws in ASCII.
    """
    if launch.scope != "launch":
        return Roofline(notes=(NO_WORKLOAD,))
    width = max(width, FEWEST)
    also = _PEAKS_OF.get(needs.dtype, ()) if needs is not None else ()
    bandwidth, peaks = roofs([launch, *(then for then, _ in earlier)], also)
    bandwidth = bandwidth if bandwidth and _within(bandwidth, _BANDWIDTHS) else None
    here = _place(launch)
    notes, collect = _lacking(launch, here)
    if not bandwidth and not peaks:
        return Roofline(notes=(NO_ROOFS, *notes), collect=collect)
    slow = clock_note([launch])
    notes = (slow, *notes) if slow else notes
    mix = mix_roof(launch)
    then = [(place, name) for former, name in earlier if (place := _place(former)) is not None]
    hoped = _expected(needs, bandwidth, peaks, also)
    places = [place for place in (here, hoped, *(place for place, _ in then)) if place]
    legend = len(places) + len(peaks) + len(notes) + 2 * bool(mix) + bool(bandwidth) + 2 * bool(collect)
    scale = _scale(places, bandwidth, peaks, width, height - legend - _BESIDE)
    canvas = Canvas(scale.width, scale.height, blocks=blocks)
    keys = _draw_roofs(canvas, scale, bandwidth, peaks)
    keys += [_draw_mix(canvas, scale, bandwidth, mix)] if mix is not None else []
    marks: list[Key] = []
    for number, (place, name) in enumerate(then, 1):
        sign = str(number % 10)
        _mark(canvas, scale, place, sign, "then")
        marks.append(Key(sign, "then", f"{name}: {_place_text(place)}"))
    if hoped is not None:
        sign = _sign("estimate", blocks)
        _mark(canvas, scale, hoped, sign, "estimate")
        marks.append(Key(sign, "estimate", f"napkin estimate: {hoped[0]:.3g} FLOP/byte, at most {_rate(hoped[1])}"))
    if here is not None:
        sign = _sign("now", blocks)
        _mark(canvas, scale, here, sign, "now")
        allowed = _allowed(launch, here[0], bandwidth, peaks)
        marks.insert(0, Key(sign, "now", f"this launch: {_place_text(here)}{allowed}"))
        if mix is not None and mix.reached_text():
            marks.insert(1, Key(" ", "now", mix.reached_text()))
    return Roofline(_framed(canvas, scale, blocks), (*marks, *keys), notes, collect)


def _sign(kind: str, blocks: bool) -> str:
    return _SIGNS[kind][0 if blocks else 1]


def _within(value: float, limits: tuple[float, float]) -> bool:
    return limits[0] <= value <= limits[1]


def _place(launch: LaunchDiagnosis) -> tuple[float, float] | None:
    """Return the launch's point, or None if it is unknown or implausible."""
    place = place_of(launch)
    return place if place and _within(place[0], _INTENSITIES) and _within(place[1], _RATES) else None


def _lacking(launch: LaunchDiagnosis, here: tuple[float, float] | None) -> tuple[tuple[str, ...], str]:
    """Return why the launch cannot be drawn, in words, and the command that collects the missing metrics."""
    if known(launch.metrics, "flop") == 0 or known(launch.metrics, "gflop_per_s") == 0:
        return (NO_FLOP,), ""
    if here is not None:
        return (), ""
    lacking = [name for metric, name in _NEEDED if not known(launch.metrics, metric)]
    names = ", ".join(lacking[:-1]) + (" and " if lacking[:-1] else "") + (lacking or ["its operations per byte"])[-1]
    return (f"The position of this launch is unknown without {names}.",), COLLECT


def _expected(
    needs: AlgorithmNeeds | None,
    bandwidth: float | None,
    peaks: Sequence[tuple[str, float]],
    also: Sequence[tuple[str, str]],
) -> tuple[float, float] | None:
    """Return the napkin estimate's point: its intensity, and the roof at this intensity."""
    if needs is None or not needs.flop > 0 or not needs.bytes > 0:
        return None
    if not _within(needs.flop / needs.bytes, _INTENSITIES):
        return None
    own = {name for _, name in also}
    tops = [rate for name, rate in peaks if not own or name in own]
    limits = ([max(tops)] if tops else []) + ([needs.flop / needs.bytes * bandwidth] if bandwidth else [])
    return (needs.flop / needs.bytes, min(limits)) if limits else None


def _allowed(
    launch: LaunchDiagnosis, intensity: float, bandwidth: float | None, peaks: Sequence[tuple[str, float]]
) -> str:
    """Return the launch's share of its roof as text; empty if the roof is unknown."""
    work = max(_WORK, key=lambda kind: known(launch.metrics, kind[0]) or 0.0)[1]
    top, rate = dict(peaks).get(work), known(launch.metrics, "gflop_per_s")
    if top is None or not bandwidth or rate is None:
        return ""
    roof = min(top, intensity * bandwidth)
    side = f"the {work} roof" if roof == top else "the DRAM roof"
    return f", {100 * rate * 1e9 / roof:.3g} % of {side} there"


def _scale(
    places: Sequence[tuple[float, float]],
    bandwidth: float | None,
    peaks: Sequence[tuple[str, float]],
    width: int,
    height: int,
) -> Scale:
    ridges = [peak / bandwidth for _, peak in peaks] if bandwidth else []
    right = max([10.0, *(r * 10 for r in ridges), *(x for x, _ in places)])
    right = min(right, max(ridges) * _FAR) if ridges else right
    left = min([0.1, *(x for x, _ in places)])
    slope = [right * bandwidth] if bandwidth and not peaks else []
    top = max([y for _, y in places] + [peak for _, peak in peaks] + slope)
    bottom = min([y for _, y in places] + [top / _DEPTH])
    columns = width - _AXIS - 1
    rows = max(min(round(columns * _STEEP), height, _HIGH), _LOW)
    return Scale(_below(left), _above(right), _below(bottom), _above(top), columns, rows)


def _draw_roofs(canvas: Canvas, scale: Scale, bandwidth: float | None, peaks: Sequence[tuple[str, float]]) -> list[Key]:
    keys = []
    if bandwidth:
        end = max((peak / bandwidth for _, peak in peaks), default=scale.x1)
        start = max(scale.x0, scale.y0 / bandwidth)
        end = min(end, scale.y1 / bandwidth, scale.x1)
        first, last = (_at(scale, start, start * bandwidth), _at(scale, end, end * bandwidth))
        canvas.line(first, last, "roof")
        keys.append(Key("/", "roof", f"DRAM {_short(bandwidth, 'byte/s')}"))
    for letter, (name, peak) in zip(_LETTERS, peaks, strict=False):
        ridge = peak / bandwidth if bandwidth else None
        start = scale.x0 if ridge is None else ridge
        canvas.line(_at(scale, start, peak), _at(scale, scale.x1, peak), "roof")
        _mark(canvas, scale, (start, peak), letter, "roof", along=1)
        at = "" if ridge is None else f", ridge at {ridge:.3g} FLOP/byte"
        keys.append(Key(letter, "roof", f"{name} {_rate(peak)}{at}"))
    return keys


def _draw_mix(canvas: Canvas, scale: Scale, bandwidth: float | None, mix: MixRoof) -> Key:
    """Draw the instruction-mix ceiling as a dotted line from the DRAM roof to the right; return its legend."""
    start = scale.x0 if not bandwidth else mix.rate / bandwidth
    canvas.line(_at(scale, start, mix.rate), _at(scale, scale.x1, mix.rate), "roof", gaps=True)
    _mark(canvas, scale, (start, mix.rate), _MIX, "roof", along=4)
    text = f"{mix.name} {_rate(mix.rate)}, {100 * mix.share:.0f} % of the peak: instruction-mix ceiling"
    return Key(_MIX, "roof", text)


def _at(scale: Scale, intensity: float, rate: float) -> tuple[float, float]:
    """Return the middle of the cell of a mark at this point."""
    return scale.x(intensity) + 0.5, scale.y(rate) + 0.5


def _mark(canvas: Canvas, scale: Scale, place: tuple[float, float], sign: str, role: str, along: int = 0) -> None:
    """Draw the sign in its cell, or next to it if the cell is taken; the latest launch always gets its cell."""
    x, y = int(scale.x(place[0]) + 0.5), int(scale.y(place[1]) + 0.5)
    near = [(x + along, y), (x, y), (x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1), (x + 2, y), (x - 2, y)]
    free = next(((a, b) for a, b in near if canvas.free(a, b)), (x, y))
    canvas.put(*(free if role != "now" else (x, y)), sign, role)
    if place[0] > scale.x1 * 1.001 and canvas.free(x - 1, y):
        canvas.put(x - 1, y, "→" if canvas.blocks else ">", role)


def _framed(canvas: Canvas, scale: Scale, blocks: bool) -> tuple[Row, ...]:
    """Return the drawing with axes and their powers of ten."""
    upright, across, corner = ("│", "─", "└") if blocks else ("|", "-", "+")
    ticks: dict[int, int] = {}
    for power in range(round(math.log10(scale.y0)), round(math.log10(scale.y1)) + 1):
        ticks.setdefault(round(scale.y(10.0**power)), power)
    rows: list[Row] = [(("FLOP/s", "axis"),)]
    shown = -2
    for y, row in enumerate(canvas.rows()):
        label = ""
        if y in ticks and y - shown > 1:
            label, shown = _power(ticks[y]), y
        rows.append(((f"{label:>{_AXIS}}{upright}", "axis"), *row))
    rows.append(((" " * _AXIS + corner + across * scale.width, "axis"),))
    line = ""
    for power in range(round(math.log10(scale.x0)), round(math.log10(scale.x1)) + 1):
        label = f"{10.0**power:g}" if power < 5 else f"1e{power}"
        at = _AXIS + 1 + round(scale.x(10.0**power))
        at = min(at, _AXIS + 1 + scale.width - len(label))
        if not line or at > len(line):
            line = f"{line:<{at}}{label}"
    unit = "FLOP per byte of DRAM"
    return (*rows, ((line, "axis"),), ((" " * (_AXIS + 1 + (scale.width - len(unit)) // 2) + unit, "axis"),))


def _power(power: int) -> str:
    """Format a power of ten: `10 T` for 10^13."""
    for least, prefix in ((15, "P"), (12, "T"), (9, "G"), (6, "M"), (3, "k")):
        if power >= least:
            return f"{10 ** (power - least)} {prefix}"
    return f"{10.0**power:g}"


def _place_text(place: tuple[float, float]) -> str:
    return f"{place[0]:.3g} FLOP/byte, {_rate(place[1])}"


def _rate(flop_per_s: float) -> str:
    return _short(flop_per_s, "FLOP/s")


def _short(value: float, unit: str) -> str:
    return quantities.show(float(f"{value:.3g}"), unit, 3)


def _below(value: float) -> float:
    return 10.0 ** math.floor(math.log10(value))


def _above(value: float) -> float:
    return 10.0 ** math.ceil(math.log10(value) + 0.05)
