"""What is executed between two barriers: levels of trees, and the work of one lane."""

from __future__ import annotations

import pytest

from advisor.hardware.sass_barriers import MOST, Parts, parts_between

BAR = "BAR.SYNC.DEFER_BLOCKING 0x0"
LEVEL = ["@!P0 LDS R2, [R0]", "@!P0 LDS R3, [R0+0x80]", "@!P0 FADD R2, R2, R3", "@!P0 STS [R0], R2"]


def kernel(*lines: str) -> dict[int, str]:
    return {16 * i: line for i, line in enumerate(lines)}


def flat(texts: dict[int, str], count: float = 32.0) -> dict[int, float]:
    return dict.fromkeys(texts, count)


def followed(texts: dict[int, str]) -> Parts:
    found = parts_between(texts)
    assert found is not None
    return found


def test_levels_of_an_unrolled_tree_count_with_their_barriers() -> None:
    """What comes before the first barrier and after the last one is no level."""
    texts = kernel("LDG.E R2, desc[UR4][R4.64]", "STS [R0], R2", BAR, *LEVEL, BAR, *LEVEL, BAR, "LDS R2, [R0]", "EXIT")
    assert followed(texts).exchanged(flat(texts)) == 32 * 10


def test_lanes_of_levels_are_those_of_their_shared_accesses() -> None:
    """Four of eight warps take part in the first level, two in the second; all execute the arithmetic and the test."""
    texts = kernel(BAR, *LEVEL, BAR, *LEVEL, BAR, "LDS R2, [R0]", "EXIT")
    executed = flat(texts, 8.0)
    lanes = {pc: 32.0 * (4 if pc < 80 else 2) if "@!P0" in text else 256.0 for pc, text in texts.items()}
    assert followed(texts).lanes(executed, lanes) == 32 * (4 + 2) / 16
    none = kernel(BAR, "LDS R2, [R0]", "STS [R0+0x80], R2", BAR, "EXIT")
    assert followed(none).lanes(flat(none), flat(none)) is None


def test_levels_of_a_tree_in_a_loop_count() -> None:
    """A round of the loop is a level: as many executions as its barrier has."""
    texts = kernel("STS [R0], R2", BAR, "ISETP.GE.AND P0, PT, R9, R8, PT", *LEVEL, "SHF.R.U32.HI R8, RZ, 0x1, R8")
    texts |= {128: "@P1 BRA 0x10", 144: "EXIT"}
    executed = {pc: 10.0 if 16 <= pc <= 128 else 1.0 for pc in texts}
    assert followed(texts).exchanged(executed) == 80


@pytest.mark.parametrize(
    "between",
    [
        [*LEVEL, "LDG.E R7, desc[UR4][R4.64]"],  # the next tile is loaded
        ["FFMA R2, R2, R2, R2"],  # nothing is exchanged
        [*LEVEL, *(["FFMA R7, R2, R3, R7"] * 16)],  # work of its own
        ["LDS R2, [R0]", "LDS R3, [R0+0x80]", "FADD R2, R2, R3", "STS [R0+0x100], R2"],  # a step of all threads
        [*LEVEL, "CALL.REL.NOINC 0x400"],
        [*LEVEL, "HMMA.16816.F32 R4, R8, R12, R4"],
        [*LEVEL, "UTMASTG.2D [UR4], [UR8]"],
    ],
)
def test_other_work_between_barriers_is_no_level(between: list[str]) -> None:
    texts = kernel(BAR, *between, BAR, "EXIT")
    assert followed(texts).exchanged(flat(texts)) == 0


def test_both_halves_of_a_level_of_a_scan_count() -> None:
    """Some threads load the value of another, and after a barrier all combine and store: no part of other work does."""
    load, combine = ["@P0 LDS R3, [R0+-0x80]"], ["LDS R2, [R0]", "FADD R2, R2, R3", "STS [R0], R2"]
    level = [BAR, *load, BAR, *combine]
    texts = kernel("STS [R0], R2", *level, *level, *level, BAR, "LDS R2, [R0]", "EXIT")
    # The last store comes before what is read for the result.
    assert followed(texts).exchanged(flat(texts)) == 32 * (3 * 2 + 2 * 4)
    other = kernel("STS [R0], R2", BAR, *load, BAR, *combine, "LDG.E R7, desc[UR4][R4.64]", BAR, *load, BAR, "EXIT")
    assert followed(other).exchanged(flat(other)) == 32 * 4
    # Work of all threads between two trees: a level of a tree stores, and no second half follows it.
    work = ["LDS R2, [R0]", "MUFU.EX2 R2, R2", "STS [R0], R2"]
    trees = kernel("STS [R0], R2", BAR, *LEVEL, BAR, *work, BAR, *LEVEL, BAR, "EXIT")
    assert followed(trees).exchanged(flat(trees)) == 32 * 2 * (1 + len(LEVEL))


def test_a_loop_between_two_barriers_is_no_level() -> None:
    """Each warp goes round it many times for one barrier."""
    texts = kernel(BAR, "@P1 LDS R2, [R0]", "FADD R3, R3, R2", "@P0 BRA 0x10", BAR, "EXIT")
    executed = {pc: 320.0 if 16 <= pc <= 48 else 32.0 for pc in texts}
    assert followed(texts).exchanged(executed) == 0
    assert followed(texts).exchanged(flat(texts)) == 32 * 4


SCAN = (BAR, "@P1 BRA 0x50", "MOV R3, RZ", "LDS R2, [R0]", "@P0 BRA 0x30", BAR, "STG.E desc[UR4][R4.64], R2", "EXIT")


def alone(texts: dict[int, str], warps: float, rounds: float = 40.0) -> float:
    """The instructions of one lane; 32 warps meet at the barriers, and a lane of so many of them goes on."""
    executed = flat(texts) | {0x20: warps, 0x30: rounds, 0x40: rounds}
    threads = {pc: 32 * n for pc, n in executed.items()} | {0x20: warps, 0x30: rounds, 0x40: rounds, 0x60: 32.0}
    assert followed(texts).serial(executed, {}) == 0
    return followed(texts).serial(executed, threads)


def test_one_lane_of_each_warp_is_none_of_the_block() -> None:
    """Beside the lane of one warp, as in a block's sum in two steps, those of all warps do not count."""
    each = ["@P1 BRA 0x40", "MOV R3, RZ", "STS [R0], R2"]
    one = ["@P2 BRA 0x70", "LDS R4, [R0]", "FADD R4, R4, R3"]
    texts = kernel(BAR, *each, "FADD R5, R5, R6", *one[:1], *one[1:], BAR, "EXIT")
    executed = flat(texts) | {0x60: 1.0, 0x70: 1.0}
    threads = {pc: 32 * n for pc, n in executed.items()} | {0x20: 32.0, 0x30: 32.0, 0x60: 1.0, 0x70: 1.0}
    assert followed(texts).serial(executed, threads) == 2


def test_the_work_of_one_lane_counts_between_barriers_only() -> None:
    """After the last barrier nobody waits for the lane that writes the result."""
    assert alone(kernel(*SCAN), 1.0) == 81


def test_a_lane_of_each_warp_is_no_lane_of_one_warp() -> None:
    assert alone(kernel(*SCAN), 32.0, 1280.0) == 0


def test_warps_whose_lanes_are_predicated_off_do_no_work_of_one_lane() -> None:
    """The last levels of an unrolled tree: each warp executes them, one lane of one of them with effect."""
    texts = kernel(BAR, *LEVEL, BAR, "EXIT")
    assert followed(texts).serial(flat(texts), {pc: 4.0 if 0 < pc <= 64 else 1024.0 for pc in texts}) == 0


def test_waiting_for_other_blocks_is_no_work_of_one_lane() -> None:
    """A barrier of the whole grid: one thread of each block polls between two barriers of the block."""
    poll = ["LD.E.STRONG.GPU R2, desc[UR4][R4.64]" if "LDS" in line else line for line in SCAN]
    assert alone(kernel(*poll), 1.0) == 0


def test_what_is_not_followed() -> None:
    assert parts_between({}) is None
    assert parts_between(kernel(*["MOV R0, R1"] * (MOST + 1))) is None
    assert parts_between(kernel(*[BAR] * 1000)) is None
    assert followed(kernel("MOV R0, R1", "BAR.ARV 0x1, 0x80", "EXIT")).parts == ()
