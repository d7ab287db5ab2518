"""Control and data flow of machine code: blocks, branches, loops, registers of instructions, live registers.

A register is live if a later instruction may read it before another one writes it. ncu shows such a count but does not
store it. Indirect branches and the widths of rare opcodes are unknown, so the count is slightly low.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from msgspec import Struct

from advisor.hardware.sass import Instruction

_ADDRESS = re.compile(r"0x([0-9a-f]{1,16})\)?$")
_ENDS = frozenset(("EXIT", "RET", "BRX", "JMX", "KILL", "BPT"))
Codes = Sequence[Instruction | None]
_REGISTER = re.compile(r"(?<![A-Z0-9_])(U?R)(\d+)(\.64)?")
_DESTINATION = re.compile(r"(U?R)(\d+)(?:\.\w+)*")
# opcodes without a destination, and control-flow opcodes
_NO_RESULT = re.compile(
    "ST[GLS]?|STSM|REDG?|BRA|BRX|JMP|JMX|CALL|RET|EXIT|BAR|MEMBAR|FENCE|NOP|BSSY|BSYNC|WARPSYNC|BREAK|DEPBAR|LDGDEPBAR"
    "|LDGSTS|ERRBAR|CCTL|NANOSLEEP|YIELD|KILL|UBLKCP|UTMALDG|UTMASTG|SYNCS|ARRIVES|FCHK"
)
_WIDE = {"64": 2, "128": 4, "WIDE": 2}
# Registers of operands A, B and C of matrix instructions, by the digits of the shape (PTX manual, mma fragments).
_MATRIX = {
    "884": (2, 2, 4),
    "8816": (1, 1, 2),
    "8832": (1, 1, 2),
    "1688": (2, 1, 4),
    "1684": (2, 1, 4),
    "16816": (4, 2, 4),
    "16832": (4, 2, 4),
    "16864": (4, 2, 4),
    "168128": (2, 1, 4),
    "168256": (4, 2, 4),
}
_GROUP_SHAPE = re.compile(r"64x(\d+)x\d+")
_DOUBLE = frozenset(("FMA", "MUL", "ADD", "SETP", "MNMX"))
_PAIRS = frozenset(("FFMA2", "FADD2", "FMUL2"))  # two fp32 values in two registers


class Loop(Struct, frozen=True):
    """A natural loop. first, back: indices of its header and of its last backward branch; body: indices, ascending.

    depth: 1 for an outermost loop.
    """

    first: int
    back: int
    body: tuple[int, ...]
    depth: int = 1


def target(code: Instruction | None, stems: Sequence[str] = ("BRA", "JMP")) -> int | None:
    """Return the target address of a direct branch, or None if its opcode is not in `stems` or has no address."""
    if code is None or code.opcode.partition(".")[0] not in stems or not code.operands:
        return None
    match = _ADDRESS.search(code.operands[-1])
    return int(match[1], 16) if match else None


def _successors(codes: Codes, place: dict[int, int], i: int) -> list[int]:
    """Return the indices that may run after index i."""
    code = codes[i]
    following = [i + 1] if i + 1 < len(codes) else []
    if code is None:
        return following
    stem = code.opcode.partition(".")[0]
    if stem in ("BRA", "JMP"):
        goal = target(code)
        jump = [place[goal]] if goal in place else []
        conditional = (
            code.predicate
            or any(re.fullmatch(r"!?U?P\d", operand) for operand in code.operands)
            or {"DIV", "CONV"} & {*code.opcode.split(".")[1:]}  # taken by warps whose lanes have diverged, or met
        )
        return jump + (following if conditional else [])
    if stem in _ENDS:
        return following if code.predicate else []
    return following


class Graph(Struct, frozen=True):
    """Basic blocks: the first and last index of each, in order; edges: successors; before: predecessors."""

    starts: tuple[int, ...]
    ends: tuple[int, ...]
    edges: tuple[tuple[int, ...], ...]
    before: tuple[tuple[int, ...], ...]

    def places(self, n: int) -> range:
        """Return the indices of the instructions of a block."""
        return range(self.starts[n], self.ends[n] + 1)


def graph(codes: Codes, pcs: Sequence[int]) -> Graph:
    """Build the blocks and their edges; a call of a function that is not inlined continues after the call."""
    after = following(codes, pcs)
    starts = sorted(_leaders(codes, after))
    number = {start: n for n, start in enumerate(starts)}
    ends = [*(start - 1 for start in starts[1:]), len(codes) - 1]
    edges = [[number[j] for j in after[end]] for end in ends]
    return Graph(tuple(starts), tuple(ends), tuple(map(tuple, edges)), tuple(map(tuple, backward(edges))))


def following(codes: Codes, pcs: Sequence[int]) -> list[list[int]]:
    """Return for each instruction the indices of those that may run next."""
    place = {pc: i for i, pc in enumerate(pcs)}
    return [_successors(codes, place, i) for i in range(len(codes))]


def loops(codes: Codes, pcs: Sequence[int], blocks: Graph | None = None) -> tuple[Loop, ...]:
    """Return the natural loops in header order, outer before inner; loops with the same header count as one.

    blocks: the graph of the code, if it is there already.

    A backward branch to code that does not dominate it, such as out of a slow path after the kernel, closes no loop.
    """
    if not codes:
        return ()
    blocks = blocks or graph(codes, pcs)
    starts, ends, edges, before = blocks.starts, blocks.ends, blocks.edges, blocks.before
    dominators = _dominators(edges, before)
    bodies: dict[int, set[int]] = {}
    backs: dict[int, int] = {}
    for block, nexts in enumerate(edges):
        for header in nexts:
            backward = starts[header] <= ends[block]
            # A branch to itself after the end of a kernel is padding.
            padding = header == block and starts[block] == ends[block]
            if not backward or padding or not _dominates(dominators, header, block):
                continue
            bodies.setdefault(header, {header}).update(reached([block], before, frozenset((header,))))
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


def meeting_points(blocks: Graph) -> list[int | None]:
    """Return for each block the next one that all ways from it lead through; None if they meet at the end alone."""
    # That is the block's dominator with all edges turned, from the kernel's end on.
    ends = tuple(b + 1 for b, after in enumerate(blocks.edges) if not after)
    turned = [ends, *(tuple(b + 1 for b in before) for before in blocks.before)]
    found = _dominators(turned, backward(turned))[1:]
    return [at - 1 if at else None for at in found]


def behind(blocks: Graph, n: int, meets: int | None, body: Iterable[int] = ()) -> set[int]:
    """Return the blocks whose execution a branch at the end of block n decides: those up to where its ways meet.

    meets: that block, of `meeting_points`; body: the blocks of the innermost loop around the branch; all of them if one
    of its ways leaves the loop.
    """
    inside = set(body)
    if inside and any(goal not in inside for goal in blocks.edges[n]):
        return inside
    return reached(blocks.edges[n], blocks.edges, frozenset((n,) if meets is None else (n, meets)))


def blocks_of(loop: Loop, blocks: Graph) -> frozenset[int]:
    """Return the blocks of a loop."""
    body = frozenset(loop.body)
    return frozenset(n for n, start in enumerate(blocks.starts) if start in body)


def innermost(count: int, loops: Sequence[Loop]) -> list[int | None]:
    """Return for each of `count` indices the number of its innermost loop, or None."""
    out: list[int | None] = [None] * count
    for n in sorted(range(len(loops)), key=lambda n: loops[n].depth):
        for place in loops[n].body:
            out[place] = n
    return out


def _leaders(codes: Codes, after: Sequence[Sequence[int]]) -> set[int]:
    found = {0}
    for i, nexts in enumerate(after):
        if list(nexts) != [i + 1]:
            found.update(nexts)
            if i + 1 < len(codes):
                found.add(i + 1)
    return found


def backward(edges: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the edges of a graph turned round: for each place those from which one leads to it."""
    out: list[list[int]] = [[] for _ in edges]
    for block, nexts in enumerate(edges):
        for goal in nexts:
            out[goal].append(block)
    return out


def _dominators(edges: Sequence[Sequence[int]], before: Sequence[Sequence[int]]) -> list[int | None]:
    """Return each block's immediate dominator, -1 for entries, None if unreachable (Cooper, Harvey, Kennedy).

    Entries are the first block and every block without predecessors: a device function, a target of an indexed jump.
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


def reached(begin: Iterable[int], edges: Sequence[Sequence[int]], stops: frozenset[int]) -> set[int]:
    """Return the places that the edges lead to from some places, these included, without the stops and what only they
    lead to.
    """
    out: set[int] = set()
    todo = list(begin)
    while todo:
        at = todo.pop()
        if at not in out and at not in stops:
            out.add(at)
            todo += edges[at]
    return out


def _run(kind: str, first: int, count: int) -> set[str]:
    return {f"{kind}{first + i}" for i in range(count)}


def _matrix(code: Instruction) -> tuple[int, int, int] | None:
    """Return the number of registers of A, B and C of a matrix instruction, or None for other instructions."""
    stem, *modifiers = code.opcode.split(".")
    if stem in ("HGMMA", "IGMMA", "QGMMA", "BGMMA"):
        shape = next((m for name in modifiers if (m := _GROUP_SHAPE.fullmatch(name))), None)
        columns = int(shape[1]) if shape else 8
        return 4, 0, columns // (4 if "F16" in modifiers else 2)
    if stem not in ("HMMA", "IMMA", "QMMA", "OMMA", "BMMA", "DMMA"):
        return None
    a, b, c = next((_MATRIX[m] for m in modifiers if m in _MATRIX), (4, 2, 4))
    if stem == "IMMA" and "16816" in modifiers:
        a, b = 2, 1
    return a, b, 2 if stem == "HMMA" and "F16" in modifiers else c


def _count(code: Instruction) -> int:
    """Return the number of result registers: by the width of a load, a wide product or a double-precision result."""
    stem, *modifiers = code.opcode.split(".")
    if matrix := _matrix(code):
        return matrix[2]
    if stem in ("DFMA", "DMUL", "DADD", "DMNMX", "CS2R") and "32" not in modifiers:
        return 2
    if stem in _PAIRS:
        return 2
    if stem in ("F2F", "I2F") and modifiers[:1] == ["F64"]:
        return 2
    if stem == "F2I" and modifiers[:1] in (["S64"], ["U64"]):
        return 2
    if stem == "LDSM" and modifiers and modifiers[-1] in ("2", "4"):
        return int(modifiers[-1])
    return max((_WIDE.get(m, 1) for m in modifiers), default=1)


def written(code: Instruction) -> set[str]:
    """Return the registers (such as R4) that it writes; empty for stores, branches and pure comparisons."""
    if _NO_RESULT.fullmatch(code.opcode.partition(".")[0]):
        return set()
    for operand in code.operands[:2]:
        if match := _DESTINATION.fullmatch(operand):
            return _run(match[1], int(match[2]), _count(code))
        if not re.fullmatch(r"!?U?P(\d|T)", operand):
            break
    return set()


def read(code: Instruction) -> set[str]:
    """Return the registers that its operands name as sources, including address registers."""
    stem = code.opcode.partition(".")[0]
    operands = list(code.operands)
    if not _NO_RESULT.fullmatch(stem):
        for i, operand in enumerate(operands[:2]):
            if _DESTINATION.fullmatch(operand):
                del operands[i]
                break
    modifiers = code.opcode.split(".")[1:]
    width = max((_WIDE.get(m, 1) for m in modifiers), default=1)
    size = 1
    double = (stem[:1] == "D" and stem[1:] in _DOUBLE) or (stem in ("F2F", "F2I") and modifiers[-1:] == ["F64"])
    if double or stem in _PAIRS:
        size = 2
    elif stem == "STSM":
        size = int(modifiers[-1]) if modifiers and modifiers[-1] in ("2", "4") else 1
    elif stem.startswith(("ST", "ATOM", "RED")):
        size = width
    matrix, group = _matrix(code), stem.endswith("GMMA")
    # A warpgroup matrix instruction may have descriptors for A and B; C is its last register.
    last = max((i for i, operand in enumerate(operands) if _DESTINATION.fullmatch(operand)), default=-1)
    out: set[str] = set()
    for place, operand in enumerate(operands):
        for kind, number, wide in _REGISTER.findall(operand):
            count = 2 if wide else 1 if "[" in operand else size
            if kind == "R" and matrix is not None and "[" not in operand:
                count = matrix[2 if place == last else 0] if group else matrix[min(place, 2)]
            elif kind == "R" and "WIDE" in modifiers and place == 2:
                count = 2  # the addend of a wide product is equally wide
            out |= _run(kind, int(number), count)
    return out


def live_registers(codes: Codes, pcs: Sequence[int]) -> list[int]:
    """Count the vector registers live before, or written by, each instruction; exclude uniform registers."""
    if not codes:
        return []
    blocks = graph(codes, pcs)
    place = {pc: i for i, pc in enumerate(pcs)}
    uses, sets = [], []
    for code in codes:
        uses.append(_mask(read(code)) if code is not None else 0)
        sets.append(_mask(written(code)) if code is not None else 0)
    # A register written under a predicate may keep its old value.
    kills = [0 if code is None or code.predicate else mask for code, mask in zip(codes, sets, strict=True)]
    after = [list(edges) for edges in blocks.edges]
    for n, (start, end) in enumerate(zip(blocks.starts, blocks.ends, strict=True)):
        for i in range(start, end + 1):
            goal = called(codes, place, i)
            if goal is not None:
                after[n].append(bisect_right(blocks.starts, goal) - 1)
    ins = [0] * len(blocks.starts)
    callers: list[list[int]] = [[] for _ in ins]
    for n, nexts in enumerate(after):
        for goal in nexts:
            callers[goal].append(n)
    todo = list(range(len(ins)))
    waiting = set(todo)
    while todo:
        n = todo.pop()
        waiting.discard(n)
        live = 0
        for goal in after[n]:
            live |= ins[goal]
        for i in range(blocks.ends[n], blocks.starts[n] - 1, -1):
            live = live & ~kills[i] | uses[i]
        if live != ins[n]:
            ins[n] = live
            fresh = [m for m in callers[n] if m not in waiting]
            waiting.update(fresh)
            todo += fresh
    out = [0] * len(codes)
    for n, (start, end) in enumerate(zip(blocks.starts, blocks.ends, strict=True)):
        live = 0
        for goal in after[n]:
            live |= ins[goal]
        for i in range(end, start - 1, -1):
            live = live & ~kills[i] | uses[i]
            out[i] = (live | sets[i]).bit_count()
    return out


def _mask(names: set[str]) -> int:
    """Return a mask with one bit for each vector register."""
    out = 0
    for name in names:
        if name.startswith("R"):
            out |= 1 << int(name[1:])
    return out


def called(codes: Codes, place: dict[int, int], i: int) -> int | None:
    """Return the index that a call at index i goes to, or None. place: address -> index."""
    code = codes[i]
    if code is None or not code.opcode.startswith("CALL"):
        return None
    return place.get(target(code, ("CALL",)) or -1)
