"""What the screens look like, to the character and colour, on fixed data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from advisor.tui.app import AdvisorApp
from advisor.tui.widgets.prompt import Prompt
from tui.driver import Driver
from tui.factory import desk


def after(*lines: str) -> Callable[[Pilot[int]], Any]:
    """Types these lines (a key's name in angle brackets is pressed) and lets everything come to rest."""

    async def run(pilot: Pilot[int]) -> None:
        assert isinstance(pilot.app, AdvisorApp)
        at = Driver(pilot.app, pilot)
        await at.settle()
        for line in lines:
            await (at.press(line[1:-1]) if line.startswith("<") else at.say(line))
        at.app.screen.query_one(Prompt).cursor_blink = False
        await at.settle()

    return run


@pytest.mark.parametrize(
    ("size", "lines"),
    [
        ((80, 24), ()),
        ((80, 24), ("/kernel 1", "dtype")),
        ((160, 50), ("/kernel 1", "/fix", "/how")),
    ],
    ids=["list", "question", "wide"],
)
def test_a_screen_looks_as_it_did(snap_compare: Any, size: tuple[int, int], lines: tuple[str, ...]):
    app = AdvisorApp(desk(), ("tour.ncu-rep",))
    assert snap_compare(app, terminal_size=size, run_before=after(*lines))
