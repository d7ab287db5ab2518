"""How many cycles lie between two instructions of a warp, as far as the machine code explains them without memory.

A warp issues one instruction after the other. It waits for the result of arithmetic a few cycles, for shared memory,
special functions and other operations of variable latency some thirty, and at a branch for its target. What is left of
the measured interval are waits for global memory, for other warps, or in the queue of a unit that is full.

Measured in 224 launches of 150 kernels on an H100 and an H200: a warp spends 2.7 cycles in the stall `wait` for each
cycle that a result is late (1.9 and 3.5 at the quartiles), 3.2 (2.7, 5.0) in `branch_resolving` for each branch, and 26
(13, 86) in `short_scoreboard` for each wait for shared memory and the like. The numbers below are rounded down.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from advisor.hardware.sass import Instruction, classify
from advisor.hardware.sass_answers import answers_short, inputs, is_load, results, stem
from advisor.hardware.sass_flow import Codes, Graph

# Cycles of waiting for each cycle that a result is late, for each branch, and for each wait of variable latency.
_LATE, _BRANCH, _VARIABLE = 2.0, 3.0, 30.0
# Cycles from an instruction to the use of its result. Arithmetic: Jia et al. 2018 (Volta; Turing and later likewise);
# double precision and matrices take longer.
_ARITHMETIC: Final = 4
_SLOW: Final = {"fp64": 8, "tensor": 20}
_BRANCHES: Final = frozenset(("BRA", "BRX", "CALL", "RET", "JMP", "BSYNC", "EXIT"))
_GLOBAL, _QUICK = "global", "quick"
Pending = dict[str, str]


def own_cycles(codes: Codes, blocks: Graph, runs: Sequence[float]) -> float | None:
    """Return the cycles between two instructions of a warp without waits for global memory; None if none is executed.

    runs: the expected executions of each instruction.
    """
    after: list[Pending] = [{} for _ in blocks.starts]
    sums = np.zeros(4)
    for _ in range(2):  # the first time for what is pending at the ends of loops
        sums = np.zeros(4)
        for n, (start, end) in enumerate(zip(blocks.starts, blocks.ends, strict=True)):
            pending: Pending = {}
            for before in blocks.before[n]:
                pending = after[before] | pending
            after[n], found = _block(codes[start : end + 1], runs[start : end + 1], pending)
            sums += found
    count, *weighted = sums.tolist()
    return 1 + float(np.dot(weighted, (_LATE, _BRANCH, _VARIABLE))) / count if count else None


def _block(codes: Codes, runs: Sequence[float], pending: Pending) -> tuple[Pending, np.ndarray[Any, Any]]:
    """Return what is pending after a block, and of its executions: all, late cycles, branches, waits for quick answers.

    pending: registers whose value is on its way, and from where.
    """
    sums = np.zeros(4)
    ready: dict[str, int] = {}
    clock = 0
    for code, number in zip(codes, runs, strict=True):
        if code is None or not number:
            continue
        sets, uses = results(code), inputs(code)
        waits = {pending[one] for one in uses | sets if one in pending}
        pending = {one: kind for one, kind in pending.items() if kind not in waits}
        late = max((ready[one] - clock for one in uses if one in ready), default=0)
        clock += 1 + max(late, 0)
        sums += number * np.array([1, max(late, 0), stem(code) in _BRANCHES, _QUICK in waits])
        kind = _answers(code)
        for one in sets:
            pending.pop(one, None)
            ready.pop(one, None)
            if kind:
                pending[one] = kind
            else:
                ready[one] = clock - 1 + _SLOW.get(classify(code.opcode).pipe, _ARITHMETIC)
    return pending, sums


def _answers(code: Instruction) -> str:
    """Return how an instruction of variable latency answers, or '' for one of fixed latency."""
    if is_load(code):
        return _GLOBAL
    return _QUICK if answers_short(code) or classify(code.opcode).pipe == "xu" else ""
