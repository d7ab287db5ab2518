"""A real cluster of two workers in processes of their own, one of which is killed in the middle."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import LocalCluster

from advisor.records.errors import UsageError
from advisor.triage.run import Progress
from tests.triage.triage_fleet import LAUNCHES, fleet, here, outcome

__all__ = ["here"]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        local_directory=str(tmp_path_factory.mktemp("dask")),
    ) as found:
        yield found


@pytest.mark.usefixtures("here")
def test_a_worker_killed_in_the_middle_loses_nothing(cluster: LocalCluster, tmp_path: Path) -> None:
    folder = tmp_path / "reports"
    fleet(folder, 8)
    first, *_ = cluster.workers.values()
    victim = first.pid
    killed: list[int] = []

    def kill(progress: Progress) -> None:
        # Two files are done and more are under way: some of them on the worker that goes now.
        if progress.files_done >= 2 and not killed:
            killed.append(progress.files_done)
            os.kill(victim, signal.SIGTERM if os.name == "nt" else signal.SIGKILL)

    found = outcome(folder, dask=cluster.scheduler_address, tell=kill)
    assert killed and killed[0] < 8
    assert first.pid != victim
    assert (found["totals"]["reports"], found["totals"]["launches"]) == (8, 8 * LAUNCHES)
    assert found["troubled"] == found["problems"] == []
    assert found == outcome(folder)


def test_no_scheduler_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from advisor.triage import run as module

    monkeypatch.setattr(module, "_CONNECT_S", 1)
    folder = tmp_path / "reports"
    fleet(folder, 1)
    with pytest.raises(UsageError, match="no scheduler answers there"):
        outcome(folder, dask="tcp://127.0.0.1:9")
    with pytest.raises(UsageError, match="no scheduler answers there"):
        outcome(folder, dask="nonsense://x")
