"""Read a profile of any format into one frame in canonical units, or raise InputError with one line."""

from __future__ import annotations

import contextlib
import hashlib
import mmap
import re
import shutil
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.knowledge.base import metrics as catalog_metrics
from advisor.profiling.ncu import find_ncu
from advisor.readers import formats
from advisor.readers import frame as names
from advisor.readers import ptxas as ptxas_log
from advisor.readers.console import read_console
from advisor.readers.container import Container, Limits, walk
from advisor.readers.csv_tables import read_details_csv, read_raw_csv
from advisor.readers.emulated import read_emulated
from advisor.readers.formats import lines, unpack
from advisor.readers.frame import Contents, Metric, frame, names_wanted
from advisor.readers.library import NoLibraryError, missing, module_folder, write_table
from advisor.readers.parent import BackgroundRead, checked, read_report, start_child
from advisor.readers.pasted_rows import read_rows
from advisor.readers.workload import read_workload
from advisor.records.child import Child
from advisor.records.emulated import FORMAT
from advisor.records.errors import InputError
from advisor.records.quantities import counted
from advisor.records.readings import IDENTITY, Progress, Reading, ReportInfo
from advisor.records.scratch import ScratchFolder

if TYPE_CHECKING:
    import pandas as pd

_TWO_CHILDREN_FROM = 256 * 1024
_SHOWN_PROBLEMS = 20
# Metrics that every launch has, even if nothing was measured.
_ABOUT_THE_FILE = ("nan_metrics", "line_info", "debug_build", "cache_control", "clock_control")


def read(
    path: Path,
    *,
    metric_filter: Collection[str] | None = None,
    ptxas: Path | None = None,
    limits: Limits | None = None,
    report: int = 0,
    meanwhile: Callable[[], None] | None = None,
    progress: Progress | None = None,
) -> Reading:
    """Read one file of any format of ncu into a frame of base metrics (see model.Reading).

    metric_filter: canonical ids to read, all by default; ptxas: a log of `ptxas -v` that adds missing values;
    report: the number of this file among several, for the frame's `report` column; meanwhile: called while child
    processes read, if there are any; progress: called at intervals with "launches", the number read and the total; an
    exception in it cancels the reading. Raises InputError, with one line, if no launch can be read. If some launches
    are lost, `info.complete` is False.
    """
    path = Path(path)
    bounds = limits or Limits()
    sniffed = formats.sniff(path, bounds)
    digest = _Digest(path)
    with ExitStack() as stack:
        if sniffed.wrapping or sniffed.format == "ncu-rep":
            form, contents, metrics = _binary_or_wrapped(
                path, sniffed, metric_filter, bounds, stack, meanwhile, progress
            )
        else:
            metrics = _metrics(metric_filter)
            form, contents = sniffed.format, _text(path, sniffed.format, path.name, metrics, bounds)
        if not contents.launches:
            raise InputError(f"{path.name}: {_nothing(contents)}")
        if ptxas is not None:
            contents.problems += _with_ptxas(contents, ptxas, bounds)
        _tidy(contents, bounds)
        table = frame(contents.launches, metrics, report)
        if unmeasured := _unmeasured(table):
            contents.problems.append(unmeasured)
        info = ReportInfo(
            path=str(path),
            sha256=digest.hex(),
            tool=contents.tool,
            format=form,
            complete=contents.complete,
            problems=tuple(dict.fromkeys(contents.problems))[:_SHOWN_PROBLEMS],
            launches_missing=contents.missing,
        )
        return Reading(info, table)


def read_many(
    paths: Iterable[Path],
    *,
    metric_filter: Collection[str] | None = None,
    ptxas: Path | None = None,
    jobs: int = 2,
    progress: Progress | None = None,
    limits: Limits | None = None,
    meanwhile: Callable[[], None] | None = None,
) -> tuple[pd.DataFrame, tuple[ReportInfo, ...]]:
    """Read several files into one frame, and return their descriptions, which the `report` column counts from 0.

    jobs: child processes at a time; progress: called with "read", files done and the total, and as in `read`;
    meanwhile: called while the processes read, to prepare the next work. A rejected file has no rows, and a
    description with format '' and the error as its only problem (no digest if it is larger than any report may be).
    """
    bounds = replace(limits or Limits(), children=max(1, jobs))
    infos: list[ReportInfo] = []
    frames: list[pd.DataFrame] = []
    files = [Path(path) for path in paths]
    for number, path in enumerate(files):
        if progress is not None:
            progress("read", number, len(files))
        try:
            found = read(
                path,
                metric_filter=metric_filter,
                ptxas=ptxas,
                limits=bounds,
                report=number,
                meanwhile=meanwhile,
                progress=progress,
            )
            frames.append(found.frame)
            infos.append(found.info)
        except InputError as error:
            why = str(error).removeprefix(f"{path}: ").removeprefix(f"{path.name}: ")
            readable = path.is_file() and path.stat().st_size <= bounds.unpacked_bytes
            digest = _sha256(path) if readable else ""
            infos.append(ReportInfo(str(path), digest, "", "", complete=False, problems=(why,), launches_missing=None))
    if progress is not None:
        progress("read", len(files), len(files))
    import pandas as pd

    if not frames:
        return frame([], {}), tuple(infos)
    return (pd.concat(frames, ignore_index=True) if len(frames) > 1 else frames[0]), tuple(infos)


def _metrics(chosen: Collection[str] | None) -> dict[str, Metric]:
    known: Mapping[str, Metric] = catalog_metrics()
    return {name: metric for name, metric in known.items() if chosen is None or name in chosen}


def _binary_or_wrapped(
    path: Path,
    sniffed: formats.Sniffed,
    chosen: Collection[str] | None,
    limits: Limits,
    stack: ExitStack,
    meanwhile: Callable[[], None] | None,
    progress: Progress | None,
) -> tuple[str, Contents, dict[str, Metric]]:
    # The children load NVIDIA's library while this process unpacks, checks and loads the catalog.
    count = limits.children if path.stat().st_size > _TWO_CHILDREN_FROM else 1
    children: list[Child] = []
    stack.callback(_close, children)
    children.extend(start_child(limits) for _ in range(count if module_folder() else 0))
    folder = Path(stack.enter_context(ScratchFolder()))
    source, damage = path, ""
    if sniffed.wrapping:
        # Unpacking leaves the interpreter free for this import, which `_report` would wait for otherwise.
        threading.Thread(target=import_module, args=("pandas",), daemon=True).start()
        source = folder / "unpacked"
        damage = unpack(path, sniffed.wrapping, source, limits)
        sniffed = formats.sniff(source, limits, path.name)
    metrics = _metrics(chosen)
    if sniffed.format != "ncu-rep":
        contents = _text(source, sniffed.format, path.name, metrics, limits)
        if damage:
            contents.problems.append(damage)
            contents.missing = None
        return sniffed.format, contents, metrics
    with source.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        found = walk(data)
    try:
        contents = _report(path, source, folder, found, damage, metrics, children, limits, meanwhile, progress)
        form = "ncu-rep"
    except NoLibraryError as error:
        ncu = find_ncu()
        if ncu is None:
            raise
        contents, form = _table(ncu, path.name, source, folder, found, damage, metrics, limits), "raw-csv"
        contents.problems.append(f"read as a table through {ncu}, without instructions and source lines: {error}")
    for launch in contents.launches:
        _controls(launch.known, found.command)
    return form, contents, metrics


def _close(children: list[Child]) -> None:
    for child in children:
        child.close()


def _report(
    path: Path,
    source: Path,
    folder: Path,
    found: Container,
    damage: str,
    metrics: Mapping[str, Metric],
    children: list[Child],
    limits: Limits,
    meanwhile: Callable[[], None] | None,
    progress: Progress | None,
) -> Contents:
    if not found.readable:
        if damage or found.damage:
            why = damage or found.damage
            raise InputError(f"{path.name}: no launch can be read, the report is damaged or truncated: {why}")
        if not found.announced:
            raise InputError(
                f"{path.name}: a complete report without kernel launches: nothing was profiled; check ncu's filters"
            )
    if not children:
        raise NoLibraryError(missing())
    with BackgroundRead(path, source, folder, found, names_wanted(metrics.values()), children, limits) as reading:
        children.clear()  # the reading ends them now
        import pandas as pd  # noqa: F401  (takes as long as the children, in parallel)

        if meanwhile is not None:
            meanwhile()
        contents = read_report(reading, found, damage, progress)
    if not contents.launches and found.readable:
        raise InputError(
            f"{path.name}: none of its {counted(found.announced or 0, 'launch')} can be read: the report is damaged, "
            "or newer than the installed ncu-report package (pip install -U ncu-report)"
        )
    return contents


def _table(
    ncu: Path,
    name: str,
    source: Path,
    folder: Path,
    found: Container,
    damage: str,
    metrics: Mapping[str, Metric],
    limits: Limits,
) -> Contents:
    """Read a report from the table that ncu prints of it."""
    report, table = folder / "report.ncu-rep", folder / "raw.csv"  # ncu goes by the ending of the name
    shutil.copyfile(source, report)
    write_table(ncu, name, report, table, limits)
    return checked(_text(table, "raw-csv", name, metrics, limits), found, damage)


def _controls(known: dict[str, float], command: str) -> None:
    """Set cache and clock control (1 on, 0 off) from ncu's command line; both are on unless it has `none`."""
    if command:
        for control in ("cache", "clock"):
            off = re.search(rf"--{control}-control[ =]none\b", command)
            known.setdefault(f"{control}_control", 0.0 if off else 1.0)


def _text(source: Path, form: str, name: str, metrics: Mapping[str, Metric], limits: Limits) -> Contents:
    wanted = names_wanted(metrics.values())
    text = _Text(source, name, limits)
    try:
        if form == "raw-csv":
            return text.check(read_raw_csv(text, wanted, limits.launches))
        if form == "details-csv":
            return text.check(read_details_csv(text, wanted, limits.launches))
        if form == "workload":
            return read_workload(source, name)
        if form == FORMAT:
            return read_emulated(source, name)
        found = read_console(text, wanted, limits.launches)
        if not found.launches:
            rows = read_rows(_Text(source, name, limits), metrics)
            found = rows if rows.launches else found
        return text.check(found)
    except InputError as error:
        line = str(error)
        raise InputError(line if line.startswith(f"{name}: ") else f"{name}: {line}") from None


class _Text:
    """The lines of a text file. ncu never prints NUL bytes, so a file that contains them counts as incomplete."""

    def __init__(self, path: Path, name: str, limits: Limits) -> None:
        self._lines = lines(path, limits, name)
        self._damaged = False

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self._damaged = self._damaged or "\0" in line
            yield line

    def check(self, contents: Contents) -> Contents:
        """Return the contents, marked as incomplete if the text was damaged."""
        if self._damaged:
            contents.problems.append("the text holds NUL bytes: it is damaged, and its numbers can be wrong")
            contents.missing = None
        return contents


def _nothing(contents: Contents) -> str:
    why = f": {contents.problems[0]}" if contents.problems else ""
    return f"no kernel launch in it can be read{why}; profile again, or give the .ncu-rep"


def _with_ptxas(contents: Contents, log: Path, limits: Limits) -> list[str]:
    try:
        compiled = ptxas_log.parse(lines(Path(log), limits))
    except OSError as error:
        raise InputError(f"{log}: {(error.strerror or 'cannot be read').lower()}") from None
    if not compiled:
        raise InputError(
            f"{log}: no `ptxas info` about a kernel in it; compile with `nvcc -Xptxas -v` and save what it prints"
        )
    return ptxas_log.complete(contents.launches, compiled)


def _unmeasured(table: pd.DataFrame) -> str:
    """Return a message on launches without any value, which ncu writes after failed profiling."""
    empty = int(table.drop(columns=[*IDENTITY, *_ABOUT_THE_FILE], errors="ignore").isna().all(axis=1).sum())
    return f"launches without a value of a known metric: {empty:,} of {len(table):,}" if empty else ""


def _tidy(contents: Contents, limits: Limits) -> None:
    """Clean the names for display: remove terminal control characters and cut long names."""
    for launch in contents.launches:
        for attribute in ("kernel", "kernel_full", "gpu_name"):
            text, done = names.clean(getattr(launch, attribute), limits.name_chars)
            setattr(launch, attribute, text)
            if done:
                contents.problems.append(done)


class _Digest:
    """The SHA-256 of a file, computed in the background."""

    def __init__(self, path: Path) -> None:
        self._path, self._hex = path, ""
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        with contextlib.suppress(OSError):
            self._hex = _sha256(self._path)

    def hex(self) -> str:
        """Return the digest as 64 digits. Raises OSError if the file can no longer be read."""
        self._thread.join()
        return self._hex or _sha256(self._path)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
