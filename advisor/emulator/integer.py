"""Integer arithmetic and comparison, on vectors and on the uniform datapath."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from advisor.emulator.build import Build, Run, join
from advisor.emulator.program import Operand
from advisor.emulator.state import Group
from advisor.hardware.sass_lanes import COMPARE

Modifier = TypeVar("Modifier")
_U32, _U64 = np.uint32, np.uint64
_WORD = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
COMBINE: dict[str, Callable[[Any, Any], Any]] = {
    "AND": np.logical_and,
    "OR": np.logical_or,
    "XOR": np.logical_xor,
}


def one_of(b: Build, names: Iterable[str], table: Mapping[str, Modifier]) -> Modifier:
    """Return what the first modifier of the table stands for. Raises RefusedError if the instruction has none."""
    found = next((table[name] for name in names if name in table), None)
    if found is None:
        raise b.refuse()
    return found


def split_predicates(b: Build) -> tuple[list[Operand], list[Operand], list[Operand]]:
    """Return the predicates between the destination and the sources, the sources, and the predicates at the end."""
    operands = list(b.ins.operands[1:])
    first: list[Operand] = []
    while operands and operands[0].kind in ("P", "UP"):
        first.append(operands.pop(0))
    last: list[Operand] = []
    while operands and operands[-1].kind in ("P", "UP"):
        last.insert(0, operands.pop())
    return first, operands, last


def iadd3(b: Build) -> Run:
    """IADD3 and UIADD3: a + b + c with up to two carries in (.X) and out."""
    extended = "X" in b.modifiers("X", "64")
    if "64" in b.ins.modifiers:
        raise b.refuse()
    first, sources, last = split_predicates(b)
    if len(sources) != 3 or len(first) > 2:
        raise b.refuse()
    put = b.put(b.operand(0))
    carries = [b.put_predicate(p) for p in first]
    if extended:
        # The negation of an extended addition is a complement; its carry comes in through a predicate.
        gets = [b.u32(_complemented(s)) for s in sources]
        carry_in = [b.predicate(p) for p in last]
    else:
        gets = [b.u32(s) for s in sources]
        carry_in = []
    # Without .X a negated source is its complement plus a carry, which counts in the carry out.
    plus = 0 if extended else sum(s.negative and s.kind != "number" for s in sources)
    raw = gets if not plus else [b.u32(_complemented(s)) for s in sources]
    if not carries and not carry_in:
        x, y, z = gets
        if _zero(sources[2]):
            return lambda g, m: put(g, m, x(g) + y(g))
        if _zero(sources[1]):
            return lambda g, m: put(g, m, x(g) + z(g))
        return lambda g, m: put(g, m, x(g) + y(g) + z(g))

    def run(g: Group, m: Any) -> None:
        total = raw[0](g).astype(_U64) + raw[1](g) + raw[2](g) + _U64(plus)
        for p in carry_in:
            total = total + p(g)
        put(g, m, (total & _WORD).astype(_U32))
        if carries:
            over = total >> _32
            carries[0](g, m, over >= 1)
            if len(carries) > 1:
                carries[1](g, m, over >= 2)

    return run


def _zero(op: Operand) -> bool:
    return op.kind in ("R", "UR") and op.index < 0 and not op.inverted


def _complemented(op: Operand) -> Operand:
    if not op.negative or op.kind == "number":
        return op
    return replace(op, negative=False, absolute=False, inverted=True)


def imad(b: Build) -> Run:
    """IMAD and UIMAD in all forms: low, high and wide products, moves, additions and shifts."""
    known = b.modifiers("WIDE", "HI", "U32", "X", "MOV", "IADD", "SHL")
    first, sources, last = split_predicates(b)
    if len(sources) != 3:
        raise b.refuse()
    unsigned = "U32" in known
    if "WIDE" in known or "HI" in known:
        return _wide(b, first, sources, last, unsigned, "HI" in known, "X" in known)
    if first:
        raise b.refuse("a carry out")
    put = b.put(b.operand(0))
    x, y = b.u32(sources[0]), b.u32(sources[1])
    if "X" in known:
        z = b.u32(_complemented(sources[2]))
        carry = [b.predicate(p) for p in last]

        def extended(g: Group, m: Any) -> None:
            total = x(g) * y(g) + z(g)
            for p in carry:
                total = total + p(g)
            put(g, m, total)

        return extended
    z = b.u32(sources[2])
    if _zero(sources[0]) or _zero(sources[1]):
        return lambda g, m: put(g, m, z(g))
    if _zero(sources[2]):
        return lambda g, m: put(g, m, x(g) * y(g))
    return lambda g, m: put(g, m, x(g) * y(g) + z(g))


def _wide(
    b: Build,
    first: list[Operand],
    sources: list[Operand],
    last: list[Operand],
    unsigned: bool,
    high: bool,
    extended: bool,
) -> Run:
    x, y = b.u32(sources[0]), b.u32(sources[1])
    z = b.u64(_complemented(sources[2]) if extended else sources[2])
    carries = [b.put_predicate(p) for p in first if p.index >= 0]
    carry_in = [b.predicate(p) for p in last] if extended else []
    put_high = b.put(b.operand(0)) if high else None
    put = None if high else b.put64(b.operand(0))

    def run(g: Group, m: Any) -> None:
        if unsigned:
            product = x(g).astype(_U64) * y(g).astype(_U64)
        else:
            product = (x(g).view(np.int32).astype(np.int64) * y(g).view(np.int32).astype(np.int64)).view(_U64)
        added = z(g)
        total = product + added
        over = total < product
        for p in carry_in:
            more = total + p(g).astype(_U64)
            over = over | (more < total)
            total = more
        if put_high is not None:
            put_high(g, m, (total >> _32).astype(_U32))
        elif put is not None:
            put(g, m, total)
        for carry in carries:
            carry(g, m, over)

    return run


def isetp(b: Build) -> Run:
    """ISETP, UISETP: compare integers, combine with predicates; .EX continues a comparison of 64 bits."""
    names = b.modifiers(*COMPARE, *COMBINE, "U32", "EX")
    compare, combine = one_of(b, names, COMPARE), one_of(b, names, COMBINE)
    unsigned = "U32" in names
    puts = b.put_predicate(b.operand(0)), b.put_predicate(b.operand(1))
    x, y = b.u32(b.operand(2)), b.u32(b.operand(3))
    p = b.predicate(b.operand(4))
    low = b.predicate(b.operand(5)) if "EX" in names else None

    def run(g: Group, m: Any) -> None:
        left, right = x(g), y(g)
        if not unsigned:
            left, right = left.view(np.int32), right.view(np.int32)
        found = compare(left, right)
        if low is not None:
            # The high words decide unless they are equal; then the comparison of the low words does.
            found = np.where(left == right, low(g), found)
        also = p(g)
        both = combine(found, also), combine(~found, also)
        puts[0](g, m, both[0])
        puts[1](g, m, both[1])

    return run


def lea(b: Build) -> Run:
    """LEA and ULEA: shift, add, with carries; .HI takes the high word of the shifted pair."""
    names = b.modifiers("HI", "X", "SX32")
    first, sources, last = split_predicates(b)
    high, extended, sign = "HI" in names, "X" in names, "SX32" in names
    if len(sources) != (4 if high and not sign else 3):
        raise b.refuse()
    shift = int(sources[-1].text, 0) & 31
    minus = sources[0].negative
    low_op = sources[0]
    put = b.put(b.operand(0))
    carries = [b.put_predicate(p) for p in first if p.index >= 0]
    carry_in = [b.predicate(p) for p in last] if extended else []
    if not high:
        x, y = b.u32(low_op), b.u32(sources[1])
        if not carries and not carry_in:
            count = _U32(shift)
            return lambda g, m: put(g, m, (x(g) << count) + y(g))
        # A negated operand is the complement of the shifted value plus one.
        x = b.u32(_plain(low_op))

        def low(g: Group, m: Any) -> None:
            moved = x(g) << _U32(shift)
            total = (np.invert(moved).astype(_U64) + _U64(1) if minus else moved.astype(_U64)) + y(g)
            for p in carry_in:
                total = total + p(g)
            put(g, m, (total & _WORD).astype(_U32))
            for carry in carries:
                carry(g, m, total > _WORD)

        return low
    x, y = b.u32(_plain(low_op)), b.u32(sources[1])
    z = b.u32(sources[2]) if not sign else None

    def run(g: Group, m: Any) -> None:
        low_word = x(g)
        top = (low_word.view(np.int32) >> np.int32(31)).view(_U32) if z is None else z(g)
        pair = join(low_word, top)
        if minus:
            pair = np.invert(pair) if extended else np.negative(pair)
        moved = (pair << _U64(shift)) >> _32
        total = moved + y(g)
        for p in carry_in:
            total = total + p(g)
        put(g, m, (total & _WORD).astype(_U32))
        for carry in carries:
            carry(g, m, total > _WORD)

    return run


def _plain(op: Operand) -> Operand:
    if not op.negative:
        return op
    return replace(op, negative=False, absolute=False)


def iabs(b: Build) -> Run:
    """IABS: the absolute value."""
    b.modifiers()
    x, put = b.u32(b.operand(1)), b.put(b.operand(0))
    return lambda g, m: put(g, m, np.abs(x(g).view(np.int32)).view(_U32))


HANDLERS: dict[str, Callable[[Build], Run]] = {
    **dict.fromkeys(("IADD3", "UIADD3"), iadd3),
    **dict.fromkeys(("IMAD", "UIMAD"), imad),
    **dict.fromkeys(("ISETP", "UISETP"), isetp),
    **dict.fromkeys(("LEA", "ULEA"), lea),
    "IABS": iabs,
}
