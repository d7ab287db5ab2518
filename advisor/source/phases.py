"""The course of a kernel: what lies before, in, between and after its loops, a loop's body cut at its barriers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from advisor.sass import OpClass
from advisor.source.flow import Loop
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
