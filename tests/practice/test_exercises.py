"""Every exercise shows what it claims on its recorded profiles, and its folder is whole."""

from __future__ import annotations

from typing import Any

import pytest
from bench.calibration import HALVES, confusion, ledger, pairs

from advisor.knowledge.base import catalog
from advisor.practice.folders import faults
from advisor.practice.manifest import exercise, names
from advisor.practice.readings import readings
from advisor.practice.selfcheck import Judged, of_recording
from advisor.records import resources
from advisor.view.pages.measuring import readme


@pytest.fixture(scope="module")
def judged(recorded: Any) -> dict[str, Judged]:
    return {j.exercise.name: j for j in recorded[1]}


def test_the_table_of_the_exercises_is_that_of_the_recordings(recorded: Any) -> None:
    """Made anew by `ncu-advisor practice selfcheck --readme kernels/README.md`."""
    there = (resources.folder("kernels") / "README.md").read_text(encoding="utf-8")
    measured = [m for m in (of_recording(exercise(name)) for name in names()) if m is not None]
    assert there == readme(recorded[1], measured, readings())


def test_the_folders_are_whole() -> None:
    assert [str(f) for f in faults(catalog())] == []


@pytest.mark.parametrize("name", names())
def test_an_exercise_shows_what_it_claims(judged: Any, name: str) -> None:
    assert {s.step.id: s.problems for s in judged[name].steps if s.problems} == {}
    assert not any(s.pending for s in judged[name].steps)


def test_every_kernel_diagnosis_has_an_exercise_that_shows_it(judged: Any) -> None:
    shown = {s.step.expect for j in judged.values() for s in j.steps}
    # No kernel is done at the power limit, so that it never comes first.
    shown |= {one for j in judged.values() for s in j.steps for one in s.step.also if one == "power_limited"}
    cat = catalog()
    wanted = {
        k for k, d in cat.diagnoses.items() if d.kind == "diagnosis" and d.scope == "launch" and k != "unexplained"
    }
    assert wanted - shown == set()


@pytest.mark.parametrize("group", [*HALVES, "both halves"])
def test_the_estimates_come_true(recorded: Any, group: str) -> None:
    """Coarse bars: the figures themselves are printed by `python -m tests.bench.calibration`."""
    found = ledger(pairs(*recorded))[group]
    assert found["advisor"].pairs >= 25
    assert found["advisor"].median <= 1.35
    assert found["advisor"].tenth <= 3
    assert found["advisor"].median < found["ncu"].median
    assert found["advisor"].tenth < found["ncu"].tenth


def test_no_finding_is_taken_for_another(recorded: Any) -> None:
    assert {
        expected: dict(found) for expected, found in confusion(recorded[1]).items() if set(found) != {expected}
    } == {}
