"""Numbers that cannot be true beside others: named, and never taken in silence."""

from __future__ import annotations

import pytest
from tui.factory import INDEX, METRICS, desk, diagnosis, launch
from tui.talk import begin, look, say, settle

from advisor.knowledge.base import catalog
from advisor.session import events as e
from advisor.session.interview.contradictions import agrees, of_answer, together
from advisor.session.reducer import reduce, replay
from advisor.session.state import State
from tests.changed import replace

UNITS = tuple((name, entry.unit, entry.means) for name, entry in catalog().metrics.items())
KNOWN = replace(INDEX, metrics=UNITS)


def at_launch() -> tuple[State, object]:
    state, at = begin("tour.ncu-rep", at=desk(knowledge=lambda: KNOWN))
    return look(state, 1), at


def tell(state: State, at: object, **values: float) -> State:
    return settle(reduce(state, e.Volunteered(tuple(values.items()))), at)  # type: ignore[arg-type]


def named(state: State) -> str:
    cards = [c for c in state.cards if c.label == "Contradiction"]
    return "\n".join(line.text for card in cards for line in card.lines)


def test_a_number_that_the_report_has_otherwise_is_named_with_both_values_and_the_report_stands():
    state, at = at_launch()
    after = tell(state, at, dram_pct=70.0)
    assert "dram_pct: you typed 70.0 %, the report has 34.0 %" in named(after)
    assert "/whatif dram_pct=70.0%" in named(after)
    assert after.answers == () and after.launch == state.launch


@pytest.mark.parametrize(("said", "known", "unit", "same"), [(34.0, 34.3, "%", True), (35.0, 34.0, "%", False)])
def test_rounding_is_no_contradiction(said: float, known: float, unit: str, same: bool):
    assert agrees(said, known, unit) is same
    assert agrees(1.0, 1.005, "") and not agrees(1.0, 1.02, "")


def test_a_number_that_the_report_confirms_is_said_to_be_so():
    state, at = at_launch()
    after = tell(state, at, dram_pct=34.0)
    assert "the report says the same" in after.cards[-1].lines[0].text and not named(after)


def test_where_the_report_is_silent_a_number_is_an_answer():
    state, at = at_launch()
    after = tell(state, at, waves=12.0, dram_pct=34.0)
    assert after.answers == ((1, "waves", 12.0),)
    assert tell(after, at, waves=13.0).answer("waves") == 13.0


@pytest.mark.parametrize("values", [(("no_metric", 1.0),), (("dram_pct", float("nan")),), (("dram_pct", -1.0),), ()])
def test_what_is_no_number_of_a_metric_changes_nothing(values: tuple[tuple[str, float], ...]):
    state, _ = at_launch()
    assert reduce(state, e.Volunteered(values)) is state


def test_before_a_launch_is_chosen_a_number_has_no_place():
    state, _ = begin("tour.ncu-rep")
    assert reduce(state, e.Volunteered((("dram_pct", 70.0),))) is state


def test_more_bytes_than_can_be_moved_in_the_time_are_named():
    peak = {"dram_peak_bytes_per_s": 4.8e12, "dram_bytes": 1e9, "flop": 1e9}

    class One:
        diagnosis = diagnosis(launch(0, "alone", metrics={**METRICS, **peak}, duration_ns=1e6))

    state, at = begin("one.ncu-rep", at=desk(analyse=lambda *a: One(), knowledge=lambda: KNOWN))
    state = say(state, at, "skip")
    assert of_answer(state, "theoretical_bytes", 4e9) is None
    card = of_answer(state, "theoretical_bytes", 9.6e9)
    assert card is not None and "2 ms" in card.lines[0].text and "1 ms" in card.lines[0].text
    assert of_answer(state, "theoretical_flop", 2e9) is not None
    assert of_answer(state, "theoretical_flop", 1e9) is None


# In an interview


def interview(**values: float) -> tuple[State, object]:
    at = desk(knowledge=lambda: KNOWN)
    state, _ = begin(at=at)
    return tell(say(state, at, "skip"), at, **values), at


@pytest.mark.parametrize(
    ("values", "part"),
    [
        ({"dram_pct": 80.0, "memory_throughput_pct": 50.0}, "dram_pct = 80.0 % is more than memory_throughput_pct"),
        ({"occupancy_achieved_pct": 70.0, "occupancy_theoretical_pct": 50.0}, "occupancy_achieved_pct = 70.0 %"),
        ({"stall_wait_pct": 70.0, "stall_barrier_pct": 60.0}, "add up to 130.0 %"),
        ({"stall_wait": 70.0, "stall_barrier": 60.0, "issue_interval": 109.1}, "a warp issues every 109.1"),
        ({"occupancy_theoretical_pct": 120.0}, "more than 100 %"),
        ({"eligible_warps": 6.0, "active_warps": 4.0}, "eligible_warps"),
        ({"pipe_fma_pct": 90.0, "sm_throughput_pct": 40.0}, "pipe_fma_pct"),
    ],
)
def test_typed_numbers_that_cannot_be_true_together_are_named_and_kept(values: dict[str, float], part: str):
    state, _ = interview(**values)
    assert part in named(state)
    assert {name for _, name, _ in state.answers} == set(values)


@pytest.mark.parametrize(
    "values",
    [
        {"dram_pct": 50.4, "memory_throughput_pct": 50.0},
        {"stall_wait_pct": 60.0, "stall_barrier_pct": 40.5},
        {"occupancy_achieved_pct": 50.2, "occupancy_theoretical_pct": 50.0},
        {"stall_lg_throttle": 82.8, "issue_interval": 109.1},
    ],
)
def test_what_differs_by_rounding_or_by_passes_is_no_contradiction(values: dict[str, float]):
    assert not named(interview(**values)[0])


def test_a_contradiction_is_named_once_and_goes_when_the_number_is_typed_again():
    state, at = interview(dram_pct=80.0, memory_throughput_pct=50.0)
    before = named(state)
    state = tell(state, at, l2_pct=10.0)
    assert named(state) == before
    state = tell(state, at, dram_pct=45.0)
    assert named(state) == before and state.answer("dram_pct") == 45.0
    assert together(state, ("dram_pct",)) is None


def test_an_answer_typed_again_replaces_the_former_one_and_says_so():
    state, at = interview(dram_pct=80.0)
    state = tell(state, at, dram_pct=45.0)
    said = next(c for c in reversed(state.cards) if c.kind == "answer")
    assert "instead of 80.0 %" in said.lines[0].text
    assert state.launch is not None and state.launch.verdict.id == "latency_bound"
    changed = next(c for c in reversed(state.cards) if c.kind == "change")
    assert "DRAM-bound → Latency-bound" in [line.text for line in changed.lines]
    assert replay(state.log) == state


def test_a_volunteered_number_answers_the_question_that_is_open():
    state, at = interview(dram_pct=45.0)
    assert state.ask is not None and state.ask.id == "duration_ns"
    state = tell(state, at, duration_ns=1e6)
    assert state.ask is not None and state.ask.id == "l2_pct"
