"""Which files a list of files and folders means: every one that is named, and in folders those that may be profiles."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from advisor.errors import UsageError

_WRAPPINGS = (".xz", ".gz", ".zst")
# What ncu writes itself: such a file in a folder is meant to be read, and one that cannot be read is told.
_REPORTS = (".ncu-rep", ".nsight-cuprof-report")
# What its output is saved as: in a folder such a file may be anything, and is asked whether it is a profile.
_TEXTS = (".csv", ".txt", ".log", ".out", ".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class File:
    """One file. label: the path as the user would write it; meant: named, or by its name a report; mtime in ns."""

    label: str
    path: str
    size: int
    mtime: int
    meant: bool


def files(paths: Sequence[Path], trouble: Callable[[str, str], None]) -> Iterator[File]:
    """Each file once (links to one file are that file), folders in the order of names.

    Folders that cannot be listed are told to `trouble` with the reason. UsageError where a path is not there.
    """
    for path in paths:
        if not path.exists():
            raise UsageError(f"{path}: there is no such file or folder")
    for path in paths:
        if path.is_dir():
            yield from _inside(path, trouble)
        else:
            yield _file(path, True)


def _inside(folder: Path, trouble: Callable[[str, str], None]) -> Iterator[File]:
    def failed(error: OSError) -> None:
        trouble(str(error.filename or folder), (error.strerror or "cannot be listed").lower())

    for here, below, names in os.walk(folder, onerror=failed):
        below.sort()
        for name in sorted(names):
            kind = _kind(name)
            if not kind:
                continue
            path = Path(here, name)
            try:
                yield _file(path, kind == "report")
            except OSError as error:
                # A link that leads nowhere, or a file that went in the meantime.
                trouble(str(path), (error.strerror or "cannot be read").lower())


def _kind(name: str) -> str:
    bare = name.lower()
    for wrapping in _WRAPPINGS:
        bare = bare.removesuffix(wrapping)
    return "report" if bare.endswith(_REPORTS) else "text" if bare.endswith(_TEXTS) else ""


def _file(path: Path, meant: bool) -> File:
    found = path.stat()
    return File(str(path), os.path.realpath(path), found.st_size, found.st_mtime_ns, meant)
