"""Where a transcript is played: sources that give what it carries, and never write, run or open anything else."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from msgspec import structs

from advisor.compare.compare import Side
from advisor.hardware import ceilings
from advisor.records.errors import AdvisorError, InputError, KnowledgeError, UsageError
from advisor.records.readings import Progress, ReportInfo
from advisor.records.scratch import ScratchFolder
from advisor.session import events as e
from advisor.session.executor import Executor, Judged, Sources, sources
from advisor.session.state import State
from advisor.session.transcripts import format as serialize
from advisor.session.transcripts.attachments import Memory
from advisor.session.transcripts.format import BUNDLED, Attached, Reading, Transcript, bundled_path, frame_of

if TYPE_CHECKING:
    from advisor.hardware.ceilings import Cards

_SAFE: Final = re.compile(r"[\w-][\w. -]{0,99}")
_MOST_FILES: Final = 2_000
_DIGITS: Final = 9  # of a launch's number
_ONLY_LOOK: Final = ("list", "open")  # of what can be done with exercises


def unwritten(request: e.Write, state: State) -> str:
    """In place of writing: the path as it was."""
    return request.path


def harmless(live: Sources) -> Sources:
    """The same sources, but nothing is written, compiled or run, and nothing changes in what a learner has done."""

    def practise(request: e.Practise, progress: Progress) -> Any:
        if request.action not in _ONLY_LOOK:
            raise UsageError("exercises are not run again when a session is replayed")
        return live.practise(request, progress)

    return replace(live, write=unwritten, practise=practise)


@dataclass
class Sandbox(Executor):
    """The executor of a replay. cards: the ceilings that count instead of this machine's, None where its own do.

    memory: what was read, to save the session again; carried: the names of what the transcript carries; kept: the id of
    the session that the program kept by itself, and end: its last state, from which it goes on as the same.
    """

    cards: Cards | None = None
    memory: Memory = field(default_factory=Memory)
    kept: str = ""
    end: State | None = None
    carried: frozenset[tuple[str, ...]] = frozenset()

    def take_over(self, live: Sources) -> None:
        """From now on a session of the user's own: it writes, runs and reads what is asked for. What the transcript
        carried comes from there as before.
        """
        mine = self.sources

        def analyse(paths: Sequence[Path], gpu: str | None, progress: Progress) -> Judged:
            carried = self.carries(tuple(path.as_posix() for path in paths))
            return (mine if carried else live).analyse(paths, gpu, progress)

        def trace(paths: Sequence[Path], progress: Progress) -> Any:
            return (mine if all(self.carries((p.as_posix(),)) for p in paths) else live).trace(paths, progress)

        def side(text: str) -> Side:
            found = mine.side(text)
            return found if self.carries((found.path.as_posix(),)) else live.side(text)

        self.sources = replace(mine, analyse=analyse, trace=trace, side=side, write=live.write, practise=live.practise)

    def carries(self, names: tuple[str, ...]) -> bool:
        """Whether the transcript carries the reports or traces of these names, or the program does."""
        return names in self.carried or all(name.startswith(BUNDLED) for name in names)

    def perform(self, request: e.Request, state: State, progress: Progress) -> e.Outcome:
        """As any executor does."""
        if self.cards is None:
            return super().perform(request, state, progress)
        with ceilings.using(self.cards):
            return super().perform(request, state, progress)


def stage(transcript: Transcript) -> Sandbox:
    """The executor for a transcript; InputError where what it carries cannot be used."""
    carried = Carried(transcript)
    memory = Memory(carried.rules())
    live = sources(memory.knowledge)
    made = replace(
        live, analyse=carried.analyse, trace=carried.trace, side=carried.side, locate=carried.only_real(live.locate)
    )
    return Sandbox(
        harmless(memory.watching(made)), cards=transcript.header.ceilings, memory=memory, carried=carried.names
    )


def stage_here(transcript: Transcript, kept: str) -> Sandbox:
    """The executor for a session that was saved automatically: its reports are read where they are on this machine."""
    memory = Memory(Carried(transcript).rules())
    return Sandbox(harmless(memory.watching(sources(memory.knowledge))), memory=memory, kept=kept)


class Carried:
    """What a transcript carries. Texts that must be files to be read lie in a folder of ours, which goes with this."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._folder: ScratchFolder | None = None
        self._knowledge: tuple[Path, ...] = ()
        self._traces: dict[str, Path] | None = None

    @property
    def names(self) -> frozenset[tuple[str, ...]]:
        """The paths of each reading that is embedded, and of each trace that is attached."""
        readings = {one.paths for one in self._embedded_readings}
        return frozenset(readings | {(item.name,) for item in self._of("trace") if item.text is not None})

    # Reports

    def side(self, text: str) -> Side:
        """A path as it was given: a report's name, or `NAME#3`, of which nothing need lie on the disk."""
        name, _, launch = text.rpartition("#")
        known = {path for one in self._transcript.header.readings for path in one.paths}
        if text not in known and launch.isdecimal() and len(launch) < _DIGITS:
            return Side(Path(name), int(launch))
        return Side(Path(text))

    def only_real(self, locate: Callable[..., Any]) -> Callable[[Judged, e.Locate, Progress], Any]:
        """The source view of reports that were read: a path that only a transcript names is not opened."""

        def of_read(judged: Judged, request: e.Locate, progress: Progress) -> Any:
            report = judged.diagnosis.launches[request.position].report
            path = judged.diagnosis.reports[report].path
            if any(path == info.path for one in self._embedded_readings for info in one.reports):
                raise InputError(
                    f"{path[:200]}: the session was saved without the code: open the report itself to see its source"
                )
            return locate(judged, request, progress)

        return of_read

    @property
    def _embedded_readings(self) -> list[Reading]:
        return [one for one in self._transcript.header.readings if one.kept == "embedded"]

    def analyse(self, paths: Sequence[Path], gpu: str | None, progress: Progress) -> Judged:
        """The analysis of reports that are carried, or that come with the program; InputError for any other."""
        names = tuple(path.as_posix() for path in paths)
        number, reading = next(
            ((n, r) for n, r in enumerate(self._transcript.header.readings) if r.paths == names), (0, None)
        )
        if all(name.startswith(BUNDLED) for name in names):
            return self._bundled(names, gpu, progress)
        if reading is None or reading.kept != "embedded":
            raise InputError(serialize.NOT_CARRIED.format(names=", ".join(names)[:200]))
        return self._embedded(number, reading, gpu)

    def _bundled(self, names: Sequence[str], gpu: str | None, progress: Progress) -> Judged:
        from advisor.reasoning.diagnose import analyse

        found = [bundled_path(name) for name in names]
        for name, path in zip(names, found, strict=True):
            if path is None:
                raise InputError(f"{name[:200]}: no such file comes with this version of ncu-advisor")
        return analyse([p for p in found if p], gpu=gpu, knowledge=self._knowledge, progress=progress)

    def _embedded(self, number: int, reading: Reading, gpu: str | None) -> Judged:
        from advisor.knowledge.base import catalog
        from advisor.reasoning.analysis import Analysis
        from advisor.reasoning.inputs import Inputs, knowledge_for

        infos = tuple(
            ReportInfo(i.path, i.sha256, i.tool, i.format, i.complete, i.launches_missing, i.problems)
            for i in reading.reports
        )
        launches = [launch for launch in self._transcript.launches if launch.reading == number]
        if any(not 0 <= launch.report < len(infos) for launch in launches):
            raise InputError("the transcript holds a launch of a report that it does not name")
        known = knowledge_for(catalog(self._knowledge), infos)
        frame = frame_of(launches, known.metrics)
        return Analysis(known, Inputs(frame, infos, gpu, {None: {}}, self._transcript.header.ceilings))

    # Traces

    def trace(self, paths: Sequence[Path], progress: Progress) -> Any:
        """The timeline of traces that are carried or come with the program."""
        from advisor.timeline.analyse import analyse

        lying = self._traces if self._traces is not None else self._lay_traces()
        self._traces = lying
        found, names = [], {}
        for path in paths:
            name = path.as_posix()
            real = lying.get(name) or bundled_path(name)
            if real is None:
                raise InputError(serialize.NOT_CARRIED.format(names=name[:200]))
            found.append(real)
            names[str(real)] = name
        made = analyse(found, knowledge=self._knowledge, progress=lambda what: progress("read", 0, 0))
        return structs.replace(
            made,
            traces=tuple(structs.replace(info, path=names.get(info.path, info.path)) for info in made.traces),
            failed=tuple((names.get(path, path), why) for path, why in made.failed),
        )

    def _lay_traces(self) -> dict[str, Path]:
        out = {}
        for item in self._of("trace"):
            if item.text is None:
                continue
            pure = PurePosixPath(item.name)
            # Files of one folder stay together: those of one run are told by their names.
            folder = self._room() / "traces" / hashlib.sha256(pure.parent.as_posix().encode()).hexdigest()[:12]
            out[item.name] = _lay(folder, pure.name, item.text)
        return out

    # Rules

    def rules(self) -> tuple[Path, ...]:
        """The folders of a team's rules, laid out and checked as any are; KnowledgeError names the first mistake."""
        folders: dict[int, Path] = {}
        for item in self._of("rules"):
            if item.text is None:
                raise InputError(
                    f"{item.name[:100]}: the session used a team's rules that are too large to be saved with it"
                )
            folder = folders.setdefault(item.folder, self._room() / "rules" / str(item.folder))
            pure = PurePosixPath(item.name)
            if pure.is_absolute() or pure.suffix != ".yaml" or not all(_SAFE.fullmatch(part) for part in pure.parts):
                raise InputError(serialize.BAD_NAME.format(name=item.name[:100]))
            _lay(folder / pure.parent, pure.name, item.text)
        self._knowledge = tuple(folders[number] for number in sorted(folders))
        if self._knowledge:
            _check(self._knowledge)
        return self._knowledge

    def _of(self, kind: str) -> list[Attached]:
        found = [item for item in self._transcript.attached if item.kind == kind]
        if len(found) > _MOST_FILES:
            raise InputError("it carries more files than any session needs")
        return found

    def _room(self) -> Path:
        if self._folder is None:
            self._folder = ScratchFolder()
        return Path(self._folder.name)


def _lay(folder: Path, name: str, text: str) -> Path:
    if not _SAFE.fullmatch(name):
        raise InputError(serialize.BAD_NAME.format(name=name[:100]))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / name
        path.write_text(text, encoding="utf-8", newline="", errors="replace")
    except OSError as problem:
        raise AdvisorError(
            f"no room for what the session carries in the folder for temporary files: {problem.strerror}"
        ) from None
    return path


def _check(folders: tuple[Path, ...]) -> None:
    """InputError for rules that the catalog refuses: its schemas and its grammar hold for them as for our own."""
    from advisor.knowledge.base import catalog

    known = catalog(folders)
    try:
        for part in (known.metrics, known.observations, known.findings, known.classes, known.questions, known.sources):
            len(part)  # each is read when it is first looked at
    except KnowledgeError as problem:
        base = str(folders[0].parent)
        raise InputError(f"the rules that it carries are refused: {str(problem).replace(base, '')}") from None
