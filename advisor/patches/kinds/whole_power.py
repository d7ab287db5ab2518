"""Multiply instead of calling pow with a whole number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from advisor.patches.proposal import Cause, Proposal, Unsuited
from advisor.patches.syntax import Edit, Source, field, walk
from advisor.patches.types import type_of

if TYPE_CHECKING:
    from tree_sitter import Node

_NAMES = {"powf": "float", "__powf": "float", "pow": ""}
_MOST = 16


def propose(source: Source, cause: Cause) -> Iterator[Proposal | Unsuited]:
    """Yield one patch of all powers with a constant whole exponent from 2 to 16."""
    edits: list[Edit] = []
    lines: list[int] = []
    wanted: dict[tuple[str, int], str] = {}
    first: Node | None = None
    for function in source.reached(cause.kernel):
        for call in walk(function.body, "call_expression"):
            name = source.at(field(call, "function")).removeprefix("std::")
            rows = field(call, "arguments").named_children
            if name not in _NAMES or len(rows) != 2:
                continue
            kind = _NAMES[name] or type_of(source, call) or ""
            power = _whole(source.at(rows[1]))
            line = source.line(call)
            if power is None or not 2 <= power <= _MOST:
                yield Unsuited(line, f"the exponent {source.at(rows[1])[:20]} is no whole constant from 2 to {_MOST}")
                continue
            if kind not in ("float", "double"):
                yield Unsuited(line, "the type of the power is not known")
                continue
            if (kind, power) not in wanted:
                wanted[kind, power] = source.fresh(f"power_{power}" + ("" if kind == "float" else "_double"))[0]
            called = field(call, "function")
            edits += [
                Edit(called.start_byte, called.end_byte, wanted[kind, power]),
                Edit(rows[0].end_byte, rows[1].end_byte, ""),
            ]
            lines.append(line)
            if first is None or function.node.start_byte < first.start_byte:
                first = function.node
    if not edits or first is None:
        return
    start, holder = first.start_byte, first.parent
    while holder is not None and holder.type in ("linkage_specification", "template_declaration"):
        start, holder = holder.start_byte, holder.parent
    helpers = "".join(_helper(kind, power, name) for (kind, power), name in wanted.items())
    edits.append(Edit(start, start, helpers + "\n"))
    best = max(lines, key=lambda line: cause.lines.get(line, 0.0))
    yield Proposal(best, tuple(edits), f"{len(lines)} powers with a whole exponent become products")


def _whole(text: str) -> int | None:
    try:
        value = float(text.rstrip("fF"))
    except ValueError:
        return None
    return int(value) if value.is_integer() else None


def _helper(kind: str, power: int, name: str) -> str:
    """Return a function that squares and multiplies."""
    rows, at = [], 1
    while 2 * at <= power:
        before = "x" if at == 1 else f"x{at}"
        rows.append(f"const {kind} x{2 * at} = {before} * {before};")
        at *= 2
    factors = [("x" if bit == 1 else f"x{bit}") for bit in (16, 8, 4, 2, 1) if power & bit]
    return f"__device__ __forceinline__ {kind} {name}({kind} x) {{ {' '.join(rows)} return {' * '.join(factors)}; }}\n"
