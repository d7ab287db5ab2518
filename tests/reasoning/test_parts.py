"""Work shared with forks gives what one process gives, whatever becomes of a fork."""

from __future__ import annotations

import os
import signal
import sys
import threading
from multiprocessing import active_children, current_process
from pathlib import Path

import pytest

from advisor.reasoning import fork_map
from advisor.reasoning.fork_map import in_parts

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a command, where no other thread runs: a test's own process may have some."""
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: range(4), raising=False)


def whose(rows: range) -> list[tuple[int, int]]:
    return [(row, os.getpid()) for row in rows]


@LINUX
@pytest.mark.parametrize(("rows", "jobs", "processes"), [(40, 2, 2), (41, 3, 3), (15, 4, 1), (16, 4, 2), (40, 1, 1)])
def test_rows_come_in_order_from_as_many_processes_as_are_worth_it(
    alone: None, rows: int, jobs: int, processes: int
) -> None:
    done = in_parts(whose, rows, jobs)
    assert [row for row, _ in done] == list(range(rows))
    assert len({process for _, process in done}) == processes
    assert os.getpid() in {process for _, process in done}


def test_a_process_with_more_threads_is_not_forked() -> None:
    go = threading.Event()
    thread = threading.Thread(target=go.wait)
    thread.start()
    try:
        assert {process for _, process in in_parts(whose, 40, 2)} == {os.getpid()}
    finally:
        go.set()
        thread.join()


@LINUX
def test_a_worker_of_a_pool_does_all_by_itself(alone: None, monkeypatch: pytest.MonkeyPatch) -> None:
    # As multiprocessing marks the processes of a pool, which it lets have none of their own.
    monkeypatch.setitem(current_process()._config, "daemon", True)
    assert {process for _, process in in_parts(whose, 40, 2)} == {os.getpid()}


@LINUX
def test_where_no_process_can_be_made_all_is_done_here(alone: None, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def fork() -> int:
        made.append(True)
        if len(made) > 1:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        return real()

    real = os.fork
    monkeypatch.setattr(os, "fork", fork)
    done = in_parts(whose, 40, 3)
    assert [row for row, _ in done] == list(range(40))
    assert len({process for _, process in done}) == len(made) == 2


@LINUX
@pytest.mark.parametrize("end", [lambda: os._exit(3), lambda: os.kill(os.getpid(), signal.SIGKILL)])
def test_what_a_fork_that_dies_did_not_send_is_done_here(alone: None, end: object) -> None:
    here = os.getpid()

    def work(rows: range) -> list[tuple[int, int]]:
        if os.getpid() != here:
            end()  # type: ignore[operator]
        return whose(rows)

    assert in_parts(work, 40, 2) == [(row, here) for row in range(40)]


@LINUX
def test_a_fork_that_never_ends_is_not_waited_for(alone: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fork_map, "_PATIENCE_S", 0.1)
    here = os.getpid()

    def work(rows: range) -> list[tuple[int, int]]:
        while os.getpid() != here:
            signal.pause()
        return whose(rows)

    before = set(active_children())
    assert in_parts(work, 40, 2) == [(row, here) for row in range(40)]
    assert set(active_children()) <= before


@LINUX
def test_a_process_whose_children_are_taken_away_by_the_system(alone: None) -> None:
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        assert [row for row, _ in in_parts(whose, 40, 2)] == list(range(40))
    finally:
        signal.signal(signal.SIGCHLD, before)


@LINUX
def test_there_are_not_more_processes_than_cores(alone: None, monkeypatch: pytest.MonkeyPatch) -> None:
    for cores, processes in ((1, 1), (2, 2)):
        monkeypatch.setattr(os, "sched_getaffinity", lambda process, cores=cores: range(cores))
        assert len({process for _, process in in_parts(whose, 400, 16)}) == processes


@LINUX
def test_a_mistake_in_a_fork_is_raised_here_and_printed_nowhere(alone: None, capfd: pytest.CaptureFixture[str]) -> None:
    def work(rows: range) -> list[int]:
        if 30 in rows:
            raise ValueError("row 30")
        return list(rows)

    with pytest.raises(ValueError, match="row 30"):
        in_parts(work, 40, 2)
    assert capfd.readouterr() == ("", "")


@LINUX
def test_a_mistake_here_ends_the_forks(alone: None) -> None:
    here = os.getpid()

    def work(rows: range) -> list[int]:
        if os.getpid() == here:
            raise KeyboardInterrupt
        signal.pause()
        return []

    before = set(active_children())
    with pytest.raises(KeyboardInterrupt):
        in_parts(work, 40, 2)
    assert set(active_children()) <= before


@LINUX
def test_a_report_is_told_alike_by_one_and_by_two_processes(
    alone: None, tour_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from advisor.reasoning.diagnose import analyse

    forks = []
    monkeypatch.setattr(fork_map, "_WORTH_A_PROCESS", 1)
    monkeypatch.setattr(fork_map, "_Fork", lambda *given: forks.append(fork(*given)) or forks[-1])
    one, two = (analyse([tour_path], forks=forks) for forks in (1, 2))
    assert len(forks) == 1
    assert one.diagnosis == two.diagnosis
    for position, launch in enumerate(one.diagnosis.launches):
        found = launch.findings[0].id
        assert one.how(position, found) == two.how(position, found)
        assert one.flips(position) == two.flips(position)


fork = fork_map._Fork
