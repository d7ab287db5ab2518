"""Drives the program in tests: keys, lines, and what stands on the screen."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from html import unescape
from typing import Any

from rich.cells import cell_len
from textual.pilot import Pilot
from textual.widgets import Input

from advisor.tui.app import AdvisorApp
from advisor.tui.widgets.prompt import Prompt
from tui.factory import desk

# The texts of an exported picture: where each begins (in picture units, _CELL to a cell), its row, what it says.
_TEXTS = re.compile(r'<text class="[^"]*" x="([\d.]+)" [^>]*clip-path="url\(#[\w-]*-line-(\d+)\)">([^<]*)</text>')
_CELL = 12.2


@dataclass
class Driver:
    """The program under Pilot: keys and typed lines, each followed by waiting until all work is done."""

    app: AdvisorApp
    pilot: Pilot[int]
    notes: list[str] = field(default_factory=list)  # what the notifications so far say

    def __post_init__(self) -> None:
        notify = self.app.notify

        def noting(message: str, **options: Any) -> None:
            self.notes.append(message)
            notify(message, **options)

        self.app.notify = noting  # type: ignore[method-assign]

    async def settle(self) -> None:
        for _ in range(400):
            await self.pilot.pause()
            if not self.app.state.waiting and self.app.runner.idle:
                break
            await asyncio.sleep(0.005)
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
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
    def rows(self) -> list[str]:
        """What stands on the screen, a string a row."""
        width, height = self.app.size
        cells = [[" "] * width for _ in range(height)]
        for x, line, text in _TEXTS.findall(self.app.export_screenshot()):
            at = round(float(x) / _CELL)
            for character in unescape(text).rstrip("\n").replace("\xa0", " "):
                cells[int(line)][at : at + 1] = [character]
                if cell_len(character) == 2:
                    cells[int(line)][at + 1] = ""
                at += cell_len(character)
        return ["".join(row) for row in cells]

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
