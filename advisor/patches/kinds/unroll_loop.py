"""Unroll short loops that index an array of the thread, so that the array can stay in registers."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.patches.loops import counting, trips
from advisor.patches.proposal import Cause, Proposal, Unsuited
from advisor.patches.syntax import Edit, Source, names_in, walk, whole_access

_MOST_TURNS = 64


def propose(source: Source, cause: Cause) -> Iterator[Proposal | Unsuited]:
    """Yield one patch of all loops with constant bounds whose variable is in the index of a local array."""
    edits, lines = [], []
    for function in source.reached(cause.kernel):
        local = {
            source.at(d.name)
            for d in source.declarations(function.body)
            if d.is_array and not d.pointers and not d.qualifiers & {"__shared__", "static", "extern"}
        }
        for loop in walk(function.body, "for_statement"):
            one = counting(source, loop)
            if one is None:
                continue
            indexed = [
                base
                for base in walk(loop, "identifier")
                if source.at(base) in local
                and any(one.name in names_in(source, index) for index in whole_access(base)[1])
            ]
            if not indexed:
                continue
            line = source.line(loop)
            turns = trips(source, one)
            if turns is None or turns > _MOST_TURNS:
                yield Unsuited(line, "the loop has no small, constant number of turns")
                continue
            pragma = source.pragma_before(loop)
            if pragma is not None and pragma[2].split() == ["#pragma", "unroll"]:
                continue
            if pragma is not None:
                edits.append(Edit(pragma[0], pragma[1], "#pragma unroll"))
            else:
                indent = source.indent(loop)
                start = source.text.rfind(b"\n", 0, loop.start_byte) + 1
                alone = not source.text[start : loop.start_byte].strip()
                edits.append(
                    Edit(start, start, "#pragma unroll\n")
                    if alone
                    else Edit(loop.start_byte, loop.start_byte, f"\n#pragma unroll\n{indent}  ")
                )
            lines.append(line)
    if edits:
        best = max(lines, key=lambda line: cause.lines.get(line, 0.0))
        what = "the loop is" if len(edits) == 1 else f"{len(edits)} loops are"
        yield Proposal(best, tuple(edits), f"{what} unrolled, so that indices of the local array are constants")
