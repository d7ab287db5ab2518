"""Operators: what a fix does to a launch, as named functions of its counts.

A fix names its operators and their parameters, formulas over metrics (knowledge/diagnoses). An operator returns what is
left of the work of each term of the time model. Several operators of one fix act on different events, so what they
leave of one unit is multiplied.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from advisor.knowledge.expressions import parse
from advisor.reasoning.time_model.operators import atomics, instructions, memory, parallelism
from advisor.reasoning.time_model.operators.table import Left, Operator, Table
from advisor.reasoning.time_model.terms import Array, Needs

__all__ = ["OPERATORS", "Left", "Operator", "Operators", "Table", "applied", "names_read", "parameters", "terms_of"]

Operators = Mapping[str, Mapping[str, str]]


def _leave(table: Table, given: Mapping[str, Array]) -> Left:
    """A fix that no other operator describes, such as a team's own: it says what is left of each term."""
    return dict(given)


_LEAVE = Operator("leave", "what the fix leaves of the work of each unit that it names", _leave, (), of_terms=True)
OPERATORS: dict[str, Operator] = {
    one.name: one
    for one in (*memory.OPERATORS, *instructions.OPERATORS, *parallelism.OPERATORS, *atomics.OPERATORS, _LEAVE)
}
# The largest factor of a fix on a unit: an idle unit may take over the work of another one.
_MOST = 64.0


@np.errstate(all="ignore")
def applied(given: Operators, columns: Mapping[str, Array], rows: int, now: Needs) -> Left:
    """Return what some operators together leave of the work of each term: 0 to 64, shape (rows,), NaN if unknown.

    Terms that they leave alone on all rows are absent, unless nothing changes.
    """
    table, out = Table(columns, rows, now), Left()
    for name, texts in given.items():
        operator = OPERATORS[name]
        formulas = {**operator.parameters, **texts}
        values = {key: parse(text).column(columns, rows) for key, text in formulas.items() if text is not None}
        for term, left in operator.apply(table, values).items():
            # A unit that the operator leaves as it is needs no number.
            out[term] = out[term] * left if term in out else np.asarray(left, dtype=float)
    changed = {term: left for term, left in out.items() if not np.all(left == 1)} or out
    return {term: np.clip(left, 0.0, _MOST) for term, left in changed.items()}


def terms_of(given: Operators) -> tuple[str, ...]:
    """Return the terms of the time model that some operators may change."""
    found = (texts if OPERATORS[name].of_terms else OPERATORS[name].terms for name, texts in given.items())
    return tuple(dict.fromkeys(term for terms in found for term in terms))


def parameters(given: Operators) -> tuple[frozenset[str], ...]:
    """Return, for each parameter of some operators and for what they read, the metrics in it."""
    own = [frozenset(OPERATORS[name].reads) for name in given]
    formulas = [
        text for name, texts in given.items() for text in {**OPERATORS[name].parameters, **texts}.values() if text
    ]
    return tuple(dict.fromkeys(names for names in (*(parse(text).names for text in formulas), *own) if names))


def names_read(given: Operators) -> frozenset[str]:
    """Return the metrics that some operators read, those in their parameters included."""
    return frozenset().union(*parameters(given))
