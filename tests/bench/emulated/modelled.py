"""Compare modelled values with those that Nsight Compute measured.

    python -m tests.bench.emulated.modelled [EXERCISE[#LAUNCH]…]

Prints a line for each launch and value, then the error table: hit rates as the difference in percentage points, bytes
and times as a factor (the larger over the smaller), median and 90th percentile of each. The measured time is that under
ncu, at the clock that the report gives, since ncu locks the clock. Values are compared where the measured one is over
a floor: 1 MB of DRAM traffic, and 3 µs.
"""

from __future__ import annotations

import sys
from collections import defaultdict

import numpy as np
from msgspec.structs import replace

from advisor.emulator.counts import count
from advisor.emulator.report import read_launch, unpacked
from advisor.emulator.state import FaultError
from advisor.hardware.gpus import gpu, known_as
from advisor.practice import emulated, manifest
from advisor.practice.validation import launches_of, problem_of, recorded_names
from advisor.reasoning.diagnose import analyse
from advisor.reasoning.modelled import modelled
from advisor.records.errors import AdvisorError

SECONDS = 20.0
FLOORS = {"dram_read_bytes": 1e6, "dram_write_bytes": 1e6, "duration_ns": 3e3}


def main(names: list[str]) -> None:
    """Print the comparison."""
    errors: dict[str, list[float]] = defaultdict(list)
    wanted = [name.partition("#")[::2] for name in names] or [(name, "") for name in recorded_names()]
    for name, only in wanted:
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
                    values = modelled(problem, count(problem, seconds=SECONDS), here)
                except (AdvisorError, FaultError) as e:
                    print(f"{name}#{launch} refused: {e}", flush=True)
                    continue
                for one in values:
                    measured = real.get(one.metric)
                    if measured is None or measured < FLOORS.get(one.metric, 0.0):
                        continue
                    if one.unit == "%":
                        error = abs(one.value - measured)
                    else:
                        error = max(one.value, measured) / max(min(one.value, measured), 1.0)
                    errors[one.metric].append(error)
                    print(f"{name}#{launch} {one.metric} modelled {one.value:.4g} measured {measured:.4g}", flush=True)
    print("| value | launches | error | median | 90th percentile |\n| --- | --- | --- | --- | --- |")
    for metric, found_errors in errors.items():
        kind = "points" if metric.endswith("pct") else "factor"
        middle, high = np.percentile(found_errors, [50, 90])
        print(f"| {metric} | {len(found_errors)} | {kind} | {middle:.3g} | {high:.3g} |")


if __name__ == "__main__":
    main(sys.argv[1:])
