"""Which of several findings a word means on a launch, where that depends on the launch's own limiter."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from advisor.records.diagnosis import LaunchDiagnosis
from advisor.records.questions import Subject
from advisor.session.language.lexicon import things
from advisor.session.language.names import squash


def on_launch(subject: Subject | None, launch: LaunchDiagnosis | None) -> Subject | None:
    """Return a subject whose first finding is that of the launch's limiter; unchanged if none decides or is known."""
    if subject is None or launch is None:
        return subject
    first = _of_limiter(subject.id, launch)
    return subject if not first else replace(subject, findings=tuple(dict.fromkeys((first, *subject.findings))))


def meant(text: str, launch: LaunchDiagnosis | None) -> str:
    """Return the finding that a spoken name means on a launch; empty if it does not depend on a limiter."""
    wanted = squash(text)
    for name, entry in things().items():
        if launch is not None and entry.limiters and wanted in map(squash, (name, *entry.names, *entry.fault)):
            return _of_limiter(name, launch)
    return ""


def _of_limiter(thing: str, launch: LaunchDiagnosis) -> str:
    entry = things().get(thing)
    if entry is None or not entry.limiters:
        return ""
    found = [entry.limiters[part] for part in _limiters(launch) if part in entry.limiters]
    # Of several limits that bind together, a concluded finding comes first.
    concluded = {finding.id for finding in launch.findings}
    return next((name for name in found if name in concluded), found[0] if found else "")


def _limiters(launch: LaunchDiagnosis) -> Iterable[str]:
    return (part for part in launch.labels.get("occupancy_limiter", "").split("+") if part)
