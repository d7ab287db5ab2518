"""A terminal, or a parent process, that goes away without a signal. On the real program: bench/vanished."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from advisor.records import ending
from advisor.tui import leaving

pytest.importorskip("pty", reason="a pseudo-terminal exists on POSIX only")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The side of a terminal that closes; the other one is the standard input."""
    ours, theirs = os.openpty()
    with os.fdopen(theirs) as stream:
        monkeypatch.setattr(sys, "__stdin__", stream)
        monkeypatch.setattr(leaving, "_LOOKED_EVERY_S", 0.01)
        yield ours


def test_a_closed_terminal_ends_an_app_that_waits_for_it(terminal: int, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()
    monkeypatch.setattr(ending, "end", lambda number: ended.set())
    writer = SimpleNamespace(_queue=queue.Queue(1))
    writer._queue.put("a frame that nobody takes")
    driver = SimpleNamespace(_writer_thread=writer, exit_event=threading.Event(), write=writer._queue.put)
    watching = leaving.Leaving()
    watching._app = SimpleNamespace(_driver=driver)  # type: ignore[assignment]
    with watching.during():
        time.sleep(0.1)
        assert not ended.is_set() and not driver.exit_event.is_set()
        os.close(terminal)
        writer._queue.put("a frame that is taken now", timeout=60)
        assert ended.wait(60) and driver.exit_event.is_set()
        driver.write("what is written then blocks nothing")
        driver.write("again")


def test_a_terminal_that_closed_before_the_session_began_counts_as_one(terminal: int) -> None:
    os.close(terminal)
    watching = leaving.Leaving()
    assert watching._was_terminal and watching._gone()


def test_no_terminal_is_missed_where_there_was_none(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr(sys, "__stdin__", nothing)
        assert not leaving.Leaving()._was_terminal


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a child is ended by its parent alone")
def test_a_child_whose_parent_is_gone_already_ends_at_once() -> None:
    program = "from advisor.records.orphans import end_with_parent; end_with_parent({}); print('lives')"
    for parent, said in ((os.getpid(), "lives"), (2**22 + 1, "")):
        done = subprocess.run([sys.executable, "-c", program.format(parent)], capture_output=True, text=True)
        assert done.stdout.strip() == said
