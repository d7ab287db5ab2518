"""What a supposed value moves, in words: which utilisations follow in the time model, and what is kept as measured."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Final

from advisor.knowledge.units import units
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.view.numbers import percent_text, time_text

_SHOWN: Final = 3  # units named
_NOTICED: Final = 0.5  # points
_HIGH: Final = 30.0  # % of peak; lower ones limit nothing


def followed_text(before: LaunchDiagnosis, after: LaunchDiagnosis, supposed: Collection[str]) -> str:
    """Return the time and the units that moved with the supposed metrics, or that they did not; "" if none is high.

    A utilisation that was itself supposed is left out.
    """
    have, then = before.metrics, after.metrics
    named = [name for name, unit in units().items() if unit.leads and name in have and name not in supposed]
    old, new = have.get("duration_ns"), then.get("duration_ns")
    moved = "duration_ns" not in supposed and old and new and not math.isclose(old, new, rel_tol=1e-6)
    if moved:
        changed = [name for name in named if name in then and abs(then[name] - have[name]) > _NOTICED]
        changed.sort(key=lambda name: -max(then[name], have[name]))
        pairs = (f"{units()[name].name} {_from_to(have[name], then[name])}" for name in changed[:_SHOWN])
        assert old is not None
        assert new is not None
        time = f"time {time_text(old)} → {time_text(new)}"
        follow = ", ".join((time, *pairs))
        return f"With the same work, these follow in the time model: {follow}. Stall reasons are unknown then."
    kept = sorted((name for name in named if have[name] >= _HIGH), key=lambda name: -have[name])[:_SHOWN]
    if not kept:
        return ""
    texts = ", ".join(f"{units()[name].name} {percent_text(have[name])}" for name in kept)
    return f"Kept as measured, although a real change would move them: {texts}, and the stall reasons."


def _from_to(old: float, new: float) -> str:
    return f"{percent_text(old)} → {percent_text(new)}"
