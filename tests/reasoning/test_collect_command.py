"""The command that collects what a launch lacks names its kernel and skips the launches of it that are before it."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from advisor.knowledge.base import catalog
from advisor.reasoning.collect import gather, skip_of
from advisor.reasoning.enrich import add_neighbours
from advisor.records.diagnosis import Missing
from tests.changed import replace


def test_launches_before_are_those_of_the_same_short_name_in_the_same_report() -> None:
    names = ["a", "b<int>", "a", "ns::b<float>(int)", "a", "a"]
    frame = pd.DataFrame(
        {"report": [0, 0, 0, 0, 0, 1], "kernel": names, "kernel_full": names, "grid": 1, "block": 1, "gpu_name": "x"}
    )
    assert add_neighbours(frame)["launches_before"].tolist() == [0, 0, 1, 1, 2, 0]


@pytest.mark.parametrize(
    ("values", "skip"), [({"launches_before": 7.0}, 7), ({}, 0), ({"launches_before": float("nan")}, 0)]
)
def test_the_skip_of_a_launch(values: dict[str, float], skip: int) -> None:
    assert skip_of(values) == skip


def test_the_command_names_the_kernel_and_its_launch(tour: Any) -> None:
    launch = tour.diagnosis.launches[0]
    assert launch.metrics["launches_before"] == 0
    lacks = (Missing("spill_inst", ("register_spilling",), ""),)
    later = replace(launch, missing=lacks, metrics={**launch.metrics, "launches_before": 4.0})
    made = gather(catalog(), later).command
    assert f"--kernel-name 'regex:^{launch.kernel}$' --launch-skip 4 --launch-count 1" in made
