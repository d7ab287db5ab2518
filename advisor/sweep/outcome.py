"""Why a stage of a point failed, in one line: from its process, or from the log that the script left."""

from __future__ import annotations

import re
from pathlib import Path

from advisor.profiling.failures import Failure, compile_failure
from advisor.profiling.ncu import NcuOutput
from advisor.profiling.process import Ended, ended_by
from advisor.sweep.plan import FAILED, STAGES

# Failures of the machine, which every point would have.
MACHINE = frozenset({"counters_forbidden", "profiler_busy", "ncu_driver", "ncu_gpu", "clocks"})
_TIMED_OUT, _SIGNALLED = 124, 128  # exit codes: of `timeout`; plus the signal's number, of a shell
_FAILED = re.compile(r"([a-z]+) (\d{1,3})\s*")
_MOST = 1 << 18  # bytes of a log that are read
_NAMES = {"build": "the build", "run": "the program", "check": "the check", "ncu": "ncu"}
_SOURCES = (".cu", ".cuh", ".cpp", ".cc", ".cxx", ".c")


def why(stage: str, ended: Ended, output: str, build: str = "", limit_s: float | None = None) -> Failure:
    """Return the failure of a stage. output: what it printed; build: the build command; limit_s: its time limit."""
    name = _NAMES[stage]
    if ended.late:
        limit = f" within {limit_s:.0f} s" if limit_s is not None else " within the time limit"
        hint = ": choose one kernel with --kernel, or raise --limit-s" if stage == "ncu" else ""
        return Failure("late", f"{name} did not finish{limit}{hint}")
    if stage == "build":
        source = next((word for word in re.split(r"[\s'\"]", build) if word.endswith(_SOURCES)), name)
        return compile_failure(f"{ended.errors}\n{output}", source)
    if stage == "ncu":
        heard = NcuOutput()
        program = [row for row in output.splitlines() if not heard.take(row)]
        said = heard.failure(ended.errors)
        if said is not None:
            return said
        if ended.code == 0 or heard.empty:
            return Failure("nothing_profiled", "ncu profiled no kernel: check --kernel, and whether one is launched")
        return Failure("crashed", f"the program {ended_by(ended, ' under ncu', chr(10).join(program))}")
    words = f"{name} {ended_by(ended, text=output)}"
    return Failure("wrong", f"wrong result: {words}") if stage == "check" else Failure("crashed", words)


def of_script(folder: Path, name: str, build: str = "") -> Failure | None:
    """Return the failure of a point that the script noted, None if it noted none."""
    try:
        text = (folder / f"{name}{FAILED}").read_text(encoding="utf-8", errors="replace")[:100]
    except OSError:
        return None
    match = _FAILED.fullmatch(text)
    if match is None or match[1] not in STAGES:
        return Failure("script", f"{name}{FAILED} does not say which stage failed")
    stage, code = match[1], int(match[2])
    number = _SIGNALLED - code if code > _SIGNALLED else code
    try:
        with (folder / f"{name}.{stage}.log").open("rb") as file:
            log = file.read(_MOST).decode("utf-8", "replace")
    except OSError:
        log = ""
    return why(stage, Ended(number, code == _TIMED_OUT, ""), log, build)
