"""Planted patterns are found, in every schema version, and no others; what cannot be looked at is unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.timeline import analyse
from advisor.timeline.results import GpuTimeline
from tests.timeline import generator as make
from tests.timeline.generator import MS, PATTERNS, US, VERSIONS, Planted

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
        assert one.wanting and one.parts


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
    assert len(gpu.unseen) == 12
    assert "not traced" in result.traces[0].problems[0]


def test_nothing_is_taken_for_a_pipeline_that_has_a_handful_of_launches(tmp_path: Path) -> None:
    assert "healthy_pipeline" not in found(look(make.busy(launches=5), tmp_path))


def test_what_a_fix_gives_is_bounded_by_the_time_that_the_pattern_takes(tmp_path: Path) -> None:
    gpu = look(make.synchronised(), tmp_path)
    gain = next(p for p in gpu.patterns if p.finding.id == "sync_between_kernels").finding.speedup
    assert gain is not None
    assert gain.high == pytest.approx(100 / (100 - gpu.values["sync_gap_pct"]))
    assert 1 < gain.low < gain.estimate < gain.high


def test_one_gap_that_is_most_of_the_idle_time_is_pointed_out(tmp_path: Path) -> None:
    planted = make.busy()
    planted.kernel(900 * MS, 1 * MS, asked=899 * MS)
    gpu = look(planted, tmp_path)
    assert any("start-up or a pause" in note for note in gpu.notes)
    assert not any("start-up or a pause" in note for note in look(make.host_work(), tmp_path).notes)
