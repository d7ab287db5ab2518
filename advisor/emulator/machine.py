"""Execute a program for some blocks of a grid: all their warps together, grouped by their program counters.

A warp whose lanes branch apart has one current part; its other parts wait until the current one waits or ends. Warps
with the smallest program counter run first, so that those that are behind catch up; every 64th time the warp that has
waited longest runs, so that none waits for ever. Atomic operations happen in the order of warps, then lanes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from advisor.emulator.asynchronous import Arrivals
from advisor.emulator.build import Build, Run
from advisor.emulator.memory import Bank, GlobalMemory
from advisor.emulator.program import Instruction, Program, RefusedError, TimeLimitError
from advisor.emulator.spaces import uses_windows
from advisor.emulator.state import LANES, Array, FaultError, Group, State, lanes_of

_FAIR = 64
_PATIENCE = 4096  # picks after which a warp turns to another of its parts
Shape = tuple[int, int, int]
BARRIERS = 16


@dataclass(slots=True)
class Part:
    """Lanes of a warp that wait. wait: None (ready), or a pair of what they wait for and its key."""

    pc: int
    mask: Array
    wait: tuple[str, Any] | None = None


@dataclass(slots=True)
class Launch:
    """A launch: grid and block, bytes of dynamic shared memory, and the memory and constants that it sees.

    parameters: the bytes of the kernel's parameters; blocks: the numbers of the blocks to execute, in x-major order.
    """

    grid: Shape
    block: Shape
    dynamic_shared: int
    memory: GlobalMemory
    banks: dict[int, Bank]
    blocks: Sequence[int]
    seconds: float = 60.0
    checked: bool = False


@dataclass(slots=True)
class MemoryCounts:
    """Counts of a memory instruction for each warp: requests, sectors, tags, wavefronts, and their ideals."""

    space: str
    kind: str
    width: int
    requests: Array
    sectors: Array
    ideal_sectors: Array
    tags: Array
    wavefronts: Array
    ideal_wavefronts: Array


@dataclass(slots=True)
class Layout:
    """What differs between architectures: first byte of shared memory, bank 0's places of block, grid and stack.

    windows_at: of the first addresses of the windows of shared and local memory (shared: None if only a special
    register has it); clusters_at: whether there are clusters, then their sizes by axis, the clusters of the grid by
    axis, and the blocks of a cluster.
    """

    shared_base: int
    block_at: int = 0x0
    grid_at: int = 0xC
    stack_at: int = 0x28
    windows_at: tuple[int | None, int] = (None, 0x20)
    parameters_at: int = 0x210
    clusters_at: tuple[int, int, int, int] | None = None


def layout(arch: str) -> Layout:
    """Return the layout of an architecture such as sm_90. Raises RefusedError for one that is not emulated."""
    number = arch.removeprefix("sm_").rstrip("af")
    if number in ("75", "80", "86", "87", "89"):
        return Layout(0, windows_at=(0x18, 0x20), parameters_at=0x160)
    if number == "90":
        return Layout(0x400, clusters_at=(0x140, 0x144, 0x15C, 0x188))
    raise RefusedError(f"{arch} is not emulated: sm_75, sm_80, sm_86, sm_89 and sm_90 are")


@dataclass(slots=True)
class _Step:
    """A compiled instruction. control: it may change the program counter, and ends a run of instructions."""

    run: Run | None
    guard: Callable[[Group], Any] | None
    control: bool
    refused: RefusedError | None = None


@dataclass(slots=True)
class BlockBarrier:
    """The state of a barrier of all blocks: threads that arrived, and the reduction of their predicates."""

    arrived: Array
    expected: Array
    count: Array = field(default_factory=lambda: np.zeros(0, np.int64))


class Machine:
    """The state of one run. Raises RefusedError for what is not emulated and FaultError for errors of the program."""

    def __init__(self, program: Program, launch: Launch, values: Callable[[int], bool] | None = None) -> None:
        self.program, self.launch = program, launch
        self.layout = layout(program.arch)
        bx, by, bz = launch.block
        self.threads = bx * by * bz
        self.warps_of_block = (self.threads + LANES - 1) // LANES
        blocks = len(launch.blocks)
        self.warps = blocks * self.warps_of_block
        self._registers = max((program.registers or 255) + 1, 8)
        self.state = State(self.warps, self._registers)
        self.block_of = np.repeat(np.arange(blocks), self.warps_of_block)
        self._identities(blocks)
        self.pc = np.zeros(self.warps, np.int64)
        self.ready = np.ones(self.warps, bool)
        self.bar_wait = np.full(self.warps, -1, np.int64)
        self.parts: dict[int, list[Part]] = {}
        self.bar_arrived = np.zeros((BARRIERS, blocks), np.int64)
        self.bar_expected = np.full((BARRIERS, blocks), -1, np.int64)
        self.bar_votes = np.zeros((BARRIERS, blocks), np.int64)
        self.bar_result = np.zeros((blocks, 3), np.int64)  # of the last reduction: votes, threads, barrier
        self.reduction_of = np.zeros((BARRIERS, blocks), np.int64)
        self.live_threads = np.full(blocks, self.threads, np.int64)
        self._last = np.zeros(self.warps, np.int64)
        self.blocked: dict[tuple[str, Any], list[int]] = {}  # what warps wait for -> those warps
        self._clusters()
        self.arrivals = Arrivals(self)
        self.steps_done = 0
        shared = self.layout.shared_base + program.shared_bytes + launch.dynamic_shared
        self.shared_end = shared
        self.shared = np.zeros((blocks, max(shared, 16) + 15 & ~15), np.uint8)
        self.local_size = (program.local_bytes if program.local_bytes is not None else 1 << 14) + 15 & ~15
        self._local: Array | None = None
        self.code = program.code
        count = len(self.code)
        self._executed = np.zeros((count + 1, self.warps), np.int64)
        self._lanes = np.zeros((count + 1, self.warps), np.int64)
        self.off: dict[int, Array] = {}
        self.memory_counts: dict[int, MemoryCounts] = {}
        self.constant_counters: dict[int, Callable[[Group, Any], None]] = {}
        self.check: Any = None
        self.tracer: Any = None
        self.sector_log: Any = None
        from advisor.emulator.opcodes import compile_instruction

        self.windows = uses_windows(self.code)

        self._compile = compile_instruction
        self.builds: list[Build] = []
        self.steps = [self._step(i, ins, values is None or values(i)) for i, ins in enumerate(self.code)]

    # What instructions ask for

    def check_register(self, index: int) -> None:
        """Raise RefusedError if the kernel has fewer registers than this index."""
        if not 0 <= index < self._registers:
            raise RefusedError(f"register R{index} is beyond the {self._registers} of the kernel")

    def bank(self, number: int) -> Bank:
        """Return a constant bank. Raises RefusedError if the program has none of this number."""
        found = self.launch.banks.get(number)
        if found is None:
            raise RefusedError(f"constant bank {number} is not in the code")
        return found

    @property
    def local(self) -> Array:
        """Local memory as words: (bytes / 4, warps * 32)."""
        if self._local is None:
            size = self.local_size // 4 * self.warps * LANES * 4
            if size > 1 << 30:
                raise RefusedError(f"{size >> 20} MiB of local memory are too much to emulate")
            self._local = np.zeros((self.local_size // 4, self.warps * LANES), np.uint32)
        return self._local

    def thread(self, warp: int, lane: int) -> str:
        """Return `block (1, 0, 0), thread (33, 0, 0)`."""
        block = self.launch.blocks[int(self.block_of[warp])]
        gx, gy, _ = self.launch.grid
        x, y, z = (int(self.tid[i][warp, lane]) for i in range(3))
        return f"block ({block % gx}, {block // gx % gy}, {block // (gx * gy)}), thread ({x}, {y}, {z})"

    def counts_of(self, at: int, space: str, kind: str, width: int) -> MemoryCounts:
        """Return the counters of a memory instruction, made at the first call."""
        found = self.memory_counts.get(at)
        if found is None:
            zero = [np.zeros(self.warps, np.int64) for _ in range(6)]
            found = self.memory_counts[at] = MemoryCounts(space, kind, width, *zero)
        return found

    def _identities(self, blocks: int) -> None:
        bx, by, _ = self.launch.block
        thread = np.arange(self.warps_of_block * LANES).reshape(self.warps_of_block, LANES)
        within = np.tile(thread, (blocks, 1))
        self.tid = tuple((v.astype(np.uint32)) for v in (within % bx, within // bx % by, within // (bx * by)))
        gx, gy, _ = self.launch.grid
        number = np.array(self.launch.blocks, np.int64)[self.block_of][:, None]
        self.ctaid = tuple(v.astype(np.uint32) for v in (number % gx, number // gx % gy, number // (gx * gy)))
        self.live = within < self.threads
        self.mask = self.live.copy()
        self.full: Array = np.asarray(self.mask.all(axis=1))
        self.warp_in_block = (np.arange(blocks * self.warps_of_block) % self.warps_of_block).astype(np.uint32)[:, None]

    def _clusters(self) -> None:
        """Note the cluster and the rank of each block, and the blocks of each cluster by rank (-1: not executed)."""
        (gx, gy, _), (cx, cy, cz) = self.launch.grid, self.program.cluster
        number = np.array(self.launch.blocks, np.int64)
        x, y, z = number % gx, number // gx % gy, number // (gx * gy)
        self.cluster_rank = x % cx + cx * (y % cy + cy * (z % cz))
        found, self.cluster_of = np.unique(self.cluster_in_grid(number), return_inverse=True)
        self.mates: Array = np.full((len(found), cx * cy * cz), -1, np.int64)
        self.mates[self.cluster_of, self.cluster_rank] = np.arange(len(number))

    def cluster_in_grid(self, number: Array) -> Array:
        """Return a number for the cluster of each block of the grid, executed here or not."""
        (gx, gy, _), (cx, cy, cz) = self.launch.grid, self.program.cluster
        x, y, z = number % gx, number // gx % gy, number // (gx * gy)
        return np.asarray(x // cx + gx * (y // cy + gy * (z // cz)))

    def blocks_at(self, own: Array, rank: Array, used: Array | bool = True) -> Array:
        """Return the blocks of ranks in the clusters of blocks. Raises RefusedError if a used one does not run."""
        mates = self.mates[self.cluster_of[own], np.clip(rank, 0, self.mates.shape[1] - 1)]
        bad = used & ((mates < 0) | (rank >= self.mates.shape[1]))
        if np.any(bad):
            raise RefusedError("the shared memory of a block is accessed that is not in the cluster or does not run")
        return np.asarray(mates)

    def _step(self, at: int, ins: Instruction, value: bool) -> _Step:
        build = Build(self, at, ins, value)
        self.builds.append(build)
        try:
            guard = None
            if ins.guard is not None:
                kept, build.noting = build.noting, build.uses
                guard = build.predicate(ins.guard)
                build.noting = kept
            run = self._compile(build)
            return _Step(run if value or build.control or build.always else None, guard, build.control)
        except RefusedError as refused:
            return _Step(None, None, True, refused)

    # Running

    def run(self) -> None:
        """Execute until all threads have ended."""
        deadline = time.process_time() + self.launch.seconds
        picks = 0
        with np.errstate(all="ignore"):
            while (group := self._pick(picks)) is not None:
                picks += 1
                self._last[group.warps] = picks
                pc = int(self.pc[group.warps[0]])
                again = group.count == self._ready_count and not self.parts
                while True:
                    uniform = self._segment(group, pc)
                    if not again or uniform is None or self.parts:
                        break
                    pc = uniform
                    picks += 1
                    if not picks & 0xFF and time.process_time() > deadline:
                        break
                if time.process_time() > deadline:
                    raise TimeLimitError(f"did not end within {self.launch.seconds:.0f} s of CPU time")
                if not picks % _PATIENCE:
                    self._turn()
        if self.live.any():
            self._deadlock()

    def _pick(self, picks: int) -> Group | None:
        ready = self.ready
        candidates = np.flatnonzero(ready)
        self._ready_count = len(candidates)
        if not len(candidates):
            return None
        pcs = self.pc[candidates]
        wanted = pcs.min() if picks % _FAIR else pcs[self._last[candidates].argmin()]
        warps = candidates[pcs == wanted] if len(candidates) > 1 else candidates
        count = len(warps)
        first, last = int(warps[0]), int(warps[-1])
        at: Any = slice(first, last + 1) if last - first + 1 == count else warps
        mask = None if self.full[at].all() else self.mask[at].copy()
        return Group(at, warps, mask)

    def _segment(self, g: Group, pc: int) -> int | None:
        """Execute up to the next control instruction; return the new program counter if all of the group go there."""
        steps, at = self.steps, pc
        count = len(steps)
        active = g.active
        try:
            while True:
                if at >= count:
                    raise FaultError("trap", count - 1, "execution runs past the end of the kernel")
                step = steps[at]
                if step.refused is not None:
                    raise step.refused
                if step.control:
                    break
                run = step.run
                if step.guard is not None:
                    m = self._guarded(g, step, at)
                    if m is not False and run is not None:
                        run(g, m)
                elif run is not None:
                    run(g, g.mask)
                at += 1
        finally:
            end = min(at + 1, count)
            self._executed[pc, g.at] += 1
            self._executed[end, g.at] -= 1
            self._lanes[pc, g.at] += active
            self._lanes[end, g.at] -= active
            self.steps_done += end - pc
        m = g.mask
        if step.guard is not None:
            found = self._guarded(g, step, at)
            if found is False:
                self.pc[g.at] = at + 1
                return at + 1
            m = found
        run = step.run
        result: Any = run(g, m) if run is not None else at + 1
        if run is None:
            self.pc[g.at] = at + 1
        return result if isinstance(result, int) else None

    def _guarded(self, g: Group, step: _Step, at: int) -> Any:
        """Return the lanes whose guard holds: None for all of the group, False for none; count the others."""
        assert step.guard is not None
        p = step.guard(g)
        if p.shape[1] != LANES:
            if p.all():
                return g.mask
            p = np.broadcast_to(p, (g.count, LANES))
        m = p if g.mask is None else p & g.mask
        lanes = np.count_nonzero(m, axis=1)
        off = g.active - lanes
        if not off.any():
            return g.mask
        place = self.off.get(at)
        if place is None:
            place = self.off[at] = np.zeros(self.warps, np.int64)
        place[g.at] += off
        return m if lanes.any() else False

    # Control

    def branch(self, g: Group, taken: Array | None, target: int, following: int) -> int | None:
        """Send the lanes `taken` (None: all) to `target` and the others of the group on."""
        if taken is None:
            self.pc[g.at] = target
            return target
        lanes = g.lanes()
        some = taken.any(axis=1)
        others = (lanes & ~taken).any(axis=1)
        if not others.any() and some.all():
            self.pc[g.at] = target
            return target
        self.pc[g.at] = np.where(some & ~others, target, following)
        for i in np.flatnonzero(some & others):
            warp = int(g.warps[i])
            stay = lanes[i] & ~taken[i]
            self.parts.setdefault(warp, []).append(Part(target, taken[i].copy()))
            self._current(warp, following, stay)
        return None

    def scatter(self, g: Group, mask: Array, targets: Array, at: int) -> None:
        """Send each lane of `mask` to its own target; lanes of the group that are not in it go on."""
        for i in range(g.count):
            warp = int(g.warps[i])
            lanes = g.lanes()[i]
            own = np.where(mask[i], targets[i], at + 1)
            places = [int(p) for p in np.unique(own[lanes])]
            for place in places[1:]:
                self.parts.setdefault(warp, []).append(Part(place, lanes & (own == place)))
            self._current(warp, places[0], lanes & (own == places[0]))

    def _current(self, warp: int, pc: int, mask: Array) -> None:
        self.pc[warp] = pc
        self.mask[warp] = mask
        self.full[warp] = mask.all()
        self.ready[warp] = True

    def park(self, warp: int, pc: int, mask: Array, wait: tuple[str, Any]) -> None:
        """Let a part of a warp wait, and turn to another part."""
        self.parts.setdefault(warp, []).append(Part(pc, mask.copy(), wait))
        self.turn_to_next(warp)

    def turn_to_next(self, warp: int) -> None:
        """Make a part that is ready the current one; the warp is not ready if there is none."""
        self.settle(warp)
        waiting = self.parts.get(warp, [])
        for i, part in enumerate(waiting):
            if part.wait is None:
                del waiting[i]
                if not waiting:
                    del self.parts[warp]
                self._current(warp, part.pc, part.mask)
                return
        self.ready[warp] = False
        self.mask[warp] = False
        self.full[warp] = False

    def settle(self, warp: int) -> None:
        """Merge the parts of a warp that wait for each other and are complete."""
        waiting = self.parts.get(warp)
        if not waiting:
            return
        keys = {
            (part.wait[0], part.wait[1])
            for part in waiting
            if part.wait is not None and part.wait[0] in ("sync", "warp")
        }
        for key in keys:
            same = [part for part in waiting if part.wait == key]
            there = np.logical_or.reduce([part.mask for part in same])
            kind, which = key
            needed = self.state.barriers[which, warp] if kind == "sync" else lanes_of(which[1])
            needed = needed & self.live[warp]
            if not (needed & ~there).any():
                pc = same[0].pc
                rest = [part for part in waiting if part.wait != key]
                rest.append(Part(pc, there))
                waiting[:] = rest

    def block(self, g: Group, row: int, key: tuple[str, Any], pc: int) -> None:
        """Let the lanes of a warp of the group wait until `wake(key)`, and go on at `pc`."""
        warp = int(g.warps[row])
        if warp in self.parts:
            self.park(warp, pc, g.lanes()[row], ("wake", key))
        else:
            self.ready[warp] = False
        self.blocked.setdefault(key, []).append(warp)

    def wake(self, key: tuple[str, Any]) -> None:
        """Let the warps go on that wait for `key`."""
        for warp in self.blocked.pop(key, ()):
            waiting = [part for part in self.parts.get(warp, ()) if part.wait == ("wake", key)]
            for part in waiting:
                part.wait = None
            if not waiting:
                self.ready[warp] = True
            elif not self.ready[warp] and self.bar_wait[warp] < 0:
                self.turn_to_next(warp)

    def meet(self, g: Group, needed: Array, key: Callable[[int], tuple[str, Any]], at: int) -> int | None:
        """Let the group's lanes wait until all lanes `needed` (count, 32) have come."""
        lanes = g.lanes()
        missing = (needed & self.live[g.at] & ~lanes).any(axis=1)
        if not missing.any():
            self.pc[g.at] = at + 1
            return at + 1
        self.pc[g.at] = at + 1
        for i in np.flatnonzero(missing):
            self.park(int(g.warps[i]), at + 1, lanes[i], key(int(i)))
        return None

    def end_lanes(self, g: Group, m: Array | None, at: int) -> None:
        """End the lanes of an EXIT."""
        if m is None and g.mask is None and not self.parts:
            self.live[g.at] = False
            self.ready[g.at] = False
            self.mask[g.at] = False
            self.full[g.at] = False
            ended = np.full(g.count, LANES)
        else:
            lanes = g.lanes() if m is None else m
            ended = lanes.sum(axis=1)
            self.live[g.at] &= ~lanes
            rest = g.lanes() & ~lanes
            self.pc[g.at] = at + 1
            self.mask[g.at] = rest
            self.full[g.at] = False
            for i in np.flatnonzero(~rest.any(axis=1)):
                self.turn_to_next(int(g.warps[i]))
            for i in np.flatnonzero(rest.any(axis=1)):
                self.settle(int(g.warps[i]))
        blocks = self.block_of[g.warps]
        np.subtract.at(self.live_threads, blocks, ended)
        for barrier in range(BARRIERS):
            if self.bar_arrived[barrier].any():
                self._release(barrier, np.unique(blocks))
        if self.arrivals.arrived.any():
            for cluster in np.unique(self.cluster_of[blocks]).tolist():
                self.arrivals.settle(cluster)

    def arrive(self, g: Group, barrier: int, expected: Array | None, votes: Array | None, wait: bool, at: int) -> None:
        """Let the group's lanes arrive at a barrier of their blocks. votes: predicates of a reduction, by warp."""
        blocks = self.block_of[g.warps]
        counts = np.broadcast_to(g.active, (g.count,))
        if expected is not None:
            self.bar_expected[barrier, blocks] = expected
        # A barrier counts whole warps: a warp arrives with all lanes that are alive and come together.
        np.add.at(self.bar_arrived[barrier], blocks, counts)
        if self.check is not None and expected is None:
            self.check.arrive(g, barrier, at)
        if votes is not None:
            np.add.at(self.bar_votes[barrier], blocks, votes)
        self.pc[g.at] = at + 1
        if wait:
            if self.parts:
                for i, warp in enumerate(g.warps.tolist()):
                    if warp in self.parts:
                        self.park(warp, at + 1, g.lanes()[i], ("bar", barrier))
                    else:
                        self.ready[warp] = False
                        self.bar_wait[warp] = barrier
            else:
                self.ready[g.at] = False
                self.bar_wait[g.at] = barrier
        self._release(barrier, np.unique(blocks))

    def _release(self, barrier: int, blocks: Array) -> None:
        arrived = self.bar_arrived[barrier, blocks]
        expected = self.bar_expected[barrier, blocks]
        needed = np.where(expected >= 0, np.minimum(expected, self._rounded(blocks)), self.live_threads[blocks])
        done = blocks[(arrived > 0) & (arrived >= needed)]
        if not len(done):
            return
        self.bar_result[done, 0] = self.bar_votes[barrier, done]
        self.bar_result[done, 1] = self.bar_arrived[barrier, done]
        self.bar_arrived[barrier, done] = 0
        self.bar_votes[barrier, done] = 0
        self.bar_expected[barrier, done] = -1
        inside = np.zeros(len(self.live_threads), bool)
        inside[done] = True
        warps = np.flatnonzero(inside[self.block_of] & (self.bar_wait == barrier))
        self.ready[warps] = True
        self.bar_wait[warps] = -1
        for warp in [w for w in self.parts if inside[self.block_of[w]]]:
            for part in self.parts[warp]:
                if part.wait == ("bar", barrier):
                    part.wait = None
            if not self.ready[warp] and self.bar_wait[warp] < 0:
                self.turn_to_next(warp)
        if self.check is not None:
            self.check.barrier(done)

    def _rounded(self, blocks: Array) -> Array:
        return np.where(self.live_threads[blocks] > 0, 1 << 30, 0)

    def _turn(self) -> None:
        """Let warps whose parts are apart go on with another part, for loops that wait for a lane of their own warp."""
        for warp in list(self.parts):
            if self.ready[warp] and any(part.wait is None for part in self.parts[warp]):
                self.parts[warp].append(Part(int(self.pc[warp]), self.mask[warp].copy()))
                self.turn_to_next(warp)

    def _deadlock(self) -> None:
        waiting = {*np.flatnonzero(self.bar_wait >= 0).tolist(), *self.parts}
        waiting |= {one for warps in self.blocked.values() for one in warps}
        warp = int(np.flatnonzero(self.live.any(axis=1))[0])
        part = next((p for p in self.parts.get(warp, ()) if p.wait is not None), None)
        lanes, pc = (self.live[warp], int(self.pc[warp])) if part is None else (part.mask, part.pc)
        who = self.thread(warp, int(np.asarray(lanes).argmax()))
        missing = (self._missing(key) for key, warps in self.blocked.items() if warp in warps)
        where = next(missing, "a barrier that other threads do not reach")
        raise FaultError("deadlock", max(pc - 1, 0), f"{who} waits for ever at {where} ({len(waiting)} warps wait)")

    def _missing(self, key: tuple[str, Any]) -> str:
        """Return what the warps wait for that are blocked."""
        if key[0] != "arrival":
            return "the barrier of its cluster, which other threads do not reach"
        what = f"the barrier at byte {key[1][1] - self.layout.shared_base} of shared memory"
        found = self.arrivals.barriers.get(key[1])
        if found is None:
            return f"{what}, which was invalidated"
        more = f", {-found.bytes} bytes too many came" if found.bytes < 0 else ""
        return f"{what}: {found.pending} threads and {max(found.bytes, 0)} bytes are missing{more}"

    # Counts

    def executed(self) -> Array:
        """Return executions of each instruction by each warp: (instructions, warps)."""
        return np.cumsum(self._executed[:-1], axis=0)

    def lanes_executed(self) -> Array:
        """Return the active lanes over all executions: (instructions, warps)."""
        return np.cumsum(self._lanes[:-1], axis=0)
