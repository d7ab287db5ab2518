"""Help in place and the palette: what they name works, on every screen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from advisor.session import events as e
from advisor.session.actions import COMMANDS
from advisor.session.records import Step
from advisor.session.state import VIEWS
from advisor.tui import palette
from advisor.tui.app import AdvisorApp
from advisor.tui.opening import StartOptions
from advisor.tui.palette import bindings_of, keys_of, works
from advisor.tui.screens.help import HelpScreen
from advisor.tui.widgets.keys import KeyLine
from advisor.tui.widgets.text import CardView
from tests.changed import replace
from tests.tui.test_replay_screen import Played
from tui.driver import Driver, session
from tui.factory import INDEX, desk

PLACES = ("start", "launches", "session", "replay", *sorted(VIEWS))


@asynccontextmanager
async def at_place(place: str) -> AsyncIterator[Driver]:
    """The program on one of its screens."""
    options: dict[str, Any] = {}
    if place == "start":
        options["start_options"] = StartOptions(Path("x"))
    if place == "replay":
        options["player"] = Played()
    app = AdvisorApp(desk(), () if options else ("tour.ncu-rep",), **options)
    async with app.run_test(size=(100, 40)) as pilot:
        at = Driver(app, pilot)
        await at.settle()
        if place == "session" or place in VIEWS:
            await at.open()
        if place in VIEWS:
            if place == "timeline":
                app.state = replace(app.state, traces=("run.sqlite",))
            app.dispatch(e.ViewShown(place))
            await at.settle()
            assert app.state.view == place
        yield at


@pytest.mark.parametrize("place", PLACES)
async def test_help_and_the_footer_name_keys_that_do_what_they_name(place: str):
    async with at_place(place) as at:
        screen = at.app.screen
        here, everywhere = keys_of(at.app, screen)
        names_what_works(at, here, at.rows[-1])
        await follows_the_focus(at)
        assert {key.action for key in everywhere} >= {"theme", "quit", "command_palette"}
        for key in here + everywhere:
            name = key.action.partition("(")[0]
            owner: Any = at.app if name.startswith("app.") else key.at
            method = f"action_{name.removeprefix('app.')}"
            assert hasattr(owner, method), key.action
            for one in key.keys:
                bound = [binding.action for binding in bindings_of(key.at) if one in binding.key.split(",")]
                assert key.action in bound, (one, key.action, bound)
        await at.press("f1")
        assert isinstance(at.app.screen, HelpScreen) and at.shows("Keys on this screen")
        await at.press("end")
        assert at.shows("/quit")
        await at.press("escape")
        assert at.app.screen is screen


def names_what_works(at: Driver, here: Any, footer: str) -> None:
    """The footer shows no key that does nothing."""
    for key in here:
        if not works(key) and key.name in footer.split():
            others = [k for k in here if k.name == key.name and works(k)]
            assert others, (key.name, footer)


async def follows_the_focus(at: Driver) -> None:
    """The footer shows what can be pressed wherever Tab leads."""
    footer = at.app.screen.query_one(KeyLine)
    for _ in range(3):
        assert {key.action for key in footer.keys} == {*shown_now(at)}
        await at.press("tab")


def shown_now(at: Driver) -> list[str]:
    """The actions whose keys are to be shown where the focus is."""
    active = at.app.screen.active_bindings.values()
    return list(dict.fromkeys(one.binding.action for one in active if one.binding.show))


async def test_a_key_of_the_footer_has_a_tooltip_and_is_pressed_by_a_click():
    async with at_place("session") as at:
        line = at.app.screen.query_one(KeyLine)
        placed = ((cell, y) for y, row in enumerate(line.fitting()) for cell, key in row if key.action == "app.help")
        offset = next(placed)
        await at.pilot.hover(line, offset=offset)
        assert line.tooltip == "Keys and commands"
        await at.pilot.click(line, offset=offset)
        await at.settle()
        assert isinstance(at.app.screen, HelpScreen)


async def test_a_narrow_session_shows_help_and_the_help_names_the_keys_that_are_cut_off():
    async with at_place("session") as at:
        for width in (80, 60, 40):
            await at.pilot.resize_terminal(width, 24)
            await at.settle()
            rows = [row.rstrip() for row in at.rows[-2:]]
            assert "? more" in rows[-1] or width == 80, width
            whole = [
                [f"{key.shown} {key.name}" for _, key in row] for row in at.app.screen.query_one(KeyLine).fitting()
            ]
            assert rows == [" ".join(row) for row in whole], "no key is cut"
        await at.press("f1")
        labels = {line.label for view in at.app.screen.query(CardView) for line in view.card.lines}
        assert {"g, f10", "^q"} <= labels


async def test_a_key_that_does_nothing_now_says_so():
    async with session("tour.ncu-rep") as at:
        await at.press("f1")
        labels = {line.label: line.text for view in at.app.screen.query(CardView) for line in view.card.lines}
        assert labels["u, f4"] == "Undo the last action (not now)" and "(not now)" not in labels["o, f5"]
        await at.press("pagedown")
        assert any("Undo the last action (not now)" in row for row in at.rows)


async def test_each_thing_that_can_be_done_is_one_row_with_all_its_keys():
    async with at_place("replay") as at:
        await at.press("f1")
        help_rows = [line for view in at.app.screen.query(CardView) for line in view.card.lines]
        texts = [line.text for line in help_rows]
        assert len(texts) == len(set(texts))
        assert {"0-9", "→, n, space", "←, b"} <= {line.label for line in help_rows}, [row.label for row in help_rows]


async def test_the_palette_says_a_thing_once_with_its_key_beside_it():
    async with session("tour.ncu-rep") as at:
        await at.open()
        entries = {entry.name: entry for entry in palette.everything(at.app)}
        up, call = entries["Page up"], entries["Help"]
        assert up.shown.plain == "Page up  pgup" and up.more is None
        assert call.shown.plain == "Help  ?, f1" and call.more == "Keys and commands"


# Palette


async def found(at: Driver, typed: str) -> None:
    """Open the palette and type."""
    await at.press("ctrl+p")
    await at.press(*["space" if c == " " else c for c in typed])


async def taken(at: Driver) -> None:
    await at.press("enter")


async def test_everything_is_in_the_palette_by_its_name():
    index = replace(INDEX, steps=(Step("1b", "Roofline", ""),))
    async with session("tour.ncu-rep", knowledge=lambda: index) as at:
        await at.open()
        names = [entry.name for entry in palette.everything(at.app)]
        for wanted in ("Finding: Narrow accesses", "Step 1b: Roofline", "Launch 3: small_saxpy", "Help", "View: log"):
            assert wanted in names
        assert "Exercise: bank-conflicts" in names and "Explain: Tail effect" in names
        assert {command.usage for command in COMMANDS.values()} <= set(names)
        assert not [name for name in names if "\n" in name]


async def test_a_launch_is_opened_by_part_of_its_name():
    async with session("tour.ncu-rep", size=(100, 40)) as at:
        await found(at, "saxpy")
        await taken(at)
        assert at.app.state.launch is not None and at.app.state.launch.kernel == "small_saxpy"


async def test_a_finding_and_an_action():
    async with session("tour.ncu-rep", size=(100, 40)) as at:
        await at.open()
        await found(at, "finding narrow")
        await taken(at)
        assert at.app.state.finding == "narrow_accesses"
        await found(at, "undo")
        await taken(at)
        assert at.app.state.finding == "bank_conflicts"


async def test_a_command_that_takes_something_is_put_into_the_line():
    async with session("tour.ncu-rep", size=(100, 40)) as at:
        await at.open()
        await found(at, "/whynot")
        await taken(at)
        assert at.app.screen.query_one("#prompt").value == "/whynot "  # type: ignore[attr-defined]


async def test_what_makes_no_sense_here_is_said():
    async with session("tour.ncu-rep", size=(100, 40), notes=True) as at:
        at.app.do(e.FixShown())
        await at.settle()
        assert at.notes


async def test_names_with_markup_are_data_in_the_palette():
    from tui.factory import Analysis, diagnosis, launch

    def analyse(paths: Any, gpu: Any, progress: Any) -> Analysis:
        return Analysis(diagnosis(launch(0, "[bold]x[/"), launch(1, "\x1b[2Jy\u202e" + "z" * 10_000)))

    async with session("tour.ncu-rep", size=(100, 40), analyse=analyse) as at:
        await found(at, "launch")
        assert at.shows("[bold]x[/") and "\x1b" not in at.screen and "\u202e" not in at.screen
        await at.press("escape")


@pytest.mark.parametrize("width", [40, 60, 80, 100, 160, 240])
async def test_the_footer_shows_whole_entries_only(width: int):
    async with session("tour.ncu-rep", size=(width, 24)) as at:
        await at.open()
        names = [f"{key.shown} {key.name}" for key in at.app.screen.query_one(KeyLine).keys]
        rows = [row.rstrip() for row in at.rows[-2:]] if len(" ".join(names)) > width else [at.rows[-1].rstrip()]
        left = " ".join(rows)
        for name in names:
            if left.startswith(name):
                left = left.removeprefix(name).strip()
        assert left in ("", "? more"), "every entry is whole, in order"
        missing = [name for name in names if name not in " ".join(rows)]
        assert missing in ([], ["^q Quit"]) or left == "? more", "where keys are left out, the help lists them"
