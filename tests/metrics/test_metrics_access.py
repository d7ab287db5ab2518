"""What the sums of accesses tell of uniform loads, of operands used again and of double data."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.reasoning.metrics.instruction_mix import summarise
from advisor.records.readings import Access

NAN = math.nan


def loads(width: int, executed: float, sectors: float, lanes: float = 32, space: str = "global") -> Access:
    return Access(space, "load", width, executed, executed * lanes, sectors, sectors, NAN, NAN)


def test_loads_of_one_sector_are_counted_once_a_warp() -> None:
    found = summarise([loads(32, 100, 100), loads(64, 50, 50)])
    assert found["uniform_load_inst"] == 150
    assert found["uniform_load_bytes"] == 100 * 4 + 50 * 8


def test_coalesced_and_scattered_loads_are_not_uniform() -> None:
    found = summarise([loads(32, 100, 400), loads(64, 100, 800), loads(128, 10, 320)])
    assert found["uniform_load_inst"] == found["uniform_load_bytes"] == 0


def test_bytes_of_a_warp_fit_one_sector_anyway() -> None:
    assert summarise([loads(8, 100, 100)])["uniform_load_inst"] == 0


def test_few_lanes_fit_one_sector_anyway() -> None:
    assert summarise([loads(32, 100, 100, lanes=1)])["uniform_load_inst"] == 0


def test_stores_to_one_sector_are_no_loads() -> None:
    assert summarise([Access("global", "store", 32, 10, 320, 10, 10, NAN, NAN)])["uniform_load_inst"] == 0


def test_without_sectors_uniform_loads_are_unknown() -> None:
    assert math.isnan(summarise([loads(32, 100, NAN)])["uniform_load_inst"])


@given(
    uniform=st.integers(0, 1000),
    others=st.lists(st.tuples(st.sampled_from([4, 5, 8, 32]), st.integers(1, 500)), max_size=4),
)
def test_never_more_than_there_are(uniform: int, others: list[tuple[int, int]]) -> None:
    executed = uniform + sum(n for _, n in others)
    sectors = uniform + sum(s * n for s, n in others)
    found = summarise([loads(32, executed, sectors)])["uniform_load_inst"]
    assert found <= uniform + 1e-6
    if all(s == 4 for s, _ in others):
        assert found == pytest.approx(uniform)


def test_operands_come_from_shared_and_global_loads() -> None:
    accesses = [loads(32, 10, 40), loads(128, 5, 0, space="shared"), loads(32, 7, 0, space="local")]
    assert summarise(accesses)["loaded_bytes"] == 10 * 128 + 5 * 512


def test_wide_accesses_count_by_their_bytes() -> None:
    assert summarise([loads(32, 10, 40), loads(64, 15, 120)])["wide_access_share"] == pytest.approx(0.75)
    assert math.isnan(summarise([])["wide_access_share"])


def test_narrow_stores_are_counted_by_instructions() -> None:
    stores = [
        Access("global", "store", width, n, 32 * n, NAN, NAN, NAN, NAN) for width, n in ((32, 30), (8, 10), (64, 60))
    ]
    assert summarise(stores)["narrow_store_share"] == 0.4
    assert math.isnan(summarise([loads(32, 5, 5)])["narrow_store_share"])


def test_the_wavefronts_of_wide_shared_loads_are_compared_with_their_own_ideal() -> None:
    wide = Access("shared", "load", 128, 10, 320, NAN, NAN, 80, 40)
    narrow = Access("shared", "load", 32, 10, 320, NAN, NAN, 320, 10)
    assert summarise([wide, narrow])["shared_wide_load_ratio"] == 2
    assert math.isnan(summarise([narrow])["shared_wide_load_ratio"])
