"""What the evidence shows of a state: a launch, a finding, and what belongs to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from advisor.records.diagnosis import Finding, LaunchDiagnosis, Location
from advisor.session import views
from advisor.session.interview.choosing import revealed
from advisor.session.records import Card
from advisor.session.state import State
from advisor.view.charts.roofline_text import Paper


@dataclass(frozen=True, slots=True, eq=False)
class Exhibit:
    """launch and finding at hand; earlier: former versions of the launch with their names; napkin: its latest card;
    paper: what the algorithm needs, where both numbers were answered; expected: the bound that the user expects, None
    where nothing was said; seen: the lines and instructions of the launch that were looked up last, by a finding's own
    measure and without a search; metrics: metric id to (unit, meaning); report: whether a report is open, so that its
    code can be read; places: finding id to its places, as far as they were read.
    """

    launch: LaunchDiagnosis
    finding: Finding | None = None
    earlier: tuple[tuple[LaunchDiagnosis, str], ...] = ()
    napkin: Card | None = None
    paper: Paper | None = None
    expected: str | None = None
    seen: Any = None
    metrics: tuple[tuple[str, str, str], ...] = ()
    report: bool = True
    places: tuple[tuple[str, tuple[Location, ...]], ...] = ()

    def same(self, other: Exhibit | None) -> bool:
        """Whether nothing of it is new. Records of the state are compared by what they are, not by what they hold."""
        if other is None:
            return False
        parts = ("launch", "finding", "earlier", "napkin", "seen", "metrics")
        alike = all(getattr(self, part) is getattr(other, part) for part in parts)
        mine, its = ((one.paper, one.expected, one.report, one.places) for one in (self, other))
        return alike and mine == its


def exhibit(state: State) -> Exhibit | None:
    """What there is to show: None before a launch is looked at, and while the user is asked what to expect of it."""
    launch = state.launch
    if launch is None or not (state.numbers or revealed(state)):
        return None
    cards = (c for c in reversed(state.cards) if c.kind == "napkin" and c.position == state.position and not c.past)
    bounds = (bound for position, bound in reversed(state.expected) if position == state.position)
    return Exhibit(
        launch,
        state.finding_of(state.finding),
        state.earlier,
        next(cards, None),
        _paper(state),
        next(bounds, None),
        next(iter(views.read(state)), None),
        state.knowledge.metrics,
        not state.numbers,
        tuple((finding.id, views.places(state, finding)) for finding in launch.findings),
    )


def _paper(state: State) -> Paper | None:
    flop, size, dtype = (state.answer(q) for q in ("theoretical_flop", "theoretical_bytes", "intended_dtype"))
    if not isinstance(flop, int | float) or not isinstance(size, int | float):
        return None
    return Paper(float(flop), float(size), dtype if isinstance(dtype, str) else "")
