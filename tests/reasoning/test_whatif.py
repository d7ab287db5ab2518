"""Other values supposed, and where conclusions turn: both are the whole reasoning's word."""

from __future__ import annotations

from typing import Any

import pytest


def position(analysis: Any, kernel: str) -> int:
    return next(i for i, x in enumerate(analysis.diagnosis.launches) if x.kernel == kernel)


def test_where_something_turns_is_told_what_what_if_concludes_there(tour: Any) -> None:
    told = 0
    for at in (position(tour, "transpose_tile"), position(tour, "row_per_thread"), position(tour, "particle_field")):
        launch = tour.diagnosis.launches[at]
        for target in (launch.verdict.id, launch.findings[0].id):
            for flip in tour.flips(at, target):
                up = flip.turns_at >= flip.value
                # Beyond it by so little that nothing else turns, and by more than rounding.
                beyond = flip.turns_at * (1 + 1e-9 if up else 1 - 1e-9)
                then = tour.what_if(at, {flip.metric: beyond})
                found = tuple(finding.id for finding in then.findings)
                assert (flip.then.class_id, flip.then.findings) == (then.verdict.id, found), (launch.kernel, flip)
                told += 1
    assert told > 10


def test_numbers_of_a_product_have_turning_points_too(tour: Any) -> None:
    at = position(tour, "transpose_tile")
    launch, turns = tour.diagnosis.launches[at], tour.turns(at)
    share, busy = launch.metrics["shared_wavefront_share"], launch.metrics["l1_wavefronts_pct"]
    (low,) = [turn for turn in turns["shared_wavefront_share"] if turn < share]
    assert low * busy == pytest.approx(20), "shared_time_matters: shared_wavefront_share * l1_wavefronts_pct > 20"
    assert any(turn * share == pytest.approx(20) for turn in turns["l1_wavefronts_pct"])
    assert all(turns[name] == tuple(sorted(turns[name])) for name in turns)
