"""Planted patterns are found, in every schema version, and no others; what cannot be looked at is unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.knowledge.base import catalog, timelines
from advisor.timeline.analyse import analyse
from advisor.timeline.results import GpuTimeline
from tests.timeline import generator as make
from tests.timeline.generator import MS, PATTERNS, US, Planted
from tests.timeline.nsys_schemas import VERSIONS

# What may stand beside a planted pattern: the idle time that it causes, and the one kernel that the generator runs.
ASIDE = {"gpu_idle", "dominant_kernel"}
KERNEL, MEMCPY, RUNTIME, GRAPH = (f"CUPTI_ACTIVITY_KIND_{n}" for n in ("KERNEL", "MEMCPY", "RUNTIME", "GRAPH_TRACE"))


def look(planted: Planted, folder: Path, **options: tuple[str, ...]) -> GpuTimeline:
    return analyse([planted.write(folder / "t.sqlite", **options)]).gpus[0]


def found(gpu: GpuTimeline) -> dict[str, str]:
    return {pattern.finding.id: pattern.finding.kind for pattern in gpu.patterns}


def unseen(gpu: GpuTimeline) -> set[str]:
    return {one.id for one in gpu.unseen}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_planted_pattern_is_found_and_no_other(pattern: str, version: str, tmp_path: Path) -> None:
    gpu = look(PATTERNS[pattern](version), tmp_path)
    kinds = found(gpu)
    assert pattern in kinds
    assert kinds[pattern] == ("note" if pattern == "healthy_pipeline" else "diagnosis")
    assert set(kinds) - ASIDE - {pattern} == set()
    assert gpu.unseen == ()


def test_a_pattern_comes_with_its_time_its_call_and_its_range(tmp_path: Path) -> None:
    planted = make.starved(named=True)
    gpu = look(planted, tmp_path)
    first = next(p for p in gpu.patterns if p.finding.id == "data_loading_starved")
    moment = first.moments[0]
    assert (moment.kind, moment.before, moment.after, moment.range) == ("gap", "work", "work", "load batch")
    assert moment.duration == 4 * MS + 20 * US
    assert moment.call == "cudaLaunchKernel_v7000"


def test_the_operating_system_is_named_where_the_host_is_in_it(tmp_path: Path) -> None:
    gpu = look(make.handling(), tmp_path)
    pattern = next(p for p in gpu.patterns if p.finding.id == "blocking_post_processing")
    assert pattern.moments[0].system == "write"


def test_pageable_memory_is_told_by_the_kind_of_memory_alone(tmp_path: Path) -> None:
    assert "pageable_memory" in found(look(make.serial_copies(pageable=True), tmp_path))
    assert "pageable_memory" not in found(look(make.serial_copies(), tmp_path))
    # Without these columns nobody knows.
    gpu = look(make.serial_copies(pageable=True), tmp_path, drop=("srcKind", "dstKind"))
    assert "pageable_memory" not in found(gpu) and "pageable_memory" in unseen(gpu)


def test_communication_over_mpi_is_communication(tmp_path: Path) -> None:
    gpu = look(make.mpi_waits(), tmp_path)
    pattern = next(p for p in gpu.patterns if p.finding.id == "communication_bound")
    assert pattern.finding.rules == ("communication_bound.mpi",)


def test_results_that_are_sent_and_received_as_new_data_are_communication(tmp_path: Path) -> None:
    """Copied back, sent, received, copied to the GPU: no thread that handles results would help."""
    planted = make.round_trips()
    assert "communication_bound" not in found(look(planted, tmp_path))
    ends = [int(row["end"]) for row in planted.rows[MEMCPY] if row["copyKind"] == 2]
    for end in ends:
        planted.mpi(end + 1 * MS, end + 2 * MS)
    gpu = look(planted, tmp_path)
    assert "communication_bound" in found(gpu) and "blocking_post_processing" not in found(gpu)


def test_before_mpi_had_tables_it_was_a_domain_of_nvtx(tmp_path: Path) -> None:
    planted = make.host_work("2.9.1")
    planted.domain("MPI", 3)
    starts = [int(row["end"]) for row in planted.rows[KERNEL]]
    for start in starts:
        planted.range("MPI_Recv", start, start + 5 * MS - 20 * US, registered=True, domain=3)
    assert "communication_bound" in found(look(planted, tmp_path))


def test_graphs_count_whether_traced_as_a_whole_or_by_node(tmp_path: Path) -> None:
    whole, nodes = look(make.short_graphs(), tmp_path), look(make.short_graphs(nodes=True), tmp_path)
    assert {"graph_launch_granularity"} <= found(whole).keys() & found(nodes).keys()
    assert whole.values["graph_launch_count"] == nodes.values["graph_launch_count"] == 200
    # What stands in a graph is launched with it, and so not a tiny kernel.
    assert nodes.values["tiny_kernel_count"] == 0
    # A graph that does not show its kernels has to be opened first.
    assert whole.decision.id == "open_graphs" and nodes.decision.id == "drill_down"


def test_results_and_data_in_one_gap_are_both_suspected_unless_ranges_tell(tmp_path: Path) -> None:
    both = {"data_loading_starved", "blocking_post_processing"}
    planted = make.round_trips()
    assert both <= found(look(planted, tmp_path)).keys()
    ends = [int(r["end"]) for r in planted.rows[MEMCPY] if r["copyKind"] == 2]
    for end in ends:
        planted.range("postprocess", end, end + 3 * MS)
    assert found(look(planted, tmp_path)).keys() & both == {"blocking_post_processing"}


def test_a_host_that_allocates_neither_loads_nor_handles_results(tmp_path: Path) -> None:
    planted = make.round_trips()
    for row in [r for r in planted.rows[MEMCPY] if r["copyKind"] == 2]:
        planted.call("cudaMalloc_v3020", int(row["end"]) + US, int(row["end"]) + 2 * MS)
    kinds = found(look(planted, tmp_path))
    assert kinds["gpu_idle"] == "diagnosis"
    assert not kinds.keys() & {"data_loading_starved", "blocking_post_processing"}


def test_a_wait_per_kernel_that_costs_little_is_a_note(tmp_path: Path) -> None:
    planted = Planted()
    at = 10 * MS
    for _ in range(60):
        end = planted.kernel(at, 3 * MS, asked=at - 8 * US)
        planted.call("cudaDeviceSynchronize_v3020", at - 4 * US, end + 6 * US)
        at = end + 25 * US
    kinds = found(look(planted, tmp_path))
    assert kinds["sync_between_kernels"] == "note"


def test_waits_of_threads_that_launch_nothing_do_not_count(tmp_path: Path) -> None:
    planted = make.host_work()
    for row in planted.rows[KERNEL]:
        planted.call("cudaEventSynchronize_v3020", int(row["start"]), int(row["end"]) + 9 * US, thread=make.TID + 1)
    gpu = look(planted, tmp_path)
    assert gpu.values["sync_gap_count"] == 0


@pytest.mark.parametrize(
    ("planted", "without", "unknown"),
    [
        (make.busy, (MEMCPY,), {"copy_not_overlapped", "pageable_memory", "unified_memory_migration"}),
        (make.busy, (RUNTIME,), {"sync_between_kernels", "graph_launch_granularity"}),
        (make.busy, (RUNTIME, MEMCPY), {"copy_not_overlapped", "pageable_memory", "sync_between_kernels"}),
    ],
)
def test_an_absent_table_makes_patterns_unknown_and_nothing_healthy(
    planted, without: tuple[str, ...], unknown: set[str], tmp_path: Path
) -> None:
    gpu = look(planted(), tmp_path, without=without)
    assert unknown | {"healthy_pipeline"} <= unseen(gpu)
    assert "healthy_pipeline" not in found(gpu)
    for one in gpu.unseen:
        assert one.missing and one.parts


def test_no_copies_are_known_where_the_calls_show_that_none_was_asked_for(tmp_path: Path) -> None:
    """nsys makes a table only when something goes into it, so an absent one may mean that nothing happened."""
    planted = make.busy()
    del planted.rows[MEMCPY]
    for row in list(planted.rows[RUNTIME]):
        if row["nameId"] == planted.strings["cudaMemcpyAsync_v3020"]:
            planted.rows[RUNTIME].remove(row)
    gpu = look(planted, tmp_path)
    assert "healthy_pipeline" in found(gpu) and gpu.values["host_copy_pct"] == 0


def test_calls_without_kernels_are_no_healthy_gpu(tmp_path: Path) -> None:
    path = make.busy().write(tmp_path / "t.sqlite", without=(KERNEL, MEMCPY))
    result = analyse([path])
    gpu = result.gpus[0]
    assert gpu.patterns == () and gpu.decision.id == "undetermined" and gpu.command is None
    assert {one.id for one in gpu.unseen} == set(timelines(catalog()).findings), "none could be looked for"
    assert "not traced" in result.traces[0].problems[0]


def test_nothing_is_taken_for_a_pipeline_that_has_a_handful_of_launches(tmp_path: Path) -> None:
    assert "healthy_pipeline" not in found(look(make.busy(launches=5), tmp_path))


def test_what_a_fix_gives_is_bounded_by_the_time_that_the_pattern_takes(tmp_path: Path) -> None:
    gpu = look(make.synchronised(), tmp_path)
    gain = next(p for p in gpu.patterns if p.finding.id == "sync_between_kernels").finding.speedup
    assert gain is not None
    assert gain.high == pytest.approx(100 / (100 - gpu.values["sync_gap_pct"]))
    assert 1 < gain.low < gain.estimate < gain.high


def test_a_gap_that_comes_once_is_no_pattern(tmp_path: Path) -> None:
    planted = make.busy()
    planted.kernel(900 * MS, 1 * MS, asked=899 * MS)
    gpu = look(planted, tmp_path)
    assert gpu.values["gpu_idle_pct"] > 90 and gpu.values["idle_repeated_pct"] < 1
    assert found(gpu)["gpu_idle"] == "note"


def test_a_batch_that_comes_behind_its_labels_is_a_batch(tmp_path: Path) -> None:
    """Frameworks copy small tensors first, and clear buffers: the data are near the end of the gap, not at it."""
    planted = make.Planted()
    at = 10 * MS
    for _ in range(30):
        ready = at + 4 * MS
        end = planted.copy(ready, 2 * US, 1, size=1024, asked=ready - 10 * US)
        end = planted.copy(end + 10 * US, 500 * US, 1, asked=ready)
        at = planted.kernel(end + 1 * US, 3 * MS, asked=ready)
    assert "data_loading_starved" in found(look(planted, tmp_path))


def test_memory_is_pinned_before_copies_are_overlapped(tmp_path: Path) -> None:
    """Both give about the same here, and the second needs the first."""
    planted, at = make.Planted(), 10 * MS
    for _ in range(20):
        at = planted.copy(at, 5 * MS, 1, pageable=True, asked=5 * MS) + 2 * MS
        at = planted.kernel(at, 3 * MS, asked=5 * MS) + 10 * US
    gpu = look(planted, tmp_path)
    gains = {p.finding.id: p.finding.speedup.estimate for p in gpu.patterns if p.finding.speedup is not None}
    assert 1 < gains["copy_not_overlapped"] / gains["pageable_memory"] < 1.1
    assert [p.finding.id for p in gpu.patterns][:2] == ["pageable_memory", "copy_not_overlapped"]


@pytest.mark.parametrize(
    ("card", "rule"),
    [
        ("NVIDIA A100-SXM4-80GB", "nvlink"),
        ("NVIDIA H100 80GB HBM3", "nvlink"),
        ("NVIDIA H200", "nvlink"),
        ("NVIDIA GB200", "nvlink"),
        ("NVIDIA A100-PCIE-40GB", "pcie"),
        ("NVIDIA H100 PCIe", "pcie"),
        ("NVIDIA GeForce RTX 4090", "pcie"),
        ("Tesla T4", "pcie"),
        ("NVIDIA H200 NVL", "collectives"),
        ("Some GPU", "collectives"),
    ],
)
def test_advice_on_communication_goes_by_the_link(card: str, rule: str, tmp_path: Path) -> None:
    planted = make.collectives()
    planted.gpus = (card,)
    pattern = next(p for p in look(planted, tmp_path).patterns if p.finding.id == "communication_bound")
    assert pattern.finding.rules[0] == f"communication_bound.{rule}"


def test_a_copy_between_gpus_that_is_faster_than_pcie_proves_nvlink(tmp_path: Path) -> None:
    for size, known in ((200 << 20, 1.0), (20 << 20, 0.0)):
        planted = make.Planted(gpus=("NVIDIA GeForce RTX 3090",))
        at = 10 * MS
        for _ in range(20):
            at = planted.copy(planted.kernel(at, 2 * MS, asked=5 * MS), 1 * MS, 10, size=size, asked=5 * MS)
        assert look(planted, tmp_path).values["nvlink"] == known


def test_page_faults_tell_where_nothing_moves(tmp_path: Path) -> None:
    """Memory that a GPU touches first is made on the spot: faults, and no migration."""
    planted = make.busy()
    planted.call("cudaMallocManaged_v6000", 1 * MS, 2 * MS)
    for row in list(planted.rows[KERNEL]):
        planted.fault(int(row["start"]), int(row["start"]) + 200 * US)
    planted.add("CUDA_UM_CPU_PAGE_FAULT_EVENTS", start=5 * MS, globalPid=make.PID)
    gpu = look(planted, tmp_path)
    pattern = next(p for p in gpu.patterns if p.finding.id == "unified_memory_migration")
    assert pattern.finding.rules == ("unified_memory_migration.faults",)
    assert gpu.values["fault_pct"] == pytest.approx(100 * 50 * 0.2 / (50 * 0.992 - 0.002))
    assert gpu.values["page_fault_count"] == 401


@pytest.mark.parametrize("empty", [False, True])
def test_untraced_faults_of_managed_memory_are_unknown(empty: bool, tmp_path: Path) -> None:
    """nsys traces them only when asked to, and some exports make all tables."""
    planted = make.busy()
    planted.call("cudaMallocManaged_v6000", 1 * MS, 2 * MS)
    if empty:
        planted.rows["CUDA_UM_GPU_PAGE_FAULT_EVENTS"] = []
    gpu = look(planted, tmp_path)
    assert {"unified_memory_migration", "healthy_pipeline"} <= unseen(gpu)
    (one,) = [u for u in gpu.unseen if u.id == "unified_memory_migration"]
    assert one.parts == ("faults",)


@pytest.mark.parametrize("pattern", ["collectives", "migrating", "tiny", "serial_copies"])
def test_a_large_loss_is_mended_before_a_kernel_is_profiled(pattern: str, tmp_path: Path) -> None:
    gpu = look(getattr(make, pattern)(), tmp_path)
    assert gpu.values["system_loss_pct"] > 30
    assert gpu.decision.id == "fix_system_first"


def test_copies_before_and_after_the_loop_may_be_set_up(tmp_path: Path) -> None:
    planted = make.Planted()
    at = planted.copy(10 * MS, 30 * MS, 1, asked=9 * MS)
    for _ in range(10):
        at = planted.kernel(at + 1 * US, 2 * MS, asked=9 * MS)
    planted.copy(at + 1 * US, 30 * MS, 2, asked=9 * MS)
    notes = look(planted, tmp_path).notes
    assert any("100 % of the copying" in note and "computes for 100 % of the time" in note for note in notes)
    assert not any("of the copying" in note for note in look(make.serial_copies(), tmp_path).notes)


def test_a_grid_with_fewer_blocks_than_the_gpu_has_sms_is_pointed_out(tmp_path: Path) -> None:
    planted = make.Planted(sms=132)
    for i in range(20):
        planted.kernel((10 + 4 * i) * MS, 4 * MS, asked=MS, grid=(4, 2, 1))
    (note,) = [n for n in look(planted, tmp_path).notes if "blocks" in n]
    assert "8 blocks for 132 SMs" in note and "94 %" in note
    assert not any("blocks" in note for note in look(make.busy(), tmp_path).notes)


def test_one_gap_that_is_most_of_the_idle_time_is_pointed_out(tmp_path: Path) -> None:
    planted = make.busy()
    planted.kernel(900 * MS, 1 * MS, asked=899 * MS)
    gpu = look(planted, tmp_path)
    assert any("start-up or a pause" in note for note in gpu.notes)
    assert not any("start-up or a pause" in note for note in look(make.host_work(), tmp_path).notes)


def test_copies_in_both_directions_and_kernels_overlap_down_to_the_longest_of_the_three(tmp_path: Path) -> None:
    planted, at = make.Planted(), 10 * MS
    for _ in range(20):
        at = planted.copy(at, 3 * MS, 1, asked=5 * MS)
        at = planted.kernel(at, 4 * MS, asked=5 * MS)
        at = planted.copy(at, 3 * MS, 2, asked=5 * MS)
    gpu = look(planted, tmp_path)
    assert gpu.values["copy_overlappable_pct"] == pytest.approx(60.0, abs=0.1), "of 10 ms, 4 ms of kernels are left"
    found = next(p.finding for p in gpu.patterns if p.finding.id == "copy_not_overlapped")
    assert found.speedup is not None and found.speedup.high == pytest.approx(2.5, rel=0.01)


def test_copies_in_one_direction_cannot_overlap_each_other(tmp_path: Path) -> None:
    planted, at = make.Planted(), 10 * MS
    for _ in range(20):
        at = planted.copy(at, 3 * MS, 1, asked=5 * MS)
        at = planted.copy(at, 3 * MS, 1, asked=5 * MS)
        at = planted.kernel(at, 4 * MS, asked=5 * MS)
    assert look(planted, tmp_path).values["copy_overlappable_pct"] == pytest.approx(40.0, abs=0.1)
