"""The words of transcripts: what was done, told to whoever plays it again, and what is wrong with a file.

Deeds as data and back: a stable verb for each, its fields by name. Outcomes are not written, they are worked out.

What an analysis starts from (pipelines.Inputs) as plain data: one record a launch, so that a session replays on a
machine that never had the report.

The form of a transcript: a header, what it carries, and a line for each deed with what was concluded after it.

One JSON object a line, keys sorted, no clock times: made for `git diff`. Whatever stands in a file is data: nothing in
it is executed, and no path in it is opened.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import msgspec

from advisor.hardware.ceilings import Ceilings
from advisor.records.errors import InputError
from advisor.records.escapes import json_text
from advisor.records.magnitudes import all_fit, plausible, shape_of
from advisor.records.readings import IDENTITY, Access, RuleResult
from advisor.records.regular_files import why_special
from advisor.session import events as d

if TYPE_CHECKING:
    import pandas as pd

NOT_AGAIN: Final = "exercises are not run again when a session is replayed"


NOT_CARRIED: Final = "{names}: this session was saved without it, and files that a session names are not opened"


NOT_BUNDLED: Final = "{name}: no such file comes with this version of ncu-advisor"


NO_CODE: Final = "{name}: the session was saved without the code: open the report itself to see its source"


NO_SUCH_REPORT: Final = "the transcript holds a launch of a report that it does not name"


RULES_NOT_CARRIED: Final = "{name}: the session used a team's rules that are too large to be saved with it"


BAD_NAME: Final = "{name!r} is not the name of a file that a session may carry"


TOO_MANY_FILES: Final = "it carries more files than any session needs"


BAD_RULES: Final = "the rules that it carries are refused: {problem}"


NO_ROOM: Final = "no room for what the session carries in the folder for temporary files: {why}"


IGNORED: Final = "this could not be done here: nothing came of it"


# What was done, in words. {…} are fields of the deed.
DONE: Final = {
    "begin": "begins with {paths}",
    "launch": "looks at the launch at place {position}",
    "launches": "goes to the list of launches",
    "finding": "looks at the finding {finding}",
    "fix": "asks for the fix",
    "evidence": "asks for the numbers behind it",
    "missing": "asks what the report lacks",
    "ask": "takes up the question {question}",
    "answer": "answers {question}: {value}",
    "skip": "puts off {question}",
    "napkin": "begins the napkin math",
    "numbers": "goes on with the numbers",
    "conclude": "wants the conclusion",
    "why": "asks why",
    "how": "asks how {finding} was concluded",
    "whynot": "asks why not {finding}",
    "whatif": "asks what if {values}",
    "explain": "asks what {word} means",
    "help": "asks for help",
    "unclear": "types {text}, which is not understood",
    "cancel": "calls the work off",
    "retry": "tries again",
    "steps": "looks at the steps of the method",
    "goto": "goes to the step {step}",
    "expect": "expects the bound {bound}",
    "volunteer": "tells {values}",
    "report": "gives the new report {path}",
    "version": "begins a new version: {change}",
    "log": "looks at the experiment log",
    "trace": "gives the trace {paths}",
    "collect": "asks for the command that collects more",
    "write": "saves the session as {what}",
    "practise": "practises: {action} {exercise}",
    "view": "opens {view}",
    "leave": "leaves the view",
    "source": "wants the source {sought}",
    "suppose": "tries {values}",
    "quit": "ends the session",
}


LAUNCH: Final = "looks at {kernel}"


ONE_OF_LAUNCHES: Final = "looks at {kernel}, the launch at place {position}"


AS_MEASURED: Final = "takes the measured values again"


SOUGHT: Final = {
    "by": "by {value}",
    "search": "with {value}",
    "where": "where {value}",
    "columns": "with columns {value}",
}


SOUGHT_FIRST: Final = "by the measure of the finding"


OPENED: Final = {
    "source": "the source",
    "proof": "the proof",
    "whatif": "what-if",
    "timeline": "the timeline",
    "knowledge": "the knowledge base",
    "practice": "the exercises",
    "steps": "the steps of the method",
    "log": "the experiment log",
}


OPENED_AT: Final = "{view}: {subject}"


DONT_KNOW: Final = "don't know"


NOTHING: Final = "nothing"


AT_HAND: Final = "this"


NO_REPORT: Final = "no report"


# What `replay` says.
STEP: Final = "step {number}, {what}"


SAME: Final = "{name}: all {count} conclusions as saved"


DIFFERS: Final = "{name}: {count} of {steps} steps conclude something else"


EXPECTED: Final = "expected"


CAME: Final = "came"


ABSENT: Final = "nothing"


ACCEPTED: Final = "{name}: rewritten"


UNCHANGED: Final = "{name}: already so, not rewritten"


NONE_FOUND: Final = "no transcript (*.jsonl) in {folder}"


NOTHING_KEPT: Final = "no session is kept yet: they are saved while you work, or with /save in a session"


ONE_OF: Final = "--check only looks and --accept rewrites: give one of them"


WHICH_FILE: Final = "name the sessions to check: files, or folders of them"


RECORD_ALONE: Final = "--record makes a session of a script: give neither sessions nor --check, --accept or --export"


EXPORT_ALONE: Final = "--export writes one session: name one file, and give neither --check nor --accept with it"


OVER_ITSELF: Final = "{name}: is the session itself: name another file"


OUT_WITH_RECORD: Final = "--out belongs to --record SCRIPT.yaml and to --export"


ONE_AT_A_TIME: Final = "one session at a time can be played: name one file, or give --check"


MORE_NOTES: Final = "{count} more lines are skipped"


WOULD_LOSE: Final = "{name}: not rewritten: it holds lines that this version does not know: update ncu-advisor"


CANNOT_BE_DONE: Final = "{name}: not rewritten: step {number} cannot be done any more: record the session anew"


MANY_MORE: Final = "… and {count} more"


MORE_STEPS: Final = "… and {count} later steps"


# Sessions that were kept.
TYPED: Final = "numbers typed by hand"


AND_OTHERS: Final = "{name} and {count} more"


NOW: Final = "just now"


YESTERDAY: Final = "yesterday"


AGO: Final = "{time} ago"


BROKEN_OFF: Final = "broken off"


OPEN_NOW: Final = "open now"


KEPT_TITLE: Final = "Sessions kept by themselves, the latest first (ncu-advisor replay ID):"


BUNDLED_TITLE: Final = "Sessions that come with the program (ncu-advisor replay NAME):"


# What /save and the saving by itself say.
WRITTEN: Final = "Saved"


WRITTEN_AGAIN: Final = "Saved again, in the same file"


FILE: Final = "File"


REPLAY_IT: Final = "ncu-advisor replay {path} plays it again, with --check it tells whether all is still concluded so"


BAD_PLACE: Final = "{path}: cannot be a file: {why}"


NO_SESSION_THERE: Final = "{path}: holds something that is no session: name another file"


OTHER_SESSION_THERE: Final = "{path}: holds another session: name another file, or remove it first"


NAME_IT: Final = "this folder is full of numbered sessions: give the file a name of its own (/save NAME)"


NOT_KEPT: Final = "This session cannot be saved by itself, and goes on all the same: {why}"


TAKEN: Final = "this session is open in another terminal"


CHANGED_SINCE: Final = "{name}: has changed since, and so may what is concluded"


CANCEL: Final = "cancel"


VERBS: Final[Mapping[str, type[d.Deed]]] = {
    "begin": d.Began,
    "launch": d.LaunchSelected,
    "launches": d.LaunchesShown,
    "finding": d.FindingShown,
    "fix": d.FixShown,
    "evidence": d.EvidenceShown,
    "missing": d.MissingShown,
    "ask": d.Asked,
    "answer": d.Answered,
    "skip": d.Skipped,
    "napkin": d.NapkinBegun,
    "numbers": d.NumbersContinued,
    "conclude": d.ConclusionShown,
    "why": d.WhyAsked,
    "how": d.HowAsked,
    "whynot": d.WhyNotAsked,
    "whatif": d.WhatIfAsked,
    "explain": d.ExplainAsked,
    "help": d.HelpAsked,
    "unclear": d.NotUnderstood,
    CANCEL: d.Cancelled,
    "retry": d.Retried,
    "steps": d.StepsShown,
    "goto": d.StepShown,
    "expect": d.Expected,
    "volunteer": d.Volunteered,
    "report": d.ReportGiven,
    "version": d.VersionBegun,
    "log": d.LogShown,
    "trace": d.TraceGiven,
    "collect": d.CollectShown,
    "write": d.WriteAsked,
    "practise": d.Practised,
    "view": d.ViewShown,
    "leave": d.ViewLeft,
    "source": d.SourceSought,
    "suppose": d.Supposed,
    "quit": d.Quit,
}


_VERB_OF: Final = {kind: verb for verb, kind in VERBS.items()}


DEEDS: Final[tuple[type, ...]] = get_args(d.Deed)


class UnknownVerbError(Exception):
    """A verb that this version does not know."""


def verb_of(deed: d.Deed) -> str:
    """The verb of a deed; a kind that the table lacks goes by its class's name in small letters."""
    return _VERB_OF.get(type(deed), type(deed).__name__.casefold())


def encode(deed: d.Deed) -> dict[str, Any]:
    """The deed as plain JSON data, fields at their default left out. A value that is no finite number becomes null."""
    out: dict[str, Any] = {"do": verb_of(deed)}
    if isinstance(deed, d.Cancelled):
        return out  # what is called off is always the first of what is waited for
    for one in fields(deed):
        value = getattr(deed, one.name)
        if one.default is MISSING or value != one.default:
            out[one.name] = _plain(value)
    return out


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def decode(data: Mapping[str, Any]) -> d.Deed | None:
    """The deed of such data; None for `cancel`, whose request only the state knows.

    UnknownVerbError for a verb that this version lacks, ValueError with a few words where the fields do not fit.
    """
    verb = data.get("do")
    kind = VERBS.get(verb) if isinstance(verb, str) else None
    if kind is None:
        kind = next((k for k in DEEDS if k not in _VERB_OF and k.__name__.casefold() == verb), None)
    if kind is None:
        raise UnknownVerbError(str(verb)[:40])
    if kind is d.Cancelled:
        return None
    names = {one.name for one in fields(kind)}
    try:
        made: d.Deed = msgspec.convert({k: v for k, v in data.items() if k in names}, kind)
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
    return json_text(data, sort_keys=True)


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
