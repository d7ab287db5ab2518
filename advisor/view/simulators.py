"""The results of the simulators as the JSON of schemas/simulator.json."""

from __future__ import annotations

from typing import Any

from advisor.hardware.occupancy import Occupancy
from advisor.hardware.simulators import Simulated

SCHEMA = "ncu-advisor/simulator/1"


def simulated_json(result: Simulated, kind: str) -> dict[str, Any]:
    """A coalescing or banks result as JSON; costs are sectors or wavefronts of each warp."""
    return {
        "schema": SCHEMA,
        "simulator": kind,
        "expression": result.expression,
        "where": result.where,
        "block": [result.block.x, result.block.y, result.block.z],
        "element_bytes": result.size,
        "access_bytes": result.width,
        "offset_bytes": result.offset,
        "parameters": dict(result.parameters),
        "unit": "sectors" if kind == "coalescing" else "wavefronts",
        "minimum": min(result.costs),
        "average": result.average,
        "maximum": max(result.costs),
        "ideal": result.ideal,
        "warps": [{"cost": c, "ideal": i} for c, i in zip(result.costs, result.ideals, strict=True)],
        "addresses": list(result.warps[result.drawn]),
        "changes": [{"kind": c.kind, "by": c.by, "average": c.cost} for c in result.changes],
    }


def occupancy_json(result: Occupancy, asked: dict[str, Any], more: tuple[int, int] | None) -> dict[str, Any]:
    """An occupancy result as JSON; asked: block_size, registers, shared bytes, cc."""
    out: dict[str, Any] = {
        "schema": SCHEMA,
        "simulator": "occupancy",
        "asked": asked,
        "blocks": result.blocks,
        "warps": result.warps,
        "percent": result.percent,
        "limits": dict(result.limits),
        "limiters": list(result.limiters),
        "cliffs": [
            {
                "resource": c.resource,
                "value": c.value,
                "blocks": c.blocks,
                "warps": c.warps,
                "percent": c.percent,
                "gain": c.gain,
            }
            for c in result.cliffs
        ],
    }
    if more is not None:
        out["one_more"] = {"registers": more[0], "shared": more[1]}
    return out
