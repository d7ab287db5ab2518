"""The real sources of a session: diagnoses, the knowledge base, traces, source code and exercises.

It imports all of the reasoning: `executor.sources` does so in the worker, when the first of them is called.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from advisor.explain import explain
from advisor.hardware import gpus
from advisor.knowledge.base import Catalog, catalog, workloads
from advisor.practice.lessons import Lessons
from advisor.practice.state import Store
from advisor.readers.workload import typed
from advisor.reasoning.collect import gather
from advisor.reasoning.diagnose import analyse, analyse_numbers
from advisor.records import resources
from advisor.records.diagnosis import Diagnosis, LaunchDiagnosis
from advisor.records.readings import Progress
from advisor.session.cards import algorithms, estimate
from advisor.session.executor import Judged
from advisor.session.experiments import timeline as asked
from advisor.session.experiments.versions import compare
from advisor.session.interview.choosing import first_page
from advisor.session.interview.numbers import interview
from advisor.session.language.names import names_of
from advisor.session.records import (
    Ask,
    Choice,
    KnowledgeIndex,
    NapkinResult,
    Pitfall,
    Ridge,
    Step,
    VersionComparison,
)
from advisor.session.requests import Locate, Practise
from advisor.source.viewer import Viewer
from advisor.timeline import analyse as timeline

# Part III comes between the numbered steps and the annexes.
_AFTER: Final = "IV"


class Services:
    """What performs the requests of a session, on our knowledge base and a team's folders.

    options go on to `analyse` (ptxas, kernel, jobs, …).
    """

    def __init__(self, knowledge: tuple[Path, ...] = (), options: Mapping[str, Any] | None = None) -> None:
        self._folders, self._options = knowledge, dict(options or {})
        self._viewer: Any = Viewer()
        self._lessons: Lessons | None = None

    def analyse(self, paths: Sequence[Path], gpu: str | None, progress: Progress) -> Judged:
        """The diagnosis of reports."""
        return analyse(paths, gpu=gpu, knowledge=self._folders, progress=progress, **self._options)

    def analyse_numbers(self, values: Mapping[str, float | str], gpu: str | None) -> Judged:
        """The diagnosis of typed numbers."""
        numbers: dict[str, Any] = dict(values)
        workload = numbers.pop("subject", "") == "workload"
        if workload:
            numbers = _with_choices(numbers)
        name = "your draw or dispatch" if workload else "your kernel"
        return analyse_numbers(numbers, gpu=gpu, knowledge=self._folders, name=name, workload=workload)

    def choose(self, judged: Judged, asks: Sequence[Ask]) -> tuple[str, ...] | None:
        """The questions worth asking, the best first; None where all are asked in order."""
        from advisor.reasoning.analysis import Analysis  # loads pandas: not before the first report is read

        if not isinstance(judged, Analysis):
            return None
        launch = judged.diagnosis.launches[0]
        if first_page(asks) and not any(found.id == "launch_overhead" for found in launch.findings):
            return None  # what comes next is settled: no need to try anything
        questions, choices = judged.catalog.questions, typed().choices
        of: dict[str, str] = {}  # metric or question of the engine -> the question of the interview that answers it
        for ask in asks:
            if ask.group == "workload" and ask.id in choices:
                of |= {metric: ask.id for sets in choices[ask.id].values.values() for metric in sets}
            else:
                entry = questions.get(ask.id)
                of[entry.sets if entry is not None and entry.sets else ask.id] = ask.id
        return tuple(dict.fromkeys(of[name] for name in judged.wanted(tuple(of))))

    def knowledge(self) -> KnowledgeIndex:
        """What the knowledge base gives to a session before any report."""
        return knowledge_index(self._folders)

    def explain(self, word: str) -> Any:
        """The entry of a word."""
        return explain.explain(word, self._folders)

    def contents(self) -> Sequence[Any]:
        """All entries of the knowledge base."""
        return explain.contents(self._folders)

    def find(self, text: str, most: int) -> Sequence[Any]:
        """The entries about some words, the nearest first."""
        return explain.find(text, most, self._folders)

    def estimate(self, algorithm: str, parameters: Mapping[str, float | str], launch: LaunchDiagnosis) -> NapkinResult:
        """The napkin math of an algorithm on the GPU of the launch."""
        return estimate(algorithm, parameters, launch)

    def trace(self, paths: Sequence[Path], progress: Progress) -> Any:
        """The patterns in traces."""
        return timeline.analyse(paths, knowledge=self._folders, progress=lambda stage: progress(stage, 0, 0))

    def trace_numbers(self, values: Mapping[str, float]) -> Any:
        """The patterns in typed numbers of a timeline."""
        return timeline.conclude_numbers(values, catalog(self._folders))

    def compare(
        self, before: Diagnosis, current: Judged, launch: int | None, answers: Mapping[str, float | str]
    ) -> VersionComparison:
        """A new version against the old."""
        return compare(catalog(self._folders), before, current, launch, answers)

    def gather(self, launch: LaunchDiagnosis) -> Any:
        """The command that collects what the launch lacks."""
        return gather(catalog(self._folders), launch)

    def locate(self, judged: Judged, request: Locate, progress: Progress) -> Any:
        """The lines and instructions of a launch."""
        progress("locate", 0, 0)
        return self._viewer.see(
            judged,
            request.position,
            by=request.by,
            search=request.search,
            where=request.where,
            columns=request.columns,
            finding=request.finding,
        )

    def practise(self, request: Practise, progress: Progress) -> Any:
        """Work on an exercise."""
        self._lessons = self._lessons or Lessons(Store())
        return self._lessons.perform(request.action, request.exercise, dict(request.arguments), progress)


def _with_choices(values: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers as they are, and the choices of a workload as the metrics that they set."""
    choices, out = typed().choices, dict[str, Any]()
    for name, value in values.items():
        if name not in choices:
            out[name] = value
            continue
        out |= {metric: 0.0 for sets in choices[name].values.values() for metric in sets}
        out |= choices[name].values.get(str(value), {})
    return out


def knowledge_index(folders: tuple[Path, ...] = ()) -> KnowledgeIndex:
    """What the knowledge base gives to a session before any report."""
    known = catalog(folders)
    titles = {name: entry.title for name, entry in known.classes.items()}
    titles |= {name: entry.title for name, entry in workloads(known).findings.items()}
    titles |= {name: entry.title for name, entry in known.findings.items()}
    keys = [f"{key}.{place}" for key, source in known.sources.items() for place in source.places]
    return KnowledgeIndex(
        ranges=tuple((q.id, q.low, q.high) for q in known.questions.values()),
        metrics=tuple((name, entry.unit, entry.means) for name, entry in known.metrics.items()),
        algorithms=algorithms(),
        interview=interview(known, tuple(Choice(name, name) for name in gpus.ids())),
        findings=tuple(titles.items()),
        words=explain.words(folders),
        exercises=tuple(sorted(p.parent.name for p in resources.folder("kernels").glob("*/exercise.yaml"))),
        cites=tuple((key, known.cite(key) or key) for key in (*known.sources, *keys)),
        steps=_steps(known),
        names=names_of(known),
        pitfalls=tuple(
            Pitfall(name, *(_text(entry, part) for part in ("title", "what", "cure", "found_by")))
            for name, entry in known.topic_file("pitfalls").items()
        ),
        ridges=tuple(
            Ridge(name, peak, ridge)
            for name in gpus.ids()
            for peak in gpus.gpu(name).peaks
            if (ridge := gpus.gpu(name).ridge(peak)) is not None
        ),
        timeline=_timeline_asks(known),
        placed=tuple(name for name, entry in known.findings.items() if entry.locate),
    )


def _steps(known: Catalog) -> tuple[Step, ...]:
    """All steps in the order of the method."""
    numbered, part_three = known.topic_file("steps"), known.topic_file("part_three")
    out: list[Step] = []
    for name, entry in numbered.items():
        if name == _AFTER:
            out += [_step(*item) for item in part_three.items()]
        out.append(_step(name, entry))
    return tuple(out)


def _step(name: str, entry: Mapping[str, Any]) -> Step:
    parts: dict[str, Any] = {"id": name}
    for part in ("title", "what", "exit", "misleads", "exercise", "formula", "example"):
        parts[part] = _text(entry, part)
    for part in ("steps", "look", "commands", "see", "cites", "points"):
        parts[part] = tuple(" ".join(str(item).split()) for item in entry.get(part, ()))
    return Step(why=" ".join(text for text in (_text(entry, "why"), _text(entry, "when")) if text), **parts)


def _text(entry: Mapping[str, Any], name: str) -> str:
    return " ".join(str(entry.get(name, "")).split())


def _timeline_asks(known: Catalog) -> tuple[Ask, ...]:
    """The numbers to ask for where there is no trace, in order: shares of the time and counts."""
    loss = "It is a loss of its own, fixed before any kernel; nsys shows it in the rows under the GPU."
    return tuple(
        Ask(
            id=metric,
            ask=ask,
            why=asked.ASKED_WHY.get(metric, loss),
            unit=known.metrics[metric].unit,
            low=0.0,
            high=100.0 if known.metrics[metric].unit == "%" else None,
            group="timeline",
        )
        for metric, ask, _ in asked.ASKED
    )
