"""Accept only regular files as input: a pipe without a writer blocks, and a device such as /dev/zero never ends."""

from __future__ import annotations

import stat
from pathlib import Path

_SPECIAL = "is a pipe or a device: give a regular file"


def why_special(path: Path) -> str:
    """Return why `path` is not a regular file (pipe, socket, device), or ''. Raises OSError if it is missing."""
    mode = path.stat().st_mode  # follows links
    return "" if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else _SPECIAL
