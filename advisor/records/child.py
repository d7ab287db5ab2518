"""Run a child process in its own process group, with lines in and out, time and memory limits, and reliable end.

The functions for the child need only the standard library: `lines_in`, `claim_output`, `limit_memory`.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from advisor.records.ending import output_gone

_ROOT = Path(__file__).resolve().parents[2]
# A module may import for seconds, so the child is bound to its parent before that.
_PROGRAM = (
    "import sys; sys.path[:0] = sys.argv.pop(1).split({sep!r}); from advisor.records.orphans import end_with_parent; "
    "end_with_parent({parent}); from {module} import main; main()"
)
_CHUNK = 1 << 16  # bytes read at once
_CHUNKS = 64  # unread chunks after which the child blocks
_ERRORS_KEPT = 1 << 14  # the last bytes of stderr
_PASSES = 20
_SOFT_S, _HARD_S = 3.0, 10.0  # seconds to wait for the end after SIGTERM, after SIGKILL


def python_command(module: str, *arguments: str, paths: Sequence[str] = (), site: bool = True) -> list[str]:
    """Return the command that runs `main()` of a module of this package in a new interpreter, a child of this process.

    paths: folders to import from, after that of this package; site: whether the interpreter searches for installed
    packages, which makes its start slower.
    """
    program = _PROGRAM.format(sep=os.pathsep, module=module, parent=os.getpid())
    flags = ("-P",) if site else ("-I", "-S")
    folders = os.pathsep.join(dict.fromkeys((str(_ROOT), *paths)))
    return [sys.executable, *flags, "-X", "utf8", "-c", program, folders, *arguments]


class Child:
    """A child process. Raises OSError if it cannot be started.

    most_bytes: limit of its output (0: none); longest: lines above this length are split (0: no limit).
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        most_bytes: int = 0,
        longest: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(env) if env is not None else None,
            start_new_session=os.name == "posix",
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._input, self._output, self._stderr = self._process.stdin, self._process.stdout, self._process.stderr
        self._most, self._longest, self._clock = most_bytes, longest, clock
        self._until = clock()
        self._chunks: queue.Queue[bytes | None] = queue.Queue(_CHUNKS)
        self._heard: deque[tuple[bytes, bool]] = deque()
        self._rest = b""
        self._errors = b""
        self._threads = [threading.Thread(target=f, daemon=True) for f in (self._read_output, self._read_errors)]
        for thread in self._threads:
            thread.start()

    def _read_output(self) -> None:
        total = 0
        with contextlib.suppress(OSError, ValueError):
            while chunk := os.read(self._output.fileno(), _CHUNK):
                total += len(chunk)
                if self._most and total > self._most:
                    break
                self._chunks.put(chunk)
        self._chunks.put(None)

    def _read_errors(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while chunk := os.read(self._stderr.fileno(), _CHUNK):
                self._errors = (self._errors + chunk)[-_ERRORS_KEPT:]

    @property
    def errors(self) -> str:
        """The end of its stderr; complete after `close`."""
        return self._errors.decode("utf-8", "replace")

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def send(self, line: bytes) -> None:
        """Send one line. A child that has ended is detected when its answer is read."""
        with contextlib.suppress(OSError):
            self._input.write(line + b"\n")
            self._input.flush()

    def end_input(self) -> None:
        """Close its standard input."""
        with contextlib.suppress(OSError):
            self._input.close()

    def allow(self, seconds: float) -> None:
        """Set the time limit in seconds from now; `read` raises TimeoutError after it."""
        self._until = self._clock() + seconds

    def starves(self, needs_s: float, used_s: float = 0.0) -> bool:
        """Whether it would run but the machine has not given it half of `needs_s` seconds of processor time (Linux).

        used_s: its processor time at the start of the work that needs them.
        """
        state, seconds = schedule_of(self.pid)
        return state in ("R", "D") and seconds - used_s < needs_s / 2

    def read(self) -> tuple[bytes, bool] | None:
        """Return the next line, and whether it is complete; an incomplete line is returned again when it has grown.

        Return None at the end of the output. Raises TimeoutError after the time limit, and BrokenPipeError if our own
        output has no reader any more.
        """
        while not self._heard:
            left = self._until - self._clock()
            if not left > 0:  # NaN counts as no time left
                raise TimeoutError
            try:
                chunk = self._chunks.get(timeout=min(left, 1.0))
            except queue.Empty:
                if output_gone():
                    raise BrokenPipeError from None
                continue
            parts = (self._rest + (chunk or b"")).splitlines(keepends=True)
            self._rest = b""
            for part in parts:
                cut = self._longest and len(part) > self._longest
                whole = bool(chunk is None or part.endswith((b"\n", b"\r")) or cut)
                self._heard.append((part.rstrip(b"\r\n"), whole))
                self._rest = b"" if whole else part
            if chunk is None:
                self._chunks.put(None)
                break
        return self._heard.popleft() if self._heard else None

    def lines(self) -> Iterator[bytes]:
        """Yield the complete lines until the end of the output. Raises TimeoutError as `read` does."""
        while (found := self.read()) is not None:
            if found[1]:
                yield found[0]

    def wait(self) -> int | None:
        """Wait until the child exits, after its output ended; return its exit code. Raises TimeoutError."""
        try:
            return self._process.wait(_HARD_S)
        except subprocess.TimeoutExpired:
            raise TimeoutError from None

    def kill(self) -> None:
        """Kill the child and its group without waiting."""
        _signal(self._process, getattr(signal, "SIGKILL", None))

    def end(self) -> int | None:
        """End the child and its group; see `end_group`."""
        return end_group(self._process)

    def close(self) -> int | None:
        """Kill the child and its group and close its pipes; return its exit code, or minus the signal."""
        if self._process.returncode is None:
            self.kill()
        code: int | None = None
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._process.wait(_HARD_S)
        # A reader thread may be blocked by a full queue.
        for _ in range(100):
            with contextlib.suppress(queue.Empty):
                while True:
                    self._chunks.get_nowait()
            self._threads[0].join(0.01)
            if not self._threads[0].is_alive():
                break
        self._threads[1].join(1.0)
        self.end_input()
        for pipe, thread in zip((self._output, self._stderr), self._threads, strict=True):
            if not thread.is_alive():
                pipe.close()
        return code


def end_group(process: subprocess.Popen[bytes]) -> int | None:
    """End a process and its group, first with SIGTERM, then with SIGKILL.

    Return its exit code, or minus the signal; None if even SIGKILL does not end it (stuck in a driver).
    """
    for number, patience in ((signal.SIGTERM, _SOFT_S), (getattr(signal, "SIGKILL", None), _HARD_S)):
        _signal(process, number)
        try:
            code = process.wait(patience)
        except subprocess.TimeoutExpired:
            continue
        _signal(process, getattr(signal, "SIGKILL", None))  # processes that it started may still run
        return code
    return None


def schedule_of(pid: int) -> tuple[str, float]:
    """Return the state of a process (R: runs or would run, D: waits for a disk) and its processor time in seconds.

    Return ("", 0.0) if there is no such process, or no /proc.
    """
    try:
        found = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return found[0], (int(found[11]) + int(found[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return "", 0.0


def end_marked(mark: str) -> int:
    """Kill all processes whose environment has the entry `mark` (Linux); return their number.

    A process that has left its group, such as a daemon, is not reached by `end_group`, but keeps its environment.
    """
    entry, killed = mark.encode(), set[int]()
    for _ in range(_PASSES):  # a process may start another while the list is read
        before = len(killed)
        for place in Path("/proc").glob("[0-9]*/environ"):
            pid = int(place.parent.name)
            with contextlib.suppress(OSError):
                if pid != os.getpid() and pid not in killed and entry in place.read_bytes().split(b"\0"):
                    os.kill(pid, signal.SIGKILL)
                    killed.add(pid)
        if len(killed) == before:
            break
    return len(killed)


def _signal(process: subprocess.Popen[bytes], number: int | None) -> None:
    """Send a signal to the process's group; end the process if the system has no groups."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.name == "posix" and number is not None:
            os.killpg(process.pid, number)
        else:
            process.kill()


def lines_in() -> Iterator[bytes]:
    """In the child: yield the lines from the parent."""
    while line := sys.stdin.buffer.readline():
        yield line.rstrip(b"\n")


def claim_output() -> Callable[[bytes], None]:
    """In the child: reserve standard output for lines to the parent, and discard the output of libraries."""
    stream = os.fdopen(os.dup(1), "wb", buffering=0)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)

    def send(line: bytes) -> None:
        rest = memoryview(line + b"\n")
        while rest:  # a raw stream may write only a part
            rest = rest[stream.write(rest) :]

    return send


def give_way() -> None:
    """In the child: let the system end this process first, not the session, if the machine runs out of memory."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def limit_memory(size: int) -> None:
    """In the child: limit the address space to `size` bytes if the system supports it."""
    try:
        import resource
    except ImportError:  # Windows
        return
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_memory_of(pid: int, size: int) -> None:
    """In the parent: limit the address space of a program that has just been started, where the system can (Linux)."""
    try:
        from resource import RLIMIT_AS, prlimit
    except ImportError:
        return
    with contextlib.suppress(ValueError, OSError):
        prlimit(pid, RLIMIT_AS, (size, size))
