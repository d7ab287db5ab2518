"""A triage from files to ranked groups: finds the files, has them read, keeps the ledger, goes on where it was."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from advisor.hardware import ceilings, gpus
from advisor.records import resources
from advisor.records.errors import InputError
from advisor.triage.ledger import Ledger, files
from advisor.triage.one_file import Settings, knowledge_of
from advisor.triage.results import Triage
from advisor.triage.workers import Pool, Workers

_TICK_S = 1.0
# States of runs that nobody went on with: kept for a month.
_KEPT = 31 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is. bytes: of the files, by which the time goes; before: those that an earlier run has done."""

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
    most_pages: int = 0,
) -> Iterator[Triage]:
    """Judge every launch of these files and folders; the result is good inside the `with`.

    rows: keep each launch, for `Triage.rows`; jobs: processes, unless `dask` is the address of a cluster's scheduler;
    state: the ledger's file instead of one in the user's cache; keep_state: False for a ledger in memory; tell: called
    after each file; most_pages: a bound on the ledger, see there. When the block ends without an exception and no file
    has to be tried again the state goes, else it stays, and the same call goes on from it. UsageError and InputError,
    one line, where nothing can be done at all.
    """
    from advisor.knowledge.base import catalog
    from advisor.reasoning.inputs import checked_answers

    base = catalog(knowledge)
    if gpu is not None:
        gpus.gpu(gpu)
    settings = Settings(
        knowledge=tuple(str(folder.absolute()) for folder in knowledge),
        gpu=gpu,
        kernel=kernel.pattern if kernel is not None else None,
        answers=dict(checked_answers(base, answers or {})),
        ceilings=dict(ceilings.kept()),
        rows=rows,
    )
    packed = msgspec.msgpack.encode(settings)
    purpose = _purpose(paths, packed, knowledge)
    place = None if not keep_state else state if state is not None else _place(purpose)
    ledger = Ledger(place, purpose, ours=state is None, most_pages=most_pages)
    done = False
    try:
        unlisted: list[tuple[str, str]] = []
        _enter(ledger, paths, unlisted)
        _read(ledger, packed, jobs, dask, tell)
        lost = "everything is counted, but an interrupted run could not go on"
        kept = (str(place), f"the state cannot be kept ({ledger.trouble}): {lost}") if ledger.trouble else None
        result = Triage(knowledge_of(settings), ledger, tuple(unlisted), kept, _measured(ledger, settings))
        _refuse_nothing(result, kernel)
        yield result
        done = not any(report.again for report in result.troubled())
    finally:
        ledger.close(keep=not done)


def _purpose(paths: Sequence[Path], settings: bytes, knowledge: Sequence[Path]) -> str:
    """What a state is for: these arguments, these settings and this knowledge, to the byte."""
    digest = hashlib.sha256(settings)
    for path in paths:
        digest.update(b"\0" + str(path.absolute()).encode("utf-8", "surrogateescape"))
    for folder in (resources.folder("knowledge"), *knowledge):
        for file in sorted(folder.rglob("*.yaml")):
            digest.update(str(file.relative_to(folder)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _place(purpose: str) -> Path:
    """Where the state of a run lies unless it is named; states that nobody came back for go."""
    import contextlib
    import time

    folder = resources.user_cache() / "triage"
    with contextlib.suppress(OSError):
        for old in folder.glob("*.sqlite*"):
            if old.stat().st_mtime < time.time() - _KEPT:
                old.unlink(missing_ok=True)
    return folder / f"{purpose[:32]}.sqlite"


def _enter(ledger: Ledger, paths: Sequence[Path], unlisted: list[tuple[str, str]]) -> None:
    def trouble(path: str, why: str) -> None:
        unlisted.append((path, why))

    if not ledger.enter(files(paths, trouble)):
        unlisted.clear()
        ledger.begin_anew()
        ledger.enter(files(paths, trouble))
    if next(ledger.select("SELECT 1 FROM files LIMIT 1"), None) is None:
        where = ", ".join(str(path) for path in paths)
        raise InputError(f"{where}: no report in it: .ncu-rep files, CSV or console text of ncu (also .xz, .gz, .zst)")


def _read(ledger: Ledger, settings: bytes, jobs: int, dask: str | None, tell: Tell | None) -> None:
    """Have all open files read, at most so many under way that memory stays bounded."""
    progress = _start(ledger)
    if tell is not None:
        tell(progress)
    if progress.files_done == progress.files:
        return
    workers: Workers
    if dask is not None:
        from advisor.triage.workers import Cluster

        workers = Cluster(dask, settings)
    else:
        workers = Pool(min(jobs, progress.files - progress.files_done), settings)
    waiting = ledger.open_files()
    sizes: dict[int, int] = {}
    try:
        room = workers.room
        while True:
            while len(sizes) < room and (task := next(waiting, None)) is not None:
                number, path, label, sizes[task[0]] = task
                workers.put(number, path, label)
            if not sizes:
                return
            answer = workers.get(_TICK_S)
            if answer is not None:
                number, part = answer
                ledger.fold(number, part)
                progress = _on(progress, sizes.pop(number), part.launches)
            else:
                room = workers.room
            if tell is not None:
                tell(progress)
    finally:
        workers.stop()


def _start(ledger: Ledger) -> Progress:
    sql = "SELECT count(*), total(state != 0), total(size), total(size * (state != 0)), total(launches) FROM files"
    count, done, size, size_done, launches = (int(value) for value in next(ledger.select(sql)))
    return Progress(count, done, size, size_done, size_done, launches, ledger.resumed and done > 0)


def _on(progress: Progress, size: int, launches: int) -> Progress:
    from dataclasses import replace

    return replace(
        progress,
        files_done=progress.files_done + 1,
        bytes_done=progress.bytes_done + size,
        launches=progress.launches + launches,
    )


def _measured(ledger: Ledger, settings: Settings) -> tuple[dict[str, Any], ...]:
    sql = "SELECT DISTINCT value FROM files, json_each(files.used) ORDER BY value"
    keys = [key for (key,) in ledger.select(sql)] if settings.ceilings else []
    return tuple(ceilings.as_used(settings.ceilings[key]) for key in keys if key in settings.ceilings)


def _refuse_nothing(result: Triage, kernel: re.Pattern[str] | None) -> None:
    """InputError where nothing was read, or where nothing is left of it."""
    totals = result.totals
    if totals.launches:
        return
    if totals.reports:
        raise InputError(
            f"no launch of {totals.reports} reports matches --kernel {kernel.pattern!r}"
            if kernel is not None
            else "the reports hold no launch"
        )
    first = next(result.troubled(), None)
    if first is not None:
        rest = f" (and {totals.refused - 1} more that cannot be read)" if totals.refused > 1 else ""
        raise InputError(f"{first.path}: {first.refused}{rest}")
    path, why = next(result.foreign())
    raise InputError(f"none of {totals.foreign} files is a report of ncu: {path}: {why}")
