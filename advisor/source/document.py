"""The JSON documents of `source`: one launch, and two launches side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

from advisor.records.record import Count, NotNegative, Record, Share, named, written
from advisor.source.compare import Alignment, Comparison
from advisor.source.hotspots import Line, Spot
from advisor.source.listing import Row
from advisor.source.structure import Part, Structure
from advisor.source.view import View

# A kernel may have thousands of divergence zones; the first ones have the most idle lanes.
_MOST_ZONES = 50
Place = Annotated[tuple[str, int], named("file", "line")]
Call = Annotated[tuple[str, int, float], named("file", "line", "share")]


class InstructionRow(Record):
    """An instruction: its source line (0 if none), address and text."""

    file: str
    line: int
    pc: int
    sass: str


class ProfiledWait(Record):
    """The reason why an instruction waits, and what for; orphan: no producer of the awaited value was found."""

    reason: str
    share: Share
    sources: tuple[InstructionRow, ...] = msgspec.field(name="for")
    orphan: bool = written(False)


class HotInstruction(Record, kw_only=True):
    """An instruction with its value of the measure; share: of the launch's total; loop: its innermost loop.

    calls: the calls that it was inlined at, innermost first; inner: the header lines inside the line shown, which is
    the one to edit; ptx_line: only if the report holds PTX; wait: for measures of waiting; columns: the requested ones.
    """

    file: str
    line: int
    pc: int
    sass: str
    opcode: str
    value: float
    share: Share
    executed: NotNegative
    samples: NotNegative
    loop: Count | None
    calls: tuple[Place, ...]
    inner: tuple[Place, ...]
    ptx_line: int | None = None
    wait: ProfiledWait | None = None
    columns: Mapping[str, float | str | None] | None = None


class HotLine(Record, kw_only=True):
    """A source line; inclusive_share: with code inlined into it; inlined_at: the nearest calls, sorted by share."""

    file: str
    line: int
    value: float
    share: Share
    loop: Count | None
    inclusive_share: Share
    inlined_at: tuple[Call, ...]
    opcodes: tuple[str, ...]
    text: str | None = None


class SourceMeasure(Record):
    """The measure that ranks the code; total: of the launch."""

    id: str
    title: str
    total: float | None = None


class SourceLoop(Record, kw_only=True):
    """A loop. lines: first and last line in the header's file; per_round: iterations per iteration of the parent."""

    file: str
    lines: tuple[int, int]
    depth: Count
    instructions: Count
    iterations: NotNegative
    executed_share: Share
    samples_share: Share
    barriers: Count
    spills: Count
    parent: Count | None = None
    per_round: NotNegative | None = None


class SourcePhase(Record):
    """A phase of a kernel. does: kinds of work, most executed first; barrier: a block barrier ends it."""

    part: Part
    loop: Count | None
    first: InstructionRow
    last: InstructionRow
    instructions: Count
    executed_share: Share
    samples_share: Share
    does: tuple[str, ...]
    barrier: bool


class SourceStructure(Record):
    """The structure of a kernel. executed_share: by part; spills: local-memory instructions on the stack."""

    warps: NotNegative
    loops: tuple[SourceLoop, ...]
    executed_share: Mapping[str, Share]
    spills: Annotated[tuple[int, int], named("in_loops", "outside")]
    barriers: Count
    phases: tuple[SourcePhase, ...]


class SharedAccesses(Record):
    """Accesses to one shared array, grouped by base address; array: its name if the PTX contains it."""

    base: str
    opcodes: tuple[str, ...]
    lines: tuple[Place, ...]
    executed: NotNegative
    wavefronts: NotNegative
    wavefronts_ideal: NotNegative
    array: str


class SourceZone(Record):
    """Instructions that run with inactive lanes. branch, test: where the warp diverges, null if not found."""

    first: InstructionRow
    last: InstructionRow
    instructions: Count
    lanes: NotNegative
    executed_share: Share
    samples_share: Share
    branch: InstructionRow | None
    test: InstructionRow | None


class SourceLanes(Record):
    """Active lanes: shares of executed instructions by band, and the zones with the most idle lanes."""

    bands: Mapping[str, Share]
    zones: tuple[SourceZone, ...]


class LiveRegisters(Record):
    """The executed instruction with the most live registers; calculated from the code, not read from the report."""

    peak: Count
    computed: bool
    loop: Count | None
    file: str
    line: int
    pc: int
    sass: str


class SourceTrust(Record):
    """The shares of executed instructions that have a line, and that were inlined into another function."""

    lined_share: Share
    inlined_share: Share


class SourceDocument(Record, kw_only=True, tag_field="schema", tag="ncu-advisor/source/1"):
    """Output of `ncu-advisor source --format json`: the hot code of one launch. ptx: only if requested."""

    launch: Count
    kernel: str
    measure: SourceMeasure
    has_lines: bool
    has_code: bool
    lines: tuple[HotLine, ...]
    instructions: tuple[HotInstruction, ...]
    structure: SourceStructure
    shared: tuple[SharedAccesses, ...]
    call_sites: tuple[Call, ...]
    lanes: SourceLanes
    live_registers: LiveRegisters | None
    trust: SourceTrust | None
    sources_in_report: Count
    has_ptx: bool
    ptx: tuple[Annotated[tuple[int, str, float, Share], named("line", "text", "value", "share")], ...] | None = None


def source_document(view: View, top: int | None) -> SourceDocument:
    """Build the document of one launch. top: maximum number of lines and instructions, None for all."""
    peak, trust = view.peak, view.trust
    zones = (
        SourceZone(
            _row(zone.first),
            _row(zone.last),
            zone.instructions,
            zone.lanes,
            zone.executed,
            zone.samples,
            None if zone.branch is None else _row(zone.branch),
            None if zone.test is None else _row(zone.test),
        )
        for zone in view.zones[:_MOST_ZONES]
    )
    shared = (
        SharedAccesses(
            group.base, group.opcodes, group.lines, group.executed, group.wavefronts, group.ideal, group.array
        )
        for group in view.shared
    )
    return SourceDocument(
        launch=view.launch,
        kernel=view.kernel,
        measure=SourceMeasure(view.measure.id, view.measure.title, view.total),
        has_lines=view.has_lines,
        has_code=view.has_code,
        lines=tuple(_line(line, view) for line in view.lines[:top]),
        instructions=tuple(_spot(spot, view) for spot in view.spots[:top]),
        structure=_structure(view.structure),
        shared=tuple(shared),
        call_sites=view.call_sites[:top],
        lanes=SourceLanes(view.bands, tuple(zones)),
        live_registers=None
        if peak is None
        else LiveRegisters(peak.live, True, peak.loop, peak.row.file, peak.row.line, peak.row.pc, peak.row.sass),
        trust=None if trust is None else SourceTrust(trust.lined, trust.inlined),
        sources_in_report=view.embedded,
        has_ptx=view.has_ptx,
        ptx=None if view.ptx is None else view.ptx[:top],
    )


def _row(row: Row) -> InstructionRow:
    return InstructionRow(row.file, row.line, row.pc, row.sass)


def _spot(spot: Spot, view: View) -> HotInstruction:
    row, wait, cells = spot.row, view.waits.get(spot.at), view.cells.get(spot.at, ())
    waited = None
    if wait is not None:
        waited = ProfiledWait(wait.reason, wait.share, tuple(_row(source) for source in wait.sources), wait.orphan)
    return HotInstruction(
        file=row.file,
        line=row.line,
        pc=row.pc,
        sass=row.sass,
        opcode=row.opcode,
        value=spot.value,
        share=spot.share,
        executed=row.executed,
        samples=row.samples,
        loop=spot.loop,
        calls=row.calls,
        inner=row.inner,
        ptx_line=row.ptx if view.has_ptx else None,
        wait=waited,
        columns={c.id: value for c, value in zip(view.columns, cells, strict=True)} if cells else None,
    )


def _line(line: Line, view: View) -> HotLine:
    return HotLine(
        file=line.file,
        line=line.line,
        value=line.value,
        share=line.share,
        loop=line.loop,
        inclusive_share=line.inclusive,
        inlined_at=line.calls,
        opcodes=tuple(dict.fromkeys(s.row.opcode for s in line.spots if s.row.opcode)),
        text=None if (text := view.texts.get((line.file, line.line))) is None else text.strip(),
    )


def _structure(shape: Structure) -> SourceStructure:
    loops = (
        SourceLoop(
            file=facts.file,
            lines=facts.lines,
            depth=facts.loop.depth,
            instructions=len(facts.loop.body),
            iterations=facts.iterations,
            executed_share=facts.executed,
            samples_share=facts.samples,
            barriers=facts.barriers,
            spills=facts.spills,
            parent=facts.parent,
            per_round=None if facts.parent is None else facts.per_round,
        )
        for facts in shape.loops
    )
    phases = (
        SourcePhase(
            phase.part,
            phase.loop,
            _row(phase.first),
            _row(phase.last),
            phase.instructions,
            phase.executed,
            phase.samples,
            phase.does,
            phase.barrier,
        )
        for phase in shape.phases
    )
    return SourceStructure(shape.warps, tuple(loops), shape.parts, shape.spills, shape.barriers, tuple(phases))


class OpcodeChange(Record):
    """The sum of the measure for an opcode, before and now."""

    opcode: str
    before: float
    now: float


class LineChange(Record):
    """The sum of the measure for a line, before and now."""

    file: str
    line: int
    before: float
    now: float


class SideTotal(Record):
    """A launch and its total of the measure."""

    launch: Count
    total: float


Instructions = tuple[
    Annotated[tuple[str, int, int, str, float], named("file", "line", "pc", "sass", "value")],
    ...,
]


class SourceHunk(Record):
    """A block that differs; change: the increase of the measure in it."""

    change: float
    before: Instructions
    now: Instructions


class SourceAlignment(Record):
    """Both launches' instructions side by side; same: number of instructions in common, in the same order."""

    by: Literal["opcode", "instruction"]
    same: Count
    hunks: tuple[SourceHunk, ...]


class SourceComparison(Record, tag_field="schema", tag="ncu-advisor/source-compare/1"):
    """Output of `ncu-advisor source BEFORE NOW --format json`; aligned: null unless both sides have code."""

    measure: SourceMeasure
    before: SideTotal
    now: SideTotal
    opcodes: tuple[OpcodeChange, ...]
    lines: tuple[LineChange, ...]
    aligned: SourceAlignment | None


def comparison_document(found: Comparison, launches: tuple[int, int], top: int) -> SourceComparison:
    """Build the document of two launches. top: maximum number of opcodes, lines and blocks."""
    return SourceComparison(
        measure=SourceMeasure(found.measure.id, found.measure.title),
        before=SideTotal(launches[0], found.before),
        now=SideTotal(launches[1], found.now),
        opcodes=tuple(OpcodeChange(c.opcode, c.before, c.now) for c in found.opcodes[:top]),
        lines=tuple(LineChange(c.file, c.line, c.before, c.now) for c in found.lines[:top]),
        aligned=None if found.aligned is None else _aligned(found.aligned, top),
    )


def _aligned(found: Alignment, top: int) -> SourceAlignment:
    hunks = tuple(SourceHunk(h.change, _side(h.before), _side(h.now)) for h in found.ordered()[:top])
    return SourceAlignment("instruction" if found.by == "instruction" else "opcode", found.same, hunks)


def _side(rows: tuple[tuple[Row, float], ...]) -> Instructions:
    return tuple((r.file, r.line, r.pc, r.sass, value) for r, value in rows)
