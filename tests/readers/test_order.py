"""What the order of the instructions shows: tiles that are loaded early, and work of some warps between barriers."""

from __future__ import annotations

import pytest

from advisor.readers.order import Step, copied_share, loops, staged_share, working_share

LOAD, STORE, BARRIER = "ld.global.f32 %f1, [%rd1];", "st.shared.f32 [%r1], %f1;", "bar.sync \t0;"
ADD, OTHER = "fma.rn.f32 %f2, %f3, %f4, %f2;", "add.s32 %r2, %r2, 1;"


def steps(*parts: tuple[float, str]) -> list[Step]:
    """Instructions with their executions per warp of 100 warps, after the first instruction of the kernel."""
    return [Step(100, 1, OTHER), *(Step(100 * count, at, text) for at, (count, text) in enumerate(parts, 2))]


def staged(*parts: tuple[float, str]) -> float | None:
    code = steps(*parts)
    loads = [at for at, step in enumerate(code) if step.text == LOAD]
    return staged_share(code, loads, lambda at: ["%f1"], lambda name: {name})


@pytest.mark.parametrize(
    ("code", "share"),
    [
        (((8, LOAD), (8, STORE), (8, BARRIER), (8, ADD), (8, ADD)), 0.0),  # waits for each tile
        (((8, LOAD), (8, ADD), (8, ADD), (8, STORE), (8, BARRIER)), 1.0),  # stores it after the arithmetic
        (((1, LOAD), (8, STORE), (8, LOAD), (8, BARRIER), (8, ADD)), 1.0),  # stores what the last round loaded
        (((8, ADD), (8, ADD), (8, ADD), (8, LOAD), (8, STORE), (8, BARRIER)), 0.0),  # moved behind the arithmetic
        (((8, ADD), (8, LOAD), (8, ADD), (8, STORE)), 0.5),
        (((1, LOAD), (1, STORE), (1, BARRIER), (8, ADD)), None),  # a table, filled once
        (((8, LOAD), (8, STORE)), None),
    ],
)
def test_a_tile_is_loaded_before_the_current_one_is_used(
    code: tuple[tuple[float, str], ...], share: float | None
) -> None:
    assert staged(*code) == (None if share is None else pytest.approx(share))


@pytest.mark.parametrize(
    ("code", "inner", "share"),
    [
        (((8, BARRIER), (8, ADD), (8, ADD), (8, BARRIER)), [(2, 5)], 1.0),
        # one warp of 32 works, with or without a loop of its own
        (((8, OTHER), (8, BARRIER), (0.25, ADD), (0.25, ADD), (0.25, ADD), (8, BARRIER)), [(2, 7)], 1 / 32),
        (((8, OTHER), (8, BARRIER), (0.25, OTHER), (16, ADD), (8, BARRIER)), [(2, 6), (5, 5)], 1 / 32),
        # a branch that one thread takes is not most of the work
        (((8, BARRIER), (8, ADD), (8, ADD), (0.25, ADD), (8, BARRIER)), [(2, 6)], 1.0),
        # what all warps execute in an inner loop
        (((8, BARRIER), (8, OTHER), (64, ADD), (8, BARRIER)), [(2, 5), (4, 4)], 1.0),
        (((1, BARRIER), (0.1, ADD), (1, BARRIER)), [], None),  # no loop
        (((8, ADD), (8, ADD)), [(2, 3)], None),
    ],
)
def test_warps_that_work_between_barriers(code, inner, share) -> None:
    found = working_share(steps(*code), inner)
    assert found == (None if share is None else pytest.approx(share))


def test_a_loop_is_a_branch_back_to_a_label() -> None:
    ptx = ["$L__BB0_1:", "add.s32 %r1, %r1, 1;", "@%p1 bra \t$L__BB0_1;", "@%p2 bra $L__BB0_2;", "$L__BB0_2:", "ret;"]
    assert loops(ptx, 0, len(ptx)) == [(1, 3, frozenset({"%p1"}))]


def test_a_loop_ends_by_its_own_branches_only() -> None:
    inner = ["$L_2:", "add.s32 %r2, %r2, 1;", "@%p2 bra $L_2;"]
    ptx = ["$L_1:", "@%p3 bra $L_3;", *inner, "@%p4 bra $L_5;", "$L_5:", "@!%p1 bra $L_1;", "$L_3:", "ret;"]
    assert loops(ptx, 0, len(ptx)) == [(3, 5, frozenset({"%p2"})), (1, 8, frozenset({"%p1", "%p3"}))]


COPY, GROUP, MEET = "LDGSTS.E.BYPASS.128 [R23], desc[UR10][R24.64]", "LDGDEPBAR", "BAR.SYNC.DEFER_BLOCKING 0x0"
WORK = ["FFMA R1, R2, R3, R1"] * 20


def _copied(lines: list[str], looped: range) -> float | None:
    """The share for a kernel of these lines, which are 16 bytes each; those in `looped` are executed ten times."""
    texts = {16 * at: line for at, line in enumerate(lines)}
    return copied_share(texts, {pc: 10.0 if pc // 16 in looped else 1.0 for pc in texts})


def test_a_copy_that_is_waited_for_at_once() -> None:
    body = [COPY, GROUP, "DEPBAR.LE SB0, 0x0", MEET, *WORK, MEET]
    share = _copied(["S2R R0, SR_TID.X", *body, "@P0 BRA 0x10", "EXIT"], range(1, len(body) + 2))
    assert share == pytest.approx(1 / 26)  # the end of the group


def test_a_copy_before_the_work_on_another_tile() -> None:
    body = [COPY, GROUP, *WORK, "DEPBAR.LE SB0, 0x0", MEET]
    share = _copied(["S2R R0, SR_TID.X", *body, "@P0 BRA 0x10", "EXIT"], range(1, len(body) + 2))
    assert share == pytest.approx(21 / 25)
    # The same loop, whose code begins at the wait.
    body = ["DEPBAR.LE SB0, 0x0", MEET, COPY, GROUP, *WORK]
    share = _copied([COPY, *body, "@P0 BRA 0x10", "EXIT"], range(1, len(body) + 2))
    assert share == pytest.approx(22 / 25)


def test_newer_copies_that_stay_under_way() -> None:
    body = ["DEPBAR.LE SB0, 0x1", MEET, *WORK, COPY, GROUP]
    assert _copied([COPY, *body, "@P0 BRA 0x10", "EXIT"], range(1, len(body) + 2)) == 1


def test_a_copy_whose_code_is_before_its_loop() -> None:
    """The compiler puts what all but the last round execute before the loop, and jumps there and back."""
    outside = [COPY, GROUP, f"BRA 0x{16 * (5 + 22 + 1):x}"]
    body = ["DEPBAR.LE SB0, 0x0", MEET, *WORK, "@P0 BRA 0x20", "FADD R1, R1, R1", "@P1 BRA 0x50"]
    lines = ["S2R R0, SR_TID.X", "BRA 0x50", *outside, *body, "EXIT"]
    share = _copied(lines, range(2, len(lines) - 1))
    assert share == pytest.approx(4 / 28)  # the end of the group, the jump, what follows it, and the branch back


@pytest.mark.parametrize(
    "body",
    [
        WORK,
        [COPY, *WORK],  # mbarriers wait for it
        ["DEPBAR.LE SB0, 0x0", *WORK],
    ],
)
def test_no_copies_that_are_waited_for(body: list[str]) -> None:
    assert _copied(["S2R R0, SR_TID.X", *body, "@P0 BRA 0x10", "EXIT"], range(1, len(body) + 2)) is None


def test_a_copy_without_a_loop_is_none() -> None:
    assert _copied([COPY, GROUP, "DEPBAR.LE SB0, 0x0", *WORK, "EXIT"], range(0)) is None
    assert copied_share({}, {}) is None
