"""Little's law takes the latency that was measured, and says where it is assumed."""

from __future__ import annotations

import re
from typing import Any

import pytest

from advisor.reasoning.diagnose import analyse_numbers
from advisor.records.diagnosis import LaunchDiagnosis

WAITING = {"stall_long_scoreboard_pct": 90, "dram_pct": 20, "dram_achievable_pct": 93, "memory_pct": 20}
WAITING |= {"dram_peak_bytes_per_s": 4.8e12, "sm_count": 132, "compute_pct": 5}
MEASURED = {"stall_long_scoreboard": 70, "inst_executed": 1000, "global_load_inst": 100, "sm_clock_hz": 1e9}
MEASURED |= {"dram_read_bytes": 1e6, "duration_ns": 1000}


def says(launch: LaunchDiagnosis) -> str:
    return next(q.says for q in launch.quantities if q.id == "bytes_in_flight_needed")


def test_the_measured_wait_of_a_load_is_the_latency() -> None:
    text = says(analyse_numbers({**WAITING, **MEASURED}).diagnosis.launches[0])
    # 1 MB in 1 us at 700 ns over 132 SMs.
    assert "700 cycles (700 ns)" in text and "keep 5.3 KB in flight" in text and "needs 25.5 KB" in text
    assert "900" not in text


def test_without_a_measured_wait_the_latency_is_assumed_and_nothing_is_claimed_to_be_in_flight() -> None:
    text = says(analyse_numbers(WAITING).diagnosis.launches[0])
    assert "assumed latency of 900 ns" in text and "keep" not in text


def test_two_ways_to_the_bytes_in_flight_agree_on_one_page(tour: Any) -> None:
    launch = next(one for one in tour.diagnosis.launches if one.kernel == "byte_image")
    found = re.search(r"keep ([\d.]+) KB", says(launch))
    assert found is not None
    assert float(found[1]) * 1000 == pytest.approx(launch.metrics["bytes_in_flight"], rel=0.25)
