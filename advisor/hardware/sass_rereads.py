"""Which global loads of a kernel read the same bytes again, and which stores write them again, from its machine code.

Two ways to read an array again are seen. In the rounds of an outer loop: the address in the inner loop follows only
from what each round sets up anew, so that every round reads the same places. In loops one after the other: they load
through the same arguments of the kernel, and as much. Of stores the first is seen alone. A loop that loads through the
arguments through which a loop before it stores, and as much, is taken to read back what its thread has stored, if the
kernel has no barrier that would let it read what others have. Whether a cache keeps the bytes, the counters show.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Final, TypeGuard

from msgspec import Struct

from advisor.hardware.sass import Instruction, parse
from advisor.hardware.sass_answers import stem
from advisor.hardware.sass_flow import Codes, Graph, Loop, blocks_of, graph, innermost, loops, reached
from advisor.hardware.sass_names import Names

MOST: Final = 1500  # instructions of a kernel that is followed
# Loops that load through one pointer read the same if their numbers of sectors differ by less than this part.
_ALIKE: Final = 0.03
_ROUNDS: Final = 40
_EACH_ROUND: Final = 0.9  # of the rounds of its loop: a few lack for the bounds of the array
_LOADS: Final = frozenset(("LDG", "LD"))
_STORES: Final = frozenset(("STG", "ST"))
# After these a thread reads what others have stored.
_MEETINGS: Final = frozenset(
    ("BAR", "MEMBAR", "ERRBAR", "SYNCS", "WARPSYNC", "UCGABAR_ARV", "UCGABAR_WAIT", "NANOSLEEP")
)
_DESCRIPTOR: Final = re.compile(r"desc\[UR\d+\]")
_ARGUMENT: Final = re.compile(r"c\[0x0\]\[(0x[0-9a-f]+)\]")
# The arguments of a kernel begin here (up to CC 8.x) or later; before them lie the shapes of the grid and the block.
_FIRST_ARGUMENT: Final = 0x160


class Rereads(Struct, frozen=True):
    """What the loads of a kernel read again, by its code. Addresses of instructions stand for them.

    repeats: load -> the loops in whose rounds it reads the same places, each by its first instruction and the branches
    that enter it; rewrites: the same of stores, with the first instruction of their own loop; passes: (arguments, loop)
    -> the loads in a loop whose addresses follow from the same arguments; stored: the same of stores, none in a kernel
    with barriers or fences; ways: pairs of loops of which the first leads to the second.
    """

    repeats: dict[int, tuple[tuple[int, tuple[int, ...]], ...]]
    passes: dict[tuple[frozenset[int], int], tuple[int, ...]]
    rewrites: dict[int, tuple[int, tuple[tuple[int, tuple[int, ...]], ...]]] = {}
    stored: dict[tuple[frozenset[int], int], tuple[int, ...]] = {}
    ways: frozenset[tuple[int, int]] = frozenset()

    def sectors(self, executed: Mapping[int, float], sectors: Mapping[int, float]) -> float:
        """Return the sectors that loads of an earlier round or loop have already read, without what is read back.

        executed, sectors: address -> executions by warps, and sectors of a load.
        """
        parts: dict[frozenset[int], list[float]] = {}
        results = self._read_back_loops(sectors)
        own = {load for loop in results for load in self.passes[loop]}
        again = {
            load: sectors.get(load, 0.0) * _later(around, executed)
            for load, around in self.repeats.items()
            if load not in own
        }
        for (arguments, at), loads in self.passes.items():
            if (arguments, at) in results:
                continue
            parts.setdefault(arguments, []).append(math.fsum(sectors.get(i, 0.0) - again[i] for i in loads))
        return math.fsum(again.values()) + math.fsum(map(_beyond_first, parts.values()))

    def read_back(self, sectors: Mapping[int, float]) -> float:
        """Return the sectors that loops read after an earlier one has stored them."""
        return math.fsum(self._read_back_loops(sectors).values())

    def _read_back_loops(self, sectors: Mapping[int, float]) -> dict[tuple[frozenset[int], int], float]:
        """Return the sectors of each loop that reads what an earlier one has stored, by arguments and loop."""
        found: dict[tuple[frozenset[int], int], float] = {}
        for (arguments, at), stores in self.stored.items():
            number = math.fsum(sectors.get(i, 0.0) for i in stores)
            reads = [
                (min(loads), later, math.fsum(sectors.get(i, 0.0) for i in loads))
                for (others, later), loads in self.passes.items()
                if others == arguments
            ]
            alike = [(first, later, read) for first, later, read in reads if abs(read - number) <= _ALIKE * number]
            # Values that were loaded before they are stored are read again (`sectors`).
            if any(first < max(stores) for first, _, _ in alike):
                continue
            for _, later, read in alike:
                if later != at and (at, later) in self.ways:
                    found[arguments, later] = read
        return found

    def rewritten(self, executed: Mapping[int, float], sectors: Mapping[int, float]) -> float:
        """Return the sectors that stores of an earlier round have already written. executed, sectors: as above.

        A store that its loop does not reach in each round may belong to the last round alone, and is left out.
        """
        return math.fsum(
            sectors.get(i, 0.0) * _later(around, executed)
            for i, (head, around) in self.rewrites.items()
            if executed.get(i, 0.0) >= _EACH_ROUND * executed.get(head, 0.0)
        )


def rereads(texts: Mapping[int, str]) -> Rereads | None:
    """Return what the loads of a kernel read again; None if its code is not followed.

    texts: address -> instruction, of those that were executed.
    """
    pcs = sorted(texts)
    if not 0 < len(pcs) <= MOST:
        return None
    codes = [parse(texts[pc]) for pc in pcs]
    blocks = graph(codes, pcs)
    found = loops(codes, pcs, blocks)
    if not found or not any(_is_one_of(code, _LOADS) for code in codes):
        return Rereads({}, {})
    code = _Code(codes, blocks)
    inner = innermost(len(codes), found)
    fixed = [_fixed(loop, code) for loop in found]
    repeats: dict[int, tuple[tuple[int, tuple[int, ...]], ...]] = {}
    rewrites: dict[int, tuple[int, tuple[tuple[int, tuple[int, ...]], ...]]] = {}
    passes: dict[tuple[frozenset[int], int], tuple[int, ...]] = {}
    stored: dict[tuple[frozenset[int], int], tuple[int, ...]] = {}
    alone = not any(_is_one_of(each, _MEETINGS) for each in codes)
    for i, arguments in _arguments(code).items():
        around = _repeating(i, inner, found, fixed)
        loads, at = _is_one_of(codes[i], _LOADS), inner[i]
        loops_around = tuple((pcs[loop.first], _entries(loop, blocks, pcs)) for loop in around)
        if loads:
            repeats[pcs[i]] = loops_around
        elif at is not None and around:
            rewrites[pcs[i]] = pcs[found[at].first], loops_around
        if loads and at is not None and arguments:
            passes[arguments, at] = (*passes.get((arguments, at), ()), pcs[i])
        elif at is not None and arguments and alone:
            stored[arguments, at] = (*stored.get((arguments, at), ()), pcs[i])
    return Rereads(repeats, passes, rewrites, stored, _ways(found, blocks) if stored else frozenset())


def _later(around: Sequence[tuple[int, tuple[int, ...]]], executed: Mapping[int, float]) -> float:
    """Return the share of an instruction's executions that are not in the first round of the loops around it."""
    rounds = 1.0
    for first, entries in around:
        entered = math.fsum(executed.get(pc, 0.0) for pc in entries)
        rounds *= max(1.0, executed.get(first, 0.0) / entered) if entered > 0 else 1.0
    return 1 - 1 / rounds


def _beyond_first(parts: Sequence[float]) -> float:
    """Return the sum of the parts that are as large as the largest one, without that one."""
    most = max(parts, default=0.0)
    alike = [part for part in parts if part >= (1 - _ALIKE) * most]
    return math.fsum(alike) - most


def _is_one_of(code: Instruction | None, stems: frozenset[str]) -> TypeGuard[Instruction]:
    return code is not None and stem(code) in stems


def _address(code: Instruction) -> Instruction:
    """Return an access without the descriptor of its memory, which all have, and without the value that it stores."""
    operands = tuple(_DESCRIPTOR.sub("", operand) for operand in code.operands)
    operands = operands[:1] if stem(code) in _STORES else operands
    return Instruction(code.predicate, code.opcode, operands)


def _unguarded(code: Instruction) -> Instruction:
    """Return an instruction without its predicate."""
    return Instruction("", code.opcode, code.operands)


class _Code:
    """A kernel as its accesses are followed.

    addresses: what the address of each is computed from, by its index; unguarded_addresses, unguarded_reads: what an
    address, and the result of an instruction, is computed from, without the predicate.
    """

    def __init__(self, codes: Codes, blocks: Graph) -> None:
        self.codes, self.blocks = codes, blocks
        self.names = Names(codes)
        accesses = {i: _address(code) for i, code in enumerate(codes) if _is_one_of(code, _LOADS | _STORES)}
        self.addresses = {i: self.names.read_by(code) for i, code in accesses.items()}
        # Whether an instruction is executed at all is not what its result is computed from.
        self.unguarded_reads = [self.names.read_by(_unguarded(code)) if code is not None else 0 for code in codes]
        self.unguarded_addresses = {i: self.names.read_by(_unguarded(code)) for i, code in accesses.items()}

    def marked(
        self, begin: int, sources: frozenset[int] = frozenset(), within: frozenset[int] | None = None, head: int = 0
    ) -> set[int] | None:
        """Return the accesses whose addresses follow from marked names; None if that does not settle.

        begin: the names that are marked before block `head`; sources: instructions whose results are marked; within:
        the blocks of a loop with this head, of which one round is followed. Without it, what a load returns is not
        marked: a pointer from memory is no argument; and the predicate of an instruction is not followed.
        """
        names, out = self.names, set[int]()
        addresses, reads = (
            (self.unguarded_addresses, self.unguarded_reads) if within is None else (self.addresses, names.reads)
        )
        state = {head: begin}
        for _ in range(_ROUNDS):
            changed = False
            for n in sorted(state):
                now = state[n]
                for i in self.blocks.places(n):
                    address = addresses.get(i)
                    if address is not None and (address & now or i in sources):
                        out.add(i)
                    ends = address is not None and within is None
                    now = names.after(i, now, not ends and (bool(reads[i] & now) or i in sources))
                for goal in self.blocks.edges[n]:
                    inside = within is None or (goal in within and goal != head)
                    if inside and (goal not in state or now & ~state[goal]):
                        state[goal] = state.get(goal, 0) | now
                        changed = True
            if not changed:
                return out
        return None


def _repeating(
    i: int, inner: Sequence[int | None], found: Sequence[Loop], fixed: Sequence[frozenset[int]]
) -> list[Loop]:
    """Return the loops around an access's own in whose rounds it has the same places. fixed: such ones of each loop."""
    at = inner[i]
    if at is None:
        return []
    own = set(found[at].body)
    return [
        loop
        for loop, same in zip(found, fixed, strict=True)
        if i in same and len(loop.body) > len(own) and own <= set(loop.body)
    ]


def _fixed(loop: Loop, code: _Code) -> frozenset[int]:
    """Return the accesses whose addresses do not depend on what one round of a loop leaves to the next."""
    body = blocks_of(loop, code.blocks)
    head = code.blocks.starts.index(loop.first)
    written = code.names.written(i for n in body for i in code.blocks.places(n))
    varied = code.marked(_live(body, head, code) & written, within=body, head=head)
    return frozenset(code.addresses) - varied if varied is not None else frozenset()


def _ways(found: Sequence[Loop], blocks: Graph) -> frozenset[tuple[int, int]]:
    """Return the pairs of loops, by their indices, of which the first leads to the second."""
    heads = [blocks.starts.index(loop.first) for loop in found]
    behind = [reached(blocks.edges[head], blocks.edges, frozenset()) for head in heads]
    return frozenset(
        (at, other)
        for at, blocks_behind in enumerate(behind)
        for other, head in enumerate(heads)
        if head in blocks_behind
    )


def _entries(loop: Loop, blocks: Graph, pcs: Sequence[int]) -> tuple[int, ...]:
    """Return the instructions from which a loop is entered."""
    body = blocks_of(loop, blocks)
    before = blocks.before[blocks.starts.index(loop.first)]
    return tuple(pcs[blocks.ends[n]] for n in before if n not in body)


def _live(body: frozenset[int], head: int, code: _Code) -> int:
    """Return the names whose value at the head of a loop is read in its round."""
    names, blocks = code.names, code.blocks
    live = dict.fromkeys(body, 0)
    for _ in range(_ROUNDS):
        changed = False
        for n in sorted(body, reverse=True):
            now = 0
            for goal in blocks.edges[n]:
                if goal in body and goal != head:
                    now |= live[goal]
            for i in reversed(blocks.places(n)):
                now = (now & ~names.writes[i] if names.always[i] else now) | names.reads[i]
            if now & ~live[n]:
                live[n] |= now
                changed = True
        if not changed:
            break
    return live[head]


def _arguments(code: _Code) -> dict[int, frozenset[int]]:
    """Return for each access the places of the arguments of the kernel that its address follows from."""
    readers: dict[int, set[int]] = {}
    for i, one in enumerate(code.codes):
        for place in _ARGUMENT.findall(" ".join(one.operands)) if one is not None else ():
            if int(place, 16) >= _FIRST_ARGUMENT:
                readers.setdefault(int(place, 16), set()).add(i)
    out: dict[int, frozenset[int]] = dict.fromkeys(code.addresses, frozenset())
    for place, sources in readers.items():
        found = code.marked(0, frozenset(sources))
        if found is None:
            return dict.fromkeys(code.addresses, frozenset())
        out |= {i: out[i] | {place} for i in found}
    return out
