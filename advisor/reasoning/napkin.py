"""Compare a launch with an algorithm's napkin estimate, by the napkin rules of the engine."""

from __future__ import annotations

import math
from collections.abc import Mapping

from advisor.hardware.roofline import Inconsistency, Result
from advisor.knowledge.base import Catalog
from advisor.knowledge.base import catalog as open_catalog
from advisor.knowledge.expressions import parse_test
from advisor.knowledge.schemas import RuleDef
from advisor.knowledge.texts import fields, fill
from advisor.reasoning.conclude import engine_of
from advisor.reasoning.engine.program import kind_of
from advisor.reasoning.metrics.derive import derive
from advisor.reasoning.observations import observe

_AREA = "napkin."


def metrics_of(result: Result) -> dict[str, float]:
    """Return an estimate as canonical metrics."""
    out = {
        "theoretical_bytes": result.bytes,
        "theoretical_flop": result.flop,
        "napkin_intensity": result.intensity,
        "napkin_floor_ns": result.floor_ns,
        "dram_peak_bytes_per_s": float(result.gpu.bandwidth or math.nan),
        "napkin_ridge": result.expected.ridge if result.expected else math.nan,
        "device_l2_bytes": float(result.gpu.l2_bytes or math.nan),
    }
    return {name: value for name, value in out.items() if math.isfinite(value)}


def check(result: Result, measured: Mapping[str, float], catalog: Catalog | None = None) -> tuple[Inconsistency, ...]:
    """Return how a launch's metrics (compute_pct, dram_bytes, duration_ns, …) disagree with its napkin estimate.

    A rule with an unknown metric does not fire.
    """
    import pandas as pd

    known = open_catalog() if catalog is None else catalog
    words = {name: word for name, word in known.words.items() if word.area == "napkin"}
    given = {name: float(value) for name, value in measured.items() if name in known.metrics and math.isfinite(value)}
    given |= metrics_of(result)
    frame = derive(pd.DataFrame([given]), keep=given, metrics=known.metrics)
    read = [n for word in words.values() for rule in word.seen for n in (*rule.when, *rule.unless)]
    observed = observe(frame, known, only=[name for name in dict.fromkeys(read) if kind_of(name) == "observation"])
    trace = engine_of(known).conclude(observed.state(0))
    values = observed.values(0)
    out = []
    for name, word in words.items():
        fired = {one.rule_id for one in trace.fired_for(name)}
        rule = next((rule for rule in word.seen if rule.id in fired), None)
        if rule is not None:
            used = sorted(_names(known, rule) & values.keys())
            numbers = tuple((metric, values[metric]) for metric in used)
            said, cites = fill(rule.because, values), rule.cites
            out.append(Inconsistency(name.removeprefix(_AREA), word.kind, said, numbers, cites, word.suggests))
    return tuple(out)


def _names(catalog: Catalog, rule: RuleDef) -> frozenset[str]:
    """Return the metrics that a rule tests or names."""
    tests = (parse_test(catalog.observations[name].test).names for name in rule.when)
    return frozenset(fields(rule.because)).union(*tests)
