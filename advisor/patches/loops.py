"""Counting loops: their variable, direction and bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.patches.syntax import Source, bare, field, inside, is_written, names_in, walk, whole_access
from advisor.patches.types import reassigned, value_of

if TYPE_CHECKING:
    from tree_sitter import Node

_JUMPS = ("break_statement", "continue_statement", "return_statement", "goto_statement", "labeled_statement")


@dataclass(frozen=True)
class Counting:
    """`for (int i = first; i < bound; ++i)` and its like.

    step: the number added in each turn as an expression, or None for one; down: whether one is subtracted.
    """

    loop: Node
    name: str
    type: str
    first: Node
    comparison: str
    bound: Node
    step: Node | None
    down: bool
    body: Node

    @property
    def unit(self) -> bool:
        """Whether the loop counts up or down by one."""
        return self.step is None


def counting(source: Source, loop: Node) -> Counting | None:
    """Return the parts of a loop that counts a variable of its own, or None."""
    start, condition, update, body = (
        loop.child_by_field_name(n) for n in ("initializer", "condition", "update", "body")
    )
    if loop.type != "for_statement" or start is None or condition is None or update is None or body is None:
        return None
    rows = source.declared_in(start)
    if len(rows) != 1 or rows[0].value is None or rows[0].pointers or rows[0].is_array:
        return None
    name = source.at(rows[0].name)
    condition = bare(condition)
    if condition.type != "binary_expression" or source.at(bare(field(condition, "left"))) != name:
        return None
    sign = field(condition, "operator").type
    step: Node | None = None
    down = False
    if update.type == "update_expression":
        if source.at(field(update, "argument")) != name:
            return None
        down = field(update, "operator").type == "--"
    elif update.type == "assignment_expression" and source.at(field(update, "left")) == name:
        if field(update, "operator").type != "+=":
            return None
        step = field(update, "right")
        step = None if value_of(source, step) == 1 else step
    else:
        return None
    if sign not in (("<", "<=") if not down else (">", ">=")):
        return None
    for one in walk(body, "assignment_expression", "update_expression"):
        target = bare(field(one, "left") if one.type == "assignment_expression" else field(one, "argument"))
        if target.type == "identifier" and source.at(target) == name:
            return None
    for pointer in walk(body, "pointer_expression"):
        if pointer.children[0].type == "&" and source.at(bare(field(pointer, "argument"))) == name:
            return None
    return Counting(loop, name, rows[0].type, rows[0].value, sign, field(condition, "right"), step, down, body)


def jumps(node: Node) -> bool:
    """Return whether code leaves a loop or function, or goes to its next turn."""
    return any(True for _ in walk(node, *_JUMPS))


def orders(source: Source, node: Node) -> bool:
    """Return whether accesses of this code must stay in place: it has barriers, fences, atomics or assembler."""
    if any(True for _ in walk(node, "gnu_asm_expression")):
        return True
    names = (source.at(field(call, "function")) for call in walk(node, "call_expression"))
    return any(name.startswith(("__sync", "__threadfence", "atomic", "__shfl", "cuda::")) for name in names)


def touched(source: Source, node: Node) -> tuple[set[str], set[str]]:
    """Return the arrays and pointers from outside that code may write, and those that it may read, by name."""
    written: set[str] = set()
    read: set[str] = set()
    for base in walk(node, "identifier"):
        declared = source.declaration_of(base)
        if declared is None or not (declared.pointers or declared.is_array) or inside(declared.node, node):
            continue
        access, indices = whole_access(base)
        parent = base.parent
        name = source.at(base)
        if not indices and (parent is None or parent.type != "pointer_expression"):
            # It is passed on or copied: elements may be written there, unless they are const.
            read.add(name)
            if "const" not in declared.qualifiers:
                written.add(name)
        elif is_written(access if indices else parent or base):
            written.add(name)
            if _also_read(access):
                read.add(name)
        else:
            read.add(name)
    return written, read


def _also_read(access: Node) -> bool:
    parent = access.parent
    return parent is not None and parent.type == "pointer_expression"


def exchanged(source: Source, node: Node, shared: bool = True) -> str:
    """Return an array through which threads may exchange values in this code, or ''.

    It is written and read there. A shared array that is written counts in any case, unless `shared` is false: then
    shared arrays do not count.
    """
    written, read = touched(source, node)
    for name in sorted(written):
        base = next(n for n in walk(node, "identifier") if source.at(n) == name)
        declared = source.declaration_of(base)
        if declared is not None and "__shared__" in declared.qualifiers:
            if shared:
                return name
        elif name in read and not _own_element(source, [n for n in walk(node, "identifier") if source.at(n) == name]):
            return name
    return ""


def _own_element(source: Source, bases: list[Node]) -> bool:
    """Return whether all accesses have the same index, which no variable changes: each thread has an element."""
    accesses = [whole_access(base) for base in bases]
    if any(len(indices) != 1 for _, indices in accesses) or len({source.at(a) for a, _ in accesses}) > 1:
        return False
    function = source.function_of(bases[0])
    changed = reassigned(source, function.body) if function is not None else set()
    return "threadIdx" in _origin(source, accesses[0][1][0]) and not names_in(source, accesses[0][1][0]) & changed


def _origin(source: Source, index: Node, depth: int = 0) -> set[str]:
    """Return the names from which an index is computed."""
    out = names_in(source, index)
    for base in walk(index, "identifier"):
        declared = source.declaration_of(base)
        if depth < 4 and declared is not None and declared.value is not None and not declared.is_array:
            out |= _origin(source, declared.value, depth + 1)
    return out


def trips(source: Source, one: Counting) -> int | None:
    """Return how often a loop with constant bounds runs."""
    first, bound = value_of(source, one.first), value_of(source, one.bound)
    step = 1 if one.step is None else value_of(source, one.step)
    if first is None or bound is None or not step or step < 0:
        return None
    if one.down:
        return max(0, first - bound + (one.comparison == ">="))
    return max(0, -(-(bound - first + (one.comparison == "<=")) // step))
