"""What a launch's numbers say, as lines: known numbers in words, unknown ones named, findings looked for or not."""

from __future__ import annotations

import math
from collections.abc import Iterable

from advisor.records.diagnosis import LaunchDiagnosis
from advisor.session.method import words
from advisor.session.numbers import number_text
from advisor.session.records import Line
from advisor.session.state import State

Named = tuple[str, str]  # a short name and the metric
# Units that people read; what a count counts stands in its name.
_UNITS = ("%", "byte", "byte/s", "ns", "us", "s", "Hz", "FLOP", "bool")


def known(launch: LaunchDiagnosis, metric: str) -> float | None:
    """The metric's value; None where it is unknown."""
    value = launch.metrics.get(metric)
    return float(value) if value is not None and math.isfinite(value) else None


def text(state: State, launch: LaunchDiagnosis, metric: str) -> str:
    """The metric's value with its unit, the word unknown where there is none."""
    unit = state.lore.unit(metric) or ""
    return number_text(known(launch, metric), unit if unit in _UNITS else "")


def values(state: State, launch: LaunchDiagnosis, label: str, named: Iterable[Named], most: int = 0) -> Line:
    """The numbers in one line, the unknown ones named at its end; `most`: only so many of the known, largest first."""
    pairs = tuple(named)
    have = [(name, metric, value) for name, metric in pairs if (value := known(launch, metric)) is not None]
    lack = [name or metric for name, metric in pairs if known(launch, metric) is None]
    if most:
        have = sorted(have, key=lambda item: -item[2])[:most]
    parts = [f"{name} {text(state, launch, metric)}".strip() for name, metric, _ in have]
    if lack and not (most and have):
        parts.append(f"unknown: {', '.join(lack)}")
    return Line(", ".join(parts), "fact" if have else "unknown", label)


def looked_for(state: State, launch: LaunchDiagnosis, names: Iterable[str]) -> list[Line]:
    """For each finding: what it says where it was found; else that it was looked for, or could not be."""
    lines = []
    for name in names:
        title = state.lore.title(name)
        found = state.finding_of(name)
        wanting = [item.metric for item in launch.missing if name in item.needed_for]
        asked = [question.ask for question in launch.questions if name in question.would_change]
        if found is not None:
            told = f"{found.title}: {found.because}" if found.because else found.title
            lines.append(Line(told, "warning" if found.kind == "trust" else "strong"))
        elif wanting:
            lines.append(Line(f"{title}: could not be looked at, since unknown: {', '.join(wanting[:4])}", "unknown"))
        elif asked:
            lines.append(Line(f"{title}: not decided without your answer: {asked[0]}", "unknown"))
        elif not launch.metrics or launch.verdict.id == "undetermined" or state.numbers:
            # Of typed numbers nobody knows which rule had all that it needed.
            lines.append(Line(words.UNDECIDED.format(title=title), "unknown"))
        else:
            lines.append(Line(f"{title}: checked, and not the case", "quiet"))
    return lines


def collecting(launch: LaunchDiagnosis, findings: Iterable[str] = ()) -> list[Line]:
    """The command for what is missing, of these findings only where any are named."""
    wanted = set(findings)
    commands = [m.collect for m in launch.missing if m.collect and (not wanted or wanted & set(m.needed_for))]
    return [Line(f"Collect it with: {c}", "quiet") for c in dict.fromkeys(commands)]
