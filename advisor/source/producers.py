"""From an instruction that waits back to the load that wrote what it waits for: stall samples sit on the consumer."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice

from advisor.sass import Instruction
from advisor.source.flow import loops
from advisor.source.registers import read, written

# What answers through a long scoreboard: global, local and texture memory.
_LOADS = frozenset(("LD", "LDG", "LDL", "TEX", "TLD", "TLD4", "TXQ", "SULD", "ATOM", "ATOMG"))
# How far back a writer is sought, in instructions.
_MOST_STEPS = 20_000


# What answers through a short scoreboard: shared memory, special functions, conversions, shuffles, special registers.
_SHORT = frozenset(
    ("LDS", "LDSM", "ATOMS", "MUFU", "SHFL", "S2R", "S2UR", "F2F", "F2I", "I2F", "LDC", "MATCH", "POPC", "FLO", "BREV")
)


def answers_short(code: Instruction | None) -> bool:
    """Whether a wait for its result counts as short scoreboard."""
    return code is not None and code.opcode.partition(".")[0] in _SHORT


def is_load(code: Instruction | None) -> bool:
    """Whether a wait for its result counts as long scoreboard."""
    return code is not None and code.opcode.partition(".")[0] in _LOADS


class Producers:
    """The loads behind the waits of one launch's code."""

    def __init__(self, codes: Sequence[Instruction | None], pcs: Sequence[int]) -> None:
        self._codes = codes
        self._written = [written(code) if code is not None else set() for code in codes]
        self._loops = sorted(loops(codes, pcs), key=lambda loop: -loop.depth)
        self._bodies = [frozenset(loop.body) for loop in self._loops]

    def of(self, at: int, source: Callable[[Instruction | None], bool] = is_load) -> tuple[int, ...]:
        """Places of the loads that wrote the registers which the instruction at `at` reads, else overwrites.

        source: which instructions count, loads unless told. Looks backwards through the code, inside a loop first once
        around it. Empty where none is found: the wait may then be for something that no operand names.
        """
        code = self._codes[at]
        if code is None:
            return ()
        if code.opcode.startswith("DEPBAR"):
            behind = ((i, self._codes[i]) for i in self._backwards(at))
            return tuple(islice((i for i, c in behind if c is not None and c.opcode.startswith("LDGSTS")), 1))
        return self._search(at, read(code), source) or self._search(at, written(code), source)

    def _backwards(self, at: int) -> Iterator[int]:
        """Places before `at`, nearest first: around its innermost loop, then in front of that."""
        loop = next((loop for loop, body in zip(self._loops, self._bodies, strict=True) if at in body), None)
        around = loop.body if loop is not None else ()
        split = bisect_left(around, at)
        before = (i for i in range(at - 1, -1, -1) if loop is None or not loop.first <= i <= loop.back)
        return islice(chain(reversed(around[:split]), reversed(around[split:]), before), _MOST_STEPS)

    def _search(self, at: int, wanted: set[str], source: Callable[[Instruction | None], bool]) -> tuple[int, ...]:
        missing, found = set(wanted), set()
        for i in self._backwards(at):
            if not missing:
                break
            code = self._codes[i]
            if code is None or not (hit := self._written[i] & missing):
                continue
            if source(code):
                found.add(i)
            # What is written under a predicate may still hold an older value.
            if not code.predicate:
                missing -= hit
        return tuple(sorted(found))
