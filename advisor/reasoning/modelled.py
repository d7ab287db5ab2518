"""Model what an emulated launch does not count: cache hits, DRAM bytes, how busy units are, and the time on a GPU.

Modelled values are neither counted nor measured. Busy shares follow from counts, the modelled traffic of the caches and
the rates of the GPU. The time is the one at which the time model of the fixes, given these shares, accounts for all of
it: the model gives the time that units and latency need as a share of the launch's time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from msgspec.structs import replace

from advisor.emulator.caches import SECTOR, Caches, CacheTraffic, model_caches
from advisor.emulator.check import located
from advisor.emulator.counts import Counted, Problem, machine_of, memory_of
from advisor.emulator.program import RefusedError
from advisor.emulator.state import FaultError
from advisor.emulator.waits import Waits, waits
from advisor.hardware import sass
from advisor.hardware.gpus import Gpu, gpu, limits_of, table
from advisor.hardware.occupancy import occupancy
from advisor.knowledge.time_model import LEVELS, block_launch_ceiling, latencies
from advisor.reasoning.time_model.model import build
from advisor.records.emulated import EmulatedDocument, ModelledValue
from advisor.records.errors import AdvisorError, UsageError

# Bytes that L1 and shared memory have together beyond the most shared memory of an SM: 128, 192 and 256 KiB are L1 of
# CC 8.6, 8.0 and 9.0, of which 100, 164 and 228 can be shared memory (CUDA programming guide, compute capabilities).
_BESIDE_SHARED = 28 << 10
_SMALLEST_L1 = 16 << 10
# Warp instructions per cycle and SM: ALU and XU have 64 and 16 lanes (CUDA programming guide, arithmetic throughput).
_ALU, _XU = 2.0, 0.5
# Sectors per cycle that an SM gets from L2: 64 bytes. It sends one packet per cycle: one for each line that it reads,
# and for each line that it writes one more than the sectors.
_FROM_L2 = 2.0
_HEAVY, _HEAVY_RATE = ("IMAD", "HFMA2.MMA"), 2.0
_BULK = ("UBLKCP", "UTMA", "UBLKRED")
_ASIDE = ("MMA", "TEX", "TLD", "TLD4", "TXQ", "TXD", "TMML")  # of pipes that the model of the time does not have
# What is left out may be this share of what is counted: it then changes a result by less than the model's other errors.
_NOTABLE = 0.1
_MOST_ATOMICS = 0.02  # of the accesses: those that meet at one address take many times as long as others
_ROUNDS, _CLOSE = 60, 0.002
_FASTER, _SLOWER = 0.2, 5.0
_UNITS = {
    "dram_pct": "DRAM busy",
    "l2_served_pct": "path between L1 and L2 busy",
    "l1_wavefronts_pct": "L1 data stage busy",
    "lsu_need_pct": "load/store instructions busy",
    "issue_pct": "issue slots busy",
    "pipe_fma_pct": "FMA pipe busy",
    "pipe_alu_pct": "ALU pipe busy",
    "pipe_xu_pct": "XU pipe busy",
    "pipe_fp64_pct": "FP64 pipe busy",
}
_LABELS = {
    "l1_hit_pct": "L1 hit rate",
    "l2_hit_pct": "L2 hit rate",
    "dram_read_bytes": "Bytes read from DRAM",
    "dram_write_bytes": "Bytes written to DRAM",
    "duration_ns": "Time",
    **_UNITS,
}
_NO_TRAFFIC = CacheTraffic(math.nan, math.nan, 0.0, 0.0, 0.0, 0.0)


def modelled(problem: Problem, counted: Counted, on: Gpu, seconds: float = 10.0) -> tuple[ModelledValue, ...]:
    """Return the modelled values of a counted launch on a GPU; fewer where the GPU's numbers are unknown.

    Raises RefusedError and FaultError as counting does, and for what the model lacks; UsageError if the launch exceeds
    a limit of the GPU.
    """
    if why := why_no_traffic(counted):
        raise RefusedError(why)
    if on.sm_count is None or on.l2_bytes is None:
        return ()
    limits = on.limits or limits_of(on.cc)
    threads, shared = math.prod(counted.block), counted.program.shared_bytes + counted.dynamic_shared
    fits = occupancy(limits, threads, counted.program.registers or 32, shared)
    if not fits.blocks:
        raise UsageError("no block of this launch fits on an SM of this GPU")
    resident = min(fits.blocks, -(-counted.blocks // on.sm_count))
    taken = fits.blocks * (shared + limits.shared_reserved) if shared else 0
    l1 = max(limits.shared_per_sm + _BESIDE_SHARED - taken, _SMALLEST_L1)
    caches = Caches(on.sm_count, resident, l1, on.l2_bytes)
    traffic = model_caches(problem, caches, seconds, counted.total("sectors"))
    out = []
    if traffic is not None:
        out += [
            ModelledValue("l1_hit_pct", 100 * traffic.l1_hit, "%"),
            ModelledValue("l2_hit_pct", 100 * traffic.l2_hit, "%"),
            ModelledValue("dram_read_bytes", SECTOR * traffic.dram_reads, "B"),
            ModelledValue("dram_write_bytes", SECTOR * traffic.dram_writes, "B"),
        ]
    memory, addresses = memory_of(problem)
    builds = machine_of(problem, [0], memory, addresses, None, seconds).builds
    waited = waits(builds, [one.executed for one in counted.instructions])
    found = None if why_no_time(counted) else _time(counted, traffic or _NO_TRAFFIC, waited, on, fits.percent)
    if found is not None:
        time_ns, columns = found
        out.append(ModelledValue("duration_ns", time_ns, "ns"))
        out += [ModelledValue(name, float(columns[name][0]), "%") for name in _UNITS if name in columns]
    return tuple(one for one in out if math.isfinite(one.value))


def with_modelled(
    document: EmulatedDocument, problem: Problem, counted: Counted, name: str, seconds: float = 10.0
) -> EmulatedDocument:
    """Return the document with the values modelled for the GPU of this name, or with the reason why there are none.

    Raises UsageError for an unknown GPU.
    """
    on = gpu(name)
    if counted.program.arch.rstrip("af") != f"sm_{on.cc.replace('.', '')}":
        why = f"the code is of {counted.program.arch}, {on.id} has compute capability {on.cc}"
        return replace(document, not_modelled=why)
    try:
        found = modelled(problem, counted, on, seconds)
    except FaultError as e:
        return replace(document, not_modelled=located(e, problem.program))
    except AdvisorError as e:  # a limit of the GPU, of the model or of the time: the counts stay
        return replace(document, not_modelled=str(e))
    if not found:
        return replace(document, not_modelled=f"the numbers of {on.id} are unknown")
    return replace(document, modelled=found, modelled_on=on.id, not_modelled=why_no_time(counted))


def why_no_traffic(counted: Counted) -> str:
    """Return why nothing is modelled: accesses that the model of the caches does not see; or ''."""
    if any(one.executed and one.opcode.startswith(_BULK) for one in counted.instructions):
        return "bulk copies are not in the model of the caches"
    local, all_sectors = counted.total("local_sectors"), counted.total("sectors")
    if local > _NOTABLE * (local + all_sectors):
        return "local memory is not in the model of the caches"
    return ""


def why_no_time(counted: Counted) -> str:
    """Return why no time is modelled: work whose time the model does not know; or ''."""
    # HFMA2.MMA, with which the compiler also loads constants, is none of them.
    if any(one.executed and one.opcode.split(".")[0].endswith(_ASIDE) for one in counted.instructions):
        return "tensor and texture instructions are not in the model of the time"
    if math.prod(counted.program.cluster) > 1:
        return "clusters are not in the model of the time"
    accesses = sum(one.executed for one in counted.instructions if one.space)
    atomics = sum(one.executed for one in counted.instructions if "global" in one.space and one.kind == "atomic")
    return "atomic operations are not in the model of the time" if atomics > _MOST_ATOMICS * accesses else ""


def label_of(metric: str) -> str:
    """Return what a modelled metric is called on a page."""
    return _LABELS[metric]


def _work(counted: Counted, traffic: CacheTraffic, on: Gpu) -> dict[str, float]:
    """Return the cycles of each unit of one SM if it did all of the launch."""
    misses = 1.0 - traffic.l1_hit if math.isfinite(traffic.l1_hit) else 1.0
    sent, got = 0.0, traffic.l2_reads / _FROM_L2
    rates = table().capabilities[on.cc].flop
    pipes: dict[str, float] = {}
    lines = wavefronts = 0.0
    for one in counted.instructions:
        what = sass.classify(one.opcode, on.cc)
        pipes[what.pipe] = pipes.get(what.pipe, 0.0) + one.executed
        wavefronts += (one.wavefronts or 0.0) if "shared" in one.space else 0.0
        if "global" in one.space and one.kind == "load":
            sent += misses * (one.tags or 0.0)
        elif "global" in one.space:
            sent += (one.tags or 0.0) + (one.sectors or 0.0)
        lines += (one.tags or 0.0) + (one.local_sectors or 0.0) / 4
    limits = on.limits or limits_of(on.cc)
    out = {
        "issue_pct": counted.total("executed") / limits.schedulers,
        "l1_wavefronts_pct": lines + wavefronts,
        "lsu_need_pct": pipes.get("lsu", 0.0),
        "l2_served_pct": max(sent, got),
        "pipe_alu_pct": pipes.get("alu", 0.0) / _ALU,
        "pipe_xu_pct": pipes.get("xu", 0.0) / _XU,
    }
    # Integer multiply-adds run on one half of the FMA pipe.
    heavy = sum(one.executed for one in counted.instructions if one.opcode.startswith(_HEAVY)) / _HEAVY_RATE
    for name, pipe, key in (("pipe_fma_pct", "fma", "fp32"), ("pipe_fp64_pct", "fp64", "fp64")):
        if key in rates:  # FLOP per cycle: two for each of 32 lanes
            out[name] = max(pipes.get(pipe, 0.0) * 64 / rates[key], heavy if pipe == "fma" else 0.0)
    out["shared"] = wavefronts
    out["local"] = sum((one.local_sectors or 0.0) / 4 for one in counted.instructions)
    return out


def _time(
    counted: Counted, traffic: CacheTraffic, waited: Waits, on: Gpu, occupied: float
) -> tuple[float, Mapping[str, Any]] | None:
    """Return the time in ns and the columns of the time model at that time; None if a number is unknown."""
    if on.boost_clock_hz is None or on.bandwidth is None or on.sm_count is None:
        return None
    work = _work(counted, traffic, on)
    columns_at = _columns(counted, traffic, waited, on, occupied, work)
    time_s = 1e-6
    for _ in range(_ROUNDS):
        columns = columns_at(time_s)
        relative = float(build(columns, 1).relative[0])
        if not math.isfinite(relative) or relative <= 0:
            return None
        if abs(relative - 1) < _CLOSE:
            break
        time_s *= min(max(relative, _FASTER), _SLOWER)
    return 1e9 * time_s, columns_at(time_s)


def _columns(
    counted: Counted,
    traffic: CacheTraffic,
    waited: Waits,
    on: Gpu,
    occupied: float,
    work: Mapping[str, float],
) -> Callable[[float], dict[str, Any]]:
    """Return the function that gives the columns of the time model for a time in seconds."""
    sms, clock, bandwidth = float(on.sm_count or 1), on.boost_clock_hz or 1.0, on.bandwidth or 1.0
    limits = on.limits or limits_of(on.cc)
    warps = counted.blocks * -(-math.prod(counted.block) // 32)
    executed = max(counted.total("executed"), 1.0)
    known = latencies(on.cc)
    l1, l2 = (0.0 if math.isnan(v) else v for v in (traffic.l1_hit, traffic.l2_hit))
    idle = l1 * known["l1"] + (1 - l1) * (l2 * known["l2"] + (1 - l2) * known["dram"])
    dram = SECTOR * (traffic.dram_reads + traffic.dram_writes)
    started = block_launch_ceiling(on.cc)
    fixed: dict[str, float] = {
        "inst_executed": executed,
        "warps": float(warps),
        "sm_count": sms,
        "occupancy_theoretical_pct": occupied,
        "device_max_warps_per_sm": float(limits.warps_per_sm),
        # The busiest SM has a block more than others, unless they share evenly.
        "sm_active_ratio": -(-counted.blocks // int(sms)) * sms / counted.blocks,
        "global_load_inst": waited.loads,
        "shared_inst": waited.shared,
        "l1_hit_pct": 100 * l1,
        "l2_hit_pct": 100 * l2,
        "dram_bytes": dram,
        "global_sectors": counted.total("sectors"),
        "stall_long_scoreboard": waited.loads * idle / executed,
        "stall_short_scoreboard": waited.shared * known["shared"] / executed,
        "stall_wait": waited.fixed / executed,
        "shared_wavefront_share": work["shared"] / max(work["l1_wavefronts_pct"], 1e-9),
        "local_wavefront_share": work["local"] / max(work["l1_wavefronts_pct"], 1e-9),
        **{f"{level}_latency_cycles": known[level] for level in LEVELS},
    }

    def columns(time_s: float) -> dict[str, Any]:
        cycles = time_s * clock
        found = {**fixed, "sm_cycles_elapsed": cycles, "dram_pct": 100 * dram / (bandwidth * time_s)}
        if started is not None:
            found["block_launch_pct"] = 100 * counted.blocks / (started * cycles)
        for name, need in work.items():
            if name.endswith("_pct"):
                found[name] = 100 * need / (sms * cycles)
        return {name: np.array([value]) for name, value in found.items()}

    return columns
