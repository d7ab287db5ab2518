"""The answer whether a stated number is good, by the launch's own numbers: registers, occupancy, waves, any metric."""

from __future__ import annotations

import math
from typing import Final

from advisor.knowledge.base import catalog, metric_title
from advisor.knowledge.expressions import parse_test
from advisor.records.diagnosis import ENDS, Finding, LaunchDiagnosis, first_diagnosis
from advisor.records.questions import JUDGE, Meaning
from advisor.view.blocks import Fact, Facts
from advisor.view.charts.bars import limited_by_grid, occupancy_limit
from advisor.view.numbers import bound_text, count_text, counted, percent_text
from advisor.view.pages.answers.occupancy import fits_with, not_the_cause, waits_unfilled, with_registers
from advisor.view.pages.answers.parts import (
    Answer,
    Answers,
    Asked,
    Truth,
    found_of,
    gain_text,
    known_value,
    lacking,
    lower_start,
    metrics_of,
    number_text,
)
from advisor.view.text import sentence

_REGISTERS: Final = "registers_per_thread"
_SAME: Final = 0.02  # relative difference up to which a stated number is the measured one, rounded
_TESTS: Final = 3
# Words of a question that expects a fault: "too many", "a lot", "low".
_BAD: Final = frozenset(
    ("bad", "poor", "terrible", "wrong", "many", "much", "few", "little", "low", "high", "large", "big", "small", "lot")
)


def _judge(meaning: Meaning, asked: Asked) -> Answer:
    launch, value = asked.launch, known_value(meaning.subject, asked.launch)
    if value is None:
        return lacking(metrics_of(meaning.subject), launch, asked)
    metric, measured = value
    stated = dict(asked.values).get(metric, measured)
    other = abs(stated - measured) > _SAME * max(abs(measured), abs(stated))
    have, then = number_text(metric, measured), ("why is it slow", f"what is {metric}")
    rows = [*_registers(launch, int(stated))] if metric == _REGISTERS else []
    rows += _occupancy(launch) if metric.startswith("occupancy") else []
    rows += _waves(stated) if metric == "waves" else []
    rows += [Fact("Rules test", text) for text in _tests(metric, stated)]
    blocks = (Facts(tuple(rows)),) if rows else ()
    finding = _about(meaning, launch, metric)
    if other:
        here = f"{metric_title(metric)} is {have} on this launch, not {number_text(metric, stated)}."
        good, says = _supposed(meaning, asked, value, int(stated), finding)
        return Answer(f"{here} {says}", _truth(meaning, good), blocks=blocks, then=then)
    if finding is None:
        limits = first_diagnosis(launch)
        if limits is not None and limits.id not in ENDS and not metric.startswith("occupancy"):
            says = f"Neither by itself: no rule of a finding tests {metric_title(metric)} ({have}) here. "
            says += f"The launch is limited by something else: {lower_start(limits.title)}, because {limits.because}."
            return Answer(says, _truth(meaning, True), blocks=blocks, then=then)
        if metric.startswith("occupancy") and waits_unfilled(launch):
            says = f"Low, but no rule holds it responsible: {_because(launch, metric, have)}"
            return Answer(says, "unknown", blocks=blocks, then=("why is occupancy low", *then))
        says = f"That is fine: {_because(launch, metric, have)}"
        return Answer(says, _truth(meaning, True), blocks=blocks, then=then)
    if finding.id in ENDS:
        says = f"That is fine, near the limit: {finding.because}."
        return Answer(says, _truth(meaning, True), blocks=blocks, then=then)
    says = f"That is a problem: {finding.title}{gain_text(finding)}: {finding.because}."
    truth = _truth(meaning, False)
    return Answer(says, truth, blocks=blocks, then=("how do I fix it", *then), evidence=finding.evidence)


def _truth(meaning: Meaning, good: bool | None) -> Truth:
    """Return the answer to `is it good`, or to `is it bad` if the question has such a word."""
    if good is None:
        return "unknown"
    return "yes" if good != bool(_BAD & set(meaning.words)) else "no"


def _about(meaning: Meaning, launch: LaunchDiagnosis, metric: str) -> Finding | None:
    """Return the finding that a number speaks for: of its subject, else the first one if its rules test the number."""
    first = first_diagnosis(launch)
    if metric.startswith("occupancy") and limited_by_grid(launch.metrics):
        few = next((finding for finding in launch.findings if finding.id == "grid_too_small"), None)
        if few is not None:
            return few
    tests = first is not None and any(item.metric == metric and item.holds for item in first.evidence)
    return found_of(meaning.subject, launch) or (first if tests else None)


def _because(launch: LaunchDiagnosis, metric: str, have: str) -> str:
    """Return why a number is no fault of the launch: what limits it instead."""
    first = first_diagnosis(launch)
    if metric.startswith("occupancy") and (enough := not_the_cause(launch)):
        return enough.removeprefix("No: ")
    instead = f"; first comes {lower_start(first.title)}" if first is not None else ""
    return f"no finding is about {metric_title(metric)} ({have}){instead}."


def _supposed(
    meaning: Meaning, asked: Asked, value: tuple[str, float], stated: int, finding: Finding | None
) -> tuple[bool | None, str]:
    """Return whether the stated number would be good, and what it would change. value: the metric, as measured."""
    metric, measured = value
    if metric == _REGISTERS:
        change = f" {finding.title} is found now." if finding is not None else ""
        return None, f"{with_registers(asked.launch, stated)}{change}".strip()
    after = None if asked.supposed is None else _about(meaning, asked.supposed, metric)
    if after is not None and after.id not in ENDS:
        return False, f"It would not do either: {after.title} is found with it, too." if finding else f"{after.title}."
    if finding is not None:
        return True, f"With it, {finding.title} is not found."
    return True, f"That is fine: {_because(asked.launch, metric, number_text(metric, measured))}"


def _registers(launch: LaunchDiagnosis, registers: int) -> list[Fact]:
    """Return what a number of registers per thread means: occupancy, its nearest steps, spills."""
    rows, fits = [], fits_with(launch, registers)
    if fits is not None:
        limit = "registers limit it" if "registers" in fits.limiters else f"limited by {' and '.join(fits.limiters)}"
        blocks = f"{counted(fits.blocks, 'block')} ({counted(fits.warps, 'warp')}) per SM"
        rows.append(Fact("Occupancy", f"{percent_text(fits.percent)}, {blocks}; {limit}"))
        steps = [
            f"{cliff.value} or {'fewer' if cliff.gain else 'more'}: "
            + (percent_text(cliff.percent) if cliff.blocks else "no block fits an SM")
            for cliff in fits.cliffs
            if cliff.resource == "registers"
        ]
        rows += [Fact("Next step", "; ".join(steps))] if steps else []
    spills = launch.metrics.get("spill_inst")
    if spills is None:
        rows.append(Fact("Spills", "unknown: spill_inst was not collected"))
    else:
        rows.append(Fact("Spills", f"{count_text(spills)} loads and stores" if spills else "none"))
    return rows


def _occupancy(launch: LaunchDiagnosis) -> list[Fact]:
    limit, have = occupancy_limit(launch.metrics, launch.labels), launch.metrics
    rows = [Fact("Limit", sentence(limit))] if limit else []
    known = [
        (name, have[f"occupancy_{name}_pct"]) for name in ("theoretical", "achieved") if f"occupancy_{name}_pct" in have
    ]
    rows += [Fact("Here", ", ".join(f"{name} {percent_text(value)}" for name, value in known))] if known else []
    if (ready := have.get("eligible_warps")) is not None:
        text = f"{ready:.2f} per scheduler in an average cycle; below 1, it cannot issue in every cycle"
        rows.append(Fact("Eligible warps", text))
    return rows


def _waves(waves: float) -> list[Fact]:
    if waves <= 0:
        return []
    whole = math.ceil(waves)
    loss = f"at most {bound_text(whole / waves)} by a full last wave"
    text = f"{waves:.3g} waves take the time of {whole}: {loss if whole / waves >= 1.01 else 'nothing is lost'}"
    return [Fact("Last wave", text if waves > 1 else "less than one wave: some SMs or slots stay empty")]


def _tests(metric: str, value: float) -> tuple[str, ...]:
    """Return the tests of the rules on this metric alone, with their outcome for the value."""
    out = {}
    for entry in catalog().observations.values():
        test = parse_test(entry.test)
        if len(test.comparisons) == 1 and set(test.names) == {metric}:
            one = test.comparisons[0]
            threshold = one.right.scalar({metric: value})
            out[entry.test] = "holds" if one.holds(one.left.scalar({metric: value}), threshold) else "does not hold"
    return tuple(f"{test}: {outcome}" for test, outcome in list(out.items())[:_TESTS])


ANSWERS: Final[Answers] = {JUDGE: _judge}
