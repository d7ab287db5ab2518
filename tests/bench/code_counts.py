"""How near counts from the machine code alone are: `python -m tests.bench.code_counts [REPORT ...]`.

Each launch of the bundled recordings, or of the given reports, is read twice: with its counts by opcode, and from a
copy without them, whose code gives expected executions. Prints, for each kind of instruction, the factor between its
two shares of all instructions, in the median, at the 80th and the 90th percentile, over the launches in which one of
the shares is 5 % or more.
"""

from __future__ import annotations

import math
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from advisor.knowledge.base import metrics
from advisor.readers.read import read
from advisor.reasoning.metrics.instruction_mix import count
from advisor.records import resources

from .thin import DEFAULT, write_thin

LEAST_SHARE: Final = 0.05
_NONE: Final = 1e-3  # stands for a share of nothing


def shares(opcodes: Mapping[str, float]) -> dict[str, float]:
    """The share of each kind of instruction in all executed ones."""
    total = math.fsum(opcodes.values())
    return {name: number / total for name, number in count(opcodes).items()} if total else {}


def factors(reports: Sequence[Path]) -> tuple[int, dict[str, list[float]]]:
    """The number of launches, and for each kind of instruction the factors between its two shares, at least 1."""
    out: dict[str, list[float]] = defaultdict(list)
    launches = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in reports:
            counted = read(path).frame["opcodes"]
            estimated = read(write_thin(path, DEFAULT, Path(folder) / "thin.ncu-rep")).frame["code"]
            for opcodes, code in zip(counted, estimated, strict=True):
                if opcodes is None or code is None:
                    continue
                launches += 1
                true, told = shares(opcodes), shares(code.opcodes)
                for name in true.keys() | told.keys():
                    a, b = true.get(name, 0.0), told.get(name, 0.0)
                    if max(a, b) >= LEAST_SHARE:
                        out[name].append(math.exp(abs(math.log(max(a, _NONE) / max(b, _NONE)))))
    return launches, out


def main() -> int:
    """Print the table."""
    recordings = sorted(resources.folder("kernels").glob("*/recorded/*/*.ncu-rep.xz"))
    launches, found = factors([Path(name) for name in sys.argv[1:]] or recordings)
    print(f"{launches} launches\n{'':24} launches  median    80th    90th")
    for name, all_of in sorted(found.items(), key=lambda item: -len(item[1])):
        tenths = statistics.quantiles(all_of, n=10, method="inclusive") if len(all_of) > 1 else all_of * 9
        print(f"{name:24} {len(all_of):8} {statistics.median(all_of):7.2f} {tenths[7]:7.2f} {tenths[8]:7.2f}")
    assert found.keys() <= metrics().keys()
    return 0


if __name__ == "__main__":
    sys.exit(main())
