"""The formulas of step 3 on the sources' own worked numbers, typed as a reader would read them, and on every launch."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from session.sessions import Session, answer_all

from advisor.explain.explain import explain
from advisor.knowledge.base import catalog
from advisor.knowledge.loader import load
from advisor.reasoning.diagnose import analyse_numbers
from advisor.reasoning.ranking import worthwhile
from advisor.records.diagnosis import LaunchDiagnosis, Quantity, Speedup, first_diagnosis
from advisor.records.errors import KnowledgeError
from advisor.session import events as e
from advisor.session.cards import finding_card
from advisor.session.method.steps import here
from advisor.view.blocks import Block, in_lines
from advisor.view.numbers import bound_text
from advisor.view.pages.launch import QUANTITIES, launch_blocks, quantity_text
from tests.changed import replace


class Case(msgspec.Struct, forbid_unknown_fields=True):
    """One row of the table."""

    typed: dict[str, float]
    cites: str
    gpu: str | None = None
    quantity: str = ""
    none: str = ""
    share: float | None = None
    at_most: float | None = None
    holds: bool | None = None
    first: str = ""
    says: tuple[str, ...] = ()


CASES = load(Path(__file__).parents[1] / "data" / "headlines.yaml", dict[str, Case])


@cache
def of(name: str) -> LaunchDiagnosis:
    return analyse_numbers(CASES[name].typed, gpu=CASES[name].gpu).diagnosis.launches[0]


def quantity(launch: LaunchDiagnosis, name: str) -> Quantity | None:
    return next((q for q in launch.quantities if q.id == name), None)


def text_of(blocks: tuple[Block, ...]) -> str:
    return "\n".join(line.text for line in in_lines(blocks))


@pytest.mark.parametrize("name", CASES)
def test_a_worked_number_of_the_sources_comes_out_when_typed(name: str) -> None:
    case = CASES[name]
    launch = of(name)
    assert catalog().cite(case.cites) is not None
    if case.first:
        first = first_diagnosis(launch)
        assert first is not None and first.id == case.first
    if case.none:
        assert quantity(launch, case.none) is None
        return
    found = quantity(launch, case.quantity)
    assert found is not None
    if case.share is not None:
        assert found.share == pytest.approx(case.share, rel=0.001)
    if case.at_most is not None:
        assert found.at_most == pytest.approx(case.at_most, rel=0.001)
    if case.holds is not None:
        assert found.holds is case.holds
    assert [word for word in case.says if word not in found.says] == []
    # The page shows the formula with its numbers.
    rest = {heading: body for heading, body, _ in launch_blocks(launch, {}).rest}
    assert quantity_text(found) in text_of(rest[QUANTITIES])


@pytest.mark.parametrize("name", [n for n, case in CASES.items() if case.first and case.at_most and case.holds is None])
def test_the_first_finding_has_an_estimate_or_the_bound_of_the_formula(name: str) -> None:
    case = CASES[name]
    launch = of(name)
    first = first_diagnosis(launch)
    assert first is not None and case.at_most is not None
    bound = launch.bound_of(first.id)
    assert bound is not None and bound.at_most is not None and bound.at_most <= case.at_most * 1.001
    top = text_of(launch_blocks(launch, {}).first)
    assert ("at most" in top) == (first.speedup is None)
    if first.speedup is None:
        assert f"at most {bound_text(bound.at_most)}" in top
        assert f"at most {bound_text(bound.at_most)}" in text_of(finding_card(launch, first, 0).lines)


@pytest.mark.parametrize(
    "name",
    [
        "sixteen sectors of 4-byte loads",
        "three-way conflicts, 60 % of the cycles between two issues",
        "24 active lanes",
    ],
)
def test_a_session_without_report_says_the_same_at_step_3(name: str) -> None:
    case = CASES[name]
    session = Session()
    session.do(e.Began(()))
    state = answer_all(session, {"subject": "kernel", "gpu": "H100-SXM", **case.typed})
    # The pages ask only for what they think decides; the rest is typed unasked, as a reader of the guide would.
    asked = {name for _, name, _ in state.answers}
    if rest := tuple((name, v) for name, v in case.typed.items() if name not in asked and isinstance(v, float)):
        session.do(e.Volunteered(rest))
        state = answer_all(session, {})
    assert state.launch is not None
    first = first_diagnosis(state.launch)
    assert first is not None and first.id == case.first
    told = "\n".join(line.text for line in here("3", state))
    assert case.at_most is not None and f"at most {bound_text(case.at_most)}" in told
    assert [word for word in case.says if word not in told] == []


def test_every_launch_of_a_report_has_quantities_from_known_numbers_of_its_own(tour: Any) -> None:
    launches = tour.diagnosis.launches
    assert sum(bool(launch.quantities) for launch in launches) > len(launches) / 2
    for launch in launches:
        names = [q.id for q in launch.quantities]
        assert len(names) == len(set(names))
        for q in launch.quantities:
            assert q.inputs and all(launch.metrics[metric] == value for metric, value in q.inputs)
            assert q.share is None or 0 <= q.share <= 1
            assert q.at_most is None or q.at_most >= 1
            assert set(q.bounds) <= {finding.id for finding in launch.findings}
            assert "unknown" not in q.says and "nan" not in q.says


def test_a_bound_applies_only_where_its_assumption_is_not_known_to_fail() -> None:
    launch = of("sixteen sectors where DRAM does not limit")
    found = quantity(launch, "sector_waste")
    assert found is not None and found.bounds == ("uncoalesced_access",)
    assert launch.bound_of("uncoalesced_access") is None
    assert "which is not so here" in quantity_text(found)
    assert replace(launch, quantities=(replace(found, holds=None),)).bound_of("uncoalesced_access") is not None


ASSUMED = {
    "DRAM limits": {"dram_bound", "balanced"},
    "arithmetic limits": {"compute_bound", "balanced"},
    "latency limits": {"latency_bound"},
    "the latency of a warp limits": {"latency_bound"},
    "issue slots or arithmetic pipes limit": {"compute_bound", "balanced"},
    "the load/store path limits": {"internal_congestion", "mixed_memory_bound", "balanced"},
}


def test_an_assumption_holds_here_only_on_launches_of_a_class_that_says_so(tour: Any) -> None:
    said = [
        (launch, q) for launch in tour.diagnosis.launches for q in launch.quantities if "as here" in quantity_text(q)
    ]
    assert said
    for launch, quantity in said:
        assert launch.verdict.id in ASSUMED[quantity.assumes], (launch.kernel, quantity.id)


def test_every_bundled_formula_whose_assumption_is_checked_names_its_classes() -> None:
    for entry in catalog().quantities.values():
        assert bool(entry.holds) == bool(entry.classes), entry.id
        assert set(entry.classes) <= catalog().classes.keys()


@pytest.mark.parametrize("memory", [50.0, 65.0, 75.0])
def test_latency_limits_here_only_if_the_class_is_latency_bound(memory: float) -> None:
    numbers = {"memory_throughput_pct": memory, "memory_pct": memory, "dram_pct": 20, "compute_pct": 30}
    numbers |= {"issue_active": 0.2}
    launch = analyse_numbers(numbers).diagnosis.launches[0]
    found = [q for q in launch.quantities if q.assumes == "latency limits"]
    assert found
    for quantity in found:
        assert ("as here" in quantity_text(quantity)) == (launch.verdict.id == "latency_bound")


def test_the_lowest_bound_of_a_finding_counts() -> None:
    launch = of("a fifth of the DRAM peak on an H200")
    bounds = {q.id: q.at_most for q in launch.quantities if "memory_latency" in q.bounds}
    lowest = launch.bound_of("memory_latency")
    assert len(bounds) >= 2 and lowest is not None
    assert lowest.at_most == min(value for value in bounds.values() if value is not None)


def test_an_estimate_of_the_model_is_shown_and_not_the_bound() -> None:
    launch = of("24 active lanes")
    first = first_diagnosis(launch)
    assert first is not None and first.speedup is None
    told = replace(first, speedup=Speedup(1.2, 1.1, 1.3, "issue", "less work"))
    top = text_of(launch_blocks(replace(launch, findings=(told,)), {}).first)
    assert "1.2×" in top and "at most" not in top


def test_the_model_is_mute_where_the_work_that_a_fix_relieves_was_not_measured() -> None:
    """It would otherwise promise nothing from bank conflicts whose time it does not know."""
    launch = of("three-way conflicts, 60 % of the cycles between two issues")
    first = first_diagnosis(launch)
    assert first is not None and first.speedup is None and first.kind == "diagnosis"


@settings(deadline=None, max_examples=20)
@given(
    st.floats(0.5, 64),
    st.floats(8, 128),
    st.one_of(st.just(math.nan), st.floats(0, 100)),
    st.floats(0.01, 32),
)
def test_no_number_gives_a_share_or_bound_outside_its_range(
    sectors: float, bits: float, dram: float, lanes: float
) -> None:
    typed = {"sectors_per_request_load": sectors, "access_bits_mean": bits, "lanes_active": lanes}
    typed |= {} if math.isnan(dram) else {"dram_pct": dram}
    for q in analyse_numbers(typed).diagnosis.launches[0].quantities:
        assert q.share is None or 0 <= q.share <= 1
        assert q.at_most is None or 1 <= q.at_most < math.inf


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("when: [loads_oversized]", "when: [loads_overgrown]", "'loads_overgrown' is not an observation"),
        ("at_most: load_sector_ratio", "at_most: load_sector_ratio!", "not an expression"),
    ],
)
def test_a_formula_that_cannot_be_computed_is_an_error_of_one_line(
    tmp_path: Path, old: str, new: str, text: str
) -> None:
    (tmp_path / "team.yaml").write_text("prefix: us\n")
    entry = "us_waste: {title: Ours, ways: [{when: [loads_oversized], at_most: load_sector_ratio, says: ours}]}\n"
    (tmp_path / "quantities.yaml").write_text(entry.replace(old, new))
    with pytest.raises(KnowledgeError, match=text):
        analyse_numbers({"load_sector_ratio": 2}, knowledge=(tmp_path,))


def test_a_team_adds_a_formula(tmp_path: Path) -> None:
    entry = "us_waste: {title: Ours, ways: [{when: [loads_oversized], at_most: load_sector_ratio, says: ours}]}\n"
    (tmp_path / "quantities.yaml").write_text(entry)
    launch = analyse_numbers({"load_sector_ratio": 2}, knowledge=(tmp_path,)).diagnosis.launches[0]
    found = quantity(launch, "us_waste")
    assert found is not None and quantity_text(found) == "Ours: ours; at most 2×"


def test_nothing_typed_gives_no_quantity() -> None:
    assert analyse_numbers({"duration_ns": 1e6}).diagnosis.launches[0].quantities == ()


@pytest.mark.parametrize("name", catalog().quantities)
def test_explain_finds_each_formula_by_its_id_and_its_title(name: str) -> None:
    entry = catalog().quantities[name]
    for word in (name, entry.title):
        found = explain(word)
        assert (found.kind, found.id) == ("formula", name)
    assert found.section("formula") and any(c.isdigit() for c in "".join(found.section("example")))
    assert found.section("computed")
    assert len(found.section("bounds")) == len(entry.bounds)


@pytest.mark.parametrize("name", catalog().quantities)
def test_the_table_covers_each_formula(name: str) -> None:
    assert any(case.quantity == name for case in CASES.values())


def test_below_five_percent_is_not_the_right_battle() -> None:
    assert not worthwhile(1.049)
    assert worthwhile(1.05)
