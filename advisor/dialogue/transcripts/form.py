"""The form of a transcript: a header, what it carries, and a line for each deed with what was concluded after it.

One JSON object a line, keys sorted, no clock times: made for `git diff`. Whatever stands in a file is data: nothing in
it is executed, and no path in it is opened.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from advisor.dialogue import deeds as d
from advisor.dialogue.transcripts.frames import Launch
from advisor.dialogue.transcripts.verbs import CANCEL, UnknownVerbError, decode, encode
from advisor.errors import InputError
from advisor.napkin.ceilings import Ceilings

FORMAT: Final = "ncu-advisor/transcript/1"
_FAMILY: Final = "ncu-advisor/transcript/"
MOST_BYTES: Final = 64 << 20
_MOST_LINE: Final = 8 << 20
_MOST_LINES: Final = 100_000
MOST_DEEDS: Final = 10_000
_MOST_NOTES: Final = 20
_AROUND = ("settled", "failed")


class Info(msgspec.Struct, omit_defaults=True):
    """readings.ReportInfo as data."""

    path: str
    sha256: str = ""
    tool: str = ""
    format: str = ""
    complete: bool = True
    problems: tuple[str, ...] = ()
    launches_missing: int | None = 0


class Reading(msgspec.Struct, omit_defaults=True):
    """Reports that were read together. kept: their launches stand in this file, they are among those that come with
    the program, or neither: then the file does not replay without them.
    """

    paths: tuple[str, ...]
    kept: Literal["embedded", "bundled", "absent"]
    reports: tuple[Info, ...] = ()


class Attached(msgspec.Struct, omit_defaults=True):
    """A small text file that the session rests on: a file of a trace, or one of a team's rules.

    kind: trace or rules; name: the path by which the session calls it (trace), or the one inside the folder (rules);
    text: None where it is too large or no text, and only its digest is kept; folder: which folder of rules, from 0.
    """

    kind: Literal["trace", "rules"]
    name: str
    sha256: str
    text: str | None = None
    folder: int = 0


class Header(msgspec.Struct, omit_defaults=True):
    """The first line. knowledge: digest of our knowledge base; ceilings: measured ones that may have decided, by card;
    cites and tags: of bundled ones, which source they follow and what they show.
    """

    format: str = FORMAT
    tool: str = ""
    title: str = ""
    description: str = ""
    cites: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    knowledge: str = ""
    readings: tuple[Reading, ...] = ()
    ceilings: dict[str, Ceilings] = {}


@dataclass(frozen=True, slots=True)
class Entry:
    """One deed. deed: None where the request of the moment is called off.

    settled: how many outcomes came before the next deed, None where all work was done by then; failed: the message of
    the outcome with this number (from 0), where that is not to be worked out again; concluded: what changed by it.
    """

    verb: str
    deed: d.Deed | None
    settled: int | None = None
    failed: Mapping[int, str] = field(default_factory=dict)
    concluded: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Transcript:
    """A whole file. notes: what was skipped, and why."""

    header: Header
    launches: tuple[Launch, ...] = ()
    attached: tuple[Attached, ...] = ()
    entries: tuple[Entry, ...] = ()
    notes: tuple[str, ...] = ()


# Writing


def line(data: Any) -> str:
    """One object on one line, keys sorted."""
    return json.dumps(data, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(", ", ": "))


def head_lines(transcript: Transcript) -> list[str]:
    """Header and what the session rests on."""
    out = [line(msgspec.to_builtins(transcript.header) | {"format": FORMAT})]
    out += [line({"attached": msgspec.to_builtins(item)}) for item in transcript.attached]
    return out + [line({"launch": msgspec.to_builtins(item)}) for item in transcript.launches]


def entry_lines(entry: Entry) -> list[str]:
    """A deed, and what was concluded where anything changed."""
    data: dict[str, Any] = {"do": CANCEL} if entry.deed is None else encode(entry.deed)
    if entry.settled is not None:
        data["settled"] = entry.settled
    if entry.failed:
        data["failed"] = {str(at): message for at, message in entry.failed.items()}
    return [line(data)] + ([line({"concluded": entry.concluded})] if entry.concluded else [])


def text_of(transcript: Transcript) -> str:
    """The whole file."""
    lines = head_lines(transcript) + [text for entry in transcript.entries for text in entry_lines(entry)]
    return "\n".join(lines) + "\n"


# Reading


def load(path: Path) -> Transcript:
    """The transcript in a file; InputError, one line, for what is none."""
    try:
        if not path.is_file():
            what = "is a folder: name a file in it" if path.is_dir() else "there is no such file"
            raise InputError(f"{path}: {what}")
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"{path}: over {MOST_BYTES >> 20} MiB: no session is that long")
        raw = path.read_bytes()
    except OSError as problem:
        raise InputError(f"{path}: cannot be read: {problem.strerror}") from None
    try:
        return parse(raw)
    except InputError as problem:
        raise InputError(f"{path}: {problem}") from None


def head(path: Path) -> Header:
    """The header alone; InputError, one line, where the file has none."""
    try:
        with path.open("rb") as file:
            return _header(file.readline(_MOST_LINE + 1))
    except OSError as problem:
        raise InputError(f"{path}: cannot be read: {problem.strerror}") from None
    except InputError as problem:
        raise InputError(f"{path}: {problem}") from None


def parse(raw: bytes) -> Transcript:
    """The transcript in the bytes of a file; InputError without the file's name."""
    rows = raw.split(b"\n")
    if len(rows) > _MOST_LINES:
        raise InputError(f"over {_MOST_LINES:,} lines: no session is that long")
    lines = ((number, row) for number, row in enumerate(rows, 1) if row.strip())
    first = next(lines, None)
    if first is None:
        raise InputError("the file is empty: nothing was saved in it")
    return _Parser(_header(first[1])).rest(lines)


def _object(row: bytes, where: str) -> dict[str, Any]:
    if len(row) > _MOST_LINE:
        raise InputError(f"{where}: over {_MOST_LINE >> 20} MiB in one line: not what ncu-advisor wrote")
    try:
        data = msgspec.json.decode(row)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise InputError(f"{where}: not JSON ({str(problem)[:80]})") from None
    if not isinstance(data, dict):
        raise InputError(f"{where}: not a JSON object")
    return data


def _header(row: bytes) -> Header:
    try:
        data = _object(row, "line 1")
    except InputError as problem:
        raise InputError(f"not a session of ncu-advisor: {problem}") from None
    name = data.get("format")
    if not isinstance(name, str) or not name.startswith(_FAMILY):
        raise InputError(f"not a session of ncu-advisor: its first line has no format {FORMAT!r}")
    if name != FORMAT:
        version = name.removeprefix(_FAMILY)[:20]
        raise InputError(f"a session of form {version!r}, this version reads 1: update ncu-advisor")
    made: Header = _convert(data, Header, "line 1")
    return made


def _convert(data: Any, kind: type[Any], where: str) -> Any:
    try:
        return msgspec.convert(data, kind)
    except (msgspec.ValidationError, TypeError, OverflowError, RecursionError) as problem:
        raise InputError(f"{where}: {str(problem)[:120]}") from None


class _Parser:
    """Collects the lines after the header."""

    def __init__(self, header: Header) -> None:
        self.header = header
        self.launches: list[Launch] = []
        self.attached: list[Attached] = []
        self.entries: list[Entry] = []
        self.notes: list[str] = []

    def rest(self, lines: Iterator[tuple[int, bytes]]) -> Transcript:
        """The transcript; InputError names the first line that cannot be used."""
        skipped = False  # a conclusion after a deed that was skipped belongs to it
        for number, row in lines:
            where = f"line {number}"
            data = _object(row, where)
            if "do" in data:
                skipped = not self._deed(data, where)
            elif "concluded" in data:
                if not skipped:
                    self._concluded(data["concluded"], where)
            elif "launch" in data:
                self.launches.append(_convert(data["launch"], Launch, where))
            elif "attached" in data:
                self.attached.append(_convert(data["attached"], Attached, where))
            else:
                self._note(f"{where}: skipped, of a kind that this version does not know")
        return Transcript(
            self.header, tuple(self.launches), tuple(self.attached), tuple(self.entries), tuple(self.notes)
        )

    def _note(self, text: str) -> None:
        if len(self.notes) < _MOST_NOTES:
            self.notes.append(text)

    def _deed(self, data: dict[str, Any], where: str) -> bool:
        if len(self.entries) >= MOST_DEEDS:
            raise InputError(f"over {MOST_DEEDS:,} deeds: no session is that long")
        try:
            deed = decode(data)
        except UnknownVerbError as problem:
            self._note(f"{where}: skipped, this version does not know the deed {str(problem)!r}")
            return False
        except ValueError as problem:
            raise InputError(f"{where}: {problem}") from None
        settled = _convert(data.get("settled"), int | None, where)  # type: ignore[arg-type]
        failed = _convert(data.get("failed", {}), dict[str, str], where)
        if not all(at.isdecimal() and len(at) < 4 for at in failed):
            raise InputError(f"{where}: `failed` names outcomes by their numbers")
        self.entries.append(Entry(str(data["do"]), deed, settled, {int(at): text for at, text in failed.items()}))
        return True

    def _concluded(self, data: Any, where: str) -> None:
        if not isinstance(data, dict) or not self.entries or self.entries[-1].concluded:
            raise InputError(f"{where}: a conclusion that belongs to no deed")
        last = self.entries[-1]
        self.entries[-1] = Entry(last.verb, last.deed, last.settled, last.failed, data)
