"""The hot code of a launch as a page: source lines, instructions with the cause of their waits, PTX, the shape."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.source.columns import Value
from advisor.source.hotspots import Line as SourceLine
from advisor.source.hotspots import Spot
from advisor.source.listing import Wait
from advisor.source.structure import LoopFacts, Phase, SharedGroup, Zone
from advisor.source.view import View
from advisor.source.viewer import Wanted
from advisor.view.blocks import Block, Bullets, Cell, Column, Facts, Line, Outline, Page, Paragraph, Section, Table
from advisor.view.blocks import facts as made_facts
from advisor.view.blocks import section as made_section
from advisor.view.numbers import brief_text, count_text, counted, percent_text, plural, share_text
from advisor.view.text import NAME_WIDTH, cut, place_text, shown, source_line

_LONGEST_LINE = 200  # characters of a source line
_LEAST_CALL, _MOST_CALLS = 0.01, 3  # share of the launch from which a call site is shown
_LEAST_ZONE = 0.005  # share of the executions from which a divergent zone is shown
_MOST_GROUPS, _MOST_ZONES, _MOST_PHASES, _MOST_BASES = 8, 5, 16, 6
_BANDS = {"all": "all 32", "border": "28 to 31", "part": "16 to 27", "few": "under 16"}
_ORPHANS = {
    "BAR": "earlier loads or copies must complete before the warp enters the barrier",
    "DEPBAR": "waits for earlier loads or copies without naming them: check those above it",
    "CS2R": "placed by the compiler to let earlier instructions finish: no cost of its own",
    "S2R": "reads a special register through the queue of shared memory: the wait is for that queue",
}
_ORPHAN = "no operand shows the cause: the compiler placed this wait for earlier instructions"


def source_page(view: View, top: int, *, reason: str = "") -> Page:
    """Build the page: the `top` lines and instructions, then the shape. reason: why this measure was chosen."""
    parts: list[Section] = []
    if not view.spots:
        parts.append(made_section("", [Paragraph("No instruction has any, or the filters exclude them all.")]))
    if view.lines:
        parts.append(made_section("Lines", [_lines(view, top), _more(len(view.lines) - top, "lines")]))
    sites = [site for site in view.call_sites if site[2] >= _LEAST_CALL]
    if sites:
        rows = tuple(
            (_share(part), Cell(place_text(file, line)), Cell(source_line(view.texts.get((file, line), ""))))
            for file, line, part in sites[:top]
        )
        table = Table((Column("Share", True), Column("Call site", keep="end"), Column("Source")), rows)
        parts.append(made_section("Calls that were inlined", [table, _more(len(sites) - top, "call sites")]))
    if view.spots:
        table = _instructions(view, top)
        parts.append(made_section("Instructions", [table, _more(len(view.spots) - top, "instructions")]))
    if view.ptx is not None:
        parts.append(made_section("PTX", _ptx(view, top)))
    kernel = cut(shown(view.kernel), NAME_WIDTH)
    return Page(f"Launch {view.launch}: {kernel}", _about(view, reason), (*parts, *shape_sections(view)))


def reason_text(wanted: Wanted | None, title: str = "") -> str:
    """Return why a measure was chosen; empty if the user or no finding chose it. title: of the finding, else its id."""
    if wanted is None or not wanted.finding:
        return ""
    which = "the first finding" if wanted.first else "the finding"
    return f"{which} is {title or wanted.finding}{'' if wanted.own else ', which has no place of its own'}"


def _about(view: View, reason: str) -> tuple[Block, ...]:
    """Return the measure, missing data of the report, and the accuracy of the lines."""
    trust = view.trust if view.has_lines else None
    kept = source = ""
    if trust is not None:
        kept = (
            f"{share_text(trust.lined)} of executed instructions have a line, {share_text(trust.inlined)} are inlined"
        )
        kept += "; compilers move code, so samples may land on an adjacent line"
    if view.has_lines and not view.texts:
        source = "not in the report and not found here: give its folder with --sources DIR"
    elif view.embedded:
        source = "from the report (a file under --sources has priority)"
    rows: Facts = made_facts(
        ("Measure", f"{view.measure.id}: {view.measure.title}, total {count_text(view.total)}"),
        ("Because", reason) if reason else None,
        ("Trust", kept) if kept else None,
        ("Source", source) if source else None,
    )
    blocks: list[Block] = [rows]
    if not view.has_lines:
        blocks.append(Paragraph("No line information: compile with -lineinfo to see source lines.", "warn"))
    if not view.has_code:
        blocks.append(Paragraph("The report contains no SASS: opcodes, loops and registers are unavailable.", "warn"))
    return tuple(blocks)


def _lines(view: View, top: int) -> Table:
    loops = bool(view.structure.loops)
    columns = [Column("Share", True), Column("Line", keep="end"), Column(view.measure.id, True, spare=1)]
    columns += [Column("Loop", spare=2)] if loops else []
    rows = []
    for line in view.lines[:top]:
        opcodes = ", ".join(dict.fromkeys(spot.row.opcode for spot in line.spots if spot.row.opcode))
        cells = [_share(line.share), Cell(place_text(line.file, line.line)), Cell(count_text(line.value), line.value)]
        cells += [Cell(loop_name(line.loop))] if loops else []
        rows.append((*cells, Cell(opcodes)))
    notes = tuple(tuple(_line_notes(line, view)) for line in view.lines[:top])
    return Table((*columns, Column("Opcodes")), tuple(rows), notes=notes)


def _line_notes(line: SourceLine, view: View) -> Iterator[str]:
    if text := view.texts.get((line.file, line.line), ""):
        yield cut(source_line(text), _LONGEST_LINE)
    sites = [site for site in line.calls if site[2] >= _LEAST_CALL]
    if sites:
        named = ", ".join(f"{line_ref(line.file, *site[:2])} ({share_text(site[2])})" for site in sites[:_MOST_CALLS])
        rest = f" and {len(sites) - _MOST_CALLS} more" if len(sites) > _MOST_CALLS else ""
        yield f"inlined at {named}{rest}"
    inner = next((spot.row.inner for spot in line.spots if spot.row.inner), ())
    if inner:
        yield f"through {place_text(*inner[0])}, an installed header"


def _instructions(view: View, top: int) -> Table:
    columns = [Column("Share", True), Column("Line", keep="end"), Column("Address", True, spare=4)]
    columns += [Column("Instruction"), *(Column(column.title, True, spare=3) for column in view.columns)]
    rows, notes = [], []
    for spot in view.spots[:top]:
        cells = [_share(spot.share), Cell(place_text(spot.row.file, spot.row.line)), Cell(f"0x{spot.row.pc:x}")]
        values = (Cell(_value(value)) for value in view.cells[spot.at]) if view.columns else ()
        rows.append((*cells, Cell(spot.row.sass or "no code"), *values))
        wait = view.waits.get(spot.at)
        notes.append((wait_text(wait, spot),) if wait is not None else ())
    return Table(tuple(columns), tuple(rows), notes=tuple(notes))


def wait_text(wait: Wait, spot: Spot) -> str:
    """Return the main stall reason of an instruction, and the instruction that it waits for, if known."""
    text = f"{wait.reason.replace('_', ' ')} {share_text(wait.share)}"
    if wait.sources:
        first = wait.sources[0]
        where = f" at {line_ref(spot.row.file, first.file, first.line)}" if first.line else f" at 0x{first.pc:x}"
        rest = f" and {len(wait.sources) - 1} more" if len(wait.sources) > 1 else ""
        return f"{text}, for {shown(first.sass)}{where}{rest}"
    if wait.orphan:
        return f"{text}, {_ORPHANS.get(spot.row.opcode.partition('.')[0], _ORPHAN)}"
    return text


def _value(value: Value) -> str:
    return "-" if value is None else value if isinstance(value, str) else brief_text(value)


def _ptx(view: View, top: int) -> list[Block | None]:
    assert view.ptx is not None
    if not view.has_ptx:
        return [Paragraph("The report holds no PTX: compile with -lineinfo to embed it.")]
    rows = tuple((_share(part), Cell(str(n)), Cell(source_line(text))) for n, text, _, part in view.ptx[:top])
    table = Table((Column("Share", True), Column("Line", True), Column("PTX")), rows)
    return [table, _more(len(view.ptx) - top, "lines of PTX")]


def shape_sections(view: View) -> list[Section]:
    """Return the shape of a kernel: loops and control flow, live registers, inactive lanes, shared accesses."""
    found = view.structure
    parts = []
    if found.loops:
        shares = ", ".join(f"{part} {share_text(value)}" for part, value in found.parts.items() if value >= 0.005)
        spilled = f"Spill instructions: {found.spills[0]} in loops, {found.spills[1]} outside"
        loops = [Outline(tuple(_loop(number, facts) for number, facts in enumerate(found.loops, 1)))]
        spills = Paragraph(spilled) if any(found.spills) else None
        parts.append(made_section("Loops", [*loops, Paragraph(f"Executed: {shares}"), spills], level=3))
        if found.phases:
            course = Bullets(tuple(map(_phase, found.phases[:_MOST_PHASES])))
            parts.append(made_section("Phases", [course, _more(len(found.phases) - _MOST_PHASES, "parts")], level=3))
    if view.peak is not None:
        row, where = view.peak.row, f", {loop_name(view.peak.loop)}" if found.loops else ""
        place = f"{place_text(row.file, row.line)}, 0x{row.pc:x} {shown(row.sass)}"
        text = (
            f"Most live at once: {view.peak.live}{where}, at {place}; computed from the code, so the count may be low"
        )
        parts.append(made_section("Registers", [Paragraph(text)], level=3))
    if view.bands and view.bands["all"] <= 0.9999:
        shares = ", ".join(f"{_BANDS[n]}: {percent_text(100 * v)}" for n, v in view.bands.items() if v >= 0.0005)
        zones = [zone for zone in view.zones if zone.executed >= _LEAST_ZONE and zone.lanes < 31.95]
        lines = Outline(tuple(item for zone in zones[:_MOST_ZONES] for item in _zone(zone, view)))
        blocks = [Paragraph(f"Executed instructions by active lanes: {shares}"), lines if zones else None]
        parts.append(made_section("Lanes", [*blocks, _more(len(zones) - _MOST_ZONES, "zones")], level=3))
    if view.shared:
        alike: dict[tuple[object, ...], list[SharedGroup]] = {}
        for group in view.shared:
            # Without the array's name, only the base register distinguishes two arrays.
            alike.setdefault((group.array or (group.base,), group.opcodes, group.lines), []).append(group)
        groups = Bullets(tuple(_group(members) for members in [*alike.values()][:_MOST_GROUPS]))
        left = _more(len(alike) - _MOST_GROUPS, "groups")
        parts.append(made_section("Shared memory, by base register", [groups, left], level=3))
    return parts


def _loop(number: int, facts: LoopFacts) -> Line:
    first, last = facts.lines
    place = "no line" if not first else f"{place_text(facts.file, first)}" + (f"-{last}" if last != first else "")
    parts = [
        counted(len(facts.loop.body), "instruction"),
        f"{facts.iterations:,.4g} {plural(facts.iterations, 'iteration')} per warp",
    ]
    parts += [f"{facts.per_round:,.4g} per iteration of loop {facts.parent + 1}"] if facts.parent is not None else []
    parts += [f"{share_text(facts.executed)} of the executed", f"{share_text(facts.samples)} of the samples"]
    parts += [f"barriers: {facts.barriers}"] if facts.barriers else []
    parts += [f"spills: {facts.spills}"] if facts.spills else []
    return Line(f"{place}: {', '.join(parts)}", label=f"Loop {number}", depth=facts.loop.depth)


def _phase(phase: Phase) -> str:
    name = phase.part if phase.loop is None else f"loop {phase.loop + 1}"
    text = f"{name}: {counted(phase.instructions, 'instruction')}"
    text += f", {share_text(phase.executed)} of the executed, {share_text(phase.samples)} of the samples"
    text += f": {', '.join(kind.replace('_', ' ') for kind in phase.does)}" if phase.does else ""
    return text + (", then a barrier" if phase.barrier else "")


def _zone(zone: Zone, view: View) -> Iterator[Line]:
    first, last = place_text(zone.first.file, zone.first.line), place_text(zone.last.file, zone.last.line)
    text = f"{first} to {last}, 0x{zone.first.pc:x} BSSY to 0x{zone.last.pc:x}: "
    text += f"{zone.lanes:.3g} {plural(zone.lanes, 'lane')} on average, {percent_text(100 * zone.executed)} "
    text += f"of the executed, {share_text(zone.samples)} of the samples"
    yield Line(text)
    if zone.branch is None:
        return
    text = f"diverges at {place_text(zone.branch.file, zone.branch.line)}, {shown(zone.branch.sass)}"
    yield Line(text + (f", decided by {shown(zone.test.sass)}" if zone.test is not None else ""), depth=1)
    if source := view.texts.get((zone.branch.file, zone.branch.line), ""):
        yield Line(cut(source_line(source), _LONGEST_LINE), depth=2)


def _group(members: Sequence[SharedGroup]) -> str:
    first = members[0]
    executed = sum(group.executed for group in members)
    per = sum(group.wavefronts for group in members) / executed
    best = sum(group.ideal for group in members) / executed
    bases = ", ".join(group.base or "fixed" for group in members[:_MOST_BASES])
    bases += f" and {len(members) - _MOST_BASES} more" if len(members) > _MOST_BASES else ""
    text = f"{bases}: {', '.join(first.opcodes)}, {count_text(executed)} executed"
    text += f", {per:.3g} {plural(per, 'wavefront')} each (ideal {best:.3g})" if per else ""
    text += f", array {shown(first.array)}" if first.array else ""
    places = ", ".join(dict.fromkeys(place_text(file, line) for file, line in first.lines[:4]))
    return text + (f", {places}" if places else "")


def _share(part: float) -> Cell:
    return Cell(share_text(part), part)


def _more(left: int, noun: str) -> Paragraph | None:
    return Paragraph(f"… {left} more {noun}", "dim") if left > 0 else None


def line_ref(near: str, file: str, line: int) -> str:
    """Return `line 13` next to a place of the same file, else `kernel.cu:13`."""
    return f"line {line}" if file == near and line else place_text(file, line)


def loop_name(number: int | None) -> str:
    """Return the name of a loop: `loop 1` for number 0."""
    return "outside loops" if number is None else f"loop {number + 1}"
