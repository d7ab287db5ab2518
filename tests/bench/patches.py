"""Try the patches on the slow step of every exercise, and print which are mended.

python -m tests.bench.patches [EXERCISE…]     # a row for each offered patch, then why the other exercises have none
"""

from __future__ import annotations

import sys
import time
from collections import Counter

from advisor.patches.prove import UNSUITED, fix
from advisor.patches.records import FixDocument
from advisor.patches.stages import exercise_stage
from advisor.practice import manifest
from advisor.records.errors import AdvisorError


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


def main(wanted: list[str]) -> int:
    """Print the table."""
    none: list[str] = []
    mended = 0
    for name in wanted or manifest.names():
        start = time.process_time()
        try:
            exercise = manifest.exercise(name)
            if not exercise.steps[0].source.endswith(".cu"):
                none.append(f"{name}: the slow step is in Python")
                continue
            found = tried(name)
        except AdvisorError as e:
            none.append(f"{name} ({time.process_time() - start:.0f} s): {e}")
            print(f"    {none[-1]}", flush=True)
            continue
        took = time.process_time() - start
        mended += bool(found.patches)
        for one in found.patches:
            p = one.promised
            counts = f"{p.before:,.0f} | {p.after:,.0f}"
            print(f"| {name} | {one.kind} | {p.title} | {counts} | {one.results} | {took:.0f} s |", flush=True)
        if not found.patches:
            reasons = Counter(r.reason for r in found.rejected)
            none.append(f"{name} ({took:.0f} s): {dict(reasons) or 'no kind of patch applies'}")
        for one_ in found.rejected:
            if one_.reason != UNSUITED or "-v" in sys.argv:
                print(
                    f"    rejected {name} {one_.kind} line {one_.line}: {one_.reason}: {one_.detail[:150]}", flush=True
                )
    print(f"{mended} exercises have an offered patch; without one:")
    print("\n".join(none))
    return 0


if __name__ == "__main__":
    sys.exit(main([a for a in sys.argv[1:] if a != "-v"]))
