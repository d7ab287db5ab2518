"""The sandbox for replays: sources that return a transcript's contents and never write, run or open anything else."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Final

from msgspec import structs
from msgspec.structs import replace

from advisor.compare.side import Side
from advisor.hardware import ceilings
from advisor.hardware.ceilings import CeilingsByGpu
from advisor.knowledge.base import catalog
from advisor.records.errors import AdvisorError, InputError, KnowledgeError, UsageError
from advisor.records.readings import Progress, ReportInfo
from advisor.records.scratch import ScratchFolder
from advisor.session import events as e
from advisor.session.executor import Executor, Judged, Sources, sources
from advisor.session.state import State
from advisor.session.transcripts.attachments import Memory
from advisor.session.transcripts.format import BUNDLED, Attached, Transcript, bundled_path

_SAFE: Final = re.compile(r"[\w-][\w. -]{0,99}")
_MOST_FILES: Final = 2_000
_DIGITS: Final = 9  # maximum digits of a launch's number
_READ_ONLY: Final = ("list", "open")  # actions on exercises that change nothing


def harmless(live: Sources) -> Sources:
    """Return sources that write, compile and run nothing, and do not change a learner's progress."""

    def practise(request: e.Practise, progress: Progress) -> Any:
        if request.action not in _READ_ONLY:
            raise UsageError("exercises are not run again when a session is replayed")
        return live.practise(request, progress)

    return replace(live, write=lambda request, state: request.path, practise=practise)


class Carried:
    """The contents of a transcript, as sources.

    Its rules and traces are written to a temporary folder, which is deleted with this object. Raises InputError if the
    rules cannot be used.
    """

    def __init__(self, transcript: Transcript) -> None:
        self._header, self._launches, self._attached = transcript.header, transcript.launches, transcript.attached
        self._embedded = [one for one in self._header.readings if one.kept == "embedded"]
        texts = {(item.name,) for item in self._of("trace") if item.text is not None}
        self._names = {one.paths for one in self._embedded} | texts
        self._folder: ScratchFolder | None = None
        self._traces: dict[str, Path] | None = None
        self.knowledge = self._rules()
        self.live = sources(self.knowledge)

    def holds(self, names: tuple[str, ...]) -> bool:
        """Return whether the reports or traces of these names are in the transcript or come with the program."""
        return names in self._names or all(name.startswith(BUNDLED) for name in names)

    def sources(self) -> Sources:
        """Return sources that contain only the transcript's data."""
        return replace(self.live, analyse=self._analyse, trace=self._trace, side=self._side, locate=self._locate)

    def _side(self, text: str) -> Side:
        """Return the report and launch of a typed name, possibly `NAME#3`; the file need not exist."""
        name, _, launch = text.rpartition("#")
        known = {path for one in self._header.readings for path in one.paths}
        if text not in known and launch.isdecimal() and len(launch) < _DIGITS:
            return Side(Path(name), int(launch))
        return Side(Path(text))

    def _locate(self, judged: Judged, request: e.Locate, progress: Progress) -> Any:
        """Return the source view of a report that was read; never open a path that only a transcript names."""
        report = judged.diagnosis.launches[request.position].report
        path = judged.diagnosis.reports[report].path
        if any(path == info.path for one in self._embedded for info in one.reports):
            raise InputError(
                f"{path[:200]}: the session was saved without the code: open the report itself to see its source"
            )
        return self.live.locate(judged, request, progress)

    def _analyse(self, paths: Sequence[Path], gpu: str | None, progress: Progress) -> Judged:
        names = tuple(path.as_posix() for path in paths)
        if all(name.startswith(BUNDLED) for name in names):
            found = [path for name in names if (path := bundled_path(name)) is not None]
            if len(found) < len(names):
                name = next(name for name in names if bundled_path(name) is None)
                raise InputError(f"{name[:200]}: this version of ncu-advisor has no such file")
            return self.live.analyse(found, gpu, progress)
        number = next((n for n, one in enumerate(self._header.readings) if one.paths == names), -1)
        if number < 0 or self._header.readings[number].kept != "embedded":
            raise _not_carried(", ".join(names))
        infos = tuple(ReportInfo(**structs.asdict(info)) for info in self._header.readings[number].reports)
        launches = [launch for launch in self._launches if launch.reading == number]
        if any(not 0 <= launch.report < len(infos) for launch in launches):
            raise InputError("the transcript holds a launch of a report that it does not name")
        return self.live.analyse_launches(launches, infos, gpu, self._header.ceilings)

    def _trace(self, paths: Sequence[Path], progress: Progress) -> Any:
        self._traces = self._write_traces() if self._traces is None else self._traces
        names: dict[str, str] = {}
        for name in (path.as_posix() for path in paths):
            real = self._traces.get(name) or bundled_path(name)
            if real is None:
                raise _not_carried(name)
            names[str(real)] = name
        made = self.live.trace([Path(real) for real in names], progress)
        return replace(
            made,
            traces=tuple(replace(info, path=names.get(info.path, info.path)) for info in made.traces),
            failed=tuple((names.get(path, path), why) for path, why in made.failed),
        )

    def _write_traces(self) -> dict[str, Path]:
        out = {}
        for item in self._of("trace"):
            if item.text is None:
                continue
            pure = PurePosixPath(item.name)
            # Files of one folder stay together: their names say which belong to one run.
            digest = hashlib.sha256(pure.parent.as_posix().encode()).hexdigest()[:12]
            out[item.name] = _write(self._scratch() / "traces" / digest, pure.name, item.text)
        return out

    def _rules(self) -> tuple[Path, ...]:
        """Write and check the folders of a team's rules. Raises KnowledgeError with the first mistake."""
        folders: dict[int, Path] = {}
        for item in self._of("rules"):
            if item.text is None:
                raise InputError(
                    f"{item.name[:100]}: the session used a team's rules that are too large to be saved with it"
                )
            folder = folders.setdefault(item.folder, self._scratch() / "rules" / str(item.folder))
            pure = PurePosixPath(item.name)
            if pure.is_absolute() or pure.suffix != ".yaml" or not all(_SAFE.fullmatch(part) for part in pure.parts):
                raise _bad_name(item.name)
            _write(folder / pure.parent, pure.name, item.text)
        found = tuple(folders[number] for number in sorted(folders))
        if found:
            _check(found)
        return found

    def _of(self, kind: str) -> list[Attached]:
        found = [item for item in self._attached if item.kind == kind]
        if len(found) > _MOST_FILES:
            raise InputError("it contains more files than a session can have")
        return found

    def _scratch(self) -> Path:
        if self._folder is None:
            self._folder = ScratchFolder()
        return Path(self._folder.name)


def _not_carried(names: str) -> InputError:
    return InputError(f"{names[:200]}: this session was saved without it, and a replay opens no other files")


def _bad_name(name: str) -> InputError:
    return InputError(f"{name[:100]!r} is not a file name that a session can contain")


def _write(folder: Path, name: str, text: str) -> Path:
    if not _SAFE.fullmatch(name):
        raise _bad_name(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / name
        path.write_text(text, encoding="utf-8", newline="", errors="replace")
    except OSError as problem:
        raise AdvisorError(
            f"the folder for temporary files cannot hold the files of the session: {problem.strerror}"
        ) from None
    return path


def _check(folders: tuple[Path, ...]) -> None:
    """Raise InputError if the catalog rejects the rules: its schemas and its grammar apply to them as to our own."""
    known = catalog(folders)
    try:
        for part in (known.metrics, known.observations, known.findings, known.classes, known.questions, known.sources):
            len(part)  # Each catalog is read when it is first used.
    except KnowledgeError as problem:
        base = str(folders[0].parent)
        raise InputError(f"the rules in it are refused: {str(problem).replace(base, '')}") from None


@dataclass
class Sandbox(Executor):
    """The executor of a replay.

    cards: the ceilings to use instead of this machine's, None for its own; memory: the inputs read, to save the session
    again; kept: the id of an automatically saved session, and end: its last state, from which it continues as the same
    session; carried: the contents of its transcript.
    """

    cards: CeilingsByGpu | None = None
    memory: Memory = field(default_factory=Memory)
    kept: str = ""
    end: State | None = None
    carried: Carried | None = None

    def take_over(self, live: Sources) -> None:
        """Continue as the user's own session, which writes, runs and reads; the transcript's data stays available."""
        mine = self.sources

        def analyse(paths: Sequence[Path], gpu: str | None, progress: Progress) -> Judged:
            carried = self._carries(tuple(path.as_posix() for path in paths))
            return (mine if carried else live).analyse(paths, gpu, progress)

        def trace(paths: Sequence[Path], progress: Progress) -> Any:
            return (mine if all(self._carries((p.as_posix(),)) for p in paths) else live).trace(paths, progress)

        def side(text: str) -> Side:
            found = mine.side(text)
            return found if self._carries((found.path.as_posix(),)) else live.side(text)

        self.sources = replace(mine, analyse=analyse, trace=trace, side=side, write=live.write, practise=live.practise)

    def _carries(self, names: tuple[str, ...]) -> bool:
        if self.carried is None or self.kept:
            return all(name.startswith(BUNDLED) for name in names)
        return self.carried.holds(names)

    def perform(self, request: e.Request, state: State, progress: Progress) -> e.Outcome:
        """Perform the request with the transcript's ceilings."""
        if self.cards is None:
            return super().perform(request, state, progress)
        with ceilings.using(self.cards):
            return super().perform(request, state, progress)


def stage(transcript: Transcript) -> Sandbox:
    """Return the executor for a transcript. Raises InputError if its contents cannot be used."""
    carried = Carried(transcript)
    memory = Memory(carried.knowledge)
    made = harmless(memory.watching(carried.sources()))
    return Sandbox(made, cards=transcript.header.ceilings, memory=memory, carried=carried)


def stage_here(transcript: Transcript, kept: str) -> Sandbox:
    """Return the executor for an automatically saved session; it reads its reports from this machine's paths."""
    carried = Carried(transcript)
    memory = Memory(carried.knowledge)
    return Sandbox(harmless(memory.watching(carried.live)), memory=memory, kept=kept, carried=carried)
