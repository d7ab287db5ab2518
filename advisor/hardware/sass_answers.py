"""What an instruction writes and reads, predicates included, and whether its result comes by a scoreboard."""

from __future__ import annotations

import re

from advisor.hardware.sass import Instruction
from advisor.hardware.sass_flow import read, written

# Sources of a long scoreboard wait: global, local and texture memory (L1TEX).
LONG = frozenset(
    ("LD", "LDG", "LDL", "TEX", "TLD", "TLD4", "TMML", "TXD", "TXQ", "SULD", "SUATOM", "ATOM", "ATOMG", "LDGSTS")
)
# Sources of a short scoreboard wait, all other operations of variable latency: shared memory, special functions,
# conversions, shuffles, special registers, indexed constants, transfers to uniform registers (MIO).
SHORT = frozenset(
    (
        *("LDS", "LDSM", "LDSLK", "ATOMS", "MUFU", "SHFL", "S2R", "S2UR", "R2UR", "F2F", "F2I", "I2F", "FRND", "LDC"),
        *("LDCU", "MATCH", "POPC", "FLO", "BREV", "REDUX", "BMOV", "B2R", "SYNCS", "LDTM", "QSPC", "ISBERD", "AL2P"),
    )
)
# Control flow, which reads predicates and writes none.
_TESTS_ONLY = frozenset(
    (
        *("BRA", "BRX", "BRXU", "JMP", "JMX", "JMXU", "CALL", "CAL", "JCAL", "RET", "EXIT", "BSSY", "BSYNC", "BREAK"),
        *("WARPSYNC", "KILL", "BPT", "NOP", "YIELD", "NANOSLEEP"),
    )
)
_PREDICATE = re.compile(r"!?(U?P\d)")
_ANY_PREDICATE = re.compile(r"!?U?P(?:\d|T)")
_RESULT = re.compile(r"U?R(?:\d+|Z)(?:\.\w+)*")


def stem(code: Instruction) -> str:
    """Return the opcode without its modifiers."""
    return code.opcode.partition(".")[0]


def is_load(code: Instruction | None) -> bool:
    """Return whether a wait for its result counts as long scoreboard."""
    return code is not None and stem(code) in LONG


def answers_short(code: Instruction | None) -> bool:
    """Return whether a wait for its result counts as short scoreboard."""
    return code is not None and stem(code) in SHORT


def results(code: Instruction) -> set[str]:
    """Return the registers and predicates (such as R4, P0) that it writes."""
    found = set(written(code))
    if stem(code) == "R2P":
        return found | {f"P{n}" for n in range(7)}
    if stem(code) in _TESTS_ONLY:
        return found
    most = 2 if stem(code) in ("PLOP3", "UPLOP3") or "SETP" in stem(code) or "CHK" in stem(code) else None
    seen_register = False
    for place, operand in enumerate(code.operands[:3]):
        if match := _PREDICATE.fullmatch(operand):
            # `VOTE.ANY R0, PT, P0`, `VOTE.ANY P0, P1`: the predicate after the results is what it tests.
            tested = "VOTE" in code.opcode and place == len(code.operands) - 1
            if operand.startswith("!") or (most is not None and place >= most) or tested:
                break
            found.add(match[1])
        elif _RESULT.fullmatch(operand) and not seen_register and most is None:
            seen_register = True
        elif not _ANY_PREDICATE.fullmatch(operand):
            break
    return found


def inputs(code: Instruction) -> set[str]:
    """Return the registers and predicates that it reads, its own predicate included."""
    found = set(read(code))
    if match := _PREDICATE.fullmatch(code.predicate):
        found.add(match[1])
    defined, name = results(code), stem(code)
    first = 2 if name in ("PLOP3", "UPLOP3") else 3  # that of a predicate that cannot be a result
    for place, operand in enumerate(code.operands):
        if (match := _PREDICATE.fullmatch(operand)) and (place >= first or match[1] not in defined):
            found.add(match[1])
        if operand == "PR" and name == "P2R":
            found |= {f"P{number}" for number in range(7)}
        if place and name == "R2P" and re.fullmatch(r"R\d+", operand):
            found.add(operand)
    return found
