"""What the recordings tell with fewer sections: `python -m tests.bench.thin [--set default] [--list]`.

Each launch of the bundled recordings over 10 us is diagnosed twice: with all metrics, and with those of a smaller set
of ncu alone. Prints how often the first finding of the thin report is that of the whole one, or another of its
findings, how often it is neither, by confidence, and how often the thin report ends unexplained.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from advisor.records import resources
from advisor.records.diagnosis import LaunchDiagnosis, overriding
from advisor.records.quantities import confidence_text

# The sections of ncu's sets `basic` (the default one) and `detailed`, ncu 2025.3.
DEFAULT: Final = ("SpeedOfLight", "LaunchStats", "Occupancy", "WorkloadDistribution")
DETAILED: Final = (*DEFAULT, "MemoryWorkloadAnalysis", "MemoryWorkloadAnalysis_Chart", "SourceCounters")
SETS: Final = {"default": DEFAULT, "detailed": (*DETAILED, "SpeedOfLight_RooflineChart")}
# The sections with the counts by opcode and by instruction.
OPCODES, ACCESSES = "InstructionStats", "SourceCounters"
LEAST_NS: Final = 10_000.0
_PER_SOURCE: Final = ("opcodes", "accesses", "rules", "sampling", "slots")


class Pair(Struct, frozen=True):
    """A launch with all metrics and with some."""

    whole: LaunchDiagnosis
    thin: LaunchDiagnosis

    @property
    def outcome(self) -> str:
        """`same`, `among` (another finding of the whole report), `other`, `unexplained`; `open` if the whole one is."""
        whole, thin = causes(self.whole), causes(self.thin)
        if not thin:
            return "unexplained"
        if not whole:
            return "open"
        return "same" if thin[0] == whole[0] else "among" if thin[0] in whole else "other"


def causes(launch: LaunchDiagnosis) -> tuple[str, ...]:
    """The ids of the diagnoses, the first one first, without `unexplained`."""
    first = overriding(launch)
    found = [*([first] if first is not None else []), *(f for f in launch.findings if f.kind == "diagnosis")]
    return tuple(dict.fromkeys(f.id for f in found if f.id != "unexplained"))


def thinned(frame: Any, sections: tuple[str, ...]) -> Any:
    """A copy of a reader's frame without the metrics of other sections; attributes of the GPU and the file stay."""
    from advisor.knowledge.base import metrics

    known = metrics()
    out = frame.copy()
    for name in frame.columns:
        entry = known.get(name)
        by_opcode = entry is not None and entry.source == "opcodes" and OPCODES not in sections
        if entry is not None and (by_opcode or entry.section not in (*sections, "")):
            out[name] = float("nan")
        elif name == "accesses" and ACCESSES in sections:
            continue
        elif name in _PER_SOURCE:
            out[name] = [() if name == "rules" else None] * len(frame)
    return out


def pairs(paths: list[Path], sections: tuple[str, ...]) -> list[Pair]:
    """Diagnose the launches of reports twice."""
    from advisor.knowledge.base import catalog
    from advisor.readers.read import read_many
    from advisor.reasoning.diagnose import analyse_frame
    from advisor.reasoning.enrich import add_neighbours
    from advisor.reasoning.inputs import Inputs

    frame, infos = read_many(paths)
    frame = add_neighbours(frame).reset_index(drop=True)
    whole, thin = (
        analyse_frame(catalog(), Inputs(one, infos, None, {})).diagnosis.launches
        for one in (frame, thinned(frame, sections))
    )
    both = (Pair(a, b) for a, b in zip(whole, thin, strict=True))
    return [pair for pair in both if (pair.whole.duration_ns or 0.0) >= LEAST_NS]


def main() -> int:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", choices=sorted(SETS), default="default", dest="chosen")
    parser.add_argument("--list", action="store_true", help="list the launches without the same first finding")
    given = parser.parse_args()
    recordings = sorted(resources.folder("kernels").glob("*/recorded/*/*.ncu-rep.xz"))
    found = pairs(recordings, SETS[given.chosen])
    outcomes = Counter(pair.outcome for pair in found)
    print(f"{len(found)} launches, set {given.chosen}: " + ", ".join(f"{k} {n}" for k, n in outcomes.most_common()))
    for name in ("high", "medium", "low"):
        of = [p for p in found if causes(p.thin) and confidence_text(first_confidence(p.thin)) == name]
        right = sum(1 for pair in of if pair.outcome in ("same", "among"))
        print(f"confidence {name:<6} {right} of {len(of)} are findings of the whole report")
    if given.list:
        for pair in found:
            if pair.outcome != "same":
                where = recordings[pair.whole.report].parts[-4]
                print(f"- {pair.outcome} {where} [{pair.whole.index}] {pair.whole.kernel[:40]} {pair.thin.verdict.id}")
                print(f"    whole {causes(pair.whole)[:3]}, thin {causes(pair.thin)[:3]}")
    return 0


def first_confidence(launch: LaunchDiagnosis) -> float:
    """The confidence of the first cause."""
    wanted = causes(launch)[0]
    return next(f.confidence for f in launch.findings if f.id == wanted)


if __name__ == "__main__":
    sys.exit(main())
