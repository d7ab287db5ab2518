"""Files are written whole: beside their place first, then renamed, so that an interruption leaves the old one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from advisor.errors import UsageError


def write_whole(path: Path, text: str) -> None:
    """Write UTF-8 text to `path`; UsageError with one line when the place cannot be written."""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as e:
        raise UsageError(f"{path}: cannot be written: {e.strerror}") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as f:
            f.write(text)
        Path(temporary).replace(path)
    except OSError as e:
        Path(temporary).unlink(missing_ok=True)
        raise UsageError(f"{path}: cannot be written: {e.strerror}") from None
