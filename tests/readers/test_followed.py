"""What is followed through the machine code of launches: shared arithmetic, and places that are read again."""

from __future__ import annotations

import math

import pytest

from advisor.hardware.sass_uniform import kinds_of
from advisor.readers.followed import Followed, few_lanes, shared_work

TEXTS = {0: "S2R R0, SR_TID.X", 16: "FMUL R2, R9, R9", 32: "FFMA R4, R2, R0, R4", 48: "EXIT"}
EXECUTED = {0: 1.0, 16: 10.0, 32: 2.0, 48: 1.0}
THREADS = {pc: 32 * count for pc, count in EXECUTED.items()}
EXPECTED = {"same_arithmetic_share": pytest.approx(10 / 12), "same_work_inst": 8}
BOTH = EXPECTED | {"warp_arithmetic_share": pytest.approx(10 / 12), "warp_work_inst": 8}


def pairs(table: dict[int, float]) -> list[list[float]]:
    return [[pc, count] for pc, count in table.items()]


def test_arithmetic_of_the_block_less_a_load_for_each_use() -> None:
    """Ten steps of the block, two of which the thread's own sum uses."""
    assert shared_work(kinds_of(TEXTS), EXECUTED, "same") == EXPECTED


def test_little_arithmetic_is_not_judged() -> None:
    """The reciprocals of a division by a size are the same in all threads, and no reason to complain."""
    texts = {**TEXTS, 16: "MUFU.RCP R2, R9", 32: "IMAD.HI.U32 R4, R2, R0, R4"}
    assert shared_work(kinds_of(texts), {0: 9.0, 16: 1.0, 32: 9.0, 48: 1.0}, "same") == {}
    assert shared_work(None, {}, "same") == {} and shared_work(kinds_of(TEXTS), {}, "same") == {}


def test_launches_of_a_kernel_get_their_own_counts() -> None:
    report = Followed(100)
    steps = ("a", ["arithmetic"], pairs(EXECUTED), pairs(THREADS), [])
    assert report.of(steps) == {}  # its text never came
    report.learn("a", pairs(dict.fromkeys((), 0.0)))
    report.learn("a", [[pc, text] for pc, text in TEXTS.items()])
    assert report.of(steps) == BOTH
    more = EXECUTED | {32: 10.0}
    assert (
        report.of(("a", ["arithmetic"], pairs(more), pairs({pc: 32 * n for pc, n in more.items()}), []))[
            "same_work_inst"
        ]
        == 0
    )
    assert report.of(None) == {}


def test_texts_of_several_batches_are_joined() -> None:
    report = Followed(100)
    report.learn("a", [[16, TEXTS[16]], [48, TEXTS[48]]])
    report.learn("a", [[0, TEXTS[0]], [32, TEXTS[32]]])
    assert report.of(("a", ["arithmetic"], pairs(EXECUTED), pairs(THREADS), [])) == BOTH


def test_what_one_thread_computes_for_its_block_is_no_work_of_all() -> None:
    threads = THREADS | {16: 10.0}
    assert few_lanes(EXECUTED, threads) == {16}
    report = Followed(100)
    report.learn("a", list(TEXTS.items()))
    assert report.of(("a", ["arithmetic"], pairs(EXECUTED), pairs(threads), []))["same_arithmetic_share"] == 0


LOADED = {
    0: "S2R R0, SR_TID.X",
    16: "IMAD.HI.U32 R8, R0, R9, RZ",
    32: "LDG.E R2, desc[UR4][R8.64]",
    48: "FMUL R3, R2, R2",
    64: "LDG.E R4, desc[UR4][R0.64]",
    80: "FFMA R4, R3, R4, R4",
    96: "EXIT",
}


@pytest.mark.parametrize(
    ("sectors", "lanes", "share"),
    [
        (1.0, 32, 10 / 12),  # the address follows from the thread, and still all lanes get one sector
        (1.0, 29, 10 / 12),  # a few beyond the end of the data
        (1.0, 8, 0),
        (4.0, 32, 0),
        (0.0, 32, 0),  # not measured
    ],
)
def test_a_load_that_brings_all_lanes_one_sector_is_no_data_of_theirs(sectors: float, lanes: int, share: float) -> None:
    executed = dict.fromkeys(LOADED, 1.0) | {48: 10.0, 80: 2.0}
    threads = {pc: 32 * count for pc, count in executed.items()} | {32: float(lanes)}
    report = Followed(100)
    report.learn("a", list(LOADED.items()))
    found = report.of(("a", ["arithmetic"], pairs(executed), pairs(threads), pairs({32: sectors, 64: 4.0})))
    assert found["same_arithmetic_share"] == 0
    assert found["warp_arithmetic_share"] == pytest.approx(share)
    assert found["warp_work_inst"] == (8 if share else 0)


def test_a_report_of_many_kernels_is_followed_up_to_a_limit() -> None:
    report = Followed(len(TEXTS) + 1)
    for name in "ab":
        report.learn(name, list(TEXTS.items()))
    a, b = ((name, ["arithmetic"], pairs(EXECUTED), pairs(THREADS), []) for name in "ab")
    assert report.of(a) and report.of(b) == {}
    other = EXECUTED | {16: 30.0}
    assert report.of(
        ("a", ["arithmetic"], pairs(other), pairs({pc: 32 * n for pc, n in other.items()}), [])
    )  # its code is known


def test_places_that_are_read_again_are_counted_in_bytes() -> None:
    texts = {
        0: "LDC.64 R2, c[0x0][0x210]",
        16: "LDG.E R4, desc[UR4][R2.64]",
        32: "IADD3 R2, R2, 0x4, RZ",
        48: "@P0 BRA 0x10",
        64: "LDC.64 R2, c[0x0][0x210]",
        80: "LDG.E R4, desc[UR4][R2.64]",
        96: "IADD3 R2, R2, 0x4, RZ",
        112: "@P0 BRA 0x50",
        128: "EXIT",
    }
    executed = {pc: 1.0 if pc in (0, 64, 128) else 8.0 for pc in texts}
    report = Followed(100)
    report.learn("a", list(texts.items()))
    assert report.of(("a", ["loads"], pairs(executed), [], [[16, 32.0], [80, 32.0]]))["reread_bytes"] == 32 * 32
    report.learn("b", list((texts | {16: "STG.E desc[UR4][R2.64], R4"}).items()))
    assert report.of(("b", ["loads"], pairs(executed), [], [[16, 32.0], [80, 32.0]]))["read_back_bytes"] == 32 * 32
    assert report.of(("a", ["loads"], pairs(executed), [], [[16, 32.0], [80, 20.0]])) == {
        "reread_bytes": 0,
        "rewritten_bytes": 0,
        "read_back_bytes": 0,
    }


@pytest.mark.parametrize(
    "steps",
    [
        7,
        ("a",),
        ("a", ["arithmetic"], 3, [], []),
        ("a", ["arithmetic"], [[1]], [], []),
        ("a", ["arithmetic"], [["x", 1.0]], [], []),
        ("a", ["arithmetic"], [[0, -1.0]], [[0, 1.0]], []),
        ("a", ["barriers"], [[0, math.nan]], [[0, 1.0]], []),
        ("a", ["loads"], [[0, math.inf]], [], [[0, 1.0]]),
        ("a", 7, [], [], []),
    ],
)
def test_a_damaged_message_is_refused(steps: object) -> None:
    report = Followed(10)
    report.learn("a", list(TEXTS.items()))
    with pytest.raises((TypeError, ValueError)):
        report.of(steps)


def test_levels_of_a_tree_and_the_work_of_one_lane() -> None:
    """Three barriers with a level between each two, and a loop of one lane behind the last of them and a fourth."""
    texts = {
        0: "STS [R2], R3",
        16: "BAR.SYNC.DEFER_BLOCKING 0x0",
        32: "@!P0 LDS R4, [R2+0x10]",
        48: "@!P0 STS [R2], R4",
        64: "BAR.SYNC.DEFER_BLOCKING 0x0",
        72: "MOV R9, RZ",
        80: "LDG.E R6, desc[UR4][R8.64]",
        96: "@P1 BRA 0x50",
        112: "BAR.SYNC.DEFER_BLOCKING 0x0",
        128: "EXIT",
    }
    executed = {pc: 100.0 if pc in (80, 96) else 8.0 for pc in texts} | {72: 1.0}
    threads = {pc: 100.0 if pc in (80, 96) else 256.0 for pc in texts} | {32: 128.0, 48: 128.0, 72: 1.0}
    report = Followed(100)
    report.learn("a", list(texts.items()))
    steps = ("a", ["barriers"], pairs(executed), pairs(threads), [])
    assert report.of(steps) == {"level_inst": 24, "level_lanes": 16, "lone_lane_inst": 201}
    assert report.of(("a", ["barriers"], pairs(executed), [], [])) == {"level_inst": 24}
