"""How an estimated speedup was computed: the need of each unit before and after the fix, and the factors' origin."""

from __future__ import annotations

from advisor.records.record import Gain, Pairs, Record


class Factor(Record):
    """What an operator of a fix leaves of the work of a unit; formula: the operator with its parameters, as written."""

    formula: str
    value: float


class Relief(Record):
    """A unit whose need a fix changes.

    before, after: its need as a share of the measured time, absent for what is no unit (imbalance, the launch itself);
    factor: on its work, the product of `factors`; inputs: the metrics that the operators read; cites: the sources of
    the unit's ceiling.
    """

    term: str
    name: str
    before: float | None
    after: float | None
    factor: float
    factors: tuple[Factor, ...]
    inputs: Pairs[float]
    cites: tuple[str, ...]


class Estimate(Record):
    """An estimated speedup: old time / new time.

    fix: the fix whose operators were used; parts: the units that it changes, the one that saves most first; before,
    after: the needs of all units combined, as shares of the measured time; accounted: the share of the measured time
    to which the model applies; norm: with which the chains of units combine; how: in words, with what limits the
    result; cites: the sources of the fix and of the model; error: the factor on after / before for what the model
    overestimates or underestimates on this launch because of the work that the fix changes; reach: the share of the
    gain, on a log scale, that such a fix is expected to reach, absent where it is all of it.
    """

    fix: str
    speedup: Gain
    parts: tuple[Relief, ...]
    before: float | None
    after: float | None
    accounted: float | None
    norm: float
    how: str
    cites: tuple[str, ...]
    error: float | None = None
    reach: float | None = None
