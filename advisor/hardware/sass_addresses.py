"""Follow registers through machine code: which addresses the lanes of a warp have at each memory instruction, and which
branches depend on data of each lane.

The thread index, the block's shape and constants in the code are known. Kernel arguments and loop counters are the same
in all threads; what is loaded is the same for threads with the same address, and any other result for threads with
the same operands (`hardware.sass_lanes`). At a point that several paths reach, what they agree on is kept, and the
threads of all of them are active; threads leave by a branch whose predicate is known.

The values are those of up to `WARPS` warps of the block at (1, 1, 1). Of an address the lower word is followed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from msgspec import Struct

from advisor.hardware import traffic
from advisor.hardware.lanes import LANES
from advisor.hardware.sass import Instruction, classify
from advisor.hardware.sass_flow import Codes, Graph, called, written
from advisor.hardware.sass_lanes import (
    COMPARE,
    LOADED,
    LOST,
    SCALED,
    UNIFORM,
    WORD_BITS,
    Array,
    Lanes,
    added,
    chosen,
    exactly,
    function_of,
    high_product,
    inverted,
    joined,
    limited,
    logic,
    lost,
    masked,
    multiplied,
    negated,
    number,
    shifted_left,
    shifted_right,
    signed,
)
from advisor.hardware.simulators import LINE, SECTOR

WARPS: Final = 32
# Each instruction is followed a few times; far more would be code that no compiler writes.
_MOST_STEPS: Final = 30_000
_THREAD: Final = {"SR_TID.X": 0, "SR_TID.Y": 1, "SR_TID.Z": 2}
_OPERAND = re.compile(r"([-~!|]*+)(U?R(?:\d++|Z)(?=[.|]|$)|SR\w++(?:\.[XYZ])?|0x[0-9a-f]++|\d++)(?:[.|][.|\w]*)?")
_CONSTANT = re.compile(r"-?\|?c\[0x0\]\[(0x[0-9a-f]+)\]\|?")
_PREDICATE = re.compile(r"(!?)(U?P(?:\d|T))")
_DESTINATION = re.compile(r"U?R(?:\d+|Z)(?:\.\w+)*")
_SCALE = re.compile(r"\.X(4|8|16)\b")
_INDEXED = re.compile(r"\[(R\d+)")
# Where constant bank 0 has the block's shape: since Blackwell behind the driver's own values.
_SHAPE_AT, _SHAPE_AT_BLACKWELL = 0x0, 0x360
_FLOATING: Final = frozenset(("fma", "fp64", "fp16", "tensor", "xu"))
_ACTIVE: Final = "active"
_APART: Final = "apart "  # of a predicate: whether data may set it in some lanes of a warp alone
_YES, _NO = np.ones(1, bool), np.zeros(1, bool)
_STACK: Final = "stack "
_SECTOR_BITS, _LINE_BITS = SECTOR.bit_length() - 1, LINE.bit_length() - 1
_FAR: Final = 1 << 34  # bytes between the classes of an address, whose distance is unknown
State = dict[str, Any]
Held = tuple[list[Lanes], Array, Array | None]  # addresses, the threads that come there, those whose predicate holds


class Reached(Struct, frozen=True):
    """What one execution of an access by a warp reaches, in the mean of the warps that execute it.

    space: global or shared; lanes: active ones; pieces: sectors of global, wavefronts of shared memory; ideal: as few
    as the bytes of these lanes need; passes: those through the data stage of L1; sure: whether the addresses are known
    but for a part that all lanes have, rather than `pieces` and `passes` an upper limit.
    """

    space: str
    lanes: float
    pieces: float
    ideal: float
    passes: float
    sure: bool


def shape_at(cc: str) -> int:
    """Return where constant bank 0 has the block's shape, and 12 bytes behind it that of the grid. cc: such as 9.0."""
    major = cc.partition(".")[0]
    return _SHAPE_AT_BLACKWELL if major.isdecimal() and int(major) >= 10 else _SHAPE_AT


class Follower:
    """Follows the registers of a kernel. block: (x, y, z) in threads; cc: the compute capability, such as 9.0."""

    def __init__(self, codes: Codes, pcs: Sequence[int], blocks: Graph, block: Sequence[int], cc: str = "") -> None:
        self._codes, self._blocks = codes, blocks
        self._place = {pc: i for i, pc in enumerate(pcs)}
        self._changed: dict[int, set[str]] = {}
        x, y, z = (max(1, int(size)) for size in block)
        threads = x * y * z
        warps = -(-threads // LANES)
        chosen_warps = np.unique(np.arange(min(WARPS, warps)) * warps // min(WARPS, warps))
        thread = (chosen_warps[:, None] * LANES + np.arange(LANES)).reshape(-1)
        self._all = thread < threads
        self._lost = lost(np.arange(thread.size))
        self._warp, self._lane = np.repeat(chosen_warps, LANES), thread % LANES
        self._tid = [exactly(thread % x), exactly(thread // x % y), exactly(thread // (x * y))]
        self._shape = [number(size) for size in (x, y, z)]
        self._shape_at = shape_at(cc)
        self.data_branches: set[int] = set()
        """The blocks that end with a branch whose way depends on data of each lane; after `reached`."""

    def reached(self) -> dict[int, tuple[Reached, ...]]:
        """Return what each access of global and shared memory reaches, by its index; {} if that takes too long.

        An asynchronous copy reaches shared and global memory.
        """
        starts, ends, edges = self._blocks.starts, self._blocks.ends, self._blocks.edges
        states: list[State | None] = [None] * len(starts)
        states[0] = {_ACTIVE: self._all}
        todo, addresses, steps = [0], dict[int, Held](), 0
        while todo:
            n = min(todo)  # in the order of the code: loops settle before what follows them
            todo.remove(n)
            state = dict(states[n] or {})
            for i in range(starts[n], ends[n] + 1):
                code = self._codes[i]
                if code is not None:
                    self._step(code, state, i, addresses)
            if len(edges[n]) > 1 and self._is_apart(self._codes[ends[n]], state):
                self.data_branches.add(n)
            steps += ends[n] + 1 - starts[n]
            if steps > _MOST_STEPS:
                self.data_branches.clear()
                return {}
            for goal in edges[n]:
                before, after = states[goal], self._on_the_way(n, goal, state)
                found = after if before is None else _met(before, after)
                if found is not before:
                    states[goal] = found
                    if goal not in todo:
                        todo.append(goal)
        return {i: one for i, held in addresses.items() if (one := self._reached(self._codes[i], *held))}

    def _on_the_way(self, n: int, goal: int, state: State) -> State:
        """Return the state after a branch, with the threads that take this way if the predicate is known."""
        last = self._codes[self._blocks.ends[n]]
        if last is None or len(self._blocks.edges[n]) < 2 or not (last.predicate and last.opcode.startswith("BRA")):
            return dict(state)
        taken = _guard(last, state)
        also = [o for o in last.operands if _PREDICATE.fullmatch(o)]
        if taken is None or also:
            return dict(state)
        way = ~taken if goal == n + 1 else taken
        return state | {_ACTIVE: state[_ACTIVE] & way}

    def _is_apart(self, code: Instruction | None, state: State) -> bool:
        """Whether data of each lane decides about the predicates of an instruction."""
        named = (code.predicate, *code.operands) if code is not None else ()
        return any(self._predicate_apart(one, state) for one in named if _PREDICATE.fullmatch(one))

    def _predicate_apart(self, name: str, state: State) -> bool:
        found = state.get(_APART + name.lstrip("!"), _NO)
        return found is None or bool(found[0])  # None: on one of two ways

    def _value_apart(self, value: Lanes) -> bool:
        """Whether lanes of a warp may differ by data, rather than by a number known from the thread's index."""
        return value.classes is not None and value.kind >= LOADED and not _same_in_warps(value.classes)

    def _step(self, code: Instruction, state: State, i: int, addresses: dict[int, Held]) -> None:
        stem, *modifiers = code.opcode.split(".")
        guard = _guard(code, state)
        if stem == "CALL":
            for name in self._changed_by(called(self._codes, self._place, i)):
                lost = self._of_warp(self._lost) if name.startswith("U") else self._lost
                state[name] = None if "P" in name else lost
            return
        if stem in ("EXIT", "KILL") and guard is not None:
            state[_ACTIVE] = state[_ACTIVE] & ~guard
            return
        found = self._addresses(code, state)
        if found:
            addresses[i] = found, state[_ACTIVE], guard
        self._predicates(stem, modifiers, code, guard, state)
        names = sorted(written(code), key=lambda name: int(name.lstrip("UR")))
        memory = code.memory if stem in ("STL", "LDL") else None
        if memory is not None and memory.on_stack:
            self._spill(code, memory.offset, names, state)
            return
        if not names:
            return
        low = self._result(stem, modifiers, code, state, found[0] if found else None)
        high = UNIFORM if low.classes is None or low.kind <= SCALED else function_of(low.kind, low)
        if stem == "CS2R" and low.known:
            high = number(0)
        for name in names:
            value = low if name == names[0] else high
            if name.startswith("U"):
                value = self._of_warp(value)
            known = state.get(name)
            state[name] = value if not code.predicate or known is None else chosen(guard, value, known)

    def _spill(self, code: Instruction, offset: int, names: Sequence[str], state: State) -> None:
        """Move words to or from fixed places of the stack, which hold them as registers do."""
        count = max(1, classify(code.opcode).width // 32)
        places = [f"{_STACK}{offset + 4 * n}" for n in range(count)]
        if names:
            for name, place in zip(names, places, strict=False):
                value = state.get(place) or self._lost
                state[name] = joined(state[name], value) if code.predicate and name in state else value
            return
        match = _OPERAND.fullmatch(code.operands[-1])
        first = int(match[2][1:]) if match is not None and match[2][1:].isdigit() else None
        for n, place in enumerate(places):
            value = number(0) if first is None else state.get(f"R{first + n}") or UNIFORM
            state[place] = joined(state[place], value) if code.predicate and place in state else value

    def _changed_by(self, goal: int | None) -> set[str]:
        """Return the registers and predicates that a function writes, which is not followed."""
        if goal is None:
            return set()
        if goal not in self._changed:
            found, seen = set[str](), set[int]()
            todo = [bisect_right(self._blocks.starts, goal) - 1]
            while todo:
                n = todo.pop()
                if n not in seen:
                    seen.add(n)
                    todo += self._blocks.edges[n]
                    for code in self._codes[self._blocks.starts[n] : self._blocks.ends[n] + 1]:
                        if code is not None:
                            found |= written(code) | {o for o in code.operands[:2] if re.fullmatch(r"U?P\d", o)}
            self._changed[goal] = found
        return self._changed[goal]

    def _of_warp(self, value: Lanes) -> Lanes:
        """Return what all lanes of a warp share of a value: itself, or something unknown of each warp."""
        if value.uniform:
            return value
        if all(_same_in_warps(part) for part in (value.offsets, value.classes) if part is not None):
            return value
        return lost(self._warp)

    def _addresses(self, code: Instruction, state: State) -> list[Lanes]:
        """Return the addresses of a memory instruction in the order of its operands; none for another one."""
        out = []
        for operand in code.operands:
            at = operand.rfind("[")
            if at < 0 or not operand.endswith("]") or (operand[:at] and not operand.startswith(("desc[", "gdesc["))):
                continue
            parts = []
            for piece in map(str.strip, operand[at + 1 : -1].split("+")):
                value, scale = self._operand(piece, state), _SCALE.search(piece)
                parts.append(multiplied(value, number(int(scale[1]))) if scale else value)
            out.append(added(*parts))
        return out

    def _operand(self, text: str, state: State) -> Lanes:
        match = _OPERAND.fullmatch(text)
        if match is None:
            return self._constant(text, state) if "c[" in text or "cx[" in text else UNIFORM
        sign, name = match.groups()
        value = self._named(name, state)
        return negated(value) if "-" in sign else inverted(value) if "~" in sign else value

    def _named(self, name: str, state: State) -> Lanes:
        if name in ("RZ", "URZ", "SRZ"):
            return number(0)
        if name.startswith("SR"):
            return self._special(name)
        if name.lstrip("U").startswith("R"):
            return state.get(name) or UNIFORM
        return number(int(name, 0))

    def _constant(self, text: str, state: State) -> Lanes:
        match = _CONSTANT.fullmatch(text.replace("[RZ]", "[0x0]"))
        if match is None:
            index = _INDEXED.search(text)
            return function_of(LOADED, state.get(index[1]) or UNIFORM) if index else UNIFORM
        at = int(match[1], 16) - self._shape_at
        return self._shape[at // 4] if at in (0, 4, 8) else UNIFORM

    def _special(self, name: str) -> Lanes:
        if name in _THREAD:
            return self._tid[_THREAD[name]]
        if name == "SR_LANEID":
            return exactly(self._lane)
        if name.startswith("SR_CTAID"):
            return number(1)
        if name.startswith("SR_NTID"):
            return self._shape["XYZ".find(name[-1])]
        if name.startswith(("SR_LTMASK", "SR_LEMASK", "SR_GTMASK", "SR_GEMASK", "SR_EQMASK", "SR_LANEMASK")):
            return function_of(LOST, exactly(self._lane))
        return lost(self._warp) if name == "SR_WARPID" else UNIFORM

    def _result(self, stem: str, modifiers: list[str], code: Instruction, state: State, address: Lanes | None) -> Lanes:
        """Return the lower word of what an instruction writes."""
        if address is not None:  # a load; atomics give each lane another value, and so does local memory
            apart = stem.startswith(("ATOM", "LDSM", "LDL"))
            return self._lost if apart else function_of(LOADED, address)
        operands = list(code.operands)
        first = next((i + 1 for i, o in enumerate(operands) if _DESTINATION.fullmatch(o)), 1)
        sources = [o for o in operands[first:] if not _PREDICATE.fullmatch(o)]
        values = [self._operand(source, state) for source in sources]
        plain = stem[1:] if stem.startswith("U") and stem[1:] in _RULES else stem
        rule = _RULES.get(plain)
        if rule is not None and len(values) >= rule[0]:
            return rule[1](modifiers, values)
        if plain == "SEL" and len(values) == 2:
            return chosen(_held(operands[-1], state), *values)
        if stem == "SHFL":
            return self._shuffled(modifiers, values)
        if stem in ("VOTE", "VOTEU", "REDUX", "CREDUX"):
            return lost(self._warp)
        if classify(code.opcode).pipe in _FLOATING:  # seldom part of an address, but for quotients by an unknown number
            return UNIFORM if all(value.uniform for value in values) else self._lost
        return function_of(LOST, *values)

    def _shuffled(self, modifiers: list[str], values: list[Lanes]) -> Lanes:
        """SHFL: what other lanes have; from one lane of each part of a warp, the same in this part."""
        if values and values[0].uniform:
            return values[0]
        if (
            "IDX" not in modifiers
            or len(values) < 3
            or not values[1].uniform
            or not (values[2].known and values[2].uniform)
        ):
            return self._lost
        part = self._lane & int(values[2].base or 0) >> 8  # PTX manual, shfl.sync: the segment mask
        return lost(self._warp, part)

    def _predicates(
        self, stem: str, modifiers: list[str], code: Instruction, guard: Array | None, state: State
    ) -> None:
        """Set the predicates that an instruction writes; None for unknown ones."""
        if stem in ("R2P", "UR2UP"):  # which of them, a mask says
            names = [name for name in state if name.startswith(("P", "UP"))]
            state.update(dict.fromkeys(names) | dict.fromkeys(_APART + name for name in names))
            return
        operands = list(code.operands)
        sets: list[str] = []
        for operand in operands[:3]:
            if not re.fullmatch(r"U?P(?:\d|T)", operand):
                if not _DESTINATION.fullmatch(operand) or sets:
                    break
                continue
            sets.append(operand)
        if not sets or stem.startswith(("BRA", "SEL", "USEL", "FSEL", "BSYNC", "BREAK", "WARPSYNC")):
            return
        sources = operands[len(sets) :]
        value = self._compared(stem, modifiers, sources, state)
        apart = stem not in ("VOTE", "VOTEU") and any(
            self._predicate_apart(one, state)
            if _PREDICATE.fullmatch(one)
            else self._value_apart(self._operand(one, state))
            for one in sources
        )
        for place, name in enumerate(sets):
            if not name.endswith("T"):
                kept = code.predicate and self._predicate_apart(name, state)
                state[_APART + name] = _YES if apart or kept else _NO
                found = value if place == 0 else None
                if code.predicate and found is not None:
                    before = state.get(name)
                    found = None if guard is None or before is None else np.where(guard, found, before)
                state[name] = found

    def _compared(self, stem: str, modifiers: list[str], sources: list[str], state: State) -> Array | None:
        if stem in ("LOP3", "ULOP3"):
            values = [self._operand(s, state) for s in sources if not _PREDICATE.fullmatch(s)]
            if len(values) == 5 and all(v.known for v in values):  # after its register, often RZ
                nonzero: Array = logic(int(values[4].base or 0), *values[1:4]).values != 0
                return nonzero
            return None
        compare = next((COMPARE[m] for m in modifiers if m in COMPARE), None)
        if stem not in ("ISETP", "UISETP") or compare is None or "EX" in modifiers or len(sources) < 2:
            return None
        one, other = (self._operand(source, state) for source in sources[:2])
        if not one.known or not other.known:
            return None
        a, b = one.values, other.values
        if "U32" not in modifiers:
            a, b = signed(a), signed(b)
        found: Array = compare(a, b)
        third = _held(sources[2], state) if len(sources) > 2 else np.ones(1, bool)
        if "AND" in modifiers:
            return found & third if third is not None else (found if not found.any() else None)
        return found if third is not None and "OR" not in modifiers else None

    def _reached(
        self, code: Instruction | None, found: list[Lanes], active: Array, guard: Array | None
    ) -> tuple[Reached, ...]:
        """Return what the warps reach that execute an instruction; () if none of the followed ones does."""
        what = classify(code.opcode) if code is not None else None
        comes: Array = np.broadcast_to(active, self._all.shape).reshape(-1, LANES)
        rows: Array = np.any(comes, axis=1)  # the warps that execute it, also with no lane
        if code is None or what is None or not what.width or not rows.any():
            return ()
        held = np.ones(1, bool) if guard is None else guard
        mask: Array = (comes & np.broadcast_to(held, self._all.shape).reshape(-1, LANES))[rows]
        size = what.width // 8
        if code.opcode.startswith(("LDSM", "STSM")):  # eight lanes have the addresses of the 16-byte rows of a matrix
            mask, size = mask & (np.arange(LANES) < size * 2), 16
        spaces = [what.space] if what.space in ("global", "shared") else []
        if what.access == "copy":
            spaces = ["shared", "global"] if len(found) > 1 else []
        return tuple(self._cost(space, a, rows, mask, size) for space, a in zip(spaces, found, strict=False))

    def _cost(self, space: str, address: Lanes, rows: Array, mask: Array, size: int) -> Reached:
        offsets = np.broadcast_to(address.offsets + (address.base or 0), self._all.shape).reshape(-1, LANES)[rows]
        sure = True
        if address.classes is not None:
            classes = address.classes.reshape(-1, LANES)[rows]
            sure = bool((classes == classes[:, :1]).all())
            offsets = offsets if sure else offsets + classes * _FAR
        lanes = mask.sum(axis=1)
        if space == "shared":
            pieces, ideal = traffic.wavefronts(offsets, mask, size)
            if not sure:  # lanes of an unknown distance may all use one bank
                pieces = np.maximum(pieces, traffic.distinct(offsets, mask))
            passes = np.maximum(pieces, 1)
        else:
            pieces = _sectors(offsets, mask, size)
            ideal = np.minimum(pieces, -(-lanes * size // SECTOR))
            passes = np.maximum(np.maximum(traffic.sectors(offsets, mask, _LINE_BITS), -(-lanes * size // LINE)), 1)
        counted = [float(one.mean()) for one in (lanes, pieces, ideal, passes)]
        return Reached(space, counted[0], counted[1], counted[2], counted[3], sure)


def _same_in_warps(part: Array) -> bool:
    """Whether all lanes of each warp have the same part of a value."""
    rows = part.reshape(-1, LANES) if part.size > 1 else part.reshape(1, 1)
    return bool((rows == rows[:, :1]).all())


def _sectors(offsets: Array, mask: Array, size: int) -> Array:
    """Return the sectors of each warp. Lanes whose bytes lie in two sectors count the first and the last of all."""
    first = traffic.sectors(offsets, mask, _SECTOR_BITS)
    if size <= 1 or (offsets % size == 0).all():
        return first
    ends = np.concatenate([offsets, offsets + size - 1], axis=1)
    return traffic.distinct(ends >> _SECTOR_BITS, np.concatenate([mask, mask], axis=1))


def _held(operand: str, state: State) -> Array | None:
    """Return the value of a predicate operand, or None if it is unknown."""
    match = _PREDICATE.fullmatch(operand)
    if match is None:
        return None
    value = np.ones(1, bool) if match[2].endswith("T") else state.get(match[2])
    return ~value if value is not None and match[1] else value


def _guard(code: Instruction, state: State) -> Array | None:
    """Return which threads execute an instruction, or None if its predicate is unknown."""
    return _held(code.predicate, state) if code.predicate else np.ones(1, bool)


def _met(before: State, after: State) -> State:
    """Return what holds on both ways; `before` itself if the other one changes nothing. Who is absent was not set."""
    out: State | None = None
    for name, value in after.items():
        if name not in before:
            found, same = value, False
        elif name == _ACTIVE:
            found = before[name] | value
            same = bool((found == before[name]).all())
        elif isinstance(value, Lanes) and isinstance(before[name], Lanes):
            found = joined(before[name], value)
            same = found is before[name] or found.same(before[name])
        else:
            known = before[name]
            same = known is None or (value is not None and value.shape == known.shape and bool((value == known).all()))
            found = known if same else None
        if not same:
            out = dict(before) if out is None else out
            out[name] = found
    return before if out is None else out


Rule = Callable[[list[str], list[Lanes]], Lanes]


def _multiply_add(modifiers: list[str], values: list[Lanes]) -> Lanes:
    return added((high_product if "HI" in modifiers else multiplied)(values[0], values[1]), *values[2:3])


def _shift(modifiers: list[str], values: list[Lanes]) -> Lanes:
    """SHF: a shift of two words, of which a plain shift has RZ for one."""
    low, by, high = values[:3]
    if "L" in modifiers:
        return _upper(values) if "HI" in modifiers else shifted_left(low, by)
    if "HI" in modifiers:
        return shifted_right(high, by, "S32" in modifiers)
    return shifted_right(low, by) if high.known and high.base == 0 else _upper(values)


def _upper(values: list[Lanes]) -> Lanes:
    """The upper word of an address, which threads share but at a multiple of 4 GB."""
    return UNIFORM if all(v.classes is None or v.kind <= SCALED for v in values) else function_of(LOST, *values)


def _scaled_add(modifiers: list[str], values: list[Lanes]) -> Lanes:
    if "HI" not in modifiers:
        return added(shifted_left(values[0], values[2]), values[1])
    if len(values) < 4 or not values[3].known or not values[2].known:
        return added(values[1], _upper([values[0], *values[2:]]))
    # a sign that rounds a division towards zero, or the upper word of a constant's multiple
    by = number(max(WORD_BITS - int(values[3].base or 0), 0))
    return added(shifted_right(values[0], by), values[1])


def _logic(modifiers: list[str], values: list[Lanes]) -> Lanes:
    table = values[3]
    return logic(int(table.base or 0), *values[:3]) if table.known else function_of(LOST, *values)


def _extended(modifiers: list[str], values: list[Lanes]) -> Lanes:
    """SGXT: the low bits of a word, with their sign or zeros above."""
    value, bits = values[:2]
    if not bits.known or not bits.uniform:
        return function_of(LOST, value, bits)
    count = min(int(bits.base or 0), WORD_BITS)
    if "U32" in modifiers:
        return masked(value, number((1 << count) - 1))
    if not value.known:
        return added(value, UNIFORM) if value.classes is None else value
    low = value.values & ((1 << count) - 1)
    return exactly((low - ((low >> max(count - 1, 0) & 1) << count)) % (1 << WORD_BITS))


# How many operands a rule needs, and the rule.
_RULES: Final[Mapping[str, tuple[int, Rule]]] = {
    **dict.fromkeys(
        ("MOV", "MOV32I", "S2R", "S2UR", "CS2R", "LDC", "LDCU", "R2UR", "I2I", "IABS", "LEPC"),
        (1, lambda modifiers, values: values[0]),
    ),
    **dict.fromkeys(("IADD3", "IADD", "VIADD", "IADD32I"), (1, lambda modifiers, values: added(*values))),
    "IMAD": (3, _multiply_add),
    "IMUL": (2, _multiply_add),
    "SHF": (3, _shift),
    "SGXT": (2, _extended),
    "LEA": (3, _scaled_add),
    "LOP3": (4, _logic),
    **dict.fromkeys(("IMNMX", "VIMNMX"), (2, lambda modifiers, values: limited(*values[:2]))),
    "VIADDMNMX": (3, lambda modifiers, values: limited(added(*values[:2]), values[2])),
}
