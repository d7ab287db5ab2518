"""The shape of a kernel, as text: its course, loops, live registers, lanes that are off, shared accesses."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.source.structure import LoopFacts, Phase, SharedGroup, Structure, Zone
from advisor.source.view import View
from advisor.view.source_marks import count, loop_name, more, place_text, source_line
from advisor.view.text import paint, shown, wrap

_MOST_GROUPS, _MOST_ZONES, _MOST_PHASES, _MOST_BASES = 8, 5, 16, 6
_BANDS = {"all": "all 32", "border": "28 to 31", "part": "16 to 27", "few": "under 16"}
# A zone with less of the launch's executions than this is not told.
_LEAST_ZONE = 0.005


def structure_text(found: Structure, width: int, colour: bool) -> list[str]:
    """Loops, nested as they are, and the course of the kernel; nothing without loops."""
    if not found.loops:
        return []
    out = ["", paint("Loops", "bold", colour)]
    for number, facts in enumerate(found.loops, 1):
        parts = [f"{len(facts.loop.body)} instructions", f"{facts.iterations:,.4g} times a warp"]
        parts += [f"{facts.per_round:,.4g} a round of loop {facts.parent + 1}"] if facts.parent is not None else []
        parts += [f"{facts.executed:.0%} of the executed", f"{facts.samples:.0%} of the samples"]
        parts += [f"barriers: {facts.barriers}"] if facts.barriers else []
        parts += [f"spills: {facts.spills}"] if facts.spills else []
        depth = "  " * facts.loop.depth
        out += wrap(f"{number}. {_lines_of(facts)}: {', '.join(parts)}", width, len(depth), len(depth) + 3)
    shares = ", ".join(f"{part} {value:.0%}" for part, value in found.parts.items() if value >= 0.005)
    out += wrap(f"Executed: {shares}", width, 2, 4)
    if any(found.spills):
        out += wrap(f"Spill instructions: {found.spills[0]} in loops, {found.spills[1]} outside", width, 2, 4)
    return out + _course(found.phases, width, colour)


def _lines_of(facts: LoopFacts) -> str:
    first, last = facts.lines
    return "no line" if not first else f"{place_text(facts.file, first)}" + (f"-{last}" if last != first else "")


def _course(found: Sequence[Phase], width: int, colour: bool) -> list[str]:
    if not found:
        return []
    out = ["", paint("Course", "bold", colour)]
    for phase in found[:_MOST_PHASES]:
        name = phase.part if phase.loop is None else f"loop {phase.loop + 1}"
        text = f"{name}: {phase.instructions} instruction{'s' * (phase.instructions != 1)}"
        text += f", {phase.executed:.0%} of the executed, {phase.samples:.0%} of the samples"
        text += f": {', '.join(kind.replace('_', ' ') for kind in phase.does)}" if phase.does else ""
        out += wrap(text + (", then a barrier" if phase.barrier else ""), width, 2, 4)
    return [*out, *more(len(found) - _MOST_PHASES, "parts")]


def registers_text(view: View, width: int, colour: bool) -> list[str]:
    """The peak of live registers; nothing without code."""
    peak = view.peak
    if peak is None:
        return []
    where = f", {loop_name(peak.loop)}" if view.structure.loops else ""
    row = peak.row
    text = f"Most live at once: {peak.live}{where}, at {place_text(row.file, row.line)}, 0x{row.pc:x} {shown(row.sass)}"
    text += "; computed from the code, so the count may be a little low"
    return ["", paint("Registers", "bold", colour), *wrap(text, width, 2, 4)]


def zones_text(view: View, width: int, colour: bool) -> list[str]:
    """How many lanes instructions run for, and where warps part; nothing where that is unknown or always all."""
    if not view.bands or view.bands["all"] > 0.9999:
        return []
    parts = ", ".join(f"{_BANDS[name]}: {part:.1%}" for name, part in view.bands.items() if part >= 0.0005)
    out = ["", paint("Lanes", "bold", colour)]
    out += wrap(f"Executed instructions by the lanes that they ran for: {parts}", width, 2, 4)
    told = [zone for zone in view.zones if zone.executed >= _LEAST_ZONE and zone.lanes < 31.95]
    for zone in told[:_MOST_ZONES]:
        out += _zone(zone, view, width)
    return [*out, *more(len(told) - _MOST_ZONES, "zones")]


def _zone(zone: Zone, view: View, width: int) -> list[str]:
    first, last = place_text(zone.first.file, zone.first.line), place_text(zone.last.file, zone.last.line)
    text = f"{first} to {last}, 0x{zone.first.pc:x} BSSY to 0x{zone.last.pc:x}: {zone.lanes:.3g} lanes on average, "
    text += f"{zone.executed:.1%} of the executed, {zone.samples:.0%} of the samples"
    out = wrap(text, width, 2, 4)
    if zone.branch is not None:
        told = f"parts at {place_text(zone.branch.file, zone.branch.line)}, {shown(zone.branch.sass)}"
        told += f", decided by {shown(zone.test.sass)}" if zone.test is not None else ""
        out += wrap(told, width, 4, 6)
        source = view.texts.get((zone.branch.file, zone.branch.line), "")
        out += wrap(source_line(source), width, 8, 12)[:1] if source else []
    return out


def shared_text(groups: Sequence[SharedGroup], width: int, colour: bool) -> list[str]:
    """Shared accesses by their base register, with the array where it is known; alike ones in one entry."""
    if not groups:
        return []
    alike: dict[tuple[object, ...], list[SharedGroup]] = {}
    for group in groups:
        # Without a name for the array, a base register is all that tells two arrays apart.
        name = group.array or (group.base,)
        alike.setdefault((name, group.opcodes, group.lines), []).append(group)
    out = ["", paint("Shared memory, by base register", "bold", colour)]
    for members in [*alike.values()][:_MOST_GROUPS]:
        out += wrap(_group(members), width, 2, 4)
    return [*out, *more(len(alike) - _MOST_GROUPS, "groups")]


def _group(members: Sequence[SharedGroup]) -> str:
    first = members[0]
    executed = sum(group.executed for group in members)
    per = sum(group.wavefronts for group in members) / executed
    best = sum(group.ideal for group in members) / executed
    bases = ", ".join(group.base or "fixed" for group in members[:_MOST_BASES])
    bases += f" and {len(members) - _MOST_BASES} more" if len(members) > _MOST_BASES else ""
    text = f"{bases}: {', '.join(first.opcodes)}, {count(executed)} executed"
    text += f", {per:.3g} wavefronts each (ideal {best:.3g})" if per else ""
    text += f", array {shown(first.array)}" if first.array else ""
    places = ", ".join(dict.fromkeys(place_text(file, line) for file, line in first.lines[:4]))
    return text + (f", {places}" if places else "")
