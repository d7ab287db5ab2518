"""Operators: what a fix leaves of each unit's work follows from the launch's own counts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from advisor.knowledge.base import catalog
from advisor.knowledge.time_model import fix_terms
from advisor.readers.access_tables import lines
from advisor.reasoning.time_model import model
from advisor.reasoning.time_model.operators import OPERATORS, applied, names_read, terms_of
from advisor.reasoning.time_model.slot_bound import slots_left


def left(operators: dict[str, dict[str, str]], **values: float) -> dict[str, float]:
    columns = {name: np.array([value]) for name, value in values.items()}
    built = model.build(columns, 1)
    return {term: float(part[0]) for term, part in applied(operators, built.columns, 1, built.now).items()}


STORES = {
    "sector_ratio": 4.5,
    "load_sectors_actual": 4.0e6,
    "load_sectors_ideal": 4.0e6,
    "store_sectors_actual": 32.0e6,
    "store_sectors_ideal": 4.0e6,
    "load_lines": 1.0e6,
    "load_lines_ideal": 1.0e6,
    "store_lines": 32.0e6,
    "store_lines_ideal": 1.0e6,
    "l2_tag_requests_pct": 60.0,
    "l2_write_xbar_pct": 75.0,
    "l2_data_pct": 19.0,
    "l2_served_pct": 75.0,
}


def test_every_operator_changes_terms_and_reads_metrics_that_exist() -> None:
    for operator in OPERATORS.values():
        assert set(operator.terms) <= set(fix_terms()), operator.name
        assert set(operator.reads) <= catalog().metrics.keys(), operator.name
        assert operator.terms or operator.of_terms


def test_fixes_of_launches_change_only_what_their_operators_name() -> None:
    for entry in catalog().diagnoses.values():
        for fix in entry.fixes:
            for given in (fix.operators, *fix.partial.values(), fix.most):
                found = left(given, **STORES)
                assert found.keys() <= set(terms_of(given)), (entry.id, fix.id)
                assert names_read(given) <= catalog().metrics.keys()


def test_lanes_that_work_together_load_less_but_from_the_same_places() -> None:
    loads = {"memory_inst": 100.0, "uniform_load_inst": 75.0}
    found = left({"reconverge": {"left": "0.25", "reach": "1"}}, **loads)
    assert (found["issue"], found["lsu"]) == (0.25, 0.25)
    assert found["l1_global"] == pytest.approx(1 - 0.75 * 0.75)


@pytest.mark.parametrize(("sectors", "waits"), [(4.0e6, 1.0), (1.0e6, 0.5)])
def test_coalesced_lanes_wait_for_lines_and_not_for_loads(sectors: float, waits: float) -> None:
    """A million loads of 4 bytes are a million lines, of 1 byte a quarter; the wait is half of theirs from DRAM."""
    wide = {"sector_ratio": 8.0, "global_wavefront_ratio": 8.0, "global_wait_share": 1.0, "idle_wait_ratio": 2.0}
    found = left({"coalesce": {}}, **wide, load_sectors_ideal=sectors, global_load_inst=1.0e6)
    assert found.get("latency_memory", 1.0) == pytest.approx(waits)


def test_a_scattered_store_sends_two_words_a_sector_where_a_coalesced_line_sends_five() -> None:
    found = left({"coalesce": {}}, **STORES)
    before, after = 1 + 32 + 32, 1 + 4 + 1  # words: load requests, sectors and lines of stores
    assert found["l2"] == pytest.approx(after / before)
    # Without the crossbar the tags lead: lines of loads and stores.
    tags = left({"coalesce": {}}, **{**STORES, "l2_write_xbar_pct": 1.0, "l2_served_pct": 60.0})
    assert tags["l2"] == pytest.approx(max(2 / 33, 19 / 60 / 4.5))


def test_groups_that_stay_in_their_lines_save_sectors_but_not_passes_for_whole_lines() -> None:
    numbers = {**STORES, "global_wavefront_ratio": 8.0, "dram_bytes": 1e9, "requested_bytes": 1e8}
    assert left({"coalesce": {}}, **numbers)["l1_global"] == pytest.approx(1 / 8)
    assert left({"coalesce": {"whole": "0"}}, **numbers)["l1_global"] == pytest.approx(1 / 4.5)


def test_isolated_sectors_reach_the_usual_rate_when_they_are_dense_again() -> None:
    lone = {"sector_ratio": 4.0, "global_sectors": 1e6, "dram_bytes": 2e8, "dram_pct": 50.0, "requested_bytes": 5e7}
    dense = {**lone, "dram_bytes": 4e7}
    assert left({"coalesce": {}}, **lone)["dram"] == pytest.approx(0.25 * 0.6 / 0.9)
    assert "dram" not in left({"coalesce": {}}, **dense)  # it moved no more than was asked for


def test_wider_accesses_divide_the_overhead_of_threads_and_keep_their_arithmetic() -> None:
    numbers = {"inst_executed": 100.0, "fp32_inst": 40.0, "fma_pipe_inst": 50.0, "memory_inst": 20.0}
    found = left({"widen": {"by": "4"}}, **numbers, global_load_inst=20.0, access_bits_mean=32.0)
    assert found["issue"] == pytest.approx(0.4 + 0.6 / 4)
    assert found["fma"] == pytest.approx(0.8 + 0.2 / 4)
    assert found["block_launch"] == found["lsu"] == found["latency_memory"] == pytest.approx(0.25)


def test_an_sm_holds_no_more_blocks_than_the_grid_has() -> None:
    numbers = {"blocks_per_sm_limit": 2.0, "sm_count": 100.0}
    assert left({"occupy": {"blocks": "8"}}, **numbers, grid_size=1e6)["latency"] == pytest.approx(0.25)
    assert left({"occupy": {"blocks": "8"}}, **numbers, grid_size=400.0)["latency"] == pytest.approx(0.5)


def test_removed_instructions_leave_issue_and_their_own_pipe() -> None:
    numbers = {"inst_executed": 100.0, "xu_inst": 10.0, "fma_pipe_inst": 50.0}
    found = left({"remove": {"xu": "5", "fma": "10"}}, **numbers)
    assert found["xu"] == pytest.approx(0.5)
    assert found["fma"] == pytest.approx(0.8)
    assert found["issue"] == pytest.approx(0.85)
    assert np.isnan(left({"remove": {"mixed": "integer_inst"}}, **numbers)["issue"])


def test_operators_of_one_fix_act_on_different_events() -> None:
    both = left({"pad": {"left": "0.5"}, "fewer_accesses": {"left": "0.5"}}, shared_wavefront_ratio=2.0)
    assert both["l1_shared"] == pytest.approx(0.25)


def test_lost_slots_are_blamed_on_the_fullest_unit_that_their_reason_waits_for() -> None:
    columns: dict[str, Any] = {
        "issue_pct": np.array([20.0]),
        "sm_active_pct": np.array([100.0]),
        "stall_long_scoreboard_not_issued_pct": np.array([60.0]),
        "stall_wait_not_issued_pct": np.array([20.0]),
        "dram_pct": np.array([81.0]),
    }
    now = model.build(columns, 1).now
    halved = {**now.terms, "dram": now.terms["dram"] * 0.5}
    # Of 80 lost slots three quarters wait for DRAM; half of these leave.
    assert float(slots_left(columns, now, halved, np.ones(1))[0]) == pytest.approx(0.7)
    assert float(slots_left(columns, now, now.terms, np.ones(1))[0]) == pytest.approx(1.0)
    del columns["sm_active_pct"]
    assert np.isnan(slots_left(columns, now, halved, np.ones(1))[0])


def test_a_warp_that_touches_many_lines_needs_as_few_as_its_sectors_fill() -> None:
    tables: dict[str, dict[int, float] | None] = {
        "memory_type": {0: 4.0, 16: 4.0, 32: 16.0},
        "memory_access_type": {0: 2.0, 16: 4.0, 32: 2.0},
        "inst_executed": {0: 10.0, 16: 10.0, 32: 10.0},
        "memory_l1_tag_requests_global": {0: 320.0, 16: 10.0},
        "memory_l2_theoretical_sectors_global_ideal": {0: 40.0, 16: 10.0},
    }
    found = lines(tables)
    assert found == {"load_lines": 320.0, "load_lines_ideal": 10.0, "store_lines": 10.0, "store_lines_ideal": 10.0}
    assert lines({**tables, "memory_l1_tag_requests_global": None}) == {}


def test_lanes_that_fill_their_warps_share_sectors_and_passes() -> None:
    # One lane of 32: 4 bytes of each sector are used, and neighbouring threads use the other 28.
    alone = {"lanes_of_block": 1.0, "block_size": 1.0, "requested_bytes": 4.0e6, "global_sectors": 1.0e6}
    found = left({"pack_lanes": {}}, **alone, l2_pct=50.0)
    assert found["l1_global"] == found["lsu"] == pytest.approx(1 / 32)
    assert found["l2"] == pytest.approx(4 / 32)


def test_full_lanes_keep_their_sectors_when_blocks_grow() -> None:
    full = {"lanes_of_block": 31.0, "block_size": 31.0, "requested_bytes": 32.0e6, "global_sectors": 1.0e6}
    assert left({"pack_lanes": {}}, **full, l2_pct=50.0).get("l2", 1.0) == pytest.approx(1)


TILE = {
    "inst_executed": 10.0e6,
    "arithmetic_inst": 4.0e6,
    "memory_inst": 4.0e6,
    "device_registers_per_sm": 65536.0,
    "device_max_warps_per_sm": 64.0,
    "occupancy_theoretical_pct": 100.0,
}


def test_a_tile_keeps_its_arithmetic_and_spreads_addresses_over_all_its_results() -> None:
    found = left({"tile": {"left": "0.25"}}, **TILE)
    assert found["issue"] == pytest.approx(0.4 + 0.4 / 4 + 0.2 / 16)
    assert found["lsu"] == pytest.approx(0.25)


def test_registers_of_a_tile_leave_fewer_warps_to_hide_its_waits() -> None:
    # 16 results and 64 other registers: 25.6 of 64 warps.
    found = left({"tile": {"left": "0.25"}}, **TILE)
    assert found["latency_memory"] == pytest.approx(0.25 * 64 / 25.6)
    few = left({"tile": {"left": "0.25"}}, **{**TILE, "occupancy_theoretical_pct": 25.0})
    assert few["latency_memory"] == pytest.approx(0.25)


def test_l2_looks_a_byte_of_dram_up_and_fills_it_where_l1_caches_the_rest() -> None:
    known = {"dram_read_bytes": 32.0e6, "dram_write_bytes": 32.0e6, "dram_bytes": 64.0e6, "l2_sectors": 30.0e6}
    assert left({"cached": {}}, **known)["l2"] == pytest.approx(0.1)
    assert left({"cached": {}}, **{**known, "l2_sectors": 6.0e6})["l2"] == pytest.approx(0.5)


def test_fences_leave_the_look_ups_of_accesses_and_fills() -> None:
    known = {"l2_read_sectors": 4.0e6, "l2_write_sectors": 4.0e6, "dram_read_bytes": 128.0e6, "l2_sectors": 24.0e6}
    assert left({"unfenced": {}}, **known)["l2"] == pytest.approx(0.5)


def test_packed_lines_hold_as_many_more_of_the_records() -> None:
    found = left({"pack_lines": {"by": "4"}}, l2_hit_pct=20.0, dram_read_bytes=900.0, dram_bytes=1000.0)
    assert found["dram"] == pytest.approx(1 - 0.9 * (1 - 0.25))  # hits rise from a fifth to four fifths
    whole = left({"pack_lines": {"by": "4"}}, l2_hit_pct=30.0, dram_read_bytes=900.0, dram_bytes=1000.0)
    assert whole["dram"] == pytest.approx(1 - 0.9 * (1 - 0.125))  # all of them hit, but for the first time


def test_what_the_tma_copies_stays_where_stores_are_coalesced() -> None:
    stores = {"global_sectors": 1000.0, "global_lookup_share": 1.0, "global_dram_share": 1.0, "global_wait_share": 1.0}
    stores |= {"sector_ratio": 2.0, "dram_bytes": 64e3, "requested_bytes": 16e3, "asked_bytes": 16e3}
    alone = left({"coalesce": {}}, **stores)
    beside = left({"coalesce": {}}, **stores, tma_load_bytes=32.0 * 99_000, tma_store_bytes=0.0)
    assert alone["l2"] < 0.7 and beside["l2"] > 0.99


def test_sectors_that_the_data_addresses_stay_apart() -> None:
    """A third of the excess is that of a gather: of 7 sectors for each needed one, 3 are left."""
    scattered = {**STORES, "sector_ratio": 7.0, "gather_excess_share": 1 / 3, "far_excess_share": 1.0}
    assert left({"coalesce": {}}, **scattered)["l1_global"] == pytest.approx(3 / 7)
    assert left({"coalesce": {"stays": "0"}}, **scattered)["l1_global"] == pytest.approx(1 / 7)
    # Rows that begin inside a sector are no gather, whoever computes their addresses.
    straddled = {**scattered, "far_excess_share": 0.0}
    assert left({"coalesce": {}}, **straddled)["l1_global"] == pytest.approx(1 / 7)


def test_threads_that_share_rows_fill_a_gpu_that_their_rows_did_not() -> None:
    few = {"waves": 0.015, "grid_size": 16.0, "sm_count": 132.0}
    found = left({"more_threads": {"by": "32"}}, **few)
    assert found["imbalance"] == 0
    assert found["latency"] == pytest.approx(1 / 32)
    assert left({"more_threads": {"by": "1024"}}, **few)["latency"] == pytest.approx(0.015)
    full = left({"more_threads": {"by": "32"}}, waves=4.0, grid_size=4224.0, sm_count=132.0)
    assert full == {"imbalance": 1.0, "latency": 1.0}


def test_more_registers_cost_a_block_where_they_limit_the_blocks() -> None:
    limited = {"blocks_per_sm_limit": 3.0, "occupancy_limit_registers": 3.0, "grid_size": 4000.0, "sm_count": 132.0}
    assert left({"more_registers": {}}, **limited)["latency"] == pytest.approx(1.5)
    assert left({"more_registers": {}}, **{**limited, "occupancy_limit_registers": 8.0})["latency"] == 1
    assert left({"more_registers": {}}, **{**limited, "grid_size": 132.0})["latency"] == 1


def test_special_functions_stay_when_slow_ones_leave() -> None:
    slow = {"inst_executed": 1000.0, "xu_inst": 80.0, "mufu_inst": 30.0}
    assert left({"remove": {"mixed": "950", "special": "mufu_inst"}}, **slow)["xu"] == pytest.approx(30 / 80)
    assert left({"remove": {"mixed": "950"}}, **slow)["xu"] == pytest.approx(0.05)


def test_local_accesses_leave_by_their_share_of_the_accesses_where_nothing_else_is_known() -> None:
    found = left(
        {"without_local": {}}, local_inst=75.0, global_load_inst=25.0, global_store_inst=0.0, inst_executed=1e3
    )
    unknown = left({"without_local": {}}, local_inst=75.0, local_share_of_memory=0.75, inst_executed=1e3)
    assert unknown["l2"] == unknown["dram"] == unknown["latency_memory"] == pytest.approx(0.25)
    assert found.keys() == unknown.keys()


def test_constants_read_by_index_leave_with_the_loops_that_are_unrolled() -> None:
    """Their index is then known, so that they are operands; what shifts bits of data stays in the ALU pipe."""
    counts = {"local_inst": 75.0, "local_share_of_memory": 0.75, "inst_executed": 1e3, "constant_inst": 100.0}
    unrolled = {"without_local": {"loops": "0.9", "address": "1"}}
    assert left(unrolled, **counts)["idc"] == pytest.approx(0.1)
    assert left({"without_local": {}}, **counts).get("idc", 1.0) == 1
    alu = {"pipe_alu_pct": 50.0, "sm_cycles_elapsed": 1.0, "sm_count": 100.0}
    assert left(unrolled, **counts, **alu)["alu"] == pytest.approx(0.4)
    assert left(unrolled, **counts, **alu, bit_share=0.8)["alu"] == pytest.approx(0.8)


def test_waits_for_local_loads_leave_by_the_numbers_of_loads_too() -> None:
    counts = {"local_inst": 75.0, "local_share_of_memory": 0.75, "inst_executed": 1e3}
    assert left({"without_local": {}}, **counts, global_wait_share=0.1)["latency_memory"] == pytest.approx(0.1)
    assert left({"without_local": {}}, **counts, global_wait_share=0.4)["latency_memory"] == pytest.approx(0.25)


def test_shuffles_of_few_lanes_become_those_of_whole_warps() -> None:
    assert left({"pack_lanes": {}}, block_size=8.0, lanes_of_block=8.0)["l1_shared"] == pytest.approx(0.25)


def test_softmax_between_two_products_stays_beside_warpgroup_instructions() -> None:
    given = {"warpgroups": {"rate": "0.63", "started": "0.1", "operands": "0.625", "lookups": "0.75"}}
    product = {"inst_executed": 1000.0, "tensor_inst": 300.0, "fp32_inst": 10.0}
    attention = {"inst_executed": 1000.0, "tensor_inst": 150.0, "fp32_inst": 400.0, "mufu_inst": 150.0}
    assert left(given, **product)["issue"] == pytest.approx(0.1)
    assert left(given, **attention)["issue"] == pytest.approx(0.55)


def test_levels_of_a_tree_leave_with_the_branches_that_steer_them() -> None:
    """Four instructions steer the part behind each barrier; where there are fewer, all of them leave."""
    counts = {"barrier_inst": 100.0, "control_inst": 800.0, "constant_inst": 0.0, "inst_executed": 2000.0}
    plain = left({"fewer_barriers": {"left": "0"}}, **counts)
    assert plain["latency_barrier"] == 0 and not {"cbu", "issue"} & plain.keys()
    steered = left({"fewer_barriers": {"left": "0", "control": "4"}}, **counts)
    assert steered["cbu"] == pytest.approx(0.5) and steered["issue"] == pytest.approx(1 - 400 / 2000)
    assert steered["adu"] == pytest.approx(1 - 500 / 900)
    few = left({"fewer_barriers": {"left": "0.2", "control": "4"}}, **counts | {"control_inst": 300.0})
    assert few["cbu"] == pytest.approx(0.2) and few["issue"] == pytest.approx(1 - 0.8 * 300 / 2000)


def test_counted_levels_of_a_tree_leave_with_all_their_instructions() -> None:
    counts = {"barrier_inst": 100.0, "control_inst": 800.0, "inst_executed": 2000.0}
    found = left({"fewer_barriers": {"left": "0.2", "control": "4", "levels": "1500"}}, **counts)
    assert found["issue"] == found["alu"] == found["fma"] == pytest.approx(1 - 0.8 * 0.75)
    assert found["cbu"] == pytest.approx(1 - 0.8 * 0.5)


def test_shuffles_that_come_for_barriers_take_the_load_store_unit() -> None:
    """All barriers leave; 150 shuffles in 10 x 100 SM cycles, of which the unit and its stage were busy for 800."""
    counts = {"barrier_inst": 100.0, "control_inst": 800.0, "inst_executed": 4000.0}
    busy = {"sm_cycles_elapsed": 100.0, "sm_count": 10.0, "lsu_need_pct": 80.0, "l1_wavefronts_pct": 80.0}
    fix = {"left": "0", "own": "0", "control": "4"}
    given = counts | busy | {"shared_wavefront_share": 1.0}
    without = left({"fewer_barriers": fix}, **given)
    found = left({"fewer_barriers": fix | {"shuffles": "1.5 * barrier_inst"}}, **given)
    assert without["lsu"] == without["l1_shared"] == 0
    assert found["lsu"] == found["l1_shared"] == pytest.approx(150 / 800)
    assert found["issue"] == pytest.approx(without["issue"] + 300 / 4000)


def test_integers_with_loaded_values_stay_when_threads_do_more() -> None:
    """Of 100 ALU instructions 60 compute with data; 100 SM cycles of a pipe of half a warp are 200 a scheduler."""
    merge = {"merge_blocks": {"left": "0.25", "in_flight": "1"}}
    alu = {"pipe_alu_pct": 50.0, "sm_cycles_elapsed": 100.0, "sm_count": 1.0}
    counts = alu | {"inst_executed": 200.0, "memory_inst": 20.0, "fp32_inst": 0.0}
    plain = left(merge, **counts)
    assert plain["alu"] == pytest.approx(0.25) and plain["issue"] == pytest.approx(0.1 + 0.9 / 4)
    data = left(merge, **counts, data_alu_inst=60.0, data_product_inst=0.0)
    assert data["alu"] == pytest.approx(0.6 + 0.4 / 4) and data["issue"] == pytest.approx(0.4 + 0.6 / 4)


def test_comparisons_of_floats_are_no_work_of_the_fma_pipe() -> None:
    merge = {"merge_blocks": {"left": "0.5", "in_flight": "1"}}
    counts = {"inst_executed": 400.0, "fma_pipe_inst": 200.0, "fp32_inst": 200.0, "ffma_inst": 0.0, "fmul_inst": 0.0}
    assert left(merge, **counts, fadd_inst=100.0)["fma"] == pytest.approx(0.5 + 0.5 / 2)


def test_fences_wait_for_the_queue_of_atomics_before_them() -> None:
    waits = {"stall_membar": 7.0, "stall_wait": 2.0}  # of ten cycles an instruction, its own issue included
    found = left({"spread_atomics": {"left": "0.1"}}, **waits)
    assert found["latency_fixed"] == pytest.approx(1 - 0.7 * 0.9)
    assert left({"spread_atomics": {"left": "0.1"}}, stall_wait=2.0).get("latency_fixed", 1.0) == 1


def test_constants_of_double_polynomials_leave_without_seeds_too() -> None:
    sine = {"inst_executed": 1000.0, "dfma_inst": 300.0, "dadd_inst": 0.0, "dmul_inst": 0.0, "move_inst": 200.0}
    few = left({"to_single": {}}, **sine, uniform_inst=50.0)
    many = left({"to_single": {}}, **sine, uniform_inst=300.0)
    assert few["issue"] == pytest.approx(0.8) and many["issue"] == pytest.approx(0.5)


def test_a_special_function_leaves_with_what_guards_it_against_denormal_numbers() -> None:
    """An exponential is a product, a comparison and two more products beside the function itself."""
    counts = {"mufu_inst": 100.0, "fma_pipe_inst": 500.0, "inst_executed": 1000.0, "fmul_inst": 300.0}
    half = {"functions": {"left": "0.5", "each": "1"}}
    plain, guarded = left(half, **counts, float_test_inst=0.0), left(half, **counts, float_test_inst=100.0)
    assert plain["issue"] == pytest.approx(1 - 50 / 1000) and plain["xu"] == 0.5
    assert guarded["issue"] == pytest.approx(1 - (50 + 3 * 50) / 1000)
    assert guarded["fma"] == pytest.approx(1 - 2 * 50 / 500)
    # Comparisons without products are no guards, such as the cutoff of a distance.
    assert left(half, **{**counts, "fmul_inst": 0.0}, float_test_inst=100.0) == plain
    many = left({"functions": {"left": "0", "each": "0"}}, **counts, float_test_inst=1e30)
    assert many["issue"] == pytest.approx(1 - 500 / 1000) and many["fma"] == pytest.approx(1 - 300 / 500)


def test_lanes_that_were_not_counted_are_those_of_divergent_kernels() -> None:
    usual = {"reconverge": {"unknown": "0.25"}}
    assert left(usual)["issue"] == 0.25
    assert left(usual, lanes_active=24.0)["issue"] == 0.75
    assert math.isnan(left({"reconverge": {}})["issue"])


def test_half_of_what_lanes_gather_is_in_the_caches() -> None:
    """DRAM moves 400 bytes for 100 that are asked for; of these all or none are gathered."""
    known = {"sector_ratio": 4.0, "dram_bytes": 400.0, "requested_bytes": 100.0, "asked_bytes": 100.0}
    known |= {"global_dram_share": 1.0}
    assert left({"coalesce": {}}, **known)["dram"] == pytest.approx(0.25)
    assert left({"coalesce": {}}, **known, gathered_share=1.0)["dram"] == pytest.approx(0.125)


def test_l2_serves_a_tile_less_often_also_where_its_reads_were_not_counted() -> None:
    loads = {**TILE, "global_load_inst": 3.0e6, "global_store_inst": 1.0e6}
    assert left({"tile": {"left": "0.25"}}, **loads)["l2"] == pytest.approx(1 - 0.75 * 0.75)
    assert left({"tile": {"left": "0.25"}}, **TILE).get("l2", 1.0) == 1
    # Of loads that hit L1, L2 sees none: a quarter of three million and a million stores.
    hit = left({"tile": {"left": "0.25"}}, **loads, l1_hit_pct=75.0)
    assert hit["l2"] == pytest.approx(1 - 0.75 * 0.75 / 1.75)


LOCAL = {"inst_executed": 1000.0, "local_inst": 200.0, "indexed_local_inst": 200.0, "fp32_inst": 300.0}
UNROLLED = {"without_local": {"share": "1", "address": "1", "loops": "0.9"}}


def test_an_unrolled_loop_over_a_local_array_loses_its_addresses_and_branches() -> None:
    found = left(UNROLLED, **LOCAL, control_inst=100.0)
    assert found["issue"] == pytest.approx(1 - (2 * 200 + 1.5 * 90) / 1000) and found["cbu"] == pytest.approx(0.1)
    assert left(UNROLLED, **LOCAL)["issue"] == pytest.approx(0.6)  # branches not counted
    # What computes with data stays, however many accesses and branches there are.
    assert left(UNROLLED, **{**LOCAL, "local_inst": 450.0}, control_inst=400.0)["issue"] == pytest.approx(0.3)
    assert left({"without_local": {}}, **LOCAL, control_inst=100.0)["issue"] == pytest.approx(0.8)


def test_only_the_loads_of_shared_arithmetic_leave_with_it() -> None:
    loads = {"uniform_load_inst": 50.0, "global_load_inst": 100.0, "global_store_inst": 0.0, "inst_executed": 1000.0}
    assert left({"uniform": {}}, **loads)["l1_global"] == pytest.approx(0.5)
    assert left({"uniform": {"share": "0.5"}}, **loads)["l1_global"] == pytest.approx(0.75)
    assert left({"uniform": {"share": "0.5"}}, **loads)["issue"] == pytest.approx(1 - 25 / 1000)


def test_loads_of_threads_with_work_stay_where_the_others_leave() -> None:
    """Three lanes of 256 load: of the accesses three of 32 lanes are left, when rows share warps."""
    idle = {"skip_threads": {"left": "0.03", "blocks": "0.03", "accesses": "3 / 32"}}
    found = left(idle, inst_executed=100.0)
    assert found["lsu"] == found["l1_global"] == pytest.approx(3 / 32) and found["issue"] == 0.03


def test_a_call_that_streams_leaves_the_bytes_of_dram_and_no_unit_above_its_share() -> None:
    busy = {"dram_pct": 20.0, "dram_bytes": 1e9, "issue_pct": 80.0, "pipe_alu_pct": 5.0, "l2_pct": 18.0}
    whole = left({"stream": {}}, **busy)
    assert "dram" not in whole and whole["imbalance"] == 0
    # Issue slots need four times as long as DRAM: of that, two fifths of DRAM's time are left. ALU needs less anyway.
    assert whole["issue"] == pytest.approx(0.4 * (20 / 90) / (80 / 97), rel=0.02)
    assert "alu" not in whole
    half = left({"stream": {"bytes": "0.5"}}, **busy)
    assert half["dram"] == 0.5 and half["issue"] == pytest.approx(whole["issue"] / 2)
    assert left({"stream": {"others": "2"}}, **busy)["issue"] == pytest.approx(5 * whole["issue"])
    # Data that is in L2 already passes that; where neither is known, nothing is.
    cached = left({"stream": {}}, **busy | {"dram_pct": 0.0, "l2_pct": 36.0})
    assert cached["issue"] == pytest.approx(0.4 * (36 / 90) / (80 / 97), rel=0.05)
    assert "issue" not in left({"stream": {}}, issue_pct=80.0, dram_bytes=1e9)


def test_tables_of_double_sines_leave_with_them() -> None:
    sines = {"dfma_inst": 4e6, "dadd_inst": 0.0, "dmul_inst": 1e6, "inst_executed": 2e7, "f64_conversion_inst": 2e5}
    sines |= {"double_seed_inst": 1e5, "fma_pipe_inst": 2e6, "fp64_inst": 5e6, "global_load_inst": 1e6}
    sines |= {"memory_inst": 1.25e6, "uniform_load_inst": 8e5, "uniform_load_bytes": 16 * 8e5, "move_inst": 3e6}
    found = left({"to_single": {}}, **sines)
    assert found["l1_global"] == found["latency_memory"] == pytest.approx(0.2)
    assert found["lsu"] == pytest.approx(1 - 8e5 / 1.25e6)
    # Values of four bytes that all lanes share are the kernel's own data.
    own = left({"to_single": {}}, **sines | {"uniform_load_bytes": 4 * 8e5})
    assert own.get("l1_global", 1.0) == own.get("lsu", 1.0) == 1
    # Bodies that all lanes load, of two doubles each, come without moves of constants.
    bodies = left({"to_single": {}}, **sines | {"move_inst": 0.0})
    assert bodies.get("l1_global", 1.0) == bodies.get("lsu", 1.0) == 1
