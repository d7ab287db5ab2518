"""Which loads read the same places again, from the text of a kernel's instructions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.hardware.sass_rereads import MOST, rereads

STEP = 16
# For each of M rounds: a loop over the array from its beginning.
NESTED = (
    "MOV R9, RZ",
    "LDC.64 R2, c[0x0][0x210]",  # 0x10: the head of the outer loop
    "MOV R8, RZ",
    "LDG.E R4, desc[UR4][R2.64]",  # 0x30: the head of the inner loop
    "IADD3 R2, R2, 0x4, RZ",
    "IADD3 R8, R8, 0x1, RZ",
    "ISETP.GE.AND P0, PT, R8, 0x8, PT",
    "@!P0 BRA 0x30",
    "IADD3 R9, R9, 0x1, RZ",
    "ISETP.GE.AND P1, PT, R9, 0x5, PT",
    "@!P1 BRA 0x10",
    "EXIT",
)


def again(lines: tuple[str, ...], counts: list[float], sectors: dict[int, float]) -> float:
    """The sectors read again; sectors by the place of a load."""
    texts = {STEP * i: line for i, line in enumerate(lines)}
    found = rereads(texts)
    assert found is not None
    executed = {STEP * i: count for i, count in enumerate(counts)}
    return found.sectors(executed, {STEP * i: number for i, number in sectors.items()})


def test_each_round_of_an_outer_loop_reads_from_the_beginning() -> None:
    counts = [1, 5, 5, 40, 40, 40, 40, 40, 5, 5, 5, 1]
    assert again(NESTED, counts, {3: 160.0}) == pytest.approx(160 * 4 / 5)


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (1, "NOP"),  # the pointer goes on where the last round left it
        (1, "IMAD.WIDE R2, R9, 0x100, R12"),  # a row for each round
    ],
)
def test_rounds_that_go_on_read_other_places(place: int, line: str) -> None:
    counts = [1, 5, 5, 40, 40, 40, 40, 40, 5, 5, 5, 1]
    lines = tuple(line if i == place else one for i, one in enumerate(NESTED))
    assert again(lines, counts, {3: 160.0}) == 0


def loop(begin: str, head: int) -> tuple[str, ...]:
    return (begin, "LDG.E R4, desc[UR4][R2.64]", "IADD3 R2, R2, 0x4, RZ", f"@P0 BRA {head:#x}")


PASSES = (*loop("LDC.64 R2, c[0x0][0x210]", 0x10), *loop("LDC.64 R2, c[0x0][{place}]", 0x50), "EXIT")
COUNTS = [1.0, 8.0, 8.0, 8.0, 1.0, 8.0, 8.0, 8.0, 1.0]


def test_loops_one_after_the_other_read_through_one_argument_again() -> None:
    same = tuple(line.format(place="0x210") for line in PASSES)
    assert again(same, COUNTS, {1: 64.0, 5: 64.0}) == 64
    assert again(same, COUNTS, {1: 64.0, 5: 30.0}) == 0  # another part, or the rest of an unrolled loop
    other = tuple(line.format(place="0x218") for line in PASSES)
    assert again(other, COUNTS, {1: 64.0, 5: 64.0}) == 0


STORES_FIRST = (
    *("LDC.64 R2, c[0x0][0x210]", "STG.E desc[UR4][R2.64], R4", "IADD3 R2, R2, 0x4, RZ", "@P0 BRA 0x10"),
    *loop("LDC.64 R2, c[0x0][0x210]", 0x50),
    "EXIT",
)


@pytest.mark.parametrize(
    ("changes", "loaded", "back"),
    [
        ({}, 64.0, 64.0),
        ({}, 30.0, 0.0),  # another part of the array
        ({4: "LDC.64 R2, c[0x0][0x218]"}, 64.0, 0.0),  # another array
        ({8: "BAR.SYNC.DEFER_BLOCKING 0x0"}, 64.0, 0.0),  # what other threads have stored
        ({8: "WARPSYNC 0xffffffff"}, 64.0, 0.0),
    ],
)
def test_a_loop_reads_back_what_an_earlier_one_has_stored(changes: dict[int, str], loaded: float, back: float) -> None:
    found = rereads({STEP * i: changes.get(i, line) for i, line in enumerate(STORES_FIRST)})
    assert found is not None
    sectors = {1 * STEP: 64.0, 5 * STEP: loaded}
    assert found.read_back(sectors) == back
    assert found.sectors({STEP * i: 8.0 for i in range(9)}, sectors) == 0


def test_two_ways_of_a_branch_do_not_read_back_from_each_other() -> None:
    store = ("LDC.64 R2, c[0x0][0x210]", "STG.E desc[UR4][R2.64], R4", "IADD3 R2, R2, 0x4, RZ", "@P0 BRA 0x20")
    apart = ("@P1 BRA 0x60", *store, "EXIT", *loop("LDC.64 R2, c[0x0][0x210]", 0x70), "EXIT")
    found = rereads({STEP * i: line for i, line in enumerate(apart)})
    assert found is not None and found.read_back({2 * STEP: 64.0, 7 * STEP: 64.0}) == 0


def test_what_a_loop_changes_in_place_is_read_again_and_not_back() -> None:
    change = ("LDC.64 R2, c[0x0][0x210]", "LDG.E R4, desc[UR4][R2.64]", "STG.E desc[UR4][R2.64], R4")
    both = (*change, "IADD3 R2, R2, 0x4, RZ", "@P0 BRA 0x10", *loop("LDC.64 R2, c[0x0][0x210]", 0x60), "EXIT")
    found = rereads({STEP * i: line for i, line in enumerate(both)})
    assert found is not None
    sectors = {1 * STEP: 64.0, 2 * STEP: 64.0, 6 * STEP: 64.0}
    assert found.read_back(sectors) == 0 and found.sectors(dict.fromkeys(sectors, 8.0), sectors) == 64


def test_what_is_loaded_before_it_is_stored_is_not_read_back() -> None:
    turned = (*loop("LDC.64 R2, c[0x0][0x210]", 0x10), *STORES_FIRST[:3], "@P0 BRA 0x50", "EXIT")
    found = rereads({STEP * i: line for i, line in enumerate(turned)})
    assert found is not None and found.read_back({1 * STEP: 64.0, 5 * STEP: 64.0}) == 0


def test_code_without_loops_or_loads_reads_nothing_again() -> None:
    assert again(("LDG.E R4, desc[UR4][R2.64]", "LDG.E R5, desc[UR4][R2.64]", "EXIT"), [1, 1, 1], {0: 4, 1: 4}) == 0
    assert again(("FADD R1, R2, R3", "EXIT"), [1, 1], {}) == 0
    assert rereads({}) is None and rereads({STEP * i: "NOP" for i in range(MOST + 1)}) is None


REGISTERS = st.integers(0, 4).map(lambda n: f"R{2 * n}")
LINES = st.one_of(
    st.tuples(REGISTERS, REGISTERS).map(lambda t: f"LDG.E {t[0]}, desc[UR4][{t[1]}.64]"),
    st.tuples(REGISTERS, REGISTERS).map(lambda t: f"IADD3 {t[0]}, {t[1]}, 0x4, RZ"),
    st.tuples(REGISTERS, st.sampled_from(("0x210", "0x218", "0x0"))).map(lambda t: f"LDC.64 {t[0]}, c[0x0][{t[1]}]"),
    st.integers(0, 30).map(lambda n: f"@P0 BRA {n * STEP:#x}"),
    st.text(max_size=12),
)


@given(st.lists(LINES, min_size=1, max_size=30), st.lists(st.floats(0, 100), min_size=60, max_size=60))
def test_no_more_is_read_again_than_is_read(lines: list[str], numbers: list[float]) -> None:
    found = rereads({STEP * i: line for i, line in enumerate(lines)})
    assert found is not None
    executed = {STEP * i: numbers[i] for i in range(len(lines))}
    sectors = {STEP * i: numbers[30 + i] for i, line in enumerate(lines) if "LDG" in line}
    assert -1e-6 <= found.sectors(executed, sectors) <= sum(sectors.values()) + 1e-6


def test_a_store_in_each_round_at_the_same_places_writes_again() -> None:
    """The inner loop starts over in each of four rounds; the value that is stored is another one each time."""
    texts = {
        0x00: "MOV R9, RZ",
        0x10: "LDC.64 R2, c[0x0][0x210]",
        0x20: "LDG.E R4, desc[UR4][R2.64]",
        0x30: "FADD R4, R4, R9",
        0x40: "STG.E desc[UR4][R2.64], R4",
        0x50: "IADD3 R2, R2, 0x4, RZ",
        0x60: "@P0 BRA 0x20",
        0x70: "IADD3 R9, R9, 0x1, RZ",
        0x80: "@P1 BRA 0x10",
        0x90: "EXIT",
    }
    executed = dict.fromkeys(texts, 40.0) | {0x00: 1.0, 0x10: 4.0, 0x70: 4.0, 0x80: 4.0, 0x90: 1.0}
    found = rereads(texts)
    assert found is not None
    sectors = {0x20: 160.0, 0x40: 160.0}
    assert found.rewritten(executed, sectors) == found.sectors(executed, sectors) == 120
    # Under a branch that the last of the four rounds takes: nothing is written again.
    assert found.rewritten(executed | {0x40: 10.0}, sectors) == 0
    walks = {**texts, 0x00: "LDC.64 R2, c[0x0][0x210]", 0x10: "MOV R8, R9"}  # goes on where the last round ended
    other = rereads(walks)
    assert other is not None and other.rewritten(executed, sectors) == 0
