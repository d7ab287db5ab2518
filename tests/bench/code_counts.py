"""How near counts from the machine code alone are: `python -m tests.bench.code_counts [REPORT ...]`.

Each launch of the bundled recordings, or of the given reports, is read twice: with its counts by opcode, and from a
copy with the metrics of ncu's default set, whose code gives expected executions and addresses. Prints, for each kind
of instruction, the factor between its two shares of all instructions, in the median, at the 80th and the 90th
percentile, over the launches in which one of the shares is 5 % or more. Then, for loads, stores and shared accesses,
the ratio of their sectors or wavefronts to the ideal: in how many launches it is decided, is within a factor of 1.25
of the counted one, and is on the wrong side of 1.5.
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
from advisor.reasoning.diagnose import analyse
from advisor.reasoning.metrics.instruction_mix import count
from advisor.records import resources

from .thin import DEFAULT, write_thin

LEAST_SHARE: Final = 0.05
# Ratios to the ideal, each with the accesses that it is about. A quarter apart is near, half over the ideal an excess.
RATIOS: Final = {
    "load_sector_ratio": "global_load_inst",
    "store_sector_ratio": "global_store_inst",
    "shared_wavefront_ratio": "shared_inst",
}
NEAR: Final = 1.25
EXCESS: Final = 1.5
_NONE: Final = 1e-3  # stands for a share of nothing


def shares(opcodes: Mapping[str, float]) -> dict[str, float]:
    """The share of each kind of instruction in all executed ones."""
    total = math.fsum(opcodes.values())
    return {name: number / total for name, number in count(opcodes).items()} if total else {}


class Compared:
    """What launches tell with and without counts."""

    def __init__(self) -> None:
        self.launches = 0
        self.factors: dict[str, list[float]] = defaultdict(list)  # of the shares of instructions, at least 1
        self.ratios: dict[str, list[tuple[float, float]]] = defaultdict(list)  # counted and told

    def read(self, path: Path) -> None:
        """Compare the launches of a report."""
        with tempfile.TemporaryDirectory() as folder:
            thin = write_thin(path, DEFAULT, Path(folder) / "thin.ncu-rep")
            whole, told = (analyse([one]) for one in (path, thin))
        columns = (
            whole.diagnosis.launches,
            told.diagnosis.launches,
            whole.inputs.frame["opcodes"],
            told.inputs.frame["code"],
        )
        for one, other, counted, estimated in zip(*columns, strict=True):
            if counted is None or estimated is None:
                continue
            self.launches += 1
            true, guessed = shares(counted), shares(estimated.opcodes)
            for name in true.keys() | guessed.keys():
                a, b = true.get(name, 0.0), guessed.get(name, 0.0)
                if max(a, b) >= LEAST_SHARE:
                    self.factors[name].append(math.exp(abs(math.log(max(a, _NONE) / max(b, _NONE)))))
            for name, of in RATIOS.items():
                if one.metrics.get(of, 0.0) > 0 and name in one.metrics:
                    self.ratios[name].append((one.metrics[name], other.metrics.get(name, math.nan)))


def line_of(name: str, pairs: Sequence[tuple[float, float]]) -> str:
    """One line of the second table."""
    known = [(a, b) for a, b in pairs if math.isfinite(b)]
    near = sum(1 / NEAR <= b / a <= NEAR for a, b in known)
    missed = sum(a > EXCESS >= b for a, b in known)
    false = sum(b > EXCESS >= a for a, b in known)
    over = sum(a > EXCESS for a, _ in pairs)
    return f"{name:24} {len(pairs):8} {len(known):8} {near:8} {over:8} {missed:8} {false:8}"


def main() -> int:
    """Print the tables."""
    recordings = sorted(resources.folder("kernels").glob("*/recorded/*/*.ncu-rep.xz"))
    found = Compared()
    for path in [Path(name) for name in sys.argv[1:]] or recordings:
        found.read(path)
    print(f"{found.launches} launches\n{'':24} launches  median    80th    90th")
    for name, all_of in sorted(found.factors.items(), key=lambda item: -len(item[1])):
        tenths = statistics.quantiles(all_of, n=10, method="inclusive") if len(all_of) > 1 else all_of * 9
        print(f"{name:24} {len(all_of):8} {statistics.median(all_of):7.2f} {tenths[7]:7.2f} {tenths[8]:7.2f}")
    print(f"\n{'':24} launches    known     near  over {EXCESS}   missed    false")
    for name, pairs in found.ratios.items():
        print(line_of(name, pairs))
    assert found.factors.keys() <= metrics().keys()
    return 0


if __name__ == "__main__":
    sys.exit(main())
