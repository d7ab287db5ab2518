"""Live registers, lanes that are off, the course of a kernel, waits that lead nowhere, shared arrays by name."""

from __future__ import annotations

import pytest
from listings import code, listing

from advisor.hardware.sass_flow import live_registers
from advisor.source.listing import Waits
from advisor.source.structure import SharedArrays, bands, plain_name, structure, zones

LONG, SHORT, BARRIER = (
    f"smsp__pcsamp_warps_issue_stalled_{name}" for name in ("long_scoreboard", "short_scoreboard", "barrier")
)


def test_a_register_lives_from_its_write_to_its_last_read() -> None:
    live = live_registers(
        *code(
            "LDG.E.64 R4, desc[UR4][R2.64]",  # R2 and R3 in, R4 and R5 out
            "FADD R6, R4, R5",
            "FADD R7, R6, R6",
            "STG.E desc[UR4][R8.64], R7",  # R8 and R9 are alive from the beginning
            "EXIT",
        )
    )
    assert live == [6, 5, 4, 3, 0]


def test_what_a_loop_reads_again_lives_all_around_it() -> None:
    live = live_registers(*code("FADD R1, R2, R3", "IADD3 R4, R4, R1, RZ", "@P0 BRA 0x1010", "EXIT"))
    assert live == [4, 2, 2, 0]


def test_a_predicated_write_leaves_the_old_value_alive_and_a_called_function_is_looked_into() -> None:
    assert live_registers(*code("MOV R9, R9", "@P0 MOV R4, RZ", "FADD R1, R4, R9", "EXIT")) == [2, 2, 3, 0]
    live = live_registers(*code("CALL.REL.NOINC 0x1030", "EXIT", "NOP", "FADD R1, R7, R8", "RET.REL.NODEC R20 0x0"))
    assert live[0] == 3  # R7, R8 and the address to return to


def test_code_that_cannot_be_read_has_no_live_registers() -> None:
    assert live_registers([], []) == []
    assert live_registers([None, None], [0, 16]) == [0, 0]


RAN, LANES = "inst_executed", "thread_inst_executed_true"


def ran(times: float, lanes: float) -> dict[str, float]:
    return {RAN: times, LANES: times * lanes}


PARTED = listing(
    [
        ("ISETP.GT.AND P0, PT, R4, 0x2, PT", ran(10, 32), 1),
        ("BSSY B0, 0x1050", ran(10, 32), 2),
        ("@P0 BRA 0x1040", ran(10, 32), 2),
        ("FADD R1, R1, R1", ran(10, 20), 3),
        ("FADD R2, R2, R2", ran(10, 12), 4),
        ("BSYNC B0", ran(10, 32), 5),
        ("FADD R3, R3, R3", ran(20, 30), 6),
        ("FADD R4, R4, R4", {RAN: 0, LANES: 0}, 7),
        ("EXIT", ran(10, 32), 8),
    ]
)


def test_executions_are_told_by_how_many_lanes_they_had() -> None:
    assert bands(PARTED) == pytest.approx({"all": 50 / 90, "border": 20 / 90, "part": 10 / 90, "few": 10 / 90})
    assert bands(listing([("EXIT", {RAN: 0, LANES: 0}, 1)])) == {}


def test_a_zone_runs_from_bssy_to_where_the_lanes_meet_and_knows_what_parted_them() -> None:
    (zone,) = zones(PARTED)
    assert (zone.first.line, zone.last.line, zone.instructions) == (2, 5, 5)
    assert zone.lanes == pytest.approx((32 + 32 + 20 + 12 + 32) / 5)
    assert zone.branch is not None and zone.branch.sass == "@P0 BRA 0x1040"
    assert zone.test is not None and zone.test.opcode == "ISETP.GT.AND"


def test_the_course_is_cut_at_loops_and_inside_them_at_barriers() -> None:
    one = listing(
        [
            ("MOV R0, R1", {RAN: 10}, 1),
            ("LDG.E R4, desc[UR4][R2.64]", {RAN: 100}, 2),
            ("STS [R5], R4", {RAN: 100}, 2),
            ("BAR.SYNC 0x0", {RAN: 100}, 3),
            ("FFMA R6, R6, R6, R6", {RAN: 100}, 4),
            ("@P0 BRA 0x1010", {RAN: 100}, 5),
            ("STG.E desc[UR4][R2.64], R6", {RAN: 10}, 6),
            ("EXIT", {RAN: 10}, 7),
        ]
    )
    found = structure(one).phases
    assert [(p.part, p.loop, p.instructions, p.barrier) for p in found] == [
        ("prologue", None, 1, False),
        ("loop", 0, 3, True),
        ("loop", 0, 2, False),
        ("epilogue", None, 2, False),
    ]
    assert [p.does for p in found[1:3]] == [("global_load", "shared_store"), ("fp32",)]
    assert sum(p.executed for p in found) == pytest.approx(1)


def test_a_nested_loop_counts_its_rounds_in_one_of_the_outer() -> None:
    one = listing(
        [
            ("MOV R0, R1", {RAN: 2}, 1),
            ("IADD3 R2, R2, 0x1, RZ", {RAN: 10}, 2),
            ("FADD R3, R3, R3", {RAN: 80}, 3),
            ("@P0 BRA 0x1020", {RAN: 80}, 3),
            ("@P1 BRA 0x1010", {RAN: 10}, 2),
            ("EXIT", {RAN: 2}, 4),
        ]
    )
    outer, inner = structure(one).loops
    assert (outer.iterations, outer.parent) == (5, None)
    assert (inner.iterations, inner.parent, inner.per_round) == (40, 0, 8)


def test_a_wait_names_its_reason_and_what_it_is_for() -> None:
    waits = Waits(
        listing(
            [
                ("LDG.E R4, desc[UR4][R2.64]", {LONG: 0}, 1),
                ("LDS R5, [R6]", {LONG: 0}, 2),
                ("FADD R1, R4, R1", {LONG: 9, BARRIER: 1}, 3),
                ("FADD R7, R5, R1", {SHORT: 4}, 4),
                ("CS2R R8, SRZ", {SHORT: 2}, 5),
                ("BAR.SYNC 0x0", {BARRIER: 5}, 6),
                ("EXIT", {}, 7),
            ]
        )
    )
    long, short, orphan, barrier = (waits.of(i) for i in (2, 3, 4, 5))
    assert long is not None and (long.reason, long.share, long.orphan) == ("long_scoreboard", 0.9, False)
    assert [row.line for row in long.sources] == [1]
    assert short is not None and [row.line for row in short.sources] == [2]
    assert orphan is not None and orphan.orphan and orphan.sources == ()
    assert barrier is not None and (barrier.reason, barrier.orphan) == ("barrier", False)
    assert waits.of(6) is None


PTX = (
    ".visible .entry k(",
    ".shared .align 4 .b8 _ZZ1kE2as[4096];",
    ".shared .align 16 .b8 _ZZ1kE2bs[4096];",
    "mov.u64 %rd1, _ZZ1kE2as;",
    "mov.u64 %rd2, _ZZ1kE2bs;",
    "mul.wide.s32 %rd3, %r1, 4;",
    "add.s64 %rd4, %rd1, %rd3;",
    "ld.shared.f32 %f1, [%rd4+16];",  # 8: as
    "selp.b64 %rd5, %rd1, %rd2, %p1;",
    "st.shared.f32 [%rd5], %f1;",  # 10: either
    "ld.shared.u32 %r2, [%rd2];",  # 11: bs
    "mul.wide.u32 %rd6, %r2, 4;",
    "add.s64 %rd7, %rd1, %rd6;",
    "ld.shared.f32 %f2, [%rd7];",  # 14: as, with an index read from bs
    ".entry other(",
    "ld.shared.f32 %f2, [%rd4];",  # 16: another kernel, where %rd4 is unknown
)


@pytest.mark.parametrize(("line", "array"), [(8, "as"), (10, ""), (11, "bs"), (14, "as"), (16, ""), (4, ""), (99, "")])
def test_an_access_leads_back_to_the_array_that_its_address_is_made_from(line: int, array: str) -> None:
    assert plain_name(SharedArrays(PTX).of(line)) == array


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_ZZ9luminanceE6linear", "linear"),
        ("smem", "smem"),
        ("_Z", "_Z"),
        ("_ZZ99x", "_ZZ99x"),
        ("_ZN1a4tileE", "tile"),
    ],
)
def test_a_mangled_name_is_shortened(symbol: str, name: str) -> None:
    assert plain_name(symbol) == name
