"""The interview can ask for everything that a rule needs, and asks for what settles a gain."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from advisor.hardware import gpus
from advisor.knowledge.base import catalog
from advisor.knowledge.expressions import UNKNOWN
from advisor.reasoning.asking.needs import OpenRules
from advisor.reasoning.conclude import conclude
from advisor.reasoning.diagnose import analyse_numbers
from advisor.session.interview.choosing import interview

GPU = "H100-SXM"
# Rules whose conditions nobody can read off ncu's pages, and why the interview does without them.
OF_A_REPORT_ALONE = {
    "call_overhead.arguments": "which function a local access belongs to follows from the code of each address",
    "call_overhead.saves": "as arguments",
    "false_sharing.blocks": "whether an address follows from the block index is known from the code",
    "false_sharing.told": "the slices that perform atomics need the largest and the average of L2's sectors",
    "l2_line_thrash.sectors": "requests and sectors of L2 reads are rows of the L2 table that no page shows together",
    "l2_partition_crossing.capacity": "as link",
    "l2_partition_crossing.link": "requests and sectors between the partitions of L2 have no name on ncu's page",
    "near_memory_roofline.link": "as l2_partition_crossing.link",
    "power_limited.clock": "the clock of another launch is known only in a report of several",
    "fp64_unintended.told_data": "the share of wide data needs each width; `told` asks for the type alone",
    "poor_cache_reuse.blocks": "the different bytes need the addresses; `told` asks whether data is read again",
    "slow_math.roots": "a test of an argument is known by its place in the code; `divisions` counts FCHK",
    "spin_lock.turns": "which atomics return a value follows from L2; the interview asks for swaps",
    "uncoalesced_access.load_bytes": "an average of ncu's older tables; `loads` asks for sectors and requests",
    "uncoalesced_access.load_bytes_waiting": "as load_bytes",
    "uncoalesced_access.plain_loads": "the excess of strong loads needs each address; `loads` counts all of them",
    "uncoalesced_access.store_bytes": "as load_bytes",
    "uniform_global_loads.crowd": "as lsu",
    "uniform_global_loads.lsu": "loads of one sector need each address; `told` asks whether lanes load alike",
    "uniform_global_loads.waiting": "as lsu",
    "uniform_global_loads.slice": "as lsu",
    "uniform_global_loads.refetched": "as lsu",
}


def open_rules(values: Mapping[str, float], gpu: str = GPU) -> OpenRules:
    """What the rules lack when these numbers are typed."""
    inputs = analyse_numbers(dict(values), gpu=gpu).inputs
    asks = [ask.id for ask in interview(catalog()) if ask.group != "workload"]
    return OpenRules(catalog(), inputs, conclude(catalog(), inputs), asks)


def test_what_a_rule_needs_can_be_asked_or_it_is_said_why_not():
    rules = open_rules({"duration_ns": 1e6})
    observed = rules.concluded.observed

    def is_open(name: str) -> bool:
        return name in observed.place and observed.truth[0, observed.place[name]] == UNKNOWN

    unknown = {
        rule.id
        for entry in catalog().diagnoses.values()
        if entry.scope == "launch"
        for rule in entry.seen
        if rule.asks and any(is_open(name) and rules.lacks(name) is None for name in rule.when)
    }
    assert unknown == set(OF_A_REPORT_ALONE)


def test_of_a_gain_only_what_settles_it_is_asked():
    # Loads fetch 18 sectors each; how many they would need at best is open, and so is what coalescing gains.
    known = {"sm_throughput_pct": 47.6, "memory_throughput_pct": 90.9, "l1_throughput_pct": 91.6, "dram_pct": 10.3}
    known |= {"l2_throughput_pct": 16.3, "duration_ns": 2.4e6, "l1_wavefronts_pct": 90.9, "sm_cycles_elapsed": 4.8e6}
    known |= {"local_load_inst": 0.0, "local_store_inst": 0.0, "shared_wavefronts_hw_pct": 45.0}
    known |= {"global_load_inst": 1.73e7, "sectors_per_request_load": 18.0, "access_bits_mean": 32.0}
    rules = open_rules(known)
    assert rules.first is not None and rules.first.id == "uncoalesced_access" and rules.first.speedup is None
    of_gain = [need for need in rules.needs() if need.of_gain and need.concludes == "uncoalesced_access"]
    assert len(of_gain) == 1
    asks = of_gain[0].asks
    values = {"global_store_inst": 2.7e5, "sectors_per_request_store": 1.0, "global_sectors": 3.1e8}
    values |= {"global_sectors_ideal": 7e7, "dram_read_bytes": 1.2e9, "dram_write_bytes": 2.7e6}
    assert asks <= values.keys()
    after = analyse_numbers({**known, **{name: values[name] for name in asks}}, gpu=GPU).diagnosis.launches[0]
    found = next(finding for finding in after.findings if finding.id == "uncoalesced_access")
    assert found.speedup is not None
    for left in asks:
        some = {name: values[name] for name in asks if name != left}
        without = open_rules({**known, **some})
        assert without.first is not None and (without.first.id, without.first.speedup) == ("uncoalesced_access", None)


def test_typed_counts_and_widths_give_the_bytes_of_the_lanes_and_a_report_keeps_its_own():
    typed = {"global_load_inst": 1e6, "global_store_inst": 5e5, "access_bits_mean": 32.0, "shared_load_inst": 0.0}
    got = analyse_numbers({**typed, "sectors_per_request_load": 8.0}, gpu=GPU).diagnosis.launches[0].metrics
    assert got["requested_bytes"] == 1.5e6 * 32 * 4
    assert got["loaded_bytes"] == 1e6 * 32 * 4, "no shared loads, whose width then does not matter"
    assert got["load_sectors_actual"] == 8e6
    unsure = analyse_numbers({**typed, "shared_load_inst": 1e6}, gpu=GPU).diagnosis.launches[0].metrics
    assert "loaded_bytes" not in unsure, "the width of the shared loads is unknown"


@pytest.mark.parametrize(("gpu", "ratio"), [("H100-SXM", 2), ("T4", 32), ("RTX 4090", 64)])
def test_the_gpu_says_how_slow_its_doubles_are(gpu: str, ratio: int):
    assert gpus.gpu(gpu).fp32_fp64_ratio == ratio
    got = analyse_numbers({"pipe_fp64_pct": 90.0}, gpu=gpu).diagnosis.launches[0].metrics
    assert got["device_fp32_fp64_ratio"] == ratio
