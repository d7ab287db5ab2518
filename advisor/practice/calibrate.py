"""Measures what this card can do at most: reading, copying, multiply-adds; and keeps it in the user's data folder.

The kernels and their cases are in kernels/ceilings/. A ceiling is the work of a launch over the median of its runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout

from advisor import resources
from advisor.errors import InputError
from advisor.files import write_whole
from advisor.napkin.ceilings import FILE, Ceiling, Ceilings, key_of, measured, read_file, shares
from advisor.practice.failures import Failure
from advisor.practice.outcome import Outcome
from advisor.practice.run import OnProgress, Runner, nothing, run
from advisor.practice.state import data_folder
from advisor.practice.tasks import Job, Request, Task
from advisor.quantify.noise import spread

__all__ = ["FILE", "Calibration", "Ceiling", "Ceilings", "calibrate", "keep", "measured", "request", "shares"]

# The name of a ceiling, its kernel's file, and whether it counts bytes or floating-point operations.
KERNELS = {"read": "bytes", "copy": "bytes", "fp32": "flop", "fp64": "flop"}
RUNS = 20
_WAIT_S = 10.0


@dataclass(frozen=True, slots=True)
class Calibration:
    """What came of it: the ceilings, or why there are none."""

    outcome: Outcome
    ceilings: Ceilings | None
    failure: Failure | None = None


def request(seed: int) -> Request:
    """What the child is asked to do."""
    folder = resources.folder("kernels") / "ceilings"
    tasks = [
        Task(name, str(folder / f"{name}.py"), (Job(name, str(folder / f"{name}.cu"), ("check", "time")),), seed)
        for name in KERNELS
    ]
    return Request(tuple(tasks), runs=RUNS)


def calibrate(
    seed: int, now: Callable[[], datetime], runner: Runner | None = None, show: OnProgress = nothing
) -> Calibration:
    """Run the four kernels, check them and work out their rates; nothing is kept yet (see `keep`)."""
    outcome = run(request(seed), runner, show)
    if outcome.failure is not None:
        return Calibration(outcome, None, outcome.failure)
    found: dict[str, Ceiling] = {}
    for name, unit in KERNELS.items():
        job, problem = outcome.job(name, name), outcome.problem(name)
        if job is not None and job.failure is not None:
            return Calibration(outcome, None, job.failure)
        if job is None or problem is None or not job.times_ns:
            return Calibration(outcome, None, Failure("crashed", f"the run ended before {name} was measured"))
        if not job.correct:
            return Calibration(outcome, None, Failure("wrong", f"{name}: wrong result, so no ceiling: {job.wrong}"))
        work, s = getattr(problem.work, unit), spread(job.times_ns)
        found[name] = Ceiling(work / s.median * 1e9, work / s.high * 1e9, work / s.low * 1e9, s.noise, s.runs)
    card = outcome.card
    assert card is not None  # it is known once a job has run
    driver = dict(outcome.versions).get("driver", "")
    ceilings = Ceilings(card.name, card.cc, now().isoformat(timespec="seconds"), driver, **found)
    return Calibration(outcome, ceilings)


def keep(ceilings: Ceilings, folder: Path | None = None) -> Path:
    """Write them into the user's data folder, in place of older ones of the same card; the file's path."""
    place = folder or data_folder()
    path = place / FILE
    try:
        place.mkdir(parents=True, exist_ok=True)
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
