"""The clock of a launch against others in its report, and the power limit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from advisor.reasoning.diagnose import analyse_numbers
from advisor.reasoning.enrich import add_neighbours


def frame(*launches: tuple[int, str, float, float]) -> pd.DataFrame:
    """Launches of (report, GPU, SM clock in Hz, duration in ns)."""
    rows = [
        {
            "report": r,
            "gpu_name": gpu,
            "sm_clock_hz": hz,
            "duration_ns": ns,
            "kernel": f"k{i}",
            "kernel_full": f"k{i}()",
        }
        for i, (r, gpu, hz, ns) in enumerate(launches)
    ]
    return pd.DataFrame(rows).assign(grid=[(1, 1, 1)] * len(rows), block=[(32, 1, 1)] * len(rows))


def shares(*launches: tuple[int, str, float, float]) -> list[float]:
    return list(add_neighbours(frame(*launches))["clock_of_highest"])


def test_the_highest_clock_is_that_of_the_same_report_and_gpu() -> None:
    found = shares((0, "a", 1.5e9, 1e5), (0, "a", 2e9, 1e5), (0, "b", 1e9, 1e5), (0, "b", 1e9, 1e5), (1, "a", 1e9, 1e5))
    assert found[:4] == [0.75, 1.0, 1.0, 1.0] and np.isnan(found[4])


def test_short_launches_and_unknown_clocks_are_not_compared() -> None:
    found = shares(
        (0, "a", 1.5e9, 1e5), (0, "a", 3e9, 5e3), (0, "a", np.nan, 1e5), (0, "a", 2e9, np.nan), (0, "a", 1.5e9, 1e5)
    )
    assert found[0] == found[4] == 1.0 and all(np.isnan(found[1:4]))


@pytest.mark.parametrize(("share", "tensor", "said"), [(0.85, 60, True), (0.97, 60, False), (0.85, 5, False)])
def test_the_power_limit_is_told_of_tensor_work_at_a_lower_clock(share: float, tensor: float, said: bool) -> None:
    assert told({"clock_of_highest": share, "pipe_tensor_pct": tensor}) is said


def test_nothing_is_told_where_the_clock_is_unknown() -> None:
    assert not told({"pipe_tensor_pct": 90})


def told(metrics: dict[str, float]) -> bool:
    """Whether the rule fires on a launch of which these metrics are known."""
    launch = analyse_numbers({"duration_ns": 1e6, **metrics}).diagnosis.launches[0]
    return "power_limited" in {found.id for found in launch.findings}
