"""Without a report: which numbers to ask for, in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from advisor.catalog.expressions import ExpressionError, parse, parse_test
from advisor.dialogue import face
from advisor.dialogue.records import Ask, Choice

if TYPE_CHECKING:
    from advisor.catalog import Catalog

# First what the class needs, then what the first screen of ncu shows, then what tells the causes apart. A person reads
# them off the pages in about this order: speed of light, memory, scheduler, warp states, occupancy, launch, source.
ORDER: Final = (
    "duration_ns",
    "sm_throughput_pct",
    "memory_throughput_pct",
    "dram_pct",
    "l2_pct",
    "l1_wavefronts_pct",
    "pipe_fma_pct",
    "issue_pct",
    "grid_size",
    "block_size",
    "registers_per_thread",
    "shared_bytes_per_block",
    "occupancy_theoretical_pct",
    "occupancy_achieved_pct",
    "waves",
    "eligible_warps",
    "issue_active",
    "lanes_active",
    "stall_long_scoreboard_pct",
    "stall_lg_throttle_pct",
    "stall_mio_throttle_pct",
    "stall_short_scoreboard_pct",
    "stall_barrier_pct",
    "stall_wait_pct",
    "sectors_per_request_load",
    "sectors_per_request_store",
    "shared_wavefront_ratio",
    "local_share",
    "pipe_xu_pct",
    "pipe_fp64_pct",
    "pipe_alu_pct",
    "lsu_pct",
)
# The headline numbers are worked out in code, not by a formula: what they are made of.
_PARTS: Final = {
    "compute_pct": ("sm_throughput_pct", "pipe_fma_pct", "pipe_alu_pct", "pipe_fp64_pct", "pipe_xu_pct", "issue_pct"),
    "memory_pct": ("memory_throughput_pct", "lsu_pct"),
}
_PERCENT = 100.0
_MOST_TITLES = 4


def needed_for(catalog: Catalog) -> dict[str, tuple[str, ...]]:
    """Metric id to the ids of the classes and findings whose rules read it, straight or through derived metrics."""
    tests = {}
    for name, entry in catalog.observations.items():
        try:
            tests[name] = _closure(catalog, parse_test(entry.test).names)
        except ExpressionError:
            continue  # the lint names it; here it only means one reason fewer
    out: dict[str, dict[str, None]] = {}
    rules = [(name, (*c.when, *c.unless)) for name, c in catalog.classes.items()]
    rules += [(name, (*r.when, *r.unless)) for name, d in catalog.diagnoses.items() for r in d.seen]
    for concludes, names in rules:
        for observation in names:
            for metric in tests.get(observation, ()):
                out.setdefault(metric, {})[concludes] = None
    for whole, parts in _PARTS.items():
        for part in parts:
            # The classes first: they are what these numbers are asked for.
            out[part] = {**out.get(whole, {}), **out.get(part, {})}
    return {metric: tuple(found) for metric, found in out.items()}


def _closure(catalog: Catalog, names: frozenset[str]) -> frozenset[str]:
    """These metrics and all that their formulas are made of."""
    seen: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        definition = catalog.metrics.get(name)
        if definition is not None and definition.formula:
            todo += parse(definition.formula).names
    return frozenset(seen)


def interview(catalog: Catalog, gpus: tuple[Choice, ...] = ()) -> tuple[Ask, ...]:
    """The questions of an interview: the card first (where a list of cards is given), then the numbers in ORDER.

    A question of the knowledge base that sets the metric gives the words; otherwise they are the metric's meaning, and
    the reason is which classes and findings need it.
    """
    asks = []
    if gpus:
        asks.append(Ask("gpu", face.WHICH_GPU, face.WHICH_GPU_WHY, "choice", choices=gpus, group="gpu"))
    needed = needed_for(catalog)
    written = {q.sets: q for q in catalog.questions.values() if q.sets and q.kind == "number"}
    titles = {name: c.title for name, c in catalog.classes.items()}
    titles |= {name: d.title for name, d in catalog.diagnoses.items()}
    for metric in ORDER:
        definition = catalog.metrics.get(metric)
        if definition is None:
            continue
        question = written.get(metric)
        users = needed.get(metric, ())
        low, high = 0.0, _PERCENT * 1.1 if definition.unit == "%" else None
        if question is not None:
            low, high = question.low if question.low is not None else low, question.high
        names = [titles.get(name, name) for name in users]
        more = f" {face.AND_MORE.format(count=len(names) - _MOST_TITLES)}" if len(names) > _MOST_TITLES else ""
        why = face.DECIDES.format(titles=", ".join(names[:_MOST_TITLES]) + more) if names else ""
        asks.append(
            Ask(
                id=metric,
                ask=question.ask if question is not None else face.sentence_start(definition.means or metric),
                why=question.why if question is not None else why,
                unit=definition.unit,
                low=low,
                high=high,
                would_change=users,
                group="metric",
            )
        )
    return tuple(asks)
