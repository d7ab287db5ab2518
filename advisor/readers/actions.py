"""Read the data of one launch of a binary report. Runs in the child process: standard library and ncu_report only."""

from __future__ import annotations

import math
import re
from typing import Any

from advisor.readers.access_tables import (
    LOCAL,
    accesses,
    dependences,
    distinct_loads,
    lines,
    own_updates,
    patterns,
    sparse_loads,
)
from advisor.readers.flow import Facts

# An estimate of kind 1 (local) is for one part of the kernel only, not for the kernel's time.
_LOCAL_ESTIMATE, _GLOBAL_ESTIMATE = 1, 2
_STACK = re.compile(r"\[R1(?:\+-?0x[0-9a-f]+)?\]")
_OPCODES = ("sass__inst_executed_per_opcode_with_modifier_all", "sass__inst_executed_per_opcode")
_LANES = (
    "sass__thread_inst_executed_true_per_opcode_with_modifier_all",
    "sass__thread_inst_executed_true_per_opcode",
)
# ncu's name of each count of lanes -> stems of the opcodes in it.
ARITHMETIC = {
    f"smsp__sass_thread_inst_executed_op_{name}_pred_on.sum": stems
    for name, stems in (
        *((op, frozenset((op.upper(), f"{op.upper()}32I"))) for op in ("ffma", "fadd", "fmul")),
        *((op, frozenset((op.upper(),))) for op in ("dfma", "dadd", "dmul")),
        *((op, frozenset((f"{op.upper()}2", f"{op.upper()}2_32I"))) for op in ("hfma", "hadd", "hmul")),
    )
}
SPILLS = "sass__inst_executed_register_spilling"
LOCAL_COUNTS = (
    ("sass__inst_executed_local_loads", "sass__inst_executed_local_stores"),
    ("smsp__sass_inst_executed_op_local_ld.sum", "smsp__sass_inst_executed_op_local_st.sum"),
    ("smsp__inst_executed_op_local_ld.sum", "smsp__inst_executed_op_local_st.sum"),
)
_PER_PC = (
    "memory_type",
    "memory_access_type",
    "memory_access_size_type",
    "inst_executed",
    "thread_inst_executed_true",
    "memory_l2_theoretical_sectors_global",
    "memory_l2_theoretical_sectors_global_ideal",
    "memory_l1_tag_requests_global",
    "memory_l2_theoretical_sectors_local",
    "memory_l1_wavefronts_shared",
    "memory_l1_wavefronts_shared_ideal",
)
_GRID = tuple(f"launch__grid_dim_{axis}" for axis in "xyz")
_BLOCK = tuple(f"launch__block_dim_{axis}" for axis in "xyz")
_DEVICE = tuple(
    f"device__attribute_{name}" for name in ("display_name", "compute_capability_major", "compute_capability_minor")
)
# Metrics of which every instance is read; one value is read of all others.
INSTANCED = frozenset((*_OPCODES, *_LANES, *_PER_PC))
# Metrics that are needed in addition to those that the caller names.
ALWAYS = frozenset(
    (
        *(*_OPCODES, *_LANES, SPILLS, *_PER_PC, *_GRID, *_BLOCK, *_DEVICE),
        *(n for pair in LOCAL_COUNTS for n in pair),
    )
)


def value_of(action: Any, name: str) -> Any:
    """Return the metric's value: a number, a string, or None if the report lacks it."""
    metric = action.metric_by_name(name)
    return None if metric is None else metric.value()


def instances(action: Any, name: str) -> dict[int, float] | None:
    """Return program counter -> value of a per-instruction metric, or None if the report lacks it."""
    metric = action.metric_by_name(name)
    count = metric.num_instances() if metric is not None else 0
    if not count or not metric.has_correlation_ids():
        return None
    pcs = metric.correlation_ids()
    return {pcs.as_uint64(i): metric.as_double(i) for i in range(count)}


def known_instances(action: Any, name: str) -> dict[int, float] | None:
    """Return the same as `instances`, or None if an instance is NaN or infinite: a sum without it is too small."""
    found = instances(action, name)
    return found if found is None or all(map(math.isfinite, found.values())) else None


def _number(action: Any, name: str) -> float | None:
    value = value_of(action, name)
    return float(value) if isinstance(value, (int, float)) and math.isfinite(value) else None


def describe(action: Any, names: list[str], facts: Facts | None = None) -> dict[str, Any]:
    """Return everything that the readers use of a launch, as data that JSON can represent. facts: from its PTX."""
    values: dict[str, tuple[float, str]] = {}
    for name in names:
        metric = action.metric_by_name(name)
        value = metric.value() if metric is not None else None
        if isinstance(value, (int, float)):
            values[name] = (float(value), metric.unit())
    if not any(name.replace(".sum", ".sum.per_cycle_elapsed") in values for name in ARITHMETIC):
        values = arithmetic_lanes(action) | values
    tables = {name: known_instances(action, name) for name in _PER_PC}
    grid = [value_of(action, name) for name in _GRID]
    return {
        "name": action.name(),
        "full": action.name(action.NameBase_DEMANGLED) or action.name(action.NameBase_MANGLED) or action.name(),
        "grid": grid,
        "block": [value_of(action, name) for name in _BLOCK],
        "device": [value_of(action, name) for name in _DEVICE],
        "values": values,
        "opcodes": opcodes(action),
        "accesses": accesses(tables),
        "patterns": patterns(tables)
        | lines(tables)
        | sparse_loads(tables)
        | (
            {}
            if facts is None
            else distinct_loads(tables, grid, facts.axes, facts.guards)
            | own_updates(tables, grid, facts.updated)
            | dependences(tables, values, facts)
        ),
        "rules": rules(action),
        "local": local_split(action, tables),
    }


def opcodes(action: Any) -> dict[str, float] | None:
    """Return opcode -> executed warp instructions, with the opcode's modifiers if the report has them.

    None if the report lacks the counts or one of them is NaN.
    """
    return _by_opcode(action, _OPCODES)


def _by_opcode(action: Any, names: tuple[str, ...]) -> dict[str, float] | None:
    for name in names:
        metric = action.metric_by_name(name)
        if metric is not None and metric.num_instances() and metric.has_correlation_ids():
            ids = metric.correlation_ids()
            found = {ids.as_string(i): metric.as_double(i) for i in range(metric.num_instances())}
            if all(map(math.isfinite, found.values())):
                return found
    return None


def arithmetic_lanes(action: Any) -> dict[str, tuple[float, str]]:
    """Compute ncu's counts of floating-point operations from the lanes of each opcode; empty without these lanes.

    The counts equal ncu's: none differs on 108 launches of CC 9.0 that have both. Packed fp32 (FFMA2, from CC 10.0 on)
    is in neither list, so the result is empty if the launch executes any.
    """
    lanes = _by_opcode(action, _LANES)
    if lanes is None:
        return {}
    stems: dict[str, float] = {}
    for opcode, number in lanes.items():
        stem = opcode.partition(".")[0]
        stems[stem] = stems.get(stem, 0.0) + number
    if stems.keys() & {"FFMA2", "FADD2", "FMUL2"}:
        return {}
    return {name: (sum(stems.get(s, 0.0) for s in found), "inst") for name, found in ARITHMETIC.items()}


def rules(action: Any) -> list[list[Any]]:
    """Return [identifier, title, message, saving, local saving] of each rule with a result.

    The savings are in % of the kernel's time and of one part of it, or None if the rule has no such estimate.
    """
    found = []
    for result in action.rule_results_as_dicts():
        message = result.get("rule_message") or {}
        if message.get("message"):
            estimate = result.get("speedup_estimation") or {}
            kind, percent = estimate.get("type"), estimate.get("speedup")
            savings = [percent if kind == wanted else None for wanted in (_GLOBAL_ESTIMATE, _LOCAL_ESTIMATE)]
            title = message.get("title") or result.get("name") or ""
            found.append([result.get("rule_identifier") or "", title, message["message"], *savings])
    return found


def local_split(action: Any, tables: dict[str, dict[int, float] | None]) -> list[float] | None:
    """Return executed [spill instructions, other local-memory instructions], or None if only the code shows it.

    From ncu 2025.3 on the report counts the spills; the other local-memory instructions access arrays.
    """
    total = None
    spaces, executed = tables["memory_type"], tables["inst_executed"]
    if spaces is not None and executed is not None:
        total = sum(executed.get(pc, 0.0) for pc, space in spaces.items() if int(space) & LOCAL)
    else:
        for pair in LOCAL_COUNTS:
            counts = [count for name in pair if (count := _number(action, name)) is not None]
            if len(counts) == len(pair):
                total = math.fsum(counts)
                break
    if total is None:
        return None
    if not total:
        return [0.0, 0.0]
    spills = _number(action, SPILLS)
    return None if spills is None else [spills, max(0.0, total - spills)]


def local_split_by_code(action: Any) -> list[float] | None:
    """Return the same as `local_split` from the code, which `action` must have (see container.slim).

    The stack pointer plus a constant is the address of a spill (or of an array element with a constant index); any
    other address is computed at run time.
    """
    spaces, executed = known_instances(action, "memory_type"), known_instances(action, "inst_executed")
    if spaces is None or executed is None:
        return None
    split = [0.0, 0.0]
    for pc, space in spaces.items():
        if int(space) & LOCAL and executed.get(pc):
            text = action.sass_by_pc(pc)
            if "[" not in text:
                return None
            split[0 if _STACK.search(text) else 1] += executed[pc]
    return split
