"""Branches, calls, convergence barriers, block barriers, and special registers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from advisor.emulator.build import Build, Run, scalar
from advisor.emulator.program import DRIVER_FUNCTIONS, INSTRUCTION_BYTES, Operand
from advisor.emulator.spaces import LOCAL_WINDOW, SHARED_WINDOW
from advisor.emulator.state import LANES, Array, FaultError, Group, lanes_of

_U32 = np.uint32
_LANE = np.arange(LANES, dtype=np.uint32)[None, :]


def _target(b: Build, op: Operand) -> int:
    """Return the index of the instruction that an operand names. Raises RefusedError if it is not in the kernel."""
    if op.kind != "number":
        raise b.refuse("an indirect target")
    place = int(op.text, 0) - b.machine.program.base
    if place % INSTRUCTION_BYTES or not 0 <= place // INSTRUCTION_BYTES < len(b.machine.code):
        raise b.refuse("a target outside the kernel")
    return place // INSTRUCTION_BYTES


def _lanes(g: Group, m: Any) -> Array:
    return g.lanes() if m is None else m


def bra(b: Build) -> Run:
    """BRA: go to a target; .DIV only if the warp's lanes are apart."""
    b.control, b.noting = True, b.uses
    names = b.modifiers("U", "DIV", "CONV", "ANY", "INC", "DEC")
    if "INC" in names or "DEC" in names:
        raise b.refuse()
    machine, at = b.machine, b.at
    operands = list(b.ins.operands)
    target = _target(b, operands.pop())
    if "DIV" in names or "CONV" in names:
        wanted = b.u32(operands[0]) if operands else (lambda g: scalar(0xFFFFFFFF))
        apart = "DIV" in names

        def divergent(g: Group, m: Any) -> Any:
            bits = (g.lanes().astype(np.int64) << np.arange(LANES)).sum(axis=1)
            here = machine.live[g.at]
            live = (here.astype(np.int64) << np.arange(LANES)).sum(axis=1)
            needed = np.broadcast_to(wanted(g).astype(np.int64).ravel(), (g.count,)) & live
            differs = (needed & ~bits) != 0
            go = differs if apart else ~differs
            return machine.branch(g, _lanes(g, m) & go[:, None], target, at + 1)

        return divergent
    also = [b.predicate(o) for o in operands if o.kind in ("P", "UP")]
    if len(also) != len(operands):
        raise b.refuse()

    def run(g: Group, m: Any) -> Any:
        if not also and m is g.mask:
            return machine.branch(g, None, target, at + 1)
        taken = _lanes(g, m)
        for p in also:
            taken = taken & p(g)
        if "ANY" in names:  # the whole warp goes if one lane does
            taken = g.lanes() & taken.any(axis=1, keepdims=True)
        return machine.branch(g, taken, target, at + 1)

    return run


def call(b: Build) -> Run:
    """CALL: a jump; the return address is in a register already. An indirect target is a base plus a register.

    CALL.ABS goes to a function of the driver, which is skipped: vprintf prints nothing, __assertfail is a trap.
    """
    b.control, b.noting = True, b.uses
    names = b.modifiers("REL", "ABS", "NOINC")
    machine, at, op = b.machine, b.at, b.operand(0)
    if op.kind != "R":
        target = _target(b, op)
        return lambda g, m: machine.branch(g, None if m is g.mask else _lanes(g, m), target, at + 1)
    address = b.u64(op)
    if "ABS" in names:
        return _driver_call(b, address)
    base = int(b.operand(1).text, 0) - machine.program.base if len(b.ins.operands) > 1 else 0

    def run(g: Group, m: Any) -> Any:
        found = np.broadcast_to(address(g), (g.count, LANES)).view(np.int64) + base
        return _jump(b, g, _lanes(g, m), found, at)

    return run


def _driver_call(b: Build, address: Callable[[Group], Array]) -> Run:
    machine, at = b.machine, b.at
    put = b.put(Operand("R", 4))  # the result of the call

    def run(g: Group, m: Any) -> Any:
        lanes = _lanes(g, m)
        for where in np.unique(np.broadcast_to(address(g), lanes.shape)[lanes]).tolist():
            name = DRIVER_FUNCTIONS.get(int(where))
            if name is None:
                raise FaultError("trap", at, "a call of an address outside the kernel")
            if name == "__assertfail":
                i, lane = (int(v) for v in np.argwhere(lanes)[0])
                raise FaultError("trap", at, f"{machine.thread(int(g.warps[i]), lane)}: an assertion fails")
            if name != "vprintf":
                raise b.refuse(f"a call of {name}")
        put(g, m, scalar(0))
        machine.pc[g.at] = at + 1
        return at + 1

    return run


def lepc(b: Build) -> Run:
    """LEPC: the address of an instruction."""
    b.modifiers()
    low, high = b.put(b.operand(0)), b.put(b.operand(0), 1)
    place = int(b.operand(1).text, 0) if len(b.ins.operands) > 1 else b.machine.program.base + b.ins.address
    words = scalar(place & 0xFFFFFFFF), scalar(place >> 32)

    def run(g: Group, m: Any) -> None:
        low(g, m, words[0])
        high(g, m, words[1])

    return run


def ret(b: Build) -> Run:
    """RET.REL: go to a base plus the offset in a register."""
    b.control, b.noting = True, b.uses
    b.modifiers("REL", "NODEC")
    machine, at = b.machine, b.at
    offset = b.u32(b.operand(0))
    base = int(b.operand(1).text, 0) - machine.program.base if len(b.ins.operands) > 1 else 0

    def run(g: Group, m: Any) -> Any:
        found = np.broadcast_to(offset(g), (g.count, LANES)).astype(np.int64) + base
        return _jump(b, g, _lanes(g, m), found, at)

    return run


def _jump(b: Build, g: Group, lanes: Array, addresses: Array, at: int) -> Any:
    machine = b.machine
    used = addresses[lanes]
    if (used % INSTRUCTION_BYTES).any() or (used < 0).any() or (used >= len(machine.code) * INSTRUCTION_BYTES).any():
        raise FaultError("trap", at, "a jump to an address outside the kernel")
    places = addresses // INSTRUCTION_BYTES
    first = int(used[0]) // INSTRUCTION_BYTES
    if (used == used[0]).all():
        return machine.branch(g, None if bool((lanes == g.lanes()).all()) else lanes, first, at + 1)
    machine.scatter(g, lanes, places, at)
    return None


def brx(b: Build) -> Run:
    """BRX: go to the next address plus a register plus an offset."""
    b.control, b.noting = True, b.uses
    b.modifiers()
    at = b.at
    offset = b.u32(b.operand(0))
    added = int(b.operand(1).text, 0)

    def run(g: Group, m: Any) -> Any:
        found = np.broadcast_to(offset(g), (g.count, LANES)).view(np.int32).astype(np.int64)
        return _jump(b, g, _lanes(g, m), found + added + (at + 1) * INSTRUCTION_BYTES, at)

    return run


def exit_(b: Build) -> Run:
    """EXIT: end the lanes."""
    b.control = True
    b.modifiers()
    machine, at = b.machine, b.at
    also = [b.predicate(o) for o in b.ins.operands]

    def run(g: Group, m: Any) -> Any:
        lanes = m
        for p in also:
            lanes = _lanes(g, lanes) & p(g)
        machine.end_lanes(g, None if lanes is g.mask else lanes, at)
        return None

    b.uses |= b.data
    return run


def bssy(b: Build) -> Run:
    """BSSY: remember the active lanes in a convergence barrier."""
    names = b.modifiers("RECONVERGENT")
    del names
    index = b.operand(0).index
    barriers = b.state.barriers
    b.defs.add(("B", index))
    b.always = True

    def run(g: Group, m: Any) -> None:
        barriers[index, g.at] = _lanes(g, m)

    return run


def bsync(b: Build) -> Run:
    """BSYNC: wait for all lanes of a convergence barrier."""
    b.control = True
    b.modifiers("RECONVERGENT")
    index, machine, at = b.operand(0).index, b.machine, b.at
    barriers = b.state.barriers
    b.uses.add(("B", index))

    def run(g: Group, m: Any) -> Any:
        return machine.meet(g, barriers[index, g.at], lambda i: ("sync", index), at)

    return run


def break_(b: Build) -> Run:
    """BREAK: leave a convergence barrier."""
    b.modifiers()
    b.always, b.noting = True, b.uses
    index = b.operand(0).index
    also = [b.predicate(o) for o in b.ins.operands[1:]]
    barriers, machine = b.state.barriers, b.machine
    b.uses.add(("B", index))
    b.defs.add(("B", index))

    def run(g: Group, m: Any) -> None:
        lanes = _lanes(g, m)
        for p in also:
            lanes = lanes & p(g)
        kept = barriers[index, g.at]
        barriers[index, g.at] = kept & ~lanes
        if machine.parts:
            for warp in g.warps.tolist():
                machine.settle(warp)

    return run


def bmov(b: Build) -> Run:
    """BMOV: move a convergence barrier from or to a register."""
    names = b.modifiers("32", "CLEAR", "PQUAD")
    b.always = True
    barriers = b.state.barriers
    weights = (_U32(1) << _LANE).astype(_U32)
    to, source = b.operand(0), b.operand(1)
    if to.kind == "B":
        get, index = b.u32(source), to.index
        b.defs.add(("B", index))

        def load(g: Group, m: Any) -> None:
            bits = np.broadcast_to(get(g), (g.count, LANES))
            # All active lanes hold the same mask.
            lanes = _lanes(g, m)
            first = lanes.argmax(axis=1)
            one = bits[np.arange(g.count), first][:, None]
            barriers[index, g.at] = (one & weights) != 0

        b.uses |= b.data
        return load
    if source.kind != "B":
        raise b.refuse()
    put, index = b.put(to), source.index
    b.uses.add(("B", index))

    def store(g: Group, m: Any) -> None:
        put(g, m, (barriers[index, g.at].astype(_U32) * weights).sum(axis=1, dtype=_U32)[:, None])
        if "CLEAR" in names:
            barriers[index, g.at] = False

    return store


def warpsync(b: Build) -> Run:
    """WARPSYNC: wait for the lanes of a mask."""
    b.control, b.noting = True, b.uses
    names = b.modifiers("ALL", "EXCLUSIVE", "COLLECTIVE")
    machine, at = b.machine, b.at
    if "COLLECTIVE" in names or "EXCLUSIVE" in names:
        raise b.refuse("reached by lanes that are apart")
    mask = (lambda g: scalar(0xFFFFFFFF)) if "ALL" in names else b.u32(b.operand(0))

    def run(g: Group, m: Any) -> Any:
        bits = np.broadcast_to(mask(g), (g.count, LANES))
        lanes = _lanes(g, m)
        one = bits[np.arange(g.count), lanes.argmax(axis=1)].astype(np.int64)
        needed = lanes_of(one)
        if machine.check is not None:
            machine.check.mask(g, lanes, needed, at)
        return machine.meet(g, needed, lambda i: ("warp", (at, int(one[i]))), at)

    return run


def bar(b: Build) -> Run:
    """BAR.SYNC, BAR.ARV, BAR.RED: barriers of a block."""
    b.control, b.noting = True, b.uses
    names = b.modifiers("SYNC", "ARV", "RED", "DEFER_BLOCKING", "AND", "OR", "POPC")
    machine, at = b.machine, b.at
    operands = list(b.ins.operands)
    p = b.predicate(operands.pop()) if operands and operands[-1].kind in ("P", "UP") else None
    if not operands or operands[0].kind != "number":
        raise b.refuse("a barrier whose number is computed")
    barrier = int(operands[0].text, 0)
    if not 0 <= barrier < 16:
        raise b.refuse()
    count = b.u32(operands[1]) if len(operands) > 1 else None
    wait = "ARV" not in names

    def run(g: Group, m: Any) -> Any:
        if m is not None and not (some := m.any(axis=1)).all():
            # Warps whose predicate is false go on without arriving.
            machine.pc[g.warps[~some]] = at + 1
            g, m = Group(g.warps[some], g.warps[some], None if g.mask is None else g.mask[some]), m[some]
        expected = None if count is None else np.broadcast_to(count(g), (g.count, LANES))[:, 0].astype(np.int64)
        votes = None if p is None else (np.broadcast_to(p(g), (g.count, LANES)) & g.lanes()).sum(axis=1)
        if machine.check is not None and m is not None and count is None:
            machine.check.skipped(g, m, at)
        machine.arrive(g, barrier, expected, votes, wait, at)
        return None

    b.uses |= b.data
    return run


def b2r(b: Build) -> Run:
    """B2R.RESULT: the result of a barrier's reduction: a count, and whether it is the reduction's predicate."""
    if b.modifiers("RESULT") != ("RESULT",):
        raise b.refuse()
    machine, put = b.machine, b.put(b.operand(0))
    puts = b.put_predicate(b.operand(1)) if len(b.ins.operands) > 1 else None
    kind = next((i.modifiers for i in reversed(machine.code[: b.at]) if i.opcode == "BAR" and "RED" in i.modifiers), ())

    def run(g: Group, m: Any) -> None:
        found = machine.bar_result[machine.block_of[g.warps]]
        votes, threads = found[:, 0:1], found[:, 1:2]
        put(g, m, votes.astype(_U32))
        if puts is not None:
            puts(g, m, votes == threads if "AND" in kind else votes > 0)

    return run


def nothing(b: Build) -> Run:
    """NOP and what orders memory or schedules: no effect on results or counts here."""
    return lambda g, m: None


def bpt(b: Build) -> Run:
    """BPT.TRAP: a failed assertion."""
    b.control = True
    at, machine = b.at, b.machine

    def run(g: Group, m: Any) -> Any:
        lanes = _lanes(g, m)
        i, lane = (int(v) for v in np.argwhere(lanes)[0])
        raise FaultError("trap", at, f"{machine.thread(int(g.warps[i]), lane)} reached a trap, such as a failed assert")

    return run


def s2r(b: Build) -> Run:
    """S2R, S2UR: read a special register."""
    b.modifiers()
    machine, name, put = b.machine, b.operand(1).text, b.put(b.operand(0))
    grid, block = machine.launch.grid, machine.launch.block
    axis = "XYZ".find(name[-1]) if "." in name else -1
    if name.startswith("SR_TID.") and axis >= 0:
        found = machine.tid[axis]
        return lambda g, m: put(g, m, found[g.at])
    if name == "SR_TID":
        packed = machine.tid[0] | (machine.tid[1] << _U32(16)) | (machine.tid[2] << _U32(26))
        return lambda g, m: put(g, m, packed[g.at])
    if name.startswith("SR_CTAID.") and axis >= 0:
        own = machine.ctaid[axis]
        return lambda g, m: put(g, m, own[g.at])
    if name == "SR_CgaCtaId":
        rank = machine.cluster_rank[machine.block_of].astype(_U32)[:, None]
        return lambda g, m: put(g, m, rank[g.at])
    cluster = machine.program.cluster
    if axis >= 0 and name.startswith(("SR_CLUSTERID.", "SR_CLUSTER_CTAID.")) and cluster != (1, 1, 1):
        size = _U32(cluster[axis])
        part = machine.ctaid[axis] // size if "CLUSTERID" in name else machine.ctaid[axis] % size
        return lambda g, m: put(g, m, part[g.at])
    constants = {
        "SR_SWINHI": SHARED_WINDOW,
        "SR_LWINHI": LOCAL_WINDOW,
        "SRZ": 0,
        "SR_VIRTID": 0,
        "SR_SMEMSZ": machine.shared_end,
    }
    for i, letter in enumerate("XYZ"):
        constants[f"SR_NTID.{letter}"] = block[i]
        constants[f"SR_NCTAID.{letter}"] = grid[i]
        constants[f"SR_CLUSTERID.{letter}"] = -1
        constants[f"SR_CLUSTER_NCTAID.{letter}"] = cluster[i]
        constants[f"SR_CLUSTER_CTAID.{letter}"] = 0
    if constants.get(name, -1) >= 0:
        value = scalar(constants[name])
        return lambda g, m: put(g, m, value)
    if name == "SR_LANEID":
        return lambda g, m: put(g, m, _LANE)
    if name in _LANE_MASKS:
        mask = _LANE_MASKS[name]
        return lambda g, m: put(g, m, mask)
    if name in ("SR_WARPID", "SR_VWARPID"):
        return lambda g, m: put(g, m, machine.warp_in_block[g.at])
    if name in ("SR_CLOCKLO", "SR_GLOBALTIMERLO"):
        return lambda g, m: put(g, m, scalar(machine.steps_done & 0xFFFFFFFF))
    if name in ("SR_CLOCKHI", "SR_GLOBALTIMERHI"):
        return lambda g, m: put(g, m, scalar(0))
    raise b.refuse(f"special register {name}")


_ONE = np.uint64(1)
_BITS = _ONE << _LANE.astype(np.uint64)
_LANE_MASKS: dict[str, Any] = {
    "SR_EQMASK": _BITS.astype(_U32),
    "SR_LTMASK": (_BITS - _ONE).astype(_U32),
    "SR_LEMASK": (2 * _BITS - _ONE).astype(_U32),
    "SR_GTMASK": (~(2 * _BITS - _ONE) & np.uint64(0xFFFFFFFF)).astype(_U32),
    "SR_GEMASK": (~(_BITS - _ONE) & np.uint64(0xFFFFFFFF)).astype(_U32),
}

HANDLERS: dict[str, Callable[[Build], Run]] = {
    "BRA": bra,
    "JMP": bra,
    "CALL": call,
    "RET": ret,
    "LEPC": lepc,
    "BRX": brx,
    "EXIT": exit_,
    "BSSY": bssy,
    "BSYNC": bsync,
    "BREAK": break_,
    "BMOV": bmov,
    "WARPSYNC": warpsync,
    "BAR": bar,
    "B2R": b2r,
    "BPT": bpt,
    **dict.fromkeys(("S2R", "S2UR"), s2r),
    **dict.fromkeys(
        (
            *("NOP", "YIELD", "MEMBAR", "ERRBAR", "CGAERRBAR", "CCTL", "CCTLL", "DEPBAR", "LDGDEPBAR", "NANOSLEEP"),
            *("PMTRIG", "FENCE", "PREEXIT", "ACQBULK", "UTMACMDFLUSH", "UBLKPF"),
        ),
        nothing,
    ),
}
