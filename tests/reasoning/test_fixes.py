"""Which of several fixes comes first, why, and what follows from it: its gain, the alternatives, the explanation."""

from __future__ import annotations

import msgspec
import pytest

from advisor.knowledge.base import catalog
from advisor.knowledge.expressions import FALSE, TRUE, UNKNOWN
from advisor.knowledge.libraries import kinds_of, library_of
from advisor.knowledge.schemas import FixDef, ObservationDef
from advisor.reasoning.diagnose import analyse, analyse_numbers
from advisor.reasoning.engine.reason import Engine
from advisor.reasoning.fixes import ranked_fixes
from advisor.records import resources
from advisor.records.errors import KnowledgeError


def fix(name, when=(), unless=(), **more):
    return FixDef(id=name, summary=name, when=tuple(when), unless=tuple(unless), because=name, **more)


def with_fixes(made, *fixes):
    """The catalogue `made` with these fixes of its finding x, and the observations that they name."""
    entry = msgspec.structs.replace(made.findings["x"], fixes_given=fixes)
    made.__dict__["findings"] = made.__dict__["diagnoses"] = {**made.findings, "x": entry}
    names = [n for one in fixes for n in (*one.when, *one.unless) if "." not in n]
    observations = {n: ObservationDef(id=n, test=f"m_{n} > 10", says=n) for n in names}
    made.__dict__["observations"] = {**made.observations, **observations}
    return made


X = [("x.r", 3, ["a"], [])]


@pytest.mark.parametrize(
    ("b", "c", "order"),
    [
        (TRUE, TRUE, ["second"]),
        (TRUE, FALSE, ["first", "second"]),
        (TRUE, UNKNOWN, ["first", "second"]),
        (FALSE, FALSE, []),
        (UNKNOWN, FALSE, []),
    ],
)
def test_fixes_that_suit_precede_the_general_one_and_those_that_may_suit_follow(make, b, c, order):
    made = with_fixes(make(X), fix("first", ["b"], ["c"]), fix("second", ["b"]), fix("general"))
    trace = Engine(made).conclude({"a": TRUE, "b": b, "c": c})
    last = ["first", "second"] if b == UNKNOWN else []
    assert [f.id for f in ranked_fixes(made.findings["x"], trace)] == [*order, "general", *last]
    assert trace.findings == ("x",)


def test_a_fix_that_seldom_suits_is_left_out_while_that_is_unknown(make):
    made = with_fixes(make(X), fix("rare", ["b"], seldom=True), fix("general"))
    for b, order in ((TRUE, ["rare", "general"]), (UNKNOWN, ["general"]), (FALSE, ["general"])):
        trace = Engine(made).conclude({"a": TRUE, "b": b})
        assert [f.id for f in ranked_fixes(made.findings["x"], trace)] == order


def test_a_fix_may_depend_on_findings_of_later_steps_of_the_same_pass(make):
    rules = [*X, ("y.r", 5, ["b"], [])]
    made = with_fixes(make(rules), fix("alone", [], ["found.y"]), fix("general"))
    for b, order in ((TRUE, ["general"]), (FALSE, ["alone", "general"])):
        trace = Engine(made).conclude({"a": TRUE, "b": b})
        assert [f.id for f in ranked_fixes(made.findings["x"], trace)] == order


@pytest.mark.parametrize("name", ["gain.any_diagnosis", "fix.x.general", "found.late", "missing"])
def test_a_fix_cannot_depend_on_what_is_concluded_from_it(make, name):
    rules = [*X, ("late.r", 6, ["a"], [])]
    made = make(rules)
    with pytest.raises(KnowledgeError, match=r"fix\.x\.odd"):
        Engine(_unobserved(made, fix("odd", [name]), fix("general")))


def _unobserved(made, *fixes):
    entry = msgspec.structs.replace(made.findings["x"], fixes_given=fixes)
    made.__dict__["findings"] = {**made.findings, "x": entry}
    return made


def test_observations_of_a_fix_split_the_cached_conclusions_only_where_its_finding_can_hold(make):
    made = with_fixes(make(X), fix("first", ["b"]), fix("general"))
    engine = Engine(made)
    rows = [[engine.program.observations.index(n) for n in ("a", "b")]]
    import numpy as np

    def key(a, b):
        row = np.zeros((1, len(engine.program.observations)), dtype=np.int8)
        row[0, rows[0]] = (a, b)
        return engine._keys(row)[0]

    assert key(TRUE, TRUE) != key(TRUE, FALSE)
    assert key(FALSE, TRUE) == key(FALSE, FALSE)


# Every fix of the bundled knowledge with an example: the numbers as a user would type them.
CASES = [
    (entry, one)
    for entry in catalog().diagnoses.values()
    for one in entry.fixes
    if one.example and entry.examples.fires and entry.step < 6
]


@pytest.mark.parametrize(("entry", "one"), CASES, ids=[f"{e.id}-{f.id}" for e, f in CASES])
def test_the_example_of_a_fix_has_it_first(entry, one):
    profiled = next(each for each in entry.examples.fires if "emulated" not in each)
    values = {**profiled, **one.example, "library_kernel": 0}
    # Some rules need an answer, such as the intended data type.
    asked = [name.split(".")[1:] for rule in entry.seen for name in rule.when if name.startswith("answer.")]
    for answers in ({}, dict(asked)):
        analysis = analyse_numbers({**values, **answers})
        found = next((f for f in analysis.diagnosis.launches[0].findings if f.id == entry.id), None)
        if found is not None:
            break
    assert found is not None
    assert found.fix is not None and found.fix.id == one.id
    others = [f.id for f in found.alternatives]
    assert one.id not in others and set(others) <= {f.id for f in entry.fixes}
    general = entry.fix
    assert general is not None
    assert (
        (general.fallback and one.conditional)
        or one.leaves_out
        or any(entry.fix_named(other).leaves_out for other in others)
        or general.id in (one.id, *others)
    )
    proof = analysis.how(0, entry.id)
    assert proof.fixes[0].fix == one.id and proof.fixes[0].rule_id == f"fix.{entry.id}.{one.id}"
    assert bool(found.fix.because) == one.conditional == bool(proof.fixes[0].because)
    if one.conditional:
        assert proof.fixes[0].status == "suits"
        numbers = [c for clause in proof.fixes[0].clauses if clause.role == "when" for c in clause.evidence]
        assert numbers and all(c.holds is not False or "or" in c.test for c in numbers if c.value is not None)


def test_every_diagnosis_of_a_launch_has_one_general_fix():
    for entry in catalog().diagnoses.values():
        if entry.kind == "diagnosis":
            assert [f.id for f in entry.fixes if not f.conditional] == [entry.fixes[-1].id], entry.id


@pytest.mark.parametrize(
    ("leaves_out", "shown"),
    [("", ["first", "second", "general"]), ("general", ["first", "second"]), ("others", ["first"])],
)
def test_a_fix_that_holds_may_leave_others_out(make, leaves_out, shown):
    fixes = (fix("first", ["a"], leaves_out=leaves_out), fix("second", ["b"]), fix("general"))
    made = with_fixes(make([("x.r", 3, ["c"], [])]), *fixes)

    def ranked(**facts):
        return [f.id for f in ranked_fixes(made.findings["x"], Engine(made).conclude({"c": TRUE, **facts}))]

    assert ranked(a=TRUE, b=TRUE) == shown
    assert ranked(a=FALSE, b=TRUE) == ["second", "general"]
    assert ranked(a=UNKNOWN, b=FALSE) == ["general", "first"]


@pytest.mark.parametrize(
    ("fallback", "facts", "shown"),
    [
        (True, {"a": TRUE}, ["first"]),
        (True, {"a": FALSE}, ["general"]),
        (True, {"a": UNKNOWN}, ["general", "first"]),
        (False, {"a": TRUE}, ["first", "general"]),
    ],
)
def test_a_fallback_is_offered_only_where_no_other_fix_suits(make, fallback, facts, shown):
    made = with_fixes(make([("x.r", 3, ["c"], [])]), fix("first", ["a"]), fix("general", fallback=fallback))
    trace = Engine(made).conclude({"c": TRUE, **facts})
    assert [f.id for f in ranked_fixes(made.findings["x"], trace)] == shown


# Launches of the exercises, and the fix that the next version of the same exercise applies, or that its text describes.
@pytest.mark.parametrize(
    ("name", "launch", "finding", "fix"),
    [
        ("averaging-ladder", 1, "uncoalesced_access", "warp_per_row"),
        ("capped-occupancy-registers", 0, "low_occupancy_registers", "fewer_kept_values"),
        ("division-indexing", 1, "integer_overhead", "indices_from_grid"),
        ("linked-list", 0, "memory_latency", "break_load_chains"),
        ("needless-recomputation", 0, "near_compute_roofline", "tabulate_or_hoist"),
        ("reread-stencil", 2, "l2_partition_crossing", "parts_of_half_l2"),
        ("scattered-gather", 0, "uncoalesced_access", "sort_indices"),
        ("scattered-gather", 1, "uncoalesced_access", "sort_indices"),
        ("strided-store", 1, "uncoalesced_access", "vectorise_neighbours"),
        ("unrolled-body", 0, "instruction_cache_misses", "literals_in_table"),
        ("bank-conflicts", 1, "near_memory_roofline", "widen_and_stop"),
        ("capped-occupancy-shared", 0, "low_occupancy_shared_memory", "larger_blocks_share"),
        ("constant-lookup", 1, "bank_conflicts", "copies_of_table"),
        ("cupy-float64", 0, "fp64_unintended", "single_operands"),
        ("dependent-chain", 2, "exposed_waits", "second_warp"),
        ("gemm-ladder", 3, "bank_conflicts", "split_strips"),
        ("good-gemm", 1, "exposed_waits", "next_tile_asynchronously"),
        ("half-gemm", 1, "legacy_mma", "use_warpgroup_matrix"),
        ("indexed-array", 1, "low_occupancy_shared_memory", "raise_occupancy_shared_memory"),
        ("indexed-array", 2, "near_compute_roofline", "cheaper_unpacking"),
        ("lattice-ladder", 1, "constant_serialization", "share_uniform_constants"),
        ("matrix-walk", 0, "poor_cache_reuse", "outputs_of_all_blocks"),
        ("matrix-walk", 1, "memory_latency", "reuse_across_blocks"),
        ("matrix-walk", 2, "near_memory_roofline", "more_per_pass"),
        ("memory-math", 4, "near_compute_roofline", "overlap_remaining_waits"),
        ("misaligned", 0, "uncoalesced_access", "align_groups"),
        ("mixed-branches", 1, "near_compute_roofline", "fewer_other_instructions"),
        ("reread-stencil", 0, "near_memory_roofline", "keep_reused_data"),
        ("stride-two-layout", 0, "bank_conflicts", "separate_components"),
        ("bank-conflicts", 0, "bank_conflicts", "pad_shared_tile"),
        ("strided-store", 0, "uncoalesced_access", "write_whole_records"),
        ("array-of-structs", 0, "uncoalesced_access", "pack_used_data"),
        ("interleaved-reduction", 1, "memory_latency", "combine_while_loading"),
        ("inner-barrier", 0, "barrier_stalls", "warps_at_own_pace"),
        ("few-bytes-in-flight", 0, "memory_latency", "load_before_test"),
        ("few-bin-histogram", 0, "atomic_contention", "private_copies"),
        ("two-causes", 0, "atomic_contention", "reduce_first"),
        ("uniform-parameters", 0, "uniform_global_loads", "table_in_constants"),
        ("averaging-ladder", 3, "narrow_accesses", "widen_words"),
        ("byte-image", 0, "narrow_accesses", "widen_accesses"),
        ("unrolled-body", 1, "unexplained", "products_on_tensor_cores"),
        ("transcendental-loop", 0, "sfu_saturation", "recurrence_for_steps"),
        ("occupancy-trap", 1, "lsu_saturation", "square_register_tile"),
        ("uniform-parameters", 1, "lsu_saturation", "reuse_loaded_operand"),
        ("lattice-ladder", 2, "low_occupancy_registers", "roll_outer_loop"),
        ("memory-math", 0, "memory_latency", "copy_asynchronously"),
        ("memory-math", 3, "exposed_waits", "tiles_past_registers"),
        ("unfused-chain", 0, "near_memory_roofline", "fuse_passes"),
        ("column-walk", 1, "near_memory_roofline", "combine_where_computed"),
        ("cupy-temporaries", 0, "near_memory_roofline", "fuse_library_calls"),
        ("cupy-elementwise", 2, "launch_overhead", "fuse_library_calls"),
        ("cupy-elementwise", 4, "unexplained", "widen_loads_first"),
        ("uniform-parameters", 2, "constant_serialization", "several_values_per_constant"),
        ("uniform-parameters", 3, "near_compute_roofline", "multiply_adds_only"),
        ("cupy-float64", 1, "near_compute_roofline", "fold_factors"),
        ("transcendental-loop", 1, "near_compute_roofline", "fold_factors"),
        ("small-launches", 2, "near_compute_roofline", "collect_terms"),
        ("triangular-work", 1, "near_compute_roofline", "collect_terms"),
        ("transpose-ladder", 3, "near_memory_roofline", "avoid_rearranging"),
        ("double-literals", 1, "near_memory_roofline", "fuse_passes"),
        ("zero-copy", 1, "near_memory_roofline", "fuse_passes"),
        ("interleaved-reduction", 2, "near_memory_roofline", "combine_where_computed"),
    ],
)
def test_a_version_of_an_exercise_gets_the_fix_of_the_next_one(name, launch, finding, fix):
    path = resources.folder("kernels") / name / "recorded" / "h200" / "profile.ncu-rep.xz"
    found = analyse([path]).diagnosis.launches[launch].findings[0]
    assert (found.id, found.fix.id) == (finding, fix)


def test_a_matrix_kernel_with_many_registers_still_gets_its_second_fix():
    path = resources.folder("kernels") / "half-gemm" / "recorded" / "h200" / "profile.ncu-rep.xz"
    found = {one.id: one for one in analyse([path]).diagnosis.launches[1].findings}
    assert found["low_occupancy_registers"].fix.id == "operands_past_registers"


@pytest.mark.parametrize(
    ("name", "launch", "finding", "fix"),
    [
        ("capped-occupancy-shared", 1, "bank_conflicts", "fewer_lookups"),  # no room for a second copy of the table
        ("averaging-ladder", 5, "workload_imbalance", "even_count"),  # equal blocks: two or three for each SM
    ],
)
def test_a_later_finding_gets_the_fix_that_is_possible(name, launch, finding, fix):
    path = resources.folder("kernels") / name / "recorded" / "h200" / "profile.ncu-rep.xz"
    found = next(one for one in analyse([path]).diagnosis.launches[launch].findings if one.id == finding)
    assert found.fix.id == fix and found.alternatives == ()


def test_code_that_cannot_be_changed_has_no_other_fixes():
    path = resources.folder("kernels") / "cupy-elementwise" / "recorded" / "h200" / "profile.ncu-rep.xz"
    for launch in analyse([path]).diagnosis.launches:
        for found in launch.findings:
            if found.fix is not None and found.fix.id == "call_library_differently":
                assert found.alternatives == ()


def test_an_impossible_counter_comes_before_the_end_of_the_search():
    path = resources.folder("kernels") / "bin-counts" / "profile.ncu-rep.xz"
    launch = analyse([path]).diagnosis.launches[0]
    assert [f.id for f in launch.findings] == ["counter_implausible"]
    assert launch.advice is not None and launch.advice.id == "advice.profile_again"


def test_a_debug_build_is_not_told_to_stop():
    path = resources.folder("kernels") / "cooling-law" / "profile.ncu-rep.xz"
    launch = analyse([path]).diagnosis.launches[0]
    assert launch.findings[0].id == "debug_build"
    assert launch.advice is not None and launch.advice.id == "advice.rebuild"


def test_the_gain_belongs_to_the_chosen_fix():
    entry = catalog().diagnoses["low_occupancy_registers"]
    gains = {}
    for one in entry.fixes:
        if one.example:
            values = {**entry.examples.fires[0], **one.example, "stall_long_scoreboard": 20, "library_kernel": 0}
            launch = analyse_numbers(values).diagnosis.launches[0]
            found = next(f for f in launch.findings if f.id == entry.id)
            assert found.speedup is not None
            gains[one.id] = found.speedup.estimate
    assert gains["smaller_register_blocks"] != pytest.approx(gains["raise_occupancy_registers"], rel=0.01)


@pytest.fixture(scope="module")
def tour():
    return analyse([resources.folder("kernels") / "tour" / "recorded" / "h200" / "tour.ncu-rep.xz"])


@pytest.mark.parametrize(
    ("kernel", "finding", "first"),
    [
        ("chain_shared", "low_occupancy_shared_memory", "values_used_at_once"),
        ("particle_field", "uncoalesced_access", "pack_used_data"),
        ("row_per_thread", "uncoalesced_access", "warp_per_row"),
        ("transpose_tile", "bank_conflicts", "pad_shared_tile"),
        ("gemm_one_output", "lsu_saturation", "register_tile"),
        ("capped_moments", "register_spilling", "raise_register_cap"),
        ("private_bins", "local_memory_arrays", "shared_columns"),
        ("chain_registers", "low_occupancy_registers", "fewer_kept_values"),
        ("serial_step", "barrier_stalls", "spread_serial_part"),
        ("wave_sum", "sfu_saturation", "recurrence_for_steps"),
        ("line_chain", "memory_latency", "break_load_chains"),
        ("one_block_too_many", "tail_effect", "smaller_work_blocks"),
        ("fma_chains", "near_compute_roofline", "multiply_adds_only"),
    ],
)
def test_recorded_kernels_get_the_fix_for_what_they_do(tour, kernel, finding, first):
    launch = next(x for x in tour.diagnosis.launches if x.kernel == kernel)
    found = next(f for f in launch.findings if f.id == finding)
    assert found.fix is not None and found.fix.id == first


@pytest.mark.parametrize(
    ("kernel", "library"),
    [
        ("void cub::DeviceRadixSortOnesweepKernel<cub::Policy, unsigned int>(T1 *, int)", "CUB"),
        ("void cub::CUB_200200_900_NS::DeviceReduceKernel<X>(T)", "CUB"),
        ("void thrust::cuda_cub::core::_kernel_agent<thrust::X, long>(T)", "Thrust"),
        ("ampere_sgemm_128x64_nn", "cuBLAS"),
        ("volta_h884gemm_128x128_ldg8_f2f_nn", "cuBLAS"),
        ("void splitKreduce_kernel<32, 16, int, float>(T)", "cuBLAS"),
        ("void cutlass::Kernel2<cutlass_80_tensorop_f16_s16816gemm_f16_64x64_32x6_nn_align8>(T1::Params)", "CUTLASS"),
        ("void at::native::(anonymous namespace)::fused_dropout_kernel_vec<float>(T)", "PyTorch"),
        ("void at::native::<unnamed>::softmax<float>(T)", "PyTorch"),
        # Kernels of users, also with a library's types among their arguments.
        ("void reduce<cub::BlockReduce<float, 256>>(thrust::device_ptr<float>)", ""),
        ("sgemm_128x128(float const*, float const*, float*)", ""),
        ("gemm", ""),
        ("mykernel(at::native::X)", ""),
    ],
)
def test_libraries_are_recognised_by_the_name_of_the_kernel_itself(kernel, library):
    assert library_of(kernel) == library


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        ("cupy_multiply__float32_float32_float32", True),
        ("void cub::CUB_200200_900_NS::DeviceReduceKernel<X>(T)", True),
        ("void at::native::vectorized_elementwise_kernel<4, X>(int, T)", True),
        ("void cub::DeviceRadixSortOnesweepKernel<cub::Policy, unsigned int>(T1 *, int)", False),
        ("ampere_sgemm_128x64_nn", False),
        ("void my_elementwise(float*)", False),  # a user's kernel
    ],
)
def test_element_wise_calls_of_libraries_are_recognised(kernel, expected):
    assert ("element_wise" in kinds_of(kernel)) is expected


def test_element_wise_calls_of_libraries_are_to_be_fused_and_others_called_differently():
    path = resources.folder("kernels") / "cupy-elementwise" / "recorded" / "h200" / "profile.ncu-rep.xz"
    fixes = [launch.findings[0].fix.id for launch in analyse([path]).diagnosis.launches]
    assert fixes[:2] == ["fuse_with_next", "fuse_library_calls"] and "call_library_differently" not in fixes


def test_a_kernel_of_a_library_keeps_its_finding_and_gain_but_is_to_be_called_differently():
    entry = catalog().diagnoses["memory_latency"]
    values = {**entry.examples.fires[0], "stall_long_scoreboard": 20}
    own = analyse_numbers({**values, "library_kernel": 0}).diagnosis.launches[0].findings
    library = analyse_numbers({**values, "library_kernel": 1}).diagnosis.launches[0].findings
    assert [f.id for f in own] == [f.id for f in library]
    found = next(f for f in library if f.id == "memory_latency")
    assert found.fix is not None and found.fix.id == "call_library_differently"
    gain = next(f for f in own if f.id == "memory_latency").speedup
    # The range of the own kernel is wider: which of several fixes suits is unknown there.
    assert found.speedup is not None and gain is not None
    fix = next(f for f in entry.fixes if f.id == "call_library_differently")
    assert (
        fix.reach < 1
        and gain.estimate > 1.5
        and found.speedup.estimate == pytest.approx(gain.estimate**fix.reach, rel=0.01)
    )
    assert found.speedup.high == gain.high
    # Nothing says that another call avoids the cause.
    assert found.speedup.low == 1 and "whether another call" in found.speedup.how


def product(**numbers: float) -> str:
    """The chosen fix of scattered loads of operands that are used many times."""
    known: dict[str, float] = {
        "load_sector_ratio": 9,
        "sector_ratio": 9,
        "memory_pct": 86,
        "l1_wavefronts_pct": 86,
        "dram_pct": 5,
        "l2_pct": 20,
        "shared_wavefront_share": 0,
        "compute_pct": 40,
        "l1_requests_pct": 20,
        "ffma_inst": 500,
        "dfma_inst": 0,
        "half_inst": 0,
        "tensor_inst": 0,
        "inst_executed": 2000,
        "loaded_bytes": 8e5,
        "dram_bytes": 1e3,
        "requested_bytes": 8e4,
        "memory_inst": 1010,
        "warps": 10,
        "global_load_inst": 1000,
        "global_store_inst": 10,
        "local_inst": 0,
    }
    launch = analyse_numbers({**known, **numbers}).diagnosis.launches[0]
    found = next(f for f in launch.findings if f.id == "uncoalesced_access")
    assert found.fix is not None
    return found.fix.id


def test_indices_are_swapped_only_where_the_outputs_of_neighbouring_lanes_are_apart() -> None:
    assert product(store_sector_ratio=8) == "swap_thread_indices"
    # Adjacent outputs: the mapping suits the output, and swapping would scatter the stores.
    assert product(store_sector_ratio=1) != "swap_thread_indices"
    # Several outputs per thread are apart because of the tile, not because of the indices.
    assert product(store_sector_ratio=8, global_store_inst=80) != "swap_thread_indices"


@pytest.mark.parametrize(("block", "most"), [(128, 255), (256, 255), (384, 168), (512, 128), (768, 80), (1024, 64)])
def test_the_block_limits_the_registers_of_a_thread(block: int, most: int) -> None:
    """65,536 registers per block in four partitions of whole warps, in steps of 8 per thread (errata.occupancy)."""
    spilling = {"spill_inst": 900000, "local_inst": 900000, "indexed_local_inst": 0, "local_wavefront_share": 0.95}
    spilling |= {"l1_wavefronts_pct": 40, "local_l2_share": 0.9, "l2_pct": 50, "dram_pct": 68, "block_size": block}
    for registers, fix in (
        (most, "fewer_live_values" if most == 255 else "use_smaller_blocks"),
        (32, "raise_register_cap"),
    ):
        launch = analyse_numbers({**spilling, "registers_per_thread": registers}).diagnosis.launches[0]
        assert launch.metrics["registers_most"] == most
        found = next(f for f in launch.findings if f.id == "register_spilling").fix
        assert found is not None and found.id == fix
        if fix == "raise_register_cap":
            assert f"blocks of {block:,} threads allow {most}" in found.because
