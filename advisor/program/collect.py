"""Profile a program: run it alone, time its kernels, then collect typical launches of those that take the time."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Literal

from msgspec import Struct

from advisor.profiling.failures import Failure
from advisor.profiling.ncu import MISSING, SUFFIX, find_ncu, report_options
from advisor.program.launches import KernelTime, Ran, Window, kernels_worth, ranking, windows
from advisor.program.run import OnOutput, Program, ncu_run_failure, own_failure, run
from advisor.readers.read import read
from advisor.records import resources
from advisor.records.errors import InputError, UsageError

Stage = Literal["alone", "survey", "collect"]
Replay = Literal["kernel", "application"]
# Child processes too: programs are often started by scripts.
_TARGETS = ("--target-processes", "all")
# Failures of one way to replay that another may not have: memory for the arrays, kernels that wait for something.
_REPLAY_FAILURES = frozenset({"out_of_memory", "late", "crashed", "ncu"})


class Settings(Struct, frozen=True):
    """How to profile. kernel: only kernels whose name it matches; most: kernels at most; sections: folder and name of
    the section to collect; limit_s: longest silence of a run; surveyed: launches to time at most.
    """

    sections: Path
    section: str
    kernel: re.Pattern[str] | None = None
    most: int = 5
    limit_s: float = 600.0
    surveyed: int = 5000
    clock_control: str = "none"
    replay: Replay | None = None


class Step(Struct, frozen=True):
    """What is being done. run, runs: number of the run of ncu and of all; kernel, done: the launch, and its number.

    of: launches of this run; part: of the passes of the launch, 0 to 1.
    """

    stage: Stage
    run: int = 1
    runs: int = 1
    kernel: str = ""
    done: int = 0
    of: int = 0
    part: float = 0.0


OnStep = Callable[[Step], None]


class Survey(Struct, frozen=True):
    """The time of a program. alone_s: its wall time without profiler; ran: its launches in order.

    cut: whether there may be more launches than were timed; seconds: wall time of the run under ncu.
    """

    alone_s: float
    ran: tuple[Ran, ...]
    cut: bool
    seconds: float

    @property
    def kernels(self) -> tuple[KernelTime, ...]:
        """Its kernels, longest first."""
        return ranking(self.ran)

    @property
    def gpu_share(self) -> float | None:
        """Time of all kernels as a share of the wall time, None if not all launches were timed. Kernels may overlap."""
        if self.cut or self.alone_s <= 0:
            return None
        return min(1.0, sum(one.duration_ns for one in self.ran) * 1e-9 / self.alone_s)


class Collected(Struct, frozen=True):
    """A run of ncu that made a report. notes: what was tried before, and kernels that it lacks."""

    window: Window
    report: Path
    replay: Replay
    seconds: float
    notes: tuple[str, ...] = ()


def report_place(report: Path | None, name: str) -> Path:
    """Return where the first report goes, in a folder that exists. name: of the program, for the default place.

    Raises UsageError if it cannot be used.
    """
    if report is None:
        moment = datetime.now().strftime("%Y%m%d-%H%M%S")
        report = resources.user_data() / "profiles" / f"{name}-{moment}{SUFFIX}"
    elif not report.name:
        raise UsageError(f"--report {str(report)!r} is no name of a file")
    elif not report.name.endswith(SUFFIX):
        report = report.with_name(f"{report.name}{SUFFIX}")
    try:
        report.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=report.parent):
            pass
    except OSError as e:
        raise UsageError(f"{report.parent}: cannot write a report there: {e.strerror}") from None
    return report.absolute()


def survey(program: Program, settings: Settings, folder: Path, step: OnStep, output: OnOutput | None = None) -> Survey:
    """Run the program alone, then with the duration of each launch. folder: for the report of durations.

    Raises InputError, with one line, if ncu is missing, the program fails, no kernel runs or counters are forbidden.
    """
    ncu = _ncu()
    step(Step("alone"))
    alone = run(program.command(), settings.limit_s, on_output=output)
    _raise(own_failure(program.name, alone, settings.limit_s))
    step(Step("survey"))
    report = folder / f"durations{SUFFIX}"
    options = ("--metrics", "gpu__time_duration.sum", "--cache-control", "none", *_TARGETS)
    limit = ("--launch-count", str(settings.surveyed))
    command = program.command([ncu, *options, *limit, *report_options(report, "none")])
    timed = run(command, settings.limit_s, lambda line: step(Step("survey", kernel=line.kernel, done=line.number)))
    _raise(ncu_run_failure(program.name, timed, settings.limit_s))
    ran = _launches(report)
    return Survey(alone.seconds, ran, len(ran) >= settings.surveyed, timed.seconds)


def collect(program: Program, found: Survey, settings: Settings, report: Path, step: OnStep) -> tuple[Collected, ...]:
    """Collect a typical launch of each kernel that takes the time, in as few runs as possible.

    report: of the first run; further ones have -2, -3 and so on before the suffix. Raises InputError if a run fails in
    each way of replaying.
    """
    ncu = _ncu()
    ran = [one for one in found.ran if settings.kernel is None or settings.kernel.search(one.kernel)]
    if not ran:
        names = ", ".join(k.kernel for k in found.kernels[:5])
        assert settings.kernel is not None
        raise InputError(f"no kernel matches --kernel {settings.kernel.pattern!r}: the program launches {names}")
    chosen = windows(ran, kernels_worth(ranking(ran), settings.most))
    out = []
    for number, window in enumerate(chosen, 1):
        place = report if number == 1 else report.with_name(f"{report.name.removesuffix(SUFFIX)}-{number}{SUFFIX}")
        out.append(_collect(ncu, program, window, settings, place, step, number, len(chosen)))
    return tuple(out)


def _collect(
    ncu: str, program: Program, window: Window, settings: Settings, report: Path, step: OnStep, at: int, of: int
) -> Collected:
    """Collect one window, by kernel replay, and by application replay if that fails."""
    notes: list[str] = []
    ways: tuple[Replay, ...] = (settings.replay,) if settings.replay else ("kernel", "application")
    for way in ways:
        command = program.command([ncu, *_options(window, settings, report, way)])
        ended = run(
            command,
            settings.limit_s,
            lambda line: step(Step("collect", at, of, line.kernel, line.number, window.count, line.part)),
        )
        failure = ncu_run_failure(program.name, ended, settings.limit_s, " or ".join(window.kernels))
        if failure is None and not report.is_file():
            failure = Failure("nothing_profiled", "ncu ended without an error and wrote no report")
        if failure is None:
            return Collected(window, report, way, ended.seconds, tuple(notes))
        if failure.kind not in _REPLAY_FAILURES or way == ways[-1]:
            before = f"; before that, {notes[0]}" if notes else ""
            raise InputError(f"{failure.words}{before}")
        notes.append(f"{way} replay failed: {failure.words}")
    raise AssertionError(ways)


def _options(window: Window, settings: Settings, report: Path, way: Replay) -> tuple[str, ...]:
    return (
        *("--section-folder", str(settings.sections), "--section", settings.section, "--import-source", "yes"),
        *_TARGETS,
        *("--kernel-name", f"regex:{window.pattern}", "--launch-skip", str(window.skip)),
        *("--launch-count", str(window.count), "--replay-mode", way),
        *report_options(report, settings.clock_control),
    )


def _ncu() -> str:
    ncu = find_ncu()
    if ncu is None:
        raise InputError(MISSING)
    return str(ncu)


def _raise(failure: Failure | None) -> None:
    if failure is not None:
        raise InputError(failure.words)


def _launches(report: Path) -> tuple[Ran, ...]:
    """Return the launches of the report of durations, in their order; one without a duration counts as 0."""
    table = read(report, metric_filter=("duration_ns",)).frame
    names, times = table["kernel"], table["duration_ns"].fillna(0.0)
    return tuple(Ran(str(name), float(time)) for name, time in zip(names, times, strict=True))
