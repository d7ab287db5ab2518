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
    assert [row.row for row in ask.rows] == [
        *("Compute (SM) Throughput", "Memory Throughput", "L1/TEX Cache Throughput", "L2 Cache Throughput"),
        *("DRAM Throughput", "Duration", "Elapsed Cycles"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        TABLE,
        "31 44.1 20 30 41.2 412.51 us 690,308",
        "31 %; 44.1 %; -; -; 41.2 %; 412.51us; 690308",
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
    assert [line.label for line in card.lines] == ["Duration", "Not read"]
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


RULE = """
    OPT   Est. Speedup: 44.1%
          The memory access pattern for global stores to L1TEX might not be optimal. On average, only 4.0 of the
          32 bytes transmitted per sector are utilized by each thread. This could be caused by a stride between threads.
"""
MEMORY = """
    Section: Memory Workload Analysis
    ----------------- ----------- ------------
    Metric Name       Metric Unit Metric Value
    ----------------- ----------- ------------
    Mem Busy                    %        52.40
    L1/TEX Hit Rate             %        12.00
    L2 Hit Rate                 %        40.00
    ----------------- ----------- ------------
"""


@pytest.mark.parametrize(
    "text", [RULE + TABLE, TABLE + RULE, TABLE + RULE + MEMORY], ids=["before", "after", "between two sections"]
)
def test_a_paragraph_of_a_rule_in_a_pasted_table_is_answered_and_drops_no_row(text: str):
    state = say(first_page(), REAL, text)
    assert {name: numbers(state)[name] for name in SOL} == pytest.approx(SOL)
    answers = [card for card in state.conversation if card.label == "Answer"]
    assert len(answers) == 1 and answers[0].title.startswith("OPT Est. Speedup: 44.1%")
    assert "Section" not in answers[0].title and "690,308" not in answers[0].title
    assert replay(state.log) == state


def test_a_row_of_another_name_overwrites_no_number():
    state = say(first_page(), REAL, TABLE, MEMORY)
    assert numbers(state)["memory_throughput_pct"] == 44.1
    assert (numbers(state)["l1_hit_pct"], numbers(state)["l2_hit_pct"]) == (12, 40)


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("8 60 20 30 45 196.22us 690308", 196_220),
        ("8 60 20 30 45 412.51 690308", 412_510),
        ("8 60 20 30 45 412510 690308", 412_510),
        ("8 60 20 30 45 0.41251 690308", 412_510),
        ("8 60 20 30 45 196.22 -", None),
        ("8 60 20 30 45 196.22 690", None),
    ],
)
def test_a_duration_without_its_unit_takes_that_of_the_clock_and_none_without_cycles(text: str, duration: float | None):
    event = understand(text, first_page())
    assert isinstance(event, e.PageRead)
    assert dict(event.values).get("duration_ns") == (None if duration is None else pytest.approx(duration))
    assert dict(event.values)["dram_pct"] == 45
    assert [line for line in event.unread if "type its unit" in line] == ([] if duration else list(event.unread))
    assert bool(event.unread) is (duration is None)
    assert ("is read as" in event.remark) is (duration == 412_510), "how a bare number was read is said"


def test_a_time_without_its_unit_is_asked_back_at_once():
    state = say(first_page(), REAL, "8 60 20 30 45 1.42 -")
    assert state.ask is not None and [row.id for row in state.ask.rows] == ["duration_ns"]
    state = say(state, REAL, "1.42 ms")
    assert numbers(state)["duration_ns"] == 1.42e6 and state.ask is not None and state.ask.id != "page:speed_of_light"
    event = understand("duration 800, dram 40", first_page())
    assert isinstance(event, e.PageRead) and dict(event.values) == {"dram_pct": 40}
    assert "such as 800 us" in event.unread[0]


def test_a_list_shorter_than_its_page_says_which_rows_it_filled():
    state = say(first_page(), REAL, "8 60 45")
    (card,) = (card for card in state.conversation if card.title == "Your own numbers")
    labels = ["Compute (SM) Throughput", "Memory Throughput", "L1/TEX Cache Throughput"]
    assert [line.label for line in card.lines][:3] == labels
    assert card.lines[3].text == "3 numbers for 7 rows are read as the first 3"


def test_too_few_numbers_with_a_bare_time_are_in_no_row():
    event = understand("8 60 45 30 20 1.42", first_page())
    assert isinstance(event, e.NotUnderstood) and "which row is it" in event.because


@pytest.mark.parametrize("text", ["duration 8 ns", "8 60 20 30 45 8ns 690308"])
def test_no_kernel_takes_a_few_nanoseconds(text: str):
    event = understand(text, first_page())
    said = event.because if isinstance(event, e.NotUnderstood) else " ".join(getattr(event, "unread", ()))
    assert "type its unit" in said
    assert "duration_ns" not in dict(getattr(event, "values", ()))


def test_names_as_the_pages_show_them_are_read_on_every_page():
    state = say(first_page(), REAL, TABLE)
    for text, values in {
        "global store sectors/req 32, global load sectors/req 4": {
            "sectors_per_request_store": 32,
            "sectors_per_request_load": 4,
        },
        "L1/TEX Cache, Global Store: Sectors/Req 32": {"sectors_per_request_store": 32},
        "stall lg throttle 11.2, stall long scoreboard 7.5": {"stall_lg_throttle": 11.2, "stall_long_scoreboard": 7.5},
        "l1/tex 60%": {"l1_throughput_pct": 60},
        "width of global accesses 32": {"access_bits_mean": 32},
        "theoretical occupancy 100%, occupancy 92%": {"occupancy_theoretical_pct": 100, "occupancy_achieved_pct": 92},
        "global store sectors 4,194,304": {"global_store_sectors": 4_194_304},
    }.items():
        event = understand(text, state)
        assert isinstance(event, e.PageRead | e.Volunteered), text
        assert (dict(event.values), event.unread) == (pytest.approx(values), ()), text


def test_stores_of_more_sectors_than_any_width_needs_are_uncoalesced_without_the_width():
    state = say(first_page(), REAL, "compute 8%, memory 60%, dram 45%")
    state = say(state, REAL, "global store sectors/req 32, global load sectors/req 4")
    for _ in range(30):
        if state.ask is None:
            break
        state = settle(reduce(state, e.Answered(state.ask.id, None)), REAL)
    assert state.launch is not None and "access_bits_mean" not in numbers(state)
    first = main_finding(state.launch)
    assert first is not None and first.id == "uncoalesced_access"


def test_an_interview_without_a_cause_names_the_left_out_numbers_that_could_decide():
    state = say(first_page(), REAL, "compute 8%, memory 60%, dram 45%")
    state = say(state, REAL, "global store sectors/req 12, global load sectors/req 4")
    for _ in range(30):
        if state.ask is None:
            break
        state = settle(reduce(state, e.Answered(state.ask.id, None)), REAL)
    first = None if state.launch is None else main_finding(state.launch)
    assert first is None or first.id == "unexplained"
    (card,) = (
        card for card in state.conversation if card.label == "Without a report" and "page by page" not in card.title
    )
    assert card.title == "The cause depends on numbers that are left out"
    assert any(line.label == "Could decide" for line in card.lines)


SHARED = "duration 800 us, compute 22%, memory 92%, l1 92%, l2 25%, dram 20%"


def test_the_columns_of_the_shared_memory_table_are_read_under_their_own_names():
    state = say(first_page(), REAL, SHARED)
    assert numbers(state)["l1_throughput_pct"] == 92, "the summary row of ncu, not a part of it"
    event = understand("shared bank conflicts 30M, shared load requests 1M, shared wavefronts 32M", state)
    assert isinstance(event, e.PageRead | e.Volunteered)
    assert dict(event.values) == {"shared_load_inst": 1e6, "shared_load_wavefronts": 32e6}
    assert len(event.unread) == 1 and "overstates conflicts" in event.unread[0]
    for text in ("wavefronts of shared loads 5", "Shared Load Wavefronts 5", "smem ld wavefronts: 5"):
        assert dict(understand(text, state).values) == {"shared_load_wavefronts": 5}, text


def test_many_wavefronts_per_shared_request_are_bank_conflicts_at_any_width():
    state = say(first_page(), REAL, SHARED)
    few = say(state, REAL, "shared load requests 1M, shared load wavefronts 3M, shared store requests 0")
    assert few.launch is not None and "shared_wavefront_ratio" not in few.launch.metrics, "3 suit 8 or 16 bytes"
    many = say(state, REAL, "shared load requests 1M, shared load wavefronts 32M, shared store requests 0")
    assert many.launch is not None and many.launch.metrics["shared_wavefront_ratio"] == 8, "at least"
    first = main_finding(many.launch)
    assert first is not None and first.id == "bank_conflicts"
    wide = say(many, REAL, "width of shared accesses 32")
    assert wide.launch is not None and wide.launch.metrics["shared_wavefront_ratio"] == 32


def test_sixteen_sectors_are_followed_by_the_width_and_no_advice_to_stop():
    state = say(first_page(), REAL, "14.1, 89.3, 40, 60, 89.3, 1.42 ms, 2100000")
    state = say(state, REAL, "global load sectors/req 16, global store sectors/req 16, l1 hit 12%")
    assert state.ask is not None and state.ask.id == "access_bits_mean"
    early = say(state, REAL, "c")
    texts = [line.text for card in early.conversation[-6:] for line in card.lines]
    assert not any("Stop here" in text for text in texts) and any("Find out the access width" in text for text in texts)
    assert any(card.title.startswith("Do not stop yet") for card in early.conversation)
    first = main_finding(say(state, REAL, "32").launch)
    assert first is not None and first.id == "uncoalesced_access"
    first = main_finding(say(state, REAL, "128").launch)
    assert first is not None and first.id == "near_memory_roofline"


def test_the_issue_slots_follow_from_the_issued_warps():
    state = say(first_page(), REAL, "compute 22%, memory 60%, dram 30%")
    state = say(state, REAL, "issued warp per scheduler 0.18")
    assert state.launch is not None and state.launch.metrics["issue_pct"] == pytest.approx(18)


@pytest.mark.parametrize(
    ("text", "gpu"),
    [
        ("a100-sxm4-40", "A100-SXM-40GB"),
        ("NVIDIA H100 80GB HBM3", "H100-SXM"),
        ("rtx 4090", "RTX-4090"),
        ("h200", "H200-SXM"),
    ],
)
def test_a_gpu_is_chosen_by_any_of_its_names_or_the_beginning_of_one(text: str, gpu: str):
    state, at = begin(at=REAL)
    event = understand(text, say(state, at, "kernel"))
    assert isinstance(event, e.Answered) and event.value == gpu


def test_the_beginning_of_several_gpus_lists_them_first_and_nothing_else_is_read_into_it():
    state, at = begin(at=REAL)
    state = say(state, at, "kernel")
    asked = say(state, at, "h100")
    assert [choice.label for choice in choices(asked)][:3] == ["H100-SXM", "H100-PCIE", "H100-NVL"]
    assert len({choice.label for choice in choices(asked)}) == len(choices(asked)), "none is listed twice"
    assert say(asked, at, "1").answer("gpu") == "H100-SXM"
    assert isinstance(understand("dram 80%", state), e.Volunteered)
    unknown = understand("gtx 9999", state)
    assert isinstance(unknown, e.NotUnderstood) and unknown.because == "No GPU has this name."
