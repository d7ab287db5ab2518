"""Measures what this card can do at most: reading, copying, multiply-adds; and keeps it in the user's data folder.

The kernels and their cases are in kernels/ceilings/. A ceiling is the work of a launch over the median of its runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout

from advisor import resources
from advisor.errors import InputError
from advisor.files import write_whole
from advisor.practice.failures import Failure
from advisor.practice.outcome import Outcome
from advisor.practice.run import OnProgress, Runner, nothing, run
from advisor.practice.state import data_folder
from advisor.practice.tasks import Job, Request, Task
from advisor.quantify.noise import spread

FILE = "ceilings.json"
SCHEMA = "ncu-advisor/ceilings/1"
# The name of a ceiling, its kernel's file, and whether it counts bytes or floating-point operations.
KERNELS = {"read": "bytes", "copy": "bytes", "fp32": "flop", "fp64": "flop"}
RUNS = 20
_WAIT_S = 10.0
_LARGEST = 1 << 20


class Ceiling(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One rate, in bytes/s or FLOP/s: of the median run; slowest and fastest run; `noise` as a share of the rate."""

    rate: float
    low: float
    high: float
    noise: float
    runs: int


class Ceilings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one card reached. read and copy (reads and writes together) in bytes/s, fp32 and fp64 in FLOP/s.

    measured: date and time in ISO 8601; driver: CUDA version of the driver, 13000 is 13.0.
    """

    gpu: str
    cc: str
    measured: str
    driver: str
    read: Ceiling
    copy: Ceiling
    fp32: Ceiling
    fp64: Ceiling


class _File(msgspec.Struct, forbid_unknown_fields=True):
    schema: str = SCHEMA
    cards: dict[str, Ceilings] = {}


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


def _key(gpu: str, cc: str) -> str:
    return f"{gpu} ({cc})"


def keep(ceilings: Ceilings, folder: Path | None = None) -> Path:
    """Write them into the user's data folder, in place of older ones of the same card; the file's path."""
    place = folder or data_folder()
    path = place / FILE
    try:
        place.mkdir(parents=True, exist_ok=True)
        with FileLock(place / f"{FILE}.lock", timeout=_WAIT_S):
            content = _read(path)
            content.cards[_key(ceilings.gpu, ceilings.cc)] = ceilings
            text = msgspec.json.format(msgspec.json.encode(content, order="sorted"), indent=1).decode()
            write_whole(path, text + "\n")
    except Timeout:
        raise InputError(f"{path}: another terminal has held it for {_WAIT_S:.0f} s: try again") from None
    except OSError as e:
        raise InputError(f"{place}: cannot be written: {e.strerror}") from None
    return path


def measured(gpu: str, cc: str, folder: Path | None = None) -> Ceilings | None:
    """What was measured on a card of this name and compute capability (`9.0`); None where nothing was.

    InputError when the file is there and cannot be understood.
    """
    return _read((folder or data_folder()) / FILE).cards.get(_key(gpu, cc))


def shares(found: Ceilings, bandwidth: float | None, fp32_peak: float | None) -> dict[str, float]:
    """The measured parts of the peaks, at most 1, as `napkin.roofline.reckon` takes them: memory (of a copy), plain.

    bandwidth in bytes/s, fp32_peak in FLOP/s; what has no peak is left out.
    """
    pairs = (("memory", found.copy.rate, bandwidth), ("plain", found.fp32.rate, fp32_peak))
    return {name: min(1.0, rate / peak) for name, rate, peak in pairs if peak}


def _read(path: Path) -> _File:
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return _File()
    except OSError as e:
        raise InputError(f"{path}: cannot be read: {e.strerror}") from None
    try:
        if len(raw) > _LARGEST:
            raise msgspec.ValidationError("far too large")
        found = msgspec.json.decode(raw, type=_File)
    except (msgspec.DecodeError, UnicodeDecodeError) as e:
        raise InputError(f"{path}: damaged ({e}): delete it and run `ncu-advisor practice calibrate` again") from None
    rates = [c.rate for cards in found.cards.values() for c in (cards.read, cards.copy, cards.fp32, cards.fp64)]
    if found.schema != SCHEMA or not all(math.isfinite(r) and r > 0 for r in rates):
        raise InputError(
            f"{path}: not what this version wrote: delete it and run `ncu-advisor practice calibrate` again"
        )
    return found
