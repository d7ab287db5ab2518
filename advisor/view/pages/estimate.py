"""How an estimated speedup was computed, as lines that every face shows."""

from __future__ import annotations

from advisor.knowledge.base import catalog
from advisor.knowledge.time_model import time_model
from advisor.records.estimate import Estimate, Relief
from advisor.view.blocks import Line
from advisor.view.numbers import amount_text, share_text, speedup_text

# A factor that changes an estimate by less is not worth a line.
_NOTICED = 0.005
HEADING = "How the speedup is estimated"


def estimate_lines(estimate: Estimate) -> tuple[Line, ...]:
    """Return the lines: for each unit its need before and after, the factor and its origin; then the sum."""
    lines = [Line(f"{speedup_text(estimate.speedup)}: {estimate.how}", "strong")]
    told: set[str] = set()
    for part in estimate.parts:
        lines += _part(part, told)
    if estimate.before is not None and estimate.after is not None and estimate.accounted is not None:
        text = (
            f"together the units need {share_text(estimate.before)} of the measured time before the fix, "
            f"{share_text(estimate.after)} after it. The model explains {share_text(estimate.accounted)} of the "
            "measured time; the rest stays or follows the lost issue slots, and the estimate is between the two"
        )
        lines.append(Line(text, label="sum", depth=1))
        if estimate.error is not None and abs(estimate.error - 1) >= _NOTICED:
            way = "underestimates" if estimate.error < 1 else "overestimates"
            error = (
                f"the model {way} this launch, because of the work that the fix changes: "
                f"the corrected time after the fix is × {estimate.error:.2f}"
            )
            lines.append(Line(error, "quiet", depth=2))
        overlap = f"units overlap, so their times are not added but combined by a norm of order {estimate.norm:g}: "
        overlap += "the busiest counts most (`ncu-advisor explain time_model`)"
        lines.append(Line(overlap, "quiet", depth=2))
    if estimate.reach is not None and estimate.speedup > 1:
        whole = speedup_text(estimate.speedup ** (1 / estimate.reach))
        text = f"{speedup_text(estimate.speedup)}: measured fixes of this kind reach the {whole} of the model "
        lines.append(Line(f"{text}to the power of {estimate.reach:g}", label="expected", depth=1))
    lines.append(Line(", ".join(estimate.cites), "quiet", "source", 1))
    return tuple(lines)


def _part(part: Relief, told: set[str]) -> list[Line]:
    """Return the lines of a unit. told: the metrics that were explained above; those of this unit are added."""
    need = "" if part.before is None or part.after is None else f"{_need(part)} "
    left = f"{100 * part.factor:.0f} % of today's work"
    lines = [Line(f"{part.name}: {need}({left} is left)" if need else f"{part.name}: {left} is left", depth=1)]
    factors = [f"{one.value:.2f} by {one.formula}" for one in part.factors]
    if len(factors) > 1:
        text = f"what is left: {part.factor:.2f}, the product of what each part of the fix leaves: "
        lines.append(Line(text + "; ".join(factors), "quiet", depth=2))
    elif factors:
        lines.append(Line(f"what is left: {factors[0]}", "quiet", depth=2))
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
    return f"needs {share_text(part.before or 0.0)} of the time now, {share_text(part.after or 0.0)} after the fix"
