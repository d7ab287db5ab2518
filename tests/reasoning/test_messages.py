"""Numbers in the messages of ncu's rules complete text reports, and never replace what a report has."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from advisor.knowledge.base import catalog
from advisor.knowledge.expressions import parse
from advisor.reasoning.diagnose import analyse
from advisor.reasoning.messages import messages, stated
from advisor.records.readings import RuleResult

ACTIVE = {"sm_cycles_active_avg": 90.0, "sm_cycles_elapsed": 100.0}
# A message in the words of each version, and what it says.
SAID = [
    (
        "On average, each warp of this kernel spends 113.3 cycles being stalled waiting for a "
        "scoreboard dependency on a "
        "L1TEX (local, global, surface, texture) operation. This represents about 93.6% of the total average of 121.0 "
        "cycles between issuing two instructions.",
        {"stall_long_scoreboard": 113.3, "issue_interval": 121.0},
    ),
    (
        "On average, each warp of this workload spends 24.0 cycles being stalled waiting for the MIO (memory "
        "input/output) instruction queue to be not full.",
        {"stall_mio_throttle": 24.0},
    ),
    (
        "On average, each warp of this kernel spends 9.2 cycles being stalled waiting for an MIO "
        "instruction queue to be "
        "not full.",
        {"stall_mio_throttle": 9.2},
    ),
    (
        "On average, each warp of this kernel spends 6.8 cycles being stalled waiting for the L1 instruction queue for "
        "local and global (LG) memory operations to be not full.",
        {"stall_lg_throttle": 6.8},
    ),
    (
        "On average each warp of this kernel spends 20.5 cycles being stalled waiting for sibling warps "
        "at a CTA barrier.",
        {"stall_barrier": 20.5},
    ),
    (
        "FMA is the highest-utilized pipeline (80.0%) based on active cycles, taking into account the rates of its "
        "different instructions.",
        {"pipe_fma_pct": 72.0},
    ),
    ("ALU is the highest-utilized pipeline (50.5%) based on elapsed cycles in the workload.", {"pipe_alu_pct": 50.5}),
    ("ALU is the highest-utilized pipeline (60.0%). It executes integer operations.", {"pipe_alu_pct": 54.0}),
    (
        "The memory access pattern for global loads from L1TEX might not be optimal. On average, only 7.7 of the 32 "
        "bytes transmitted per sector are utilized by each thread.",
        {"bytes_per_sector_load": 7.7},
    ),
    (
        "The memory access pattern for global loads in L1TEX might not be optimal. On average, this "
        "kernel accesses 4.0 "
        "bytes per thread per memory request; but the address pattern, possibly caused by the stride between threads, "
        "results in 12.5 sectors per request, or 12.5*32 = 398.8 bytes of cache data transfers per request.",
        {"sectors_per_request_load": 12.5, "load_sector_ratio": 3.125},
    ),
    (
        "This kernel has uncoalesced global accesses resulting in a total of 58720256 excessive sectors "
        "(88% of the total "
        "67108864 sectors).",
        {"global_sectors": 67108864.0, "global_sectors_ideal": 8388608.0},
    ),
    (
        "The memory access pattern for shared loads might not be optimal and causes on average a 3.8 - "
        "way bank conflict "
        "across all 52428800 shared load requests.This results in 146800640 bank conflicts, which represent 73.68% of "
        "the overall 199229440 wavefronts for shared loads.",
        {"shared_load_wavefronts": 199229440.0, "shared_load_conflicts": 146800640.0},
    ),
    (
        "The grid for this launch is configured to execute only 64 blocks, which is less than the GPU's 84 "
        "multiprocessors.",
        {"sm_count": 84.0},
    ),
    ("This workload achieves an average of 16.1 threads being active per cycle.", {"lanes_active": 16.1}),
    ("On average, each warp of this kernel spends a lot of cycles being stalled waiting for a barrier.", {}),
    ("", {}),
]


def rule(message: str) -> RuleResult:
    return RuleResult("", "", message, None, None)


@pytest.mark.parametrize(("message", "says"), SAID, ids=[text[:40] for text, _ in SAID])
def test_a_message_says_these_numbers(message: str, says: dict[str, float]) -> None:
    assert stated([rule(message)], ACTIVE) == pytest.approx(says)


def test_the_share_of_active_cycles_says_nothing_if_their_number_is_unknown() -> None:
    assert stated([rule(SAID[5][0])], {}) == {}


@pytest.mark.parametrize("name", messages())
def test_every_message_gives_known_metrics_from_its_own_numbers_or_other_metrics(name: str) -> None:
    message = messages()[name]
    for metric, formula in message.gives.items():
        assert metric in catalog().metrics
        assert parse(formula).names - {*message.names} <= catalog().metrics.keys()
    assert message.pattern.search(message.longest) is None or not message.names
    assert message.cites


LAUNCH = """  step(float *) (4096, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 8.6
    Section: GPU Speed Of Light Throughput
    ----------------------- ------------- ------------
    Metric Name               Metric Unit Metric Value
    ----------------------- ------------- ------------
    Elapsed Cycles                  cycle      100,000
    SM Active Cycles                cycle       99,000
    Memory Throughput                   %        91.00
    DRAM Throughput                     %        10.00
    L1/TEX Cache Throughput             %        92.00
    L2 Cache Throughput                 %         8.00
    Compute (SM) Throughput             %        40.00
    Duration                           us       100.00
    ----------------------- ------------- ------------

    Section: Launch Statistics
    ----------------------- ------------- ------------
    Metric Name               Metric Unit Metric Value
    ----------------------- ------------- ------------
    # SMs                              SM           40
    Static Shared Memory Per Block  Kbyte         4.22
    ----------------------- ------------- ------------

"""
CONFLICTS = """    Section: Memory Workload Analysis Tables
    OPT   Est. Speedup: 60%
          The memory access pattern for shared loads might not be optimal and causes on average a 8.0 - way bank
          conflict across all 400000 shared load requests.This results in 2800000 bank conflicts, which represent
          87.5% of the overall 3200000 wavefronts for shared loads.

"""


def test_bank_conflicts_in_a_message_are_the_cause_of_a_busy_l1(tmp_path: Path) -> None:
    log = tmp_path / "ncu.log"
    log.write_text(LAUNCH + CONFLICTS)
    launch = analyse([log]).diagnosis.launches[0]
    assert launch.findings[0].id == "bank_conflicts"
    assert launch.metrics["shared_wavefront_ratio"] == pytest.approx(8)
    assert launch.metrics["shared_wavefronts_hw_pct"] == pytest.approx(80)
    log.write_text(LAUNCH)
    without = analyse([log]).diagnosis.launches[0]
    assert without.findings[0].id != "bank_conflicts" and math.isnan(
        without.metrics.get("shared_wavefront_ratio", math.nan)
    )


def test_a_number_that_the_report_has_is_not_replaced(tmp_path: Path) -> None:
    log = tmp_path / "ncu.log"
    warps = """    Section: Warp State Statistics
    ------------------------------ ----------- ------------
    Metric Name                    Metric Unit Metric Value
    ------------------------------ ----------- ------------
    Avg. Active Threads Per Warp                      31.00
    ------------------------------ ----------- ------------

    OPT   Est. Speedup: 20%
          This workload achieves an average of 16.1 threads being active per cycle.

"""
    log.write_text(LAUNCH + warps)
    assert analyse([log]).diagnosis.launches[0].metrics["lanes_active"] == 31
