"""Sectors and wavefronts whose addresses the code shows only in part, decided by the measured passes of L1."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.reasoning.code_accesses import decided
from advisor.records.readings import Access, CodeAccess, CodeCounts

LOADS = CodeAccess("global", "load", 32, True, 10, 320, 40, 40, 10)
APART = CodeAccess("global", "store", 32, False, 10, 320, 320, 40, 320)
COLUMNS = CodeAccess("shared", "load", 32, False, 10, 320, 320, 10, 320)
OPCODES = {"LDG.E": 10.0, "STG.E": 10.0}


def access(code: CodeCounts, *passes: float, space: str = "global", kind: str = "store") -> Access:
    return next(a for a in decided(code, passes) if (a.space, a.kind) == (space, kind))


def test_known_addresses_need_no_measurement() -> None:
    found = access(CodeCounts(OPCODES, (LOADS, APART)), math.nan, kind="load")
    assert (found.sectors, found.sectors_ideal, found.executed, found.lanes) == (40, 40, 10, 320)
    assert math.isnan(found.wavefronts)


@pytest.mark.parametrize(("passes", "sectors"), [(1.0, 40), (16.5, 320), (14.0, 275), (8.75, 175)])
def test_the_passes_decide_how_far_lanes_are_apart(passes: float, sectors: float) -> None:
    assert access(CodeCounts(OPCODES, (LOADS, APART)), passes).sectors == pytest.approx(sectors, rel=0.05)


def test_the_passes_of_shared_memory() -> None:
    code = CodeCounts({"LDS": 10.0, "LDG.E": 10.0}, (LOADS, COLUMNS))
    assert access(code, 16.5, space="shared", kind="load").wavefronts == 320
    assert access(code, 1.0, space="shared", kind="load").wavefronts == 10


def test_unknown_accesses_of_both_memories_are_decided_at_their_limits_only() -> None:
    code = CodeCounts({}, (APART, COLUMNS))
    for passes, known in ((1.0, True), (32.0, True), (16.0, False)):
        found = decided(code, [passes])
        numbers = [found[0].sectors, found[1].wavefronts]
        assert all(map(math.isfinite, numbers)) is known, passes


def test_passes_that_contradict_the_addresses_leave_nothing_known() -> None:
    wide = CodeAccess("global", "load", 32, True, 10, 320, 320, 40, 320)
    for code, passes in ((CodeCounts({}, (wide,)), 1.0), (CodeCounts({}, (LOADS,)), 9.0)):
        assert all(math.isnan(a.sectors) for a in decided(code, [passes])), passes


def test_atomics_and_spills_blur_the_passes() -> None:
    atomics = CodeAccess("global", "atomic", 32, False, 10, 320, math.nan, math.nan, math.nan)
    for code in (CodeCounts({}, (LOADS, APART, atomics)), CodeCounts({}, (LOADS, APART), spills=20)):
        assert math.isnan(access(code, 8.75).sectors)
        assert access(code, 8.75, kind="load").sectors == 40


def test_addresses_that_were_not_followed_may_be_anywhere() -> None:
    lost = CodeAccess("global", "load", 32, False, 10, 320, math.nan, 40, math.nan)
    assert access(CodeCounts({}, (lost,)), 32.0, kind="load").sectors == 320
    assert access(CodeCounts({}, (lost,)), 1.0, kind="load").sectors == 40


def test_limits_near_each_other_are_one_number() -> None:
    rows = CodeAccess("global", "load", 128, False, 10, 320, 160, 160, 160)
    assert access(CodeCounts({}, (rows,)), math.nan, kind="load").sectors == 160


def test_wide_accesses_alone_may_need_as_many_passes() -> None:
    wide = CodeAccess("global", "load", 128, True, 2, 64, 32, 32, 8)
    other_path = CodeAccess("global", "load", 32, False, 8, 256, 256, 32, 256)
    code = CodeCounts({"LDG.E.128": 2.0, "LDG.E": 8.0}, (wide, other_path))
    found = {passes: decided(code, [passes])[1] for passes in (4.0, 26.0)}
    assert math.isnan(found[4.0].sectors)  # as many as the wide ones have, if the others are on a path not taken
    assert found[26.0].sectors == pytest.approx(256, rel=0.05)


def test_an_unknown_rate_of_requests_gives_the_lesser_of_both() -> None:
    code = CodeCounts(OPCODES, (LOADS, APART))
    assert access(code, 4.4, 8.8).sectors == access(code, 4.4).sectors > 60
    assert math.isnan(access(code, 1.0, 8.8).sectors)


@given(
    st.lists(
        st.builds(
            lambda space, kind, width, sure, n, most: CodeAccess(
                space, kind, width, sure, n, 32 * n, n * (4 + most), 4 * n, n * (1 + most)
            ),
            st.sampled_from(["global", "shared", "local"]),
            st.sampled_from(["load", "store", "atomic"]),
            st.sampled_from([0, 32, 128]),
            st.booleans(),
            st.floats(0.01, 1e6),
            st.floats(0, 28),
        ),
        max_size=6,
    ),
    st.lists(st.one_of(st.floats(0.1, 40), st.just(math.nan)), min_size=1, max_size=2),
)
def test_what_is_decided_lies_between_its_limits(accesses: list[CodeAccess], passes: list[float]) -> None:
    code = CodeCounts({}, tuple(accesses))
    for one in decided(code, passes):
        of = [a for a in accesses if (a.space, a.kind, a.width) == (one.space, one.kind, one.width)]
        assert one.executed == pytest.approx(sum(a.executed for a in of))
        number = one.sectors if one.space == "global" else one.wavefronts
        if math.isfinite(number):
            assert sum(a.ideal for a in of) * (1 - 1e-9) <= number <= sum(a.pieces for a in of) * (1 + 1e-9)
