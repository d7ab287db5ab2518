"""Laws that hold for any sequence of events, sensible or not."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tui.factory import INDEX, desk, diagnosis

from advisor.session import events as e
from advisor.session.choices import choices
from advisor.session.language.understand import event_of, understand
from advisor.session.reducer import can_go_back, reduce, replay
from advisor.session.state import State

DESK = desk()
POSITIONS = st.integers(-1, 7)
FINDINGS = st.sampled_from(["", "bank_conflicts", "narrow_accesses", "tail_effect", "no_such"])
QUESTIONS = st.sampled_from(
    [
        *("dtype", "theoretical_bytes", "algorithm", "rows", "duration_ns", "dram_pct", "gpu", "none"),
        *("variants", "new_report"),
    ]
)
VALUES = st.one_of(st.none(), st.sampled_from(["f32", "f64", "transpose", "", "x"]), st.floats())
REQUESTS = st.one_of(
    st.just(e.Read(("tour.ncu-rep",))),
    st.just(e.Read(())),
    st.builds(e.Prove, st.sampled_from(["how", "why_not", "flips"]), st.integers(0, 5), FINDINGS),
    st.builds(e.Conclude, st.just(()), st.none() | st.integers(0, 5)),
    st.builds(e.Explain, st.text(max_size=5)),
    st.builds(e.CompareVersion, st.sampled_from(["", "new.ncu-rep"]), st.integers(0, 5)),
    st.builds(e.Trace, st.just(("trace.sqlite",))),
    st.builds(e.BuildCollectCommand, st.integers(0, 5)),
)
DEEDS = st.one_of(
    st.builds(e.Began, st.sampled_from([(), ("tour.ncu-rep",), ("broken.ncu-rep",)])),
    st.builds(e.LaunchSelected, POSITIONS),
    st.builds(e.FindingShown, FINDINGS),
    st.builds(e.Asked, QUESTIONS),
    st.builds(e.Answered, QUESTIONS, VALUES),
    st.builds(e.Skipped, QUESTIONS),
    st.builds(e.HowAsked, FINDINGS),
    st.builds(e.WhyNotAsked, FINDINGS),
    st.builds(e.WhatIfAsked, st.lists(st.tuples(st.just("dram_pct"), st.floats(0, 100)), max_size=2).map(tuple)),
    st.builds(e.ExplainAsked, st.text(max_size=8)),
    st.builds(e.NotUnderstood, st.text(max_size=8)),
    st.builds(e.Cancelled),
    st.builds(e.StepShown, st.sampled_from(["0b", "S2", "6", "III.l2", "no_such", ""])),
    st.builds(e.ReportGiven, st.sampled_from(["new.ncu-rep", "broken.ncu-rep", " "]), st.text(max_size=5)),
    st.builds(e.VersionBegun, st.text(max_size=5)),
    st.builds(e.TraceGiven, st.sampled_from([(), ("trace.sqlite",)])),
    st.sampled_from(
        [
            e.LaunchesShown(),
            e.FixShown(),
            e.EvidenceShown(),
            e.MissingShown(),
            e.NapkinBegun(),
            e.NumbersContinued(),
            e.ConclusionShown(),
            e.WhyAsked(),
            e.HelpAsked(),
            e.Retried(),
            e.StepsShown(),
            e.LogShown(),
            e.CollectShown(),
        ]
    ),
)
OUTCOMES = st.one_of(
    st.builds(e.Failed, REQUESTS, st.text(max_size=8)),
    st.builds(lambda: e.Opened(e.Read(("tour.ncu-rep",)), diagnosis(), INDEX)),
    st.builds(lambda: e.Opened(e.Read(()), None, INDEX)),
    st.builds(
        lambda request: e.Completed(request, None), REQUESTS.filter(lambda r: not isinstance(r, e.Read | e.Conclude))
    ),
    st.builds(lambda: e.Concluded(e.Conclude((), None), diagnosis())),
)
# A step is an event out of the blue, one of the choices on offer, a typed line, or the work at hand.
STEPS = st.lists(
    st.one_of(
        DEEDS,
        OUTCOMES,
        st.just(e.Back()),
        st.integers(0, 9),
        st.sampled_from(
            ["d", "64", "1 ms", "why", "/how", "transpose", "double", "/back", "what if dram_pct=80", "zzz"]
        ),
        st.just("work"),
    ),
    max_size=25,
)


def take(state: State, step: object) -> State:
    """The state after one step of whatever sort."""
    if step == "work":
        return reduce(state, DESK.perform(state.waiting[0], state, lambda *_: None)) if state.waiting else state
    if isinstance(step, int):
        offered = choices(state)
        event = event_of(offered[step % len(offered)].id, state) if offered else None
        return state if event is None else reduce(state, event)
    if isinstance(step, str):
        event = understand(step, state)
        return state if event is None else reduce(state, event)
    return reduce(state, step)


def walk(steps: list[object], paths: tuple[str, ...]) -> list[State]:
    states = [reduce(State(), e.Began(paths))]
    states.append(take(states[-1], "work"))
    for step in steps:
        states.append(take(states[-1], step))
    return states


PATHS = st.sampled_from([("tour.ncu-rep",), (), ("broken.ncu-rep",)])


@settings(max_examples=150, deadline=None)
@given(STEPS, PATHS)
def test_no_sequence_of_events_raises_and_the_log_always_replays_to_the_same_state(steps, paths):
    for state in walk(steps, paths)[::5]:
        assert replay(state.log) == state


@settings(max_examples=100, deadline=None)
@given(STEPS, PATHS, DEEDS)
def test_back_undoes_the_last_deed_exactly(steps, paths, deed):
    before = walk(steps, paths)[-1]
    after = reduce(before, deed)
    if after is not before:
        assert reduce(after, e.Back()) == before


@settings(max_examples=60, deadline=None)
@given(STEPS, PATHS)
def test_going_back_always_comes_to_an_end_where_nothing_but_the_beginning_is_left(steps, paths):
    state = walk(steps, paths)[-1]
    if state.place == "closed":
        return
    for _ in range(len(state.log) + 1):
        if not can_go_back(state):
            break
        state = reduce(state, e.Back())
    assert not can_go_back(state)
    assert [type(event) for event in state.log if not isinstance(event, e.OUTCOMES)] == [e.Began]


@settings(max_examples=60, deadline=None)
@given(STEPS, PATHS)
def test_there_is_always_something_to_choose_in_a_conversation_and_every_choice_is_an_event(steps, paths):
    state = walk(steps, paths)[-1]
    if state.place == "launch":
        assert choices(state)
    for choice in choices(state):
        assert event_of(choice.id, state) is not None


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40), STEPS, PATHS)
def test_whatever_is_typed_is_understood_or_answered_and_never_raises(text, steps, paths):
    state = walk(steps[:8], paths)[-1]
    event = understand(text, state)
    assert event is None or reduce(state, event) is not None
