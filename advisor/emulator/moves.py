"""Copies, choices, and moves between predicates, special registers and registers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from advisor.emulator.build import Build, Run, scalar
from advisor.emulator.program import Operand
from advisor.emulator.state import Group

_U32 = np.uint32


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
    "P2R": p2r,
    "R2P": r2p,
    "CS2R": cs2r,
}
