"""Declare pointers `__restrict__`, and those that are only read `const`, so that loads can be kept in registers."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.patches.proposal import Cause, Proposal, Unsuited
from advisor.patches.syntax import Declared, Edit, Source, is_written, whole_access


def propose(source: Source, cause: Cause) -> Iterator[Proposal | Unsuited]:
    """Yield one patch of all pointer parameters of the kernel."""
    edits: list[Edit] = []
    names = []
    line = source.line(cause.kernel.node)
    for number, one in enumerate(cause.kernel.parameters):
        if one.pointers != 1 or one.is_array or "volatile" in one.qualifiers:
            continue
        name = source.at(one.name)
        if number in cause.aliased:
            yield Unsuited(line, f"{name} points to an array that another parameter points to")
            return
        if not one.qualifiers & {"__restrict__", "__restrict"}:
            edits.append(Edit(one.name.start_byte, one.name.start_byte, "__restrict__ "))
            names.append(name)
            if "const" not in one.qualifiers and only_read(source, one):
                edits.append(Edit(one.node.start_byte, one.node.start_byte, "const "))
    if edits:
        yield Proposal(line, tuple(edits), f"{', '.join(names)}: __restrict__, and const where only read")


def only_read(source: Source, pointer: Declared) -> bool:
    """Return whether a pointer is used for nothing but reads of its elements."""
    uses = source.uses(pointer)
    for use in uses:
        access, indices = whole_access(use)
        if not indices and (
            use.parent is None or use.parent.type != "pointer_expression" or use.parent.children[0].type != "*"
        ):
            return False
        if is_written(access if indices else use.parent or use):
            return False
    return bool(uses)
