"""Integer, logical, move and predicate instructions, on vectors and on the uniform datapath."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from advisor.emulator.build import Build, Getter, Run, join, scalar
from advisor.emulator.program import Operand
from advisor.emulator.state import Array, Group

Modifier = TypeVar("Modifier")
_U32, _U64 = np.uint32, np.uint64
_WORD = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "LT": np.less,
    "LE": np.less_equal,
    "GT": np.greater,
    "GE": np.greater_equal,
    "EQ": np.equal,
    "NE": np.not_equal,
}
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


def mov(b: Build) -> Run:
    """MOV, UMOV: copy 32 bits."""
    b.modifiers()
    if len(b.ins.operands) > 2 and b.operand(2).text not in ("0xf",):
        raise b.refuse("a lane mask")
    get, put = b.u32(b.operand(1)), b.put(b.operand(0))
    return lambda g, m: put(g, m, get(g))


def sel(b: Build) -> Run:
    """SEL, USEL, FSEL: choose by a predicate."""
    b.modifiers("FTZ")
    floats = b.ins.opcode == "FSEL"
    if floats:
        left, right = (b.f32(b.operand(i), "FTZ" in b.ins.modifiers) for i in (1, 2))
        put = b.put_float(b.operand(0))
    else:
        left, right = b.u32(b.operand(1)), b.u32(b.operand(2))
        put = b.put(b.operand(0))
    p = b.predicate(b.operand(3))
    return lambda g, m: put(g, m, np.where(p(g), left(g), right(g)))


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


def viadd(b: Build) -> Run:
    """VIADD, IADD, UIADD: a + b."""
    b.modifiers()
    x, y, put = b.u32(b.operand(1)), b.u32(b.operand(2)), b.put(b.operand(0))
    return lambda g, m: put(g, m, x(g) + y(g))


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


def lop3(b: Build) -> Run:
    """LOP3.LUT, ULOP3.LUT: any function of three bits; optionally whether the result is not zero."""
    b.modifiers("LUT", "PAND")
    operands = list(b.ins.operands)
    outs = [operands.pop(0)] if operands[0].kind in ("P", "UP") else []
    put = b.put(operands.pop(0))
    last = [o for o in operands if o.kind in ("P", "UP")]
    sources = [o for o in operands if o.kind not in ("P", "UP")]
    if len(sources) != 4 or sources[3].kind != "number":
        raise b.refuse()
    table = int(sources[3].text, 0)
    gets = [b.u32(s) for s in sources[:3]]
    predicates = [b.put_predicate(p) for p in outs]
    p_in = b.predicate(last[0]) if last else None
    conjunction = "PAND" in b.ins.modifiers

    def run(g: Group, m: Any) -> None:
        found = logic(table, gets, g)
        hit = found != 0
        if p_in is not None:
            hit = (hit & p_in(g)) if conjunction else (hit | p_in(g))
        put(g, m, found)
        for p in predicates:
            p(g, m, hit)

    return run


_COMMON: dict[int, Callable[[Any, Any, Any], Any]] = {
    0xC0: lambda x, y, z: x & y,
    0xFC: lambda x, y, z: x | y,
    0x3C: lambda x, y, z: x ^ y,
    0x96: lambda x, y, z: x ^ y ^ z,
    0xFE: lambda x, y, z: x | y | z,
    0x80: lambda x, y, z: x & y & z,
    0xF8: lambda x, y, z: x | (y & z),
    0xEA: lambda x, y, z: (x & y) | z,
    0x33: lambda x, y, z: ~y,
    0x0F: lambda x, y, z: ~x,
}


def logic(table: int, gets: list[Getter], g: Group) -> Array:
    """Apply a table of eight bits to three operands: bit 4a + 2b + c is the result for the bits a, b, c."""
    x, y, z = (get(g) for get in gets)
    common = _COMMON.get(table)
    if common is not None:
        return np.asarray(common(x, y, z))
    out: Any = None
    for i in range(8):
        if table >> i & 1:
            term = (x if i & 4 else ~x) & (y if i & 2 else ~y) & (z if i & 1 else ~z)
            out = term if out is None else out | term
    return np.zeros((1, 1), _U32) if out is None else np.asarray(out)


def plop3(b: Build) -> Run:
    """PLOP3.LUT, UPLOP3.LUT: a function of three predicates."""
    b.modifiers("LUT")
    puts = b.put_predicate(b.operand(0)), b.put_predicate(b.operand(1))
    gets = [b.predicate(b.operand(i)) for i in (2, 3, 4)]
    tables = [int(b.operand(i).text, 0) for i in (5, 6)] if len(b.ins.operands) > 6 else [int(b.operand(5).text, 0), 0]

    def run(g: Group, m: Any) -> None:
        x, y, z = (get(g) for get in gets)
        index = x * np.int8(4) + y * np.int8(2) + z
        for put, table in zip(puts, tables, strict=True):
            put(g, m, np.array([bool(table >> i & 1) for i in range(8)])[index])

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


def shf(b: Build) -> Run:
    """SHF, USHF, and SHL/SHR in their names: funnel shifts of a pair of words."""
    names = b.modifiers("L", "R", "W", "U32", "S32", "U64", "S64", "HI", "CLAMP")
    left = "L" in names
    high, wide, wrap = "HI" in names, "U64" in names or "S64" in names, "W" in names
    signed = "S32" in names or "S64" in names
    put = b.put(b.operand(0))
    x, n, y = b.u32(b.operand(1)), b.u32(b.operand(2)), b.u32(b.operand(3))
    width = 64 if wide else 32

    def run(g: Group, m: Any) -> None:
        count = n(g)
        count = count & _U32(width - 1) if wrap else np.minimum(count, _U32(width))
        count64 = count.astype(_U64)
        low, top = x(g), y(g)
        pair = join(low, top)
        if left:
            moved = np.where(count64 >= 64, _U64(0), pair << np.minimum(count64, _U64(63)))
            out = moved >> _32 if high else moved & _WORD
        elif signed:
            moved = (pair.view(np.int64) >> np.minimum(count64, _U64(63)).astype(np.int64)).view(_U64)
            out = moved
            if high:
                out = (top.view(np.int32).astype(np.int64) >> np.minimum(count64, _U64(63)).astype(np.int64)).view(_U64)
        else:
            moved = np.where(count64 >= 64, _U64(0), pair >> np.minimum(count64, _U64(63)))
            out = moved
            if high:
                out = np.where(count64 >= 64, _U64(0), top.astype(_U64) >> np.minimum(count64, _U64(63)))
        put(g, m, (out & _WORD).astype(_U32))

    return run


def prmt(b: Build) -> Run:
    """PRMT: choose four of eight bytes."""
    b.modifiers()
    put = b.put(b.operand(0))
    x, s, y = b.u32(b.operand(1)), b.u32(b.operand(2)), b.u32(b.operand(3))

    def run(g: Group, m: Any) -> None:
        pair, select = join(x(g), y(g)), s(g).astype(_U64)
        out: Any = _U64(0)
        for i in range(4):
            nibble = select >> _U64(4 * i)
            byte = (pair >> ((nibble & _U64(7)) << _U64(3))) & _U64(0xFF)
            sign = (nibble & _U64(8)) != 0
            byte = np.where(sign, np.where(byte & _U64(0x80), _U64(0xFF), _U64(0)), byte)
            out = out | (byte << _U64(8 * i))
        put(g, m, out.astype(_U32))

    return run


def minmax(b: Build) -> Run:
    """IMNMX, UIMNMX, VIMNMX: minimum where the predicate is true, else maximum."""
    names = b.modifiers("U32", "S32")
    x, y, p, put = b.u32(b.operand(1)), b.u32(b.operand(2)), b.predicate(b.operand(3)), b.put(b.operand(0))
    kind: Any = _U32 if "U32" in names else np.int32

    def run(g: Group, m: Any) -> None:
        left, right = x(g).view(kind), y(g).view(kind)
        put(g, m, np.where(p(g), np.minimum(left, right), np.maximum(left, right)).view(_U32))

    return run


def viaddmnmx(b: Build) -> Run:
    """VIADDMNMX: the minimum or maximum of a + b and c."""
    names = b.modifiers("U32", "RELU")
    if "RELU" in names:
        raise b.refuse()
    x, y, z = (b.u32(b.operand(i)) for i in (1, 2, 3))
    p, put = b.predicate(b.operand(4)), b.put(b.operand(0))
    kind: Any = _U32 if "U32" in names else np.int32

    def run(g: Group, m: Any) -> None:
        left, right = (x(g) + y(g)).view(kind), z(g).view(kind)
        put(g, m, np.where(p(g), np.minimum(left, right), np.maximum(left, right)).view(_U32))

    return run


def iabs(b: Build) -> Run:
    """IABS: the absolute value."""
    b.modifiers()
    x, put = b.u32(b.operand(1)), b.put(b.operand(0))
    return lambda g, m: put(g, m, np.abs(x(g).view(np.int32)).view(_U32))


def popc(b: Build) -> Run:
    """POPC, UPOPC: count the bits."""
    b.modifiers()
    x, put = b.u32(b.operand(1)), b.put(b.operand(0))
    return lambda g, m: put(g, m, count_bits(x(g)))


def count_bits(value: Array) -> Array:
    """Return the number of bits of each uint32."""
    v = value - ((value >> _U32(1)) & _U32(0x55555555))
    v = (v & _U32(0x33333333)) + ((v >> _U32(2)) & _U32(0x33333333))
    v = (v + (v >> _U32(4))) & _U32(0x0F0F0F0F)
    return np.asarray((v * _U32(0x01010101)) >> _U32(24))


def flo(b: Build) -> Run:
    """FLO, UFLO: the highest bit that is set (.SH: counted from the top), all ones if none is."""
    names = b.modifiers("U32", "SH", "S32")
    x, put = b.u32(b.operand(1)), b.put(b.operand(0))
    signed, shift = "U32" not in names, "SH" in names

    def run(g: Group, m: Any) -> None:
        value = x(g)
        if signed:
            value = np.where(value.view(np.int32) < 0, ~value, value)
        top = np.frexp(value.astype(np.float64))[1] - 1
        found = np.where(value == 0, -1, 31 - top if shift else top)
        put(g, m, found.astype(np.int64).astype(_U32))

    return run


def brev(b: Build) -> Run:
    """BREV, UBREV: reverse the bits."""
    b.modifiers()
    x, put = b.u32(b.operand(1)), b.put(b.operand(0))

    def run(g: Group, m: Any) -> None:
        v = x(g)
        for step, bits in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF)):
            v = ((v >> _U32(step)) & _U32(bits)) | ((v & _U32(bits)) << _U32(step))
        put(g, m, (v >> _U32(16)) | (v << _U32(16)))

    return run


def bmsk(b: Build) -> Run:
    """BMSK, UBMSK: a mask of n bits from a position on."""
    names = b.modifiers("C", "W")
    start, count, put = b.u32(b.operand(1)), b.u32(b.operand(2)), b.put(b.operand(0))
    wrap = "W" in names

    def run(g: Group, m: Any) -> None:
        at, n = start(g).astype(_U64), count(g).astype(_U64)
        if wrap:
            at, n = at & _U64(31), n & _U64(31)
        bits = (_U64(1) << np.minimum(n, _32)) - _U64(1)
        put(g, m, np.where(at >= 32, _U64(0), (bits << np.minimum(at, _32)) & _WORD).astype(_U32))

    return run


def sgxt(b: Build) -> Run:
    """SGXT, USGXT: extend the sign (or zeros) from a bit position."""
    names = b.modifiers("U32", "W")
    x, n, put = b.u32(b.operand(1)), b.u32(b.operand(2)), b.put(b.operand(0))
    unsigned, wrap = "U32" in names, "W" in names

    def run(g: Group, m: Any) -> None:
        count = n(g) & _U32(31) if wrap else np.minimum(n(g), _U32(32))
        rest = (_U32(32) - count).astype(_U64)
        moved = (x(g).astype(_U64) << rest) & _WORD
        if unsigned:
            put(g, m, (moved >> rest).astype(_U32))
        else:
            put(g, m, (moved.astype(_U32).view(np.int32).astype(np.int64) >> rest.astype(np.int64)).astype(_U32))

    return run


def idp(b: Build) -> Run:
    """IDP.4A, IDP.2A: products of bytes (and halves), added."""
    names = b.modifiers("4A", "2A", "LO", "HI", "U8", "S8", "U16", "S16")
    if names[:1] != ("4A",) or len(names) != 3:
        raise b.refuse()
    x, y, z, put = b.u32(b.operand(1)), b.u32(b.operand(2)), b.u32(b.operand(3)), b.put(b.operand(0))

    def parts(value: Array, form: str) -> list[Array]:
        found = [(value >> _U32(8 * i)) & _U32(0xFF) for i in range(4)]
        return [(f << _U32(24)).view(np.int32) >> np.int32(24) if form == "S8" else f.view(np.int32) for f in found]

    def run(g: Group, m: Any) -> None:
        total = z(g).view(np.int32).astype(np.int64)
        for left, right in zip(parts(x(g), names[1]), parts(y(g), names[2]), strict=True):
            total = total + left.astype(np.int64) * right
        put(g, m, total.astype(_U32))

    return run


def p2r(b: Build) -> Run:
    """P2R: put predicates into the bits of a register, where a mask says so."""
    b.modifiers()
    if b.operand(1).text != "PR":
        raise b.refuse()
    x, put = b.u32(b.operand(2)), b.put(b.operand(0))
    mask = int(b.operand(3).text, 0)
    state = b.state
    for i in range(7):
        b.noting.add(("P", i))

    def run(g: Group, m: Any) -> None:
        bits: Any = scalar(0)
        for i in range(7):
            bits = bits | (state.predicates[i, g.at].astype(_U32) << _U32(i))
        put(g, m, (x(g) & _U32(~mask & 0xFFFFFFFF)) | (bits & _U32(mask)))

    return run


def r2p(b: Build) -> Run:
    """R2P: set predicates from the bits of a register."""
    if b.modifiers("B1", "B2", "B3") or b.operand(0).text != "PR":
        raise b.refuse()
    x, mask = b.u32(b.operand(1)), int(b.operand(2).text, 0)
    puts = [(i, b.put_predicate(Operand("P", i))) for i in range(7) if mask >> i & 1]

    def run(g: Group, m: Any) -> None:
        bits = x(g)
        for i, put in puts:
            put(g, m, (bits >> _U32(i)) & _U32(1) != 0)

    return run


def cs2r(b: Build) -> Run:
    """CS2R: read a special register; zero and the clock (the number of executed instructions) are known."""
    names = b.modifiers("32")
    source = b.operand(1).text
    put = b.put(b.operand(0))
    high = None if "32" in names else b.put(b.operand(0), 1)
    machine = b.machine
    if source == "SRZ":
        value: Callable[[], int] = lambda: 0  # noqa: E731
    elif source in ("SR_CLOCKLO", "SR_CLOCK", "SR_GLOBALTIMERLO", "SR_GLOBALTIMER"):
        value = lambda: machine.steps_done & 0xFFFFFFFF  # noqa: E731
    else:
        raise b.refuse(source)

    def run(g: Group, m: Any) -> None:
        put(g, m, scalar(value()))
        if high is not None:
            high(g, m, scalar(0))

    return run


HANDLERS: dict[str, Callable[[Build], Run]] = {
    **dict.fromkeys(("MOV", "UMOV"), mov),
    **dict.fromkeys(("SEL", "USEL", "FSEL"), sel),
    **dict.fromkeys(("IADD3", "UIADD3"), iadd3),
    **dict.fromkeys(("VIADD", "UVIADD"), viadd),
    **dict.fromkeys(("IMAD", "UIMAD"), imad),
    **dict.fromkeys(("ISETP", "UISETP"), isetp),
    **dict.fromkeys(("LOP3", "ULOP3"), lop3),
    **dict.fromkeys(("PLOP3", "UPLOP3"), plop3),
    **dict.fromkeys(("LEA", "ULEA"), lea),
    **dict.fromkeys(("SHF", "USHF"), shf),
    **dict.fromkeys(("PRMT", "UPRMT"), prmt),
    **dict.fromkeys(("IMNMX", "VIMNMX", "UIMNMX", "UVIMNMX"), minmax),
    "VIADDMNMX": viaddmnmx,
    "IABS": iabs,
    **dict.fromkeys(("POPC", "UPOPC"), popc),
    **dict.fromkeys(("FLO", "UFLO"), flo),
    **dict.fromkeys(("BREV", "UBREV"), brev),
    **dict.fromkeys(("BMSK", "UBMSK"), bmsk),
    **dict.fromkeys(("SGXT", "USGXT"), sgxt),
    "IDP": idp,
    "P2R": p2r,
    "R2P": r2p,
    "CS2R": cs2r,
}
