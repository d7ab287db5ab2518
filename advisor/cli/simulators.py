"""`ncu-advisor napkin coalescing|banks|occupancy`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from advisor.records.errors import EXIT_DONE, UsageError

SIMULATORS = {
    "coalescing": "sectors of a global access: 'tid.y*stride + tid.x' --stride 1000 --block 32x8",
    "banks": "wavefronts of a shared access: 'tid.x*32 + tid.y' --block 32x8, pads and a swizzle tried",
    "occupancy": "blocks and warps of an SM: --block 256 --registers 40 --shared 16k --cc 8.6",
}


def run(
    kind: str, args: list[str], dtype: str | None, gpu: str | None, form: str, write: Callable[[str, Path | None], None]
) -> int:
    """Simulate and print; UsageError for what cannot be."""
    expressions, given = _split(args)
    answer = _occupancy if kind == "occupancy" else _access
    write(answer(kind, expressions, given, dtype, gpu, form), None)
    return EXIT_DONE


def _split(args: list[str]) -> tuple[list[str], dict[str, str]]:
    """The expressions, and the options with their values, `--bid.x` as bid_x."""
    words, expressions, given = list(args), [], {}
    while words:
        word = words.pop(0)
        if not word.startswith("--"):
            expressions.append(word)
            continue
        name, sign, value = word[2:].partition("=")
        if not name or (not sign and not words):
            raise UsageError(f"{word[:40]!r} needs a value, such as --stride 1024")
        given[name.replace("-", "_").replace(".", "_")] = value if sign else words.pop(0)
    return expressions, given


def _whole(text: str, name: str, low: int, high: int, unit: str = "") -> int:
    from advisor.records import quantities

    value = quantities.parse(text, unit)
    if value != int(value) or not low <= value <= high:
        raise UsageError(f"--{name} is a whole number from {low:,} to {high:,}, not {text[:40]!r}")
    return int(value)


def _screen() -> dict[str, Any]:
    from advisor.cli import terminal
    from advisor.view.charts.bars import can_draw

    encoding = getattr(sys.stdout, "encoding", None)
    return {"width": terminal.width(), "colour": terminal.colour(sys.stdout), "blocks": can_draw(encoding)}


def _access(
    kind: str, expressions: list[str], given: dict[str, str], dtype: str | None, gpu: str | None, form: str
) -> str:
    from advisor.hardware import simulators
    from advisor.view import simulators as face

    if len(expressions) != 1:
        raise UsageError(f"give one index in quotes: ncu-advisor napkin {kind} 'tid.y*stride + tid.x' --stride 1024")
    if gpu:
        raise UsageError(f"{kind} is the same on every GPU: leave --gpu out")
    far = 2**40
    asked = simulators.Asked(
        expressions[0],
        dtype or "float",
        _whole(given.pop("vector", "1"), "vector", 1, 16),
        given.pop("block", "256"),
        _whole(given.pop("offset", "0"), "offset", -far, far, "byte"),
        given.pop("where", ""),
        _whole(given.pop("row", "0"), "row", 0, 2**20),
    )
    parameters = {name: _whole(text, name, -far, far) for name, text in given.items()}
    result = (simulators.coalescing if kind == "coalescing" else simulators.banks)(asked, parameters)
    if form == "json":
        return json.dumps(face.simulated_json(result, kind), indent=1)
    return (face.coalescing_text if kind == "coalescing" else face.banks_text)(result, **_screen())


def _occupancy(
    kind: str, expressions: list[str], given: dict[str, str], dtype: str | None, gpu: str | None, form: str
) -> str:
    from advisor.hardware import gpus, lanes
    from advisor.hardware.occupancy import most_for, occupancy
    from advisor.view import simulators as face

    if expressions or dtype:
        raise UsageError("occupancy takes --block, --registers, --shared, --static, --carveout, and --cc or --gpu")
    if gpu and "cc" in given:
        raise UsageError("give --cc or --gpu, not both")
    cc = given.pop("cc", "")
    card = None if cc else gpus.gpu(gpu or "H100-SXM")
    limits = gpus.limits_of(cc) if card is None else card.limits or gpus.limits_of(card.cc)
    size = lanes.block(given.pop("block", "256")).threads
    registers = _whole(given.pop("registers", "32"), "registers", 1, limits.registers_per_thread)
    shared = sum(_whole(given.pop(n, "0"), n, 0, limits.shared_per_block, "byte") for n in ("shared", "static"))
    top = limits.shared_per_sm
    capacity = _whole(given.pop("carveout", str(top)), "carveout", 1, top, "byte")
    if given:
        raise UsageError(
            f"occupancy has no --{next(iter(given))[:40]}: it takes --block, --registers, --shared, --static, --cc"
        )
    result = occupancy(limits, size, registers, shared, capacity)
    more = most_for(limits, size, capacity, result.blocks + 1)
    asked = {"block_size": size, "registers": registers, "shared": shared, "cc": card.cc if card else cc}
    if form == "json":
        return json.dumps(face.occupancy_json(result, asked, more), indent=1)
    where = f"{card.name} (CC {card.cc})" if card else f"CC {cc}"
    title = f"{size:,} threads a block, {registers} registers a thread, {shared:,} bytes of shared memory on {where}"
    return face.occupancy_text(result, limits, title, more, **_screen())
