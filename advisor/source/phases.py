"""The course of a kernel: what lies before, in, between and after its loops, a loop's body cut at its barriers.

Where warps run with lanes off: how many lanes the instructions have, and the zones between BSSY and BSYNC.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from advisor.hardware.sass import OpClass
from advisor.source.flow import Loop, target
from advisor.source.listing import Listing, Row

# Kinds of work that a phase is told by; the rest is counting and steering.
_MOST_KINDS = 4
_WORK = frozenset(("fp32", "fp64", "half", "tensor", "special", "conversion", "texture", "shuffle"))


@dataclass(frozen=True, slots=True)
class Phase:
    """part: prologue, loop, between or epilogue; loop: number of an outermost loop, from 0, where part is loop.

    rows: first and last; executed and samples: shares of the launch's; does: kinds of work, most executed first;
    barrier: a block barrier ends it.
    """

    part: str
    loop: int | None
    first: Row
    last: Row
    instructions: int
    executed: float
    samples: float
    does: tuple[str, ...]
    barrier: bool


def phases(listing: Listing, loops: Sequence[Loop]) -> tuple[Phase, ...]:
    """The phases in the order of their addresses, without those that never ran; empty without loops."""
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
        part = "loop" if around is not None else "prologue" if places[0] < inside[0] else "epilogue"
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
    """Runs of places in one loop, or outside; inside a loop each barrier ends a run."""
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
        # HFMA2 with zeros for factors loads a constant.
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


# 28 to 31 lanes are a border's; below 24 ncu reports divergence, and below 16 half of the work is thrown away.
BANDS = (("all", 32.0), ("border", 28.0), ("part", 16.0), ("few", 0.0))
# Averages come from counters; 31.99 of 32 lanes is all of them.
_SLACK = 0.05
_PREDICATE = re.compile(r"!?(U?P\d)")


@dataclass(frozen=True, slots=True)
class Zone:
    """Code between a BSSY and where its lanes meet again.

    first and last: its rows; instructions: how many; lanes: average of the zone's executions; idle: lanes times
    executions that did nothing; executed and samples: shares of the launch's; branch: the first conditional branch in
    it; test: what set the branch's predicate. None where there is none.
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
    """Share of the executed instructions by how many lanes they ran for (see BANDS); empty where that is unknown."""
    out = {name: 0.0 for name, _ in BANDS}
    total = 0.0
    for row in listing.rows:
        if row.lanes is not None:
            out[next(name for name, least in BANDS if row.lanes >= least - _SLACK)] += row.executed
            total += row.executed
    return {name: value / total for name, value in out.items()} if total else {}


def zones(listing: Listing) -> tuple[Zone, ...]:
    """The zones that were entered, most idle lanes first; empty where the report does not tell lanes or code."""
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
        branch = next((k for k in range(i, goal + 1) if _steers(rows[k])), None)
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


def _steers(row: Row) -> bool:
    return row.sight.code is not None and row.opcode.startswith("BRA") and _predicate(row) is not None


def _predicate(row: Row) -> str | None:
    code = row.sight.code
    if code is None:
        return None
    names = (code.predicate, *code.operands)
    return next((m[1] for name in names if (m := _PREDICATE.fullmatch(name))), None)


def _test(rows: Sequence[Row], branch: int) -> Row | None:
    """The nearest instruction before the branch that writes its predicate: one of its first two operands."""
    wanted = _predicate(rows[branch])
    for row in reversed(rows[:branch]):
        code = row.sight.code
        if code is not None and wanted in code.operands[:2] and not row.opcode.startswith(("BRA", "PLOP3.LUT.")):
            return row
    return None
