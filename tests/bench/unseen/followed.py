"""How far the told gain is from what authors get who follow the advice.

    python -m tests.bench.unseen.followed OUT TIMES --causes tests/bench/unseen/seventeenth/causes.yaml

OUT: what pairs.sh left of a round, unpacked; TIMES: what `pairs_run.py ROUND_followed time CUBINS TIMES` wrote on the
same kind of GPU. ROUND_followed has a cure of each kernel of the round that is CUDA C, by an author who saw the kernel
and the advisor's page, and neither the pair's cure nor its stated cause; the kernels and their inputs are the round's.
What two authors' cures of one kernel gain differs too: an estimate that is exact for one is off by this from the other.

Prints the error factors of the told gain against each of the two, and of the two against each other; told is the gain
of the first finding, 1 without one.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from advisor.records.errors import AdvisorError

from .launches import read_json
from .score import CAUSES, Row, score

_WIDTH: Final = 2.0  # of the range that issue after issue asks for


@dataclass(frozen=True)
class Compared:
    """A kernel: gain of the first finding, its range, and what the pair's cure and the follower's cure gain."""

    id: str
    told: float
    low: float
    high: float
    pair: float
    follower: float


def compared(rows: Iterable[Row], times: dict[str, Any]) -> list[Compared]:
    """The kernels of which both cures ran with right results. times: of the followers, as pairs_run.py writes them."""
    out = []
    for row in rows:
        follower = times.get(row.id, {})
        if row.measured is None or not row.right_result or "speedup" not in follower or "wrong_cured" in follower:
            continue
        whole = (row.low, row.high) if row.place == 1 and row.low is not None and row.high is not None else None
        told = row.gain or 1.0
        low, high = whole or (told, told)
        out.append(Compared(row.id, told, low, high, row.measured, float(follower["speedup"])))
    return out


def errors(pairs: Iterable[tuple[float, float]]) -> list[float]:
    """The factors, at least 1, between the two of each pair, in order."""
    return sorted(math.exp(abs(math.log(a / b))) for a, b in pairs)


def line(title: str, found: Sequence[float]) -> str:
    """Median and 90th percentile of factors, and how many would lie in a range of width 2 about the other."""
    middle = (
        found[len(found) // 2] if len(found) % 2 else math.sqrt(found[len(found) // 2 - 1] * found[len(found) // 2])
    )
    late = found[min(len(found) - 1, int(0.9 * len(found)))]
    near = sum(one <= math.sqrt(_WIDTH) for one in found) / len(found)
    return f"{title:<28}{len(found):4}{middle:8.2f}{late:8.2f}{near:9.0%}"


def main() -> int:
    """Print the table and the three lines; return 1 if no kernel can be compared."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("times", type=Path)
    parser.add_argument("--causes", type=Path, default=CAUSES)
    given = parser.parse_args()
    try:
        found = compared(score(given.folder, given.causes), read_json(given.times))
    except AdvisorError as error:
        print(f"followed: {error}", file=sys.stderr)
        return error.exit_code
    if not found:
        print("followed: no kernel was timed in both", file=sys.stderr)
        return 1
    print(f"{'id':<22}{'told':>8}{'range':>18}{'pair':>9}{'follower':>10}")
    for one in found:
        range_ = f"{one.low:.2f} to {one.high:.2f}"
        print(f"{one.id:<22}{one.told:8.2f}{range_:>18}{one.pair:9.2f}{one.follower:10.2f}")
    print(f"\n{'factor between':<28}{'':>4}{'median':>8}{'90th':>8}{'near':>9}")
    print(line("told and follower", errors((one.told, one.follower) for one in found)))
    print(line("told and pair", errors((one.told, one.pair) for one in found)))
    print(line("follower and pair", errors((one.follower, one.pair) for one in found)))
    print("near: within a range of width 2 about the other")
    return 0


if __name__ == "__main__":
    sys.exit(main())
