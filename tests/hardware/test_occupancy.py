"""The occupancy model against what Nsight Compute printed for launches of real reports."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.hardware.gpus import limits_of
from advisor.hardware.occupancy import Cliff, block_limits, occupancy, warps_of
from advisor.records.errors import UsageError

TABLE = (Path(__file__).parent / "occupancy_launches.csv").read_text(encoding="utf-8").splitlines()
LAUNCHES = list(csv.DictReader(line for line in TABLE if not line.startswith("#")))


def test_there_are_launches_enough_of_each_architecture() -> None:
    assert len(LAUNCHES) >= 30
    assert {"7.5", "8.0", "8.6", "8.9", "9.0", "12.0"} <= {row["cc"] for row in LAUNCHES}


@pytest.mark.parametrize(
    "row", LAUNCHES, ids=[f"{r['cc']}-{r['block_size']}x{r['registers']}r{r['shared']}s" for r in LAUNCHES]
)
def test_limits_are_those_of_nsight_compute(row: dict[str, str]) -> None:
    limits = limits_of(row["cc"])
    block, registers, shared, capacity, barriers = (
        int(row[name]) for name in ("block_size", "registers", "shared", "capacity", "barriers")
    )
    found = block_limits(limits, block, registers, shared, capacity, barriers)
    for resource in ("registers", "shared", "blocks", "warps"):
        assert found[resource] == int(row[f"limit_{resource}"]), resource
    if row["limit_barriers"] and "barriers" in found:
        assert found["barriers"] == int(row["limit_barriers"])
    result = occupancy(row["cc"], block, registers, shared, capacity, barriers)
    assert result.percent == pytest.approx(float(row["occupancy_pct"]), abs=0.01)


def test_128_registers_leave_a_quarter_of_hoppers_warps() -> None:
    result = occupancy("9.0", 32, 128)
    assert result.warps == 16
    assert result.percent == 25
    assert result.limiters == ("registers",)


def test_two_resources_that_limit_alike_are_both_named() -> None:
    result = occupancy("9.0", 1024, 32)
    assert result.blocks == 2
    assert set(result.limiters) == {"registers", "warps"}


def test_a_partly_filled_warp_takes_a_whole_one() -> None:
    assert warps_of(1) == warps_of(32) == 1
    assert warps_of(33) == 2
    assert occupancy("8.0", 33, 32).warps_per_block == 2


def test_one_kibibyte_of_each_block_is_the_systems_from_ampere_on() -> None:
    assert occupancy("8.0", 32, 16, shared=0).limits[1] == ("shared", 164)
    assert occupancy("7.5", 32, 16, shared=0).limits[1] == ("shared", 16)


def test_the_next_step_up_and_down_is_named_for_each_resource() -> None:
    result = occupancy("8.6", 256, 40, 16384)
    assert result.percent == pytest.approx(83.33, abs=0.01)
    assert Cliff("shared", 16000, 6, 48, 100.0, True) in result.cliffs
    losses = {cliff.resource: cliff.value for cliff in result.cliffs if not cliff.gain}
    assert losses["registers"] == 49
    assert losses["shared"] == 19457


def test_full_occupancy_has_no_step_up() -> None:
    assert [c for c in occupancy("9.0", 256, 32).cliffs if c.gain] == []


@settings(deadline=None)
@given(
    st.sampled_from(["7.0", "7.5", "8.0", "8.6", "8.7", "8.9", "9.0", "10.0", "11.0", "12.0"]),
    st.integers(1, 1024),
    st.integers(1, 255),
    st.integers(0, 64 * 1024),
)
def test_a_cliff_is_exactly_where_the_warps_change(cc: str, block: int, registers: int, shared: int) -> None:
    result = occupancy(cc, block, registers, shared)
    assert 0 <= result.percent <= 100
    assert result.blocks == min(count for _, count in result.limits)
    here = {"block_size": block, "registers": registers, "shared": shared}
    for cliff in result.cliffs:
        there = occupancy(cc, **(here | {cliff.resource: cliff.value}))
        assert there.warps == cliff.warps
        assert (there.warps > result.warps) == cliff.gain
        if cliff.resource != "block_size":  # one step before it, nothing has changed yet
            step = -1 if cliff.value > here[cliff.resource] else 1
            before = occupancy(cc, **(here | {cliff.resource: cliff.value + step}))
            assert before.warps <= result.warps if cliff.gain else before.warps >= result.warps


@settings(deadline=None)
@given(st.integers(1, 1024), st.integers(1, 254), st.integers(0, 90_000))
def test_more_of_a_resource_never_means_more_warps(block: int, registers: int, shared: int) -> None:
    here = occupancy("8.9", block, registers, shared).warps
    assert occupancy("8.9", block, registers + 1, shared).warps <= here
    assert occupancy("8.9", block, registers, shared + 1).warps <= here


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((0, 32, 0), "0 threads of a block"),
        ((1025, 32, 0), "1,025 threads of a block"),
        ((256, 256, 0), "256 registers of a thread"),
        ((256, 32, 300_000), "300,000 bytes of shared memory"),
        ((256, -1, 0), "-1 registers"),
    ],
)
def test_a_launch_that_cannot_be_is_refused(arguments: tuple[int, int, int], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        occupancy("9.0", *arguments)


def test_an_unknown_capability_is_refused() -> None:
    with pytest.raises(UsageError, match="no compute capability"):
        occupancy("3.5", 256, 32)
