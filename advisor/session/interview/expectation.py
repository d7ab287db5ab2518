"""What was expected before the reveal, and what the napkin says, beside the class."""

from __future__ import annotations

import math
from typing import Final

from advisor.records.diagnosis import LaunchDiagnosis
from advisor.session.interview import words
from advisor.session.numbers import number_text
from advisor.session.records import Card, Line, Reckoning
from advisor.session.state import State

# On which side a class stands; `undetermined` on none.
SIDES: Final = {
    "dram_bound": "memory",
    "internal_congestion": "memory",
    "mixed_memory_bound": "memory",
    "compute_bound": "compute",
    "latency_bound": "latency",
    "balanced": "balanced",
}


def expected_bound(state: State) -> str | None:
    """The bound that the user expects of the launch at hand; None for no idea, and where it was not asked."""
    return next((bound for position, bound in reversed(state.expected) if position == state.position), None)


def on_paper(state: State) -> str:
    """The side that the napkin expects of the launch at hand, empty without one."""
    found = (c.detail for c in reversed(state.cards) if c.kind == "napkin" and c.position == state.position)
    return next((detail.bound for detail in found if isinstance(detail, Reckoning)), "")


def comparison_card(state: State) -> Card | None:
    """How expectation and napkin compare with the class, in a sentence each; None where neither was given."""
    launch, bound, paper = state.launch, expected_bound(state), on_paper(state)
    if launch is None or (bound is None and not paper):
        return None
    side = SIDES.get(launch.verdict.id, "")
    title = launch.verdict.title or launch.verdict.id
    if not side:
        text = f"You expected {words.BOUND_NAMES[bound]}; these numbers do not decide it" if bound is not None else ""
        return Card("note", text, (), state.position, "expect", words.EXPECTED) if text else None
    if bound is None:
        head = f"You left it open; it is: {title}"
    elif bound == side:
        head = f"As you expected: {title}"
    else:
        head = f"You expected {words.BOUND_NAMES[bound]}; it is: {title}"
    lines = []
    if bound is not None:
        lines.append(Line(words.TELLS[bound, side].format(numbers=_numbers(launch))))
    if launch.verdict.id == "internal_congestion" and bound == "memory":
        lines.append(Line("It is the inside of the memory system: DRAM itself is not what is full."))
    if paper:
        lines.append(Line(words.PAPER.get((paper, side), "On paper it is the same." if paper == side else "")))
    return Card("note", head, tuple(line for line in lines if line.text), state.position, "expect", words.EXPECTED)


def _numbers(launch: LaunchDiagnosis) -> str:
    def text(metric: str) -> str:
        value = launch.metrics.get(metric)
        return number_text(value if value is not None and math.isfinite(value) else None, "%")

    return f"memory {text('memory_pct')}, compute {text('compute_pct')}, DRAM {text('dram_pct')}"
