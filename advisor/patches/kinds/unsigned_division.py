"""Divide by a power of two with a shift, and take the remainder with a mask, where a value cannot be negative."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from advisor.patches.proposal import Cause, Proposal, Unsuited
from advisor.patches.syntax import Edit, Source, bare, field, walk
from advisor.patches.types import not_negative, type_of, value_of

if TYPE_CHECKING:
    from tree_sitter import Node

_INTEGERS = ("int", "unsigned", "unsigned int", "size_t", "long long", "unsigned long long")


def propose(source: Source, cause: Cause) -> Iterator[Proposal | Unsuited]:
    """Yield one patch of all divisions by a constant power of two of values that are never negative."""
    edits: list[Edit] = []
    lines: list[int] = []
    for function in source.reached(cause.kernel):
        for node in walk(function.body, "binary_expression"):
            sign = field(node, "operator")
            if sign.type not in ("/", "%"):
                continue
            left, right = field(node, "left"), field(node, "right")
            divisor = value_of(source, right)
            if divisor is None or divisor < 2 or divisor & (divisor - 1) or type_of(source, left) not in _INTEGERS:
                continue
            line = source.line(node)
            if not not_negative(source, left):
                yield Unsuited(line, f"{source.at(left)[:30]} may be negative")
                continue
            if any(_nested(node, edit) for edit in edits):
                continue
            text = (
                source.at(bare(left))
                if bare(left).type in ("identifier", "field_expression")
                else f"({source.at(left)})"
            )
            shifted = f">> {divisor.bit_length() - 1}" if sign.type == "/" else f"& {divisor - 1}"
            edits.append(Edit(node.start_byte, node.end_byte, f"({text} {shifted})"))
            lines.append(line)
    if edits:
        best = max(lines, key=lambda line: cause.lines.get(line, 0.0))
        yield Proposal(best, tuple(edits), f"{len(edits)} divisions by powers of two become shifts and masks")


def _nested(node: Node, edit: Edit) -> bool:
    return edit.start <= node.start_byte and node.end_byte <= edit.end
