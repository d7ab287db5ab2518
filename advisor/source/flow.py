"""The control flow of machine code: blocks, where branches lead, and the loops that backward branches close."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from advisor.hardware.sass import Instruction

_ADDRESS = re.compile(r"0x([0-9a-f]{1,16})\)?$")
_ENDS = frozenset(("EXIT", "RET", "BRX", "JMX", "KILL", "BPT"))
Codes = Sequence[Instruction | None]


@dataclass(frozen=True, slots=True)
class Loop:
    """A natural loop. first and back: places of its header and of the last branch back; body: places, ascending.

    depth: 1 for an outermost loop.
    """

    first: int
    back: int
    body: tuple[int, ...]
    depth: int = 1


def target(code: Instruction | None, stems: Sequence[str] = ("BRA", "JMP")) -> int | None:
    """The address that a direct branch leads to; None for opcodes not in `stems` and where it is not written out."""
    if code is None or code.opcode.partition(".")[0] not in stems or not code.operands:
        return None
    match = _ADDRESS.search(code.operands[-1])
    return int(match[1], 16) if match else None


def _conditional(code: Instruction) -> bool:
    """Whether the branch may fall through: a predicate before it, or one among its operands."""
    return bool(code.predicate) or any(re.fullmatch(r"!?U?P\d", o) for o in code.operands)


def _successors(codes: Codes, place: dict[int, int], i: int) -> list[int]:
    """Places that may run after place i."""
    code = codes[i]
    following = [i + 1] if i + 1 < len(codes) else []
    if code is None:
        return following
    stem = code.opcode.partition(".")[0]
    if stem in ("BRA", "JMP"):
        goal = target(code)
        jump = [place[goal]] if goal in place else []
        return jump + (following if _conditional(code) else [])
    if stem in _ENDS:
        return following if code.predicate else []
    return following


@dataclass(frozen=True, slots=True)
class Graph:
    """Basic blocks: first and last place of each, in order; edges and before: numbers of blocks after and before."""

    starts: tuple[int, ...]
    ends: tuple[int, ...]
    edges: tuple[tuple[int, ...], ...]
    before: tuple[tuple[int, ...], ...]


def graph(codes: Codes, pcs: Sequence[int]) -> Graph:
    """The blocks of code and where they lead; calls of functions that are not inlined lead on behind the call."""
    place = {pc: i for i, pc in enumerate(pcs)}
    after = [_successors(codes, place, i) for i in range(len(codes))]
    starts = sorted(_leaders(codes, after))
    number = {start: n for n, start in enumerate(starts)}
    ends = [*(start - 1 for start in starts[1:]), len(codes) - 1]
    edges = [[number[j] for j in after[end]] for end in ends]
    return Graph(tuple(starts), tuple(ends), tuple(map(tuple, edges)), tuple(map(tuple, _reversed(edges))))


def loops(codes: Codes, pcs: Sequence[int]) -> tuple[Loop, ...]:
    """The natural loops in the order of their headers, outer before inner; loops of one header count as one.

    A branch back to code that does not dominate it, such as out of a slow path behind the kernel, closes no loop.
    """
    if not codes:
        return ()
    found_graph = graph(codes, pcs)
    starts, ends, edges, before = found_graph.starts, found_graph.ends, found_graph.edges, found_graph.before
    dominators = _dominators(edges, before)
    bodies: dict[int, set[int]] = {}
    backs: dict[int, int] = {}
    for block, nexts in enumerate(edges):
        for header in nexts:
            backward = starts[header] <= ends[block]
            # A branch to itself behind the end of a kernel is padding.
            padding = header == block and starts[block] == ends[block]
            if not backward or padding or not _dominates(dominators, header, block):
                continue
            bodies.setdefault(header, {header}).update(_reaching(before, block, header))
            backs[header] = max(backs.get(header, 0), ends[block])
    found = [
        Loop(starts[h], backs[h], tuple(i for b in sorted(body) for i in range(starts[b], ends[b] + 1)))
        for h, body in sorted(bodies.items())
    ]
    sets = [frozenset(loop.body) for loop in found]
    return tuple(
        Loop(loop.first, loop.back, loop.body, 1 + sum(sets[n] < other for other in sets))
        for n, loop in enumerate(found)
    )


def _leaders(codes: Codes, after: Sequence[Sequence[int]]) -> set[int]:
    found = {0}
    for i, nexts in enumerate(after):
        if list(nexts) != [i + 1]:
            found.update(nexts)
            if i + 1 < len(codes):
                found.add(i + 1)
    return found


def _reversed(edges: Sequence[Sequence[int]]) -> list[list[int]]:
    out: list[list[int]] = [[] for _ in edges]
    for block, nexts in enumerate(edges):
        for goal in nexts:
            out[goal].append(block)
    return out


def _dominators(edges: Sequence[Sequence[int]], before: Sequence[Sequence[int]]) -> list[int | None]:
    """The immediate dominator of each block, -1 for entries; None for what no entry reaches (Cooper, Harvey, Kennedy).

    Entries are the first block and every one that nothing leads to: a device function, a target of an indexed jump.
    """
    entries = [b for b in range(len(edges)) if b == 0 or not before[b]]
    order: list[int] = []
    seen = set(entries)
    stack = [(b, iter(edges[b])) for b in entries]
    while stack:
        block, nexts = stack[-1]
        goal = next((g for g in nexts if g not in seen), None)
        if goal is None:
            order.append(stack.pop()[0])
        else:
            seen.add(goal)
            stack.append((goal, iter(edges[goal])))
    rank = {block: n for n, block in enumerate(order)} | {-1: len(order)}
    found: list[int | None] = [None] * len(edges)
    for entry in entries:
        found[entry] = -1

    def above(block: int) -> int:
        parent = found[block]
        return -1 if parent is None else parent

    def common(a: int, b: int) -> int:
        while a != b:
            if rank[a] < rank[b]:
                a = above(a)
            else:
                b = above(b)
        return a

    changed = True
    while changed:
        changed = False
        for block in reversed(order):
            if block in entries:
                continue
            known = [b for b in before[block] if found[b] is not None]
            new = known[0]
            for other in known[1:]:
                new = common(new, other)
            if found[block] != new:
                found[block], changed = new, True
    return found


def _dominates(dominators: Sequence[int | None], header: int, block: int) -> bool:
    at: int | None = block
    while at is not None and at >= 0 and at != header:
        at = dominators[at]
    return at == header


def _reaching(before: Sequence[Sequence[int]], block: int, header: int) -> set[int]:
    """Blocks from which `block` is reached without passing the header, itself included."""
    out, todo = {header}, [block]
    while todo:
        at = todo.pop()
        if at not in out:
            out.add(at)
            todo += before[at]
    return out
