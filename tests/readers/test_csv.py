from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from advisor.readers.read import read
from advisor.records.errors import InputError

DATA = Path(__file__).parents[1] / "data"
HEADER = (
    '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device",'
    '"CC","Section Name","Metric Name","Metric Unit","Metric Value"\n'
)


def row(id_: int, name: str, unit: str, value: str, *, kernel: str = "saxpy(int, float *)", section: str = "") -> str:
    section = section or "Command line profiler metrics"
    quoted = kernel.replace('"', '""')
    return (
        f'"{id_}","7","app","127.0.0.1","{quoted}","1","7","(256, 1, 1)","(64, 1, 1)","0","8.6","{section}","{name}",'
        f'"{unit}","{value}"\n'
    )


@pytest.fixture
def csv_file(tmp_path: Path) -> Path:
    return tmp_path / "profile.csv"


@pytest.fixture
def raw_text() -> str:
    return lzma.decompress((DATA / "tour_raw.csv.xz").read_bytes()).decode()


def test_metrics_asked_for_by_name_are_read_from_the_long_table(csv_file: Path) -> None:
    csv_file.write_text(
        HEADER + row(0, "gpu__time_duration.sum", "usecond", "1,234.50") + row(1, "gpu__time_duration.sum", "ns", "950")
    )
    found = read(csv_file)
    assert list(found.frame["duration_ns"]) == [1_234_500.0, 950.0]
    assert list(found.frame["kernel"]) == ["saxpy", "saxpy"]
    assert list(found.frame["kernel_full"]) == ["saxpy(int, float *)"] * 2
    assert found.frame["grid"][0] == (64, 1, 1)
    assert found.info.format == "details-csv"
    assert found.info.complete


def test_a_preamble_of_other_output_is_skipped(csv_file: Path) -> None:
    noise = (
        '==PROF== Connected to process 7\n"Multi" took 596.458 milliseconds\n1,2,3\n[1/4] loading...\r[2/4] loading\n'
        * 30
    )
    csv_file.write_text(noise + HEADER + row(0, "gpu__time_duration.sum", "ns", "950") + "==PROF== Disconnected\n")
    found = read(csv_file)
    assert list(found.frame["duration_ns"]) == [950.0]
    assert found.info.complete


def test_a_stray_quote_between_the_rows_does_not_swallow_them(csv_file: Path) -> None:
    csv_file.write_text(
        HEADER
        + row(0, "gpu__time_duration.sum", "ns", "950")
        + '"a line of the program with an open quote\n'
        + row(1, "gpu__time_duration.sum", "ns", "951")
    )
    assert list(read(csv_file).frame["duration_ns"]) == [950.0, 951.0]


def test_a_file_that_ends_anywhere_inside_a_row_is_marked(csv_file: Path) -> None:
    whole = HEADER + row(0, "gpu__time_duration.sum", "ns", "950")
    last = row(1, "gpu__time_duration.sum", "ns", "951").rstrip("\n")
    csv_file.write_text(whole)
    assert not read(csv_file).info.problems
    for size in range(1, len(last) - 1):
        csv_file.write_text(whole + last[:size])
        assert read(csv_file).info.problems, last[:size]


def test_names_with_commas_quotes_and_newlines_are_read_whole(csv_file: Path) -> None:
    name = 'void k<[with T=float, N=4]>(const char *, "x",\nint)'
    csv_file.write_text(HEADER + row(0, "gpu__time_duration.sum", "ns", "950", kernel=name))
    frame = read(csv_file).frame
    assert frame["kernel_full"][0] == name.replace("\n", "\\x0a")
    assert frame["duration_ns"][0] == 950.0


def test_european_numbers_are_read(csv_file: Path) -> None:
    csv_file.write_text(
        HEADER
        + row(0, "gpu__time_duration.sum", "ns", "117.344")
        + row(0, "dram__bytes_read.sum", "byte", "27.595.520")
        + row(0, "sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", "65,77")
    )
    launch = read(csv_file).frame.iloc[0]
    assert launch["duration_ns"] == 117_344.0
    assert launch["dram_read_bytes"] == 27_595_520.0
    assert launch["sm_throughput_pct"] == 65.77


def test_both_decimal_marks_in_one_file_are_said(csv_file: Path) -> None:
    csv_file.write_text(
        HEADER
        + row(0, "sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", "65.77")
        + row(1, "sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", "65,77")
    )
    found = read(csv_file)
    assert any("decimal commas" in problem for problem in found.info.problems)
    assert found.frame["sm_throughput_pct"].isna().tolist() == [False, True]


def test_absent_and_failed_values_are_unknown_and_the_failed_ones_counted(csv_file: Path) -> None:
    csv_file.write_text(
        HEADER + row(0, "gpu__time_duration.sum", "", "n/a") + row(0, "dram__bytes_read.sum", "byte", "(!) nan")
    )
    found = read(csv_file)
    assert found.frame["duration_ns"].isna().all()
    assert list(found.frame["nan_metrics"]) == [1.0]
    assert found.info.problems == ("launches without a value of a known metric: 1 of 1",)


def test_the_same_label_in_two_sections_is_two_metrics(csv_file: Path) -> None:
    csv_file.write_text(
        HEADER
        + row(0, "Memory Throughput", "%", "86.03", section="GPU Speed Of Light Throughput")
        + row(0, "Memory Throughput", "Tbyte/s", "4.14", section="Memory Workload Analysis")
    )
    launch = read(csv_file).frame.iloc[0]
    assert launch["memory_throughput_pct"] == 86.03
    assert launch["dram_bytes_per_s"] == pytest.approx(4.14e12)


def test_two_files_in_one_are_two_runs(csv_file: Path) -> None:
    one = HEADER + row(0, "gpu__time_duration.sum", "ns", "950")
    csv_file.write_text(one + one.replace("950", "951"))
    frame = read(csv_file).frame
    assert list(frame["index"]) == [0, 1]
    assert list(frame["duration_ns"]) == [950.0, 951.0]


def test_a_summary_of_many_launches_is_read_as_their_average_and_said(csv_file: Path) -> None:
    header = HEADER.replace('"ID",', "", 1).replace('"Context","Stream",', "").replace('"CC",', '"CC","Invocations",')
    header = header.replace('"Metric Value"', '"Minimum","Maximum","Average"')
    line = '"7","app","h","k(int)","(256, 1, 1)","(64, 1, 1)","0","11.0","14",'
    line += '"Occupancy","Achieved Occupancy","%","30.00","50.00","40.00"\n'
    csv_file.write_text(header + line)
    found = read(csv_file)
    assert list(found.frame["occupancy_achieved_pct"]) == [40.0]
    assert "14 in all" in found.info.problems[0]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_what_powershell_redirected_is_read(csv_file: Path, encoding: str) -> None:
    csv_file.write_text(HEADER + row(0, "gpu__time_duration.sum", "ns", "950"), encoding=encoding)
    assert list(read(csv_file).frame["duration_ns"]) == [950.0]


def test_the_parts_of_a_throughput_are_found_by_their_labels(csv_file: Path) -> None:
    header = HEADER.replace('"Section Name",', '"Section Name","Body Item Label",')
    line = row(
        0,
        "SM: Inst Executed Pipe Lsu",
        "%",
        "54.76",
        section='GPU Speed Of Light Throughput","Compute Throughput Breakdown',
    )
    csv_file.write_text(header + line)
    assert list(read(csv_file).frame["lsu_pct"]) == [54.76]


def test_the_scale_in_the_line_of_units_is_applied(csv_file: Path, raw_text: str) -> None:
    csv_file.write_text(raw_text)
    frame = read(csv_file).frame
    assert list(frame["duration_ns"]) == [124032.0, 328640.0, 2722880.0]


def test_a_row_cut_at_the_end_leaves_the_others_and_is_said(csv_file: Path, raw_text: str) -> None:
    csv_file.write_text(raw_text[:-2000])
    found = read(csv_file)
    assert len(found.frame) == 2
    assert not found.info.complete
    assert found.info.launches_missing is None


def test_a_details_page_that_ends_between_two_sections_is_incomplete(csv_file: Path) -> None:
    lines = (DATA / "tour_details.csv").read_text().splitlines(keepends=True)
    csv_file.write_text("".join(lines[:-40]))
    found = read(csv_file)
    assert not found.info.complete
    assert "sections" in found.info.problems[0]


@pytest.mark.parametrize(
    "text",
    [
        "Metric Name,dram__bytes.sum,gpu__time_duration.sum\n0,7864448.0,11808.0\n",
        "Benchmark Type,Test Name,Kernel ID,Achieved occupancy\nstandard,window,0,43.4\n",
        "ID,Kernel Name,gpu__time_duration.sum\n0,saxpy,1024\n",
    ],
)
def test_a_table_that_someone_made_of_ncus_numbers_is_refused(csv_file: Path, text: str) -> None:
    csv_file.write_text(text)
    with pytest.raises(InputError, match="not ncu output itself"):
        read(csv_file)


def test_a_raw_page_without_its_line_of_units_is_refused_not_misread(csv_file: Path, raw_text: str) -> None:
    lines = raw_text.splitlines(keepends=True)
    csv_file.write_text("".join(lines[:1] + lines[2:]))
    with pytest.raises(InputError, match="line of units"):
        read(csv_file)


def test_a_table_without_rows_holds_no_launch(csv_file: Path) -> None:
    csv_file.write_text(HEADER)
    with pytest.raises(InputError, match="no kernel launch"):
        read(csv_file)
