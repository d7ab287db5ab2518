"""`diagnose` of a large report beside ncu's details page: `python -m tests.bench.beside_ncu FILE [NCU]`.

Both in turn on two cores, seven times after a warm-up: wall and CPU seconds (least and median), and the ratio of the
wall medians. Without ncu only ours. `python -m tests.bench.large_report FILE` makes a report of 40 launches and 70 MB.
"""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import time

RUNS, CORES = 7, 2


def once(command: list[str]) -> tuple[float, float]:
    """Wall and CPU seconds of one run, children included."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print the table."""
    report = sys.argv[1]
    ncu = sys.argv[2] if len(sys.argv) > 2 else shutil.which("ncu")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])
    commands = {"ncu-advisor diagnose": [sys.executable, "-m", "advisor", "diagnose", report]}
    if ncu:
        commands["ncu --page details"] = [ncu, "--import", report, "--page", "details"]
    runs: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for run in range(RUNS + 1):
        for name, command in commands.items():
            measured = once(command)
            if run:
                runs[name].append(measured)
    print(f"{RUNS} runs on {CORES} cores, load before {os.getloadavg()[0]:.1f}")
    print(f"{'':<22} {'wall min':>9} {'median':>8} {'CPU min':>8} {'median':>8}  seconds")
    middle = {}
    for name, measured_runs in runs.items():
        wall, cpu = zip(*measured_runs, strict=True)
        middle[name] = statistics.median(wall)
        print(f"{name:<22} {min(wall):9.3f} {middle[name]:8.3f} {min(cpu):8.3f} {statistics.median(cpu):8.3f}")
    if len(middle) == 2:
        ours, theirs = middle.values()
        print(f"ours over ncu's: {ours / theirs:.2f}")


if __name__ == "__main__":
    main()
