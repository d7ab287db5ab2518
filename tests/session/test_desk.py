"""The desk performs requests and turns every failure into one line."""

from __future__ import annotations

import pytest
from tui.factory import Analysis, diagnosis
from tui.factory import desk as make

from advisor.session import events as e
from advisor.session.executor import CancelledWorkError, Executor
from advisor.session.state import State
from tests.changed import replace


def quiet(what: str, done: int, total: int) -> None:
    """No progress wanted."""


READ = State(paths=("tour.ncu-rep",))


def opened(at: Executor) -> Executor:
    assert isinstance(at.perform(e.Read(("tour.ncu-rep",)), State(), quiet), e.Opened)
    return at


def test_answers_given_one_by_one_are_each_added_to_the_analysis_before():
    calls: list[dict[str, float | str]] = []

    class Counting(Analysis):
        def answered(self, position, answers):  # type: ignore[no-untyped-def]
            calls.append(dict(answers))
            return Counting(self.diagnosis, {})

    at = opened(make(analyse=lambda *a: Counting(diagnosis())))
    one, two = (1, "dtype", "f32"), (1, "theoretical_bytes", 5.0)
    at.perform(e.Conclude((one,)), READ, quiet)
    at.perform(e.Conclude((one, two)), READ, quiet)
    at.perform(e.Conclude((one,)), READ, quiet)
    assert calls == [{"dtype": "f32"}, {"theoretical_bytes": 5.0}]


def test_a_proof_is_taken_from_the_analysis_with_the_answers_of_the_state():
    at = opened(make())
    state = replace(READ, answers=((1, "dtype", "f64"),))
    lost = at.perform(e.Prove("how", 1, "narrow_accesses"), state, quiet)
    assert isinstance(lost, e.Failed) and "was not found" in lost.message
    assert isinstance(at.perform(e.Prove("how", 1, "narrow_accesses"), READ, quiet), e.Completed)


@pytest.mark.parametrize(
    ("request_", "part"),
    [
        (e.Read(("broken.ncu-rep",)), "cut off"),
        (e.Read(("crash.ncu-rep",)), "RuntimeError"),
        (e.Explain("nonsense"), "nothing here is called"),
        (e.Prove("how", 99, "x"), "IndexError"),
        (e.Prove("why_not", 0, "no_such"), "no diagnosis"),
        (e.Estimate(0, "transpose", ()), "KeyError"),
    ],
)
def test_whatever_fails_becomes_one_line(request_: e.Request, part: str):
    outcome = opened(make()).perform(request_, READ, quiet)
    assert isinstance(outcome, e.Failed)
    assert part in outcome.message and "\n" not in outcome.message


def test_before_a_report_is_open_questions_about_it_are_refused():
    outcome = make().perform(e.Prove("how", 0, "x"), State(), quiet)
    assert isinstance(outcome, e.Failed) and "open one first" in outcome.message


def test_work_that_nobody_waits_for_stops_at_its_next_progress():
    def off(what: str, done: int, total: int) -> None:
        raise CancelledWorkError

    assert isinstance(make().perform(e.Read(("tour.ncu-rep",)), State(), off), e.Failed)


def test_typed_numbers_go_to_the_analysis_of_numbers_with_the_card():
    seen: list[object] = []

    def numbers(values: object, gpu: object) -> Analysis:
        seen.append((dict(values), gpu))  # type: ignore[call-overload]
        return Analysis(diagnosis())

    at = make(analyse_numbers=numbers)
    at.perform(e.Read(()), State(numbers=True), quiet)
    answers = ((None, "gpu", "T4"), (None, "dram_pct", 83.0))
    at.perform(e.Conclude(answers), replace(State(), numbers=True), quiet)
    assert seen == [({"dram_pct": 83.0}, "T4")]


def test_a_session_that_is_taken_up_again_reads_its_report_when_it_is_needed():
    assert isinstance(make().perform(e.Prove("how", 1, "bank_conflicts"), READ, quiet), e.Completed)
