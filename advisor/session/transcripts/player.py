"""A transcript played again, forwards by working, backwards for free; and whether it still concludes the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from advisor.records.errors import InputError
from advisor.session import events as d
from advisor.session import events as e
from advisor.session.state import State
from advisor.session.transcripts import conclusions, serialize
from advisor.session.transcripts.authoring import Watch, deed_of, do, quiet
from advisor.session.transcripts.autosave import own, with_real_paths
from advisor.session.transcripts.conclusions import Difference
from advisor.session.transcripts.recorder import concluded
from advisor.session.transcripts.sandbox import Stage, stage, stage_here
from advisor.session.transcripts.serialize import Entry, Transcript
from advisor.session.transcripts.serialize import load as load_file


@dataclass(frozen=True, slots=True)
class Step:
    """One deed of a transcript: its number from 1, its verb, what was done in words, what was concluded then."""

    number: int
    verb: str
    words: str
    expected: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a step: the state after it, what was concluded, and whether the deed could be done at all."""

    state: State
    came: Mapping[str, Any]
    done: bool = True


@dataclass
class Player:
    """One transcript. State 0 is before the first step; `at(k)` works up to step k where that was not done before.

    Nothing that a transcript names is opened, written or run; only of a session that the program kept by itself are the
    reports read again. One thread at a time.
    """

    transcript: Transcript
    desk: Stage
    name: str = ""
    _played: list[Played] = field(default_factory=lambda: [Played(State(), {})])

    @classmethod
    def load(cls, path: Path) -> Player:
        """The player of a file; InputError, one line, for what is no transcript or carries what cannot be used."""
        transcript = load_file(path)
        if not own(path):
            return cls(transcript, stage(transcript), str(path))
        here = replace(transcript, entries=with_real_paths(transcript, path))
        return cls(here, stage_here(transcript, path.stem), str(path))

    @property
    def title(self) -> str:
        """Its title, the file's name where it has none."""
        return self.transcript.header.title or Path(self.name).name

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps."""
        out: list[Step] = []
        kernels: tuple[str, ...] = ()
        for number, entry in enumerate(self.transcript.entries, 1):
            out.append(Step(number, entry.verb, describe(entry, kernels), entry.concluded))
            kernels = _kernels(entry.concluded, kernels)
        return tuple(out)

    def __len__(self) -> int:
        return len(self.transcript.entries)

    @property
    def ready(self) -> int:
        """The last step that needs no more work: all up to it are there at once."""
        return len(self._played) - 1

    def at(self, step: int, watch: Watch = quiet) -> Played:
        """What came of a step, 0 for the beginning; a number beyond the last is the last."""
        step = max(0, min(step, len(self)))
        while len(self._played) <= step:
            self._played.append(self._play(self.transcript.entries[len(self._played) - 1], watch))
        return self._played[step]

    def state(self, step: int, watch: Watch = quiet) -> State:
        """The state after a step."""
        return self.at(step, watch).state

    def _play(self, entry: Entry, watch: Watch) -> Played:
        before = self._played[-1].state
        deed = deed_of(entry, before)
        after, outcomes = do(before, entry, self.desk, watch)
        # What is done with exercises depends on what was done with them on this machine.
        done = entry.verb == "practise" or any(event is deed for event in after.log[len(before.log) :])
        for at, outcome in enumerate(outcomes):
            # Going on without its report would be another session, which must not take the place of a kept one.
            if not self.desk.kept or at in entry.failed:
                continue
            if isinstance(outcome, e.Failed) and isinstance(outcome.request, e.Read):
                raise InputError(outcome.message)
        if len(self._played) == len(self) and done and all(one.done for one in self._played):
            self.desk.end = after
        return Played(after, concluded(before, after, outcomes), done)

    def differences(self, step: int, watch: Watch = quiet) -> tuple[Difference, ...]:
        """Where a step concludes something else than it did when the session was saved."""
        played = self.at(step, watch)
        if not step:
            return ()
        return conclusions.differences(dict(self.transcript.entries[step - 1].concluded), dict(played.came))

    @property
    def changed(self) -> tuple[str, ...]:
        """After the first step: the reports that are not those that the session was saved with, a line each."""
        state = self._played[min(1, self.ready)].state
        now = {info.sha256 for info in state.diagnosis.reports} if state.diagnosis is not None else set()
        was = self.transcript.header.readings[:1]
        infos = [info for reading in was for info in reading.reports if info.sha256 and info.sha256 not in now]
        return tuple(f"{info.path}: has changed since, and so may what is concluded" for info in infos) if now else ()

    def accepted(self, watch: Watch = quiet) -> Transcript:
        """The transcript with what is concluded now in place of what was."""
        import msgspec

        from advisor import __version__
        from advisor.session.transcripts.attachments import knowledge_digest

        entries = tuple(
            replace(entry, concluded=self.at(number, watch).came)
            for number, entry in enumerate(self.transcript.entries, 1)
        )
        header = msgspec.structs.replace(self.transcript.header, tool=__version__, knowledge=knowledge_digest())
        return replace(self.transcript, header=header, entries=entries)


def _kernels(concluded: Mapping[str, Any], before: tuple[str, ...]) -> tuple[str, ...]:
    """The kernels of the launches after a step, as the file tells them; empty names where it does not."""
    launches = concluded.get("launches")
    if not isinstance(launches, list):
        return before
    return tuple(str(one.get("kernel") or "") if isinstance(one, dict) else "" for one in launches)


def describe(entry: Entry, kernels: tuple[str, ...] = ()) -> str:
    """What was done, in words. kernels: those of the launches before the step, in their order."""
    fields = {} if entry.deed is None else {n: getattr(entry.deed, n) for n in entry.deed.__dataclass_fields__}
    shown = {name: _shown(name, value) for name, value in fields.items()}
    text = serialize.DONE.get(entry.verb)
    match entry.deed:
        case d.LaunchSelected(position=at) if 0 <= at < len(kernels) and kernels[at]:
            text = (
                "looks at {kernel}"
                if kernels.count(kernels[at]) == 1
                else "looks at {kernel}, the launch at place {position}"
            )
            shown["kernel"] = kernels[at]
        case d.Supposed(values=()):
            text = "takes the measured values again"
        case d.SourceSought():
            parts = [told.format(value=shown[name]) for name, told in serialize.SOUGHT.items() if fields[name]]
            shown["sought"] = ", ".join(parts) or "by the measure of the finding"
        case d.ViewShown(view=view, subject=subject):
            name = serialize.OPENED.get(view, view)
            shown["view"] = f"{name}: {subject}" if subject else name
    if text is None:
        return " ".join([entry.verb, *map(str, shown.values())])
    if entry.verb == "begin" and not fields.get("paths"):
        shown["paths"] = _shown("paths", fields.get("traces")) if fields.get("traces") else "no report"
    return " ".join(text.format(**shown).split())


def _shown(name: str, value: Any) -> str:
    if value is None:
        return "don't know"
    if isinstance(value, tuple):
        items = [" = ".join(map(_plain, item)) if isinstance(item, tuple) else _plain(item) for item in value]
        return ", ".join(items) or "nothing"
    if name == "finding" and not value:
        return "this"
    return _plain(value)


def _plain(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
