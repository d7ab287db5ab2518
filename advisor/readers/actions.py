"""Read the data of one launch of a binary report. Runs in the child process: standard library and ncu_report only.

The codes of per-instruction metrics, found by comparing them with the SASS of known kernels (CC 7.0 to 9.0, ncu 2021 to
2025): memory_type is a set of bits, 4 global, 8 local, 16 shared, and 0 for an instruction that no lane executed; an
asynchronous copy has both of its spaces (20). memory_access_type: 2 load, 4 store, 6 both (LDGSTS), 8 atomic; a
reduction (RED) and a bulk copy have none. memory_access_size_type: 2 for 8 bits, 8 for 16 bits, else the width in bits;
0 or absent where it is unknown.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from advisor.readers.addresses import AXES
from advisor.readers.flow import Facts, Flow, runs
from advisor.readers.order import Reach, Step, held, staged_share, working_share

Axes = Callable[[int], str | None]
GLOBAL, LOCAL, SHARED = 4, 8, 16
# An estimate of kind 1 (local) is for one part of the kernel only, not for the kernel's time.
_LOCAL_ESTIMATE, _GLOBAL_ESTIMATE = 1, 2
_KINDS = {2: "load", 4: "store", 8: "atomic"}
_WIDTHS = {2: 8, 4: 8, 8: 16, 16: 16}
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
_LOAD, _LOADS, _SECTOR_BYTES, _SECTORS_OF_A_LINE = 2, (2, 6), 32, 4
_GLOBAL_COUNTS = ("memory_l2_theoretical_sectors_global", "memory_l2_theoretical_sectors_global_ideal")
_SHARED_COUNTS = ("memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal")
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


def _roles(space: int, kind: int, has_width: bool) -> list[tuple[str, str]]:
    """Return (space, kind) of an instruction, two for a copy from global to shared memory (a load and a store)."""
    if space == GLOBAL | SHARED:
        if kind == 6:
            return [("global", "load"), ("shared", "store")]
        return [("shared" if kind else "other", _KINDS.get(kind, "other"))]
    name = {GLOBAL: "global", LOCAL: "local", SHARED: "shared"}.get(space, "other")
    return [(name, _KINDS.get(kind, "atomic" if has_width and name != "other" else "other"))]


def accesses(tables: dict[str, dict[int, float] | None]) -> list[list[Any]] | None:
    """Return executed memory instructions, one row per space, kind and width; fields in the order of model.Access.

    A count is None if the report lacks it for the whole launch. Executed lanes are those not predicated off.
    """
    spaces, executed = tables["memory_type"], tables["inst_executed"]
    if spaces is None or executed is None:
        return None
    kinds, widths, lanes = (
        tables[n] or {} for n in ("memory_access_type", "memory_access_size_type", "thread_inst_executed_true")
    )
    traffic = {
        "global": (
            tables["memory_l2_theoretical_sectors_global"],
            tables["memory_l2_theoretical_sectors_global_ideal"],
            None,
            None,
        ),
        "local": (tables["memory_l2_theoretical_sectors_local"], None, None, None),
        "shared": (None, None, tables["memory_l1_wavefronts_shared"], tables["memory_l1_wavefronts_shared_ideal"]),
    }
    rows: dict[tuple[str, str, int], list[Any]] = {}
    for pc, space in spaces.items():
        if not executed.get(pc):
            continue
        bits = int(widths.get(pc) or 0)
        for role in _roles(int(space), int(kinds.get(pc) or 0), bits > 0):
            columns = traffic.get(role[0], (None,) * 4)
            key = (*role, _WIDTHS.get(bits, bits))
            row = rows.setdefault(key, [*key, 0.0, 0.0, *(None if column is None else 0.0 for column in columns)])
            row[3] += executed[pc]
            row[4] += lanes.get(pc, 0.0)
            for i, column in enumerate(columns, 5):
                if column is not None:
                    row[i] += column.get(pc, 0.0)
    return [rows[key] for key in sorted(rows)]


def lines(tables: dict[str, dict[int, float] | None]) -> dict[str, float]:
    """Return the 128-byte lines that global loads and stores touch, and the fewest that their sectors need, as metrics.

    Each is the sum over instructions of lines per execution; an instruction touches one line at least.
    """
    spaces, executed = tables["memory_type"], tables["inst_executed"]
    touched, ideals = tables["memory_l1_tag_requests_global"], tables[_GLOBAL_COUNTS[1]]
    if spaces is None or executed is None or touched is None or ideals is None:
        return {}
    kinds = tables["memory_access_type"] or {}
    out = {"load_lines": 0.0, "load_lines_ideal": 0.0, "store_lines": 0.0, "store_lines_ideal": 0.0}
    for pc, space in spaces.items():
        count = executed.get(pc, 0.0)
        if not int(space) & GLOBAL or not count:
            continue
        kind = "load" if int(kinds.get(pc) or 0) in _LOADS else "store"
        out[f"{kind}_lines"] += touched.get(pc, 0.0)
        out[f"{kind}_lines_ideal"] += min(touched.get(pc, 0.0), max(count, ideals.get(pc, 0.0) / _SECTORS_OF_A_LINE))
    return out


def sparse_loads(tables: dict[str, dict[int, float] | None]) -> dict[str, float]:
    """Return metrics of global loads that less than half of the lanes execute: executions, lanes, share of the data.

    A load counts by the averages of its executions. Those of a single lane, or of one sector for half of a warp or
    more, load what the lanes share, such as where a row begins: no data. Without a load of data the share is unknown.
    """
    spaces, kinds, executed, lanes, ideals = (
        tables[n]
        for n in ("memory_type", "memory_access_type", "inst_executed", "thread_inst_executed_true", _GLOBAL_COUNTS[1])
    )
    if spaces is None or kinds is None or executed is None or lanes is None or ideals is None:
        return {}
    sparse = whole = threads = 0.0
    for pc, space in spaces.items():
        count, active = executed.get(pc, 0.0), lanes.get(pc, 0.0)
        if not int(space) & GLOBAL or int(kinds.get(pc) or 0) not in _LOADS or not active >= _ONE_LANE * count > 0:
            continue
        if active < _SPARSE * count:
            sparse, threads = sparse + count, threads + active
        elif ideals.get(pc, 0.0) > _ONE_SECTOR * count:
            whole += count
    out = {"sparse_load_inst": sparse}
    out |= {"sparse_load_lanes": threads / sparse} if sparse else {}
    return out | ({"sparse_load_share": sparse / (sparse + whole)} if sparse + whole else {})


# A whole number of passes or sectors, and a ratio of them, up to rounding and the ends of arrays.
_WHOLE = 0.01
_ONE_LANE, _SPARSE = 1.5, 16  # lanes: more than one, and half of a warp
_ONE_SECTOR = 1.5  # sectors for all lanes: more than one
# Sectors over their ideal if each group of lanes begins inside a sector: 32, 64 or 128 bytes need one more.
_STRADDLED = (2.0, 1.5, 1.25)
# Passes of 32 lanes that are as many words apart, where neighbouring words take one.
_INTERLEAVED = (2.0, 4.0, 8.0)
# Sectors over their ideal from which lanes are a row or a random distance apart. Lanes of 8 and 16 bytes cannot reach
# it: there, sectors of an access from which nearly each of 32 lanes has its own, where two or more could share one.
_APART, _EACH_ITS_OWN, _SHARED_BY_TWO = 6.0, 30.0, 1.8


def patterns(tables: dict[str, dict[int, float] | None]) -> dict[str, float]:
    """Return canonical metrics about the addresses of single instructions, which sums over instructions hide.

    A fixed pattern of addresses takes the same whole number of passes each time; addresses from data vary. Metrics
    whose counts the report lacks are absent; without excess they are 0.
    """
    spaces, kinds, executed = tables["memory_type"], tables["memory_access_type"], tables["inst_executed"]
    if spaces is None or kinds is None or executed is None:
        return {}
    out: dict[str, float] = {}
    for name, wanted, cost, ideal, chosen in (
        ("shared_varying_excess_share", SHARED, *_SHARED_COUNTS, _varies),
        ("shared_interleaved_excess_share", SHARED, *_SHARED_COUNTS, _interleaves),
        ("straddling_excess_share", GLOBAL, *_GLOBAL_COUNTS, _straddles),
        ("far_excess_share", GLOBAL, *_GLOBAL_COUNTS, _far),
        ("lone_excess_share", GLOBAL, *_GLOBAL_COUNTS, _alone),
    ):
        costs, ideals = tables[cost], tables[ideal]
        if costs is None or ideals is None:
            continue
        excess = marked = 0.0
        for pc, space in spaces.items():
            count, least = executed.get(pc, 0.0), ideals.get(pc, 0.0)
            if int(space) != wanted or int(kinds.get(pc) or 0) != _LOAD or not count or not least:
                continue
            over = max(0.0, costs.get(pc, 0.0) - least)
            excess += over
            marked += over if chosen(costs.get(pc, 0.0) / count, costs.get(pc, 0.0) / least) else 0.0
        out[name] = marked / excess if excess else 0.0
    return out


def distinct_loads(
    tables: dict[str, dict[int, float] | None], grid: list[Any], axes: Axes, guards: Callable[[int], str] = lambda _: ""
) -> dict[str, float]:
    """Return the most different bytes that global loads can request, as a canonical metric; empty if not known.

    Blocks along an axis that an address does not depend on request the same bytes. guards: the axes that decide which
    threads end early. If a share f of the warps runs on, and of the lanes that execute the load, on average f of the n
    blocks along an axis request the same bytes, so at most 1 / (f n) of all that are requested differ.
    """
    spaces, kinds, ideals = tables["memory_type"], tables["memory_access_type"], tables[_GLOBAL_COUNTS[1]]
    if spaces is None or kinds is None or ideals is None or not all(isinstance(n, (int, float)) for n in grid):
        return {}
    sizes = dict(zip("xyz", grid, strict=True))
    executed, threads = (tables.get(name) or {} for name in ("inst_executed", "thread_inst_executed_true"))
    runs_on = _running(executed)
    total, found = 0.0, False
    for pc, space in spaces.items():
        if int(space) & GLOBAL and int(kinds.get(pc) or 0) in _LOADS and ideals.get(pc):
            used = axes(pc)
            found = found or used is not None
            same = math.prod(n for axis, n in sizes.items() if used is not None and axis not in used)
            if used is not None and set(guards(pc)) - set(used):
                lanes = threads.get(pc, 0.0) / (32 * executed.get(pc, 0.0)) if executed.get(pc) else 0.0
                same *= min(runs_on.get(pc, 0.0), lanes)
            total += ideals[pc] * _SECTOR_BYTES / max(1.0, same)
    return {"distinct_load_bytes": total} if found else {}


def _running(executed: dict[int, float]) -> dict[int, float]:
    """Return the least share of the warps that execute an instruction before each address, 0 to 1."""
    out: dict[int, float] = {}
    first = least = 0.0
    for pc in sorted(executed):
        if executed[pc] > 0:
            first = first or executed[pc]
            least = min(least or first, executed[pc])
            out[pc] = least / first
    return out


def own_updates(tables: dict[str, dict[int, float] | None], grid: list[Any], axes: Axes) -> dict[str, float]:
    """Return the share of global atomics whose address follows from the block index, as a canonical metric.

    Blocks that run at the same time then have elements of their own: they differ in the first axis of the grid that has
    more than one block, so the address must follow from that one. Empty without global atomics, or if an address or the
    grid is unknown.
    """
    spaces, kinds, executed = tables["memory_type"], tables["memory_access_type"], tables["inst_executed"]
    fastest = next((axis for axis, n in zip(AXES, grid, strict=True) if isinstance(n, (int, float)) and n > 1), "")
    if spaces is None or executed is None or not fastest:
        return {}
    widths = tables["memory_access_size_type"] or {}
    own = total = 0.0
    for pc, space in spaces.items():
        roles = _roles(int(space), int((kinds or {}).get(pc) or 0), bool(widths.get(pc)))
        if not executed.get(pc) or ("global", "atomic") not in roles:
            continue
        used = axes(pc)
        if used is None:
            return {}
        total += executed[pc]
        own += executed[pc] if fastest in used and used != AXES else 0.0
    return {"own_atomic_share": own / total} if total else {}


# The share of excess sectors below which nothing is asked about the addresses.
_NOTABLE = 0.2
_FEW_LOADS = 0.1  # of all instructions
# Neither known to be unchanged (.nc), nor volatile or ordered.
_PLAIN_LOAD = re.compile(r"(?:@!?%\w+\s+)?ld\.global\.(?!nc\b)(?:v\d\.)?\w+\s")
# Instructions of 16 bytes that fill half of the instruction caches near the SM.
_LONG_CODE = 4096
_LOOPED = 4  # loads of a warp
_LIMITS = tuple(f"launch__occupancy_limit_{name}" for name in ("blocks", "warps", "shared_mem"))


def dependences(
    tables: dict[str, dict[int, float] | None], values: dict[str, tuple[float, str]], facts: Facts
) -> dict[str, float]:
    """Return canonical metrics about what addresses and values depend on; those that are unknown are absent."""
    spaces, kinds, executed = tables["memory_type"], tables["memory_access_type"], tables["inst_executed"]
    if spaces is None or kinds is None or not executed:
        return {}
    reached = [pc for pc, space in spaces.items() if int(space) & GLOBAL and executed.get(pc)]
    loads = [pc for pc in reached if int(kinds.get(pc) or 0) in _LOADS]
    out = _excess_by_address(tables, reached, frozenset(loads), facts)
    first = min(executed)
    at = loads[0] if loads else first
    flow = facts.flow(at)
    count = math.fsum(executed[pc] for pc in loads)
    found = {pc: access for pc in loads if (access := facts.access(pc)) is not None} if flow is not None else {}
    if flow is not None and found and (ideals := tables[_GLOBAL_COUNTS[1]]) is not None:
        least = math.fsum(ideals.get(pc, 0.0) for pc in loads)
        by_data = [pc for pc, access in found.items() if flow.gathers(access[1])]
        out |= {"indexed_load_share": math.fsum(ideals.get(pc, 0.0) for pc in by_data) / least} if least > 0 else {}
    # The first instruction is executed once by each warp; a chain is in a loop.
    if flow is not None and count > _LOOPED * executed[first]:
        chained = [pc for pc, access in found.items() if flow.depends_on(access[1], facts.results(pc))]
        out["chained_load_share"] = math.fsum(executed[pc] for pc in chained) / count
    if flow is not None and math.fsum(executed[pc] for pc in reached) < _FEW_LOADS * math.fsum(executed.values()):
        total, loaded = flow.arithmetic()
        out |= {"loaded_arithmetic_share": loaded / total} if total else {}
    if flow is not None:
        out |= _shares({"loaded_pair_share": flow.loaded_pairs(), "stepped_function_share": flow.stepped_functions()})
        stores = sorted(set(reached).difference(loads))
        out |= _by_order(executed, loads, stores, at, flow, facts)
    if len(executed) > _LONG_CODE and (literals := facts.literals(at)) is not None:
        out["literal_arithmetic_share"] = literals
    own = values.get("launch__occupancy_limit_registers")
    others = [values[name][0] for name in _LIMITS if name in values]
    if own is not None and others and own[0] < min(others):
        words = facts.live_words(at)
        out |= {} if words is None else {"live_words": float(words)}
    return out


def _shares(counts: dict[str, tuple[int, int]]) -> dict[str, float]:
    """Return the shares of those counts (all, and those that have a property) that are not of nothing."""
    return {name: some / every for name, (every, some) in counts.items() if every}


def _by_order(
    executed: dict[int, float], loads: list[int], stores: list[int], known: int, flow: Flow, facts: Facts
) -> dict[str, float]:
    """Return the metrics that follow from the order of the instructions. known: one whose line is known."""
    pcs = sorted(pc for pc, count in executed.items() if count)
    steps = [Step(executed[pc], *facts.statement(pc)) for pc in pcs]
    position = {pc: at for at, pc in enumerate(pcs)}
    found_loops = facts.loops(known)
    working = working_share(steps, [span[:2] for span in found_loops])
    staged = staged_share(
        steps,
        [position[pc] for pc in loads],
        lambda at: facts.results(pcs[at]),
        flow.copies_of_loaded,
    )
    found = {"barrier_working_share": working, "staged_arithmetic_share": staged}
    total = math.fsum(executed[pc] for pc in loads)
    if total > _LOOPED * steps[0].count:
        tested: set[int] = set()
        # A load belongs to its innermost loop: one around it may end on a sum of many that are independent.
        own = {pc: _innermost(steps[position[pc]].line, found_loops) for pc in loads}
        for start, stop, predicates in found_loops:
            inside = [pc for pc in loads if own[pc] == (start, stop)]
            results = [name for pc in inside for name in facts.results(pc)]
            tested.update(inside if any(flow.depends_on(name, results) for name in predicates) else ())
        found["tested_load_share"] = math.fsum(executed[pc] for pc in tested) / total
        walked = [pc for pc in loads if (access := facts.access(pc)) is not None and flow.advances(access[1])]
        found["walked_load_share"] = math.fsum(executed[pc] for pc in walked) / total
        looped = [pc for pc in loads if own[pc] is not None]
        reaches = ([one for pc in pcs if (one := _reach(pc, flow, facts)) is not None] for pcs in (looped, stores))
        found["held_load_share"] = math.fsum(executed[pc] for pc in held(*reaches)) / total
    return {name: value for name, value in found.items() if value is not None}


def _reach(pc: int, flow: Flow, facts: Facts) -> Reach | None:
    """Return where an access is and what its address is computed from; None if it is no plain load or store."""
    access, (line, text) = facts.access(pc), facts.statement(pc)
    if access is None or (access[0] == "ld" and not _PLAIN_LOAD.match(text)):
        return None
    return Reach(pc, line, facts.series(line), flow.arguments(access[1]))


def _innermost(line: int, found: list[tuple[int, int, frozenset[str]]]) -> tuple[int, int] | None:
    """Return the first and last line of the shortest loop around a line; None outside of loops."""
    around = [(stop - start, (start, stop)) for start, stop, _ in found if start <= line <= stop]
    return min(around)[1] if around else None


def _excess_by_address(
    tables: dict[str, dict[int, float] | None], reached: list[int], loads: frozenset[int], facts: Facts
) -> dict[str, float]:
    """Return the shares of the excess sectors at gathers, and at words that are neighbours within a thread.

    With them the share of the ideal sectors that lanes gather.
    """
    costs, ideals = (tables[name] for name in _GLOBAL_COUNTS)
    if costs is None or ideals is None:
        return {}
    over = {pc: costs.get(pc, 0.0) - ideals.get(pc, 0.0) for pc in reached if costs.get(pc, 0.0) > ideals.get(pc, 0.0)}
    total = math.fsum(over.values())
    if total <= _NOTABLE * math.fsum(ideals.get(pc, 0.0) for pc in reached):
        return {"gather_excess_share": 0.0, "neighbour_excess_share": 0.0, "gathered_share": 0.0}
    found = {pc: access for pc in over if (access := facts.access(pc)) is not None}
    flow = facts.flow(next(iter(over)))
    if not found or flow is None:
        return {}
    # A link of a list and a turn of a search are as scattered as an index: what each lane loads next, its data decides.
    gathered = [
        pc
        for pc, access in found.items()
        if pc in loads and (flow.gathers(access[1]) or flow.depends_on(access[1], facts.results(pc)))
    ]
    lengths = runs((pc, *access) for pc, access in found.items())
    # In a block of n words per thread each word costs n times its ideal; more means that the thread's words are apart.
    near = [pc for pc, n in lengths.items() if n > 1 and costs[pc] <= (n + _WHOLE) * ideals[pc]]
    out = {
        "gather_excess_share": math.fsum(over[pc] for pc in gathered) / total,
        "neighbour_excess_share": math.fsum(over[pc] for pc in near) / total,
    }
    ideal = math.fsum(ideals.get(pc, 0.0) for pc in reached)
    return out | ({"gathered_share": math.fsum(ideals[pc] for pc in gathered) / ideal} if ideal > 0 else {})


def _is_whole(value: float) -> bool:
    return abs(value - round(value)) <= _WHOLE


def _varies(cost: float, ratio: float) -> bool:
    return not _is_whole(cost)


def _interleaves(cost: float, ratio: float) -> bool:
    return any(abs(cost - one) <= _WHOLE and abs(ratio - one) <= _WHOLE for one in _INTERLEAVED)


def _far(cost: float, ratio: float) -> bool:
    return ratio >= _APART


def _alone(cost: float, ratio: float) -> bool:
    return cost >= _EACH_ITS_OWN and ratio >= _SHARED_BY_TWO


def _straddles(cost: float, ratio: float) -> bool:
    return _is_whole(cost) and any(abs(ratio - one) <= _WHOLE for one in _STRADDLED)


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
