"""Two launches side by side, as text and as the JSON of schemas/source_compare.json."""

from __future__ import annotations

import json

from advisor.render.text import cut, labelled, paint, shown
from advisor.source.compare import Change, Comparison

SCHEMA = "ncu-advisor/source-compare/1"


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
    return "\n".join(out) + "\n"


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
    }
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
