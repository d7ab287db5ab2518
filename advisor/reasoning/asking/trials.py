"""Launches with candidate values for open numbers, with the outcomes of the tests and of the whole reasoning."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from msgspec.structs import replace

from advisor.knowledge.base import Catalog
from advisor.knowledge.expressions import FALSE, TRUE, UNKNOWN
from advisor.knowledge.schemas import FixDef
from advisor.reasoning.asking.candidates import values_of
from advisor.reasoning.asking.outcomes import Outcome, outcome
from advisor.reasoning.conclude import Conclusions, judge, prepare
from advisor.reasoning.enrich import with_numbers
from advisor.reasoning.inputs import Inputs
from advisor.reasoning.metrics.derive import columns_of
from advisor.reasoning.observations import Observed, observe
from advisor.reasoning.ranking import TIE, Ranked
from advisor.reasoning.time_model import model as speedup_model

if TYPE_CHECKING:
    import pandas as pd
# Launches drawn to find out which conditions are possible: one that holds for 5 % of them is missed in 1 % of cases.
DRAWS: Final = 96
# Values drawn for each set of numbers that may suffice for a gain: with some, a fix relieves nothing.
_TRIES: Final = 32


def rows_of(observed: Observed, at: np.ndarray) -> Observed:
    """Return copies of these rows of the observations, in this order; a row may occur more than once."""
    columns = {metric: column[at] for metric, column in observed.columns.items()}
    estimated = tuple(observed.estimates(row) for row in at.tolist()) if observed.estimated else ()
    truth, margin = observed.truth[at], observed.margin[at]
    return replace(observed, truth=truth, margin=margin, columns=columns, labels={}, estimated=estimated)


class Tried:
    """Candidate values for one launch, one per row, with the outcomes of the tests.

    moving: the observations that these numbers can change; the others stay as they are.
    """

    def __init__(
        self, catalog: Catalog, inputs: Inputs, concluded: Conclusions, numbers: Iterable[str], moving: Sequence[str]
    ) -> None:
        known = concluded.observed.values(0)
        self._catalog, self._inputs = catalog, inputs
        self._before = concluded.observed.truth[0].tobytes()
        rows = [(name, value) for name in numbers for value in values_of(catalog, name, known)]
        self._rows: dict[str, list[int]] = {}
        for place, (name, _) in enumerate(rows):
            self._rows.setdefault(name, []).append(place)
        self._frame = _frame(catalog, inputs, rows)
        self._observed = _judged(self._frame, catalog, concluded.observed, moving) if rows else concluded.observed

    def may_hold(self, when: Sequence[str], unless: Sequence[str], numbers: Iterable[str]) -> bool:
        """Whether each of these numbers has a value with which no observation of a rule refutes it.

        Conclusions and answers among the rule's conditions are assumed to be open.
        """
        tried = (self._rows[name] for name in numbers if name in self._rows)
        return all(any(self._stands(row, when, unless) for row in rows) for rows in tried)

    def _stands(self, row: int, when: Sequence[str], unless: Sequence[str]) -> bool:
        return all(self._truth(row, n) != FALSE for n in when) and all(self._truth(row, n) != TRUE for n in unless)

    def _truth(self, row: int, name: str) -> int:
        at = self._observed.place.get(name)
        return UNKNOWN if at is None else int(self._observed.truth[row, at])

    def outcomes(self, name: str) -> tuple[Outcome, ...]:
        """Return the result of the whole reasoning for a number's values, one for each outcome of all tests."""
        seen: dict[bytes, int] = {}
        for row in self._rows.get(name, []):
            seen.setdefault(self._observed.truth[row].tobytes(), row)
        rows = [row for key, row in seen.items() if key != self._before]
        if not rows:
            return ()
        some = rows_of(self._observed, np.array(rows))
        concluded = judge(self._catalog, self._inputs, self._frame.iloc[rows], some, ("",) * len(rows))
        return tuple(outcome(self._catalog, concluded, row) for row in range(len(rows)))

    def gains_moved(self, first: Ranked | None, fix: FixDef | None, numbers: Sequence[str]) -> dict[str, float]:
        """Return how far each number moves the first finding's gain, as a logarithm, if by more than a tie."""
        rows = [row for name in numbers for row in self._rows.get(name, [])]
        if first is None or fix is None or not rows:
            return {}
        model = speedup_model.build(self._observed.measured, len(self._frame))
        found = dict(zip(rows, speedup_model.speedups(model, fix, np.array(rows)), strict=True))
        now = 1.0 if first.speedup is None else first.speedup.estimate
        out = {}
        for name in numbers:
            gains = [1.0 if (s := found[row]) is None else s.estimate for row in self._rows.get(name, [])]
            moved = max((abs(math.log(gain / now)) for gain in gains), default=0.0)
            if moved > math.log(TIE):
                out[name] = moved
        return out


def _judged(frame: pd.DataFrame, catalog: Catalog, before: Observed, moving: Sequence[str]) -> Observed:
    """Return all observations on a frame; only those in `moving` can differ from `before`."""
    some = observe(frame, catalog, only=moving)
    truth, margin = np.repeat(before.truth[:1], len(frame), axis=0), np.repeat(before.margin[:1], len(frame), axis=0)
    places = [before.place[name] for name in some.names]
    truth[:, places], margin[:, places] = some.truth, some.margin
    return replace(before, truth=truth, margin=margin, columns=some.columns, labels={}, estimated=some.estimated)


def drawn(
    catalog: Catalog,
    inputs: Inputs,
    concluded: Conclusions,
    groups: Sequence[Sequence[str]],
    moving: Sequence[str],
) -> tuple[pd.DataFrame, Observed]:
    """Return DRAWS launches for each group of numbers, one group after the other, with their tests.

    A launch has values for all numbers of its group, each from its possible range, and everything else that is known.
    """
    known, rows = concluded.observed.values(0), DRAWS * len(groups)
    columns: dict[str, np.ndarray] = {}
    for at, numbers in enumerate(groups):
        draw = np.random.default_rng(0)
        for name in numbers:
            some = np.array(values_of(catalog, name, known))
            column = columns.setdefault(name, np.full(rows, math.nan))
            column[at * DRAWS : (at + 1) * DRAWS] = some[_places(draw, len(some), DRAWS)]
    one = inputs.frame.iloc[[0] * rows].reset_index(drop=True)
    frame = prepare(catalog, replace(inputs, frame=with_numbers(one, columns)))[0]
    return frame, _judged(frame, catalog, concluded.observed, moving)


def enough(
    catalog: Catalog, inputs: Inputs, known: Mapping[str, float], numbers: Sequence[str], fix: FixDef
) -> frozenset[str] | None:
    """Return the numbers with which a fix's gain is known, as far at the front as possible; None if all do not suffice.

    A number without which an earlier one suffices is left out.
    """
    draw, chosen, rest = np.random.default_rng(0), list[str](), list(numbers)
    values = {}
    for name in numbers:
        some = np.array(values_of(catalog, name, known))
        values[name] = some[_places(draw, len(some), _TRIES)]
    while True:
        given = np.repeat(np.arange(len(rest) + 1), _TRIES)
        columns = {
            name: np.where(given > at, np.tile(values[name], len(rest) + 1), math.nan) for at, name in enumerate(rest)
        }
        columns |= {name: np.tile(values[name], len(rest) + 1) for name in chosen}
        one = inputs.frame.iloc[[0] * len(given)].reset_index(drop=True)
        frame = prepare(catalog, replace(inputs, frame=with_numbers(one, columns)))[0]
        model = speedup_model.build(columns_of(frame), len(frame))
        settled = given[speedup_model.attempt(model, fix, np.arange(len(frame))).known]
        if not len(settled):
            return None
        needed = int(settled.min())
        if needed == 0:
            return frozenset(chosen)
        chosen.append(rest[needed - 1])
        rest = rest[: needed - 1]


def _places(draw: np.random.Generator, many: int, rows: int) -> np.ndarray:
    """Return the places of values among `many`, one a row: in half of the rows the first or the last."""
    where = draw.integers(0, many, rows)
    ends = draw.integers(0, 4, rows)
    return np.where(ends == 0, 0, np.where(ends == 1, many - 1, where))


def _frame(catalog: Catalog, inputs: Inputs, rows: Sequence[tuple[str, float]]) -> pd.DataFrame:
    """Return a row for each candidate value, with everything else that is known."""
    one = inputs.frame.iloc[[0] * max(1, len(rows))].reset_index(drop=True)
    columns = {
        name: np.array([value if other == name else math.nan for other, value in rows])
        for name in dict.fromkeys(name for name, _ in rows)
    }
    return prepare(catalog, replace(inputs, frame=with_numbers(one, columns)))[0]
