"""Give the counts of an emulated launch to the rules, as the counters of Nsight Compute that they stand for.

Emulation gives no time: stalls, hit rates, utilisation and durations are unknown, so the class is undetermined. What
counts alone can show is concluded by the rules of the knowledge base that read `counts_alone`, with at most medium
confidence, and ranked by the avoidable work.
"""

from __future__ import annotations

import hashlib
import math

import msgspec
from msgspec.structs import replace

from advisor.emulator.counts import METRICS, Counted, InstructionCounts
from advisor.hardware import sass
from advisor.knowledge.base import catalog as open_catalog
from advisor.knowledge.base import metrics as catalog_metrics
from advisor.readers.actions import ARITHMETIC, LOCAL_COUNTS, SPILLS
from advisor.readers.emulated import launch_of
from advisor.readers.frame import frame
from advisor.reasoning.analysis import Analysis
from advisor.reasoning.diagnose import analyse_frame
from advisor.reasoning.inputs import Inputs
from advisor.records.diagnosis import Comparison
from advisor.records.emulated import (
    FORMAT,
    TOOL,
    EmulatedAccess,
    EmulatedDocument,
    EmulatedFinding,
    EmulatedInstruction,
    EmulatedLocation,
)
from advisor.records.quantities import confidence_text
from advisor.records.readings import ReportInfo

UNKNOWN = ("time", "stalls", "cache hit rates", "DRAM bytes", "utilisation of the units")
_SHOWN = 3
# Name of ncu -> space and kind of the instructions whose executions it counts.
_EXECUTED = {
    "smsp__sass_inst_executed_op_global_ld.sum": ("global", "load"),
    "smsp__sass_inst_executed_op_global_st.sum": ("global", "store"),
    "smsp__sass_inst_executed_op_shared_ld.sum": ("shared", "load"),
    "smsp__sass_inst_executed_op_shared_st.sum": ("shared", "store"),
    LOCAL_COUNTS[1][0]: ("local", "load"),
    LOCAL_COUNTS[1][1]: ("local", "store"),
}
_SUMMED = ("sectors", "ideal_sectors", "wavefronts", "ideal_wavefronts")
# Diagnosis -> the cost of an instruction that it is about, for the place in the code.
_COSTS = {
    "uncoalesced_access": "sectors",
    "bank_conflicts": "wavefronts",
    "branch_divergence": "lanes",
    "register_spilling": "spills",
    "local_memory_arrays": "indexed",
    "constant_serialization": "constants",
    "fp64_unintended": "conversions",
    "atomic_contention": "atomics",
}


def counts_of(counted: Counted) -> dict[str, float]:
    """Return the counts of a launch by the names of Nsight Compute."""
    code, program = counted.instructions, counted.program
    blocks, threads = counted.blocks, math.prod(counted.block)
    out = {
        METRICS["executed"]: counted.total("executed"),
        METRICS["threads"]: counted.total("threads"),
        METRICS["threads_on"]: counted.total("threads_on"),
        "launch__grid_size": float(blocks),
        "launch__block_size": float(threads),
        "launch__thread_count": float(blocks * threads),
        "launch__shared_mem_per_block_static": float(program.shared_bytes),
        "launch__shared_mem_per_block_dynamic": float(counted.dynamic_shared),
        SPILLS: math.fsum(i.executed for i in code if i.space == "local" and i.is_spill),
    }
    if program.registers is not None:
        out["launch__registers_per_thread"] = float(program.registers)
    if executed := out[METRICS["executed"]]:
        out["smsp__thread_inst_executed_per_inst_executed.ratio"] = out[METRICS["threads"]] / executed
        out["smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"] = out[METRICS["threads_on"]] / executed
    for name, (space, kind) in _EXECUTED.items():
        out[name] = math.fsum(i.executed for i in code if i.space == space and i.kind == kind)
    for field in _SUMMED:
        out[METRICS[field]] = math.fsum(getattr(i, field) or 0.0 for i in code if i.space != "constant")
    indexed = [i for i in code if i.opcode.split(".")[0] == "LDC"]
    out["idc__requests.sum"] = math.fsum(i.executed if i.wavefronts is None else i.wavefronts for i in indexed)
    for name, stems in ARITHMETIC.items():
        out[name] = math.fsum(i.threads_on for i in code if i.opcode.split(".")[0] in stems)
    return out


def accesses_of(counted: Counted) -> tuple[EmulatedAccess, ...]:
    """Return the accesses of a launch, summed by space, kind and width."""
    kinds: dict[tuple[str, str, int], list[InstructionCounts]] = {}
    for one in counted.instructions:
        for space in one.space.split("+"):
            if space in ("global", "shared", "local"):
                kinds.setdefault((space, "other" if "+" in one.space else one.kind, 8 * one.width), []).append(one)

    def summed(ones: list[InstructionCounts], field: str) -> float:
        return math.fsum(getattr(i, field) or 0.0 for i in ones)

    return tuple(
        EmulatedAccess(
            *(space, kind, width, summed(ones, "executed"), summed(ones, "threads_on")),
            summed(ones, "local_sectors" if space == "local" else "sectors") if space != "shared" else 0.0,
            summed(ones, "ideal_sectors") if space == "global" else 0.0,
            *((summed(ones, "wavefronts"), summed(ones, "ideal_wavefronts")) if space == "shared" else (0.0, 0.0)),
        )
        for (space, kind, width), ones in sorted(kinds.items())
    )


def _cost(one: InstructionCounts, cost: str) -> float:
    """Return the avoidable work of an instruction, in executions of a warp instruction."""
    what = sass.classify(one.opcode)
    if cost == "sectors" and one.space == "global" and one.kind in ("load", "store"):
        # Four sectors are one wavefront of the L1 cache.
        return ((one.sectors or 0.0) - (one.ideal_sectors or 0.0)) / 4
    if (cost == "wavefronts" and one.space == "shared") or (cost == "constants" and one.space == "constant"):
        return (one.wavefronts or 0.0) - (one.ideal_wavefronts or 0.0)
    if cost == "lanes":
        return one.executed - one.threads / 32
    if cost in ("spills", "indexed") and one.space == "local":
        return one.executed if one.is_spill == (cost == "spills") else 0.0
    if cost == "conversions" and what.is_conversion and what.involves_f64:
        return one.executed
    return one.executed if cost == "atomics" and one.kind == "atomic" else 0.0


def _locations(counted: Counted, diagnosis: str) -> tuple[EmulatedLocation, ...]:
    cost = _COSTS.get(diagnosis)
    if cost is None:
        return ()
    costs = [(c, one) for one in counted.instructions if (c := _cost(one, cost)) > 0]
    total = math.fsum(c for c, _ in costs)
    # A place is a source line, with its costliest instruction; without line information it is an instruction.
    places: dict[tuple[str, int, int], list[tuple[float, InstructionCounts]]] = {}
    for c, one in sorted(costs, key=lambda pair: -pair[0]):
        file, line = counted.program.lines.get(one.address, ("", 0))
        places.setdefault((file, line, 0 if file else one.address), []).append((c, one))
    found = [
        EmulatedLocation(ones[0][1].text, ones[0][1].address, math.fsum(c for c, _ in ones) / total, file, line)
        for (file, line, _), ones in places.items()
    ]
    return tuple(sorted(found, key=lambda place: -place.share)[:_SHOWN])


def _adds(evidence: Comparison, because: str) -> bool:
    return evidence.metric != "emulated" and evidence.says not in because


def analyse_emulated(document: EmulatedDocument, gpu: str | None = None, name: str = "") -> Analysis:
    """Reason about an emulated launch. gpu: whose limits and peaks the rules may use; unknown without it.

    name: what stands for the path of a report, the kernel by default.
    """
    digest = hashlib.sha256(msgspec.json.encode((document.kernel, document.counts, document.opcodes))).hexdigest()
    info = ReportInfo(name or document.kernel, digest, TOOL, FORMAT)
    table = frame([launch_of(document)], catalog_metrics())
    return analyse_frame(open_catalog(), Inputs(table, (info,), gpu, {}))


def emulated_document(counted: Counted, gpu: str | None = None) -> EmulatedDocument:
    """Return the document of a counted launch, with what the rules conclude from it."""
    program = counted.program
    opcodes: dict[str, float] = {}
    for one in counted.instructions:
        if one.executed:
            opcodes[one.opcode] = opcodes.get(one.opcode, 0.0) + one.executed
    document = EmulatedDocument(
        kernel=program.kernel,
        arch=program.arch,
        grid=counted.grid,
        block=counted.block,
        blocks=counted.blocks,
        executed_blocks=counted.executed_blocks,
        exact=counted.exact,
        spread=counted.spread,
        data_dependent=counted.data_dependent,
        metrics=(),
        findings=(),
        unknown=UNKNOWN,
        instructions=tuple(
            EmulatedInstruction(
                *(i.address, i.text, i.executed, i.threads, i.threads_on, i.requests, i.sectors, i.ideal_sectors),
                *(i.local_sectors, i.wavefronts, i.ideal_wavefronts),
                *program.lines.get(i.address, ("", 0)),
            )
            for i in counted.instructions
            if i.executed
        ),
        registers=program.registers,
        shared_bytes=program.shared_bytes + counted.dynamic_shared,
        order_dependent=counted.order_dependent,
        counts=tuple(sorted(counts_of(counted).items())),
        opcodes=tuple(sorted(opcodes.items())),
        accesses=accesses_of(counted),
    )
    launch = analyse_emulated(document, gpu).diagnosis.launches[0]
    catalog = open_catalog()
    findings = tuple(
        EmulatedFinding(
            one.id,
            one.title,
            confidence_text(one.confidence),
            launch.metrics.get(catalog.findings[one.id].avoidable, 0.0),
            tuple(dict.fromkeys((one.because, *(c.says for c in one.evidence if _adds(c, one.because))))),
            one.cites,
            _locations(counted, one.id),
        )
        for one in launch.findings
        if one.kind == "diagnosis" and one.id != "unexplained"
    )
    metrics = {n: v for n, v in sorted(launch.metrics.items()) if math.isfinite(v)}
    return replace(document, metrics=tuple(metrics.items()), findings=findings)
