"""How an estimated speedup was computed, as lines that every face shows."""

from __future__ import annotations

from advisor.knowledge.base import catalog
from advisor.knowledge.time_model import time_model
from advisor.records.estimate import Estimate, Relief
from advisor.view.blocks import Line
from advisor.view.numbers import amount_text, share_text, speedup_text

HEADING = "How the speedup is estimated"


def estimate_lines(estimate: Estimate) -> tuple[Line, ...]:
    """Return the lines: for each unit its need before and after, the factor and its origin; then the sum."""
    lines = [Line(f"{speedup_text(estimate.speedup)}: {estimate.how}", "strong")]
    told: set[str] = set()
    for part in estimate.parts:
        lines += _part(part, told)
    if estimate.before is not None and estimate.after is not None and estimate.accounted is not None:
        text = (
            f"all units together need {share_text(estimate.before)} of the measured time before and "
            f"{share_text(estimate.after)} after (the largest of each chain, combined by norm {estimate.norm:g}); "
            f"the model accounts for {share_text(estimate.accounted)} of the time, and the rest stays"
        )
        lines.append(Line(text, label="sum", depth=1))
    lines.append(Line(", ".join(estimate.cites), "quiet", "source", 1))
    return tuple(lines)


def _part(part: Relief, told: set[str]) -> list[Line]:
    """Return the lines of a unit. told: the metrics that were explained above; those of this unit are added."""
    need = "" if part.before is None or part.after is None else f"{_need(part)}, "
    factors = [f"{one.value:.2f} ({one.formula})" for one in part.factors]
    if len(factors) > 1:
        origin = f"× {part.factor:.2f}, the middle of {' and '.join(factors)}"
    else:
        origin = f"× {part.factor:.2f}" + (f" = {part.factors[0].formula}" if part.factors else "")
    plain = all(one.formula.replace(".", "").isdigit() for one in part.factors)
    origin += ", a constant of the fix" if plain and part.factors else ""
    lines = [Line(f"{part.name}: {need}{origin}", depth=1)]
    for metric, value in part.inputs:
        entry = catalog().metrics.get(metric)
        new = entry is not None and metric not in told
        says = f": {entry.means}" if entry is not None and new else ""
        cites = f" [{', '.join(entry.cites)}]" if entry is not None and new and entry.cites else ""
        told.add(metric)
        unit = "" if entry is None else entry.unit
        lines.append(Line(f"{metric} = {amount_text(value, unit)}{says}{cites}", "quiet", depth=2))
    if part.term in time_model().terms:
        term = time_model().terms[part.term]
        ceiling = f"need = {term.metric} / {term.ceiling:.0%}, the share of the peak that kernels reach"
        measured = ceiling if term.metric else ""
        text = "; ".join(one for one in (measured, ", ".join(part.cites)) if one)
        lines.append(Line(text, "quiet", "source", 2))
    return lines


def _need(part: Relief) -> str:
    return f"needs {share_text(part.before or 0.0)} of the time, then {share_text(part.after or 0.0)}"
