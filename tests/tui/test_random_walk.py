"""5,000 seeded actions in any order: no exception, no screen that cannot be left, no answer lost, and it replays."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from advisor.session.reducer import replay
from advisor.tui.app import AdvisorApp
from tui.driver import Driver
from tui.factory import desk
from tui.hostile import sources
from tui.wandering import Wanderer

ACTIONS = 250  # in each of 20 walks
BEGINNINGS: dict[str, dict[str, Any]] = {
    "report": {"paths": ("tour.ncu-rep",)},
    "interview": {},
    "trace": {"traces": ("t.sqlite",)},
}


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(20))
async def test_a_walk_through_the_session_never_breaks_it(seed: int, tmp_path: Path):
    chance = random.Random(seed)
    beginning = list(BEGINNINGS)[seed % len(BEGINNINGS)]
    left = ACTIONS
    while left > 0:
        app = AdvisorApp(desk(**sources("a_kernel", tmp_path)), blocks=chance.random() < 0.8, **BEGINNINGS[beginning])
        async with app.run_test(size=(80, 24), notifications=True) as pilot:
            at = Driver(app, pilot)
            await at.settle()
            wanderer = Wanderer(at, chance)
            left -= await wanderer.wander(left)
            if not wanderer.left:
                await at.settle()
                assert replay(app.state.log) == app.state
                await wanderer.come_back()
                await at.press("ctrl+q")
        assert app.return_code == 0
