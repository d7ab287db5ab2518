"""The inverse of the simulators: a pattern is found again from what it costs, and its command line costs the same."""

from __future__ import annotations

import json
import shlex

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from advisor.cli.main import main
from advisor.hardware import simulators
from advisor.hardware.lanes import Block
from tests.hardware.access_patterns import banks, coalescing


def access(cost: float, width: int = 4, block: Block | None = None, active: int = 32) -> simulators.Access:
    return simulators.Access(width, block or Block(256), active, cost)


def simulated(command: str, capsys: pytest.CaptureFixture[str]) -> float:
    words = shlex.split(command)
    assert words[0] == "ncu-advisor"
    with pytest.raises(SystemExit) as end:
        main([*words[1:], "--format", "json"])
    assert end.value.code == 0
    return float(json.loads(capsys.readouterr().out)["average"])


@given(st.integers(2, 64), st.integers(1, 32))
def test_a_stride_through_shared_memory_is_found_again_from_its_wavefronts(stride: int, active: int) -> None:
    cost = banks(4, stride, lanes=active).wavefronts
    (fit,) = simulators.bank_fits(access(cost, active=active))
    assert stride in fit.sizes


@given(st.integers(2, 7), st.sampled_from([1, 2, 4]))
def test_a_stride_through_global_memory_is_found_again_from_its_sectors(stride: int, width: int) -> None:
    cost = coalescing(width, stride).sectors
    assert any(f.kind == "stride" and stride in f.sizes for f in simulators.sector_fits(access(cost, width)))


@given(st.floats(1.02, 31.9))
def test_a_cost_that_no_stride_has_fits_nothing(cost: float) -> None:
    assume(min(abs(cost - whole) / cost for whole in range(1, 33)) > simulators.TOLERANCE)
    assert simulators.bank_fits(access(cost)) == () == simulators.sector_fits(access(cost))


def test_a_column_walk_through_a_tile_is_told_by_the_side_of_the_block() -> None:
    (fit,) = simulators.bank_fits(access(32, block=Block(32, 8)))
    assert (fit.kind, fit.sizes, fit.index) == ("column", (32, 64), "tid.x*32 + tid.y")


def test_what_counters_cannot_tell_apart_is_all_named() -> None:
    kinds = {f.kind for f in simulators.sector_fits(access(32, block=Block(32, 8)))}
    assert kinds == {"column", "far"}


@pytest.mark.parametrize(
    ("width", "block", "active", "cost"),
    [
        (4, Block(32, 8), 32, 32),
        (4, Block(16, 16), 32, 16),
        (4, Block(256), 32, 8),
        (4, Block(256), 16, 16),
        (8, Block(256), 32, 16),
        (16, Block(256), 32, 32),
        (2, Block(128), 32, 16),
    ],
    ids=lambda v: "+".join(sorted(v)) if isinstance(v, set) else str(v),
)
def test_each_fit_of_a_shared_access_has_a_command_that_costs_what_was_measured(
    width: int, block: Block, active: int, cost: int, capsys: pytest.CaptureFixture[str]
) -> None:
    one = access(cost, width, block, active)
    found = simulators.bank_fits(one)
    assert found
    for fit in found:
        assert simulated(simulators.command("banks", one, fit), capsys) == pytest.approx(cost, rel=simulators.TOLERANCE)


@pytest.mark.parametrize(
    ("width", "block", "active", "cost", "kinds"),
    [
        (4, Block(256), 32, 12, {"stride"}),
        (4, Block(256), 32, 5, {"offset"}),
        (4, Block(256), 32, 32, {"far"}),
        (4, Block(256), 8, 8, {"far"}),
        (4, Block(16, 16), 32, 16, {"column", "stride"}),
        (4, Block(4, 8), 32, 8, {"row", "stride"}),
        (8, Block(256), 32, 16, {"stride", "groups"}),
        (16, Block(256), 32, 32, {"far"}),
        (1, Block(256), 32, 2, {"stride", "offset", "groups"}),
        (4, Block(256), 32, 8, {"stride", "groups"}),
    ],
    ids=lambda v: "+".join(sorted(v)) if isinstance(v, set) else str(v),
)
def test_each_fit_of_a_global_access_has_a_command_that_costs_what_was_measured(
    width: int, block: Block, active: int, cost: int, kinds: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    one = access(cost, width, block, active)
    found = simulators.sector_fits(one)
    assert {fit.kind for fit in found} == kinds
    for fit in found:
        assert simulated(simulators.command("coalescing", one, fit), capsys) == pytest.approx(
            cost, rel=simulators.TOLERANCE
        )
