"""Make double literals single, and math functions too, where all other operands and the target are single."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from advisor.patches.proposal import Cause, Proposal, Unsuited
from advisor.patches.syntax import Edit, Function, Source, bare, field, walk
from advisor.patches.types import MATH, literal_type, type_of

if TYPE_CHECKING:
    from tree_sitter import Node

_ARITHMETIC = ("binary_expression", "unary_expression", "parenthesized_expression", "conditional_expression")
_WHOLE = ("int", "unsigned", "unsigned int", "bool", "short", "unsigned short", "char", "unsigned char", "float")
_NUMBERS = ("double", "float", "int", "unsigned")


def propose(source: Source, cause: Cause) -> Iterator[Proposal | Unsuited]:
    """Yield one patch of all double literals and functions in expressions that are single otherwise."""
    edits: dict[int, Edit] = {}
    lines: list[int] = []
    for function in source.reached(cause.kernel):
        seen: set[int] = set()
        for literal in walk(function.body, "number_literal", "identifier", "call_expression"):
            if not _is_double(source, literal):
                continue
            top = _expression(source, literal)
            if top.start_byte in seen:
                continue
            seen.add(top.start_byte)
            reason = _keeps_double(source, function, top)
            if reason:
                yield Unsuited(source.line(top), reason)
                continue
            for edit in _single(source, top):
                edits[edit.start] = edit
            lines.append(source.line(top))
    if edits:
        count = f"{len(edits)} literals and functions" if len(edits) > 1 else "a literal or function"
        best = max(lines, key=lambda line: cause.lines.get(line, 0.0))
        yield Proposal(best, tuple(edits.values()), f"{count} in expressions of floats become single precision")


def _is_double(source: Source, node: Node) -> bool:
    if node.type == "number_literal":
        return literal_type(source.at(node)) == "double"
    if node.type == "call_expression":
        return source.at(field(node, "function")) in MATH and type_of(source, node) == "double"
    text = source.macro_text(source.at(node)) if source.at(node) in source.macros else None
    return text is not None and literal_type(text) == "double"


def _math(source: Source, node: Node) -> bool:
    return node.type == "call_expression" and source.at(field(node, "function")).removeprefix("std::") in MATH


def _expression(source: Source, node: Node) -> Node:
    """Return the largest arithmetic expression around a node."""
    while True:
        parent = node.parent
        if parent is None:
            return node
        if parent.type == "argument_list" and parent.parent is not None and _math(source, parent.parent):
            node = parent.parent
        elif parent.type in _ARITHMETIC and (
            parent.type != "conditional_expression" or field(parent, "condition") != node
        ):
            node = parent
        else:
            return node


def _keeps_double(source: Source, function: Function, top: Node) -> str:
    """Return why an expression must stay double, or ''."""
    for leaf in _leaves(source, top):
        if _is_double(source, leaf):
            continue
        kind = type_of(source, leaf)
        if kind is None:
            return f"the type of {source.at(leaf)[:30]} is not known"
        if kind not in _WHOLE:
            return f"{source.at(leaf)[:30]} is {kind}"
    target = _target(source, function, top)
    if target not in ("float", "bool"):
        return "the result is not stored as float" if target else "the type of the target is not known"
    return ""


def _leaves(source: Source, node: Node) -> Iterator[Node]:
    """Yield the operands of an expression that are no arithmetic themselves."""
    stack = [node]
    while stack:
        one = bare(stack.pop())
        if one.type == "conditional_expression":
            stack += [field(one, "consequence"), field(one, "alternative")]
        elif one.type == "binary_expression":
            stack += [field(one, "left"), field(one, "right")]
        elif one.type == "unary_expression":
            stack.append(field(one, "argument"))
        elif _math(source, one):
            stack += field(one, "arguments").named_children
        else:
            yield one


def _target(source: Source, function: Function, top: Node) -> str | None:
    """Return the type that the expression is converted to."""
    parent = top.parent
    if parent is None:
        return None
    if type_of(source, top) == "bool" or parent.type in ("condition_clause", "conditional_expression"):
        return "bool"
    if parent.type == "init_declarator":
        name = field(parent, "declarator")
        declared = source.declaration_of(name) if name.type == "identifier" else None
        return declared.type if declared is not None and not declared.pointers else None
    if parent.type == "assignment_expression":
        return type_of(source, field(parent, "left"))
    if parent.type == "return_statement":
        return function.type
    if parent.type == "cast_expression":
        return type_of(source, parent)
    if parent.type == "argument_list" and parent.parent is not None:
        called = source.at(field(parent.parent, "function"))
        own = source.function(called)
        place = [n.start_byte for n in parent.named_children].index(top.start_byte)
        if own is not None and place < len(own.parameters):
            return own.parameters[place].type
        if called.startswith("make_float") or (called.endswith("f") and called[:-1] in MATH):
            return "float"
    if parent.type == "initializer_list":
        holder = parent.parent
        if holder is not None and holder.type == "init_declarator":
            name = field(holder, "declarator")
            while name.type != "identifier" and name.named_children:
                name = name.child_by_field_name("declarator") or name.named_children[0]
            declared = source.declaration_of(name)
            return declared.type if declared is not None else None
    return None


def _single(source: Source, top: Node) -> Iterator[Edit]:
    for leaf in _leaves(source, top):
        if leaf.type == "number_literal" and literal_type(source.at(leaf)) == "double":
            yield Edit(leaf.end_byte, leaf.end_byte, "f")
        elif leaf.type == "number_literal" and literal_type(source.at(leaf)) == "int" and _of_power(source, leaf):
            yield Edit(leaf.end_byte, leaf.end_byte, ".f")
        elif leaf.type == "identifier" and _is_double(source, leaf):
            # The macro itself may have uses that must stay double.
            yield Edit(leaf.start_byte, leaf.end_byte, f"(float){source.at(leaf)}")
    for call in walk(top, "call_expression"):
        name = field(call, "function")
        if _math(source, call) and source.at(name).removeprefix("std::") not in ("min", "max", "abs"):
            yield Edit(name.start_byte, name.end_byte, source.at(name).removeprefix("std::") + "f")


def _of_power(source: Source, leaf: Node) -> bool:
    parent = leaf.parent
    return (
        parent is not None
        and parent.type == "argument_list"
        and parent.parent is not None
        and source.at(field(parent.parent, "function")).removeprefix("std::") in ("pow", "fmin", "fmax", "fmod")
    )
