"""Let neighbouring threads take the same branch: `t % m == 0` becomes `t < count / m` with `t * m` as the index."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from advisor.patches.proposal import Cause, Proposal, Unsuited
from advisor.patches.syntax import Edit, Source, bare, field, inside, is_written, names_in, walk, whole_access
from advisor.patches.types import is_uniform, value_of

if TYPE_CHECKING:
    from tree_sitter import Node


def propose(source: Source, cause: Cause) -> Iterator[Proposal | Unsuited]:
    """Yield a patch for each branch of every m-th thread that only accesses shared memory by the thread's index."""
    for function in source.reached(cause.kernel):
        for branch in walk(function.body, "if_statement"):
            condition = bare(field(branch, "condition"))
            if condition.type != "binary_expression" or field(condition, "operator").type != "==":
                continue
            left, right = bare(field(condition, "left")), field(condition, "right")
            if left.type != "binary_expression" or field(left, "operator").type != "%" or value_of(source, right) != 0:
                continue
            thread, step = bare(field(left, "left")), field(left, "right")
            line = source.line(branch)
            if not _is_thread(source, thread):
                continue
            if branch.child_by_field_name("alternative") is not None:
                yield Unsuited(line, "the branch has an else")
                continue
            if not cause.is_line:
                yield Unsuited(line, "the block has several dimensions")
                continue
            body = field(branch, "consequence")
            if any(_leaves_shared(source, base) for base in walk(body, "identifier")):
                yield Unsuited(line, "the branch changes more than shared memory")
                continue
            private = _private(source, body, {source.at(thread)} | names_in(source, step))
            if private:
                yield Unsuited(line, f"the branch uses {private}, which each thread has for itself")
                continue
            if any(True for _ in walk(body, "call_expression")):
                yield Unsuited(line, "the branch calls functions")
                continue
            (name,) = source.fresh("chosen")
            factor = source.at(step) if step.type in ("identifier", "number_literal") else f"({source.at(bare(step))})"
            same = [n for n in walk(body, thread.type) if source.at(n) == source.at(thread)]
            indent = source.indent(branch)
            count = cause.block[0]
            text = [
                "{",
                f"  const int {name} = {source.at(thread)} * {factor};",
                f"  if ({name} < {count}) {source.rewrite(body, [(n, name) for n in same])}",
                "}",
            ]
            yield Proposal(
                line,
                (Edit(branch.start_byte, branch.end_byte, f"\n{indent}".join(text)),),
                "the first threads do the work of every m-th, so that whole warps take the same branch",
            )


def _is_thread(source: Source, node: Node) -> bool:
    if node.type == "field_expression":
        return source.at(node) == "threadIdx.x"
    declared = source.declaration_of(node) if node.type == "identifier" else None
    return (
        declared is not None
        and declared.value is not None
        and "".join(source.at(declared.value).split()) in ("threadIdx.x", "(int)threadIdx.x")
    )


def _private(source: Source, body: Node, known: set[str]) -> str:
    """Return a variable of the branch whose value differs between threads, besides the thread's index, or ''."""
    for base in walk(body, "identifier"):
        name = source.at(base)
        declared = source.declaration_of(base)
        if name in known or declared is None or inside(declared.node, body) or "__shared__" in declared.qualifiers:
            continue
        if not is_uniform(source, base):
            return name
    return ""


def _leaves_shared(source: Source, base: Node) -> bool:
    """Return whether a name of the branch is written and is no element of a shared array."""
    access, indices = whole_access(base)
    if not is_written(access):
        return False
    declared = source.declaration_of(base)
    if declared is None:
        return True
    if inside(declared.node, access.parent or access):
        return False
    return not indices or "__shared__" not in declared.qualifiers
