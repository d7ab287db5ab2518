"""Numbers of a timeline that a person read off a screen: judged by the same rules as a trace, as far as they go."""

from __future__ import annotations

import math
from collections.abc import Mapping

from advisor.catalog import Catalog
from advisor.errors import UsageError
from advisor.timeline.analyse import conclude_facts
from advisor.timeline.facts import LOSSES, METRICS, GpuFacts
from advisor.timeline.results import TimelineResult
from advisor.timeline.trace import Gpu, Trace
from advisor.timeline.words import words

FORM = "typed"
# Idle time by its causes: where all of them are known, the rest has none.
_IDLE = ("sync_gap_pct", "input_wait_pct", "output_wait_pct")


def conclude_numbers(values: Mapping[str, float], base: Catalog | None = None) -> TimelineResult:
    """Patterns and decision from shares and counts (ids of metrics_timeline.yaml); what was not given stays unknown.

    UsageError for a name that is none of them, or a share outside 0 to 100.
    """
    for name, value in values.items():
        if name not in METRICS:
            raise UsageError(f"{name!r} is no number of a timeline")
        if not math.isfinite(value) or value < 0 or (name.endswith("_pct") and value > 100):
            raise UsageError(f"{name}: {value:g} cannot be: a share is 0 to 100 %, a count not negative")
    known = _derived(values)
    lacking = dict.fromkeys((name for name in METRICS if name not in known), "person")
    trace = Trace(path=words().texts["typed"], sha256="", form=FORM)
    return conclude_facts((trace,), ((0, GpuFacts(Gpu(-1), known, lacking)),), base=base)


def _derived(values: Mapping[str, float]) -> dict[str, float]:
    """With what follows from them: idle from busy, the largest loss, what overlap could hide, idle time of no cause."""
    out = dict(values)
    busy = out.get("gpu_busy_pct")
    if busy is not None:
        out.setdefault("gpu_idle_pct", 100 - busy)
    losses = [out[name] for name in LOSSES if name in out]
    if losses:
        out.setdefault("system_loss_pct", max(losses))
    if all(name in out for name in ("copy_exposed_pct", "host_copy_pct", "computing_pct")):
        hidden = max(0.0, out["host_copy_pct"] - out["copy_exposed_pct"])
        out.setdefault("copy_overlappable_pct", max(0.0, min(out["copy_exposed_pct"], out["computing_pct"] - hidden)))
    if "gpu_idle_pct" in out and all(name in out for name in _IDLE):
        out.setdefault("idle_unexplained_pct", max(0.0, out["gpu_idle_pct"] - sum(out[name] for name in _IDLE)))
    return out
