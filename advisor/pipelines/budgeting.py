"""Each launch with two findings or more gets its budget: what their fixes give together, and in which order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from advisor import quantify
from advisor.model import ENDS, LaunchDiagnosis
from advisor.quantify.budget import budgets
from advisor.quantify.terms import Array

if TYPE_CHECKING:
    from advisor.catalog import Catalog
    from advisor.pipelines.ranking import Ranks

# What ends the search for more inside the kernel, or says that its percentages mean nothing.
_NONE_WITH = ("launch_overhead", *ENDS)


def with_budgets(
    catalog: Catalog, columns: Mapping[str, Array], launches: Sequence[LaunchDiagnosis]
) -> tuple[LaunchDiagnosis, ...]:
    """The launches, in the order of the rows of `columns`, each with its budget where it has one."""
    candidates = [candidates_of(catalog, launch.findings) for launch in launches]
    if not any(len(found) >= 2 for found in candidates):
        return tuple(launches)
    fixes = {f: fix for found in candidates for f in found if (fix := catalog.findings[f].fix) is not None}
    found = budgets(quantify.build(columns, len(launches)), fixes, candidates)
    return tuple(
        launch if budget is None else replace(launch, budget=replace(budget, left_out=_left_out(launch)))
        for launch, budget in zip(launches, found, strict=True)
    )


def candidates_of(catalog: Catalog, findings: Sequence[Ranks]) -> tuple[str, ...]:
    """Findings whose fix has a gain, those not worth it alone too: another fix may clear the way for it."""
    if any(f.id in _NONE_WITH and f.kind == "diagnosis" for f in findings):
        return ()
    fixed = (f.id for f in findings if f.speedup is not None)
    return tuple(f for f in fixed if (fix := catalog.findings[f].fix) is not None and fix.changes)


def _left_out(launch: LaunchDiagnosis) -> tuple[str, ...]:
    return tuple(f.id for f in launch.findings if f.kind == "diagnosis" and f.speedup is None)
