"""Scores kernels with published optimisations: `python -m tests.bench.published.score OUT [--cases]`.

OUT is what `published.sh` left, unpacked: times.jsonl and the reports NAME.ncu-rep. truth.yaml names for each case the
source, the cause that its author states (`documented`) and those that a reader of the profile may also name first
(`acceptable`); the words were written before any run and before their author read the catalogue. The kernels are
written anew from the descriptions. Prints how often the first finding is the documented one, or an acceptable one, and
whether the measured gain lies in the range that the first of them states.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import yaml
from msgspec import Struct

from advisor.records.diagnosis import Speedup
from advisor.records.errors import AdvisorError

TRUTH: Final = Path(__file__).parent / "truth.yaml"


class Row(Struct, frozen=True):
    """A case and what was found. found: diagnoses in order; told: speedup of the first one that truth.yaml names."""

    case: Mapping[str, Any]
    gain: float
    found: tuple[str, ...]
    told: Speedup | None

    @property
    def documented(self) -> bool:
        return bool(self.found) and self.found[0] in self.case["documented"]

    @property
    def acceptable(self) -> bool:
        return bool(self.found) and self.found[0] in (*self.case["documented"], *self.case["acceptable"])

    @property
    def among_three(self) -> bool:
        return bool({*self.found[:3]} & {*self.case["documented"]})

    @property
    def inside(self) -> bool:
        return self.told is not None and self.told.low <= self.gain <= self.told.high


def cases() -> list[Mapping[str, Any]]:
    """The entries of truth.yaml."""
    return list(yaml.safe_load(TRUTH.read_text(encoding="utf-8"))["cases"])


def rows(folder: Path) -> Iterable[Row]:
    """Diagnose the slow launch of each case whose report is there."""
    from advisor import diagnose
    from tests.bench.strangers import findings_of

    times = {one["case"]: one for one in map(json.loads, (folder / "times.jsonl").read_text().splitlines())}
    for case in cases():
        path = folder / f"{case['name']}.ncu-rep"
        if not path.is_file() or "ratio" not in times.get(case["name"], {}):
            print(f"{case['name']}: not there", file=sys.stderr)
            continue
        launch = next(one for one in diagnose(path).launches if case["slow_kernel"] in one.kernel)
        found = findings_of(launch)
        named = (one for one in found if one.id in (*case["documented"], *case["acceptable"]))
        first = next(named, None)
        told = first.speedup if first is not None else None
        yield Row(case, times[case["name"]]["ratio"], tuple(one.id for one in found), told)


def main() -> int:
    """Print the table; return 1 if no case is there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cases", action="store_true", help="also list each case")
    given = parser.parse_args()
    try:
        found = list(rows(given.folder))
    except (AdvisorError, OSError) as problem:
        print(problem, file=sys.stderr)
        return 1
    if not found:
        return 1
    if given.cases:
        for row in found:
            told = f"{row.told.low:.2f} to {row.told.high:.2f}" if row.told else "-"
            mark = "documented" if row.documented else "acceptable" if row.acceptable else "other"
            print(f"{row.case['name']:<16}{mark:<12}{row.gain:7.2f}  {told:<18}{', '.join(row.found[:3])}")
    for what in ("documented", "acceptable", "among_three", "inside"):
        hits = sum(1 for row in found if getattr(row, what))
        print(f"{what:<12}{hits:4} of {len(found)} ({hits / len(found):.0%})")
    errors = sorted(abs(math.log(row.told.estimate / row.gain)) for row in found if row.told)
    if errors:
        middle, late = errors[len(errors) // 2], errors[int(0.9 * len(errors))]
        print(
            f"estimate against measured: factor {math.exp(middle):.2f} (median), {math.exp(late):.2f} (90th percentile)"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
