"""Add up in the warp or the block first, so that fewer threads execute the atomic operation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from advisor.patches.proposal import Cause, Proposal, Unsuited
from advisor.patches.syntax import Edit, Function, Source, ancestors, bare, field, inside, subscripts, walk
from advisor.patches.types import clean, is_uniform, type_of, value_of

if TYPE_CHECKING:
    from tree_sitter import Node

_WHOLE = ("int", "unsigned", "unsigned int", "unsigned long long", "uint32_t")
_SUMS = (*_WHOLE, "float", "double")


def propose(source: Source, cause: Cause) -> Iterator[Proposal | Unsuited]:
    """Yield patches for each atomicAdd whose old value is not used."""
    for function in source.reached(cause.kernel):
        for call in walk(function.body, "call_expression"):
            if source.at(field(call, "function")) != "atomicAdd":
                continue
            statement = call.parent
            rows = field(call, "arguments").named_children
            line = source.line(call)
            if statement is None or statement.type != "expression_statement" or len(rows) != 2:
                yield Unsuited(line, "the old value of atomicAdd is used")
                continue
            kind = _element(source, rows[0])
            if kind not in _SUMS:
                yield Unsuited(line, f"a sum of {kind or 'an unknown type'} is not aggregated")
                continue
            same = _in_every_lane(source, rows[1])
            if kind in _WHOLE and same:
                yield _by_match(source, cause, statement, rows, kind, line)
            if function.kernel and _is_uniform_place(source, rows[0]):
                yield from _by_reduction(source, cause, function, statement, rows, kind, line)


def _is_uniform_place(source: Source, address: Node) -> bool:
    """Return whether all threads of a block have the same address: a pointer, or `&array[index]` with such an index."""
    address = bare(address)
    if address.type == "pointer_expression" and address.children[0].type == "&":
        base, indices = subscripts(bare(field(address, "argument")))
        return bool(indices) and all(is_uniform(source, part) for part in (base, *indices))
    return is_uniform(source, address)


def _element(source: Source, address: Node) -> str | None:
    kind = type_of(source, address)
    return clean(kind[:-1]) if kind is not None and kind.endswith("*") else None


def _in_every_lane(source: Source, node: Node) -> bool:
    return value_of(source, node) is not None or is_uniform(source, node)


def _by_match(source: Source, cause: Cause, statement: Node, rows: list[Node], kind: str, line: int) -> Proposal:
    """One lane of those with the same address adds the sum of all."""
    place, peers = source.fresh("place", "peers")
    indent = source.indent(statement)
    value = "" if value_of(source, rows[1]) == 1 else f" * ({source.at(rows[1])})"
    text = [
        "{",
        f"  {kind}* const {place} = {source.at(rows[0])};",
        f"  const unsigned {peers} = __match_any_sync(__activemask(), reinterpret_cast<unsigned long long>({place}));",
        f"  if ({cause.lane} == __ffs({peers}) - 1) atomicAdd({place}, ({kind})__popc({peers}){value});",
        "}",
    ]
    return Proposal(
        line,
        (Edit(statement.start_byte, statement.end_byte, f"\n{indent}".join(text)),),
        f"one lane adds for all lanes of the warp that have the same address ({source.at(rows[0])[:40]})",
    )


def _by_reduction(
    source: Source, cause: Cause, function: Function, statement: Node, rows: list[Node], kind: str, line: int
) -> Iterator[Proposal | Unsuited]:
    """The warp, or the block, adds up its values at an address that is the same for all threads."""
    condition: Node | None = None
    whole = statement
    parent = statement.parent
    if parent is not None and parent.type == "compound_statement" and len(parent.named_children) == 1:
        whole, parent = parent, parent.parent
    if parent is not None and parent.type == "if_statement" and parent.child_by_field_name("alternative") is None:
        condition, whole, parent = bare(field(parent, "condition")), parent, parent.parent
    if parent != function.body:
        yield Unsuited(line, "not all threads of the block come to atomicAdd together")
        return
    early = [n for n in walk(function.body, "return_statement") if n.end_byte <= whole.start_byte]
    if early or any(a.type == "lambda_expression" for a in ancestors(statement) if inside(a, function.body)):
        yield Unsuited(line, "threads may have returned before atomicAdd")
        return
    warps = cause.block[0] * cause.block[1] * cause.block[2]
    if warps % 32:
        yield Unsuited(line, "the last warp of the block is not full")
        return
    indent = source.indent(whole)
    leader = condition is not None and _is_warp_leader(source, condition)
    part, step, sums = source.fresh("part", "step", "warp_parts")
    value = source.at(rows[1])
    begin = f"{kind} {part} = 0;" if condition is not None else f"{kind} {part} = {value};"
    lines = ["{", f"  {begin}"]
    if condition is not None:
        lines.append(f"  if ({source.at(condition)}) {part} = {value};")
    if not leader:
        lines.append(
            f"  for (int {step} = 16; {step} > 0; {step} /= 2) {part} += __shfl_down_sync(~0u, {part}, {step});"
        )
        warp_level = [*lines, f"  if ({cause.lane} == 0) atomicAdd({source.at(rows[0])}, {part});", "}"]
        yield Proposal(
            line,
            (Edit(whole.start_byte, whole.end_byte, f"\n{indent}".join(warp_level)),),
            "each warp adds up its values with shuffles, and one lane adds the sum",
        )
    if warps == 32 or not cause.is_line:
        return
    block_level = [
        *lines,
        f"  __shared__ {kind} {sums}[{warps // 32}];",
        f"  if (threadIdx.x % 32 == 0) {sums}[threadIdx.x / 32] = {part};",
        "  __syncthreads();",
        "  if (threadIdx.x == 0) {",
        f"    for (int {step} = 1; {step} < {warps // 32}; ++{step}) {part} += {sums}[{step}];",
        f"    atomicAdd({source.at(rows[0])}, {part});",
        "  }",
        "}",
    ]
    yield Proposal(
        line,
        (Edit(whole.start_byte, whole.end_byte, f"\n{indent}".join(block_level)),),
        f"the {warps // 32} warps of a block add up their values in shared memory, and one thread adds the sum",
    )


def _is_warp_leader(source: Source, condition: Node) -> bool:
    """Return whether a condition is `threadIdx.x % 32 == 0` or `lane == 0` with such a lane."""
    text = "".join(source.at(condition).split())
    if text in ("threadIdx.x%32==0", "(threadIdx.x&31)==0", "threadIdx.x%warpSize==0"):
        return True
    if condition.type != "binary_expression" or field(condition, "operator").type != "==":
        return False
    left, right = field(condition, "left"), field(condition, "right")
    declared = source.declaration_of(left) if left.type == "identifier" else None
    if declared is None or declared.value is None or value_of(source, right) != 0:
        return False
    return "".join(source.at(declared.value).split()) in ("threadIdx.x%32", "threadIdx.x&31")
