"""Which axes of the grid the addresses of global loads depend on, from the machine code alone.

Blocks that differ only in an index that neither the address of a load nor a branch depends on load the same bytes. The
indices of the block are followed through registers and predicates along the edges of the control flow; where two ways
meet, a value depends on what it depends on there on any of them. Values from memory that the kernel may write, of other
lanes' atomics and of called functions are unknown.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from advisor.hardware.sass import Instruction, classify
from advisor.hardware.sass_answers import stem
from advisor.hardware.sass_flow import Codes, Graph, blocks_of, loops
from advisor.hardware.sass_names import MOST_FOLLOWED, Calls, Marks, Names, followed

AXES: Final = "xyz"
UNKNOWN: Final = "?"
_INDEX: Final = {f"SR_CTAID.{axis.upper()}": place for place, axis in enumerate(AXES)}
# Special registers of a block that follow from its indices in a way that is not followed, and clocks.
_OTHER: Final = ("SR_CLUSTER", "SR_CgaCtaId", "SR_CLOCK", "SR_GLOBALTIMER", "SR_VIRT", "SR_SM")
_SPECIAL: Final = frozenset(("S2R", "S2UR", "CS2R"))
# Results that may be different in each block; a load of constant memory is read from its address alone.
_UNKNOWN_RESULTS: Final = frozenset(
    (
        *("LD", "LDL", "LDS", "LDSM", "LDTM", "ATOM", "ATOMG", "ATOMS", "SUATOM", "TEX", "TLD", "TLD4", "TMML", "TXD"),
        *("SULD", "SYNCS", "ELECT"),
    )
)
_ENDS: Final = frozenset(("EXIT", "RET"))
# The names that depend on x, on y, on z, and on what is not known.
_NONE: Final = (0, 0, 0, 0)


def load_axes(codes: Codes, pcs: Sequence[int], blocks: Graph) -> dict[int, str]:
    """Return place of each global load -> the axes that its address or a branch depends on, UNKNOWN among them.

    pcs: the address of each instruction. Empty for a kernel that cannot be followed. Outside of loops a branch that
    only ends some threads decides nothing about the others.
    """
    if not 0 < len(codes) <= MOST_FOLLOWED:
        return {}
    names = Names(codes)
    calls = Calls(codes, pcs, blocks, names)
    states = followed(blocks, lambda i, state: _after(codes[i], i, names, calls, state), _NONE, calls)
    if states is None:
        return {}
    again = {n for loop in loops(codes, pcs, blocks) for n in blocks_of(loop, blocks)}
    found: dict[int, set[str]] = {}
    control = set[str]()
    for n, state in enumerate(states):
        now = state or _NONE
        for i in blocks.places(n):
            code = codes[i]
            if code is None:
                continue
            if _loads(code):
                own = _of(names.read_by(replace(code, predicate="")), now)
                found[i] = own if state is not None else {UNKNOWN}
            goals = blocks.edges[n] if i == blocks.ends[n] else ()
            if len(goals) > 1 and (n in again or not _only_ends(codes, blocks, goals)):
                control |= _of(names.reads[i], now)
            now = _after(code, i, names, calls, now)
    return {i: "".join(sorted(axes | control)) for i, axes in found.items()}


def repeats(loaded: Mapping[str, float], grid: Sequence[int]) -> float | None:
    """Return how often the blocks of a grid load the same bytes at least; None if no load's axes are known.

    loaded: the bytes of the loads by the axes that they depend on.
    """
    total = sum(loaded.values())
    if not 0 < total < math.inf or min(loaded.values()) < 0 or all(UNKNOWN in axes for axes in loaded):
        return None
    different = 0.0
    for axes, count in loaded.items():
        same = 1
        for axis, size in zip(AXES, grid, strict=True):
            same *= size if axis not in axes and UNKNOWN not in axes else 1
        different += count / max(1, same)
    return total / different if different > 0 else None


def _loads(code: Instruction) -> bool:
    what = classify(code.opcode)
    return what.space == "global" and what.access in ("load", "copy")


def _only_ends(codes: Codes, blocks: Graph, goals: Sequence[int]) -> bool:
    """Whether one of the ways of a branch does nothing but end the warp."""
    real = ([code for i in blocks.places(goal) if (code := codes[i]) is not None] for goal in goals)
    return any(bool(way) and stem(way[0]) in _ENDS for way in real)


def _of(read: int, state: Marks) -> set[str]:
    return {axis for axis, marked in zip(AXES + UNKNOWN, state, strict=True) if read & marked}


def _after(code: Instruction | None, i: int, names: Names, calls: Calls, state: Marks) -> Marks:
    """Return which names depend on what after an instruction."""
    if code is None:
        return state
    if i in calls.writes:
        return (*state[:3], state[3] | calls.writes[i])
    name = stem(code)
    marks = [bool(names.reads[i] & marked) for marked in state]
    if name in _SPECIAL:
        marks = [place in {_INDEX.get(operand) for operand in code.operands} for place in range(3)]
        marks.append(any(operand.startswith(_OTHER) for operand in code.operands))
    elif name in _UNKNOWN_RESULTS or (name == "LDG" and "CONSTANT" not in code.opcode.split(".")):
        marks[3] = True
    return tuple(names.after(i, marked, result) for marked, result in zip(state, marks, strict=True))
