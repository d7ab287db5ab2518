"""Rank findings by which to fix first, and decide which are worth a fix at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Protocol, TypeVar

from msgspec import Struct

from advisor.knowledge.base import Catalog
from advisor.knowledge.base import catalog as open_catalog
from advisor.records.diagnosis import ENDS, OVERRIDES, FindingKind, Speedup

TIE = 1.10  # gains within this factor of each other count as equal
R = TypeVar("R", bound="Ranks")


class Ranks(Protocol):
    """The fields of a finding that decide its rank."""

    @property
    def id(self) -> str:
        """Return the finding's id."""

    @property
    def kind(self) -> str:
        """Return the kind: diagnosis, trust or note."""

    @property
    def speedup(self) -> Speedup | None:
        """Return the estimated speedup of its fix."""


class Ranked(Struct, frozen=True):
    """A finding reduced to the fields that decide its rank."""

    id: str
    kind: str
    speedup: Speedup | None


def worthwhile(speedup: float) -> bool:
    """Whether an estimated speedup is worth a fix, by the threshold of the rules (knowledge/observations)."""
    return speedup >= _threshold("gain_worth_fixing")


def reaches(speedup: float) -> bool:
    """Whether an estimated speedup means that the kernel is not done, by the threshold of the rules."""
    return speedup >= _threshold("gain_keeps_going")


@lru_cache(maxsize=4)
def _threshold(observation: str) -> float:
    return open_catalog().threshold(observation)


def is_worthwhile(speedup: Speedup | None) -> bool:
    """Whether a fix is worth making; an unknown speedup counts as worth it."""
    return speedup is None or worthwhile(speedup.estimate)


def kind_of(catalog: Catalog, found: str, speedup: Speedup | None) -> FindingKind:
    """Return diagnosis, trust or note; a diagnosis not worth fixing is a note, so that it never ranks first."""
    return catalog.findings[found].kind if is_worthwhile(speedup) or found == "launch_overhead" else "note"


def ranked(catalog: Catalog, findings: Sequence[R], values: Mapping[str, float] | None = None) -> tuple[R, ...]:
    """Return the findings in the order to fix them.

    First what makes all others worthless (OVERRIDES), then launch overhead, then findings that end the search, then by
    speedup, then trust entries and notes. Speedups within TIE of each other count as equal; among them the cause of the
    earlier step ranks first. values: the metrics of a launch whose time is unknown: no speedup can be estimated there,
    and the finding with the most avoidable work ranks first.
    """

    def group(finding: Ranks) -> int:
        if finding.id in OVERRIDES:
            return -1
        if finding.kind != "diagnosis":
            return {"trust": 4, "note": 5}[finding.kind]
        if finding.id == "launch_overhead":
            return 0
        return 1 if finding.id in ENDS else 3 if finding.id == "unexplained" else 2

    def avoidable(finding: Ranks) -> float:
        return values.get(catalog.findings[finding.id].avoidable, 0.0) if values is not None else 0.0

    def gain(finding: Ranks) -> float:
        return finding.speedup.estimate if finding.speedup is not None else 1.0

    out: list[R] = []
    rest = sorted(findings, key=lambda f: (group(f), -gain(f), f.id))
    while rest:
        leader = rest[0]
        tied = [f for f in rest if group(f) == group(leader) and gain(f) * TIE >= gain(leader)]
        chosen = min(tied, key=lambda f: (-avoidable(f), catalog.findings[f.id].step, -gain(f), f.id))
        out.append(chosen)
        rest.remove(chosen)
    return tuple(out)
