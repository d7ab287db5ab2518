"""The entries of causes.yaml name diagnoses, questions, kernels and cases that exist."""

from __future__ import annotations

import re
from pathlib import Path

import libraries
import ours_data
import ours_math
import pytest
import second_compute
import second_libraries
import second_memory
import yaml
from run import ids

HERE = Path(__file__).parent
KNOWLEDGE = HERE.parents[2] / "knowledge"
LAUNCHES = yaml.safe_load((HERE / "causes.yaml").read_text())["launches"]


def diagnoses() -> set[str]:
    return {path.stem for path in (KNOWLEDGE / "diagnoses").glob("*.yaml")}


@pytest.mark.parametrize("launch", LAUNCHES, ids=lambda launch: launch["id"])
def test_causes_and_answers_are_in_the_catalogue(launch):
    causes = launch["accept"] if launch.get("healthy") else launch["cause"]
    assert set([causes] if isinstance(causes, str) else causes) <= diagnoses()
    assert ("either" in launch) == isinstance(launch.get("cause"), list)
    assert set(launch.get("answers", {})) <= set(yaml.safe_load((KNOWLEDGE / "questions.yaml").read_text()))
    assert launch["why"] and launch["does"]


@pytest.mark.parametrize("launch", [x for x in LAUNCHES if x["part"] == "ours"], ids=lambda launch: launch["id"])
def test_kernels_stand_in_their_files(launch):
    source = (HERE / launch["where"]["file"]).read_text()
    for kernel in (launch["where"]["kernel"], launch.get("cured", launch["where"])["kernel"]):
        assert re.search(rf"\b{kernel}[<(]", source), kernel


def test_every_launch_has_a_case_in_its_order():
    assert len({x["id"] for x in LAUNCHES}) == len(LAUNCHES)
    assert ids("ours") == [x["id"] for x in LAUNCHES if x["part"] == "ours"]
    assert ids("libraries") == [x["id"] for x in LAUNCHES if x["part"] == "libraries"]
    own = (ours_data.CASES, ours_math.CASES, second_memory.CASES, second_compute.CASES)
    assert sorted(ids("ours")) == sorted(name for cases in own for name in cases)
    assert sorted(ids("libraries")) == sorted([*libraries.CASES, *second_libraries.CASES])


def test_cured_is_told_for_what_is_measured():
    healthy = {"near_memory_roofline", "near_compute_roofline"}
    for launch in LAUNCHES:
        if launch["part"] == "ours":
            assert ("cured" in launch) != (launch["cause"] in healthy if isinstance(launch["cause"], str) else False)
