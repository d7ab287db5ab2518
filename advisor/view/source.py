"""Where in the code, as text: hot lines with their source, hot instructions with what they wait for, lines of PTX."""

from __future__ import annotations

from advisor.source.columns import Value
from advisor.source.hotspots import Line, Spot
from advisor.source.listing import Wait
from advisor.source.view import View
from advisor.source.viewer import Wanted
from advisor.view.source_marks import count, line_ref, loop_name, more, place_text, share, short, source_line
from advisor.view.source_shape import registers_text, shared_text, structure_text, zones_text
from advisor.view.text import NAME_WIDTH, cut, labelled, paint, shown, wrap

__all__ = ["place_text", "reason_text", "remarks", "source_line", "source_text", "wait_text"]

# Lines of text that one long line of source may take.
_MOST_TEXT = 3
# A call with less of the launch than this is not told.
_LEAST_CALL = 0.01
_MOST_CALLS = 3
# Narrower than this, SASS goes below the columns.
_LEAST_SASS = 30
# Columns that a share and a place take.
_PLACE = 29
_ORPHANS = {
    "BAR": "earlier loads or copies must be done before the warp may enter the barrier",
    "DEPBAR": "counts earlier loads or copies that it does not name: look at those above it",
    "CS2R": "placed by the compiler to let earlier instructions finish: no cost of its own",
    "S2R": "reads a special register through the same queue as shared memory: the queue is what waits",
}
_ORPHAN = "no operand tells for what: the compiler's own wait for instructions before it"


def reason_text(wanted: Wanted | None, title: str = "") -> str:
    """Why a measure was taken, empty where it was asked for or no finding tells; title: of the finding, else its id."""
    if wanted is None or not wanted.finding:
        return ""
    which = "the first finding" if wanted.first else "the finding"
    return f"{which} is {title or wanted.finding}{'' if wanted.own else ', which has no place of its own'}"


def source_text(view: View, top: int, *, reason: str = "", width: int = 80, colour: bool = False) -> str:
    """The view in at most `width` columns, `top` lines and instructions of it; reason: why this measure was taken."""
    out = [paint(f"Launch {view.launch}: {cut(shown(view.kernel), NAME_WIDTH)}", "bold", colour)]
    out += labelled("Measure", f"{view.measure.id}: {view.measure.title}, {count(view.total)} in all", width)
    out += labelled("Because", reason, width) if reason else []
    out += remarks(view, width)
    if not view.spots:
        out += ["", "Nothing in the code has any of it, or passes the filters."]
    if view.lines:
        out += ["", paint("Lines", "bold", colour)]
        for line in view.lines[:top]:
            out += _line(line, view, width)
        out += more(len(view.lines) - top, "lines")
    out += _calls(view, top, width, colour)
    if view.spots:
        out += ["", paint("Instructions", "bold", colour)]
        out += _table(view, top, width, colour) if view.columns else _spots(view, top, width)
        out += more(len(view.spots) - top, "instructions")
    out += _ptx(view, top, width, colour)
    out += structure_text(view.structure, width, colour)
    out += registers_text(view, width, colour)
    out += zones_text(view, width, colour)
    out += shared_text(view.shared, width, colour)
    return "\n".join(out) + "\n"


def remarks(view: View, width: int) -> list[str]:
    """What the report lacks, and how far lines can be trusted; once."""
    out: list[str] = []
    if not view.has_lines:
        out += wrap("No line information: compile with -lineinfo to see source lines.", width)
    if not view.has_code:
        out += wrap("The report does not hold the machine code: no opcodes, loops or registers.", width)
    if view.has_lines and view.trust is not None:
        told = f"{view.trust.lined:.0%} of what ran has a line, {view.trust.inlined:.0%} was inlined"
        told += "; compilers move and merge code, so part of a line's share may be its neighbours'"
        out += labelled("Trust", told, width)
    if view.has_lines and not view.texts:
        out += labelled("Source", "not in the report and not found here: --sources DIR says where it lies", width)
    elif view.embedded:
        out += labelled("Source", "as the report carries it (a file under --sources comes first)", width)
    return out


def _line(line: Line, view: View, width: int) -> list[str]:
    where = f", {loop_name(line.loop)}" if view.structure.loops else ""
    opcodes = ", ".join(dict.fromkeys(spot.row.opcode for spot in line.spots if spot.row.opcode))
    head = f"{share(line.share)}  {place_text(line.file, line.line)}  {count(line.value)}{where}"
    out = [cut(f"{head}  {opcodes}", width)]
    text = view.texts.get((line.file, line.line), "")
    out += wrap(source_line(text), width, 8, 12)[:_MOST_TEXT] if text else []
    sites = [site for site in line.calls if site[2] >= _LEAST_CALL]
    if sites:
        told = ", ".join(f"{line_ref(line.file, *site[:2])} ({site[2]:.0%})" for site in sites[:_MOST_CALLS])
        rest = f" and {len(sites) - _MOST_CALLS} more" if len(sites) > _MOST_CALLS else ""
        out += wrap(f"inlined at {told}{rest}", width, 8, 12)
    inner = next((spot.row.inner for spot in line.spots if spot.row.inner), ())
    if inner:
        out += wrap(f"through {place_text(*inner[0])}, an installed header", width, 8, 12)
    return out


def _calls(view: View, top: int, width: int, colour: bool) -> list[str]:
    sites = [site for site in view.call_sites if site[2] >= _LEAST_CALL]
    if not sites:
        return []
    out = ["", paint("Call sites, with what was inlined into them", "bold", colour)]
    for file, line, part in sites[:top]:
        text = source_line(view.texts.get((file, line), ""))
        out.append(cut(f"{share(part)}  {place_text(file, line)}  {text}".rstrip(), width))
    return [*out, *more(len(sites) - top, "call sites")]


def _spots(view: View, top: int, width: int) -> list[str]:
    out = []
    for spot in view.spots[:top]:
        place = f"{share(spot.share)}  {place_text(spot.row.file, spot.row.line):<18}"
        out.append(cut(f"{place}  0x{spot.row.pc:x}  {shown(spot.row.sass) or 'no code'}", width))
        wait = view.waits.get(spot.at)
        out += wrap(wait_text(wait, spot), width, 9, 13) if wait is not None else []
    return out


def wait_text(wait: Wait, spot: Spot) -> str:
    """The leading reason of an instruction's wait, and what it waits for where that can be told."""
    told = f"{wait.reason.replace('_', ' ')} {wait.share:.0%}"
    if wait.sources:
        first = wait.sources[0]
        where = f" at {line_ref(spot.row.file, first.file, first.line)}" if first.line else f" at 0x{first.pc:x}"
        rest = f" and {len(wait.sources) - 1} more" if len(wait.sources) > 1 else ""
        return f"{told}, for {shown(first.sass)}{where}{rest}"
    if wait.orphan:
        return f"{told}, {_ORPHANS.get(spot.row.opcode.partition('.')[0], _ORPHAN)}"
    return told


def _cell(value: Value) -> str:
    return "-" if value is None else value if isinstance(value, str) else short(value)


def _table(view: View, top: int, width: int, colour: bool) -> list[str]:
    """A row an instruction; where the screen is narrow, its numbers stand in a row of their own."""
    told = view.spots[:top]
    cells = [[_cell(value) for value in view.cells[spot.at]] for spot in told]
    titles = [column.title for column in view.columns]
    widths = [max(len(title), *(len(row[i]) for row in cells)) for i, title in enumerate(titles)]
    head = "  ".join(f"{title:>{w}}" for title, w in zip(titles, widths, strict=True))
    beside = width - len(head) - _PLACE - 2 >= _LEAST_SASS
    out = [paint(cut(f"{'':<{_PLACE if beside else 9}}{head}", width).rstrip(), "bold", colour)]
    for spot, row in zip(told, cells, strict=True):
        place = f"{share(spot.share):<7}  {cut(place_text(spot.row.file, spot.row.line), 18):<18}  "
        numbers = "  ".join(f"{cell:>{w}}" for cell, w in zip(row, widths, strict=True))
        sass = shown(spot.row.sass) or "no code"
        if beside:
            out.append(cut(f"{place}{numbers}  {sass}", width))
        else:
            out += [cut(place + sass, width), cut(f"{'':<9}{numbers}", width)]
    return out


def _ptx(view: View, top: int, width: int, colour: bool) -> list[str]:
    if view.ptx is None:
        return []
    out = ["", paint("PTX", "bold", colour)]
    if not view.has_ptx:
        return out + wrap("The report holds none: code compiled with -lineinfo carries its PTX along.", width)
    for number, text, _, part in view.ptx[:top]:
        out.append(cut(f"{share(part)}  {number:>6}  {source_line(text)}", width))
    return [*out, *more(len(view.ptx) - top, "lines of PTX")]
