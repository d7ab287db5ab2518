"""Measures the interview on the bundled recordings: its questions, its conclusion, and the time to the next question.

`python -m tests.bench.interview [EXERCISE ...]` plays a person who has the report beside the screen: the numbers of a
page are read off the first two launches of each recording, and what they lack is left out. A page with several rows
counts as one question; the GPU and the subject count too. It prints a line for each launch, then a table of those with
another first finding than the whole report gives, then the figures.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from advisor.reasoning.diagnose import analyse
from advisor.records import resources
from advisor.records.diagnosis import LaunchDiagnosis, main_finding
from advisor.session import events as e
from advisor.session.executor import Executor, sources
from advisor.session.reducer import reduce
from advisor.session.state import State


@dataclass(frozen=True)
class Interviewed:
    """An interview about one launch: state at its end, ids of the questions, rows read, seconds after each answer."""

    state: State
    questions: tuple[str, ...]
    rows: int
    times: tuple[float, ...]


def settle(state: State, desk: Executor) -> State:
    """Return the state with all work done."""
    while state.waiting:
        state = reduce(state, desk.perform(state.waiting[0], state, lambda *_: None))
    return state


def answer(state: State, launch: LaunchDiagnosis) -> tuple[e.Event, int]:
    """Return what a person with the report answers, and the numbers read off."""
    ask = state.ask
    assert ask is not None
    if ask.group in ("subject", "gpu"):
        return e.Answered(ask.id, "kernel" if ask.group == "subject" else launch.known_as), 0
    if ask.group == "expect":
        return e.Expected(None, again=False), 0
    names = [row.id for row in ask.rows] or [ask.id]
    known = {n: v for n in names if (v := launch.metrics.get(n)) is not None and math.isfinite(v)}
    if not known or ask.kind == "choice":
        return e.Answered(ask.id, None), 0
    if ask.kind == "page":
        return e.PageRead(ask.id, tuple(known.items())), len(known)
    return e.Answered(ask.id, known[ask.id]), 1


def interview(launch: LaunchDiagnosis, desk: Executor) -> Interviewed:
    """Play the interview about one launch."""
    state = settle(reduce(State(), e.Began()), desk)
    asked, times, rows = list[str](), list[float](), 0
    while state.ask is not None:
        event, read = answer(state, launch)
        asked.append(state.ask.id)
        begun = time.perf_counter()
        state = settle(reduce(state, event), desk)
        times.append(time.perf_counter() - begun)
        rows += read
    return Interviewed(state, tuple(asked), rows, tuple(times))


def _at(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _first(launch: LaunchDiagnosis | None) -> str:
    found = None if launch is None else main_finding(launch)
    return "" if found is None else found.id


def main(names: Sequence[str]) -> int:
    """Print the tables."""
    desk, done, differ = Executor(sources()), list[Interviewed](), list[str]()
    for path in sorted(Path(resources.folder("kernels")).glob("*/recorded/*/profile.ncu-rep.xz")):
        if names and path.parts[-4] not in names:
            continue
        for launch in analyse([path]).diagnosis.launches[:2]:
            one = interview(launch, desk)
            ids = [_first(each) for each in (launch, one.state.launch)]
            head = f"{path.parts[-4]:26} {launch.index} {len(one.questions):3} questions {one.rows:3} rows"
            print(f"{head}  {ids[0]:26} {ids[1]}", flush=True)
            print("    " + " ".join(name.removeprefix("page:") for name in one.questions), flush=True)
            done.append(one)
            differ += [] if ids[0] == ids[1] else [f"{path.parts[-4]:26} {launch.index} {ids[0]:26} {ids[1]}"]
    print("\nAnother first finding (report, interview):", *differ, sep="\n")
    questions, rows = [len(one.questions) for one in done], [one.rows for one in done]
    same, times = len(done) - len(differ), [seconds for one in done for seconds in one.times[1:]]
    print(f"\nsame first finding: {same} of {len(done)} ({100 * same / len(done):.0f} %)")
    print(f"questions: median {_at(questions, 0.5)}, p90 {_at(questions, 0.9)}, most {max(questions)}")
    print(f"rows read: median {_at(rows, 0.5)}, p90 {_at(rows, 0.9)}")
    print(f"answer to next question: median {1e3 * _at(times, 0.5):.0f} ms, p95 {1e3 * _at(times, 0.95):.0f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
