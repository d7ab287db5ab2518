"""After a fix: the new report or the new numbers beside the old, the log, and going back over all of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from session.sessions import Session, answer_all, recorded

from advisor.session import events as e
from advisor.session.choices import choices
from advisor.session.experiments import versions as cards
from advisor.session.language.understand import event_of, understand
from advisor.session.reducer import can_go_back, reduce, replay
from advisor.session.state import State

MEMORY_MATH = recorded("memory-math")
FIRST = {
    "subject": "kernel",
    "gpu": "H200-SXM",
    "duration_ns": 333e3,
    "sm_throughput_pct": 12.0,
    "memory_throughput_pct": 34.0,
    "dram_pct": 34.0,
    "stall_long_scoreboard_pct": 60.0,
    "eligible_warps": 0.3,
}
SECOND = {"duration_ns": 150e3, "sm_throughput_pct": 20.0, "memory_throughput_pct": 90.0, "dram_pct": 90.0}


@pytest.fixture(scope="module")
def compared() -> tuple[State, State]:
    """A session before and after a new report was compared: the whole kernel, then its overlapped form."""
    made = Session()
    made.do(e.Began((MEMORY_MATH,)))
    before = made.launch(0)
    return before, made.do(e.FixShown(), e.ReportGiven(f"{MEMORY_MATH}#3", "two tiles in flight"))


def test_a_new_report_is_compared_the_time_first(compared: tuple[State, State]):
    _, state = compared
    card = next(card for card in state.cards if card.kind == "compared")
    assert card.title == "Faster: 1.5×" and card.lines[0].label == "Faster"
    assert "394 µs → 258 µs" in card.lines[0].text and "noise" in card.lines[0].text
    assert {"Class", "Estimate", "Next", "gone", "new"} <= {line.label for line in card.lines}
    assert next(line.text for line in card.lines if line.label == "Next").startswith("The next gain")


def test_the_new_launch_is_the_one_at_hand_and_the_old_one_is_kept(compared: tuple[State, State]):
    before, state = compared
    assert (state.position, state.paths) == (3, (MEMORY_MATH,))
    assert state.launch is not None and state.launch.index == 3
    assert state.earlier == ((before.launch, "v1"),)
    assert state.has_card("class") and not state.has_card("fix", "memory_latency"), "its own cards, not the old ones"
    kinds = [card.kind for card in state.conversation if card.past]
    assert kinds[:2] == ["overview", *kinds[1:2]] and "fix" in kinds, "the conversation so far stays in view"
    assert (state.step, "6" in state.visited) == ("1", True)


def test_each_version_is_a_row_of_the_log(compared: tuple[State, State]):
    _, state = compared
    first, second = state.experiments
    assert (first.version, first.change, first.ratio, first.finding) == ("v1", "", None, "memory_latency")
    assert (second.version, second.change, second.class_id) == ("v2", "two tiles in flight", "compute_bound")
    assert second.ratio == pytest.approx(393600 / 257792)
    assert second.next_step == "stop"
    card = reduce(state, e.LogShown()).cards[-1]
    assert card.kind == "log"
    lines = [(line.label, line.text) for line in card.lines]
    later = lines[lines.index(("", "v2")) :]
    assert ("Time", "394 µs") in lines and {("Time", "258 µs"), ("Speedup", "1.5×")} <= set(later)
    assert ("Change", "two tiles in flight") in later


def test_going_back_over_all_of_it_leads_to_where_it_began(compared: tuple[State, State]):
    before, state = compared
    assert replay(state.log) == state
    state = reduce(reduce(state, e.Back()), e.Back())
    assert state == before
    while can_go_back(state):
        state = reduce(state, e.Back())
    assert state.experiments == () and state.place == "launches"


def test_after_going_back_the_old_report_answers_again():
    made = Session()
    made.do(e.Began((MEMORY_MATH,)))
    made.launch(0)
    made.do(e.ReportGiven(f"{MEMORY_MATH}#3"), e.Back(), e.HowAsked())
    assert made.last.kind == "proof" and made.last.finding == "memory_latency"


def test_the_same_report_may_be_given_again_and_a_third_version_is_compared_with_the_second():
    made = Session()
    made.do(e.Began((MEMORY_MATH,)))
    made.launch(0)
    made.do(e.ReportGiven(f"{MEMORY_MATH}#3"), e.ReportGiven(f"{MEMORY_MATH}#4", "more warps"), e.LogShown())
    assert [row.version for row in made.state.experiments] == ["v1", "v2", "v3"]
    third = made.state.experiments[2]
    assert third.ratio == pytest.approx(257792 / 255776)
    assert third.observation.endswith("; no difference in time beyond noise")
    assert made.texts()[-1] == "1.5× over v1"
    made.do(e.HowAsked(made.state.finding))
    assert made.last.kind == "proof"


def test_answers_about_the_algorithm_hold_for_the_new_version():
    made = Session()
    made.do(e.Began((MEMORY_MATH,)))
    made.launch(3)
    made.do(e.Asked("theoretical_bytes"), e.Answered("theoretical_bytes", 5.5e8))
    made.do(e.ReportGiven(f"{MEMORY_MATH}#4"))
    assert made.state.answers == ((4, "theoretical_bytes", 5.5e8),)
    launch = made.state.launch
    assert launch is not None and launch.metrics["theoretical_bytes"] == 5.5e8


def test_the_code_that_was_read_of_the_old_version_is_not_shown_of_the_new():
    made = Session()
    made.do(e.Began((MEMORY_MATH,)))
    made.launch(0)
    made.do(e.ViewShown("source"), e.ViewLeft())
    assert made.state.results and made.state.source_query is not None
    made.do(e.ReportGiven(f"{MEMORY_MATH}#3"))
    assert not made.state.results and made.state.source_query is None


def test_without_a_number_the_launch_of_the_same_kernel_and_shape_is_compared():
    made = Session()
    made.do(e.Began((MEMORY_MATH,)))
    made.launch(1)
    made.do(e.ReportGiven(MEMORY_MATH))
    assert made.state.position == 1
    card = next(card for card in made.state.cards if card.kind == "compared")
    assert card.title == "No difference beyond noise"


@pytest.mark.parametrize(
    ("path", "part"),
    [
        (f"{MEMORY_MATH}#9", "has no launch 9"),
        ("no-such.ncu-rep", "no such file"),
        (recorded("bank-conflicts"), "name the launch to compare"),
    ],
)
def test_a_report_that_cannot_be_compared_is_one_line_and_nothing_else_changes(path: str, part: str):
    made = Session()
    made.do(e.Began((MEMORY_MATH,)))
    before = made.launch(0)
    state = made.do(e.ReportGiven(path))
    assert made.last.kind == "error" and part in made.last.title and "\n" not in made.last.title
    assert (state.position, state.experiments, state.paths) == (before.position, (), before.paths)


def test_the_choice_after_a_fix_asks_for_the_path_and_takes_any_line_as_one():
    made = Session()
    made.do(e.Began((MEMORY_MATH,)))
    made.launch(0)
    made.do(e.FixShown())
    assert "step:renew" in [choice.id for choice in choices(made.state)]
    event = event_of("step:renew", made.state)
    assert event is not None
    made.do(event)
    assert made.state.ask is not None and made.state.ask.kind == "text"
    typed = understand(f"{MEMORY_MATH}#3", made.state)
    assert typed == e.Answered("new_report", f"{MEMORY_MATH}#3", f"{MEMORY_MATH}#3")
    assert typed is not None
    made.do(typed)
    assert [row.version for row in made.state.experiments] == ["v1", "v2"]
    assert made.state.experiments[1].change == "", "nobody said what was changed"


@pytest.mark.parametrize("value", ["", "   ", None, 3.0, "x" * 5000])
def test_what_is_no_path_is_no_answer(value: str | float | None):
    made = Session()
    made.do(e.Began((MEMORY_MATH,)))
    made.launch(0)
    state = made.do(e.Asked("new_report"))
    assert reduce(state, e.Answered("new_report", value)) is state


def test_a_report_in_the_place_of_nothing_is_opened():
    made = Session()
    made.do(e.Began(()), e.ReportGiven(MEMORY_MATH))
    assert (made.state.place, made.state.paths, made.state.numbers) == ("launches", (MEMORY_MATH,), False)


# Typed numbers


@pytest.fixture(scope="module")
def typed() -> tuple[State, State]:
    """An interview at its conclusion, and after a second version was typed."""
    made = Session()
    made.do(e.Began(()))
    before = answer_all(made, FIRST)
    made.do(e.VersionBegun("float4 loads"))
    return before, answer_all(made, SECOND)


def test_typed_versions_are_compared_when_the_new_numbers_are_concluded_on(typed: tuple[State, State]):
    _, state = typed
    card = state.cards[-1]
    assert card.kind == "compared" and card.title == "Faster: 2.2×"
    assert "333 µs → 150 µs" in next(line.text for line in card.lines if line.label == "Faster")
    rows = [(row.version, row.change, row.duration_ns, row.class_id) for row in state.experiments]
    assert rows == [("v1", "", 333e3, "latency_bound"), ("v2", "float4 loads", 150e3, "dram_bound")]
    assert state.ask is None and state.waiting == ()
    assert replay(state.log) == state


def test_a_new_version_asks_for_the_numbers_anew_and_keeps_the_card(typed: tuple[State, State]):
    before, _ = typed
    state = reduce(before, e.VersionBegun("x"))
    assert state.ask is not None and state.ask.id == "page:speed_of_light"
    assert (None, "gpu", "H200-SXM") in state.answers
    assert not any(name in FIRST for _, name, _ in state.answers if name not in ("gpu", "subject"))
    assert reduce(state, e.Back()) == before


def test_another_version_or_report_waits_until_the_one_at_hand_is_concluded_on(typed: tuple[State, State]):
    before, _ = typed
    begun = reduce(before, e.VersionBegun("x"))
    assert reduce(begun, e.VersionBegun("y")) is begun, "nothing of the new version is known yet"
    made = Session()
    made.state = begun
    made.do(e.Answered("duration_ns", 1e5))
    half = made.state
    assert half.launch is not None
    for deed in (e.VersionBegun("y"), e.ReportGiven(MEMORY_MATH)):
        state = reduce(half, deed)
        assert state.cards[-1].title == cards.NOT_COMPARED and state.earlier == half.earlier


def test_a_report_may_follow_typed_numbers(typed: tuple[State, State]):
    _, state = typed
    made = Session()
    made.state = state
    made.do(e.ReportGiven(f"{recorded('good-copy')}#0", "measured at last"))
    assert [row.version for row in made.state.experiments] == ["v1", "v2", "v3"]
    assert (made.state.numbers, made.state.position) == (False, 0)
    assert replay(made.state.log) == made.state


def test_one_version_is_no_log():
    made = Session()
    made.do(e.Began((MEMORY_MATH,)))
    made.launch(0)
    made.do(e.LogShown())
    assert made.texts() == ["There is one version so far. After a change, /compare REPORT adds a row."]


def test_a_path_with_a_hash_that_is_a_file_is_that_file(tmp_path: Path):
    odd = tmp_path / "run#2.ncu-rep.xz"
    odd.write_bytes(Path(MEMORY_MATH).read_bytes())
    made = Session()
    made.do(e.Began((MEMORY_MATH,)))
    made.launch(1)
    made.do(e.ReportGiven(str(odd)))
    assert made.state.paths == (str(odd),) and made.state.position == 1
