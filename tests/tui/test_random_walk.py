"""Seeded actions in any order: no exception, no screen that cannot be left, no answer lost, and it replays.

The suite does 3 walks of 50 actions, one from each beginning; NCU_ADVISOR_WALKS=20x250 does 20 of 250, which takes
many minutes.
"""

from __future__ import annotations

import os
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

WALKS, ACTIONS = (int(number) for number in os.environ.get("NCU_ADVISOR_WALKS", "3x50").split("x"))
BEGINNINGS: dict[str, dict[str, Any]] = {
    "report": {"paths": ("tour.ncu-rep",)},
    "interview": {},
    "trace": {"traces": ("t.sqlite",)},
}


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(WALKS))
async def test_a_walk_through_the_session_never_breaks_it(seed: int, tmp_path: Path):
    chance = random.Random(seed)
    beginning = list(BEGINNINGS)[seed % len(BEGINNINGS)]
    left = ACTIONS
    while left > 0:
        made = desk(**sources("a_kernel", tmp_path))
        blocks, predict = chance.random() < 0.8, chance.random() < 0.3
        app = AdvisorApp(made, blocks=blocks, predict=predict, **BEGINNINGS[beginning])
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
