"""Parse and check `--fail-on`: conditions on the change from base to current, for scripts and CI."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Final

from advisor.compare.changes import undecided
from advisor.compare.records import Outcome, Pair, Threshold
from advisor.knowledge.base import Catalog
from advisor.knowledge.spoken import spoken_names
from advisor.records.errors import UsageError
from advisor.records.names import near_names
from advisor.records.quantities import amount_text, change_text, share_text

_WORD: Final = 40  # characters of a wrong name that an advised command repeats
_FORMS = (
    "'duration>5%' (relative), 'dram_pct>+5' or 'dram_pct<-5' (change in the metric's unit), "
    "'finding:bank_conflicts' (a new finding)"
)
_COMPARED = re.compile(
    r"\s*(?P<name>[A-Za-z_][A-Za-z0-9_.]*)\s*(?P<sign>[<>])\s*(?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)"
    r"\s*(?P<percent>%?)\s*"
)
_FINDING = re.compile(r"\s*finding\s*:\s*(?P<id>[A-Za-z_][A-Za-z0-9_.]*)\s*")


def parse(text: str, catalog: Catalog) -> Threshold:
    """Parse one threshold; raises UsageError with the three forms, or with the nearest names.

    `>` takes a number of zero or more and is crossed above it; `<` takes a negative number and is crossed below it. The
    number is always a change, never a value. A number with % is relative; it is refused for a metric that is itself a
    percentage, because it could be mistaken for points.
    """
    if found := _FINDING.fullmatch(text):
        id_ = found["id"]
        if id_ not in catalog.findings:
            raise UsageError(f"--fail-on {text!r}: no finding is called {id_!r}{_meant(id_, catalog.findings)}")
        return Threshold(text, "finding", id_)
    match = _COMPARED.fullmatch(text)
    if match is None:
        raise UsageError(f"--fail-on {text!r} is not one of {_FORMS}")
    name, relative = match["name"], bool(match["percent"])
    limit = float(match["number"])
    if not math.isfinite(limit):
        raise UsageError(f"--fail-on {text!r}: {match['number']} is too large")
    if match["sign"] == ">" and match["number"].startswith("-"):
        raise UsageError(f"--fail-on {text!r}: > needs a positive change, such as >5; write <-5 for a decrease")
    if match["sign"] == "<" and not match["number"].startswith("-"):
        raise UsageError(f"--fail-on {text!r}: < needs a negative change, such as <-5")
    if name == "duration":
        if not relative:
            raise UsageError(f"--fail-on {text!r}: the change of the duration is relative: write duration>5%")
        return Threshold(text, "relative", "duration_ns", math.copysign(limit / 100, _sign(match)))
    entry = catalog.metrics.get(name)
    if entry is None:
        raise UsageError(f"--fail-on {text!r}: no metric is called {name!r}{_meant_metric(name, catalog)}")
    if relative and entry.unit == "%":
        raise UsageError(f"--fail-on {text!r}: {name} is a percentage: write its change in points, without %")
    share = limit / 100 if relative else limit
    return Threshold(text, "relative" if relative else "absolute", name, math.copysign(share, _sign(match)))


def _meant_metric(name: str, catalog: Catalog) -> str:
    """Return the metrics that a name may have meant: one whose spoken name it is, else those that are near."""
    spoken = [metric for metric, names in spoken_names().items() if name.replace("_", " ").casefold() in names]
    if spoken:
        return f": did you mean {_written(spoken[0])!r}?"
    return _meant(name, ("duration", *(one for one in catalog.metrics if one != "duration_ns")))


def _meant(name: str, names: Iterable[str]) -> str:
    near = near_names(name, names)
    if near:
        return f": did you mean {', '.join(map(repr, near))}?"
    return f"; `ncu-advisor explain {name[:_WORD]}` searches for the word"


def _written(metric: str) -> str:
    """Return a metric as a threshold names it."""
    return "duration" if metric == "duration_ns" else metric


def _sign(match: re.Match[str]) -> float:
    return 1.0 if match["sign"] == ">" else -1.0


def check(threshold: Threshold, pair: Pair, catalog: Catalog, *, beyond_noise: bool = False) -> Outcome:
    """Check whether a pair crosses a threshold; an unknown number counts as not passed.

    Run times: a change beyond the threshold crosses it even within the noise, unless `beyond_noise` is set; the text
    says which case applies.
    """
    if threshold.kind == "finding":
        return _finding(threshold, pair)
    if threshold.name == "duration_ns":
        times = pair.base.times, pair.current.times
        before, after = (t.median if t is not None else None for t in times)
    else:
        row = next((m for m in pair.metrics if m.metric == threshold.name), None)
        before, after = (row.before, row.after) if row is not None else (None, None)
    if before is None or after is None:
        sides = (
            "both reports"
            if before is None and after is None
            else "the base"
            if before is None
            else "the current report"
        )
        return _outcome(threshold, None, f"{threshold.name} is unknown in {sides}")
    unit = catalog.metrics[threshold.name].unit
    if threshold.kind == "absolute":
        change = after - before
        shift = f"{change:+.1f} points" if unit == "%" else f"{'+' if change > 0 else ''}{amount_text(change, unit)}"
    elif before > 0:
        change = after / before - 1
        shift = change_text(change)
    elif before == after:
        change, shift = 0.0, change_text(0.0)
    else:
        return _outcome(threshold, None, f"{threshold.name} was {amount_text(before, unit)}: no relative change")
    above = math.copysign(1.0, threshold.limit) > 0
    crossed = change > threshold.limit if above else change < threshold.limit
    text = f"{threshold.name} {shift} ({amount_text(before, unit)}, now {amount_text(after, unit)})"
    if crossed and threshold.name == "duration_ns" and pair.judged is not None and pair.judged.word == "same":
        text += f", within the noise of {share_text(pair.judged.noise)}"
        crossed = not beyond_noise
    return _outcome(threshold, crossed, text)


def _finding(threshold: Threshold, pair: Pair) -> Outcome:
    for change in pair.findings:
        if change.id == threshold.name:
            if change.state == "unknown":
                side = "current report" if change.after is None else "base"
                return _outcome(threshold, None, f"the {side} lacks the metrics for {threshold.name}")
            words = {"gone": "is gone", "stayed": "was there before", "came": "is new"}
            because = f": {change.after.because}" if change.after is not None else ""
            return _outcome(threshold, change.state == "came", f"{change.id} {words[change.state]}{because}")
    if undecided(pair.current.launch, threshold.name):
        return _outcome(threshold, None, f"the current report lacks the metrics for {threshold.name}")
    return _outcome(threshold, False, f"{threshold.name} is not present")


def _outcome(threshold: Threshold, crossed: bool | None, text: str) -> Outcome:
    return Outcome(threshold, threshold.text, crossed, text)
