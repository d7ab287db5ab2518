"""The author's check: each broken claim is named, and what holds is ok."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from learner import DONE, NAME, TILE, kernels, use

from advisor.knowledge.base import catalog
from advisor.practice import selfcheck
from advisor.practice.manifest import Exercise, Gain, StepDef, exercise
from advisor.practice.selfcheck import Measured, StepData
from advisor.records.errors import InputError

COPY = 4e12


def step(id_: str, expect: str, **more: Any) -> StepDef:
    return StepDef(id_, f"{id_}.cu", id_, id_, expect, **more)


def judged(
    *steps: StepDef, tour_path: Path, times: dict[str, float] | None = None, **data: StepData
) -> dict[str, tuple[str, ...]]:
    """The problems of each step, with launch TILE for `slow` and DONE for `fast`."""
    one = Exercise(1, "t", "s", "bank_conflicts", "3", 1, (), (), (), steps, "e", "MIT", (), name=NAME)
    usual = {"slow": StepData((20e3,) * 3, (TILE,), True), "fast": StepData((10e3,) * 3, (DONE,), True)}
    m = Measured(one, "Stand-in GPU", COPY, {"n": 4096}, {**usual, **data}, tour_path)
    (found,) = selfcheck.judge(catalog(), [m], selfcheck.analyse(catalog(), [m]))
    assert found.ok == (not any(s.problems for s in found.steps))
    return {s.step.id: s.problems for s in found.steps}


@pytest.fixture(autouse=True)
def exercises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, kernels(tmp_path / "kernels"))


SLOW, FAST = step("slow", "bank_conflicts"), step("fast", "near_compute_roofline")


def test_claims_that_hold_are_no_problems(tour_path: Path) -> None:
    sound = (
        replace_(SLOW, class_="mixed_memory_bound", forbid=("uncoalesced_access",)),
        replace_(FAST, gain=Gain("slow", 1.9, 2.1), reach={"slow": 1.9}),
    )
    assert judged(*sound, tour_path=tour_path) == {"slow": (), "fast": ()}


def replace_(one: StepDef, **more: Any) -> StepDef:
    return msgspec.structs.replace(one, **more)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"expect": "memory_latency"}, "near_compute_roofline comes first, expected memory_latency"),
        ({"class_": "dram_bound"}, "class compute_bound, expected dram_bound"),
        ({"forbid": ("near_compute_roofline",)}, "near_compute_roofline is found but forbidden"),
        ({"also": ("bank_conflicts",)}, "bank_conflicts is not found"),
        ({"gain": Gain("slow", 2.5)}, "2.00× over slow, claimed at least 2.5×"),
        ({"gain": Gain("slow", 0, 1.5)}, "2.00× over slow, claimed at most 1.5×"),
        ({"reach": {"slow": 2.5}}, "reaches 200.0% of slow, claimed 250%"),
        ({"reach": {"copy": 0.9}}, "reaches 0.1% of copy, claimed 90%"),
    ],
)
def test_a_claim_that_does_not_hold_is_named(change: dict[str, Any], says: str, tour_path: Path) -> None:
    found = judged(SLOW, replace_(FAST, **change), tour_path=tour_path)
    assert found == {"slow": (), "fast": (says,)}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (StepData((), (DONE,)), "was not timed"),
        (StepData((10e3,), ()), "was not profiled"),
        (StepData((10e3,), (DONE,), False, "y[0] is 9"), "wrong result: y[0] is 9"),
    ],
)
def test_what_was_not_measured_or_is_wrong_is_named(data: StepData, says: str, tour_path: Path) -> None:
    assert judged(SLOW, FAST, tour_path=tour_path, fast=data) == {"slow": (), "fast": (says,)}


def test_a_diagnosis_without_a_rule_is_pending_and_no_problem(tour_path: Path) -> None:
    one = Exercise(1, "t", "s", "d", "3", 1, (), (), (), (SLOW, step("fast", "not_written_yet")), "e", "MIT", ())
    data = {"slow": StepData((20e3,), (TILE,)), "fast": StepData((10e3,), (DONE,))}
    m = Measured(named(one), "g", COPY, {"n": 4096}, data, tour_path)
    (found,) = selfcheck.judge(catalog(), [m], selfcheck.analyse(catalog(), [m]))
    assert [s.pending for s in found.steps] == [False, True] and found.ok


def named(one: Exercise) -> Exercise:
    return msgspec.structs.replace(one, name=NAME)


def test_ratios_are_over_the_step_before_and_leave_out_what_stands_beside(tour_path: Path) -> None:
    steps = (SLOW, step("beside", "bank_conflicts", beside=True), FAST)
    one = named(Exercise(1, "t", "s", "d", "3", 1, (), (), (), steps, "e", "MIT", ()))
    data = {
        "slow": StepData((20e3,), (TILE,)),
        "beside": StepData((1e3,), (TILE,)),
        "fast": StepData((10e3,), (DONE,)),
    }
    m = Measured(one, "g", COPY, {"n": 4096}, data, tour_path)
    (found,) = selfcheck.judge(catalog(), [m], selfcheck.analyse(catalog(), [m]))
    assert [s.ratio for s in found.steps] == [None, None, 2.0]


def test_measured_ceilings_of_this_machine_decide_nothing_here(
    tour_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an exercise claims holds on every machine or on none."""
    monkeypatch.setattr("advisor.records.resources.user_data", lambda: tmp_path)
    (tmp_path / "ceilings.json").write_text("{", encoding="utf-8")
    assert judged(SLOW, FAST, tour_path=tour_path) == {"slow": (), "fast": ()}


def test_no_report_at_all_is_told(tmp_path: Path) -> None:
    m = Measured(exercise(NAME), "g", COPY, {}, {}, tmp_path / "gone.ncu-rep")
    with pytest.raises(InputError, match=r"gone\.ncu-rep"):
        selfcheck.analyse(catalog(), [m])
