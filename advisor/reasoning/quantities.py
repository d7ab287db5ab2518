"""Evaluate the formulas of step 3 (knowledge/quantities.yaml) on every launch, in bulk.

They need no time model: each is arithmetic on a few metrics, so it also bounds the gain of a fix that the model cannot
estimate.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from msgspec import structs

from advisor.knowledge.base import Catalog
from advisor.knowledge.expressions import FALSE, TRUE, Expression, ExpressionError, parse
from advisor.knowledge.schemas import QuantityDef, WayDef
from advisor.knowledge.texts import fields, fill
from advisor.reasoning.observations import Array, Observed
from advisor.records.diagnosis import Quantity
from advisor.records.errors import KnowledgeError

SHARE = "share"  # the field of `says` for the way's own share


@dataclass(frozen=True)
class _Way:
    """A parsed way of a quantity. wanted: the numbers in its text; inputs: the metrics that enter, in reading order."""

    source: WayDef
    let: Mapping[str, Expression]
    share: Expression | None
    at_most: Expression | None
    wanted: tuple[str, ...]
    inputs: tuple[str, ...]


def quantities(catalog: Catalog, observed: Observed) -> list[tuple[Quantity, ...]]:
    """Return the quantities of each launch, the largest bound first, bounds whose assumption fails last.

    `bounds` are those of the entry; `of_findings` keeps the findings of the launch.
    """
    out: list[list[Quantity]] = [[] for _ in range(len(observed.truth))]
    columns = dict(observed.columns)
    for entry, ways in _parsed(catalog):
        still = np.ones(len(out), dtype=bool)
        for way in ways:
            still &= ~_add(out, observed, columns, entry, way, still)
            if not still.any():
                break
    return [tuple(sorted(found, key=_rank)) for found in out]


def of_findings(found: Sequence[Quantity], names: Collection[str]) -> tuple[Quantity, ...]:
    """Return the quantities, each with those of its findings that the launch has."""
    return tuple(structs.replace(q, bounds=tuple(name for name in q.bounds if name in names)) for q in found)


def _rank(quantity: Quantity) -> tuple[bool, float]:
    return quantity.holds is False, -(quantity.at_most or 0.0)


def _add(
    out: list[list[Quantity]],
    observed: Observed,
    columns: dict[str, Array],
    entry: QuantityDef,
    way: _Way,
    still: Array,
) -> Array:
    """Add one way of a quantity to the launches in `still` on which it holds and is known; return which those are.

    columns: all metrics; the way's own numbers are added, and replace those of earlier ways.
    """
    chosen = still & _all_true(observed, way.source.when)
    for name in way.source.unless:
        chosen &= observed.truth[:, observed.place[name]] != TRUE
    if not chosen.any():
        return chosen
    rows = len(still)
    for name, expression in way.let.items():
        columns[name] = expression.column(columns, rows)
    if way.share is not None:
        columns[SHARE] = np.clip(way.share.column(columns, rows), 0.0, 1.0)
    bound = None if way.at_most is None else np.maximum(way.at_most.column(columns, rows), 1.0)
    unknown = np.full(rows, np.nan)
    numbers = [columns.get(name, unknown) for name in way.wanted if name not in observed.labels]
    numbers += [columns[SHARE]] if way.share is not None else []
    numbers += [bound] if bound is not None else []
    for column in numbers:
        chosen &= np.isfinite(column)
    for name in way.wanted:
        if name in observed.labels:
            chosen &= np.array([bool(text) for text in observed.labels[name]])
    holds = _outcome(observed, entry.holds)
    for row in np.flatnonzero(chosen).tolist():
        texts: dict[str, float | str] = {
            name: observed.labels[name][row] if name in observed.labels else float(columns[name][row])
            for name in way.wanted
        }
        found = Quantity(
            id=entry.id,
            title=entry.title,
            says=fill(way.source.says, texts),
            share=None if way.share is None else float(columns[SHARE][row]),
            at_most=None if bound is None else float(bound[row]),
            assumes=entry.assumes if bound is not None else "",
            holds=holds[row] if bound is not None else None,
            inputs=tuple((name, observed.value(row, name)) for name in way.inputs),
            bounds=entry.bounds if bound is not None else (),
            cites=entry.cites,
        )
        out[row].append(found)
    return chosen


def _all_true(observed: Observed, names: Sequence[str]) -> Array:
    places = [observed.place[name] for name in names]
    return np.asarray((observed.truth[:, places] == TRUE).all(axis=1))


def _outcome(observed: Observed, names: Sequence[str]) -> list[bool | None]:
    """Return for each launch whether all observations hold; None if that is unknown or there are none."""
    if not names:
        return [None] * len(observed.truth)
    least = observed.truth[:, [observed.place[name] for name in names]].min(axis=1)
    return [True if code == TRUE else False if code == FALSE else None for code in least.tolist()]


@lru_cache(maxsize=4)
def _parsed(catalog: Catalog) -> tuple[tuple[QuantityDef, tuple[_Way, ...]], ...]:
    """Return all entries with their parsed ways; raises KnowledgeError for one that is not in the grammar."""
    out = []
    for entry in catalog.quantities.values():
        try:
            out.append((entry, tuple(_way(catalog, way) for way in entry.ways)))
        except (ExpressionError, ValueError) as e:
            raise KnowledgeError(f"knowledge/quantities.yaml:1: {entry.id}: {e}") from None
    return tuple(out)


def _way(catalog: Catalog, way: WayDef) -> _Way:
    let = {name: parse(text) for name, text in way.let.items()}
    share, at_most = (parse(text) if text else None for text in (way.share, way.at_most))
    wanted = tuple(sorted(fields(way.says)))
    read = [*wanted, *(n for e in (*let.values(), share, at_most) if e is not None for n in sorted(e.names))]
    inputs = tuple(dict.fromkeys(name for name in read if name in catalog.metrics and name not in let))
    return _Way(way, let, share, at_most, wanted, inputs)
