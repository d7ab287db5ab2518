"""Sectors of a global access and wavefronts of a shared one, counted lane by lane."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.hardware.simulators import BankUse
from advisor.records.errors import UsageError
from tests.hardware.access_patterns import banks, coalescing


@pytest.mark.parametrize(("width", "sectors"), [(1, 1), (2, 2), (4, 4), (8, 8), (16, 16)])
def test_neighbours_need_as_many_sectors_as_their_bytes(width: int, sectors: int) -> None:
    found = coalescing(width)
    assert found.sectors == found.ideal == sectors
    assert found.bytes_per_sector == 32
    assert found.waste == 0


def test_a_stride_of_two_wastes_half_and_a_column_seven_eighths() -> None:
    assert coalescing(4, stride=2).waste == 0.5
    assert coalescing(4, stride=1024).sectors == 32
    assert coalescing(4, stride=1024).waste == 0.875


def test_an_odd_row_stride_costs_alignment_only_about_4_9_sectors() -> None:
    rows = [coalescing(4, offset=4 * (row * 1001 % 8)).sectors for row in range(8)]
    assert sum(rows) / 8 == 4.875


def test_rows_of_half_a_warp_stay_coalesced_at_any_aligned_stride() -> None:
    assert coalescing(4, block_x=16, row_stride=1000).sectors == 4
    assert coalescing(4, block_x=8, row_stride=1001).sectors > 4


def test_all_lanes_on_one_address_need_one_sector() -> None:
    assert coalescing(4, stride=0).sectors == 1


def test_lanes_that_are_off_ask_for_nothing() -> None:
    assert coalescing(4, stride=1024, lanes=5).sectors == 5


def test_64_bytes_between_lanes_hit_two_banks_sixteen_ways() -> None:
    assert banks(4, stride=16) == BankUse(16, 1, 16)


def test_a_column_of_a_32_wide_tile_is_a_32_way_conflict_and_one_word_of_padding_cures_it() -> None:
    assert banks(4, stride=32).ways == 32
    assert banks(4, stride=33).ways == 1


def test_one_word_for_all_lanes_is_broadcast() -> None:
    assert banks(4, stride=0) == BankUse(1, 1, 1)


def test_wide_loads_need_two_and_four_wavefronts_without_any_conflict() -> None:
    assert banks(8) == BankUse(2, 2, 1)
    assert banks(16) == BankUse(4, 4, 1)


def test_an_lds_128_down_a_column_takes_32_wavefronts_where_4_are_ideal() -> None:
    assert banks(16, stride=8) == BankUse(32, 4, 8)


@settings(deadline=None)
@given(st.sampled_from([1, 2, 4, 8, 16]), st.integers(0, 70), st.integers(0, 31), st.integers(1, 32))
def test_no_pattern_is_better_than_its_ideal(width: int, stride: int, offset: int, lanes: int) -> None:
    found = coalescing(width, stride, offset // width * width, lanes)
    assert 1 <= found.ideal <= found.sectors <= lanes * max(1, width // 16)
    used = banks(width, stride, 0, lanes)
    assert used.wavefronts >= used.ideal >= 1
    assert used.wavefronts <= lanes


@pytest.mark.parametrize("arguments", [(3,), (0,), (32,)])
def test_widths_that_no_lane_has_are_refused(arguments: tuple[int]) -> None:
    with pytest.raises(UsageError, match="1, 2, 4, 8 or 16 bytes"):
        coalescing(*arguments)
    with pytest.raises(UsageError, match="1, 2, 4, 8 or 16 bytes"):
        banks(*arguments)


@pytest.mark.parametrize("lanes", [0, 33])
def test_a_warp_has_32_lanes(lanes: int) -> None:
    with pytest.raises(UsageError, match="1 to 32 active lanes"):
        coalescing(4, lanes=lanes)
