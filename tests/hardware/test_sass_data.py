"""Which integer instructions compute with data, from the text of a kernel's instructions."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from advisor.hardware.sass_data import data_work
from advisor.hardware.sass_names import MOST_FOLLOWED

STEP = 16
# A byte of each element is combined with its neighbour; the index is that of the thread.
BYTES = (
    "S2R R0, SR_TID.X",
    "S2UR UR6, SR_CTAID.X",
    "IMAD R0, R0, 0x1, R9",  # the index
    "ISETP.GE.AND P0, PT, R0, c[0x0][0x220], PT",
    "@P0 EXIT",
    "IADD3 R2, P1, R0, c[0x0][0x210], RZ",
    "LDG.E.U8 R4, desc[UR4][R2.64]",
    "LOP3.LUT R5, R4, 0x7, RZ, 0xc0, !PT",
    "IMAD R6, R5, 0x3, R0",
    "ISETP.NE.AND P2, PT, R6, RZ, PT",
    "SEL R7, R0, RZ, P2",  # what it selects is an index, but the data decides
    "STG.E.U8 desc[UR4][R2.64], R7",
    "EXIT",
)


def places(lines: tuple[str, ...]) -> tuple[set[int], set[int]]:
    found = data_work({STEP * i: line for i, line in enumerate(lines)})
    assert found is not None
    return {pc // STEP for pc in found.alu}, {pc // STEP for pc in found.fma}


def test_what_follows_from_a_load_is_data_and_the_index_is_not() -> None:
    assert places(BYTES) == ({7, 9, 10}, {8})


def test_a_register_that_is_written_again_holds_no_data() -> None:
    lines = (*BYTES[:7], "MOV R4, 0x1", "IADD3 R5, R4, 0x1, RZ", "EXIT")
    assert places(lines) == (set(), set())
    kept = (*BYTES[:7], "@P0 MOV R4, 0x1", "IADD3 R5, R4, 0x1, RZ", "EXIT")
    assert places(kept) == ({8}, set())


def test_data_of_one_round_of_a_loop_is_data_in_the_next() -> None:
    lines = (
        "MOV R5, RZ",
        "IADD3 R6, R5, 0x1, RZ",  # 0x10: in the first round without data
        "LDS R5, [R8]",
        "IADD3 R8, R8, 0x4, RZ",
        "@P0 BRA 0x10",
        "EXIT",
    )
    assert places(lines) == ({1}, set())


def test_a_called_function_may_return_data_in_what_it_writes() -> None:
    """The slow way of a division is a function: the counter of the loop that calls it holds no data."""
    lines = (
        "IADD3 R5, R5, 0x1, RZ",  # 0x0: the counter
        "LDG.E R4, desc[UR6][R2.64]",
        "CALL.REL.NOINC 0x60",
        "ISETP.LT.AND P0, PT, R5, R9, PT",
        "@P0 BRA 0x0",
        "EXIT",
        "SHF.R.U32.HI R6, RZ, 0x17, R4",  # of the loaded value
        "IADD3 R7, R6, 0x1, RZ",
        "RET.REL.NODEC R20 0x0",
    )
    assert places(lines) == ({6, 7}, set())


def test_sums_of_two_loaded_values_are_told_from_sums_of_one() -> None:
    lines = (
        "LDG.E R4, desc[UR6][R2.64]",
        "LDG.E R5, desc[UR6][R8.64]",
        "FADD R6, R4, -R5",
        "FADD R7, R7, |R6|",
        "EXIT",
    )
    found = data_work({STEP * i: line for i, line in enumerate(lines)})
    assert found is not None and found.pairs == {2 * STEP}


def test_code_that_cannot_be_followed_is_unknown() -> None:
    assert data_work({}) is None
    assert data_work({0: "BRX R4 -0x10", 16: "EXIT"}) is None
    assert data_work(dict.fromkeys(range(0, STEP * (MOST_FOLLOWED + 1), STEP), "NOP")) is None


@given(st.lists(st.text(max_size=40), max_size=30))
def test_any_text_has_an_answer(lines: list[str]) -> None:
    texts = {STEP * i: line for i, line in enumerate(lines)}
    found = data_work(texts)
    assert found is None or found.alu | found.fma | found.pairs <= texts.keys()
