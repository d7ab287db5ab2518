"""A transcript replayed, forwards by working, backwards for free; and whether it still concludes the same."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from msgspec import structs

from advisor import __version__
from advisor.records.errors import InputError
from advisor.session import events as e
from advisor.session.actions import BY_EVENT
from advisor.session.state import State
from advisor.session.transcripts import format as serialize
from advisor.session.transcripts import recorder as conclusions
from advisor.session.transcripts.attachments import knowledge_digest
from advisor.session.transcripts.authoring import Watch, do, quiet
from advisor.session.transcripts.autosave import own, with_real_paths
from advisor.session.transcripts.format import Entry, Transcript
from advisor.session.transcripts.format import load as load_file
from advisor.session.transcripts.recorder import Difference, concluded
from advisor.session.transcripts.sandbox import Sandbox, stage, stage_here
from advisor.view.text import shown


@dataclass(frozen=True, slots=True)
class Step:
    """One action of a transcript: its number from 1, its verb, what was done in words, what was concluded then."""

    number: int
    verb: str
    words: str
    expected: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a step: the state after it, what was concluded, and whether the action could be done at all."""

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
    desk: Sandbox
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
            out.append(Step(number, entry.event.verb, describe(entry, kernels), entry.concluded))
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
        after, outcomes = do(before, entry, self.desk, watch)
        # What is done with exercises depends on what was done with them on this machine.
        done = isinstance(entry.event, e.Practised) or any(
            event is entry.event for event in after.log[len(before.log) :]
        )
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
        entries = tuple(
            replace(entry, concluded=self.at(number, watch).came)
            for number, entry in enumerate(self.transcript.entries, 1)
        )
        header = structs.replace(self.transcript.header, tool=__version__, knowledge=knowledge_digest())
        return replace(self.transcript, header=header, entries=entries)


def _kernels(concluded: Mapping[str, Any], before: tuple[str, ...]) -> tuple[str, ...]:
    """The kernels of the launches after a step, as the file tells them; empty names where it does not."""
    launches = concluded.get("launches")
    if not isinstance(launches, list):
        return before
    return tuple(str(one.get("kernel") or "") if isinstance(one, dict) else "" for one in launches)


def describe(entry: Entry, kernels: tuple[str, ...] = ()) -> str:
    """The action, in words. kernels: those of the launches before the step, in their order."""
    words, event = BY_EVENT[type(entry.event)].words, entry.event
    if callable(words):
        return words(event, kernels)
    shown = {name: _shown(name, getattr(event, name)) for name in event.__struct_fields__}
    return " ".join(words.format(**shown).split())


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


_SHOWN = 12  # differences of one step
_STEPS = 8  # what differs once often makes all that follows differ


@dataclass(frozen=True, slots=True)
class StepDifference:
    """A step that concludes something else; `done` is False where it could not be done at all."""

    step: Step
    differences: tuple[Difference, ...]
    done: bool = True


def check_text(name: str, steps: int, found: Sequence[StepDifference], width: int) -> str:
    """One line where all is as saved; else each step with what was expected and what came."""
    if not found:
        return f"{shown(name)}: all {steps} conclusions as saved"
    lines = [f"{shown(name)}: {len(found)} of {steps} steps conclude something else"]
    for one in found[:_STEPS]:
        lines.append("  " + shown(serialize.STEP.format(number=one.step.number, what=one.step.words))[: width - 2])
        if not one.done:
            lines.append(f"    {serialize.IGNORED}")
        for item in one.differences[:_SHOWN]:
            lines.append(f"    {shown(item.place)}"[:width])
            lines.append(f"      {serialize.EXPECTED:<9} {_value(item.expected, width - 16)}")
            lines.append(f"      {serialize.CAME:<9} {_value(item.came, width - 16)}")
        if len(one.differences) > _SHOWN:
            lines.append("    " + f"… and {len(one.differences) - _SHOWN} more")
    if len(found) > _STEPS:
        lines.append("  " + f"… and {len(found) - _STEPS} later steps")
    return "\n".join(lines)


def _value(value: Any, room: int) -> str:
    if value is None:
        return "nothing"
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
    text = shown(text)
    return text if len(text) <= room else text[: room - 1] + "…"
