"""Evaluate the formulas of step 3 (knowledge/quantities.yaml) on every launch, in bulk.

They need no time model: each is arithmetic on a few metrics, so it also bounds the gain of a fix that the model cannot
estimate.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from msgspec import Struct, structs

from advisor.knowledge.base import Catalog
from advisor.knowledge.expressions import FALSE, TRUE, Expression, ExpressionError, parse
from advisor.knowledge.schemas import QuantityDef, WayDef
from advisor.knowledge.texts import fields, fill
from advisor.knowledge.time_model import time_model
from advisor.reasoning.observations import Array, Observed
from advisor.reasoning.time_model.terms import with_assumed
from advisor.records.diagnosis import Quantity, Speedup, lowest_bound
from advisor.records.errors import KnowledgeError

SHARE = "share"  # the field of `says` for the way's own share


class _Way(Struct, frozen=True):
    """A parsed way of a quantity. wanted: the numbers in its text; inputs: the metrics that enter, in reading order."""

    let: Mapping[str, Expression]
    share: Expression | None
    at_most: Expression | None
    wanted: tuple[str, ...]
    inputs: tuple[str, ...]


def quantities(observed: Observed) -> list[tuple[Quantity, ...]]:
    """Return the quantities of each launch, the largest bound first, bounds whose assumption fails last.

    `bounds` are those of the entry, and `holds` is from the observations alone; `of_launch` adds the conclusions.
    Raises KnowledgeError for a formula that is not in the grammar or names no observation.
    """
    out: list[list[Quantity]] = [[] for _ in range(len(observed.truth))]
    columns = with_assumed(observed.columns)
    for entry in observed.catalog.quantities.values():
        still = np.ones(len(out), dtype=bool)
        for way in entry.ways:
            still &= ~_add(out, observed, columns, entry, way, still)
            if not still.any():
                break
    return [tuple(sorted(found, key=_rank)) for found in out]


def of_launch(
    catalog: Catalog, found: Sequence[Quantity], class_id: str, findings: Collection[str]
) -> tuple[Quantity, ...]:
    """Return the quantities, each with those of its findings that the launch has.

    `holds` follows the class: an assumption that the observations allow holds only on launches of the entry's classes
    (all, if it names none), and is unknown (None) on others.
    """

    def one(quantity: Quantity) -> Quantity:
        classes = catalog.quantities[quantity.id].classes
        is_so = quantity.holds and (not classes or class_id in classes)
        bounds = tuple(name for name in quantity.bounds if name in findings)
        return structs.replace(quantity, bounds=bounds, holds=False if quantity.holds is False else is_so or None)

    return tuple(map(one, found))


def within_bounds(
    catalog: Catalog, found: Sequence[Quantity], class_id: str, gains: Mapping[str, Speedup]
) -> dict[str, Speedup]:
    """Return the estimates of one launch, none above the lowest bound of its finding. gains: by finding."""
    limits = [one for one in found if catalog.quantities[one.id].beside_model]
    bounds = of_launch(catalog, limits, class_id, gains) if gains else ()
    return {name: _within(gain, lowest_bound(bounds, name)) for name, gain in gains.items()}


def _within(gain: Speedup, bound: Quantity | None) -> Speedup:
    if bound is None or bound.at_most is None or gain.high <= bound.at_most:
        return gain
    most = bound.at_most
    how = _without_more(gain.how, most)
    if gain.estimate > most:
        how = f"{how}; {fill(time_model().how['bound'], {'title': bound.title})}"
    return structs.replace(gain, estimate=min(gain.estimate, most), low=min(gain.low, most), high=most, how=how)


def _without_more(how: str, most: float) -> str:
    """Return how a gain was estimated without the second number of the issue slots, if it is above the bound."""
    before, after = fill(time_model().how["apart"], {"gain": "|"}).split("|")

    def above(part: str) -> bool:
        return part.startswith(before) and float(part.removeprefix(before).removesuffix(after)) > most

    return "; ".join(part for part in how.split("; ") if not above(part))


def _rank(quantity: Quantity) -> tuple[bool, float]:
    return quantity.holds is False, -(quantity.at_most or 0.0)


def _add(
    out: list[list[Quantity]],
    observed: Observed,
    columns: dict[str, Array],
    entry: QuantityDef,
    source: WayDef,
    still: Array,
) -> Array:
    """Add one way of a quantity to the launches in `still` on which it holds and is known; return which those are.

    columns: all metrics; the way's own numbers are added, and replace those of earlier ways.
    """
    chosen = still & (_truth(observed, entry, source.when) == TRUE).all(axis=1)
    chosen &= (_truth(observed, entry, source.unless) != TRUE).all(axis=1)
    if not chosen.any():
        return np.zeros_like(still)
    way, rows = _way(observed.catalog, entry, source), len(still)
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
    holds = _outcome(_truth(observed, entry, entry.holds))
    instead = parse(entry.otherwise).column(columns, rows) if entry.otherwise and bound is not None else unknown
    for row in np.flatnonzero(chosen).tolist():
        texts: dict[str, float | str] = {
            name: observed.labels[name][row] if name in observed.labels else float(columns[name][row])
            for name in way.wanted
        }
        at_most = None if bound is None else float(bound[row])
        # Where the assumption fails, the time that the work of that unit takes may be the lower bound.
        other = at_most is not None and holds[row] is False and 1 <= float(instead[row]) < at_most
        found = Quantity(
            id=entry.id,
            title=entry.title,
            says=fill(source.says, texts),
            share=None if way.share is None else float(columns[SHARE][row]),
            at_most=float(instead[row]) if other else at_most,
            assumes=_assumed(entry, observed, row) if other else entry.assumes if bound is not None else "",
            holds=holds[row] if bound is not None and not other else None,
            inputs=tuple((n, value) for n in way.inputs if math.isfinite(value := observed.value(row, n))),
            bounds=entry.bounds if bound is not None else (),
            cites=entry.cites,
        )
        out[row].append(found)
    return np.asarray(chosen)


def _assumed(entry: QuantityDef, observed: Observed, row: int) -> str:
    """Return what the bound requires where the entry's own assumption fails."""
    return fill(entry.otherwise_assumes, {n: observed.value(row, n) for n in fields(entry.otherwise_assumes)})


def _truth(observed: Observed, entry: QuantityDef, names: Sequence[str]) -> Array:
    """Return the truth codes of some observations, shape (rows, names)."""
    try:
        return np.asarray(observed.truth[:, [observed.place[name] for name in names]])
    except KeyError as e:
        raise _wrong(entry, f"{e} is not an observation") from None


def _outcome(truth: Array) -> list[bool | None]:
    """Return for each launch whether all observations hold; None if that is unknown or there are none."""
    if not truth.shape[1]:
        return [None] * len(truth)
    return [True if code == TRUE else False if code == FALSE else None for code in truth.min(axis=1).tolist()]


def _wrong(entry: QuantityDef, text: str) -> KnowledgeError:
    return KnowledgeError(f"knowledge/quantities.yaml:1: {entry.id}: {text}")


def _way(catalog: Catalog, entry: QuantityDef, way: WayDef) -> _Way:
    """Parse a way, only when it is used: most of them are not. Raises KnowledgeError if it is not in the grammar."""
    try:
        let = {name: parse(text) for name, text in way.let.items()}
        share, at_most = (parse(text) if text else None for text in (way.share, way.at_most))
        wanted = tuple(sorted(fields(way.says)))
    except (ExpressionError, ValueError) as e:
        raise _wrong(entry, str(e)) from None
    read = [*wanted, *(n for e in (*let.values(), share, at_most) if e is not None for n in sorted(e.names))]
    inputs = tuple(dict.fromkeys(name for name in read if name in catalog.metrics and name not in let))
    return _Way(let, share, at_most, wanted, inputs)
