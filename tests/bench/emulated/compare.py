"""Compare a report of record.py with the emulated counts: `python -m tests.bench.emulated.compare REPORT`."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from advisor.emulator.counts import METRICS, Problem, count
from advisor.emulator.launch import Pointer
from advisor.emulator.report import read_launch, unpacked
from advisor.emulator.state import FaultError
from advisor.practice.emulated import fill_of
from advisor.practice.lazy_arrays import LazyGenerator
from advisor.practice.validation import Row, compare, totals
from advisor.records.errors import AdvisorError
from advisor.view.pages.emulated_validation import validation_page
from advisor.view.writers.terminal import terminal_text
from tests.bench.emulated.launches import COUNT, launches


def rows(report: Path) -> list[Row]:
    """Return a row for each launch of the report."""
    out = []
    x = np.asarray(LazyGenerator(1).random(COUNT, np.float32))
    with unpacked(report) as path:
        for index, one in enumerate(launches()):
            begin = time.process_time()
            try:
                recorded = read_launch(path, index, tuple(METRICS.values()))
                arrays = {"x": (4 * COUNT, fill_of(x)), "y": (4 * COUNT, None)}
                arguments = (Pointer("x"), Pointer("y"), np.int32(one.n))
                problem = Problem(recorded.program, one.grid, one.block, arguments, arrays, one.shared)
                found = count(problem)
            except (AdvisorError, FaultError) as e:
                out.append(Row("unseen", index, "", one.kernel, refused=str(e)))
                continue
            out.append(
                Row(
                    "unseen",
                    index,
                    "",
                    one.kernel,
                    compared=compare(found, recorded),
                    seconds=time.process_time() - begin,
                    blocks=found.blocks,
                    executed_blocks=found.executed_blocks,
                    data_dependent=found.data_dependent,
                )
            )
    return out


def main() -> None:
    """Print the table."""
    found = rows(Path(sys.argv[1]))
    print(terminal_text(validation_page(found, totals(found)), width=120))


if __name__ == "__main__":
    main()
