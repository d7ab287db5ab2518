"""What differs between two conclusions about one launch, as lines of a card."""

from __future__ import annotations

from advisor.dialogue import face
from advisor.dialogue.records import Line
from advisor.dialogue.state import main_finding
from advisor.model import Finding, LaunchDiagnosis

_VISIBLE = 0.005  # a gain that moves by less would be printed the same


def _gains(launch: LaunchDiagnosis) -> dict[str, Finding]:
    return {finding.id: finding for finding in launch.findings}


def differences(before: LaunchDiagnosis, after: LaunchDiagnosis) -> tuple[Line, ...]:
    """Class, first finding, findings that came or went, gains that moved; empty when nothing did."""
    lines = []
    if before.verdict.id != after.verdict.id:
        lines.append(Line(f"{before.verdict.title} → {after.verdict.title}", "strong", face.CLASS))
    old_first, new_first = main_finding(before), main_finding(after)
    if new_first is not None and (old_first is None or old_first.id != new_first.id):
        was = "" if old_first is None else f"{old_first.title} → "
        lines.append(Line(f"{was}{new_first.title}", "strong", "First"))
    old, new = _gains(before), _gains(after)
    for name, finding in new.items():
        if name not in old and (new_first is None or name != new_first.id):
            lines.append(Line(finding.title, "fact", "Came"))
    lines += [Line(finding.title, "fact", "Went") for name, finding in old.items() if name not in new]
    for name, finding in new.items():
        if name not in old:
            continue
        had, has = old[name].speedup, finding.speedup
        if had is None and has is None:
            continue
        if had is None or has is None or abs(had.estimate - has.estimate) >= _VISIBLE:
            lines.append(Line(f"{finding.title}: {face.gain_text(had)} → {face.gain_text(has)}", "fact", "Gain"))
    return tuple(lines)
