"""List the findings of the healthy kernels in a report of `record.py`.

    python -m tests.bench.healthy.judge REPORT

A finding is an alarm if it is a cause with an estimated gain; a verdict such as "near the memory roofline" is none.
"""

from __future__ import annotations

import sys
from pathlib import Path

from advisor.reasoning.diagnose import analyse


def main(report: Path) -> None:
    """Print a line for each launch: name, time, class, and its findings with confidence and gain."""
    for one in analyse([report]).diagnosis.launches:
        found = []
        for f in one.findings:
            gain = f" {f.speedup.estimate:.2f}x" if f.speedup is not None else ""
            found.append(f"{f.id} ({f.kind}, {100 * f.confidence:.0f} %{gain})")
        time_us = one.metrics.get("duration_ns", float("nan")) / 1e3
        print(f"{one.index} {one.kernel[:60]} {time_us:,.0f} µs: {one.verdict.title}; {', '.join(found) or 'none'}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
