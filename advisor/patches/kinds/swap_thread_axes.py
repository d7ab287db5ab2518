"""Swap threadIdx.x and threadIdx.y of a square block, so that neighbouring lanes run along the contiguous dimension."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.patches.proposal import Cause, Proposal, Unsuited
from advisor.patches.syntax import Edit, Source, field, walk

_OTHER = {"x": "y", "y": "x"}


def propose(source: Source, cause: Cause) -> Iterator[Proposal | Unsuited]:
    """Yield the patch if the block is square and both axes are used."""
    edits = []
    axes = set()
    for function in source.reached(cause.kernel):
        for node in walk(function.body, "field_expression"):
            axis = field(node, "field")
            if source.at(field(node, "argument")) == "threadIdx" and source.at(axis) in _OTHER:
                axes.add(source.at(axis))
                edits.append(Edit(axis.start_byte, axis.end_byte, _OTHER[source.at(axis)]))
    for node in source.macros.values():
        text = source.at(node)
        for here, other in _OTHER.items():
            if f"threadIdx.{here}" in text:
                if text.strip() != f"threadIdx.{here}":
                    yield Unsuited(source.line(node), "a macro computes with threadIdx")
                    return
                axes.add(here)
                edits.append(Edit(node.start_byte, node.end_byte, text.replace(f".{here}", f".{other}")))
    if axes != {"x", "y"}:
        return
    line = source.line(cause.kernel.node)
    if cause.block[0] != cause.block[1]:
        yield Unsuited(line, f"a block of {cause.block[0]} × {cause.block[1]} threads is not square")
        return
    yield Proposal(line, tuple(edits), "threadIdx.x and threadIdx.y swap roles")
