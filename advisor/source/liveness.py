"""How many registers hold a value that is still needed, at each instruction: computed from the machine code.

A register is live where a later instruction may read it before another writes it. ncu shows such a count but does not
store it. What the operands do not tell (indirect branches, widths of rare opcodes) makes the count a little low.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from advisor.source.flow import Codes, graph, target
from advisor.source.registers import read, written


def live_registers(codes: Codes, pcs: Sequence[int]) -> list[int]:
    """For each instruction the vector registers live before it, or written by it; uniform ones are left out."""
    if not codes:
        return []
    blocks = graph(codes, pcs)
    place = {pc: i for i, pc in enumerate(pcs)}
    uses, sets = [], []
    for code in codes:
        uses.append(_mask(read(code)) if code is not None else 0)
        sets.append(_mask(written(code)) if code is not None else 0)
    # What is written under a predicate may keep its old value.
    kills = [0 if code is None or code.predicate else mask for code, mask in zip(codes, sets, strict=True)]
    after = [list(edges) for edges in blocks.edges]
    for n, (start, end) in enumerate(zip(blocks.starts, blocks.ends, strict=True)):
        for i in range(start, end + 1):
            goal = _called(codes, place, i)
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
    """A bit for each vector register."""
    out = 0
    for name in names:
        if name.startswith("R"):
            out |= 1 << int(name[1:])
    return out


def _called(codes: Codes, place: dict[int, int], i: int) -> int | None:
    code = codes[i]
    if code is None or not code.opcode.startswith("CALL"):
        return None
    return place.get(target(code, ("CALL",)) or -1)
