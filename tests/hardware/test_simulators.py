"""`napkin coalescing|banks|occupancy`: what they say, their JSON, and what they refuse."""

from __future__ import annotations

import json
import time

import jsonschema
import pytest

from advisor.cli.json_schema import schema
from advisor.cli.main import main
from advisor.hardware import lanes
from advisor.hardware.gpus import limits_of
from advisor.hardware.lanes import access
from advisor.hardware.occupancy import block_limits, most_for
from advisor.hardware.simulators import Asked, banks, banks_of, coalescing
from advisor.records.errors import UsageError
from advisor.view.pages.simulators import banks_page, coalescing_page
from advisor.view.writers.terminal import terminal_text

SCHEMA = schema("simulator")
TILE = ("napkin", "banks", "tid.x*32 + tid.y", "--block", "32x8")


def run(*args: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main(list(args))
    return int(stop.value.code or 0)


def test_an_index_is_worked_out_as_c_would() -> None:
    found = lanes.warps(
        lanes.index("(size_t)threadIdx.x / 3 * 2u + (-7 % 4) + (lane ^ 1)"), None, lanes.block("32"), {}
    )
    assert found[0][:4] == [lane // 3 * 2 - 3 + (lane ^ 1) for lane in range(4)]


def test_lanes_that_a_condition_or_the_block_leaves_out_are_off() -> None:
    found = lanes.warps(lanes.index("tid"), lanes.condition("tid.x != 1 && !(tid.y == 0)"), lanes.block("10x4"), {})
    assert found[0][:12] == [None] * 10 + [10, None]
    assert found[1][7:] == [39] + [None] * 24


def test_an_odd_offset_costs_a_sector_and_a_shift_gives_it_back() -> None:
    result = coalescing(Asked("tid.y*stride + tid.x", block="32x8", offset=16), {"stride": 1000})
    assert result.costs == (5,) * 8
    assert [(c.kind, c.by, c.cost) for c in result.changes] == [("shift", 16, 4.0)]


def test_a_walk_down_columns_is_cured_by_exchanging_x_and_y() -> None:
    result = coalescing(Asked("tid.x*n + tid.y", block="32x8"), {"n": 1024})
    assert result.average == 32
    assert [(c.kind, c.cost) for c in result.changes] == [("exchange", 4.0)]


def test_a_column_of_a_tile_is_cured_by_one_column_or_a_swizzle() -> None:
    result = banks(Asked("tid.x*32 + tid.y", block="32x8"), {})
    assert result.average == 32
    assert {(c.kind, c.by, c.cost) for c in result.changes} == {("pad", 1, 1.0), ("swizzle", 32, 1.0)}
    assert "with one column of padding after 32: 1.0" in terminal_text(banks_page(result))


def test_pads_of_wide_accesses_keep_their_alignment() -> None:
    result = banks(Asked("tid.x%16*8", vector=4), {})
    assert result.average == 8
    assert [c.by for c in result.changes if c.kind == "pad"] == [4]


@pytest.mark.parametrize(("step", "wavefronts"), [(1, 2), (2, 2), (4, 4), (8, 4)])
def test_16_bytes_go_in_halves_only_where_lane_and_lane_xor_1_or_2_agree(step: int, wavefronts: int) -> None:
    addresses = [16 * (lane // (2 * step) * step + lane % step) % 128 for lane in range(32)]
    assert banks_of(addresses, 16).wavefronts == wavefronts


def test_the_drawings_keep_to_the_width_and_to_ascii_where_asked() -> None:
    for text in (
        terminal_text(coalescing_page(coalescing(Asked("tid.x*9", offset=8), {})), blocks=False),
        terminal_text(banks_page(banks(Asked("tid.x*8", dtype="double"), {})), blocks=False),
    ):
        assert text.isascii()
        assert max(map(len, text.splitlines())) <= 80
    assert sum(line.startswith("lane ") for line in text.splitlines()) == 32


def test_what_fits_one_block_more_is_the_most_that_does() -> None:
    limits = limits_of("9.0")
    found = most_for(limits, 256, limits.shared_per_sm, 5)
    assert found is not None
    registers, shared = found
    fits = block_limits(limits, 256, registers, shared, limits.shared_per_sm)
    assert min(fits.values()) == 5
    beyond = block_limits(limits, 256, registers + 1, shared + 1, limits.shared_per_sm)
    assert beyond["registers"] < 5
    assert beyond["shared"] < 5
    assert most_for(limits, 1024, limits.shared_per_sm, 3) is None


@pytest.mark.parametrize(
    "arguments",
    [
        ("napkin", "coalescing", "tid.y*s + tid.x", "--s", "1k", "--block", "32x8"),
        TILE,
        ("napkin", "occupancy", "--block", "16x16", "--registers", "64", "--shared", "20 KiB", "--cc", "8.6"),
        ("napkin", "occupancy", "--gpu", "A100-80GB-SXM", "--block", "1024"),
    ],
)
def test_the_json_is_what_its_schema_says(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    if "--gpu" in arguments:
        from advisor.hardware.gpus import ids

        arguments = tuple(ids()[0] if word.startswith("A100") else word for word in arguments)
    assert run(*arguments, "--format", "json") == 0
    jsonschema.validate(json.loads(capsys.readouterr().out), SCHEMA, cls=jsonschema.Draft202012Validator)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("coalescing",), "give one index"),
        (("coalescing", "tid.x*stride"), "--stride 1024"),
        (("coalescing", "tid.x", "--strde", "3"), "is not an option or a name"),
        (("coalescing", "tid.x*s", "--s", "nan"), "not a number"),
        (("coalescing", "tid.x*s", "--s", "1e300"), "whole number"),
        (("coalescing", "tid.x*s", "--s", "1.5"), "whole number"),
        (("coalescing", "1" * 5000), "longer than 400 characters"),
        (("coalescing", "(" * 300), "not an index"),
        (("coalescing", "~" * 300 + "1"), "deep"),
        (("coalescing", "tid.x/0"), "divides by zero"),
        (("coalescing", "1 << 99"), "shifts"),
        (("coalescing", "__import__('os')"), "not one of"),
        (("coalescing", "tid.x", "--block", "64x64"), "1,024 at most"),
        (("coalescing", "tid.x", "--block", "0"), "not a block shape"),
        (("coalescing", "tid.x", "--where", "tid.x < 0"), "no lane"),
        (("coalescing", "tid.x", "--where", "tid.x"), "comparison"),
        (("coalescing", "tid.x", "--dtype", "float3"), "1, 2, 4, 8 or 16 bytes"),
        (("coalescing", "tid.x", "--dtype", "quux"), "no type"),
        (("coalescing", "tid.x", "--vector", "4"), "not a multiple of 16"),
        (("coalescing", "tid.x", "--gpu", "H100"), "every GPU"),
        (("banks", "tid.x*32 - 1"), "negative"),
        (("occupancy", "--registers", "999"), "--registers"),
        (("occupancy", "--cc", "3.0"), "no compute capability"),
        (("occupancy", "--warp", "3"), "no --warp"),
        (("occupancy", "--registers"), "needs a value"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    arguments: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("napkin", *arguments) == 2
    heard = capsys.readouterr()
    assert says in heard.err
    assert len(heard.err.strip().splitlines()) == 1
    assert heard.out == ""


def test_the_longest_index_over_the_largest_block_takes_no_time() -> None:
    text = "+".join(["tid.x*tid.y"] * 33)
    start = time.process_time()
    coalescing(Asked(text, block="32x32"), {})
    assert time.process_time() - start < 5


def test_types_go_by_their_names_in_cuda_and_in_the_table() -> None:
    sizes = {"float4": 16, "half2": 4, "uchar": 1, "f16": 2, "size_t": 8, "uint32_t": 4, "double2": 16, "8": 8}
    assert {name: access(name)[1] for name in sizes} == sizes
    with pytest.raises(UsageError):
        access("double4")
