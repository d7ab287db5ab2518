"""The time of a launch on another GPU, from the needs of its units here and their rates there."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from advisor.knowledge.time_model import time_model
from advisor.reasoning.other_gpu.rates import Change
from advisor.reasoning.time_model.model import Model, limiter, new_time
from advisor.reasoning.time_model.terms import LATENCY, Array, Needs

# A term that needs at least this part of the largest need also determines the time.
CARRIES = 0.7


class Filling(Struct, frozen=True):
    """How a grid fills a GPU. imbalance: work of the busiest SM / average; rounds: rounds of warps on that SM."""

    imbalance: float = 1.0
    rounds: float = 1.0


class Prediction(Struct, frozen=True):
    """Time there / here with its range, and the need (a share of the time there) and the change of each term."""

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
        """Return the terms that determine the time there, or may."""
        most = max(self.needs.values(), default=0.0)
        return tuple(name for name, need in self.needs.items() if need >= CARRIES * most > 0)


def filling(grid: float, warps: float, sms: float, slots: float, spread: float = 1.0) -> Filling:
    """Return how a grid of `grid` blocks and `warps` warps fills `sms` SMs with `slots` warp slots each.

    spread: work of the busiest SM / average, apart from the effect of whole blocks. Unknown (NaN) counts as even.
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
    """Predict the time of one row of the model on the other GPU. floor: the lowest ratio that the bytes allow."""
    now = model.now.at([row])
    described = time_model().terms
    filled: dict[str, float] = {}
    for name in now.terms:
        factor = there.imbalance / here.imbalance if described[name].per_sm else _crowding(now, name, here, there)
        filled[name] = there.rounds / here.rounds if name in LATENCY else factor

    def after(pick: str) -> dict[str, Array]:
        return {name: need * getattr(changed[name], pick) * filled[name] for name, need in now.terms.items()}

    constants = time_model()
    norm = constants.norm
    middle = after("ratio")
    norms = (norm.low, norm.estimate, norm.high)
    ratio = max(floor, float(new_time(now, middle, norm.estimate, same_work=True)[0]))
    low = min(float(new_time(now, after("low"), n, same_work=True)[0]) for n in norms)
    high = max(float(new_time(now, after("high"), n, same_work=True)[0]) for n in norms)
    # The unchanged part was measured: the model's error applies to the rest only.
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


def _crowding(now: Needs, name: str, here: Filling, there: Filling) -> float:
    """Return how the need of a unit that all SMs share changes where its SMs end more or less apart."""
    more = float(now.crowded[name][0]) if name in now.crowded else 1.0
    apart = here.imbalance - 1
    return (1 + (more - 1) * min(1.0, (there.imbalance - 1) / apart)) / more if apart > 0 else 1.0
