"""Load neighbouring elements of a loop together: vectors of up to 16 bytes, where an address is aligned at run time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from advisor.patches.kinds.restrict_pointers import only_read
from advisor.patches.loops import Counting, counting, jumps, orders, touched
from advisor.patches.proposal import Cause, Proposal, Unsuited
from advisor.patches.syntax import Edit, Source, bare, field, inside, names_in, walk, whole_access
from advisor.patches.types import SIZES, VECTORS, clean, is_invariant

if TYPE_CHECKING:
    from tree_sitter import Node

_MEMBERS = "xyzw"


def propose(source: Source, cause: Cause) -> Iterator[Proposal | Unsuited]:
    """Yield a patch for each loop that reads a pointer or array at consecutive places, one each turn."""
    for function in source.reached(cause.kernel):
        for loop in walk(function.body, "for_statement"):
            one = counting(source, loop)
            if one is None or not one.unit:
                continue
            reads = _reads(source, one)
            if not reads:
                continue
            line = source.line(reads[0][0])
            if jumps(one.body) or any(True for _ in walk(one.body, "for_statement", "while_statement", "do_statement")):
                yield Unsuited(line, "the loop has jumps or loops in it")
                continue
            if orders(source, one.body):
                yield Unsuited(line, "the loop has barriers, fences, atomics or warp functions in it")
                continue
            if cause.aliased and touched(source, one.body)[0]:
                yield Unsuited(line, "the launch passes one array twice, and the loop stores")
                continue
            if not is_invariant(source, one.bound, loop):
                yield Unsuited(line, "the bound of the loop changes in it")
                continue
            yield Proposal(line, (_patched(source, one, reads),), _says(source, reads))


def _reads(source: Source, one: Counting) -> list[tuple[Node, Node, str]]:
    """Return the accesses that move by one element each turn, with base and element type: all of one element size."""
    out: list[tuple[Node, Node, str]] = []
    for base in walk(one.body, "identifier"):
        access, indices = whole_access(base)
        declared = source.declaration_of(base)
        if len(indices) != 1 or declared is None or inside(declared.node, one.loop):
            continue
        kind = clean(declared.type)
        if (
            declared.pointers + len(declared.dimensions) != 1
            or kind not in VECTORS
            or "volatile" in declared.qualifiers
        ):
            continue
        if declared.is_array and "__shared__" not in declared.qualifiers and "__device__" not in declared.qualifiers:
            continue
        if not ("const" in declared.qualifiers or only_read(source, declared)) or not _consecutive(
            source, one, indices[0]
        ):
            continue
        if out and SIZES.get(kind) != SIZES.get(out[0][2]):
            continue
        out.append((access, indices[0], kind))
    return out


def _consecutive(source: Source, one: Counting, index: Node) -> bool:
    """Return whether an index is the loop's variable plus something that the loop does not change."""
    index = bare(index)
    if index.type == "identifier":
        return source.at(index) == one.name
    if index.type != "binary_expression" or field(index, "operator").type not in ("+", "-"):
        return False
    left, right = field(index, "left"), field(index, "right")
    if one.name not in names_in(source, right):
        return is_invariant(source, right, one.loop) and _consecutive(source, one, left)
    if field(index, "operator").type == "-" or one.name in names_in(source, left):
        return False
    return is_invariant(source, left, one.loop) and _consecutive(source, one, right)


def _named(source: Source, node: Node, name: str) -> list[Node]:
    return [n for n in walk(node, "identifier") if source.at(n) == name]


def _patched(source: Source, one: Counting, reads: list[tuple[Node, Node, str]]) -> Edit:
    width = min(VECTORS[kind][1] for _, _, kind in reads)
    texts: dict[str, tuple[str, str]] = {}
    indent = source.indent(one.loop)
    names = iter(source.fresh(*(f"wide{n or ''}" for n in range(len(reads)))))
    step = f" - {width - 1}" if one.down else ""
    loads, aligned = [], []
    replaced: dict[int, str] = {}
    for access, index, kind in reads:
        text = source.at(access)
        if text not in texts:
            name = next(names)
            texts[text] = name, kind
            vector = VECTORS[kind][0]
            lowest = f"({one.name}{step})" if step else one.name
            base = source.at(field(access, "argument"))
            moved = source.rewrite(index, [(n, lowest) for n in _named(source, index, one.name)])
            place = f"&{base}[{moved}]"
            loads.append(f"const {vector} {name} = *reinterpret_cast<const {vector}*>({place});")
            bytes_ = width * SIZES[kind]
            aligned.append(f"(reinterpret_cast<size_t>({place}) & {bytes_ - 1}) == 0")
        replaced[access.start_byte] = texts[text][0]
    body = []
    for turn in range(width):
        member = _MEMBERS[width - 1 - turn if one.down else turn]
        sign = "-" if one.down else "+"
        now = one.name if turn == 0 else f"({one.name} {sign} {turn})"
        parts = [(access, f"{replaced[access.start_byte]}.{member}") for access, _, _ in reads]
        parts += [(n, now) for n in _named(source, one.body, one.name)]
        text = source.rewrite(one.body, parts).strip()
        body.append(text if one.body.type != "compound_statement" else _flat(text))
    sign, change = ("-", "-=") if one.down else ("+", "+=")
    condition = f"{one.name} {sign} {width - 1} {one.comparison} {source.at(one.bound)}"
    pragma = source.pragma_before(one.loop)
    before = f"{pragma[2]}\n{indent}  " if pragma is not None else ""
    start = pragma[0] if pragma is not None else one.loop.start_byte
    count = f"{one.type} {one.name} = {source.at(one.first)};"
    rest = f"for (; {one.name} {one.comparison} {source.at(one.bound)}; {'--' if one.down else '++'}{one.name})"
    lines = [
        "{",
        f"  {count}",
        f"  if ({' && '.join(aligned)}) {{",
        f"    {before.rstrip()}" if before else "",
        f"    for (; {condition}; {one.name} {change} {width}) {{",
        *(f"      {load}" for load in loads),
        *(f"      {row}" for row in body),
        "    }",
        "  }",
        f"  {before.rstrip()}" if before else "",
        f"  {rest} {source.at(one.body).strip()}",
        "}",
    ]
    return Edit(start, one.loop.end_byte, f"\n{indent}".join(line for line in lines if line))


def _flat(text: str) -> str:
    return " ".join(row.split("//")[0].strip() for row in text.splitlines())


def _says(source: Source, reads: list[tuple[Node, Node, str]]) -> str:
    bases = sorted({source.at(field(access, "argument")) for access, _, _ in reads})
    width = min(VECTORS[kind][1] for _, _, kind in reads)
    return f"{', '.join(bases)}: {width} neighbouring elements are loaded at once, where their address is aligned"
