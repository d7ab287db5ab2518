"""The code of two launches as the JSON of schemas/source_compare.json."""

from __future__ import annotations

from advisor.records.escapes import json_text
from advisor.source.compare import Alignment, Change, Comparison
from advisor.source.listing import Row
from advisor.view.pages.source_compare import ordered

SCHEMA = "ncu-advisor/source-compare/1"


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
            for hunk in ordered(found)[:top]
        ],
    }


def _rows(side: tuple[tuple[Row, float], ...]) -> list[dict[str, object]]:
    return [{"file": r.file, "line": r.line, "pc": r.pc, "sass": r.sass, "value": value} for r, value in side]
