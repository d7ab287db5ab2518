"""What a path is: a report, a trace, a saved session; how one is typed; and with which theme to begin."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from advisor.dialogue.language import files

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
