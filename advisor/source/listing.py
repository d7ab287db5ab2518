"""The instructions of one launch with what they did, in the order of their addresses."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from advisor.errors import InputError
from advisor.reports import read_instances
from advisor.reports.limits import Limits
from advisor.sass import OpClass, classify, parse
from advisor.source.measures import EXECUTED, SAMPLES, Measure, Sight
from advisor.source.producers import Producers


@dataclass(frozen=True, slots=True)
class Row:
    """One instruction: pc, file and line ('' and 0 without line information), its SASS ('' where not reported)."""

    pc: int
    file: str
    line: int
    sass: str
    sight: Sight

    @property
    def opcode(self) -> str:
        """The opcode with its modifiers; '' where the code is not in the report."""
        return self.sight.code.opcode if self.sight.code is not None else ""

    @property
    def executed(self) -> float:
        """Warp instructions; 0 where the report does not tell."""
        return self.sight.values.get(EXECUTED) or 0.0

    @property
    def samples(self) -> float:
        """Stall samples; 0 where the report does not tell."""
        return self.sight.values.get(SAMPLES) or 0.0


@dataclass(frozen=True, slots=True)
class Listing:
    """The instructions of one launch. `lacking`: ncu's names of the wanted metrics that the report does not have."""

    rows: tuple[Row, ...]
    lacking: frozenset[str]

    @property
    def has_lines(self) -> bool:
        """Whether any instruction knows its source line."""
        return any(row.line for row in self.rows)

    @property
    def has_code(self) -> bool:
        """Whether the report holds the machine code."""
        return any(row.sass for row in self.rows)

    def values(self, wanted: Measure) -> list[float] | None:
        """The measure of each row; None where the report lacks what it is made of."""
        if self.lacking & set(wanted.needs):
            return None
        own = [wanted.value(row.sight) for row in self.rows]
        if not wanted.waits_for_load:
            return own
        out = [0.0] * len(own)
        producers = Producers([row.sight.code for row in self.rows], [row.pc for row in self.rows])
        for at, value in enumerate(own):
            if value:
                sources = producers.of(at) or (at,)
                for source in sources:
                    out[source] += value / len(sources)
        return out


def read_listing(
    path: Path, launch: int, measures: Iterable[Measure], *, cc: str = "", limits: Limits | None = None
) -> Listing:
    """The listing of a launch, with what the measures need, executions and stall samples. InputError when it has none.

    cc: the compute capability (9.0), where an opcode's pipe depends on it.
    """
    names = list(dict.fromkeys([EXECUTED, SAMPLES, *(name for m in measures for name in m.needs)]))
    table = read_instances(path, launch, names, limits=limits)
    if not len(table):
        raise InputError(
            f"{path.name}: launch {launch} holds no per-instruction data; "
            "profile again with the section SourceCounters (--set full has it)"
        )
    columns = {name: table[name].tolist() for name in names}
    lacking = frozenset(name for name, values in columns.items() if all(map(math.isnan, values)))
    rows = []
    places = zip(table["pc"], table["file"], table["line"], table["sass"], strict=True)
    for i, (pc, file, line, sass) in enumerate(places):
        code = parse(sass)
        op = classify(code.opcode, cc) if code is not None else OpClass("")
        values = {name: (0.0 if math.isnan(column[i]) else column[i]) for name, column in columns.items()}
        rows.append(Row(int(pc), str(file), int(line), str(sass), Sight(code, op, values)))
    return Listing(tuple(rows), lacking)


def files_of(rows: Collection[Row]) -> tuple[str, ...]:
    """The source files that the rows name, each once, in order of appearance."""
    return tuple(dict.fromkeys(row.file for row in rows if row.file))
