"""Trace an estimated speedup back to needs, operators and their sources."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from advisor.knowledge.schemas import FixDef
from advisor.knowledge.time_model import time_model
from advisor.reasoning.time_model import model
from advisor.reasoning.time_model.model import NOTICED, Attempt, Model
from advisor.reasoning.time_model.operators import OPERATORS, applied, names_read
from advisor.reasoning.time_model.terms import LATENCY
from advisor.records.diagnosis import Speedup
from advisor.records.estimate import Estimate, Factor, Relief

_WHOLE = ("latency", "imbalance", "launch")  # what a fix may change beside the terms
_MODEL = "h200.time_model"


@np.errstate(all="ignore")
def traced(found: Model, fix: FixDef, row: int, shown: Speedup, cites: tuple[str, ...]) -> Estimate:
    """Return how the speedup `shown` of a fix on one row was computed. cites: the sources of the finding."""
    constants = time_model()
    tried = model.attempt(found, fix, np.array([row]))
    values = {name: float(column[0]) for name, column in tried.columns.items()}
    each = {
        name: {term: float(left[0]) for term, left in applied({name: texts}, tried.columns, 1, tried.now).items()}
        for name, texts in fix.operators.items()
    }
    names = [name for name in tried.left if abs(float(tried.left[name][0]) - 1) > NOTICED]
    parts = [_relief(tried, fix, name, values, each) for name in names]
    parts.sort(key=lambda part: (part.after or 0.0) - (part.before or 0.0))
    launch = "launch" in tried.left
    norm = constants.norm.estimate
    before, after = (
        None if launch else float(model.combine(model.chains(terms), norm)[0])
        for terms in (tried.now.terms, tried.after)
    )
    of_fix = fix.cites or cites
    return Estimate(
        fix=fix.id,
        speedup=shown.estimate,
        parts=tuple(parts),
        before=before,
        after=after,
        accounted=None if launch else float(model.accounted(tried.now)[0]),
        norm=norm,
        how=shown.how,
        cites=tuple(dict.fromkeys((*of_fix, *(constants.launch_ns.cites if launch else (_MODEL,))))),
        error=None if before is None or after is None else _error(tried, before, after),
        reach=fix.reach if fix.reach < 1 else None,
    )


def _error(tried: Attempt, before: float, after: float) -> float:
    """Return the factor on after / before for the model's error on the launch."""
    return float(model.error_left(tried.now, np.array([after / max(before, 1e-9)]))[0])


def _relief(
    tried: Attempt, fix: FixDef, name: str, values: Mapping[str, float], each: Mapping[str, Mapping[str, float]]
) -> Relief:
    """Return what the fix does to one term. each: what each of its operators leaves of the terms."""
    constants = time_model()
    chosen = {operator: fix.operators[operator] for operator, left in each.items() if left.get(name, 1.0) != 1.0}
    factors = [Factor(_told(operator, chosen[operator]), each[operator][name]) for operator in chosen]
    of = LATENCY if name == "latency" else (name,) if name in tried.now.terms else ()
    before, after = (
        sum(float(terms[one][0]) for one in of) if of else None for terms in (tried.now.terms, tried.after)
    )
    term = constants.terms.get(name)
    return Relief(
        term=name,
        name=constants.how[name] if name in _WHOLE or term is None else model.name_on(tried.now, name, 0),
        before=before,
        after=after,
        factor=float(tried.left[name][0]),
        factors=tuple(one for one in factors if math.isfinite(one.value)),
        inputs=tuple((m, values[m]) for m in sorted(names_read(chosen)) if math.isfinite(values.get(m, math.nan))),
        cites=() if term is None else term.cites,
    )


def _told(name: str, parameters: Mapping[str, str]) -> str:
    """Return an operator with what the fix gives it, for a reader."""
    operator = OPERATORS[name]
    formulas = {**operator.parameters, **parameters}
    given = ", ".join(f"{key} = {text}" for key, text in formulas.items() if text not in (None, operator.unused))
    return f"{name}: {operator.says}" + (f" ({given})" if given else "")
