"""In which order the derived metrics are computed: every formula after what it reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from advisor.catalog.expressions import Expression, ExpressionError, parse
from advisor.catalog.schemas import MetricDef
from advisor.errors import KnowledgeError
from advisor.metrics.fallbacks import FILLS
from advisor.metrics.leaders import COMPUTE, INSIDE, MEMORY
from advisor.metrics.occupancy import LIMITS
from advisor.metrics.stalls import REASONS

_SAMPLES = tuple(f"samples_{reason}_not_issued" for reason in REASONS)
# Metrics that code computes for all rows at once, beside formulas, fallbacks, opcodes and accesses: what they read.
CODE: dict[str, tuple[str, ...]] = {
    "compute_pct": (*COMPUTE, "sm_throughput_pct"),
    "compute_from_breakdown": (*COMPUTE, "sm_throughput_pct"),
    "memory_pct": (*INSIDE, *MEMORY, "memory_throughput_pct"),
    "blocks_per_sm_limit": (*(f"occupancy_limit_{name}" for name in LIMITS), "shared_bytes_per_block"),
    **{f"stall_{reason}_not_issued_pct": (*_SAMPLES, "device_cc_major") for reason in REASONS},
}


@dataclass(frozen=True)
class Plan:
    """Ids in an order in which every metric follows what it reads; the parsed formulas; what each metric reads."""

    order: tuple[str, ...]
    formulas: Mapping[str, Expression]
    reads: Mapping[str, frozenset[str]]

    def follow(self, changed: frozenset[str]) -> frozenset[str]:
        """The metrics that depend on the changed ones, these left out."""
        out: set[str] = set()
        for name in self.order:
            if name not in changed and self.reads[name] & (changed | out):
                out.add(name)
        return frozenset(out)


def plan(metrics: Mapping[str, MetricDef]) -> Plan:
    """The plan of a catalogue; KnowledgeError for a wrong formula, a metric that is not there, or a circle."""
    formulas: dict[str, Expression] = {}
    reads: dict[str, frozenset[str]] = {}
    for name, entry in metrics.items():
        needed: set[str] = set(CODE.get(name, ()))
        if name in FILLS:
            needed |= set(FILLS[name][0])
        if entry.formula:
            try:
                formulas[name] = parse(entry.formula)
            except ExpressionError as e:
                raise KnowledgeError(f"knowledge/metrics.yaml:1: {name}: {e}") from None
            needed |= formulas[name].names
        absent = sorted(needed - metrics.keys())
        if absent:
            raise KnowledgeError(f"knowledge/metrics.yaml:1: {name} reads {absent[0]}, which is no metric")
        reads[name] = frozenset(needed)
    try:
        order = tuple(TopologicalSorter(reads).static_order())
    except CycleError as e:
        circle = " -> ".join(str(name) for name in e.args[1])
        raise KnowledgeError(
            f"knowledge/metrics.yaml:1: metrics are derived from each other in a circle: {circle}"
        ) from None
    return Plan(order, formulas, reads)
