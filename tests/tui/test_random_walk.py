"""Keys, sizes and garbage in any order: no exception, no screen that cannot be left, no answer lost."""

from __future__ import annotations

import random

import pytest
from textual.widgets import Input

from advisor.dialogue.reducer import replay
from tui.driver import session

KEYS = [
    "enter",
    "up",
    "down",
    "pageup",
    "pagedown",
    "tab",
    "shift+tab",
    "escape",
    "f1",
    "f2",
    "f3",
    "f4",
    "f5",
    "ctrl+t",
]
LINES = [
    *(
        "1",
        "2",
        "9",
        "d",
        "why",
        "how",
        "/how",
        "/whynot tail",
        "/whatif dram_pct=80",
        "/explain occupancy",
        "/kernels",
    ),
    *(
        "64 MiB",
        "12.5us",
        "83%",
        "f64",
        "double",
        "transpose",
        "4096",
        "compare",
        "/kernel 3",
        "/back",
        "/skip",
        "/help",
    ),
    *("[bold]x[/", "\x1b[2J", "/", "//", "/kernel", "‮", "é" * 300, "-1e999", "0x10", "what is", "what if"),
]
SIZES = [(80, 24), (160, 50), (30, 8), (110, 30), (200, 12)]


@pytest.mark.parametrize(("seed", "paths"), [(1, ("tour.ncu-rep",)), (2, ())])
async def test_a_walk_through_the_session_never_breaks_it(seed: int, paths: tuple[str, ...]):
    chance = random.Random(seed)
    async with session(*paths) as at:
        for _ in range(60):
            what = chance.random()
            if what < 0.55:
                await at.pilot.press(chance.choice(KEYS))
            elif what < 0.93:
                for line in at.app.screen.query(Input):
                    line.value = chance.choice(LINES)
                await at.pilot.press("enter")
            else:
                await at.pilot.resize_terminal(*chance.choice(SIZES))
            assert at.app.is_running
        await at.settle()
        assert replay(at.app.state.log) == at.app.state
        for _ in range(3):
            await at.press("escape")
        await at.press("ctrl+q")
        assert at.app.return_code == 0
