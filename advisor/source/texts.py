"""Source lines, where the files that a report names can be read on this machine."""

from __future__ import annotations

import stat
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath

# A report is data: only files that look like source, and of a sensible size, are opened at its word.
_SUFFIXES = frozenset(
    (
        ".cu",
        ".cuh",
        ".h",
        ".hh",
        ".hpp",
        ".hxx",
        ".inl",
        ".c",
        ".cc",
        ".cpp",
        ".cxx",
        ".py",
        ".ptx",
        ".cl",
        ".f90",
        ".cuf",
    )
)
_MOST_BYTES = 8 * 1024 * 1024


def read_texts(
    files: Iterable[str], folders: Sequence[Path] = (), embedded: Mapping[str, str] | None = None
) -> dict[str, tuple[str, ...]]:
    """The lines of the files that can be had: under one of `folders`, else from `embedded`, else at their path.

    embedded: file -> text that the report carries along, which is what was compiled, while the file may have changed.
    In a folder the longest end of the path that exists there counts, so that `/build/src/a.cu` is found as `src/a.cu`.
    """
    out: dict[str, tuple[str, ...]] = {}
    for name in files:
        found = (text for path in _candidates(name, folders) if (text := _read(path)) is not None)
        text = next(found, None) or (embedded or {}).get(name) or _read(Path(name))
        if text is not None:
            out[name] = tuple(text.splitlines())
    return out


def _candidates(name: str, folders: Sequence[Path]) -> Iterable[Path]:
    parts = (PureWindowsPath(name) if "\\" in name else PurePosixPath(name)).parts
    plain = [part for part in parts if part not in ("/", "\\", "..") and not part.endswith((":", ":\\"))]
    for folder in folders:
        for start in range(len(plain)):
            yield folder.joinpath(*plain[start:])


def _read(path: Path) -> str | None:
    if path.suffix.lower() not in _SUFFIXES:
        return None
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode) or about.st_size > _MOST_BYTES:
            return None
        return path.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError):
        return None


def by_line(texts: dict[str, tuple[str, ...]]) -> dict[tuple[str, int], str]:
    """(file, line) -> what stands there, without the blanks around it."""
    return {(file, n): text.strip() for file, lines in texts.items() for n, text in enumerate(lines, 1)}
