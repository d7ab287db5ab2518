"""Which registers an instruction writes and reads, as far as its operands tell."""

from __future__ import annotations

import re

from advisor.sass import Instruction

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


def _run(kind: str, first: int, count: int) -> set[str]:
    return {f"{kind}{first + i}" for i in range(count)}


def _count(code: Instruction) -> int:
    """Registers of a result: by the width of a load, of a wide product, or of a double-precision operation."""
    stem, *modifiers = code.opcode.split(".")
    if stem in ("HMMA", "IMMA", "QMMA", "BMMA"):
        return 4
    if stem in ("DFMA", "DMUL", "DADD", "CS2R") and "32" not in modifiers:
        return 2
    if stem == "DMMA":
        return 4
    if stem == "F2F" and modifiers[:1] == ["F64"]:
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
    double = 2 if stem.startswith("D") and stem[1:] in ("FMA", "MUL", "ADD", "SETP", "MNMX", "MMA") else 1
    stored = max((_WIDE.get(m, 1) for m in code.opcode.split(".")[1:]), default=1) if stem.startswith("ST") else 1
    out: set[str] = set()
    for operand in operands:
        for kind, number, wide in _REGISTER.findall(operand):
            count = 2 if wide else 1 if "[" in operand else max(double, stored)
            out |= _run(kind, int(number), count)
    return out
