"""Loops, the loads behind waits, and what registers an instruction touches, on code written by hand."""

from __future__ import annotations

import pytest
from listings import code, listing

from advisor.hardware.sass import parse
from advisor.hardware.sass_flow import loops, read, target, written
from advisor.source.producers import Producers
from advisor.source.structure import shared_groups, structure


@pytest.mark.parametrize(
    ("sass", "goes"),
    [
        ("BRA 0x1010", 0x1010),
        ("@P0 BRA `(.L_x_3) 0x7fca159ff460", 0x7FCA159FF460),
        ("BRA.U UP0, 0x20", 0x20),
        ("BRX R4, -0x180", None),
        ("IMAD R1, R2, 0x10, R3", None),
        ("BRA `(.L_x_3)", None),
    ],
)
def test_a_branch_leads_to_the_address_it_writes_out(sass: str, goes: int | None) -> None:
    assert target(parse(sass)) == goes


def test_a_backward_branch_closes_a_loop_and_loops_nest() -> None:
    found = loops(
        *code(
            "MOV R0, R1",  # 0
            "IADD3 R2, R2, 0x1, RZ",  # 1: outer
            "FADD R3, R3, R3",  # 2: inner
            "@P0 BRA 0x1020",
            "@P1 BRA 0x1010",
            "EXIT",
            "BRA 0x1060",  # padding
        )
    )
    assert [(f.first, f.back, f.body, f.depth) for f in found] == [(1, 4, (1, 2, 3, 4), 1), (2, 3, (2, 3), 2)]


def test_a_slow_path_behind_the_kernel_that_jumps_back_is_no_loop() -> None:
    assert not loops(*code("MOV R0, R1", "@P0 BRA 0x1040", "FADD R1, R1, R1", "EXIT", "MUFU.RCP R1, R1", "BRA 0x1020"))


def test_a_loop_that_is_left_early_and_one_with_two_ways_back_are_one_loop_each() -> None:
    found = loops(*code("FADD R1, R1, R1", "@P0 EXIT", "@P1 BRA 0x1000", "NOP", "@P2 BRA 0x1000", "EXIT"))
    assert [(f.first, f.back, len(f.body)) for f in found] == [(0, 4, 5)]


def test_code_that_cannot_be_read_has_no_loops() -> None:
    assert loops([None, None], [0, 16]) == ()
    assert loops([], []) == ()


@pytest.mark.parametrize(
    ("sass", "writes", "reads"),
    [
        ("LDG.E.128.CONSTANT R4, desc[UR6][R2.64]", {"R4", "R5", "R6", "R7"}, {"R2", "R3", "UR6"}),
        ("STG.E desc[UR4][R4.64], R7", set(), {"UR4", "R4", "R5", "R7"}),
        ("STS.64 [R4], R2", set(), {"R4", "R2", "R3"}),
        ("IMAD.WIDE R8, R2, UR6, R4", {"R8", "R9"}, {"R2", "UR6", "R4", "R5"}),
        (
            "HMMA.16816.F32 R4, R8, R12, R4",
            {"R4", "R5", "R6", "R7"},
            {f"R{n}" for n in (4, 5, 6, 7, 8, 9, 10, 11, 12, 13)},
        ),
        (
            "HGMMA.64x16x16.F32 R24, gdesc[UR4], R24",
            {f"R{n}" for n in range(24, 32)},
            {"UR4"} | {f"R{n}" for n in range(24, 32)},
        ),
        ("F2F.F32.F64 R4, R6", {"R4"}, {"R6", "R7"}),
        ("LEA R6, P0, R8, UR4, 0x2", {"R6"}, {"R8", "UR4"}),
        ("ISETP.GE.AND P1, PT, R0, UR4, PT", set(), {"R0", "UR4"}),
        ("DFMA R4, R6, R8, R4", {"R4", "R5"}, {"R6", "R7", "R8", "R9", "R4", "R5"}),
        ("@!P0 FFMA.FTZ R5, -R8, 0.05, R5", {"R5"}, {"R8", "R5"}),
        ("MOV R4, RZ", {"R4"}, set()),
        ("EXIT", set(), set()),
    ],
)
def test_registers_are_written_and_read_as_the_operands_say(sass: str, writes: set[str], reads: set[str]) -> None:
    instruction = parse(sass)
    assert instruction is not None
    assert (written(instruction), read(instruction)) == (writes, reads)


def test_a_wait_leads_back_to_the_load_that_wrote_the_register() -> None:
    waits = Producers(
        *code(
            "LDG.E R4, desc[UR4][R2.64]",
            "LDG.E R6, desc[UR4][R8.64]",
            "FADD R1, R6, R1",  # overwrites nothing that is loaded, reads one of them
            "FADD R4, R4, R6",
            "FADD R9, R4, R1",  # R4 is a sum by now
        )
    )
    assert waits.of(2) == (1,)
    assert waits.of(3) == (0,)  # R6 is there since the sum before was issued
    assert waits.of(4) == ()


def test_a_load_at_the_end_of_a_loop_is_waited_for_at_its_beginning() -> None:
    waits = Producers(
        *code("LDG.E R4, desc[UR4][R2.64]", "FADD R1, R4, R1", "LDG.E R4, desc[UR4][R8.64]", "@P0 BRA 0x1010", "EXIT")
    )
    assert waits.of(1) == (0, 2)  # the load before the loop, in the first round


def test_a_predicated_write_hides_no_older_load() -> None:
    waits = Producers(*code("LDG.E R4, desc[UR4][R2.64]", "@P0 MOV R4, RZ", "FADD R1, R4, R1"))
    assert waits.of(2) == (0,)


def test_a_store_that_waits_for_its_data_and_a_wait_for_a_copy() -> None:
    assert Producers(*code("LDG.E R4, desc[UR4][R2.64]", "STG.E desc[UR4][R6.64], R4")).of(1) == (0,)
    assert Producers(*code("LDGSTS.E.128 [R3], desc[UR4][R2.64]", "DEPBAR.LE SB0, 0x0")).of(1) == (0,)


BODY = listing(
    [
        ("MOV R0, R1", {"inst_executed": 10, "smsp__pcsamp_sample_count": 0}, 2),
        ("STL [R1+0x8], R0", {"inst_executed": 10}, 2),
        ("LDS R4, [R5]", {"inst_executed": 100, "memory_l1_wavefronts_shared": 800, "memory_l1_wavefronts_shared_ideal": 100, "smsp__pcsamp_sample_count": 9}, 4),  # noqa: E501
        ("LDL R6, [R1+0x8]", {"inst_executed": 100}, 5),
        ("BAR.SYNC 0x0", {"inst_executed": 100, "smsp__pcsamp_sample_count": 1}, 6),
        ("@P0 BRA 0x1020", {"inst_executed": 100}, 4),
        ("STS [R7], R4", {"inst_executed": 10, "memory_l1_wavefronts_shared": 10, "memory_l1_wavefronts_shared_ideal": 10}, 8),  # noqa: E501
        ("EXIT", {"inst_executed": 10}, 9),
    ]
)  # fmt: skip


def test_the_structure_counts_iterations_barriers_and_spills() -> None:
    found = structure(BODY)
    assert found.warps == 10
    (loop,) = found.loops
    assert (loop.iterations, loop.lines, loop.barriers, loop.spills, loop.samples) == (10, (4, 6), 1, 1, 1)
    assert found.spills == (1, 1)
    assert found.parts == pytest.approx({"prologue": 20 / 440, "loops": 400 / 440, "between": 0, "epilogue": 20 / 440})


def test_shared_accesses_are_grouped_by_their_base_register() -> None:
    conflicting, fine = shared_groups(BODY)
    assert (conflicting.base, conflicting.wavefronts / conflicting.executed, conflicting.ideal) == ("R5", 8, 100)
    assert (fine.base, fine.opcodes, fine.lines) == ("R7", ("STS",), (("k.cu", 8),))
