"""Groups add up to the same in whatever order and grouping the files are done."""

from __future__ import annotations

import copy
from typing import Any

import hypothesis.strategies as st
import msgspec
from hypothesis import given

from advisor.triage.tally import CauseTally, Example, Tally, back_of, fix_of, leading

_COUNTS = st.integers(0, 10**6)
_TIMES = st.integers(0, 10**15)
_IDS = st.sampled_from(["bank_conflicts", "uncoalesced_access", "grid_too_small"])
_CAUSES = st.builds(CauseTally, _COUNTS, _COUNTS, _TIMES, _COUNTS, _TIMES, _TIMES, _TIMES, _TIMES)
_EXAMPLES = st.builds(
    Example,
    st.sampled_from(["a.csv", "b.csv", "c.csv"]),
    st.integers(0, 3),
    st.integers(1, 5),
    st.integers(0, 5),
    st.sampled_from([b"1", b"2"]),
)
_TALLIES = st.builds(
    Tally,
    st.integers(1, 10**6),
    st.integers(1, 10**3),
    _COUNTS,
    _TIMES,
    st.none() | st.integers(1, 10**12),
    st.none() | st.integers(1, 10**12),
    st.dictionaries(st.sampled_from(["dram_bound", "balanced"]), st.integers(1, 9)),
    st.dictionaries(_IDS, _CAUSES),
    st.dictionaries(_IDS, st.integers(1, 9)),
    _EXAMPLES,
)


def merged(tallies: list[Tally]) -> dict[str, Any]:
    whole = copy.deepcopy(tallies[0])
    for tally in tallies[1:]:
        whole.merge(copy.deepcopy(tally))
    found = msgspec.to_builtins(whole)
    example = found.pop("example")
    # Two launches of one file and number cannot differ: which of such twins stays is no matter.
    return {**found, "stands": [example[name] for name in ("path", "index", "duration_ps", "back_ps")]}


@given(st.lists(_TALLIES, min_size=1, max_size=6), st.randoms())
def test_the_order_of_files_does_not_matter(tallies: list[Tally], draw: Any) -> None:
    other = list(tallies)
    draw.shuffle(other)
    assert merged(tallies) == merged(other)


@given(_TALLIES, _TALLIES, _TALLIES)
def test_partial_sums_may_be_summed(a: Tally, b: Tally, c: Tally) -> None:
    left, right = copy.deepcopy(a), copy.deepcopy(b)
    left.merge(copy.deepcopy(b))
    right.merge(copy.deepcopy(c))
    assert merged([left, c]) == merged([a, right])


@given(_TALLIES)
def test_a_tally_survives_the_ledger(tally: Tally) -> None:
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(tally), type=Tally) == tally


def test_one_fix_counts_for_a_group_and_gains_of_two_are_not_added() -> None:
    tally = Tally(
        launches=3,
        duration_ps=100,
        causes={
            "bank_conflicts": CauseTally(launches=3, first=2, first_ps=70, fix=2, fix_ps=70, back_ps=50),
            "uncoalesced_access": CauseTally(launches=3, first=1, first_ps=30, fix=1, fix_ps=30, back_ps=60),
        },
    )
    assert (leading(tally), fix_of(tally), back_of(tally)) == ("bank_conflicts", "bank_conflicts", 50)


def test_launches_without_a_time_still_have_a_first_diagnosis() -> None:
    causes = {"a": CauseTally(launches=1, first=1, fix=1), "b": CauseTally(launches=3, first=2, fix=2)}
    tally = Tally(launches=3, untimed=3, causes=causes)
    assert (leading(tally), fix_of(tally), back_of(tally)) == ("b", "b", 0)
    assert (leading(Tally()), fix_of(Tally()), back_of(Tally())) == ("", "", 0)
