"""The transcript file: a header, attached inputs, then a line for each user event and for what it changed.

One JSON object per line, keys sorted, no clock times, no user or host names: suited to `git diff`. A transcript is
data: nothing in it is executed, and no path in it is opened.
"""

from __future__ import annotations

import contextlib
import getpass
import re
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import replace

from advisor.hardware.ceilings import Ceilings
from advisor.records import resources
from advisor.records.errors import AdvisorError, InputError
from advisor.records.escapes import json_text
from advisor.records.magnitudes import all_fit
from advisor.records.regular_files import why_special
from advisor.records.sampling import Sampling
from advisor.session.actions import BY_EVENT
from advisor.session.requests import UserEvent

T = TypeVar("T")
FORMAT: Final = "ncu-advisor/transcript/1"
BUNDLED: Final = "kernels:"  # prefix of the path of a file that comes with the program
MOST_BYTES: Final = 64 << 20
MOST_EVENTS: Final = 10_000
_MOST_LINE: Final = 8 << 20
_MOST_LINES: Final = 100_000
_MOST_NOTES: Final = 20
_SHORTEST: Final = 3  # minimum letters of a name: a name of one or two letters is part of too many words
# Names that many machines share identify nobody and occur in many texts.
_COMMON: Final = frozenset({"root", "user", "admin", "localhost", "ubuntu", "home"})
Shape = tuple[int, int, int] | None
Number = float | None
# space, kind, width, executed, lanes, sectors, ideal, wavefronts, ideal: null if the report lacks it
AccessRow = tuple[str, str, int, Number, Number, Number, Number, Number, Number]
# the same of code: space, kind, width, sure, executed, lanes, pieces, ideal, passes
CodeAccessRow = tuple[str, str, int, bool, Number, Number, Number, Number, Number]
RuleRow = tuple[str, str, str, Number, Number]  # fields of RuleResult


class Scrubber:
    """Removes home folders, user and host names from texts; equal texts always give equal results."""

    def __init__(self, home: Path | None = None, users: Iterable[str] = (), hosts: Iterable[str] = ()) -> None:
        self._patterns: list[tuple[re.Pattern[str], str]] = []
        if home is not None and len(home.parts) > 1:
            for shape in dict.fromkeys((home.as_posix(), str(home))):
                self._patterns.append((re.compile(rf"(?<![\w.-]){re.escape(shape)}(?![\w.-])"), "~"))
        for names, mask in ((users, "<user>"), (hosts, "<host>")):
            known = {n for n in names if len(n) >= _SHORTEST and n.casefold() not in _COMMON}
            for name in sorted(known, key=lambda n: (-len(n), n)):
                self._patterns.append((re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])"), mask))

    def text(self, text: str) -> str:
        """Return the text without home folders, user and host names."""
        for pattern, to in self._patterns:
            text = pattern.sub(to, text)
        return text

    def data(self, data: Any) -> Any:
        """Return JSON data with every string scrubbed, keys included."""
        if isinstance(data, str):
            return self.text(data)
        if isinstance(data, dict):
            return {self.text(k) if isinstance(k, str) else k: self.data(v) for k, v in data.items()}
        return [self.data(item) for item in data] if isinstance(data, list | tuple) else data

    def path(self, path: str) -> str:
        """Return a file's name in a transcript: `kernels:…` for a bundled one, else the path without the home."""
        return bundled_name(path) or self.text(PurePath(path).as_posix() if path else path)


def of_this_machine() -> Scrubber:
    """Return the scrubber for this user and machine."""
    home, users, hosts = None, [], []
    with contextlib.suppress(OSError, KeyError, ImportError):
        users.append(getpass.getuser())
    with contextlib.suppress(RuntimeError):
        home = Path.home()
        users.append(home.name)
    with contextlib.suppress(OSError):
        host = socket.gethostname()
        hosts += [host, host.partition(".")[0]]
    return Scrubber(home, users, hosts)


def bundled_name(path: str) -> str:
    """Return `kernels:…` for a file that comes with the program, empty for any other file."""
    if not path or path.startswith(BUNDLED):
        return path
    try:
        return BUNDLED + Path(path).resolve().relative_to(resources.folder("kernels").resolve()).as_posix()
    except (ValueError, OSError, AdvisorError, RuntimeError):
        return ""


def bundled_path(name: str) -> Path | None:
    """Return the file for `kernels:…`; None if it leads out of that folder or does not exist."""
    if not name.startswith(BUNDLED):
        return None
    base = resources.folder("kernels").resolve()
    try:
        path = (base / name.removeprefix(BUNDLED)).resolve()
        return path if path.is_relative_to(base) and path.is_file() else None
    except (OSError, ValueError):
        return None


class UnknownVerbError(Exception):
    """Raised if this version does not know the verb."""


_VERBS: Final = {str(event.__struct_config__.tag): event for event in BY_EVENT}


def encode(event: UserEvent) -> dict[str, Any]:
    """Return the event as plain JSON data without fields at their default; a number that is not finite is null."""
    data: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(event))
    return data


def decode(data: Mapping[str, Any]) -> UserEvent:
    """Return the event of such data; unknown fields are ignored.

    Raises UnknownVerbError for a verb that this version lacks, ValueError with one short line if the fields do not fit.
    """
    kind = _VERBS.get(verb) if isinstance(verb := data.get("do"), str) else None
    if kind is None:
        raise UnknownVerbError(str(verb)[:40])
    try:
        made: UserEvent = msgspec.convert(data, kind)
    except (msgspec.ValidationError, TypeError, OverflowError, RecursionError) as problem:
        raise ValueError(str(problem)[:120]) from None
    return made


def with_paths(event: UserEvent, change: Callable[[str], str]) -> UserEvent:
    """Return the event with each of its paths changed."""
    fields = {name: getattr(event, name) for name in event.__struct_fields__ if name in ("path", "paths", "traces")}
    changed = {n: change(v) if isinstance(v, str) else tuple(map(change, v)) for n, v in fields.items()}
    return msgspec.structs.replace(event, **changed) if changed else event


class CodeRow(msgspec.Struct, omit_defaults=True):
    """The fields of readings.CodeCounts."""

    opcodes: dict[str, float] = {}
    accesses: tuple[CodeAccessRow, ...] = ()
    spills: float = 0.0
    indexed: float = 0.0
    data_branches: float | None = None
    own_cycles: float | None = None
    loaded: dict[str, float] = {}
    grid_reads: float = 0.0
    functions: dict[str, float] = {}


class Launch(msgspec.Struct, omit_defaults=True):
    """One launch of the reading with the number `reading`: IDENTITY of the frame, and the known metrics."""

    reading: int
    report: int
    index: int
    kernel: str
    kernel_full: str
    gpu_name: str = ""
    cc: str = ""
    grid: Shape = None
    block: Shape = None
    metrics: dict[str, float] = {}
    opcodes: dict[str, float] | None = None
    accesses: tuple[AccessRow, ...] | None = None
    code: CodeRow | None = None
    rules: tuple[RuleRow, ...] = ()
    sampling: Sampling | None = None


class Info(msgspec.Struct, omit_defaults=True):
    """The fields of readings.ReportInfo."""

    path: str
    sha256: str = ""
    tool: str = ""
    format: str = ""
    complete: bool = True
    problems: tuple[str, ...] = ()
    launches_missing: int | None = 0


class Reading(msgspec.Struct, omit_defaults=True):
    """Reports that were read together. kept: their launches are in this file (embedded), come with the program
    (bundled), or neither (absent); the file does not replay without absent reports.
    """

    paths: tuple[str, ...]
    kept: Literal["embedded", "bundled", "absent"]
    reports: tuple[Info, ...] = ()


class Attached(msgspec.Struct, omit_defaults=True):
    """A small text file that the session depends on: a file of a trace, or one of a team's rules.

    name: the path that the session uses (trace), or the path inside the folder (rules); text: None if the file is too
    large or not text, and only its digest is kept; folder: index of the folder of rules, from 0.
    """

    kind: Literal["trace", "rules"]
    name: str
    sha256: str
    text: str | None = None
    folder: int = 0


class Header(msgspec.Struct, omit_defaults=True):
    """The first line. knowledge: digest of our knowledge base; ceilings: measured ones by GPU, used by conclusions;
    cites and tags: for bundled sessions, their source and their subjects.
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


class _Around(msgspec.Struct):
    """The fields of an event's line that do not belong to the event itself."""

    settled: int | None = None
    failed: dict[str, str] = {}


class Entry(Struct, frozen=True):
    """One user event.

    settled: how many outcomes came before the next event, None if all work was done by then; failed: outcome number
    (from 0) to the message of a failure that is repeated without new work; concluded: changes made by the event.
    """

    event: UserEvent
    settled: int | None = None
    failed: Mapping[int, str] = field(default_factory=dict)
    concluded: Mapping[str, Any] = field(default_factory=dict)


class Transcript(Struct, frozen=True):
    """A whole file. notes: the lines that were skipped, with reasons."""

    header: Header
    launches: tuple[Launch, ...] = ()
    attached: tuple[Attached, ...] = ()
    entries: tuple[Entry, ...] = ()
    notes: tuple[str, ...] = ()


class ActionLine(msgspec.Struct, kw_only=True):
    """An action of the user: its verb and its own fields, in addition to these.

    settled: how many outcomes came before the next action, absent if all work was done by then; failed: the message of
    each outcome that failed, by its number from 0.
    """

    do: str
    settled: Annotated[int, msgspec.Meta(ge=0)] | None = None
    failed: dict[Annotated[str, msgspec.Meta(pattern="^[0-9]{1,3}$")], str] = {}


class ConcludedLaunch(msgspec.Struct, omit_defaults=True, rename={"class_id": "class"}):
    """One launch in the list of launches."""

    kernel: str
    class_id: str
    first: str = ""


class ConcludedVersion(msgspec.Struct, omit_defaults=True, rename={"class_id": "class"}):
    """A version of the code in the experiment log."""

    version: str
    class_id: str = ""
    finding: str = ""
    ratio: float | None = None


class ConcludedGain(msgspec.Struct, omit_defaults=True):
    """The estimate of a finding."""

    estimate: Number
    low: Number
    high: Number
    next_limiter: str | UnsetType = UNSET


class ConcludedFinding(msgspec.Struct, omit_defaults=True):
    """A finding of the current launch. evidence: values and margins by observation and metric."""

    id: str
    kind: Literal["diagnosis", "trust", "note"]
    confidence: float
    rules: tuple[str, ...]
    speedup: ConcludedGain | None = None
    evidence: dict[str, dict[str, Number]] | UnsetType = UNSET


class Concluded(msgspec.Struct, rename={"class_id": "class"}):
    """The parts of the conclusion that an action changed; null for a part that was removed."""

    place: str | UnsetType | None = UNSET
    position: int | UnsetType | None = UNSET
    class_id: str | UnsetType | None = UNSET
    finding: str | UnsetType | None = UNSET
    asks: str | UnsetType | None = UNSET
    step: str | UnsetType | None = UNSET
    view: str | UnsetType | None = UNSET
    stalled: str | UnsetType | None = UNSET
    missing: tuple[str, ...] | UnsetType | None = UNSET
    questions: tuple[str, ...] | UnsetType | None = UNSET
    cards: tuple[str, ...] | UnsetType = UNSET
    expected: tuple[Any, ...] | UnsetType | None = UNSET
    told: tuple[dict[str, Any], ...] | UnsetType = UNSET
    launches: tuple[ConcludedLaunch, ...] | UnsetType | None = UNSET
    experiments: tuple[ConcludedVersion, ...] | UnsetType | None = UNSET
    findings: tuple[ConcludedFinding, ...] | UnsetType | None = UNSET


# Writing
def line(data: Any) -> str:
    """Return an object as one line, keys sorted."""
    return json_text(data, sort_keys=True)


def head_lines(transcript: Transcript) -> list[str]:
    """Return the lines of the header and of the attached inputs."""
    out = [line(msgspec.to_builtins(transcript.header) | {"format": FORMAT})]
    out += [line({"attached": msgspec.to_builtins(item)}) for item in transcript.attached]
    return out + [line({"launch": msgspec.to_builtins(item)}) for item in transcript.launches]


def entry_lines(entry: Entry) -> list[str]:
    """Return the line of an event, and the line of its conclusion if anything changed."""
    data = encode(entry.event)
    if entry.settled is not None:
        data["settled"] = entry.settled
    if entry.failed:
        data["failed"] = {str(at): message for at, message in entry.failed.items()}
    return [line(data)] + ([line({"concluded": entry.concluded})] if entry.concluded else [])


def text_of(transcript: Transcript) -> str:
    """Return the whole file."""
    lines = head_lines(transcript) + [text for entry in transcript.entries for text in entry_lines(entry)]
    return "\n".join(lines) + "\n"


# Reading
def load(path: Path) -> Transcript:
    """Read a transcript. Raises InputError with one line for a file that is not a transcript."""
    with _named(path):
        if path.is_dir():
            raise InputError("is a folder: name a file in it")
        if not path.exists():
            raise InputError("there is no such file")
        if why := why_special(path):
            raise InputError(why)
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"over {MOST_BYTES >> 20} MiB: too large for a session")
        return parse(path.read_bytes())


def head(path: Path) -> Header:
    """Read only the header. Raises InputError with one line if the file has none."""
    with _named(path):
        if why := why_special(path):
            raise InputError(why)
        with path.open("rb") as file:
            return _header(file.readline(_MOST_LINE + 1))


@contextlib.contextmanager
def _named(path: Path) -> Iterator[None]:
    """Prefix the message of an InputError with the path."""
    try:
        yield
    except OSError as problem:
        raise InputError(f"{path}: cannot be read: {problem.strerror}") from None
    except InputError as problem:
        raise InputError(f"{path}: {problem}") from None


def parse(raw: bytes) -> Transcript:
    """Read the bytes of a transcript. Raises InputError with the first unusable line, without the file's name."""
    rows = raw.split(b"\n")
    if len(rows) > _MOST_LINES:
        raise InputError(f"over {_MOST_LINES:,} lines: too large for a session")
    lines = ((f"line {number}", row) for number, row in enumerate(rows, 1) if row.strip())
    _, first = next(lines, ("", b""))
    if not first:
        raise InputError("the file is empty: nothing was saved in it")
    header = _header(first)
    launches: list[Launch] = []
    attached: list[Attached] = []
    entries: list[Entry] = []
    notes: list[str] = []
    skipped = False  # a conclusion after a skipped event belongs to that event
    for where, row in lines:
        data = _object(row, where)
        if "do" in data:
            if len(entries) >= MOST_EVENTS:
                raise InputError(f"over {MOST_EVENTS:,} actions: too large for a session")
            try:
                entries.append(_entry(data, where))
                skipped = False
            except UnknownVerbError as problem:
                skipped = True
                notes.append(f"{where}: skipped, this version does not know the action {str(problem)!r}")
        elif "concluded" in data:
            if skipped:
                continue
            if not isinstance(data["concluded"], dict) or not entries or entries[-1].concluded:
                raise InputError(f"{where}: a conclusion without an action")
            entries[-1] = replace(entries[-1], concluded=data["concluded"])
        elif "launch" in data:
            launches.append(_convert(data["launch"], Launch, where))
        elif "attached" in data:
            attached.append(_convert(data["attached"], Attached, where))
        else:
            notes.append(f"{where}: skipped, of a kind unknown to this version")
    return Transcript(header, tuple(launches), tuple(attached), tuple(entries), tuple(notes[:_MOST_NOTES]))


def _object(row: bytes, where: str) -> dict[str, Any]:
    if len(row) > _MOST_LINE:
        raise InputError(f"{where}: over {_MOST_LINE >> 20} MiB in one line: ncu-advisor does not write such lines")
    try:
        data = msgspec.json.decode(row)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise InputError(f"{where}: not JSON ({str(problem)[:80]})") from None
    if not isinstance(data, dict):
        raise InputError(f"{where}: not a JSON object")
    if not all_fit(data):
        raise InputError(f"{where}: an integer of more than 64 bits: ncu-advisor does not write such numbers")
    return data


def _header(row: bytes) -> Header:
    try:
        data = _object(row, "line 1")
    except InputError as problem:
        raise InputError(f"not a session of ncu-advisor: {problem}") from None
    name = data.get("format")
    family = FORMAT.removesuffix("1")
    if not isinstance(name, str) or not name.startswith(family):
        raise InputError(f"not a session of ncu-advisor: its first line has no format {FORMAT!r}")
    if name != FORMAT:
        raise InputError(
            f"a session of format {name.removeprefix(family)[:20]!r}, this version reads 1: update ncu-advisor"
        )
    return _convert(data, Header, "line 1")


def _convert(data: Any, kind: type[T], where: str) -> T:
    try:
        return msgspec.convert(data, kind)
    except (msgspec.ValidationError, TypeError, OverflowError, RecursionError) as problem:
        raise InputError(f"{where}: {str(problem)[:120]}") from None


def _entry(data: dict[str, Any], where: str) -> Entry:
    try:
        event = decode(data)
    except ValueError as problem:
        raise InputError(f"{where}: {problem}") from None
    around = _convert(data, _Around, where)
    if not all(at.isdecimal() and len(at) < 4 for at in around.failed):
        raise InputError(f"{where}: `failed` must map outcome numbers to messages")
    return Entry(event, around.settled, {int(at): text for at, text in around.failed.items()})
