"""Every exercise shows what it claims on its recorded profiles, and its folder is whole."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.catalog import catalog
from advisor.practice import selfcheck
from advisor.practice.folders import faults
from advisor.practice.manifest import exercise, names


@pytest.fixture(scope="module")
def judged() -> dict[str, selfcheck.Judged]:
    measured = [m for m in (selfcheck.of_recording(exercise(name)) for name in names()) if m is not None]
    found = selfcheck.judge(catalog(), measured, selfcheck.analyse(catalog(), measured))
    return {j.exercise.name: j for j in found}


def test_the_folders_are_whole() -> None:
    assert [str(f) for f in faults(catalog())] == []


@pytest.mark.parametrize("name", names())
def test_an_exercise_shows_what_it_claims(judged: Any, name: str) -> None:
    assert {s.step.id: s.problems for s in judged[name].steps if s.problems} == {}
    assert not any(s.pending for s in judged[name].steps)


def test_every_kernel_diagnosis_has_an_exercise_that_shows_it(judged: Any) -> None:
    shown = {s.step.expect for j in judged.values() for s in j.steps}
    cat = catalog()
    wanted = {
        k for k, d in cat.diagnoses.items() if d.kind == "diagnosis" and d.scope == "launch" and k != "unexplained"
    }
    assert wanted - shown == set()
