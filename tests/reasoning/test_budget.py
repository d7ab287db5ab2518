"""Several fixes of one launch: together they give neither the sum nor the product of what each gives alone."""

from __future__ import annotations

import json
from statistics import median
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.knowledge.schemas import FixDef
from advisor.reasoning.diagnose import analyse
from advisor.reasoning.time_model import model as speedup_model
from advisor.reasoning.time_model.budget import budgets
from advisor.records import resources
from advisor.records.diagnosis import Budget
from advisor.view.pages.launch import budget_blocks
from advisor.view.writers.terminal import block_lines


def fix(left: dict[str, str]) -> FixDef:
    return FixDef(id="x", summary="x", operators={"leave": left})


def budget(fixes: dict[str, FixDef], **values: float) -> Budget | None:
    model = speedup_model.build({name: np.array([value]) for name, value in values.items()}, 1)
    return budgets(model, fixes, [tuple(fixes)])[0]


def alone(one: FixDef, **values: float) -> float:
    model = speedup_model.build({name: np.array([value]) for name, value in values.items()}, 1)
    found = speedup_model.speedups(model, one, np.array([0]))[0]
    assert found is not None
    return found.estimate


def steps(found: Budget | None) -> list[tuple[str, float, float]]:
    assert found is not None
    return [(s.finding, s.alone, s.gain) for s in found.steps]


def test_a_fix_whose_unit_waits_behind_another_gives_nothing_until_that_one_is_done() -> None:
    fixes = {"hidden": fix({"dram": "0.25"}), "full": fix({"atomics": "0.05"})}
    numbers = {"atomic_time_pct": 98.0, "dram_pct": 45.0}
    (first, _, _), (second, by_itself, after) = steps(budget(fixes, **numbers))
    assert (first, second) == ("full", "hidden")
    assert by_itself < 1.1
    assert after > 1.5


def test_two_fixes_of_one_unit_are_worth_less_than_their_product() -> None:
    fixes = {"one": fix({"dram": "0.5"}), "other": fix({"dram": "0.5"})}
    found = budget(fixes, dram_pct=90.0)
    assert found is not None
    single = alone(fixes["one"], dram_pct=90.0)
    # Between the same half twice and a quarter left; no single number is right, so the range holds both.
    assert single < found.together.estimate < single**2
    assert found.together.low <= single * 1.01
    assert found.together.high >= single**2 * 0.9


def test_two_full_units_need_both_fixes() -> None:
    fixes = {"dram": fix({"dram": "0.2"}), "issue": fix({"issue": "0.2"})}
    numbers = {"dram_pct": 85.0, "issue_pct": 92.0}
    found = budget(fixes, **numbers)
    assert found is not None
    assert found.together.estimate > 1.5 * alone(fixes["dram"], **numbers) * alone(fixes["issue"], **numbers)


def test_no_budget_where_only_one_fix_is_worth_anything() -> None:
    assert budget({"a": fix({"dram": "0.3"}), "b": fix({"xu": "0.5"})}, dram_pct=90.0, pipe_xu_pct=2.0) is None


def test_a_fix_of_unknown_gain_is_not_in_the_budget() -> None:
    fixes = {"a": fix({"dram": "0.5"}), "b": fix({"issue": "0.5"}), "c": fix({"dram": "1 / sector_ratio"})}
    found = budget(fixes, dram_pct=85.0, issue_pct=85.0)
    assert found is not None and {s.finding for s in found.steps} == {"a", "b"}


def test_the_floor_of_the_algorithm_holds_all_fixes_together() -> None:
    fixes = {"a": fix({"dram": "0.3"}), "b": fix({"issue": "0.1"})}
    numbers = {"napkin_reachable_ns": 4e8 / 0.9e12 * 1e9, "duration_ns": 1e6}
    found = budget(fixes, dram_pct=85.0, issue_pct=85.0, **numbers)
    # 400 MB at 0.9 TB/s take 444 us of the measured 1000: no set of fixes can give more than 2.25.
    assert found is not None and found.together.high <= 2.26


def test_the_leader_of_the_findings_comes_first_among_equals() -> None:
    fixes = {"a": fix({"dram": "0.52"}), "b": fix({"dram": "0.5"})}
    assert steps(budget(fixes, dram_pct=90.0))[0][0] == "a"


def test_waits_at_barriers_shrink_with_the_other_waits_when_both_are_fixed() -> None:
    waiting = {
        "inst_issued": 1e6, "warps": 1e4, "sm_count": 100.0, "stall_long_scoreboard": 9.0, "stall_barrier": 9.0,
        "occupancy_theoretical_pct": 100.0, "device_max_warps_per_sm": 64.0, "sm_cycles_elapsed": 3e3,
    }  # fmt: skip
    fixes = {"loads": fix({"latency_memory": "0.1"}), "barriers": fix({"latency_barrier": "0.5"})}
    found = budget(fixes, **waiting)
    assert found is not None
    assert found.together.estimate > max(alone(f, **waiting) for f in fixes.values())


TERMS = ("dram", "issue", "l1_shared", "latency", "latency_memory", "latency_barrier", "l2")
factors = st.dictionaries(st.sampled_from(TERMS), st.floats(0.02, 1.0).map(lambda f: f"{f:.4f}"), min_size=1)


@given(
    st.lists(factors, min_size=2, max_size=4),
    st.floats(1, 95), st.floats(1, 95), st.floats(1, 95), st.floats(0, 20), st.floats(0, 20),
)  # fmt: skip
def test_all_together_give_at_least_what_the_best_one_gives(
    changes: list[dict[str, str]], dram: float, issue: float, l1: float, loads: float, barrier: float
) -> None:
    fixes = {f"f{number}": fix(change) for number, change in enumerate(changes)}
    numbers = {
        "dram_pct": dram, "l2_served_pct": 0.8 * dram, "l2_hit_pct": 40.0, "issue_pct": issue,
        "l1_wavefronts_pct": l1, "shared_wavefront_share": 0.8, "inst_issued": 1e6, "warps": 1e4, "sm_count": 100.0,
        "stall_long_scoreboard": loads, "stall_barrier": barrier, "occupancy_theoretical_pct": 100.0,
        "device_max_warps_per_sm": 64.0, "sm_cycles_elapsed": 1e4,
    }  # fmt: skip
    found = budget(fixes, **numbers)
    if found is None:
        return
    assert found.together.low <= found.together.estimate <= found.together.high
    assert found.together.estimate >= max(s.alone for s in found.steps) * (1 - 1e-9)
    assert all(s.gain >= 1 for s in found.steps)
    assert found.steps[-1].total == pytest.approx(np.prod([s.gain for s in found.steps]))
    assert found.steps[-1].total == pytest.approx(found.together.estimate)


# Exercises whose last step mends both causes of an earlier one: measured, all fixes together, over that step.
MENDED = (("two-causes", 0, "both", "neither"), ("tiny-blocks", 0, "one-warp", "grid-stride"))


@pytest.mark.parametrize(("name", "launch", "slow", "fast"), MENDED, ids=[m[0] for m in MENDED])
def test_all_fixes_together_come_true(name: str, launch: int, slow: str, fast: str) -> None:
    folder = resources.folder("kernels") / name / "recorded" / "h200"
    times = json.loads((folder / "record.json").read_text(encoding="utf-8"))["steps"]
    measured = median(times[slow]["times_ns"]) / median(times[fast]["times_ns"])
    found = analyse([folder / "profile.ncu-rep.xz"], launches=frozenset({launch})).diagnosis.launches[0].budget
    assert found is not None
    assert max(found.together.estimate / measured, measured / found.together.estimate) < 1.4
    product = np.prod([s.alone for s in found.steps])
    assert max(product / measured, measured / product) > 1.5


@pytest.fixture(scope="module")
def two_causes() -> Any:
    folder = resources.folder("kernels") / "two-causes" / "recorded" / "h200"
    return analyse([folder / "profile.ncu-rep.xz"], launches=frozenset({0})).diagnosis


def test_the_table_says_which_fix_must_wait_for_which(two_causes: Any) -> None:
    text = "\n".join(block_lines(budget_blocks(two_causes.launches[0].budget), width=80))
    assert text.index("1.  atomic_contention") < text.index("2.  uncoalesced_access")
    assert "no gain alone, only after 1" in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_launch_of_a_few_microseconds_has_no_budget(tour: Any) -> None:
    launch = next(x for x in tour.diagnosis.launches if x.kernel == "small_saxpy")
    assert launch.budget is None


def test_the_first_step_is_what_the_advisor_would_fix_first(tour: Any) -> None:
    for launch in tour.diagnosis.launches:
        if launch.budget is not None:
            assert launch.budget.steps[0].finding == next(f.id for f in launch.findings if f.kind == "diagnosis")
