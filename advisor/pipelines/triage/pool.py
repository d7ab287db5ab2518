"""Processes of this machine that read files side by side; one that dies costs the file it was at, and no other."""

from __future__ import annotations

import contextlib
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Protocol

import msgspec

from advisor.errors import UsageError
from advisor.pipelines.triage.one_file import Part
from advisor.pipelines.triage.worker import Answer, Task, receive, send

_ROOT = Path(__file__).resolve().parents[3]
_PROGRAM = "import sys; sys.path.insert(0, sys.argv[1]); from advisor.pipelines.triage.worker import main; main()"
# Reading one file ends by itself after 180 s (reports/limits.py); reasoning about the most launches takes seconds.
_SILENCE_S = 600.0
_TRIES = 2


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
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def stop(self) -> None:
        """End the process for good."""
        with self._lock:
            self._stopped = True
            process = self._process
        if process is not None:
            process.kill()
            process.wait()


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
            process.stop()
            self._tasks.put(None)
        for thread in self._threads:
            thread.join(timeout=5)
