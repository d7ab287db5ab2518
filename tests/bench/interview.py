"""Times the interview on the bundled recordings: from an answer to the next question, and how many there are.

`python -m tests.bench.interview [EXERCISE ...]` plays a person who has the report beside the screen: each number asked
for is read off the first launches of the recordings, and what they lack is not known. It prints, for each launch, the
questions, and whether the interview came to the finding that the whole report gives; at the end the times.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from advisor.reasoning.diagnose import analyse
from advisor.records import resources
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.session import events as e
from advisor.session.executor import Executor, sources
from advisor.session.reducer import reduce
from advisor.session.state import State, main_finding

EXERCISES = (
    "array-of-structs",
    "bank-conflicts",
    "constant-lookup",
    "double-literals",
    "linked-list",
    "one-output-gemm",
)


def settle(state: State, desk: Executor) -> State:
    """All work done."""
    while state.waiting:
        state = reduce(state, desk.perform(state.waiting[0], state, lambda *_: None))
    return state


def interview(launch: LaunchDiagnosis, desk: Executor) -> tuple[State, int, list[tuple[float, float]]]:
    """The state at the end, the number of questions, and the seconds (wall, processor) after each answer."""
    state = settle(reduce(State(), e.Began(gpu=launch.known_as)), desk)
    for event in (e.Answered("subject", "kernel"), e.Expected(None, again=False)):
        state = settle(reduce(state, event), desk)
    times: list[tuple[float, float]] = []
    while state.ask is not None:
        value = launch.metrics.get(state.ask.id) if state.ask.kind == "number" else None
        wall, processor = time.perf_counter(), time.process_time()
        state = settle(reduce(state, e.Answered(state.ask.id, value)), desk)
        times.append((time.perf_counter() - wall, time.process_time() - processor))
    return state, len(times), times


def times(names: tuple[str, ...]) -> list[tuple[float, float]]:
    """Prints a line for each launch, and the summary; the seconds (wall, processor) after each answer but the first."""
    desk, found, asked, same, all_ = Executor(sources()), [], [], 0, 0
    for name in names:
        path = Path(resources.folder("kernels")) / name / "recorded" / "h200" / "profile.ncu-rep.xz"
        for launch in analyse([path]).diagnosis.launches[:2]:
            state, questions, took = interview(launch, desk)
            known, told = main_finding(launch), main_finding(state.launch) if state.launch is not None else None
            ids = [one.id if one is not None else "" for one in (known, told)]
            print(f"{name:20} {questions:3} questions  {ids[0]:24} {ids[1]}")
            found += took[1:]
            asked.append(questions)
            same, all_ = same + (ids[0] == ids[1]), all_ + 1
    print(f"{sorted(asked)[len(asked) // 2]} questions in the median, {max(asked)} at most; {same} of {all_} the same")
    return found


def main(names: tuple[str, ...]) -> int:
    """Prints the table."""
    took = times(names)
    for place, what in enumerate(("wall", "processor")):
        ordered = sorted(one[place] * 1e3 for one in took)
        print(f"{what}: median {ordered[len(ordered) // 2]:.0f} ms, p95 {ordered[int(0.95 * len(ordered))]:.0f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main(tuple(sys.argv[1:]) or EXERCISES))
