"""Causes that typed numbers must show at once, and the questions that follow them."""

from __future__ import annotations

import pytest
from session.test_typed_cases import CONFLICTS, SOL, asked, at, launch, type_in
from tui.talk import settle

from advisor.reasoning.diagnose import analyse_numbers
from advisor.records.diagnosis import main_finding
from advisor.session import events as e
from advisor.session.executor import Executor
from advisor.session.language.understand import understand
from advisor.session.reducer import reduce
from advisor.session.state import State

__all__ = ["at"]  # the fixture
EIGHT_WAYS = "memory throughput 85%, L1 84%, shared loads 1M requests 8M wavefronts"


def first_of(state: State) -> str:
    found = None if state.launch is None else main_finding(state.launch)
    return "" if found is None else found.id


def rows_until_the_end(state: State, desk: Executor) -> list[str]:
    """The rows of all pages that follow when the user knows none of them."""
    out: list[str] = []
    for _ in range(20):
        if state.ask is None:
            return out
        out += [row.id for row in state.ask.rows] or [state.ask.id]
        state = type_in(state, desk, "d")
    raise AssertionError("it goes on asking")


def test_bank_conflicts_are_named_at_once_without_gpu_duration_and_pages(at: Executor):
    state = settle(reduce(settle(reduce(State(), e.Began()), at), e.Answered("subject", "kernel")), at)
    assert state.ask is not None and state.ask.id == "gpu"
    state = type_in(state, at, EIGHT_WAYS)
    assert first_of(state) == "bank_conflicts"
    assert first_of(type_in(asked(at), at, EIGHT_WAYS)) == "bank_conflicts"
    none = EIGHT_WAYS.replace("8M", "1M")
    assert first_of(type_in(asked(at), at, none)) != "bank_conflicts"


def test_the_l2_of_a_workload_is_its_unit_and_no_row_of_ncu(at: Executor):
    state = settle(reduce(settle(reduce(State(), e.Began()), at), e.Answered("subject", "workload")), at)
    event = understand("sm 48 %, tex unit 40 %, l2 30 %, crop 2 %, tex hit rate 82 %", state)
    assert isinstance(event, e.Volunteered)
    assert {"l2_pct": 30.0, "tex_unit_pct": 40.0, "sm_throughput_pct": 48.0}.items() <= dict(event.values).items()


def test_l1_far_below_memory_throughput_is_not_what_conflicts_cost():
    values = {"shared_load_inst": 1e6, "shared_load_wavefronts": 8e6, "memory_throughput_pct": 85.0}
    for l1, named in ((84.0, True), (76.0, True), (70.0, False)):
        found = {finding.id for finding in launch({**values, "l1_throughput_pct": l1}).findings}
        assert ("bank_conflicts" in found) is named


def test_doubles_by_mistake_are_asked_about_where_only_utilisations_are_known(at: Executor):
    state = type_in(asked(at), at, "FP64 pipe 90%, FMA pipe 5%")
    assert state.launch is not None and any("without an f suffix" in note for note in state.launch.verdict.notes)
    assert "intended_dtype" in rows_until_the_end(state, at)
    numbers = {"pipe_fp64_pct": 90.0, "pipe_fma_pct": 5.0}
    for answer, found in (("f32", "fp64_unintended"), ("f64", "near_compute_roofline")):
        one = analyse_numbers({**numbers, "intended_dtype": answer}, gpu="H100-SXM").diagnosis.launches[0]
        assert main_finding(one).id == found
    one = analyse_numbers(numbers, gpu="RTX 4090").diagnosis.launches[0]
    assert not any("f suffix" in note for note in launch({"pipe_fp64_pct": 5.0, "pipe_fma_pct": 90.0}).verdict.notes)


@pytest.mark.parametrize(
    "line",
    [
        "memory throughput 92%, L1 92%",
        "compute 30%, memory 92%, l1 92%, l2 15%, dram 20%, 2.9 ms",
        "Memory Throughput 92%, L1: Data Pipe Lsu Wavefronts 92%",
        "sol memory 92 %, l1 92 %, dram 20 %",
    ],
)
def test_whatever_else_is_unknown_a_full_l1_is_asked_for_its_shared_memory(at: Executor, line: str):
    rows = rows_until_the_end(type_in(asked(at), at, line), at)
    assert {"shared_load_inst", "shared_load_wavefronts"} <= set(rows)
    assert len(rows) == len(set(rows)), "and nothing is asked twice"


def test_the_width_of_the_accesses_is_asked_before_a_number_of_ways_is_told(at: Executor):
    state = type_in(asked(at), at, SOL, CONFLICTS)
    assert first_of(state) == "bank_conflicts" and state.launch is not None
    assert "8 to 32×" in state.launch.findings[0].because
    assert state.ask is not None and "shared_bits_mean" in [row.id for row in state.ask.rows]
    state = type_in(state, at, "width of shared accesses 32")
    assert state.launch is not None and "32.0×" in state.launch.findings[0].because


def test_a_cause_that_nothing_overtakes_ends_the_questions(at: Executor):
    state = type_in(asked(at), at, SOL, "L1: Data Pipe Lsu Wavefronts 92%")
    before = len(rows_until_the_end(state, at))
    found = type_in(state, at, f"{CONFLICTS}, width float, shared % peak 88")
    assert first_of(found) == "bank_conflicts"
    pages, now = 0, found
    while now.ask is not None:
        pages, now = pages + 1, type_in(now, at, "d")
    assert pages <= 2
    rows = rows_until_the_end(found, at)
    assert len(rows) < before
    # Barriers that are certain could be worth as much as these conflicts, of which 85 % are certain.
    assert not {"grid_size", "waves", "ffma_inst"} & set(rows), "they cannot come first any more"


@pytest.mark.parametrize(
    ("values", "leader"),
    [
        ({"l1_throughput_pct": 92.0, "dram_pct": 20.0}, "L1/TEX at 92 %"),
        ({"memory_throughput_pct": 92.0, "dram_pct": 20.0}, "memory throughput at 92 %"),
        ({"sm_throughput_pct": 30.0, "memory_throughput_pct": 92.0, "dram_pct": 20.0}, "memory throughput at 92 %"),
        ({"dram_pct": 20.0}, ""),
        ({"sm_throughput_pct": 30.0, "dram_pct": 20.0}, ""),
    ],
)
def test_a_unit_that_is_hardly_used_is_no_leader_beside_unknown_ones(values: dict[str, float], leader: str):
    notes = [note for note in launch(values).verdict.notes if note.startswith("leading unit")]
    assert notes == ([f"leading unit: {leader}"] if leader else [])


@pytest.mark.parametrize("known", [True, False])
def test_a_fix_of_special_functions_gains_whether_or_not_the_fma_pipe_was_counted(known: bool):
    values = {"sm_throughput_pct": 97.0, "memory_throughput_pct": 7.0, "dram_pct": 5.0, "duration_ns": 1e6}
    values |= {"pipe_xu_pct": 97.0, "pipe_fma_pct": 24.0, "pipe_alu_pct": 7.0, "pipe_fp64_pct": 0.0, "issue_pct": 42.0}
    values |= {"pipe_tensor_pct": 0.0, "mufu_inst": 1e8, "conversion_inst": 0.0, "inst_executed": 7e8}
    one = launch({**values, **({"fma_pipe_inst": 3.2e8} if known else {})})
    found = main_finding(one)
    assert found is not None and found.id == "sfu_saturation"
    assert found.speedup is not None and found.speedup.estimate > 1.2


def test_what_conversions_leave_of_a_pipe_that_was_not_counted_is_unknown_and_not_nothing():
    values = {"sm_throughput_pct": 91.0, "memory_throughput_pct": 10.0, "dram_pct": 10.0, "duration_ns": 1e6}
    values |= {"pipe_xu_pct": 91.0, "pipe_fma_pct": 45.0, "pipe_alu_pct": 26.0, "pipe_fp64_pct": 0.0, "issue_pct": 71.0}
    values |= {"pipe_tensor_pct": 0.0, "mufu_inst": 0.0, "conversion_inst": 1e8, "inst_executed": 9e8}
    values |= {"f64_conversion_inst": 0.0, "fp64_inst": 0.0}
    found = main_finding(launch(values))
    assert found is not None and found.id == "conversions_saturate" and found.speedup is None
    found = main_finding(launch({**values, "xu_inst": 1e8, "fma_pipe_inst": 4e8}))
    assert found is not None and found.speedup is not None and found.speedup.estimate > 1.15
