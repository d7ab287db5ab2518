"""What the per-instruction metrics of a launch tell of its accesses. Runs in the child process: standard library only.

A table is a metric by the addresses of the instructions, or None if the report lacks it. The codes in them, found by
comparing them with the SASS of known kernels (CC 7.0 to 9.0, ncu 2021 to 2025): memory_type is a set of bits, 4 global,
8 local, 16 shared, and 0 for an instruction that no lane executed; an asynchronous copy has both of its spaces (20).
memory_access_type: 2 load, 4 store, 6 both (LDGSTS), 8 atomic; a reduction (RED) and a bulk copy have none.
memory_access_size_type: 2 for 8 bits, 8 for 16 bits, else the width in bits; 0 or absent where it is unknown.
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
_KINDS = {2: "load", 4: "store", 8: "atomic"}
_WIDTHS = {2: 8, 4: 8, 8: 16, 16: 16}
_LOAD, _LOADS, _SECTOR_BYTES, _SECTORS_OF_A_LINE = 2, (2, 6), 32, 4
_GLOBAL_COUNTS = ("memory_l2_theoretical_sectors_global", "memory_l2_theoretical_sectors_global_ideal")
_SHARED_COUNTS = ("memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal")


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
