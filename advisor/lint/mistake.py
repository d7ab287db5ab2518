"""One mistake in a knowledge file, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ERROR, WARNING, INFO = "error", "warning", "info"


@dataclass(frozen=True, slots=True, order=True)
class Mistake:
    """severity: error (must not ship), warning, or info; line counts from 1."""

    file: Path
    line: int
    text: str
    severity: str = ERROR

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.severity}: {self.text}"
