"""What the recording of a reading exercise shows: its facts, the right answer and the number, from the program's own
diagnosis; and the points of an answer.

A timeline gives 70 points for the pattern (35 if it was found too, but does not come first) and up to 30 for the time,
by the error factor as for a speedup. A profile gives 100 points (50 if the caveat was found too).
"""

from __future__ import annotations

import lzma
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from msgspec import structs

from advisor.knowledge.base import catalog, timelines
from advisor.knowledge.expressions import parse
from advisor.knowledge.texts import fill
from advisor.practice.predictions import Score, nearness
from advisor.practice.readings import NOTHING, Reading
from advisor.reasoning.diagnose import analyse
from advisor.records.diagnosis import Diagnosis, Finding, LaunchDiagnosis
from advisor.records.scratch import ScratchFolder
from advisor.timeline.analyse import conclude
from advisor.timeline.facts import facts
from advisor.timeline.overview import Overview, overview
from advisor.timeline.read import read_trace
from advisor.timeline.results import GpuTimeline, TraceInfo

PATTERN_POINTS, TIME_POINTS, CAVEAT_POINTS = 70, 30, 100
_NS_PER_US: Final = 1000


@dataclass(frozen=True, slots=True, eq=False)
class TimelineShown:
    """The trace of an exercise. time: the number to estimate, in ns."""

    info: TraceInfo
    gpu: GpuTimeline
    overview: Overview
    time: float


@dataclass(frozen=True, slots=True)
class ProfileShown:
    """The report of an exercise, and its launch to judge."""

    diagnosis: Diagnosis
    launch: LaunchDiagnosis


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
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


@lru_cache(maxsize=4)
def shown(one: Reading) -> Shown:
    """Read and diagnose the recording of an exercise."""
    return _timeline(one) if one.kind == "timeline" else _profile(one)


def _timeline(one: Reading) -> Shown:
    with ScratchFolder() as folder:
        path = Path(folder) / one.recording.removesuffix(".xz")
        path.write_bytes(lzma.decompress(one.path.read_bytes()))
        trace = read_trace(path)
    result = conclude((trace,), (), catalog())
    gpu = result.gpus[0]
    about = overview(trace, facts(trace)[0])
    assert about is not None
    assert one.estimate is not None
    time = _NS_PER_US * parse(one.estimate.value).scalar(gpu.values)
    window = gpu.values["window_us"] / _NS_PER_US
    values = {**gpu.values, "window_ms": window, "time_ms": time / 1e6}
    return Shown(one, gpu.patterns, values, timeline=TimelineShown(result.traces[0], gpu, about, time))


def _profile(one: Reading) -> Shown:
    diagnosis = analyse([one.path]).diagnosis
    launch = next(x for x in diagnosis.launches if x.index == one.launch)
    found = tuple(f for f in launch.findings if f.kind == "trust")
    return Shown(one, found, launch.metrics, profile=ProfileShown(diagnosis, launch))


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
