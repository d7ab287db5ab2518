"""The exported rule beside `diagnose` on every recorded report: `python -m tests.bench.ncu_rules [REPORT ...]`.

A row for each launch with another first finding or estimate, with what `diagnose` knows and the rule does not; then the
counts. The rule runs in an interpreter without packages, on NVIDIA's own objects.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from advisor.knowledge.base import catalog
from advisor.nvrules.export import write_rules
from advisor.reasoning.diagnose import analyse
from advisor.records.diagnosis import LaunchDiagnosis

sys.path.insert(0, str(Path(__file__).parents[1] / "nvrules"))
from rules import KERNELS, applied, unpacked

# What only the whole report shows: metric of a launch -> why the rule lacks it.
UNSEEN = {
    "first_of_kernel_ratio": "compares launches",
    "clock_spread": "compares launches",
    "clock_of_highest": "compares launches",
    "written_before": "reads the launch before",
    "line_info": "reads the cubin",
    "debug_build": "reads the cubin",
    "sampling_phases": "samples over time",
    "ncu_verdict": "reads ncu's own rules",
    "gather_excess_share": "reads the PTX",
    "neighbour_excess_share": "reads the PTX",
    "distinct_load_bytes": "reads the PTX",
}


def first(launch: LaunchDiagnosis) -> tuple[str, float | None]:
    """Return the title of the first finding, or of the class, and the estimate."""
    if not launch.findings:
        return launch.verdict.title, None
    found = launch.findings[0]
    shown = found.speedup is not None and found.kind == "diagnosis" and found.speedup.estimate > 1
    return found.title, found.speedup.estimate if shown and found.speedup is not None else None


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        chosen = [Path(word) for word in sys.argv[1:]] or sorted(KERNELS.rglob("*.ncu-rep.xz"))
        reports = [unpacked(path, folder) for path in chosen]
        write_rules(catalog(), folder)
        shown = applied(folder, *reports)
        total = same = alike = 0
        for path, report in zip(chosen, reports, strict=True):
            own = [one for one in shown if one["report"] == str(report)]
            launches = analyse([report]).diagnosis.launches
            for launch in launches:  # a report may hold launches that are no kernels
                one = own[launch.index]
                title, estimate = first(launch)
                told = one["messages"][0][2]
                saving = one["speedups"][0][2] if one["speedups"] else None
                gain = None if saving is None else 100 / (100 - saving)
                total, same = total + 1, same + (title == told)
                close = (gain is None) == (estimate is None) and abs((gain or 1) / (estimate or 1) - 1) < 1e-6
                alike += title == told and close
                if title != told or not close:
                    why = sorted({text for metric, text in UNSEEN.items() if metric in launch.metrics})
                    print(f"{path.parent.relative_to(KERNELS)} {launch.index} {launch.kernel}: {title} {estimate}")
                    print(f"    rule: {told} {gain}; the rule lacks: {', '.join(why)}")
        print(f"{total} launches of {len(chosen)} reports: same first finding {same}, same estimate too {alike}")


if __name__ == "__main__":
    main()
