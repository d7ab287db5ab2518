"""The counts of an exercise's first version at the recorded size, which a check shows beside those of the learner's.

They are made in a child process while the learner's version is checked, and kept in the user's cache folder: the next
check has them at once. A kept result counts as long as the program, the knowledge base, the exercise and the compiler
are the same.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

import msgspec

import advisor
from advisor.emulator.compile import compiler_version
from advisor.emulator.counts import Problem
from advisor.practice import manifest
from advisor.practice.emulated_source import counted, step_problem
from advisor.reasoning.emulated_counts import emulated_document
from advisor.records import resources
from advisor.records.child import Child, claim_output, python_command
from advisor.records.emulated import EmulatedDocument
from advisor.records.errors import AdvisorError
from advisor.records.own_files import read_own, write_own

SECONDS = 20.0  # of processor time for a version
WHOLE_S = 0.5  # a check should take seconds: a grid is executed whole only if that takes less
_WAIT_S = 180.0
_LARGE_BYTES = 400 << 20  # of memory; a child that counts without large inputs needs 150 to 250 MB
_MOST_BYTES = 64 << 20  # of a kept file
_ERRORS = (OSError, ValueError, RecursionError, msgspec.DecodeError, AdvisorError)


class Kept(msgspec.Struct, frozen=True):
    """The content of a kept file. digest: of all that the counts follow from; document: None if there are none."""

    digest: str
    document: EmulatedDocument | None


def version_problem(one: manifest.Exercise, source: Path) -> Problem:
    """Return the launch to look at of a version, at the recorded size. Raises AdvisorError if it cannot be counted."""
    found = manifest.recording(one)
    if found is None:
        raise AdvisorError(f"{one.name} has no recording")
    record, arch = found.record, found.record.card.arch
    return step_problem(source, manifest.case(one.name), record.card, record.sizes, arch, one.stages[0].look_at)


def count_version(problem: Problem) -> EmulatedDocument:
    """Count a version within a limit that suits a check. Raises AdvisorError if it cannot be counted."""
    return emulated_document(counted(problem, SECONDS, WHOLE_S))


class FirstCounts:
    """The counts of an exercise's first version, from the cache or made by a child that starts here.

    start: makes the child; for tests.
    """

    def __init__(self, one: manifest.Exercise, start: Callable[[list[str]], Child] = Child) -> None:
        self._one, self._child = one, None
        self._digest = _digest(one)
        kept = _read(one.name, self._digest)
        self._found = kept.document if kept is not None else None
        if kept is None:
            with contextlib.suppress(OSError):
                self._child = start(python_command("advisor.practice.first_counts", one.name))

    def __enter__(self) -> FirstCounts:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._child is not None:
            self._child.close()

    def wait_if_large(self) -> None:
        """Wait until the child has made its inputs; if they are large, until it ends: another version needs as much."""
        if self._child is not None and self._next(self._child) > _LARGE_BYTES:
            self.result()

    def result(self) -> EmulatedDocument | None:
        """Return the counts when the child has ended; None if the version cannot be counted."""
        while self._child is not None:
            self._next(self._child)
        return self._found

    def _next(self, child: Child) -> int:
        """Read a line of the child: its bytes of memory, which are returned, or the result, after which it ends (0)."""
        child.allow(_WAIT_S)
        try:
            line = msgspec.json.decode(next(child.lines(), b""), type=int | EmulatedDocument | None)
            if isinstance(line, int):
                return line
            self._found = line
            _keep(self._one.name, Kept(self._digest, line))
        except (TimeoutError, msgspec.DecodeError):  # it was too slow, or was ended
            pass
        child.close()
        self._child = None
        return 0


def _digest(one: manifest.Exercise) -> str:
    """Return a digest of the compiler and of names, sizes and times of change of all files that decide the counts."""
    made = hashlib.blake2b(f"{advisor.__version__}\0{compiler_version()}".encode(), digest_size=16)
    package = Path(advisor.__file__).parent
    for folder, pattern in (
        (package, "*.py"),
        (resources.folder("knowledge"), "*.yaml"),
        (manifest.home(one.name), "*"),
    ):
        for path in sorted(folder.rglob(pattern)):
            about = path.lstat()
            made.update(f"{path}\0{about.st_size}\0{about.st_mtime_ns}\0".encode("utf-8", "surrogatepass"))
    return made.hexdigest()


def _file(name: str) -> Path:
    return resources.user_cache() / "first-versions" / f"{name}.json"


def _read(name: str, digest: str) -> Kept | None:
    with contextlib.suppress(*_ERRORS):
        kept = msgspec.json.decode(read_own(_file(name), _MOST_BYTES), type=Kept)
        return kept if kept.digest == digest else None
    return None


def _keep(name: str, kept: Kept) -> None:
    with contextlib.suppress(*_ERRORS):
        write_own(_file(name), msgspec.json.encode(kept))


def _resident() -> int:
    """Return the bytes of memory of this process; 0 where there is no /proc."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0


def main() -> None:
    """Count the first version of the exercise that is named.

    Prints the bytes of memory of this process when the inputs are made, then the document: null if there is none.
    """
    send = claim_output()
    one = manifest.exercise(sys.argv[1])
    made = None
    with contextlib.suppress(AdvisorError):
        problem = version_problem(one, manifest.home(one.name) / one.stages[0].source)
        send(str(_resident()).encode())
        made = count_version(problem)
    send(msgspec.json.encode(made))
