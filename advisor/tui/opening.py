"""Inputs of a session: the start choices, and the settings kept between sessions."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from advisor.readers.kinds import kind_of
from advisor.records.errors import AdvisorError
from advisor.records.own_files import read_own, write_own
from advisor.session import events as e
from advisor.session.language import files
from advisor.session.records import Choice
from advisor.session.transcripts.autosave import SavedSession, remark, title
from advisor.view.numbers import plural
from advisor.view.text import cut

ENDINGS: Final = (*files.REPORTS, *files.TRACES, ".jsonl")
COMMANDS: Final = ("/help", "/quit")


def is_there(path: str) -> bool:
    """Return whether the path exists; False for an invalid path (too long, or with a null character)."""
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


def typed_path(text: str) -> str:
    """Return the typed path without surrounding blanks and quotes, and with `~` expanded."""
    bare = text.strip()
    if len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "\"'":
        bare = bare[1:-1]
    return files.home(bare)


def completions(text: str) -> tuple[str, ...]:
    """Return the completions of the typed text: paths that can be opened, and commands that work here."""
    found = files.listed(text, ENDINGS) if text.strip() else ()
    commands = (command for command in COMMANDS if text.startswith("/") and command.startswith(text))
    return (*found, *commands)


def theme_for(asked: str, remembered: str, environment: Mapping[str, str]) -> str:
    """Return `dark` or `light`: from the option, else NCU_ADVISOR_THEME, else the last choice, else the terminal.

    Some terminals set COLORFGBG, which ends in the number of the background colour: 7 and 9 to 15 are light.
    """
    for wish in (asked, environment.get("NCU_ADVISOR_THEME", "").strip().casefold(), remembered):
        if wish in ("dark", "light"):
            return wish
    ground = environment.get("COLORFGBG", "").rpartition(";")[2]
    return "light" if ground.isdecimal() and (int(ground) == 7 or 9 <= int(ground) <= 15) else "dark"


_HEADER: Final = 1 << 16  # characters read from the first line of a saved session
_TITLE: Final = 60


class Saved(Struct, frozen=True):
    """A saved session: its file, title and a remark."""

    path: Path
    title: str
    note: str = ""


class StartOptions(Struct, frozen=True):
    """Contents of the start screen: the demo report, recent paths, interrupted sessions and bundled sessions.

    root: the only folder that may be read, whose reports are `recent`; such a session offers no exercises.
    """

    demo: Path | None = None
    recent: tuple[str, ...] = ()
    unfinished: tuple[Saved, ...] = ()
    cases: tuple[Saved, ...] = ()
    root: Path | None = None

    def choices(self) -> tuple[Choice, ...]:
        """Return choices, interrupted sessions first; ids: `interview`, `demo`, `open:N`, `continue:N`, `replay:N`."""
        out = [
            Choice(f"continue:{at}", f"Continue {cut(one.title, _TITLE)}", (), one.note)
            for at, one in enumerate(self.unfinished)
        ]
        out.append(Choice("interview", "Type in the numbers that ncu shows", ("i",), "without a report, page by page"))
        out += [self._recent(at, path) for at, path in enumerate(self.recent)]
        out += [Choice("demo", "Open the demo", (), "22 kernels recorded on an H200")] if self.demo is not None else []
        if self.root is None:
            out.append(Choice("practice", "Practise on an exercise", (), "slow kernels to diagnose and fix"))
        if self.cases:
            count = f"{len(self.cases)} {plural(len(self.cases), 'session')}, step by step"
            out.append(Choice("cases", "Replay a worked case", (), count))
        what = "findings, stalls, opcodes, GPUs, the method"
        return (*out, Choice("knowledge", "Browse the knowledge base", (), what))

    def case_choices(self) -> tuple[Choice, ...]:
        """Return a choice for each bundled session."""
        return tuple(Choice(f"replay:{at}", cut(one.title, _TITLE), (), one.note) for at, one in enumerate(self.cases))

    def _recent(self, at: int, path: str) -> Choice:
        begin = {"trace": "Open the trace", "transcript": "Continue"}.get(kind_of(Path(path)), "Open")
        note = str(Path(path).parent) if is_there(path) else "no longer exists"
        return Choice(f"open:{at}", f"{begin} {Path(path).name}", (), "" if note == "." else note)


def cases(folder: Path) -> tuple[Saved, ...]:
    """Return the saved sessions of a folder, sorted by file name; skip files that are not sessions."""
    found = []
    for path in sorted(folder.glob("**/*.jsonl")):
        try:
            with path.open(encoding="utf-8", errors="replace") as file:
                header = json.loads(file.readline(_HEADER))
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(header, dict) and str(header.get("format", "")).startswith("ncu-advisor/transcript/"):
            title = header.get("title")
            found.append(Saved(path, title if isinstance(title, str) and title else path.stem))
    return tuple(found)


def has_begun(log: Sequence[object]) -> bool:
    """Return whether a session has begun, with reports, traces or an interview."""
    return any(isinstance(event, e.Began) for event in log)


NAME: Final = "terminal.json"
_THEMES: Final = ("dark", "light")
_RECENT: Final = 6
_LARGEST: Final = 1 << 16  # maximum number of bytes of the settings file, which holds a few paths
_LONGEST: Final = 4096


class Settings(Struct, frozen=True):
    """Settings, stored in a file of this folder. Unreadable settings count as empty; failed writes are ignored."""

    folder: Path

    def _read(self) -> dict[str, Any]:
        try:
            content = json.loads(read_own(self.folder / NAME, _LARGEST))
        except (OSError, ValueError, RecursionError):
            return {}
        return content if isinstance(content, dict) else {}

    def _write(self, **changes: Any) -> None:
        content = {"theme": self.theme, "recent": list(self.recent)} | changes
        with contextlib.suppress(OSError, AdvisorError):  # the session continues without storing the setting
            text = json.dumps(content, indent=1, sort_keys=True) + "\n"
            write_own(self.folder / NAME, text.encode("utf-8", "replace"))

    @property
    def theme(self) -> str:
        """`dark`, `light`, or empty if none was chosen."""
        theme = self._read().get("theme")
        return theme if isinstance(theme, str) and theme in _THEMES else ""

    @property
    def recent(self) -> tuple[str, ...]:
        """Recently opened paths, newest first, including deleted ones."""
        found = self._read().get("recent")
        paths = [p for p in found if isinstance(p, str) and 0 < len(p) <= _LONGEST] if isinstance(found, list) else []
        return tuple(dict.fromkeys(paths))[:_RECENT]

    def choose(self, theme: str) -> None:
        """Store the chosen theme."""
        self._write(theme=theme)

    def opened(self, paths: tuple[str, ...]) -> None:
        """Store the opened paths as absolute paths."""
        new = [str(Path(path).absolute()) for path in paths]
        self._write(recent=list(dict.fromkeys([*new, *self.recent]))[:_RECENT])


def saved(found: tuple[SavedSession, ...], now: float) -> tuple[Saved, ...]:
    """Return the latest interrupted sessions for the start screen; `now` is in seconds since the epoch."""
    return tuple(Saved(one.path, title(one), remark(one, now)) for one in found[:3])
