"""Named measures of an instruction, calculated from ncu's per-instruction metrics."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from msgspec import Struct

from advisor.hardware.sass import Instruction, OpClass
from advisor.records.errors import UsageError
from advisor.source.producers import BLAMED

EXECUTED = "inst_executed"
SAMPLES = "smsp__pcsamp_sample_count"
LANES = "thread_inst_executed_true"
SECTORS = "memory_l2_theoretical_sectors_global"
WAVEFRONTS = "memory_l1_wavefronts_shared"
DIVERGENT = "smsp__branch_targets_threads_divergent"
STALL = "smsp__pcsamp_warps_issue_stalled_"
_TYPE = "memory_type"
# bits of memory_type
_GLOBAL, _LOCAL = 4, 8
REASONS = (
    *("barrier", "branch_resolving", "dispatch_stall", "drain", "imc_miss", "lg_throttle", "long_scoreboard"),
    *("math_pipe_throttle", "membar", "mio_throttle", "misc", "no_instructions", "not_selected", "selected"),
    *("short_scoreboard", "sleeping", "tex_throttle", "wait"),
)
_NCU_NAME = re.compile(r"[a-z][a-z0-9]*_[A-Za-z0-9_.]{2,200}")


# Reasons of the samples of cycles in which the scheduler issued nothing.
_LOST = "_not_issued"
_LOST_ALWAYS = tuple(r for r in REASONS if r not in ("imc_miss", "selected"))
# Not on every architecture, and therefore not in the sum of all reasons.
_LOST_SOME = ("imc_miss", "gmma", "warpgroup_arrive")


class Sight(Struct, frozen=True):
    """The input of a measure: an instruction's code (None if unreadable), its class, and its values by ncu's name."""

    code: Instruction | None
    op: OpClass
    values: Mapping[str, float]

    def __getitem__(self, name: str) -> float:
        return self.values[name]


class Measure(Struct, frozen=True):
    """A measure of instructions.

    needs: the ncu metrics that it requires; value: computes it for one instruction (>= 0); blames: the stall reason
    that it counts, if the measure belongs to the instruction that is waited for and not to the one that waits, else ''.

    A measure with `blames` is attributed to that producer (source/producers.py), if it can be found.
    """

    id: str
    title: str
    needs: tuple[str, ...]
    value: Callable[[Sight], float]
    blames: str = ""


def _excess(name: str) -> Callable[[Sight], float]:
    return lambda sight: max(0.0, sight[name] - sight[name + "_ideal"])


def _plain(name: str) -> Callable[[Sight], float]:
    return lambda sight: max(0.0, sight[name])


def _where(condition: Callable[[Sight], bool]) -> Callable[[Sight], float]:
    return lambda sight: sight[EXECUTED] if condition(sight) else 0.0


def _stem(sight: Sight) -> str:
    return sight.op.opcode.partition(".")[0]


def _on_stack(sight: Sight) -> bool:
    return sight.code is not None and sight.code.memory is not None and sight.code.memory.on_stack


def _is_local(sight: Sight) -> bool:
    return _stem(sight) in ("LDL", "STL")


def _uniform_load(sight: Sight) -> float:
    """Return the executions of a global load of one address per warp: one sector, while 32 lanes could use four."""
    load = int(sight[_TYPE]) & _GLOBAL and sight.op.access == "load" and sight[EXECUTED] > 0
    return sight[EXECUTED] if load and sight[SECTORS] <= sight[EXECUTED] * 1.01 else 0.0


def _narrow(sight: Sight) -> float:
    """Return the executions of global accesses of less than 16 bytes per lane."""
    return sight[EXECUTED] if int(sight[_TYPE]) & _GLOBAL and 0 < sight.op.width < 128 else 0.0


def _indexed_constant(sight: Sight) -> bool:
    return _stem(sight) == "LDC" and sight.code is not None and re.search(r"\[R\d", sight.code.operands[-1]) is not None


_ALL = (
    Measure("samples", "stall samples", (SAMPLES,), _plain(SAMPLES)),
    Measure("instructions", "warp instructions executed", (EXECUTED,), _plain(EXECUTED)),
    Measure("excess_sectors", "sectors beyond the ideal", (SECTORS, SECTORS + "_ideal"), _excess(SECTORS)),
    Measure(
        "excess_wavefronts",
        "shared-memory wavefronts beyond the ideal",
        (WAVEFRONTS, WAVEFRONTS + "_ideal"),
        _excess(WAVEFRONTS),
    ),
    Measure("sectors", "sectors of global accesses", (SECTORS,), _plain(SECTORS)),
    Measure("wavefronts", "shared-memory wavefronts", (WAVEFRONTS,), _plain(WAVEFRONTS)),
    Measure(
        "idle_lanes",
        "inactive lanes",
        (EXECUTED, LANES),
        lambda sight: max(0.0, 32 * sight[EXECUTED] - sight[LANES]),
    ),
    Measure("divergence", "divergent branches", (DIVERGENT,), _plain(DIVERGENT)),
    Measure("local", "local-memory instructions", (EXECUTED,), _where(_is_local)),
    Measure("spills", "spill instructions", (EXECUTED,), _where(lambda s: _is_local(s) and _on_stack(s))),
    Measure(
        "indexed_local",
        "local accesses with a run-time index",
        (EXECUTED,),
        _where(lambda s: _is_local(s) and not _on_stack(s)),
    ),
    Measure("fp64", "double-precision instructions", (EXECUTED,), _where(lambda s: s.op.involves_f64)),
    Measure("special", "instructions of the special-function pipe", (EXECUTED,), _where(lambda s: s.op.pipe == "xu")),
    Measure("lsu", "instructions of the load-store pipe", (EXECUTED,), _where(lambda s: s.op.pipe == "lsu")),
    Measure("atomics", "atomic instructions", (EXECUTED,), _where(lambda s: s.op.access == "atomic")),
    Measure("constant_index", "constant loads with a run-time index", (EXECUTED,), _where(_indexed_constant)),
    Measure(
        "unfused",
        "separate multiplies and adds",
        (EXECUTED,),
        _where(lambda s: _stem(s) in ("FMUL", "FADD", "DMUL", "DADD", "HMUL2", "HADD2")),
    ),
    Measure("uniform_loads", "global loads of one address per warp", (EXECUTED, _TYPE, SECTORS), _uniform_load),
    Measure("narrow_accesses", "global accesses of less than 16 bytes per lane", (EXECUTED, _TYPE), _narrow),
    Measure(
        "load_wait",
        "long-scoreboard samples, at the load waited for",
        (STALL + "long_scoreboard",),
        _plain(STALL + "long_scoreboard"),
        blames="long_scoreboard",
    ),
    Measure(
        "lost_slots",
        "samples without an issue",
        tuple(f"{STALL}{r}{_LOST}" for r in _LOST_ALWAYS),
        lambda sight: sum(sight[f"{STALL}{r}{_LOST}"] for r in _LOST_ALWAYS),
    ),
    *(
        Measure(f"stall_{r}", f"samples stalled: {r.replace('_', ' ')}", (STALL + r,), _plain(STALL + r))
        for r in REASONS
    ),
)
MEASURES: Mapping[str, Measure] = {m.id: m for m in _ALL}
# The parts of lost_slots, by stall reason. Of scoreboards, at the instruction that the warp waits for.
LOST: Mapping[str, Measure] = {
    r: Measure(
        f"lost_{r}",
        f"samples without an issue, stalled: {r.replace('_', ' ')}",
        (f"{STALL}{r}{_LOST}",),
        _plain(f"{STALL}{r}{_LOST}"),
        blames=r if r in BLAMED else "",
    )
    for r in (*_LOST_ALWAYS, *_LOST_SOME)
}
_BY_NAME = {**MEASURES, **{each.id: each for each in LOST.values()}}


def title_of(name: str) -> str:
    """Return the title of a measure, or its name in words if it is not one of ours."""
    return _BY_NAME[name].title if name in _BY_NAME else name.replace("_", " ")


def measure(name: str) -> Measure:
    """Return a measure by id, or a per-instruction metric of ncu by name. Raises UsageError for anything else."""
    if name in _BY_NAME:
        return _BY_NAME[name]
    if _NCU_NAME.fullmatch(name) and (("__" in name) or name.startswith(("memory_", "inst_", "thread_"))):
        return Measure(name, name, (name,), _plain(name))
    from rapidfuzz.process import extractOne  # loads slowly: only for a mistake

    near = extractOne(name, list(_BY_NAME), score_cutoff=70)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise UsageError(f"{name[:80]!r} is not a measure of instructions{hint} (one of {', '.join(MEASURES)})")
