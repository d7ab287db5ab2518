"""Draw the roofline of measured launches: their rate over their work per byte of DRAM traffic."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct

from advisor.hardware import gpus
from advisor.knowledge.base import catalog
from advisor.records import quantities
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.view.charts.bars import known
from advisor.view.charts.drawing import Chart, Key, Line, Mark, Shape, Word
from advisor.view.numbers import share_text
from advisor.view.text import cut, shown

_WIDTH, _HEIGHT = 760, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 92, 26, 16, 44
_NEAR_EDGE = 60
# Points beyond this many ridge points are drawn at the edge, where only the flat roof is relevant.
_FAR = 100.0
_LABELLED = 40  # the most points with a number next to them
_MOST = 400  # the most points to draw
_NAME = 60
# Shapes that distinguish the classes without colour.
_SHAPES: Mapping[str, tuple[Shape, str]] = {
    "dram_bound": ("circle", "DRAM-bound"),
    "mixed_memory_bound": ("diamond", "mixed memory"),
    "internal_congestion": ("diamond", "congestion"),
    "compute_bound": ("square", "compute-bound"),
    "latency_bound": ("triangle", "latency-bound"),
}
_OTHER: tuple[Shape, str] = ("cross", "undetermined")
# Types with an instruction-mix ceiling: name -> the metrics of its operations, of its fused share and of the ceiling.
_MIXES = {
    "FP32": ("fp32_flop", "fp32_fused_pct", "fp32_mix_pct"),
    "FP64": ("fp64_flop", "fp64_fused_pct", "fp64_mix_pct"),
}
_MIX_SHOWN = 97.5  # percent: a ceiling closer to the peak is not drawn
# Peaks that are drawn if a launch does such work, by its metric; fp32 is always drawn.
_ROOFS = (("fp64", "fp64_flop", "FP64"), ("fp16", "half_flop", "FP16"), ("fp16_tensor", "tensor_ops", "FP16 tensor"))
_DEVICE = "device_"  # how the metrics that describe the GPU begin
_READ = frozenset(
    (
        *("intensity", "gflop_per_s", "clock_share", "dram_peak_bytes_per_s", "half_flop", "tensor_ops"),
        *(name for names in _MIXES.values() for name in names),
        *(metric for _, metric, _ in _ROOFS),
    )
)


class Point(Struct, frozen=True):
    """A launch to draw. link: id of its section; before: the launch before, in a comparison.

    name: of its version, shown instead of the launch's number; past: whether a later version replaced it.
    """

    launch: LaunchDiagnosis
    link: str = ""
    before: LaunchDiagnosis | None = None
    name: str = ""
    past: bool = False


class _Frame(Struct, frozen=True):
    """Logarithmic scales from intensity (FLOP/byte) and rate (FLOP/s) to units of the drawing."""

    x0: float
    x1: float
    y0: float
    y1: float

    def x(self, intensity: float) -> float:
        share = (math.log10(min(max(intensity, self.x0), self.x1)) - math.log10(self.x0)) / math.log10(
            self.x1 / self.x0
        )
        return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)

    def y(self, rate: float) -> float:
        share = (math.log10(min(max(rate, self.y0), self.y1)) - math.log10(self.y0)) / math.log10(self.y1 / self.y0)
        return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)


def place_of(launch: LaunchDiagnosis) -> tuple[float, float] | None:
    """Return (FLOP/byte, FLOP/s) of a launch, or None if either is unknown or zero."""
    intensity, rate = known(launch.metrics, "intensity"), known(launch.metrics, "gflop_per_s")
    return (intensity, rate * 1e9) if intensity and rate else None


def is_charted(metric: str) -> bool:
    """Return whether a chart may read this metric of a launch."""
    return metric in _READ or metric.startswith(_DEVICE)


def rooflines(points: Sequence[Point]) -> list[tuple[Chart, str]]:
    """Return a roofline for each GPU, and sentences on its clock and on launches that it cannot show, if any.

    Empty without any point.
    """
    cards: dict[str, list[Point]] = {}
    for point in points:
        if point.launch.scope == "launch":
            cards.setdefault(point.launch.known_as or point.launch.gpu_name, []).append(point)
    out = []
    for card, found in cards.items():
        drawn = [p for p in found if place_of(p.launch) is not None]
        if drawn:
            rest = (clock_note([p.launch for p in drawn[:_MOST]]), _left_out(found, drawn))
            out.append((_chart(card, drawn[:_MOST]), " ".join(filter(None, rest))))
    return out


def clock_note(launches: Sequence[LaunchDiagnosis]) -> str:
    """Return a sentence where launches ran well below the boost clock, at which the roofs are drawn; else empty."""
    shares = [known(one.metrics, "clock_share") for one in launches]
    slow = [share for share in shares if share is not None and share < catalog().threshold("clock_below_boost")]
    if not slow:
        return ""
    low, high = share_text(min(slow)), share_text(max(slow))
    at = low if low == high else f"{low} to {high}"
    return f"The arithmetic roofs are those at the boost clock; while profiling, the SM clock was {at} of it."


def _left_out(found: Sequence[Point], drawn: Sequence[Point]) -> str:
    idle = [p for p in found if place_of(p.launch) is None and known(p.launch.metrics, "gflop_per_s") == 0]
    unknown = len(found) - len(drawn) - len(idle)
    parts = []
    if idle:
        parts.append(f"{len(idle)} without floating-point work")
    if unknown > 0:
        parts.append(f"{unknown} with unknown operations or DRAM bytes")
    if len(drawn) > _MOST:
        parts.append(f"{len(drawn) - _MOST} beyond the first {_MOST}")
    return f"Not drawn: {'; '.join(parts)}." if parts else ""


def roofs(
    launches: Sequence[LaunchDiagnosis], also: Sequence[tuple[str, str]] = ()
) -> tuple[float | None, list[tuple[str, float]]]:
    """Return DRAM bytes/s and the relevant peaks (name, FLOP/s) of these launches on one GPU, the lowest first.

    also: further peaks by their key in the GPU table, with their names.
    """
    first = launches[0]
    card, _, _ = gpus.resolve(first.metrics, first.gpu_name, first.cc)
    bandwidth = known(first.metrics, "dram_peak_bytes_per_s") or card.bandwidth
    wanted = {"fp32": "FP32"}
    wanted |= {peak: name for peak, metric, name in _ROOFS if any(known(one.metrics, metric) for one in launches)}
    wanted |= dict(also)
    peaks = [(name, card.peaks[peak]) for peak, name in wanted.items() if card.peaks.get(peak)]
    return bandwidth, sorted(peaks, key=lambda peak: peak[1])


class MixRoof(Struct, frozen=True):
    """The instruction-mix ceiling of a launch: only fused multiply-adds do two operations per instruction.

    kind: the type of most operations; peak: its peak in FLOP/s; fused, share: fused instructions as a share of its
    arithmetic instructions, and the ceiling as a share of the peak, (1 + fused) / 2; reached: the launch's rate as a
    share of the peak, None if unknown. Source: errata.lbm_mix.
    """

    kind: str
    peak: float
    fused: float
    share: float
    reached: float | None

    @property
    def rate(self) -> float:
        """Return the ceiling in FLOP/s."""
        return self.peak * self.share

    @property
    def name(self) -> str:
        """Return a short name."""
        return f"{self.kind} at {self.fused:.0%} fused".replace("%", " %")

    def reached_text(self) -> str:
        """Return the rate as a share of the peak, of the ceiling, and of the fused part of the peak; empty if unknown.

        The last is what a ceiling at the fused share would give; it counts the other instructions as no work.
        """
        if self.reached is None:
            return ""
        part = "" if self.fused <= 0 else f"; {100 * self.reached / self.fused:.0f} % of the fused part of the peak"
        of_mix = f"{100 * self.reached / self.share:.0f} % of the instruction-mix ceiling"
        return f"{100 * self.reached:.0f} % of the {self.kind} peak = {of_mix}{part}"


def mix_roof(launch: LaunchDiagnosis) -> MixRoof | None:
    """Return the instruction-mix ceiling of the type with most operations; None if unknown or near the peak."""
    kind = max(_MIXES, key=lambda name: known(launch.metrics, _MIXES[name][0]) or 0.0)
    flop, fused, share = (known(launch.metrics, metric) for metric in _MIXES[kind])
    others = (known(launch.metrics, metric) or 0.0 for metric in ("half_flop", "tensor_ops"))
    _, peaks = roofs([launch])
    peak = dict(peaks).get(kind)
    if not flop or peak is None or fused is None or share is None or share > _MIX_SHOWN or max(others) > flop:
        return None
    rate = known(launch.metrics, "gflop_per_s")
    return MixRoof(kind, peak, fused / 100, share / 100, None if rate is None else rate * 1e9 / peak)


def _chart(card: str, points: Sequence[Point]) -> Chart:
    bandwidth, peaks = roofs([p.launch for p in points])
    places = [place for p in points for launch in (p.launch, p.before) if launch and (place := place_of(launch))]
    ridges = [peak / bandwidth for _, peak in peaks] if bandwidth else []
    right = max([10.0, *(r * 10 for r in ridges), *(x for x, _ in places)])
    right = min(right, max(ridges) * _FAR) if ridges else right
    left = min([0.1, *(x for x, _ in places)])
    top = max([y for _, y in places] + [peak for _, peak in peaks])
    bottom = min([y for _, y in places] + [top / 1e4])
    current = [p for p in points if not p.past]
    mix = mix_roof(current[0].launch) if len(current) == 1 else None
    frame = _Frame(_below(left), _above(right), _below(bottom), _above(top))
    lines, words = _axes(frame)
    for at, (name, peak) in enumerate(peaks):
        start = peak / bandwidth if bandwidth else frame.x0
        lines.append(Line(frame.x(start), frame.y(peak), frame.x(frame.x1), frame.y(peak), "roof"))
        # The highest roof's label is above its line, the others are below theirs.
        y = frame.y(peak) + (-6 if at == len(peaks) - 1 else 15)
        words.append(Word(frame.x(start) + 12, y, f"{name} {_rate(peak)}", "start", "roof"))
    if mix is not None:
        start = mix.rate / bandwidth if bandwidth else frame.x0
        lines.append(Line(frame.x(start), frame.y(mix.rate), frame.x(frame.x1), frame.y(mix.rate), "mix"))
        label = f"{mix.name}: {_rate(mix.rate)}, {100 * mix.share:.0f} % of peak"
        words.append(Word(_WIDTH - _RIGHT, frame.y(mix.rate) + 13, label, "end", "roof"))
    if bandwidth:
        end = max(ridges, default=frame.x1)
        start = max(frame.x0, frame.y0 / bandwidth)
        lines.append(Line(frame.x(start), frame.y(start * bandwidth), frame.x(end), frame.y(end * bandwidth), "roof"))
        tip = f"DRAM {quantities.show(float(f'{bandwidth:.3g}'), 'byte/s', 3)}"
        middle = math.sqrt(start * end)
        words.append(Word(frame.x(middle) - 8, frame.y(middle * bandwidth) - 4, tip, "end", "roof"))
    marks, steps = _marks(points, frame)
    kinds = dict.fromkeys(m.kind for m in marks)
    both = {**_SHAPES, "undetermined": _OTHER}
    keys = [Key(both[kind][0], kind, both[kind][1]) for kind in kinds]
    title = f"Roofline{f' of {shown(card)}' if card else ''}"
    kind = "versions" if all(p.name for p in points) else "launches"
    count = f"{len(points)} {kind}" if len(points) > 1 else "The launch"
    says = f"{count} by {'their' if len(points) > 1 else 'its'} operations per byte of DRAM and achieved rate."
    if mix is not None and mix.reached_text():
        says += f" The dashed ceiling is that of the instruction mix, {mix.name}: {mix.reached_text()}."
    return Chart(title, says, _WIDTH, _HEIGHT, (*lines, *steps), (), tuple(words), tuple(marks), tuple(keys))


def _marks(points: Sequence[Point], frame: _Frame) -> tuple[list[Mark], list[Line]]:
    marks, steps = [], []
    several = len(points) > 1
    for point in points:
        here = place_of(point.launch)
        assert here is not None
        shape, _ = _SHAPES.get(point.launch.verdict.id, _OTHER)
        kind = point.launch.verdict.id if point.launch.verdict.id in _SHAPES else "undetermined"
        x, y = frame.x(here[0]), frame.y(here[1])
        then = place_of(point.before) if point.before is not None else None
        if then is not None:
            steps.append(Line(frame.x(then[0]), frame.y(then[1]), x, y, "step"))
        if point.before is not None and then is not None and not any(p.launch is point.before for p in points):
            old_shape, _ = _SHAPES.get(point.before.verdict.id, _OTHER)
            old_kind = point.before.verdict.id if point.before.verdict.id in _SHAPES else "undetermined"
            tip = _title(point.before, then, "before: ")
            marks.append(Mark(frame.x(then[0]), frame.y(then[1]), old_shape, old_kind, tip, hollow=True))
        label = (point.name or str(point.launch.index)) if several and len(points) <= _LABELLED else ""
        edge = "→" if here[0] > frame.x1 else ""
        marks.append(
            Mark(
                x,
                y,
                shape,
                kind,
                _title(point.launch, here, f"{point.name}: " if point.name else ""),
                label + edge,
                point.link,
                hollow=point.past,
                left=x > _WIDTH - _NEAR_EDGE,
            )
        )
    return marks, steps


def _title(launch: LaunchDiagnosis, place: tuple[float, float], head: str = "") -> str:
    return (
        f"{head}launch {launch.index}, {cut(shown(launch.kernel), _NAME)}: {place[0]:.3g} FLOP/byte, {_rate(place[1])}"
    )


def _rate(flop_per_s: float) -> str:
    return quantities.show(float(f"{flop_per_s:.3g}"), "FLOP/s", 3)


def _axes(frame: _Frame) -> tuple[list[Line], list[Word]]:
    lines, words = [], []
    for power in range(round(math.log10(frame.x0)), round(math.log10(frame.x1)) + 1):
        x = frame.x(10.0**power)
        lines.append(Line(x, _TOP, x, _HEIGHT - _BOTTOM, "grid"))
        words.append(Word(x, _HEIGHT - _BOTTOM + 16, f"{10.0**power:g}", "middle"))
    for power in range(round(math.log10(frame.y0)), round(math.log10(frame.y1)) + 1):
        y = frame.y(10.0**power)
        lines.append(Line(_LEFT, y, _WIDTH - _RIGHT, y, "grid"))
        words.append(Word(_LEFT - 6, y + 4, _rate(10.0**power), "end"))
    words.append(Word((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 8, "FLOP per byte of DRAM", "middle", "axis"))
    return lines, words


def _below(value: float) -> float:
    return 10.0 ** math.floor(math.log10(value))


def _above(value: float) -> float:
    return 10.0 ** math.ceil(math.log10(value) + 0.05)
