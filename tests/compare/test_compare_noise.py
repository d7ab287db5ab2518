"""Whether two sets of run times differ: symmetric, scale-free but for the floor, and never in favour of noise."""

from __future__ import annotations

import math
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.reasoning.time_model.noise import constants, spread, verdict

TIMES = st.lists(st.floats(1e3, 1e9), min_size=1, max_size=40)


def test_the_middle_is_the_median_and_one_cold_run_does_not_move_it() -> None:
    seen = spread([100e3, 101e3, 99e3, 100e3, 100e3, 900e3])
    assert (seen.median, seen.low, seen.high, seen.runs) == (100e3, 99e3, 900e3, 6)
    assert seen.noise < 0.03


def test_a_single_run_has_the_floor_of_a_single_run() -> None:
    floor = constants().floor.single
    assert spread([50e3]).noise == pytest.approx(floor.share + floor.ns / 50e3)


def test_a_short_launch_is_noisier_than_a_long_one() -> None:
    assert spread([5e3]).noise > 5 * spread([5e6]).noise


def test_few_runs_far_apart_are_as_noisy_as_their_range() -> None:
    assert spread([80e3, 100e3, 120e3]).noise == pytest.approx(0.2)


def test_many_steady_runs_tell_apart_what_single_runs_cannot() -> None:
    before, after = [100e3 + i for i in range(20)], [96e3 + i for i in range(20)]
    assert verdict(spread(before), spread(after)).word == "faster"
    assert verdict(spread(before[:1]), spread(after[:1])).word == "same"


def test_the_standard_error_shrinks_with_the_square_root_of_the_runs() -> None:
    some = [100e3, 110e3, 90e3, 105e3, 95e3]
    assert spread(some * 4).noise == pytest.approx(spread(some).noise / 2)


def test_two_series_of_the_same_kernel_are_the_same() -> None:
    # Two halves of eleven profiled launches of one kernel in a public report.
    runs = [64448, 64864, 64352, 66016, 64416, 65376, 64992, 67328, 64736, 65056, 64832]
    assert verdict(spread(runs[::2]), spread(runs[1::2])).word == "same"


@given(TIMES, TIMES)
def test_the_verdict_is_symmetric(before: list[float], after: list[float]) -> None:
    there, back = verdict(spread(before), spread(after)), verdict(spread(after), spread(before))
    assert {"faster": "slower", "slower": "faster", "same": "same"}[there.word] == back.word
    assert there.noise == back.noise
    assert there.speedup * back.speedup == pytest.approx(1)


@given(TIMES, st.floats(-1, 1))
def test_a_shift_within_the_noise_is_never_a_difference(before: list[float], part: float) -> None:
    base = spread(before)
    shift = math.exp(part * 0.999 * math.log1p(base.noise))
    after = spread([t * shift for t in before])
    assert verdict(base, after).word == "same"


@given(TIMES, TIMES)
def test_faster_is_said_only_of_a_smaller_median(before: list[float], after: list[float]) -> None:
    found = verdict(spread(before), spread(after))
    assert found.speedup == pytest.approx(median(before) / median(after))
    if found.word == "faster":
        assert median(after) * (1 + found.noise) < median(before)
    if found.word == "slower":
        assert median(before) * (1 + found.noise) < median(after)


@given(TIMES)
def test_the_order_of_the_runs_makes_no_difference(times: list[float]) -> None:
    assert spread(times) == spread(sorted(times, reverse=True))


@given(TIMES)
def test_noise_is_finite_and_never_below_its_floor(times: list[float]) -> None:
    assert math.isfinite(spread(times).noise)
    assert spread(times).noise >= constants().floor.runs.of(median(times))


@pytest.mark.parametrize("times", [[], [0.0], [1e3, -1.0], [math.nan], [1e3, math.inf]])
def test_what_is_no_time_is_refused(times: list[float]) -> None:
    with pytest.raises(ValueError, match="run time"):
        spread(times)
