"""Read a binary report in child processes: a crash, hang or excessive output of NVIDIA's library ends only a child."""

from __future__ import annotations

import contextlib
import json
import math
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from advisor.knowledge.sampling import sampled_names
from advisor.readers.container import Container, Limits, spans
from advisor.readers.described import launch_of
from advisor.readers.followed import Followed
from advisor.readers.frame import Contents, Launch, Shape, one_line
from advisor.readers.library import INSTALL, NoLibraryError, missing, module_folder
from advisor.readers.numbers import Packer
from advisor.readers.spares import SPARES
from advisor.records.child import Child, python_command, schedule_of
from advisor.records.quantities import counted
from advisor.records.readings import CodeCounts

_MOST_FOLLOWED = 100_000  # instructions of a report whose addresses are followed, in the order of the launches
_TOLD_EVERY_S = 0.1  # interval of progress calls, in which the caller may cancel


def start_child(limits: Limits) -> Child:
    """Start a process that loads NVIDIA's library and waits for its job. Raises NoLibraryError without the library."""
    folder = module_folder()
    if not folder:
        raise NoLibraryError(missing())
    command = python_command("advisor.readers.child", str(limits.child_memory), paths=[folder], site=False)
    return Child(command, most_bytes=limits.message_bytes)


def messages(child: Child, job: dict[str, Any], silence_s: float, deadline: float) -> Iterator[dict[str, Any]]:
    """Run one job and yield its messages until the last one, `done`, which is missing if the child fails."""
    child.send(json.dumps(job).encode())
    try:
        while True:
            line = _next_line(child, silence_s, deadline)
            message = json.loads(line[0]) if line is not None and line[1] else None
            if line is None or (line[1] and not isinstance(message, dict)):
                return
            if message is not None:
                yield message
                if "done" in message:
                    return
    except (TimeoutError, ValueError, RecursionError):
        return


def _next_line(child: Child, silence_s: float, deadline: float) -> tuple[bytes, bool] | None:
    """Return the child's next line. On a busy machine its processor time counts, so that no launch is lost to others.

    Raises TimeoutError if it takes longer than `silence_s`, or after the deadline.
    """
    used_s = schedule_of(child.pid)[1]
    while True:
        child.allow(min(silence_s, deadline - time.monotonic()))
        try:
            return child.read()
        except TimeoutError:
            if time.monotonic() >= deadline or not child.starves(silence_s, used_s):
                raise


def batches(found: Container, limits: Limits, children: int) -> list[tuple[int, int]]:
    """Return first and last (exclusive) launch of each batch: one per child, or more if they would be too large."""
    sizes = [end - start for start, end in spans(found)]
    share = max(1, math.ceil(len(sizes) / max(1, children)))
    result: list[tuple[int, int]] = []
    first = held = 0
    for i, size in enumerate(sizes):
        if i > first and (i - first >= min(share, limits.batch_launches) or held + size > limits.batch_bytes):
            result.append((first, i))
            first, held = i, 0
        held += size
    if sizes:
        result.append((first, len(sizes)))
    return result


class BackgroundRead:
    """Reads the batches of one report in the background; an error in its `with` block cancels the reading.

    report: the user's file; path: the same, or what is in it unpacked. It takes the children over: the last that has
    done its job is kept for what will be asked about the report (see `spares`), the others are closed.
    """

    def __init__(
        self,
        report: Path,
        path: Path,
        folder: Path,
        found: Container,
        names: Sequence[str],
        children: list[Child],
        limits: Limits,
    ) -> None:
        self._report = report
        self._job = {"path": str(path), "folder": str(folder), "names": list(names), "sampled": sampled_names()}
        self._limits = limits
        self._waiting = queue.SimpleQueue[tuple[int, int]]()
        for batch in batches(found, limits, max(1, len(children))):
            self._waiting.put(batch)
        self._launches: dict[int, Launch | None] = {}
        self._packer = Packer()
        self._kernels: dict[int, str] = {}
        self._texts: dict[str, Any] = {}
        self._left = _MOST_FOLLOWED
        self._followed = Followed(_MOST_FOLLOWED)
        self._codes: dict[tuple[str, Shape | None], CodeCounts | None] = {}
        self._fatal = ""
        self._silence_s = limits.silence_s
        self._deadline = time.monotonic() + limits.total_s
        self._total = found.readable
        self._running = set(children)
        self._called_off = False
        self._threads = [threading.Thread(target=self._work, args=(child,), daemon=True) for child in children]
        for thread in self._threads:
            thread.start()

    def _work(self, child: Child) -> None:
        ready: Child | None = child
        while not self._called_off:
            try:
                first, last = self._waiting.get_nowait()
            except queue.Empty:
                break
            ready = ready or start_child(self._limits)
            self._running.add(ready)
            if self._called_off:  # since the check above
                ready.kill()
            ended, done, received = False, False, 0
            for message in messages(ready, self._job | {"first": first, "last": last}, self._silence_s, self._deadline):
                ended = ended or "done" in message
                done = done or ended
                if "fatal" in message:
                    self._fatal = one_line(str(message["fatal"]), 300)
                index = message.get("index")
                if isinstance(index, int) and first <= index < last:
                    # At once: a message takes several times the memory of a launch.
                    launch = message.get("launch")
                    self._launches[index] = found = launch_of(index, launch, self._packer)
                    if found is not None and isinstance(launch, dict):
                        with contextlib.suppress(TypeError, ValueError, ArithmeticError):
                            found.known |= self._followed.of(launch.get("steps"))
                    self._kernels[index] = str(launch.get("code_key") or "") if isinstance(launch, dict) else ""
                    received += 1
                    done = done or received == last - first  # what follows is the code, which may take long or fail
                elif "lines" in message:
                    with contextlib.suppress(TypeError, ValueError, OverflowError):
                        self._followed.learn(str(message.get("lines_key")), message["lines"])
                elif "code" in message:
                    self._texts.setdefault(str(message.get("code_key")), message["code"])
            if not done:  # wait less for the next ones that hang
                self._silence_s = max(1.0, self._silence_s / 4)
            self._running.discard(ready)
            if ended and not self._called_off:
                SPARES.keep(self._report, self._limits, ready, last - first)
            else:
                ready.close()
            ready = None
        if ready is not None:
            ready.close()

    def _counted(self, kernel: str, launch: Launch) -> CodeCounts | None:
        """Return what the code of a launch tells with the shape of its block."""
        key = kernel, launch.block
        if kernel in self._texts and key not in self._codes:
            from advisor.hardware.sass_counts import counted_by_code  # imports numpy

            with contextlib.suppress(TypeError, ValueError):
                start, lines = self._texts[kernel]
                self._left -= len(lines)
                self._codes[key] = counted_by_code(start, lines, launch.block if self._left >= 0 else None, launch.cc)
        return self._codes.get(key)

    def wait(self, progress: Callable[[str, int, int], None] | None = None) -> list[Launch]:
        """Wait for the launches and return them in the order of the report.

        progress: called at intervals with "launches", the number done and the total.
        """
        for thread in self._threads:
            while progress is not None and thread.is_alive():
                progress("launches", len(self._launches), self._total)
                thread.join(_TOLD_EVERY_S)
            thread.join()
        if progress is not None:
            progress("launches", len(self._launches), self._total)
        if self._fatal and not self._launches:
            raise NoLibraryError(f"{self._fatal}; {INSTALL}")
        found = [(index, launch) for index, launch in sorted(self._launches.items()) if launch is not None]
        for index, launch in found:
            launch.code = self._counted(self._kernels.get(index, ""), launch)
        return [launch for _, launch in found]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is not None:
            self._call_off()

    def _call_off(self) -> None:
        self._called_off = True
        for child in tuple(self._running):
            child.kill()
        for thread in self._threads:
            thread.join()
        if kept := SPARES.take(self._report, self._limits):
            kept[0].close()


def read_report(
    reading: BackgroundRead, found: Container, damage: str, progress: Callable[[str, int, int], None] | None = None
) -> Contents:
    """Wait for the launches, and compare the number that the report announces with the number read."""
    return checked(Contents(reading.wait(progress)), found, damage)


def checked(contents: Contents, found: Container, damage: str) -> Contents:
    """Return the launches of a report with what its container says about them. damage: the error in unpacking it."""
    contents.tool = f"ncu {_version(found.tool)}" if found.tool else "ncu"
    lost = found.announced - len(contents.launches)
    wrong = [text for text in (damage, found.damage) if text]
    if lost:
        contents.problems.append(f"{lost} of the {counted(found.announced or 0, 'launch')} announced could not be read")
    contents.problems += [f"the report is damaged or truncated: {text}" for text in wrong]
    # There may be launches after the damage that no header announced.
    contents.missing = None if wrong or contents.missing is None else lost
    return contents


def _version(tool: str) -> str:
    """Shorten 2025.3.1.0 to 2025.3.1."""
    return ".".join(one_line(tool, 40).split(".")[:3])
