"""The real sources of a session: diagnoses, the knowledge base, traces, source code and exercises.

`executor.sources` imports it in the worker, on the first request, since the reasoning loads slower than the screen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from msgspec.structs import asdict

from advisor.explain import explain
from advisor.hardware import gpus
from advisor.hardware.ceilings import CeilingsByGpu
from advisor.knowledge.base import Catalog, catalog, workloads
from advisor.practice.lessons import Lessons
from advisor.practice.manifest import names
from advisor.practice.readings import reading_names
from advisor.practice.state import Store
from advisor.readers.frame import clean
from advisor.readers.workload import typed
from advisor.reasoning.collect import gather
from advisor.reasoning.diagnose import analyse_frame, analyse_numbers
from advisor.reasoning.inputs import Inputs, knowledge_for
from advisor.records.errors import InputError
from advisor.records.magnitudes import plausible, shape_of
from advisor.records.readings import Access, CodeAccess, CodeCounts, Progress, ReportInfo, RuleResult
from advisor.session.executor import Judged, Sources
from advisor.session.experiments import timeline as asked
from advisor.session.experiments.comparing import compare
from advisor.session.export.export import write
from advisor.session.interview.choosing import first_page, interview
from advisor.session.interview.pages import pages
from advisor.session.language.known import known as names_known
from advisor.session.language.names import labels_of, names_of
from advisor.session.napkin import algorithms, estimate
from advisor.session.questions import answer, report_name
from advisor.session.records import Ask, Choice, KnowledgeIndex, Pitfall, Ridge, Step
from advisor.session.requests import AnswerQuestion, Locate, Practise
from advisor.session.transcripts.format import AccessRow, CodeAccessRow, CodeRow, Launch
from advisor.source.locate import locate_findings
from advisor.source.viewer import Viewer
from advisor.timeline import analyse as timeline

_AFTER: Final = "IV"  # part III comes between the numbered steps and the annexes
_NAME_CHARS: Final = 10_000


def real(knowledge: tuple[Path, ...], read: Callable[[Sequence[Path], str | None, Progress], Judged]) -> Sources:
    """Return sources on our knowledge base and a team's folders. read: diagnoses reports."""
    viewer, known = Viewer(), partial(catalog, knowledge)
    lessons = cache(lambda: Lessons(Store()))

    def numbers(values: Mapping[str, float | str], gpu: str | None) -> Judged:
        given: dict[str, Any] = dict(values)
        workload = given.pop("subject", "") == "workload"
        given = _with_choices(given) if workload else given
        name = "your draw or dispatch" if workload else "your kernel"
        return analyse_numbers(given, gpu=gpu, knowledge=knowledge, name=name, workload=workload)

    def locate(judged: Any, request: Locate, progress: Progress) -> Any:
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

    def question(judged: Any, request: AnswerQuestion) -> Any:
        launch = judged.diagnosis.launches[request.position]
        path = report_name(judged.diagnosis, launch)
        made = answer(request.text, judged, request.position, names_known(knowledge), path)
        at = made.asked.position
        if made.meaning.intent != "where" or any(f.locations for f in judged.diagnosis.launches[at].findings):
            return made
        # The hot lines of a launch are read when its page opens; a question may come first.
        seen = copy(judged)
        seen.diagnosis = locate_findings(judged.diagnosis, known(), positions=[at], every=True).diagnosis
        return answer(request.text, seen, at, names_known(knowledge), path)

    def practise(request: Practise, progress: Progress) -> Any:
        return lessons().perform(request.action, request.exercise, dict(request.arguments), progress)

    return Sources(
        analyse=read,
        analyse_numbers=numbers,
        knowledge=cache(partial(knowledge_index, knowledge)),
        explain=lambda word: explain.explain(word, knowledge),
        estimate=estimate,
        analyse_launches=lambda *given: _analyse_launches(known(), *given),
        trace=lambda paths, progress: timeline.analyse(
            paths, knowledge=knowledge, progress=lambda stage: progress(stage, 0, 0)
        ),
        trace_numbers=lambda values: timeline.conclude_numbers(values, known()),
        compare=lambda *given: compare(known(), *given),
        locate=locate,
        gather=lambda launch: gather(known(), launch),
        answer=question,
        write=write,
        practise=practise,
        choose=_choose,
        contents=lambda: explain.contents(knowledge),
        find=lambda text, most: explain.find(text, most, knowledge),
    )


def _analyse_launches(
    known: Catalog, launches: Sequence[Launch], infos: tuple[ReportInfo, ...], gpu: str | None, cards: CeilingsByGpu
) -> Judged:
    """Diagnose the launches that a transcript contains, from those of their metrics that the catalog knows."""
    import pandas as pd  # loads slowly: imported only when the first report is read

    if not launches:
        raise InputError("the transcript holds no launch of this report")
    known = knowledge_for(known, infos)
    identity = [
        {
            "report": launch.report,
            "index": launch.index,
            "kernel": clean(launch.kernel, _NAME_CHARS)[0],
            "kernel_full": clean(launch.kernel_full, _NAME_CHARS)[0],
            "grid": None if launch.grid is None else shape_of(launch.grid),
            "block": None if launch.block is None else shape_of(launch.block),
            "gpu_name": clean(launch.gpu_name, _NAME_CHARS)[0],
            "cc": launch.cc,
            "opcodes": launch.opcodes,
            "accesses": None if launch.accesses is None else tuple(map(_access, launch.accesses)),
            "code": None if launch.code is None else _code(launch.code),
            "rules": tuple(RuleResult(*row) for row in launch.rules),
            "sampling": launch.sampling,
        }
        for launch in launches
    ]
    used = {name for launch in launches for name in launch.metrics}
    values = {n: [plausible(one.metrics.get(n, math.nan)) for one in launches] for n in known.metrics if n in used}
    frame = pd.concat([pd.DataFrame(identity), pd.DataFrame(values, dtype=float)], axis=1)
    return analyse_frame(known, Inputs(frame, infos, gpu, {None: {}}, cards))


def _access(row: AccessRow) -> Access:
    return Access(*row[:3], *map(_number, row[3:]))


def _number(written: float | None) -> float:
    return math.nan if written is None else written


def _code(row: CodeRow) -> CodeCounts:
    accesses = tuple(map(_code_access, row.accesses))
    return CodeCounts(**asdict(row) | {"accesses": accesses})


def _code_access(row: CodeAccessRow) -> CodeAccess:
    return CodeAccess(*row[:4], *map(_number, row[4:]))


def _choose(judged: Judged, asks: Sequence[Ask], later: Sequence[Ask]) -> tuple[str, ...] | None:
    from advisor.reasoning.analysis import Analysis  # imports pandas

    if not isinstance(judged, Analysis):
        return None
    launch = judged.diagnosis.launches[0]
    if first_page(asks) and not any(found.id == "launch_overhead" for found in launch.findings):
        return None  # The next question is fixed, so no answers need to be tried.
    of, alone = _answering(judged, asks), _answering(judged, later)
    wanted = judged.wanted(tuple(of), tuple(alone))
    return tuple(dict.fromkeys(of.get(name) or alone[name] for name in wanted))


def _answering(judged: Any, asks: Sequence[Ask]) -> dict[str, str]:
    """Map each metric or question of the engine to the question of the interview that answers it."""
    questions, choices = judged.catalog.questions, typed().choices
    of: dict[str, str] = {}
    for ask in asks:
        if ask.group == "workload" and ask.id in choices:
            of |= {metric: ask.id for sets in choices[ask.id].values.values() for metric in sets}
        else:
            entry = questions.get(ask.id)
            of[entry.sets if entry is not None and entry.sets else ask.id] = ask.id
    return of


def _with_choices(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return numbers unchanged, and the choices of a workload as the metrics that they set."""
    choices, out = typed().choices, dict[str, Any]()
    for name, value in values.items():
        if name not in choices:
            out[name] = value
            continue
        out |= {metric: 0.0 for sets in choices[name].values.values() for metric in sets}
        out |= choices[name].values.get(str(value), {})
    return out


def knowledge_index(folders: tuple[Path, ...] = ()) -> KnowledgeIndex:
    """Return the part of the knowledge base that a session needs before any report."""
    known = catalog(folders)
    titles = {name: entry.title for name, entry in known.classes.items()}
    titles |= {name: entry.title for name, entry in workloads(known).findings.items()}
    titles |= {name: entry.title for name, entry in known.findings.items()}
    also: dict[str, list[str]] = {}
    for form, name in gpus.table().index.items():
        # The beginning of several ids is none's name.
        if sum(gpus.key(each).startswith(form) for each in gpus.ids()) <= 1:
            also.setdefault(name, []).append(form)
    keys = [f"{key}.{place}" for key, source in known.sources.items() for place in source.places]
    return KnowledgeIndex(
        ranges=tuple((q.id, q.low, q.high) for q in known.questions.values()),
        metrics=tuple((name, entry.unit, entry.means) for name, entry in known.metrics.items()),
        algorithms=algorithms(),
        interview=interview(known, tuple(Choice(name, name, tuple(also.get(name, ()))) for name in gpus.ids())),
        findings=tuple(titles.items()),
        conclusions=tuple((name, entry.title) for name, entry in known.words.items()),
        words=explain.words(folders),
        exercises=tuple(sorted((*names(), *reading_names()))),
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
        timeline=tuple(_timeline_ask(known, metric, ask) for metric, ask, _ in asked.ASKED),
        placed=tuple(name for name, entry in known.findings.items() if entry.locate),
        asked=names_known(folders),
        pages=pages(known),
        labels=labels_of(known),
        combined=tuple((n, entry.combine) for n, entry in known.metrics.items() if entry.combine in ("max", "sum")),
    )


def _steps(known: Catalog) -> tuple[Step, ...]:
    """Return all steps in the order of the method."""
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
    parts["links"] = tuple((link["title"], link["url"]) for link in entry.get("links", ()))
    return Step(why=" ".join(text for text in (_text(entry, "why"), _text(entry, "when")) if text), **parts)


def _text(entry: Mapping[str, Any], name: str) -> str:
    return " ".join(str(entry.get(name, "")).split())


def _timeline_ask(known: Catalog, metric: str, ask: str) -> Ask:
    """Return a question for a share of the time or a count, for a session without a trace."""
    loss = "Fix this loss before any kernel; nsys shows it in the rows under the GPU."
    unit = known.metrics[metric].unit
    most = 100.0 if unit == "%" else None
    return Ask(metric, ask, asked.ASKED_WHY.get(metric, loss), unit=unit, low=0.0, high=most, group="timeline")
