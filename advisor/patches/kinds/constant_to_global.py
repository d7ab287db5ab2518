"""Keep a table that lanes index differently in global instead of constant memory."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.patches.proposal import Cause, Proposal, Unsuited
from advisor.patches.syntax import Edit, Source, walk


def propose(source: Source, cause: Cause) -> Iterator[Proposal | Unsuited]:
    """Yield a patch for each constant array that the kernel or its functions index."""
    names = {source.at(n) for f in source.reached(cause.kernel) for n in walk(f.body, "identifier")}
    for node in walk(source.root, "declaration"):
        if source.function_of(node) is not None:
            continue
        for array in source.declared_in(node):
            name = source.at(array.name)
            if "__constant__" not in array.qualifiers or not array.is_array or name not in names:
                continue
            words = [w for w in walk(node) if not w.children and source.at(w) == "__constant__"]
            if len(words) == 1:
                yield Proposal(
                    source.line(node),
                    (Edit(words[0].start_byte, words[0].end_byte, "__device__"),),
                    f"{name} moves to global memory, whose loads serve different addresses at once",
                )
