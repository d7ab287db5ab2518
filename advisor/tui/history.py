"""The lines that were typed, to be typed again."""

from __future__ import annotations

from typing import Final

_KEPT: Final = 500


class History:
    """Goes back and forth; the line that was being typed is the last stop on the way forth."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._at = 0
        self._draft = ""

    def add(self, line: str) -> None:
        """A line was sent. A repeated one is kept once."""
        if line.strip() and (not self._lines or self._lines[-1] != line):
            self._lines = [*self._lines, line][-_KEPT:]
        self._at = len(self._lines)
        self._draft = ""

    def step(self, by: int, now: str) -> str | None:
        """The line before (-1) or after (1), None at the end of the way. `now` is what stands in the prompt."""
        if self._at == len(self._lines):
            self._draft = now
        at = self._at + by
        if not 0 <= at <= len(self._lines):
            return None
        self._at = at
        return self._draft if at == len(self._lines) else self._lines[at]
