"""L2 after a fix: each part keeps what the other kinds of access have there, as does the link of its partitions."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.knowledge.base import catalog
from advisor.reasoning.time_model import model
from advisor.reasoning.time_model.operators.l2 import LINK_REQUEST, LINK_SECTOR, l2_left
from advisor.reasoning.time_model.operators.table import Table

# Eleven atomics of one sector for each read of a whole line.
MIXED = {
    "l2_read_sectors": 8.0e6,
    "l2_read_requests": 2.0e6,
    "l2_write_sectors": 0.0,
    "l2_red_sectors": 22.0e6,
    "l2_red_requests": 22.0e6,
    "l2_tag_requests_pct": 57.0,
    "l2_lookups_pct": 23.0,
    "l2_read_xbar_pct": 6.0,
    "l2_write_xbar_pct": 54.0,
    "l2_atomic_pct": 34.0,
}
WRITTEN = {
    "l2_read_sectors": 4.0e6,
    "l2_read_requests": 1.0e6,
    "l2_write_sectors": 32.0e6,
    "global_store_sectors": 2.0e6,
    "global_store_requests": 0.5e6,
    "local_store_sectors": 30.0e6,
    "local_store_inst": 7.5e6,
    "l2_write_xbar_pct": 84.0,
    "l2_read_xbar_pct": 5.0,
    "l2_lookups_pct": 46.0,
}
SHARES = st.floats(0, 1)


def table(values: dict[str, float]) -> Table:
    built = model.build({name: np.array([value]) for name, value in values.items()}, 1)
    return Table(built.columns, 1, built.now)


def left(values: dict[str, float], otherwise: float = 0.5, **kinds: float) -> dict[str, float]:
    given = {kind: np.array([share]) for kind, share in kinds.items()}
    return {term: float(part[0]) for term, part in l2_left(table(values), np.array([otherwise]), **given).items()}


def test_without_atomics_the_reads_are_left_of_each_part() -> None:
    found = left(MIXED, atomics=0.0)
    # The look-ups of 8 of 30 sectors are more than the tags of 2 of 24 requests, and than the words of 2 of 46.
    assert found["l2"] == pytest.approx(23 * 8 / 30 / 57)
    reads, atomics = LINK_SECTOR * 8 + LINK_REQUEST * 2, LINK_SECTOR * 22 + LINK_REQUEST * 22
    assert found["l2_fabric"] == pytest.approx(reads / (reads + atomics))


def test_a_part_that_was_not_the_fullest_can_be_it_after_the_fix() -> None:
    """Without the local stores the look-ups of the reads are left, not the words that were written."""
    found = left(WRITTEN, writes=1 / 16)
    words, words_left = 1 + 32 + 8, 1 + (32 + 8) / 16
    assert found["l2"] == pytest.approx(max(84 * words_left / words, 46 * (4 + 2) / 36) / 84)


def test_without_events_the_other_share_is_left() -> None:
    assert left({"l2_tag_requests_pct": 60.0}, 0.25, atomics=0.0) == {"l2": 0.25, "l2_fabric": 0.25}


def test_fills_leave_with_what_dram_sends() -> None:
    streamed = {"l2_read_sectors": 8.0, "l2_write_sectors": 0.0, "dram_read_bytes": 256.0, "l2_data_pct": 40.0}
    assert left(streamed, fills=0.0)["l2"] == pytest.approx(0.5)
    assert left(streamed, fills=1.0)["l2"] == 1.0


@settings(deadline=None)
@given(SHARES, SHARES, SHARES, st.sampled_from((MIXED, WRITTEN)))
def test_what_is_left_never_grows_when_more_leaves(
    reads: float, writes: float, atomics: float, values: dict[str, float]
) -> None:
    some = left(values, reads=reads, writes=writes, atomics=atomics)
    more = left(values, reads=reads / 2, writes=writes, atomics=atomics / 2)
    for term in ("l2", "l2_fabric"):
        assert 0 <= more[term] <= some[term] + 1e-12 <= 1 + 1e-9


def test_the_link_takes_what_its_utilisation_is_computed_with() -> None:
    numbers = re.findall(r"\d+\.\d+", catalog().metrics["l2_fabric_pct"].formula)
    assert [float(number) for number in numbers] == [LINK_SECTOR, LINK_REQUEST]


def test_an_unknown_share_of_a_kind_leaves_what_is_known_otherwise() -> None:
    assert left(WRITTEN, 0.4, writes=float("nan")) == {"l2": 0.4, "l2_fabric": 0.4}
