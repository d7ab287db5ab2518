"""Where in the code, as the JSON of schemas/source.json."""

from __future__ import annotations

import json
from typing import Any

from advisor.render.plain import number
from advisor.source.hotspots import Line, Spot
from advisor.source.structure import LoopFacts, SharedGroup
from advisor.source.view import View

SCHEMA = "ncu-advisor/source/1"


def _spot(spot: Spot) -> dict[str, Any]:
    row = spot.row
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
    }


def _line(line: Line, view: View) -> dict[str, Any]:
    out: dict[str, Any] = {
        "file": line.file,
        "line": line.line,
        "value": number(line.value),
        "share": number(line.share),
        "loop": line.loop,
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
    }


def _group(group: SharedGroup) -> dict[str, Any]:
    return {
        "base": group.base,
        "opcodes": list(group.opcodes),
        "lines": [{"file": file, "line": line} for file, line in group.lines],
        "executed": number(group.executed),
        "wavefronts": number(group.wavefronts),
        "wavefronts_ideal": number(group.ideal),
    }


def source_json(view: View, top: int | None) -> str:
    """The document as text; top: at most so many lines and instructions, None for all."""
    shape = view.structure
    document = {
        "schema": SCHEMA,
        "launch": view.launch,
        "kernel": view.kernel,
        "measure": {"id": view.measure.id, "title": view.measure.title, "total": number(view.total)},
        "has_lines": view.has_lines,
        "has_code": view.has_code,
        "lines": [_line(line, view) for line in view.lines[:top]],
        "instructions": [_spot(spot) for spot in view.spots[:top]],
        "structure": {
            "warps": number(shape.warps),
            "loops": [_loop(facts) for facts in shape.loops],
            "executed_share": {part: number(share) for part, share in shape.parts.items()},
            "spills": {"in_loops": shape.spills[0], "outside": shape.spills[1]},
            "barriers": shape.barriers,
        },
        "shared": [_group(group) for group in view.shared],
    }
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
