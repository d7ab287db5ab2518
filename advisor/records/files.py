"""Write files atomically: to a temporary file in the same folder, then rename, so an interruption keeps the old one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from advisor.records.errors import UsageError


def write_whole(path: Path, text: str) -> None:
    """Write UTF-8 text to `path`; lone surrogates become ?. Raises UsageError, with one line, if it cannot be written.

    Links are followed, a file keeps its mode, and a special file (a device, a pipe) is written directly.
    """
    write_bytes_whole(path, text.encode("utf-8", "replace"))


def write_bytes_whole(path: Path, content: bytes) -> None:
    """Write bytes to `path`, as `write_whole` does with text."""
    try:
        place = path.resolve()
        if place.exists() and not place.is_file():
            if place.is_dir():
                raise UsageError(f"{path}: is a folder: name a file in it")
            place.write_bytes(content)
            return
        handle, temporary = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
    except OSError as e:
        raise UsageError(f"{path}: cannot be written: {e.strerror}") from None
    try:
        with os.fdopen(handle, "wb") as f:
            f.write(content)
        Path(temporary).chmod(place.stat().st_mode & 0o777 if place.exists() else _usual_mode())
        Path(temporary).replace(place)
    except BaseException as e:
        Path(temporary).unlink(missing_ok=True)
        if not isinstance(e, OSError):
            raise
        raise UsageError(f"{path}: cannot be written: {e.strerror}") from None


@contextmanager
def being_written(path: Path) -> Iterator[Path]:
    """Yield a temporary file next to `path` that replaces it at the end of the block, or is removed on an exception.

    A special file (a device, a pipe) is written directly. Raises UsageError, with one line, if it cannot be written.
    """
    try:
        place = path.resolve()
        if place.is_dir():
            raise UsageError(f"{path}: is a folder: name a file in it")
        if place.exists() and not place.is_file():
            yield place
            return
        handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            temporary.chmod(place.stat().st_mode & 0o777 if place.exists() else _usual_mode())
            temporary.replace(place)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as e:
        raise UsageError(f"{path}: cannot be written: {e.strerror or e}") from None


def _usual_mode() -> int:
    """Return the mode of a new file under the user's umask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
