"""Run a few lines of SASS on small arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from advisor.emulator.counts import Problem, machine_of, memory_of
from advisor.emulator.decode import decode
from advisor.emulator.launch import Pointer
from advisor.emulator.machine import Machine
from advisor.emulator.program import Program

OUT = (
    "S2R R0, SR_TID.X",
    "S2UR UR4, SR_CTAID.X",
    "ULDC UR5, c[0x0][0x0]",
    "UIMAD UR4, UR4, UR5, URZ",
    "VIADD R0, R0, UR4",
    "ULDC.64 UR6, c[0x0][0x210]",
    "IMAD.WIDE R2, R0, 0x4, RZ",
    "IADD3 R2, P0, R2, UR6, RZ",
    "IADD3.X R3, R3, UR7, RZ, P0, !PT",
)  # R0: the thread's number; R2: the address of its word of `out`


def program(lines: Sequence[str], arch: str = "sm_90", **fields: Any) -> Program:
    """Decode a kernel called k, with an EXIT after its lines. `label:` names a line, `@label` is its address."""
    places: dict[str, int] = {}
    bare: list[str] = []
    for line in (*lines, "EXIT"):
        label, colon, rest = line.partition(": ")
        if colon and label.islower():
            places[label] = 16 * len(bare)
            line = rest
        bare.append(line)
    for name, place in places.items():
        bare = [line.replace(f"@{name}", hex(place)) for line in bare]
    return Program("k", arch, decode((16 * i, line) for i, line in enumerate(bare)), registers=64, **fields)


def run(
    lines: Sequence[str],
    arrays: Mapping[str, Any] | None = None,
    threads: int = 32,
    blocks: int = 1,
    arguments: Sequence[Any] = (),
    **fields: Any,
) -> tuple[Machine, dict[str, Any]]:
    """Run all blocks; return the machine and the arrays after it. `out` (uint32 per thread) is the first argument."""
    given = {"out": np.zeros(threads * blocks, np.uint32), **(arrays or {})}

    def filler(array: Any) -> Any:
        flat = np.ascontiguousarray(array).view(np.uint8).reshape(-1)

        def fill(view: Any, start: int, stop: int) -> None:
            view[:] = flat[start:stop]

        return fill

    problem = Problem(
        program(lines, **fields),
        (blocks, 1, 1),
        (threads, 1, 1),
        tuple(Pointer(name) for name in given) + tuple(arguments),
        {name: (array.nbytes, filler(array)) for name, array in given.items()},
    )
    memory, addresses = memory_of(problem)
    machine = machine_of(problem, range(blocks), memory, addresses, None, 20.0)
    machine.run()
    return machine, {n: memory.content(n).view(a.dtype).reshape(a.shape).copy() for n, a in given.items()}


def result(*lines: str, threads: int = 32, arrays: Mapping[str, Any] | None = None, **fields: Any) -> Any:
    """Run lines that leave a word in R4, and return it for each thread as uint32."""
    whole = (*OUT, *lines, "STG.E desc[UR4][R2.64], R4")
    return run(whole, arrays, threads=threads, **fields)[1]["out"]
