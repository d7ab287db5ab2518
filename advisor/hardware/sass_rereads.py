"""Which global loads of a kernel read the same bytes again, from its machine code.

Two ways to read an array again are seen. In the rounds of an outer loop: the address in the inner loop follows only
from what each round sets up anew, so that every round reads the same places. In loops one after the other: they load
through the same arguments of the kernel, and as much. Whether a cache keeps the bytes in between, the counters tell.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from advisor.hardware.sass import Instruction, parse
from advisor.hardware.sass_answers import inputs, results, stem
from advisor.hardware.sass_flow import Codes, Graph, Loop, graph, innermost, loops

MOST: Final = 1500  # instructions of a kernel that is followed
# Loops that load through one pointer read the same if their numbers of sectors differ by less than this part.
_ALIKE: Final = 0.03
_ROUNDS: Final = 40
_LOADS: Final = frozenset(("LDG", "LD"))
_DESCRIPTOR: Final = re.compile(r"desc\[UR\d+\]")
_ARGUMENT: Final = re.compile(r"c\[0x0\]\[(0x[0-9a-f]+)\]")
# The arguments of a kernel begin here up to CC 8.x and 9.0; what lies before are the shapes of the grid and the block.
_FIRST_ARGUMENT: Final = 0x160


class Rereads(Struct, frozen=True):
    """What the loads of a kernel read again, by its code. Addresses of instructions stand for them.

    repeats: load -> the loops in whose rounds it reads the same places, each by its first instruction and the branches
    that enter it; passes: (arguments, loop) -> the loads in a loop whose addresses follow from the same arguments.
    """

    repeats: dict[int, tuple[tuple[int, tuple[int, ...]], ...]]
    passes: dict[tuple[int, int], tuple[int, ...]]

    def sectors(self, executed: Mapping[int, float], sectors: Mapping[int, float]) -> float:
        """Return the sectors that loads of an earlier round or loop have already read.

        executed, sectors: address -> executions by warps, and sectors of a load.
        """
        again = {load: sectors.get(load, 0.0) * (1 - 1 / self._rounds(load, executed)) for load in self.repeats}
        parts: dict[int, list[float]] = {}
        for (arguments, _), loads in self.passes.items():
            parts.setdefault(arguments, []).append(math.fsum(sectors.get(i, 0.0) - again[i] for i in loads))
        return math.fsum(again.values()) + math.fsum(map(_beyond_first, parts.values()))

    def _rounds(self, load: int, executed: Mapping[int, float]) -> float:
        out = 1.0
        for first, entries in self.repeats[load]:
            entered = math.fsum(executed.get(pc, 0.0) for pc in entries)
            out *= max(1.0, executed.get(first, 0.0) / entered) if entered > 0 else 1.0
        return out


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
    loads = [i for i, code in enumerate(codes) if _is_load(code)]
    if not found or not loads:
        return Rereads({}, {})
    masks = _Masks(codes)
    inner = innermost(len(codes), found)
    arguments = _arguments(codes, blocks, masks)
    repeats: dict[int, tuple[tuple[int, tuple[int, ...]], ...]] = {}
    passes: dict[tuple[int, int], tuple[int, ...]] = {}
    for i in loads:
        around = _repeating(i, inner, found, blocks, masks)
        repeats[pcs[i]] = tuple((pcs[loop.first], _entries(loop, blocks, pcs)) for loop in around)
        at = inner[i]
        if at is not None and arguments[i]:
            passes[arguments[i], at] = (*passes.get((arguments[i], at), ()), pcs[i])
    return Rereads(repeats, passes)


def _beyond_first(parts: Sequence[float]) -> float:
    """Return the sum of the parts that are as large as the largest one, without that one."""
    most = max(parts, default=0.0)
    alike = [part for part in parts if part >= (1 - _ALIKE) * most]
    return math.fsum(alike) - most


def _is_load(code: Instruction | None) -> bool:
    return code is not None and stem(code) in _LOADS


def _address(code: Instruction) -> Instruction:
    """Return a load without the descriptor of its memory, which all loads have."""
    operands = tuple(_DESCRIPTOR.sub("", operand) for operand in code.operands)
    return Instruction(code.predicate, code.opcode, operands)


class _Masks:
    """What instructions read and write, as bits of names. addresses: what the address of a load is computed from."""

    def __init__(self, codes: Codes) -> None:
        self._bits: dict[str, int] = {}
        self.reads = [0 if code is None else self._of(inputs(code)) for code in codes]
        self.writes = [0 if code is None else self._of(results(code)) for code in codes]
        self.addresses = [
            self._of(inputs(_address(code))) if code is not None and _is_load(code) else 0 for code in codes
        ]
        self.always = [code is not None and code.predicate in ("", "PT") for code in codes]

    def _of(self, names: set[str]) -> int:
        out = 0
        for name in names:
            out |= 1 << self._bits.setdefault(name, len(self._bits))
        return out


def _repeating(i: int, inner: Sequence[int | None], found: Sequence[Loop], blocks: Graph, masks: _Masks) -> list[Loop]:
    """Return the loops around a load's own in whose rounds it reads the same places."""
    at = inner[i]
    if at is None:
        return []
    own = set(found[at].body)
    around = [loop for loop in found if len(loop.body) > len(own) and own <= set(loop.body)]
    return [loop for loop in around if not _varies(i, loop, blocks, masks)]


def _entries(loop: Loop, blocks: Graph, pcs: Sequence[int]) -> tuple[int, ...]:
    """Return the instructions from which a loop is entered."""
    body = set(loop.body)
    before = blocks.before[blocks.starts.index(loop.first)]
    return tuple(pcs[blocks.ends[n]] for n in before if blocks.starts[n] not in body)


def _varies(i: int, loop: Loop, blocks: Graph, masks: _Masks) -> bool:
    """Whether the address of a load depends on what one round of a loop leaves to the next."""
    body = {n for n, start in enumerate(blocks.starts) if start in set(loop.body)}
    head = blocks.starts.index(loop.first)
    carried = _live(body, head, blocks, masks) & _written(body, blocks, masks)
    state = dict.fromkeys(body, 0)
    state[head] = carried
    for _ in range(_ROUNDS):
        changed = False
        for n in sorted(body):
            now = state[n]
            for j in range(blocks.starts[n], blocks.ends[n] + 1):
                if j == i and masks.addresses[j] & now:
                    return True
                now = _after(masks, j, now, bool(masks.reads[j] & now))
            for goal in blocks.edges[n]:
                if goal in body and goal != head and now & ~state[goal]:
                    state[goal] |= now
                    changed = True
        if not changed:
            return False
    return True


def _after(masks: _Masks, j: int, now: int, marked: bool) -> int:
    kept = 0 if masks.always[j] else now & masks.writes[j]
    return now & ~masks.writes[j] | kept | (masks.writes[j] if marked else 0)


def _written(body: set[int], blocks: Graph, masks: _Masks) -> int:
    out = 0
    for n in body:
        for j in range(blocks.starts[n], blocks.ends[n] + 1):
            out |= masks.writes[j]
    return out


def _live(body: set[int], head: int, blocks: Graph, masks: _Masks) -> int:
    """Return the names whose value at the head of a loop is read in its round."""
    live = dict.fromkeys(body, 0)
    for _ in range(_ROUNDS):
        changed = False
        for n in sorted(body, reverse=True):
            now = 0
            for goal in blocks.edges[n]:
                if goal in body and goal != head:
                    now |= live[goal]
            for j in range(blocks.ends[n], blocks.starts[n] - 1, -1):
                if masks.always[j]:
                    now &= ~masks.writes[j]
                now |= masks.reads[j]
            if now & ~live[n]:
                live[n] |= now
                changed = True
        if not changed:
            break
    return live[head]


def _arguments(codes: Codes, blocks: Graph, masks: _Masks) -> list[int]:
    """Return for each load the arguments of the kernel that its address follows from, as bits; 0 if none is known."""
    places: dict[str, int] = {}
    own = []
    for code in codes:
        found = _ARGUMENT.findall(" ".join(code.operands)) if code is not None else ()
        bits = 0
        for place in found:
            if int(place, 16) >= _FIRST_ARGUMENT:
                bits |= 1 << places.setdefault(place, len(places))
        own.append(bits)
    names = max((mask.bit_length() for mask in (*masks.reads, *masks.writes)), default=0)
    states: list[dict[int, int] | None] = [None] * len(blocks.starts)
    states[0] = {}
    out = [0] * len(codes)

    def of(state: Mapping[int, int], mask: int) -> int:
        bits = 0
        while mask:
            low = mask & -mask
            bits |= state.get(low, 0)
            mask ^= low
        return bits

    for _ in range(_ROUNDS if names else 0):
        changed = False
        for n, before in enumerate(states):
            if before is None:
                continue
            state = dict(before)
            for j in range(blocks.starts[n], blocks.ends[n] + 1):
                if masks.addresses[j]:
                    out[j] = of(state, masks.addresses[j]) | own[j]
                bits = of(state, masks.reads[j]) | own[j] if not masks.addresses[j] else 0
                rest = masks.writes[j]
                while rest:
                    low = rest & -rest
                    state[low] = bits | (0 if masks.always[j] else state.get(low, 0))
                    rest ^= low
            for goal in blocks.edges[n]:
                known = states[goal]
                if known is None:
                    states[goal], changed = dict(state), True
                else:
                    for name, bits in state.items():
                        if bits & ~known.get(name, 0):
                            known[name] = known.get(name, 0) | bits
                            changed = True
        if not changed:
            return out
    return [0] * len(codes)
