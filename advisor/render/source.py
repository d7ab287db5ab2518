"""Where in the code, as text: hot lines with their source, hot instructions, loops, shared accesses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from advisor.render.text import NAME_WIDTH, cut, labelled, paint, shown, wrap
from advisor.source.hotspots import Line, Spot
from advisor.source.structure import LoopFacts, SharedGroup, Structure
from advisor.source.view import View

# Lines of text that one long line of source may take.
_MOST_TEXT = 3


def place_text(file: str, line: int) -> str:
    """`kernel.cu:13`, the file without its folders; `no line` without line information."""
    return f"{shown(PurePosixPath(file.replace(chr(92), '/')).name)}:{line}" if line else "no line"


def source_line(text: str) -> str:
    """A line of source fit to be shown: tabs as blanks, nothing that a terminal obeys."""
    return shown(text.expandtabs(4).strip())


def source_text(view: View, top: int, *, reason: str = "", width: int = 80, colour: bool = False) -> str:
    """The view in at most `width` columns, `top` lines and instructions of it; reason: why this measure was taken."""
    out = [paint(f"Launch {view.launch}: {cut(shown(view.kernel), NAME_WIDTH)}", "bold", colour)]
    out += labelled("Measure", f"{view.measure.id}: {view.measure.title}, {_count(view.total)} in all", width)
    out += labelled("Because", reason, width) if reason else []
    if not view.has_lines:
        out += wrap("No line information: compile with -lineinfo to see source lines.", width)
    if not view.has_code:
        out += wrap("The report does not hold the machine code: no opcodes, loops or registers.", width)
    if not view.spots:
        out += ["", "Nothing in the code has any of it, or passes the filters."]
    if view.lines:
        out += ["", paint("Lines", "bold", colour)]
        for line in view.lines[:top]:
            out += _line(line, view, width)
        out += _more(len(view.lines) - top, "lines")
    if view.spots:
        out += ["", paint("Instructions", "bold", colour)]
        out += [_spot(spot, width) for spot in view.spots[:top]]
        out += _more(len(view.spots) - top, "instructions")
    out += _structure(view.structure, width, colour)
    out += _shared(view.shared, width, colour)
    return "\n".join(out) + "\n"


def _count(value: float) -> str:
    return f"{value:,.0f}"


def _share(share: float) -> str:
    return f"{share:6.1%}"


def _more(left: int, what: str) -> list[str]:
    return [f"  ... {left} more {what}"] if left > 0 else []


def _loop(number: int | None) -> str:
    return "outside loops" if number is None else f"loop {number + 1}"


def _line(line: Line, view: View, width: int) -> list[str]:
    where = f", {_loop(line.loop)}" if view.structure.loops else ""
    opcodes = ", ".join(dict.fromkeys(spot.row.opcode for spot in line.spots if spot.row.opcode))
    head = f"{_share(line.share)}  {place_text(line.file, line.line)}  {_count(line.value)}{where}"
    out = [cut(f"{head}  {opcodes}", width)]
    text = view.texts.get((line.file, line.line), "")
    return [*out, *wrap(source_line(text), width, 8, 12)[:_MOST_TEXT]] if text else out


def _spot(spot: Spot, width: int) -> str:
    place = f"{_share(spot.share)}  {place_text(spot.row.file, spot.row.line):<18}"
    return cut(f"{place}  0x{spot.row.pc:x}  {shown(spot.row.sass) or 'no code'}", width)


def _lines_of(facts: LoopFacts) -> str:
    first, last = facts.lines
    return "no line" if not first else f"{place_text(facts.file, first)}" + (f"-{last}" if last != first else "")


def _structure(found: Structure, width: int, colour: bool) -> list[str]:
    if not found.loops:
        return []
    out = ["", paint("Loops", "bold", colour)]
    for number, facts in enumerate(found.loops, 1):
        parts = [f"{len(facts.loop.body)} instructions", f"{facts.iterations:,.4g} times a warp"]
        parts += [f"{facts.executed:.0%} of the executed", f"{facts.samples:.0%} of the samples"]
        parts += [f"barriers: {facts.barriers}"] if facts.barriers else []
        parts += [f"spills: {facts.spills}"] if facts.spills else []
        depth = "  " * facts.loop.depth
        out += wrap(f"{number}. {_lines_of(facts)}: {', '.join(parts)}", width, len(depth), len(depth) + 3)
    shares = ", ".join(f"{part} {share:.0%}" for part, share in found.parts.items() if share >= 0.005)
    out += wrap(f"Executed: {shares}", width, 2, 4)
    if any(found.spills):
        out += wrap(f"Spill instructions: {found.spills[0]} in loops, {found.spills[1]} outside", width, 2, 4)
    return out


def _shared(groups: Sequence[SharedGroup], width: int, colour: bool) -> list[str]:
    if not groups:
        return []
    out = ["", paint("Shared memory, by base register", "bold", colour)]
    for group in groups[:8]:
        per = group.wavefronts / group.executed
        best = group.ideal / group.executed
        places = ", ".join(dict.fromkeys(place_text(file, line) for file, line in group.lines[:4]))
        text = f"{group.base or 'fixed'}: {', '.join(group.opcodes)}, {_count(group.executed)} executed"
        text += f", {per:.3g} wavefronts each (ideal {best:.3g})" if per else ""
        out += wrap(text + (f", {places}" if places else ""), width, 2, 4)
    return [*out, *_more(len(groups) - 8, "base registers")]
