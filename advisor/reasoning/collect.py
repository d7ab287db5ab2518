"""The ncu command that collects what a report lacks: which sections bring which metrics, and what they are for."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from advisor.knowledge.base import Catalog
from advisor.records.diagnosis import LaunchDiagnosis

# ncu adds these to any selection at no cost of passes; a report without them cannot be placed.
ALWAYS = ("SpeedOfLight", "LaunchStats", "Occupancy")


@dataclass(frozen=True, slots=True)
class Gathered:
    """What to run. sections: each with the findings that it would decide and the metrics that it brings, in order;
    command: empty where nothing is missing.
    """

    command: str
    sections: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = ()


def sections_for(catalog: Catalog, metrics: Iterable[str]) -> dict[str, list[str]]:
    """Section id -> the canonical metrics that it brings, both in a stable order."""
    out: dict[str, list[str]] = {}
    for metric in sorted(metrics):
        section = catalog.metrics[metric].section
        if section:
            out.setdefault(section, []).append(metric)
    return dict(sorted(out.items()))


def command(
    sections: Iterable[str], kernel: str | None, skip: int, count: int, clock_control: str, folder: Path | None = None
) -> str:
    """The ncu command line that collects the sections; `folder`: where else ncu looks for their files."""
    where = ["--section-folder", shlex.quote(str(folder))] if folder is not None else []
    parts = ["ncu", *where, *(word for s in sections for word in ("--section", s)), "--import-source", "yes"]
    if kernel:
        parts += ["--kernel-name", shlex.quote(f"regex:{kernel}")]
    parts += ["--launch-skip", str(skip), "--launch-count", str(count)]
    if clock_control == "none":
        parts += ["--clock-control", "none"]
    return " ".join([*parts, "-o", "profile", "YOUR_PROGRAM"])


def wanted_by(launches: Iterable[LaunchDiagnosis]) -> dict[str, set[str]]:
    """Each metric that rules asked for and did not get -> the findings that wait for it."""
    reasons: dict[str, set[str]] = {}
    for launch in launches:
        for item in launch.missing:
            reasons.setdefault(item.metric, set()).update(item.needed_for)
    return reasons


def purposes(
    sections: Mapping[str, list[str]], reasons: Mapping[str, set[str]]
) -> tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]:
    """Each section to collect, those that always go with them too: the findings that wait for it, its metrics."""
    out = []
    for section in sorted({*sections, *ALWAYS}):
        metrics = tuple(sections.get(section, ()))
        out.append((section, tuple(sorted({f for m in metrics for f in reasons.get(m, ())})), metrics))
    return tuple(out)


def gather(catalog: Catalog, launch: LaunchDiagnosis) -> Gathered:
    """What one launch lacks: the sections with what they are for, and the command for its kernel, one launch of it."""
    reasons = wanted_by((launch,))
    sections = sections_for(catalog, reasons)
    if not sections:
        return Gathered("")
    found = purposes(sections, reasons)
    return Gathered(command((section for section, _, _ in found), _pattern(launch.kernel), 0, 1, "base"), found)


def _pattern(kernel: str) -> str | None:
    """An expression for ncu, which matches the name without namespaces, template arguments and parameters."""
    name = re.split(r"[<(]", kernel, maxsplit=1)[0].rpartition("::")[2].split()
    return f"^{re.escape(name[-1])}$" if name else None
