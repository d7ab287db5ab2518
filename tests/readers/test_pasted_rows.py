"""Rows of ncu's tables in a file without the kernel's line: what people paste into an issue or a chat."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.knowledge.base import catalog
from advisor.readers.pasted_rows import read_rows
from advisor.readers.read import read
from advisor.records.errors import InputError

ROWS = """Elapsed Cycles                cycle      2672371
Memory Throughput                 %        72.38
DRAM Throughput                   %         0.69
Duration                         ms         1.07
Memory Throughput           Gbyte/s        28.65
Compute (SM) Throughput           %        52.38
"""
TABLE = f"""----------------------- ----------- ------------
Metric Name             Metric Unit Metric Value
----------------------- ----------- ------------
{ROWS}----------------------- ----------- ------------
"""
LOOSE = """Section: GPU Speed Of Light Throughput
    Duration                 1.07 ms
    Elapsed Cycles           2672371 cycle
    Memory Throughput             72.38 %
    DRAM Throughput                0.69 %
    Compute (SM) Throughput       52.38 %

Section: Memory Workload Analysis
    Memory Throughput             28.65 Gbyte/s

OPT   Est. Speedup: 50%
      The kernel waits.
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "ncu.txt"


@pytest.mark.parametrize(
    "text",
    [TABLE, ROWS, LOOSE, "// " + "\n// ".join(TABLE.splitlines()), "my notes:\n\n" + ROWS],
    ids=["table", "rows", "sections", "comment", "notes"],
)
def test_rows_without_a_kernel_are_one_launch(log: Path, text: str) -> None:
    log.write_text(text)
    found = read(log)
    (launch,) = (row for _, row in found.frame.iterrows())
    assert launch["kernel"] == "(unnamed)" and launch["duration_ns"] == pytest.approx(1.07e6)
    # One label, told apart by its unit or its section.
    assert launch["memory_throughput_pct"] == 72.38
    assert launch["dram_bytes_per_s"] == pytest.approx(28.65e9)
    assert "no kernel" in found.info.problems[0] and not found.info.complete


def test_rules_beside_the_rows_are_kept(log: Path) -> None:
    log.write_text(LOOSE)
    (rule,) = read(log).frame.iloc[0]["rules"]
    assert (rule.message, rule.speedup) == ("The kernel waits.", pytest.approx(2))


def test_reading_ends_at_a_row_that_comes_again_with_another_value(log: Path) -> None:
    log.write_text(ROWS + "\n" + ROWS.replace("72.38", "11.00") + "Achieved Occupancy   %   12.0\n")
    launch = read(log).frame.iloc[0]
    assert launch["memory_throughput_pct"] == 72.38 and launch.isna()["occupancy_achieved_pct"]


def test_the_number_of_multiprocessors_is_no_comment(log: Path) -> None:
    log.write_text(ROWS + "# SMs                            SM           84\n")
    assert read(log).frame.iloc[0]["sm_count"] == 84


def test_rows_far_down_in_a_log_are_read(log: Path) -> None:
    log.write_text("a line of the program\n" * 9000 + ROWS)
    assert read(log).frame.iloc[0]["memory_throughput_pct"] == 72.38


@pytest.mark.parametrize(
    "text",
    [
        "Duration     5 ms\nElapsed Cycles   7\n",
        "The Duration of the meeting was 5 hours, Memory Throughput was not discussed.\n" * 5,
        "Duration  1 ms\n" * 20,
    ],
    ids=["too few", "prose", "one label"],
)
def test_other_text_is_refused_in_one_line(log: Path, text: str) -> None:
    log.write_text(text)
    with pytest.raises(InputError, match="not output of ncu") as refusal:
        read(log)
    assert "\n" not in str(refusal.value)


def test_a_text_with_launches_is_not_read_by_rows(log: Path) -> None:
    section = "    Section: GPU Speed Of Light Throughput\n" + TABLE
    log.write_text("  copy(float *) (64, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 8.6\n" + section)
    assert list(read(log).frame["kernel"]) == ["copy"]


def test_a_kernel_line_that_was_wrapped_before_its_context_is_read(log: Path) -> None:
    head = " copy (64, 1, 1)x(16, 1, 1), \n    Context 1, Stream 13, Device 0, CC 8.6\n"
    log.write_text(head + "    Section: GPU Speed Of Light Throughput\n" + TABLE)
    launch = read(log).frame.iloc[0]
    assert (launch["kernel"], launch["grid"], launch["block"], launch["cc"]) == ("copy", (64, 1, 1), (16, 1, 1), "8.6")


@given(st.lists(st.sampled_from([*ROWS.splitlines(), "Duration nan ms", "SM Busy % 1e999", "\0", "x" * 3000, "| | |"])))
def test_any_lines_give_at_most_one_launch_with_finite_numbers(lines: list[str]) -> None:
    found = read_rows(lines, catalog().metrics)
    assert len(found.launches) <= 1
    for launch in found.launches:
        assert all(value == value and abs(value) < 1e300 for value, _ in launch.labels.values())
