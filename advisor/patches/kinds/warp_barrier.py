"""Synchronise a warp instead of the block where only lanes of one warp exchange values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from advisor.patches.loops import exchanged
from advisor.patches.proposal import Cause, Proposal, Unsuited
from advisor.patches.syntax import LOOPS, Edit, Source, ancestors, field, walk

if TYPE_CHECKING:
    from tree_sitter import Node

_VOTES = {"__syncthreads_or": "__any_sync", "__syncthreads_and": "__all_sync"}


def propose(source: Source, cause: Cause) -> Iterator[Proposal | Unsuited]:
    """Yield a patch of all barriers of the kernel, and of those of each outermost loop."""
    for function in source.reached(cause.kernel):
        calls = [
            call
            for call in walk(function.body, "call_expression")
            if source.at(field(call, "function")) in ("__syncthreads", *_VOTES)
        ]
        if not calls:
            continue
        array = exchanged(source, function.body, shared=False)
        if array:
            yield Unsuited(source.line(calls[0]), f"warps may exchange values through {array}")
            continue
        groups = [calls]
        by_loop: dict[int, list[Node]] = {}
        for call in calls:
            loops = [a.start_byte for a in ancestors(call) if a.type in LOOPS]
            if loops:
                by_loop.setdefault(min(loops), []).append(call)
        groups += [rows for rows in by_loop.values() if len(rows) < len(calls)]
        for rows in groups:
            if cause.block[0] % 32 and not cause.is_line:
                yield Unsuited(source.line(rows[0]), "warps of this block cross its rows")
                continue
            best = max(rows, key=lambda call: cause.lines.get(source.line(call), 0.0))
            where = f"the barrier of line {source.line(best)}" if len(rows) == 1 else f"{len(rows)} barriers"
            yield Proposal(
                source.line(best), tuple(_edit(source, call) for call in rows), f"{where} synchronise the warp only"
            )


def _edit(source: Source, call: Node) -> Edit:
    name = source.at(field(call, "function"))
    if name in _VOTES:
        inner = source.at(field(call, "arguments"))[1:-1]
        return Edit(call.start_byte, call.end_byte, f"{_VOTES[name]}(~0u, {inner})")
    return Edit(call.start_byte, call.end_byte, "__syncwarp()")
