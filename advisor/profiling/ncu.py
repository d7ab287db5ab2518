"""Nsight Compute: find it, name its report, and explain its errors."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct, field

from advisor.profiling.failures import Failure

SUFFIX = ".ncu-rep"
_PLACES = (("/usr/local", "cuda*/bin/ncu"), ("/opt/nvidia/nsight-compute", "*/ncu"))
_NUMBERS = re.compile(r"\d+")
_ERROR = re.compile(r"==ERROR==\s*(.*)")
_CONSEQUENCE = "The application returned an error code"  # ncu reports this for an error that we report better elsewhere
_NONE = "No kernels were profiled"
MISSING = (
    "ncu (Nsight Compute) is not on the PATH, nor in CUDA_HOME/bin, /usr/local/cuda*/bin or /opt/nvidia/nsight-compute:"
    " it comes with the CUDA toolkit and from developer.nvidia.com/nsight-compute"
)


def version_in(path: Path) -> tuple[int, ...]:
    """Return the numbers in a path, by which the folders of installations are ordered."""
    return tuple(int(n) for n in _NUMBERS.findall(str(path)))


def find_ncu(env: Mapping[str, str] = os.environ, places: tuple[tuple[str, str], ...] = _PLACES) -> Path | None:
    """Find ncu on the PATH, in CUDA_HOME or CUDA_PATH, or where installers put it (newest first); None if not found."""
    found = shutil.which("ncu", path=env.get("PATH"))
    if found:
        return Path(found)
    homes = [Path(env[name]) / "bin" / "ncu" for name in ("CUDA_HOME", "CUDA_PATH") if env.get(name)]
    installed = [sorted(Path(root).glob(pattern), key=version_in, reverse=True) for root, pattern in places]
    for path in [*homes, *(p for group in installed for p in group)]:
        if path.is_file() and os.access(path, os.X_OK):
            return path
    return None


def report_options(report: Path, clock_control: str | None = None) -> tuple[str, ...]:
    """Return the options of ncu that write a report, replacing an old one.

    clock_control: `none` leaves the clocks unlocked; by default ncu locks the base clock.
    """
    place = str(report).removesuffix(SUFFIX).replace("%", "%%")  # ncu expands % itself and adds the suffix.
    clocks = ("--clock-control", clock_control) if clock_control else ()
    return (*clocks, "--force-overwrite", "-o", place)


class NcuOutput(Struct):
    """The content of ncu's own lines. errors: its errors; empty: whether it says that it profiled no kernel."""

    errors: list[str] = field(default_factory=list)
    empty: bool = False

    def take(self, text: str) -> bool:
        """Parse a line; return False if it is the program's, not ncu's."""
        error = _ERROR.search(text)
        if error is not None:
            if _CONSEQUENCE not in text:
                self.errors.append(error[1].strip())
        elif _NONE in text:
            self.empty = True
        else:
            return text.startswith(("==PROF==", "==WARNING=="))
        return True

    def failure(self, stderr: str = "") -> Failure | None:
        """Return the failure in its errors and in those of its stderr, None if there are none."""
        return ncu_failure([*self.errors, *_ERROR.findall(stderr)])


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
