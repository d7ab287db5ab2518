"""Pad the rows of a shared array of two or more dimensions by one element, so that a column uses all banks."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.patches.proposal import Cause, Proposal, Unsuited
from advisor.patches.syntax import Edit, Source, whole_access


def propose(source: Source, cause: Cause) -> Iterator[Proposal | Unsuited]:
    """Yield a patch for each shared array with rows, if every use of it has all its indices."""
    for function in source.reached(cause.kernel):
        for array in source.declarations(function.body):
            if "__shared__" not in array.qualifiers or len(array.dimensions) < 2 or array.dimensions[-1] is None:
                continue
            line, size = source.line(array.name), array.dimensions[-1]
            accesses = [whole_access(use) for use in source.uses(array)]
            if any(len(indices) != len(array.dimensions) for _, indices in accesses):
                yield Unsuited(line, f"{source.at(array.name)} is used without all its indices: padding moves its rows")
                continue
            if any(a.parent is not None and a.parent.type == "pointer_expression" for a, _ in accesses):
                yield Unsuited(line, f"the address of an element of {source.at(array.name)} is taken")
                continue
            text = source.at(size)
            longer = str(int(text) + 1) if text.isdecimal() else f"{text} + 1"
            yield Proposal(
                line,
                (Edit(size.start_byte, size.end_byte, longer),),
                f"rows of {source.at(array.name)} get one unused element, so that neighbouring rows begin in "
                "neighbouring banks",
            )
