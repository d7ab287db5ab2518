"""A signal ends the program: terminal restored, no process and no temporary folder left. All of them: bench/signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from advisor.records import ending

pytest.importorskip("pty", reason="a pseudo-terminal exists on POSIX only")
from tests.bench.signals import once

# Each moment once, and each signal: what is done about a signal is the same for all, but for PIPE and INT.
SAMPLE = [
    ("session idle", "QUIT"),
    ("unpacking", "HUP"),
    ("reading", "TERM"),
    ("reasoning", "HUP"),
    ("session reading", "TERM"),
    ("replay", "PIPE"),
    ("triage", "INT"),
    ("kernel running", "INT"),
    ("kernel running", "PIPE"),
]


@pytest.mark.parametrize(("scene", "name"), SAMPLE)
def test_a_signal_leaves_nothing_behind(scene: str, name: str) -> None:
    code, seconds, wrong = once(scene, name)
    assert not wrong, (code, seconds, wrong)


@pytest.fixture
def handled() -> Iterator[None]:
    restore = ending.install()
    yield
    restore()


@pytest.mark.parametrize("name", ["TERM", "HUP", "QUIT"])
def test_a_signal_is_an_exception_and_the_handlers_of_before_come_back(name: str) -> None:
    number = getattr(signal, f"SIG{name}")
    inherited = signal.signal(number, signal.SIG_DFL)  # under nohup the tests run with an ignored SIGHUP
    before = [signal.getsignal(one) for one in (number, signal.SIGINT, signal.SIGTERM, signal.SIGPIPE)]
    restore = ending.install()
    try:
        with pytest.raises(ending.Stopped) as stopped:
            os.kill(os.getpid(), number)
        assert stopped.value.number == number
    finally:
        restore()
        after = [signal.getsignal(one) for one in (number, signal.SIGINT, signal.SIGTERM, signal.SIGPIPE)]
        signal.signal(number, inherited)
    assert after == before


def test_what_the_caller_ignores_stays_ignored() -> None:
    old = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        restore = ending.install()
        os.kill(os.getpid(), signal.SIGHUP)
        restore()
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, old)


def test_a_broken_pipe_to_a_child_ends_nothing(handled: None) -> None:
    child = subprocess.Popen([sys.executable, "-c", ""], stdin=subprocess.PIPE)
    child.wait()
    assert child.stdin is not None
    with pytest.raises(BrokenPipeError):
        os.write(child.stdin.fileno(), b"x")
    child.stdin.close()


def test_where_only_the_output_is_written_a_broken_pipe_ends_the_program(handled: None) -> None:
    with pytest.raises(ending.Stopped), ending.output_alone():
        os.kill(os.getpid(), signal.SIGPIPE)


def test_in_a_thread_nothing_is_handled() -> None:
    before = signal.getsignal(signal.SIGTERM)
    thread = threading.Thread(target=ending.install)
    thread.start()
    thread.join()
    assert signal.getsignal(signal.SIGTERM) is before


def test_what_does_not_unwind_is_ended_by_force() -> None:
    program = (
        "import os, signal, time; from advisor.records import ending, scratch\n"
        "ending.PATIENCE_S = 0.3; ending.install()\n"
        "folder = scratch.ScratchFolder(); print(folder.name, flush=True)\n"
        "try: os.kill(os.getpid(), signal.SIGTERM)\n"
        "except ending.Stopped: time.sleep(600)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=240)
    assert done.returncode == 143 and not os.path.lexists(done.stdout.strip())


_AT_A_MOMENT = """
import atexit, os, signal, sys, time
from advisor.cli import main as program
from advisor.records import scratch

def hang_up(*_, **__):
    os.kill(os.getpid(), signal.SIGHUP)
    for _ in range(10_000):
        pass

class Collected:
    __del__ = hang_up

def in_a_finalizer(**_):
    Collected()
    time.sleep(600)

def swallowed(**_):
    try:
        hang_up()
    except BaseException:
        pass

moment = sys.argv.pop()
if moment == "sweep":
    scratch.sweep = hang_up
if moment == "exit":
    atexit.register(hang_up)
program.cli.main = {"finalizer": in_a_finalizer, "swallowed": swallowed}.get(moment, lambda **_: 0)
program.main()
"""


@pytest.mark.parametrize("moment", ["sweep", "finalizer", "swallowed", "exit"])
def test_a_signal_ends_the_program_at_a_moment_where_an_exception_is_lost_or_shown(moment: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _AT_A_MOMENT, moment],
        capture_output=True,
        text=True,
        timeout=240,
        preexec_fn=_hang_up_counts,
    )
    assert (done.returncode, "Traceback" in done.stderr, "ignored" in done.stderr) == (129, False, False), done.stderr


def _hang_up_counts() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
