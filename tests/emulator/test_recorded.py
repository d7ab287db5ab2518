"""Recorded launches are counted as the GPU counted them."""

from __future__ import annotations

import pytest

from advisor.practice.validation import totals, validate_exercise


def test_a_recorded_transpose_is_counted_exactly() -> None:
    exact("bank-conflicts", {0})


@pytest.mark.parametrize(("name", "launches"), [("bank-conflicts", {1, 2}), ("indexed-array", {1}), ("half-gemm", {1})])
def test_recorded_launches_are_counted_exactly(name: str, launches: set[int]) -> None:
    exact(name, launches)


def exact(name: str, launches: set[int]) -> None:
    rows = validate_exercise(name, only=frozenset(launches))
    assert [row.launch for row in rows] == sorted(launches)
    for row in rows:
        assert not row.refused
        for one in row.compared:
            assert one.equal == one.instructions, (row.name, one)
    assert totals(rows).emulated == len(launches)


def test_code_that_a_report_lacks_is_refused_by_name() -> None:
    rows = validate_exercise("cupy-float64", only=frozenset({0}))
    assert len(rows) == 1 and rows[0].refused
