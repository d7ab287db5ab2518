"""Without a report: which numbers to ask for, in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from advisor.knowledge.expressions import ExpressionError, parse, parse_test
from advisor.session.interview import choosing
from advisor.session.records import Ask, Choice
from advisor.view.text import sentence_start

if TYPE_CHECKING:
    from advisor.knowledge.base import Catalog
    from advisor.knowledge.schemas import RuleDef

# First what the class needs, then what the first screen of ncu shows, then what tells the causes apart. A person reads
# them off the pages in about this order: speed of light, memory, scheduler, warp states, occupancy, launch, source.
ORDER: Final = (
    "duration_ns",
    "sm_cycles_elapsed",
    "sm_throughput_pct",
    "memory_throughput_pct",
    "dram_pct",
    "l2_pct",
    "l1_wavefronts_pct",
    "l1_requests_pct",
    "lsu_pct",
    "pipe_fma_pct",
    "pipe_alu_pct",
    "pipe_fp64_pct",
    "pipe_xu_pct",
    "pipe_tensor_pct",
    "issue_pct",
    "idc_pct",
    "adu_pct",
    "dram_bytes",
    "dram_read_bytes",
    "dram_write_bytes",
    "l1_hit_pct",
    "l2_hit_pct",
    "grid_size",
    "block_size",
    "registers_per_thread",
    "shared_bytes_per_block",
    "occupancy_limit_registers",
    "occupancy_limit_shared",
    "occupancy_limit_warps",
    "occupancy_limit_blocks",
    "occupancy_theoretical_pct",
    "occupancy_achieved_pct",
    "waves",
    "active_warps",
    "eligible_warps",
    "issue_active",
    "issue_interval",
    "lanes_active",
    "stall_long_scoreboard_pct",
    "stall_lg_throttle_pct",
    "stall_mio_throttle_pct",
    "stall_short_scoreboard_pct",
    "stall_barrier_pct",
    "stall_wait_pct",
    "stall_math_pipe_throttle_pct",
    "stall_no_instruction_pct",
    "stall_imc_miss_pct",
    "stall_branch_resolving_pct",
    "stall_dispatch_stall_pct",
    "load_sector_ratio",
    "store_sector_ratio",
    "global_sectors",
    "global_sectors_ideal",
    "sectors_per_request_load",
    "sectors_per_request_store",
    "shared_wavefront_ratio",
    "shared_wavefront_share",
    "inst_executed",
    "global_load_inst",
    "global_store_inst",
    "shared_load_inst",
    "shared_store_inst",
    "local_load_inst",
    "local_store_inst",
    "spill_inst",
    "access_bits_mean",
    "idc_requests_per_ldc",
    "constant_inst",
    "ffma_inst",
    "fadd_inst",
    "fmul_inst",
    "dfma_inst",
    "dadd_inst",
    "dmul_inst",
    "fp64_inst",
    "half_inst",
    "tensor_inst",
    "integer_inst",
    "mufu_inst",
    "conversion_inst",
    "f64_conversion_inst",
    "memory_inst",
)
# The headline numbers are worked out in code, not by a formula: what they are made of.
_PARTS: Final = {
    "compute_pct": ("sm_throughput_pct", "pipe_fma_pct", "pipe_alu_pct", "pipe_fp64_pct", "pipe_xu_pct", "issue_pct"),
    "memory_pct": ("memory_throughput_pct", "lsu_pct"),
}
# Stall reasons that decide something about a workload.
STALLS: Final = ("stall_long_scoreboard_pct", "stall_barrier_pct", "stall_wait_pct")
_MOST: Final = {"thread": 1e12, "inst": 1e18, "byte": 1e16, "ns": 1e15}  # only to keep nonsense out
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
    """The questions of an interview: what the numbers are of, the card (where a list of cards is given), the numbers
    in ORDER, what only the user knows, and those of a workload (group `workload`).

    A question of the knowledge base that sets the metric gives the words; otherwise they are the metric's meaning, and
    the reason is which classes and findings need it and where ncu shows it.
    """
    subjects = tuple(Choice(name, label, more) for name, (label, more) in choosing.SUBJECTS.items())
    asks = [
        Ask(
            "subject",
            "What did you profile?",
            "Each tool shows other numbers of other units, so other ones are asked for.",
            "choice",
            choices=subjects,
            group="subject",
            usual="kernel",
        )
    ]
    if gpus:
        asks.append(
            Ask(
                "gpu",
                "Which GPU was it?",
                "Its limits and peaks decide what counts as high.",
                "choice",
                choices=gpus,
                group="gpu",
            )
        )
    needed = needed_for(catalog)
    titles = {name: c.title for name, c in catalog.classes.items()}
    titles |= {name: d.title for name, d in catalog.diagnoses.items()}
    asks += [_number(catalog, m, needed.get(m, ()), titles) for m in ORDER if m in catalog.metrics]
    asks += [_question(catalog, q, titles) for q in catalog.questions]
    return (*asks, *_workload(catalog))


def _number(catalog: Catalog, metric: str, users: tuple[str, ...], titles: dict[str, str]) -> Ask:
    definition = catalog.metrics[metric]
    names = [titles.get(name, name) for name in users]
    more = f" {f'and {len(names) - _MOST_TITLES} more'}" if len(names) > _MOST_TITLES else ""
    reasons = [f"It takes part in deciding: {', '.join(names[:_MOST_TITLES]) + more}"] if names else []
    if definition.text:
        place = definition.text[0].replace("/", ": ", 1)
        reasons.insert(0, f"Nsight Compute shows it under {place}.")
    return Ask(
        id=metric,
        ask=sentence_start(definition.means or metric),
        why=" ".join(reasons),
        unit=definition.unit,
        low=0.0,
        high=_PERCENT * 1.1 if definition.unit == "%" else _MOST.get(definition.unit),
        would_change=users,
        group="metric",
    )


def _question(catalog: Catalog, name: str, titles: dict[str, str]) -> Ask:
    """What only the user knows, as a question of the interview."""
    entry = catalog.questions[name]
    users = [d.id for d in catalog.diagnoses.values() if any(_reads(catalog, rule, name) for rule in d.seen)]
    return Ask(
        id=name,
        ask=entry.ask,
        why=entry.why,
        kind=entry.kind,
        unit=entry.unit,
        low=entry.low,
        high=entry.high,
        choices=tuple(Choice(choice, label) for choice, label in entry.choices.items()),
        would_change=tuple(u for u in users if u in titles),
    )


def _reads(catalog: Catalog, rule: RuleDef, question: str) -> bool:
    names = (*rule.when, *rule.unless)
    if any(name.startswith(f"answer.{question}.") for name in names):
        return True
    sets = catalog.questions[question].sets
    tests = [parse_test(catalog.observations[n].test) for n in names if n in catalog.observations]
    return bool(sets) and any(sets in _closure(catalog, test.names) for test in tests)


def _workload(catalog: Catalog) -> list[Ask]:
    """The units and numbers of a draw or dispatch, by the words that Nsight Graphics has for them."""
    from advisor.readers.workload import typed

    known, out = typed(), []
    for unit, word in known.units.items():
        ask = f"How full is {unit}?"
        out.append(
            Ask(
                word.metric,
                ask,
                ("The fullest units limit the workload. Press d for one that is not among the five that are listed."),
                unit="%",
                low=0.0,
                high=_PERCENT,
                group="workload",
            )
        )
    for word in (*known.numbers.values(), *known.complements.values()):
        definition = catalog.metrics.get(word.metric)
        if definition is None or any(ask.id == word.metric for ask in out):
            continue
        high = word.high * word.scale
        ask = (
            "How long does the draw or dispatch take?"
            if word.metric == "duration_ns"
            else sentence_start(definition.means)
        )
        why, unit, low = choosing.WORKLOAD_WHY, definition.unit, word.low * word.scale
        out.append(Ask(word.metric, ask, why, unit=unit, low=low, high=high, group="workload"))
    for metric in STALLS:
        ask, unit = sentence_start(catalog.metrics[metric].means), catalog.metrics[metric].unit
        out.append(Ask(metric, ask, choosing.WORKLOAD_WHY, unit=unit, low=0.0, high=_PERCENT, group="workload"))
    labels = {"kind": choosing.WORKLOAD_KINDS, "occupancy_limiter": {}}
    for name, text in (
        ("kind", "What does the workload draw?"),
        ("occupancy_limiter", "What holds the number of warps down?"),
    ):
        choices = tuple(Choice(v, labels[name].get(v, v)) for v in known.choices[name].values)
        out.append(Ask(name, text, choosing.WORKLOAD_WHY, "choice", choices=choices, group="workload"))
    return out
