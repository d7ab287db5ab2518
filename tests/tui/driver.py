"""Drives the program in tests: keys, lines, and what stands on the screen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Input

from advisor.tui.app import AdvisorApp
from advisor.tui.widgets.prompt import Prompt
from tui.factory import desk


@dataclass
class Driver:
    """The program under Pilot: keys and typed lines, each followed by waiting until all work is done."""

    app: AdvisorApp
    pilot: Pilot[int]

    async def settle(self) -> None:
        for _ in range(400):
            await self.pilot.pause()
            if not self.app.state.waiting and self.app.labour.idle:
                break
            await asyncio.sleep(0.005)
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.settle()

    async def open(self, *keys: str) -> None:
        """Open a launch (after these keys) and pass over the question what is expected of it."""
        await self.press(*keys, "enter")
        await self.press("enter")

    async def say(self, text: str) -> None:
        prompts = self.app.screen.query(Prompt)
        (prompts.first() if prompts else self.app.screen.query_one(Input)).value = text
        await self.press("enter")

    @property
    def rows(self) -> list[str]:
        """What stands on the screen, a string a row."""
        strips = self.app.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip) for strip in strips]

    @property
    def screen(self) -> str:
        return "\n".join(self.rows)

    def shows(self, *texts: str) -> bool:
        return all(text in self.screen for text in texts)


@asynccontextmanager
async def session(
    *paths: str, size: tuple[int, int] = (80, 24), blocks: bool = True, notes: bool = False, **sources: Any
) -> AsyncIterator[Driver]:
    """The program on the factory's data, settled after its start."""
    app = AdvisorApp(desk(**sources), paths, blocks=blocks)
    async with app.run_test(size=size, notifications=notes) as pilot:
        driver = Driver(app, pilot)
        await driver.settle()
        yield driver
