"""How long a launch would take on another GPU: each unit's work at that card's rate, put through the time model.

A unit whose rate there is r times that of here needs 1 / r of the time for the same work. Rates come from the table of
GPUs: DRAM bandwidth; SMs x clock for what every SM has; peaks by data type for the arithmetic pipes. Slices of L2 go
with the width of the memory bus among cards of one compute capability (the counters' own peaks: 2 sectors a cycle for
each 64 bits of bus on an H100 PCIe and an H200 alike). Where a rate is not known the work is taken to last between two
bounds, and the estimate is their middle on a log scale:

- L2 of another architecture: as long as here, or as SMs x clock have it.
- The width of a unit of an SM of another architecture: that of here, half or double, since widths are powers of two.
- A load's latency: as many nanoseconds as here (DRAM has a clock of its own), or as many SM cycles.

What the model cannot account for here is taken to last as long there. The range spans the bounds, more and less overlap
between units, and the model's own error about the part of the time that changes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from advisor.hardware.gpus import Gpu
from advisor.reasoning.time_model.model import Model, limiter, new_time
from advisor.reasoning.time_model.terms import LATENCY, Array, block_launch_ceiling, time_model

# A term that needs this part of what the largest one needs carries the time beside it.
CARRIES = 0.7
_SM_UNITS = ("l1_global", "l1_shared", "l1_local", "lsu", "alu", "xu", "adu", "idc")
_WIDTHS = 2.0


@dataclass(frozen=True, slots=True)
class Change:
    """Time for the same work there over here, from `low` to `high`.

    known: `rate` where both rates are, `bounds` where only the bounds are, `` where nothing is and it stays as it was.
    """

    low: float
    high: float
    known: str = "rate"

    @property
    def ratio(self) -> float:
        """The middle on a log scale."""
        return math.sqrt(self.low * self.high)


@dataclass(frozen=True, slots=True)
class Filling:
    """How a grid fills a card: `imbalance`, work of the busiest SM over the average, and `rounds` of warps on it."""

    imbalance: float = 1.0
    rounds: float = 1.0


@dataclass(frozen=True, slots=True)
class Prediction:
    """Time there over here with its range, and of each term its need there (a share of the time there) and change."""

    ratio: float
    low: float
    high: float
    leader: str
    needs: Mapping[str, float]
    changes: Mapping[str, Change]

    @staticmethod
    def per_sm(term: str) -> bool:
        """Whether the busiest SM decides how long a term's work takes."""
        return time_model().terms[term].per_sm

    def carrying(self) -> tuple[str, ...]:
        """The terms that carry the time there, or may."""
        most = max(self.needs.values(), default=0.0)
        return tuple(name for name, need in self.needs.items() if need >= CARRIES * most > 0)


def _over(here: float | None, there: float | None) -> Change:
    return Change(here / there, here / there) if here and there else Change(1.0, 1.0, "")


def _between(*ratios: float) -> Change:
    return Change(min(ratios), max(ratios), "bounds")


def _sms(here: Gpu, there: Gpu) -> Change:
    """SMs x clock; among cards of one architecture their fp32 peaks tell as much."""
    one, other = ((c.sm_count or 0) * (c.boost_clock_hz or 0.0) for c in (here, there))
    if one and other:
        return _over(one, other)
    return _over(here.peaks.get("fp32"), there.peaks.get("fp32")) if here.cc == there.cc else Change(1.0, 1.0, "")


def changes(
    here: Gpu, there: Gpu, tensor: str = "fp16_tensor", fma: Mapping[str, float] | None = None
) -> dict[str, Change]:
    """The change of every term's work but for how the grid fills the card.

    tensor: the peak of the matrix work; fma: shares of what runs on the FMA pipe by peak, "" for integers.
    """
    if here == there:
        return dict.fromkeys(time_model().terms, Change(1.0, 1.0))
    sms, clock = _sms(here, there), _over(here.boost_clock_hz, there.boost_clock_hz)
    alike = here.cc == there.cc
    unit = sms if alike or not sms.known else _between(sms.ratio / _WIDTHS, sms.ratio * _WIDTHS)
    out = dict.fromkeys(_SM_UNITS, unit)
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
    # One slice works at L2's clock, however many there are beside it.
    out["atomics"] = _between(1.0, clock.ratio) if clock.known else clock
    starts = (block_launch_ceiling(c.cc) * (c.boost_clock_hz or 0.0) for c in (here, there))
    out["block_launch"] = _over(*starts)
    for name in LATENCY:
        out[name] = clock
    if clock.known:
        out["latency_memory"] = _between(1.0, clock.ratio)
    return out


def _mixed(parts: Sequence[tuple[float, Change]]) -> Change:
    """Work of several kinds on one unit, each with its share and its change: the times add up."""
    kinds = {change.known for share, change in parts if share > 0}
    known = "" if "" in kinds else "bounds" if "bounds" in kinds else "rate"
    return Change(sum(s * c.low for s, c in parts), sum(s * c.high for s, c in parts), known)


def _l2(here: Gpu, there: Gpu, sms: Change, clock: Change) -> Change:
    if here.cc == there.cc and here.bus_bits and there.bus_bits and clock.known:
        return _over(here.bus_bits, there.bus_bits / clock.ratio)
    return _between(1.0, sms.ratio) if sms.known else sms


def filling(grid: float, warps: float, sms: float, slots: float, spread: float = 1.0) -> Filling:
    """How a grid of so many blocks and warps fills so many SMs with so many warp slots each.

    spread: what the busiest SM has over the average beside what whole blocks make. Unknown (NaN) counts as even.
    """
    if not (grid > 0 and sms > 0):
        return Filling()
    imbalance = max(1.0, math.ceil(grid / sms) / (grid / sms) * spread)
    rounds = warps / sms * imbalance / slots if warps > 0 and slots > 0 else 1.0
    return Filling(imbalance, max(1.0, rounds))


@np.errstate(all="ignore")
def predict(
    model: Model, row: int, changed: Mapping[str, Change], here: Filling, there: Filling, floor: float = 0.0
) -> Prediction:
    """The time of one row of the model on the other card. floor: the least ratio that the algorithm's bytes allow."""
    now = model.now.at([row])
    described = time_model().terms
    filled: dict[str, float] = {}
    for name in now.terms:
        factor = there.imbalance / here.imbalance if described[name].per_sm else 1.0
        filled[name] = there.rounds / here.rounds if name in LATENCY else factor

    def after(pick: str) -> dict[str, Array]:
        return {name: need * getattr(changed[name], pick) * filled[name] for name, need in now.terms.items()}

    constants = time_model()
    norm = constants.norm
    middle = after("ratio")
    norms = (norm.low, norm.estimate, norm.high)
    ratio = max(floor, float(new_time(now, middle, norm.estimate)[0]))
    low = min(float(new_time(now, after("low"), n)[0]) for n in norms)
    high = max(float(new_time(now, after("high"), n)[0]) for n in norms)
    # What stays as it was has been measured: the model may be off about the rest.
    low, high = (r * constants.accuracy.within ** (sign * (1 - min(r, 1 / r))) for r, sign in ((low, -1), (high, 1)))
    leader = limiter(middle, 0)
    return Prediction(
        ratio,
        min(max(floor, low), ratio),
        max(high, ratio),
        leader,
        {name: float(need[0]) / ratio for name, need in middle.items()},
        {
            name: Change(c.low * filled[name], c.high * filled[name], c.known)
            for name, c in changed.items()
            if name in filled
        },
    )
