"""Which function compiles which opcode."""

from __future__ import annotations

from advisor.emulator import (
    access,
    asynchronous,
    atomic,
    bits,
    control,
    conversion,
    floating,
    half,
    integer,
    matrix,
    moves,
    packed,
    warp,
)
from advisor.emulator.build import Build, Run

HANDLERS = {
    **moves.HANDLERS,
    **integer.HANDLERS,
    **packed.HANDLERS,
    **bits.HANDLERS,
    **floating.HANDLERS,
    **conversion.HANDLERS,
    **half.HANDLERS,
    **access.HANDLERS,
    **atomic.HANDLERS,
    **asynchronous.HANDLERS,
    **control.HANDLERS,
    **warp.HANDLERS,
    **matrix.HANDLERS,
}


def compile_instruction(b: Build) -> Run:
    """Return the function of an instruction. Raises RefusedError with its name if it is not emulated."""
    handler = HANDLERS.get(b.ins.opcode)
    if handler is None:
        raise b.refuse()
    return handler(b)
