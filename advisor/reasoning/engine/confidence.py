"""How sure a conclusion is: from the distance of its evidence to the thresholds and from what is unknown."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.reasoning.engine.trace import Fired, Trace
    from advisor.reasoning.observations import Observed

SCALE = 0.25
UNKNOWN_FACTOR = 0.85


def confidence(margins: Iterable[float], unknown: int) -> float:
    """Confidence from 0 to 1 of a conclusion whose evidence has these margins (shares of the thresholds, >= 0).

    The weakest piece of evidence decides: with its margin m, `0.5 + 0.5 * (1 - exp(-m / 0.25))`. At the threshold
    itself either verdict is as good (0.5); a quarter beyond it gives 0.82, where run-to-run noise of counters (a few
    per cent) and the disagreement of the sources about a threshold (60 or 80, 0.5 or 0.6: about a quarter) no longer
    turn the verdict; at once the threshold it is 0.99. Each condition that would have blocked the conclusion and is
    unknown takes off 15 %: such a condition is an exception to the rule, so the rule is still the better bet after
    four of them (0.52). No evidence to measure (a rule on words alone): 1 before the unknowns. Falls with `unknown`,
    never falls with a margin. NaN margins count as 0.
    """
    known = [0.0 if math.isnan(m) else max(m, 0.0) for m in margins]
    weakest = min(known, default=math.inf)
    base = 1.0 - 0.5 * math.exp(-weakest / SCALE)
    return base * UNKNOWN_FACTOR ** max(unknown, 0)


def rule_margins(observed: Observed, row: int, trace: Trace, fired: Fired) -> tuple[list[float], int]:
    """Margins of a fired rule's `when`, with those of the findings and class that it rests on, and its unknowns.

    An equality (a flag) holds or not: it has no distance and does not weaken the rule. Of several rules for one earlier
    finding the surest counts.
    """
    margins: list[float] = []
    unknown = len(fired.unknown_unless)
    for name in fired.when:
        if name in observed.names:
            if any(c.op != "==" for c in observed.tests[name].comparisons):
                margins.append(float(observed.margin[row, observed.names.index(name)]))
            continue
        wanted = name.removeprefix("found.")
        below = [rule_margins(observed, row, trace, f) for f in trace.fired_for(wanted)]
        if below:
            best = max(below, key=lambda b: confidence(*b))
            margins += best[0]
            unknown += best[1]
    return margins, unknown


def finding_confidence(observed: Observed, row: int, trace: Trace, concludes: str) -> float:
    """Confidence of a finding, or of `class.<id>`, on one launch: that of the surest rule that concluded it; else 0."""
    return max(
        (confidence(*rule_margins(observed, row, trace, f)) for f in trace.fired_for(concludes)),
        default=0.0,
    )
