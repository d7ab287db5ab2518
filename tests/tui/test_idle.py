"""What is done while nobody types: it is done, and not while somebody types or something is at work."""

from __future__ import annotations

import asyncio

import pytest

from advisor.tui import prefetch
from tui.driver import Driver, session


class Collector:
    """In the place of the garbage collector: what was asked of it."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.young = 0

    def collect(self) -> None:
        self.asked.append("collect")
        self.young = 0

    def freeze(self) -> None:
        self.asked.append("freeze")

    def get_count(self) -> tuple[int, int, int]:
        return 0, 0, self.young


@pytest.fixture
def imported(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names: list[str] = []
    monkeypatch.setattr(prefetch, "import_module", names.append)
    monkeypatch.setattr(prefetch, "_EVERY_S", 0.01)
    return names


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Collector:
    made = Collector()
    monkeypatch.setattr(prefetch, "gc", made)
    return made


async def wait(at: Driver, seconds: float = 0.6) -> None:
    await at.settle()
    await asyncio.sleep(seconds)


async def test_modules_are_imported_one_by_one_then_garbage_is_looked_for(
    imported: list[str], collector: Collector, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(prefetch, "_AFTER_S", 0.0)
    async with session("tour.ncu-rep") as at:
        await wait(at)
        assert imported == list(prefetch._MODULES)
        assert collector.asked == ["collect", "freeze"]
        collector.young = 10
        await wait(at, 0.1)
        assert collector.asked == ["collect", "freeze", "collect"]


async def test_nothing_is_done_where_keys_follow_each_other(
    imported: list[str], collector: Collector, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(prefetch, "_AFTER_S", 30.0)
    async with session("tour.ncu-rep") as at:
        await at.press("down")
        await wait(at, 0.2)
        assert not imported and not collector.asked
