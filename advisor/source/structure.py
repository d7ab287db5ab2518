"""Find the structure of a kernel: loops, phases, divergence zones, and the shared arrays of its accesses."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec import Struct

from advisor.hardware.sass import OpClass
from advisor.hardware.sass_flow import Loop, live_registers, loops, target
from advisor.source.listing import Listing, Row

_DECLARED = re.compile(r"\.shared\s+(?:\.align\s+\d+\s+)?\.\w+\s+([A-Za-z_$%][\w$]*)\s*(?:\[|;|$)")
_ENTRY = re.compile(r"\.(?:entry|func)\b")
_SHARED_ACCESS = re.compile(r"\.shared\b[^\[]*\[([^\]+]+)")
_ADDRESS = re.compile(r"\[([^\]+]+)")
_DEFINES = re.compile(r"^(?:@!?%p\d+\s+)?\w[\w.:]*\s+(%\w+)\s*,\s*(.*?);?$")
_NAME = re.compile(r"[%A-Za-z_$][\w$]*")
# operations that calculate an address from another one; a load does not
_MADE = re.compile(r"(?:@!?%p\d+\s+)?(?:add|sub|mad|shl|mov|cvta?|mul|and|or|xor|selp|shf|bfi|prmt|lop3)\b")
_MOST_STEPS = 400
_PART = re.compile(r"\D*?(\d+)")  # a part of a mangled name: its length
# kinds of work that characterise a phase; the rest is counting and branching
_MOST_KINDS = 4
_WORK = frozenset(("fp32", "fp64", "half", "tensor", "special", "conversion", "texture", "shuffle"))
# 28 to 31 lanes are typical of a border; below 24 ncu reports divergence, and below 16 half of the work is wasted.
BANDS = (("all", 32.0), ("border", 28.0), ("part", 16.0), ("few", 0.0))
# Averages come from counters; 31.99 of 32 lanes counts as all of them.
_SLACK = 0.05
_PREDICATE = re.compile(r"!?(U?P\d)")


class SharedArrays:
    """The shared arrays of the kernels in a PTX text. Few instructions write a PTX register, mostly only one."""

    def __init__(self, ptx: Sequence[str]) -> None:
        self._ptx = [line.strip() for line in ptx]
        self.names = {m[1] for line in self._ptx if (m := _DECLARED.search(line))}
        self._starts = [i for i, line in enumerate(self._ptx) if _ENTRY.search(line)]
        self._written: dict[int, dict[str, list[int]]] = {}

    def of(self, line: int) -> str:
        """Return the array that the access on a line of PTX (from 1) belongs to; '' if not known."""
        if not self.names or not 0 < line <= len(self._ptx):
            return ""
        text = self._ptx[line - 1]
        found = _SHARED_ACCESS.search(text) or _ADDRESS.search(text)
        if found is None:
            return ""
        start = max((s for s in self._starts if s < line), default=0)
        arrays = self._made_of(found[1].strip(), self._definitions(start))
        return arrays.pop() if len(arrays) == 1 else ""

    def _definitions(self, start: int) -> dict[str, list[int]]:
        """Map each register to the lines of its function that write it."""
        if start not in self._written:
            end = next((s for s in self._starts if s > start), len(self._ptx))
            found: dict[str, list[int]] = {}
            for i in range(start, end):
                if match := _DEFINES.match(self._ptx[i]):
                    found.setdefault(match[1], []).append(i)
            self._written[start] = found
        return self._written[start]

    def _made_of(self, name: str, written: dict[str, list[int]]) -> set[str]:
        found: set[str] = set()
        todo, seen = [name], {name}
        while todo and len(seen) < _MOST_STEPS:
            at = todo.pop()
            if at in self.names:
                found.add(at)
                continue
            for i in written.get(at, ()):
                match = _DEFINES.match(self._ptx[i])
                if match is None or not _MADE.match(self._ptx[i]):
                    continue
                fresh = [part for part in _NAME.findall(match[2]) if part not in seen]
                seen.update(fresh)
                todo += fresh
        return found


def plain_name(symbol: str) -> str:
    """Return the last part of a mangled name: `_ZZ6kernelE4tile` gives `tile`; other names stay unchanged."""
    at, last = 2, ""
    if not symbol.startswith("_Z"):
        return symbol
    while match := _PART.match(symbol, at):
        start, size = match.end(), int(match[1])
        if size > len(symbol) - start:
            break
        last, at = symbol[start : start + size], start + size
    return last or symbol


Part = Literal["prologue", "loop", "between", "epilogue"]


class Phase(Struct, frozen=True):
    """A phase. part: prologue, loop, between or epilogue; loop: number of an outermost loop, from 0, if part is loop.

    rows: first and last; executed, samples: shares of the launch's; does: kinds of work, most executed first; barrier:
    a block barrier ends it.
    """

    part: Part
    loop: int | None
    first: Row
    last: Row
    instructions: int
    executed: float
    samples: float
    does: tuple[str, ...]
    barrier: bool


def phases(listing: Listing, loops: Sequence[Loop]) -> tuple[Phase, ...]:
    """Return the phases by address, without those that never ran; empty if there are no loops."""
    if not loops:
        return ()
    rows = listing.rows
    outer: list[int | None] = [None] * len(rows)
    for number, loop in enumerate(loops):
        if loop.depth == 1:
            for i in loop.body:
                outer[i] = number
    inside = [i for i, number in enumerate(outer) if number is not None]
    executed = sum(row.executed for row in rows)
    sampled = sum(row.samples for row in rows)
    out = []
    for places in _cut(rows, outer):
        members = [rows[i] for i in places]
        count = sum(row.executed for row in members)
        if not count:
            continue
        around = outer[places[0]]
        part: Part = "loop" if around is not None else "prologue" if places[0] < inside[0] else "epilogue"
        if part == "epilogue" and places[0] < inside[-1]:
            part = "between"
        out.append(
            Phase(
                part,
                around,
                members[0],
                members[-1],
                len(members),
                count / executed,
                sum(row.samples for row in members) / sampled if sampled else 0.0,
                _does(members),
                _is_barrier(members[-1]),
            )
        )
    return tuple(out)


def _cut(rows: Sequence[Row], outer: Sequence[int | None]) -> Iterator[list[int]]:
    """Yield groups of consecutive indices in one loop, or outside; inside a loop each barrier ends a group."""
    run: list[int] = []
    for i in range(len(rows)):
        if run and (outer[i] != outer[run[-1]] or (outer[i] is not None and _is_barrier(rows[run[-1]]))):
            yield run
            run = []
        run.append(i)
    if run:
        yield run


def _is_barrier(row: Row) -> bool:
    return row.opcode.partition(".")[0] == "BAR"


def _does(rows: Sequence[Row]) -> tuple[str, ...]:
    found: Counter[str] = Counter()
    for row in rows:
        # HFMA2 with zero factors loads a constant.
        moves = row.opcode.startswith("HFMA2") and "RZ, RZ" in row.sass
        if row.executed and not moves and (kind := _kind(row.sight.op)):
            found[kind] += int(row.executed)
    return tuple(kind for kind, _ in found.most_common(_MOST_KINDS))


def _kind(op: OpClass) -> str:
    if op.space and op.access:
        return f"{op.space}_{op.access}"
    if op.access == "atomic":
        return "atomic"
    return op.kind if op.kind in _WORK else ""


class Zone(Struct, frozen=True):
    """The code between a BSSY and the point where its lanes reconverge.

    first, last: its rows; instructions: their number; lanes: average over the zone's executions; idle: inactive lanes
    times executions; executed, samples: shares of the launch's; branch: the first conditional branch in it; test: the
    instruction that sets the branch's predicate. branch and test are None if not found.
    """

    first: Row
    last: Row
    instructions: int
    lanes: float
    idle: float
    executed: float
    samples: float
    branch: Row | None
    test: Row | None


def bands(listing: Listing) -> dict[str, float]:
    """Return the share of executed instructions by number of active lanes (see BANDS); empty if not known."""
    out = {name: 0.0 for name, _ in BANDS}
    total = 0.0
    for row in listing.rows:
        if row.lanes is not None:
            out[next(name for name, least in BANDS if row.lanes >= least - _SLACK)] += row.executed
            total += row.executed
    return {name: value / total for name, value in out.items()} if total else {}


def zones(listing: Listing) -> tuple[Zone, ...]:
    """Return the zones that were entered, most idle lanes first; empty if the report lacks lanes or code."""
    rows = listing.rows
    place = {row.pc: i for i, row in enumerate(rows)}
    total = sum(row.executed for row in rows)
    sampled = sum(row.samples for row in rows)
    found = []
    for i, row in enumerate(rows):
        goal = place.get(target(row.sight.code, ("BSSY",)) or -1)
        if goal is None or goal <= i or not row.executed:
            continue
        inside = [r for r in rows[i : goal + 1] if r.lanes is not None]
        executed = sum(r.executed for r in inside)
        if not executed:
            continue
        lanes = sum((r.lanes or 0.0) * r.executed for r in inside) / executed
        branch = next((k for k in range(i, goal + 1) if rows[k].opcode.startswith("BRA") and _predicate(rows[k])), None)
        found.append(
            Zone(
                row,
                rows[goal],
                goal + 1 - i,
                lanes,
                max(0.0, 32 - lanes) * executed,
                executed / total,
                sum(r.samples for r in inside) / sampled if sampled else 0.0,
                None if branch is None else rows[branch],
                None if branch is None else _test(rows, branch),
            )
        )
    return tuple(sorted(found, key=lambda zone: (-zone.idle, zone.first.pc)))


def _predicate(row: Row) -> str | None:
    code = row.sight.code
    if code is None:
        return None
    names = (code.predicate, *code.operands)
    return next((m[1] for name in names if (m := _PREDICATE.fullmatch(name))), None)


def _test(rows: Sequence[Row], branch: int) -> Row | None:
    """Return the nearest instruction before the branch that writes its predicate: one of its first two operands."""
    wanted = _predicate(rows[branch])
    for row in reversed(rows[:branch]):
        code = row.sight.code
        if code is not None and wanted in code.operands[:2] and not row.opcode.startswith(("BRA", "PLOP3.LUT.")):
            return row
    return None


class LoopFacts(Struct, frozen=True):
    """A loop: its lines (first and last in the header's file, 0 without line information) and instructions.

    iterations: executions of the header over warps; executed, samples: shares of the launch's, 0 to 1 (0 if not known);
    barriers: block barriers in the body; spills: local-memory instructions on the stack in it. parent: number of the
    loop around it, or None; per_round: its iterations per iteration of the parent, if it has one.
    """

    loop: Loop
    file: str
    lines: tuple[int, int]
    iterations: float
    executed: float
    samples: float
    barriers: int
    spills: int
    parent: int | None = None
    per_round: float = 0.0


class Structure(Struct, frozen=True):
    """The structure. warps: of the launch (executions of its first instruction); parts: share of executed instructions.

    parts: prologue, loops, between, epilogue. spills: local-memory instructions on the stack, (inside, outside) the
    loops. phases: the phases in order; live: registers live at each instruction, calculated, () without code.
    """

    warps: float
    loops: tuple[LoopFacts, ...]
    parts: dict[str, float]
    spills: tuple[int, int]
    barriers: int
    phases: tuple[Phase, ...] = ()
    live: tuple[int, ...] = ()

    @property
    def flow(self) -> tuple[Loop, ...]:
        """Return the loops as indices."""
        return tuple(facts.loop for facts in self.loops)


def _spill(listing: Listing, i: int) -> bool:
    code = listing.rows[i].sight.code
    if code is None or code.opcode.partition(".")[0] not in ("LDL", "STL"):
        return False
    return code.memory is not None and code.memory.on_stack


def structure(listing: Listing) -> Structure:
    """Return the structure of a launch's code, without loops if the report holds no code."""
    rows = listing.rows
    found = [
        loop
        for loop in loops([row.sight.code for row in rows], [row.pc for row in rows])
        if any(rows[i].executed for i in loop.body)
    ]
    warps = rows[0].executed
    total = sum(row.executed for row in rows)
    sampled = sum(row.samples for row in rows)

    around = [_around(found, n) for n in range(len(found))]

    def facts(number: int, loop: Loop) -> LoopFacts:
        file = rows[loop.first].file
        numbers = [rows[i].line for i in loop.body if rows[i].line and rows[i].file == file]
        executed = sum(rows[i].executed for i in loop.body)
        samples, outer = sum(rows[i].samples for i in loop.body), around[number]
        rounds = rows[found[outer].first].executed if outer is not None else 0.0
        return LoopFacts(
            loop,
            file,
            (min(numbers), max(numbers)) if numbers else (0, 0),
            rows[loop.first].executed / warps if warps else 0.0,
            min(1.0, executed / total) if total else 0.0,
            min(1.0, samples / sampled) if sampled else 0.0,
            sum(_is_barrier(rows[i]) for i in loop.body),
            sum(_spill(listing, i) for i in loop.body),
            outer,
            rows[loop.first].executed / rounds if rounds else 0.0,
        )

    inside = {i for loop in found for i in loop.body}
    spilled = [i for i in range(len(rows)) if _spill(listing, i)]
    return Structure(
        warps,
        tuple(facts(number, loop) for number, loop in enumerate(found)),
        _parts(listing, inside, total),
        (sum(i in inside for i in spilled), sum(i not in inside for i in spilled)),
        sum(map(_is_barrier, rows)),
        phases(listing, found),
        tuple(live_registers([row.sight.code for row in rows], [row.pc for row in rows])) if listing.has_code else (),
    )


def _around(found: Sequence[Loop], number: int) -> int | None:
    """Return the smallest loop that contains all of this one and more."""
    body = set(found[number].body)
    outer = [n for n, loop in enumerate(found) if body < set(loop.body)]
    return min(outer, key=lambda n: len(found[n].body)) if outer else None


def _parts(listing: Listing, inside: set[int], total: float) -> dict[str, float]:
    if not inside or not total:
        return {}
    first, last = min(inside), max(inside)
    parts = dict.fromkeys(("prologue", "loops", "between", "epilogue"), 0.0)
    for i, row in enumerate(listing.rows):
        part = "loops" if i in inside else "prologue" if i < first else "epilogue" if i > last else "between"
        parts[part] += row.executed / total
    return parts


class SharedGroup(Struct, frozen=True):
    """Shared accesses through one base register: its name ('' for fixed addresses), opcodes, lines and counts.

    array: the name of their shared array, from the PTX; '' if not known.
    """

    base: str
    opcodes: tuple[str, ...]
    lines: tuple[tuple[str, int], ...]
    executed: float
    wavefronts: float
    ideal: float
    array: str = ""


def shared_groups(listing: Listing) -> tuple[SharedGroup, ...]:
    """Group the shared-memory accesses by base register and array; sort by wavefronts beyond the ideal."""
    groups: dict[tuple[str, str], list[int]] = {}
    arrays = SharedArrays(listing.ptx)
    for i, row in enumerate(listing.rows):
        code = row.sight.code
        if code is None or row.sight.op.space != "shared" or not row.executed or code.memory is None:
            continue
        array = plain_name(arrays.of(row.ptx))
        groups.setdefault((code.memory.base or code.memory.uniform, array), []).append(i)
    made = [_group(listing, *key, members) for key, members in groups.items()]
    return tuple(sorted(made, key=lambda g: (g.ideal - g.wavefronts, -g.executed, g.base, g.array)))


def _group(listing: Listing, base: str, array: str, members: Sequence[int]) -> SharedGroup:
    rows = [listing.rows[i] for i in members]
    return SharedGroup(
        base,
        tuple(dict.fromkeys(row.opcode for row in rows)),
        tuple(dict.fromkeys((row.file, row.line) for row in rows if row.line)),
        sum(row.executed for row in rows),
        sum(row.sight.values.get("memory_l1_wavefronts_shared", 0.0) for row in rows),
        sum(row.sight.values.get("memory_l1_wavefronts_shared_ideal", 0.0) for row in rows),
        array,
    )
