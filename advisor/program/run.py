"""Run a program by itself and under ncu, each time with the same standard input, and say why a run failed."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from advisor.profiling.failures import Failure
from advisor.profiling.ncu import NcuOutput
from advisor.profiling.process import Ended, ended_by, run_child
from advisor.records.errors import InputError, UsageError

_KEPT, _LONGEST = 2000, 2000  # lines of output that are kept, and characters of each
_STDIN_MOST = 1 << 30  # bytes
# Replaces itself by the program, whose standard input is the file.
_FED: Final = "import os,sys; os.dup2(os.open(sys.argv[1], os.O_RDONLY), 0); os.execvp(sys.argv[2], sys.argv[2:])"
# The line in which ncu reports its progress: ==PROF== Profiling "scale" - 3: 0%....50%
_PROFILING: Final = '==PROF== Profiling "'


class Line(Struct, frozen=True):
    """A line of progress of ncu. number: of the launch, from 1; part: of its passes, 0 to 1."""

    kernel: str
    number: int
    part: float


OnLine = Callable[[Line], None]
OnOutput = Callable[[str], None]


def parse_progress(text: str) -> Line | None:
    """Return the progress in a line of ncu, also an unfinished one, or None.

    >>> parse_progress('==PROF== Profiling "scale" - 3: 0%....50%')
    Line(kernel='scale', number=4, part=0.5)
    """
    if not text.startswith(_PROFILING):
        return None
    name, end, rest = text.removeprefix(_PROFILING).rpartition('" - ')
    number, colon, done = rest.partition(":")
    if not end or not number.strip().isdigit():
        return None
    percents = [p for p in done.replace(".", " ").split() if p.endswith("%") and p[:-1].isdigit()]
    part = min(100, int(percents[-1][:-1])) / 100 if colon and percents else 0.0
    return Line(name, int(number) + 1, part)


class Program(Struct, frozen=True):
    """A command line, and the file that is its standard input in every run (None: empty).

    title: what to call it, by default the file name of the program.
    """

    words: tuple[str, ...]
    stdin: Path | None = None
    title: str = ""

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.title or Path(self.words[0]).name

    def command(self, before: Sequence[str] = ()) -> list[str]:
        """Return the command that runs it after the words of a profiler."""
        words = [*before, *self.words]
        return words if self.stdin is None else [sys.executable, "-I", "-S", "-c", _FED, str(self.stdin), *words]


def program(words: Sequence[str], folder: Path) -> Program:
    """Return the program of a command line; what is piped into this process is kept in the folder for all its runs.

    Raises UsageError if there is no such program, InputError for more than 1 GiB of input.
    """
    if shutil.which(words[0]) is None:
        there = Path(words[0]).is_file()
        why = "is not executable" if there else "is not a program here"
        hint = f": put the interpreter before it, such as `python {words[0]}`" if there else ": check its path"
        raise UsageError(f"{words[0]!r} {why}{hint}")
    if sys.stdin is None or sys.stdin.closed or os.name != "posix":
        return Program(tuple(words))
    try:
        number = sys.stdin.fileno()
        if os.isatty(number):
            return Program(tuple(words))
    except (OSError, ValueError):
        return Program(tuple(words))
    place, size = folder / "stdin", 0
    with place.open("wb") as file:
        while chunk := os.read(number, 1 << 20):
            size += len(chunk)
            if size > _STDIN_MOST:
                raise InputError("more than 1 GiB is piped into the program: let it read a file that it opens itself")
            file.write(chunk)
    return Program(tuple(words), place if size else None)


class Run(Struct, frozen=True):
    """How a run ended. seconds: its wall time; lines: the last lines that the program printed."""

    ended: Ended
    seconds: float
    lines: tuple[str, ...]
    ncu: NcuOutput

    @property
    def good(self) -> bool:
        """Whether it ended by itself with exit code 0."""
        return self.ended.code == 0 and not self.ended.late


def run(
    command: Sequence[str],
    limit_s: float,
    on_line: OnLine | None = None,
    on_output: OnOutput | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Run:
    """Run a command to its end. limit_s: without any output of ncu; on_output: called with the program's own lines.

    Raises InputError if it cannot be started.
    """
    lines: deque[str] = deque(maxlen=_KEPT)
    heard, began = NcuOutput(), clock()

    def hear(text: str, whole: bool) -> float | None:
        progress = parse_progress(text)
        if progress is not None:
            if on_line is not None:
                on_line(progress)
            return limit_s
        if whole and not heard.take(text):
            lines.append(text[:_LONGEST])
            if on_output is not None:
                on_output(text[:_LONGEST])
        return None

    try:
        ended = run_child(command, hear, limit_s)
    except OSError as e:
        raise InputError(f"{command[0]} cannot be started: {e.strerror}") from None
    return Run(ended, clock() - began, tuple(lines), heard)


def own_failure(name: str, ran: Run, limit_s: float) -> Failure | None:
    """Return why the program failed by itself, or None."""
    if ran.ended.late:
        return Failure(
            "late",
            f"{name} does not end within {limit_s:.0f} s without the profiler: give it a smaller problem, or raise"
            " --limit-s",
        )
    if ran.good:
        return None
    how = ended_by(ran.ended, text="\n".join(ran.lines))
    return Failure("program", f"{name} {how}; without the profiler too, so nothing was profiled")


def ncu_run_failure(name: str, ran: Run, limit_s: float, wanted: str = "") -> Failure | None:
    """Return why a run under ncu failed, or None. wanted: the kernels it should have profiled."""
    said = ran.ncu.failure(ran.ended.errors)
    if ran.ended.late:
        return Failure(
            "late",
            f"{name} stands still under ncu for {limit_s:.0f} s: kernels that wait for each other, for the host or for"
            " another process cannot run one at a time; mark a range (cudaProfilerStart, cudaProfilerStop) and use"
            " `ncu --replay-mode app-range`",
        )
    if said is not None:
        return said
    if not ran.good:
        how = ended_by(ran.ended, " under ncu", "\n".join(ran.lines))
        return Failure("crashed", f"{name} {how}; without the profiler it ends well")
    if ran.ncu.empty:
        what = f"a kernel named {wanted}" if wanted else "a kernel"
        return Failure("nothing_profiled", f"{name} did not launch {what} on the GPU")
    return None
