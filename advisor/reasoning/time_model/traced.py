"""Trace an estimated speedup back to needs, factors and their sources."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from advisor.knowledge.expressions import parse
from advisor.knowledge.schemas import FixDef
from advisor.knowledge.time_model import time_model
from advisor.reasoning.time_model import model
from advisor.reasoning.time_model.model import NOTICED, Attempt, Model
from advisor.reasoning.time_model.terms import LATENCY
from advisor.records.diagnosis import Speedup
from advisor.records.estimate import Estimate, Factor, Relief

_WHOLE = ("latency", "imbalance", "launch")  # what changes may name beside the terms
_MODEL = "h200.time_model"


@np.errstate(all="ignore")
def traced(found: Model, fix: FixDef, row: int, shown: Speedup, cites: tuple[str, ...]) -> Estimate:
    """Return how the speedup `shown` of a fix on one row was computed. cites: the sources of the finding."""
    constants = time_model()
    tried = model.attempt(found, fix, np.array([row]))
    values = {name: float(column[0]) for name, column in tried.columns.items()}
    names = [name for name in tried.middle if abs(float(tried.middle[name][0]) - 1) > NOTICED]
    parts = [_relief(tried, fix, name, values) for name in names]
    parts.sort(key=lambda part: (part.after or 0.0) - (part.before or 0.0))
    launch = "launch" in fix.changes
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
    )


def _relief(tried: Attempt, fix: FixDef, name: str, values: Mapping[str, float]) -> Relief:
    constants = time_model()
    texts = [text for text in (fix.changes.get(name), fix.degrees.get(name)) if text]
    factors = [(text, parse(text).scalar(values)) for text in dict.fromkeys(texts)]
    read = sorted({metric for text, _ in factors for metric in parse(text).names})
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
        factor=float(tried.middle[name][0]),
        factors=tuple(Factor(text, value) for text, value in factors if math.isfinite(value)),
        inputs=tuple((metric, values[metric]) for metric in read if math.isfinite(values.get(metric, math.nan))),
        cites=() if term is None else term.cites,
    )
