"""What the diagnosis of a launch would be if some of its numbers were others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd

from advisor.reasoning.assemble import Reasoned, reason
from advisor.reasoning.conclude import weigh
from advisor.reasoning.engine.what_if import Then
from advisor.reasoning.engine.what_if import flips as engine_flips
from advisor.reasoning.metrics.derive import MEMORY
from advisor.reasoning.sensitivity import in_order
from advisor.reasoning.workloads import deriver
from advisor.records.errors import UsageError

if TYPE_CHECKING:
    from advisor.knowledge.base import Catalog
    from advisor.reasoning.diagnose import Inputs
    from advisor.reasoning.engine.what_if import Flip


def what_if(
    catalog: Catalog, reasoned: Reasoned, inputs: Inputs, position: int, values: Mapping[str, float]
) -> tuple[Inputs, Reasoned]:
    """Conclude one launch again with some metrics pinned; what is derived from them follows, nothing else moves.

    Returns the inputs and the reasoning of that launch alone. UsageError for a name that is no metric.
    """
    for name in values:
        if catalog.metrics.get(name) is None:
            raise UsageError(f"{name!r} is not a metric: `ncu-advisor explain metrics` lists them")
    one = _alone(inputs, position)
    frame = _supposed(catalog, reasoned, position, [values])
    return one, reason(catalog, one, frame, reasoned.known_as[position : position + 1])


def flips(catalog: Catalog, reasoned: Reasoned, inputs: Inputs, position: int, target: str) -> tuple[Flip, ...]:
    """The values at which the evidence of a finding or class turns, and what `what_if` would conclude just beyond."""

    def conclude(cases: Sequence[Mapping[str, float]]) -> list[Then]:
        frame = _supposed(catalog, reasoned, position, cases)
        known_as = reasoned.known_as[position : position + 1] * len(cases)
        weighed = weigh(catalog, _alone(inputs, position), frame, known_as)
        return [
            Then(weighed.traces[row].class_id, tuple(f.id for f in in_order(catalog, weighed, row)))
            for row in range(len(cases))
        ]

    return engine_flips(catalog, reasoned.observed, position, reasoned.traces[position], target, conclude)


def _alone(inputs: Inputs, position: int) -> Inputs:
    """The inputs of one launch."""
    merged = {**inputs.answers.get(None, {}), **inputs.answers.get(position, {})}
    return replace(inputs, frame=inputs.frame.iloc[[position]].reset_index(drop=True), answers={None: merged})


def _supposed(
    catalog: Catalog, reasoned: Reasoned, position: int, cases: Sequence[Mapping[str, float]]
) -> pd.DataFrame:
    """The derived rows of a launch with the values of each case, in the order of the cases."""
    before = reasoned.observed.values(position)
    pinned = [{**values, **_headline(before, values)} for values in cases]
    alike: dict[tuple[str, ...], list[int]] = {}
    for case, values in enumerate(pinned):
        alike.setdefault(tuple(values), []).append(case)
    frames = []
    # What stands is told for a whole frame: cases with the same metrics share one.
    for names, rows in alike.items():
        frame = reasoned.frame.iloc[[position] * len(rows)].reset_index(drop=True)
        frame = frame.assign(**{name: [float(pinned[row][name]) for row in rows] for name in names})
        frames.append(deriver(catalog)(frame, keep=names, metrics=catalog.metrics).set_axis(rows))
    out: pd.DataFrame = pd.concat(frames).sort_index()
    return out


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
