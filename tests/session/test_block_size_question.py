"""Which block size to use: how the question is read, and the sizes in its answer."""

from __future__ import annotations

import pytest
from session.test_questions import names
from tui.factory import launch

from advisor.records.diagnosis import LaunchDiagnosis
from advisor.records.questions import BLOCK_SIZE, Meaning
from advisor.session.language.meaning import meaning_of
from advisor.view.blocks import Facts, Table
from advisor.view.pages.answer import answered
from advisor.view.pages.answers.parts import Answer, Asked
from tests.changed import replace

BASE = {
    "block_size": 256.0,
    "grid_size": 4096.0,
    "registers_per_thread": 32.0,
    "shared_bytes_per_block": 1024.0,  # what CC 9.0 reserves of each block
    "sm_count": 132.0,
}


def reply(cc: str = "9.0", **values: float) -> Answer:
    made = launch(0, "k", metrics={**BASE, **values}, findings=())
    one: LaunchDiagnosis = replace(made, gpu=replace(made.gpu, cc=cc))
    return answered(Meaning(text="", intent=BLOCK_SIZE, says="", confidence=1.0), Asked((one,), 0))


def table(found: Answer) -> dict[str, tuple[str, ...]]:
    (made,) = (block for block in found.blocks if isinstance(block, Table))
    return {row[0].text: tuple(cell.text for cell in row[1:]) for row in made.rows}


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("what block size should I use", BLOCK_SIZE),
        ("which block size is best", BLOCK_SIZE),
        ("best block size?", BLOCK_SIZE),
        ("what is the optimal number of threads per block", BLOCK_SIZE),
        ("how many threads per block should I launch", BLOCK_SIZE),
        ("recommend a block size", BLOCK_SIZE),
        ("how do I choose the block size", BLOCK_SIZE),
        ("how many threads per block does it use", "value"),
        ("what is the block size", "value"),
        ("what if the block size was 256", "what_if"),
        ("is 256 a good block size", "judge"),
        ("what block size should I choose", BLOCK_SIZE),
        ("which number of threads per block is best", BLOCK_SIZE),
        ("what thread block size do you suggest", BLOCK_SIZE),
    ],
)
def test_the_question_is_told_from_its_neighbours(question: str, intent: str) -> None:
    assert meaning_of(question, names()).intent == intent


def test_each_size_has_the_blocks_that_fit_and_as_many_threads() -> None:
    rows = table(reply())
    # 32 registers: 64 warps fit, 2,048 threads of an SM; 4,096 blocks of 256 threads are 8,192 of 128.
    assert rows["128"] == ("16", "100.0 %", "8,192", "3.88")
    assert rows["256 (now)"] == ("8", "100.0 %", "4,096", "3.88")
    assert rows["768"][:2] == ("2", "75.0 %")


def test_a_size_with_room_for_more_warps_is_named() -> None:
    # 65,536 registers hold 1,280 threads with 48 each (a warp takes 1,536): one block of 1,024, or ten of 128.
    found = reply(block_size=1024.0, registers_per_thread=48.0)
    assert found.says.endswith("instead of 50.0 % with 1,024.")
    assert "128" in found.says
    assert found.then[0] == "what if the block size was 64"


def test_the_size_of_now_is_kept_where_no_other_one_is_better() -> None:
    found = reply()
    assert found.says.startswith("256, as now: no other block size lets more warps run on an SM")
    assert found.then[0] == "what if the block size was 64"  # as many warps


def test_only_a_size_with_as_many_warps_or_the_next_best_is_tried_next() -> None:
    found = reply(cc="8.0", block_size=640.0, registers_per_thread=48.0, shared_bytes_per_block=49_024.0)
    assert found.says.startswith("640, as now")
    percents = {size: float(row[1].rstrip(" %")) for size, row in table(found).items() if not size.endswith("(now)")}
    wanted = found.then[0].removeprefix("what if the block size was ")
    assert percents[wanted] == max(percents.values())


def test_a_size_that_kernels_are_seldom_written_with_is_named_where_it_alone_is_best() -> None:
    # 49,024 bytes of shared memory: three blocks fit an SM of CC 8.0, and two of the largest that 48 registers allow.
    found = reply(cc="8.0", block_size=384.0, registers_per_thread=48.0, shared_bytes_per_block=49_024.0)
    assert "640" in table(found)
    assert found.says == "640: theoretical occupancy 62.5 %, instead of 56.2 % with 384."


def test_a_grid_with_fewer_blocks_than_sms_needs_more_blocks_first() -> None:
    found = reply(block_size=1024.0, grid_size=8.0)
    assert found.says == (
        "64: the grid has fewer blocks (8) than the GPU has SMs (132), "
        "and as many threads in smaller blocks are 128 blocks."
    )
    assert reply(block_size=64.0, grid_size=8.0).says.startswith("64, as now: the grid has fewer blocks (8)")


def test_unknown_shared_memory_is_not_none() -> None:
    without = {name: value for name, value in BASE.items() if name != "shared_bytes_per_block"}

    def told(percent: float) -> Answer:
        one = launch(0, "k", metrics={**without, "occupancy_theoretical_pct": percent}, findings=())
        return answered(Meaning(text="", intent=BLOCK_SIZE, says="", confidence=1.0), Asked((one,), 0))

    assert told(100.0).says.startswith("256, as now")
    assert told(25.0).truth == "unknown" and "hared" in told(25.0).says


@pytest.mark.parametrize("registers", [0.0, -5.0, float("nan")])
def test_impossible_registers_are_unknown(registers: float) -> None:
    found = reply(registers_per_thread=registers)
    assert found.truth == "unknown" and found.says.startswith("Unknown: Registers")


def test_a_launch_without_a_gpu_says_how_to_name_it() -> None:
    assert reply(cc="").says == "Unknown: the report does not name its GPU; `--gpu NAME` of `diagnose` does."


def test_shared_memory_of_the_block_is_named_only_if_the_kernel_asks_for_some() -> None:
    def kept(found: Answer) -> str:
        (facts,) = (block for block in found.blocks if isinstance(block, Facts))
        return next(row.text for row in facts.rows if row.label == "Kept")

    assert "shared memory" not in kept(reply())
    assert "shared memory per block" in kept(reply(shared_bytes_per_block=33_792.0))


def test_a_launch_without_its_registers_says_what_is_missing() -> None:
    found = answered(
        Meaning(text="", intent=BLOCK_SIZE, says="", confidence=1.0),
        Asked((launch(0, "k", metrics={"block_size": 256.0}, findings=()),), 0),
    )
    assert found.truth == "unknown" and found.says.startswith("Unknown: Registers")


@pytest.mark.parametrize(
    "question",
    [
        "what block size should I avoid",
        "how should I not choose the block size",
        "which block size did the author choose",
        "what block size does ncu recommend",
    ],
)
def test_what_to_avoid_and_what_others_chose_is_another_question(question: str) -> None:
    assert meaning_of(question, names()).intent != BLOCK_SIZE
