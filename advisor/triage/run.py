"""Run a triage: find the files, read them in processes, rank the groups, and resume an interrupted run."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import logging
import re
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from advisor.hardware import ceilings, gpus
from advisor.knowledge.base import catalog
from advisor.reasoning.inputs import checked_answers
from advisor.records import resources, scratch
from advisor.records.child import Child, python_command
from advisor.records.errors import AdvisorError, InputError, UsageError
from advisor.records.extras import install_text
from advisor.records.names import unmatched_text
from advisor.triage.files import Done, File, State, files
from advisor.triage.results import Triage
from advisor.triage.tally import Part, Row, Settings

_TICK_S = 1.0
_KEPT = 31 * 24 * 3600  # seconds to keep the state of a run that is not resumed
# Reading a file is limited to 180 s (readers.container.Limits); reasoning about its launches takes seconds.
_SILENCE_S = 600.0
_TRIES = 2
_CONNECT_S = 15
_LOGGERS = ("distributed", "distributed.client", "distributed.comm", "distributed.core")
_LEAST, _EACH = 8, 4  # files in flight on a cluster: the minimum, and the number for each of its threads


class Progress(Struct, frozen=True):
    """The progress of a run. bytes: of the files, to predict the time; bytes_before: done by an earlier run."""

    files: int
    files_done: int
    bytes: int
    bytes_done: int
    bytes_before: int
    launches: int
    resumed: bool


Tell = Callable[[Progress], None]


@contextmanager
def triage(
    paths: Sequence[Path],
    *,
    answers: Mapping[str, float | str] | None = None,
    gpu: str | None = None,
    kernel: re.Pattern[str] | None = None,
    knowledge: tuple[Path, ...] = (),
    rows: bool = False,
    jobs: int = 2,
    dask: str | None = None,
    state: Path | None = None,
    keep_state: bool = True,
    tell: Tell | None = None,
) -> Iterator[Triage]:
    """Judge every launch of these files and folders; the result is valid inside the `with` block.

    rows: keep each launch, for `Triage.rows`; jobs: processes, unless `dask` is the address of a cluster's scheduler;
    state: the state file, by default one in the user's cache; keep_state: False to keep none; tell: called after each
    file. If the block ends without an exception and no file needs another attempt, the state is removed; otherwise the
    same call resumes from it. Raises UsageError and InputError with one line if the run is impossible.
    """
    base = catalog(knowledge)
    if gpu is not None:
        gpus.gpu(gpu)
    cards, problem = ceilings.kept_or_problem()
    settings = Settings(
        knowledge=tuple(str(folder.absolute()) for folder in knowledge),
        gpu=gpu,
        kernel=kernel.pattern if kernel is not None else None,
        answers=dict(checked_answers(base, answers or {})),
        ceilings=dict(cards),
        rows=rows,
    )
    packed = msgspec.msgpack.encode(settings)
    purpose = _purpose(paths, packed, knowledge)
    place = None if not keep_state else state if state is not None else _place(purpose)
    kept = State(place, purpose, ours=state is None)
    unkept: dict[str, list[Row]] = {}  # rows that the state does not have

    def rows_of(path: str) -> list[Row]:
        if path in unkept:
            return unkept[path]
        part = kept.part(path)
        return part.rows if part is not None else []

    done = False
    try:
        result = Triage(base, rows_of if rows else None)
        unlisted: list[tuple[str, str]] = []
        for file in files(paths, lambda path, why: unlisted.append((path, why))):
            known = result.files.get(file.path)
            result.files[file.path] = file if known is None else replace(known, meant=known.meant or file.meant)
        result.unlisted = tuple(unlisted)
        result.machine = ((ceilings.FILE, problem),) if problem else ()
        if not result.files:
            raise InputError(
                f"{', '.join(map(str, paths))}: no report in it: .ncu-rep files, CSV or console text of ncu "
                "(also .xz, .gz, .zst)"
            )
        waiting = _resume(result, kept)
        with contextlib.closing(_read(result, waiting, packed, jobs, dask, tell)) as found:
            for file, part in found:
                if not kept.add(Done(file.path, file.size, file.mtime, part)) and part.rows:
                    unkept[file.path] = part.rows
                result.add(file.path, part)
        if kept.trouble:
            lost = "the result is complete, but an interrupted run cannot resume"
            result.state = (str(place), f"the state cannot be saved ({kept.trouble}): {lost}")
        result.measured = tuple(
            ceilings.as_used(settings.ceilings[key]) for key in result.used if key in settings.ceilings
        )
        _refuse_nothing(result, kernel)
        yield result
        done = not any(report.again for report in result.troubled())
    finally:
        kept.close(keep=not done)


def _purpose(paths: Sequence[Path], settings: bytes, knowledge: Sequence[Path]) -> str:
    """Return the key of a state: the exact arguments, settings and knowledge."""
    digest = hashlib.sha256(settings)
    for path in paths:
        digest.update(b"\0" + str(path.absolute()).encode("utf-8", "surrogateescape"))
    for folder in (resources.folder("knowledge"), *knowledge):
        for file in sorted(folder.rglob("*.yaml")):
            digest.update(str(file.relative_to(folder)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _place(purpose: str) -> Path:
    """Return the default path of a run's state; remove old states."""
    folder = resources.user_cache() / "triage"
    with contextlib.suppress(OSError):
        for old in folder.iterdir():
            if old.stat().st_mtime < time.time() - _KEPT:
                old.unlink(missing_ok=True)
    return folder / f"{purpose[:32]}.state"


def _resume(result: Triage, state: State) -> list[File]:
    """Add the results of an interrupted run; return the remaining files.

    If a finished file has changed or is missing, all files are read again.
    """
    for done in state.done():
        file = result.files.get(done.path)
        if done.part.again:
            continue
        if file is None or (file.size, file.mtime) != (done.size, done.mtime):
            result.clear()
            state.clear()
            break
        result.add(done.path, done.part)
    return [file for file in result.files.values() if not result.has(file.path)]


def _read(
    result: Triage, waiting: Sequence[File], settings: bytes, jobs: int, dask: str | None, tell: Tell | None
) -> Generator[tuple[File, Part], None, None]:
    """Read the files and yield each with its result when it is done; limit the number in flight to bound memory."""
    size, left = (sum(file.size for file in found) for found in (result.files.values(), waiting))
    before = len(result.files) - len(waiting)
    progress = Progress(len(result.files), before, size, size - left, size - left, result.launches, before > 0)
    if tell is not None:
        tell(progress)
    if not waiting:
        return
    workers = Cluster(dask, settings) if dask is not None else Processes(min(jobs, len(waiting)), settings)
    rest = iter(waiting)
    running: dict[Future[bytes], File] = {}
    try:
        while True:
            for file in islice(rest, max(0, workers.room - len(running))):
                running[workers.submit(file.path, file.label)] = file
            if not running:
                return
            done, _ = wait(running, _TICK_S, FIRST_COMPLETED)
            if not done:
                workers.check()
            for future in done:
                file, part = running.pop(future), workers.part(future)
                progress = replace(
                    progress,
                    files_done=progress.files_done + 1,
                    bytes_done=progress.bytes_done + file.size,
                    launches=progress.launches + part.launches,
                )
                yield file, part
                if tell is not None:
                    tell(progress)
    finally:
        workers.stop()


class Processes:
    """`jobs` local processes. A file whose process dies is tried once more in a new process, then skipped."""

    def __init__(self, jobs: int, settings: bytes, silence_s: float = _SILENCE_S) -> None:
        self.room = 2 * jobs
        self._settings, self._silence_s = settings, silence_s
        self._stopping = False
        self._children: list[Child | None] = [None] * jobs
        self._free: SimpleQueue[int] = SimpleQueue()
        for number in range(jobs):
            self._free.put(number)
        self._threads = ThreadPoolExecutor(jobs)

    def submit(self, path: str, label: str) -> Future[bytes]:
        """Submit one file."""
        return self._threads.submit(self._read, msgspec.json.encode((path, label)))

    def part(self, future: Future[bytes]) -> Part:
        """Return the result of a finished file. Raises UsageError if the whole run must stop."""
        return msgspec.msgpack.decode(future.result(), type=Part)

    def check(self) -> None:
        """Do nothing, because a process without output for too long is ended anyway."""

    def _read(self, line: bytes) -> bytes:
        number, why = self._free.get(), ""
        try:
            for _ in range(_TRIES):
                if self._stopping:
                    break
                try:
                    child = self._children[number] = self._children[number] or self._started()
                    if self._stopping:  # The state may have changed since the check above.
                        child.kill()
                    child.send(line)
                    child.allow(self._silence_s)
                    answer = next(child.lines(), None)
                except TimeoutError:
                    answer = None
                except OSError as error:  # No process can be started: there is no memory, or too many processes.
                    why = error.strerror or str(error)
                    continue
                if answer is not None:
                    if answer.startswith(b"!"):
                        raise UsageError(answer[1:].decode("utf-8", "replace"))
                    return base64.b64decode(answer)
                self._children[number], code = None, _end(child)
                why = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        finally:
            self._free.put(number)
        why = f"the process that read it died {_TRIES} times ({why})"
        return msgspec.msgpack.encode(Part(refused=why, complete=False, again=True))

    def _started(self) -> Child:
        child = Child(python_command("advisor.triage.one_file"))
        child.send(base64.b64encode(self._settings))
        return child

    def stop(self) -> None:
        """Kill all processes."""
        self._stopping = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for child in tuple(self._children):
            if child is not None:
                child.kill()
        self._threads.shutdown()
        for child in self._children:
            if child is not None:
                _end(child)


def _end(child: Child) -> int | None:
    """End a process and remove its temporary folders; return its exit code, or minus the signal."""
    code = child.close()
    scratch.remove_of(child.pid)
    return code


class Cluster:
    """The Dask cluster at `address`, such as `tcp://host:8786`. Raises UsageError with one line if it is unusable.

    Its workers must see the files under the same paths and have this program. If a worker dies, Dask itself moves its
    file to another one; a file over which several die is skipped.
    """

    def __init__(self, address: str, settings: bytes) -> None:
        try:
            from distributed import Client

            from advisor.triage.one_file import examine_packed  # imports NumPy
        except ImportError:
            raise UsageError(f"--dask needs dask.distributed: {install_text('dask')}") from None
        # Report a lost cluster in one line here, without the client's log.
        self._levels = {name: logging.getLogger(name).level for name in _LOGGERS}
        for name in _LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        self._settings, self._address, self._examine = settings, address, examine_packed
        try:
            self._client: Any = Client(address, timeout=_CONNECT_S, set_as_default=False)
        except (OSError, ValueError, TypeError, ImportError) as error:
            text = " ".join(str(error).split()) or type(error).__name__
            raise UsageError(f"--dask {address}: no scheduler answers there: {text[:200]}") from None
        self._executor = self._client.get_executor(pure=False)

    @property
    def room(self) -> int:
        """Return the number of files in flight that keeps every worker utilised."""
        threads = 0
        with contextlib.suppress(Exception):
            threads = sum(self._client.nthreads().values())
        return max(_LEAST, _EACH * threads)

    def submit(self, path: str, label: str) -> Future[bytes]:
        """Submit one file."""
        future: Future[bytes] = self._executor.submit(self._examine, path, label, self._settings)
        return future

    def part(self, future: Future[bytes]) -> Part:
        """Return the result of a finished file. Raises UsageError if the whole run must stop."""
        try:
            return msgspec.msgpack.decode(future.result(), type=Part)
        except AdvisorError as error:
            raise UsageError(f"--dask {self._address}: {error}") from None
        except ImportError as error:
            raise UsageError(
                f"--dask {self._address}: its workers lack this program ({error}): install ncu-advisor there"
            ) from None
        except (Exception, CancelledError) as error:
            self.check()
            name = type(error).__name__
            if name == "KilledWorker":
                why = "each worker of the cluster that read it died"
            else:
                why = f"the cluster failed on it: {name}: {' '.join(str(error).split())[:200]}"
            return Part(refused=why, complete=False, missing=None, again=True)

    def check(self) -> None:
        """Raise UsageError if the scheduler cannot be reached."""
        if self._client.status != "running":
            raise UsageError(f"--dask {self._address}: the scheduler stopped; finished work is saved: run it again")

    def stop(self) -> None:
        """Cancel the files in flight, and disconnect."""
        with contextlib.suppress(Exception):
            self._executor.shutdown(wait=False, cancel_futures=True)
        with contextlib.suppress(Exception):
            self._client.close(timeout=5)
        for name, level in self._levels.items():
            logging.getLogger(name).setLevel(level)


def _refuse_nothing(result: Triage, kernel: re.Pattern[str] | None) -> None:
    """Raise InputError if nothing was read, or if the filter leaves nothing."""
    totals = result.totals
    if totals.launches:
        return
    if totals.reports:
        reports = f"{totals.reports} report{'s' * (totals.reports != 1)}"
        raise InputError(
            f"no launch of {reports} matches --kernel {kernel.pattern[:80]!r}: "
            f"{unmatched_text(kernel.pattern, result.unmatched)}"
            if kernel is not None
            else "the reports hold no launch"
        )
    first = next(result.troubled(), None)
    if first is not None:
        rest = f" (and {totals.refused - 1} more that cannot be read)" if totals.refused > 1 else ""
        raise InputError(f"{first.path}: {first.refused}{rest}")
    path, why = next(result.foreign())
    raise InputError(f"none of {totals.foreign} files is an ncu report: {path}: {why}")
