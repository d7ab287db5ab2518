"""Keep in a register what a loop loads or accumulates at one address in each turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from advisor.patches.loops import orders
from advisor.patches.proposal import Cause, Proposal, Unsuited
from advisor.patches.syntax import LOOPS, Edit, Source, ancestors, field, inside, is_written, walk, whole_access
from advisor.patches.types import clean, is_invariant

if TYPE_CHECKING:
    from tree_sitter import Node


def propose(source: Source, cause: Cause) -> Iterator[Proposal | Unsuited]:
    """Yield a patch for each element that a loop uses at an address that the loop does not change."""
    for function in source.reached(cause.kernel):
        for loop in walk(function.body, *LOOPS):
            if loop.parent is None or loop.parent.type != "compound_statement":
                continue
            done: set[str] = set()
            for base in walk(loop, "identifier"):
                access, indices = whole_access(base)
                declared = source.declaration_of(base)
                if len(indices) != 1 or declared is None or inside(declared.node, loop) or declared.pointers != 1:
                    continue
                text = source.at(access)
                if text in done or "volatile" in declared.qualifiers or not is_invariant(source, indices[0], loop):
                    continue
                if _repeats(source, base, loop):
                    continue
                done.add(text)
                uses = [whole_access(n)[0] for n in source.uses(declared) if inside(n, loop)]
                line = source.line(access)
                if any(source.at(use) != text for use in uses):
                    yield Unsuited(line, f"the loop uses {source.at(base)} at other places too")
                    continue
                if orders(source, loop):
                    yield Unsuited(line, "the loop has barriers, fences, atomics or warp functions in it")
                    continue
                if any(_conditional(use, loop) for use in uses):
                    yield Unsuited(line, f"{text} is used under a condition")
                    continue
                number = next((i for i, p in enumerate(cause.kernel.parameters) if p == declared), None)
                if number in cause.aliased:
                    yield Unsuited(line, f"{source.at(base)} points to an array that another parameter points to")
                    continue
                yield _proposal(source, loop, text, uses, clean(declared.type), line)


def _repeats(source: Source, base: Node, loop: Node) -> bool:
    """Return whether an outer loop with a block around it will be offered for the same access."""
    access, indices = whole_access(base)
    for outer in ancestors(loop):
        placed = outer.type in LOOPS and outer.parent is not None and outer.parent.type == "compound_statement"
        if placed and is_invariant(source, indices[0], outer):
            return True
    return any(a.type == "lambda_expression" and inside(a, loop) for a in ancestors(access))


def _conditional(access: Node, loop: Node) -> bool:
    """Return whether a turn of the loop may leave out an access."""
    for outer in ancestors(access):
        if outer == loop:
            return False
        if outer.type in ("if_statement", "switch_statement", "conditional_expression", *LOOPS):
            return True
        if outer.type == "binary_expression" and field(outer, "operator").type in ("&&", "||"):
            return True
    return False


def _proposal(source: Source, loop: Node, text: str, uses: list[Node], kind: str, line: int) -> Proposal:
    (name,) = source.fresh("kept")
    indent = source.indent(loop)
    pragma = source.pragma_before(loop)
    start = pragma[0] if pragma is not None else loop.start_byte
    written = any(is_written(use) for use in uses)
    edits = [Edit(start, start, f"{'' if written else 'const '}{kind} {name} = {text};\n{indent}")]
    edits += [Edit(use.start_byte, use.end_byte, name) for use in uses]
    if written:
        edits.append(Edit(loop.end_byte, loop.end_byte, f"\n{indent}{text} = {name};"))
        return Proposal(line, tuple(edits), f"{text} is accumulated in a register and stored once, after the loop")
    return Proposal(line, tuple(edits), f"{text} is loaded once, before the loop")
