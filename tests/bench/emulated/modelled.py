"""Compare modelled values with those that Nsight Compute measured.

    python -m tests.bench.emulated.modelled [--seconds S] [--jobs N] [EXERCISE[#LAUNCH]…]

Prints a line for each launch and value, then the error table: hit rates as the difference in percentage points, bytes
and times as a factor (the larger over the smaller), median and 90th percentile of each. The measured time is that under
ncu, at the clock that the report gives, since ncu locks the clock. Values are compared where the measured one is over
a floor, 1 MB of DRAM traffic and 3 µs, and a modelled one below it counts as the floor.
"""

from __future__ import annotations

from collections import defaultdict
from functools import partial

import numpy as np
from msgspec.structs import replace

from advisor.emulator.counts import count
from advisor.emulator.report import read_launch, unpacked
from advisor.emulator.state import FaultError
from advisor.hardware.gpus import gpu, known_as
from advisor.practice import emulated, manifest
from advisor.practice.validation import each, launches_of, problem_of, recorded_names
from advisor.reasoning.diagnose import analyse
from advisor.reasoning.modelled import modelled
from advisor.records.errors import AdvisorError
from tests.bench.emulated.options import parser

SECONDS = 20.0
FLOORS = {"dram_read_bytes": 1e6, "dram_write_bytes": 1e6, "duration_ns": 3e3}


def compared(seconds: float, wanted: str) -> list[tuple[str, str, float]]:
    """Return (metric, line, error) for each value of the recorded launches of `EXERCISE` or `EXERCISE#LAUNCH`."""
    name, _, only = wanted.partition("#")
    out: list[tuple[str, str, float]] = []
    record = manifest.recording(manifest.exercise(name))
    assert record is not None
    found = {one.index: one.metrics for one in analyse([record.report]).diagnosis.launches}
    card = gpu(known_as(record.record.card.name, record.record.card.cc))
    made = emulated.bench(
        manifest.case(name), record.record.card, record.record.sizes, recorded_seed=record.record.seed
    )
    with unpacked(record.report) as report:
        for launch, step, index in launches_of(name):
            if only and launch != int(only):
                continue
            real = found[launch]
            clock = real.get("sm_clock_hz")
            here = replace(card, boost_clock_hz=clock) if clock else card
            try:
                problem = problem_of(name, step, index, read_launch(report, launch).program, made)
                values = modelled(problem, count(problem, seconds=seconds), here)
            except (AdvisorError, FaultError) as e:
                out.append(("", f"{name}#{launch} refused: {e}", 0.0))
                continue
            for one in values:
                measured = real.get(one.metric)
                if measured is None or measured < FLOORS.get(one.metric, 0.0):
                    continue
                if one.unit == "%":
                    error = abs(one.value - measured)
                else:
                    at_least = max(one.value, FLOORS[one.metric])
                    error = max(at_least, measured) / min(at_least, measured)
                line = f"{name}#{launch} {one.metric} modelled {one.value:.4g} measured {measured:.4g}"
                out.append((one.metric, line, error))
    return out


def main() -> None:
    """Print the comparison."""
    given = parser(SECONDS).parse_args()
    errors: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for rows in each(partial(compared, given.seconds), given.names or recorded_names(), given.jobs):
        for metric, line, error in rows:
            print(line, flush=True)
            if metric:
                errors[metric].append((error, line.partition(" ")[0]))
    print("| value | launches | error | median | 90th percentile | worst |\n| --- | --- | --- | --- | --- | --- |")
    for metric, found in errors.items():
        kind = "points" if metric.endswith("pct") else "factor"
        middle, high = np.percentile([error for error, _ in found], [50, 90])
        worst, where = max(found)
        print(f"| {metric} | {len(found)} | {kind} | {middle:.3g} | {high:.3g} | {worst:.3g} ({where}) |")


if __name__ == "__main__":
    main()
