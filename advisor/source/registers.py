"""Which registers an instruction writes and reads, as far as its operands tell.

How many registers hold a value that is still needed, at each instruction: computed from the machine code.

A register is live where a later instruction may read it before another writes it. ncu shows such a count but does not
store it. What the operands do not tell (indirect branches, widths of rare opcodes) makes the count a little low.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from advisor.hardware.sass import Instruction
from advisor.source.flow import Codes, graph, target

_REGISTER = re.compile(r"(?<![A-Z0-9_])(U?R)(\d+)(\.64)?")
_DESTINATION = re.compile(r"(U?R)(\d+)(?:\.\w+)*")
# Opcodes without a destination, and those that steer.
_NO_RESULT = frozenset(
    (
        "ST",
        "STG",
        "STS",
        "STL",
        "STSM",
        "RED",
        "REDG",
        "BRA",
        "BRX",
        "JMP",
        "JMX",
        "CALL",
        "RET",
        "EXIT",
        "BAR",
        "MEMBAR",
        "FENCE",
        "NOP",
        "BSSY",
        "BSYNC",
        "WARPSYNC",
        "BREAK",
        "DEPBAR",
        "LDGDEPBAR",
        "LDGSTS",
        "ERRBAR",
        "CCTL",
        "NANOSLEEP",
        "YIELD",
        "KILL",
        "UBLKCP",
        "UTMALDG",
        "UTMASTG",
        "SYNCS",
        "ARRIVES",
    )
)
_WIDE = {"64": 2, "128": 4, "WIDE": 2}
# Registers of the operands A, B and C of matrix instructions, by the shape's digits (PTX manual, fragments of mma).
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


def _run(kind: str, first: int, count: int) -> set[str]:
    return {f"{kind}{first + i}" for i in range(count)}


def _matrix(code: Instruction) -> tuple[int, int, int] | None:
    """Registers of A, B and C of a matrix instruction; None for others."""
    stem, *modifiers = code.opcode.split(".")
    if stem in ("HGMMA", "IGMMA", "QGMMA", "BGMMA"):
        shape = next((m for name in modifiers if (m := _GROUP_SHAPE.fullmatch(name))), None)
        columns = int(shape[1]) if shape else 8
        return 4, 0, columns // (4 if "F16" in modifiers else 2)
    if stem not in ("HMMA", "IMMA", "QMMA", "BMMA", "DMMA"):
        return None
    a, b, c = next((_MATRIX[m] for m in modifiers if m in _MATRIX), (4, 2, 4))
    if stem == "IMMA" and "16816" in modifiers:
        a, b = 2, 1
    return a, b, 2 if stem == "HMMA" and "F16" in modifiers else c


def _count(code: Instruction) -> int:
    """Registers of a result: by the width of a load, of a wide product, or of a double-precision operation."""
    stem, *modifiers = code.opcode.split(".")
    if matrix := _matrix(code):
        return matrix[2]
    if stem in ("DFMA", "DMUL", "DADD", "DMNMX", "CS2R") and "32" not in modifiers:
        return 2
    if stem in ("F2F", "I2F") and modifiers[:1] == ["F64"]:
        return 2
    if stem == "F2I" and modifiers[:1] in (["S64"], ["U64"]):
        return 2
    if stem == "LDSM" and modifiers and modifiers[-1] in ("2", "4"):
        return int(modifiers[-1])
    return max((_WIDE.get(m, 1) for m in modifiers), default=1)


def written(code: Instruction) -> set[str]:
    """Names such as R4 of the registers that it writes; empty for stores, branches and pure comparisons."""
    if code.opcode.partition(".")[0] in _NO_RESULT:
        return set()
    for operand in code.operands[:2]:
        if match := _DESTINATION.fullmatch(operand):
            return _run(match[1], int(match[2]), _count(code))
        if not re.fullmatch(r"!?U?P(\d|T)", operand):
            break
    return set()


def read(code: Instruction) -> set[str]:
    """Names of the registers that its operands name as sources, address registers included."""
    stem = code.opcode.partition(".")[0]
    operands = list(code.operands)
    if stem not in _NO_RESULT:
        for i, operand in enumerate(operands[:2]):
            if _DESTINATION.fullmatch(operand):
                del operands[i]
                break
    modifiers = code.opcode.split(".")[1:]
    width = max((_WIDE.get(m, 1) for m in modifiers), default=1)
    size = 1
    if (stem[:1] == "D" and stem[1:] in _DOUBLE) or (stem in ("F2F", "F2I") and modifiers[-1:] == ["F64"]):
        size = 2
    elif stem == "STSM":
        size = int(modifiers[-1]) if modifiers and modifiers[-1] in ("2", "4") else 1
    elif stem.startswith(("ST", "ATOM", "RED")):
        size = width
    matrix, group = _matrix(code), stem.endswith("GMMA")
    # A group's matrix instruction may have descriptors for A and B; C is its last register.
    last = max((i for i, operand in enumerate(operands) if _DESTINATION.fullmatch(operand)), default=-1)
    out: set[str] = set()
    for place, operand in enumerate(operands):
        for kind, number, wide in _REGISTER.findall(operand):
            count = 2 if wide else 1 if "[" in operand else size
            if kind == "R" and matrix is not None and "[" not in operand:
                count = matrix[2 if place == last else 0] if group else matrix[min(place, 2)]
            elif kind == "R" and "WIDE" in modifiers and place == 2:
                count = 2  # what is added to a wide product is as wide
            out |= _run(kind, int(number), count)
    return out


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
