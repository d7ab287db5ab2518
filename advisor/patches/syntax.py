"""The syntax tree of a CUDA source: functions, declarations, macros, and edits that keep the rest of the text.

The grammar does not know `#pragma` between a loop and its body, nor `__align__(n)` in a declaration. Both are blanked
in the copy that is parsed, so that positions stay those of the source.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from advisor.records.errors import InputError
from advisor.records.extras import install_text

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

INSTALL = f"patching a source needs a parser of CUDA C++: {install_text('emulate')}"
MOST_BYTES = 1 << 20
_DEEPEST = 400
_MOST_NODES = 200_000
_MARKERS = ("__align__", "alignas")
LOOPS = ("for_statement", "while_statement", "do_statement")


@dataclass(frozen=True, slots=True)
class Edit:
    """Bytes [start, end) of the source become `text`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Declared:
    """A declared name.

    type: without qualifiers; pointers: stars; dimensions: of an array, None where it is not written; reference: of C++;
    qualifiers: const, volatile, __shared__, __restrict__, extern and the like; value: the initialiser; node: the whole
    declaration; name: the node of the name.
    """

    type: str
    pointers: int
    dimensions: tuple[Node | None, ...]
    reference: bool
    qualifiers: frozenset[str]
    value: Node | None
    node: Node
    name: Node

    @property
    def is_array(self) -> bool:
        """Whether it has dimensions."""
        return bool(self.dimensions)


@dataclass(frozen=True)
class Function:
    """A function with a body. kernel: whether it is `__global__`."""

    name: str
    node: Node
    body: Node
    parameters: tuple[Declared, ...]
    type: str
    kernel: bool


@lru_cache(maxsize=1)
def _parser() -> Parser:
    try:
        import tree_sitter_cuda
        from tree_sitter import Language, Parser
    except ImportError:
        raise InputError(INSTALL) from None
    return Parser(Language(tree_sitter_cuda.language()))


def walk(node: Node, *types: str) -> Iterator[Node]:
    """Yield a node and all below it in the order of the text; of these types only, if any are given."""
    stack = [node]
    while stack:
        one = stack.pop()
        if not types or one.type in types:
            yield one
        stack += reversed(one.children)


def field(node: Node, name: str) -> Node:
    """Return a field that the grammar guarantees, or the node itself after a syntax error."""
    return node.child_by_field_name(name) or node


def bare(node: Node) -> Node:
    """Return an expression without the parentheses around it."""
    while node.type in ("parenthesized_expression", "condition_clause") and len(node.named_children) == 1:
        node = node.named_children[0]
    return node


def ancestors(node: Node) -> Iterator[Node]:
    """Yield the parent, its parent and so on."""
    one = node.parent
    while one is not None:
        yield one
        one = one.parent


def inside(node: Node, outer: Node) -> bool:
    """Return whether a node lies in another."""
    return outer.start_byte <= node.start_byte and node.end_byte <= outer.end_byte


class Source:
    """A parsed source. Positions are bytes of its UTF-8 text."""

    def __init__(self, text: str, name: str = "source") -> None:
        self.name = name
        self.text = text.encode("utf-8", "surrogateescape")
        if len(self.text) > MOST_BYTES:
            raise InputError(f"{name}: {len(self.text) >> 10} KiB are too large to patch: the limit is 1024 KiB")
        first = _parser().parse(self.text)
        self.pragmas: list[tuple[int, int, str]] = []
        blank = bytearray(self.text)
        for start, end in self._hidden(first.root_node):
            for at in range(start, end):
                if blank[at] not in b"\r\n":
                    blank[at] = ord(" ")
        self.parsed = bytes(blank)
        self.tree = _parser().parse(self.parsed)
        self.root = self.tree.root_node
        self._limits()

    def _hidden(self, root: Node) -> Iterator[tuple[int, int]]:
        """Yield the ranges that the grammar does not know where they are."""
        leaves = [n for n in walk(root) if not n.children or n.type == "preproc_call"]
        for i, leaf in enumerate(leaves):
            if leaf.type == "preproc_call" and (leaf.text or b"").lstrip().startswith(b"#pragma"):
                end = leaf.start_byte + len((leaf.text or b"").rstrip())
                text = self.text[leaf.start_byte : end].decode("utf-8", "replace")
                self.pragmas.append((leaf.start_byte, end, text))
                yield leaf.start_byte, end
            if leaf.text is not None and leaf.text.decode("utf-8", "replace") in _MARKERS:
                depth, at = 0, i + 1
                while at < len(leaves):
                    depth += (leaves[at].type == "(") - (leaves[at].type == ")")
                    if depth <= 0:
                        break
                    at += 1
                if at < len(leaves) and leaves[at].type == ")":
                    yield leaf.start_byte, leaves[at].end_byte

    def _limits(self) -> None:
        """Refuse trees on which the analysis would take too long or recurse too deeply."""
        stack, count = [(self.root, 0)], 0
        while stack:
            node, depth = stack.pop()
            count += 1
            if depth > _DEEPEST or count > _MOST_NODES:
                raise InputError(f"{self.name}: too deeply nested or too large to patch")
            stack += [(child, depth + 1) for child in node.children]

    def at(self, node: Node) -> str:
        """Return the text of a node, as it is in the source."""
        return self.text[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")

    def line(self, node: Node) -> int:
        """Return the line of a node, from 1."""
        return int(node.start_point[0]) + 1

    def indent(self, node: Node) -> str:
        """Return the white space before the first word of the line of a node."""
        start = self.text.rfind(b"\n", 0, node.start_byte) + 1
        row = self.text[start : node.start_byte]
        return row[: len(row) - len(row.lstrip())].decode()

    def rewrite(self, node: Node, parts: Iterable[tuple[Node, str]]) -> str:
        """Return the text of a node with some nodes inside it replaced; the outer one wins if two overlap."""
        return self.between(node.start_byte, node.end_byte, parts)

    def between(self, start: int, end: int, parts: Iterable[tuple[Node, str]]) -> str:
        """Return bytes [start, end) as text with some nodes inside replaced."""
        out, at = [], start
        for part, text in sorted(parts, key=lambda p: (p[0].start_byte, -p[0].end_byte)):
            if part.start_byte < at or part.end_byte > end:
                continue
            out += [self.text[at : part.start_byte].decode("utf-8", "surrogateescape"), text]
            at = part.end_byte
        out.append(self.text[at:end].decode("utf-8", "surrogateescape"))
        return "".join(out)

    def edited(self, edits: Iterable[Edit]) -> str:
        """Return the whole text with edits applied. Raises ValueError if two overlap."""
        out, at = [], 0
        ending = "\r\n" if b"\r\n" in self.text else "\n"
        for one in sorted(edits, key=lambda e: (e.start, e.end)):
            if one.start < at:
                raise ValueError("edits overlap")
            added = one.text.replace("\r\n", "\n").replace("\n", ending)
            out += [self.text[at : one.start], added.encode("utf-8", "surrogateescape")]
            at = one.end
        return b"".join([*out, self.text[at:]]).decode("utf-8", "surrogateescape")

    def pragma_before(self, node: Node) -> tuple[int, int, str] | None:
        """Return the `#pragma` directly before a statement: start, end, text."""
        for start, end, text in self.pragmas:
            follows = end <= node.start_byte and not self.parsed[end : node.start_byte].strip()
            if follows and not any(end <= s < node.start_byte for s, _, _ in self.pragmas):
                return start, end, text
        return None

    @cached_property
    def functions(self) -> tuple[Function, ...]:
        """All functions with a body, in order."""
        out = []
        for node in walk(self.root, "function_definition"):
            declarator = node.child_by_field_name("declarator")
            while declarator is not None and declarator.type in ("pointer_declarator", "reference_declarator"):
                declarator = declarator.child_by_field_name("declarator") or declarator.named_children[-1]
            body = node.child_by_field_name("body")
            if declarator is None or declarator.type != "function_declarator" or body is None:
                continue
            name = field(declarator, "declarator")
            rows = field(declarator, "parameters").named_children
            parameters = [d for row in rows for d in self.declared_in(row)]
            before = self.text[node.start_byte : body.start_byte].decode("utf-8", "replace")
            words = {self.at(leaf) for leaf in walk(node) if not leaf.children and leaf.end_byte <= body.start_byte}
            kind = node.child_by_field_name("type")
            kernel = "__global__" in words or "__global__" in before.split()
            out.append(Function(self.at(name), node, body, tuple(parameters), self.at(kind) if kind else "", kernel))
        return tuple(out)

    def function(self, name: str) -> Function | None:
        """Return the function of this name, if exactly one has it."""
        found = [f for f in self.functions if f.name == name]
        return found[0] if len(found) == 1 else None

    def reached(self, kernel: Function) -> list[Function]:
        """Return a kernel and the functions of this source that it calls, directly or not."""
        out, todo = [kernel], [kernel]
        while todo:
            body = todo.pop().body
            names = {self.at(n) for n in walk(body, "identifier", "type_identifier")}
            for one in self.functions:
                if one.name in names and one not in out:
                    out.append(one)
                    todo.append(one)
        return out

    def function_of(self, node: Node) -> Function | None:
        """Return the innermost function around a node."""
        around = [f for f in self.functions if inside(node, f.node)]
        return min(around, key=lambda f: f.node.end_byte - f.node.start_byte, default=None)

    def declared_in(self, node: Node) -> list[Declared]:
        """Return the names that a declaration declares."""
        kind = node.child_by_field_name("type")
        if kind is None or node.type not in (
            "declaration",
            "parameter_declaration",
            "optional_parameter_declaration",
            "field_declaration",
        ):
            return []
        shared = {
            self.at(c)
            for c in node.children
            if c.type in ("type_qualifier", "storage_class_specifier") or not c.is_named
        }
        out = []
        for declarator in node.children_by_field_name("declarator"):
            pointers, reference, dimensions, own = 0, False, list[Any](), set(shared)
            value = node.child_by_field_name("default_value")
            one: Node | None = declarator
            while one is not None and one.type not in ("identifier", "field_identifier"):
                if one.type == "init_declarator":
                    value = one.child_by_field_name("value")
                elif one.type == "pointer_declarator":
                    pointers += 1
                    own |= {self.at(c) for c in one.children if c.type == "type_qualifier"}
                elif one.type == "array_declarator":
                    dimensions.insert(0, one.child_by_field_name("size"))
                elif one.type == "reference_declarator":
                    reference = True
                elif one.type == "function_declarator":
                    one = None
                    break
                one = one.child_by_field_name("declarator") or (one.named_children[-1] if one.named_children else None)
            if one is not None:
                out.append(
                    Declared(self.at(kind), pointers, tuple(dimensions), reference, frozenset(own), value, node, one)
                )
        return out

    @cached_property
    def _declarations(self) -> Mapping[str, list[tuple[Node, Declared]]]:
        """Return name -> (the node in which it is visible, its declaration), in the order of the text."""
        out: dict[str, list[tuple[Node, Declared]]] = {}
        kinds = ("declaration", "parameter_declaration", "optional_parameter_declaration")
        for node in walk(self.root, *kinds):
            scope = next(
                (
                    a
                    for a in ancestors(node)
                    if a.type
                    in (
                        *("compound_statement", "for_statement", "function_definition", "lambda_expression"),
                        *("translation_unit", "template_declaration", "namespace_definition"),
                    )
                ),
                self.root,
            )
            for one in self.declared_in(node):
                out.setdefault(self.at(one.name), []).append((scope, one))
        return out

    def declaration_of(self, name: Node) -> Declared | None:
        """Return the declaration that a use of a name refers to: the innermost visible one before it."""
        best: Declared | None = None
        width = len(self.text) + 1
        for scope, one in self._declarations.get(self.at(name), ()):
            if inside(name, scope) and one.name.start_byte <= name.start_byte:
                size = scope.end_byte - scope.start_byte
                if size <= width:
                    best, width = one, size
        return best

    def uses(self, declared: Declared) -> list[Node]:
        """Return the identifiers that refer to a declaration, without the declaration itself."""
        rows = self._identifiers.get(self.at(declared.name), ())
        return [n for n in rows if n.start_byte != declared.name.start_byte and self.declaration_of(n) == declared]

    @cached_property
    def _identifiers(self) -> Mapping[str, list[Node]]:
        """Return all identifiers by their text."""
        out: dict[str, list[Node]] = {}
        for node in walk(self.root, "identifier"):
            out.setdefault(self.at(node), []).append(node)
        return out

    def declarations(self, node: Node) -> list[Declared]:
        """Return everything declared in a node."""
        return [d for n in walk(node, "declaration") for d in self.declared_in(n)]

    @cached_property
    def macros(self) -> Mapping[str, Node]:
        """Object-like macros that are defined once: name -> the node of the value."""
        out: dict[str, Any] = {}
        for node in walk(self.root, "preproc_def"):
            name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
            if name is not None and value is not None:
                out[self.at(name)] = None if self.at(name) in out else value
        return {name: value for name, value in out.items() if value is not None}

    def macro_text(self, name: str) -> str | None:
        """Return the text of a macro's value without a comment behind it."""
        node = self.macros.get(name)
        if node is None:
            return None
        text = self.at(node)
        for mark in ("//", "/*"):
            text = text.split(mark)[0]
        return text.strip()

    def words(self) -> set[str]:
        """Return all identifiers of the source, to choose new ones."""
        kinds = ("identifier", "field_identifier", "type_identifier")
        return {self.at(n) for n in walk(self.root, *kinds)} | set(self.macros)

    def fresh(self, *wanted: str) -> list[str]:
        """Return names that the source does not use, from these."""
        taken, out = self.words(), []
        for name in wanted:
            while name in taken:
                name += "_"
            taken.add(name)
            out.append(name)
        return out


def plain_name(symbol: str) -> str:
    """Return the name of a function without the mangling of C++: `_ZN2ab4gemmIfEEvPT_` is `gemm`."""
    if not symbol.startswith("_Z"):
        return symbol
    rest = symbol[2:].lstrip("NLK")
    name = symbol
    while rest and rest[0].isdigit():
        digits = rest[: len(rest) - len(rest.lstrip("0123456789"))]
        name, rest = rest[len(digits) : len(digits) + int(digits)], rest[len(digits) + int(digits) :]
    return name


def subscripts(node: Node) -> tuple[Node, list[Node]]:
    """Return the base and the indices of `a[i][j]`; the base is the node itself if it is no subscript."""
    indices: list[Node] = []
    while node.type == "subscript_expression":
        rows = field(node, "indices").named_children
        if len(rows) != 1:
            break
        indices.insert(0, rows[0])
        node = bare(field(node, "argument"))
    return node, indices


def whole_access(name: Node) -> tuple[Node, list[Node]]:
    """Return the largest `a[i][j]` around the name `a`, and its indices."""
    node = name
    indices: list[Node] = []
    while True:
        parent = node.parent
        if parent is None or parent.type != "subscript_expression" or field(parent, "argument") != node:
            return node, indices
        indices.append(field(parent, "indices").named_children[0])
        node = parent


def is_written(access: Node) -> bool:
    """Return whether an access is assigned to, incremented, or has its address taken."""
    node = access
    for parent in ancestors(access):
        if parent.type == "assignment_expression":
            return field(parent, "left") == node
        if parent.type == "update_expression" or (
            parent.type == "pointer_expression" and parent.children[0].type == "&"
        ):
            return True
        if parent.type not in ("field_expression", "parenthesized_expression", "subscript_expression"):
            return False
        if parent.type == "subscript_expression" and field(parent, "argument") != node:
            return False
        node = parent
    return False


def assigned_names(source: Source, node: Node) -> set[str]:
    """Return names of variables that a piece of code assigns, increments, declares, or takes the address of."""
    out = set()
    for one in walk(node, "assignment_expression", "update_expression", "pointer_expression"):
        if one.type == "pointer_expression" and one.children[0].type != "&":
            continue
        target = bare(field(one, "left") if one.type == "assignment_expression" else field(one, "argument"))
        while target.type in ("subscript_expression", "field_expression", "parenthesized_expression"):
            target = bare(field(target, "argument")) if target.type != "parenthesized_expression" else bare(target)
        if target.type == "identifier":
            out.add(source.at(target))
    for declared in source.declarations(node):
        out.add(source.at(declared.name))
    return out


def names_in(source: Source, node: Node) -> set[str]:
    """Return the identifiers in a piece of code."""
    return {source.at(n) for n in walk(node, "identifier")}


def has_effects(node: Node) -> bool:
    """Return whether an expression may do more than compute a value."""
    return any(True for _ in walk(node, "assignment_expression", "update_expression", "call_expression"))
