"""Read traces: detect the format of a file and the files that belong together; report other files in one line."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from advisor.records.errors import InputError
from advisor.records.regular_files import why_special
from advisor.timeline.csv_trace import read_tables
from advisor.timeline.sqlite_trace import MAGIC, check_size, read_database
from advisor.timeline.trace import Trace

# suffixes that `nsys stats --output BASE` adds to BASE and an underscore
_REPORT = re.compile(
    r"_(cuda_(?:gpu|api|kern)\w*?(?:sum|trace)(?:_\w+)?|nvtx\w*?(?:sum|trace)|osrt_sum|gpu\w+sum|gputrace|cudaapi\w+|nvtx\w+)\Z"
)
_HEAD = 100


def read_trace(paths: Path | Sequence[Path]) -> Trace:
    """Read one trace: a database, or the CSV files of one run. Raises InputError with one line if it is not one."""
    files = [Path(paths)] if isinstance(paths, Path | str) else [Path(p) for p in paths]
    head = _head(files[0])
    if head.startswith(MAGIC):
        check_size(files[0], head)
        return read_database(files[0], _sha256(files[:1]))
    for path in files:
        _refuse(path, _head(path))
    return read_tables(files, _sha256(files))


def together(paths: Iterable[Path]) -> list[tuple[Path, ...]]:
    """Group files by trace: CSV files in one folder whose names differ only by the report are one run."""
    groups: dict[tuple[str, ...], list[Path]] = {}
    for number, path in enumerate(paths):
        match = _REPORT.search(path.stem) if path.suffix == ".csv" else None
        key = (str(path.parent), path.stem[: match.start()]) if match else (str(number), str(path), "")
        groups.setdefault(key, []).append(path)
    return [tuple(dict.fromkeys(files)) for files in groups.values()]


def read_traces(
    paths: Iterable[Path], progress: Callable[[str], None] | None = None
) -> tuple[tuple[Trace, ...], tuple[tuple[str, str], ...]]:
    """Return the traces that can be read, and (path, reason) of the others. Raises InputError if none can."""
    traces: list[Trace] = []
    failed: list[tuple[str, str]] = []
    for files in together(paths):
        if progress is not None:
            progress(f"reading {files[0].name}")
        try:
            traces.append(read_trace(files))
        except InputError as e:
            failed.append((str(files[0]), str(e).removeprefix(f"{files[0].name}: ")))
    if not traces:
        path, why = failed[0]
        more = f" (and {len(failed) - 1} more that cannot be read)" if len(failed) > 1 else ""
        raise InputError(f"{Path(path).name}: {why}{more}")
    return tuple(traces), tuple(failed)


def _head(path: Path) -> bytes:
    try:
        if why := why_special(path):
            raise InputError(f"{path.name}: {why}")
        with path.open("rb") as file:
            return file.read(_HEAD)
    except OSError as e:
        raise InputError(f"{path.name}: {(e.strerror or 'cannot be read').lower()}") from None


def _refuse(path: Path, head: bytes) -> None:
    name = path.name
    if not head.strip():
        raise InputError(f"{name}: the file is empty: export the trace again")
    if head.startswith(MAGIC):
        raise InputError(f"{name}: a database among CSV files: run them separately")
    if head.startswith(b"version https://git-lfs"):
        raise InputError(f"{name}: a Git LFS pointer, not the file itself: run `git lfs pull` and try again")
    if head.startswith(b"NVR\0"):
        raise InputError(f"{name}: a report of Nsight Compute, not a timeline: `ncu-advisor diagnose` reads it")
    if name.endswith((".nsys-rep", ".qdrep", ".qdstrm")):
        raise InputError(f"{name}: export it first: `nsys export --type sqlite {name}`, and give the .sqlite file")
    if head.startswith((b"\x1f\x8b", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", b"BZh", b"PK\x03\x04")):
        raise InputError(f"{name}: compressed: unpack it first")
    if b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{name}: not a trace: neither the database of `nsys export` nor the CSV of `nsys stats`")


def _sha256(paths: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()
