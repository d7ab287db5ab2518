"""Which block indices the address of a load depends on, from the PTX; and what the counters of single loads show."""

from __future__ import annotations

import math
import time
from pathlib import Path

import pytest

from advisor.readers.access_tables import GLOBAL, SHARED, distinct_loads, own_updates, patterns, sparse_loads
from advisor.readers.addresses import LoadAddresses
from advisor.readers.read import read
from advisor.records import resources

HEAD = [
    ".visible .entry kernel(",
    "\t.param .u64 kernel_param_0,",
    "\t.param .u32 kernel_param_1",
    ")",
    "{",
    "\t.reg .pred \t%p<3>;",
    "",
    "\tld.param.u64 \t%rd1, [kernel_param_0];",
    "\tcvta.to.global.u64 \t%rd2, %rd1;",
    "\tld.param.u32 \t%r9, [kernel_param_1];",
    "\t.loc\t1 14 3, function_name $L__info_string0, inlined_at 1 20 3",
    "\tmov.u32 \t%r1, %ctaid.x;",
    "\tmov.u32 \t%r2, %ctaid.y;",
    "\tmov.u32 \t%r3, %tid.x;",
]
LOAD = "\tld.global.nc.f32 \t%f1, [%rd4];"


def axes(*code: str, load: str = LOAD) -> str | None:
    lines = [*HEAD, *code, load, "\tret;", "}"]
    return LoadAddresses(lines).axes(lines.index(load) + 1)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (["mul.wide.s32 %rd3, %r1, 4;", "add.s64 %rd4, %rd2, %rd3;"], "x"),
        (["mad.lo.s32 %r4, %r2, %r9, %r3;", "mul.wide.s32 %rd3, %r4, 4;", "add.s64 %rd4, %rd2, %rd3;"], "y"),
        (["mul.wide.u32 %rd3, %r3, 4;", "add.s64 %rd4, %rd2, %rd3;"], ""),
        # a loop: the address advances by what the second block index selects
        (["mov.u64 %rd4, %rd2;", "$L__BB0_2:", "cvt.s64.s32 %rd5, %r2;", "add.s64 %rd4, %rd4, %rd5;"], "y"),
        # the same register has another value on another path
        (["mov.u64 %rd4, %rd2;", "@%p1 cvt.u64.u32 %rd4, %r1;", "setp.lt.s32 %p1, %r3, 4;"], "x"),
        # the predicate of a move selects the address, that of a branch the loads that are executed
        (["setp.lt.s32 %p1, %r2, 4;", "mov.u64 %rd4, %rd2;", "@%p1 add.s64 %rd4, %rd2, 4;"], "y"),
        (["setp.lt.s32 %p1, %r2, 4;", "mov.u64 %rd4, %rd2;", "@!%p1 bra $L__BB0_9;"], "y"),
        (["setp.lt.s32 %p1, %r3, %r9;", "mov.u64 %rd4, %rd2;", "@%p1 bra $L__BB0_9;"], ""),
        # values of memory: the same at the same address only if the kernel does not write it
        (["ld.global.nc.u64 %rd4, [%rd2];"], ""),
        (["ld.global.u64 %rd4, [%rd2];"], "xyz"),
        (["atom.global.add.u64 %rd4, [%rd2], 1;"], "xyz"),
        (["mov.u32 %r4, %smid;", "cvt.u64.u32 %rd4, %r4;"], "xyz"),
        # an index that passes through a lane, a list in braces, inline assembly
        (["shfl.sync.idx.b32 %r4|%p1, %r2, 0, 31, -1;", "cvt.u64.u32 %rd4, %r4;"], "y"),
        (["mov.b64 %rd4, {%r1, %r2};"], "xy"),
        (["mov.b64 {%r4, %r5}, %rd2;", "cvt.u64.u32 %rd4, %r5;"], ""),
        (["// begin inline asm", "{ .reg .pred q; setp.ne.b32 q, %r2, 0; selp.u64 %rd4, %rd2, %rd1, q; }"], "y"),
        (["add.s64 %rd4, %rd2, %rd77;"], "xyz"),  # a register that nothing defines
    ],
)
def test_an_address_depends_on_the_block_indices_that_it_is_made_of(code: list[str], expected: str) -> None:
    assert axes(*code) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (["and.b32 %r4, %r1, 31;", "mul.wide.u32 %rd3, %r4, 4;", "add.s64 %rd4, %rd2, %rd3;"], "x"),
        (["rem.u32 %r4, %r2, %r9;", "mul.wide.u32 %rd3, %r4, 4;", "add.s64 %rd4, %rd2, %rd3;"], "y"),
        (["mov.u64 %rd4, %rd2;"], ""),  # one element for all
        # neighbouring blocks have one quotient together
        (["div.u32 %r4, %r1, %r9;", "mul.wide.u32 %rd3, %r4, 4;", "add.s64 %rd4, %rd2, %rd3;"], "xyz"),
        (["shr.u32 %r4, %r1, 5;", "mul.wide.u32 %rd3, %r4, 4;", "add.s64 %rd4, %rd2, %rd3;"], "xyz"),
        # the data selects the element
        (["ld.global.nc.u32 %r4, [%rd2];", "mul.wide.u32 %rd3, %r4, 4;", "add.s64 %rd4, %rd2, %rd3;"], "xyz"),
        # a branch decides whether, not where
        (["setp.lt.s32 %p1, %r2, 4;", "mov.u64 %rd4, %rd2;", "@!%p1 bra $L__BB0_9;"], ""),
    ],
)
def test_an_atomic_reaches_an_element_of_the_block_if_its_index_selects_it(code: list[str], expected: str) -> None:
    update = "\tred.global.add.f32 \t[%rd4], %f1;"
    lines = [*HEAD, *code, update, "\tret;", "}"]
    assert LoadAddresses(lines).updated(lines.index(update) + 1) == expected
    assert LoadAddresses(lines).updated(len(HEAD) + 1) is None, "no atomic"


def test_what_is_no_load_of_a_kernel_is_unknown() -> None:
    assert axes("mov.u64 %rd4, %rd2;", load="\tst.global.f32 \t[%rd4], %f1;") is None
    assert axes("mov.u64 %rd4, %rd2;", "call.uni other, (%r1);") is None
    lines = [".func other()", "{", LOAD, "ret;", "}"]
    assert LoadAddresses(lines).axes(3) is None
    assert [LoadAddresses(lines).axes(n) for n in (0, 99)] == [None, None]


def test_a_kernel_is_not_mixed_up_with_the_next_one() -> None:
    other = ["", ".visible .entry next()", "{", "mov.u64 %rd4, %ctaid.x;", "ret;", "}"]
    lines = [*HEAD, "mov.u64 %rd4, %rd2;", LOAD, "ret;", "}", *other]
    assert LoadAddresses(lines).axes(lines.index(LOAD) + 1) == ""


@pytest.mark.parametrize("text", ["a " * 100_000, "@%p " * 50_000, "{" * 100_000, "a:" * 100_000, "$L: " * 50_000])
def test_malformed_code_takes_no_longer_than_its_length(text: str) -> None:
    assert axes(text, "mov.u64 %rd4, %rd2;") is not None


def table(space: int, *loads: tuple[float, float, float]) -> dict[str, dict[int, float] | None]:
    """Make the tables of loads: (executed, cost per execution, ideal per execution)."""
    cost, ideal = (
        ("memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal")
        if space == SHARED
        else ("memory_l2_theoretical_sectors_global", "memory_l2_theoretical_sectors_global_ideal")
    )
    out: dict[str, dict[int, float] | None] = {
        "memory_l1_wavefronts_shared": None,
        "memory_l1_wavefronts_shared_ideal": None,
        "memory_l2_theoretical_sectors_global": None,
        "memory_l2_theoretical_sectors_global_ideal": None,
        "memory_type": {pc: float(space) for pc in range(len(loads))},
        "memory_access_type": dict.fromkeys(range(len(loads)), 2.0),
        "inst_executed": {pc: one[0] for pc, one in enumerate(loads)},
    }
    out[cost] = {pc: one[0] * one[1] for pc, one in enumerate(loads)}
    out[ideal] = {pc: one[0] * one[2] for pc, one in enumerate(loads)}
    return out


@pytest.mark.parametrize(
    ("loads", "share"),
    [
        ([(1000, 3.15, 1)], 1.0),  # the data selects the words
        ([(1000, 2, 1), (1000, 32, 1)], 0.0),  # fixed patterns: a stride, a column
        ([(1000, 1, 1)], 0.0),
        ([(1000, 4, 1), (1000, 2.5, 1)], 1.5 / 4.5),
        ([(0, 0, 0)], 0.0),
    ],
)
def test_loads_with_addresses_from_data_take_no_whole_number_of_wavefronts(
    loads: list[tuple[float, float, float]], share: float
) -> None:
    found = patterns(table(SHARED, *loads))
    assert found["shared_varying_excess_share"] == pytest.approx(share)


@pytest.mark.parametrize(
    ("loads", "share"),
    [
        ([(1000, 8, 4)], 1.0),  # groups of 8 lanes of 4 bytes that begin inside a sector
        ([(1000, 5, 4)], 1.0),  # a whole row of 128 bytes
        ([(1000, 6, 4)], 1.0),
        ([(1000, 24, 16)], 1.0),
        ([(1000, 32, 4)], 0.0),  # a struct or a row apart
        ([(1000, 12, 4)], 0.0),
        ([(1000, 7.4, 4)], 0.0),  # a gather
    ],
)
def test_groups_that_begin_inside_a_sector_fetch_one_too_many(
    loads: list[tuple[float, float, float]], share: float
) -> None:
    assert patterns(table(GLOBAL, *loads))["straddling_excess_share"] == share


def test_without_counts_there_are_no_patterns() -> None:
    assert patterns({**table(SHARED, (1, 1, 1)), "inst_executed": None}) == {}
    assert "straddling_excess_share" not in patterns(table(SHARED, (1, 1, 1)))


@pytest.mark.parametrize(
    ("grid", "used", "most"),
    [
        ([100, 8, 1], ["x", "x"], 2 * 3200 / 8),
        ([100, 8, 1], ["xy", "x"], 3200 + 3200 / 8),
        ([100, 8, 1], [None, "y"], 3200 + 3200 / 100),
        ([100, 8, 2], ["", "xyz"], 3200 / 1600 + 3200),
    ],
)
def test_blocks_along_an_unused_axis_load_the_same_bytes(grid: list[int], used: list[str | None], most: float) -> None:
    tables = table(GLOBAL, (100, 1, 1), (100, 1, 1))
    assert distinct_loads(tables, grid, used.__getitem__) == {"distinct_load_bytes": pytest.approx(most)}


@pytest.mark.parametrize(
    ("grid", "used", "share"),
    [
        ([100, 1, 1], "x", 1.0),
        ([100, 8, 1], "y", 0.0),  # blocks that run together differ in x, and have one element together
        ([1, 8, 1], "y", 1.0),
        ([100, 1, 1], "xyz", 0.0),  # what the kernel reads selects the element
        ([100, 1, 1], "", 0.0),
        ([100, 1, 1], None, None),
        ([1, 1, 1], "x", None),
    ],
)
def test_blocks_update_elements_of_their_own_if_the_fastest_index_selects_them(
    grid: list[int], used: str | None, share: float | None
) -> None:
    tables = {"memory_type": {0: 4.0}, "memory_access_type": {0: 0.0}, "memory_access_size_type": {0: 4.0}}
    found = own_updates({**tables, "inst_executed": {0: 10.0}}, grid, lambda pc: used)
    assert found == ({} if share is None else {"own_atomic_share": share})


EARLY = (  # blocks right of the diagonal end at once
    "setp.gt.s32 %p1, %r1, %r2;",
    "@%p1 bra $L__BB0_9;",
    "mul.wide.s32 %rd3, %r2, 4;",
    "add.s64 %rd4, %rd2, %rd3;",
)


def facts(*code: str) -> tuple[str | None, str]:
    """The axes of the address of a load, and of the branches that only end threads."""
    lines = [*HEAD, *code, LOAD, "$L__BB0_9:", "\tret;", "}"]
    found, line = LoadAddresses(lines), lines.index(LOAD) + 1
    return found.axes(line), found.guards(line)


def test_a_branch_to_the_end_of_the_kernel_is_a_guard_before_the_first_loop() -> None:
    assert facts(*EARLY) == ("y", "xy")
    assert facts("setp.gt.s32 %p1, %r1, %r2;", "@%p1 ret;", *EARLY[2:]) == ("y", "xy")
    # in a loop it decides how often the load is executed, and a branch over the load whether it is
    assert facts("$L__BB0_2:", *EARLY, "setp.lt.s32 %p2, %r3, %r9;", "@%p2 bra $L__BB0_2;") == ("xy", "")
    elsewhere = [*HEAD, *EARLY, LOAD, "$L__BB0_9:", "\tst.global.u32 [%rd2], %r3;", "\tret;", "}"]
    assert LoadAddresses(elsewhere).axes(elsewhere.index(LOAD) + 1) == "xy"


@pytest.mark.parametrize(
    ("executed", "lanes", "most"),
    [
        (
            {-2: 800, -1: 800, 0: 400},
            32,
            3200 / 50,
        ),  # half of the warps run on: on average 50 of 100 blocks load the same
        ({-2: 800, -1: 800, 0: 800}, 8, 3200 / 25),  # the load is predicated off in three of four lanes
        ({-2: 800, -1: 1, 0: 800}, 32, 3200),  # what so few warps execute may be a way around
        ({}, 32, 3200),
    ],
)
def test_guards_leave_a_part_of_the_blocks(executed: dict[int, float], lanes: float, most: float) -> None:
    counts = {"inst_executed": executed, "thread_inst_executed_true": {0: lanes * executed.get(0, 0)}}
    found = distinct_loads(table(GLOBAL, (100, 1, 1)) | counts, [100, 8, 1], lambda _: "y", lambda _: "x")
    assert found == {"distinct_load_bytes": pytest.approx(most)}


def test_long_names_are_read_in_linear_time() -> None:
    start = time.perf_counter()
    facts(f"@%p{'1' * 200_000} bra $L__BB0_9;")
    assert time.perf_counter() - start < 2


def test_without_code_or_grid_the_different_bytes_are_unknown() -> None:
    tables = table(GLOBAL, (100, 1, 1))
    assert distinct_loads(tables, [100, 8, 1], lambda pc: None) == {}
    assert distinct_loads(tables, [None, None, None], lambda pc: "x") == {}


def recorded(name: str) -> Path:
    return resources.folder("kernels") / name / "recorded" / "h200" / "profile.ncu-rep.xz"


@pytest.mark.parametrize(
    ("name", "launch", "metric", "value"),
    [
        ("matrix-walk", 0, "distinct_load_bytes", 131_072 * 4096 * 4 + 8 * 4096 * 4),  # the matrix, eight vectors
        ("good-copy", 0, "distinct_load_bytes", 536_870_912),
        ("misaligned", 0, "straddling_excess_share", 1.0),
        ("array-of-structs", 0, "straddling_excess_share", 0.0),
        ("constant-lookup", 1, "shared_varying_excess_share", 1.0),
        ("bank-conflicts", 0, "shared_varying_excess_share", 0.0),
        ("bank-conflicts", 0, "shared_interleaved_excess_share", 0.0),
        ("stride-two-layout", 0, "shared_interleaved_excess_share", 1.0),
        ("few-bytes-in-flight", 0, "tested_load_share", 1.0),
        ("linked-list", 0, "tested_load_share", 0.0),  # counts its steps
        ("uniform-parameters", 0, "walked_load_share", 1.0),
        ("scattered-gather", 0, "walked_load_share", 0.0),  # unrolled
        ("occupancy-trap", 1, "loaded_pair_share", 1.0),
        ("stride-two-layout", 1, "loaded_pair_share", 0.0),  # the other operand is a constant
        ("cupy-float64", 0, "distinct_load_bytes", math.nan),  # built without line information
    ],
)
def test_the_recorded_kernels_show_their_addresses(name: str, launch: int, metric: str, value: float) -> None:
    found = read(recorded(name), metric_filter=[metric]).frame
    number = float(found[metric].iloc[launch]) if metric in found else math.nan
    assert number == pytest.approx(value, rel=0.02, nan_ok=True)


def test_sparse_loads_are_global_ones_of_less_than_half_a_warp() -> None:
    """Two of two and seven lanes; a load of one lane, one of a word for all, a store and a load of shared memory."""
    tables: dict[str, dict[int, float] | None] = {
        "memory_type": {0: GLOBAL, 16: GLOBAL, 32: GLOBAL, 48: GLOBAL, 64: SHARED, 80: GLOBAL},
        "memory_access_type": {0: 2.0, 16: 2.0, 32: 2.0, 48: 1.0, 64: 2.0, 80: 2.0},
        "inst_executed": {0: 10.0, 16: 10.0, 32: 30.0, 48: 10.0, 64: 10.0, 80: 10.0},
        "thread_inst_executed_true": {0: 320.0, 16: 20.0, 32: 220.0, 48: 20.0, 64: 20.0, 80: 10.0},
        "memory_l2_theoretical_sectors_global_ideal": {0: 10.0, 16: 10.0, 32: 60.0, 80: 10.0},
    }
    assert sparse_loads(tables) == {"sparse_load_inst": 40.0, "sparse_load_lanes": 6.0, "sparse_load_share": 1.0}
    # a load of a row by the whole warp
    rows = {**tables, "memory_l2_theoretical_sectors_global_ideal": {0: 40.0, 16: 10.0, 32: 60.0, 80: 10.0}}
    assert sparse_loads(rows)["sparse_load_share"] == 0.8
    full = {**rows, "thread_inst_executed_true": {0: 320.0, 16: 320.0, 32: 960.0, 48: 320.0, 64: 320.0}}
    assert sparse_loads(full) == {"sparse_load_inst": 0.0, "sparse_load_share": 0.0}
    assert sparse_loads({**tables, "thread_inst_executed_true": None}) == {}
