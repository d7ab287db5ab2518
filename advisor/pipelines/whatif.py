"""What the diagnosis of a launch would be if some of its numbers were others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from advisor.errors import UsageError
from advisor.metrics.leaders import MEMORY
from advisor.pipelines.conclude import Reasoned, reason
from advisor.pipelines.workloads import deriver

if TYPE_CHECKING:
    from advisor.catalog import Catalog
    from advisor.pipelines.diagnose import Inputs


def what_if(
    catalog: Catalog, reasoned: Reasoned, inputs: Inputs, position: int, values: Mapping[str, float]
) -> tuple[Inputs, Reasoned]:
    """Conclude one launch again with some metrics pinned; what is derived from them follows, nothing else moves.

    Returns the inputs and the reasoning of that launch alone. UsageError for a name that is no metric.
    """
    for name in values:
        if catalog.metrics.get(name) is None:
            raise UsageError(f"{name!r} is not a metric: `ncu-advisor explain metrics` lists them")
    pinned = {**values, **_headline(reasoned.observed.values(position), values)}
    frame = reasoned.frame.iloc[[position]].reset_index(drop=True).assign(**pinned)
    frame = deriver(catalog)(frame, keep=tuple(pinned), metrics=catalog.metrics)
    merged = {**inputs.answers.get(None, {}), **inputs.answers.get(position, {})}
    one = replace(inputs, frame=inputs.frame.iloc[[position]].reset_index(drop=True), answers={None: merged})
    return one, reason(catalog, one, frame, reasoned.known_as[position : position + 1])


def _headline(before: Mapping[str, float], values: Mapping[str, float]) -> dict[str, float]:
    """Memory throughput is the largest of its units, but ncu reports it ready-made: rebuild it where a unit moved."""
    whole = "memory_throughput_pct"
    if whole in values or whole not in before or not set(values) & set(MEMORY):
        return {}
    units = [before[name] for name in MEMORY if name in before]
    largest = max({**before, **values}[name] for name in MEMORY if name in before or name in values)
    # Where no unit explains the old number, some part that the report does not name leads, and stays.
    unexplained = not units or before[whole] > max(units) + 0.5
    return {whole: max(largest, before[whole]) if unexplained else largest}
