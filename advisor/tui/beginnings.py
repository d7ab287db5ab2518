"""With what a session can begin, beside a path that is typed: gathered once, when the start screen is made."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from advisor.dialogue.records import Choice
from advisor.render.text import cut, plural
from advisor.tui import words_places as words
from advisor.tui.opening import is_there, kind_of

_HEADER: Final = 1 << 16  # characters of a saved session's first line that are looked at
_TITLE: Final = 60
_CASES: Final = "cases"


@dataclass(frozen=True, slots=True)
class Saved:
    """A session on disk: its file, what it is called, a remark."""

    path: Path
    title: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Beginnings:
    """demo: its report; recent: paths opened last; unfinished: sessions to go on with; cases: bundled sessions."""

    demo: Path | None = None
    recent: tuple[str, ...] = ()
    unfinished: tuple[Saved, ...] = ()
    cases: tuple[Saved, ...] = ()

    def choices(self) -> tuple[Choice, ...]:
        """What is offered, broken-off sessions first; ids: `interview`, `demo`, `open:N`, `continue:N`, `replay:N`."""
        out = [
            Choice(f"continue:{at}", words.CONTINUE.format(title=cut(one.title, _TITLE)), (), one.note)
            for at, one in enumerate(self.unfinished)
        ]
        out.append(Choice("interview", words.INTERVIEW, ("i",), words.INTERVIEW_NOTE))
        out += [self._recent(at, path) for at, path in enumerate(self.recent)]
        out += [Choice("demo", words.DEMO, (), words.DEMO_NOTE)] if self.demo is not None else []
        out.append(Choice("practice", words.PRACTICE, (), words.PRACTICE_NOTE))
        if self.cases:
            out.append(
                Choice(
                    _CASES,
                    words.CASES,
                    (),
                    words.CASES_NOTE.format(count=len(self.cases), sessions=plural(len(self.cases), "session")),
                )
            )
        return (*out, Choice("knowledge", words.BROWSE, (), words.BROWSE_NOTE))

    def case_choices(self) -> tuple[Choice, ...]:
        """The bundled sessions."""
        return tuple(Choice(f"replay:{at}", cut(one.title, _TITLE), (), one.note) for at, one in enumerate(self.cases))

    def _recent(self, at: int, path: str) -> Choice:
        kind = kind_of(Path(path))
        label = {"trace": words.REOPEN_TRACE, "transcript": words.CONTINUE}.get(kind, words.REOPEN)
        name, folder = Path(path).name, str(Path(path).parent)
        note = folder if is_there(path) else words.GONE
        return Choice(f"open:{at}", label.format(name=name, title=name), (), note)


def cases(folder: Path) -> tuple[Saved, ...]:
    """The sessions of a folder by their titles, in the order of their names; what is none is left out."""
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


def begun(log: Sequence[object]) -> bool:
    """Whether a session has begun, with reports, traces or an interview."""
    from advisor.dialogue import events as e

    return any(isinstance(event, e.Began) for event in log)
