"""Which arithmetic is the same in all threads of a block, from the text of its instructions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.hardware.sass_names import MOST_FOLLOWED
from advisor.hardware.sass_uniform import Same, kinds_of

STEP = 16


def found(*lines: str, executed: dict[int, float] | None = None, few: frozenset[int] = frozenset()) -> Same:
    """What the instructions tell, each executed once unless told otherwise (by its place)."""
    counts = {STEP * i: (executed or {}).get(i, 1.0) for i in range(len(lines))}
    texts = {pc: line for pc, line in zip(counts, lines, strict=True) if counts[pc]}
    kinds = kinds_of(texts, frozenset(STEP * i for i in few))
    assert kinds is not None
    return kinds.weighed(counts)


def test_a_value_of_the_block_and_one_of_the_thread():
    out = found(
        "S2R R0, SR_CTAID.X",
        "S2R R1, SR_TID.X",
        "I2FP.F32.S32 R2, R0",
        "I2FP.F32.S32 R3, R1",
        "FMUL R4, R2, R2",  # of the block
        "FMUL R5, R3, R3",  # of the thread
        "FADD R6, R5, R4",  # of the thread, with a computed value of the block
        "EXIT",
    )
    assert out == Same(arithmetic=3, same=1, work=2, used=1)


@pytest.mark.parametrize(
    ("load", "same"),
    [
        ("LDG.E R2, desc[UR4][R8.64]", True),  # an address that all threads have
        ("LDS R2, [R8]", True),
        ("LDG.E R2, desc[UR4][R1.64]", False),
        ("LDC R2, c[0x3][R1]", False),
        ("LDC R2, c[0x3][0x10]", True),
        ("LDL R2, [R8]", False),  # memory of the thread itself
        ("LD.E R2, [R8.64]", False),  # it may be
        ("VOTE.ANY R2, PT, PT", False),
        ("SHFL.DOWN PT, R2, R8, 0x1, 0x1f", False),
        ("ATOMG.E.ADD.STRONG.GPU PT, R2, desc[UR4][R8.64], R9", False),
        ("CS2R R2, SR_CLOCKLO", False),
        ("CS2R R2, SRZ", True),
        ("S2R R2, SR_LANEID", False),
    ],
)
def test_what_loads_and_registers_depend_on(load: str, same: bool):
    out = found("S2R R1, SR_TID.X", "MOV R8, 0x10", "MOV R9, 0x1", load, "FMUL R4, R2, R2", "EXIT")
    assert (out.same == 1) is same


def test_a_predicate_of_the_thread_makes_its_selections_depend_on_it():
    lines = ("S2R R1, SR_TID.X", "ISETP.GE.AND P0, PT, R1, 0x5, PT", "{} R2, R8, R9, P0", "FMUL R3, R2, R2", "EXIT")
    assert found(*(line.format("FSEL") for line in lines)).same == 0
    kept = ("S2R R1, SR_TID.X", "ISETP.GE.AND P0, PT, R1, 0x5, PT", "@P0 MOV R2, 0x1", "FMUL R3, R2, R2", "EXIT")
    assert found(*kept).same == 0


@pytest.mark.parametrize(
    ("lines", "same"),
    [
        ((), 1),  # R2 is of the thread before, but where P0 is false nobody reads it
        (("ISETP.NE.AND P0, PT, R8, 0x3, PT",), 0),  # another test in between
        (("@P1 LDG.E R2, desc[UR4][R1.64]",), 0),  # another value in between
    ],
)
def test_one_predicate_for_a_value_and_its_use_hides_the_value_before(lines: tuple[str, ...], same: int):
    begin = ("S2R R1, SR_TID.X", "MOV R8, 0x10", "MOV R4, RZ", "LDG.E R2, desc[UR4][R1.64]")
    test = ("ISETP.NE.AND P0, PT, R8, RZ, PT", "@P0 LDC R2, c[0x3][R8]")
    assert found(*begin, *test, *lines, "@P0 FMUL R4, R2, R2", "EXIT").same == same


def test_a_test_of_a_division_writes_no_register():
    """`FCHK P0, R0, R1` has a predicate as its only result: R0 stays a value of the thread."""
    out = found("S2R R0, SR_TID.X", "FCHK P0, R0, R1", "FMUL R2, R0, R0", "EXIT")
    assert out.same == 0


BRANCHED = (
    "S2R R1, SR_TID.X",
    "{test}",
    "@P0 BRA 0x50",
    "MOV R2, 0x1",
    "BRA 0x60",
    "MOV R2, 0x2",
    "FMUL R3, R2, R2",
    "EXIT",
)


def test_behind_a_branch_of_the_thread_the_ways_differ():
    own = [line.format(test="ISETP.GE.AND P0, PT, R1, 0x5, PT") for line in BRANCHED]
    assert found(*own).same == 0
    of_block = [line.format(test="ISETP.GE.AND P0, PT, R9, 0x5, PT") for line in BRANCHED]
    assert found(*of_block).same == 1


def test_a_way_that_no_warp_takes_gives_no_values():
    lines = [line.format(test="ISETP.GE.AND P0, PT, R9, 0x5, PT") for line in BRANCHED]
    lines[5] = "LDL R2, [R1]"  # the slow way of a function
    assert found(*lines).same == 0
    assert found(*lines, executed={5: 0.0}).same == 1


LOOP = (
    "S2R R1, SR_TID.X",
    "MOV R5, RZ",
    "I2FP.F32.S32 R6, R5",
    "FMUL R7, R6, R6",  # a value of the step
    "FFMA R8, R7, R1, R8",  # of the thread
    "VIADD R5, R5, 0x1",
    "ISETP.GE.AND P0, PT, R5, {end}, PT",
    "@!P0 BRA 0x20",
    "FADD R9, R7, 1",  # behind the loop
    "EXIT",
)


def test_in_a_loop_of_the_threads_own_length_its_steps_are_the_same_and_its_end_is_not():
    fixed = found(*(line.format(end="0x40") for line in LOOP), executed=dict.fromkeys(range(2, 8), 64.0))
    assert fixed.same == 64 + 1 and fixed.used == 64
    own = found(*(line.format(end="R1") for line in LOOP), executed=dict.fromkeys(range(2, 8), 64.0))
    assert own.same == 64
    assert own.work > own.same  # conversions and counters of the step


def test_a_called_function_may_change_every_register():
    """Its result stands where the first argument did, and is the thread's own."""
    out = found("LDC.64 R4, c[0x0][0x210]", "CALL.REL.NOINC 0x100", "FFMA R5, R4, R4, R4", "EXIT")
    assert out.same == 0


def test_ways_that_meet_before_all_of_them_do_are_joined():
    """`if (own || of_block)`: two ways into one part, which a third one by-passes."""
    out = found(
        "S2R R1, SR_TID.X",
        "ISETP.GE.AND P0, PT, R1, 0x5, PT",
        "MOV R4, 0x1",
        "@P0 BRA 0x60",
        "MOV R4, 0x2",
        "@P1 BRA 0x70",
        "FMUL R5, R4, R4",
        "EXIT",
    )
    assert out.same == 0
    leaves = found(
        "S2R R1, SR_TID.X",
        "ISETP.GE.AND P0, PT, R1, 0x5, PT",
        "@P0 BRA 0x60",
        "MOV R2, 0x1",
        "@P1 BRA 0x90",
        "BRA 0x70",
        "MOV R2, 0x2",
        "FMUL R3, R2, R2",
        "EXIT",
        "EXIT",
    )
    assert leaves.same == 0


def test_what_one_thread_computes_for_the_others_is_its_own():
    lines = ("MOV R9, 0x1", "FMUL R2, R9, R9", "FMUL R3, R9, R9", "EXIT")
    assert found(*lines).same == 2 and found(*lines, few=frozenset({1})).same == 1


def test_a_pair_of_values_is_written_as_one():
    assert found("S2R R4, SR_TID.X", "FFMA2 R6, R4, R4, R4", "FADD R9, R7, 1", "EXIT").same == 0


def test_what_cannot_be_followed_is_unknown():
    assert kinds_of({0: "BRX R2 -0x10", 16: "EXIT"}) is None
    assert kinds_of({}) is None
    assert kinds_of({16 * i: "NOP" for i in range(MOST_FOLLOWED + 1)}) is None


REGISTERS = st.integers(0, 5).map("R{}".format)
LINES = st.one_of(
    st.tuples(st.sampled_from(("FADD", "FMUL", "LOP3.LUT", "MOV")), REGISTERS, REGISTERS, REGISTERS).map(
        lambda t: f"{t[0]} {t[1]}, {t[2]}, {t[3]}"
    ),
    st.tuples(REGISTERS, st.sampled_from(("SR_TID.X", "SR_CTAID.X"))).map(lambda t: f"S2R {t[0]}, {t[1]}"),
    st.integers(0, 40).map(lambda n: f"@P0 BRA {n * STEP:#x}"),
    st.tuples(REGISTERS, REGISTERS).map(lambda t: f"ISETP.GE.AND P0, PT, {t[0]}, {t[1]}, PT"),
    st.text(max_size=12),
)


@given(st.lists(LINES, min_size=1, max_size=40), st.lists(st.floats(0, 10), min_size=40, max_size=40))
def test_any_code_gives_parts_of_its_arithmetic(lines: list[str], counts: list[float]):
    texts = {STEP * i: line for i, line in enumerate(lines)}
    kinds = kinds_of(texts)
    if kinds is not None:
        out = kinds.weighed({STEP * i: counts[i] for i in range(len(lines))})
        assert (
            0 <= out.same <= out.arithmetic + 1e-9 and out.same <= out.work + 1e-9 and 0 <= out.used <= out.arithmetic
        )


@given(st.lists(LINES, min_size=1, max_size=20), st.integers(0, 5))
def test_without_the_thread_everything_straight_is_the_same(lines: list[str], register: int):
    straight = [line for line in lines if line.startswith(("FADD", "FMUL", "LOP3", "MOV"))]
    if straight:
        out = found(*straight)
        assert out.same == out.arithmetic and out.used == 0
        own = found(f"S2R R{register}, SR_TID.X", *straight)
        assert own.same <= out.same
