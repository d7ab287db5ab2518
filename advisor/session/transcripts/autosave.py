"""Sessions saved automatically while they go on, found again after a crash, and deleted when there are many.

A session has an id and three files in the folder `sessions` of the user's data: `ID.jsonl`, its transcript, without
anything of this machine; `ID.here`, where the files that it names really are; `ID.lock`, held while it is open, and
released by the system when the program dies.
"""

from __future__ import annotations

import contextlib
import json
import secrets
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from threading import Condition, Thread
from typing import Any, Final

from filelock import FileLock, Timeout
from msgspec import structs

from advisor.records import resources
from advisor.records.errors import AdvisorError, InputError, UsageError
from advisor.records.files import write_whole
from advisor.session import events as e
from advisor.session.executor import Executor, Sources
from advisor.session.state import State
from advisor.session.transcripts import format as serialize
from advisor.session.transcripts.attachments import Memory, transcript_of
from advisor.session.transcripts.format import Entry, Scrubber, Transcript, of_this_machine
from advisor.session.transcripts.recorder import Recorder
from advisor.session.transcripts.sandbox import Sandbox
from advisor.view.numbers import plural
from advisor.view.text import shown

SUFFIX: Final = ".jsonl"


_HERE, _LOCK = ".here", ".lock"


MOST_KEPT: Final = 20
CLOSING_S: Final = 3.0
_LARGEST_HERE: Final = 1 << 20


def folder() -> Path:
    """Where sessions are kept; not yet made."""
    return resources.user_data() / "sessions"


# Writing
class Keeper:
    """Saves one session in a thread of its own; what comes while it writes is written together.

    `keep` costs the caller next to nothing. problem: called once, in that thread, with one line, when the session
    cannot be saved; the session goes on, and each further step tries again. continued: the id of one that goes on.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        place: Path | None = None,
        problem: Callable[[str], None] = lambda text: None,
        continued: str = "",
        scrubber: Scrubber | None = None,
    ) -> None:
        self._place = place or folder()
        self._memory, self._problem = memory, problem
        self.id = continued or secrets.token_hex(6)
        self._scrubber = scrubber or of_this_machine()
        self._recorder = Recorder(self._scrubber)
        self._change = Condition()
        self._wanted: State | None = None
        self._log: tuple[e.Event, ...] = ()
        self._busy = self._told = self._ended = False
        self._carried: tuple[tuple[int, int], list[str]] = ((-1, -1), [])
        self._lines: list[tuple[Entry, list[str]]] = []
        self._names: dict[str, str] = {}
        self._lock = FileLock(self._place / f"{self.id}{_LOCK}", timeout=0, thread_local=False)
        self._held = False
        self._thread = Thread(target=self._work, name="keeper", daemon=True)
        self._thread.start()

    @property
    def path(self) -> Path:
        """The file of the session."""
        return self._place / f"{self.id}{SUFFIX}"

    def keep(self, state: State) -> None:
        """Save the session as it is now, soon. A session in which nothing was done yet is not saved."""
        if state.log is self._log:
            return
        self._log = state.log
        began = any(isinstance(event, e.Began) for event in state.log)
        if began and any(not isinstance(event, (*e.OUTCOMES, e.Began)) for event in state.log):
            with self._change:
                self._wanted = state
                self._change.notify_all()

    def flush(self, seconds: float = CLOSING_S) -> bool:
        """Wait until all is saved that there is; whether it is."""
        with self._change:
            return self._change.wait_for(lambda: self._wanted is None and not self._busy, seconds)

    def close(self) -> None:
        """The session ends: save what is left, let go of it, throw away the oldest."""
        self.flush()
        with self._change:
            self._ended = True
            self._change.notify_all()
        self._thread.join(CLOSING_S)
        with contextlib.suppress(OSError, AdvisorError):
            if self._held:
                self._lock.release()
                self._lock_path.unlink(missing_ok=True)
            prune(self._place)

    @property
    def _lock_path(self) -> Path:
        return self._place / f"{self.id}{_LOCK}"

    def _work(self) -> None:
        while True:
            with self._change:
                self._change.wait_for(lambda: self._wanted is not None or self._ended)
                state, self._wanted = self._wanted, None
                if state is None:
                    return
                self._busy = True
            try:
                self._write(state)
                self._told = False
            except (AdvisorError, OSError, Timeout) as trouble:
                if not self._told:
                    self._told = True
                    self._problem(str(trouble))
            except Exception as trouble:  # a defect of ours must not end the saving of what comes later
                if not self._told:
                    self._told = True
                    self._problem(f"{type(trouble).__name__}: {trouble}")
            finally:
                with self._change:
                    self._busy = False
                    self._change.notify_all()

    def _write(self, state: State) -> None:
        self._place.mkdir(parents=True, exist_ok=True)
        if not self._held:
            self._hold()
        self._write_names(state)
        entries = self._recorder.entries(state.log)
        same = 0
        for (old, _), new in zip(self._lines, entries, strict=False):
            if old is not new:
                break
            same += 1
        self._lines[same:] = [(entry, serialize.entry_lines(entry)) for entry in entries[same:]]
        lines = self._head(state) + [text for _, texts in self._lines for text in texts]
        write_whole(self.path, "\n".join(lines) + "\n")

    def _head(self, state: State) -> list[str]:
        """Header and what is carried; made anew only after more was read. Reports are referred to, not embedded."""
        read = (len(self._memory.analyses), len(self._memory.traces))
        if self._carried[0] != read:
            made = transcript_of(replace(state, log=()), self._memory, self._scrubber, embed=False)
            self._carried = (read, serialize.head_lines(made))
        return self._carried[1]

    def _hold(self) -> None:
        """Open the session for ourselves; one that another program has open stays there, and goes on here as a copy."""
        try:
            self._lock.acquire()
        except Timeout:
            self.id = secrets.token_hex(6)
            self._lock = FileLock(self._lock_path, timeout=0, thread_local=False)
            self._lock.acquire()
        self._held = True

    def _write_names(self, state: State) -> None:
        names = {self._scrubber.path(path): str(Path(path).absolute()) for path in named(state.log)}
        names = self._names | names
        if names != self._names:
            write_whole(self._place / f"{self.id}{_HERE}", json.dumps({"paths": names}, sort_keys=True) + "\n")
            self._names = names


def named(log: Iterable[e.Event]) -> list[str]:
    """The paths that a log names."""
    out: list[str] = []
    for event in log:
        if isinstance(event, e.Began):
            out += [*event.paths, *event.traces]
        elif isinstance(event, e.ReportGiven) and event.path:
            out.append(event.path)
        elif isinstance(event, e.TraceGiven):
            out += event.paths
    return out


# Finding again
@dataclass(frozen=True, slots=True)
class SavedSession:
    """A session that was kept. paths: what it began with, as it names them; finished: the user left it; running: a
    program has it open; answers, actions: how many; modified: seconds since the epoch of its last step.
    """

    id: str
    path: Path
    paths: tuple[str, ...]
    answers: int
    actions: int
    finished: bool
    running: bool
    modified: float


def kept(place: Path | None = None) -> tuple[SavedSession, ...]:
    """All sessions that can be read, the latest first."""
    found = []
    for path in sorted((place or folder()).glob(f"*{SUFFIX}")):
        with contextlib.suppress(InputError, OSError):
            found.append(_kept(path))
    return tuple(sorted(found, key=lambda one: (-one.modified, one.id)))


def unfinished(paths: tuple[str, ...] = (), place: Path | None = None) -> tuple[SavedSession, ...]:
    """Those that were broken off and that nobody has open, the latest first; with paths, those that began with them."""
    wanted = tuple(str(Path(path).absolute()) for path in paths)
    return tuple(
        one
        for one in kept(place)
        if not one.finished and not one.running and (not wanted or _real_paths(one) == wanted)
    )


def _real_paths(one: SavedSession) -> tuple[str, ...]:
    names = _names(one.path)
    return tuple(names.get(name, name) for name in one.paths)


def _kept(path: Path) -> SavedSession:
    transcript = serialize.load(path)
    events = [entry.event for entry in transcript.entries]
    began = next((event for event in events if isinstance(event, e.Began)), e.Began())
    return SavedSession(
        id=path.stem,
        path=path,
        paths=(*began.paths, *began.traces),
        answers=sum(isinstance(event, e.Answered | e.Volunteered) for event in events),
        actions=max(0, len(events) - 1),
        finished=any(isinstance(event, e.Quit) for event in events),
        running=is_running(path),
        modified=path.stat().st_mtime,
    )


def is_running(path: Path) -> bool:
    """Whether a program has the session open."""
    lock = path.with_suffix(_LOCK)
    if not lock.exists():
        return False
    try:
        with FileLock(lock, timeout=0):
            return False
    except Timeout:
        return True
    except OSError:
        return False


def forget(one: SavedSession) -> None:
    """Throw a session away."""
    forget_path(one.path)


def forget_path(path: Path) -> None:
    """The same by its file."""
    for suffix in (SUFFIX, _HERE, _LOCK):
        with contextlib.suppress(OSError):
            path.with_suffix(suffix).unlink(missing_ok=True)


def prune(place: Path | None = None, most: int = MOST_KEPT) -> None:
    """Throw away all but the latest, none that is open, and what a program that died left half written."""
    here = place or folder()
    found = sorted(here.glob(f"*{SUFFIX}"), key=lambda p: p.stat().st_mtime, reverse=True)
    for path in found[most:]:
        if not is_running(path):
            forget_path(path)
    stems = {path.stem for path in here.glob(f"*{SUFFIX}")}
    for path in here.glob(f".*{SUFFIX}.*"):
        stem = path.name[1:].partition(".")[0]
        if not is_running(here / f"{stem}{SUFFIX}"):
            path.unlink(missing_ok=True)
    for path in here.glob(f"*{_LOCK}"):
        if path.stem not in stems and not is_running(path.with_suffix(SUFFIX)):
            path.unlink(missing_ok=True)


def own(path: Path, place: Path | None = None) -> bool:
    """Whether a file is one that the program kept by itself: only there `ID.here` is believed."""
    return path.resolve().parent == (place or folder()).resolve()


def _names(path: Path) -> dict[str, str]:
    """Names of files in a kept session, and where they are; empty where that cannot be read."""
    place = path.with_suffix(_HERE)
    try:
        if place.stat().st_size > _LARGEST_HERE:
            return {}
        data: Any = json.loads(place.read_text("utf-8"))
        names = data.get("paths") if isinstance(data, dict) else None
    except (OSError, ValueError, RecursionError):
        return {}
    return {k: v for k, v in names.items() if isinstance(v, str)} if isinstance(names, dict) else {}


def with_real_paths(transcript: Transcript, path: Path) -> tuple[Entry, ...]:
    """The entries of a kept session with the paths of this machine in them."""
    names = _names(path)
    return tuple(replace(entry, event=_real(entry.event, names)) for entry in transcript.entries)


def _real(event: e.UserEvent, names: dict[str, str]) -> e.UserEvent:
    def of(paths: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(names.get(path, path) for path in paths)

    match event:
        case e.Began():
            return structs.replace(event, paths=of(event.paths), traces=of(event.traces))
        case e.ReportGiven():
            return structs.replace(event, path=of((event.path,))[0])
        case e.TraceGiven():
            return structs.replace(event, paths=of(event.paths))
    return event


_MOST_NUMBERED: Final = 1000


Writer = Callable[[e.Write, State], str]


def writer(memory: Memory, others: Mapping[str, Writer] | None = None) -> Writer:
    """What performs Write: transcripts here, the other kinds by `others`. UsageError where it cannot be written.

    A file is written over only where this writer wrote it.
    """
    mine: set[Path] = set()

    def write(request: e.Write, state: State) -> str:
        if request.what == "transcript":
            return save(request.path, state, memory, mine)
        other = (others or {}).get(request.what)
        if other is None:
            raise UsageError("This is not available here.")
        return other(request, state)

    return write


def save(path: str, state: State, memory: Memory, mine: set[Path]) -> str:
    """Write the session to `path`; without one to a new file in the working folder. Returns the path as it is shown.

    mine: the files that this session wrote, which it may write over; the new one is added. UsageError where the place
    holds anything else, or cannot be written.
    """
    place = place_for(path, mine)
    write_whole(place, serialize.text_of(transcript_of(state, memory, of_this_machine())))
    mine.add(place.resolve())
    return str(place)


def place_for(path: str, mine: Collection[Path] = ()) -> Path:
    """The file that a session goes to: `.jsonl` behind a bare name, and never over a file that is not among `mine`."""
    if not path:
        for n in range(1, _MOST_NUMBERED):
            place = Path(f"session{'' if n < 2 else f'-{n}'}{SUFFIX}")
            if not place.exists():
                return place
        raise UsageError("this folder is full of numbered sessions: give the file a name of its own (/save NAME)")
    try:
        place = Path(path).expanduser()
        place = place if place.suffix or place.is_dir() or place.exists() else place.with_name(place.name + SUFFIX)
        if not place.is_file() or not place.stat().st_size or place.resolve() in mine:
            return place
    except (OSError, ValueError, RuntimeError) as problem:
        raise UsageError(f"{path[:200]}: cannot be a file: {problem}") from None
    try:
        serialize.head(place)
    except AdvisorError:
        raise UsageError(f"{place}: holds something that is no session: name another file") from None
    raise UsageError(f"{place}: holds another session: name another file, or remove it first")


class Saving:
    """Follows the session of a program, also where another one takes its place. place: the folder, the user's own where
    None; problem: told one line, once, in another thread, when a session cannot be kept.
    """

    def __init__(
        self,
        knowledge: tuple[Path, ...] = (),
        *,
        place: Path | None = None,
        problem: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.memory = Memory(knowledge)
        self.problem = problem
        self._place = place
        self._keeper: Keeper | None = None

    def sources(self, live: Sources, others: Mapping[str, Writer] | None = None) -> Sources:
        """The sources with what is read remembered and Write done. others: what writes the other kinds of files."""
        return replace(self.memory.watching(live), write=writer(self.memory, others))

    def keep(self, state: State) -> None:
        """Save the session as it is now, soon; costs next to nothing."""
        if self._keeper is None:
            self._keeper = Keeper(self.memory, place=self._place, problem=lambda text: self.problem(text))
        self._keeper.keep(state)

    def go_on(self, state: State, desk: Executor) -> None:
        """A session that was replayed is the user's from now on; from its end on it is the same one, else a new one."""
        self.close()
        if isinstance(desk, Sandbox):
            self.memory.take(desk.memory)
            same = desk.kept if desk.end is state else ""
            self._keeper = Keeper(self.memory, place=self._place, problem=self.problem, continued=same)
        self.keep(state)

    def flush(self, seconds: float = CLOSING_S) -> bool:
        """Wait until all is saved, for so long; whether it is."""
        return self._keeper is None or self._keeper.flush(seconds)

    def close(self) -> None:
        """The session is over: save what is left of it and let go of it."""
        if self._keeper is not None:
            self._keeper.close()
            self._keeper = None


_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86400.0


def title(one: SavedSession) -> str:
    """What it is about: the names of its files, or that numbers were typed."""
    names = [shown(PurePosixPath(path.replace("\\", "/")).name) for path in one.paths]
    if not names:
        return "numbers typed by hand"
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def remark(one: SavedSession, now: float) -> str:
    """How far it went and when that was; now: seconds since the epoch."""
    parts = [_count(one.answers, "answer")] if one.answers else []
    return ", ".join([*parts, _count(one.actions, "step"), ago(now - one.modified)])


def ago(seconds: float) -> str:
    """How long ago, in the words that people use."""
    if seconds < _MINUTE:
        return "just now"
    for unit, name, most in ((_MINUTE, "minute", _HOUR), (_HOUR, "hour", _DAY)):
        if seconds < most:
            return serialize.AGO.format(time=_count(int(seconds / unit), name))
    days = int(seconds / _DAY)
    return "yesterday" if days == 1 else serialize.AGO.format(time=_count(days, "day"))


def _count(number: int, what: str) -> str:
    return f"{number} {plural(number, what)}"
