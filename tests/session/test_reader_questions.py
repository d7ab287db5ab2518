"""What first readers asked of gemm_one_output of the tour: how each question is read and what the answer says."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from tui.talk import say, settle

from advisor.session import events as e
from advisor.session.executor import Executor, sources
from advisor.session.language.asking import read_as
from advisor.session.language.understand import understand
from advisor.session.reducer import reduce
from advisor.session.state import State

TOUR = Path(__file__).parents[2] / "kernels" / "tour" / "recorded" / "h200" / "tour.ncu-rep.xz"
REAL = Executor(sources())


@cache
def gemm() -> State:
    state = settle(reduce(State(), e.Began((str(TOUR),))), REAL)
    return settle(reduce(state, e.LaunchSelected(5)), REAL)


def answer(text: str) -> str:
    """What the last card says after the question."""
    card = say(gemm(), REAL, text).cards[-1]
    return " ".join([card.title, *(f"{line.label} {line.text}" for line in card.lines)])


@pytest.mark.parametrize(
    ("text", "has", "lacks"),
    [
        ("what if I double the occupancy", ["98 %", "100 % is the most"], ["FP64"]),
        ("is it occupancy?", ["No: 98.4 % of the warp slots are filled", "Load/store pipe saturated"], ["test <="]),
        ("do i need more threads", ["of the warp slots are filled"], ["Missing", "metric that a rule needs"]),
        ("is 77% occupancy bad", ["of the warp slots are filled"], ["test <="]),
        ("why do i need coalescing", ["Coalescing", "sectors", "I read this as: what coalescing means"], []),
        ("should I use tensor cores here", ["undecided", "Which data type"], ["was not found"]),
        (
            "is 64 registers ok?",
            ["64 registers per thread let", "theoretical occupancy", "now 32 registers"],
            ["test <="],
        ),
        ("can i use shared memory here", ["a block uses 9,216 bytes of it now"], ["Low occupancy from shared memory"]),
        ("is it memory bound?", ["Not by DRAM, which runs at 0.5 %", "on-chip memory"], ["Yes"]),
        ("what does 3.1x mean", ["time falls to about a third"], ["No entry"]),
        ("what does 36 % margin mean", ["distance of a value from its threshold"], ["No entry"]),
        ("what is the margin", ["distance of a value from its threshold"], []),
        ("what does confidence mean", ["no probability"], []),
        ("what is the load/store pipe", ["Load/store unit: the pipe of each SM"], ["Did you mean"]),
        ("should I use shared memory", ["a block uses 9,216 bytes of it now"], []),
        ("why is it compute bound if memory is 91 %", ["L1/shared-memory-bound"], ["No metric is called"]),
        ("what happens with fewer threads per block", ["Block Size = 512 threads"], ["Name the value"]),
        ("open the door", ["No launch of this report is named there", "transpose_tile"], ["Speedup"]),
        ("how many blocks do I need", ["132 SMs need at least 132 blocks", "fill the GPU once"], []),
    ],
)
def test_what_readers_asked_is_answered(text: str, has: list[str], lacks: list[str]):
    said = answer(text)
    assert [part for part in has if part not in said] == [], said
    assert [part for part in lacks if part in said] == [], said


@pytest.mark.parametrize("text", ["why 92% long scoreboard", "/why 92% long scoreboard"])
def test_a_stall_reason_is_answered_with_what_the_warps_wait_for(text: str):
    state = say(gemm(), REAL, text)
    assert state.cards[-1].kind == "explanation" and "of the warps' cycles" in answer(text)


def test_double_before_a_name_says_how_much_and_after_none_which_data_type():
    assert [read_as(text, gemm()).subject.id for text in ("what if we double registers", "is it double")] == [  # type: ignore[union-attr]
        "register_pressure",
        "fp64",
    ]


@pytest.mark.parametrize("text", ["did it help?", "why is it faster?", "both did the same work"])
def test_after_a_comparison_a_question_about_the_change_is_answered_by_it(text: str):
    before = understand(text, gemm())
    assert not isinstance(before, e.OutcomeAsked)
    state = say(gemm(), REAL, f"/compare {TOUR}#11")
    assert len(state.experiments) == 2 and state.experiments[-1].change == "", "nobody said what was changed"
    said = say(state, REAL, text).cards[-1]
    assert (said.label, said.title) == ("Answer", text)
    assert said.lines[0].text.startswith(("Slower", "Faster", "No difference"))


def test_the_reading_of_none_of_them_is_wrong_with_confidence():
    wanted = {
        "what if I double the occupancy": "what_if",
        "do i need more threads": "is_cause",
        "why do i need coalescing": "explain",
        "why 92% long scoreboard": "stalls",
        "is 64 registers ok?": "judge",
    }
    read = {text: read_as(text, gemm()) for text in wanted}
    assert {text: meaning.intent for text, meaning in read.items()} == wanted
    assert all(meaning.confidence >= 0.2 for meaning in read.values())
