"""Find the instruction whose result a stalled instruction waits for: the producer, which is to blame for the stall.

ncu samples a stalled warp at the instruction that it could not issue. The SASS in a report has no control codes, so
the scoreboard is unknown; registers and predicates identify the producer. The search goes backwards from the stalled
instruction over all paths of the control flow to the definitions that reach it, as GPA does (Zhou et al., CGO 2021),
and with its rules: the opcode must suit the stall reason; a definition that another instruction on the path has used
before has been waited for there; a fixed latency has passed after as many instructions. Where several remain, the stall
is divided by their executions over their distances, and the answer is ambiguous.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from advisor.hardware.sass import Instruction
from advisor.hardware.sass_answers import LONG, SHORT, answers_short, inputs, is_load, results, stem
from advisor.hardware.sass_flow import Graph, graph

# Instructions that read their registers some time after they are issued: who overwrites those has to wait.
_READS_LATE = {
    "long_scoreboard": frozenset(("ST", "STG", "STL", "RED", "REDG", "SUST", "SURED", *LONG)),
    "short_scoreboard": frozenset(("STS", "STSM", *SHORT)),
}
_COPIES = ("LDGSTS",)
# Cycles from a fixed-latency instruction to its result, at most; each instruction on the way takes one at the least.
# Arithmetic takes four to six (Jia et al. 2018, Volta; Turing and later likewise); predicates about twelve; matrix and
# double-precision instructions up to 35.
_FIXED_CYCLES, _SLOW_CYCLES = 13, 35
_SLOW = re.compile(r"D(ADD|FMA|MUL|SETP|MNMX)|[A-Z]+MMA")
# From this share on, one of several producers is the one.
_SURE = 0.9
# How far back a search goes, in instructions, over all paths.
_MOST_STEPS = 20_000
_BARRIER = re.compile(r"BAR|UCGABAR_WAIT|BARRIER")
BLAMED = ("long_scoreboard", "short_scoreboard", "wait", "barrier")
"""The stall reasons that another instruction is to blame for."""


def _is_fixed(code: Instruction | None) -> bool:
    return code is not None and not is_load(code) and not answers_short(code)


SOURCES: dict[str, Callable[[Instruction | None], bool]] = {
    "long_scoreboard": is_load,
    "short_scoreboard": answers_short,
    "wait": _is_fixed,
}


class Source(Struct, frozen=True):
    """A producer that a stalled instruction may wait for: its index, and its share of the stall, 0 to 1.

    sure: no other instruction can be the one, or all others together have less than a tenth of the stall. overwrites:
    the stalled instruction needs no result of it, but writes a register that the producer has yet to write or to read.
    """

    at: int
    share: float
    sure: bool
    overwrites: bool = False


class _Hit(Struct, frozen=True):
    at: int
    distance: int
    overwrites: bool = False


class _Lazy:
    """The registers of each instruction, worked out when they are first needed."""

    def __init__(self, codes: Sequence[Instruction | None], what: Callable[[Instruction], set[str]]) -> None:
        self._codes, self._what = codes, what
        self._known: list[frozenset[str] | None] = [None] * len(codes)

    def __getitem__(self, at: int) -> frozenset[str]:
        found = self._known[at]
        if found is None:
            code = self._codes[at]
            found = self._known[at] = frozenset(self._what(code)) if code is not None else frozenset()
        return found


class Producers:
    """Find the producers behind the stalls of one launch's code.

    executed: how often each instruction was executed, for dividing an ambiguous stall; equal if not given.
    """

    def __init__(
        self, codes: Sequence[Instruction | None], pcs: Sequence[int], executed: Sequence[float] | None = None
    ) -> None:
        self._codes = codes
        self._executed = executed
        self._results = _Lazy(codes, results)
        self._inputs = _Lazy(codes, inputs)
        self._graph: Graph | None = graph(codes, pcs) if codes else None
        self._block = [0] * len(codes)
        if self._graph is not None:
            for number, (start, end) in enumerate(zip(self._graph.starts, self._graph.ends, strict=True)):
                self._block[start : end + 1] = [number] * (end + 1 - start)

    def of(self, at: int, reason: str = "long_scoreboard") -> tuple[int, ...]:
        """Return the indices of the instructions that instruction `at` may wait for, for a reason of SOURCES.

        Empty if none is found: the wait may be for something that no operand names.
        """
        return tuple(sorted({hit.at for hit in self._hits(at, reason)}))

    def blamed(self, at: int, reason: str) -> tuple[Source, ...]:
        """Return the producers of a stall for one of BLAMED, with shares that add up to 1; empty if none is found."""
        hits = self._barriers(at) if reason == "barrier" else self._hits(at, reason)
        nearest: dict[int, int] = {}
        for hit in hits:
            nearest[hit.at] = min(hit.distance, nearest.get(hit.at, hit.distance))
        if reason == "wait" and nearest:
            # A fixed latency has passed for all but the last: the nearest decides.
            least = min(nearest.values())
            nearest = {i: distance for i, distance in nearest.items() if distance == least}
        elif reason == "wait":
            # The delay is then that of the instruction before, such as a pipe that takes the next one after two cycles.
            nearest = {hit.at: 1 for hit in self._nearest(at, lambda one: True)}
        weights = {i: self._count(i) / distance for i, distance in nearest.items()}
        if not sum(weights.values()):
            weights = dict.fromkeys(weights, 1.0)
        total = sum(weights.values())
        sure = max(weights.values(), default=0.0) > _SURE * total
        overwrites = any(hit.overwrites for hit in hits)
        return tuple(Source(i, weights[i] / total, sure, overwrites) for i in sorted(weights))

    def _count(self, at: int) -> float:
        return 1.0 if self._executed is None else self._executed[at]

    def _hits(self, at: int, reason: str) -> list[_Hit]:
        code, source = self._codes[at], SOURCES[reason]
        if code is None:
            return []
        if code.opcode.startswith(("DEPBAR", "LDGDEPBAR")):
            return self._nearest(at, lambda one: stem(one) in _COPIES) if reason != "wait" else []
        found = self._defined(at, self._inputs[at], source)
        if reason == "wait":
            return [hit for hit in found if hit.distance < _cycles(self._codes[hit.at])]
        # Without a value to wait for, one that is still to be written, or read, by an earlier instruction.
        if not found:
            late = _READS_LATE.get(reason, frozenset())
            found = self._defined(at, self._results[at], source)
            found = found or self._readers(at, self._results[at], lambda one: stem(one) in late)
            found = [_Hit(hit.at, hit.distance, True) for hit in found]
        return found

    def _barriers(self, at: int) -> list[_Hit]:
        """Return the nearest barriers before an instruction: a warp waits after its barrier was issued."""
        return self._nearest(at, lambda one: _BARRIER.fullmatch(stem(one)) is not None and ".ARV" not in one.opcode)

    def _nearest(self, at: int, chosen: Callable[[Instruction], bool]) -> list[_Hit]:
        """Return the first chosen instruction on each path backwards."""
        found = []

        def visit(i: int, wanted: frozenset[str]) -> frozenset[str]:
            code = self._codes[i]
            return frozenset() if code is not None and chosen(code) else wanted

        for i, distance, before, after in self._backwards(at, frozenset(("any",)), visit):
            if before and not after:
                found.append(_Hit(i, distance))
        return found

    def _defined(self, at: int, wanted: frozenset[str], source: Callable[[Instruction | None], bool]) -> list[_Hit]:
        """Return the definitions by `source` that reach an instruction and that nothing on the way has waited for."""

        def visit(i: int, missing: frozenset[str]) -> frozenset[str]:
            code = self._codes[i]
            if code is None:
                return missing
            # A register written under a predicate may still hold an older value.
            kept = missing if code.predicate else missing - self._results[i]
            return kept - (self._inputs[i] - self._results[i])

        found = []
        for i, distance, before, _ in self._backwards(at, wanted, visit):
            if self._results[i] & before and source(self._codes[i]):
                found.append(_Hit(i, distance))
        return found

    def _readers(self, at: int, wanted: frozenset[str], late: Callable[[Instruction], bool]) -> list[_Hit]:
        """Return the nearest instructions that read, some time after their issue, what an instruction overwrites."""

        def visit(i: int, missing: frozenset[str]) -> frozenset[str]:
            return missing - self._results[i] - self._inputs[i]

        found = []
        for i, distance, before, _ in self._backwards(at, wanted, visit):
            code = self._codes[i]
            if code is not None and self._inputs[i] & before and late(code) and self._is_open(at, i):
                found.append(_Hit(i, distance))
        return found

    def _is_open(self, at: int, producer: int) -> bool:
        """Return whether nothing before `at` has waited for a producer's result: it may yet have to read registers."""
        made = self._results[producer]
        return not made or any(hit.at == producer for hit in self._defined(at, made, lambda _: True))

    def _backwards(
        self, at: int, wanted: frozenset[str], visit: Callable[[int, frozenset[str]], frozenset[str]]
    ) -> Iterator[tuple[int, int, frozenset[str], frozenset[str]]]:
        """Yield (index, distance, wanted before the visit, after) of the instructions before `at` on all paths.

        visit: returns what is still wanted before the instruction; a path ends where nothing is. A block is passed once
        for each wanted name, on the shortest path first.
        """
        assert self._graph is not None
        starts, ends, before = self._graph.starts, self._graph.ends, self._graph.before
        todo = [(self._block[at], at - 1, 0, wanted)]
        seen: dict[int, frozenset[str]] = {}
        steps = 0
        while todo and steps < _MOST_STEPS:
            fresh = []
            for block, last, distance, missing in sorted(todo, key=lambda one: one[2]):
                for i in range(last, starts[block] - 1, -1):
                    if not missing:
                        break
                    distance += 1
                    steps += 1
                    left = visit(i, missing)
                    yield i, distance, missing, left
                    missing = left
                if not missing:
                    continue
                for previous in before[block]:
                    open_ = missing - seen.get(previous, frozenset())
                    if open_:
                        seen[previous] = seen.get(previous, frozenset()) | open_
                        fresh.append((previous, ends[previous], distance, open_))
            todo = fresh


def _cycles(code: Instruction | None) -> int:
    return _SLOW_CYCLES if code is not None and _SLOW.fullmatch(stem(code)) else _FIXED_CYCLES
