"""Interviews page by page: what is asked, how it is answered, and when it stops."""

from __future__ import annotations

import pytest
from tui.talk import begin, say, settle

from advisor.records.diagnosis import main_finding
from advisor.session import events as e
from advisor.session.choices import choices
from advisor.session.executor import Executor, sources
from advisor.session.language.understand import understand
from advisor.session.reducer import reduce, replay
from advisor.session.state import State

REAL = Executor(sources())
# A fragment of ncu's console table, with rows that the advisor does not ask for and one that it does not know.
TABLE = """
    Section: GPU Speed Of Light Throughput
    ----------------------- ----------- ------------
    Metric Name             Metric Unit Metric Value
    ----------------------- ----------- ------------
    DRAM Frequency                  Ghz         3.20
    Elapsed Cycles                cycle      690,308
    Memory Throughput                 %        44.10
    DRAM Throughput                   %        41.20
    Duration                         us       412.51
    Compute (SM) Throughput           %        31.00
    Flux Capacitor                 volt        12.00
    ----------------------- ----------- ------------
"""
SOL = {"duration_ns": 412_510, "sm_cycles_elapsed": 690_308, "sm_throughput_pct": 31}
SOL |= {"memory_throughput_pct": 44.1, "dram_pct": 41.2}


def first_page() -> State:
    state, at = begin(at=REAL)
    return say(state, at, "kernel", "h200", "skip")


def numbers(state: State) -> dict[str, float]:
    return {question: value for _, question, value in state.answers if not isinstance(value, str)}


def test_the_first_page_is_the_first_section_of_ncu_with_its_rows():
    ask = first_page().ask
    assert ask is not None and (ask.kind, ask.id) == ("page", "page:speed_of_light")
    assert [row.row for row in ask.rows][:3] == ["Duration", "Elapsed Cycles", "Compute (SM) Throughput"]


@pytest.mark.parametrize(
    "text",
    [
        TABLE,
        "412.51 us 690,308 31 44.1 41.2",
        "412.51us; 690308; 31 %; 44.1 %; 41.2 %",
        "dram 41.2%, duration 412.51 us, compute throughput 31, memory throughput 44.1%, elapsed cycles 690308",
        "Duration [us]\t412.51\nElapsed Cycles [cycle]\t690308\nCompute (SM) Throughput [%]\t31\n"
        "Memory Throughput [%]\t44.1\nDRAM Throughput [%]\t41.2",
        "gpu__time_duration.sum us 412,51\nElapsed Cycles: 690.308 cycle\nCompute (SM) Throughput: 31,0 %\n"
        "Memory Throughput: 44,10 %\nDRAM Throughput: 41,20 %",
    ],
    ids=["console", "order", "semicolons", "names", "tabs", "german"],
)
def test_a_page_is_answered_in_any_form_as_one_question(text: str):
    state = say(first_page(), REAL, text)
    assert {name: numbers(state)[name] for name in SOL} == pytest.approx(SOL)
    assert state.ask is not None and state.ask.id != "page:speed_of_light"
    assert replay(state.log) == state


def test_what_a_pasted_table_holds_beside_known_rows_is_said_once():
    state = say(first_page(), REAL, "Duration  us  412.51\nFlux Capacitor  volt  12")
    (card,) = (card for card in state.conversation if card.title == "Your own numbers")
    assert [line.label for line in card.lines] == ["duration_ns", "Not read"]
    assert "Flux Capacitor" in card.lines[-1].text


def test_what_is_left_out_is_not_asked_with_its_page_again():
    state = say(first_page(), REAL, "duration 412 us, dram 41%")
    left = {"sm_cycles_elapsed", "sm_throughput_pct", "memory_throughput_pct"}
    assert left <= {question for _, question in state.put_off}
    assert state.ask is not None and not left & {row.id for row in state.ask.rows}


def test_an_impossible_value_gives_one_line_and_leaves_the_page_open():
    state = first_page()
    event = understand("dram 830%", state)
    assert isinstance(event, e.NotUnderstood) and "outside the possible range" in event.because
    assert say(state, REAL, "dram 830%").ask == state.ask


def test_a_page_is_skipped_undone_and_corrected():
    state = say(first_page(), REAL, TABLE)
    second = state.ask
    assert second is not None
    skipped = say(state, REAL, "/skip")
    assert skipped.ask is not None and skipped.ask.id != second.id
    assert reduce(skipped, e.Back()).ask == second
    corrected = say(state, REAL, "dram 90%")
    assert numbers(corrected)["dram_pct"] == 90
    unknown = say(state, REAL, "d")
    assert {row.id for row in second.rows} <= {name for _, name in unknown.unknown}


def test_a_number_is_answered_alone_as_in_old_sessions():
    state = settle(reduce(first_page(), e.Answered("dram_pct", 41.2)), REAL)
    assert numbers(state) == {"dram_pct": 41.2}
    assert state.ask is not None and state.ask.id == "page:speed_of_light"
    assert "dram_pct" not in {row.id for row in state.ask.rows}


def test_the_interview_stops_and_says_what_it_lacks_and_how_to_go_on():
    state = say(first_page(), REAL, TABLE)
    for _ in range(30):
        if state.ask is None:
            break
        state = settle(reduce(state, e.Answered(state.ask.id, None)), REAL)
    assert state.ask is None and state.launch is not None and main_finding(state.launch) is not None
    text = " ".join(line.text for card in state.conversation if card.label == "Without a report" for line in card.lines)
    assert "Launch Statistics" in text and "type it with its name at any time" in text
    assert choices(state)
