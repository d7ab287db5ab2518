"""Bound a fix by the issue slots of the launch: a second account of the time, beside the needs of units.

Every scheduler has one issue slot a cycle. A slot issues an instruction, belongs to an SM without a block, or is lost
to the reason for which the sampled warp waited (reasoning/slots.py). The blame of each reason lies with the work that
it waits for (`blame` in knowledge/time_model.yaml): what a fix leaves of that work is left of the lost slots. Issued
slots shrink with the instructions. Source: slots and samples, Nsight Compute's Kernel Profiling Guide; blame, GPA
(Zhou et al. 2021).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from advisor.knowledge.time_model import time_model
from advisor.reasoning.time_model.terms import Array, Needs

_BEGIN, _END = "stall_", "_not_issued_pct"
# Two names of one reason.
_TWICE = "gmma"
_BARRIER = "barrier"


@np.errstate(all="ignore")
def slots_left(columns: Mapping[str, Array], now: Needs, after: Mapping[str, Array], even: Array) -> Array:
    """Return new time / old time by issue slots, shape (rows,); NaN without samples of lost slots.

    after: the needs of all terms with the fix; even: what is left of the busiest SM's excess, 1 if it stays.
    """
    rows = len(even)
    unknown = np.full(rows, np.nan)
    lost = {
        name[len(_BEGIN) : -len(_END)]: np.nan_to_num(columns[name])
        for name in columns
        if name.startswith(_BEGIN) and name.endswith(_END)
    }
    if "warpgroup_arrive" in lost:
        lost.pop(_TWICE, None)
    total = np.asarray(sum(lost.values(), np.zeros(rows)))
    issued, active = columns.get("issue_pct", unknown), columns.get("sm_active_pct", unknown)
    idle = np.clip(100 - active, 0, 100 - issued)
    each = (100 - issued - idle) / total
    out = issued * _left(now.terms, after, ("issue",)) + idle * even
    named = {reason: blamed.terms for blamed in time_model().blame for reason in blamed.reasons}
    apart = {reason: share for reason, share in lost.items() if reason != _BARRIER}
    kept = np.asarray(
        sum(share * _left(now.terms, after, named.get(reason, ("latency_fixed",))) for reason, share in apart.items())
    )
    own = np.asarray(sum(apart.values()))
    # Warps at a barrier wait for those that wait for something else.
    follows = np.where(own > 0, kept / own, 1.0)
    at_barrier = np.fmin(follows, _left(now.terms, after, ("latency_barrier",)))
    out = out + each * (kept + np.nan_to_num(lost.get(_BARRIER, np.zeros(rows))) * at_barrier)
    return np.where(total > 0, out / 100, np.nan)


def _left(before: Mapping[str, Array], after: Mapping[str, Array], names: tuple[str, ...]) -> Array:
    """Return what is left of the fullest of some terms, for which the others queue; 1 if none of them is needed."""
    was, then = (np.array([terms[name] for name in names]) for terms in (before, after))
    fullest = np.expand_dims(np.argmax(was, axis=0), 0)
    was, then = (np.take_along_axis(needs, fullest, axis=0)[0] for needs in (was, then))
    return np.where(was > 0, then / was, 1.0)
