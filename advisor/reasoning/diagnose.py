"""read -> observe -> conclude -> quantify -> conclude: the reasoning about whole reports."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.hardware import ceilings
from advisor.knowledge.base import catalog as open_catalog
from advisor.records.diagnosis import Diagnosis, Elsewhere, LaunchDiagnosis, MeasuredCeilings
from advisor.records.errors import InputError, UsageError
from advisor.records.readings import Progress, ReportInfo

if TYPE_CHECKING:
    import pandas as pd

    from advisor.hardware.gpus import Gpu
    from advisor.knowledge.base import Catalog
    from advisor.reasoning.assemble import Reasoned
    from advisor.reasoning.engine.explain import BlockedRule, Proof
    from advisor.reasoning.engine.what_if import Flip

Answer = float | str


@dataclass(frozen=True)
class Inputs:
    """What the reasoning starts from: the readers' frame, the files, and what the user said (position None: of all).

    ceilings: what this machine's cards were measured to reach; empty where that must not decide.
    """

    frame: pd.DataFrame
    reports: tuple[ReportInfo, ...]
    gpu: str | None
    answers: Mapping[int | None, Mapping[str, Answer]]
    ceilings: ceilings.Cards = field(default_factory=dict)


class Analysis:
    """A diagnosis with everything needed to ask how, why not and what if of it."""

    def __init__(self, catalog: Catalog, inputs: Inputs, reasoned: Reasoned | None = None, forks: int = 1) -> None:
        from advisor.reasoning.assemble import reason

        self.catalog = catalog
        self.inputs = inputs
        self._reasoned: Reasoned = reasoned or reason(catalog, inputs, forks=forks)
        self.diagnosis = Diagnosis(inputs.reports, self._reasoned.launches, _used(inputs, self._reasoned.launches))

    def how(self, position: int, finding_id: str) -> Proof:
        """The proof of a finding or class of one launch; UsageError when it was not concluded there."""
        from advisor.reasoning.engine.explain import how

        launch = self._launch(position)
        if not self.concluded(position, finding_id):
            raise UsageError(f"{finding_id!r} was not found on launch {launch.index}: ask --why-not {finding_id}")
        trace = self._reasoned.traces[position]
        return how(self.catalog, self._reasoned.observed, position, trace, finding_id, self._labels(position))

    def concluded(self, position: int, finding_id: str) -> bool:
        """Whether a finding, or a class with or without `class.` before it, was concluded on one launch."""
        launch = self._launch(position)
        return finding_id.removeprefix("class.") in {launch.verdict.id, *(f.id for f in launch.findings)}

    def why_not(self, position: int, finding_id: str) -> tuple[BlockedRule, ...]:
        """Each rule of a finding on one launch: whether it fired, and what kept it from firing."""
        from advisor.reasoning.engine.explain import why_not

        self._launch(position)
        if finding_id not in self.catalog.findings and finding_id.removeprefix("class.") not in self.catalog.classes:
            raise UsageError(f"no diagnosis is called {finding_id!r}: `ncu-advisor explain diagnoses` lists them")
        trace = self._reasoned.traces[position]
        return why_not(self.catalog, self._reasoned.observed, position, trace, finding_id, self._labels(position))

    def flips(self, position: int, finding_id: str = "") -> tuple[Flip, ...]:
        """The values at which the class or a finding of one launch would turn, and what would then be concluded."""
        from advisor.reasoning.what_if import flips

        launch = self._launch(position)
        return flips(self.catalog, self._reasoned, self.inputs, position, finding_id or launch.verdict.id)

    def turns(self, position: int) -> dict[str, tuple[float, ...]]:
        """Metric to the values, ascending, at which something turns that anything concluded of a launch rests on."""
        from advisor.reasoning.engine.what_if import turns

        launch = self._launch(position)
        targets = (launch.verdict.id, *(finding.id for finding in launch.findings))
        out: dict[str, set[float]] = {}
        for turn in turns(self.catalog, self._reasoned.observed, position, self._reasoned.traces[position], targets):
            out.setdefault(turn.metric, set()).add(turn.turns_at)
        return {metric: tuple(sorted(values)) for metric, values in out.items()}

    def what_if(self, position: int, values: Mapping[str, float]) -> LaunchDiagnosis:
        """The diagnosis of one launch if some metrics had other values; UsageError for a metric that is not known."""
        return self.supposed(position, values).diagnosis.launches[0]

    def supposed(self, position: int, values: Mapping[str, float]) -> Analysis:
        """An analysis of one launch alone, with some metrics at other values, to ask how and why not of."""
        from advisor.reasoning.what_if import what_if

        self._launch(position)
        return Analysis(self.catalog, *what_if(self.catalog, self._reasoned, self.inputs, position, values))

    def on(self, positions: Sequence[int], gpu: Gpu) -> tuple[Elsewhere, ...]:
        """Some launches on another card; UsageError where nothing tells enough of the card that they ran on."""
        from advisor.reasoning.other_gpu import elsewhere

        for position in positions:
            self._launch(position)
        return elsewhere(self.catalog, self.inputs, self._reasoned, positions, gpu)

    def wanted(self, askable: Sequence[str]) -> tuple[str, ...]:
        """Of numbers typed in: the metrics and questions among `askable` whose answers could change the outcome."""
        from advisor.reasoning.next_question import wanted

        return wanted(self.catalog, self.inputs, self._reasoned, askable)

    def answered(self, position: int | None, answers: Mapping[str, Answer]) -> Analysis:
        """A new analysis with more answers, of one launch or (None) of all."""
        merged = {key: dict(value) for key, value in self.inputs.answers.items()}
        merged.setdefault(position, {}).update(checked_answers(self.catalog, answers))
        return Analysis(self.catalog, replace(self.inputs, answers=merged))

    def _labels(self, position: int) -> dict[str, str]:
        from advisor.reasoning.enrich import unit_name

        return {name: unit_name(label) for name, label in self._launch(position).labels.items()}

    def _launch(self, position: int) -> LaunchDiagnosis:
        if not 0 <= position < len(self.diagnosis.launches):
            raise UsageError(f"there is no launch at place {position}: the reports hold {len(self.diagnosis.launches)}")
        return self.diagnosis.launches[position]


def _used(inputs: Inputs, launches: Sequence[LaunchDiagnosis]) -> tuple[MeasuredCeilings, ...]:
    """The measured ceilings that decided about a launch, for the record; empty where none did."""
    used: dict[str, ceilings.Ceilings] = {}
    for launch in launches:
        key, peak = ceilings.key_of(launch.gpu_name, launch.cc), launch.metrics.get("dram_peak_bytes_per_s")
        found = inputs.ceilings.get(key)
        if found is not None and peak and "dram_achievable_pct" in launch.metrics:
            used[key] = found
    return tuple(ceilings.as_used(found) for found in used.values())


def checked_answers(catalog: Catalog, answers: Mapping[str, Any]) -> dict[str, Answer]:
    """Answers by question or metric id, of the right type and range; UsageError names the first wrong one."""
    out: dict[str, Answer] = {}
    for key, value in answers.items():
        question = catalog.questions.get(key)
        if question is None and key not in catalog.metrics:
            raise UsageError(f"{key!r} is neither a question nor a metric: see `ncu-advisor explain questions`")
        if question is not None and question.kind == "choice":
            # YAML reads yes and no as booleans.
            word = {True: "yes", False: "no"}.get(value, value) if isinstance(value, bool) else str(value)
            if word not in question.choices:
                raise UsageError(f"{key}: {value!r} is not one of {', '.join(question.choices)}")
            out[key] = str(word)
            continue
        unit = question.unit if question is not None else catalog.metrics[key].unit
        if isinstance(value, str):
            value = _typed(key, value, unit)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise UsageError(f"{key}: {value!r} is not a number")
        if unit == "%" and value < 0:
            raise UsageError(f"{key}: {value:g} % is less than nothing")
        low, high = (question.low, question.high) if question is not None else (None, None)
        if (low is not None and value < low) or (high is not None and value > high):
            raise UsageError(
                f"{key}: {value:g} is outside {low} to {high} {question.unit if question else ''}".rstrip()
            )
        out[key] = float(value)
    return out


def _typed(key: str, text: str, unit: str) -> float:
    """A number as people write it (`4 GB`, `12.5 us`, `1e9`) in the question's or metric's unit."""
    from advisor.records import quantities

    known = {"%": "%", "ns": "ns", "byte": "byte", "byte/s": "byte/s", "Hz": "Hz", "cycle": "cycle", "FLOP": "FLOP"}
    try:
        return quantities.parse(text, known.get(unit, ""))
    except UsageError as e:
        raise UsageError(f"{key}: {e}") from None


def analyse(
    paths: Sequence[Path],
    *,
    answers: Mapping[str, Answer] | None = None,
    gpu: str | None = None,
    knowledge: tuple[Path, ...] = (),
    ptxas: Path | None = None,
    kernel: re.Pattern[str] | None = None,
    launches: frozenset[int] | None = None,
    jobs: int = 2,
    forks: int = 1,
    progress: Progress | None = None,
) -> Analysis:
    """Read reports and reason about every launch in them (or those that `kernel` matches, or whose index is given).

    jobs: child processes that read; forks: processes that share the reasoning, see fork_map, for a program of one
    thread only. Reports that cannot be read are named in `diagnosis.reports`; InputError when none could be.
    """
    from advisor.readers.read import read_many

    cat = open_catalog(knowledge)
    frame, infos = read_many(paths, ptxas=ptxas, jobs=jobs, progress=progress, meanwhile=partial(_make_ready, cat))
    # Not above: what they load is wanted after the reports, and takes as long as reading one does.
    from advisor.reasoning.enrich import add_neighbours
    from advisor.reasoning.workloads import knowledge_for

    if not len(frame):
        lines = [f"{i.path}: {p}" if not p.startswith(i.path) else p for i in infos for p in i.problems[:1]]
        raise InputError(
            lines[0] if len(lines) == 1 else "no report could be read: " + "; ".join(lines or ["none given"])
        )
    # Before any filter: what the other launches of a kernel say of one does not depend on what is looked at.
    frame = add_neighbours(frame)
    if kernel is not None:
        frame = frame[[bool(kernel.search(str(name))) for name in frame["kernel_full"]]]
    if launches is not None:
        absent = sorted(launches - {int(i) for i in frame["index"]})
        if absent:
            raise UsageError(f"there is no launch {absent[0]}: they count from 0 to {int(frame['index'].max())}")
        frame = frame[frame["index"].isin(launches)]
    if not len(frame):
        raise UsageError("no launch matches --kernel: the names are those that `ncu-advisor diagnose` prints")
    if progress is not None:
        progress("reason", 0, 1)
    cat = knowledge_for(cat, infos)
    said: dict[int | None, dict[str, Answer]] = {None: checked_answers(cat, answers or {})}
    inputs = Inputs(frame.reset_index(drop=True), tuple(infos), gpu, said, ceilings.kept())
    return Analysis(cat, inputs, forks=forks)


def _make_ready(catalog: Catalog) -> None:
    from advisor.reasoning.assemble import make_ready

    make_ready(catalog)


def analyse_numbers(
    values: Mapping[str, float],
    *,
    gpu: str | None = None,
    knowledge: tuple[Path, ...] = (),
    name: str = "typed",
    workload: bool = False,
) -> Analysis:
    """Reason about numbers that a person read off a screen: canonical metric id -> value in the metric's unit.

    workload: they are of a draw or dispatch in Nsight Graphics, not of a kernel in ncu.
    """
    import pandas as pd

    from advisor.reasoning.workloads import FORM, knowledge_for

    form = FORM if workload else "numbers"
    info = ReportInfo(path=name, sha256="", tool="typed", format=form)
    cat = knowledge_for(open_catalog(knowledge), (info,))
    row: dict[str, Any] = {
        "report": 0,
        "index": 0,
        "kernel": name,
        "kernel_full": name,
        "grid": None,
        "block": None,
        "gpu_name": "",
        "cc": "",
        "opcodes": None,
        "accesses": None,
        "rules": (),
    }
    frame = pd.DataFrame([row])
    return Analysis(cat, Inputs(frame, (info,), gpu, {None: checked_answers(cat, values)}))


def diagnose(*paths: str | Path, **options: Any) -> Diagnosis:
    """The diagnosis of one or more reports; options as for `analyse`."""
    return analyse([Path(p) for p in paths], **options).diagnosis
