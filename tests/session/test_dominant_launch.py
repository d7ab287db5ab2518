"""A launch that takes most of the time comes first, also where its saving is unknown."""

from __future__ import annotations

from typing import Any

from advisor.records.diagnosis import dominant_unknown
from advisor.session.state import best_position
from advisor.view.pages.diagnosis import grouped
from tests.changed import replace


def _with(launch: Any, *, duration_ns: float, estimated: bool) -> Any:
    findings = tuple(f if estimated else replace(f, speedup=None) for f in launch.findings)
    return replace(launch, duration_ns=duration_ns, findings=findings)


def test_a_long_launch_without_an_estimate_comes_before_a_short_one_with_one(tour: Any) -> None:
    short, long = tour.diagnosis.launches[5], tour.diagnosis.launches[3]
    short = _with(short, duration_ns=2e5, estimated=True)
    unknown = (short, _with(long, duration_ns=9e7, estimated=False))
    assert dominant_unknown(unknown) == 1 and best_position(unknown) == 1
    assert grouped(unknown)[0].at == 1
    minor = (short, _with(long, duration_ns=1e5, estimated=False))
    assert dominant_unknown(minor) is None and best_position(minor) == 0
    assert dominant_unknown((_with(long, duration_ns=9e7, estimated=False),)) is None


def test_a_fix_saves_at_most_the_kernels_own_time(tour: Any) -> None:
    for launch in tour.diagnosis.launches:
        assert launch.saved_ns <= (launch.duration_ns or 0.0)
