"""Writes what a run of the author's check measured into the exercises' folders: one report and one record each."""

from __future__ import annotations

import io
import lzma
import math
import subprocess
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from advisor.errors import InputError
from advisor.files import write_bytes_whole, write_whole
from advisor.practice.api import Card
from advisor.practice.manifest import Exercise, home
from advisor.practice.recorded import RECORD, REPORT, RecordFile, StepTimes, digest
from advisor.practice.selfcheck import Measured
from advisor.reports.container import extract, walk

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Under which a run was made. Versions as they call themselves, clocks in Hz (0: not known), date as ISO 8601."""

    card: Card
    driver: str
    cuda: str
    cupy: str
    ncu: str
    sm_clock_hz: float
    memory_clock_hz: float
    date: str


def driver_version() -> str:
    """What nvidia-smi says of the first GPU's driver; '' where unknown."""
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
        return done.stdout.splitlines()[0].strip()
    except (OSError, subprocess.SubprocessError, IndexError):
        return ""


def clocks(frame: pd.DataFrame) -> tuple[float, float]:
    """SM and memory clock in Hz, the medians over the profiled launches (an idle GPU shows others); 0 where unknown."""
    middle = [frame[name].median() if name in frame else math.nan for name in ("sm_clock_hz", "dram_clock_hz")]
    sm, memory = (0.0 if math.isnan(m) else float(round(m, -6)) for m in middle)
    return sm, memory


def write_all(measured: Iterable[Measured], said: Circumstances, card: str, done: Callable[[str], None]) -> None:
    """Write the recordings of all these into their exercises' folders, several at once; `done` gets each name."""
    with ThreadPoolExecutor(8) as pool:  # packing is the work, and lets other threads run
        made = {
            m.exercise.name: pool.submit(write, m, said, home(m.exercise.name) / "recorded" / card) for m in measured
        }
        for name, one in made.items():
            one.result()
            done(name)


def write(m: Measured, said: Circumstances, folder: Path) -> None:
    """Write the recording of one exercise into a folder; InputError when its report does not hold what it should.

    The report is cut to the launches of this exercise, which are numbered anew in their order.
    """
    wanted = [launch for step in m.exercise.steps for launch in _step(m.exercise, m, step.id)]
    data = m.report.read_bytes()
    found = walk(data)
    if found.damage or not wanted or max(wanted) >= found.readable:
        raise InputError(f"{m.report}: does not hold the {len(wanted)} launches of {m.exercise.name}: profile again")
    out = io.BytesIO()
    extract(data, found, frozenset(wanted), out, _of_libraries(m))
    number = {launch: at for at, launch in enumerate(sorted(wanted))}
    steps = {
        step.id: StepTimes(
            tuple(round(t, 1) for t in m.steps[step.id].times_ns),
            tuple(number[launch] for launch in m.steps[step.id].launches),
            digest(m.exercise, step),
        )
        for step in m.exercise.steps
    }
    c = said.card
    record = RecordFile(
        c.name, c.cc, c.sms, c.memory, c.l2, c.shared_per_block, c.shared_per_sm,
        said.driver, said.cuda, said.cupy, said.ncu, said.sm_clock_hz, said.memory_clock_hz, said.date,
        m.copy, dict(m.sizes), steps,
    )  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    packed = lzma.compress(out.getvalue(), preset=9 | lzma.PRESET_EXTREME)
    write_bytes_whole(folder / REPORT, packed)
    text = msgspec.json.format(msgspec.json.encode(record), indent=1).decode()
    write_whole(folder / RECORD, text + "\n")


def _of_libraries(m: Measured) -> frozenset[int]:
    """Launches of Python steps without kernels of their own: they run a library's code, which is not ours to keep."""
    return frozenset(
        launch
        for step in m.exercise.steps
        if step.source.endswith(".py") and not step.extra
        for launch in m.steps[step.id].launches
    )


def _step(one: Exercise, m: Measured, step: str) -> tuple[int, ...]:
    data = m.steps.get(step)
    if data is None or not data.launches or not data.times_ns:
        raise InputError(f"{one.name}: step {step} was not measured and profiled: nothing is recorded")
    return data.launches


def versions_of(versions: Mapping[str, str]) -> tuple[str, str]:
    """CUDA and CuPy versions as a child reports them: `13000` is CUDA 13.0."""
    raw = versions.get("runtime", "")
    cuda = f"{int(raw) // 1000}.{int(raw) % 1000 // 10}" if raw.isdigit() else raw
    return cuda, versions.get("cupy", "")
