"""What the order of a kernel's instructions shows: whether the next tile is loaded or copied before the current one is
used, and which share of a block's warps works between two barriers. Standard library only: the child process imports
this module.

Instructions come from the machine code in the order of their addresses, each with its executions and its PTX statement,
or with its text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

_PREDICATE = r"(?:@!?%\w+\s+)?"
_BARRIER = re.compile(_PREDICATE + r"bar(?:rier)?\.")
_MULTIPLY_ADD = re.compile(_PREDICATE + r"(?:fma|mad|mul|add)\.(?:[\w.]+\.)?(?:f16x2|f16|bf16x2|f32|f64)\s")
_SHARED_STORE = re.compile(_PREDICATE + r"st\.(?:volatile\.)?shared[\w:.]*\s+\[[^\]]*\],(.*)")
_LABEL = re.compile(r"\s*([$\w]+):")
_BRANCH = re.compile(r"\s*(?:@!?(%\w+)\s+)?bra(?:\.uni)?\s+([$\w]+)")
_NAME = re.compile(r"%[a-z]+\d+")
# A pair of barriers in a loop: the warps of a block meet at least this often.
_MEETINGS = 3
_LOOPED = 4  # executions of a warp
# Asynchronous copies by the lanes of warps, the end of a group of them, and a wait until at most so many are under way.
_COPY = re.compile(r"\bLDGSTS\b")
_GROUP = re.compile(r"\bLDGDEPBAR\b")
_JUMP = re.compile(r"^\s*(@\S+\s+)?BRA[.\w]*\s+(\S+,\s)?\D{0,4}?(0x[0-9a-f]{1,16})\)?\s*;?\s*$")
_WAIT = re.compile(r"\bDEPBAR\.LE SB\d, (0x[0-9a-f]{1,4})\b")
_ALIKE = 0.9  # of the executions of the other barriers, or of the stores of a tile


@dataclass(frozen=True, slots=True)
class Step:
    """An executed instruction: warps that executed it, line of its PTX (from 1), and the statement on that line."""

    count: float
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Reach:
    """A load or store: its address in the code, line of its PTX, series of statements (`Facts.series`), and the
    arguments of the kernel from which the address that it accesses is computed.
    """

    pc: int
    line: int
    series: int
    arguments: frozenset[str]


def held(loads: Iterable[Reach], stores: Iterable[Reach]) -> list[int]:
    """Return the loads that stay behind a store of the same series of statements, through other arguments.

    The compiler would load first, if it knew that the store does not change what is loaded.
    """
    first: dict[int, dict[frozenset[str], int]] = {}
    for store in stores:
        if store.arguments:
            before = first.setdefault(store.series, {})
            before[store.arguments] = min(store.line, before.get(store.arguments, store.line))
    return [
        load.pc
        for load in loads
        if any(at < load.line and not through & load.arguments for through, at in first.get(load.series, {}).items())
    ]


def loops(ptx: Sequence[str], first: int, end: int) -> list[tuple[int, int, frozenset[str]]]:
    """Return the loops in a part of the PTX: the lines of the label and of the branch back to it, and the predicates.

    Lines count from 1, and both are in the loop. The predicates are those of the branches that continue or leave it.
    """
    labels = {label[1]: at + 1 for at in range(first, end) if (label := _LABEL.match(ptx[at]))}
    branches = [
        (at + 1, found[1], labels[found[2]])
        for at in range(first, end)
        if (found := _BRANCH.match(ptx[at])) and found[2] in labels
    ]
    spans = [(goal, line) for line, _, goal in branches if goal <= line]
    return [
        (
            start,
            stop,
            frozenset(p for at, p, goal in branches if p and start <= at <= stop and _decides(at, goal, start, stop)),
        )
        for start, stop in spans
    ]


def _decides(at: int, goal: int, start: int, stop: int) -> bool:
    return at == stop or not start <= goal <= stop


def working_share(steps: Sequence[Step], inner: Sequence[tuple[int, int]]) -> float | None:
    """Return the share of the warps that execute most of the instructions between two barriers of a loop.

    The median over the instructions on a warp's way from barrier to barrier, each with the share of the warps that
    execute it. inner: the loops of the kernel. An instruction in a loop without a barrier has the share of the last
    instruction before that loop. None without barriers that each warp reaches three times or more.
    """
    barriers = [at for at, step in enumerate(steps) if _BARRIER.match(step.text)]
    most = max((steps[at].count for at in barriers), default=0.0)
    if not barriers or most < _MEETINGS * steps[0].count:
        return None
    lines = {steps[at].line for at in barriers}
    free = [span for span in inner if not any(span[0] <= line <= span[1] for line in lines)]
    chosen = [at for at in barriers if steps[at].count >= _ALIKE * most]
    around = [span for span in inner if span[0] <= steps[chosen[0]].line <= span[1]]
    start, stop = max(around, default=(steps[chosen[0]].line, steps[chosen[-1]].line))
    level, parts = most, list[tuple[float, float]]()
    for at, step in enumerate(steps):
        if at in chosen:
            level = most
        elif start <= step.line <= stop:
            if not any(span[0] <= step.line <= span[1] for span in free):
                level = min(step.count, most)
            if level:
                parts.append((level / most, step.count / level))
    parts.sort()
    half, passed = sum(length for _, length in parts) / 2, 0.0
    for share, length in parts:
        passed += length
        if passed >= half:
            return share
    return None


def staged_share(
    steps: Sequence[Step],
    loads: Iterable[int],
    results: Callable[[int], Iterable[str]],
    sources: Callable[[str], set[str]],
) -> float | None:
    """Return the share of a loop's arithmetic between the load of a value and its store to shared memory.

    loads: positions of global loads in `steps`; results: the registers that the load at a position writes; sources: the
    loaded registers that a register is a copy of. None if no loop stores loaded values in shared memory.
    """
    least = _LOOPED * steps[0].count if steps else 0.0
    by_name = {name: at for at in loads if steps[at].count >= least for name in results(at)}
    stores = [(at, found[1]) for at, step in enumerate(steps) if (found := _SHARED_STORE.match(step.text))]
    pairs = [
        (by_name[name], at)
        for at, values in stores
        if steps[at].count >= least
        for value in _NAME.findall(values)
        for name in sources(value)
        if name in by_name
    ]
    if not pairs:
        return None
    rounds = min(steps[at].count for _, at in pairs)
    work = [
        (at, step.count)
        for at, step in enumerate(steps)
        if step.count >= _ALIKE * rounds and _MULTIPLY_ADD.match(step.text)
    ]
    total = sum(count for _, count in work)
    if not total:
        return None
    shares = []
    for load, store in pairs:
        low, high = min(load, store), max(load, store)
        between = sum(count for at, count in work if low < at < high) / total
        # A store before its load in the loop's code stores what the last round loaded.
        shares.append(between if load < store else 1 - between)
    return sum(shares) / len(shares)


def copied_share(texts: Mapping[int, str], executed: Mapping[int, float]) -> float | None:
    """Return the share of a loop's instructions between an asynchronous copy and the wait for it.

    texts: the machine code of the executed instructions by address; executed: by how many warps. A wait that leaves
    newer groups of copies under way has a share of 1. The mean over the waits; None if no loop waits for copies.
    """
    pcs = sorted(pc for pc in texts if executed.get(pc))
    least = _LOOPED * executed[pcs[0]] if pcs else 0.0
    waits = {pc: int(found[1], 16) for pc in pcs if executed[pc] >= least and (found := _WAIT.search(texts[pc]))}
    shares = []
    for wait, left in waits.items():
        passed = _round(pcs, texts, executed, wait) if any(_GROUP.search(texts[pc]) for pc in pcs) else []
        copies = [at for at, pc in enumerate(passed) if _COPY.search(texts[pc])]
        if copies:
            between, rounds = (math.fsum(executed[pc] for pc in part) for part in (passed[copies[-1] + 1 :], passed))
            shares.append((executed[wait], 1.0 if left else between / rounds))
    total = math.fsum(count for count, _ in shares)
    return math.fsum(count * share for count, share in shares) / total if shares else None


def _round(pcs: Sequence[int], texts: Mapping[int, str], executed: Mapping[int, float], start: int) -> list[int]:
    """Return the addresses that a warp passes from `start` until it is there again; empty if it does not return.

    Of two ways it goes on, but back where it has not been yet: the code of a loop may begin in its middle.
    """
    least, position = _ALIKE * executed[start], {pc: at for at, pc in enumerate(pcs)}
    passed = dict[int, None]()
    at = position[start]
    while at < len(pcs):
        pc = pcs[at]
        if pc in passed:
            break
        passed[pc] = None
        jump = _JUMP.search(texts[pc])
        goal = int(jump[3], 16) if jump else pc
        taken = jump is not None and not jump[1] and not jump[2] and goal in position
        back = goal < pc and executed.get(goal, 0.0) >= least and (goal == start or goal not in passed)
        at = position[goal] if taken or back else at + 1
        if at < len(pcs) and pcs[at] == start:
            return list(passed)
    return []
