"""Estimate what several fixes of one launch give together, and in which order to make them.

All of them go through the time model together, as one fix, because gains neither add up nor multiply: the first fix may
remove what a second would have saved, or make it effective. If two fixes reduce the work of one unit, it is unknown
whether they remove the same work. At least, the two together do what the larger one does alone, at most both, and the
estimate is the geometric mean of what these leave.

The order is greedy: the next fix is the one that gives most after those before it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from msgspec import structs

from advisor.knowledge.base import Catalog
from advisor.knowledge.schemas import FixDef
from advisor.knowledge.time_model import time_model
from advisor.reasoning.ranking import TIE, Ranks, worthwhile
from advisor.reasoning.time_model import model
from advisor.reasoning.time_model.model import Model, attempted, gains, speedups
from advisor.reasoning.time_model.operators import applied
from advisor.reasoning.time_model.terms import LATENCY, Array, Rows
from advisor.records.diagnosis import ENDS, Budget, BudgetStep, Finding, LaunchDiagnosis, Speedup

_OWN_WAITS = tuple(name for name in LATENCY if name != "latency_barrier")
Factors = dict[str, Array]
_Join = Callable[[Sequence[Array]], Array]


def budgets(model: Model, fixes: Mapping[str, FixDef], candidates: Sequence[Sequence[str]]) -> list[Budget | None]:
    """Return the budget of each row, None if fewer than two of its fixes are worth making.

    fixes: by finding; candidates: for each row, the findings whose gain the model estimates, best first. Units: gains
    are old time / new time.
    """
    trials = _Trials(model, fixes)
    rows = {row: tuple(found) for row, found in enumerate(candidates) if len(found) >= 2}
    trials.need({(row, (c,)) for row, found in rows.items() for c in found})
    rows = {row: tuple(c for c in found if trials.of(row, (c,))) for row, found in rows.items()}
    rows = {row: found for row, found in rows.items() if len(found) >= 2}
    done: dict[int, tuple[str, ...]] = dict.fromkeys(rows, ())
    while open_ := {row: rest for row, found in rows.items() if (rest := [c for c in found if c not in done[row]])}:
        trials.need({(row, (*done[row], c)) for row, rest in open_.items() for c in rest})
        for row, rest in open_.items():
            best = max(trials.gain(row, (*done[row], c)) for c in rest)
            chosen = next(c for c in rest if trials.gain(row, (*done[row], c)) * TIE >= best)
            done[row] = (*done[row], chosen)
    out: list[Budget | None] = [None] * len(candidates)
    for row, order in done.items():
        out[row] = _budget(trials, row, order)
    return out


def _budget(trials: _Trials, row: int, order: tuple[str, ...]) -> Budget | None:
    steps, before = [], 1.0
    for at, finding in enumerate(order):
        found = trials.of(row, order[: at + 1])
        assert found is not None
        # A fix that costs more than it saves after the others would not be made, so no step is a loss.
        total = max(before, found.estimate)
        steps.append(BudgetStep(finding, trials.gain(row, (finding,)), total / before, total, found.next_limiter))
        before = total
    together = trials.of(row, order)
    if together is None or sum(worthwhile(max(s.alone, s.gain)) for s in steps) < 2:
        return None
    estimate = max(together.estimate, before)
    return Budget(structs.replace(together, estimate=estimate, high=max(together.high, estimate)), tuple(steps))


class _Trials:
    """Gains of sets of fixes on rows; each set is calculated once for all rows that request it."""

    def __init__(self, model: Model, fixes: Mapping[str, FixDef]) -> None:
        self._model = model
        self._fixes = fixes
        self._left: dict[str, Factors] = {}
        self._known: dict[tuple[int, frozenset[str]], Speedup | None] = {}

    def need(self, asked: set[tuple[int, tuple[str, ...]]]) -> None:
        """Estimate these sets of fixes on these rows."""
        rows: dict[frozenset[str], set[int]] = {}
        for row, members in asked:
            if (row, frozenset(members)) not in self._known:
                rows.setdefault(frozenset(members), set()).add(row)
        for chosen, at in rows.items():
            places = np.array(sorted(at))
            for row, found in zip(places.tolist(), self._estimate(chosen, places), strict=True):
                self._known[row, chosen] = found

    def of(self, row: int, members: tuple[str, ...]) -> Speedup | None:
        """Return the gain of these fixes together; None if it is unknown."""
        return self._known[row, frozenset(members)]

    def gain(self, row: int, members: tuple[str, ...]) -> float:
        """Return the estimated gain, 1 if it is unknown."""
        found = self.of(row, members)
        return 1.0 if found is None else found.estimate

    def _estimate(self, chosen: frozenset[str], at: Array) -> list[Speedup | None]:
        if len(chosen) == 1:
            return speedups(self._model, self._fixes[next(iter(chosen))], at)
        parts = [self._of_fix(finding) for finding in sorted(chosen)]
        same, each = (self._with_barrier(parts, join) for join in (_same, _each))
        columns = Rows(self._model.columns, at)
        middle = {name: np.sqrt(same[name] * each[name])[at] for name in same}
        least = {name: factor[at] for name, factor in same.items()}
        # Parts without a name: they bound the range and are not listed.
        bounds = {"": least, " ": {name: factor[at] for name, factor in each.items()}}
        # What one fix leaves of its cause, another one may remove: the combination is told as its best part is.
        reach = max(self._fixes[finding].reach for finding in chosen)
        return gains(attempted(columns, self._model.now.at(at), middle, bounds), reach=reach)

    def _of_fix(self, finding: str) -> Factors:
        """Return what a fix leaves of each term, 1 if unknown; `latency` is split into its parts."""
        if finding not in self._left:
            self._left[finding] = self._split(self._fixes[finding])
        return self._left[finding]

    def _split(self, fix: FixDef) -> Factors:
        found = applied(fix.operators, self._model.columns, self._model.rows, self._model.now)
        out = {name: np.where(np.isfinite(left), left, 1.0) for name, left in found.items()}
        whole = out.pop("latency", None)
        if whole is not None:
            out |= {name: out.get(name, 1.0) * whole for name in _OWN_WAITS}
            # If a warp waits at barriers only, no other term shows the remaining waits.
            out["latency_barrier"] = out.get("latency_barrier", 1.0) * np.where(self._own(()) > 0, 1.0, whole)
        return out

    def _with_barrier(self, parts: Sequence[Mapping[str, Array]], join: _Join) -> Factors:
        """Combine the factors of several fixes. Waits at barriers shrink with other waits and by their own factor."""
        described = time_model().terms
        out: Factors = {}
        for name in dict.fromkeys(name for part in parts for name in part):
            follows = described[name].follows if name in described else ""
            out[name] = join([part.get(name, part.get(follows, np.ones(self._model.rows))) for part in parts])
        if "latency_barrier" in out:
            own = self._own(())
            left = np.where(own > 0, self._own(tuple(out.items())) / np.maximum(own, 1e-12), 1.0)
            out["latency_barrier"] = out["latency_barrier"] * left
        return out

    def _own(self, factors: tuple[tuple[str, Array], ...]) -> Array:
        """Return a warp's own waits, scaled by the factors: shape (rows,)."""
        scale = dict(factors)
        return np.asarray(sum(self._model.now.terms[name] * scale.get(name, 1.0) for name in _OWN_WAITS))


def _same(factors: Sequence[Array]) -> Array:
    """Combine fixes that remove the same work: only the larger one counts; added work counts once."""
    least, most = np.minimum.reduce(factors), np.maximum.reduce(factors)
    return np.asarray(np.minimum(least, 1.0) * np.maximum(most, 1.0))


def _each(factors: Sequence[Array]) -> Array:
    """Combine fixes that each remove their own share of what the others leave."""
    return np.asarray(np.multiply.reduce(factors))


# Findings that end the search inside the kernel, or that make its percentages meaningless.
_NONE_WITH = ("launch_overhead", *ENDS)


def with_budgets(
    catalog: Catalog, columns: Mapping[str, Array], launches: Sequence[LaunchDiagnosis]
) -> tuple[LaunchDiagnosis, ...]:
    """Return the launches, in the order of the rows of `columns`, each with its budget if it has one."""
    chosen = [
        candidates_of(launch.findings, {f.id: _fix(catalog, f) for f in launch.findings if f.fix is not None})
        for launch in launches
    ]
    if not any(len(found) >= 2 for found in chosen):
        return tuple(launches)
    return tuple(
        launch
        if budget is None
        else structs.replace(launch, budget=structs.replace(_as_shown(launch, budget), left_out=_left_out(launch)))
        for launch, budget in zip(launches, chosen_budgets(model.build(columns, len(launches)), chosen), strict=True)
    )


def _as_shown(launch: LaunchDiagnosis, budget: Budget) -> Budget:
    """Return the budget with no fix alone above the estimate of its finding, which a formula may limit."""
    shown = {f.id: f.speedup.estimate for f in launch.findings if f.speedup is not None}
    steps, before = [], 1.0
    for at, step in enumerate(budget.steps):
        alone = min(step.alone, shown[step.finding])
        total = step.total if at else min(step.total, alone)
        steps.append(structs.replace(step, alone=alone, gain=total / before, total=total))
        before = total
    return structs.replace(budget, steps=tuple(steps))


def _fix(catalog: Catalog, finding: Finding) -> FixDef:
    assert finding.fix is not None
    return catalog.findings[finding.id].fix_named(finding.fix.id)


def chosen_budgets(model: Model, chosen: Sequence[Mapping[str, FixDef]]) -> list[Budget | None]:
    """Return the budget of each row, see `budgets`. chosen: each row's fixes by finding, best first."""
    # Rows may have different fixes for one finding.
    keys = [{f"{finding} {fix.id}": fix for finding, fix in of_row.items()} for of_row in chosen]
    fixes = {key: fix for of_row in keys for key, fix in of_row.items()}
    return [
        None
        if found is None
        else structs.replace(
            found, steps=tuple(structs.replace(s, finding=s.finding.partition(" ")[0]) for s in found.steps)
        )
        for found in budgets(model, fixes, [tuple(of_row) for of_row in keys])
    ]


def candidates_of(findings: Sequence[Ranks], fixes: Mapping[str, FixDef]) -> dict[str, FixDef]:
    """Return the chosen fixes, by finding, that have a gain, even a small one: another fix may make it effective."""
    if any(f.id in _NONE_WITH and f.kind == "diagnosis" for f in findings):
        return {}
    return {f.id: fixes[f.id] for f in findings if f.speedup is not None and f.id in fixes and fixes[f.id].modelled}


def _left_out(launch: LaunchDiagnosis) -> tuple[str, ...]:
    return tuple(f.id for f in launch.findings if f.kind == "diagnosis" and f.speedup is None)
