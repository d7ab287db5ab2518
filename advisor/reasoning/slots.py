"""What became of the issue slots of a launch: issued, idle SMs, or lost to a stall reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from advisor.records.diagnosis import IssueSlots, LostSlots

_BEGIN, _END = "stall_", "_not_issued_pct"
# On CC 9.0, the samples name this reason `warpgroup_arrive`, and its metric has the same value.
_SAME: Final = ("gmma", "warpgroup_arrive")


def issue_slots(values: Mapping[str, float]) -> IssueSlots | None:
    """Return the account of the issue slots; None if the report lacks issue activity, SM activity or the samples.

    An SM has one issue slot per scheduler and cycle. In a cycle without an issue, ncu samples a warp of the scheduler
    with the reason why it could not issue, so that the shares of these samples divide the slots that were lost while a
    block was on the SM. Slots of a scheduler without a warp are not sampled: they are divided like the others.
    Source: Nsight Compute, Kernel Profiling Guide, "Sampler" (warp samples of cycles without an issue).
    """
    issued, active = values.get("issue_pct"), values.get("sm_active_pct")
    shares = {name[len(_BEGIN) : -len(_END)]: share for name, share in values.items() if _is_share(name)}
    if all(reason in shares for reason in _SAME):
        del shares[_SAME[0]]
    total = sum(shares.values())
    if issued is None or active is None or total <= 0:
        return None
    issued = min(max(issued, 0.0), 100.0)
    idle = min(max(100.0 - active, 0.0), 100.0 - issued)
    left = 100.0 - issued - idle
    lost = (LostSlots(reason, left * (share / total)) for reason, share in shares.items() if share > 0)
    return IssueSlots(issued, idle, tuple(sorted(lost, key=lambda one: (-one.percent, one.reason))))


def _is_share(name: str) -> bool:
    return name.startswith(_BEGIN) and name.endswith(_END)
