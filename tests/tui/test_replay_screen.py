"""A saved session replayed: to and fro, by itself, to a step; what differs is marked; and it can be gone on with."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from advisor.records.errors import InputError
from advisor.session import events as e
from advisor.session.executor import Executor
from advisor.session.reducer import reduce
from advisor.session.state import State
from advisor.tui.app import AdvisorApp
from advisor.tui.screens.replay import ReplayScreen
from advisor.tui.screens.session import SessionScreen
from tui.driver import Driver
from tui.factory import desk

SIZES = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])
DEEDS = (
    e.Began(("tour.ncu-rep",)),
    e.LaunchSelected(1),
    e.Expected("memory"),
    e.Skipped("algorithm"),
    e.FixShown(),
    e.EvidenceShown(),
)


@dataclass
class Played:
    """A player on the factory's data: step 5 concludes otherwise, step 4 may mean nothing, a bad one may fail."""

    title: str = "A session with [bold]x[/ in its title"
    executor: Executor = field(default_factory=desk)
    bad: int = -1
    asked: list[int] = field(default_factory=list)

    @property
    def steps(self) -> tuple[Any, ...]:
        return tuple(SimpleNamespace(number=n, words=f"deed {n} of {type(d).__name__}") for n, d in enumerate(DEEDS, 1))

    def at(self, step: int, watch: Callable[[str, int, int], None]) -> Any:
        self.asked.append(step)
        if step == self.bad:
            raise InputError("x.ncu-rep: this session was saved without it")
        state = State()
        for deed in DEEDS[:step]:
            state = reduce(state, deed)
            while state.waiting:
                state = reduce(state, self.executor.perform(state.waiting[0], state, watch))
        return SimpleNamespace(state=state, done=True)

    def differences(self, step: int) -> tuple[Any, ...]:
        return (SimpleNamespace(place="findings.tail.speedup", expected=1.2, came=None),) if step == 5 else ()


@asynccontextmanager
async def replay(player: Played | None = None, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Driver]:
    app = AdvisorApp(desk(), (), player=player or Played())
    async with app.run_test(size=size, notifications=True) as pilot:
        at = Driver(app, pilot)
        await rest(at)
        yield at


async def rest(at: Driver) -> None:
    """Until the step that is wanted has been worked out."""
    await at.settle()
    await at.until(lambda: not isinstance(at.app.screen, ReplayScreen) or not at.app.screen.working)
    await at.settle()


async def press(at: Driver, *keys: str) -> None:
    for key in keys:
        await at.press(key)
        await rest(at)


@SIZES
async def test_step_by_step_forth_and_back(size: tuple[int, int]):
    async with replay(size=size) as at:
        assert at.shows("A session with [bold]x[/", "step 0 of 6", "before the first step")
        await press(at, "right")
        assert at.shows("step 1 of 6  deed 1 of Began", "same conclusions as saved", "transpose_tile", "vector_copy")
        await press(at, "right", "right", "right", "right")
        assert at.shows("step 5 of 6", "Pad or swizzle")
        await press(at, "left", "left", "left", "left", "left")
        assert at.shows("step 0 of 6") and "Pad or swizzle" not in at.screen
        await press(at, "end")
        assert at.shows("step 6 of 6")
        await press(at, "right", "home", "left")
        assert at.shows("step 0 of 6")


@SIZES
async def test_a_step_that_concludes_otherwise_is_marked_with_what_was_and_what_is(size: tuple[int, int]):
    async with replay(size=size) as at:
        await press(at, "5", "enter")
        assert at.shows(
            "step 5 of 6", "1 place differs from the saved session", "findings.tail.speedup: was 1.2, is nothing"
        )
        if size[0] < 120:
            await press(at, "f2")
        assert at.shows("≠ 5 deed 5")


@SIZES
async def test_d_replays_on_to_the_next_step_that_differs(size: tuple[int, int]):
    player = Played()
    async with replay(player, size=size) as at:
        await press(at, "right", "d")
        assert at.shows("step 5 of 6", "1 place differs from the saved session") and player.asked == [
            0,
            1,
            2,
            3,
            4,
            5,
        ]
        await press(at, "home", "d")
        assert at.shows("step 5 of 6"), "what was worked out already is gone to at once"


async def test_d_stays_and_says_so_where_no_later_step_differs():
    async with replay() as at:
        await press(at, "5", "enter", "d")
        assert at.shows("step 5 of 6") and "No later step" in at.notes[-1]
        await press(at, "end", "d", "left")
        assert at.shows("step 5 of 6")


async def test_a_search_for_a_difference_is_called_off_and_nothing_else_moves():
    class Slow(Played):
        has_begun, gate = threading.Event(), threading.Event()

        def at(self, step: int, watch: Callable[[str, int, int], None]) -> Any:
            if step == 2:
                self.has_begun.set()
                assert self.gate.wait(120)
            return super().at(step, watch)

    player = Slow()
    async with replay(player) as at:
        await at.pilot.press("d")
        assert await asyncio.to_thread(player.has_begun.wait, 120)
        await at.pilot.press("escape")
        player.gate.set()
        await rest(at)
        assert isinstance(at.app.screen, ReplayScreen) and at.shows("step 0 of 6")
        assert max(player.asked) == 2, "no further step is worked out"


@SIZES
async def test_the_list_of_steps_has_the_room_that_there_is(size: tuple[int, int]):
    class Long(Played):
        @property
        def steps(self) -> tuple[Any, ...]:
            return tuple(SimpleNamespace(number=n, words=f"deed {'x' * 40}{n}") for n, _ in enumerate(DEEDS, 1))

    async with replay(Long(), size=size) as at:
        if size[0] < 120:
            await press(at, "f2")
        assert at.shows("x" * 40 + "6")
        await press(at, "s")
        assert not at.shows("x" * 40 + "6")
        await press(at, "s")
        assert at.shows("x" * 40 + "6")


async def test_to_a_step_by_its_number_and_by_the_list():
    async with replay(size=(160, 50)) as at:
        await press(at, "1", "2", "backspace")
        assert at.shows("go to step 1_")
        await press(at, "backspace", "4", "enter")
        assert at.shows("step 4 of 6")
        await press(at, "up", "up", "enter")
        assert at.shows("step 2 of 6")
        await press(at, "9", "9", "9", "enter")
        assert at.shows("step 6 of 6")
        await press(at, "7", "escape")
        assert isinstance(at.app.screen, ReplayScreen) and at.shows("step 6 of 6")


async def test_enter_goes_on_where_it_is_already():
    async with replay() as at:
        await press(at, "enter")
        assert at.shows("step 1 of 6")
        await press(at, "enter")
        assert at.shows("step 2 of 6")
        await press(at, "end", "enter")
        assert at.shows("step 6 of 6")


async def test_it_plays_by_itself_and_stops_at_the_end(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("advisor.tui.screens.replay._PACES", (0.01, 0.01, 0.01, 0.01))
    async with replay() as at:
        await at.press("p")
        await at.until(lambda: at.shows("step 6 of 6") and not at.app.screen.playing)  # type: ignore[attr-defined]
        await rest(at)
        assert at.shows("step 6 of 6", "paused")
        await press(at, "home", "p", "p")
        assert at.shows("paused")


@SIZES
async def test_going_on_makes_it_a_session_of_ones_own(size: tuple[int, int]):
    async with replay(size=size) as at:
        await press(at, "5", "enter", "g")
        assert isinstance(at.app.screen, SessionScreen) and at.app.state.place == "launch"
        before = len(at.app.state.cards)
        await at.say("/how")
        assert at.app.state.cards[-1].kind == "proof" and len(at.app.state.cards) == before + 1
        await at.say("/back")
        assert len(at.app.state.cards) == before


async def test_before_the_first_step_there_is_nothing_to_go_on_from():
    async with replay() as at:
        await press(at, "g")
        assert isinstance(at.app.screen, ReplayScreen) and "Go on" not in at.rows[-1]


async def test_a_step_that_cannot_be_worked_out_is_said_and_the_one_before_stays():
    async with replay(Played(bad=2)) as at:
        await press(at, "right", "right")
        assert at.shows("step 1 of 6") and "saved without it" in at.notes[-1]
        await press(at, "left")
        assert at.shows("step 0 of 6")


async def test_leaving_a_replay_that_was_all_that_was_asked_for_ends_the_program():
    async with replay() as at:
        await press(at, "f2", "escape")
        assert isinstance(at.app.screen, ReplayScreen)
        await at.press("escape")
        assert at.app.return_code == 0


@pytest.mark.heavy
async def test_any_key_at_any_size():
    async with replay() as at:
        for size in ((30, 8), (200, 12), (110, 30), (80, 24)):
            await at.pilot.resize_terminal(*size)
            await press(
                at, "right", "f2", "f3", "f6", "pagedown", "d", "plus", "minus", "tab", "n", "b", "f1", "escape"
            )
            assert isinstance(at.app.screen, ReplayScreen)
