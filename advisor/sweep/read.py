"""Read the reports of a sweep: the launches of the swept kernel at each point, and the times of its repeats."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct, structs

from advisor.compare.compare import runs_of, spread_of
from advisor.compare.records import Runs, Times
from advisor.knowledge.base import Catalog
from advisor.knowledge.base import catalog as open_catalog
from advisor.profiling.ncu import SUFFIX
from advisor.readers.read import read_many
from advisor.reasoning.diagnose import analyse
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.records.errors import InputError, UsageError
from advisor.records.readings import Progress
from advisor.sweep.outcome import of_script
from advisor.sweep.plan import MANIFEST, Manifest, Parameter, Values, found, read_manifest

_REPEAT = re.compile(rf"([^.]+)\.[0-9]{{1,4}}{re.escape(SUFFIX)}(?:\.(?:xz|gz|zst))?")
_NOT_YET = "not measured yet"
# A launch of a repeat: its kernel's name without arguments, grid and block.
Shape = tuple[str, object, object]


class Measured(Struct, frozen=True):
    """A point. problem: why it has no runs; report: its file; shapes: in how many the kernel was launched."""

    values: Values
    problem: str = ""
    report: str = ""
    runs: Runs | None = None
    shapes: int = 1


class Measurements(Struct, frozen=True):
    """The points of a folder in the order of the plan; kernel: the swept one; other_share: of the time, by others."""

    catalog: Catalog
    parameters: tuple[Parameter, ...]
    points: tuple[Measured, ...]
    kernel: str = ""
    other_share: float = 0.0


def base_name(kernel: str) -> str:
    """Return a kernel's name without namespaces, template arguments and parameters, which may depend on the point."""
    words = re.split(r"[<(]", kernel, maxsplit=1)[0].rpartition("::")[2].split()
    return words[-1] if words else kernel


def read_points(
    folder: Path,
    kernel: re.Pattern[str] | None = None,
    knowledge: tuple[Path, ...] = (),
    progress: Progress | None = None,
) -> Measurements:
    """Read what a sweep or its script left in a folder. kernel: of several kernels, the one to judge.

    A point without a readable report has a problem. Raises InputError if the folder has no manifest.
    """
    content = read_manifest(folder)
    if content is None:
        raise InputError(f"{folder}: has no {MANIFEST}: give the folder that `ncu-advisor sweep` or its script filled")
    reports = [found(folder / f"{p.name}{SUFFIX}") if p.digest else None for p in content.points]
    problems = [_problem(folder, content, at) if report is None else "" for at, report in enumerate(reports)]
    there = [at for at, report in enumerate(reports) if report is not None]
    launches = _launches(reports, there, problems, kernel, knowledge, progress)
    name, share = _subject(launches)
    repeats = _repeats(folder, content, [at for at in there if not problems[at]], name, progress)
    points = []
    for at, point in enumerate(content.points):
        report = reports[at]
        own = [x for x in launches.get(at, ()) if base_name(x.kernel) == name]
        problem = problems[at] or ("" if own else f"its report holds no launch of {name or 'a kernel'}")
        values = tuple(point.values)
        if problem or report is None:
            points.append(Measured(values, problem or _NOT_YET))
            continue
        groups = sorted(runs_of(own), key=_total, reverse=True)
        runs = _with_repeats(groups[0], own, repeats.get(at, {}))
        unknown = "" if runs.times is not None else "its report has no duration"
        points.append(Measured(values, unknown, report.name, runs, len(groups)))
    return Measurements(open_catalog(knowledge), content.parameters(), tuple(points), name, share)


def _problem(folder: Path, content: Manifest, at: int) -> str:
    entry = content.points[at]
    if entry.failure:
        return entry.failure
    failure = of_script(folder, entry.name, content.build or "")
    return failure.words if failure is not None else _NOT_YET


def _launches(
    reports: Sequence[Path | None],
    there: Sequence[int],
    problems: list[str],
    kernel: re.Pattern[str] | None,
    knowledge: tuple[Path, ...],
    progress: Progress | None,
) -> dict[int, list[LaunchDiagnosis]]:
    """Return the launches of each point; the points whose reports cannot be read get their problem."""
    paths = [report for at in there if (report := reports[at]) is not None]
    if not paths:
        return {}
    out: dict[int, list[LaunchDiagnosis]] = defaultdict(list)
    try:
        diagnosis = analyse(paths, knowledge=knowledge, kernel=kernel, progress=progress).diagnosis
    except InputError as e:
        for at in there:
            problems[at] = f"unreadable report: {e}"
        return {}
    except UsageError as e:
        if kernel is None:
            raise
        raise UsageError(f"no point has a launch that matches --kernel: {e}") from None
    for launch in diagnosis.launches:
        out[there[launch.report]].append(launch)
    for at, info in zip(there, diagnosis.reports, strict=True):
        if at not in out and info.problems:
            problems[at] = f"unreadable report: {info.problems[0]}"
    return out


def _subject(launches: Mapping[int, Sequence[LaunchDiagnosis]]) -> tuple[str, float]:
    """Return the kernel that takes most of the time over all points, and the share of the others."""
    times: dict[str, float] = defaultdict(float)
    for point in launches.values():
        for launch in point:
            times[base_name(launch.kernel)] += launch.duration_ns or 0.0
    if not times:
        return "", 0.0
    name = max(times, key=lambda key: times[key])
    whole = sum(times.values())
    return name, 1 - times[name] / whole if whole > 0 else 0.0


def _total(runs: Runs) -> float:
    return runs.times.median * runs.times.runs if runs.times is not None else 0.0


def _repeats(
    folder: Path, content: Manifest, there: Sequence[int], name: str, progress: Progress | None
) -> dict[int, dict[Shape, list[float]]]:
    """Return the durations in ns of the repeats of each point, by shape. An unreadable repeat is left out."""
    names = {content.points[at].name: at for at in there}
    matches = ((_REPEAT.fullmatch(path.name), path) for path in sorted(folder.iterdir()))
    files = [(names[m[1]], path) for m, path in matches if m is not None and m[1] in names]
    out: dict[int, dict[Shape, list[float]]] = defaultdict(lambda: defaultdict(list))
    if not files:
        return out
    frame, _ = read_many([path for _, path in files], metric_filter=("duration_ns",), progress=progress)
    if "duration_ns" not in frame.columns:
        return out
    columns = (frame[column] for column in ("report", "kernel", "grid", "block", "duration_ns"))
    for report, kernel, grid, block, time in zip(*columns, strict=True):
        if base_name(str(kernel)) == name and math.isfinite(time) and time > 0:
            out[files[int(report)][0]][(name, grid, block)].append(float(time))
    return out


def _with_repeats(runs: Runs, launches: Sequence[LaunchDiagnosis], repeats: Mapping[Shape, Sequence[float]]) -> Runs:
    """Return the runs with the times of the repeats of their shape."""
    name = base_name(runs.kernel)
    # A report of few metrics may lack the shape.
    more = [*repeats.get((name, runs.grid, runs.block), ()), *repeats.get((name, None, None), ())]
    own = [x.duration_ns or 0.0 for x in launches if x.index in runs.indexes]
    own = [time for time in own if time > 0]
    times = spread_of([*own, *more])
    if times is None:
        return runs
    shown = Times(times.median, times.low, times.high, times.runs, times.noise)
    return structs.replace(runs, times=times, time=shown)
