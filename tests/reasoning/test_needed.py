"""The width of a range follows from the work that binds after the fix: what any kernel needs, or what may leave."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from advisor.knowledge.schemas import FixDef
from advisor.knowledge.time_model import time_model
from advisor.reasoning.time_model import model
from advisor.reasoning.time_model.needed import needed

LATENCY = {
    "inst_issued": 4.0e7,
    "inst_executed": 4.0e7,
    "warps": 1.0e6,
    "sm_count": 132.0,
    "sm_cycles_elapsed": 1.0e6,
    "occupancy_theoretical_pct": 100.0,
    "device_max_warps_per_sm": 64.0,
    "stall_wait": 1.0,
}


def gain(terms: dict[str, str], **values: float) -> Any:
    fix = FixDef(id="one", summary="", steps=(), before="", after="", costs="", operators={"leave": terms})
    columns = {name: np.array([value]) for name, value in values.items()}
    found = model.speedups(model.build(columns, 1), fix, [0])[0]
    assert found is not None
    return found


def test_bytes_that_each_are_needed_once_bound_the_range_from_above() -> None:
    known = {**LATENCY, "dram_pct": 18.0, "l1_wavefronts_pct": 95.0, "dram_bytes": 1.0e9, "requested_bytes": 1.0e9}
    found = gain({"l1_global": "0.02"}, **known)
    assert found.high == pytest.approx(time_model().accuracy.within / 0.2, rel=0.01)


def test_bytes_that_dram_moves_again_may_leave_too() -> None:
    known = {**LATENCY, "dram_pct": 45.0, "l1_wavefronts_pct": 90.0, "dram_bytes": 1.0e9}
    once, again = (gain({"l1_global": "0.1"}, **known, requested_bytes=asked) for asked in (1.0e9, 0.25e9))
    assert again.estimate == pytest.approx(once.estimate)
    assert again.high > 1.2 * once.high


def test_bytes_that_lanes_may_ask_for_twice_may_be_half_as_many() -> None:
    """Loads that ask for each sector four times may repeat its bytes, up to twice, or ask for others in it."""
    known = {**LATENCY, "dram_pct": 18.0, "l1_wavefronts_pct": 95.0, "dram_bytes": 1.0e9, "requested_bytes": 1.0e9}
    known |= {"dram_read_bytes": 0.96e9}
    once, often = (gain({"l1_global": "0.02"}, **known, load_sectors_actual=n * 0.03e9) for n in (1, 4))
    assert often.estimate == pytest.approx(once.estimate)
    assert often.high > 1.2 * once.high


def test_instructions_beside_the_arithmetic_may_leave_with_the_loads() -> None:
    known = {**LATENCY, "issue_pct": 77.6, "lsu_pct": 90.0, "lsu_need_pct": 90.0}
    busy, addresses = (gain({"lsu": "0.2"}, **known, fp32_inst=count) for count in (4.0e7, 0.4e7))
    assert addresses.high > 1.5 * busy.high


def test_least_needs_never_exceed_those_that_the_fix_leaves() -> None:
    rows = 50
    rng = np.random.default_rng(1)
    columns = {
        "dram_pct": rng.uniform(0, 100, rows),
        "issue_pct": rng.uniform(0, 100, rows),
        "requested_bytes": rng.uniform(0, 2e9, rows),
        "dram_bytes": rng.uniform(0, 2e9, rows),
        "inst_executed": rng.uniform(1e6, 1e7, rows),
        "fp32_inst": rng.uniform(0, 1e6, rows),
    }
    now = model.build(columns, rows).now
    after = {name: need * rng.uniform(0, 1, rows) for name, need in now.terms.items()}
    halfway, least = needed(columns, rows, now, after)
    for name, need in after.items():
        assert np.all(least[name] <= halfway[name] + 1e-12) and np.all(halfway[name] <= need + 1e-12), name


def test_bytes_that_lanes_gather_may_all_be_in_the_caches() -> None:
    known = {**LATENCY, "dram_pct": 45.0, "l1_wavefronts_pct": 95.0, "dram_bytes": 1.0e9, "requested_bytes": 1.0e9}
    walked, gathered = (gain({"l1_global": "0.02"}, **known, gathered_share=share) for share in (0.0, 0.9))
    assert gathered.estimate == pytest.approx(walked.estimate)
    assert gathered.high > 1.2 * walked.high
