"""Arithmetic that all threads of a block share, as metrics of a launch and of the launches of a report."""

from __future__ import annotations

import pytest

from advisor.readers.shared_work import SharedWork, shared_work

TEXTS = {0: "S2R R0, SR_TID.X", 16: "FMUL R2, R9, R9", 32: "FFMA R4, R2, R0, R4", 48: "EXIT"}
EXECUTED = {0: 1.0, 16: 10.0, 32: 2.0, 48: 1.0}


def test_arithmetic_of_the_block_less_a_load_for_each_use() -> None:
    """Ten steps of the block, two of which the thread's own sum uses."""
    found = shared_work(TEXTS, EXECUTED)
    assert found["same_arithmetic_share"] == pytest.approx(10 / 12) and found["same_work_inst"] == 8


def test_little_arithmetic_is_not_judged() -> None:
    """The reciprocals of a division by a size are the same in all threads, and no reason to complain."""
    texts = {**TEXTS, 16: "MUFU.RCP R2, R9", 32: "IMAD.HI.U32 R4, R2, R0, R4"}
    assert shared_work(texts, {0: 9.0, 16: 1.0, 32: 9.0, 48: 1.0}) == {}
    assert shared_work({}, {}) == {}


def test_launches_of_a_kernel_get_their_own_counts() -> None:
    report = SharedWork(100)
    assert report.of(("a", list(EXECUTED.items()))) == {}  # its text never came
    report.learn("a", [[pc, text] for pc, text in TEXTS.items()])
    assert report.of(["a", [[pc, n] for pc, n in EXECUTED.items()]]) == shared_work(TEXTS, EXECUTED)
    more = EXECUTED | {32: 10.0}
    assert report.of(("a", list(more.items())))["same_work_inst"] == 0
    assert report.of(None) == {}


def test_a_report_of_many_kernels_is_followed_up_to_a_limit() -> None:
    report = SharedWork(len(TEXTS))
    for name in "ab":
        report.learn(name, list(TEXTS.items()))
    assert report.of(("a", list(EXECUTED.items())))
    assert report.of(("b", list(EXECUTED.items()))) == {}
    assert report.of(("a", list(EXECUTED.items())))  # known


@pytest.mark.parametrize("steps", [7, ("a",), ("a", 3), ("a", [[1]]), ("a", [["x", 1.0]])])
def test_a_damaged_message_is_refused(steps: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        SharedWork(10).of(steps)
