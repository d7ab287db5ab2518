"""Numbers that people type beside ncu-ui: how they spell them, what is asked, when the interview ends, what it says."""

from __future__ import annotations

import pytest
from tui.talk import settle

from advisor.knowledge.base import catalog
from advisor.reasoning.diagnose import analyse_numbers
from advisor.records.diagnosis import LaunchDiagnosis, main_finding
from advisor.records.quantities import gain_text, saved_text
from advisor.session import events as e
from advisor.session.executor import Executor, sources
from advisor.session.language.understand import understand
from advisor.session.method.kernel import HERE
from advisor.session.reducer import reduce
from advisor.session.state import State
from advisor.view.charts.bars import speed_of_light

SOL = "compute 30%, memory 92%, l1 93%, l2 15%, dram 20%, 2.9 ms"
CONFLICTS = "shared load requests 1,000,000, wavefronts 32,000,000"
L1 = {"sm_throughput_pct": 30.0, "memory_throughput_pct": 92.0, "l1_throughput_pct": 92.0}
L1 |= {"l2_throughput_pct": 15.0, "dram_pct": 20.0, "duration_ns": 3e6}
SHARED = {"shared_load_inst": 1e6, "shared_load_wavefronts": 32e6}


@pytest.fixture(scope="module")
def at() -> Executor:
    return Executor(sources())


def asked(at: Executor) -> State:
    """The interview about a kernel on an H100, at its first page."""
    state = settle(reduce(State(), e.Began()), at)
    begin = (e.Answered("subject", "kernel"), e.Answered("gpu", "H100-SXM"), e.Expected(None, again=False))
    for event in begin:
        state = settle(reduce(state, event), at)
    return state


def type_in(state: State, at: Executor, *lines: str) -> State:
    for line in lines:
        event = understand(line, state)
        assert event is not None
        state = settle(reduce(state, event), at)
    return state


def launch(values: dict[str, float]) -> LaunchDiagnosis:
    return analyse_numbers(values, gpu="H100-SXM").diagnosis.launches[0]


@pytest.mark.parametrize(
    ("line", "values"),
    [
        (CONFLICTS, SHARED),
        ("shared loads: 1000000 requests, 32000000 wavefronts", SHARED),
        ("shared load req 1M wavefronts 32M", SHARED),
        (f"{CONFLICTS}, width float4", {**SHARED, "shared_bits_mean": 128}),
        ("shared load wavefronts 32,000,000 requests 1,000,000", SHARED),
        ("Shared Load 1,000,000 1,000,000 32,000,000 88.12 31,000,000", SHARED),
        (
            "Shared Memory\n\tInstructions\tRequests\tWavefronts\t% Peak\tBank Conflicts\n"
            "Shared Load\t1,000,000\t1,000,000\t32,000,000\t88.1\t31,000,000\n"
            "Total\t1,000,000\t1,000,000\t32,000,000\t88.1\t31,000,000",
            {**SHARED, "shared_wavefronts_hw": 32e6, "shared_wavefronts_hw_pct": 88.1},
        ),
        ("global load: requests 1,000, sectors 32,000", {"global_load_inst": 1e3, "global_load_sectors": 32e3}),
        ("memory throughput: -, dram 20%", {"dram_pct": 20}),
        ("dram 20%, 2.9 ms", {"dram_pct": 20, "duration_ns": 2.9e6}),
        (
            "Compute (SM) Throughput [%] 30.1 Memory Throughput [%] 92.1",
            {"sm_throughput_pct": 30.1, "memory_throughput_pct": 92.1},
        ),
        ("long scoreboard 9.1, barrier 0.5", {"stall_long_scoreboard": 9.1, "stall_barrier": 0.5}),
    ],
)
def test_rows_are_read_as_people_type_and_paste_them(at: Executor, line: str, values: dict[str, float]):
    event = understand(line, asked(at))
    assert isinstance(event, e.PageRead | e.Volunteered)
    assert dict(event.values) == pytest.approx(values)
    assert event.unread == ()


def test_the_counter_of_conflicts_is_no_ratio(at: Executor):
    event = understand("bank conflicts 31000000", asked(at))
    assert isinstance(event, e.NotUnderstood) and "overstates" in event.because


def test_a_percentage_is_no_count(at: Executor):
    state = type_in(asked(at), at, SOL)
    while state.ask is not None and state.ask.id != "page:memory":
        state = type_in(state, at, "d")
    event = understand("30%, 40%", state)
    # The rows of the page may be shares or counts; a percentage is read into a share only.
    read = dict(event.values) if isinstance(event, e.PageRead) else {}
    assert all(catalog().metrics[name].unit == "%" for name in read)
    assert isinstance(event, e.NotUnderstood) or (len(read) < 2 and "expected a number" in event.unread[0])


@pytest.mark.parametrize("dash", ["-", "–", "n/a", "d"])
def test_a_lone_dash_is_a_section_that_the_user_does_not_have(at: Executor, dash: str):
    state = asked(at)
    assert state.ask is not None and state.ask.kind == "page"
    page = state.ask.id
    event = understand(dash, state)
    assert event == e.Answered(page, None, dash)
    after = type_in(state, at, dash)
    while after.ask is not None:
        assert after.ask.id != page, "a section that is not there is not asked again"
        after = type_in(after, at, "d")


def test_a_busy_l1_leads_to_the_rows_of_shared_memory_whatever_else_is_unknown(at: Executor):
    for first in (SOL, "sol l1 92 %"):
        state, rows = type_in(asked(at), at, first), list[str]()
        for _ in range(12):
            if state.ask is None:
                break
            rows += [row.id for row in state.ask.rows]
            state = type_in(state, at, "d")
        assert state.ask is None
        assert {"shared_load_inst", "shared_load_wavefronts"} <= set(rows)


def test_the_interview_ends_soon_after_a_cause_that_no_other_can_overtake(at: Executor):
    state = type_in(
        asked(at), at, SOL, "L1: Data Pipe Lsu Wavefronts 92%", f"{CONFLICTS}, width float, shared % peak 88"
    )
    count = 0
    while state.ask is not None:
        count += 1
        state = type_in(state, at, "d")
    found = None if state.launch is None else main_finding(state.launch)
    assert found is not None and found.id == "bank_conflicts" and found.speedup is not None
    assert count <= 3


def test_n_way_conflicts_are_a_number_only_for_a_known_width():
    unknown, narrow, wide = (
        launch({**L1, **SHARED, **bits}) for bits in ({}, {"shared_bits_mean": 32.0}, {"shared_bits_mean": 128.0})
    )
    says = [next(q.says for q in one.quantities if q.id == "conflict_speedup") for one in (unknown, narrow, wide)]
    assert [text.split("-way")[0].split()[-3:] for text in says[:1]] == [["8", "to", "32"]]
    assert says[1].startswith("32.0-way") and says[2].startswith("8.0-way")
    assert unknown.metrics["shared_wavefront_ratio_most"] == 32
    assert "shared_bits_mean" in analyse_numbers({**L1, **SHARED}, gpu="H100-SXM").wanted(["shared_bits_mean"])


def test_what_was_typed_gives_one_picture():
    one = launch(L1)
    assert one.verdict.because.startswith("memory runs at 92 %, led by L1/TEX")
    assert "leading unit: L1/TEX at 92 %" in one.verdict.notes
    rows = {row.label: row.text for row in speed_of_light(one.metrics, "memory")}
    assert (rows["L2"], rows["L1 data"], rows["DRAM"]) == ("≤ 15.0 %", "≤ 92.0 %", "20.0 %")
    texts = [line.text for line in HERE["2"](State(), one)]
    assert any("L2 at most 15 %" in text for text in texts)


def test_a_total_that_no_known_unit_reaches_is_named_itself():
    one = launch({"sm_throughput_pct": 30.0, "memory_throughput_pct": 92.0, "dram_pct": 20.0})
    assert "leading unit: memory throughput at 92 %" in one.verdict.notes
    both = launch({**L1, "l2_throughput_pct": 92.0})
    assert "led by a unit that the numbers do not name" in both.verdict.because, "either cache may be the one"


def test_a_bound_by_sectors_uses_the_typed_dram_and_a_width_typed_later_is_shown_at_once(at: Executor):
    state = type_in(asked(at), at, SOL, "sectors per request 32")
    formula = next(line.text for card in state.cards for line in card.lines if line.label == "Formula")
    # DRAM at 20 % takes a fifth of the time for the same bytes, whatever the 8-fold excess of sectors costs in L1.
    assert "at most 5× where DRAM, at 20 % now, moves the same bytes" in formula
    assert "8×" not in formula
    state = type_in(state, at, "access width 32 bit")
    changed = next(card for card in reversed(state.cards) if card.label == "What changed")
    assert any("where 4.0 would do, 88 %" in line.text for line in changed.lines)
    # Where DRAM leads, its own traffic is what the excess costs.
    led = launch({**L1, "l1_throughput_pct": 50, "dram_pct": 92.0, "sectors_per_request_load": 32})
    assert next(q for q in led.quantities if q.id == "sector_waste").at_most == pytest.approx(8)


def test_a_gain_that_may_be_none_says_up_to():
    assert gain_text(16.0, 1.0, 33.0) == "up to 33×, possibly none"
    assert gain_text(2.2, 1.9, 2.6) == "2.2× (1.9–2.6×)"
    assert gain_text(1.08, 1.02, 1.1) == "1.08× (1.02–1.1×)"
    assert saved_text(0.0, 2.9e6) == "≤ 2.9 ms"
    assert saved_text(2.12e6, 2.88e6) == "2.1–2.9 ms"
    assert saved_text(1e5, 1e5) == "100 µs"


def test_the_row_total_of_shared_memory_stands_for_the_l1_data_stage():
    one = launch({**L1, **SHARED, "shared_bits_mean": 32.0, "shared_wavefronts_hw_pct": 88.0})
    assert one.metrics["l1_wavefronts_pct"] == 88
    found = main_finding(one)
    assert found is not None and found.id == "bank_conflicts" and found.speedup is not None
    less = launch({**L1, **SHARED, "shared_bits_mean": 32.0, "shared_wavefronts_hw_pct": 40.0})
    assert "l1_wavefronts_pct" not in less.metrics, "the rest of L1 may be anything"


def test_one_sector_for_all_lanes_is_weak_evidence_of_uniform_loads():
    values = {
        "sm_throughput_pct": 50.0,
        "memory_throughput_pct": 92.0,
        "l1_wavefronts_pct": 80.0,
        "l1_requests_pct": 92.0,
    }
    values |= {"lsu_pct": 92.0, "dram_pct": 10.0, "l2_pct": 12.0, "global_load_inst": 1e6, "global_store_inst": 1e4}
    values |= {"sectors_per_request_load": 1.1, "lanes_active": 32.0}
    found = {f.id for f in launch({**values, "access_bits_mean": 32.0}).findings}
    assert "uniform_global_loads" in found
    assert "uniform_global_loads" not in {f.id for f in launch({**values, "access_bits_mean": 8.0}).findings}
