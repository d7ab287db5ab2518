"""From an instruction that waits back to the load that wrote what it waits for: stall samples sit on the consumer."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.sass import Instruction
from advisor.source.flow import target
from advisor.source.registers import read, written

# What answers through a long scoreboard: global, local and texture memory.
_LOADS = frozenset("LD LDG LDL TEX TLD TLD4 TXQ SULD ATOM ATOMG".split())
_MOST_STEPS = 20_000

Codes = Sequence[Instruction | None]


def is_load(code: Instruction | None) -> bool:
    """Whether a wait for its result counts as long scoreboard."""
    return code is not None and code.opcode.partition(".")[0] in _LOADS


def _around(codes: Codes, pcs: Sequence[int], at: int) -> tuple[int, int] | None:
    """First and last place of the smallest stretch around `at` that a branch at its end repeats."""
    best: tuple[int, int] | None = None
    place = {pc: i for i, pc in enumerate(pcs)}
    for end in range(at, len(codes)):
        goal = target(codes[end])
        start = place.get(goal) if goal is not None else None
        if start is not None and start <= at and start < end and (best is None or end - start < best[1] - best[0]):
            best = (start, end)
    return best


def producers(codes: Codes, pcs: Sequence[int], at: int) -> list[int]:
    """Places of the loads that wrote the registers which the instruction at `at` reads or overwrites, ascending.

    Looks backwards through the code, inside a loop first around it. Empty where none is found: the wait may then be
    for something that no operand names.
    """
    code = codes[at]
    if code is None:
        return []
    if code.opcode.startswith("DEPBAR"):
        copies = (i for i in range(at - 1, -1, -1) if (c := codes[i]) is not None and c.opcode.startswith("LDGSTS"))
        return list(copies)[:1]
    loop = _around(codes, pcs, at)
    order = list(range(at - 1, -1, -1))
    if loop is not None:
        start, end = loop
        order = [*range(at - 1, start - 1, -1), *range(end, at - 1, -1), *range(start - 1, -1, -1)]
    return sorted(_search(codes, order[:_MOST_STEPS], read(code)) or _search(codes, order[:_MOST_STEPS], written(code)))


def _search(codes: Codes, order: Sequence[int], wanted: set[str]) -> set[int]:
    open_, found = set(wanted), set()
    for i in order:
        if not open_:
            break
        code = codes[i]
        if code is None or not (hit := written(code) & open_):
            continue
        if is_load(code):
            found.add(i)
        # What is written under a predicate may still hold an older value.
        if not code.predicate:
            open_ -= hit
    return found
