"""What the terminal remembers from one session to the next: the theme that was chosen, and what was opened last."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from advisor.records.errors import AdvisorError
from advisor.records.files import write_whole

NAME: Final = "terminal.json"
THEMES: Final = ("dark", "light")
_RECENT: Final = 6
_LARGEST: Final = 1 << 16  # bytes of the file: it holds a few paths
_LONGEST: Final = 4096


@dataclass(frozen=True, slots=True)
class Remembered:
    """A file in this folder. What cannot be read counts as nothing; what cannot be written is not remembered."""

    folder: Path

    def _read(self) -> dict[str, Any]:
        try:
            path = self.folder / NAME
            if path.stat().st_size > _LARGEST:
                return {}
            content = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        return content if isinstance(content, dict) else {}

    def _write(self, **changes: Any) -> None:
        content = {"theme": self.theme, "recent": list(self.recent)} | changes
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_whole(self.folder / NAME, json.dumps(content, indent=1, sort_keys=True) + "\n")
        except (OSError, AdvisorError):
            pass  # the session goes on; it is asked for again the next time

    @property
    def theme(self) -> str:
        """One of THEMES, empty where none was chosen."""
        theme = self._read().get("theme")
        return theme if isinstance(theme, str) and theme in THEMES else ""

    @property
    def recent(self) -> tuple[str, ...]:
        """Paths opened last, the newest first; those that are no longer there too."""
        found = self._read().get("recent")
        paths = [p for p in found if isinstance(p, str) and 0 < len(p) <= _LONGEST] if isinstance(found, list) else []
        return tuple(dict.fromkeys(paths))[:_RECENT]

    def choose(self, theme: str) -> None:
        """Remember a theme."""
        self._write(theme=theme)

    def opened(self, paths: tuple[str, ...]) -> None:
        """Remember what was opened, by absolute paths."""
        new = [str(Path(path).absolute()) for path in paths]
        self._write(recent=list(dict.fromkeys([*new, *self.recent]))[:_RECENT])
