"""How quick the session is: `python -m tests.bench.session [--quick] [--report FILE]`; about two minutes, Linux.

Three things, each with median, 95th percentile and largest value in milliseconds, wall and processor time:

- from the start of the process to the first screen, and to the list of launches (pseudo-terminal, 80 x 24);
- from a key to the first and to the last byte that it makes the program write, with a report of 60 launches open: the
  real program on a pseudo-terminal, so the driver, layout and drawing are all in it. Work in threads that a key starts
  is in it, too, however long it takes: the next key comes when the program is at rest. Not in it: the cursor that
  blinks, and what the program does in pauses because nobody waits for it (the hot lines of a launch on which the list
  rests, the values that the next key may try). A key that comes sooner than that may wait for one such piece of work
  besides its own; the bench does not time that;
- from an answer to the next question: reducer and desk in this process, without drawing.

The report is built from the recordings in a folder for the time being. Processor time is that of all threads until the
last byte: on a machine with other work it says more than the time on the clock.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.bench import interview, large_report
from tests.bench.terminal import Answer, Terminal

GOALS = {"first screen": 500.0, "first byte": 40.0, "last byte": 40.0, "answer": 150.0}
RUNS, LAUNCHES = 5, 60
_LISTED = (" launches, in ", "Class")
# What is done, keys before (not timed), keys (timed; a text in quotes is typed key by key), keys after.
TASKS: tuple[tuple[str, tuple[str, ...], tuple[str, ...], tuple[str, ...]], ...] = (
    ("list: cursor", (), ("down",) * 15 + ("up",) * 5 + ("pagedown", "pageup"), ()),
    ("list: filter", ("/",), (*"cupy_mul", *("backspace",) * 8), ("escape",)),
    ("list: sort", (), ("f5",) * 10, ()),
    ("open and back", (), ("enter", "escape") * 6, ()),
    ("expected, card", ("enter",), ("enter",), ()),
    ("cards, choices", (), ("down", "up", "enter", "f4", "pageup", "pagedown"), ()),
    ("typing", ("/",), (*"whatif dram_pct=", *("backspace",) * 16), ("escape",)),
    ("evidence pages", ("f3",), ("f6",) * 14, ("f3",)),
    ("what-if steps", ("f9",), ("right", "right", "left", "down", "right", "right", "down", "right", ">"), ("escape",)),
    ("source: moves", ("f7",), ("down",) * 8 + ("up",) * 2 + ("pagedown", "pageup", "n", "n", "m", "c"), ("escape",)),
    ("proof: moves", ("f8",), ("down", "down", "right", "down", "left", "n", "e"), ("escape",)),
    ("steps", ("f5",), ("down",) * 6, ("escape",)),
    ("knowledge: typing", ("f12",), (*"long scoreb", *("backspace",) * 11), ("escape", "escape")),
    ("practice: list", ("p",), ("down",) * 6 + ("up",) * 2, ("escape",)),
)


def line(what: str, walls: Sequence[float], processors: Sequence[float], goal: float | None = None) -> str:
    """One line of the table, from seconds."""
    cells = []
    for values in (walls, processors):
        if not values:
            cells.append(" " * 26)
            continue
        ordered = sorted(1e3 * value for value in values)
        p95 = ordered[min(int(0.95 * len(ordered)), len(ordered) - 1)]
        cells.append(f"{statistics.median(ordered):8.0f} {p95:8.0f} {ordered[-1]:8.0f}")
        if goal is not None and values is walls:
            what = f"{what} ({'met' if p95 < goal else 'missed'}: {goal:.0f})"
    return f"{what:<34} {len(walls):4} {cells[0]}   {cells[1]}"


def starts(arguments: Sequence[str], ready: Sequence[str], runs: int) -> Iterable[str]:
    """The first screen, and what is ready to be used."""
    firsts, lists, used = [], [], []
    with Terminal(*arguments) as terminal:  # not timed: it may compile modules, as the first start of a user does
        terminal.until(*(ready or ("ncu-advisor",)))
    for _ in range(runs):
        with Terminal(*arguments) as terminal:
            firsts.append(terminal.until("ncu-advisor") - terminal.begun)
            used.append(terminal.processor())
            if ready:
                lists.append(terminal.until(*ready) - terminal.begun)
    name = Path(arguments[-1]).name if arguments else "no report"
    yield line(f"{name}: first screen", firsts, used, GOALS["first screen"])
    if lists:
        yield line(f"{name}: launches", lists, [])


def keys(report: Path) -> Iterable[str]:
    """Each task, and all of them together."""
    all_: list[Answer] = []
    with Terminal("open", str(report)) as terminal:
        terminal.until(*_LISTED)
        terminal.rest(3.0)
        for name, before, timed, after in TASKS:
            for key in before:
                terminal.press(key)
            terminal.rest()
            answers = [answer for key in timed if (answer := terminal.press(key)) is not None]
            for key in after:
                terminal.press(key)
            all_ += answers
            yield line(name, [a.last for a in answers], [a.processor for a in answers])
            yield line("  first byte", [a.first for a in answers], [])
    yield line("all: first byte", [a.first for a in all_], [], GOALS["first byte"])
    yield line("all: last byte", [a.last for a in all_], [a.processor for a in all_], GOALS["last byte"])


def answers() -> Iterable[str]:
    """The interview on the recordings."""
    times = interview.times(interview.EXERCISES)
    yield line("interview", [wall for wall, _ in times], [used for _, used in times], GOALS["answer"])


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", type=Path, help="in place of the one that is built")
    parser.add_argument("--quick", action="store_true", help="two starts each, and no interview")
    given = parser.parse_args()
    runs = 2 if given.quick else RUNS
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
    heads = " ".join(f"{head:>8}" for head in ("median", "p95", "largest", "  cpu", "p95", "largest"))
    print(f"{'milliseconds':<34} {'n':>4} {heads}")
    with tempfile.TemporaryDirectory() as folder:
        report = given.report
        if report is None:
            report = Path(folder) / "sixty.ncu-rep"
            report.write_bytes(large_report.build(LAUNCHES, 20_000_000))
        for arguments, ready in ((["demo"], _LISTED), ([], ()), (["open", str(report)], _LISTED)):
            for text in starts(arguments, ready, runs):
                print(text, flush=True)
        for text in keys(report):
            print(text, flush=True)
    if not given.quick:
        for text in answers():
            print(text, flush=True)
    print(f"load {os.getloadavg()[0]:.1f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
