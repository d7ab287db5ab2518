"""Remove an unneeded `volatile` from a pointer: its loads go past the L1 cache and are never kept in a register."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.patches.proposal import Cause, Proposal, Unsuited
from advisor.patches.syntax import LOOPS, Edit, Source, ancestors, field, inside, is_written, whole_access


def propose(source: Source, cause: Cause) -> Iterator[Proposal | Unsuited]:
    """Yield a patch for each volatile pointer that is only read, and not to wait for another thread."""
    for function in source.reached(cause.kernel):
        for one in (*function.parameters, *source.declarations(function.body)):
            if "volatile" not in one.qualifiers or not (one.pointers or one.is_array):
                continue
            line, name = source.line(one.name), source.at(one.name)
            accesses = [whole_access(use)[0] for use in source.uses(one)]
            if any(is_written(access) or _is_plain(access.type) for access in accesses):
                yield Unsuited(line, f"{name} is written or passed on: other threads may rely on volatile")
                continue
            if any(
                inside(access, field(outer, "condition"))
                for access in accesses
                for outer in ancestors(access)
                if outer.type in LOOPS and outer.child_by_field_name("condition") is not None
            ):
                yield Unsuited(line, f"a loop waits for {name}")
                continue
            edits = []
            for word in one.node.children:
                if word.type == "type_qualifier" and source.at(word) == "volatile":
                    end = word.end_byte
                    while source.text[end : end + 1] == b" ":
                        end += 1
                    edits.append(Edit(word.start_byte, end, ""))
            if edits:
                yield Proposal(line, tuple(edits), f"{name} is only read: it need not be volatile")


def _is_plain(kind: str) -> bool:
    return kind == "identifier"
