"""The simulators against the counters of the bundled reports: exactly, and occupancy for every launch."""

from __future__ import annotations

import itertools
from collections import defaultdict
from pathlib import Path

import pytest

from advisor.hardware.occupancy import occupancy
from advisor.readers import read
from tests.hardware.access_patterns import ROOT, Entry, counted, entries, instructions

ENTRIES = entries()
LAUNCHES: dict[tuple[str, str], list[Entry]] = defaultdict(list)
for _entry in ENTRIES:
    LAUNCHES[_entry.exercise, _entry.place[0]].append(_entry)
REPORTS = sorted(ROOT.glob("kernels/*/recorded/h200/*.ncu-rep.xz"))


def test_there_are_patterns_enough_of_both_kinds() -> None:
    assert sum(not entry.shared for entry in ENTRIES) >= 40
    assert sum(entry.shared for entry in ENTRIES) >= 20


@pytest.mark.parametrize(("exercise", "launch"), LAUNCHES, ids=["-".join(key) for key in LAUNCHES])
def test_what_is_simulated_is_what_was_counted(exercise: str, launch: str) -> None:
    found = instructions(exercise, launch)
    of_line = itertools.groupby(LAUNCHES[exercise, launch], key=lambda entry: entry.place)
    for place, group in of_line:
        same = list(group)
        measured = counted(found, same[0])
        simulated = {tuple(round(value, 6) for value in entry.simulated()) for entry in same}
        assert simulated == measured, place


@pytest.mark.parametrize("report", REPORTS, ids=[path.parts[-4] for path in REPORTS])
def test_occupancy_is_that_of_ncu_for_every_bundled_launch(report: Path) -> None:
    launches = read.read(report).frame
    assert len(launches)
    for _, row in launches.iterrows():
        shared = int(row["shared_static_bytes"] + row["shared_dynamic_bytes"])
        got = occupancy(
            "9.0", int(row["block_size"]), int(row["registers_per_thread"]), shared, int(row["shared_config_bytes"])
        )
        assert got.percent == pytest.approx(row["occupancy_theoretical_pct"], abs=0.01)
