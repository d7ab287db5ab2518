"""Run Nsight Compute on the child process: find it, track its passes, explain its errors."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from advisor.practice.failures import Failure
from advisor.practice.run import Listener, OnProgress, Outcome, Progress, Runner, nothing, one_child
from advisor.practice.tasks import Request

SUFFIX = ".ncu-rep"
FULL = ("--set", "full")
_PLACES = (("/usr/local", "cuda*/bin/ncu"), ("/opt/nvidia/nsight-compute", "*/ncu"))
_NUMBERS = re.compile(r"\d+")
# "==PROF== Profiling "k" - 0 (1/3): 0%....50%....100% - 38 passes"; it arrives in pieces.
_PROFILING = re.compile(r'==PROF== Profiling "(.*)" - \d+(?: \(\d+/\d+\))?:(.*)$')
# Some versions start a new line after the colon.
_CONTINUED = re.compile(r"(\d+%(?:\.+\d+%)*.*)$")
_PASSES = re.compile(r"- (\d+) pass")
_PERCENT = re.compile(r"(\d+)%")
_ERROR = re.compile(r"==ERROR==\s*(.*)")
_CONSEQUENCE = "The application returned an error code"  # ncu reports this for an error that we report better elsewhere
_NONE = "No kernels were profiled"
MISSING = (
    "ncu (Nsight Compute) is not on the PATH, nor in CUDA_HOME/bin, /usr/local/cuda*/bin or /opt/nvidia/nsight-compute:"
    " it comes with the CUDA toolkit and from developer.nvidia.com/nsight-compute"
)


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


def _newest(path: Path) -> tuple[int, ...]:
    return tuple(int(n) for n in _NUMBERS.findall(str(path)))


def find_ncu(env: Mapping[str, str] = os.environ, places: tuple[tuple[str, str], ...] = _PLACES) -> Path | None:
    """Find ncu on the PATH, in CUDA_HOME or CUDA_PATH, or where installers put it (newest first); None if not found."""
    found = shutil.which("ncu", path=env.get("PATH"))
    if found:
        return Path(found)
    homes = [Path(env[name]) / "bin" / "ncu" for name in ("CUDA_HOME", "CUDA_PATH") if env.get(name)]
    installed = [sorted(Path(root).glob(pattern), key=_newest, reverse=True) for root, pattern in places]
    for path in [*homes, *(p for group in installed for p in group)]:
        if path.is_file() and os.access(path, os.X_OK):
            return path
    return None


def ncu_command(
    ncu: Path, report: Path, clock_control: str | None = None, collect: tuple[str, ...] = FULL
) -> tuple[str, ...]:
    """Return the ncu command that runs the child and profiles its marked range, with sources, into `report`.

    clock_control: `none` leaves the clocks unlocked; by default ncu locks the base clock. collect: ncu's options.
    """
    place = str(report).removesuffix(SUFFIX).replace("%", "%%")  # ncu expands % itself and adds the suffix.
    clocks = ("--clock-control", clock_control) if clock_control else ()
    return (
        str(ncu),
        *collect,
        *("--import-source", "yes", "--profile-from-start", "off", "--nvtx"),
        *clocks,
        *("--force-overwrite", "-o", place),
    )


@dataclass(slots=True)
class NcuListener(Listener):
    """Parse the output of ncu and its child. launches: those announced so far; errors: ncu's errors."""

    launches: list[Profiled] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    empty: bool = False
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
        return self.limits.of("profile")

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
        error = _ERROR.search(text)
        if error is not None:
            if _CONSEQUENCE not in text:
                self.errors.append(error[1].strip())
        elif _NONE in text:
            self.empty = True
        elif not text.startswith(("==PROF==", "==WARNING==")):
            Listener.other(self, text)


_WORDS: tuple[tuple[str, str, str], ...] = (
    (
        r"ERR_NVGPUCTRPERM",
        "counters_forbidden",
        "the driver keeps performance counters for administrators (ERR_NVGPUCTRPERM): run this as root, or put"
        " `options nvidia NVreg_RestrictProfilingToAdminUsers=0` into a file of /etc/modprobe.d, rebuild the initramfs"
        " and reboot; a container needs the capability SYS_ADMIN (`docker run --cap-add SYS_ADMIN`)",
    ),
    (r"(?i)cannot lock gpu clock", "clocks", "ncu may not lock this GPU's clocks: profile with `--clock-control none`"),
    (
        r"(?i)nsight-compute-lock|interprocess\s?lock|lock file",
        "profiler_busy",
        "another Nsight Compute is running, or left /tmp/nsight-compute-lock behind as another user: let it finish,"
        " remove that file, or set TMPDIR to a folder of your own",
    ),
    (
        r"(?i)driver resource was unavailable|DCGM|concurrently|another (?:tool|profiler)|already in use",
        "profiler_busy",
        "another profiler holds the counters: end other Nsight tools, or pause DCGM (`dcgmi profile --pause`)",
    ),
    (
        r"(?i)driver.*(?:support|compatib|version|too old|newer|outdated)|(?:support|compatib|version).*driver",
        "ncu_driver",
        "this ncu and the NVIDIA driver are incompatible: install the Nsight Compute of the driver's CUDA version, or"
        " update the driver",
    ),
    (
        r"(?i)(?:gpu|device|chip|architecture).*not supported|unsupported (?:gpu|device|chip)|not supported on.*gpu",
        "ncu_gpu",
        "this ncu does not support this GPU: install a version whose release notes list it, newer for a new GPU and"
        " older for an old one",
    ),
    (
        r"(?i)out of memory|failed to (?:allocate|save)|not enough memory",
        "out_of_memory",
        "ncu found too little memory to save and restore the arrays between its passes: end other programs that use the"
        " GPU",
    ),
    (
        r"(?i)failed to (?:create|open|write)|cannot (?:create|open|write)|no such file|permission denied",
        "report_place",
        "ncu cannot write its report: check the folder and the space on its disk",
    ),
)


def ncu_failure(errors: list[str]) -> Failure | None:
    """Return the failure in ncu's `==ERROR==` lines, or None if there are none."""
    text = "\n".join(errors)
    for pattern, kind, words in _WORDS:
        if re.search(pattern, text):
            return Failure(kind, words, detail=text)
    return Failure("ncu", f"Nsight Compute reports: {errors[0]}", detail=text) if errors else None


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
    said = ncu_failure([*listener.errors, *_ERROR.findall(listener.stderr)])
    known = said if said is not None and said.kind != "ncu" else None
    job = next((j.failure for j in outcome.jobs if j.failure is not None), None)
    own = [f for f in (outcome.failure, job) if f is not None]
    sure = [f for f in own if f.kind not in _UNCLEAR]
    for failure in (known, *sure, said, *own):
        if failure is not None:
            return _hanging(failure)
    if listener.empty or report is None:
        words = "Nsight Compute profiled no kernel: check that the launch lines launch one"
        return Failure("nothing_profiled", words, detail="\n".join(listener.printed))
    return None


def _hanging(failure: Failure) -> Failure:
    if failure.kind != "slow_child":
        return failure
    words = "Nsight Compute did not finish within the time limit and was stopped: try again, or run `ncu --version`"
    return replace(failure, kind="ncu_hangs", words=words)
