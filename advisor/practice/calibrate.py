"""Measure the ceilings of this GPU (read, copy, multiply-add) and store them in the user's data folder.

The kernels and their cases are in kernels/ceilings/. A ceiling is a launch's work divided by its median run time.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout
from msgspec import Struct

from advisor.hardware.ceilings import FILE, Ceiling, Ceilings, key_of, read_file
from advisor.practice.run import JobResult, OnProgress, Outcome, Runner, nothing, run
from advisor.practice.state import data_folder
from advisor.practice.tasks import Job, Request, Task
from advisor.profiling.failures import Failure
from advisor.reasoning.time_model.noise import spread
from advisor.records import resources
from advisor.records.errors import InputError
from advisor.records.files import write_whole
from advisor.records.own_files import make_own

# For each ceiling: its name, and whether it counts bytes or floating-point operations.
KERNELS = {"read": "bytes", "copy": "bytes", "fp32": "flop", "fp64": "flop"}
# The candidates for each ceiling in kernels/ceilings/; the fastest counts. The driver's copy may beat any kernel.
SOURCES = {name: (f"{name}.cu",) for name in KERNELS} | {"copy": ("copy.cu", "driver_copy.py")}
RUNS = 20
_WAIT_S = 10.0


class Calibration(Struct, frozen=True):
    """The ceilings, or the reason why there are none."""

    outcome: Outcome
    ceilings: Ceilings | None
    failure: Failure | None = None


def task(name: str, seed: int) -> Task:
    """Return the task of one ceiling, with a job for each kernel."""
    folder = resources.folder("kernels") / "ceilings"
    jobs = tuple(Job(Path(source).stem, str(folder / source), ("check", "time")) for source in SOURCES[name])
    return Task(name, str(folder / f"{name}.py"), jobs, seed)


def fastest(outcome: Outcome, name: str) -> JobResult | None:
    """Return the fastest correct job of a ceiling, else the first (with its failure), or None if no job ran."""
    tried = [j for j in outcome.jobs if j.exercise == name]
    good = [j for j in tried if j.failure is None and j.correct and j.times_ns]
    return min(good, key=lambda j: j.time_ns) if good else next(iter(tried), None)


def request(seed: int) -> Request:
    """Return the request for the child process."""
    return Request(tuple(task(name, seed) for name in KERNELS), runs=RUNS)


def calibrate(
    seed: int, now: Callable[[], datetime], runner: Runner | None = None, show: OnProgress = nothing
) -> Calibration:
    """Run and check the kernels of each ceiling and calculate the rates; `keep` stores them."""
    outcome = run(request(seed), runner, show)
    if outcome.failure is not None:
        return Calibration(outcome, None, outcome.failure)
    found: dict[str, Ceiling] = {}
    for name, unit in KERNELS.items():
        job, problem = fastest(outcome, name), outcome.problem(name)
        if job is not None and job.failure is not None:
            return Calibration(outcome, None, job.failure)
        if job is None or problem is None or not job.times_ns:
            return Calibration(outcome, None, Failure("crashed", f"the run ended before {name} was measured"))
        if not job.correct:
            return Calibration(outcome, None, Failure("wrong", f"{name}: wrong result, no ceiling stored: {job.wrong}"))
        work, s = getattr(problem.work, unit), spread(job.times_ns)
        found[name] = Ceiling(work / s.median * 1e9, work / s.high * 1e9, work / s.low * 1e9, s.noise, s.runs)
    card = outcome.card
    assert card is not None  # The GPU is known once a job has run.
    driver = dict(outcome.versions).get("driver", "")
    ceilings = Ceilings(card.name, card.cc, now().isoformat(timespec="seconds"), driver, **found)
    return Calibration(outcome, ceilings)


def keep(ceilings: Ceilings, folder: Path | None = None) -> Path:
    """Write the ceilings to the user's data folder, replacing older ones of the same GPU; return the file's path."""
    place = folder or data_folder()
    path = place / FILE
    try:
        make_own(place)
        with FileLock(place / f"{FILE}.lock", timeout=_WAIT_S):
            content = read_file(path)
            content.cards[key_of(ceilings.gpu, ceilings.cc)] = ceilings
            text = msgspec.json.format(msgspec.json.encode(content, order="sorted"), indent=1).decode()
            write_whole(path, text + "\n")
    except Timeout:
        raise InputError(f"{path}: another terminal has held it for {_WAIT_S:.0f} s: try again") from None
    except OSError as e:
        raise InputError(f"{place}: cannot be written: {e.strerror}") from None
    return path
