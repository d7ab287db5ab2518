"""How long each unit of another GPU takes for the same work."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct

from advisor.hardware.gpus import Gpu
from advisor.hardware.sass import multiply_adds
from advisor.knowledge.time_model import block_launch_ceiling, time_model
from advisor.reasoning.time_model.terms import LATENCY

_WIDTHS = 2.0
# Prefixes of matrix opcodes, and the peak that limits them if their name does not contain a type.
TENSOR = {
    **dict.fromkeys(("HMMA", "HGMMA", "UTCHMMA"), "fp16_tensor"),
    **dict.fromkeys(("IMMA", "IGMMA", "UTCIMMA"), "int8_tensor"),
    **dict.fromkeys(("QMMA", "QGMMA", "UTCQMMA"), "fp8_tensor"),
    **dict.fromkeys(("OMMA", "UTCOMMA"), "fp4_tensor"),
    "DMMA": "fp64_tensor",
}
# Of a matrix instruction whose name has no shape: 16 x 8 x 16.
_USUAL_MULTIPLY_ADDS = 2048


class Change(Struct, frozen=True):
    """Time for the same work there / here, from `low` to `high`.

    known: `rate` if both rates are known, `bounds` if only bounds are, `` if neither is: unchanged.
    """

    low: float
    high: float
    known: str = "rate"

    @property
    def ratio(self) -> float:
        """Return the middle on a log scale."""
        return math.sqrt(self.low * self.high)


def _over(here: float | None, there: float | None) -> Change:
    return Change(here / there, here / there) if here and there else Change(1.0, 1.0, "")


def _between(*ratios: float) -> Change:
    return Change(min(ratios), max(ratios), "bounds")


def _sms(here: Gpu, there: Gpu) -> Change:
    """Return the change of SMs x clock; within one architecture the fp32 peaks have the same ratio."""
    one, other = ((c.sm_count or 0) * (c.boost_clock_hz or 0.0) for c in (here, there))
    if one and other:
        return _over(one, other)
    return _over(here.peaks.get("fp32"), there.peaks.get("fp32")) if here.cc == there.cc else Change(1.0, 1.0, "")


def changes(
    here: Gpu, there: Gpu, tensor: str = "fp16_tensor", fma: Mapping[str, float] | None = None
) -> dict[str, Change]:
    """Return the change of every term's work, apart from how the grid fills the GPU.

    tensor: the peak of the matrix work; fma: shares of the FMA pipe's work by peak, "" for integers.
    """
    if here == there:
        return dict.fromkeys(time_model().terms, Change(1.0, 1.0))
    sms, clock = _sms(here, there), _over(here.boost_clock_hz, there.boost_clock_hz)
    alike = here.cc == there.cc
    unit = sms if alike or not sms.known else _between(sms.ratio / _WIDTHS, sms.ratio * _WIDTHS)
    out = {name: unit for name, term in time_model().terms.items() if term.per_sm}
    out["issue"] = sms
    if here.limits and there.limits and sms.known:
        schedulers = here.limits.schedulers / there.limits.schedulers
        out["issue"] = Change(sms.low * schedulers, sms.high * schedulers)

    def at_peak(peak: str) -> Change:
        return _over(here.peaks.get(peak), there.peaks.get(peak))

    out["fma"] = _mixed([(share, at_peak(peak) if peak else unit) for peak, share in (fma or {"fp32": 1.0}).items()])
    out["fp64"], out["tensor"] = at_peak("fp64"), at_peak(tensor)
    out["dram"] = _over(here.bandwidth, there.bandwidth)
    out["l2"] = out["l2_fill"] = _l2(here, there, sms, clock)
    # Of the link between the partitions of L2 nothing is published; half of what DRAM sends crosses it.
    out["l2_fabric"] = out["dram"]
    out["in_turn"] = sms  # phases of two units of an SM, at its clock
    # One slice works at L2's clock, independent of the number of slices.
    out["atomics"] = _between(1.0, clock.ratio) if clock.known else clock
    starts = ((block_launch_ceiling(c.cc) or 0.0) * (c.boost_clock_hz or 0.0) for c in (here, there))
    out["block_launch"] = _over(*starts)
    for name in LATENCY:
        out[name] = clock
    if clock.known:
        out["latency_memory"] = _between(1.0, clock.ratio)
    return out


def _mixed(parts: Sequence[tuple[float, Change]]) -> Change:
    """Combine several kinds of work on one unit, each with its share and its change: the times add up."""
    kinds = {change.known for share, change in parts if share > 0}
    known = "" if "" in kinds else "bounds" if "bounds" in kinds else "rate"
    return Change(sum(s * c.low for s, c in parts), sum(s * c.high for s, c in parts), known)


def _l2(here: Gpu, there: Gpu, sms: Change, clock: Change) -> Change:
    if here.cc == there.cc and here.bus_bits and there.bus_bits and clock.known:
        return _over(here.bus_bits, there.bus_bits / clock.ratio)
    return _between(1.0, sms.ratio) if sms.known else sms


def matrix_peak(opcodes: Mapping[str, float]) -> str:
    """Return the peak that limits most multiply-adds of the matrix instructions; "" without any."""
    count: dict[str, float] = {}
    for opcode, number in opcodes.items():
        kind = TENSOR.get(opcode.partition(".")[0])
        if kind == "fp16_tensor":
            kind = "bf16_tensor" if ".BF16" in opcode else "tf32_tensor" if ".TF32" in opcode else kind
        if kind:
            count[kind] = count.get(kind, 0.0) + number * (multiply_adds(opcode) or _USUAL_MULTIPLY_ADDS)
    return max(count, key=lambda kind: count[kind], default="")
