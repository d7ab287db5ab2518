"""Conclude what counts alone can show: findings of an emulated launch.

Emulation gives no time: stalls, hit rates, utilisation and durations are unknown, so the class is undetermined and no
finding has more than medium confidence. The tests and their thresholds are the observations of the knowledge base.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from advisor.emulator.counts import Counted, InstructionCounts
from advisor.hardware import sass
from advisor.knowledge.base import Catalog, catalog
from advisor.knowledge.expressions import parse_test
from advisor.knowledge.texts import fill
from advisor.records.record import Count, NotNegative, Pairs, Record, Shape, Share

UNKNOWN = ("time", "stalls", "cache hit rates", "DRAM bytes", "utilisation of the units")
_NOTABLE = 0.1  # of the executed instructions: the cost from which a finding has medium confidence
_SHOWN = 3
# Narrow accesses cost time only where few bytes are in flight, which counts do not show: low confidence.


class Location(Record, tag=False):
    """Where a cost arises. share: of that cost; file and line: '' and 0 without line information."""

    sass: str
    address: Count
    share: Share
    file: str = ""
    line: Count = 0


class EmulatedFinding(Record, tag=False):
    """A finding from counts. weight: the avoidable work as a share of the executed warp instructions (may exceed 1)."""

    id: str
    title: str
    confidence: str
    weight: NotNegative
    because: tuple[str, ...]
    cites: tuple[str, ...]
    locations: tuple[Location, ...] = ()


class EmulatedInstruction(Record, tag=False):
    """The counts of one instruction over the grid; a count that does not apply is absent."""

    address: Count
    sass: str
    executed: NotNegative
    threads: NotNegative
    threads_on: NotNegative
    requests: float | None = None
    sectors: float | None = None
    ideal_sectors: float | None = None
    local_sectors: float | None = None
    wavefronts: float | None = None
    ideal_wavefronts: float | None = None


class EmulatedDocument(Record, tag_field="schema", tag="ncu-advisor/emulated/1"):
    """The counts of a launch that was emulated on the CPU. kind: `emulated`, so that no reader takes it for a profile.

    exact: whether every block was executed; spread: largest relative difference between neighbouring executed blocks;
    data_dependent: whether the contents of the inputs decide counts; unknown: what emulation does not give.
    """

    kernel: str
    arch: str
    grid: Shape
    block: Shape
    blocks: Count
    executed_blocks: Count
    exact: bool
    spread: NotNegative
    data_dependent: bool
    metrics: Pairs[float]
    findings: tuple[EmulatedFinding, ...]
    unknown: tuple[str, ...]
    instructions: tuple[EmulatedInstruction, ...]
    registers: Count | None = None
    shared_bytes: Count = 0
    kind: str = msgspec.field(default_factory=lambda: "emulated")
    class_: str = msgspec.field(default_factory=lambda: "undetermined", name="class")


@dataclass(frozen=True, slots=True)
class _Rule:
    """A diagnosis, the observations of which one must hold, and the avoidable work of an instruction."""

    diagnosis: str
    observations: tuple[str, ...]
    cost: str


_RULES = (
    _Rule("uncoalesced_access", ("loads_scattered", "stores_scattered"), "sectors"),
    _Rule("bank_conflicts", ("shared_wavefronts_excessive",), "wavefronts"),
    _Rule("branch_divergence", ("lanes_few",), "lanes"),
    _Rule("register_spilling", ("spills_lead",), "spills"),
    _Rule("local_memory_arrays", ("indexed_local_leads",), "indexed"),
    _Rule("constant_serialization", ("constants_serialised",), "constants"),
    _Rule("fp64_unintended", ("double_conversions",), "conversions"),
    _Rule("atomic_contention", ("atomics_crowd",), "atomics"),
    _Rule("narrow_accesses", ("accesses_narrow",), "narrow"),
)


def _is_spill(one: InstructionCounts) -> bool:
    found = sass.parse(one.text)
    return found is not None and found.memory is not None and found.memory.on_stack


def _opcode(one: InstructionCounts) -> sass.OpClass:
    found = sass.parse(one.text)
    return sass.classify(found.opcode if found is not None else "")


def metrics_of(counted: Counted) -> dict[str, float]:
    """Return the canonical metrics that the counts give."""
    code = counted.instructions
    executed = counted.total("executed")
    loads, stores = ("load",), ("store",)
    load_sectors, store_sectors = (counted.total("sectors", "global", kinds) for kinds in (loads, stores))
    load_ideal, store_ideal = (counted.total("ideal_sectors", "global", kinds) for kinds in (loads, stores))
    shared, ideal = counted.total("wavefronts", "shared"), counted.total("ideal_wavefronts", "shared")
    accesses = [(i.executed, 8 * i.width) for i in code if i.space == "global" and i.kind in ("load", "store")]
    number = sum(n for n, _ in accesses)
    local = [i for i in code if i.space == "local"]
    spills = sum(i.executed for i in local if _is_spill(i))
    indexed = sum(i.requests or 0.0 for i in code if i.space == "constant")
    out = {
        "inst_executed": executed,
        "load_sector_ratio": max(load_sectors, 1) / max(load_ideal, 1),
        "store_sector_ratio": max(store_sectors, 1) / max(store_ideal, 1),
        "global_sectors": load_sectors + store_sectors,
        "global_sectors_ideal": load_ideal + store_ideal,
        "shared_wavefronts": shared,
        "shared_wavefronts_ideal": ideal,
        "shared_wavefront_ratio": max(shared, 1) / max(ideal, 1),
        "local_inst": sum(i.executed for i in local),
        "spill_inst": spills,
        "indexed_local_inst": sum(i.executed for i in local) - spills,
        "fp64_inst": sum(i.executed for i in code if _opcode(i).kind == "fp64"),
        "f64_conversion_inst": sum(i.executed for i in code if _opcode(i).is_conversion and _opcode(i).involves_f64),
        "atomic_inst": sum(i.executed for i in code if i.kind == "atomic"),
        "memory_inst": sum(i.executed for i in code if i.kind in ("load", "store") and i.space != "constant"),
    }
    if executed:
        out["lanes_active"] = counted.total("threads") / executed
        out["lanes_pred_on"] = counted.total("threads_on") / executed
    if number:
        out["access_bits_mean"] = sum(n * bits for n, bits in accesses) / number
        out["narrow_access_share"] = sum(n for n, bits in accesses if bits <= 32) / number
    if indexed:
        out["idc_requests_per_ldc"] = sum(i.wavefronts or 0.0 for i in code if i.space == "constant") / indexed
    return out


def _costs(counted: Counted, cost: str) -> dict[int, float]:
    """Return the avoidable work of each instruction, in the order of an executed warp instruction."""
    out = {}
    for at, one in enumerate(counted.instructions):
        value = 0.0
        if cost == "sectors" and one.space == "global" and one.kind in ("load", "store"):
            # Four sectors are one wavefront of the L1 cache.
            value = ((one.sectors or 0.0) - (one.ideal_sectors or 0.0)) / 4
        elif cost == "wavefronts" and one.space == "shared":
            value = (one.wavefronts or 0.0) - (one.ideal_wavefronts or 0.0)
        elif cost == "lanes":
            value = one.executed - one.threads / 32
        elif cost in ("spills", "indexed") and one.space == "local":
            value = one.executed if _is_spill(one) == (cost == "spills") else 0.0
        elif cost == "constants" and one.space == "constant":
            value = (one.wavefronts or 0.0) - (one.ideal_wavefronts or 0.0)
        elif (cost == "conversions" and _opcode(one).is_conversion and _opcode(one).involves_f64) or (
            cost == "atomics" and one.kind == "atomic"
        ):
            value = one.executed
        elif cost == "narrow" and one.space == "global" and one.width <= 4 and one.kind in ("load", "store"):
            # With 16 bytes a lane, a quarter of the accesses or fewer move the same bytes.
            value = one.executed * (1 - one.width / 16)
        if value > 0:
            out[at] = value
    return out


def findings_of(counted: Counted, metrics: dict[str, float], base: Catalog) -> tuple[EmulatedFinding, ...]:
    """Return what the counts show, the largest share of avoidable work first."""
    out = []
    for rule in _RULES:
        seen = [base.observations[name] for name in rule.observations]
        held = [one for one in seen if parse_test(one.test).truth(metrics) > 0]
        costs = _costs(counted, rule.cost)
        total = sum(costs.values())
        if not held or not total:
            continue
        weight = total / max(metrics["inst_executed"], 1.0)
        places = []
        for at in sorted(costs, key=lambda at: -costs[at])[:_SHOWN]:
            one = counted.instructions[at]
            file, line = counted.program.lines.get(one.address, ("", 0))
            places.append(Location(one.text, one.address, costs[at] / total, file, line))
        diagnosis = base.diagnoses[rule.diagnosis]
        out.append(
            EmulatedFinding(
                rule.diagnosis,
                diagnosis.title,
                "medium" if weight >= _NOTABLE and rule.cost != "narrow" else "low",
                weight,
                tuple(fill(one.says, metrics) for one in held),
                tuple(dict.fromkeys(cite for one in held for cite in one.cites)),
                tuple(places),
            )
        )
    return tuple(sorted(out, key=lambda one: -one.weight))


def emulated_document(counted: Counted) -> EmulatedDocument:
    """Return the document of a counted launch."""
    metrics = metrics_of(counted)
    program = counted.program
    return EmulatedDocument(
        kernel=program.kernel,
        arch=program.arch,
        grid=counted.grid,
        block=counted.block,
        blocks=counted.blocks,
        executed_blocks=counted.executed_blocks,
        exact=counted.exact,
        spread=counted.spread,
        data_dependent=counted.data_dependent,
        metrics=tuple(sorted(metrics.items())),
        findings=findings_of(counted, metrics, catalog()),
        unknown=UNKNOWN,
        instructions=tuple(
            EmulatedInstruction(
                i.address,
                i.text,
                i.executed,
                i.threads,
                i.threads_on,
                i.requests,
                i.sectors,
                i.ideal_sectors,
                i.local_sectors,
                i.wavefronts,
                i.ideal_wavefronts,
            )
            for i in counted.instructions
            if i.executed
        ),
        registers=program.registers,
        shared_bytes=program.shared_bytes + counted.dynamic_shared,
    )
