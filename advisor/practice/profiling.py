"""Run Nsight Compute on the child process of an exercise: track its passes, find what failed."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from advisor.practice.run import Listener, OnProgress, Outcome, Progress, Runner, nothing, one_child
from advisor.practice.tasks import Request
from advisor.profiling.failures import Failure
from advisor.profiling.ncu import MISSING as MISSING
from advisor.profiling.ncu import SUFFIX, NcuOutput, report_options
from advisor.profiling.ncu import find_ncu as find_ncu

FULL = ("--set", "full")
# "==PROF== Profiling "k" - 0 (1/3): 0%....50%....100% - 38 passes"; it arrives in pieces.
_PROFILING = re.compile(r'==PROF== Profiling "(.*)" - \d+(?: \(\d+/\d+\))?:(.*)$')
# Some versions start a new line after the colon.
_CONTINUED = re.compile(r"(\d+%(?:\.+\d+%)*.*)$")
_PASSES = re.compile(r"- (\d+) pass")
_PERCENT = re.compile(r"(\d+)%")


@dataclass(frozen=True, slots=True)
class Profiled:
    """One launch that ncu profiled: the kernel's name as ncu prints it, its step, and the number of passes."""

    exercise: str
    step: str
    kernel: str
    passes: int


@dataclass(frozen=True, slots=True)
class Profile:
    """The result of a profile. report: the .ncu-rep or None; failure: why there is none, or what is wrong with it.

    launches: the launches in the report, in order.
    """

    outcome: Outcome
    report: Path | None = None
    launches: tuple[Profiled, ...] = ()
    failure: Failure | None = None


def ncu_command(
    ncu: Path, report: Path, clock_control: str | None = None, collect: tuple[str, ...] = FULL
) -> tuple[str, ...]:
    """Return the ncu command that runs the child and profiles its marked range, with sources, into `report`.

    clock_control: `none` leaves the clocks unlocked; by default ncu locks the base clock. collect: ncu's options.
    """
    return (
        str(ncu),
        *collect,
        *("--import-source", "yes", "--profile-from-start", "off", "--nvtx"),
        *report_options(report, clock_control),
    )


@dataclass(slots=True)
class NcuListener(Listener):
    """Parse the output of ncu and its child. launches: those announced so far; said: ncu's own lines."""

    launches: list[Profiled] = field(default_factory=list)
    said: NcuOutput = field(default_factory=NcuOutput)
    current: Progress | None = None

    def __call__(self, text: str, whole: bool) -> float | None:
        """Parse a line, or the available part of one."""
        match = _PROFILING.search(text)
        if match is not None:
            self.current = self.current or self.now
            if self.current is not None:
                self.current = replace(self.current, kernel=match[1])
        rest = match[2] if match is not None else text if self.current and _CONTINUED.match(text) else None
        if rest is None:
            return Listener.__call__(self, text, whole)
        self._profiling(rest, whole)
        if whole and match is not None:
            Listener.__call__(self, text, whole)  # The child may have continued on the same line.
        return self.within(self.limits.of("profile"))

    def _profiling(self, rest: str, whole: bool) -> None:
        """Assign a launch to the step that the child was running when ncu began to profile it."""
        percent, passes = _PERCENT.findall(rest), _PASSES.search(rest)
        if self.current is None:
            return
        share = int(percent[-1]) if percent else 0
        now = replace(self.current, percent=share, passes=int(passes[1]) if passes else 0)
        self.show(now)
        if whole and percent:
            self.launches.append(Profiled(now.exercise, now.step, now.kernel, now.passes))
            self.current = None

    def other(self, text: str) -> None:
        """Parse lines of ncu and output of kernels."""
        if not self.said.take(text):
            Listener.other(self, text)


def profile(
    request: Request,
    report: Path,
    runner: Runner | None = None,
    show: OnProgress = nothing,
    ncu: Path | None = None,
    clock_control: str | None = None,
    collect: tuple[str, ...] = FULL,
) -> Profile:
    """Profile the jobs of a request into one report; only jobs that ask for `profile` give launches.

    report: path of the .ncu-rep, in an existing folder; an old report there is replaced. collect: see `ncu_command`.
    Failures of kernels and ncu are in `failure`.
    """
    runner = runner or Runner()
    found = ncu or find_ncu({**os.environ, **runner.env})
    if found is None:
        return Profile(Outcome(), failure=Failure("no_ncu", MISSING))
    report = report if report.name.endswith(SUFFIX) else report.with_name(report.name + SUFFIX)
    report.unlink(missing_ok=True)
    limits = replace(runner.limits, factor=runner.limits.factor * 3)
    command = ncu_command(found, report, clock_control, collect)
    jobs = sum(len(t.jobs) for t in request.tasks)
    listener = NcuListener(show, limits, 0, jobs)
    outcome, _ = one_child(request, replace(runner, prefix=command, limits=limits), listener)
    made = report if report.is_file() else None
    return Profile(outcome, made, tuple(listener.launches), _failure(outcome, listener, made))


# failures of a child whose profiler fails; the profiler's own error is more precise
_UNCLEAR = ("cuda", "crashed", "launch_failed")


def _failure(outcome: Outcome, listener: NcuListener, report: Path | None) -> Failure | None:
    """Return the first failure; ncu's own error precedes its effect on the child."""
    said = listener.said.failure(listener.stderr)
    known = said if said is not None and said.kind != "ncu" else None
    job = next((j.failure for j in outcome.jobs if j.failure is not None), None)
    own = [f for f in (outcome.failure, job) if f is not None]
    sure = [f for f in own if f.kind not in _UNCLEAR]
    for failure in (known, *sure, said, *own):
        if failure is not None:
            return _hanging(failure)
    if listener.said.empty or report is None:
        words = "Nsight Compute profiled no kernel: check that the launch lines launch one"
        return Failure("nothing_profiled", words, detail="\n".join(listener.printed))
    return None


def _hanging(failure: Failure) -> Failure:
    if failure.kind != "slow_child":
        return failure
    words = "Nsight Compute did not finish within the time limit and was stopped: try again, or run `ncu --version`"
    return replace(failure, kind="ncu_hangs", words=words)
