"""The columns of `--columns`: values to show for each instruction, selected by name or as a named set."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from advisor.records.errors import UsageError
from advisor.source.listing import Listing, Waits
from advisor.source.measures import DIVERGENT, EXECUTED, LANES, SAMPLES, SECTORS, WAVEFRONTS

Value = float | str | None


class Facts(Struct, frozen=True):
    """The data of columns: the listing, live registers and innermost loop of each instruction, and the waits."""

    listing: Listing
    live: tuple[int, ...]
    loops: tuple[int | None, ...]
    waits: Waits


class Column(Struct, frozen=True):
    """A column. title: short enough for a table; needs: ncu's names; value: of an instruction, or None."""

    id: str
    title: str
    needs: tuple[str, ...]
    value: Callable[[Facts, int], Value]


def _metric(name: str) -> Callable[[Facts, int], Value]:
    return lambda facts, at: facts.listing.rows[at].sight.values.get(name)


def _each(name: str) -> Callable[[Facts, int], Value]:
    """Return a value function of a metric per execution; its result is None if an instruction has none."""

    def value(facts: Facts, at: int) -> Value:
        row = facts.listing.rows[at]
        found = row.sight.values.get(name)
        return found / row.executed if found and row.executed else None

    return value


_ALL = (
    Column("executed", "executed", (EXECUTED,), _metric(EXECUTED)),
    Column("samples", "samples", (SAMPLES,), _metric(SAMPLES)),
    Column("stall", "stall", (), lambda facts, at: wait.reason if (wait := facts.waits.of(at)) else None),
    Column("lanes", "lanes", (EXECUTED, LANES), lambda facts, at: facts.listing.rows[at].lanes),
    Column("splits", "splits", (DIVERGENT,), _metric(DIVERGENT)),
    Column("sectors", "sectors", (SECTORS,), _each(SECTORS)),
    Column("sectors_ideal", "(ideal)", (SECTORS + "_ideal",), _each(SECTORS + "_ideal")),
    Column("wavefronts", "wavefr.", (WAVEFRONTS,), _each(WAVEFRONTS)),
    Column("wavefronts_ideal", "(ideal)", (WAVEFRONTS + "_ideal",), _each(WAVEFRONTS + "_ideal")),
    Column("live", "live", (), lambda facts, at: float(facts.live[at]) if facts.live else None),
    Column("loop", "loop", (), lambda facts, at: None if (n := facts.loops[at]) is None else float(n + 1)),
)
COLUMNS: Mapping[str, Column] = {column.id: column for column in _ALL}
SETS: Mapping[str, tuple[str, ...]] = {
    "memory": ("executed", "sectors", "sectors_ideal", "wavefronts", "wavefronts_ideal"),
    "stalls": ("executed", "samples", "stall"),
    "predication": ("executed", "lanes", "splits"),
    "instructions": ("executed", "samples", "live", "loop"),
}


def parse_columns(text: str) -> tuple[Column, ...]:
    """Parse comma-separated columns or sets of columns; drop repetitions. Raises UsageError for unknown names."""
    names: list[str] = []
    for part in (part.strip() for part in text.split(",")):
        if part not in SETS and part not in COLUMNS:
            known = f"sets: {', '.join(SETS)}; columns: {', '.join(COLUMNS)}"
            raise UsageError(f"--columns {text[:80]!r}: {part[:40]!r} is not known ({known})")
        names += SETS.get(part, (part,))
    return tuple(COLUMNS[name] for name in dict.fromkeys(names))
