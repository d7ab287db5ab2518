"""Answers why a number of the launch is low or high, and how many threads run at once."""

from __future__ import annotations

from typing import Final

from advisor.hardware.gpus import limits_of
from advisor.knowledge.base import catalog, metric_title
from advisor.knowledge.units import units
from advisor.records.diagnosis import ENDS, LaunchDiagnosis, first_diagnosis
from advisor.records.errors import UsageError
from advisor.records.questions import RESIDENT, WHY_VALUE, Meaning
from advisor.view.blocks import Fact, Facts
from advisor.view.charts.bars import limited_by_grid, occupancy_limit, stalls, unit_limits
from advisor.view.numbers import count_text, counted, percent_text
from advisor.view.pages.answers.numbers import judged_by
from advisor.view.pages.answers.occupancy import not_the_cause
from advisor.view.pages.answers.parts import (
    OPEN,
    Answer,
    Answers,
    Asked,
    found_of,
    gain_text,
    known_value,
    lacking,
    lower_start,
    metrics_of,
    number_text,
)
from advisor.view.text import sentence

_HIGH_WORDS: Final = frozenset(("high", "big", "large", "many", "much", "above", "over", "higher", "huge"))
_THREADS: Final = 32  # threads of a warp
_APART: Final = 10.0  # points between achieved and theoretical occupancy that ncu's own rule reports


def _why_value(meaning: Meaning, asked: Asked) -> Answer:
    launch, value = asked.launch, known_value(meaning.subject, asked.launch)
    if value is None:
        return lacking(metrics_of(meaning.subject), launch, asked)
    metric, amount = value
    if metric.startswith("occupancy"):
        return _occupancy(launch)
    high = bool(_HIGH_WORDS & set(meaning.words))
    is_unit = metric in units() or metric in ("compute_pct", "memory_pct", "sm_throughput_pct", "memory_throughput_pct")
    return _unit(launch, metric, amount, high) if is_unit else _other(meaning, launch, metric, amount)


def _unit(launch: LaunchDiagnosis, metric: str, amount: float, high: bool) -> Answer:
    """Return why a unit of the GPU is little or much used: what limits the launch."""
    busy, near = unit_limits()
    title, have, because = metric_title(metric), number_text(metric, amount), launch.verdict.because
    reason = f"the launch is {lower_start(launch.verdict.title)}{f' ({because})' if because else ''}"
    if high and amount < busy:
        says = f"It is not high: {title} is at {have}, and {busy:.0f} % is where a unit counts as utilised; {reason}."
    elif not high and amount >= busy:
        says = (
            f"It is not low: {title} is at {have} of its peak{', near its limit' if amount >= near else ''}; {reason}."
        )
    elif high:
        says = f"{title} is at {have} because of the work that the launch gives this unit: {reason}."
    else:
        says = f"{title} is at {have} because something else takes the time: {reason}."
    return Answer(says, blocks=_instead(launch), then=("why is it slow", "how do I fix it"))


def _other(meaning: Meaning, launch: LaunchDiagnosis, metric: str, amount: float) -> Answer:
    """Return why any other number is as it is: the finding that rests on it, else what its rules test."""
    entry = catalog().metrics.get(metric)
    rows = [Fact("What it is", sentence(entry.means))] if entry is not None and entry.means else []
    rows += [Fact("Judged by", text) for text in judged_by(metric)]
    title, have = metric_title(metric), number_text(metric, amount)
    about = found_of(meaning.subject, launch) or next(
        (f for f in launch.findings if any(item.metric == metric and item.holds for item in f.evidence)), None
    )
    if about is not None:
        says = f"{title} is {have}, which speaks for {lower_start(about.title)}{gain_text(about)}: {about.because}."
        then = (f"how do I fix the {about.title.lower()}", "how do you know")
        return Answer(says, blocks=(Facts(tuple(rows)),) if rows else (), then=then, evidence=about.evidence)
    says = f"{title} is {have}; no finding of this launch rests on it, so it is not why the launch is slow."
    return Answer(says, blocks=(*((Facts(tuple(rows)),) if rows else ()), *_instead(launch)), then=("why is it slow",))


def _instead(launch: LaunchDiagnosis) -> tuple[Facts, ...]:
    first, top = first_diagnosis(launch), stalls(launch.metrics)[0]
    rows = []
    if first is not None and first.id != OPEN:
        rows.append(
            Fact("Cause" if first.id not in ENDS else "State", f"{first.title}{gain_text(first)}: {first.because}")
        )
    if top.value is not None:
        rows.append(Fact("Warps wait", f"mostly {top.label}: {percent_text(top.value)} of the warps' cycles"))
    return (Facts(tuple(rows)),) if rows else ()


def _occupancy(launch: LaunchDiagnosis) -> Answer:
    """Return what keeps the occupancy down: the grid, a limit of the block, or uneven work; and whether it matters."""
    have = launch.metrics
    achieved, theoretical = have.get("occupancy_achieved_pct"), have.get("occupancy_theoretical_pct")
    limit = occupancy_limit(have, launch.labels)
    shown = [
        f"{name} {percent_text(x)}"
        for name, x in (("achieved", achieved), ("theoretical", theoretical))
        if x is not None
    ]
    numbers = f"Occupancy is {', '.join(shown)}"
    of_grid = limited_by_grid(have)
    if theoretical is not None and achieved is not None and not of_grid and theoretical - achieved > _APART:
        gap = (
            "the rest is lost at run time: blocks of unequal length, a partial last wave, or blocks too short to start"
        )
        says = f"{numbers}: {limit or 'its limit is unknown'}; {gap}."
    else:
        says = f"{numbers}: {limit}." if limit else f"{numbers}; what limits it was not collected."
    finding = next((f for f in launch.findings if f.id.startswith("low_occupancy") or f.id == "grid_too_small"), None)
    rows = []
    if finding is not None:
        rows.append(Fact("It matters", f"{finding.title}{gain_text(finding)}: {finding.because}"))
    elif enough := not_the_cause(launch):
        rows.append(Fact("The cause?", enough))
    then = ("what if occupancy was 80%", "how do I fix it" if finding is not None else "why is it slow")
    return Answer(says, blocks=(Facts(tuple(rows)), *(() if finding is not None else _instead(launch))), then=then)


def _resident(meaning: Meaning, asked: Asked) -> Answer:
    """Return how many threads are resident at once, by the limits of an SM, the grid, and the achieved occupancy."""
    launch, have = asked.launch, asked.launch.metrics
    block, held, sms, grid = (have.get(name) for name in ("block_size", "blocks_per_sm_limit", "sm_count", "grid_size"))
    if not block or not held or not sms:
        return lacking(("blocks_per_sm_limit",), launch, asked)
    blocks = min(held * sms, grid) if grid else held * sms
    says = f"At most {blocks * block:,.0f} threads at once: {counted(int(blocks), 'block')} of "
    says += counted(int(block), "thread")
    if grid and grid < held * sms:
        says += f", the whole grid; {counted(int(sms), 'SM')} have room for {held * sms:,.0f} such blocks."
    else:
        says += f", {held:.0f} on each of {counted(int(sms), 'SM')}."
    rows = []
    if grid:
        rows.append(
            Fact("Grid", f"{counted(int(grid), 'block')}, {grid * block:,.0f} threads: {grid / (held * sms):.3g} waves")
        )
    if limit := occupancy_limit(have, launch.labels):
        rows.append(Fact("Limit", sentence(limit)))
    achieved = have.get("occupancy_achieved_pct")
    slots = _slots(launch)
    if achieved is not None and slots:
        warps = achieved * slots / 100
        text = f"{percent_text(achieved)}: {count_text(round(warps, 1))} of {slots} warps on an SM that has work"
        rows.append(Fact("Achieved", f"{text}, {warps * _THREADS:,.0f} threads"))
    if (issue := have.get("issue_active")) is not None:
        rows.append(Fact("Issuing", f"{issue:.2f} warp instructions per scheduler and cycle; the other warps wait"))
    return Answer(
        says,
        blocks=(Facts(tuple(rows)),) if rows else (),
        then=("is it the occupancy", "what are the warps waiting for"),
    )


def _slots(launch: LaunchDiagnosis) -> int:
    """Return the warp slots of an SM; 0 if unknown."""
    if slots := launch.metrics.get("device_max_warps_per_sm"):
        return int(slots)
    try:
        return limits_of(launch.cc).warps_per_sm
    except UsageError:
        return 0


ANSWERS: Final[Answers] = {WHY_VALUE: _why_value, RESIDENT: _resident}
