"""Reads 200 damaged inputs, each in a process of its own, and prints the outcomes: `python -m tests.bench.damaged`.

Columns: outcome (refused, incomplete, or what must not be), wall seconds of the whole process, peak memory in MB (of
the process and twice the largest of its children, which run two at a time), the kind of damage, the line shown.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.damaged import inputs

_LIMIT_S = 60
_READER = """
import json, resource, sys
from pathlib import Path
from advisor.records.errors import InputError
from advisor.readers.read import read
try:
    found = read(Path(sys.argv[1]))
    said = " | ".join(found.info.problems)
    outcome = "COMPLETE" if found.info.complete else f"incomplete, {len(found.frame)} read"
except InputError as error:
    outcome, said = "refused", str(error)
own, children = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
print(json.dumps({"outcome": outcome, "said": said, "peak_mb": (own + 2 * children) / 1024}))
"""


def read_one(path: Path) -> dict[str, Any]:
    """Reads one file in a fresh process: outcome, said, seconds, peak_mb."""
    start = time.perf_counter()
    try:
        done = subprocess.run(
            [sys.executable, "-c", _READER, str(path)], capture_output=True, text=True, timeout=_LIMIT_S
        )
    except subprocess.TimeoutExpired:
        return {"outcome": "HUNG", "said": "", "seconds": float(_LIMIT_S), "peak_mb": 0.0}
    seconds = time.perf_counter() - start
    if done.returncode:
        said = done.stderr.strip().splitlines()[-1:] or [f"exit {done.returncode}"]
        return {"outcome": "CRASHED", "said": said[0], "seconds": seconds, "peak_mb": 0.0}
    return {**json.loads(done.stdout), "seconds": seconds}


def main() -> int:
    """Prints the table; 1 if anything crashed, hung, passed for whole, took 20 s or 1.5 GB."""
    outcomes: Counter[str] = Counter()
    worst_s = worst_mb = 0.0
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for item in inputs():
            path = item.write(Path(folder))
            found = read_one(path)
            path.unlink()
            fine = found["outcome"].startswith(("refused", "incomplete")) and "\n" not in found["said"]
            wrong += not (fine and found["seconds"] < 20 and found["peak_mb"] < 1536)
            worst_s, worst_mb = max(worst_s, found["seconds"]), max(worst_mb, found["peak_mb"])
            outcomes[found["outcome"].split(",")[0]] += 1
            cost = f"{found['seconds']:6.2f} {found['peak_mb']:7.0f}"
            print(f"{found['outcome']:20} {cost}  {item.kind:40} {found['said'][:200]}")
    total = f"{sum(outcomes.values())} inputs: {dict(outcomes)}"
    print(f"{total}; slowest {worst_s:.2f} s, largest {worst_mb:.0f} MB; wrong: {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
