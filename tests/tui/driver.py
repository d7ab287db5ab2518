"""Drives the program in tests: keys, lines, and what stands on the screen."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import textual.app
import textual.pilot
from textual._context import visible_screen_stack
from textual.css.stylesheet import Stylesheet
from textual.pilot import Pilot
from textual.strip import Strip
from textual.widgets import Input, TextArea

from advisor.tui.app import AdvisorApp
from advisor.tui.widgets.prompt import Prompt
from tui.factory import desk

# Threads of the screens that end by themselves; "request" is the app's runner, which says itself whether it is idle.
_THREADS = ("replay", "read session", "knowledge")
_AT_MOST_S = 120.0  # a bound, not a wait: on a machine that is loaded, a real report takes tens of seconds


async def still(min_sleep: float = 0.0, max_sleep: float = 1.0) -> None:
    """Wait until no task of this loop can go on: all wait for a timer, a thread or the next key.

    Stands in for Textual's wait_for_idle, which sleeps in steps of 20 ms until the process uses no CPU: slower, and
    on a loaded machine, where the process gets no CPU, it ends too soon.
    """
    loop = asyncio.get_running_loop()
    until = loop.time() + max_sleep
    await asyncio.sleep(0)
    while loop._ready and loop.time() < until:  # type: ignore[attr-defined]
        await asyncio.sleep(0)


textual.app.wait_for_idle = textual.pilot.wait_for_idle = still  # type: ignore[attr-defined]


_PARSED: dict[tuple[Any, ...], Any] = {}
_parse_rules = Stylesheet._parse_rules


def _parsed(sheet: Stylesheet, *where: Any, **options: Any) -> Any:
    """The rules of a text, parsed once for all apps: each parses the same texts of all widgets anew at its start."""
    key = (frozenset(sheet._variables.items()), where, *sorted(options.items()))
    if key not in _PARSED:
        _PARSED[key] = _parse_rules(sheet, *where, **options)
    return _PARSED[key]


Stylesheet._parse_rules = _parsed  # type: ignore[method-assign]

# No cursor blinks: whether one is drawn must not depend on the moment.
Input._toggle_cursor = TextArea._toggle_cursor_blink_visible = lambda self: None  # type: ignore[method-assign]


@dataclass
class Driver:
    """The program under Pilot: keys and typed lines, each followed by waiting until all work is done."""

    app: AdvisorApp
    pilot: Pilot[int]
    notes: list[str] = field(default_factory=list)  # what the notifications so far say
    others: tuple[threading.Thread, ...] = field(default_factory=lambda: tuple(threading.enumerate()))

    def __post_init__(self) -> None:
        notify = self.app.notify

        def noting(message: str, **options: Any) -> None:
            self.notes.append(message)
            notify(message, **options)

        self.app.notify = noting  # type: ignore[method-assign]

    async def settle(self) -> None:
        """Wait until all work is done and the screen is painted with what came of it."""
        loop = asyncio.get_running_loop()
        until = loop.time() + _AT_MOST_S
        while self.app.is_running:
            await still()
            if not self._at_work() and not self._paint():
                return
            if loop.time() > until:
                raise TimeoutError(f"still at work: {self.app.state.waiting}, {self._handling()}")
            if not loop._ready:  # type: ignore[attr-defined]
                await asyncio.sleep(0.001)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until this holds, with the work going on that it waits for; AssertionError if it never does."""
        loop = asyncio.get_running_loop()
        until = loop.time() + _AT_MOST_S
        while not holds():
            assert loop.time() < until, f"this never came: {self.screen}"
            await asyncio.sleep(0.005)
            await still()
            self._paint()

    def _at_work(self) -> bool:
        """Whether something was asked for that is not done: by the state, a thread, a worker or a message."""
        if self.app.state.waiting or not self.app.runner.idle or self._handling():
            return True
        if self.app._resize_event is not None:
            # Taken up now. Textual waits for a timer, which never calls if the process gets no CPU just when it starts;
            # and a size that the app has already waits until the app is idle once more.
            self.app._check_resize()
            return True
        if self.app._batch_count:  # Textual paints nothing for a moment: the palette asks for it when it closes
            return True
        threads = (thread for thread in threading.enumerate() if thread not in self.others)
        return any(thread.name in _THREADS for thread in threads) or not all(w.is_finished for w in self.app.workers)

    def _handling(self) -> list[Any]:
        """The app, screens and widgets that do not wait for a message: one is in their queue or being handled."""
        nodes = (node for node in (self.app, *self.app._registry) if node._running)
        return [node for node in nodes if not node._message_queue.ready_event._waiters]

    def _paint(self) -> bool:
        """Paint what is out of date, without waiting for the next frame; whether that gave something to do."""
        for screen in self.app._background_screens:
            # Painted, it has the screen over it painted, and that again the other way: left to the frames.
            if screen._layout_required or screen._dirty_widgets or screen._callbacks:
                screen._on_timer_update()
        self.app.screen._on_timer_update()
        return bool(asyncio.get_running_loop()._ready)  # type: ignore[attr-defined]

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
            await self.settle()

    async def open(self, *keys: str) -> None:
        """Open a launch after these keys."""
        await self.press(*keys, "enter")

    async def say(self, text: str) -> None:
        prompts = self.app.screen.query(Prompt)
        prompt = prompts.first() if prompts else self.app.screen.query_one(Input)
        prompt.focus()
        prompt.value = text
        await self.press("enter")

    @property
    def strips(self) -> list[Strip]:
        """What stands on the screen, a strip of styled texts a row."""
        visible_screen_stack.set(self.app._background_screens)
        return self.app.screen._compositor.render_strips()

    @property
    def rows(self) -> list[str]:
        """What stands on the screen, a string a row."""
        return [strip.text for strip in self.strips]

    @property
    def screen(self) -> str:
        return "\n".join(self.rows)

    def shows(self, *texts: str) -> bool:
        screen = self.screen
        return all(text in screen for text in texts)


@asynccontextmanager
async def session(
    *paths: str,
    size: tuple[int, int] = (80, 24),
    blocks: bool = True,
    notes: bool = False,
    predict: bool = False,
    **sources: Any,
) -> AsyncIterator[Driver]:
    """The program on the factory's data, settled after its start."""
    app = AdvisorApp(desk(**sources), paths, blocks=blocks, predict=predict)
    async with app.run_test(size=size, notifications=notes) as pilot:
        driver = Driver(app, pilot)
        await driver.settle()
        yield driver
