"""Move a barrier or a memory fence out of a loop, behind or before it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from advisor.patches.proposal import Cause, Proposal, Unsuited
from advisor.patches.syntax import LOOPS, Edit, Source, field, inside, is_written, walk, whole_access

if TYPE_CHECKING:
    from tree_sitter import Node

_BARRIERS = ("__syncthreads", "__syncwarp")
_FENCES = ("__threadfence", "__threadfence_system", "__threadfence_block")


def propose(source: Source, cause: Cause) -> Iterator[Proposal | Unsuited]:
    """Yield a patch for each barrier or fence that is a statement of a loop's body."""
    for function in source.reached(cause.kernel):
        for call in walk(function.body, "call_expression"):
            name = source.at(field(call, "function"))
            statement = call.parent
            if name not in (*_BARRIERS, *_FENCES) or statement is None or statement.type != "expression_statement":
                continue
            block = statement.parent
            loop = block.parent if block is not None else None
            if block is None or block.type != "compound_statement" or loop is None or loop.type not in LOOPS:
                continue
            if loop.parent is None or loop.parent.type != "compound_statement":
                continue
            exchanged = _exchanged(source, loop) if name not in _FENCES else ""
            if exchanged:
                yield Unsuited(source.line(statement), f"threads of the loop may exchange values through {exchanged}")
                continue
            line, indent, text = source.line(statement), source.indent(loop), source.at(statement)
            start = source.text.rfind(b"\n", 0, statement.start_byte) + 1
            if source.text[start : statement.start_byte].strip():
                start = statement.start_byte
            end = source.text.find(b"\n", statement.end_byte)
            rest = source.text[statement.end_byte : end].strip()
            whole_line = start < statement.start_byte and (not rest or rest.startswith(b"//"))
            taken = (
                Edit(start, end + 1, "")
                if whole_line and end > 0
                else Edit(statement.start_byte, statement.end_byte, "")
            )
            yield Proposal(
                line,
                (taken, Edit(loop.end_byte, loop.end_byte, f"\n{indent}{text}")),
                f"{name} is executed once, after the loop",
            )
            if name in _BARRIERS:
                pragma = source.pragma_before(loop)
                at = pragma[0] if pragma is not None else loop.start_byte
                yield Proposal(
                    line, (Edit(at, at, f"{text}\n{indent}"), taken), f"{name} is executed once, before the loop"
                )


def _exchanged(source: Source, loop: Node) -> str:
    """Return an array that a loop writes and that is shared, or read in the loop too; '' if there is none."""
    written, read = set(), set()
    for base in walk(loop, "identifier"):
        declared = source.declaration_of(base)
        if declared is None or not (declared.pointers or declared.is_array) or inside(declared.node, loop):
            continue
        access, indices = whole_access(base)
        parent = base.parent
        starred = parent is not None and parent.type == "pointer_expression"
        name = source.at(base)
        if not indices and not starred:
            written.add(name)  # passed on: it may be written there
            read.add(name)
        elif is_written(access if indices else parent or base):
            written.add(name)
            if "__shared__" in declared.qualifiers:
                read.add(name)
        else:
            read.add(name)
    return min(written & read, default="")
