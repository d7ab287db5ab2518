"""Move a barrier or a memory fence out of a loop, behind or before it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from advisor.patches.loops import exchanged, touched
from advisor.patches.proposal import Cause, Proposal, Unsuited
from advisor.patches.syntax import LOOPS, Edit, Source, field, walk

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
            if name in _FENCES:
                reason = _published(source, loop)
            else:
                array = exchanged(source, loop)
                reason = f"threads of the loop may exchange values through {array}" if array else ""
            if reason:
                yield Unsuited(source.line(statement), reason)
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


def _published(source: Source, loop: Node) -> str:
    """Return why the order of the loop's stores may matter to other threads, or ''."""
    calls = (source.at(field(call, "function")) for call in walk(loop, "call_expression"))
    if any(name.startswith(("atomic", "cuda::")) for name in calls) or any(
        True for _ in walk(loop, "gnu_asm_expression")
    ):
        return "the loop has atomic operations, which the fence may order"
    written, _ = touched(source, loop)
    return f"the fence may order the stores to {' and '.join(sorted(written))}" if len(written) > 1 else ""
