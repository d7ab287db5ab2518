"""Which of the lines around an instruction a person can change: the innermost that is not an installed header's."""

from __future__ import annotations

import re
from collections.abc import Sequence

Place = tuple[str, int]
# Where compilers and packages put headers: the toolkit's own folders, the system's, those inside Python packages.
_INSTALLED = re.compile(
    r"(^|[/\\])(usr[/\\](local[/\\]cuda[^/\\]*|include)|targets[/\\][^/\\]+[/\\]include|NVIDIA GPU Computing Toolkit"
    r"|(site|dist)-packages[/\\](.+[/\\])?include)[/\\]",
    re.IGNORECASE,
)


def is_installed(file: str) -> bool:
    """Whether the path is one where headers are installed, so that nobody edits the file there."""
    return _INSTALLED.search(file) is not None


def home(chain: Sequence[Place]) -> int:
    """The place in a chain, innermost first, to show: the first that is not installed, else the innermost (0)."""
    return next((i for i, (file, _) in enumerate(chain) if not is_installed(file)), 0)
