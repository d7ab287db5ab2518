"""Which shared array an access belongs to, by its PTX: from the address back to the name that it is made from.

The shape of a kernel: its loops with how often they run, its barriers, what lies before and after the loops.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from advisor.source.flow import Loop, loops
from advisor.source.listing import Listing
from advisor.source.phases import Phase, phases
from advisor.source.registers import live_registers

_DECLARED = re.compile(r"\.shared\s+(?:\.align\s+\d+\s+)?\.\w+\s+([A-Za-z_$%][\w$]*)\s*(?:\[|;|$)")
_ENTRY = re.compile(r"\.(?:entry|func)\b")
_SHARED_ACCESS = re.compile(r"\.shared\b[^\[]*\[([^\]+]+)")
_ADDRESS = re.compile(r"\[([^\]+]+)")
_DEFINES = re.compile(r"^(?:@!?%p\d+\s+)?\w[\w.:]*\s+(%\w+)\s*,\s*(.*?);?$")
_NAME = re.compile(r"[%A-Za-z_$][\w$]*")
# Operations that make an address out of another one; a load does not.
_MADE = re.compile(r"(?:@!?%p\d+\s+)?(?:add|sub|mad|shl|mov|cvta?|mul|and|or|xor|selp|shf|bfi|prmt|lop3)\b")
_MOST_STEPS = 400


class SharedArrays:
    """The arrays of the kernels in a PTX text. Registers of PTX are written in few places, mostly one."""

    def __init__(self, ptx: Sequence[str]) -> None:
        self._ptx = [line.strip() for line in ptx]
        self.names = {m[1] for line in self._ptx if (m := _DECLARED.search(line))}
        self._starts = [i for i, line in enumerate(self._ptx) if _ENTRY.search(line)]
        self._written: dict[int, dict[str, list[int]]] = {}

    def of(self, line: int) -> str:
        """The array that the access on a line of PTX, counted from 1, belongs to; '' where one cannot be told."""
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
        """Register -> the lines of its function that write it."""
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
    """The last part of a mangled name: `_ZZ6kernelE4tile` is `tile`; other names as they are."""
    at, last = 2, ""
    if not symbol.startswith("_Z"):
        return symbol
    while match := re.compile(r"\D*?(\d+)").match(symbol, at):
        start, size = match.end(), int(match[1])
        if size > len(symbol) - start:
            break
        last, at = symbol[start : start + size], start + size
    return last or symbol


@dataclass(frozen=True, slots=True)
class LoopFacts:
    """A loop: its lines (the smallest and largest of the header's file, 0 without line information), instructions.

    iterations: executions of the header over warps; executed and samples: shares of the launch's, 0 to 1 (0 where the
    report does not tell); barriers: block barriers in the body; spills: local instructions on the stack in it.
    parent: number of the loop around it, or None; per_round: iterations in one of the parent's, where it has one.
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


@dataclass(frozen=True, slots=True)
class Structure:
    """warps: of the launch, as executions of its first instruction; parts: share of executed instructions.

    parts: prologue, loops, between, epilogue. spills: local instructions on the stack, (inside, outside) the loops.
    phases: the course of the kernel; live: registers live at each instruction, computed, () without code.
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
        """The loops as places."""
        return tuple(facts.loop for facts in self.loops)


def _barrier(listing: Listing, i: int) -> bool:
    return listing.rows[i].opcode.partition(".")[0] == "BAR"


def _spill(listing: Listing, i: int) -> bool:
    code = listing.rows[i].sight.code
    if code is None or code.opcode.partition(".")[0] not in ("LDL", "STL"):
        return False
    return code.memory is not None and code.memory.on_stack


def structure(listing: Listing) -> Structure:
    """The structure of a launch's code; without loops where the report holds no code."""
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
        samples = sum(rows[i].samples for i in loop.body)
        return LoopFacts(
            loop,
            file,
            (min(numbers), max(numbers)) if numbers else (0, 0),
            rows[loop.first].executed / warps if warps else 0.0,
            min(1.0, executed / total) if total else 0.0,
            min(1.0, samples / sampled) if sampled else 0.0,
            sum(_barrier(listing, i) for i in loop.body),
            sum(_spill(listing, i) for i in loop.body),
            outer := around[number],
            _ratio(rows[loop.first].executed, rows[found[outer].first].executed) if outer is not None else 0.0,
        )

    inside = {i for loop in found for i in loop.body}
    spilled = [i for i in range(len(rows)) if _spill(listing, i)]
    return Structure(
        warps,
        tuple(facts(number, loop) for number, loop in enumerate(found)),
        _parts(listing, inside, total),
        (sum(i in inside for i in spilled), sum(i not in inside for i in spilled)),
        sum(_barrier(listing, i) for i in range(len(rows))),
        phases(listing, found),
        tuple(live_registers([row.sight.code for row in rows], [row.pc for row in rows])) if listing.has_code else (),
    )


def _ratio(a: float, b: float) -> float:
    return a / b if b else 0.0


def _around(found: Sequence[Loop], number: int) -> int | None:
    """The smallest loop that holds all of this one and more."""
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


@dataclass(frozen=True, slots=True)
class SharedGroup:
    """Shared accesses through one base register: its name ('' for fixed addresses), opcodes, lines, counts.

    array: the name of the shared array that they belong to, told by the PTX; '' where it cannot be told.
    """

    base: str
    opcodes: tuple[str, ...]
    lines: tuple[tuple[str, int], ...]
    executed: float
    wavefronts: float
    ideal: float
    array: str = ""


def shared_groups(listing: Listing) -> tuple[SharedGroup, ...]:
    """Shared-memory loads, stores and atomics by base register and array, most wavefronts beyond the ideal first."""
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
