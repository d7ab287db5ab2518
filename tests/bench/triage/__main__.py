"""Wall and CPU time and peak memory of `triage` at 50, 100, 200 and 500 reports with 1 and 2 processes.

`python -m tests.bench.triage [SIZES] [JOBS]`, such as `50,100 1`. Memory is the proportional set size of all processes
together, looked up ten times a second. Goals: time within 15 % of linear from the smallest size (less the start-up,
which a run of one small file takes), memory within 20 % of the smallest size's.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from tests.bench.triage.generate import LAUNCHES, fleet

SIZES = (50, 100, 200, 500)
JOBS = (1, 2)
TIME_GOAL, MEMORY_GOAL = 0.15, 0.20


@dataclass(frozen=True)
class Measured:
    """Seconds, CPU seconds of all processes, MiB."""

    wall: float
    cpu: float
    peak: float
    groups: int


def _tree(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, ValueError):
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found, waiting = [], [root]
    while waiting:
        found.append(waiting.pop())
        waiting += children.get(found[-1], [])
    return found


def _pss(process: int) -> int:
    try:
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    except (OSError, ValueError):
        pass
    return 0


def measure(folder: Path, jobs: int) -> Measured:
    """One run of the command, with a cache of its own."""
    peak, ended = 0.0, threading.Event()
    with tempfile.TemporaryDirectory() as cache:
        command = [sys.executable, "-m", "advisor", "triage", str(folder), "--jobs", str(jobs), "--format", "json"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ | {"XDG_CACHE_HOME": cache}) as run:

            def watch() -> None:
                nonlocal peak
                while not ended.wait(0.1):
                    peak = max(peak, sum(map(_pss, _tree(run.pid))) / 1024)

            watcher = threading.Thread(target=watch)
            watcher.start()
            out = run.communicate()[0]
            ended.set()
            watcher.join()
        wall = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode:
        raise SystemExit(f"triage ended with {run.returncode}")
    totals = json.loads(out)["totals"]
    files = sum(1 for _ in folder.iterdir())
    if (totals["reports"], totals["launches"]) != (files, files * LAUNCHES if files > 1 else totals["launches"]):
        raise SystemExit(f"lost something: {totals}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Measured(wall, cpu, peak, totals["groups"])


def main(sizes: tuple[int, ...], jobs: tuple[int, ...]) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as scratch:
        whole = Path(scratch) / "fleet"
        whole.mkdir()
        fleet(whole, max(sizes))
        files = sorted(whole.iterdir())
        print(f"{'jobs':>4} {'files':>6} {'launches':>9} {'groups':>7} {'wall':>8} {'CPU':>8} {'peak':>9}  goals")
        for count in jobs:
            first: dict[int, Measured] = {}
            for size in (1, *sizes):
                part = Path(scratch) / f"{count}-{size}"
                part.mkdir()
                # One small table for the start-up.
                for file in files[2:3] if size == 1 else files[:size]:
                    os.link(file, part / file.name)
                first[size] = found = measure(part, count)
                base, start = first.get(sizes[0]), first[1]
                said = ""
                if base is not None and size > sizes[0]:
                    linear = (found.wall - start.wall) / (base.wall - start.wall) / (size / sizes[0]) - 1
                    cpu = (found.cpu - start.cpu) / (base.cpu - start.cpu) / (size / sizes[0]) - 1
                    flat = found.peak / base.peak - 1
                    met = linear <= TIME_GOAL and flat <= MEMORY_GOAL
                    said = f"wall {linear:+.1%}, CPU {cpu:+.1%}, memory {flat:+.1%}: {'met' if met else 'missed'}"
                head = f"{count:>4} {size:>6} {size * LAUNCHES:>9,} {found.groups:>7}"
                print(f"{head} {found.wall:>7.1f}s {found.cpu:>7.1f}s {found.peak:>5.0f} MiB  {said}", flush=True)


if __name__ == "__main__":
    asked = [tuple(int(n) for n in text.split(",")) for text in sys.argv[1:3]]
    main(asked[0] if asked else SIZES, asked[1] if len(asked) > 1 else JOBS)
