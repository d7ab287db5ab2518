"""Which arithmetic of a kernel gives the same result in all threads of a block, from its machine code.

A value depends on the thread if it follows from the number of the thread or lane, from another thread (shuffles,
atomics, votes), from memory of its own, from a load whose address does, from a called function, or from the way that a
warp took at a branch which does. All others are the same in every thread of the block: one thread could compute them.
The state is followed through registers and predicates along the edges of the control flow; where two ways meet, a value
that depends on the thread on one of them does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from advisor.hardware.sass import Instruction
from advisor.hardware.sass_answers import stem
from advisor.hardware.sass_flow import Codes, Graph, behind, blocks_of, loops, meeting_points
from advisor.hardware.sass_names import CALLS, Names, code_of

# Arithmetic on floating-point values.
FLOAT: Final = frozenset(
    (
        *("FFMA", "FADD", "FMUL", "FFMA32I", "FADD32I", "FMUL32I", "FFMA2", "FADD2", "FMUL2", "FSWZADD", "MUFU"),
        *("DFMA", "DADD", "DMUL", "HFMA2", "HADD2", "HMUL2", "HFMA2_32I", "HADD2_32I", "HMUL2_32I"),
    )
)
# What stands around it: conversions, comparisons, selections, integers of argument reductions, moves.
_AROUND: Final = frozenset(
    (
        *("FMNMX", "FSEL", "FSETP", "FSET", "FCHK", "FRND", "F2I", "I2F", "I2FP", "F2F", "F2FP", "F2IP", "DSETP"),
        *("DMNMX", "HSETP2", "HMNMX2", "SEL", "LOP3", "SHF", "SHL", "SHR", "IADD3", "VIADD", "IADD", "IMAD", "LEA"),
        *("PRMT", "MOV", "ISETP", "PLOP3", "IABS", "IMNMX", "VIMNMX", "SGXT", "FLO", "POPC", "BREV"),
    )
)
# Results of other lanes and threads, of memory that may be the thread's own, and of textures.
_OF_OTHERS: Final = frozenset(
    (
        *("SHFL", "VOTE", "VOTEU", "MATCH", "ELECT", "REDUX", "ATOM", "ATOMG", "ATOMS", "SUATOM", "MOVM", "LDSM"),
        *("LDTM", "LDL", "LD", "TEX", "TLD", "TLD4", "TMML", "TXD", "TXQ", "SULD", "R2P", "B2R"),
    )
)
# Special registers that all threads of a block share; SRZ is zero.
_OF_BLOCK: Final = ("SR_CTAID", "SR_NCTAID", "SR_NTID", "SRZ", "SR_GRID", "SR_CLUSTER", "SR_SMEM", "SR_CgaCtaId")
_ROUNDS: Final = 40


class Same(Struct, frozen=True):
    """Executed warp instructions of a launch.

    arithmetic: on floating-point values; same: of these, with a result that all threads of a block share; work: same,
    with what is executed around them for the same purpose; used: arithmetic of a thread's own with such a result.
    """

    arithmetic: float
    same: float
    work: float
    used: float


class Kinds(Struct, frozen=True):
    """Addresses of instructions by what `Same` counts them to. around: beside arithmetic of the block."""

    own: frozenset[int]
    using: frozenset[int]
    same: frozenset[int]
    around: frozenset[int]

    def weighed(self, executed: Mapping[int, float]) -> Same:
        """Return the executions of each kind. executed: address -> executions by warps."""

        def total(*kinds: frozenset[int]) -> float:
            return sum(executed.get(pc, 0.0) for kind in kinds for pc in kind)

        same = total(self.same)
        return Same(total(self.own, self.using) + same, same, same + total(self.around), total(self.using))


def kinds_of(
    texts: Mapping[int, str], few: frozenset[int] = frozenset(), alike: frozenset[int] = frozenset()
) -> Kinds | None:
    """Return the kinds of the instructions of a kernel; None if it cannot be followed.

    texts: address -> instruction, of those that were executed: a part that no warp executed, such as the slow way of a
    function, gives no values to the others. few: addresses that few lanes of a warp execute, as where one thread
    computes for the others; they count as a thread's own. alike: addresses of loads that give all lanes of a warp the
    same, whatever their addresses depend on; with them, what is shared is so by the lanes of each warp.
    """
    found = code_of(texts)
    if found is None:
        return None
    pcs, codes, blocks, names = found
    given = frozenset(i for i, pc in enumerate(pcs) if pc in alike)
    states = _followed(codes, pcs, blocks, names, given)
    if states is None:
        return None
    own_ones, using, same, around = (set[int]() for _ in range(4))
    for n, state in enumerate(states):
        own, fresh = state if state is not None else (-1, 0)
        of_block, beside = set[int](), set[int]()
        for i in blocks.places(n):
            code = codes[i]
            if code is None:
                continue
            shared = not _own(code) and not names.reads[i] & own and bool(names.writes[i]) and pcs[i] not in few
            if stem(code) in FLOAT:
                (of_block if shared else using if names.reads[i] & fresh else own_ones).add(pcs[i])
            elif shared and stem(code) in _AROUND:
                beside.add(pcs[i])
            own, fresh = _after(code, i, names, own, fresh, i in given)
        same |= of_block
        around |= beside if of_block else set()
    return Kinds(*map(frozenset, (own_ones, using, same, around)))


def _own(code: Instruction) -> bool:
    """Whether the result of an instruction always depends on the thread."""
    name = stem(code)
    if name in ("S2R", "CS2R", "S2UR"):
        return not any(operand.startswith(_OF_BLOCK) for operand in code.operands)
    return name in _OF_OTHERS


def _after(code: Instruction, i: int, names: Names, own: int, fresh: int, given: bool) -> tuple[int, int]:
    """Return the names that depend on the thread, and those that hold computed values of the block, after a step.

    given: whether the step loads the same for all.
    """
    name = stem(code)
    if name in CALLS:  # which registers a function changes, its caller does not show
        return names.every, 0
    depends = not given and (_own(code) or bool(names.reads[i] & own))
    passes = name in FLOAT or (name in _AROUND and bool(names.reads[i] & fresh))
    own, fresh = names.after(i, own, depends), names.after(i, fresh, not depends and passes)
    return own, fresh & ~own


def _followed(
    codes: Codes, pcs: Sequence[int], blocks: Graph, names: Names, given: frozenset[int]
) -> list[tuple[int, int] | None] | None:
    """Return the state before each block, None for one that no known way leads to; None if it does not settle.

    given: places of loads that give all the same.
    """
    states: list[tuple[int, int] | None] = [None] * len(blocks.starts)
    states[0] = (0, 0)
    joined = [0] * len(states)  # names that depend on the way by which a block was reached
    meets = meeting_points(blocks)
    bodies = _bodies(codes, pcs, blocks)
    decided: dict[int, tuple[frozenset[int], int]] = {}
    for _ in range(_ROUNDS):
        changed = False
        for n, state in enumerate(states):
            if state is None:
                continue
            own, fresh = state[0] | joined[n], state[1] & ~joined[n]
            if (own, fresh) != state:
                states[n], changed = (own, fresh), True
            for i in blocks.places(n):
                code = codes[i]
                if code is None:
                    continue
                if i == blocks.ends[n] and len(blocks.edges[n]) > 1 and names.reads[i] & own:
                    if n not in decided:
                        decided[n] = _joins(blocks, n, meets[n], bodies[n], names)
                    goals, differ = decided[n]
                    for goal in goals:
                        if differ & ~joined[goal]:
                            joined[goal] |= differ
                            changed = True
                own, fresh = _after(code, i, names, own, fresh, i in given)
            for after in blocks.edges[n]:
                before = states[after]
                merged = (own, fresh) if before is None else (before[0] | own, (before[1] | fresh) & ~(before[0] | own))
                if merged != before:
                    states[after], changed = merged, True
        if not changed:
            return states
    return None


def _bodies(codes: Codes, pcs: Sequence[int], blocks: Graph) -> list[frozenset[int]]:
    """Return for each block the blocks of its innermost loop; none outside of loops."""
    out = [frozenset[int]()] * len(blocks.starts)
    for loop in sorted(loops(codes, pcs, blocks), key=lambda loop: loop.depth):
        body = blocks_of(loop, blocks)
        for n in body:
            out[n] = body
    return out


def _joins(blocks: Graph, n: int, meets: int | None, body: frozenset[int], names: Names) -> tuple[frozenset[int], int]:
    """Return the blocks where ways of a branch meet, and the names that are written on the ways.

    A branch out of a loop decides how often its body runs: the loop's values differ behind it, not in a round.
    """
    part = behind(blocks, n, meets)
    leaves = {goal for goal in blocks.edges[n] if body and goal not in body}
    goals = set(leaves) if meets is None else {meets, *leaves}
    ways = part | {n}
    goals |= {b for b in part if len(ways.intersection(blocks.before[b])) > 1 and not (leaves and b in body)}
    written = part | body if leaves else part
    return frozenset(goals), names.written(i for b in written for i in blocks.places(b))
