"""What is expected before the reveal: asked once a launch, passed over with one key, compared with what came."""

from __future__ import annotations

import pytest
from tui.factory import INDEX, desk, diagnosis, launch, reckon
from tui.talk import begin, kinds, look, say, settle

from advisor.records.diagnosis import Verdict
from advisor.session import events as e
from advisor.session.choices import choices
from advisor.session.executor import Executor
from advisor.session.interview import choosing
from advisor.session.interview.choosing import SIDES
from advisor.session.records import Card
from advisor.session.reducer import reduce, replay
from advisor.session.state import State
from tests.changed import replace


def at_launch(position: int = 1) -> tuple[State, Executor]:
    state, at = begin("tour.ncu-rep")
    return reduce(state, e.LaunchSelected(position)), at


def compared(state: State) -> Card | None:
    return next((c for c in reversed(state.cards) if c.label == "Prediction"), None)


def test_before_the_first_look_the_expected_bound_is_asked_for_and_nothing_is_revealed():
    state, _ = at_launch()
    assert kinds(state) == ["overview", "question"]
    assert state.ask is not None and state.ask.group == "expect"
    assert [c.id for c in choices(state)][:4] == ["skip", "answer:memory", "answer:compute", "answer:latency"]


def test_one_key_shows_the_diagnosis_and_leaves_no_trace_of_the_question():
    state, at = at_launch()
    state = say(state, at, "1")
    assert kinds(state) == ["overview", "class", "finding", "trust", "note"]
    assert state.expected == ((1, None),) and state.expects


def test_why_it_is_asked_is_said_once_and_then_that_it_was():
    state, _ = at_launch()
    assert [c.note for c in choices(state) if c.id == "why"] == [""]
    said = reduce(state, e.WhyAsked())
    assert kinds(said) == [*kinds(state), "evidence"]
    assert [c.note for c in choices(said) if c.id == "why"] == ["see above"]
    assert reduce(said, e.WhyAsked()) is said


def test_an_expectation_is_followed_by_the_napkin_and_that_by_the_reveal():
    state, at = at_launch()
    state = say(state, at, "memory")
    assert state.expected == ((1, "memory"),)
    assert state.ask is not None and state.ask.id == "algorithm" and choices(state)[0].id == "skip"
    assert "class" not in kinds(state)
    state = say(state, at, "skip")
    assert "class" in kinds(state) and state.ask is None
    card = compared(state)
    assert card is not None and card.title == "Your prediction is right: L1/shared-memory-bound"
    assert "The limit is on the chip (L1, shared memory, L2): DRAM itself is not saturated." in [
        line.text for line in card.lines
    ]


def test_the_napkin_before_the_reveal_is_concluded_on_and_then_the_whole_is_shown_once():
    def napkin_estimate(*given: object) -> object:
        return replace(reckon(*given), bound="memory")  # type: ignore[arg-type]

    state, _ = at_launch()
    at = desk(estimate=napkin_estimate)
    settle(reduce(State(), e.Began(("tour.ncu-rep",))), at)
    state = say(state, at, "compute", "transpose", "4096")
    assert "class" not in kinds(state)
    state = say(state, at, "f32")
    shown = kinds(state)
    assert shown.count("class") == 1 and "change" not in shown
    assert shown.index("napkin") < shown.index("class")
    assert state.answer("theoretical_bytes") == 8.59e9
    card = compared(state)
    assert card is not None and card.title.startswith("Your prediction: compute")
    assert "Napkin math predicts the same." in [line.text for line in card.lines]


def test_a_napkin_that_fails_does_not_keep_the_diagnosis_back():
    state, at = at_launch()
    state = say(state, at, "memory", "transpose", "4096")
    waiting = reduce(state, e.Answered("dtype", "f32"))
    failed = reduce(waiting, e.Failed(waiting.waiting[0], "no such card"))
    assert "error" in kinds(failed) and "class" in kinds(failed)
    off = reduce(waiting, e.Cancelled())
    assert "class" in kinds(off)


def test_never_again_shows_the_diagnosis_and_asks_no_more_on_later_launches():
    state, at = at_launch()
    state = say(state, at, "never")
    assert "class" in kinds(state) and not state.expects
    later = reduce(state, e.LaunchSelected(2))
    assert "class" in kinds(later) and later.ask is None


def test_on_later_launches_it_is_asked_again_and_on_a_second_look_not():
    state, at = at_launch()
    state = say(state, at, "latency", "skip")
    later = reduce(state, e.LaunchSelected(2))
    assert later.ask is not None and later.ask.group == "expect"
    again = reduce(later, e.LaunchSelected(1))
    assert again.ask is None and "class" in kinds(again)


def test_leaving_the_question_open_brings_it_back_once_and_does_not_pile_up():
    state, _ = at_launch()
    state = reduce(reduce(state, e.LaunchesShown()), e.LaunchSelected(1))
    assert state.ask is not None and state.ask.group == "expect"
    assert kinds(state).count("question") == 1


@pytest.mark.parametrize(
    "event",
    [e.FixShown(), e.HowAsked(), e.EvidenceShown(), e.FindingShown("narrow_accesses"), e.WhyNotAsked("tail_effect")],
)
def test_whoever_asks_for_a_conclusion_gets_the_whole_of_it_first(event: e.Event):
    state, at = at_launch()
    state = settle(reduce(state, event), at)
    assert kinds(state).index("class") < len(kinds(state)) - 1
    assert state.ask is None


def test_only_bounds_are_expectations():
    state, _ = at_launch()
    assert reduce(state, e.Expected("magic")) is state
    revealed = look(state, 1)
    assert reduce(revealed, e.Expected("memory")) is revealed


@pytest.mark.parametrize("class_id", SIDES)
@pytest.mark.parametrize("bound", choosing.BOUNDS)
def test_every_expectation_is_compared_with_every_class_in_a_sentence(bound: str, class_id: str):
    class One:
        diagnosis = diagnosis(
            launch(0, "alone", verdict=Verdict(id=class_id, title=class_id.title(), margin=0.1, because="so"))
        )

    state, at = begin("one.ncu-rep", at=desk(analyse=lambda *a: One(), knowledge=lambda: replace(INDEX, algorithms=())))
    state = say(state, at, bound)
    card = compared(state)
    assert card is not None and card.lines and "96.1 %" in card.lines[0].text
    assert (card.title == f"Your prediction is right: {class_id.title()}") == (SIDES[class_id] == bound)


def test_nothing_is_compared_where_the_class_is_not_known():
    class One:
        diagnosis = diagnosis(launch(0, "alone", verdict=Verdict(id="undetermined", title="Undetermined", because="")))

    state, at = begin("one.ncu-rep", at=desk(analyse=lambda *a: One(), knowledge=lambda: replace(INDEX, algorithms=())))
    card = compared(say(state, at, "memory"))
    assert card is not None and "do not decide the class" in card.title


def test_in_an_interview_it_is_asked_before_the_first_number_and_compared_at_the_conclusion():
    state, at = begin()
    assert state.ask is not None and state.ask.group == "expect"
    state = say(state, at, "compute")
    assert state.ask is not None and state.ask.id == "duration_ns", "there is no launch yet to do the napkin for"
    state = say(state, at, "1 ms", "83", "enough")
    card = compared(state)
    assert card is not None and card.title.startswith("Your prediction: compute")
    assert replay(state.log) == state


def test_back_takes_the_expectation_back():
    state, at = at_launch()
    assert reduce(say(state, at, "memory"), e.Back()) == state
