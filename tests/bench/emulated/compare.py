"""Compare a report of record.py with the emulated counts: `python -m tests.bench.emulated.compare REPORT`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import numpy as np

from advisor.emulator.counts import METRICS, Problem, count
from advisor.emulator.launch import Argument, Pointer
from advisor.emulator.memory import Fill
from advisor.emulator.program import Program
from advisor.emulator.report import read_launch, unpacked
from advisor.emulator.state import FaultError
from advisor.practice.emulated import fill_of
from advisor.practice.lazy_arrays import LazyGenerator
from advisor.practice.validation import Row, compare, totals
from advisor.records.errors import AdvisorError
from advisor.view.pages.emulated_validation import validation_page
from advisor.view.writers.terminal import terminal_text
from tests.bench.emulated.launches import COUNT, Launch, launches

Arrays = Mapping[str, tuple[int, Fill | None]]


def compared_row(report: Path, index: int, kernel: str, made: Callable[[Program], Problem]) -> Row:
    """Emulate a launch of an unpacked report with its own code, and compare. made: gives the launch its code."""
    begin = time.process_time()
    try:
        recorded = read_launch(report, index, tuple(METRICS.values()))
        found = count(made(recorded.program))
    except FaultError as e:
        return Row("unseen", index, "", kernel, refused=e.words, seconds=time.process_time() - begin)
    except AdvisorError as e:
        return Row("unseen", index, "", kernel, refused=str(e), seconds=time.process_time() - begin)
    return Row(
        "unseen",
        index,
        "",
        kernel,
        compared=compare(found, recorded),
        seconds=time.process_time() - begin,
        blocks=found.blocks,
        executed_blocks=found.executed_blocks,
        data_dependent=found.data_dependent,
        order_dependent=found.order_dependent,
    )


def rows(report: Path) -> list[Row]:
    """Return a row for each launch of the report."""
    x = np.asarray(LazyGenerator(1).random(COUNT, np.float32))
    arrays = {"x": (4 * COUNT, fill_of(x)), "y": (4 * COUNT, None)}
    out = []
    with unpacked(report) as path:
        for index, one in enumerate(launches()):
            arguments = (Pointer("x"), Pointer("y"), np.int32(one.n))
            made = partial(_problem, one, arguments, arrays)
            out.append(compared_row(path, index, one.kernel, made))
    return out


def _problem(one: Launch, arguments: tuple[Argument, ...], arrays: Arrays, program: Program) -> Problem:
    return Problem(program, one.grid, one.block, arguments, arrays, one.shared)


def main() -> None:
    """Print the table."""
    found = rows(Path(sys.argv[1]))
    print(terminal_text(validation_page(found, totals(found)), width=120))


if __name__ == "__main__":
    main()
