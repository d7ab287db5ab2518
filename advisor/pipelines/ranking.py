"""Which finding to fix first, and which is worth a fix at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from advisor.model import ENDS, Speedup
from advisor.quantify.formulas import TIE, worthwhile

if TYPE_CHECKING:
    from advisor.catalog import Catalog

# A gain of 10 % keeps a kernel from being called done (CATALOG).
REACHES = 1.10
R = TypeVar("R", bound="Ranks")


class Ranks(Protocol):
    """What of a finding decides its place."""

    @property
    def id(self) -> str:
        """The finding."""

    @property
    def kind(self) -> str:
        """diagnosis, trust or note."""

    @property
    def speedup(self) -> Speedup | None:
        """What its fix gives."""


def is_worthwhile(speedup: Speedup | None) -> bool:
    """Whether a fix with this gain is worth it; one whose gain nobody can tell is."""
    return speedup is None or worthwhile(speedup.estimate)


def kind_of(catalog: Catalog, found: str, speedup: Speedup | None) -> str:
    """diagnosis, trust or note. What is there but not worth fixing is a note: it must not be the first thing to do."""
    return catalog.findings[found].kind if is_worthwhile(speedup) or found == "launch_overhead" else "note"


def ranked(catalog: Catalog, findings: Sequence[R]) -> tuple[R, ...]:
    """What to fix first comes first: the launch's own overhead, then what is done, then by gain; trust and notes after.

    Gains within TIE of each other are no different, as estimates go: then the cause of the earlier step comes first.
    """

    def place(finding: Ranks) -> int:
        if finding.kind != "diagnosis":
            return {"trust": 4, "note": 5}[finding.kind]
        if finding.id == "launch_overhead":
            return 0
        return 1 if finding.id in ENDS else 3 if finding.id == "unexplained" else 2

    def gain(finding: Ranks) -> float:
        return finding.speedup.estimate if finding.speedup is not None else 1.0

    out: list[R] = []
    rest = sorted(findings, key=lambda f: (place(f), -gain(f), f.id))
    while rest:
        leader = rest[0]
        tied = [f for f in rest if place(f) == place(leader) and gain(f) * TIE >= gain(leader)]
        chosen = min(tied, key=lambda f: (catalog.findings[f.id].step, -gain(f), f.id))
        out.append(chosen)
        rest.remove(chosen)
    return tuple(out)
