"""Save sessions automatically while they run, find them again after a crash, and delete old ones.

A session has an id and three files in the folder `sessions` of the user's data: `ID.jsonl`, its transcript, without
any name of this machine; `ID.here`, the real paths of the files that it names; `ID.lock`, held while the session is
open, and released by the system if the program dies.
"""

from __future__ import annotations

import contextlib
import json
import secrets
from collections.abc import Callable, Collection
from pathlib import Path, PurePosixPath
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from advisor.records import resources
from advisor.records.errors import AdvisorError, InputError, UsageError
from advisor.records.files import write_whole
from advisor.records.own_files import make_own, read_own, why_foreign
from advisor.session import events as e
from advisor.session.executor import Executor, Sources
from advisor.session.state import State
from advisor.session.transcripts import format as serialize
from advisor.session.transcripts.attachments import Memory, transcript_of
from advisor.session.transcripts.format import Entry, Scrubber, Transcript, of_this_machine, with_paths
from advisor.session.transcripts.recorder import Recorder
from advisor.session.transcripts.sandbox import Sandbox
from advisor.view.numbers import plural
from advisor.view.text import shown

if TYPE_CHECKING:
    from filelock import FileLock

SUFFIX: Final = ".jsonl"
MOST_KEPT: Final = 20
CLOSING_S: Final = 3.0
_HERE, _LOCK = ".here", ".lock"
_LARGEST_HERE: Final = 1 << 20
_MOST_NUMBERED: Final = 1000
_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86400.0
Writer = Callable[[e.Write, State], str]


def folder() -> Path:
    """Return the folder of the sessions, which may not exist yet."""
    return resources.user_data() / "sessions"


# Writing
class Keeper:
    """Saves one session in its own thread; steps that arrive while it writes are written together.

    problem: called once, in that thread, with one line, when the session cannot be saved; each further step tries
    again. continued: the id of a session that continues.
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
        self._busy = self._reported = self._ended = False
        self._carried: tuple[tuple[int, int], list[str]] = ((-1, -1), [])
        self._lines: list[tuple[Entry, list[str]]] = []
        self._names: dict[str, str] = {}
        self._lock: FileLock | None = None  # held from the first step on
        self._thread = Thread(target=self._work, name="keeper", daemon=True)
        self._thread.start()

    @property
    def path(self) -> Path:
        """Return the file of the session."""
        return self._place / f"{self.id}{SUFFIX}"

    def keep(self, state: State) -> None:
        """Save the session soon, without blocking the caller; a session without actions is not saved."""
        if state.log is self._log:
            return
        self._log = state.log
        began = any(isinstance(event, e.Began) for event in state.log)
        if began and any(not isinstance(event, (*e.OUTCOMES, e.Began)) for event in state.log):
            with self._change:
                self._wanted = state
                self._change.notify_all()

    def flush(self, seconds: float = CLOSING_S) -> bool:
        """Wait until everything is saved; return whether it is."""
        with self._change:
            return self._change.wait_for(lambda: self._wanted is None and not self._busy, seconds)

    def close(self) -> None:
        """Save the rest, release the lock, delete the oldest sessions."""
        self.flush()
        with self._change:
            self._ended = True
            self._change.notify_all()
        self._thread.join(CLOSING_S)
        with contextlib.suppress(OSError, AdvisorError):
            if self._lock is not None:
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
                self._reported = False
            except Exception as error:  # A bug in this thread must not stop the saving of later steps.
                expected = isinstance(error, AdvisorError | OSError)  # a held lock is an OSError
                if not self._reported:
                    self._reported = True
                    self._problem(str(error) if expected else f"{type(error).__name__}: {error}")
            finally:
                with self._change:
                    self._busy = False
                    self._change.notify_all()

    def _write(self, state: State) -> None:
        make_own(self._place)
        if self._lock is None:
            self._lock = self._hold()
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
        """Return the header and the attached inputs, rebuilt only after new input; reports are not embedded."""
        read = (len(self._memory.analyses), len(self._memory.traces))
        if self._carried[0] != read:
            made = transcript_of(replace(state, log=()), self._memory, self._scrubber, embed=False)
            self._carried = (read, serialize.head_lines(made))
        return self._carried[1]

    def _hold(self) -> FileLock:
        """Lock the session; if another program has it open, continue here as a copy."""
        from filelock import FileLock, Timeout  # loads slowly: not needed before the first step

        lock = FileLock(self._lock_path, timeout=0, thread_local=False)
        try:
            lock.acquire()
        except Timeout:
            self.id = secrets.token_hex(6)
            lock = FileLock(self._lock_path, timeout=0, thread_local=False)
            lock.acquire()
        return lock

    def _write_names(self, state: State) -> None:
        names = dict(self._names)

        def keep(path: str) -> str:
            if path:
                names[self._scrubber.path(path)] = str(Path(path).absolute())
            return path

        for event in state.log:
            if isinstance(event, e.Began | e.ReportGiven | e.TraceGiven):
                with_paths(event, keep)
        if names != self._names:
            write_whole(self._place / f"{self.id}{_HERE}", json.dumps({"paths": names}, sort_keys=True) + "\n")
            self._names = names


# Finding saved sessions
class SavedSession(Struct, frozen=True):
    """A session in the folder. paths: its reports and traces, as it names them; answers, actions: counts; finished:
    the user left it; running: a program has it open; modified: seconds since the epoch of its last step.
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
    """Return all sessions of this user that can be read, the latest first."""
    found = []
    for path in sorted((place or folder()).glob(f"*{SUFFIX}")):
        with contextlib.suppress(InputError, OSError):
            if not why_foreign(path):
                found.append(_kept(path))
    return tuple(sorted(found, key=lambda one: (-one.modified, one.id)))


def unfinished(paths: tuple[str, ...] = (), place: Path | None = None) -> tuple[SavedSession, ...]:
    """Return the interrupted sessions that no program has open, the latest first; with paths, only those on them."""
    wanted = [str(Path(path).absolute()) for path in paths]
    open_ones = [one for one in kept(place) if not one.finished and not one.running]
    return tuple(one for one in open_ones if not wanted or list(map(_real_name(one.path), one.paths)) == wanted)


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
    """Return whether a program has the session open."""
    lock = path.with_suffix(_LOCK)
    if not lock.exists():
        return False
    from filelock import FileLock, Timeout  # as above

    try:
        with FileLock(lock, timeout=0):
            return False
    except Timeout:
        return True
    except OSError:
        return False


def forget(path: Path) -> None:
    """Delete the session in this file."""
    for suffix in (SUFFIX, _HERE, _LOCK):
        with contextlib.suppress(OSError):
            path.with_suffix(suffix).unlink(missing_ok=True)


def prune(place: Path | None = None, most: int = MOST_KEPT) -> None:
    """Delete all closed sessions except the latest ones, and incomplete files that a program left."""
    here = place or folder()
    found = sorted(here.glob(f"*{SUFFIX}"), key=lambda p: p.stat().st_mtime, reverse=True)
    for path in found[most:]:
        if not is_running(path):
            forget(path)
    stems = {path.stem for path in here.glob(f"*{SUFFIX}")}
    for path in here.glob(f".*{SUFFIX}.*"):
        stem = path.name[1:].partition(".")[0]
        if not is_running(here / f"{stem}{SUFFIX}"):
            path.unlink(missing_ok=True)
    for path in here.glob(f"*{_LOCK}"):
        if path.stem not in stems and not is_running(path.with_suffix(SUFFIX)):
            path.unlink(missing_ok=True)


def own(path: Path, place: Path | None = None) -> bool:
    """Return whether a file is an automatically saved session: `ID.here` is trusted only in that case."""
    return path.resolve().parent == (place or folder()).resolve()


def _real_name(path: Path) -> Callable[[str], str]:
    """Return a function from a name in a session to the path on this machine; it does not change unknown names."""
    place = path.with_suffix(_HERE)
    names: Any = {}
    with contextlib.suppress(OSError, ValueError, RecursionError):
        data = json.loads(read_own(place, _LARGEST_HERE))
        names = data.get("paths") if isinstance(data, dict) else {}
    known = {k: v for k, v in names.items() if isinstance(v, str)} if isinstance(names, dict) else {}
    return lambda name: known.get(name, name)


def with_real_paths(transcript: Transcript, path: Path) -> tuple[Entry, ...]:
    """Return the entries of an automatically saved session with the paths of this machine."""
    real = _real_name(path)
    return tuple(replace(entry, event=with_paths(entry.event, real)) for entry in transcript.entries)


# Saving to a file that the user names
def writer(memory: Memory, other: Writer) -> Writer:
    """Return a function that performs Write: transcripts here, other formats by `other`.

    It raises UsageError on failure. Only files that this writer wrote are overwritten.
    """
    mine: set[Path] = set()

    def write(request: e.Write, state: State) -> str:
        if request.what != "transcript":
            return other(request, state)
        place = place_for(request.path, mine)
        write_whole(place, serialize.text_of(transcript_of(state, memory, of_this_machine())))
        mine.add(place.resolve())
        return str(place)

    return write


def place_for(path: str, mine: Collection[Path] = ()) -> Path:
    """Return the file for a session, by default in the working folder; `.jsonl` is added to a bare name.

    Raises UsageError for an existing file that is not among `mine`.
    """
    if not path:
        for n in range(1, _MOST_NUMBERED):
            place = Path(f"session{'' if n < 2 else f'-{n}'}{SUFFIX}")
            if not place.exists():
                return place
        raise UsageError("this folder has too many numbered sessions: give the file a name (/save NAME)")
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
        raise UsageError(f"{place}: exists and is not a session: name another file") from None
    raise UsageError(f"{place}: holds another session: name another file, or remove it first")


class Saving:
    """Saves the current session of a program. place: the folder, the user's own if None; problem: called with one line,
    once, in another thread, when a session cannot be saved.
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

    def sources(self, live: Sources) -> Sources:
        """Return sources that remember what they read and that write transcripts."""
        return replace(self.memory.watching(live), write=writer(self.memory, live.write))

    def keep(self, state: State) -> None:
        """Save the session soon, without blocking the caller."""
        if self._keeper is None:
            self._keeper = Keeper(self.memory, place=self._place, problem=lambda text: self.problem(text))
        self._keeper.keep(state)

    def go_on(self, state: State, executor: Executor) -> None:
        """Continue a replayed session as the user's own: from its end as the same session, else as a new one."""
        self.close()
        if isinstance(executor, Sandbox):
            self.memory.take(executor.memory)
            same = executor.kept if executor.end is state else ""
            self._keeper = Keeper(self.memory, place=self._place, problem=self.problem, continued=same)
        self.keep(state)

    def flush(self, seconds: float = CLOSING_S) -> bool:
        """Wait until everything is saved; return whether it is."""
        return self._keeper is None or self._keeper.flush(seconds)

    def close(self) -> None:
        """End the session: save the rest and release it."""
        if self._keeper is not None:
            self._keeper.close()
            self._keeper = None


# Texts of a saved session in a list
def title(one: SavedSession) -> str:
    """Return the names of the session's files, or the text that numbers were typed."""
    names = [shown(PurePosixPath(path.replace("\\", "/")).name) for path in one.paths]
    if not names:
        return "numbers typed by hand"
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def remark(one: SavedSession, now: float) -> str:
    """Return the number of actions or answers, and the age of the session; now: seconds since the epoch."""
    parts = [_count(one.answers, "answer")] if one.answers else []
    return ", ".join([*parts, _count(one.actions, "step"), ago(now - one.modified)])


def ago(seconds: float) -> str:
    """Return a time span as `3 minutes ago`, `yesterday`, …"""
    if seconds < _MINUTE:
        return "just now"
    for unit, name, most in ((_MINUTE, "minute", _HOUR), (_HOUR, "hour", _DAY)):
        if seconds < most:
            return f"{_count(int(seconds / unit), name)} ago"
    days = int(seconds / _DAY)
    return "yesterday" if days == 1 else f"{_count(days, 'day')} ago"


def _count(number: int, what: str) -> str:
    return f"{number} {plural(number, what)}"
