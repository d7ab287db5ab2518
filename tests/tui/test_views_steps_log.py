"""The steps of the method and the experiment log, as screens."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from advisor.session import events as e
from advisor.session.records import Experiment, Step
from advisor.tui.screens.knowledge import KnowledgeScreen
from advisor.tui.screens.log import LogScreen
from advisor.tui.screens.session import SessionScreen
from advisor.tui.screens.steps import StepsScreen
from tests.changed import replace
from tui.driver import Driver, session
from tui.factory import INDEX

SIZES = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])
STEPS = (
    Step("0", "Napkin math", "Reckon the bytes.", why="It is the yardstick.", cites=("guide.step3",)),
    Step("1", "Classify", "Say what is full.", steps=("Read compute.", "Read memory."), see=("occupancy",)),
    Step("6", "Fix", "Change one thing.", commands=("ncu --set full -o after ./app",)),
)


@asynccontextmanager
async def steps(size: tuple[int, int] = (80, 24)) -> AsyncIterator[Driver]:
    async with session("tour.ncu-rep", size=size, knowledge=lambda: replace(INDEX, steps=STEPS)) as at:
        await at.open()
        at.app.state = replace(at.app.state, step="1", progress=((1, "0", "done"), (1, "6", "skipped")))
        await at.press("f5")
        assert isinstance(at.app.screen, StepsScreen)
        yield at


@SIZES
async def test_all_steps_with_their_state_in_words_and_the_text_of_the_one_at_hand(size: tuple[int, int]):
    async with steps(size) as at:
        assert at.shows("✓ done    0  Napkin math", "▸ ● here    1  Classify", "– skipped 6  Fix")
        assert at.shows("Say what is full.", "1. Read compute.", "2. Read memory.")
        await at.press("down")
        assert at.shows("Change one thing.", "ncu --set full -o after ./app")
        await at.press("home")
        assert at.shows("It is the yardstick.", "The guide: step 3")
        await at.press("escape")
        assert isinstance(at.app.screen, SessionScreen)


async def test_enter_goes_to_the_step_in_the_conversation():
    async with steps() as at:
        await at.press("down", "enter")
        assert isinstance(at.app.screen, SessionScreen)
        assert at.shows("Fix", "Change one thing.")


async def test_k_opens_what_the_step_points_to_and_escape_comes_back():
    async with steps() as at:
        await at.press("k")
        assert isinstance(at.app.screen, KnowledgeScreen) and at.app.state.view_subject == "occupancy"
        await at.press("escape")
        assert isinstance(at.app.screen, StepsScreen)


EVIL = "[red]x[/red]\x1b[31m\u202e"
ROWS = (
    Experiment("1 slow", "", 333_000.0, None, "latency_bound", "Bank conflicts", "L1 is full", "pad the tile"),
    Experiment("2", "padded " + EVIL + "z" * 10_000, 151_000.0, 2.21, "dram_bound", "", "DRAM at 91 %", ""),
)


@SIZES
async def test_the_log_has_a_row_a_version_and_all_of_the_one_at_hand(size: tuple[int, int]):
    async with session("tour.ncu-rep", size=size) as at:
        await at.open()
        at.app.state = replace(at.app.state, experiments=ROWS)
        await at.press("f10")
        assert isinstance(at.app.screen, LogScreen)
        assert at.shows("Version", "Time", "Gain", "1 slow", "333 µs", "151 µs", "2.21×")
        assert at.shows("Observed  DRAM at 91 %"), "the cursor begins at the latest version"
        assert "\x1b" not in at.screen and "\u202e" not in at.screen and at.shows("[red]x")
        assert all(len(line) == size[0] for line in at.rows)
        await at.press("up")
        assert at.shows("Observed  L1 is full", "Next  pad the tile")
        await at.press("escape")
        assert isinstance(at.app.screen, SessionScreen)


async def test_an_empty_log_says_how_it_is_filled():
    async with session("tour.ncu-rep") as at:
        await at.open()
        await at.press("f10")
        assert at.shows("No versions yet", "/compare FILE")


async def test_from_the_list_a_step_is_gone_to_in_place_and_before_any_report_the_screen_says_what_is_needed():
    async with session("tour.ncu-rep", knowledge=lambda: replace(INDEX, steps=STEPS)) as at:
        at.app.dispatch(e.ViewShown("steps"))
        await at.settle()
        await at.press("home", "down", "enter")
        assert isinstance(at.app.screen, StepsScreen) and at.shows("● here    1  Classify", "Say what is full.")
        await at.press("f4")
        assert isinstance(at.app.screen, StepsScreen) and not at.shows("● here    1")
        at.app.state = replace(at.app.state, place="start")
        await at.press("enter")
        notes = at.notes
        assert isinstance(at.app.screen, StepsScreen) and any("Choose a launch first" in note for note in notes)


@SIZES
async def test_the_footer_of_the_steps_names_enter(size: tuple[int, int]):
    async with steps(size) as at:
        assert "Go there" in at.rows[-1]
