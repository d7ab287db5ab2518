"""Names of kernels, files and lines of code are data: shown harmlessly in every screen, whatever is in them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from advisor.session import events as e
from advisor.session.state import VIEWS
from advisor.tui.drawing import safe
from tui.driver import Driver, session
from tui.hostile import NAMES, sources

# One name with everything in it that is short, and the long one.
TOGETHER = " ".join(name for kind, name in NAMES.items() if kind != "long")
BOTH = f"{TOGETHER} {NAMES['long']}"
EACH = pytest.mark.parametrize("name", [TOGETHER, NAMES["long"]], ids=["together", "long"])
_STACKED = 3  # marks on one letter that a language may need


def check(at: Driver, where: str) -> None:
    """Nothing on the screen is anything but visible text, and no row is wider than the screen."""
    width, strips = at.app.size.width, at.strips
    for number, text in enumerate(strip.text for strip in strips):
        odd = [c for c in text if not c.isprintable()]
        assert not odd, f"{where}, row {number}: {odd[:5]!r} in {text!r}"
        assert cell_len(text) <= width, f"{where}, row {number} is too wide"
        assert stacked(text) <= _STACKED, f"{where}, row {number}: marks stand on one another"
    for style in {style for strip in strips for _, style, _ in strip if style is not None}:
        assert not style.link, f"{where}: markup was obeyed"
        assert not any("quit" in str(action) for action in style.meta.values()), f"{where}: markup was obeyed"


def stacked(text: str) -> int:
    """The most marks on one letter."""
    import unicodedata

    most = run = 0
    for c in text:
        run = run + 1 if unicodedata.category(c) in ("Mn", "Me") else 0
        most = max(most, run)
    return most


@asynccontextmanager
async def hostile(name: str, folder: Path, **options: Any) -> AsyncIterator[Driver]:
    """A session in which every name is this one."""
    async with session(name, **sources(name, folder), **options) as at:
        yield at


async def through(at: Driver, where: str) -> None:
    """The screen as it is, after a few keys, and on a wide screen."""
    check(at, where)
    await at.press("down", "pagedown", "end")
    check(at, f"{where}, further down")
    await at.pilot.resize_terminal(160, 50)
    await at.settle()
    check(at, f"{where}, wide")
    await at.pilot.resize_terminal(80, 24)


@pytest.mark.heavy
async def test_the_list_the_session_and_its_evidence(tmp_path: Path):
    name = BOTH
    async with hostile(name, tmp_path, notes=True) as at:
        await through(at, "the list")
        await at.press("home")
        await at.open()
        await through(at, "the session")
        for line in ("/evidence", "/how", "/fix", "/missing", "/whynot tail_effect", "/whatif dram_pct=80", "/steps"):
            await at.say(line)
            check(at, line)
        await at.say("/explain occupancy")
        check(at, "an explanation")
        await at.say(f"/save {name}"[:4000])
        check(at, "a note of what was written")
        await at.press("f3")
        for page in range(6):
            check(at, f"page {page} of the evidence")
            await at.press("f6")


@pytest.mark.heavy
async def test_every_view(tmp_path: Path):
    async with hostile(BOTH, tmp_path) as at:
        await at.open()
        at.app.dispatch(e.TraceGiven((BOTH[:300],)))
        await at.settle()
        for view in VIEWS:
            at.app.dispatch(e.ViewShown(view, "occupancy" if view == "knowledge" else ""))
            await at.settle()
            assert at.app.state.view == view
            await through(at, view)
            await at.press("tab", "enter", "right", "enter")
            check(at, f"{view}, inside")
            for _ in range(8):
                if not at.app.state.view:
                    break
                await at.press("escape")
            assert not at.app.state.view, f"{view} cannot be left"
            check(at, f"after {view}")


async def test_what_is_typed_and_said_of_it_in_notes_and_palette(tmp_path: Path):
    name = BOTH
    async with hostile(name, tmp_path, notes=True) as at:
        await at.say(f"/kernel {name}"[:4000])
        check(at, "a note")
        await at.press("home")
        await at.open()
        await at.say(name[:4000])
        check(at, "what was not understood")
        at.app.screen.query_one("#prompt").value = f"/explain {name}"[:4000]  # type: ignore[attr-defined]
        await at.settle()
        check(at, "the prompt")
        await at.press("enter")
        check(at, "what was looked up")
        await at.press("ctrl+y")
        check(at, "a note of what was copied")
        assert all(c.isprintable() or c == "\n" for c in at.app.clipboard)
        await at.press("ctrl+p", *"launch")
        await at.settle()
        check(at, "the palette")
        await at.press("escape", "f1")
        check(at, "the help")


@EACH
async def test_a_file_that_cannot_be_read(name: str, tmp_path: Path):
    from advisor.records.errors import InputError

    def broken(paths: Any, gpu: Any, progress: Any) -> Any:
        raise InputError(f"{name} is cut off: copy it again")

    async with session(name, analyse=broken, notes=True) as at:
        await through(at, "the trouble")


async def test_markup_stands_on_the_screen_as_it_is(tmp_path: Path):
    async with hostile(NAMES["markup"], tmp_path) as at:
        await at.pilot.resize_terminal(160, 50)
        await at.open()
        assert at.shows("[bold red]x[/bold red]")


@EACH
def test_safe_text_is_printable_short_and_the_same_when_made_safe_again(name: str):
    assert all(c.isprintable() for c in safe(name))
    assert len(safe(name)) < 40_010 and safe(safe(name)) == safe(name)
    assert stacked(safe(name)) <= _STACKED
