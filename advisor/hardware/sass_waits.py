"""How many cycles lie between two instructions of a warp, as far as the machine code explains them without memory.

A warp issues one instruction after the other. It waits for the result of arithmetic a few cycles, for shared memory,
special functions and other operations of variable latency some thirty, and at a branch for its target. What is left of
the measured interval are waits for global memory, for other warps, or in the queue of a unit that is full.

Measured in 224 launches of 150 kernels on an H100 and an H200: a warp spends 2.7 cycles in the stall `wait` for each
cycle that a result is late (1.9 and 3.5 at the quartiles), 3.2 (2.7, 5.0) in `branch_resolving` for each branch, and 26
(13, 86) in `short_scoreboard` for each wait for shared memory and the like. The numbers below are rounded down.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from advisor.hardware.sass import Instruction, classify
from advisor.hardware.sass_flow import Codes, Graph, read, written

# Cycles of waiting for each cycle that a result is late, for each branch, and for each wait of variable latency.
_LATE, _BRANCH, _VARIABLE = 2.0, 3.0, 30.0
# Cycles from an instruction to the use of its result. Arithmetic: Jia et al. 2018 (Volta; Turing and later likewise);
# double precision and matrices take longer.
_ARITHMETIC: Final = 4
_SLOW: Final = {"fp64": 8, "tensor": 20}
_BRANCHES: Final = frozenset(("BRA", "BRX", "CALL", "RET", "JMP", "BSYNC", "EXIT"))
_OTHER_VARIABLE: Final = frozenset(
    ("SHFL", "S2R", "S2UR", "R2UR", "LDC", "LDCU", "MATCH", "POPC", "FLO", "BREV", "REDUX", "BMOV", "B2R", "SYNCS")
)
_PREDICATE = re.compile(r"!?(U?P\d)")
_GLOBAL, _QUICK = "global", "quick"
Pending = dict[str, str]


def own_cycles(codes: Codes, blocks: Graph, runs: Sequence[float]) -> float | None:
    """Return the cycles between two instructions of a warp without waits for global memory; None if none is executed.

    runs: the expected executions of each instruction.
    """
    after: list[Pending] = [{} for _ in blocks.starts]
    late = variable = branches = count = 0.0
    for counted in (False, True):  # once for what is pending at the ends of loops
        for n, (start, end) in enumerate(zip(blocks.starts, blocks.ends, strict=True)):
            pending: Pending = {}
            for before in blocks.before[n]:
                pending = after[before] | pending
            ready: dict[str, int] = {}
            clock = 0
            for code, number in zip(codes[start : end + 1], runs[start : end + 1], strict=True):
                if code is None or not number:
                    continue
                sets, uses = _registers(code)
                waits = {pending[one] for one in uses | sets if one in pending}
                pending = {one: kind for one, kind in pending.items() if kind not in waits}
                behind = max((ready[one] - clock for one in uses if one in ready), default=0)
                clock += 1 + max(behind, 0)
                kind = _answers(code)
                for one in sets:
                    pending.pop(one, None)
                    ready.pop(one, None)
                    if kind:
                        pending[one] = kind
                    else:
                        ready[one] = clock - 1 + _SLOW.get(classify(code.opcode).pipe, _ARITHMETIC)
                if counted:
                    count += number
                    late += number * max(behind, 0)
                    variable += number * (_QUICK in waits)
                    branches += number * (code.opcode.partition(".")[0] in _BRANCHES)
            after[n] = pending
    return 1 + (_LATE * late + _BRANCH * branches + _VARIABLE * variable) / count if count else None


def _answers(code: Instruction) -> str:
    """Return how an instruction of variable latency answers, or '' for one of fixed latency."""
    what, stem = classify(code.opcode), code.opcode.partition(".")[0]
    if what.access in ("load", "atomic") and what.space != "shared" and stem not in _OTHER_VARIABLE:
        return _GLOBAL
    return _QUICK if what.space == "shared" or what.pipe == "xu" or stem in _OTHER_VARIABLE else ""


def _registers(code: Instruction) -> tuple[set[str], set[str]]:
    """Return the registers and predicates that an instruction writes, and those that it reads."""
    sets, uses = written(code), read(code)
    found = [match[1] for operand in code.operands if (match := _PREDICATE.fullmatch(operand))]
    results = 0
    for operand in code.operands[:2]:  # in front of the sources
        if operand in ("PT", "UPT"):
            continue
        if not re.fullmatch(r"U?P\d", operand):
            break
        results += 1
    own = (_PREDICATE.fullmatch(code.predicate),) if code.predicate else ()
    if code.opcode.partition(".")[0] not in _BRANCHES:
        sets = sets | set(found[:results])
        found = found[results:]
    return sets, uses | set(found) | {match[1] for match in own if match}
