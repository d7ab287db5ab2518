"""Check all steps of all exercises on small problems: results against the reference, and memory without an error.

    python -m tests.bench.emulated.checks [--seconds S] [--jobs N] [EXERCISE…]

Every step is one that a GPU ran with the right result, so each wrong result is the emulator's mistake, and each error
of memory a false alarm. A step is refused where it launches nothing of a .cu file, where its problem cannot be made
small, or where an instruction is not emulated. --seconds: processor time for a launch, 60 if not given.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator

from advisor.emulator.state import FaultError
from advisor.practice import manifest
from advisor.practice.emulated_check import check
from advisor.practice.validation import each, recorded_names
from advisor.records.errors import AdvisorError
from tests.bench.emulated.options import parser

SECONDS = 60.0


def checked(name: str, seconds: float) -> Iterator[tuple[str, str]]:
    """Yield (kind, line) for each step of an exercise: right, wrong, alarm or refused."""
    exercise = manifest.exercise(name)
    found = manifest.recording(exercise)
    if found is None:
        return
    home, case = manifest.home(name), manifest.case(name)
    for step in exercise.steps:
        begin = time.process_time()
        extra = tuple(home / e for e in step.extra)
        try:
            one = check(case, home / step.source, found.record.card, extra, seconds, step.result)
        except (AdvisorError, FaultError) as e:
            yield "refused", f"{name} {step.id}: refused: {e}"
            continue
        took = f"{one.steps} steps of the emulator, {time.process_time() - begin:.1f} s"
        if one.fault:
            yield "alarm", f"{name} {step.id}: ALARM {one.fault} ({took})"
        elif one.mismatch is not None:
            yield "wrong", f"{name} {step.id}: WRONG {one.mismatch} ({took})"
        else:
            words = "right" if step.result else "no error, has no result of the algorithm"
            yield "right" if step.result else "no error", f"{name} {step.id}: {words} ({took})"


def _one(job: tuple[str, float]) -> list[tuple[str, str]]:
    return list(checked(*job))


def main() -> None:
    """Print a line for each step as exercises end, and the sums."""
    given = parser(SECONDS).parse_args()
    sums: Counter[str] = Counter()
    jobs = [(name, given.seconds) for name in given.names or recorded_names()]
    for rows in each(_one, jobs, given.jobs):
        for kind, line in rows:
            sums[kind] += 1
            print(line, flush=True)
    print(f"{sums.total()} steps: " + ", ".join(f"{n} {kind}" for kind, n in sums.most_common()))


if __name__ == "__main__":
    main()
