"""Performs what a session waits for. It alone calls the reasoning, through sources that can be injected."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

from advisor.dialogue import events as e
from advisor.dialogue import face
from advisor.dialogue.records import Lore, Proved, Reckoning, Renewed
from advisor.dialogue.state import State
from advisor.errors import AdvisorError, UsageError
from advisor.model import Diagnosis, LaunchDiagnosis

_KEPT = 12  # analyses kept for going back and forth; each holds its report's frame
_log = logging.getLogger(__name__)
_log.addHandler(logging.NullHandler())  # else the last resort of logging would write across the screen


class CalledOff(Exception):  # noqa: N818  (no error: what a progress call raises to stop the work)
    """Nobody waits for this work any more."""


Progress = Callable[[str, int, int], None]
Answers = tuple[tuple[int | None, str, float | str], ...]


class Judged(Protocol):
    """What the desk needs of an analysis (advisor.pipelines.diagnose.Analysis)."""

    diagnosis: Diagnosis

    def how(self, position: int, finding_id: str) -> Any:
        """The proof of a finding."""

    def why_not(self, position: int, finding_id: str) -> Any:
        """What kept a finding from being concluded."""

    def flips(self, position: int, finding_id: str = "") -> Any:
        """Where a conclusion would turn."""

    def what_if(self, position: int, values: Mapping[str, float]) -> LaunchDiagnosis:
        """The launch with other values."""

    def answered(self, position: int | None, answers: Mapping[str, float | str]) -> Judged:
        """The analysis with more answers."""


def _nowhere(*_: Any) -> Any:
    raise UsageError(face.NOT_AVAILABLE)


@dataclass(frozen=True)
class Sources:
    """Where everything comes from: reading and judging, the lore, explanations, the napkin, and what views ask for.

    trace: the files of traces to a timeline.TimelineResult; compare: two analyses and their launches' positions to a
    comparison; locate: the analysis and the request to a source view; gather: a launch to lines of text; write: the
    request and the state to the path written; practise: the request to what the practice room gives back.
    """

    analyse: Callable[[Sequence[Path], str | None, Progress], Judged]
    analyse_numbers: Callable[[Mapping[str, float | str], str | None], Judged]
    lore: Callable[[], Lore]
    explain: Callable[[str], Any]
    reckon: Callable[[str, Mapping[str, float | str], LaunchDiagnosis], Reckoning]
    trace: Callable[[Sequence[Path], Progress], Any] = _nowhere
    compare: Callable[[Judged, int, Judged], Renewed] = _nowhere
    locate: Callable[[Judged, e.Locate, Progress], Any] = _nowhere
    gather: Callable[[LaunchDiagnosis], Any] = _nowhere
    write: Callable[[e.Write, State], str] = _nowhere
    practise: Callable[[e.Practise, Progress], Any] = _nowhere


@dataclass
class Desk:
    """One session's worker. `perform` may be called from any thread, one call at a time takes effect."""

    sources: Sources
    _bases: dict[tuple[str, ...], Judged] = field(default_factory=dict)
    _kept: OrderedDict[tuple[tuple[str, ...], Answers], Judged] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def perform(self, request: e.Request, state: State, progress: Progress) -> e.Outcome:
        """Do the work; whatever goes wrong becomes a Failed outcome with one line for the user."""
        try:
            with self._lock:
                return self._perform(request, state, progress)
        except CalledOff:
            return e.Failed(request, face.CALLED_OFF)
        except AdvisorError as problem:
            return e.Failed(request, str(problem))
        except Exception as problem:
            # A bad input must never end the session. The trace goes to the log for whoever listens there.
            _log.exception("a request of the session failed: %r", request)
            return e.Failed(request, face.UNEXPECTED.format(problem=f"{type(problem).__name__}: {problem}"))

    def _perform(self, request: e.Request, state: State, progress: Progress) -> e.Outcome:
        sources = self.sources
        match request:
            case e.Read():
                return self._read(request, state, progress)
            case e.Conclude():
                return e.Concluded(request, self._at(request.answers, state).diagnosis)
            case e.Look():
                return e.Told(request, sources.explain(request.word))
            case e.Trace():
                return e.Told(request, sources.trace([Path(p) for p in request.paths], progress))
            case e.Write():
                return e.Told(request, sources.write(request, state))
            case e.Practise():
                return e.Told(request, sources.practise(request, progress))
        judged = self._at(state.answers, state)
        match request:
            case e.Prove(what="why_not"):
                return e.Told(request, judged.why_not(request.position, request.finding))
            case e.Prove():
                proof = judged.how(request.position, request.finding)
                return e.Told(request, Proved(proof, tuple(judged.flips(request.position, request.finding))))
            case e.Suppose():
                return e.Told(request, judged.what_if(request.position, dict(request.values)))
            case e.Renew():
                return e.Told(request, self._renewed(request, state, judged, progress))
            case e.Locate():
                return e.Told(request, sources.locate(judged, request, progress))
            case e.Gather():
                return e.Told(request, sources.gather(judged.diagnosis.launches[request.position]))
        launch = judged.diagnosis.launches[request.position]
        return e.Told(request, sources.reckon(request.algorithm, dict(request.parameters), launch))

    def _read(self, request: e.Read, state: State, progress: Progress) -> e.Opened:
        self._kept.clear()
        self._bases.clear()
        if not request.paths:
            return e.Opened(request, None, self.sources.lore())
        base = self.sources.analyse([Path(p) for p in request.paths], state.gpu or None, progress)
        self._bases[request.paths] = base
        return e.Opened(request, base.diagnosis, self.sources.lore())

    def _renewed(self, request: e.Renew, state: State, before: Judged, progress: Progress) -> Renewed:
        base = self.sources.analyse([Path(request.path)], state.gpu or None, progress)
        self._bases[(request.path,)] = base
        return self.sources.compare(before, request.position, base)

    def _key(self, answers: Answers, state: State) -> tuple[tuple[str, ...], Answers]:
        return state.paths, answers

    def _at(self, answers: Answers, state: State) -> Judged:
        """The analysis with exactly these answers, from the nearest one kept."""
        key = self._key(answers, state)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        judged = self._numbers(answers, state) if state.numbers else self._answered(answers, state)
        self._kept[key] = judged
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return judged

    def _numbers(self, answers: Answers, state: State) -> Judged:
        values = {question: value for _, question, value in answers}
        gpu = values.pop("gpu", state.gpu)
        return self.sources.analyse_numbers(values, str(gpu) or None)

    def _answered(self, answers: Answers, state: State) -> Judged:
        base = self._bases.get(state.paths)
        if base is None:
            raise AdvisorError(face.NOTHING_OPEN)
        known = max((n for n in range(1, len(answers)) if self._key(answers[:n], state) in self._kept), default=0)
        judged = self._kept[self._key(answers[:known], state)] if known else base
        todo: list[tuple[int | None, dict[str, float | str]]] = []
        for position, question, value in answers[known:]:
            if not todo or todo[-1][0] != position:
                todo.append((position, {}))
            todo[-1][1][question] = value
        for position, given in todo:
            judged = judged.answered(position, given)
        return judged
