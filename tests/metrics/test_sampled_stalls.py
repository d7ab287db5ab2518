"""Stall reasons that are not counted come from the samples: as many cycles, or unknown, never instead of a count."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from advisor.reasoning.metrics.derive import derive
from advisor.reasoning.metrics.fills import SAMPLED

COUNTED = [f"stall_{reason}" for reason in SAMPLED]
SHARES = [f"stall_{reason}_pct" for reason in SAMPLED]


def without(base: pd.DataFrame, *names: str) -> pd.DataFrame:
    return derive(base.drop(columns=[name for name in (*COUNTED, *SHARES, *names) if name in base]))


def test_without_the_counters_the_shares_are_those_of_the_samples(base: pd.DataFrame, derived: pd.DataFrame) -> None:
    made, enough = without(base), derived["pc_samples"] >= 100
    assert enough.any()
    for reason in SAMPLED:
        share, counted = made[f"stall_{reason}_pct"], derived[f"stall_{reason}_pct"]
        assert (share.notna() == enough).all()
        assert (abs(share - counted)[enough] < 1).all(), reason
        assert np.allclose(share[enough], (100 * made[f"samples_{reason}"] / made["pc_samples"])[enough])


@pytest.mark.parametrize("gone", ["samples_wait_not_issued", "samples_barrier_not_issued"])
def test_where_a_reason_was_not_sampled_the_shares_are_unknown(base: pd.DataFrame, gone: str) -> None:
    assert without(base, gone)[COUNTED].isna().all(axis=None)


def test_few_samples_tell_no_share(base: pd.DataFrame) -> None:
    assert without(base.assign(pc_samples=99.0))[COUNTED].isna().all(axis=None)
    assert without(base.assign(pc_samples=100.0))[COUNTED].notna().all(axis=None)


def test_what_was_counted_stays_whatever_else_is_supposed(derived: pd.DataFrame) -> None:
    supposed = derived.assign(issue_interval=2 * derived["issue_interval"])
    after = derive(supposed, keep={"issue_interval"})
    for name in (*COUNTED, "stall_wait", "stall_long_scoreboard"):
        pd.testing.assert_series_equal(after[name], derived[name])
