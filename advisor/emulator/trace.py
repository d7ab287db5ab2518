"""Trace the memory accesses of a source line: the addresses of each lane, from an execution of some blocks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from advisor.emulator.counts import Problem, machine_of, members, memory_of
from advisor.emulator.machine import Machine
from advisor.emulator.memory import BASE
from advisor.emulator.program import RefusedError
from advisor.emulator.relevance import relevance
from advisor.emulator.state import Array, Group


@dataclass(frozen=True, slots=True)
class TracedAccess:
    """The access of one warp. lanes: bytes from the start of the array or of shared memory, None for an inactive lane.

    cost: sectors or wavefronts; who: the thread of its first active lane; array: name, '' for shared memory.
    """

    address: int
    text: str
    space: str
    kind: str
    width: int
    lanes: tuple[int | None, ...]
    cost: int
    who: str
    array: str = ""


class Tracer:
    """Keeps of each instruction on a line the execution with the highest cost, the first of equals."""

    def __init__(self, machine: Machine, wanted: frozenset[int]) -> None:
        self.machine, self.wanted = machine, wanted
        self.found: dict[int, TracedAccess] = {}

    def note(self, at: int, g: Group, m: Array | None, offsets: Array, costs: Array, space: str, kind: str) -> None:
        """Note an access of a group. offsets: of the lanes, in the memory of their space; costs: of each warp."""
        if at not in self.wanted:
            return
        row = int(costs.argmax())
        cost, known = int(costs[row]), self.found.get(at)
        lanes = (g.lanes() if m is None else m)[row]
        if (known is not None and known.cost >= cost) or not lanes.any():
            return
        machine, first = self.machine, int(lanes.argmax())
        array, start = "", machine.layout.shared_base
        if space == "global":
            region = machine.launch.memory.region_of(int(offsets[row, first]))
            array, start = region.name, region.address - BASE
        places = tuple(int(o) - start if on else None for o, on in zip(offsets[row], lanes, strict=True))
        who, ins = machine.thread(int(g.warps[row]), first), machine.code[at]
        width = machine.memory_counts[at].width
        self.found[at] = TracedAccess(ins.address, ins.text, space, kind, width, places, cost, who, array)


def trace(problem: Problem, line: int, file: str = "", seconds: float = 20.0) -> tuple[TracedAccess, ...]:
    """Execute the first and the middle block, and return the costliest access of each memory instruction of a line.

    file: the end of the name of the source file, any if ''. Raises RefusedError if the line accesses no memory.
    """
    program = problem.program
    wanted = frozenset(
        i
        for i, one in enumerate(program.code)
        if (place := program.lines.get(one.address)) is not None and place[1] == line and place[0].endswith(file)
    )
    unit = math.prod(program.cluster)
    chosen = sorted({0, math.prod(problem.grid) // unit // 2})
    blocks = [block for number in chosen for block in members(number, problem.grid, program.cluster)]
    memory, addresses = memory_of(problem)
    first = machine_of(problem, [0], memory, addresses, None, seconds)
    needed = relevance(program, first.builds).needed.__contains__
    machine = machine_of(problem, blocks, memory, addresses, needed, seconds)
    machine.tracer = made = Tracer(machine, wanted)
    machine.run()
    if not made.found:
        known = sorted({program.lines[a][1] for i, a in _memory(machine) if a in program.lines})
        raise RefusedError(f"line {line} accesses no memory; lines that do: {', '.join(map(str, known)) or 'none'}")
    return tuple(made.found[at] for at in sorted(made.found))


def _memory(machine: Machine) -> list[tuple[int, Any]]:
    return [(at, machine.code[at].address) for at in machine.memory_counts]
