"""Where a finding is shown: by its own measure, or by the samples where no instruction has any of that."""

from __future__ import annotations

import pytest
from listings import listing

from advisor.source.listing import Listing
from advisor.source.locate import places_or_hot
from advisor.source.measures import MEASURES

DOUBLE = MEASURES["fp64"]


def of(double: float, lacking: frozenset[str] = frozenset()) -> Listing:
    none = dict.fromkeys((*MEASURES["samples"].needs, *DOUBLE.needs), 0.0)
    counted, sampled = dict.fromkeys(DOUBLE.needs, double), dict.fromkeys(MEASURES["samples"].needs, 10.0)
    made = listing([("DFMA R2, R4, R6, R8", none | counted, 7), ("FADD R1, R2, R3", none | sampled, 9)])
    return Listing(made.rows, lacking)


@pytest.mark.parametrize(
    ("double", "lacking", "found"),
    [
        (5.0, frozenset(), [("fp64", 7)]),
        (0.0, frozenset(), [("samples", 9)]),
        (0.0, frozenset(DOUBLE.needs), []),  # not collected: where it is, is unknown
    ],
)
def test_samples_show_what_no_instruction_has(
    double: float, lacking: frozenset[str], found: list[tuple[str, int]]
) -> None:
    assert [(place.metric, place.line) for place in places_or_hot(of(double, lacking), DOUBLE)] == found
