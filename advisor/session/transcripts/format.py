"""The form of a transcript: a header, what it carries, and a line for each event with what was concluded after it.

One JSON object a line, keys sorted, no clock times, no names of user or machine: made for `git diff`. Everything in a
file is data: nothing in it is executed, and no path in it is opened.
"""

from __future__ import annotations

import contextlib
import getpass
import math
import re
import socket
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from advisor.hardware.ceilings import Ceilings
from advisor.records import resources
from advisor.records.errors import AdvisorError, InputError
from advisor.records.escapes import json_text
from advisor.records.magnitudes import all_fit, plausible, shape_of
from advisor.records.readings import IDENTITY, Access, RuleResult
from advisor.records.regular_files import why_special
from advisor.session.actions import BY_EVENT
from advisor.session.requests import UserEvent

if TYPE_CHECKING:
    import pandas as pd

BUNDLED = "kernels:"
_USER, _HOST = "<user>", "<host>"
_SHORTEST = 3  # a name of one or two letters is part of too many words
# Names that many machines share identify nobody, and occur in many texts.
_COMMON = frozenset({"root", "user", "admin", "localhost", "ubuntu", "home"})


class Scrubber:
    """Takes home folders, user and host names out of texts; the same text always gives the same."""

    def __init__(self, home: Path | None = None, users: Iterable[str] = (), hosts: Iterable[str] = ()) -> None:
        self._home = home
        self._patterns: list[tuple[re.Pattern[str], str]] = []
        for names, mask in ((users, _USER), (hosts, _HOST)):
            known = {n for n in names if len(n) >= _SHORTEST and n.casefold() not in _COMMON}
            for name in sorted(known, key=lambda n: (-len(n), n)):
                self._patterns.append((re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])"), mask))
        if home is not None and len(home.parts) > 1:
            for shape in dict.fromkeys((str(home), home.as_posix())):
                self._patterns.insert(0, (re.compile(rf"(?<![\w.-]){re.escape(shape)}(?![\w.-])"), "~"))

    def text(self, text: str) -> str:
        """The text without them."""
        for pattern, to in self._patterns:
            text = pattern.sub(to, text)
        return text

    def data(self, data: Any) -> Any:
        """The same of every string in JSON data, keys included."""
        if isinstance(data, str):
            return self.text(data)
        if isinstance(data, dict):
            return {self.text(k) if isinstance(k, str) else k: self.data(v) for k, v in data.items()}
        return [self.data(item) for item in data] if isinstance(data, list | tuple) else data

    def path(self, path: str) -> str:
        """The name of a file in a transcript: `kernels:…` of one that comes with the program, else without the home."""
        inside = bundled_name(path)
        return inside or self.text(PurePath(path).as_posix() if path else path)


def bundled_name(path: str) -> str:
    """`kernels:…` for a file that comes with the program, empty for any other."""
    if not path:
        return ""
    if path.startswith(BUNDLED):
        return path
    try:
        return BUNDLED + Path(path).resolve().relative_to(resources.folder("kernels").resolve()).as_posix()
    except (ValueError, OSError, AdvisorError, RuntimeError):
        return ""


def bundled_path(name: str) -> Path | None:
    """The file behind `kernels:…`; None for what leads out of that folder, or is not there."""
    if not name.startswith(BUNDLED):
        return None
    base = resources.folder("kernels").resolve()
    try:
        path = (base / name.removeprefix(BUNDLED)).resolve()
        return path if path.is_relative_to(base) and path.is_file() else None
    except (OSError, ValueError):
        return None


def of_this_machine() -> Scrubber:
    """The scrubber for this user and machine."""
    users, hosts = [], []
    with contextlib.suppress(OSError, KeyError, ImportError):
        users.append(getpass.getuser())
    try:
        home: Path | None = Path.home()
        users.append(home.name if home is not None else "")
    except RuntimeError:
        home = None
    try:
        host = socket.gethostname()
        hosts += [host, host.partition(".")[0]]
    except OSError:
        pass
    return Scrubber(home, users, hosts)


NOT_CARRIED: Final = "{names}: this session was saved without it, and files that a session names are not opened"
BAD_NAME: Final = "{name!r} is not the name of a file that a session may carry"
IGNORED: Final = "this could not be done here: nothing came of it"
# What `replay` says.
STEP: Final = "step {number}, {what}"
EXPECTED: Final = "expected"
CAME: Final = "came"
EXPORT_ALONE: Final = "--export writes one session: name one file, and give neither --check nor --accept with it"


# Sessions that were kept.


AGO: Final = "{time} ago"
BROKEN_OFF: Final = "broken off"
OPEN_NOW: Final = "open now"


# What /save and the saving by itself say.


class UnknownVerbError(Exception):
    """A verb that this version does not know."""


_VERBS: Final = {str(event.__struct_config__.tag): event for event in BY_EVENT}


def encode(event: UserEvent) -> dict[str, Any]:
    """The event as plain JSON data, fields at their default left out. A value that is no finite number becomes null."""
    data: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(event))
    return data


def decode(data: Mapping[str, Any]) -> UserEvent:
    """The event of such data; unknown fields are ignored.

    UnknownVerbError for a verb that this version lacks, ValueError with a few words where the fields do not fit.
    """
    kind = _VERBS.get(verb) if isinstance(verb := data.get("do"), str) else None
    if kind is None:
        raise UnknownVerbError(str(verb)[:40])
    try:
        made: UserEvent = msgspec.convert(data, kind)
    except (msgspec.ValidationError, TypeError, OverflowError, RecursionError) as problem:
        raise ValueError(str(problem)[:120]) from None
    return made


Shape = tuple[int, int, int] | None


Number = float | None


# space, kind, width, executed, lanes, sectors, ideal, wavefronts, ideal: null where the report lacks it
AccessRow = tuple[str, str, int, Number, Number, Number, Number, Number, Number]
_NAME_CHARS = 10_000


class Launch(msgspec.Struct, omit_defaults=True):
    """One launch of the reading whose number is `reading`: IDENTITY of the frame, and the metrics that are known."""

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
    rules: tuple[tuple[str, str, str, Number, Number], ...] = ()


def launches_of(frame: pd.DataFrame, reading: int) -> list[Launch]:
    """The rows of a frame; values that are no finite numbers are left out."""
    columns = [name for name in frame.columns if name not in IDENTITY]
    table = frame[columns].to_numpy(dtype=float)
    out = []
    for at, (_, row) in enumerate(frame[[n for n in IDENTITY if n in frame]].iterrows()):
        known = {n: v for n, v in zip(columns, table[at].tolist(), strict=True) if math.isfinite(v)}
        opcodes, accesses, rules = (row.get(name) for name in ("opcodes", "accesses", "rules"))
        out.append(
            Launch(
                reading=reading,
                report=int(row["report"]),
                index=int(row["index"]),
                kernel=str(row["kernel"]),
                kernel_full=str(row["kernel_full"]),
                gpu_name=str(row["gpu_name"] or ""),
                cc=str(row["cc"] or ""),
                grid=_shape(row["grid"]),
                block=_shape(row["block"]),
                metrics=known,
                opcodes={str(k): float(v) for k, v in opcodes.items()} if isinstance(opcodes, dict) else None,
                accesses=tuple(map(_access_row, accesses)) if isinstance(accesses, tuple) else None,
                rules=tuple(map(_rule_row, rules)) if isinstance(rules, tuple) else (),
            )
        )
    return out


def _shape(value: Any) -> Shape:
    return (int(value[0]), int(value[1]), int(value[2])) if isinstance(value, tuple) else None


def _finite(value: float | None) -> Number:
    return float(value) if value is not None and math.isfinite(value) else None


def _access_row(item: Access) -> AccessRow:
    numbers = (item.executed, item.lanes, item.sectors, item.sectors_ideal, item.wavefronts, item.wavefronts_ideal)
    a, b, c, d, e, f = map(_finite, numbers)
    return item.space, item.kind, item.width, a, b, c, d, e, f


def _rule_row(item: RuleResult) -> tuple[str, str, str, Number, Number]:
    return item.id, item.title, item.message, _finite(item.speedup), _finite(item.local_pct)


def frame_of(launches: Sequence[Launch], metrics: Iterable[str]) -> pd.DataFrame:
    """The frame of the launches of one reading; of their values those of `metrics`, which are all that is known.

    InputError when there is no launch.
    """
    import pandas as pd

    from advisor.readers.frame import clean

    if not launches:
        raise InputError("the transcript holds no launch of this report")
    identity = [
        {
            "report": launch.report,
            "index": launch.index,
            "kernel": clean(launch.kernel, _NAME_CHARS)[0],
            "kernel_full": clean(launch.kernel_full, _NAME_CHARS)[0],
            "grid": None if launch.grid is None else shape_of(launch.grid),
            "block": None if launch.block is None else shape_of(launch.block),
            "gpu_name": clean(launch.gpu_name, _NAME_CHARS)[0],
            "cc": launch.cc,
            "opcodes": launch.opcodes,
            "accesses": None if launch.accesses is None else tuple(map(_access, launch.accesses)),
            "rules": tuple(RuleResult(*row) for row in launch.rules),
        }
        for launch in launches
    ]
    used = {name for launch in launches for name in launch.metrics}
    values = {n: [plausible(launch.metrics.get(n, math.nan)) for launch in launches] for n in metrics if n in used}
    return pd.concat([pd.DataFrame(identity), pd.DataFrame(values, dtype=float)], axis=1)


def _access(row: AccessRow) -> Access:
    space, kind, width, *numbers = row
    a, b, c, d, e, f = (math.nan if n is None else n for n in numbers)
    return Access(space, kind, width, a, b, c, d, e, f)


FORMAT: Final = "ncu-advisor/transcript/1"
MOST_BYTES: Final = 64 << 20
_MOST_LINE: Final = 8 << 20
_MOST_LINES: Final = 100_000
MOST_EVENTS: Final = 10_000
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
    """One user event.

    settled: how many outcomes came before the next event, None where all work was done by then; failed: the message of
    the outcome with this number (from 0), where that is not to be worked out again; concluded: what changed by it.
    """

    event: UserEvent
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
    return json_text(data, sort_keys=True)


def head_lines(transcript: Transcript) -> list[str]:
    """Header and what the session rests on."""
    out = [line(msgspec.to_builtins(transcript.header) | {"format": FORMAT})]
    out += [line({"attached": msgspec.to_builtins(item)}) for item in transcript.attached]
    return out + [line({"launch": msgspec.to_builtins(item)}) for item in transcript.launches]


def entry_lines(entry: Entry) -> list[str]:
    """An event, and what was concluded where anything changed."""
    data = encode(entry.event)
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
            if path.exists() and not path.is_dir():
                what = why_special(path)
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
        if why := why_special(path):
            raise InputError(why)
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
    if not all_fit(data):
        raise InputError(f"{where}: an integer of more than 64 bits: not what ncu-advisor wrote")
    return data


def _header(row: bytes) -> Header:
    try:
        data = _object(row, "line 1")
    except InputError as problem:
        raise InputError(f"not a session of ncu-advisor: {problem}") from None
    name = data.get("format")
    if not isinstance(name, str) or not name.startswith("ncu-advisor/transcript/"):
        raise InputError(f"not a session of ncu-advisor: its first line has no format {FORMAT!r}")
    if name != FORMAT:
        version = name.removeprefix("ncu-advisor/transcript/")[:20]
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
        skipped = False  # a conclusion after an event that was skipped belongs to it
        for number, row in lines:
            where = f"line {number}"
            data = _object(row, where)
            if "do" in data:
                skipped = not self._event(data, where)
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

    def _event(self, data: dict[str, Any], where: str) -> bool:
        if len(self.entries) >= MOST_EVENTS:
            raise InputError(f"over {MOST_EVENTS:,} actions: no session is that long")
        try:
            event = decode(data)
        except UnknownVerbError as problem:
            self._note(f"{where}: skipped, this version does not know the action {str(problem)!r}")
            return False
        except ValueError as problem:
            raise InputError(f"{where}: {problem}") from None
        settled = _convert(data.get("settled"), int | None, where)  # type: ignore[arg-type]
        failed = _convert(data.get("failed", {}), dict[str, str], where)
        if not all(at.isdecimal() and len(at) < 4 for at in failed):
            raise InputError(f"{where}: `failed` names outcomes by their numbers")
        self.entries.append(Entry(event, settled, {int(at): text for at, text in failed.items()}))
        return True

    def _concluded(self, data: Any, where: str) -> None:
        if not isinstance(data, dict) or not self.entries or self.entries[-1].concluded:
            raise InputError(f"{where}: a conclusion that belongs to no action")
        last = self.entries[-1]
        self.entries[-1] = Entry(last.event, last.settled, last.failed, data)
