"""The instructions of one launch with what they did, in the order of their addresses."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from advisor.errors import InputError
from advisor.reports import read_code
from advisor.reports.limits import Limits
from advisor.sass import OpClass, classify, parse
from advisor.source.frames import Place, home
from advisor.source.measures import EXECUTED, LANES, SAMPLES, Measure, Sight
from advisor.source.producers import Producers

_ADDRESS = re.compile(r"0x[0-9a-f]{7,16}\b")  # shorter ones are offsets and constants


@dataclass(frozen=True, slots=True)
class Row:
    """One instruction: its offset in bytes from the first one, file and line ('' and 0 without line information), its
    SASS ('' where not reported; addresses within the kernel are such offsets too).

    The line of inlined code is that of the inlined function; calls: where it was inlined, innermost call first; inner:
    lines of installed headers that the line called, innermost first; function: mangled name of the inlined function, ''
    for the kernel's own code; ptx: the line of the listing's PTX, 0 where that is unknown.
    """

    pc: int
    file: str
    line: int
    sass: str
    sight: Sight
    calls: tuple[Place, ...] = ()
    inner: tuple[Place, ...] = ()
    function: str = ""
    ptx: int = 0

    @property
    def lanes(self) -> float | None:
        """Lanes that an execution ran for, on average and not predicated off; None where the report does not tell."""
        counted = self.sight.values.get(LANES)
        return counted / self.executed if counted is not None and self.executed else None

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
    """The instructions of one launch. `lacking`: ncu's names of the wanted metrics that the report does not have.

    ptx: the lines of PTX that the code was made of; sources: file -> text, of files that the report carries along.
    """

    rows: tuple[Row, ...]
    lacking: frozenset[str]
    ptx: tuple[str, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)

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
    code = read_code(path, launch, names, limits=limits)
    table = code.table
    if not len(table):
        raise InputError(
            f"{path.name}: launch {launch} holds no per-instruction data; "
            "profile again with the section SourceCounters (--set full has it)"
        )
    columns = {name: table[name].tolist() for name in names}
    lacking = frozenset(name for name, values in columns.items() if all(map(math.isnan, values)))
    rows = []
    start, end = int(table["pc"].min()), int(table["pc"].max())
    places = zip(table["pc"], table["file"], table["line"], table["sass"], strict=True)
    for i, (pc, file, line, absolute) in enumerate(places):
        sass = _offsets(str(absolute), start, end)
        parsed = parse(sass)
        op = classify(parsed.opcode, cc) if parsed is not None else OpClass("")
        values = {
            name: (0.0 if math.isnan(column[i]) else column[i])
            for name, column in columns.items()
            if name not in lacking
        }
        chain = [(str(file), int(line)), *code.calls[i]]
        at = home(chain)
        rows.append(
            Row(
                int(pc) - start,
                *chain[at],
                sass,
                Sight(parsed, op, values),
                tuple(chain[at + 1 :]),
                tuple(chain[:at]),
                code.functions[i],
                code.ptx_lines[i],
            )
        )
    return Listing(tuple(rows), lacking, code.ptx, code.sources)


def _offsets(sass: str, start: int, end: int) -> str:
    """The SASS with addresses from start to end as offsets from start; where code lay says nothing of it."""

    def offset(match: re.Match[str]) -> str:
        address = int(match[0], 16)
        return f"0x{address - start:x}" if start <= address <= end else match[0]

    return _ADDRESS.sub(offset, sass) if start else sass


def files_of(rows: Collection[Row]) -> tuple[str, ...]:
    """The source files that the rows name, callers among them, each once, in order of appearance."""
    places = ((row.file, *(file for file, _ in row.calls)) for row in rows)
    return tuple(dict.fromkeys(file for names in places for file in names if file))
