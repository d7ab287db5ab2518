"""Unknown stays unknown: taking numbers away never makes another number wrong."""

from __future__ import annotations

import functools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.knowledge.base import catalog
from advisor.knowledge.units import compute_units, inner_units
from advisor.reasoning.metrics.derive import LABELS, derive, plan
from advisor.reasoning.metrics.fills import SAMPLED
from advisor.records.readings import IDENTITY

METRICS = catalog().metrics
READ = sorted(name for name, entry in METRICS.items() if entry.names)
# What the catalogue of classes itself lets stand in for the breakdown, and what is read off that.
BY_DEFINITION = {"compute_pct", "compute_from_breakdown", "memory_pct"}
# Stand-ins that are estimates, good to a part of themselves: cycles for requests; the small difference of two counters.
ESTIMATES = {"idc_requests_per_ldc": 0.6, "stall_not_selected": 0.15, "stall_not_selected_pct": 0.15}
# The rest to one of an estimate.
RESTS = {"no_eligible_pct": 6.0}
# Shares of samples for shares that are counted: good to a point of a warp's time.
SHARES = {f"stall_{reason}" for reason in SAMPLED} | {f"stall_{reason}_pct" for reason in SAMPLED}
# Counters of different passes differ by up to 4 %, and some stand in for each other, such as the averages of an SM for
# those of its schedulers.
TOLERANCE = 0.06


def _allowed(name: str, was: np.ndarray, interval: np.ndarray) -> np.ndarray:
    allowed = ESTIMATES.get(name, TOLERANCE) * abs(was) + RESTS.get(name, 1e-9)
    return allowed + (1.0 if name.endswith("_pct") else interval / 100) if name in SHARES else allowed


def test_each_number_taken_away_by_itself_leaves_the_others_right_or_unknown(
    base: pd.DataFrame, derived: pd.DataFrame
) -> None:
    # All launches once for each number that is gone: a hundred times fewer derivations, each of more rows.
    taken = [gone for gone in (*READ, "opcodes", "accesses") if gone in base]
    assert len(taken) > 200
    without = [base.assign(**{gone: None if gone in ("opcodes", "accesses") else np.nan}) for gone in taken]
    after = derive(pd.concat(without, ignore_index=True))
    for at, gone in enumerate(taken):
        _compared(derived, after.iloc[at * len(base) : (at + 1) * len(base)], {gone})


@settings(max_examples=40, deadline=None)
@given(gone=st.sets(st.sampled_from([*READ, "opcodes", "accesses"]), max_size=120))
def test_numbers_taken_away_together_leave_the_others_right_or_unknown(
    base: pd.DataFrame, derived: pd.DataFrame, gone: set[str]
) -> None:
    _right_or_unknown(base, derived, gone)


@functools.cache
def _judged() -> list[str]:
    """The metrics that no other may stand in for by definition."""
    return sorted(METRICS.keys() - BY_DEFINITION - plan(METRICS).follow(frozenset(BY_DEFINITION)))


def _right_or_unknown(base: pd.DataFrame, derived: pd.DataFrame, gone: set[str]) -> None:
    _compared(derived, derive(base.drop(columns=[name for name in gone if name in base])), gone)


def _compared(derived: pd.DataFrame, after: pd.DataFrame, gone: set[str]) -> None:
    long_enough = (derived["duration_ns"] > 20_000).to_numpy()
    interval = derived["issue_interval"].to_numpy()[long_enough]
    # The least of the limits is only the least of those that are known.
    names = [name for name in _judged() if name != "occupancy_limit_barriers" or name not in gone]
    was, now = (frame.loc[long_enough, names].to_numpy(dtype=float).T for frame in (derived, after))
    invented = np.isfinite(now) & ~np.isfinite(was)
    assert not invented.any(), (gone, [name for name, wrong in zip(names, invented, strict=True) if wrong.any()])
    for at in np.flatnonzero(((now != was) & np.isfinite(now)).any(axis=1)):
        known = np.isfinite(now[at])
        allowed = _allowed(names[at], was[at], interval)
        assert (abs(now[at] - was[at])[known] <= allowed[known]).all(), (gone, names[at])


@settings(max_examples=30, deadline=None)
@given(gone=st.sampled_from(READ))
def test_labels_are_the_same_or_unknown_when_one_number_is_gone(
    base: pd.DataFrame, derived: pd.DataFrame, gone: str
) -> None:
    after = derive(base.drop(columns=[gone] if gone in base else []))
    assert list(after["stall_leader"]) == [
        now if now == "" else was for was, now in zip(derived["stall_leader"], after["stall_leader"], strict=True)
    ]
    if gone in compute_units():
        # Known pipes stand in only where something other than arithmetic accounts for SM throughput.
        # A unit whose percentage follows from other numbers is not gone.
        after = after[after[gone].isna()]
        inside = after[list(inner_units())].max(axis=1) >= after["sm_throughput_pct"] - 0.5
        assert set(after["compute_leader"][~inside]) <= {"sm_throughput_pct"}
        assert (after["compute_from_breakdown"][~inside] == 0).all()
        assert (after["compute_pct"][inside] <= after["sm_throughput_pct"][inside] + 0.5).all()


def test_without_any_number_everything_is_unknown(base: pd.DataFrame) -> None:
    bare = base[list(IDENTITY)].assign(opcodes=None, accesses=None, grid=None, block=None, cc="", gpu_name="")
    after = derive(bare)
    assert after[list(METRICS)].isna().all(axis=None)
    assert (after[list(LABELS)] == "").all(axis=None)


def test_an_empty_frame_has_all_columns(base: pd.DataFrame) -> None:
    after = derive(base.iloc[:0])
    assert len(after) == 0
    assert set(METRICS) | set(LABELS) <= set(after.columns)


@settings(max_examples=60, deadline=None)
@given(
    values=st.dictionaries(
        st.sampled_from(READ), st.floats(allow_nan=True, allow_infinity=True, width=32), min_size=1, max_size=40
    )
)
def test_hostile_numbers_never_become_infinite_or_stop_the_work(values: dict[str, float]) -> None:
    after = derive(pd.DataFrame([{"opcodes": None, "accesses": None, **values}]))
    numbers = after[list(METRICS)].to_numpy(dtype=float)
    assert not np.isinf(numbers).any()
    for name, value in values.items():
        if np.isfinite(value):
            assert after[name][0] == pytest.approx(value)
        assert after[name].dtype == np.float64


@settings(max_examples=40, deadline=None)
@given(order=st.permutations(range(22)))
def test_launches_do_not_influence_each_other(base: pd.DataFrame, derived: pd.DataFrame, order: list[int]) -> None:
    shuffled = derive(base.iloc[order].reset_index(drop=True))
    names = list(METRICS)
    np.testing.assert_allclose(shuffled[names].to_numpy(), derived[names].to_numpy()[order], rtol=1e-9)
    assert [list(shuffled[name]) for name in LABELS] == [[derived[name][at] for at in order] for name in LABELS]
