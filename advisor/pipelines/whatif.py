"""What the diagnosis of a launch would be if some of its numbers were others."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from advisor import metrics as metrics_room
from advisor.catalog.expressions import parse
from advisor.errors import UsageError
from advisor.model import LaunchDiagnosis
from advisor.pipelines.conclude import Reasoned, reason

if TYPE_CHECKING:
    from advisor.catalog import Catalog
    from advisor.pipelines.diagnose import Inputs

_COMPUTE = ("pipe_fma_pct", "pipe_alu_pct", "pipe_fp64_pct", "pipe_xu_pct", "pipe_tensor_pct", "issue_pct")
_MEMORY = ("l1_wavefronts_pct", "l1_requests_pct", "l1_writeback_pct", "l2_pct", "dram_pct")
_SIDE = ("lsu_pct", "adu_pct", "idc_pct", "mio_pct")


def what_if(
    catalog: Catalog, reasoned: Reasoned, inputs: Inputs, position: int, values: Mapping[str, float]
) -> LaunchDiagnosis:
    """Conclude one launch again with some metrics pinned; what is derived from them follows, nothing else moves."""
    for name in values:
        if name not in catalog.metrics:
            raise UsageError(f"{name!r} is not a metric: `ncu-advisor explain metrics` lists them")
    frame = reasoned.frame.iloc[[position]].reset_index(drop=True).copy()
    for name, value in _pinned(catalog, reasoned.observed.values(position), values).items():
        frame[name] = value
    frame = metrics_room.label(frame)
    merged = {**inputs.answers.get(None, {}), **inputs.answers.get(position, {})}
    one = replace(inputs, frame=inputs.frame.iloc[[position]].reset_index(drop=True), answers={None: merged})
    launch = reason(catalog, one, frame).launches[0]
    return replace(launch, known_as=reasoned.known_as[position])


def _pinned(catalog: Catalog, before: Mapping[str, float], values: Mapping[str, float]) -> dict[str, float]:
    """The assigned metrics and everything that follows from them."""
    now = {**before, **values}
    moved = set(values)
    # The headline numbers are maxima of their parts, but ncu reports them ready-made: rebuild them where a part moved.
    for whole, parts in (("memory_throughput_pct", _MEMORY), ("compute_pct", _COMPUTE)):
        known = [now[p] for p in parts if p in now]
        if moved & set(parts) and whole not in values and known:
            others = [] if whole != "memory_throughput_pct" else _unseen(before, parts, whole)
            now[whole] = max([*known, *others])
            moved.add(whole)
    if (moved & {"memory_throughput_pct", *_SIDE}) and "memory_pct" not in values:
        sides = [now[p] for p in ("memory_throughput_pct", *_SIDE) if p in now]
        if sides:
            now["memory_pct"] = max(sides)
            moved.add("memory_pct")
    for _ in range(len(catalog.metrics)):
        changed = False
        for name, definition in catalog.metrics.items():
            if not definition.formula or name in values or (definition.names and name in before):
                continue
            expression = parse(definition.formula)
            if expression.names & moved:
                value = expression.scalar(now)
                if not (math.isnan(value) and name not in now) and value != now.get(name):
                    now[name] = value
                    moved.add(name)
                    changed = True
        if not changed:
            break
    return {name: now[name] for name in moved}


def _unseen(before: Mapping[str, float], parts: tuple[str, ...], whole: str) -> list[float]:
    """The old headline where none of the known parts explains it: some part that is not in the list leads."""
    known = [before[p] for p in parts if p in before]
    return [before[whole]] if whole in before and known and before[whole] > max(known) + 1 else []
