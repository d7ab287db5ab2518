"""Which launches are profiled: kernels that take the time, typical launches, few runs."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.program.launches import COVERED, LEAST_SHARE, Ran, Window, kernels_worth, ranking, typical_ns, windows

RAN = st.lists(
    st.builds(Ran, st.sampled_from("abcdefg"), st.floats(1, 1e9)),
    min_size=1,
    max_size=60,
)


def launches(text: str, **durations: float) -> list[Ran]:
    """`a b b` with durations by name; 100 ns if not given."""
    return [Ran(name, durations.get(name, 100.0)) for name in text.split()]


def profiled(ran: list[Ran], window: Window) -> list[Ran]:
    """The launches that ncu profiles, by its options."""
    matching = [one for one in ran if re.search(window.pattern, one.kernel)]
    return matching[window.skip : window.skip + window.count]


@given(RAN)
def test_shares_sum_to_one_and_fall(ran: list[Ran]) -> None:
    shares = [k.share for k in ranking(ran)]
    assert sum(shares) == pytest.approx(1)
    assert shares == sorted(shares, reverse=True)
    assert sum(k.launches for k in ranking(ran)) == len(ran)


@given(RAN, st.integers(1, 5))
def test_each_kernel_worth_it_is_profiled_and_no_other(ran: list[Ran], most: int) -> None:
    kernels = kernels_worth(ranking(ran), most)
    assert 1 <= len(kernels) <= most
    found = [one.kernel for window in windows(ran, kernels) for one in profiled(ran, window)]
    assert set(found) == set(kernels)
    assert len(found) <= 3 * len(kernels)


@given(RAN)
def test_kernels_cover_the_time_unless_they_are_tiny(ran: list[Ran]) -> None:
    ranked = ranking(ran)
    kernels = kernels_worth(ranked, len(ranked))
    left = [k for k in ranked if k.kernel not in kernels]
    covered = 1 - sum(k.share for k in left)
    assert covered >= COVERED - 1e-9 or all(k.share < LEAST_SHARE for k in left)


def test_a_loop_of_kernels_takes_one_run_after_the_first_round() -> None:
    ran = launches("a b c a b c a b c")
    (window,) = windows(ran, ("a", "b", "c"))
    assert window.count == 3 and window.skip >= 3


def test_kernels_far_apart_take_a_run_each() -> None:
    found = windows(launches("a " * 9 + "x " * 40 + "b " * 9), ("a", "x", "b"))
    assert [(w.kernels, w.count) for w in found] == [(("a",), 1), (("x",), 1), (("b",), 1)]
    assert all(w.skip > 0 for w in found)


def test_the_first_launch_is_profiled_only_if_it_is_the_only_one() -> None:
    assert windows(launches("a"), ("a",)) == (Window(("a",), 0, 1),)
    (window,) = windows([Ran("a", 900.0), *launches("a a a")], ("a",))
    assert window.skip > 0


def test_a_typical_launch_has_half_of_the_time_below_it() -> None:
    assert typical_ns([1, 1, 1, 1, 100]) == 100
    assert typical_ns([10, 10, 11, 12]) == 11
    ran = [Ran("a", d) for d in (5.0, 5.0, 5.0, 100.0, 5.0)]
    (window,) = windows(ran, ("a",))
    assert profiled(ran, window) == [Ran("a", 100.0)]


@given(st.text(min_size=1, max_size=30).filter(lambda t: "\n" not in t))
def test_a_name_is_matched_whole_and_as_it_is(name: str) -> None:
    pattern = Window((name,), 0, 1).pattern
    assert re.search(pattern, name)
    assert not re.search(pattern, name + "x") and not re.search(pattern, "x" + name)
