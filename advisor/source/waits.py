"""Why an instruction waits, for what, and whether its wait is a place to look at or an artefact of scheduling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from advisor.sass import Instruction
from advisor.source.listing import Listing, Row
from advisor.source.measures import REASONS, STALL
from advisor.source.producers import Producers, answers_short, is_load

# A warp that issues is sampled as `selected`: no wait.
_NO_WAIT = frozenset(("selected", "not_selected"))
_SOURCES: dict[str, Callable[[Instruction | None], bool]] = {
    "long_scoreboard": is_load,
    "short_scoreboard": answers_short,
}


@dataclass(frozen=True, slots=True)
class Wait:
    """The leading reason of an instruction's samples, with its share of them.

    sources: the instructions that write what it waits for; orphan: it waits on a scoreboard, and no operand tells for
    what: the compiler's own wait, whose cause is in the instructions before it.
    """

    reason: str
    share: float
    sources: tuple[Row, ...]
    orphan: bool


class Waits:
    """The waits of one launch's instructions; `known` is False where the report has no samples by reason."""

    def __init__(self, listing: Listing) -> None:
        self._listing = listing
        self._reasons = [r for r in REASONS if r not in _NO_WAIT and STALL + r not in listing.lacking]
        self.known = bool(listing.rows) and any(STALL + r in listing.rows[0].sight.values for r in self._reasons)
        self._producers: Producers | None = None

    def of(self, at: int) -> Wait | None:
        """The wait of the instruction at a place; None where it has none, or the report does not tell."""
        values = self._listing.rows[at].sight.values
        found = {r: values.get(STALL + r, 0.0) for r in self._reasons}
        total = sum(found.values())
        if not total:
            return None
        reason = max(found, key=lambda r: found[r])
        source = _SOURCES.get(reason)
        if source is None or not self._listing.has_code:
            return Wait(reason, found[reason] / total, (), False)
        if self._producers is None:
            rows = self._listing.rows
            self._producers = Producers([row.sight.code for row in rows], [row.pc for row in rows])
        places: Sequence[int] = self._producers.of(at, source)
        return Wait(reason, found[reason] / total, tuple(self._listing.rows[i] for i in places), not places)
