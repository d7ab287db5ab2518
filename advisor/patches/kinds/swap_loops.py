"""Swap the headers of two loops that are nested directly, so that the inner one runs along the contiguous dimension."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from advisor.patches.proposal import Cause, Proposal, Unsuited
from advisor.patches.syntax import Edit, Source, assigned_names, field, names_in, walk

if TYPE_CHECKING:
    from tree_sitter import Node


def propose(source: Source, cause: Cause) -> Iterator[Proposal | Unsuited]:
    """Yield a patch for each pair of loops with nothing between them and headers that do not use each other."""
    for function in source.reached(cause.kernel):
        for outer in walk(function.body, "for_statement"):
            inner = field(outer, "body")
            if inner.type == "compound_statement" and len(inner.named_children) == 1:
                inner = inner.named_children[0]
            if inner.type != "for_statement" or inner == outer:
                continue
            outside, within = _header(outer), _header(inner)
            if outside is None or within is None or source.pragma_before(inner) is not None:
                continue
            line = source.line(outer)
            counted = [assigned_names(source, n) for n in (outer.named_children[0], inner.named_children[0])]
            uses = [set().union(*(names_in(source, n) for n in loop.named_children[:-1])) for loop in (outer, inner)]
            if counted[0] & uses[1] or counted[1] & uses[0] or not counted[0] or not counted[1]:
                yield Unsuited(line, "the bounds of one loop depend on the other")
                continue
            yield Proposal(
                line,
                (
                    Edit(*outside, source.text[slice(*within)].decode("utf-8", "surrogateescape")),
                    Edit(*within, source.text[slice(*outside)].decode("utf-8", "surrogateescape")),
                ),
                f"the loops over {', '.join(sorted(counted[0]))} and {', '.join(sorted(counted[1]))} swap places",
            )


def _header(loop: Node) -> tuple[int, int] | None:
    """Return the range between the parentheses of a loop that has all three parts."""
    if len(loop.named_children) != 4:
        return None
    opening = next((c for c in loop.children if c.type == "("), None)
    closing = next((c for c in reversed(loop.children) if c.type == ")"), None)
    return (opening.end_byte, closing.start_byte) if opening is not None and closing is not None else None
