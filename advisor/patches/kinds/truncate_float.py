"""Truncate a float without going through an integer: one conversion instead of two."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from advisor.patches.proposal import Cause, Proposal, Unsuited
from advisor.patches.syntax import Edit, Source, bare, field, walk
from advisor.patches.types import type_of

if TYPE_CHECKING:
    from tree_sitter import Node

_FUNCTIONS = {"float": "truncf", "double": "trunc"}


def propose(source: Source, cause: Cause) -> Iterator[Proposal | Unsuited]:
    """Yield one patch of all conversions of a float to int and back."""
    edits, lines = [], []
    for function in source.reached(cause.kernel):
        for outer in walk(function.body, "cast_expression", "call_expression"):
            value = _operand(source, outer)
            inner = bare(value) if value is not None else None
            kept = _operand(source, inner) if inner is not None else None
            if inner is None or kept is None or type_of(source, inner) not in ("int", "long long"):
                continue
            kind = type_of(source, outer)
            if kind not in _FUNCTIONS or type_of(source, kept) != kind:
                continue
            text = source.at(bare(kept))
            edits.append(Edit(outer.start_byte, outer.end_byte, f"{_FUNCTIONS[kind]}({text})"))
            lines.append(source.line(outer))
    if edits:
        best = max(lines, key=lambda line: cause.lines.get(line, 0.0))
        yield Proposal(best, tuple(edits), "a float is truncated without the way through an integer")


def _operand(source: Source, node: Node) -> Node | None:
    """Return what a C cast or static_cast converts."""
    if node.type == "cast_expression":
        return field(node, "value")
    if node.type == "call_expression":
        called = field(node, "function")
        rows = field(node, "arguments").named_children
        cast = called.type == "template_function" and source.at(field(called, "name")) == "static_cast"
        if len(rows) == 1 and (cast or called.type == "primitive_type"):
            return rows[0]
    return None
