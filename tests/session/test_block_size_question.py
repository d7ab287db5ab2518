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

BASE = {
    "block_size": 256.0,
    "grid_size": 4096.0,
    "registers_per_thread": 32.0,
    "shared_bytes_per_block": 1024.0,  # what CC 9.0 reserves of each block
    "sm_count": 132.0,
}


def reply(**values: float) -> Answer:
    one: LaunchDiagnosis = launch(0, "k", metrics={**BASE, **values}, findings=())
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
    assert found.then[0] != "what if the block size was 256"


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
    assert found.truth == "unknown"
