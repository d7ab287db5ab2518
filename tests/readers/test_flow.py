"""What the PTX of a kernel tells about its values: gathers, chains, arithmetic on data, neighbours, live values."""

from __future__ import annotations

import time

import pytest

from advisor.readers.access_tables import GLOBAL, dependences, patterns
from advisor.readers.addresses import LoadAddresses
from advisor.readers.flow import Facts, Flow, live_words, runs

HEAD = [".visible .entry kernel(", ")", "{", "ld.param.u64 %rd1, [kernel_param_0];", "mov.u32 %r3, %tid.x;"]
GATHER = [
    "mul.wide.s32 %rd2, %r3, 4;",
    "add.s64 %rd3, %rd1, %rd2;",
    "ld.global.nc.u32 %r4, [%rd3];",
    "mul.wide.s32 %rd4, %r4, 4;",
    "add.s64 %rd5, %rd1, %rd4;",
]
LIST = ["mov.u32 %r4, %r3;", "$L__BB0_2:", "mul.wide.s32 %rd4, %r4, 4;", "add.s64 %rd5, %rd1, %rd4;"]
ROW = ["ld.global.nc.u32 %r4, [%rd1];", "$L__BB0_2:", "add.s32 %r4, %r4, 1;", "mul.wide.s32 %rd4, %r4, 4;"]
ROW += ["add.s64 %rd5, %rd1, %rd4;"]


def flow_of(*code: str) -> Flow:
    lines = [*HEAD, *code, "ret;", "}"]
    function = LoadAddresses(lines).function_at(4)
    assert function is not None
    return Flow(function.written)


@pytest.mark.parametrize(
    ("code", "gathers", "chained"),
    [
        ((*GATHER, "ld.global.nc.f32 %f1, [%rd5];"), True, False),
        # an index that is -1 or loaded
        (("mov.u32 %r4, -1;", *GATHER, "ld.global.nc.f32 %f1, [%rd5];"), True, False),
        ((*LIST, "ld.global.u32 %r4, [%rd5];", "@%p1 bra $L__BB0_2;"), False, True),
        # unrolled twice
        ((*LIST, "ld.global.u32 %r6, [%rd5];", "add.s32 %r4, %r6, 1;", "@%p1 bra $L__BB0_2;"), False, True),
        # the row that a loaded number selects is walked in order
        ((*ROW, "ld.global.nc.f32 %f1, [%rd5];", "@%p1 bra $L__BB0_2;"), False, False),
        (("mul.wide.s32 %rd4, %r3, 4;", "add.s64 %rd5, %rd1, %rd4;", "ld.global.nc.f32 %f1, [%rd5];"), False, False),
    ],
)
def test_an_address_comes_from_an_index_or_from_its_own_load(code, gathers, chained):
    flow = flow_of(*code)
    result = next(line for line in reversed(code) if "ld.global" in line).split()[1].rstrip(",")
    assert flow.gathers("%rd5") is gathers
    assert flow.depends_on("%rd5", [result]) is chained


def test_a_sum_that_begins_with_a_load_is_no_chain_of_loads():
    flow = flow_of("ld.global.f32 %f1, [%rd1];", "$L__BB0_1:", "add.f32 %f1, %f1, %f2;", "@%p1 bra $L__BB0_1;")
    assert flow.is_cyclic("%f1") and not flow.depends_on("%rd1", ["%f1"])


def test_arithmetic_on_loaded_data_is_counted_apart():
    flow = flow_of(
        "cvt.rn.f32.s32 %f1, %r3;",
        "mul.f32 %f2, %f1, %f1;",
        "fma.rn.f32 %f3, %f2, %f1, 0f3F800000;",
        "ld.global.nc.f32 %f4, [%rd1];",
        "mul.f32 %f5, %f4, %f3;",
        "add.s32 %r5, %r3, 1;",
    )
    assert flow.arithmetic() == (3, 1)


COUNTER = ["mov.u32 %r5, 0;", "$L__BB0_1:", "ld.global.f32 %f1, [%rd1];", "cvt.rn.f32.s32 %f2, %r5;"]
NEXT = ["add.s32 %r5, %r5, 1;", "@%p1 bra $L__BB0_1;"]


@pytest.mark.parametrize(
    ("code", "stepped"),
    [
        # cos(k x), with the constant that the compiler adds
        ((*COUNTER, "mul.f32 %f3, %f2, %f1;", "cos.approx.f32 %f4, %f3;", *NEXT), 1),
        ((*COUNTER, "fma.rn.f32 %f3, %f2, %f1, 0f3F800000;", "ex2.approx.f32 %f4, %f3;", *NEXT), 1),
        # exp(-v) where v grows by an eighth, unrolled twice
        (
            (
                "$L__BB0_1:",
                "add.f32 %f2, %f1, 0f3E000000;",
                "add.f32 %f1, %f2, 0f3E000000;",
                "ex2.approx.f32 %f4, %f1;",
            ),
            1,
        ),
        # the square of the counter; a value of the previous round; an element of an array; no loop at all
        ((*COUNTER, "mul.f32 %f3, %f2, %f2;", "cos.approx.f32 %f4, %f3;", *NEXT), 0),
        (("$L__BB0_1:", "cos.approx.f32 %f1, %f1;", "@%p1 bra $L__BB0_1;"), 0),
        (("$L__BB0_1:", "add.s64 %rd2, %rd2, 4;", "ld.global.f32 %f1, [%rd2];", "cos.approx.f32 %f2, %f1;"), 0),
        (("ld.global.f32 %f1, [%rd1];", "cos.approx.f32 %f2, %f1;"), 0),
    ],
)
def test_the_argument_of_a_function_advances_by_a_constant(code, stepped):
    assert flow_of(*code).stepped_functions() == (1, stepped)


def test_multiply_adds_of_two_loaded_values_are_counted_apart():
    flow = flow_of(
        "ld.shared.v2.f32 {%f1, %f2}, [%r3];",
        "ld.const.f32 %f3, [%rd1];",
        "fma.rn.f32 %f4, %f1, %f2, %f9;",
        "fma.rn.f32 %f5, %f1, %f3, %f9;",  # an operand of the instruction
        "fma.rn.f32 %f6, %f1, %f1, %f9;",  # a square needs one load
        "fma.rn.f32 %f7, %f4, %f2, %f9;",
    )
    assert flow.loaded_pairs() == (4, 1)


@pytest.mark.parametrize(
    ("offsets", "lengths"),
    [((0, 4, 8, 12), [4, 4, 4, 4]), ((0, 4, 12), [2, 2, 1]), ((0, 128), [1, 1]), ((8,), [1]), ((4, 0, 4), [2, 2, 2])],
)
def test_neighbouring_words_form_runs(offsets, lengths):
    found = runs((key, "st", "%rd1", offset, 4) for key, offset in enumerate(offsets))
    assert [found[key] for key in range(len(offsets))] == lengths


def test_words_of_other_bases_or_kinds_are_no_neighbours():
    found = runs([(0, "st", "%rd1", 0, 4), (1, "st", "%rd2", 4, 4), (2, "ld", "%rd1", 4, 4)])
    assert set(found.values()) == {1}


def test_values_kept_for_a_second_pass_are_live_together():
    loads = [f"ld.global.f32 %f{k}, [%rd1+{4 * k}];" for k in range(8)]
    first = [f"add.f32 %f10, %f10, %f{k};" for k in range(8)]
    second = [f"fma.rn.f32 %f11, %f{k}, %f10, %f11;" for k in range(8)]
    head = ["mov.f32 %f10, 0f00000000;", "mov.f32 %f11, 0f00000000;"]
    end = ["st.global.f32 [%rd1], %f11;", "ret;"]
    pairs = [line for pair in zip(loads, first, strict=True) for line in pair]
    assert live_words([*head, *pairs, *second, *end]) == 10
    assert live_words([*head, *pairs, "st.global.f32 [%rd1], %f10;", "ret;"]) == 2


def test_values_of_a_loop_are_live_around_it_and_doubles_count_twice():
    loop = ["mov.f32 %f1, 0f00000000;", "$L__BB0_1:", "fma.rn.f32 %f1, %f1, %f1, %f2;", "@%p1 bra $L__BB0_1;"]
    assert live_words(["ld.global.f32 %f2, [%rd1];", *loop, "st.global.f32 [%rd1], %f1;", "ret;"]) == 2
    assert live_words(["ld.global.f64 %fd2, [%rd1];", "add.f64 %fd3, %fd2, %fd2;", "st.global.f64 [%rd1], %fd3;"]) == 2


def tables(costs: dict[int, tuple[float, float, float]], kind: float = 2.0):
    """pc -> executions, sectors and ideal sectors per execution."""
    return {
        "memory_type": dict.fromkeys(costs, float(GLOBAL)),
        "memory_access_type": dict.fromkeys(costs, kind),
        "inst_executed": {pc: one[0] for pc, one in costs.items()},
        "memory_l2_theoretical_sectors_global": {pc: one[0] * one[1] for pc, one in costs.items()},
        "memory_l2_theoretical_sectors_global_ideal": {pc: one[0] * one[2] for pc, one in costs.items()},
        "memory_l1_wavefronts_shared": None,
        "memory_l1_wavefronts_shared_ideal": None,
    }


def facts(lines: list[str]) -> Facts:
    return Facts(LoadAddresses(lines), lines, lambda pc: pc)


def test_the_excess_of_a_gather_belongs_to_the_load_of_the_data():
    lines = [*HEAD, *GATHER, "ld.global.nc.f32 %f1, [%rd5];", "ret;", "}"]
    index, data = (at for at, line in enumerate(lines, 1) if "ld.global" in line)
    found = dependences(tables({index: (100, 4, 4), data: (100, 32, 4)}), {}, facts(lines))
    assert found["gather_excess_share"] == 1 and found["neighbour_excess_share"] == 0
    assert found["gathered_share"] == 0.5  # the other half are indices, which lanes load one beside the other
    assert patterns(tables({index: (100, 4, 4), data: (100, 32, 4)}))["far_excess_share"] == 1
    none = dependences(tables({index: (100, 4, 0), data: (100, 32, 0)}), {}, facts(lines))
    assert "gathered_share" not in none and none["gather_excess_share"] > 0.5
    assert "chained_load_share" not in found  # two loads of a warp are in no loop


def test_the_excess_of_a_search_by_halving_belongs_to_a_load_that_its_own_results_address():
    search = ["@%p1 bra $L__BB0_2;", "setp.lt.s32 %p2, %r4, %r5;", "selp.b32 %r6, %r6, %r7, %p2;"]
    code = ["$L__BB0_2:", "mul.wide.s32 %rd4, %r6, 4;", "add.s64 %rd5, %rd1, %rd4;", "ld.global.nc.u32 %r4, [%rd5];"]
    lines = [*HEAD, "mov.u32 %r6, 0;", *code, *search[1:], search[0], "ret;", "}"]
    load = next(at for at, line in enumerate(lines, 1) if "ld.global" in line)
    assert dependences(tables({load: (100, 32, 4)}), {}, facts(lines))["gather_excess_share"] == 1


@pytest.mark.parametrize(("cost", "share"), [(16, 1.0), (32, 0.0)])
def test_neighbours_of_a_thread_leave_no_gap(cost, share):
    lines = [*HEAD, *(f"st.global.f32 [%rd1+{4 * k}], %f1;" for k in range(4)), "ret;", "}"]
    stores = {at: (100, cost, 4) for at, line in enumerate(lines, 1) if line.startswith("st.")}
    assert dependences(tables(stores, kind=4.0), {}, facts(lines))["neighbour_excess_share"] == share


def test_live_words_are_known_where_registers_limit_the_blocks():
    lines = [*HEAD, "ld.global.nc.f32 %f1, [%rd1];", "st.global.f32 [%rd1], %f1;", "ret;", "}"]
    limits = {f"launch__occupancy_limit_{name}": (8.0, "") for name in ("blocks", "warps", "shared_mem", "registers")}
    assert "live_words" not in dependences(tables({6: (100, 4, 4)}), limits, facts(lines))
    limits["launch__occupancy_limit_registers"] = (1.0, "")
    assert dependences(tables({6: (100, 4, 4)}), limits, facts(lines))["live_words"] == 1


def test_without_the_ptx_of_the_kernel_nothing_is_known():
    assert dependences(tables({1: (100, 32, 4)}), {}, facts([])) == {}


TWO = [*HEAD[:4], "ld.param.u64 %rd9, [kernel_param_1];", HEAD[4]]
ROUND = ["ld.global.f32 %f1, [%rd5];", "st.global.f32 [%rd6], %f1;", "ld.global.f32 %f2, [%rd5+128];"]
ROUND += ["st.global.f32 [%rd6+128], %f2;"]


@pytest.mark.parametrize(
    ("body", "target", "share"),
    [
        (ROUND, "%rd9", 0.5),  # the second load of a round stays behind the first store
        ([ROUND[0], ROUND[2], ROUND[1], ROUND[3]], "%rd9", 0.0),  # loads come first
        ([line.replace("ld.global.f32", "ld.global.nc.f32") for line in ROUND], "%rd9", 0.0),  # known to be unchanged
        (ROUND, "%rd1", 0.0),  # what is stored may be what is loaded
        # not held by the store alone: a barrier, another path, a load that sees what others write
        ([*ROUND[:2], "bar.sync 0;", *ROUND[2:]], "%rd9", 0.0),
        ([*ROUND[:2], "bra.uni $L__BB0_4;", "$L__BB0_3:", *ROUND[2:], "$L__BB0_4:"], "%rd9", 0.0),
        ([*ROUND[:2], ROUND[2].replace("ld.global", "ld.volatile.global"), ROUND[3]], "%rd9", 0.0),
    ],
)
def test_loads_behind_a_store_through_another_argument_are_held(body, target, share):
    addresses = ["mul.wide.s32 %rd4, %r4, 4;", "add.s64 %rd5, %rd1, %rd4;", f"add.s64 %rd6, {target}, %rd4;"]
    code = ["mov.u32 %r4, %r3;", "$L__BB0_2:", *addresses, *body, "add.s32 %r4, %r4, 64;", "@%p1 bra $L__BB0_2;"]
    lines = [*TWO, *code, "ret;", "}"]
    loads = {at: (800, 4, 4) for at, line in enumerate(lines, 1) if line.startswith("ld.") and "global" in line}
    stores = {at: (800, 4, 4) for at, line in enumerate(lines, 1) if line.startswith("st.")}
    both, kinds = tables(loads | stores), tables(stores, kind=4.0)
    both["memory_access_type"] = both["memory_access_type"] | kinds["memory_access_type"]
    both["inst_executed"] |= {6: 100.0}  # each warp comes to the beginning once
    assert dependences(both, {}, facts(lines))["held_load_share"] == share


def test_many_loads_behind_stores_are_found_in_time():
    """Each is compared with the different arguments before it: with each store, this would take half a minute."""
    rounds = 15_000
    body = [
        line for k in range(rounds) for line in (f"st.global.f32 [%rd6+{k}], %f1;", f"ld.global.f32 %f1, [%rd5+{k}];")
    ]
    addresses = ["mul.wide.s32 %rd4, %r4, 4;", "add.s64 %rd5, %rd1, %rd4;", "add.s64 %rd6, %rd9, %rd4;"]
    lines = [*TWO, "mov.u32 %r4, %r3;", "$L__BB0_2:", *addresses, *body, "@%p1 bra $L__BB0_2;", "ret;", "}"]
    loads = {at: (800, 4, 4) for at, line in enumerate(lines, 1) if line.startswith("ld.global")}
    stores = {at: (800, 4, 4) for at, line in enumerate(lines, 1) if line.startswith("st.")}
    both, kinds = tables(loads | stores), tables(stores, kind=4.0)
    both["memory_access_type"] = both["memory_access_type"] | kinds["memory_access_type"]
    both["inst_executed"] |= {6: 100.0}
    start = time.perf_counter()
    found = dependences(both, {}, facts(lines))
    took = time.perf_counter() - start
    assert found["held_load_share"] == 1 and took < 10
