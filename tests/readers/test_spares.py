"""A child that has read a report answers the next request about it, and does not stay for long."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from advisor.readers import launch_code, parent, read
from advisor.readers.container import Limits
from advisor.readers.launch_code import CodeReader, read_code
from advisor.readers.parent import start_child
from advisor.readers.spares import MOST_LAUNCHES, SPARES, Spares
from advisor.records.child import Child
from tests.damaged import report

NAMES = ["inst_executed", "smsp__pcsamp_sample_count"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "small.ncu-rep"
    made.write_bytes(report())
    return made


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Child]]:
    """The children that were started."""
    children: list[Child] = []

    def noted(limits: Limits) -> Child:
        children.append(start_child(limits))
        return children[-1]

    for module in (launch_code, parent, read):
        monkeypatch.setattr(module, "start_child", noted)
    yield children
    SPARES.close()


@pytest.fixture
def child() -> Iterator[Child]:
    made = start_child(Limits())
    yield made
    made.close()


def test_the_child_that_read_a_report_reads_its_instructions_too(path: Path, started: list[Child]) -> None:
    assert len(read.read(path, limits=Limits(children=1)).frame) == 2
    with CodeReader(path) as reader:
        shared = reader.read(1, NAMES)
    assert len(started) == 1
    SPARES.close()
    assert shared.table.equals(read_code(path, 1, NAMES).table)
    assert len(started) == 2


def test_two_readers_of_a_report_one_after_the_other_share_a_child(path: Path, started: list[Child]) -> None:
    for _ in range(2):
        read_code(path, 0, NAMES)
    assert len(started) == 1


def test_a_child_that_died_meanwhile_is_replaced(path: Path, started: list[Child]) -> None:
    first = read_code(path, 0, NAMES)
    started[0].kill()
    assert read_code(path, 0, NAMES).table.equals(first.table)
    assert len(started) == 2


def test_a_report_that_changed_is_read_anew_by_the_same_child(path: Path, started: list[Child]) -> None:
    assert len(read_code(path, 1, NAMES).table)
    path.write_bytes(b"NVR\0" + bytes(64))
    assert not len(CodeReader(path).read(0, NAMES).table)
    assert len(started) == 1


def test_it_is_for_the_same_report_and_the_same_limits_only(path: Path, child: Child) -> None:
    spares = Spares()
    spares.keep(path, Limits(), child, 1)
    assert spares.take(path.with_name("other"), Limits()) is None
    assert spares.take(path, Limits(child_memory=1 << 30)) is None
    assert spares.take(path, Limits(children=7)) == (child, 1)
    assert spares.take(path, Limits()) is None


def test_one_that_has_read_enough_is_closed(path: Path, child: Child) -> None:
    spares = Spares()
    spares.keep(path, Limits(), child, MOST_LAUNCHES)
    assert spares.take(path, Limits()) is None
    assert not child.alive


def test_only_the_last_ones_are_kept(tmp_path: Path) -> None:
    spares, children = Spares(most=2), [start_child(Limits()) for _ in range(3)]
    for number, one in enumerate(children):
        spares.keep(tmp_path / str(number), Limits(), one, 1)
    assert [one.alive for one in children] == [False, True, True]
    spares.keep(tmp_path / "1", Limits(), replacing := start_child(Limits()), 1)
    assert not children[1].alive
    spares.close()
    assert not any(one.alive for one in (*children, replacing))


def test_it_ends_when_nothing_asks(path: Path, child: Child) -> None:
    spares = Spares(seconds=0.05)
    spares.keep(path, Limits(), child, 1)
    until = time.monotonic() + 30
    while child.alive and time.monotonic() < until:
        time.sleep(0.01)
    assert not child.alive
    assert spares.take(path, Limits()) is None
