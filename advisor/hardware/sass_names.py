"""Registers and predicates of machine code as bits, so that sets of them follow the control flow quickly."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from advisor.hardware.sass import Instruction, parse
from advisor.hardware.sass_answers import inputs, results, stem
from advisor.hardware.sass_flow import Codes, Graph, called, graph, reached

# Sets of names that have a property each.
Marks = tuple[int, ...]
# A longer kernel is not followed: the time would be noticed.
MOST_FOLLOWED: Final = 3000
_ROUNDS: Final = 40
CALLS: Final = frozenset(("CALL", "CAL", "JCAL"))
_UNKNOWN_WAYS: Final = frozenset(("BRX", "BRXU", "JMX", "JMXU"))


class Names:
    """What each instruction reads and writes, as masks of the names that occur in a kernel.

    always: whether all lanes execute it, so that its result replaces the old value.
    """

    def __init__(self, codes: Codes) -> None:
        """Give each register and predicate of the code a bit."""
        self._bits: dict[str, int] = {}
        self.reads = [self.read_by(code) if code is not None else 0 for code in codes]
        self.writes = [self._mask(results(code)) if code is not None else 0 for code in codes]
        self.always = [code is not None and code.predicate in ("", "PT") for code in codes]
        self.every = (1 << len(self._bits)) - 1

    def split_predicated(self, codes: Codes, blocks: Iterable[Iterable[int]]) -> None:
        """Let an instruction read what one with the same predicate has written in its block, and not the value before.

        Where a predicate is false the first writes nothing, but the second does not read then either. blocks: the
        places of each straight part of the code.
        """
        names = {1 << at: name for name, at in self._bits.items()}
        for places in blocks:
            # Bit of a name -> predicate of the one that wrote it, and the bit that stands for its result.
            last: dict[int, tuple[str, int]] = {}
            for i in places:
                code = codes[i]
                if code is None:
                    continue
                if not self.always[i]:
                    for bit in _each(self.reads[i]):
                        predicate, result = last.get(bit, ("", 0))
                        if predicate == code.predicate:
                            self.reads[i] = self.reads[i] & ~bit | result
                written = [bit for bit in _each(self.writes[i]) if bit in names]
                changed = {names[bit] for bit in written if names[bit].lstrip("U").startswith("P")}
                for bit in written:
                    last.pop(bit, None)
                if changed:
                    last = {bit: by for bit, by in last.items() if by[0].lstrip("!") not in changed}
                if written and not self.always[i] and code.predicate.lstrip("!") not in changed:
                    result = 1 << len(self._bits)
                    self._bits[f"{i} alone"] = len(self._bits)
                    self.writes[i] |= result
                    last |= dict.fromkeys(written, (code.predicate, result))
        self.every = (1 << len(self._bits)) - 1

    def read_by(self, code: Instruction) -> int:
        """Return what an instruction reads, such as one without some of its operands."""
        return self._mask(inputs(code))

    def _mask(self, names: Iterable[str]) -> int:
        out = 0
        for name in names:
            out |= 1 << self._bits.setdefault(name, len(self._bits))
        return out

    def after(self, i: int, marked: int, result: bool) -> int:
        """Return which names are marked after an instruction. marked: before it; result: whether its result is."""
        written = self.writes[i]
        kept = 0 if self.always[i] else marked & written
        return marked & ~written | kept | (written if result else 0)

    def written(self, places: Iterable[int]) -> int:
        """Return the names that some instructions write."""
        out = 0
        for i in places:
            out |= self.writes[i]
        return out


def code_of(texts: Mapping[int, str]) -> tuple[list[int], list[Instruction | None], Graph, Names] | None:
    """Return the addresses of a kernel's instructions in order, what they are, their blocks and their names.

    texts: address -> instruction, of those that were executed. None for a kernel that is too long to follow, or one
    whose branches lead where only a register knows.
    """
    pcs = sorted(texts)
    if not 0 < len(pcs) <= MOST_FOLLOWED:
        return None
    codes = [parse(texts[pc]) for pc in pcs]
    if any(code is not None and stem(code) in _UNKNOWN_WAYS for code in codes):
        return None
    blocks, names = graph(codes, pcs), Names(codes)
    names.split_predicated(codes, map(blocks.places, range(len(blocks.starts))))
    return pcs, codes, blocks, names


class Calls:
    """The functions that a kernel calls: block of each, and the names that it may write, by the place of the call."""

    def __init__(self, codes: Codes, pcs: Sequence[int], blocks: Graph, names: Names) -> None:
        """Find the blocks behind each call's target, up to its returns."""
        place = {pc: i for i, pc in enumerate(pcs)}
        written: dict[int, int] = {}
        self.to: dict[int, int] = {}
        self.writes: dict[int, int] = {}
        for i, code in enumerate(codes):
            if code is None or stem(code) not in CALLS:
                continue
            at = called(codes, place, i)
            if at is None:  # through a pointer, or out of the kernel
                self.writes[i] = names.every
                continue
            goal = bisect_right(blocks.starts, at) - 1
            if goal not in written:
                body = [j for n in reached([goal], blocks.edges, frozenset()) for j in blocks.places(n)]
                inner = any((own := codes[j]) is not None and stem(own) in CALLS for j in body)
                written[goal] = names.every if inner else names.written(body)
            self.to[i], self.writes[i] = goal, written[goal]


def followed(
    blocks: Graph, step: Callable[[int, Marks], Marks], start: Marks, calls: Calls
) -> list[Marks | None] | None:
    """Return the marks before each block, None for one that no known way leads to; None if they do not settle.

    step: the marks after the instruction at a place, from those before it; start: those at the first one. Where two
    ways meet, a name has the properties of both. A called function begins with what its callers have.
    """
    states: list[Marks | None] = [None] * len(blocks.starts)
    states[0] = start
    for _ in range(_ROUNDS):
        changed = False
        for n, state in enumerate(states):
            if state is None:
                continue
            ways: list[tuple[int, Marks]] = []
            for i in blocks.places(n):
                if i in calls.to:
                    ways.append((calls.to[i], state))
                state = step(i, state)
            for after, given in (*ways, *((after, state) for after in blocks.edges[n])):
                before = states[after]
                merged = given if before is None else tuple(a | b for a, b in zip(before, given, strict=True))
                if merged != before:
                    states[after], changed = merged, True
        if not changed:
            return states
    return None


def _each(mask: int) -> Iterator[int]:
    """Return the bits of a mask, each as a mask of its own."""
    while mask:
        bit = mask & -mask
        yield bit
        mask &= ~bit
