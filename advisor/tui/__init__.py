"""The face in the terminal: a Textual program that shows a session's state and turns keys into events."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any


def run(paths: Sequence[Path] = (), *, demo: bool = False, **options: Any) -> int:
    """The session in the terminal (see program.run); Textual is imported only now."""
    from advisor.tui.program import run as start

    return start(paths, demo=demo, **options)


__all__ = ["run"]
