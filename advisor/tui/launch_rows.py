"""The launches as rows of a table: what a row shows, is found by and sorted by, and what the rows add up to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from advisor.records.diagnosis import Diagnosis, LaunchDiagnosis
from advisor.session.numbers import duration_text, gain_text, launch_number
from advisor.session.state import is_end, main_finding
from advisor.tui import words
from advisor.tui.layout import safe

# What the table can be sorted by, one after the other: the order of the reports, then what is asked for most.
ORDERS: Final = ("report", "duration", "gain", "kernel", "class", "finding")


@dataclass(frozen=True, slots=True)
class Row:
    """What a row shows and is found by.

    duration in ns, None where the report does not tell; share: of the time of all launches whose duration is known,
    0 to 1; back: the time in ns that the first finding's fix would give back; report: the file, where there are
    several; found_by: all that the filter looks in.
    """

    position: int
    number: str
    kernel: str
    time: str
    verdict: str
    finding: str
    gain: str
    done: bool
    duration: float | None
    share: float | None
    back: float | None
    report: str
    found_by: str


@dataclass(frozen=True, slots=True)
class Totals:
    """launches, the time in ns of those whose duration is known, and how many have none."""

    launches: int
    time: float
    unknown: int


def rows_of(diagnosis: Diagnosis) -> tuple[Row, ...]:
    """All launches as rows, in the order of the reports."""
    several = len(diagnosis.reports) > 1
    time = totals(diagnosis.launches).time
    return tuple(_row(launch, at, several, time, diagnosis) for at, launch in enumerate(diagnosis.launches))


def totals(launches: Sequence[LaunchDiagnosis] | Sequence[Row]) -> Totals:
    """What launches, or rows of them, add up to."""
    times = [time for one in launches if (time := _duration(one)) is not None]
    return Totals(len(launches), sum(times), len(launches) - len(times))


def _duration(one: LaunchDiagnosis | Row) -> float | None:
    return one.duration if isinstance(one, Row) else one.duration_ns


def _row(launch: LaunchDiagnosis, position: int, several: bool, time: float, diagnosis: Diagnosis) -> Row:
    first = main_finding(launch)
    duration = launch.duration_ns
    speedup = first.speedup if first is not None else None
    saved = None if speedup is None or speedup.estimate <= 0 else 1 - 1 / speedup.estimate
    number = launch_number(launch, several)
    kernel = safe(launch.kernel).replace("\n", " ")
    verdict = safe(launch.verdict.title or launch.verdict.id)
    finding = "" if first is None else safe(first.title)
    report = safe(Path(diagnosis.reports[launch.report].path).name) if several else ""
    return Row(
        position=position,
        number=number,
        kernel=kernel,
        time=duration_text(duration),
        verdict=verdict,
        finding=finding,
        gain=gain_text(speedup),
        done=first is not None and is_end(first),
        duration=duration,
        share=duration / time if duration is not None and time > 0 else None,
        back=None if saved is None or duration is None else duration * saved,
        report=report,
        found_by=" ".join((f"#{number}", kernel, verdict, finding, report)).casefold(),
    )


def matching(rows: Sequence[Row], wanted: str) -> list[Row]:
    """The rows in which all words of the filter occur: kernel, class, first finding, number, file of several."""
    sought = wanted.casefold().split()
    return [row for row in rows if all(word in row.found_by for word in sought)]


def exactly(rows: Sequence[Row], wanted: str) -> int | None:
    """The position of the one launch that has the filter as its number or its kernel's name, None where none has.

    Of several launches of one kernel none is meant more than the others.
    """
    sought = wanted.strip().casefold()
    numbered = [row.position for row in rows if sought in (row.number, f"#{row.number}")]
    found = numbered or [row.position for row in rows if row.kernel.casefold() == sought]
    return found[0] if sought and len(found) == 1 else None


def share_text(share: float) -> str:
    """A share of all time, 0 to 1, as whole percent; `<1 %` where that would be nothing or more than there is."""
    percent = 100 * share
    return f"{percent:.0f} %" if percent >= 0.95 or not percent else "<1 %"


def arranged(rows: Sequence[Row], wanted: str, order: str, upwards: bool = False) -> list[Row]:
    """The matching rows in the order asked for; ties as in the report, the unknown last, whichever the direction."""
    kept = matching(rows, wanted)
    if order == "report":
        return kept[::-1] if upwards else kept
    value = _NUMBERS.get(order)
    if value is not None:
        known = [row for row in kept if value(row) is not None]
        known.sort(key=lambda row: value(row) or 0.0, reverse=not upwards)
    else:
        text = _TEXTS[order]
        known = [row for row in kept if text(row)]
        known.sort(key=lambda row: text(row).casefold(), reverse=upwards)
    placed = {row.position for row in known}
    return known + [row for row in kept if row.position not in placed]


_NUMBERS: Final[dict[str, Callable[[Row], float | None]]] = {
    "duration": lambda row: row.duration,
    "gain": lambda row: row.back,
}
_TEXTS: Final[dict[str, Callable[[Row], str]]] = {
    "kernel": lambda row: row.kernel,
    "class": lambda row: row.verdict,
    "finding": lambda row: row.finding,
}


def summary(rows: Sequence[Row], kept: Sequence[Row], order: str, upwards: bool = False) -> str:
    """How many launches are shown, in which order, what time they take of all, and how many have none."""
    if not rows:
        return ""
    if not kept:
        return words.NO_MATCH
    every, here = totals(rows), totals(kept)
    named = words.ORDERS[order]
    named = words.UPWARDS.format(order=named) if upwards else named
    parts = [words.SUMMARY.format(kept=len(kept), launches=len(rows), order=named)]
    if every.time > 0:
        time = duration_text(here.time)
        share = share_text(here.time / every.time)
        parts.append(time if len(kept) == len(rows) else words.PART.format(time=time, share=share))
    if here.unknown:
        parts.append(words.NO_TIME.format(count=here.unknown))
    return "; ".join(parts)
