"""The answer to a reading exercise: what its recording shows, the possible answers, and the points of one.

A timeline gives 70 points for the pattern (35 if it was found too, but does not come first) and up to 30 for the time,
by the error factor as for a speedup. A profile gives 100 points (50 if the caveat was found too).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from advisor.knowledge.base import catalog, timelines
from advisor.knowledge.texts import fill
from advisor.practice.predictions import Score, nearness, understood
from advisor.practice.readings import NOTHING, Reading
from advisor.practice.state import Prediction
from advisor.records.diagnosis import Diagnosis, Finding, LaunchDiagnosis
from advisor.records.errors import UsageError

if TYPE_CHECKING:
    from advisor.timeline.overview import Overview
    from advisor.timeline.results import GpuTimeline, TraceInfo

PATTERN_POINTS, TIME_POINTS, CAVEAT_POINTS = 70, 30, 100
_SHORTEST, _LONGEST = 1.0, 1e14  # ns


class TimelineShown(Struct, frozen=True, eq=False):
    """The trace of an exercise. time: the number to estimate, in ns."""

    info: TraceInfo
    gpu: GpuTimeline
    overview: Overview
    time: float


class ProfileShown(Struct, frozen=True):
    """The report of an exercise, and its launch to judge."""

    diagnosis: Diagnosis
    launch: LaunchDiagnosis


class Shown(Struct, frozen=True, eq=False):
    """A recording with its answer. findings: what the program found, the first first; values: metrics, for texts."""

    reading: Reading
    findings: tuple[Finding, ...]
    values: Mapping[str, float | str]
    timeline: TimelineShown | None = None
    profile: ProfileShown | None = None

    @property
    def answer(self) -> str:
        """The right answer: the id of the first finding, or NOTHING."""
        return self.findings[0].id if self.findings else NOTHING

    @property
    def others(self) -> tuple[str, ...]:
        """The ids of the other findings."""
        return tuple(f.id for f in self.findings[1:])

    @property
    def time(self) -> float | None:
        """The number to estimate in ns, None for a profile."""
        return None if self.timeline is None else self.timeline.time

    def filled(self, text: str) -> str:
        """Fill a text of the manifest with the values of the recording."""
        return fill(text, self.values)


class Answered(Struct, frozen=True):
    """The recording after the answer; said, score: None without an answer."""

    shown: Shown
    said: Prediction | None = None
    score: Score | None = None


def estimate_ns(typed: str) -> float:
    """Return a typed time in ns. Raises UsageError with the accepted form."""
    found = understood(typed)
    if found is None or found.unit != "ns" or not _SHORTEST <= found.value <= _LONGEST:
        raise UsageError(f"{typed.strip()[:40]!r} is not a time: give a number with its unit, such as 12 ms or 800 us")
    return found.value


def without_caveats(launch: LaunchDiagnosis) -> LaunchDiagnosis:
    """Return a launch as the learner sees it before the answer: without caveats, and without ncu's own verdicts."""
    kept = tuple(structs.replace(f, fix=None) for f in launch.findings if f.kind != "trust")
    return structs.replace(launch, findings=kept, questions=(), missing=(), ncu_rules=())


def choices(one: Reading) -> tuple[tuple[str, str], ...]:
    """Return the possible answers as (id, title), in alphabetical order of their titles; NOTHING is the last."""
    known = catalog()
    if one.kind == "timeline":
        entries = timelines(known).findings
        return tuple(sorted(((name, entry.title) for name, entry in entries.items()), key=lambda pair: pair[1]))
    caveats = sorted(((name, entry.title) for name, entry in known.trust.items()), key=lambda pair: pair[1])
    return (*caveats, (NOTHING, "Nothing: it can be trusted"))


def score_answer(said: str, time_ns: float | None, found: Shown) -> Score:
    """Return the points of an answer; time_ns: the estimate, ignored for a profile."""
    most = PATTERN_POINTS if found.time is not None else CAVEAT_POINTS
    points = most if said == found.answer else most // 2 if said in found.others else 0
    if found.time is None:
        return Score(0, points, 0, None, points)
    near, factor = nearness(time_ns or 0.0, found.time)
    return Score(0, points, near, factor, points + near)
