"""What the warps of a block execute between two barriers, from the machine code of a kernel and its counts.

Two kinds of parts cost most of their time at the barriers. The levels of a tree or scan: a few instructions, with
accesses to shared memory alone, between each two barriers. And the work of one thread, for which all other warps wait.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from msgspec import Struct

from advisor.hardware.sass import Instruction, parse
from advisor.hardware.sass_answers import stem
from advisor.hardware.sass_flow import backward, following, reached, target

MOST: Final = 3000  # instructions of a kernel that is followed
_MOST_STEPS: Final = 400_000  # barriers times instructions
# A level of a tree compares, loads one or two values, combines and stores: some ten instructions. Where a part has
# more than this, the accesses in it are work of their own.
_LEVEL: Final = 16.0
# An instruction that each warp executes more often than this between two barriers is in a loop.
_ONCE: Final = 1.5
# Lanes that execute an instruction of a single thread, on average of its executions.
_ONE_LANE: Final = 1.5
# A block that is large enough for one lane to matter has four warps or more. Where more than a fourth of them come to
# an instruction of one lane, it is a lane of each warp.
_ONE_WARP: Final = 0.25
_SHARED: Final = frozenset(("LDS", "STS", "ATOMS"))
_BRANCHES: Final = frozenset(("BRA", "BRX", "JMP", "CALL", "EXIT", "RET", "BSSY", "BSYNC", "BREAK", "WARPSYNC"))
# Accesses to other memory, calls, whose work is not followed, matrix instructions, and waits for copies.
_ELSEWHERE: Final = re.compile(
    r"(?:LDG?|STG?|ATOMG?|REDG?|LDL|STL|LDGSTS|UBLK\w*|UTMA\w*|TEX\w*|TLD\w*|SU\w+|CALL|SYNCS|\w*MMA)"
)
# Waits for other blocks or copies, which take as long in any number of lanes.
_POLLS: Final = re.compile(r"(?:ATOMG?|REDG?|SYNCS|NANOSLEEP)\b|LDG?\b.*\.STRONG\b")


class Part(Struct, frozen=True):
    """The instructions that may run after a barrier and before the next one, by address; barrier: its own address.

    ends: the addresses of the barriers that it may come to; exchanges: it accesses shared memory and no other; shared:
    the addresses of these accesses; levels: some threads may skip them; stores: some write; polls: it may wait for
    other blocks; always: the instructions without a predicate, and the branches.
    """

    barrier: int
    body: tuple[int, ...]
    ends: tuple[int, ...]
    exchanges: bool
    shared: tuple[int, ...]
    levels: bool
    stores: bool
    polls: bool
    always: tuple[int, ...]


class Parts(Struct, frozen=True):
    """The parts of a kernel between its barriers."""

    parts: tuple[Part, ...]

    def exchanged(self, executed: Mapping[int, float]) -> float:
        """Return the instructions in the levels of trees and scans, with their barriers. executed: by warps."""
        short = self._short(executed)
        levels = [part for part in short if part.levels]
        starts = {part.barrier for part in levels}
        # A level of a scan has two barriers: some threads load the value of another before the one, and all threads
        # combine and store after it.
        loaded = {end for part in levels if not part.stores for end in part.ends}
        halves = [part for part in short if part.barrier in loaded and starts & set(part.ends)]
        inside = {pc for part in (*levels, *halves) for pc in (part.barrier, *part.body)}
        return math.fsum(executed.get(pc, 0.0) for pc in inside)

    def lanes(self, executed: Mapping[int, float], threads: Mapping[int, float]) -> float | None:
        """Return how many lanes take part in the shared accesses of levels on average; None without such accesses.

        threads: executions by threads. A warp in which no lane takes part executes the access too, with none.
        """
        shared = {pc for part in self._short(executed) if part.levels for pc in part.shared}
        met = math.fsum(executed.get(pc, 0.0) for pc in shared)
        return math.fsum(threads.get(pc, 0.0) for pc in shared) / met if met else None

    def _short(self, executed: Mapping[int, float]) -> list[Part]:
        """Return the parts that exchange values through shared memory and are as short as a level of a tree."""
        lengths = self._lengths(executed)
        return [part for part in self.parts if part.exchanges and self._once(part, lengths)]

    @staticmethod
    def _once(part: Part, lengths: Mapping[int, float]) -> bool:
        """Whether a part is as short as a level of a tree, and has no loop."""
        passes = [lengths[pc] for pc in part.body]
        return math.fsum(passes) <= _LEVEL and max(passes, default=0.0) <= _ONCE

    def serial(self, executed: Mapping[int, float], threads: Mapping[int, float]) -> float:
        """Return the instructions that one lane of a block executes between two barriers.

        threads: executions by threads. An instruction under a predicate is executed by warps in which no lane has work,
        as in a tree, so it does not count.
        """
        out: set[int] = set()
        for part in self.parts:
            if part.polls:
                continue
            # A run of instructions is that of one lane of the block if one warp in four or fewer enters it; its loops
            # may have more executions.
            for run in _runs(part.always, lambda pc: 0 < threads.get(pc, math.inf) < _ONE_LANE * executed.get(pc, 0.0)):
                if min(executed[pc] for pc in run) <= _ONE_WARP * executed.get(part.barrier, 0.0):
                    out.update(run)
        return math.fsum(executed[pc] for pc in out)

    def _lengths(self, executed: Mapping[int, float]) -> dict[int, float]:
        """Return how often each instruction is executed for each barrier before it."""
        met: dict[int, float] = {}
        for part in self.parts:
            for pc in part.body:
                met[pc] = met.get(pc, 0.0) + executed.get(part.barrier, 0.0)
        return {pc: executed.get(pc, 0.0) / count if count else math.inf for pc, count in met.items()}


def parts_between(texts: Mapping[int, str]) -> Parts | None:
    """Return what runs between the barriers of a kernel; None if its code is not followed.

    texts: address -> instruction, of those that were executed.
    """
    pcs = sorted(texts)
    if not 0 < len(pcs) <= MOST:
        return None
    codes = [parse(texts[pc]) for pc in pcs]
    barriers = [i for i, code in enumerate(codes) if _is_barrier(code)]
    if len(barriers) * len(pcs) > _MOST_STEPS:
        return None
    if not barriers:
        return Parts(())
    after = following(codes, pcs)
    before = backward(after)
    stops = frozenset(barriers)
    to_barrier = reached([i for barrier in barriers for i in before[barrier]], before, stops)
    found = []
    for barrier in barriers:
        body = sorted(reached(after[barrier], after, stops) & to_barrier)
        steps = [(pcs[i], code) for i in body if (code := codes[i]) is not None]
        exchanges = _exchanges(code for _, code in steps)
        found.append(
            Part(
                pcs[barrier],
                tuple(pcs[i] for i in body),
                tuple(sorted({pcs[i] for one in (barrier, *body) for i in after[one] if i in stops})),
                exchanges,
                tuple(pc for pc, code in steps if stem(code) in _SHARED),
                exchanges and _in_some_threads(steps),
                any(stem(code) in ("STS", "ATOMS") for _, code in steps),
                any(_POLLS.match(code.opcode) for _, code in steps),
                tuple(pc for pc, code in steps if not code.predicate or stem(code) in _BRANCHES),
            )
        )
    return Parts(tuple(found))


def _is_barrier(code: Instruction | None) -> bool:
    return code is not None and stem(code) == "BAR" and ".ARV" not in code.opcode


def _exchanges(codes: Iterable[Instruction]) -> bool:
    """Whether some of the instructions access shared memory, and none other memory."""
    stems = {stem(code) for code in codes}
    return not stems.isdisjoint(_SHARED) and not any(_ELSEWHERE.fullmatch(one) for one in stems)


def _in_some_threads(steps: Sequence[tuple[int, Instruction]]) -> bool:
    """Whether some threads may skip the accesses to shared memory: in a level the others have no work."""
    skips = any(code.predicate and (goal := target(code)) is not None and goal > pc for pc, code in steps)
    return skips or any(code.predicate for _, code in steps if stem(code) in _SHARED)


def _runs(pcs: Iterable[int], chosen: Callable[[int], bool]) -> Iterator[list[int]]:
    """Return the chosen addresses of a list, those without another one in between together."""
    for wanted, run in groupby(pcs, chosen):
        if wanted:
            yield list(run)
