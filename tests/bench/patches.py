"""Try the patches on the slow step of every exercise, and print which are mended.

    python -m tests.bench.patches [--jobs N] [-v] [EXERCISE…]

Prints a row for each offered patch, then why the other exercises have none.
"""

from __future__ import annotations

import time
from collections import Counter

from advisor.patches.prove import UNSUITED, fix
from advisor.patches.records import FixDocument
from advisor.patches.stages import exercise_stage
from advisor.practice import manifest
from advisor.practice.validation import each
from advisor.records.errors import AdvisorError
from tests.bench.emulated.options import parser


def tried(name: str, seconds: float = 20.0, kinds: tuple[str, ...] = ()) -> FixDocument:
    """Try all patches, or those of some kinds, on the slow step of an exercise."""
    exercise = manifest.exercise(name)
    step = exercise.steps[0]
    record = manifest.recording(exercise)
    assert record is not None
    path = manifest.home(name) / step.source
    card, sizes = record.record.card, record.record.sizes
    stage = exercise_stage(path, manifest.case(name), card, sizes, "sm_90", step.result, seconds)
    return fix(stage, path.read_text(encoding="utf-8"), kinds)


def rows(name: str) -> tuple[list[str], str, list[tuple[str, str]]]:
    """Return the rows of offered patches, why there is none, and (reason, line) of each rejected one."""
    start = time.process_time()
    try:
        if not manifest.exercise(name).steps[0].source.endswith(".cu"):
            return [], f"{name}: the slow step is in Python", []
        found = tried(name)
    except AdvisorError as e:
        return [], f"{name} ({time.process_time() - start:.0f} s): {e}", []
    took = time.process_time() - start
    out = []
    for one in found.patches:
        p = one.promised
        counts = f"{p.before:,.0f} | {p.after:,.0f}"
        out.append(f"| {name} | {one.kind} | {p.title} | {counts} | {one.results} | {took:.0f} s |")
    rejected = [
        (r.reason, f"    rejected {name} {r.kind} line {r.line}: {r.reason}: {r.detail[:150]}") for r in found.rejected
    ]
    reasons = dict(Counter(reason for reason, _ in rejected))
    return out, "" if out else f"{name} ({took:.0f} s): {reasons or 'no kind of patch applies'}", rejected


def main() -> None:
    """Print the table."""
    options = parser()
    options.add_argument("-v", action="store_true", help="print the unsuited ones too")
    given = options.parse_args()
    none: list[str] = []
    mended = 0
    for offered, why, rejected in each(rows, given.names or manifest.names(), given.jobs):
        mended += bool(offered)
        none += [why] if why else []
        lines = [line for reason, line in rejected if reason != UNSUITED or given.v]
        print("\n".join([*offered, *lines]), flush=True)
    print(f"{mended} exercises have an offered patch; without one:")
    print("\n".join(none))


if __name__ == "__main__":
    main()
