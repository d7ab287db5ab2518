"""The author's check: each broken claim is named, and what holds is ok; then the whole command with stand-ins."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from learner import DONE, NAME, TILE, Learner, cut, kernels, use
from standin_runs import RIGHT, source

from advisor.catalog import catalog
from advisor.errors import InputError
from advisor.practice import selfcheck
from advisor.practice.manifest import Exercise, Gain, StepDef, exercise
from advisor.practice.selfcheck import Measured, StepData

COPY = 4e12


def step(id_: str, expect: str, **more: Any) -> StepDef:
    return StepDef(id_, f"{id_}.cu", id_, id_, expect, **more)


def judged(
    *steps: StepDef, tour_path: Path, times: dict[str, float] | None = None, **data: StepData
) -> dict[str, tuple[str, ...]]:
    """The problems of each step, with launch TILE for `slow` and DONE for `fast`."""
    one = Exercise("t", "s", "bank_conflicts", "3", 1, (), (), (), steps, "e", "MIT", (), name=NAME)
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
        ({"forbid": ("near_compute_roofline",)}, "near_compute_roofline is found and forbidden"),
        ({"also": ("bank_conflicts",)}, "bank_conflicts is not found"),
        ({"gain": Gain("slow", 2.5)}, "2.00x over slow, claims at least 2.5x"),
        ({"gain": Gain("slow", 0, 1.5)}, "2.00x over slow, claims at most 1.5x"),
        ({"reach": {"slow": 2.5}}, "reaches 200.0% of slow, claims 250%"),
        ({"reach": {"copy": 0.9}}, "reaches 0.1% of copy, claims 90%"),
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
    one = Exercise("t", "s", "d", "3", 1, (), (), (), (SLOW, step("fast", "not_written_yet")), "e", "MIT", ())
    data = {"slow": StepData((20e3,), (TILE,)), "fast": StepData((10e3,), (DONE,))}
    m = Measured(named(one), "g", COPY, {"n": 4096}, data, tour_path)
    (found,) = selfcheck.judge(catalog(), [m], selfcheck.analyse(catalog(), [m]))
    assert [s.pending for s in found.steps] == [False, True] and found.ok


def named(one: Exercise) -> Exercise:
    return msgspec.structs.replace(one, name=NAME)


def test_ratios_are_over_the_step_before_and_leave_out_what_stands_beside(tour_path: Path) -> None:
    steps = (SLOW, step("beside", "bank_conflicts", beside=True), FAST)
    one = named(Exercise("t", "s", "d", "3", 1, (), (), (), steps, "e", "MIT", ()))
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
    monkeypatch.setattr("advisor.resources.user_data", lambda: tmp_path)
    (tmp_path / "ceilings.json").write_text("{", encoding="utf-8")
    assert judged(SLOW, FAST, tour_path=tour_path) == {"slow": (), "fast": ()}


def test_no_report_at_all_is_told(tmp_path: Path) -> None:
    m = Measured(exercise(NAME), "g", COPY, {}, {}, tmp_path / "gone.ncu-rep")
    with pytest.raises(InputError, match=r"gone\.ncu-rep"):
        selfcheck.analyse(catalog(), [m])


# The whole command, on a machine of stand-ins.


@pytest.fixture
def author(learner: Learner, tmp_path: Path) -> Learner:
    (tmp_path / "two.ncu-rep").write_bytes(cut(TILE, DONE))
    learner.environment(STANDIN_REPORT=str(tmp_path / "two.ncu-rep"))
    return learner


def kernel_folder(tmp_path: Path) -> Path:
    return tmp_path / "kernels" / NAME


def test_a_run_judges_records_and_is_judged_the_same_from_its_records(author: Learner, tmp_path: Path) -> None:
    text = author.does("selfcheck", "--run", "--record", "--readme", str(tmp_path / "README.md"))
    rows = {line.split()[0]: line for line in text.splitlines() if line.startswith("  ")}
    assert rows["slow"].split()[-2:] == ["bank_conflicts", "ok"]
    assert "2.00x near_compute_roofline" in rows["fast"]
    assert "1 of 1 exercises hold what they claim." in text
    place = kernel_folder(tmp_path) / "recorded"
    assert [p.name for p in place.iterdir()] == ["stand-in"]
    (place / "stand-in").rename(place / "h200")
    again = author.does("selfcheck")
    assert [x for x in again.splitlines() if x.startswith("  ")] == [x for x in text.splitlines() if x.startswith("  ")]
    table = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert f"| [{NAME}]({NAME}/exercise.yaml) | slow | 20 us |" in table and "2.00" in table
    document = json.loads(author.does("selfcheck", "--format", "json"))
    assert document["schema"] == "ncu-advisor/selfcheck/1"
    assert [s["status"] for s in document["exercises"][0]["steps"]] == ["ok", "ok"]
    # What was recorded is what a learner is shown.
    shown = author.does("show", NAME, "--profile", "--no-prediction")
    assert "median of 20 runs, 20 us to 20 us" in " ".join(shown.split()) and "bank_conflicts" in shown


def test_a_claim_that_a_run_breaks_is_exit_code_1(author: Learner, tmp_path: Path) -> None:
    (kernel_folder(tmp_path) / "2-fast.cu").write_text(source(RIGHT, "// microseconds scale: 19"), encoding="utf-8")
    assert "1.05x over slow, claims at least 1.5x" in " ".join(author.does("selfcheck", "--run", code=1).split())


def test_a_wrong_step_is_exit_code_1(author: Learner, tmp_path: Path) -> None:
    wrong = source(f"{RIGHT}; args[1][0] = 9", "// microseconds scale: 10")
    (kernel_folder(tmp_path) / "2-fast.cu").write_text(wrong, encoding="utf-8")
    assert "! wrong result: y[0] is 9" in author.does("selfcheck", "--run", code=1)


def test_forbidden_counters_are_told_beside_the_times(author: Learner) -> None:
    author.environment(STANDIN_NCU="forbidden")
    result = author.says("selfcheck", "--run")
    assert result.return_value == 1
    assert "NVreg_RestrictProfilingToAdminUsers=0" in result.stderr and "20 us" in result.stdout


def test_a_run_without_a_gpu_is_one_line(author: Learner) -> None:
    author.environment(STANDIN_CUPY="no_gpu")
    assert "no NVIDIA GPU can be used here" in author.fails("selfcheck", "--run")


def test_a_missing_recording_fails_the_check(author: Learner) -> None:
    result = author.says("selfcheck")
    assert result.return_value == 1 and "no recording" in result.stderr


def test_every_source_is_compiled_where_asked(author: Learner, tmp_path: Path) -> None:
    author.does("selfcheck", "--run", "--record")
    place = kernel_folder(tmp_path) / "recorded"
    (place / "stand-in").rename(place / "h200")
    author.monkeypatch.setattr("advisor.practice.compiling.ARCHITECTURES", ("sm_80", "sm_90"))
    assert "2 sources compiled for sm_80, sm_90" in author.does("selfcheck", "--compile")
    broken = source() + "// a comment\nbroken here;\n"
    (kernel_folder(tmp_path) / "2-fast.cu").write_text(broken, encoding="utf-8")
    assert f"{NAME}, sm_80: 2-fast.cu:9: error: " in author.does("selfcheck", "--compile", code=1)


def test_options_that_contradict_each_other_are_refused(author: Learner) -> None:
    assert "--run" in author.fails("selfcheck", "--record")
    assert "--compile" in author.fails("selfcheck", "--run", "--compile")


def test_a_name_checks_one_exercise(author: Learner) -> None:
    assert "no exercise is called 'gone'" in author.fails("selfcheck", "gone")
