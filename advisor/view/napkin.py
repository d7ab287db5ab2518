"""A napkin estimate as the JSON of schemas/napkin.json."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from advisor.hardware.roofline import Inconsistency, Result, Roof

SCHEMA = "ncu-advisor/napkin/1"
_DIGITS = 10  # significant digits in JSON: the last bits of a quotient carry nothing


def _number(value: float) -> float | int:
    short = float(f"{value:.{_DIGITS}g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


def _roof_json(roof: Roof) -> dict[str, Any]:
    return {
        "cores": roof.cores,
        "peak_name": roof.peak_name,
        "peak": _number(roof.peak),
        "ridge": _number(roof.ridge),
        "bound": roof.bound,
        "attainable": _number(roof.attainable),
        "bytes_ns": _number(roof.bytes_ns),
        "flop_ns": _number(roof.flop_ns),
        "floor_ns": _number(roof.floor_ns),
        "term": roof.term,
        "achievable_ns": _number(roof.achievable_ns),
        "achievable_term": roof.achievable_term,
    }


def napkin_json(result: Result, checks: Sequence[Inconsistency] = ()) -> dict[str, Any]:
    """The result as the JSON of schemas/napkin.json: what is unknown is absent; units are those of `Result`."""
    gpu = {
        "id": result.gpu.id,
        "name": result.gpu.name,
        "cc": result.gpu.cc,
        "bandwidth": _number(result.gpu.bandwidth or 0.0),
    }
    if result.gpu.l2_bytes:
        gpu["l2_bytes"] = result.gpu.l2_bytes
    out: dict[str, Any] = {
        "schema": SCHEMA,
        "algorithm": result.algorithm.id,
        "title": result.algorithm.title,
        "parameters": {name: _number(value) for name, value in result.parameters.items()},
        "derived": {name: _number(value) for name, value in result.derived.items()},
        "dtype": result.dtype.id,
        "gpu": gpu,
        "flop": _number(result.flop),
        "bytes": _number(result.bytes),
        "intensity": _number(result.intensity),
        "bytes_ns": _number(result.bytes_ns),
        "floor_ns": _number(result.floor_ns),
        "achievable_ns": _number(result.achievable_ns),
        "roofs": [_roof_json(roof) for roof in (result.plain, result.tensor) if roof],
        "notes": [{"id": note.id, "says": note.says, "cites": list(note.cites)} for note in result.notes],
        "checks": [
            {
                "id": item.id,
                "kind": item.kind,
                "says": item.says,
                "values": {name: _number(value) for name, value in item.values},
                "cites": list(item.cites),
                **({"suggests": item.suggests} if item.suggests else {}),
            }
            for item in checks
        ],
        "cites": list(result.cites),
    }
    if result.measured:
        out["measured"] = {name: _number(share) for name, share in result.measured.items()}
    if result.cores:
        out["cores"] = result.cores
    if result.bound:
        out["bound"] = result.bound
    return out
