"""Measure the points of a plan: build, run, check and profile each; keep what was measured in the folder."""

from __future__ import annotations

import contextlib
import shutil
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from filelock import FileLock, Timeout
from msgspec import Struct

from advisor.profiling.failures import Failure
from advisor.profiling.ncu import MISSING, find_ncu
from advisor.profiling.process import Ended, run_child
from advisor.records.errors import InputError, UsageError
from advisor.sweep.commands import OUT
from advisor.sweep.outcome import MACHINE, why
from advisor.sweep.plan import MANIFEST, Manifest, Plan, Point, found, manifest, read_manifest, write_manifest

_KEPT, _LONGEST = 2000, 1000  # lines of a command's output, and characters of each


class Progress(Struct, frozen=True):
    """What is being done. stage: build, run, check, ncu or repeat; at, of: number of the point and of all points."""

    point: Point
    stage: str
    at: int
    of: int


# Called before each stage, and with a failure (None: measured) after each point.
OnStage = Callable[[Progress], None]
OnPoint = Callable[[Progress, Failure | None], None]


def measure(plan: Plan, folder: Path, repeat: int, limit_s: float, stage: OnStage, done: OnPoint) -> int:
    """Measure the points that the folder does not hold yet, then the repeats; return the number of points kept.

    A point that fails has its reason in the manifest. limit_s: of each command. Raises InputError or UsageError for a
    failure that every point would have: no ncu, no compiler, counters that the user may not read.
    """
    ncu = find_ncu()
    if ncu is None:
        raise InputError(MISSING)
    _need_programs(plan)
    with _opened(folder):
        content = manifest(plan)
        before = read_manifest(folder)
        old = {p.name: p for p in (*before.points, *before.others)} if before is not None else {}
        kept = 0
        for point, entry in zip(plan.points, content.points, strict=True):
            known = old.get(point.name)
            if known is not None and known.digest == point.digest and found(point.report(folder)) is not None:
                entry.digest, kept = point.digest, kept + 1
        now = {p.name for p in content.points}
        content.others = [p for p in old.values() if p.digest and p.name not in now]
        write_manifest(folder, content)
        _Driver(plan, folder, limit_s, ncu, stage, done, content).all(repeat)
    return kept


def _need_programs(plan: Plan) -> None:
    """Raise UsageError for a command whose program is not installed and that no build can make."""
    for name, command in plan.stages():
        first = command.words[0]
        program = "".join(part.text for part in first)
        if not any(part.placeholder for part in first) and shutil.which(program) is None:
            if name != "build" and "/" in program and plan.build is not None:
                continue  # the build may make it
            raise UsageError(f"--{name}: {program[:80]!r} is not a program here: install it, or give its path")


@contextlib.contextmanager
def _opened(folder: Path) -> Iterator[None]:
    """Create and lock the folder. Raises UsageError if it holds other things, or another sweep works in it."""
    if not str(folder).isprintable():
        raise UsageError("--folder: the name contains a control character")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        foreign = not (folder / MANIFEST).exists() and any(p.name != ".lock" for p in folder.iterdir())
    except OSError as e:
        raise UsageError(f"{folder}: cannot be used as the folder of a sweep: {e.strerror}") from None
    if foreign:
        raise UsageError(f"{folder}: holds other files and no {MANIFEST}: give another --folder")
    try:
        with FileLock(folder / ".lock", timeout=0):
            yield
    except Timeout:
        raise UsageError(f"{folder}: another sweep works in this folder") from None


class _Driver(Struct):
    plan: Plan
    folder: Path
    limit_s: float
    ncu: Path
    stage: OnStage
    done: OnPoint
    content: Manifest
    built: frozenset[tuple[str, ...]] = frozenset()

    def all(self, repeat: int) -> None:
        """Measure each point once, then the repeats in rounds: a drift of the clocks meets all points alike."""
        entries, count = self.content.points, len(self.plan.points)
        for at, (point, entry) in enumerate(zip(self.plan.points, entries, strict=True), 1):
            if entry.digest:
                continue
            failure = self._point(point, at, count)
            if failure is not None and failure.kind in MACHINE:
                raise InputError(failure.words)
            entry.failure = failure.words if failure is not None else ""
            entry.digest = point.digest if failure is None else ""
            write_manifest(self.folder, self.content)
            self.done(Progress(point, "ncu", at, count), failure)
        for number in range(2, repeat + 1):
            for at, (point, entry) in enumerate(zip(self.plan.points, entries, strict=True), 1):
                if entry.digest and found(point.report(self.folder, number)) is None:
                    self.stage(Progress(point, "repeat", at, count))
                    failure = self._profile(point, number)
                    if failure is not None:
                        self.done(Progress(point, "repeat", at, count), failure)

    def _point(self, point: Point, at: int, of: int) -> Failure | None:
        """Measure a point for the first time; return why it failed, or None."""
        for path in self.folder.iterdir():
            rest = path.name.removeprefix(f"{point.name}.")
            if rest != path.name and path.is_file():  # of an earlier version
                path.unlink()
        place = self.folder / point.name
        place.mkdir(exist_ok=True)
        for name, command in self.plan.stages():
            words = command.filled(self._values(point))
            if name == "build" and words in self.built:
                continue
            self.stage(Progress(point, name, at, of))
            failure = self._run(point, name, words)
            if failure is not None:
                return failure
            self.built |= {words} if name == "build" else set()
        self.stage(Progress(point, "ncu", at, of))
        return self._profile(point, 1)

    def _values(self, point: Point) -> dict[str, str]:
        return {**dict(point.values), OUT: str((self.folder / point.name).absolute())}

    def _profile(self, point: Point, number: int) -> Failure | None:
        report = point.report(self.folder, number)
        options = self.plan.ncu_options(report, number)
        failure = self._run(point, "ncu", (str(self.ncu), *options, *self.plan.run.filled(self._values(point))))
        if failure is None and not report.is_file():
            return Failure("nothing_profiled", "ncu wrote no report")
        if failure is not None:
            report.unlink(missing_ok=True)
        return failure

    def _run(self, point: Point, stage: str, words: Sequence[str]) -> Failure | None:
        """Run a command of a stage; return why it failed, or None. The log of a failure stays in the folder."""
        lines: deque[str] = deque(maxlen=_KEPT)

        def hear(text: str, whole: bool) -> None:
            if whole:
                lines.append(text[:_LONGEST])

        try:
            ended = run_child(words, hear, self.limit_s)
        except OSError as e:
            ended = Ended(127, False, f"{words[0]} cannot be started: {e.strerror}")
        output = "\n".join(lines)
        empty = stage == "ncu" and "No kernels were profiled" in output
        if ended.code == 0 and not ended.late and not empty:
            return None
        with contextlib.suppress(OSError):
            log = f"{output}\n{ended.errors}\n"
            (self.folder / f"{point.name}.{stage}.log").write_text(log, encoding="utf-8", errors="replace")
        build = self.plan.build.text if self.plan.build is not None else ""
        return why(stage, ended, output, build, self.limit_s)
