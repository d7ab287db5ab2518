"""What reports tell with fewer sections: `python -m tests.bench.thin [--set default] [--list] [REPORT ...]`.

Each launch over 10 us of the bundled recordings, or of the given reports, is diagnosed twice: from its report, and from
a copy with the metrics of a smaller set of ncu alone. Prints how often the first finding of the thin report is that of
the whole one, or another of its findings, how often it is neither, by confidence, and how often the thin report ends
unexplained.
"""

from __future__ import annotations

import argparse
import lzma
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Final

from msgspec import Struct

from advisor.readers import container
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


def write_thin(source: Path, sections: tuple[str, ...], to: Path) -> Path:
    """Write a report that has the launches and the code of `source`, and only the metrics of these sections."""
    from advisor.knowledge.base import metrics
    from advisor.readers.actions import INSTANCED

    of_section = {n: m.section for m in metrics().values() if m.source not in ("opcodes", "accesses") for n in m.names}

    def wanted(name: str) -> bool:
        if name in INSTANCED:
            return (OPCODES if "per_opcode" in name else ACCESSES) in sections
        return name.startswith(("device__", "launch__")) or of_section.get(name) in (*sections, "")

    data = lzma.decompress(source.read_bytes()) if source.suffix == ".xz" else source.read_bytes()
    found = container.walk(data)
    with to.open("wb") as out:
        container.slim(data, found, 0, found.readable, wanted, out, code=True)
    return to


def pairs(paths: list[Path], sections: tuple[str, ...]) -> list[Pair]:
    """Diagnose the launches of reports twice."""
    from advisor.knowledge.base import catalog
    from advisor.readers.read import read_many
    from advisor.reasoning.diagnose import analyse_frame
    from advisor.reasoning.enrich import add_neighbours
    from advisor.reasoning.inputs import Inputs

    def diagnosed(files: list[Path]) -> tuple[LaunchDiagnosis, ...]:
        frame, infos = read_many(files)
        given = Inputs(add_neighbours(frame).reset_index(drop=True), infos, None, {})
        return analyse_frame(catalog(), given).diagnosis.launches

    with tempfile.TemporaryDirectory() as folder:
        copies = [write_thin(path, sections, Path(folder) / f"{i}.ncu-rep") for i, path in enumerate(paths)]
        both = zip(diagnosed(paths), diagnosed(copies), strict=True)
    return [pair for pair in (Pair(a, b) for a, b in both) if (pair.whole.duration_ns or 0.0) >= LEAST_NS]


def main() -> int:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", choices=sorted(SETS), default="default", dest="chosen")
    parser.add_argument("--list", action="store_true", help="list the launches without the same first finding")
    parser.add_argument("reports", type=Path, nargs="*", metavar="REPORT", help="reports instead of the recordings")
    given = parser.parse_args()
    reports = given.reports or sorted(resources.folder("kernels").glob("*/recorded/*/*.ncu-rep.xz"))
    found = pairs(reports, SETS[given.chosen])
    outcomes = Counter(pair.outcome for pair in found)
    print(f"{len(found)} launches, set {given.chosen}: " + ", ".join(f"{k} {n}" for k, n in outcomes.most_common()))
    for name in ("high", "medium", "low"):
        of = [p for p in found if causes(p.thin) and confidence_text(first_confidence(p.thin)) == name]
        right = sum(1 for pair in of if pair.outcome in ("same", "among"))
        print(f"confidence {name:<6} {right} of {len(of)} are findings of the whole report")
    if given.list:
        for pair in found:
            if pair.outcome != "same":
                where = reports[pair.whole.report].stem if given.reports else reports[pair.whole.report].parts[-4]
                print(f"- {pair.outcome} {where} [{pair.whole.index}] {pair.whole.kernel[:40]} {pair.thin.verdict.id}")
                print(f"    whole {causes(pair.whole)[:3]}, thin {causes(pair.thin)[:3]}")
    return 0


def first_confidence(launch: LaunchDiagnosis) -> float:
    """The confidence of the first cause."""
    wanted = causes(launch)[0]
    return next(f.confidence for f in launch.findings if f.id == wanted)


if __name__ == "__main__":
    sys.exit(main())
