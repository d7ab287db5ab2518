"""The published cases: each names a source, kernels that its file has, and causes that the catalogue has."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.knowledge.base import catalog
from tests.bench.published.score import TRUTH, Row, cases

CASES = cases()


@pytest.mark.parametrize("case", CASES, ids=[one["name"] for one in CASES])
def test_a_case_names_its_kernels_and_causes(case: dict[str, Any]) -> None:
    text = (TRUTH.parent / "cases" / f"{case['name']}.cu").read_text()
    text += "".join(path.read_text() for path in (TRUTH.parent / "cases").glob("*.h"))
    assert case["slow_kernel"] in text
    assert case["fixed_kernel"] in text
    assert case["source"] and case["url"] and case["documented_cause"]
    known = {*catalog().findings}
    assert {*case["documented"], *case["acceptable"]} <= known


def test_a_first_finding_is_documented_acceptable_or_neither() -> None:
    case = {"documented": ["bank_conflicts"], "acceptable": ["barrier_stalls"]}
    assert Row(case, 2.0, ("bank_conflicts",), None).documented
    second = Row(case, 2.0, ("barrier_stalls", "bank_conflicts"), None)
    assert (second.documented, second.acceptable, second.among_three, second.inside) == (False, True, True, False)
    assert not Row(case, 2.0, (), None).acceptable
