"""Replay a transcript, and compare its conclusions with the saved ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, structs
from msgspec.structs import replace

from advisor import __version__
from advisor.records.errors import InputError
from advisor.session import events as e
from advisor.session.actions import BY_EVENT
from advisor.session.executor import Executor
from advisor.session.reducer import reduce
from advisor.session.state import State
from advisor.session.transcripts import recorder as conclusions
from advisor.session.transcripts.attachments import knowledge_digest
from advisor.session.transcripts.autosave import own, with_real_paths
from advisor.session.transcripts.format import Entry, Transcript
from advisor.session.transcripts.format import load as load_file
from advisor.session.transcripts.recorder import Difference, concluded
from advisor.session.transcripts.sandbox import Sandbox, stage, stage_here
from advisor.view.text import shown

_MOST_OUTCOMES: Final = 200  # maximum outcomes of one action: more would mean that requests never end
Watch = Callable[[str, int, int], None]


def quiet(what: str, done: int, total: int) -> None:
    """Ignore the progress."""


def settle(
    state: State, executor: Executor, entry: Entry | None = None, watch: Watch = quiet
) -> tuple[State, tuple[e.Outcome, ...]]:
    """Return the state after the work that it waits for, and the outcomes.

    entry: perform only as many requests as it has outcomes, and repeat its failures.
    """
    most = _MOST_OUTCOMES if entry is None or entry.settled is None else min(entry.settled, _MOST_OUTCOMES)
    failed = {} if entry is None else entry.failed
    outcomes: list[e.Outcome] = []
    while state.waiting and len(outcomes) < most:
        request, at = state.waiting[0], len(outcomes)
        outcome = e.Failed(request, failed[at]) if at in failed else executor.perform(request, state, watch)
        after = reduce(state, outcome)
        if after is state:
            break
        state = after
        outcomes.append(outcome)
    return state, tuple(outcomes)


def do(state: State, entry: Entry, executor: Executor, watch: Watch = quiet) -> tuple[State, tuple[e.Outcome, ...]]:
    """Return the state after an entry's event and its work, and the outcomes."""
    return settle(reduce(state, entry.event), executor, entry, watch)


class Step(Struct, frozen=True):
    """One step of a replay: its number from 1, its verb, the action in words, and the saved conclusion.

    A run of "I don't know" is one step; entries: the number of its actions; expected: the conclusion of the last.
    """

    number: int
    verb: str
    words: str
    expected: Mapping[str, Any]
    entries: int = 1


class Played(Struct, frozen=True):
    """The outcome of a step: the state after it, its conclusion, and whether the action was possible."""

    state: State
    came: Mapping[str, Any]
    done: bool = True


@dataclass
class Player:
    """One transcript. State 0 is before the first step; `at(k)` replays each step up to k only once.

    A step is an action of the transcript, or a run of questions answered with "I don't know".

    Nothing that a transcript names is opened, written or run; only the reports of an automatically saved session are
    read again. Only one thread at a time may use it.
    """

    transcript: Transcript
    executor: Sandbox
    name: str = ""
    _played: list[Played] = field(default_factory=lambda: [Played(State(), {})])

    @classmethod
    def load(cls, path: Path) -> Player:
        """Return the player of a file. Raises InputError with one line if it is not a transcript or is unusable."""
        transcript = load_file(path)
        if not own(path):
            return cls(transcript, stage(transcript), str(path))
        here = replace(transcript, entries=with_real_paths(transcript, path))
        return cls(here, stage_here(transcript, path.stem), str(path))

    @property
    def title(self) -> str:
        """Return the title of the transcript; the file's name if it has none."""
        return self.transcript.header.title or Path(self.name).name

    @property
    def steps(self) -> tuple[Step, ...]:
        """Return all steps."""
        out: list[Step] = []
        kernels: tuple[str, ...] = ()
        for number, (begin, end) in enumerate(self._spans, 1):
            run = self.transcript.entries[begin:end]
            words = describe(run[0], kernels) if len(run) == 1 else _unknown_words(run)
            out.append(Step(number, run[0].event.verb, words, run[-1].concluded, len(run)))
            for entry in run:
                kernels = _kernels(entry.concluded, kernels)
        return tuple(out)

    @cached_property
    def _spans(self) -> tuple[tuple[int, int], ...]:
        """Return the first entry of each step and the one after its last."""
        spans: list[tuple[int, int]] = []
        for _, run in groupby(enumerate(self.transcript.entries), lambda item: -1 if _unknown(item[1]) else item[0]):
            places = [at for at, _ in run]
            spans.append((places[0], places[-1] + 1))
        return tuple(spans)

    def __len__(self) -> int:
        return len(self._spans)

    @property
    def ready(self) -> int:
        """Return the index of the last step whose state is already calculated."""
        return sum(end < len(self._played) for _, end in self._spans)

    def at(self, step: int, watch: Watch = quiet) -> Played:
        """Return the outcome of a step, 0 for the beginning; a number beyond the last means the last step.

        A run is possible only if each of its actions is.
        """
        step = max(0, min(step, len(self)))
        if not step:
            return self._played[0]
        begin, end = self._spans[step - 1]
        while len(self._played) <= end:
            self._played.append(self._play(self.transcript.entries[len(self._played) - 1], watch))
        last = self._played[end]
        return replace(last, done=all(one.done for one in self._played[begin + 1 : end + 1]))

    def state(self, step: int, watch: Watch = quiet) -> State:
        """Return the state after a step."""
        return self.at(step, watch).state

    def _play(self, entry: Entry, watch: Watch) -> Played:
        before = self._played[-1].state
        after, outcomes = do(before, entry, self.executor, watch)
        # An action on an exercise depends on the learner's progress on this machine.
        done = isinstance(entry.event, e.Practised) or any(
            event is entry.event for event in after.log[len(before.log) :]
        )
        for at, outcome in enumerate(outcomes):
            # Without its report it would be a different session, which must not replace the saved one.
            if not self.executor.kept or at in entry.failed:
                continue
            if isinstance(outcome, e.Failed) and isinstance(outcome.request, e.Read):
                raise InputError(outcome.message)
        if len(self._played) == len(self.transcript.entries) and done and all(one.done for one in self._played):
            self.executor.end = after
        return Played(after, concluded(before, after, outcomes), done)

    def differences(self, step: int, watch: Watch = quiet) -> tuple[Difference, ...]:
        """Return the differences between a step's conclusion and the saved one."""
        self.at(step, watch)
        if not step:
            return ()
        begin, end = self._spans[min(step, len(self)) - 1]
        return tuple(
            difference
            for at in range(begin, end)
            for difference in conclusions.differences(
                dict(self.transcript.entries[at].concluded), dict(self._played[at + 1].came)
            )
        )

    @property
    def changed(self) -> tuple[str, ...]:
        """Return, after the first step, a line for each report that has changed since the session was saved."""
        state = self._played[min(1, self.ready)].state
        now = {info.sha256 for info in state.diagnosis.reports} if state.diagnosis is not None else set()
        was = self.transcript.header.readings[:1]
        infos = [info for reading in was for info in reading.reports if info.sha256 and info.sha256 not in now]
        return (
            tuple(f"{info.path}: has changed since the session was saved; conclusions can differ" for info in infos)
            if now
            else ()
        )

    def accepted(self, watch: Watch = quiet) -> Transcript:
        """Return the transcript with the conclusions of this version."""
        self.at(len(self), watch)
        entries = tuple(
            replace(entry, concluded=played.came)
            for entry, played in zip(self.transcript.entries, self._played[1:], strict=True)
        )
        header = structs.replace(self.transcript.header, tool=__version__, knowledge=knowledge_digest())
        return replace(self.transcript, header=header, entries=entries)


def _kernels(concluded: Mapping[str, Any], before: tuple[str, ...]) -> tuple[str, ...]:
    """Return the kernels of the launches after a step, from the file; empty names if it has none."""
    launches = concluded.get("launches")
    if not isinstance(launches, list):
        return before
    return tuple(str(one.get("kernel") or "") if isinstance(one, dict) else "" for one in launches)


def _unknown(entry: Entry) -> bool:
    """Return whether the entry answers a question with "I don't know"."""
    return isinstance(entry.event, e.Answered) and entry.event.value is None


def _unknown_words(run: Sequence[Entry]) -> str:
    """Return a run of unknown answers in words, with the questions' ids."""
    names = [entry.event.question for entry in run if isinstance(entry.event, e.Answered)]
    return f"does not know {len(names)} numbers: {', '.join(names)}"


def describe(entry: Entry, kernels: tuple[str, ...] = ()) -> str:
    """Return the action in words. kernels: those of the launches before the step, in their order."""
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


_SHOWN = 12  # maximum differences of one step
_STEPS = 8  # maximum steps shown: one difference often causes differences in all later steps


class StepDifference(Struct, frozen=True):
    """A step with a different conclusion; `done` is False if the action was not possible."""

    step: Step
    differences: tuple[Difference, ...]
    done: bool = True


def check_text(name: str, steps: int, found: Sequence[StepDifference], width: int) -> str:
    """Return one line if nothing changed; else each changed step with the saved and the new conclusion."""
    if not found:
        return f"{shown(name)}: all {steps} conclusions as saved"
    lines = [f"{shown(name)}: {len(found)} of {steps} steps have other conclusions"]
    for one in found[:_STEPS]:
        lines.append("  " + shown(f"step {one.step.number}, {one.step.words}")[: width - 2])
        if not one.done:
            lines.append("    this action was not possible and changed nothing")
        for item in one.differences[:_SHOWN]:
            lines.append(f"    {shown(item.place)}"[:width])
            lines.append(f"      expected  {_value(item.expected, width - 16)}")
            lines.append(f"      came      {_value(item.came, width - 16)}")
        if len(one.differences) > _SHOWN:
            lines.append(f"    … and {len(one.differences) - _SHOWN} more")
    if len(found) > _STEPS:
        lines.append(f"  … and {len(found) - _STEPS} later steps")
    return "\n".join(lines)


def _value(value: Any, width: int) -> str:
    if value is None:
        return "nothing"
    text = shown(value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False))
    return text if len(text) <= width else text[: width - 1] + "…"
