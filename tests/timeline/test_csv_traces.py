"""The output of `nsys stats`: old and new names, units, preambles, and what sums can and cannot tell."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

import pytest

from advisor.records.errors import InputError
from advisor.timeline.analyse import analyse
from advisor.timeline.read import read_trace, together
from advisor.timeline.trace import base_name
from tests.timeline import generator as make
from tests.timeline import stats


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, newline="")
    return path


@pytest.mark.parametrize(
    "text",
    [
        stats.NEW_KERNELS,
        stats.OLD_KERNELS,
        stats.MICROSECONDS,
        stats.preamble("cuda_gpu_kern_sum") + stats.NEW_KERNELS,
        stats.PROGRESS + "\n" + stats.preamble("gpukernsum") + stats.OLD_KERNELS,
        "\ufeff" + stats.NEW_KERNELS,
        stats.NEW_KERNELS.replace("\n", "\r\n"),
        stats.TEXT,
        stats.PROGRESS + "a program's own output, with a comma\n" + stats.TEXT.replace("\n", "\r\n"),
        stats.TEXT.rstrip("\n").rpartition("\n\n")[0],
        stats.preamble("cuda_api_sum") + stats.CALLS + "\n" + stats.preamble("cuda_gpu_kern_sum") + stats.NEW_KERNELS,
    ],
)
def test_kernel_sums_read_the_same_by_old_and_new_names(text: str, tmp_path: Path) -> None:
    gpu = analyse([write(tmp_path, "x.csv", text)]).gpus[0]
    assert [(k.short, k.launches, k.total, k.shortest, k.longest) for k in gpu.kernels] == [
        ("gemm", 3, 3_000_000, 900_000, 1_100_000),
        ("add", 250, 1_000_000, 3_000, 5_000),
    ]
    assert gpu.kernels[0].share == pytest.approx(75)
    assert gpu.values["tiny_kernel_count"] == 250


def test_utf_16_from_a_windows_shell_reads_as_well(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(stats.NEW_KERNELS, encoding="utf-16")
    assert analyse([path]).gpus[0].kernels[0].launches == 3


def test_sums_rank_kernels_but_leave_open_whether_the_gpu_is_busy(tmp_path: Path) -> None:
    gpu = analyse([write(tmp_path, "x.csv", stats.NEW_KERNELS)]).gpus[0]
    assert gpu.decision.id == "drill_down_if_busy" and "unknown" in gpu.decision.because
    assert [p.finding.id for p in gpu.patterns] == ["dominant_kernel", "many_tiny_kernels"]
    assert {"gpu_idle", "copy_not_overlapped", "healthy_pipeline"} <= {one.id for one in gpu.unseen}
    assert gpu.kernels[0].bound is None
    assert gpu.command is not None and "regex:^gemm$" in gpu.command.command


@pytest.mark.parametrize("copies", [stats.NEW_COPIES, stats.OLD_COPIES])
def test_copies_are_gpu_time_too(copies: str, tmp_path: Path) -> None:
    text = stats.NEW_KERNELS + "\n" + copies
    gpu = analyse([write(tmp_path, "x.csv", text)]).gpus[0]
    # 3 ms of gemm in 4 ms of kernels and 6 ms of copies.
    assert gpu.values["top_kernel_pct"] == pytest.approx(30)


def summary(
    kernels: list[tuple[int, int, str]], copies: list[tuple[int, int, str]], calls: list[tuple[int, str]]
) -> str:
    """Tables of sums: (ns, count, name) of kernels and copies, (count, name) of calls."""
    rows = [f"50.0,{ns},{count},{ns / count},{name}" for ns, count, name in kernels]
    moved = [f"50.0,{ns},{count},{ns / count},{name}" for ns, count, name in copies]
    asked = [f"50.0,{50_000 * count},{count},50000.0,{name}" for count, name in calls]
    tables = (
        ("Time (%),Total Time (ns),Instances,Avg (ns),Name", rows),
        ("Time (%),Total Time (ns),Count,Avg (ns),Operation", moved),
        ("Time (%),Total Time (ns),Num Calls,Avg (ns),Name", asked),
    )
    return "\n".join("\n".join((head, *lines, "")) for head, lines in tables if lines)


BUSY = (8_000_000_000, 800, "work(int)")


@pytest.mark.parametrize(
    ("kernels", "copies", "calls", "found"),
    [
        # a third of the summed time is copies, and the host waits for each
        ([BUSY], [(4_000_000_000, 900, "[CUDA memcpy HtoD]")], [(900, "cudaMemcpy_v3020")], "copy_not_overlapped"),
        ([BUSY], [(4_000_000_000, 900, "[CUDA memcpy HtoD]")], [(900, "cudaMemcpyAsync")], None),
        ([BUSY], [(400_000_000, 900, "[CUDA memcpy HtoD]")], [(900, "cudaMemcpy_v3020")], None),
        # 20 us a launch, and a wait of 10 us or more after each
        ([(20_000_000, 1000, "work(int)")], [], [(1000, "cudaDeviceSynchronize")], "sync_between_kernels"),
        ([BUSY], [], [(800, "cudaDeviceSynchronize")], None),
        # an event may be that of earlier work; freeing memory is set-up
        ([(20_000_000, 1000, "work(int)")], [], [(1000, "cudaEventSynchronize"), (900, "cudaFree")], None),
        # three copies are set-up
        ([BUSY], [(4_000_000_000, 3, "[CUDA memcpy HtoD]")], [(3, "cudaMemcpy")], None),
        ([BUSY], [(4_000_000_000, 9, "[CUDA Unified Memory memcpy HtoD]")], [], "unified_memory_migration"),
        ([BUSY, (4_000_000_000, 9, "ncclDevKernel_AllReduce(int)")], [], [], "communication_bound"),
        ([(20_000_000, 5000, "step(int)")], [], [], "many_tiny_kernels"),
    ],
)
def test_sums_show_the_patterns_that_need_no_order_of_events(
    kernels: list[tuple[int, int, str]],
    copies: list[tuple[int, int, str]],
    calls: list[tuple[int, str]],
    found: str | None,
    tmp_path: Path,
) -> None:
    gpu = analyse([write(tmp_path, "x.csv", summary(kernels, copies, calls))]).gpus[0]
    seen = {pattern.finding.id: pattern.finding for pattern in gpu.patterns}
    assert {*seen} - {"dominant_kernel"} == ({found} if found else set())
    for finding in seen.values():
        assert finding.speedup is None  # of which time is unknown
    if found == "copy_not_overlapped":
        assert seen[found].confidence < 0.8 and seen[found].undecided


def test_patterns_of_sums_are_in_the_order_of_their_shares(tmp_path: Path) -> None:
    def first(copied: int) -> list[str]:
        copies = [(copied, 900, "[CUDA memcpy HtoD]")]
        text = summary([BUSY], copies, [(900, "cudaMemcpy")])
        return [p.finding.id for p in analyse([write(tmp_path, "x.csv", text)]).gpus[0].patterns]

    assert first(12_000_000_000) == ["copy_not_overlapped", "dominant_kernel"]
    assert first(4_000_000_000) == ["dominant_kernel", "copy_not_overlapped"]


def test_sums_that_mostly_go_elsewhere_do_not_send_to_the_kernel(tmp_path: Path) -> None:
    def decision(kernels: list[tuple[int, int, str]], copies: list[tuple[int, int, str]]) -> str:
        return analyse([write(tmp_path, "x.csv", summary(kernels, copies, []))]).gpus[0].decision.id

    assert decision([BUSY], []) == "drill_down_if_busy"
    assert decision([(20_000_000, 5000, "step(int)")], []) == "fix_summed_first"
    assert decision([BUSY], [(6_000_000_000, 9, "[CUDA Unified Memory memcpy HtoD]")]) == "fix_summed_first"


def test_sums_of_several_tables_are_added_up_and_unreadable_ones_are_unknown(tmp_path: Path) -> None:
    text = summary([BUSY], [(4_000_000_000, 900, "[CUDA memcpy HtoD]")], [(900, "cudaMemcpy")])
    once = analyse([write(tmp_path, "x.csv", text)]).gpus[0].values
    twice = analyse([write(tmp_path, "x.csv", text + "\n" + text)]).gpus[0].values
    assert twice["summed_copy_pct"] == pytest.approx(once["summed_copy_pct"])
    assert twice["wait_call_count"] == 2 * once["wait_call_count"] == 1800
    for broken in ("N/A", "-5", "nan"):
        values = analyse([write(tmp_path, "x.csv", text.replace("4000000000", broken))]).gpus[0].values
        assert "summed_copy_pct" not in values and values["kernel_launches"] == 800


def test_calls_that_return_at_once_do_not_wait(tmp_path: Path) -> None:
    text = summary([(20_000_000, 1000, "work(int)")], [], [(1000, "cudaStreamSynchronize")])
    quick = text.replace(f"{50_000 * 1000}", f"{1_500 * 1000}")
    assert analyse([write(tmp_path, "x.csv", text)]).gpus[0].values["wait_call_count"] == 1000
    assert analyse([write(tmp_path, "x.csv", quick)]).gpus[0].values["wait_call_count"] == 0


def test_work_that_a_summary_has_none_of_is_ruled_out(tmp_path: Path) -> None:
    """What is not in a table did not run, however long the window is."""
    head = "Time (%),Total Time (ns),Instances,Avg (ns),Min (ns),Max (ns),Name"
    kernels = f"{head}\n100.0,8000000000,800,10000000.0,9000000,11000000,work(int)\n"
    copies = summary([], [(400_000_000, 9, "[CUDA memcpy HtoD]")], [(800, "cudaLaunchKernel")])
    gpu = analyse([write(tmp_path, "x.csv", kernels + "\n" + copies)]).gpus[0]
    unseen = {one.id for one in gpu.unseen}
    assert not unseen & {"unified_memory_migration", "many_tiny_kernels"} and "pageable_memory" in unseen
    sets = summary([], [(400_000, 9, "[CUDA memset]")], [])
    gpu = analyse([write(tmp_path, "z.csv", kernels + "\n" + sets)]).gpus[0]
    assert not {one.id for one in gpu.unseen} & {"copy_not_overlapped", "pageable_memory"}
    alone = {one.id for one in analyse([write(tmp_path, "k.csv", kernels)]).gpus[0].unseen}
    assert {"copy_not_overlapped", "unified_memory_migration", "communication_bound"} <= alone


def test_what_a_summary_lacks_is_named_by_its_table(tmp_path: Path) -> None:
    gpu = analyse([write(tmp_path, "x.csv", summary([BUSY], [], []))]).gpus[0]
    lacks = {one.id: one.get for one in gpu.unseen}
    assert any("cuda_gpu_mem_time_sum" in get for get in lacks["copy_not_overlapped"])
    assert any("cuda_api_sum" in get for get in lacks["sync_between_kernels"])


def test_files_of_one_run_are_one_trace_and_of_two_runs_two(tmp_path: Path) -> None:
    first = [
        write(tmp_path, "run_cuda_gpu_kern_sum.csv", stats.NEW_KERNELS),
        write(tmp_path, "run_cuda_gpu_mem_time_sum.csv", stats.NEW_COPIES),
        write(tmp_path, "run_cuda_api_sum.csv", stats.CALLS),
    ]
    other = write(tmp_path, "other_gpukernsum.csv", stats.OLD_KERNELS)
    assert together([*first, other]) == [tuple(first), (other,)]
    result = analyse([*first, other])
    assert [gpu.values["top_kernel_pct"] for gpu in result.gpus] == pytest.approx([30, 75])


def rows_of(path: Path) -> list[tuple[int, int, int, str, str]]:
    db = sqlite3.connect(path)
    kernels = db.execute(
        'SELECT start, "end" - start, correlationId, value, "" FROM CUPTI_ACTIVITY_KIND_KERNEL '
        "JOIN StringIds ON id = demangledName"
    ).fetchall()
    names = {1: "[CUDA memcpy Host-to-Device]", 2: "[CUDA memcpy Device-to-Host]"}
    copies = [
        (s, d, c, names[kind], "Pageable" if 0 in (src, dst) else "Pinned")
        for s, d, c, kind, src, dst in db.execute(
            'SELECT start, "end" - start, correlationId, copyKind, srcKind, dstKind FROM CUPTI_ACTIVITY_KIND_MEMCPY'
        )
    ]
    return kernels + copies


@pytest.mark.parametrize("pageable", [False, True])
def test_a_gpu_trace_tells_what_the_database_tells(pageable: bool, tmp_path: Path) -> None:
    path = make.serial_copies(pageable=pageable).write(tmp_path / "t.sqlite")
    csv = write(tmp_path, "run_cuda_gpu_trace.csv", stats.preamble("cuda_gpu_trace") + stats.trace(rows_of(path)))
    one, other = analyse([path]).gpus[0], analyse([csv]).gpus[0]
    for name in ("gpu_busy_pct", "copy_exposed_pct", "copy_overlappable_pct", "pageable_exposed_pct", "top_kernel_pct"):
        assert other.values[name] == pytest.approx(one.values[name]), name
    assert [(k.name, k.launches, k.total) for k in other.kernels] == [
        (k.name, k.launches, k.total) for k in one.kernels
    ]
    ids = {p.finding.id for p in one.patterns}
    assert {p.finding.id for p in other.patterns} == ids
    # Without the calls nobody knows whether the host waited.
    assert "sync_between_kernels" in {u.id for u in other.unseen}


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("void cutlass::Kernel<cutlass::gemm::Gemm<float, 4> >(T1::Params)", "Kernel"),
        ("add(int, int)", "add"),
        ("void (anonymous namespace)::softmax_warp<float>(float*)", "softmax_warp"),
        ("ampere_sgemm_128x64_nn", "ampere_sgemm_128x64_nn"),
        ("a::b::c<d::e>::run(x)", "run"),
    ],
)
def test_the_base_name_of_a_kernel(name: str, short: str) -> None:
    assert base_name(name) == short


@pytest.mark.parametrize(
    "text", ["a,b,c\n1,2,3\n", "hello\n", "Name,streamId,type,bytes,Trace Type,Event Type\nk,7,kernel,,x,Enter\n"]
)
def test_other_tables_are_refused_in_one_line(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as e:
        read_trace(write(tmp_path, "x.csv", text))
    assert "\n" not in str(e.value) and "nsys stats" in str(e.value)


@pytest.mark.parametrize("blank", [" ", "\t", "("])
def test_a_header_of_very_many_blanks_is_read_at_once(tmp_path: Path, blank: str) -> None:
    path = write(tmp_path, "blanks.csv", f"Start (ns),Name{blank * 20_000}x\n1,2\n")
    start = time.process_time()
    with pytest.raises(InputError):
        read_trace(path)
    assert time.process_time() - start < 2.0
