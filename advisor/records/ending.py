"""Handle signals that end the program: unwind, remove temporary folders, exit with 128 + the signal's number.

If that takes too long, for example in a library that does not return, the program is killed after a few seconds.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from advisor.records import scratch

PATIENCE_S = 6.0
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGPIPE")


class Stopped(BaseException):
    """A signal requested the end of the program. Like KeyboardInterrupt, it is not an error to handle."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class _State:
    """number: the received signal, 0 for none; session: called to end a session in the terminal instead of raising an
    exception; alone: number of open `output_alone` blocks; at_force: called before the program is killed; over: only
    the interpreter's own end is left.
    """

    def __init__(self) -> None:
        self.number = 0
        self.session: Callable[[int], None] | None = None
        self.alone = 0
        self.at_force: Callable[[], None] | None = None
        self.over = False


_state = _State()


def install() -> Callable[[], None]:
    """Install the signal handlers; return a function that restores the previous ones. Does nothing in a thread."""
    global _state
    if threading.current_thread() is not threading.main_thread():
        return lambda: None
    _state = _State()
    before: list[tuple[int, Any]] = []
    for name in _SIGNALS:
        number = getattr(signal, name, None)
        old = signal.getsignal(number) if number is not None else None
        # Signals that the caller ignores stay ignored (nohup); Python itself ignores SIGPIPE.
        if number is None or old is None or (old is signal.SIG_IGN and name != "SIGPIPE"):
            continue
        before.append((number, signal.signal(number, _received)))

    hook = sys.unraisablehook
    sys.unraisablehook = _lost(hook)

    def restore() -> None:
        global _state
        sys.unraisablehook = hook
        for number, handler in before:
            signal.signal(number, handler)
        _state = _State()

    return restore


def _lost(otherwise: Callable[[Any], Any]) -> Callable[[Any], None]:
    """Return a hook for exceptions that Python drops, as in a finalizer: that of a signal is raised again, later."""

    def hook(unraisable: Any) -> None:
        if isinstance(unraisable.exc_value, Stopped | KeyboardInterrupt) and _state.number:
            state = _state

            def again() -> None:
                number, state.number = state.number, 0
                os.kill(os.getpid(), number)

            timer = threading.Timer(0.02, again)
            timer.daemon = True
            timer.start()
        else:
            otherwise(unraisable)

    return hook


def code(otherwise: int) -> int:
    """Return the exit code: that of the signal, if one arrived and its exception was lost on the way."""
    return 128 + _state.number if _state.number else otherwise


def over() -> None:
    """From now on a signal ends the process at once: nothing is left to unwind."""
    _state.over = True


def _received(number: int, frame: FrameType | None = None) -> None:
    if number == getattr(signal, "SIGPIPE", 0) and not (_state.alone or output_gone()):
        return  # a pipe to a child process: the writer gets the error
    if _state.over:
        _state.number = _state.number or number
        by_force()
    if _state.number:
        if number == signal.SIGINT:
            by_force()
        return
    end(number)
    if _state.session is None:
        raise KeyboardInterrupt if number == signal.SIGINT else Stopped(number)


def end(number: int) -> None:
    """End the program as if the signal had arrived: by its session if there is one, by force if that takes too long."""
    if _state.number:
        return
    _state.number = number
    state = _state
    threading.Thread(target=_watch, args=(state,), name="ending", daemon=True).start()
    if _state.session is not None:
        _state.session(number)


def _watch(state: _State) -> None:
    time.sleep(PATIENCE_S)
    if _state is state:
        by_force()


def by_force() -> None:
    """End the process now, after only restoring the terminal and removing temporary folders."""
    if _state.at_force is not None:
        with contextlib.suppress(Exception):
            _state.at_force()
    scratch.remove_all()
    os._exit(128 + (_state.number or int(signal.SIGTERM)))


@contextlib.contextmanager
def session(stop: Callable[[int], None], at_force: Callable[[], None]) -> Iterator[None]:
    """Within the block, a session in the terminal, a signal calls `stop` with its number in the main thread."""
    _state.session, _state.at_force = stop, at_force
    try:
        yield
    finally:
        _state.session = _state.at_force = None


@contextlib.contextmanager
def output_alone() -> Iterator[None]:
    """Within the block, the output is the only pipe written to, so any SIGPIPE ends the program."""
    _state.alone += 1
    try:
        yield
    finally:
        _state.alone -= 1


def output_gone() -> bool:
    """Return whether the output is a pipe or socket without a reader."""
    if not hasattr(select, "poll"):
        return False
    for stream in (sys.__stdout__, sys.__stderr__):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            handle = stream.fileno()  # type: ignore[union-attr]
            mode = os.fstat(handle).st_mode
            if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
                continue
            look = select.poll()
            look.register(handle, 0)
            if any(event & (select.POLLERR | select.POLLHUP) for _, event in look.poll(0)):
                return True
    return False


def say(text: str) -> None:
    """Write one line to stderr, if it still exists."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(text + "\n")
        sys.stderr.flush()


def drop_dead_output() -> None:
    """Discard output that can no longer be written, so that the interpreter does not try at exit."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            setattr(sys, name, None)
