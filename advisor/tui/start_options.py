"""What a path is: a report, a trace, a saved session; how one is typed; and with which theme to begin.

With what a session can begin, beside a path that is typed: gathered once, when the start screen is made.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from advisor.session.language import files
from advisor.session.records import Choice
from advisor.tui import words_places as words
from advisor.view.numbers import plural
from advisor.view.text import cut

_HEAD: Final = 8192


_SQLITE: Final = b"SQLite format 3\0"


_NSYS: Final = (".nsys-rep", ".qdrep", ".qdstrm")


# Heads of the tables that `nsys stats` writes; ncu's own CSV begins with "ID" and "Process ID".
_STATS: Final = re.compile(r"Time ?\(%\).*Total Time|^\"?Start \(ns\)\"?,", re.MULTILINE)


_TRANSCRIPT: Final = b'"ncu-advisor/transcript/'


ENDINGS: Final = (*files.REPORTS, *files.TRACES, ".jsonl")


COMMANDS: Final = ("/help", "/quit")


@dataclass(frozen=True, slots=True)
class Opening:
    """Paths by what they are, each in the order given."""

    reports: tuple[str, ...] = ()
    traces: tuple[str, ...] = ()
    transcripts: tuple[str, ...] = ()


def kind_of(path: Path) -> str:
    """`trace`, `transcript` or `report`; what cannot be read is a report, whose reader says what is wrong with it."""
    name = path.name.casefold()
    if name.endswith(_NSYS):
        return "trace"
    try:
        if not path.is_file():  # a pipe would be waited for
            return "transcript" if name.endswith(".jsonl") else "trace" if name.endswith(".sqlite") else "report"
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return "trace" if name.endswith(".sqlite") else "report"
    if head.startswith(_SQLITE) or (name.endswith(".sqlite") and not head):
        return "trace"
    if name.endswith(".jsonl") or _TRANSCRIPT in head.partition(b"\n")[0]:
        return "transcript"
    if name.endswith((".csv", ".txt")) and _STATS.search(head.decode("utf-8", "replace")):
        return "trace"
    return "report"


def is_there(path: str) -> bool:
    """Whether something is at this path; what can be no path (too long, with a null in it) is not."""
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


def sort_out(paths: Sequence[Path | str]) -> Opening:
    """The paths by what they are."""
    kinds = [(kind_of(Path(path)), str(path)) for path in paths]
    reports, traces, transcripts = (
        tuple(p for k, p in kinds if k == kind) for kind in ("report", "trace", "transcript")
    )
    return Opening(reports, traces, transcripts)


def typed_path(text: str) -> str:
    """What was typed as a path: without blanks and quotes around it, `~` for the home folder."""
    bare = text.strip()
    if len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "\"'":
        bare = bare[1:-1]
    return files.home(bare)


def completions(text: str) -> tuple[str, ...]:
    """Lines that go on from what is typed: paths of what can be opened, and the commands that mean something here."""
    found = files.listed(text, ENDINGS) if text.strip() else ()
    commands = (command for command in COMMANDS if text.startswith("/") and command.startswith(text))
    return (*found, *commands)


def theme_for(asked: str, remembered: str, environment: Mapping[str, str]) -> str:
    """`dark` or `light`: what was asked for, else NCU_ADVISOR_THEME, else what was chosen last, else the terminal's.

    COLORFGBG, which some terminals set, ends in the number of the background: 7 and 9 to 15 are light.
    """
    for wish in (asked, environment.get("NCU_ADVISOR_THEME", "").strip().casefold(), remembered):
        if wish in ("dark", "light"):
            return wish
    ground = environment.get("COLORFGBG", "").rpartition(";")[2]
    return "light" if ground.isdecimal() and (int(ground) == 7 or 9 <= int(ground) <= 15) else "dark"


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
    from advisor.session import events as e

    return any(isinstance(event, e.Began) for event in log)
