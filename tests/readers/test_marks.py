"""What the text of single instructions tells: strong loads, local memory of called functions, precise functions."""

from __future__ import annotations

import pytest

from advisor.readers.access_tables import GLOBAL, LOCAL
from advisor.readers.marks import (
    TABLES,
    Looks,
    computes,
    has_marks,
    looks,
    many_integers,
    of_texts,
    reads_in_loops,
    waits_at_barriers,
)

TYPES, EXECUTED, SECTORS, IDEALS = TABLES


def test_strong_loads_by_their_sectors() -> None:
    """Seven plain index loads and five strong ones: few of the instructions, most of the sectors, all of the excess."""
    texts = {0x10: "LDG.E R2, desc[UR4][R2.64]", 0x20: "@P0 LDG.E.STRONG.GPU R3, desc[UR4][R4.64]", 0x30: "EXIT"}
    tables = {
        TYPES: {0x10: GLOBAL, 0x20: GLOBAL},
        EXECUTED: {0x10: 7.0, 0x20: 5.0, 0x30: 1.0},
        SECTORS: {0x10: 28.0, 0x20: 84.0},
        IDEALS: {0x10: 28.0, 0x20: 20.0},
    }
    found = of_texts(texts, tables)
    assert found["strong_sector_share"] == 0.75 and found["strong_excess_share"] == 1
    assert "called_local_share" not in found  # no local memory


def test_local_memory_of_called_functions() -> None:
    """The body of a called function ends at its last return; what the kernel itself stores is outside."""
    texts = {
        0x100: "STL [R1], R4",
        0x110: "CALL.REL.NOINC 0x140",
        0x120: "LDL R2, [R1]",
        0x130: "EXIT",
        0x140: "LDL R5, [R9]",
        0x150: "@P0 RET.REL.NODEC R4, 0x100",
        0x160: "STL [R9], R5",
        0x170: "RET.REL.NODEC R4, 0x100",
    }
    tables = dict.fromkeys(TABLES, None) | {
        TYPES: {0x100: LOCAL, 0x120: LOCAL, 0x140: LOCAL, 0x160: LOCAL},
        EXECUTED: {pc: 8.0 if pc >= 0x140 else 4.0 for pc in texts},
    }
    assert of_texts(texts, tables)["called_local_share"] == pytest.approx(16 / 24)
    pointer = {**texts, 0x110: "CALL.ABS.NOINC R6"}  # where it leads is not in the text
    assert of_texts(pointer, tables)["called_local_share"] == 0


@pytest.mark.parametrize(
    ("text", "checks"),
    [
        ("FCHK P0, R19, R26", True),
        ("VIADD R0, R16, 0xf3000000", True),
        ("IADD3 R10, R8, -0xd000000, RZ", True),
        ("@!P1 IADD3 R0, R16, 0x1800000, RZ", True),
        ("IADD3 R0, R16, 0x18000000, RZ", False),
        ("LOP3.LUT R0, R0, 0x1800000, RZ, 0xc0, !PT", False),
        ("MUFU.RCP R0, R26", False),
    ],
)
def test_checks_of_precise_functions(text: str, checks: bool) -> None:
    """A division has its own test; roots and reciprocals test the exponent by integers."""
    tables = dict.fromkeys(TABLES, None) | {EXECUTED: {0: 3.0}}
    assert of_texts({0: text}, tables)["function_check_inst"] == (3 if checks else 0)


def test_short_divisions_of_64_bits_are_told_from_those_of_32() -> None:
    """Both begin alike; that of 64 bits first tests the upper words of its operands and may jump to the long one."""
    test = ["LOP3.LUT R2, R5, UR6, RZ, 0xfc, !PT", "ISETP.NE.U32.AND P0, PT, R2, RZ, PT", "@P0 BRA 0x100"]
    divide = ["I2F.U32.RP R5, UR6", "MUFU.RCP R5, R5", "F2I.FTZ.U32.TRUNC.NTZ R3, R2"]

    def short(lines: list[str]) -> float:
        texts = dict(enumerate(lines))
        tables = dict.fromkeys(TABLES, None) | {EXECUTED: dict.fromkeys(texts, 5.0)}
        return of_texts(texts, tables)["short_division_inst"]

    assert short([*test, *divide]) == 5
    assert short([f"U{line}" if "LOP3" in line else line for line in [*test, *divide]]) == 5
    assert short(divide) == short([*test[1:], *divide]) == short([*test[:2], *divide]) == 0
    assert short([line.replace("I2F", "UI2F") for line in [*test, *divide]]) == 5
    flag = ["LOP3.LUT P0, RZ, R5, R9, RZ, 0xfc, !PT", test[2]]
    assert short([*flag, *divide]) == 0  # a test of two values of 32 bits
    # The way that calls the long division ends in a jump over the short one, to which the test has led.
    between = ["CALL.REL.NOINC 0x200", "BRA 0x300"]
    assert short([test[0], test[1], "@!P0 BRA 0x5", *between, *divide]) == 5
    assert short([test[0], test[1], "@!P0 BRA 0x50", *between, *["MOV R1, R1"] * 4, *divide]) == 0
    assert short([*test, *(["IADD3 R7, R7, 0x1, RZ"] * 20), *divide]) == 0  # the test is of something else
    assert short([*test, *divide, *(["FADD R7, R7, R7"] * 20), *divide]) == 5


def _of(name: str, lines: list[str]) -> float:
    texts = dict(enumerate(lines))
    tables = dict.fromkeys(TABLES, None) | {EXECUTED: dict.fromkeys(texts, 5.0)}
    return of_texts(texts, tables)[name]


def test_divisions_that_share_a_reciprocal_are_those_beyond_one() -> None:
    """A quotient is the product with the reciprocal; that which refines it adds to it."""
    start = ["I2F.RP R13, UR13", "MUFU.RCP R13, R13", "IMAD.HI.U32 R5, R5, R9, R4"]
    product = "IMAD.HI.U32 R2, R18.reuse, UR10, RZ"
    quotient = [product, "ISETP.LT.U32.AND P0, PT, R2, R18, PT", "@!P1 ISETP.GE.U32.AND P0, PT, R2, R18, PT"]
    assert _of("reused_reciprocal_inst", [*start, *quotient]) == 0
    assert _of("reused_reciprocal_inst", [*start, *quotient * 3]) == 10
    assert _of("reused_reciprocal_inst", [*start, *quotient, product, product]) == 0  # the host's multipliers
    constant = [*start, *quotient, "IMAD.HI.U32 R2, R18, 0x24924925, RZ", *quotient[1:]]
    assert _of("reused_reciprocal_inst", constant) == 0
    assert _of("reused_reciprocal_inst", quotient * 2) == 0
    assert _of("reused_reciprocal_inst", [*start, *quotient * 4, "I2F.U64.RP R2, R4"]) == 0


def test_an_index_that_is_compared_with_one_constant_after_the_other_chooses_an_element() -> None:
    places = ["RZ", *(hex(4 * k) for k in range(1, 8)), "-0x1"]

    def chain(use: str, of: list[str] = places) -> float:
        lines = [
            (f"ISETP.EQ.AND P{k % 4}, PT, R22.reuse, {c}, PT", use.format(p=f"P{k % 4}")) for k, c in enumerate(of)
        ]
        return _of("selected_inst", [line for pair in lines for line in pair])

    assert chain("@{p} IMAD.MOV.U32 R24, RZ, RZ, 0x41f80000") == 45
    assert chain("@!{p} HFMA2.MMA R24, -RZ, RZ, 2.75, 0") == 45
    assert chain("FSEL R24, R3, R5, !{p}") == chain("SEL R24, R3, R5, {p} ;") == 45
    assert chain("@{p} BRA 0x300") == 0  # the cases of a switch
    assert chain("@{p} MOV R24, R3", places[:7]) == 0
    assert chain("@{p} MOV R24, R3", [places[1]] * 9) == 0  # one constant
    assert chain("FSETP.GT.AND {p}, PT, R3, R4, PT") == 0
    again = [f"ISETP.EQ.AND P0, PT, R22, {place}, PT" for place in places]
    assert _of("selected_inst", [*again, "@P0 MOV R24, R3"]) == 0  # the others' results are lost
    other = [line for k in range(9) for line in (f"ISETP.EQ.AND P0, PT, R{k}, 0x4, PT", "@P0 MOV R24, R3")]
    assert _of("selected_inst", other) == 0
    upper = [line for c in places for line in (f"ISETP.NE.AND.EX P0, PT, R5, {c}, PT, P0", "@P0 MOV R24, R3")]
    assert _of("selected_inst", upper) == 0  # the upper words of 64-bit comparisons


def test_text_is_read_only_where_it_adds_something() -> None:
    """Reading the text takes time: a copy needs none."""
    assert not has_marks({"LDG.E": 1.0, "STG.E": 1.0, "CALL.REL.NOINC": 1.0}, local=False) and not has_marks(None, True)
    assert has_marks({"LDG.E.STRONG.SYS": 1.0}, local=False)
    assert has_marks({"CALL.REL.NOINC": 1.0}, local=True)
    moves = {"MOV": 20.0}
    assert has_marks(moves | {"MUFU.RSQ": 1.0}, local=False) and not has_marks(
        moves | {"MUFU.RCP64H": 1.0}, local=False
    )


def test_arithmetic_is_followed_where_it_takes_the_issue_slots() -> None:
    """With loads in every second instruction, matrix instructions or few issue slots used, nobody asks whose it is."""
    opcodes = {"FFMA": 40.0, "IADD3": 55.0, "LDG.E": 5.0}
    assert computes(opcodes, 70.0) and computes(opcodes | {"HFMA2.MMA": 1.0}, 70.0)
    assert not computes(opcodes, 30.0) and not computes(opcodes, float("nan")) and not computes(None, 70.0)
    assert not computes(opcodes | {"LDG.E": 95.0}, 70.0)
    assert computes(opcodes | {"LDC.64": 20.0}, 30.0) and not computes(opcodes | {"LDC.64": 5.0}, 30.0)
    assert not computes(opcodes | {"HMMA.16816.F32": 1.0}, 70.0)
    assert not computes(opcodes | {"FFMA": 10.0}, 70.0)


def test_loads_are_followed_where_loops_take_dram() -> None:
    """Warps that go round less than twice on average, or hardly use DRAM, read little again."""
    opcodes = {"LDG.E": 20.0, "BRA": 30.0, "EXIT": 10.0}
    assert reads_in_loops(opcodes, 60.0)
    assert not reads_in_loops(opcodes, 20.0) and not reads_in_loops(None, 60.0)
    assert not reads_in_loops(opcodes | {"BRA": 15.0}, 60.0)
    assert not reads_in_loops({"LDS": 20.0, "BRA": 30.0, "EXIT": 10.0}, 60.0)
    rate = {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": (61.5, "%")}
    assert looks(opcodes, rate, local=False) == Looks(marks=False, arithmetic=False, loads=True, barriers=False)
    assert not any(looks(opcodes, {}, local=False))


def test_barriers_are_followed_where_warps_wait_at_them() -> None:
    """A barrier or two in a kernel, or barriers without a wait, are no reason to read the code."""
    opcodes = {"BAR.SYNC.DEFER_BLOCKING": 40.0, "EXIT": 8.0}
    assert waits_at_barriers(opcodes, 3.0)
    assert not waits_at_barriers(opcodes, 0.5) and not waits_at_barriers(None, 3.0)
    assert not waits_at_barriers(opcodes | {"EXIT": 20.0}, 3.0)
    wait = {"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio": (12.0, "")}
    look = looks(opcodes, wait, local=False)
    assert look.followed == ["barriers"] and not looks(opcodes, {}, local=False).followed


def test_integers_are_followed_where_they_take_the_issue_slots() -> None:
    opcodes = {"LOP3.LUT": 50.0, "FFMA": 40.0, "LDG.E": 10.0}
    assert many_integers(opcodes, 70.0)
    assert not many_integers(opcodes, 30.0) and not many_integers(None, 70.0)
    assert not many_integers(opcodes | {"FFMA": 200.0}, 70.0)


def test_steps_of_the_grid_are_read_in_small_grids() -> None:
    """Where all SMs are full anyway, nobody asks whether more blocks would help."""
    waves = {"launch__waves_per_multiprocessor": (0.25, "")}
    assert looks({"LDG.E": 1.0}, waves, local=False).marks
    assert not looks({"LDG.E": 1.0}, {"launch__waves_per_multiprocessor": (2.0, "")}, local=False).marks


@pytest.mark.parametrize(
    ("line", "reads"),  # of five executions
    [
        ("IMAD R4, R6, c[0x0][0xc], R4", 5.0),
        ("S2R R4, SR_NCTAID.X", 5.0),
        ("ULDC UR4, c[0x0][0x370]", 0.0),  # before Blackwell a parameter
        ("IMAD R4, R6, c[0x0][0x0], R4", 0.0),  # threads of a block
        ("LDC R4, c[0x0][0x210]", 0.0),
    ],
)
def test_reads_of_the_number_of_blocks_are_counted(line: str, reads: float) -> None:
    assert _of("grid_size_inst", [line, "EXIT"]) == reads
    tables = dict.fromkeys(TABLES, None) | {EXECUTED: {0: 5.0}}
    assert of_texts({0: "ULDC UR4, c[0x0][0x370]"}, tables, blackwell=True)["grid_size_inst"] == 5.0
