"""Perform the requests of a session. Only this module calls the reasoning, through sources that tests can replace."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from advisor.compare.side import Side, parse_side
from advisor.hardware.ceilings import CeilingsByGpu
from advisor.records.diagnosis import Diagnosis, LaunchDiagnosis
from advisor.records.errors import AdvisorError, UsageError
from advisor.records.readings import Progress, ReportInfo
from advisor.session import events as e
from advisor.session.experiments.versions import carried
from advisor.session.interview.choosing import open_numbers
from advisor.session.records import Ask, KnowledgeIndex, NapkinResult, Proved, VersionComparison
from advisor.session.state import State

_MADE = 64  # number of proofs and tried values kept; each holds one launch
_KEPT = 12  # number of analyses kept for undo; each holds its report's frame
_log = logging.getLogger(__name__)
_log.addHandler(logging.NullHandler())  # Without a handler, logging would write to the screen.


class CancelledWorkError(Exception):
    """Raised by a progress callback to stop cancelled work."""


Answers = tuple[tuple[int | None, str, float | str], ...]
Base = tuple[tuple[str, ...], int]  # key of an analysis: the reports, and the number of versions before them


class Judged(Protocol):
    """The methods of an analysis (reasoning.diagnose.Analysis) that the executor calls."""

    diagnosis: Diagnosis

    def how(self, position: int, finding_id: str) -> Any:
        """Return the proof of a finding."""

    def why_not(self, position: int, finding_id: str) -> Any:
        """Return what kept a finding from being concluded."""

    def flips(self, position: int, finding_id: str = "") -> Any:
        """Return the values at which a conclusion flips."""

    def turns(self, position: int) -> Mapping[str, tuple[float, ...]]:
        """Return a mapping from each metric to the values at which evidence flips."""

    def what_if(self, position: int, values: Mapping[str, float]) -> LaunchDiagnosis:
        """Return the diagnosis of the launch with other values."""

    def answered(self, position: int | None, answers: Mapping[str, float | str]) -> Judged:
        """Return the analysis with more answers."""


def _nowhere(*_: Any) -> Any:
    raise UsageError("This is not available here.")


class Sources(Struct, frozen=True):
    """The functions that a session calls: diagnoses, the knowledge index, explanations, estimates, contents of views.

    analyse_launches: diagnoses launches of a transcript, from their reports, the GPU's name and the measured ceilings;
    trace: reads trace files into a timeline.TimelineResult; trace_numbers: the same for typed numbers; compare:
    compares a diagnosis of the former launch alone with the new analysis, given the index of the launch there (None:
    the one that matches) and the answers that still hold; locate: returns the source view of an analysis and a request;
    gather: returns the command that collects what a launch lacks (reasoning.collect.Gathered); answer: answers a plain
    question (answers.parts.Answered); write: takes the request
    and the state, returns the path written; practise: returns the result of a request on an exercise; choose: in an
    interview, takes the analysis, the open questions and the skipped ones, returns those worth asking, the best first,
    or None for all in order; side: parses a typed path into a report and a launch of it; contents, find: return all
    entries of the knowledge base and those that match some words (explain.Hit), from any thread.
    """

    analyse: Callable[[Sequence[Path], str | None, Progress], Judged]
    analyse_numbers: Callable[[Mapping[str, float | str], str | None], Judged]
    knowledge: Callable[[], KnowledgeIndex]
    explain: Callable[[str], Any]
    estimate: Callable[[str, Mapping[str, float | str], LaunchDiagnosis], NapkinResult]
    analyse_launches: Callable[[Sequence[Any], tuple[ReportInfo, ...], str | None, CeilingsByGpu], Judged] = _nowhere
    trace: Callable[[Sequence[Path], Progress], Any] = _nowhere
    trace_numbers: Callable[[Mapping[str, float]], Any] = _nowhere
    compare: Callable[[Diagnosis, Judged, int | None, Mapping[str, float | str]], VersionComparison] = _nowhere
    locate: Callable[[Judged, e.Locate, Progress], Any] = _nowhere
    gather: Callable[[LaunchDiagnosis], Any] = _nowhere
    answer: Callable[[Judged, e.AnswerQuestion], Any] = _nowhere
    write: Callable[[e.Write, State], str] = _nowhere
    practise: Callable[[e.Practise, Progress], Any] = _nowhere
    choose: Callable[[Judged, Sequence[Ask], Sequence[Ask]], tuple[str, ...] | None] = lambda judged, asks, later: None
    side: Callable[[str], Side] = parse_side
    contents: Callable[[], Sequence[Any]] = _nowhere
    find: Callable[[str, int], Sequence[Any]] = _nowhere


def sources(knowledge: tuple[Path, ...] = (), **options: Any) -> Sources:
    """Return the real sources, on our own knowledge base and a team's folders; `options` are passed to `analyse`."""

    @cache
    def real() -> Sources:
        # Imported in the worker, on the first request: pandas and the reasoning load slower than the first screen.
        from advisor.session import services

        return services.real(knowledge, analyse)

    def analyse(paths: Sequence[Path], gpu: str | None, progress: Progress) -> Judged:
        # Only what starts the processes that read a report; everything else loads while they read.
        from advisor.reasoning import diagnose

        def meanwhile() -> None:
            real().knowledge()

        return diagnose.analyse(paths, gpu=gpu, knowledge=knowledge, progress=progress, meanwhile=meanwhile, **options)

    def late(name: str) -> Callable[..., Any]:
        return lambda *arguments: getattr(real(), name)(*arguments)

    kept = ("analyse", "side")
    return Sources(analyse=analyse, **{name: late(name) for name in Sources.__struct_fields__ if name not in kept})


@dataclass
class Executor:
    """Performs the requests of one session. `perform` may be called from any thread; calls run one at a time."""

    sources: Sources
    _bases: dict[Base, Judged] = field(default_factory=dict)
    _kept: OrderedDict[tuple[Base, Answers], Judged] = field(default_factory=OrderedDict)
    _made: OrderedDict[tuple[Base, Answers, e.Request], Any] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def perform(self, request: e.Request, state: State, progress: Progress) -> e.Outcome:
        """Do the work; any error becomes a Failed outcome with one line for the user."""
        try:
            with self._lock:
                return self._perform(request, state, progress)
        except CancelledWorkError:
            return e.Failed(request, "Cancelled. Nothing was changed.")
        except AdvisorError as problem:
            return e.Failed(request, str(problem))
        except Exception as problem:
            # A bad input must never end the session.
            _log.exception("a request of the session failed: %r", request)
            what = f"{type(problem).__name__}: {problem}"
            text = f"An internal error occurred ({what}). The session continues: try again or choose another launch."
            return e.Failed(request, text)

    def _perform(self, request: e.Request, state: State, progress: Progress) -> e.Outcome:
        sources = self.sources
        match request:
            case e.Read():
                return self._read(request, state, progress)
            case e.Conclude():
                judged = self._at(request.answers, state)
                return e.Concluded(request, judged.diagnosis, self._wanted(judged, request, state))
            case e.Explain():
                return e.Completed(request, sources.explain(request.word))
            case e.Trace():
                return e.Completed(request, self._traced(request, progress))
            case e.Write():
                return e.Completed(request, sources.write(request, state))
            case e.Practise():
                return e.Completed(request, sources.practise(request, progress))
        judged = self._at(state.answers, state)
        match request:
            case e.Prove() | e.Suppose():
                return e.Completed(request, self._concluded(request, state, judged))
            case e.CompareVersion():
                return e.Completed(request, self._compared(request, state, judged, progress))
            case e.Locate():
                return e.Completed(request, sources.locate(judged, request, progress))
            case e.AnswerQuestion():
                return e.Completed(request, sources.answer(judged, request))
            case e.BuildCollectCommand():
                return e.Completed(request, sources.gather(judged.diagnosis.launches[request.position]))
            case e.Estimate():
                launch = judged.diagnosis.launches[request.position]
                return e.Completed(request, sources.estimate(request.algorithm, dict(request.parameters), launch))
        raise TypeError(request)

    def _concluded(self, request: e.Prove | e.Suppose, state: State, judged: Judged) -> Any:
        """Return a proof, or the diagnosis with other values; the latest are kept, as a key may ask for them again."""
        key = (_base(state), state.answers, request)
        if key in self._made:
            self._made.move_to_end(key)
            return self._made[key]
        made: Any
        if isinstance(request, e.Suppose):
            made = judged.what_if(request.position, dict(request.values))
        elif request.what == "why_not":
            made = judged.why_not(request.position, request.finding)
        else:
            turns = judged.turns(request.position) if request.quiet else {}
            flips = tuple(judged.flips(request.position, request.finding))
            made = Proved(judged.how(request.position, request.finding), flips, turns)
        self._made[key] = made
        if len(self._made) > _MADE:
            self._made.popitem(last=False)
        return made

    def _wanted(self, judged: Judged, request: e.Conclude, state: State) -> tuple[str, ...] | None:
        """Return the numbers of an interview that are worth asking for, None for all or with a report."""
        if not state.numbers:
            return None
        left = {question for place, question in state.put_off if place is None}
        asks = open_numbers(state, request.answers)
        fresh, later = ([ask for ask in asks if (ask.id in left) == late] for late in (False, True))
        return self.sources.choose(judged, fresh, later)

    def _read(self, request: e.Read, state: State, progress: Progress) -> e.Opened:
        self._kept.clear()
        self._bases.clear()
        self._made.clear()
        if not request.paths:
            return e.Opened(request, None, self.sources.knowledge())
        base = self.sources.analyse([Path(p) for p in request.paths], state.gpu or None, progress)
        self._bases[(request.paths, 0)] = base
        return e.Opened(request, base.diagnosis, self.sources.knowledge())

    def _traced(self, request: e.Trace, progress: Progress) -> Any:
        if request.paths:
            return self.sources.trace([Path(p) for p in request.paths], progress)
        return self.sources.trace_numbers(dict(request.values))

    def _compared(
        self, request: e.CompareVersion, state: State, judged: Judged, progress: Progress
    ) -> VersionComparison:
        if not request.path:
            before = state.earlier[-1][0]
            return self.sources.compare(_alone(before, judged.diagnosis.reports[0]), judged, None, {})
        side = self.sources.side(request.path)
        base = self.sources.analyse([side.path], state.gpu or None, progress)
        launch = judged.diagnosis.launches[request.position]
        reports = judged.diagnosis.reports
        info = reports[launch.report] if launch.report < len(reports) else reports[0]
        found = self.sources.compare(_alone(launch, info), base, side.launch, carried(state))
        self._keep((str(side.path),), len(state.earlier) + 1, base)
        return replace(found, path=str(side.path), answers=tuple(carried(state).items()))

    def _keep(self, paths: tuple[str, ...], version: int, base: Judged) -> None:
        """Keep the analysis of a new version, and drop later ones that the user undid."""
        self._made.clear()
        self._bases = {key: kept for key, kept in self._bases.items() if key[1] < version}
        self._kept = OrderedDict((key, kept) for key, kept in self._kept.items() if key[0][1] < version)
        self._bases[(paths, version)] = base

    def _at(self, answers: Answers, state: State) -> Judged:
        """Return the analysis with exactly these answers, derived from the nearest one kept."""
        key = (_base(state), answers)
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
        key = _base(state)
        if key not in self._bases:
            if not state.paths:
                raise AdvisorError("No report is open: open one first.")
            # A resumed session reads its report when it first needs it.
            paths = [Path(path) for path in state.paths]
            self._bases[key] = self.sources.analyse(paths, state.gpu or None, lambda what, done, total: None)
        base = self._bases[key]
        known = max((n for n in range(1, len(answers)) if (_base(state), answers[:n]) in self._kept), default=0)
        judged = self._kept[_base(state), answers[:known]] if known else base
        todo: list[tuple[int | None, dict[str, float | str]]] = []
        for position, question, value in answers[known:]:
            if not todo or todo[-1][0] != position:
                todo.append((position, {}))
            todo[-1][1][question] = value
        for position, given in todo:
            judged = judged.answered(position, given)
        return judged


def _base(state: State) -> Base:
    return state.paths, len(state.earlier)


def _alone(launch: LaunchDiagnosis, info: ReportInfo) -> Diagnosis:
    return Diagnosis((info,), (launch,))
