"""Write a triage as SARIF: a result for each kernel and shape whose launches could be made faster."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from pathlib import Path

from advisor.records.diagnosis import ENDS, Finding, Location
from advisor.triage.results import Group, Triage
from advisor.view.numbers import counted, gain_text, number, time_text
from advisor.view.pages.triage import shape_text, trouble_text
from advisor.view.text import cut, shown
from advisor.view.writers.sarif import Remark, Seen, rule_of, sarif_log

# GitHub accepts 5,000 results per file and shows the first ones.
MOST = 1000
_NAME = 120

Places = Callable[[Group, Finding], tuple[Location, ...]]


def triage_sarif(
    result: Triage, *, most: int | None = None, located: int = 0, places: Places, root: Path | None = None
) -> str:
    """Write the groups with the largest savings. located: number of groups whose `places` are looked up (slow)."""
    seen = []
    groups = 0
    for at, group in enumerate(result.groups(min(most or MOST, MOST))):
        groups += 1
        finding = group.stands.finding
        if finding is None or finding.id in ENDS:
            continue
        at_lines = places(group, finding) if at < located else ()
        seen.append(_seen(result, group, finding, at_lines))
    remarks = [
        Remark("error" if report.refused else "warning", trouble_text(report), report.path)
        for report in islice(result.troubled(), MOST)
    ]
    remarks += [Remark("warning", why, path) for path, why in result.problems]
    if (left := result.totals.groups - groups) > 0:
        remarks.append(Remark("note", f"{left:,} more kernels and shapes are not in this list"))
    return sarif_log(seen, remarks, root or Path.cwd())


def _seen(result: Triage, group: Group, finding: Finding, places: tuple[Location, ...]) -> Seen:
    gain = finding.speedup
    shape = f", grid {shape_text(group.grid, 'x')}" if group.grid else ""
    text = f"{finding.title} in {cut(group.kernel, _NAME)}{shape}: {finding.because}."
    if gain is not None:
        text += f" Estimated speedup of the fix: {gain_text(gain.estimate, gain.low, gain.high)}; {gain.how}."
    if group.back_ns:
        back = f"{time_text(group.back_ns)} of {time_text(group.duration_ns)}"
        text += f" Over {counted(group.launches, 'launch')}, the fix saves {back}."
    about = {
        "kernel": cut(shown(group.kernel_full), 1000),
        "launch": group.stands.index,
        "reports": group.reports,
        "givesBackNs": number(group.back_ns),
        "class": group.stands.verdict.id,
        "confidence": number(finding.confidence),
    }
    return Seen(
        *rule_of(result.catalog, group.scope, finding.id),
        group.kernel_full,
        group.stands.report,
        text,
        True,
        (gain.estimate, gain.low, gain.high) if gain is not None else None,
        places,
        group.launches,
        about,
    )
