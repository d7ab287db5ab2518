"""Formulas that estimate waste before any code is written: guide step 3, as corrected by the errata.

Pure functions of plain numbers. Shares are 0 to 1 (never percent), speedups are old time / new time. Each docstring
names its source by a citation key of knowledge/sources.yaml. An impossible value (a negative count, a zero denominator)
raises ValueError; an unknown one (NaN) stays unknown.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import MappingProxyType

from advisor.hardware.gpus import limits_of
from advisor.hardware.occupancy import WARP, register_limit

SECTOR = 32  # bytes
WAVEFRONT = 128  # bytes that shared memory transfers at a time: 32 banks of 4 bytes
EXCESS_TRAFFIC = 2.0  # guide.step3.traffic: above this ratio, data is read again or written needlessly
NOT_WORTH_IT = 1.05  # guide.step3: a speedup below 5 % is not worth a fix
TIE = 1.10  # gains within this factor of each other count as equal
REACHABLE_PCT = 90.0  # p3.headroom: the utilisation that a unit can reach
SPILL_PAIR_CYCLES = (40.0, 100.0)  # guide.step3.spill: a store to local memory and the load that reads it back

# Cycles from a load (or an arithmetic instruction) to its result, without other load on the GPU: (low, high).
LATENCIES = MappingProxyType(
    {
        # guide.step3.latency: rough, for all architectures
        "guide": MappingProxyType(
            {"dram": (200.0, 500.0), "l2": (100.0, 200.0), "shared": (20.0, 30.0), "register": (4.0, 6.0)}
        ),
        # h200.latency: measured
        "hopper": MappingProxyType(
            {"dram": (700.0, 700.0), "l2": (280.0, 280.0), "l1": (36.0, 36.0), "shared": (33.0, 33.0)}
        ),
    }
)


@dataclass(frozen=True, slots=True)
class Waste:
    """share: wasted part of the work (0 to 1); speedup: without the waste, if nothing else limits."""

    share: float
    speedup: float


@dataclass(frozen=True, slots=True)
class Conflicts:
    """Wavefronts of shared-memory accesses: ideal, actual, their excess, and passes for each ideal one (`ways`)."""

    ideal: float
    actual: float
    excess: float
    ways: float


@dataclass(frozen=True, slots=True)
class Cost:
    """A cost in cycles, with its range."""

    low: float
    high: float


def _positive(**values: float) -> None:
    for name, value in values.items():
        if value <= 0:
            raise ValueError(f"{name} must be above 0, not {value}")


def _share(**values: float) -> None:
    for name, value in values.items():
        if value < 0 or value > 1:
            raise ValueError(f"{name} must be a share from 0 to 1, not {value}")


def ideal_sectors(lanes: float, bytes_per_lane: float) -> float:
    """Return the sectors that one warp-wide request needs if its lanes are adjacent (errata.sectors).

    4 for 32 lanes of 4 bytes, 16 for 32 lanes of 16 bytes: 4 is not the ideal of every access.
    """
    _positive(lanes=lanes, bytes_per_lane=bytes_per_lane)
    return math.ceil(lanes * bytes_per_lane / SECTOR)


def sector_waste(sectors_per_request: float, ideal: float) -> Waste:
    """Return the waste of fetched sectors and the speedup of a DRAM-bound kernel without it (guide.step3.sectors).

    16 sectors instead of 4: 75 % waste, 4 times; 5 instead of 4: 20 %, 1.25 times. If DRAM is not the limit, it is
    less.
    """
    _positive(sectors_per_request=sectors_per_request, ideal=ideal)
    if sectors_per_request <= ideal:  # fewer than the ideal: inactive lanes access none
        return Waste(0.0, 1.0)
    return Waste((sectors_per_request - ideal) / sectors_per_request, sectors_per_request / ideal)


def traffic_overhead(dram_bytes: float, least_bytes: float) -> float:
    """Return DRAM bytes / the minimum of the algorithm (guide.step3.traffic); above EXCESS_TRAFFIC is waste."""
    _positive(least_bytes=least_bytes)
    return dram_bytes / least_bytes


def amdahl(share: float, factor: float) -> float:
    """Return the speedup if `share` runs `factor` times as fast: 1 / ((1 - f) + f / n) (guide.step3.amdahl)."""
    _share(share=share)
    _positive(factor=factor)
    return 1 / ((1 - share) + share / factor)


def ideal_wavefronts(lanes: float, bytes_per_lane: float) -> float:
    """Return the wavefronts of a conflict-free shared access (errata.wavefronts): 1 for 4-byte lanes, 4 for LDS.128."""
    _positive(lanes=lanes, bytes_per_lane=bytes_per_lane)
    return math.ceil(lanes * bytes_per_lane / WAVEFRONT)


def n_way(actual: float, ideal: float) -> Conflicts:
    """Return bank conflicts from wavefronts (guide.step3.bank): an LDS.128 with 32 has 28 over its ideal 4."""
    _positive(ideal=ideal)
    return Conflicts(ideal, actual, max(0.0, actual - ideal), actual / ideal)


def conflict_speedup(share: float, ways: float) -> float:
    """Return the speedup without n-way conflicts if shared loads take `share` of the time (guide.step3.amdahl).

    60 % of the time, 3-way: 1.67 times.
    """
    return amdahl(share, ways)


def memory_instructions_per_fma(lds: float, sts: float, ldg: float, stg: float, ffma: float) -> float:
    """Return (LDS + STS + LDG + STG) / FFMA (guide.step3.lsu). About 1 without register tiles."""
    _positive(ffma=ffma)
    return (lds + sts + ldg + stg) / ffma


def tile_loads_per_fma(rows: int, columns: int, words: int = 1) -> float:
    """Return shared loads per FFMA of a rows x columns register tile, `words` 4-byte words a load (guide.step3.lsu).

    An 8 x 8 tile: 0.25 with scalar LDS, 0.0625 with LDS.128 (errata.memory_instructions); 1 x 1: 2.
    """
    _positive(rows=rows, columns=columns, words=words)
    return (math.ceil(rows / words) + math.ceil(columns / words)) / (rows * columns)


def divergence_waste(lanes_on: float) -> Waste:
    """Return the waste of inactive lanes, of 32 (guide.step3.divergence): 24 on average is 25 %, 1.33 times.

    For arithmetic only: inactive lanes of a load move no data (errata.inactive_lanes).
    """
    _positive(lanes_on=lanes_on)
    lanes = min(lanes_on, float(WARP))
    return Waste(1 - lanes / WARP, WARP / lanes)


def max_warps_by_registers(registers: int, cc: str, block_size: int = WARP) -> int:
    """Return the warps per SM that registers allow, in whole blocks (guide.step2.registers, errata.occupancy).

    Registers round up to 8 a thread, warps down in each quarter of the SM, blocks down, and the architecture sets a
    maximum: 128 registers on capability 9.0 leave 16 warps (4 a quarter), 25 % of 64. cc: compute capability.
    """
    limits = limits_of(cc)
    _positive(block_size=block_size, registers=registers)
    warps = -(-block_size // WARP)
    return min(register_limit(limits, block_size, registers) * warps, limits.warps_per_sm // warps * warps)


def spill_cost(pairs: float, iterations: float = 1) -> Cost:
    """Return the cycles that `pairs` spill stores and loads add to a warp, run `iterations` times (guide.step3.spill).

    40 to 100 cycles a pair through L1: inside a loop they multiply; in prologue or epilogue (one iteration) they rarely
    matter.
    """
    if pairs < 0 or iterations < 0:
        raise ValueError("pairs and iterations must not be negative")
    low, high = SPILL_PAIR_CYCLES
    return Cost(low * pairs * iterations, high * pairs * iterations)


def latency(level: str, source: str = "hopper") -> Cost:
    """Return unloaded latency in cycles of `level` (dram, l2, l1, shared, register) by `source` (guide, hopper)."""
    try:
        return Cost(*LATENCIES[source][level])
    except KeyError:
        raise ValueError(f"no latency of {level!r} from {source!r}") from None


def bytes_in_flight(bandwidth: float, latency_cycles: float, clock_hz: float) -> float:
    """Return the bytes in flight needed to keep `bandwidth` (bytes/s) saturated: Little's law (little.law).

    The result is for the whole GPU; each SM needs this divided by the number of SMs. Loaded latencies, about twice the
    unloaded ones, reproduce the measured bytes (h200.bytes_in_flight).
    """
    _positive(clock_hz=clock_hz)
    return bandwidth * latency_cycles / clock_hz


def headroom(unit_pct: float) -> float:
    """Return the largest speedup from driving the most utilised unit to 90 % (p3.headroom): 50 % leaves 1.8 times."""
    _positive(unit_pct=unit_pct)
    return max(1.0, REACHABLE_PCT / unit_pct)


def stall_share(stall_cycles: float, cycles_per_issue: float) -> float:
    """Return a stall's share of the cycles between issues (guide.step3.latency): 92.7 of 102.5 is 90.4 %."""
    _positive(cycles_per_issue=cycles_per_issue)
    return stall_cycles / cycles_per_issue


def instruction_mix_ceiling(fma_share: float) -> float:
    """Return the share of the FLOP peak that an instruction mix can reach: (1 + f) / 2 (errata.lbm_mix).

    f is the share of multiply-adds, the rest are single operations. 70 % multiply-adds: 85 %, not 70.
    """
    _share(fma_share=fma_share)
    return (1 + fma_share) / 2


def littles_law_warps(active_warps: float, issue_interval: float) -> float:
    """Return the cycles between two instructions of a warp, from a scheduler's warps and its issue interval.

    ado.part2.littles_law: 16 warps x 6.8 cycles = 109, which is the sum of the warp states: a consistency check.
    """
    return active_warps * issue_interval


def no_eligible(issue_interval: float) -> float:
    """Return the share of cycles without a ready warp: 1 - 1/interval, with one issue per `issue_interval` cycles.

    errata.no_eligible: one issue every 6.8 cycles leaves 85 % empty, not 30.
    """
    if issue_interval < 1:
        raise ValueError("a scheduler issues at most once a cycle")
    return 1 - 1 / issue_interval


def effective_gflops(ffma: float, fadd: float, fmul: float, duration_ns: float) -> float:
    """Return GFLOP/s from thread instructions: (2 FFMA + FADD + FMUL) / ns (guide.step2.gflops, errata.gflops)."""
    _positive(duration_ns=duration_ns)
    return (2 * ffma + fadd + fmul) / duration_ns


def effective_gb_per_s(dram_bytes: float, duration_ns: float) -> float:
    """Return GB/s: DRAM bytes / ns (guide.step2.bandwidth)."""
    _positive(duration_ns=duration_ns)
    return dram_bytes / duration_ns


def worthwhile(speedup: float) -> bool:
    """Whether an estimated speedup is worth a fix: below 5 % it is not (guide.step3)."""
    return speedup >= NOT_WORTH_IT
