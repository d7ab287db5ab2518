"""The program of a process that reads files for a triage: one file in, what it adds up to out, until nobody asks.

Processes of this machine that read files side by side; one that dies costs the file it was at, and no other.

Files read by the workers of a Dask cluster, which must see them under the same paths and have this program.
"""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import struct
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, Any, Protocol

import msgspec

from advisor.records import ending, scratch
from advisor.records.errors import AdvisorError, UsageError
from advisor.records.orphans import end_with_parent
from advisor.triage.one_file import Part, examine_packed

_LENGTH = struct.Struct("<Q")


class Task(msgspec.Struct, frozen=True):
    """One file: where it is, and what the result calls it."""

    path: str
    label: str


class Answer(msgspec.Struct, frozen=True):
    """A part as examine_packed gives it, or what is wrong with the request itself, for which all must stop."""

    part: bytes = b""
    wrong: str = ""


def send(stream: IO[bytes], content: bytes) -> None:
    """One message: its length, then its bytes."""
    stream.write(_LENGTH.pack(len(content)))
    stream.write(content)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """The next message; None where the other side has gone."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    content = stream.read(length)
    return content if len(content) == length else None


def main() -> None:
    """Entry: first the settings, then one task after the other on standard input, answers on standard output."""
    end_with_parent()
    ending.install()
    try:
        _serve()
    except (ending.Stopped, KeyboardInterrupt):
        scratch.remove_all()
    os._exit(0)


def _serve() -> None:
    out = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    # What a library prints must not get between the messages.
    os.dup2(nowhere, 1)
    settings = receive(sys.stdin.buffer)
    while settings is not None and (content := receive(sys.stdin.buffer)) is not None:
        task = msgspec.msgpack.decode(content, type=Task)
        try:
            send(out, msgspec.msgpack.encode(_answer(task, settings)))
        except BrokenPipeError:
            break


def _answer(task: Task, settings: bytes) -> Answer:
    from advisor.records.errors import AdvisorError
    from advisor.triage.one_file import examine_packed

    try:
        return Answer(part=examine_packed(task.path, task.label, settings))
    except AdvisorError as error:
        return Answer(wrong=str(error))


_ROOT = Path(__file__).resolve().parents[2]


_PROGRAM = "import sys; sys.path.insert(0, sys.argv[1]); from advisor.triage.workers import main; main()"


# Reading one file ends by itself after 180 s (reports/limits.py); reasoning about the most launches takes seconds.
_SILENCE_S = 600.0


_TRIES = 2


_GRACE_S = 2.0  # for a process that was told to end


class Workers(Protocol):
    """Whoever reads files: processes here, or a cluster."""

    @property
    def room(self) -> int:
        """How many files may be under way."""

    def put(self, number: int, path: str, label: str) -> None:
        """Hand over one file."""

    def get(self, timeout: float) -> tuple[int, Part] | None:
        """A file that is done, None where none was within `timeout` seconds; UsageError where all must stop."""

    def stop(self) -> None:
        """End it, whatever is under way."""


class _LostError(Exception):
    """The process died, or was ended for its silence."""


class _Process:
    """One process, started when the first file comes."""

    def __init__(self, settings: bytes, silence_s: float) -> None:
        self._settings = settings
        self._silence_s = silence_s
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._stopped = False

    def ask(self, task: Task) -> Answer:
        """The answer to one task; _LostError where the process died over it."""
        process = self._running()
        assert process.stdin is not None and process.stdout is not None
        watch = threading.Timer(self._silence_s, process.kill)
        watch.daemon = True
        watch.start()
        try:
            send(process.stdin, msgspec.msgpack.encode(task))
            content = receive(process.stdout)
        except (OSError, ValueError):
            content = None
        finally:
            watch.cancel()
        if content is None:
            raise _LostError(self._end(process))
        return msgspec.msgpack.decode(content, type=Answer)

    def _running(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._stopped:
                raise _LostError("stopped")
            if self._process is None:
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-X", "utf8", "-c", _PROGRAM, str(_ROOT)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    # Ctrl-C is for this process, which then ends the others.
                    start_new_session=True,
                    creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
                )
                assert self._process.stdin is not None
                with contextlib.suppress(OSError):
                    send(self._process.stdin, self._settings)
            return self._process

    def _end(self, process: subprocess.Popen[bytes]) -> str:
        """End the process, and say how it ended."""
        with self._lock:
            self._process = None
        process.kill()
        code = process.wait()
        scratch.remove_of(process.pid)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def stop(self) -> None:
        """End the process for good."""
        self.ask_to_end()
        with self._lock:
            process = self._process
        if process is not None:
            # What it reads with ends with it, and its temporary folders are removed: by itself, else here.
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_GRACE_S)
            process.kill()
            process.wait()
            scratch.remove_of(process.pid)

    def ask_to_end(self) -> None:
        """Tell the process to end, without waiting for that."""
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.terminate()


class Pool:
    """`jobs` processes. A file over which one dies is tried once more in a new one, then given up and named."""

    def __init__(self, jobs: int, settings: bytes, silence_s: float = _SILENCE_S) -> None:
        self.room = 2 * jobs
        self._tasks: queue.SimpleQueue[tuple[int, Task] | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[tuple[int, Part | str]] = queue.SimpleQueue()
        self._processes = [_Process(settings, silence_s) for _ in range(jobs)]
        self._stopping = False
        self._threads = [threading.Thread(target=self._work, args=(p,), daemon=True) for p in self._processes]
        for thread in self._threads:
            thread.start()

    def put(self, number: int, path: str, label: str) -> None:
        """Hand over one file."""
        self._tasks.put((number, Task(path, label)))

    def get(self, timeout: float) -> tuple[int, Part] | None:
        """A file that is done, None where none was within `timeout` seconds; UsageError where all must stop."""
        try:
            number, found = self._done.get(timeout=timeout)
        except queue.Empty:
            return None
        if isinstance(found, str):
            raise UsageError(found)
        return number, found

    def _work(self, process: _Process) -> None:
        while (task := self._tasks.get()) is not None and not self._stopping:
            self._done.put((task[0], self._one(process, task[1])))
        process.stop()

    def _one(self, process: _Process, task: Task) -> Part | str:
        why = ""
        for _ in range(_TRIES):
            try:
                answer = process.ask(task)
            except _LostError as lost:
                why = str(lost)
                if self._stopping:
                    break
                continue
            except OSError as error:
                # No process can be started: out of memory, or of processes.
                why = error.strerror or str(error)
                continue
            return answer.wrong or msgspec.msgpack.decode(answer.part, type=Part)
        return Part(refused=f"the process that read it died {_TRIES} times ({why})", complete=False, again=True)

    def stop(self) -> None:
        """End all processes."""
        self._stopping = True
        for process in self._processes:
            process.ask_to_end()
        for process in self._processes:
            process.stop()
            self._tasks.put(None)
        for thread in self._threads:
            thread.join(timeout=5)


_CONNECT_S = 15


_LOGGERS = ("distributed", "distributed.client", "distributed.comm", "distributed.core")


_LEAST, _EACH = 8, 4  # files under way: at least, and for each thread of the cluster


class Cluster:
    """The cluster at `address`, such as `tcp://host:8786`; UsageError in one line where it cannot be used.

    A file whose worker dies goes to another one, by Dask itself; one over which several die is given up and named.
    """

    def __init__(self, address: str, settings: bytes) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise UsageError("--dask needs dask.distributed: pip install 'ncu-advisor[dask]'") from None
        # What the client has to say of a lost cluster is told in one line here.
        self._loggers = {name: logging.getLogger(name) for name in _LOGGERS}
        self._levels = {name: logger.level for name, logger in self._loggers.items()}
        for logger in self._loggers.values():
            logger.setLevel(logging.CRITICAL + 1)
        self._settings = settings
        self._address = address
        self._done: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        self._open: dict[int, Any] = {}
        try:
            self._client: Any = Client(address, timeout=_CONNECT_S, set_as_default=False)
        except (OSError, ValueError, TypeError, ImportError) as error:
            text = " ".join(str(error).split()) or type(error).__name__
            raise UsageError(f"--dask {address}: no scheduler answers there: {text[:200]}") from None

    @property
    def room(self) -> int:
        """How many files may be under way, so that no worker waits and the scheduler holds no more than it must."""
        threads = 0
        with contextlib.suppress(Exception):
            threads = sum(self._client.nthreads().values())
        return max(_LEAST, _EACH * threads)

    def put(self, number: int, path: str, label: str) -> None:
        """Hand over one file."""
        future = self._client.submit(
            examine_packed, path, label, self._settings, key=f"ncu-advisor-{id(self)}-{number}", pure=False
        )
        self._open[number] = future
        future.add_done_callback(lambda done: self._done.put((number, done)))

    def get(self, timeout: float) -> tuple[int, Part] | None:
        """A file that is done, None where none was within `timeout` seconds; UsageError where all must stop."""
        try:
            number, future = self._done.get(timeout=timeout)
        except queue.Empty:
            self._alive()
            return None
        if self._open.pop(number, None) is None:
            return None
        try:
            content: Any = future.result(timeout=_CONNECT_S)
        except AdvisorError as error:
            raise UsageError(f"--dask {self._address}: {error}") from None
        except ImportError as error:
            raise UsageError(
                f"--dask {self._address}: its workers lack this program ({error}): install ncu-advisor there"
            ) from None
        except Exception as error:
            self._alive()
            name = type(error).__name__
            if name == "KilledWorker":
                why = "each worker of the cluster that read it died"
            else:
                why = f"the cluster failed on it: {name}: {' '.join(str(error).split())[:200]}"
            part = Part(refused=why, complete=False, missing=None, again=True)
        else:
            part = msgspec.msgpack.decode(content, type=Part)
        future.release()
        return number, part

    def _alive(self) -> None:
        if self._client.status != "running":
            raise UsageError(f"--dask {self._address}: the scheduler is gone; what is done is kept: run it again")

    def stop(self) -> None:
        """Give back what is under way, and go."""
        with contextlib.suppress(Exception):
            self._client.cancel(list(self._open.values()), force=True)
        with contextlib.suppress(Exception):
            self._client.close(timeout=5)
        for name, logger in self._loggers.items():
            logger.setLevel(self._levels[name])
