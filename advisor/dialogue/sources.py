"""The real sources of a session: the pipelines, the knowledge base, the napkin. Imported by the worker, not before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor import resources
from advisor.dialogue import face
from advisor.dialogue.desk import Judged, Progress, Sources
from advisor.dialogue.records import Choice, Lore, Reckoning

if TYPE_CHECKING:
    from advisor.model import LaunchDiagnosis


def sources(knowledge: tuple[Path, ...] = (), **options: Any) -> Sources:
    """Sources on our own knowledge base and a team's folders; `options` go on to `analyse` (ptxas, kernel, jobs, …).

    Nothing heavy is imported before the first of them is called.
    """
    return Sources(
        analyse=_analyse(knowledge, options),
        analyse_numbers=_analyse_numbers(knowledge),
        lore=lambda: lore(knowledge),
        explain=_explain(knowledge),
        reckon=_reckon,
        trace=_trace(knowledge),
    )


def _analyse(
    knowledge: tuple[Path, ...], options: Mapping[str, Any]
) -> Callable[[Sequence[Path], str | None, Progress], Judged]:
    def analyse(paths: Sequence[Path], gpu: str | None, progress: Progress) -> Judged:
        from advisor.pipelines.diagnose import analyse as judge

        return judge(paths, gpu=gpu, knowledge=knowledge, progress=progress, **options)

    return analyse


def _analyse_numbers(knowledge: tuple[Path, ...]) -> Callable[[Mapping[str, float | str], str | None], Judged]:
    def analyse_numbers(values: Mapping[str, float | str], gpu: str | None) -> Judged:
        from advisor.pipelines.diagnose import analyse_numbers as judge

        numbers: dict[str, Any] = dict(values)
        return judge(numbers, gpu=gpu, knowledge=knowledge, name=face.TYPED_KERNEL)

    return analyse_numbers


def _explain(knowledge: tuple[Path, ...]) -> Callable[[str], Any]:
    def explain(word: str) -> Any:
        from advisor.pipelines.explain import explain as look

        return look(word, knowledge[0] if knowledge else None)

    return explain


def _trace(knowledge: tuple[Path, ...]) -> Callable[[Sequence[Path], Progress], Any]:
    def trace(paths: Sequence[Path], progress: Progress) -> Any:
        from advisor.timeline.analyse import analyse as look

        return look(paths, knowledge=knowledge, progress=lambda stage: progress(stage, 0, 0))

    return trace


def _reckon(algorithm: str, parameters: Mapping[str, float | str], launch: LaunchDiagnosis) -> Reckoning:
    from advisor.dialogue.paper import reckon

    return reckon(algorithm, parameters, launch)


def lore(knowledge: tuple[Path, ...] = ()) -> Lore:
    """What the knowledge base gives to a session before any report."""
    from advisor.catalog import catalog
    from advisor.catalog.workloads import workloads
    from advisor.dialogue import paper
    from advisor.dialogue.interview import interview
    from advisor.napkin import gpus
    from advisor.pipelines.explain import words

    known = catalog(knowledge)
    titles = {name: entry.title for name, entry in known.classes.items()}
    titles |= {name: entry.title for name, entry in workloads(known).findings.items()}
    titles |= {name: entry.title for name, entry in known.findings.items()}
    keys = [f"{key}.{place}" for key, source in known.sources.items() for place in source.places]
    return Lore(
        ranges=tuple((q.id, q.low, q.high) for q in known.questions.values()),
        metrics=tuple((name, entry.unit, entry.means) for name, entry in known.metrics.items()),
        algorithms=paper.algorithms(),
        interview=interview(known, tuple(Choice(card, card) for card in gpus.ids())),
        findings=tuple(titles.items()),
        words=words(knowledge[0] if knowledge else None),
        exercises=tuple(sorted(p.parent.name for p in resources.folder("kernels").glob("*/exercise.yaml"))),
        cites=tuple((key, known.cite(key) or key) for key in (*known.sources, *keys)),
    )
