"""Wall time of the commands as whole processes: `python -m tests.bench.commands [REPORT_OF_40_LAUNCHES]`.

Prints the median, the smallest and the largest of seven runs after one warm-up.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

from advisor.records import resources

RUNS = 7


def measure(args: list[str]) -> tuple[float, float, float]:
    """Median, smallest and largest wall time in seconds."""
    times = []
    for run in range(RUNS + 1):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "advisor", *args], check=True, capture_output=True)
        if run:
            times.append(time.perf_counter() - start)
    return statistics.median(times), min(times), max(times)


def main() -> None:
    """Print the table."""
    tour = str(resources.folder("kernels") / "tour" / "recorded" / "h200" / "tour.ncu-rep.xz")
    four = [word for launch in ("0", "1", "2", "3") for word in ("--launch", launch)]
    cases = {
        "--help": ["--help"],
        "explain bank_conflicts": ["explain", "bank_conflicts"],
        "explain LDG.E.128": ["explain", "LDG.E.128"],
        "napkin gemm": ["napkin", "gemm", "--m", "4096", "--n", "4096", "--k", "4096"],
        "diagnose, 22 launches, xz": ["diagnose", tour, "--format", "json"],
        "diagnose, 4 of 22 launches, xz": ["diagnose", tour, *four, "--format", "json"],
    }
    for path in map(Path, sys.argv[1:]):
        cases[f"diagnose {path.name}"] = ["diagnose", str(path), "--format", "json"]
    print(f"{'command':<40} {'median':>8} {'min':>8} {'max':>8}  seconds, {RUNS} runs")
    for name, args in cases.items():
        median, low, high = measure(args)
        print(f"{name:<40} {median:8.3f} {low:8.3f} {high:8.3f}")


if __name__ == "__main__":
    main()
