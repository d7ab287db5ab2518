"""Instructions that exchange values between the lanes of a warp."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from advisor.emulator.build import Build, Run
from advisor.emulator.state import LANES, Array, Group

_U32 = np.uint32
_LANE = np.arange(LANES)[None, :]
_WEIGHTS = _U32(1) << np.arange(LANES, dtype=np.uint32)[None, :]


def _lanes(g: Group, m: Any) -> Array:
    return g.lanes() if m is None else m


def _full(g: Group, value: Any) -> Array:
    return np.broadcast_to(value, (g.count, LANES))


def shfl(b: Build) -> Run:
    """SHFL: read a register of another lane; the predicate says whether that lane is in range."""
    names = b.modifiers("IDX", "UP", "DOWN", "BFLY")
    p_out, put = b.put_predicate(b.operand(0)), b.put(b.operand(1))
    source, by, control = (b.u32(b.operand(i)) for i in (2, 3, 4))
    machine, at = b.machine, b.at

    def run(g: Group, m: Any) -> None:
        c = _full(g, control(g)).astype(np.int64)
        step = _full(g, by(g)).astype(np.int64) & 31
        segment = (c >> 8) & 31
        low = _LANE & segment
        top = low | (c & 31 & ~segment)
        if "IDX" in names:
            lane = low | (step & ~segment & 31)
            inside = lane <= top
        elif "UP" in names:
            lane = _LANE - step
            inside = lane >= top
        elif "DOWN" in names:
            lane = _LANE + step
            inside = lane <= top
        else:
            lane = _LANE ^ step
            inside = lane <= top
        lane = np.where(inside, lane, _LANE)
        found = np.take_along_axis(_full(g, source(g)), lane, axis=1)
        if machine.check is not None:
            found = machine.check.exchange(g, m, lane, at, found)
        put(g, m, found)
        p_out(g, m, inside)

    return run


def vote(b: Build) -> Run:
    """VOTE, VOTEU: any, all or equal predicates, and the bits of the lanes where it is true."""
    names = b.modifiers("ANY", "ALL", "EQ")
    operands = list(b.ins.operands)
    source = b.predicate(operands.pop())
    put = b.put(operands.pop(0)) if operands and operands[0].kind in ("R", "UR") else None
    p_out = b.put_predicate(operands[0]) if operands else None

    def run(g: Group, m: Any) -> None:
        lanes = _lanes(g, m)
        true = _full(g, source(g)) & lanes
        bits = (true * _WEIGHTS).sum(axis=1, dtype=_U32)[:, None]
        some, every = np.asarray(true.any(axis=1))[:, None], np.asarray((true == lanes).all(axis=1))[:, None]
        uniform = b.ins.opcode == "VOTEU"
        where = None if uniform else m
        if put is not None:
            put(g, where, bits)
        if p_out is not None:
            p_out(g, where, every if "ALL" in names else every | ~some if "EQ" in names else some)

    return run


def match(b: Build) -> Run:
    """MATCH.ANY, MATCH.ALL: the lanes with the same value."""
    names = b.modifiers("ANY", "ALL", "U64", "U32")
    operands = list(b.ins.operands)
    p_out = b.put_predicate(operands.pop(0)) if operands[0].kind == "P" else None
    put = b.put(operands[0])
    get = b.u64(operands[1]) if "U64" in names else b.u32(operands[1])

    def run(g: Group, m: Any) -> None:
        lanes, value = _lanes(g, m), _full(g, get(g))
        same = (value[:, :, None] == value[:, None, :]) & lanes[:, None, :]
        if "ALL" in names:
            every = (same == lanes[:, None, :]).all(axis=2)
            bits = np.where(every, (lanes * _WEIGHTS).sum(axis=1, dtype=_U32)[:, None], _U32(0))
            put(g, m, bits)
            if p_out is not None:
                p_out(g, m, every)
        else:
            put(g, m, (same * _WEIGHTS[None]).sum(axis=2, dtype=_U32))

    return run


def redux(b: Build) -> Run:
    """REDUX: a reduction over the active lanes to a uniform register."""
    names = b.modifiers("SUM", "MIN", "MAX", "AND", "OR", "XOR", "S32", "U32")
    name = next(n for n in (*names, "SUM") if n not in ("S32", "U32"))
    signed = "S32" in names
    put, get = b.put(b.operand(0)), b.u32(b.operand(1))

    def run(g: Group, m: Any) -> None:
        lanes, value = _lanes(g, m), _full(g, get(g))
        if signed and name in ("MIN", "MAX"):
            value = value.view(np.int32)
        limits = np.iinfo(value.dtype)
        if name == "SUM":
            found = np.where(lanes, value, 0).sum(axis=1, dtype=np.uint64).astype(_U32)
        elif name == "MIN":
            found = np.where(lanes, value, limits.max).min(axis=1)
        elif name == "MAX":
            found = np.where(lanes, value, limits.min).max(axis=1)
        elif name == "AND":
            found = np.bitwise_and.reduce(np.where(lanes, value, _U32(0xFFFFFFFF)), axis=1)
        elif name == "OR":
            found = np.bitwise_or.reduce(np.where(lanes, value, _U32(0)), axis=1)
        else:
            found = np.bitwise_xor.reduce(np.where(lanes, value, _U32(0)), axis=1)
        put(g, None, np.asarray(found).astype(value.dtype).view(_U32)[:, None])

    return run


def r2ur(b: Build) -> Run:
    """R2UR: the value of the first active lane, to a uniform register; the predicate: lanes with another value."""
    b.modifiers("OR", "BROADCAST")
    operands = list(b.ins.operands)
    others = b.put_predicate(operands.pop(0)) if operands[0].kind == "P" else None
    put, get = b.put(operands[0]), b.u32(operands[1])

    def run(g: Group, m: Any) -> None:
        value = _full(g, get(g))
        first = _lanes(g, m).argmax(axis=1)
        chosen = value[np.arange(g.count), first][:, None]
        put(g, m, chosen)
        if others is not None:
            others(g, m, value != chosen)

    return run


def movm(b: Build) -> Run:
    """MOVM.16.MT88: transpose a matrix of 8 by 8 halves; lane i has two of row i / 4."""
    if b.modifiers("16", "MT88") != ("16", "MT88"):
        raise b.refuse()
    put, get = b.put(b.operand(0)), b.u32(b.operand(1))
    rows = 2 * (_LANE[0] % 4)

    def run(g: Group, m: Any) -> None:
        if m is not None:
            raise b.refuse("lanes that are apart")
        halves = np.ascontiguousarray(_full(g, get(g))).view(np.uint16)  # (warps, 64): row by row
        column = _LANE[0] // 4
        low, high = halves[:, rows * 8 + column], halves[:, (rows + 1) * 8 + column]
        put(g, m, low.astype(_U32) | (high.astype(_U32) << _U32(16)))

    return run


def elect(b: Build) -> Run:
    """ELECT: the first active lane."""
    b.modifiers()
    p_out = b.put_predicate(b.operand(0))

    def run(g: Group, m: Any) -> None:
        lanes = _lanes(g, m)
        p_out(g, m, lanes.argmax(axis=1)[:, None] == _LANE)

    return run


HANDLERS: dict[str, Callable[[Build], Run]] = {
    "SHFL": shfl,
    **dict.fromkeys(("VOTE", "VOTEU"), vote),
    "MATCH": match,
    **dict.fromkeys(("REDUX", "CREDUX"), redux),
    "R2UR": r2ur,
    "MOVM": movm,
    "ELECT": elect,
}
