"""Instructions of several launches from one child process, which is replaced when it fails or has read enough."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from advisor.readers import launch_code
from advisor.readers.launch_code import CodeReader, read_code
from advisor.readers.spares import SPARES
from advisor.records.child import Child
from advisor.records.errors import InputError
from tests.damaged import report

NAMES = ["inst_executed", "smsp__pcsamp_sample_count"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "small.ncu-rep"
    made.write_bytes(report())
    return made


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Child]:
    """The children that were started."""
    children: list[Child] = []
    really = launch_code.start_child

    def noted(limits: Any) -> Child:
        children.append(really(limits))
        return children[-1]

    monkeypatch.setattr(launch_code, "start_child", noted)
    return children


def test_launches_of_one_child_are_those_of_children_of_their_own(path: Path, started: list[Child]) -> None:
    with CodeReader(path) as reader:
        found = [reader.read(index, NAMES) for index in (0, 1, 0)]
    assert len(started) == 1
    for index, one in zip((0, 1, 0), found, strict=True):
        alone = read_code(path, index, NAMES)
        assert len(one.table) and one.table.equals(alone.table)
        assert (one.calls, one.functions, one.ptx_lines, one.ptx) == (
            alone.calls,
            alone.functions,
            alone.ptx_lines,
            alone.ptx,
        )


def test_a_child_that_died_is_replaced(path: Path, started: list[Child]) -> None:
    with CodeReader(path) as reader:
        first = reader.read(0, NAMES)
        started[0].kill()
        assert reader.read(0, NAMES).table.equals(first.table)
    assert len(started) == 2
    SPARES.close()
    assert not any(child.alive for child in started)


def test_a_child_reads_no_more_launches_than_its_memory_allows(
    path: Path, started: list[Child], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch_code, "MOST_LAUNCHES", 2)
    with CodeReader(path) as reader:
        for index in (0, 1, 0):
            reader.read(index, NAMES)
    assert len(started) == 2


def test_a_launch_that_is_not_there_costs_the_others_nothing(path: Path) -> None:
    with CodeReader(path) as reader:
        whole = reader.read(1, NAMES)
        assert not len(reader.read(7, NAMES).table)
        assert reader.read(1, NAMES).table.equals(whole.table)


def test_another_kind_of_file_starts_no_child(tmp_path: Path, started: list[Child]) -> None:
    text = tmp_path / "notes.csv"
    text.write_text("a,b\n1,2\n")
    with pytest.raises(InputError), CodeReader(text) as reader:
        reader.read(0, NAMES)
    assert not started
