"""An analysis: the diagnosis of all launches, with methods that answer questions about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from advisor.hardware import ceilings
from advisor.hardware.gpus import Gpu
from advisor.knowledge.base import Catalog
from advisor.knowledge.units import leader_name
from advisor.reasoning.assemble import Reasoned, reason
from advisor.reasoning.domain import domain_of
from advisor.reasoning.engine.explain import BlockedRule, Flip, Proof, how, why_not
from advisor.reasoning.inputs import Answer, Inputs, checked_answers
from advisor.reasoning.ncu_rules import verdicts
from advisor.reasoning.next_question import wanted
from advisor.reasoning.other_gpu.launch import elsewhere
from advisor.reasoning.time_model.model import build
from advisor.reasoning.time_model.traced import traced
from advisor.reasoning.what_if import flips, turns, what_if
from advisor.records.diagnosis import Diagnosis, LaunchDiagnosis, MeasuredCeilings, OtherGpu, RuleVerdict
from advisor.records.errors import UsageError
from advisor.records.estimate import Estimate
from advisor.records.readings import RuleResult


class Analysis:
    """A diagnosis with everything needed to answer how, why not and what if."""

    def __init__(self, catalog: Catalog, inputs: Inputs, reasoned: Reasoned | None = None, forks: int = 1) -> None:
        self.catalog = catalog
        self.inputs = inputs
        self._reasoned: Reasoned = reasoned or reason(catalog, inputs, forks=forks)
        self.diagnosis = Diagnosis(inputs.reports, self._reasoned.launches, _used(inputs, self._reasoned.launches))

    def how(self, position: int, finding_id: str) -> Proof:
        """Return the proof of a finding or class of one launch; raises UsageError if it was not concluded there."""
        launch = self._launch(position)
        if not self.concluded(position, finding_id):
            raise UsageError(f"{finding_id!r} was not found on launch {launch.index}: use --why-not {finding_id}")
        trace = self._reasoned.traces[position]
        proof = how(self.catalog, self._reasoned.observed, position, trace, finding_id, self._labels(position))
        return replace(proof, estimate=self._estimate(launch, position, finding_id))

    def _estimate(self, launch: LaunchDiagnosis, position: int, finding_id: str) -> Estimate | None:
        """Return how the speedup of a finding was computed; None if it has none or no time model gave it."""
        entry = self.catalog.findings.get(finding_id)
        finding = next((one for one in launch.findings if one.id == finding_id), None)
        if entry is None or finding is None or finding.fix is None or finding.speedup is None:
            return None
        fix = entry.fix_named(finding.fix.id)
        if not fix.operators or not domain_of(self.catalog).modelled:
            return None
        observed = self._reasoned.observed
        found = build(observed.measured, len(observed.truth))
        return traced(found, fix, position, finding.speedup, entry.cites)

    def concluded(self, position: int, finding_id: str) -> bool:
        """Whether a finding, a word, or a class with or without `class.`, was concluded on one launch."""
        launch = self._launch(position)
        found = {launch.verdict.id, *(f.id for f in launch.findings), *(c.id for c in launch.conclusions)}
        return finding_id.removeprefix("class.") in found

    def why_not(self, position: int, finding_id: str) -> tuple[BlockedRule, ...]:
        """Return each rule of a finding on one launch: whether it fired, and what kept it from firing."""
        self._launch(position)
        if finding_id not in self.catalog.concluded and finding_id.removeprefix("class.") not in self.catalog.classes:
            raise UsageError(f"no diagnosis is called {finding_id!r}: `ncu-advisor explain diagnoses` lists them")
        trace = self._reasoned.traces[position]
        return why_not(self.catalog, self._reasoned.observed, position, trace, finding_id, self._labels(position))

    def flips(self, position: int, finding_id: str = "") -> tuple[Flip, ...]:
        """Return the values at which the class or a finding of one launch flips, and the conclusions beyond them."""
        launch = self._launch(position)
        return flips(self.catalog, self._reasoned, self.inputs, position, finding_id or launch.verdict.id)

    def turns(self, position: int) -> dict[str, tuple[float, ...]]:
        """Map each metric to the values, ascending, at which some evidence of a launch's conclusions flips."""
        launch = self._launch(position)
        targets = (launch.verdict.id, *(finding.id for finding in launch.findings))
        out: dict[str, set[float]] = {}
        for turn in turns(self.catalog, self._reasoned.observed, position, self._reasoned.traces[position], targets):
            out.setdefault(turn.metric, set()).add(turn.turns_at)
        return {metric: tuple(sorted(values)) for metric, values in out.items()}

    def what_if(self, position: int, values: Mapping[str, float]) -> LaunchDiagnosis:
        """Return the diagnosis of one launch with some metrics changed; raises UsageError for an unknown metric."""
        return self.supposed(position, values).diagnosis.launches[0]

    def supposed(self, position: int, values: Mapping[str, float]) -> Analysis:
        """Return an analysis of one launch with some metrics changed, to answer how and why not about it."""
        self._launch(position)
        return Analysis(self.catalog, *what_if(self.catalog, self._reasoned, self.inputs, position, values))

    def on(self, positions: Sequence[int], gpu: Gpu) -> tuple[OtherGpu, ...]:
        """Predict some launches on another GPU; raises UsageError if too little is known about their own GPU."""
        for position in positions:
            self._launch(position)
        return elsewhere(self.catalog, self.inputs, self._reasoned, positions, gpu)

    def on_rule(self, position: int, result: RuleResult) -> RuleVerdict:
        """Return the conclusion here on the subject of a result of ncu's rules, such as a pasted one."""
        launch, trace = self._launch(position), self._reasoned.traces[position]
        return verdicts(self.catalog, self._reasoned.observed, position, trace, launch.findings, (result,))[0]

    def wanted(self, askable: Sequence[str], later: Sequence[str] = ()) -> tuple[str, ...]:
        """For typed-in numbers, return the metrics and questions in `askable` that could change the first finding.

        After them come those in `later` whose value alone could change it.
        """
        return wanted(self.catalog, self.inputs, self._reasoned, askable, later)

    def answered(self, position: int | None, answers: Mapping[str, Answer]) -> Analysis:
        """Return a new analysis with more answers, for one launch or for all (None)."""
        merged = {key: dict(value) for key, value in self.inputs.answers.items()}
        merged.setdefault(position, {}).update(checked_answers(self.catalog, answers))
        return Analysis(self.catalog, replace(self.inputs, answers=merged))

    def _labels(self, position: int) -> dict[str, str]:
        return {name: leader_name(label) for name, label in self._launch(position).labels.items()}

    def _launch(self, position: int) -> LaunchDiagnosis:
        if not 0 <= position < len(self.diagnosis.launches):
            raise UsageError(
                f"there is no launch at position {position}: the reports hold {len(self.diagnosis.launches)}"
            )
        return self.diagnosis.launches[position]


def _used(inputs: Inputs, launches: Sequence[LaunchDiagnosis]) -> tuple[MeasuredCeilings, ...]:
    """Return the measured ceilings that affected a launch, for the record; empty if none did."""
    used: dict[str, ceilings.Ceilings] = {}
    for launch in launches:
        key, peak = ceilings.key_of(launch.gpu_name, launch.cc), launch.metrics.get("dram_peak_bytes_per_s")
        found = inputs.ceilings.get(key)
        if found is not None and peak and "dram_achievable_pct" in launch.metrics:
            used[key] = found
    return tuple(ceilings.as_used(found) for found in used.values())
