from __future__ import annotations

import io
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.readers import container
from tests.damaged import report


def test_a_whole_report_announces_what_it_holds_and_names_its_tool() -> None:
    found = container.walk(report())
    assert (found.announced, found.readable, found.damage) == (2, 2, "")
    assert found.tool == "2025.3.1.0"
    assert "--clock-control none" in found.command
    assert container.spans(found)[-1][1] == len(report())


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_a_report_cut_anywhere_is_seen_to_be_cut(part: float) -> None:
    found = container.walk(report()[: int(len(report()) * part)])
    assert found.damage.startswith(container.ENDS)
    assert found.readable < 2


def test_the_code_of_a_launch_without_its_results_is_a_launch_missing() -> None:
    code = [block for block in container.walk(report()).blocks if block.sources][-1]
    found = container.walk(report()[: code.sources[-1][1]])
    assert (found.announced, found.readable) == (2, 1)
    assert found.damage


def test_a_length_of_four_gigabytes_is_not_believed() -> None:
    data = bytearray(report())
    data[10:14] = struct.pack("<I", 0xFFFFFFFF)
    assert container.walk(bytes(data)).damage.startswith(container.ENDS)


def test_a_block_that_announces_millions_of_launches_is_not_believed() -> None:
    header = b"\x10\xff\xff\xff\xff\x0f\x28\x08"
    found = container.walk(report() + struct.pack("<I", len(header)) + header + bytes(8))
    assert found.readable == 2
    assert "declares more" in found.damage


def test_zeros_for_ever_end_at_the_first_empty_block() -> None:
    assert "empty block" in container.walk(report() + bytes(10_000_000)).damage


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=400))
def test_walking_never_fails_whatever_the_bytes(noise: bytes) -> None:
    for data in (noise, container.MAGIC + noise, report()[:6130] + noise):
        assert container.walk(data).readable <= container.walk(data).announced + 1


def test_a_slim_copy_is_a_whole_report_of_the_launches_asked_for() -> None:
    out = io.BytesIO()
    damaged = container.slim(report(), container.walk(report()), 1, 2, {"gpu__time_duration.sum"}.__contains__, out)
    copy = container.walk(out.getvalue())
    assert damaged == []
    assert (copy.announced, copy.readable, copy.damage) == (1, 1, "")
    assert len(out.getvalue()) < len(report()) / 10


def test_a_bare_metric_keeps_its_value_and_loses_its_instances(tmp_path: Path) -> None:
    """The samples of a reason are read as one number; the executions of each instruction stay."""
    names = {"gpu__time_duration.sum", "inst_executed", "smsp__pcsamp_sample_count"}

    def read(name: str, bare: Callable[[str], bool]) -> tuple[int, list[tuple[object, int]]]:
        import ncu_report

        path = tmp_path / name
        with path.open("wb") as out:
            assert container.slim(report(), container.walk(report()), 0, 1, names.__contains__, out, bare=bare) == []
        action = ncu_report.load_report(str(path)).range_by_idx(0).action_by_idx(0)
        metrics = [action.metric_by_name(n) for n in sorted(names)]
        return path.stat().st_size, [(m.value(), m.num_instances()) for m in metrics]

    size, whole = read("whole.ncu-rep", lambda name: False)
    smaller, bare = read("bare.ncu-rep", lambda name: name != "inst_executed")
    assert [value for value, _ in bare] == [value for value, _ in whole]
    (_, _), (_, executed), (_, samples) = whole
    assert executed > 0 and samples > 0 and smaller < size
    assert [count for _, count in bare] == [0, executed, 0]


def test_a_record_that_is_no_message_is_named_as_damaged() -> None:
    data = bytearray(report())
    start, end = container.spans(container.walk(report()))[1]
    data[start:end] = b"\xff" * (end - start)
    out = io.BytesIO()
    assert container.slim(bytes(data), container.walk(bytes(data)), 0, 2, bool, out) == [1]
    assert container.walk(out.getvalue()).readable == 1
