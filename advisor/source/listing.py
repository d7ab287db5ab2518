"""Read the instructions of one launch with their counters, by address, and what each waits for.

Stall samples are on the instruction that waits; its registers identify the load that it waits for. The line shown for
inlined code is the innermost one outside installed headers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from msgspec import Struct, field

from advisor.hardware.sass import OpClass, classify, parse
from advisor.readers.container import Limits
from advisor.readers.launch_code import CodeReader
from advisor.records.errors import InputError
from advisor.source.measures import EXECUTED, LANES, REASONS, SAMPLES, STALL, Measure, Sight
from advisor.source.producers import SOURCES, Producers, Source

Place = tuple[str, int]
# folders of compilers and packages for headers: the toolkit's own, the system's, and those in Python packages
_INSTALLED = re.compile(
    r"(^|[/\\])(usr[/\\](local[/\\]cuda[^/\\]*|include)|targets[/\\][^/\\]+[/\\]include|NVIDIA GPU Computing Toolkit"
    r"|(site|dist)-packages[/\\](.+[/\\])?include)[/\\]",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"0x[0-9a-f]{7,16}\b")  # shorter numbers are offsets and constants
# A warp that issues is sampled as `selected`, which is not a wait.
_NO_WAIT = frozenset(("selected", "not_selected"))


def is_installed(file: str) -> bool:
    """Return whether the path is in a folder of installed headers, which users do not edit."""
    return _INSTALLED.search(file) is not None


def home(chain: Sequence[Place]) -> int:
    """Return the index in a call chain, innermost first, to show: the first not in an installed header, else 0."""
    return next((i for i, (file, _) in enumerate(chain) if not is_installed(file)), 0)


class Row(Struct, frozen=True):
    """One instruction: its offset in bytes from the first one, file and line ('' and 0 without line information), its
    SASS ('' if not reported; addresses within the kernel are also offsets).

    The line of inlined code is that of the inlined function. calls: where it was inlined, innermost call first; inner:
    lines of installed headers that the line called, innermost first; function: mangled name of the inlined function, ''
    for the kernel's own code; ptx: the line of the listing's PTX, 0 if not known.
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
        """The average number of active, not predicated-off lanes per execution, or None if not known."""
        counted = self.sight.values.get(LANES)
        return counted / self.executed if counted is not None and self.executed else None

    @property
    def opcode(self) -> str:
        """The opcode with its modifiers; '' if the code is not in the report."""
        return self.sight.code.opcode if self.sight.code is not None else ""

    @property
    def executed(self) -> float:
        """The number of executed warp instructions; 0 if not known."""
        return self.sight.values.get(EXECUTED) or 0.0

    @property
    def samples(self) -> float:
        """The number of stall samples; 0 if not known."""
        return self.sight.values.get(SAMPLES) or 0.0


class Listing(Struct, frozen=True, dict=True):
    """The instructions of one launch. lacking: ncu's names of the requested metrics that the report does not have.

    ptx: the lines of PTX that the code was compiled from; sources: file -> text, of files embedded in the report.
    """

    rows: tuple[Row, ...]
    lacking: frozenset[str]
    ptx: tuple[str, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_lines(self) -> bool:
        """Return whether any instruction has a source line."""
        return any(row.line for row in self.rows)

    @property
    def has_code(self) -> bool:
        """Return whether the report holds the machine code."""
        return any(row.sass for row in self.rows)

    def values(self, wanted: Measure) -> list[float] | None:
        """Return the measure of each row, or None if the report lacks its metrics."""
        if self.lacking & set(wanted.needs):
            return None
        own = [wanted.value(row.sight) for row in self.rows]
        if not wanted.blames:
            return own
        out = [0.0] * len(own)
        for at, value in enumerate(own):
            if value:
                for source in self.producers.blamed(at, wanted.blames) or (Source(at, 1.0, False),):
                    out[source.at] += value * source.share
        return out

    @cached_property
    def producers(self) -> Producers:
        """The search for producers in this launch's code."""
        rows = self.rows
        return Producers([row.sight.code for row in rows], [row.pc for row in rows], [row.executed for row in rows])


def read_listing(
    path: Path, launch: int, measures: Iterable[Measure], *, cc: str = "", limits: Limits | None = None
) -> Listing:
    """Read a launch with the metrics of the measures, executions and stall samples. Raises InputError if it has none.

    cc: the compute capability (9.0), for opcodes whose pipe depends on it.
    """
    with CodeReader(path, limits) as reader:
        return listing_of(reader, launch, measures, cc=cc)


def listing_of(reader: CodeReader, launch: int, measures: Iterable[Measure], *, cc: str = "") -> Listing:
    """Read a launch as `read_listing` does, one of several of a report."""
    names = list(dict.fromkeys([EXECUTED, SAMPLES, *(name for m in measures for name in m.needs)]))
    code = reader.read(launch, names)
    table = code.table
    if not len(table):
        raise InputError(
            f"{reader.path.name}: launch {launch} holds no per-instruction data; "
            "profile again with the section SourceCounters (--set full has it)"
        )
    columns = {name: table[name].tolist() for name in names}
    lacking = frozenset(name for name, values in columns.items() if all(map(math.isnan, values)))
    pcs = [int(pc) for pc in table["pc"]]
    firsts = zip(table["file"], table["line"], code.calls, strict=True)
    chains = [[(str(file), int(line)), *calls] for file, line, calls in firsts]
    known = {name: values for name, values in columns.items() if name not in lacking}
    rows = listed(pcs, chains, [str(sass) for sass in table["sass"]], known, cc, code.functions, code.ptx_lines)
    return Listing(rows, lacking, code.ptx, code.sources)


def listed(
    pcs: Sequence[int],
    chains: Sequence[Sequence[Place]],
    texts: Sequence[str],
    columns: Mapping[str, Sequence[float]],
    cc: str,
    functions: Sequence[str],
    ptx_lines: Sequence[int],
) -> tuple[Row, ...]:
    """Return the rows of instructions, in the order of their addresses.

    chains: of each, its place and the calls at which it was inlined, innermost first; texts: its SASS; columns: the
    values of each metric, NaN is 0.
    """
    rows = []
    start, end = min(pcs), max(pcs)
    for i, pc in enumerate(pcs):
        sass = _offsets(texts[i], start, end)
        parsed = parse(sass)
        op = classify(parsed.opcode, cc) if parsed is not None else OpClass("")
        values = {name: (0.0 if math.isnan(column[i]) else column[i]) for name, column in columns.items()}
        chain = list(chains[i])
        at = home(chain)
        rows.append(
            Row(
                pc - start,
                *chain[at],
                sass,
                Sight(parsed, op, values),
                tuple(chain[at + 1 :]),
                tuple(chain[:at]),
                functions[i],
                ptx_lines[i],
            )
        )
    return tuple(rows)


def _offsets(sass: str, start: int, end: int) -> str:
    """Replace addresses from start to end in the SASS with offsets from start; the load address is irrelevant."""

    def offset(match: re.Match[str]) -> str:
        address = int(match[0], 16)
        return f"0x{address - start:x}" if start <= address <= end else match[0]

    return _ADDRESS.sub(offset, sass) if start else sass


def files_of(rows: Collection[Row]) -> tuple[str, ...]:
    """Return the source files that the rows and their callers name, without repetition, in order of appearance."""
    places = ((row.file, *(file for file, _ in row.calls)) for row in rows)
    return tuple(dict.fromkeys(file for names in places for file in names if file))


class Wait(Struct, frozen=True):
    """The leading reason of an instruction's samples, with its share of them.

    sources: the instructions that write the value it waits for; orphan: it waits on a scoreboard, but no operand names
    the value: the compiler inserted the wait, and the cause is in the instructions before it.
    """

    reason: str
    share: float
    sources: tuple[Row, ...]
    orphan: bool


class Waits:
    """The waits of one launch's instructions; `known` is False if the report has no samples by reason."""

    def __init__(self, listing: Listing) -> None:
        self._listing = listing
        self._reasons = [r for r in REASONS if r not in _NO_WAIT and STALL + r not in listing.lacking]
        self.known = bool(listing.rows) and any(STALL + r in listing.rows[0].sight.values for r in self._reasons)

    def of(self, at: int) -> Wait | None:
        """Return the wait of the instruction at an index, or None if it has none or it is not known."""
        values = self._listing.rows[at].sight.values
        found = {r: values.get(STALL + r, 0.0) for r in self._reasons}
        total = sum(found.values())
        if not total:
            return None
        reason = max(found, key=lambda r: found[r])
        if reason == "wait" or reason not in SOURCES or not self._listing.has_code:
            return Wait(reason, found[reason] / total, (), False)
        places = self._listing.producers.of(at, reason)
        return Wait(reason, found[reason] / total, tuple(self._listing.rows[i] for i in places), not places)
