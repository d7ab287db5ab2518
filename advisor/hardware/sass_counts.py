"""How often a warp executes each instruction, estimated from the machine code alone.

A report has the code of its kernels with any set of sections, also without counts by opcode. Each block of the code
gets an expected number of executions per warp from the branches alone, as in compilers without a profile (Wu and Larus,
Static Branch Frequency and Program Profile Analysis, 1994): a loop runs `TRIPS` times; a block that ends the warp or
calls a function is rare; of other branches both sides are equally likely.

The sum over all instructions depends on the unknown trip counts, so callers scale it to a measured number. Shares
depend on them little (`python -m tests.bench.code_counts`): in 209 recorded launches on an H100 and an H200, shares of
integer, fp32 and multiply-add instructions of 5 % or more are within a factor of 1.05 of the counted ones in the
median, and within 1.4 in four of five; constants, moves and branches are further off. In 294 launches of kernels that
were not written for this advisor: 1.07 and 1.4.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from advisor.hardware.lanes import LANES
from advisor.hardware.sass import Instruction, classify, parse
from advisor.hardware.sass_addresses import Follower, Reached, shape_at
from advisor.hardware.sass_axes import load_axes
from advisor.hardware.sass_constants import checks_of, constants_of, whole_products
from advisor.hardware.sass_flow import (
    Codes,
    Graph,
    Loop,
    behind,
    blocks_of,
    called,
    graph,
    innermost,
    loops,
    meeting_points,
)
from advisor.hardware.sass_waits import own_cycles
from advisor.hardware.simulators import SECTOR, WAVEFRONT
from advisor.knowledge.math_functions import function_counts
from advisor.records.readings import CodeAccess, CodeCounts

Array = np.ndarray[Any, Any]

# Executions of a loop per entry, if nothing is known. Its size matters little: it makes code in a loop weigh more than
# code before it, and code in two loops more than code in one.
TRIPS: Final = 16.0
# The chance of the side of a branch that ends the warp, as a check of bounds does, or that calls a slow path. Ball and
# Larus (Branch Prediction for Free, 1993) measured that 72 and 78 % of such branches are not taken in programs of a
# CPU; in a kernel few warps take them, since the grid is as large as the data, and slow paths are for rare numbers.
RARE: Final = 0.05
# A block is a row of a dense system of equations: this many take a second. A loop holds its instructions: more
# than the largest known kernels have in all their loops together.
MOST_BLOCKS: Final = 1500
MOST_IN_LOOPS: Final = 500_000
# From this magnitude on, an argument of a trigonometric function takes the slow path, with an array in local memory
# (CUDA programming guide, arithmetic instructions). An angle of seventeen thousand turns is far rarer than the zeros
# and infinities that other slow paths are for; at one in 200, its path adds less than an instruction to a call.
_SLOW_ARGUMENT: Final = "105615"
VERY_RARE: Final = 0.005
# A loop that the code never leaves, as far as can be seen, has a finite count by a chance below 1 to go on, and counts
# as four loops inside each other.
_GOES_ON: Final = 1.0 - 1e-9
_MOST: Final = TRIPS**4
_SMALL: Final = 1e-6  # the error of the equations
_PIECES: Final = {"global": SECTOR, "shared": WAVEFRONT}
_NO_COUNT: Final = math.nan
# What an access counts as: (space, kind) of its opcode -> itself, and for an asynchronous copy both of its sides.
_ROLES: Final = {
    **{(s, k): ((s, k),) for s in ("global", "shared", "local") for k in ("load", "store", "atomic")},
    ("global", "copy"): (("global", "load"), ("shared", "store")),
}
_ENDS: Final = frozenset(("EXIT", "RET", "KILL"))
# Bytes from the block's shape to the number of blocks along each axis.
_GRID_SIZE: Final = (0xC, 0x10, 0x14)
_INDIRECT: Final = frozenset(("BRX", "BRXU", "JMX", "JMXU"))


def counted_by_code(
    start: Any, lines: Iterable[Any], block: Sequence[int] | None = None, cc: str = "", step: int = 16
) -> CodeCounts | None:
    """Return the expected counts of a kernel; None if its code cannot be read or is too large.

    start: address of the first line; lines: the text of each instruction; block: the threads of a block (x, y, z), with
    which the addresses are followed; cc: the compute capability; step: bytes of an instruction.
    """
    texts = [str(line) for line in lines]
    codes = [parse(text) for text in texts]
    pcs = range(int(start), int(start) + step * len(codes), step)
    blocks = graph(codes, pcs) if codes else None
    runs = executions(codes, pcs, blocks)
    if not runs or blocks is None:
        return None
    follower = Follower(codes, pcs, blocks, block, cc) if block and min(block) > 0 else None
    reached = follower.reached() if follower is not None else {}
    axes = load_axes(codes, pcs, blocks) if follower is not None else {}
    loaded: dict[str, float] = {}
    opcodes: dict[str, float] = {}
    moved: dict[tuple[str, str, int, bool], Array] = {}
    stack = computed = 0.0
    for i, (code, number) in enumerate(zip(codes, runs, strict=True)):
        if code is None or not number:
            continue
        opcodes[code.opcode] = opcodes.get(code.opcode, 0.0) + number
        what = classify(code.opcode)
        known = {one.space: one for one in reached.get(i, ())}
        for space, kind in _ROLES.get((what.space, what.access), ()):
            one = known.get(space) if kind != "atomic" else None
            key = (space, kind, what.width, one is not None and one.sure)
            moved[key] = moved.get(key, np.zeros(5)) + number * _of_one(space, kind, what.width, one)
            if i in axes and space == "global":
                loaded[axes[i]] = loaded.get(axes[i], 0.0) + number * _lane_bytes(what.width, one)
        if what.space == "local":
            fixed = code.memory is not None and code.memory.on_stack
            stack, computed = (stack + number, computed) if fixed else (stack, computed + number)
    if not opcodes:
        return None
    accesses = tuple(CodeAccess(*key, *map(float, found)) for key, found in sorted(moved.items()))
    decided = (
        _behind_data(codes, pcs, blocks, runs, follower.data_branches) if follower is not None and reached else None
    )
    sizes = tuple(f"c[0x0][{shape_at(cc) + place:#x}]" for place in _GRID_SIZE)
    reads = math.fsum(
        number for code, number in zip(codes, runs, strict=True) if code is not None and _grid_size(code, sizes)
    )
    functions = _functions(dict(zip(pcs, texts, strict=True)), dict(zip(pcs, runs, strict=True)))
    own = own_cycles(codes, blocks, runs)
    return CodeCounts(opcodes, accesses, stack, computed, decided, own, loaded, reads, functions)


def _grid_size(code: Instruction, sizes: tuple[str, ...]) -> bool:
    """Whether an instruction reads how many blocks the grid has. sizes: the constants that say it."""
    return any(operand.strip("-|").startswith(sizes) or operand.startswith("SR_NCTAID") for operand in code.operands)


def _behind_data(
    codes: Codes, pcs: Sequence[int], blocks: Graph, runs: Sequence[float], branches: Collection[int]
) -> float:
    """Return the share of the executions of instructions that some branches, by their blocks, decide about."""
    if not branches:
        return 0.0
    found = loops(codes, pcs, blocks)
    inner = innermost(len(codes), found)
    of_loop = [blocks_of(loop, blocks) for loop in found]
    chosen: set[int] = set()
    meets = meeting_points(blocks)
    for n in branches:
        around = inner[blocks.starts[n]]
        chosen |= behind(blocks, n, meets[n], of_loop[around] if around is not None else ())
    total = math.fsum(runs)
    decided = math.fsum(math.fsum(runs[blocks.starts[n] : blocks.ends[n] + 1]) for n in chosen)
    return decided / total if total else 0.0


def _functions(texts: Mapping[int, str], executed: Mapping[int, float]) -> dict[str, float]:
    found = function_counts(constants_of(texts, executed), whole_products(texts, executed))
    return found | {"function_check_inst": checks_of(texts, executed)} if found else {}


def _lane_bytes(width: int, one: Reached | None) -> float:
    """Return the bytes that the lanes of a load ask for, each once, if it is known which lanes share some."""
    return one.ideal * SECTOR if one is not None else LANES * width / 8


def _of_one(space: str, kind: str, width: int, one: Reached | None) -> Array:
    """Return executions, lanes, pieces, their ideal and passes of one access, of full warps if it is not followed."""
    if one is not None:
        return np.array([1.0, one.lanes, one.pieces, one.ideal, one.passes])
    own = LANES * width / 8
    counted = width and kind != "atomic" and space in _PIECES
    ideal = max(1.0, own / _PIECES[space]) if counted else _NO_COUNT
    return np.array([1.0, LANES, _NO_COUNT, ideal, _NO_COUNT])


def executions(codes: Codes, pcs: Sequence[int], blocks: Graph | None = None) -> list[float]:
    """Return the expected executions per warp of each instruction; empty for code that cannot be solved.

    codes: parsed instructions, None for a line that is none; pcs: their addresses; blocks: their graph, if it is there
    already. The kernel begins with the first.
    """
    place = {pc: i for i, pc in enumerate(pcs)}
    if not codes or any(_leads_away(codes, place, i) for i in range(len(codes))):
        return []
    blocks = blocks or graph(codes, pcs)
    if len(blocks.starts) > MOST_BLOCKS or _backward(blocks) * len(codes) > MOST_IN_LOOPS:
        return []
    flow = _flow(codes, place, blocks, loops(codes, pcs, blocks))
    reached = _reached(flow)
    entry = np.zeros(len(reached))
    entry[0] = 1.0
    found = np.zeros(len(blocks.starts))
    try:
        found[reached] = np.linalg.solve(np.eye(len(reached)) - _GOES_ON * flow[np.ix_(reached, reached)], entry)
    except np.linalg.LinAlgError:
        return []
    if not np.all(found > -_SMALL):  # a function that branches back into its caller
        return []
    runs = np.clip(found, 0.0, _MOST)
    lengths = [end - start + 1 for start, end in zip(blocks.starts, blocks.ends, strict=True)]
    return [float(number) for number in np.repeat(runs, lengths)]


def _leads_away(codes: Codes, place: dict[int, int], i: int) -> bool:
    """Whether an instruction goes where the code does not show: by an address in a register, or out of the kernel."""
    code = codes[i]
    if code is None:
        return False
    stem = code.opcode.partition(".")[0]
    return stem in _INDIRECT or (stem == "CALL" and (len(code.operands) != 1 or called(codes, place, i) is None))


def _backward(blocks: Graph) -> int:
    """Return the number of branches back, each of which may close a loop."""
    return sum(goal <= n for n, after in enumerate(blocks.edges) for goal in after)


def _reached(flow: np.ndarray[Any, Any]) -> list[int]:
    """Return the blocks that the first one leads to, in ascending order; padding after the code is not among them."""
    found, todo = {0}, [0]
    while todo:
        for goal in np.flatnonzero(flow[:, todo.pop()]).tolist():
            if goal not in found:
                found.add(goal)
                todo.append(goal)
    return sorted(found)


def _flow(codes: Codes, place: dict[int, int], blocks: Graph, found: Sequence[Loop]) -> np.ndarray[Any, Any]:
    """Return the chance that a block is followed by another one, shape (blocks, blocks): [next, block]."""
    number = {start: n for n, start in enumerate(blocks.starts)}
    inner, bodies = innermost(len(codes), found), [frozenset(loop.body) for loop in found]
    flow = np.zeros((len(blocks.starts), len(blocks.starts)))
    for n, (start, end) in enumerate(zip(blocks.starts, blocks.ends, strict=True)):
        at = inner[start]
        loop = frozenset[int]() if at is None else bodies[at]
        own = _real(codes[start : end + 1])
        ends = sum(bool(code.predicate) and code.opcode.partition(".")[0] in _ENDS for code in own)
        stays = (1.0 - (1.0 / TRIPS if loop else RARE)) ** ends
        for after, chance in _chances(codes, blocks, loop, n):
            flow[after, n] += stays * chance
        for i in range(start, end + 1):
            code, goal = codes[i], called(codes, place, i)
            if code is not None and goal in number and goal > end:  # a call back is a recursion
                flow[number[goal], n] += RARE if code.predicate else 1.0
    return flow


def _chances(codes: Codes, blocks: Graph, loop: frozenset[int], n: int) -> list[tuple[int, float]]:
    """Return each successor of a block with its chance."""
    after = blocks.edges[n]
    leaving = [bool(loop) and blocks.starts[goal] not in loop for goal in after]
    if any(leaving) and not all(leaving):
        return _split(after, leaving, 1.0 / TRIPS)
    last = codes[blocks.ends[n]]
    apart = last is not None and ".DIV" in last.opcode  # its goal is the slow path of lanes that have diverged
    slow = _slow_path(codes, blocks, n)
    if slow is not None:
        return _split(after, [goal == slow for goal in after], VERY_RARE)
    rare = [goal != n + 1 if apart else _is_rare(codes, blocks, goal) for goal in after]
    if any(rare) and not all(rare):
        return _split(after, rare, RARE)
    return [(goal, 1.0 / len(after)) for goal in after]


def _slow_path(codes: Codes, blocks: Graph, n: int) -> int | None:
    """Return the successor of a block that takes large arguments of a trigonometric function, or None."""
    own = _real(codes[blocks.starts[n] : blocks.ends[n] + 1])
    if len(blocks.edges[n]) != 2 or not own or not own[-1].predicate:
        return None
    name = own[-1].predicate.lstrip("!")
    sets = [code for code in own if name in code.operands[:1]]
    if not sets or _SLOW_ARGUMENT not in sets[-1].operands or "GE" not in sets[-1].opcode.split("."):
        return None
    taken = next((goal for goal in blocks.edges[n] if goal != n + 1), n + 1)
    return n + 1 if own[-1].predicate.startswith("!") else taken


def _split(after: Sequence[int], chosen: Sequence[bool], chance: float) -> list[tuple[int, float]]:
    """Divide a chance among the chosen successors, and the rest among the others."""
    few, many = sum(chosen), len(chosen) - sum(chosen)
    return [(g, chance / few if c else (1.0 - chance) / many) for g, c in zip(after, chosen, strict=True)]


def _is_rare(codes: Codes, blocks: Graph, n: int) -> bool:
    """Whether a block calls a function, or does nothing but end the warp."""
    stems = [c.opcode.partition(".")[0] for c in _real(codes[blocks.starts[n] : blocks.ends[n] + 1])]
    return "CALL" in stems or stems == ["EXIT"]


def _real(codes: Iterable[Instruction | None]) -> list[Instruction]:
    return [code for code in codes if code is not None]
