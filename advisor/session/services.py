"""The real sources of a session: the pipelines, the knowledge base, the napkin. Imported by the worker, not before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.records import resources
from advisor.session import events as e
from advisor.session.executor import Judged, Sources
from advisor.session.records import Ask, Choice, Lore, Reckoning, Renewed

if TYPE_CHECKING:
    from advisor.records.diagnosis import Diagnosis, LaunchDiagnosis
    from advisor.records.readings import Progress


def sources(knowledge: tuple[Path, ...] = (), **options: Any) -> Sources:
    """Sources on our own knowledge base and a team's folders; `options` go on to `analyse` (ptxas, kernel, jobs, …).

    Nothing heavy is imported before the first of them is called.
    """
    return Sources(
        analyse=_analyse(knowledge, options),
        analyse_numbers=_analyse_numbers(knowledge),
        choose=_choose,
        lore=lambda: lore(knowledge),
        explain=_explain(knowledge),
        reckon=_reckon,
        trace=_trace(knowledge),
        trace_numbers=_trace_numbers(knowledge),
        compare=_compare(knowledge),
        gather=_gather(knowledge),
        contents=_contents(knowledge),
        find=_find(knowledge),
        locate=_locate(),
        practise=_practise(),
    )


def _analyse(
    knowledge: tuple[Path, ...], options: Mapping[str, Any]
) -> Callable[[Sequence[Path], str | None, Progress], Judged]:
    def analyse(paths: Sequence[Path], gpu: str | None, progress: Progress) -> Judged:
        from advisor.reasoning.diagnose import analyse as judge

        return judge(paths, gpu=gpu, knowledge=knowledge, progress=progress, **options)

    return analyse


def _analyse_numbers(knowledge: tuple[Path, ...]) -> Callable[[Mapping[str, float | str], str | None], Judged]:
    def analyse_numbers(values: Mapping[str, float | str], gpu: str | None) -> Judged:
        from advisor.reasoning.diagnose import analyse_numbers as judge

        numbers: dict[str, Any] = dict(values)
        workload = numbers.pop("subject", "") == "workload"
        if workload:
            numbers = _typed(numbers)
        name = "your draw or dispatch" if workload else "your kernel"
        return judge(numbers, gpu=gpu, knowledge=knowledge, name=name, workload=workload)

    return analyse_numbers


def _typed(values: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers as they are, and the choices of a workload as the metrics that they set."""
    from advisor.readers.workload import typed

    choices, out = typed().choices, dict[str, Any]()
    for name, value in values.items():
        if name not in choices:
            out[name] = value
            continue
        out |= {metric: 0.0 for sets in choices[name].values.values() for metric in sets}
        out |= choices[name].values.get(str(value), {})
    return out


def _choose(judged: Judged, asks: Sequence[Ask]) -> tuple[str, ...] | None:
    """The questions worth asking; None for an analysis that cannot tell."""
    from advisor.readers.workload import typed
    from advisor.reasoning.diagnose import Analysis
    from advisor.session.interview.choosing import first_page

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


def _explain(knowledge: tuple[Path, ...]) -> Callable[[str], Any]:
    def explain(word: str) -> Any:
        from advisor.explain.explain import explain as look

        return look(word, knowledge)

    return explain


def _contents(knowledge: tuple[Path, ...]) -> Callable[[], Sequence[Any]]:
    def contents() -> Sequence[Any]:
        from advisor.explain.explain import contents as everything

        return everything(knowledge)

    return contents


def _find(knowledge: tuple[Path, ...]) -> Callable[[str, int], Sequence[Any]]:
    def find(text: str, most: int) -> Sequence[Any]:
        from advisor.explain.explain import find as search

        return search(text, most, knowledge)

    return find


def _trace(knowledge: tuple[Path, ...]) -> Callable[[Sequence[Path], Progress], Any]:
    def trace(paths: Sequence[Path], progress: Progress) -> Any:
        from advisor.timeline.analyse import analyse as look

        return look(paths, knowledge=knowledge, progress=lambda stage: progress(stage, 0, 0))

    return trace


def _locate() -> Callable[[Judged, e.Locate, Progress], Any]:
    viewer: Any = None

    def locate(judged: Judged, request: e.Locate, progress: Progress) -> Any:
        nonlocal viewer
        from advisor.source.viewer import Viewer

        viewer = viewer or Viewer()
        progress("locate", 0, 0)
        return viewer.see(
            judged,
            request.position,
            by=request.by,
            search=request.search,
            where=request.where,
            columns=request.columns,
            finding=request.finding,
        )

    return locate


def _trace_numbers(knowledge: tuple[Path, ...]) -> Callable[[Mapping[str, float]], Any]:
    def trace_numbers(values: Mapping[str, float]) -> Any:
        from advisor.knowledge.base import catalog
        from advisor.timeline.analyse import conclude_numbers

        return conclude_numbers(values, catalog(knowledge))

    return trace_numbers


def _compare(
    knowledge: tuple[Path, ...],
) -> Callable[[Diagnosis, Judged, int | None, Mapping[str, float | str]], Renewed]:
    def compare(before: Diagnosis, current: Judged, launch: int | None, answers: Mapping[str, float | str]) -> Renewed:
        from advisor.knowledge.base import catalog
        from advisor.session.experiments.renewing import compare as renew

        return renew(catalog(knowledge), before, current, launch, answers)

    return compare


def _gather(knowledge: tuple[Path, ...]) -> Callable[[LaunchDiagnosis], Any]:
    def gather(launch: LaunchDiagnosis) -> Any:
        from advisor.knowledge.base import catalog
        from advisor.reasoning.collect import gather as look

        return look(catalog(knowledge), launch)

    return gather


def _practise() -> Callable[[e.Practise, Progress], Any]:
    room: Any = None

    def practise(request: e.Practise, progress: Progress) -> Any:
        nonlocal room
        from advisor.practice.lessons import Lessons
        from advisor.practice.state import Store

        room = room or Lessons(Store())
        return room.perform(request.action, request.exercise, dict(request.arguments), progress)

    return practise


def _reckon(algorithm: str, parameters: Mapping[str, float | str], launch: LaunchDiagnosis) -> Reckoning:
    from advisor.session.napkin_cards import reckon

    return reckon(algorithm, parameters, launch)


def lore(knowledge: tuple[Path, ...] = ()) -> Lore:
    """What the knowledge base gives to a session before any report."""
    from advisor.explain.explain import words
    from advisor.hardware import gpus
    from advisor.knowledge.base import catalog, workloads
    from advisor.session import napkin_cards
    from advisor.session.interview.numbers import interview
    from advisor.session.language.names import names_of
    from advisor.session.method import knowledge_index as method_lore

    known = catalog(knowledge)
    titles = {name: entry.title for name, entry in known.classes.items()}
    titles |= {name: entry.title for name, entry in workloads(known).findings.items()}
    titles |= {name: entry.title for name, entry in known.findings.items()}
    keys = [f"{key}.{place}" for key, source in known.sources.items() for place in source.places]
    return Lore(
        ranges=tuple((q.id, q.low, q.high) for q in known.questions.values()),
        metrics=tuple((name, entry.unit, entry.means) for name, entry in known.metrics.items()),
        algorithms=napkin_cards.algorithms(),
        interview=interview(known, tuple(Choice(card, card) for card in gpus.ids())),
        findings=tuple(titles.items()),
        words=words(knowledge),
        exercises=tuple(sorted(p.parent.name for p in resources.folder("kernels").glob("*/exercise.yaml"))),
        cites=tuple((key, known.cite(key) or key) for key in (*known.sources, *keys)),
        steps=method_lore.steps(known),
        names=names_of(known),
        pitfalls=method_lore.pitfalls(known),
        ridges=method_lore.ridges(),
        timeline=method_lore.timeline_asks(known),
        placed=tuple(name for name, entry in known.findings.items() if entry.locate),
    )
