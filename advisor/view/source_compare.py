"""Two launches side by side, as text and as the JSON of schemas/source_compare.json."""

from __future__ import annotations

from advisor.records.escapes import json_text
from advisor.source.compare import Alignment, Change, Comparison, Hunk
from advisor.source.listing import Row
from advisor.view.source_marks import line_ref, place_text
from advisor.view.text import cut, labelled, paint, shown, wrap

SCHEMA = "ncu-advisor/source-compare/1"
# Instructions that are shown of each side of a stretch.
_MOST_ROWS = 6


def compare_text(found: Comparison, names: tuple[str, str], top: int, *, width: int = 80, colour: bool = False) -> str:
    """The comparison in at most `width` columns, `top` opcodes and lines of it; names: of the two launches."""
    out = [*labelled("Before", shown(names[0]), width), *labelled("Now", shown(names[1]), width)]
    total = f"{found.before:,.0f} before, {found.now:,.0f} now{_times(found.before, found.now)}"
    out += labelled("Measure", f"{found.measure.id}: {found.measure.title}, {total}", width)
    for title, changes in (("Opcodes", found.opcodes), ("Lines", found.lines)):
        if not changes:
            continue
        out += ["", paint(f"{title:<30} {'before':>16} {'now':>16}", "bold", colour)]
        for change in changes[:top]:
            name = change.opcode or f"{change.file}:{change.line}"
            row = f"{cut(shown(name), 30):<30} {change.before:>16,.0f} {change.now:>16,.0f}"
            out.append(cut(row + _times(change.before, change.now), width))
        left = len(changes) - top
        out += [f"  ... {left} more {title.lower()}"] if left > 0 else []
    out += _aligned(found.aligned, top, width, colour)
    return "\n".join(out) + "\n"


def _ordered(found: Alignment) -> list[Hunk]:
    """What changed most first, then what is longest, then in the order of the code."""
    return sorted(found.hunks, key=lambda hunk: (-abs(hunk.change), -len(hunk.before) - len(hunk.now)))


def _aligned(found: Alignment | None, top: int, width: int, colour: bool) -> list[str]:
    out = ["", paint("Instructions side by side", "bold", colour)]
    if found is None:
        return [*out, *wrap("A report without its code, or both too long and alike to lay side by side.", width, 2)]
    alike = "opcode" if found.by == "opcode" else "opcode and operands"
    before, now = (sum(len(side) for side in sides) for sides in _sides(found))
    told = f"{found.same} the same in {alike}, {before} only before, {now} only now, in {len(found.hunks)} stretches"
    out += wrap(told, width, 2, 4)
    ordered = _ordered(found)
    for hunk in ordered[:top]:
        first = max(hunk.now or hunk.before, key=lambda pair: pair[1])[0]
        out.append(cut(f"@ {place_text(first.file, first.line)}: {hunk.change:+,.0f}", width))
        for sign, side in (("-", hunk.before), ("+", hunk.now)):
            # The hottest of them, in the order of the code.
            hot = sorted(sorted(range(len(side)), key=lambda i: (-side[i][1], i))[:_MOST_ROWS])
            out += [cut(_side_row(sign, *side[i], first), width) for i in hot]
            out += [f"  {sign} ... {len(side) - _MOST_ROWS} more"] if len(side) > _MOST_ROWS else []
    left = len(ordered) - top
    return [*out, f"  ... {left} more stretches"] if left > 0 else out


def _sides(found: Alignment) -> tuple[list[tuple[tuple[Row, float], ...]], list[tuple[tuple[Row, float], ...]]]:
    return [hunk.before for hunk in found.hunks], [hunk.now for hunk in found.hunks]


def _side_row(sign: str, row: Row, value: float, first: Row) -> str:
    return f"  {sign} {value:>14,.0f}  {line_ref(first.file, row.file, row.line):<10}  {shown(row.sass)}"


def _times(before: float, now: float) -> str:
    if before == now:
        return ", same"
    if not before or not now:
        return ", new" if now else ", gone"
    return f", {now / before:.3g}x"


def _change(change: Change) -> dict[str, object]:
    place = {"opcode": change.opcode} if change.opcode else {"file": change.file, "line": change.line}
    return {**place, "before": change.before, "now": change.now}


def compare_json(found: Comparison, launches: tuple[int, int], top: int) -> str:
    """The document as text, `top` opcodes and lines of it."""
    document = {
        "schema": SCHEMA,
        "measure": {"id": found.measure.id, "title": found.measure.title},
        "before": {"launch": launches[0], "total": found.before},
        "now": {"launch": launches[1], "total": found.now},
        "opcodes": [_change(change) for change in found.opcodes[:top]],
        "lines": [_change(change) for change in found.lines[:top]],
        "aligned": None if found.aligned is None else _alignment(found.aligned, top),
    }
    return json_text(document, indent=1) + "\n"


def _alignment(found: Alignment, top: int) -> dict[str, object]:
    return {
        "by": found.by,
        "same": found.same,
        "hunks": [
            {"change": hunk.change, "before": _rows(hunk.before), "now": _rows(hunk.now)}
            for hunk in _ordered(found)[:top]
        ],
    }


def _rows(side: tuple[tuple[Row, float], ...]) -> list[dict[str, object]]:
    return [{"file": r.file, "line": r.line, "pc": r.pc, "sass": r.sass, "value": value} for r, value in side]
