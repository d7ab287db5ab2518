"""Answer a plain question: recognise it, gather what the answer needs from the analysis, and build the answer."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from msgspec.structs import replace

from advisor.explain import explain
from advisor.hardware import gpus
from advisor.hardware.gpus import Gpu
from advisor.knowledge.base import Catalog, metric_title
from advisor.knowledge.schemas import checked
from advisor.reasoning.collect import gather
from advisor.reasoning.engine.explain import BlockedRule, Flip, Proof
from advisor.reasoning.launch_shape import with_launch
from advisor.reasoning.ncu_rules import recognised
from advisor.records.diagnosis import Diagnosis, LaunchDiagnosis, OtherGpu, RuleVerdict, first_diagnosis, report_path
from advisor.records.errors import AdvisorError, UsageError
from advisor.records.quantities import parse_metric
from advisor.records.questions import JUDGE, NCU_RULE, Meaning, Subject
from advisor.records.readings import RuleResult
from advisor.session.language.kernel_names import named_launch
from advisor.session.language.launch_pairs import pair_meaning, two_launches
from advisor.session.language.launch_values import launch_values
from advisor.session.language.lexicon import Known
from advisor.session.language.limited import on_launch
from advisor.session.language.meaning import bare_object, meaning_of, shown_entry
from advisor.view.pages.answer import answered
from advisor.view.pages.answers.parts import Answered, Asked, found_of, main_subject

_WHOLE: Final = 100.0  # percent
_FACTORS: Final = {"half": 0.5, "halve": 0.5, "halved": 0.5, "twice": 2.0, "double": 2.0, "doubled": 2.0, "triple": 3.0}


class Reasoned(Protocol):
    """The methods of an analysis (reasoning.analysis.Analysis) that answers need."""

    catalog: Catalog
    diagnosis: Diagnosis

    def how(self, position: int, finding_id: str) -> Proof:
        """Return the proof of a finding."""

    def why_not(self, position: int, finding_id: str) -> tuple[BlockedRule, ...]:
        """Return what kept a finding from being concluded."""

    def flips(self, position: int, finding_id: str = "") -> tuple[Flip, ...]:
        """Return the values at which a conclusion flips."""

    def what_if(self, position: int, values: dict[str, float]) -> LaunchDiagnosis:
        """Return the diagnosis of the launch with other values."""

    def on_rule(self, position: int, result: RuleResult) -> RuleVerdict:
        """Return the conclusion here on the subject of a result of ncu's rules."""

    def on(self, positions: Sequence[int], gpu: Gpu) -> tuple[OtherGpu, ...]:
        """Predict launches on another GPU."""


def answer(text: str, judged: Reasoned, position: int, known: Known, path: str = "REPORT") -> Answered:
    """Return the answer to a question about a launch (for another launch, if it names one).

    known: the names that a question can contain; path: of the report, for commands.
    """
    launches = judged.diagnosis.launches
    rule = recognised(judged.catalog, text)
    if rule is not None:
        says = "what the advisor concludes on this rule of ncu"
        meaning = Meaning(text=text, intent=NCU_RULE, says=says, confidence=1.0)
        asked = Asked(launches, position, path, rule=judged.on_rule(position, rule))
        return Answered(meaning, asked, answered(meaning, asked))
    names = replace(known, kernels=tuple(launch.kernel for launch in launches))
    several = len(judged.diagnosis.reports) > 1
    if pair := two_launches(text, launches, position, several):
        from advisor.session.experiments.comparing import compare_launches  # loads pandas: only to compare

        before, at = pair
        compared = compare_launches(judged.catalog, judged.diagnosis, before, at)
        asked = Asked(launches, at, path, pair=compared.pairs[0], before=before)
        meaning = pair_meaning(text)
        return Answered(meaning, asked, answered(meaning, asked))
    meaning = meaning_of(text, names)
    problem = ""
    if meaning.intent == "other_launch":
        position, problem = other_launch(meaning, launches, position)
    else:
        position = named_launch(text, launches, position)
    meaning = replace(meaning, subject=on_launch(meaning.subject, launches[position]))
    asked = _gathered(meaning, judged, Asked(launches, position, path, problem=problem))
    asked = _on_named_gpu(meaning, judged, asked)
    return Answered(meaning, asked, answered(meaning, asked))


# Words for another launch than this one.
ANOTHER: Final = frozenset(
    ("next", "other", "another", "different", "switch", "following", "first", "second", "third", "last")
) | {"previous", "prev", "back", "before"}


def other_launch(meaning: Meaning, launches: Sequence[LaunchDiagnosis], position: int) -> tuple[int, str]:
    """Return the position of the launch that a question names, and why there is none."""
    wanted = meaning.subject.id if meaning.subject is not None else ""
    for word in meaning.words if not wanted else ():
        named = {launch.kernel for launch in launches if len(word) > 3 and word in launch.kernel.casefold()}
        wanted = named.pop() if len(named) == 1 else wanted
    if not wanted and not ANOTHER & set(meaning.words):
        return position, "No launch of this report is named there; these are the launches:"
    if not wanted:
        step = -1 if {"previous", "prev", "back", "before"} & set(meaning.words) else 1
        if 0 <= position + step < len(launches):
            return position + step, ""
        return position, "There is no other launch in that direction; these are the launches:"
    for at, launch in enumerate(launches):
        if wanted.casefold() == launch.kernel.casefold() or wanted == str(launch.index):
            return at, ""
    near = [at for at, launch in enumerate(launches) if wanted.casefold() in launch.kernel_full.casefold()]
    return (near[0], "") if near else (position, f"No launch is called {wanted}; these are the launches:")


def values_of(meaning: Meaning, launch: LaunchDiagnosis | None, catalog: Catalog) -> tuple[tuple[str, float], ...]:
    """Return the metrics and values that a what-if question names. Raises UsageError for an impossible value."""
    if shape := launch_values(meaning.text, launch):
        return launch_supposed(shape, launch, catalog)
    subject = meaning.subject
    if subject is None or not subject.metrics:
        return ()
    have = launch.metrics if launch is not None else {}
    metric = next((name for name in subject.metrics if name in have), subject.metrics[0])
    unit = _unit(catalog, metric)
    factor = next((_FACTORS[word] for word in meaning.words if word in _FACTORS), None)
    if meaning.numbers:
        value = parse_metric(meaning.numbers[-1].rstrip("x"), unit)
    elif factor is not None and metric in have:
        value = factor * have[metric]
        if unit == "%" and value > _WHOLE:
            now = f"{metric_title(metric)} is {have[metric]:.0f} %"
            raise UsageError(f"{now}, so it cannot be {factor:g} times as much: 100 % is the most")
    else:
        return ()
    return launch_supposed({metric: value}, launch, catalog)


def _unit(catalog: Catalog, metric: str) -> str:
    entry = catalog.metrics.get(metric)
    return entry.unit if entry is not None else ""


def launch_supposed(
    shape: Mapping[str, float], launch: LaunchDiagnosis | None, catalog: Catalog
) -> tuple[tuple[str, float], ...]:
    """Return the values of a supposed launch with what they imply. Raises UsageError for a launch that cannot run."""
    have = {} if launch is None else launch.metrics
    values = {name: checked(name, _unit(catalog, name), value, have.get(name)) for name, value in shape.items()}
    return tuple((values if launch is None else with_launch(launch, values)).items())


def entry_of(meaning: Meaning) -> str:
    """Return the word to explain: the entry of the subject, else the object of the question as typed."""
    if meaning.subject is not None and meaning.subject.word:
        return meaning.subject.word
    return shown_entry(meaning.text) or bare_object(meaning.text)


def _gathered(meaning: Meaning, judged: Reasoned, asked: Asked) -> Asked:
    """Return `asked` with what the answer to this intent needs; a failure becomes its problem."""
    at, launch = asked.position, asked.launch
    subject, intent = meaning.subject, meaning.intent
    try:
        match intent:
            case "how_concluded":
                finding = found_of(subject, launch) or first_diagnosis(launch) or next(iter(launch.findings), None)
                if finding is not None:
                    proof, flips = judged.how(at, finding.id), judged.flips(at, finding.id)
                    now = (launch.verdict.id, {each.id for each in launch.findings})
                    turning = tuple(flip for flip in flips if (flip.then.class_id, set(flip.then.findings)) != now)
                    return replace(asked, proof=proof, flips=turning)
            case "is_cause" | "why_not" | "how_to_fix" if (
                _blockable(subject, judged.catalog) and found_of(subject, launch) is None
            ):
                return replace(asked, blocked=tuple(judged.why_not(at, main_subject(subject))))
            case "what_if":
                values = values_of(meaning, launch, judged.catalog)
                return replace(asked, values=values, supposed=judged.what_if(at, dict(values)) if values else None)
            case _ if intent == JUDGE and (values := values_of(meaning, launch, judged.catalog)):
                return replace(asked, values=values, supposed=judged.what_if(at, dict(values)))
            case "other_gpu" if subject is not None:
                return replace(asked, elsewhere=judged.on([at], gpus.gpu(subject.id))[0])
            case "missing":
                return replace(asked, gathered=gather(judged.catalog, launch))
            case "explain":
                folders = tuple(judged.catalog.folders[1:])
                return replace(asked, explained=explain.explain(entry_of(meaning), folders))
    except AdvisorError as problem:
        text = str(problem)
        return replace(asked, problem=f"{text[:1].upper()}{text[1:]}.")
    return asked


def _on_named_gpu(meaning: Meaning, judged: Reasoned, asked: Asked) -> Asked:
    """Return `asked` with the launch on the GPU that the question names beside its subject, if it is another one."""
    if not meaning.gpu or asked.elsewhere is not None or meaning.gpu in (asked.launch.known_as, asked.launch.gpu_name):
        return asked
    try:
        return replace(asked, gpu=meaning.gpu, elsewhere=judged.on([asked.position], gpus.gpu(meaning.gpu))[0])
    except AdvisorError:
        return replace(asked, gpu=meaning.gpu)


def _blockable(subject: Subject | None, catalog: Catalog) -> bool:
    return main_subject(subject) in catalog.findings


def report_name(diagnosis: Diagnosis, launch: LaunchDiagnosis) -> str:
    """Return the path of the launch's report, quoted for commands."""
    path = report_path(diagnosis, launch)
    return shlex.quote(path) if path else "REPORT"
