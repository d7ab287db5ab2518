"""What-if questions about another launch change the launch: grid, threads per block, registers, shared memory."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from tui.talk import settle

from advisor.knowledge.base import catalog
from advisor.reasoning.diagnose import analyse
from advisor.records.errors import UsageError
from advisor.records.questions import SPILLED, Meaning
from advisor.session import events as e
from advisor.session.executor import Executor, sources
from advisor.session.language.known import known
from advisor.session.language.launch_values import launch_values
from advisor.session.language.understand import understand
from advisor.session.questions import answer, launch_supposed
from advisor.session.reducer import reduce
from advisor.session.state import State
from advisor.view.pages.answer import answer_page
from advisor.view.pages.answer import answered as answered_with
from advisor.view.pages.answers.parts import Asked
from advisor.view.writers.terminal import terminal_text
from tests.changed import replace

KERNELS = Path(__file__).parents[2] / "kernels"
SHARED = KERNELS / "capped-occupancy-shared" / "recorded" / "h200" / "profile.ncu-rep.xz"
REGISTERS = KERNELS / "capped-registers" / "recorded" / "h200" / "profile.ncu-rep.xz"
REAL = Executor(sources())
RESERVED = 1024  # bytes of each block's shared memory, CC 8.0 on


@cache
def opened(path: Path) -> State:
    return settle(reduce(settle(reduce(State(), e.Began((str(path),))), REAL), e.LaunchSelected(0)), REAL)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("what if i launch 264 blocks", {"grid_size": 264}),
        ("what if I had 1,056 blocks", {"grid_size": 1056}),
        ("what if the grid was 512", {"grid_size": 512}),
        ("suppose twice the blocks", {"grid_size": 2 * 8192}),
        ("what if I launch 4 blocks per SM", {"grid_size": 4 * 132}),
        ("would 64 registers be enough", {"registers_per_thread": 64}),
        ("what if 64 registers", {"registers_per_thread": 64}),
        ("what if I cap registers at 24", {"registers_per_thread": 24}),
        ("what if half the registers", {"registers_per_thread": 16}),
        ("what with maxrregcount=40", {"registers_per_thread": 40}),
        ("what if I use blocks of 128 threads", {"block_size": 128}),
        ("what if 16x16 blocks", {"block_size": 256}),
        ("what if 512 threads per block and 40 registers", {"block_size": 512, "registers_per_thread": 40}),
        ("what if half the block size", {"block_size": 128}),
        ("what if without shared memory", {"shared_bytes_per_block": RESERVED}),
        ("what if 48 KB of shared memory", {"shared_bytes_per_block": 48 * 1024 + RESERVED}),
        ("what if 8 blocks per SM", {"occupancy_theoretical_pct": 100}),
        ("what if I launch 264 thread blocks", {"grid_size": 264}),
        ("what if 256-thread blocks", {"block_size": 256}),
        ("what if blocks of 4 warps", {"block_size": 128}),
        ("what if 8 warps per block", {"block_size": 256}),
        ("what if 264 blocks of 256 threads", {"grid_size": 264, "block_size": 256}),
        ("what if 1.5x the blocks", {}),
        ("what if 100.5 registers", {}),
        ("what if I launch 2.5 blocks per SM", {}),
        ("what if clusters of 2 blocks", {}),
        ("what if 64 blocks more", {}),
        ("what if I saved 8 registers", {}),
        ("what if there were no shared memory bank conflicts", {}),
        ("what if dram was 40 %", {}),
        ("what if half the sectors", {}),
    ],
)
def test_words_about_a_launch_are_its_grid_blocks_registers_and_shared_memory(text, wanted):
    assert launch_values(text, opened(REGISTERS).launch) == wanted


def test_other_registers_move_the_limits_the_occupancy_and_the_waves():
    launch = opened(REGISTERS).launch
    values = dict(launch_supposed({"registers_per_thread": 64.0}, launch, catalog()))
    # 64 registers for 256 threads: a quarter of the 65,536 registers for each block.
    assert values["occupancy_limit_registers"] == values["blocks_per_sm_limit"] == 4
    assert values["occupancy_theoretical_pct"] == 50
    assert values["waves"] == pytest.approx(8192 / (132 * 4))
    assert values["occupancy_achieved_pct"] <= 50
    same = dict(launch_supposed({"registers_per_thread": launch.metrics["registers_per_thread"]}, launch, catalog()))
    assert same["waves"] == pytest.approx(launch.metrics["waves"], rel=1e-3)
    assert "occupancy_theoretical_pct" not in same


def test_less_shared_memory_lets_more_blocks_run_but_keeps_the_other_limits():
    launch = opened(SHARED).launch
    values = dict(launch_supposed({"shared_bytes_per_block": 32 * 1024.0 + RESERVED}, launch, catalog()))
    assert values["blocks_per_sm_limit"] == 6
    assert values["occupancy_limit_registers"] == launch.metrics["occupancy_limit_registers"]


def test_a_block_that_cannot_run_is_refused_in_words():
    with pytest.raises(UsageError, match=r"does not fit an SM: registers allow none"):
        launch_supposed({"block_size": 1024.0, "registers_per_thread": 128.0}, opened(REGISTERS).launch, catalog())


@pytest.mark.parametrize(
    ("text", "metric", "value"),
    [
        ("what if i launch 264 blocks", "grid_size", 264),
        ("what if 64 registers", "registers_per_thread", 64),
        ("would 64 registers be enough", "registers_per_thread", 64),
        ("what if I use blocks of 128 threads", "block_size", 128),
        ("/whatif 264 blocks", "grid_size", 264),
        ("/whatif 64 registers", "registers_per_thread", 64),
        ("/whatif dram_pct=40", "dram_pct", 40),
    ],
)
def test_a_line_of_the_session_supposes_the_launch_that_it_names(text, metric, value):
    event = understand(text, opened(REGISTERS))
    if isinstance(event, e.QuestionAsked):  # a doubtful reading says first how it is read
        assert answered(text).count("Registers Per Thread = 64") == 1
        return
    assert isinstance(event, e.WhatIfAsked)
    assert dict(event.values)[metric] == value
    assert dict(event.values).get("occupancy_limit_blocks", 32) == 32  # a limit of the GPU


@cache
def answered(text: str) -> str:
    made = answer(text, analyse([REGISTERS]), 0, known(()), "REPORT")
    return " ".join(terminal_text(answer_page(made.meaning, made.answer, made.asked, "")).split())


def test_the_answer_names_what_follows_from_the_registers_and_who_knows_the_spills():
    text = answered("would 64 registers be enough")
    for part in ("Theoretical Occupancy = 50.0 % (now 100.0 %)", "4 blocks (now 8 blocks)", "`-Xptxas -v` shows"):
        assert part in text


@pytest.mark.parametrize("text", ["how many bytes are spilled", "how much is spilled?", "number of spill requests"])
def test_what_is_spilled_is_a_count_of_local_memory_not_of_dram(text):
    says = answered(text)
    assert "118,358,016 spill requests" in says
    assert "15.2 GB of local memory through L1" in says
    assert "dram_bytes" not in says


def test_without_the_counts_what_is_spilled_is_unknown_and_the_command_that_collects_it_is_said():
    launch = opened(REGISTERS).launch
    assert launch is not None
    metrics = {name: value for name, value in launch.metrics.items() if name not in ("spill_inst", "local_inst")}
    meaning = Meaning(text="how many bytes are spilled", intent=SPILLED, says="", confidence=1.0)
    says = answered_with(meaning, Asked((replace(launch, metrics=metrics),), 0, "REPORT"))
    assert says.truth == "unknown"
    assert says.says.startswith("Unknown: ")
    assert says.run and says.run[0].startswith("ncu --section")
    none = answered_with(meaning, Asked((replace(launch, metrics={**metrics, "spill_inst": 0.0}),), 0, "REPORT"))
    assert none.says.startswith("None")
