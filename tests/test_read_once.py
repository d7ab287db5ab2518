"""The stand-in with which a report is read once in a run of the tests is gone after the reading."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from advisor.readers import parent, read
from tests import read_once
from tests.damaged import report


def test_readings_at_the_same_time_leave_no_stand_in_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    path = tmp_path / "small.ncu-rep"
    path.write_bytes(report())
    before = parent.start_child
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(4) as threads:
        read_once.use(patch)
        chosen = ["duration_ns", "dram_pct", "issue_active", "registers"]
        frames = list(threads.map(lambda name: read.read(path, metric_filter=[name]).frame, chosen))
    assert [len(frame) for frame in frames] == [2] * 4
    assert parent.start_child is before and read.start_child is before
