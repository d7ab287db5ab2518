"""Errors about a wrong name list the names that were meant, and none that only share some letters."""

from __future__ import annotations

import pytest

from advisor.compare.thresholds import parse
from advisor.knowledge.base import catalog
from advisor.records.errors import UsageError
from advisor.records.names import near_names, unmatched_text


@pytest.mark.parametrize(
    ("text", "says", "never"),
    [
        ("durration>5%", "did you mean 'duration'", "active_warps"),
        ("time>5%", "did you mean 'duration'?", "active_warps"),
        ("dram>+5", "did you mean 'dram_pct'", "dram_achievable"),
        ("xyz>1", "`ncu-advisor explain xyz` searches", "did you mean"),
        ("finding:foo", "`ncu-advisor explain foo` searches", "did you mean"),
        ("finding:bank_conflict", "did you mean 'bank_conflicts'", "narrow"),
    ],
)
def test_a_threshold_suggests_only_what_is_near(text: str, says: str, never: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(text, catalog())
    assert says in str(caught.value) and never not in str(caught.value)


def test_a_filter_without_a_match_lists_the_nearest_kernels_and_the_number_of_others() -> None:
    names = ["gemm_tiled", "copy", "transpose", "gemm_naive", "reduce"]
    text = unmatched_text("^gem_", names)
    assert "'gemm_naive'" in text and "'gemm_tiled'" in text and "2 more do not match either" in text
    assert unmatched_text("nope", ["copy", "copy"]) == "the only kernel is 'copy'"


def test_names_that_share_letters_only_are_not_near() -> None:
    assert near_names("q", ["dram_pct", "l2_pct"]) == ()
    assert near_names("", ["dram_pct"]) == ()
