"""The ledger's arithmetic, on pairs made up for it."""

from __future__ import annotations

from typing import Any

import pytest
from bench.calibration import HALVES, Pair, accounted, factor, figures, half_of, ledger, pairs, unmodified

from advisor.practice.manifest import Exercise, Mend, StepDef
from advisor.practice.selfcheck import Judged, StepJudged
from tests.changed import replace

PAIR = Pair("one", "fitting", "slow", "bank_conflicts", "fast", "", 1, 2.0, 3.0, 1.5, 3.5, 8.0, "Rule")


def test_the_factor_is_the_same_for_too_much_and_too_little() -> None:
    assert factor(3.0, 2.0) == factor(2.0, 3.0) == 1.5
    assert factor(2.0, 2.0) == 1.0


def test_figures_of_known_pairs() -> None:
    chosen = [replace(PAIR, predicted=p) for p in (2.0, 1.0, 8.0)] + [replace(PAIR, predicted=2.0, high=1.9)]
    found = figures(chosen, lambda p: p.predicted, ranges=True)
    assert (found.pairs, found.told, found.median, found.twofold, found.inside) == (4, 3, 1.5, 0.75, 0.75)
    assert found.tenth == pytest.approx(2 + 0.7 * 2)
    assert found.bias == pytest.approx(2 ** (1 / 4))
    assert found.width == pytest.approx(3.5 / 1.5)
    assert figures(chosen, lambda p: p.ncu).inside is figures(chosen, lambda p: p.ncu).width is None


def test_too_long_and_too_short_a_time_count_alike() -> None:
    found = unmodified([0.5, 1.0, 2.0])
    assert (found.launches, found.median, found.worst, found.bias) == (3, 2.0, 2.0, pytest.approx(1.0))


def test_the_time_that_the_model_gives_unmodified_launches_is_read_off_the_analysis(tour: Any) -> None:
    one = judged(tour, "bank_conflicts")
    found = accounted(tour, [one])
    assert len(found[half_of("one")]) == 2 and not found[next(h for h in HALVES if h != half_of("one"))]
    assert all(0.8 < ratio < 1.25 for ratio in found[half_of("one")])


def test_launches_of_unknown_latency_are_no_witness(tour: Any) -> None:
    blind = {name: v for name, v in tour._reasoned.observed.columns.items() if name != "sm_cycles_elapsed"}
    seen = replace(tour._reasoned, observed=replace(tour._reasoned.observed, columns=blind))
    analysis = type(tour)(tour.catalog, tour.inputs, seen)
    assert accounted(analysis, [judged(tour, "bank_conflicts")]) == {half: [] for half in HALVES}


def test_what_is_more_or_less_than_the_fix_is_counted_apart() -> None:
    found = ledger([PAIR, replace(PAIR, half="held back", predicted=2.0), replace(PAIR, but="two buffers")])
    assert {title: of["advisor"].pairs for title, of in found.items()} == {
        "fitting": 1,
        "held back": 1,
        "both halves": 2,
        "with `but`": 3,
    }
    assert found["held back"]["advisor"].median == 1.0
    assert found["held back"]["ncu"].median == 4.0


def test_the_half_of_an_exercise_is_that_of_its_name_alone() -> None:
    assert half_of("bank-conflicts") == "fitting"
    assert half_of("zero-copy") == "held back"
    assert {half_of(str(i)) for i in range(20)} == set(HALVES)


def judged(tour: Any, finding: str) -> Judged:
    """A step with a launch of the bundled report that has a finding with an estimate, and one twice as fast."""
    launch = next(x for x in tour.diagnosis.launches if x.findings and x.findings[0].id == "bank_conflicts")
    slow = StepDef("slow", "s.cu", "s", "s", finding)
    fast = StepDef("fast", "f.cu", "f", "f", "x", mends=(Mend("slow", finding, "but"),))
    steps = (
        StepJudged(slow, 20e3, None, finding, "", None, (), launch=launch),
        StepJudged(fast, 10e3, 2.0, "x", "", None, (), launch=launch),
    )
    one = Exercise(1, "t", "s", finding, "3", 1, (), (), (), (slow, fast), "e", "MIT", (), name="one")
    return Judged(one, "GPU", steps)


def test_a_pair_is_read_off_the_analysis(tour: Any) -> None:
    (pair,) = pairs(tour, [judged(tour, "bank_conflicts")])
    launch = next(x for x in tour.diagnosis.launches if x.findings and x.findings[0].id == "bank_conflicts")
    told = launch.findings[0].speedup
    row = tour.inputs.frame[tour.inputs.frame["index"] == launch.index].iloc[0]
    assert (pair.measured, pair.place, pair.but, pair.step, pair.by) == (2.0, 1, "but", "slow", "fast")
    assert (pair.predicted, pair.low, pair.high) == (told.estimate, told.low, told.high)
    assert pair.ncu == max(r.speedup for r in row["rules"] if r.speedup)


def test_a_finding_that_is_not_there_foretells_nothing(tour: Any) -> None:
    (pair,) = pairs(tour, [judged(tour, "tail_effect")])
    assert (pair.place, pair.predicted, pair.low, pair.inside) == (0, 1.0, None, False)
