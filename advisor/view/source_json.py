"""Where in the code, as the JSON of schemas/source.json."""

from __future__ import annotations

from typing import Any

from advisor.records.escapes import json_text
from advisor.source.columns import Value
from advisor.source.hotspots import Line, Spot
from advisor.source.listing import Row, Wait
from advisor.source.structure import LoopFacts, Phase, SharedGroup, Zone
from advisor.source.view import View
from advisor.view.numbers import number

SCHEMA = "ncu-advisor/source/1"


# A kernel may have thousands of places where warps part; the first have the most idle lanes.
_MOST_ZONES = 50


def _place(file: str, line: int, share: float | None = None) -> dict[str, Any]:
    return {"file": file, "line": line} | ({} if share is None else {"share": number(share)})


def _row(row: Row) -> dict[str, Any]:
    return {"file": row.file, "line": row.line, "pc": row.pc, "sass": row.sass}


def _spot(spot: Spot, view: View) -> dict[str, Any]:
    row = spot.row
    wait = view.waits.get(spot.at)
    cells = view.cells.get(spot.at, ())
    return {
        "file": row.file,
        "line": row.line,
        "pc": row.pc,
        "sass": row.sass,
        "opcode": row.opcode,
        "value": number(spot.value),
        "share": number(spot.share),
        "executed": number(row.executed),
        "samples": number(row.samples),
        "loop": spot.loop,
        "calls": [_place(*place) for place in row.calls],
        "inner": [_place(*place) for place in row.inner],
        **({} if not view.has_ptx else {"ptx_line": row.ptx}),
        **({} if wait is None else {"wait": _wait(wait)}),
        **({} if not cells else {"columns": _cells(view, cells)}),
    }


def _wait(wait: Wait) -> dict[str, Any]:
    return {
        "reason": wait.reason,
        "share": number(wait.share),
        "for": [_row(row) for row in wait.sources],
        "orphan": wait.orphan,
    }


def _cells(view: View, cells: tuple[Value, ...]) -> dict[str, Any]:
    named = zip(view.columns, cells, strict=True)
    return {column.id: value if isinstance(value, str) else number(value) for column, value in named}


def _line(line: Line, view: View) -> dict[str, Any]:
    out: dict[str, Any] = {
        "file": line.file,
        "line": line.line,
        "value": number(line.value),
        "share": number(line.share),
        "loop": line.loop,
        "inclusive_share": number(line.inclusive),
        "inlined_at": [_place(*site) for site in line.calls],
        "opcodes": list(dict.fromkeys(s.row.opcode for s in line.spots if s.row.opcode)),
    }
    text = view.texts.get((line.file, line.line))
    return out if text is None else {**out, "text": text}


def _loop(facts: LoopFacts) -> dict[str, Any]:
    return {
        "file": facts.file,
        "lines": list(facts.lines),
        "depth": facts.loop.depth,
        "instructions": len(facts.loop.body),
        "iterations": number(facts.iterations),
        "executed_share": number(facts.executed),
        "samples_share": number(facts.samples),
        "barriers": facts.barriers,
        "spills": facts.spills,
        **({} if facts.parent is None else {"parent": facts.parent, "per_round": number(facts.per_round)}),
    }


def _phase(phase: Phase) -> dict[str, Any]:
    return {
        "part": phase.part,
        "loop": phase.loop,
        "first": _row(phase.first),
        "last": _row(phase.last),
        "instructions": phase.instructions,
        "executed_share": number(phase.executed),
        "samples_share": number(phase.samples),
        "does": list(phase.does),
        "barrier": phase.barrier,
    }


def _zone(zone: Zone) -> dict[str, Any]:
    return {
        "first": _row(zone.first),
        "last": _row(zone.last),
        "instructions": zone.instructions,
        "lanes": number(zone.lanes),
        "executed_share": number(zone.executed),
        "samples_share": number(zone.samples),
        "branch": None if zone.branch is None else _row(zone.branch),
        "test": None if zone.test is None else _row(zone.test),
    }


def _group(group: SharedGroup) -> dict[str, Any]:
    return {
        "base": group.base,
        "opcodes": list(group.opcodes),
        "lines": [{"file": file, "line": line} for file, line in group.lines],
        "executed": number(group.executed),
        "wavefronts": number(group.wavefronts),
        "wavefronts_ideal": number(group.ideal),
        "array": group.array,
    }


def source_json(view: View, top: int | None) -> str:
    """The document as text; top: at most so many lines and instructions, None for all."""
    shape = view.structure
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "launch": view.launch,
        "kernel": view.kernel,
        "measure": {"id": view.measure.id, "title": view.measure.title, "total": number(view.total)},
        "has_lines": view.has_lines,
        "has_code": view.has_code,
        "lines": [_line(line, view) for line in view.lines[:top]],
        "instructions": [_spot(spot, view) for spot in view.spots[:top]],
        "structure": {
            "warps": number(shape.warps),
            "loops": [_loop(facts) for facts in shape.loops],
            "executed_share": {part: number(share) for part, share in shape.parts.items()},
            "spills": {"in_loops": shape.spills[0], "outside": shape.spills[1]},
            "barriers": shape.barriers,
            "phases": [_phase(phase) for phase in shape.phases],
        },
        "shared": [_group(group) for group in view.shared],
        "call_sites": [_place(*site) for site in view.call_sites[:top]],
        "lanes": {
            "bands": {name: number(part) for name, part in view.bands.items()},
            "zones": [_zone(zone) for zone in view.zones[:_MOST_ZONES]],
        },
        "live_registers": _live(view),
        "trust": None
        if view.trust is None
        else {"lined_share": number(view.trust.lined), "inlined_share": number(view.trust.inlined)},
        "sources_in_report": view.embedded,
        "has_ptx": view.has_ptx,
    }
    if view.ptx is not None:
        document["ptx"] = [
            {"line": line, "text": text, "value": number(value), "share": number(share)}
            for line, text, value, share in view.ptx[:top]
        ]
    return json_text(document, indent=1) + "\n"


def _live(view: View) -> dict[str, Any] | None:
    """The peak, which is computed from the code and not in the report."""
    peak = view.peak
    return None if peak is None else {"peak": peak.live, "computed": True, "loop": peak.loop, **_row(peak.row)}
