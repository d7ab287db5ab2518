"""The first screen of a terminal, 24 lines of 80 columns, holds what a user looks for first."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.records.diagnosis import LaunchDiagnosis, first_diagnosis, is_settled
from advisor.view.numbers import shape_text, speedup_text, time_text
from advisor.view.pages.diagnosis import diagnosis_page
from advisor.view.pages.launch import certainty_text, launch_blocks
from advisor.view.writers.terminal import terminal_text
from tests.changed import replace
from tests.view.pages import some

LINES = 24


def first_screen(text: str) -> str:
    return " ".join(" ".join(text.splitlines()[:LINES]).split())


def essentials(launch: LaunchDiagnosis) -> list[str]:
    first = first_diagnosis(launch)
    assert first is not None
    wanted = [launch.kernel, shape_text(launch.grid), shape_text(launch.block), launch.known_as, first.title]
    wanted.append(time_text(launch.duration_ns))
    if first.speedup is not None and first.speedup.low > 1.02:
        wanted.append(speedup_text(first.speedup.estimate))
    if first.fix is not None and (first.speedup is not None or is_settled(launch, first)):
        wanted.append(first.fix.summary)
    return wanted


def test_one_launch_is_told_in_the_first_screen(tour: Any) -> None:
    for at in range(len(tour.diagnosis.launches)):
        one = some(tour, at)
        screen = first_screen(terminal_text(diagnosis_page(one)))
        for text in essentials(one.launches[0]):
            assert " ".join(text.split()) in screen, (at, text)


def test_the_first_fix_of_several_launches_is_told_in_the_first_screen(tour: Any) -> None:
    screen = first_screen(terminal_text(diagnosis_page(tour.diagnosis)))
    worth = [x for x in tour.diagnosis.launches if (f := first_diagnosis(x)) is not None and f.speedup is not None]
    most = max(worth, key=lambda x: first_diagnosis(x).speedup.saved_ns(x.duration_ns))  # type: ignore[union-attr]
    for text in essentials(most):
        assert " ".join(text.split()) in screen, text


@pytest.mark.parametrize(("low", "high", "says"), [(1.8, 2.7, ""), (1.0, 16.0, "far less certain than the cause")])
def test_the_certainty_of_the_cause_is_not_that_of_the_gain(tour: Any, low: float, high: float, says: str) -> None:
    launch = next(x for x in tour.diagnosis.launches if (f := first_diagnosis(x)) is not None and f.speedup is not None)
    first = first_diagnosis(launch)
    assert first is not None and first.speedup is not None
    gain = replace(first.speedup, low=low, high=high)
    assert says in certainty_text(gain) and ("Measure" in certainty_text(gain)) is bool(says)
    sure = replace(first, speedup=gain, confidence=0.99)
    others = tuple(sure if f is first else f for f in launch.findings)
    text = str(launch_blocks(replace(launch, findings=others), {}))
    assert "in the cause high (99 %)" in text and "confidence in this cause: high" in text and says in text
