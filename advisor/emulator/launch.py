"""Put a launch together: memory, constants and parameters; and execute it."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from advisor.emulator.machine import Shape, layout
from advisor.emulator.memory import Bank, GlobalMemory
from advisor.emulator.program import DRIVER_FUNCTIONS, Program, RefusedError
from advisor.emulator.spaces import LOCAL_WINDOW, SHARED_WINDOW

_DRIVER = {name: address for address, name in DRIVER_FUNCTIONS.items()}


@dataclass(frozen=True, slots=True)
class Pointer:
    """A kernel argument: the address of a named allocation, plus bytes."""

    name: str
    added: int = 0


Argument = Pointer | np.generic


def prepare(
    program: Program,
    memory: GlobalMemory,
    addresses: Mapping[str, int],
    grid: Shape,
    block: Shape,
    arguments: Sequence[Argument],
    constants: Mapping[str, bytes] | None = None,
) -> dict[int, Bank]:
    """Return the constant banks of a launch. addresses: of the allocations; constants: values of __constant__ symbols.

    Raises RefusedError if the arguments do not fit the kernel's parameters.
    """
    where = layout(program.arch)
    start = program.parameters_at or where.parameters_at
    size = max((p.offset + p.size for p in program.parameters or ()), default=0)
    first = Bank(0, bytes(max(start + size, start + 8)))
    first.write(where.block_at, struct.pack("<III", *block))
    first.write(where.grid_at, struct.pack("<III", *grid))
    first.write(
        where.stack_at,
        struct.pack("<I", (program.local_bytes if program.local_bytes is not None else 1 << 14) + 15 & ~15),
    )
    for place, window in zip(where.windows_at, (SHARED_WINDOW, LOCAL_WINDOW), strict=True):
        if place is not None:
            first.write(place, struct.pack("<II", 0, window))
    cluster = program.cluster
    if any(n % c for n, c in zip(grid, cluster, strict=True)):
        raise RefusedError(f"the grid is not a multiple of the cluster of {cluster} blocks")
    if where.clusters_at is not None:
        flag, sizes, numbers, blocks = where.clusters_at
        first.write(flag, struct.pack("<I", int(cluster != (1, 1, 1))))
        first.write(sizes, struct.pack("<III", *cluster))
        first.write(numbers, struct.pack("<III", *(n // c for n, c in zip(grid, cluster, strict=True))))
        first.write(blocks, struct.pack("<I", math.prod(cluster)))
    offset = 0
    expected = program.parameters
    if expected is not None and len(expected) != len(arguments):
        raise RefusedError(f"{program.kernel} takes {len(expected)} arguments, not {len(arguments)}")
    for i, argument in enumerate(arguments):
        data = _bytes(argument, addresses)
        if expected is not None:
            offset = expected[i].offset
            if expected[i].size != len(data):
                raise RefusedError(
                    f"argument {i + 1} of {program.kernel} has {expected[i].size} bytes, the one given {len(data)}"
                )
        else:
            offset = (offset + len(data) - 1) // len(data) * len(data)
        first.write(start + offset, data)
        offset += len(data)
    banks = {0: first}
    for number, content in program.constants.items():
        banks[number] = Bank(number, content)
    for (number, place), symbol in program.pointers.items():
        address = addresses.get(symbol, _DRIVER.get(symbol))
        if address is None:
            raise RefusedError(f"the address of {symbol} is not known")
        banks[number].write(place, struct.pack("<Q", address))
    for symbol, value in (constants or {}).items():
        if symbol not in program.symbols:
            raise RefusedError(f"the kernel has no __constant__ symbol {symbol!r}")
        at, room = program.symbols[symbol]
        if len(value) > room:
            raise RefusedError(f"{len(value)} bytes do not fit into {symbol}, which has {room}")
        banks[3].write(at, value)
    return banks


def allocate_variables(program: Program, memory: GlobalMemory) -> dict[str, int]:
    """Allocate the program's __device__ variables; return their addresses."""
    out = {}
    for name, (size, initial, _) in program.variables.items():

        def fill(view: Any, start: int, stop: int, content: bytes = initial or b"") -> None:
            view[:] = np.frombuffer(content[start:stop], np.uint8)

        out[name] = memory.allocate(name, size, fill if initial is not None else None)
    return out


def _bytes(argument: Argument, addresses: Mapping[str, int]) -> bytes:
    if isinstance(argument, Pointer):
        if argument.name not in addresses:
            raise RefusedError(f"no allocation is called {argument.name!r}")
        return struct.pack("<Q", addresses[argument.name] + argument.added)
    return np.asarray(argument).tobytes()
