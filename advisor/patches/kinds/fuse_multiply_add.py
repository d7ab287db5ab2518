"""Fuse a multiplication and an addition that intrinsics keep apart."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.patches.proposal import Cause, Proposal, Unsuited
from advisor.patches.syntax import Edit, Source, bare, field, walk

_ADDS = {"__fadd_rn": ("__fmul_rn", "fmaf"), "__dadd_rn": ("__dmul_rn", "fma")}
_SUBTRACTS = {"__fsub_rn": ("__fmul_rn", "fmaf"), "__dsub_rn": ("__dmul_rn", "fma")}


def propose(source: Source, cause: Cause) -> Iterator[Proposal | Unsuited]:
    """Yield one patch of all sums whose operand is a product by an intrinsic."""
    edits: list[Edit] = []
    lines: list[int] = []
    for function in source.reached(cause.kernel):
        for call in walk(function.body, "call_expression"):
            name = source.at(field(call, "function"))
            rows = field(call, "arguments").named_children
            multiply, fused = {**_ADDS, **_SUBTRACTS}.get(name, ("", ""))
            if not multiply or len(rows) != 2 or any(e.start <= call.start_byte < e.end for e in edits):
                continue
            sides = rows if name in _ADDS else rows[:1]
            product = next(
                (
                    bare(row)
                    for row in sides
                    if bare(row).type == "call_expression" and source.at(field(bare(row), "function")) == multiply
                ),
                None,
            )
            if product is None:
                continue
            other = rows[1] if bare(rows[0]) == product else rows[0]
            factors = [source.at(row) for row in field(product, "arguments").named_children]
            added = source.at(other) if name in _ADDS else f"-({source.at(other)})"
            edits.append(Edit(call.start_byte, call.end_byte, f"{fused}({', '.join(factors)}, {added})"))
            lines.append(source.line(call))
    if edits:
        best = max(lines, key=lambda line: cause.lines.get(line, 0.0))
        yield Proposal(best, tuple(edits), "multiplication and addition become one instruction, which rounds once")
