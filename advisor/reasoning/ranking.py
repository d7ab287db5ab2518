"""Rank findings by which to fix first, and decide which are worth a fix at all.

A fix is a bet: it takes the same effort whether its cause is real or not. So findings are ordered by the gain to
expect, which is the estimated gain if the cause is real, weighted with how likely that is (`expected`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol, TypeVar

from msgspec import Struct

from advisor.knowledge.base import Catalog
from advisor.knowledge.base import catalog as open_catalog
from advisor.reasoning.engine.trace import Trace, finding_confidence
from advisor.records.diagnosis import ENDS, OVERRIDES, FindingKind, Speedup

if TYPE_CHECKING:
    from advisor.reasoning.observations import Observed

TIE = 1.10  # gains within this factor of each other count as equal
# The gain to expect of a cause without an estimate: three of four estimates on the bundled recordings are 1.4 or more,
# which at low confidence is 1.2. So it ranks before a gain that is hardly worth a fix, and after the usual ones.
UNTOLD = 1.2
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

    @property
    def confidence(self) -> float:
        """Return the confidence in it, 0 to 1."""


class Ranked(Struct, frozen=True):
    """A finding reduced to the fields that decide its rank."""

    id: str
    kind: str
    speedup: Speedup | None
    confidence: float = 1.0


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


def candidates(
    catalog: Catalog, observed: Observed, row: int, trace: Trace, gains: Mapping[str, Speedup], names: Sequence[str]
) -> list[Ranked]:
    """Return the findings `names` of one launch, each with its kind, its gain and its confidence."""
    return [
        Ranked(
            name,
            kind_of(catalog, name, gains.get(name)),
            gains.get(name),
            finding_confidence(observed, row, trace, name),
        )
        for name in names
    ]


def likely(confidence: float) -> float:
    """Return how likely a finding is right, 0 to 1, for its confidence: between one half and certain.

    A rule that fires has all its conditions, so its finding is more likely than not, even at the threshold (0.5 by the
    formula of the confidence) and with exceptions that could not be checked: exceptions are rare, and those of one rule
    tend to be unknown together. On the bundled recordings with the default set alone, findings of low confidence are
    right in 116 of 133 launches, of medium and high confidence in 88 of 94 (`python -m tests.bench.thin`).
    """
    return 0.5 + 0.5 * confidence


def expected(catalog: Catalog, finding: Ranks) -> float:
    """Return the gain to expect of a finding's fix: old time over the mean of the new time; UNTOLD without an estimate.

    The fix saves the share 1 - 1 / gain of the time if the cause is real, and nothing if it is not. If the gain depends
    on what no counter shows (`depends`), the middle of its range on a log scale counts, if it is below the estimate.
    Fixes with conditions, such as calls of a library, are left out: all causes there share them.
    """
    gain = finding.speedup
    if gain is None:
        return UNTOLD
    entry = catalog.findings.get(finding.id)
    open_ended = entry is not None and any(fix.depends for fix in entry.fixes if not fix.when)
    middle = min(gain.estimate, math.sqrt(gain.low * gain.high)) if open_ended else gain.estimate
    return 1 / (1 - likely(finding.confidence) * (1 - 1 / middle))


def ranked(catalog: Catalog, findings: Sequence[R], values: Mapping[str, float] | None = None) -> tuple[R, ...]:
    """Return the findings in the order to fix them.

    First what makes all others worthless (OVERRIDES), then launch overhead, then findings that end the search, then by
    the gain to expect, then trust entries and notes. Gains within TIE of each other count as equal; among them a cause
    ranks before those that it `precedes`, and the cause of the earlier step first. values: the metrics of a launch
    whose time is unknown: no speedup can be estimated there, and the finding with the most avoidable work ranks first.
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

    worth = {finding.id: expected(catalog, finding) for finding in findings}

    def gain(finding: Ranks) -> float:
        return worth[finding.id]

    out: list[R] = []
    rest = sorted(findings, key=lambda f: (group(f), -gain(f), f.id))
    while rest:
        leader = rest[0]
        tied = [f for f in rest if group(f) == group(leader) and gain(f) * TIE >= gain(leader)]
        behind = {name for f in tied for name in catalog.findings[f.id].precedes}
        tied = [f for f in tied if f.id not in behind] or tied
        chosen = min(tied, key=lambda f: (-avoidable(f), catalog.findings[f.id].step, -gain(f), f.id))
        out.append(chosen)
        rest.remove(chosen)
    return tuple(out)
