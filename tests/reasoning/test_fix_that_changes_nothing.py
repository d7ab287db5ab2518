"""A part of a fix whose parameter the launch has already is not offered, and does not lower the range."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.reasoning.diagnose import analyse_numbers
from advisor.records.diagnosis import LaunchDiagnosis

LAUNCH_RATE: dict[str, float] = {"blocks_per_cycle": 0.81, "block_launch_ceiling": 0.83, "block_launch_pct": 97}
LAUNCH_RATE |= {"waves": 200, "compute_pct": 28, "memory_pct": 40, "dram_pct": 40, "duration_ns": 200e3}


def launch_of(**numbers: Any) -> LaunchDiagnosis:
    (launch,) = analyse_numbers(LAUNCH_RATE | numbers).diagnosis.launches
    return launch


@pytest.mark.parametrize(
    ("block", "says", "never"),
    [(64, "blocks of 256 threads", "twice the work"), (256, "twice the work per thread", "blocks of 256 threads")],
)
def test_a_size_that_the_block_has_is_not_advised(block: int, says: str, never: str) -> None:
    first = launch_of(block_size=block).findings[0]
    assert first.id == "block_launch_rate" and first.speedup is not None
    assert says in first.speedup.how and never not in first.speedup.how
    assert first.speedup.low > 1.05  # the part that changes nothing would begin the range at 1


def test_few_stores_are_no_finding() -> None:
    scattered = {"bytes_per_sector_store": 4, "dram_pct": 85, "l2_pct": 50, "l1_wavefronts_pct": 20}
    scattered |= {"l1_requests_pct": 5, "shared_wavefront_share": 0}
    for stores, found in ((100, False), (5000, True)):
        numbers = scattered | {"global_store_sectors": stores, "global_load_sectors": 10_000 - stores}
        (launch,) = analyse_numbers(numbers).diagnosis.launches
        assert ("uncoalesced_access" in [f.id for f in launch.findings]) is found
