"""A measured launch against its napkin: the two inconsistencies, overheads, and the distance from the floor."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from advisor.catalog.expressions import parse_test
from advisor.catalog.texts import fields, fill
from advisor.napkin import algorithms
from advisor.napkin.roofline import Result


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """What a measurement says against the napkin.

    kind: inconsistency (the kernel does not do what its algorithm should), contradiction (the numbers cannot all be
    right) or distance (how far from the floor); suggests: a diagnosis id or ''; values: the numbers that it rests on.
    """

    id: str
    kind: str
    says: str
    suggests: str
    values: tuple[tuple[str, float], ...]
    cites: tuple[str, ...]


def names(result: Result, measured: Mapping[str, float]) -> dict[str, float]:
    """Measured canonical metrics (not finite: left out), the napkin's numbers, and the ratios between them."""
    out = {name: float(value) for name, value in measured.items() if math.isfinite(value)}
    out |= {
        "napkin_flop": result.flop,
        "napkin_bytes": result.bytes,
        "napkin_intensity": result.intensity,
        "napkin_floor_ns": result.floor_ns,
        "napkin_floor_us": result.floor_ns / 1e3,
    }
    if result.expected:
        out["napkin_ridge"] = result.expected.ridge
    if result.gpu.l2_bytes:
        out["napkin_l2_bytes"] = float(result.gpu.l2_bytes)
    for ratio, above, below in (
        ("traffic_overhead", "dram_bytes", result.bytes),
        ("flop_overhead", "flop", result.flop),
        ("floor_ratio", "duration_ns", result.floor_ns),
    ):
        if above in out and below > 0:
            out[ratio] = out[above] / below
    return out


def check(result: Result, measured: Mapping[str, float]) -> tuple[Inconsistency, ...]:
    """What the launch's metrics (compute_pct, memory_pct, dram_bytes, duration_ns, flop, …) say against its napkin.

    Tests and words are those of knowledge/napkin/checks.yaml; a test whose metric is unknown says nothing.
    """
    values = names(result, measured)
    out = []
    for key, remark in algorithms.remarks("checks").items():
        test = parse_test(remark.test)
        if algorithms.holds(test, values):
            used = sorted((test.names | fields(remark.says)) & values.keys())
            numbers = tuple((name, values[name]) for name in used)
            out.append(
                Inconsistency(key, remark.kind, fill(remark.says, values), remark.suggests, numbers, remark.cites)
            )
    return tuple(out)
