"""The command `knowledge lint`: mistakes as lines that editors and CI can follow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from advisor.errors import EXIT_CHECK_FAILED, EXIT_DONE
from advisor.lint.check import lint
from advisor.lint.mistake import ERROR


def run(folders: Sequence[Path], out: TextIO) -> int:
    """Print each mistake as `file:line: severity: text`; exit code 1 when one of them is an error, else 0."""
    mistakes = lint(folders)
    for mistake in mistakes:
        out.write(f"{mistake}\n")
    return EXIT_CHECK_FAILED if any(m.severity == ERROR for m in mistakes) else EXIT_DONE
