"""Where warps run with lanes off: how many lanes the instructions have, and the zones between BSSY and BSYNC."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from advisor.source.flow import target
from advisor.source.listing import Listing, Row

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
