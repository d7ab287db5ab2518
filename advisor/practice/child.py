"""A child process in a group of its own: its output as it comes, a time limit for each stretch, and a sure end."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

_LONGEST = 1 << 16  # bytes of a line; what is longer is cut
_STDERR_KEPT = 1 << 14
_SOFT_S, _HARD_S = 3.0, 10.0  # waited for after SIGTERM, after SIGKILL


@dataclass(frozen=True, slots=True)
class Ended:
    """How a child ended. code: exit code, or minus the signal; None where it could not be ended (stuck in the driver).

    late: it was ended because a stretch took too long; errors: the last of its stderr.
    """

    code: int | None
    late: bool
    errors: str


class _Output:
    """Bytes of a pipe, read on a thread so that the parent can wait with a time limit."""

    def __init__(self, pipe: int, into: queue.Queue[bytes | None]) -> None:
        self.pipe, self.into = pipe, into
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError):
            while chunk := os.read(self.pipe, 4096):
                self.into.put(chunk)
        self.into.put(None)


class _Tail:
    """The last bytes of a pipe."""

    def __init__(self, pipe: int) -> None:
        self.pipe, self.kept = pipe, b""
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError):
            while chunk := os.read(self.pipe, 4096):
                self.kept = (self.kept + chunk)[-_STDERR_KEPT:]


def run_child(
    command: Sequence[str],
    on_text: Callable[[str, bool], float | None],
    first_s: float,
    env: Mapping[str, str] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Ended:
    """Run a command to its end, or end it and all its descendants when a stretch takes too long.

    on_text gets each line of stdout, and with False a line that is not whole yet; the seconds that it returns are what
    the child may take from then on (None: as before). The first stretch is first_s. OSError where it cannot be started.
    KeyboardInterrupt ends the child too.
    """
    child = subprocess.Popen(
        list(command),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env=dict(env) if env is not None else None,
    )
    assert child.stdout is not None and child.stderr is not None
    texts: queue.Queue[bytes | None] = queue.Queue(maxsize=1024)
    output, errors = _Output(child.stdout.fileno(), texts), _Tail(child.stderr.fileno())
    late = False
    try:
        late = _follow(texts, on_text, first_s, clock)
        code = end(child) if late else child.wait(timeout=_HARD_S)
    except subprocess.TimeoutExpired:  # it closed its output and lives on
        late, code = True, end(child)
    except BaseException:
        end(child)
        raise
    finally:
        _drain(texts, output.thread)
        errors.thread.join(1.0)
        for pipe, thread in ((child.stdout, output.thread), (child.stderr, errors.thread)):
            if not thread.is_alive():
                pipe.close()
    return Ended(code, late, errors.kept.decode("utf-8", "replace"))


def _drain(texts: queue.Queue[bytes | None], thread: threading.Thread) -> None:
    """Let the reading thread come to its end: it may wait for room in the queue."""
    for _ in range(100):
        with contextlib.suppress(queue.Empty):
            while True:
                texts.get_nowait()
        thread.join(0.01)
        if not thread.is_alive():
            return


def _follow(
    texts: queue.Queue[bytes | None],
    on_text: Callable[[str, bool], float | None],
    first_s: float,
    clock: Callable[[], float],
) -> bool:
    """Read until the output ends (False) or a stretch is too long (True)."""
    until, rest = clock() + first_s, b""
    while True:
        left = until - clock()
        if not left > 0:  # NaN is no time either
            return True
        try:
            chunk = texts.get(timeout=min(left, 1.0))
        except queue.Empty:
            continue
        lines = (rest + (chunk or b"")).splitlines(keepends=True)
        rest = b""
        for line in lines:
            whole = line.endswith((b"\n", b"\r")) or len(line) > _LONGEST or chunk is None
            granted = on_text(line.decode("utf-8", "replace").rstrip("\r\n"), whole)
            until = until if granted is None else clock() + granted
            rest = b"" if whole else line
        if chunk is None:
            return False


def end(child: subprocess.Popen[bytes]) -> int | None:
    """End a child and its group, first asking, then not; its exit code, None when even that does not end it."""
    for number, patience in ((signal.SIGTERM, _SOFT_S), (signal.SIGKILL, _HARD_S)):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, number)
        try:
            code = child.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            continue
        # What the child started may have outlived it.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        return code
    return None
