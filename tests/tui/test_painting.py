"""How much is drawn for a key, and what is done before and after it: one frame, no wait, work ahead in the pause."""

from __future__ import annotations

import asyncio
import os
import select
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest
from textual import constants
from textual.app import App
from textual.events import Key
from textual.message import Message

from advisor.tui.screens.proof import ProofScreen
from tui.driver import Driver, session
from tui.factory import Analysis, analyse


async def drawn(at: Driver, key: str) -> list[str]:
    """What each frame shows that follows from a key. Pilot and the driver of the tests draw by themselves: not here."""
    frames: list[str] = []
    at.app.post_display_hook = lambda: frames.append(at.screen)  # type: ignore[method-assign]
    at.app.post_message(Key(key, None))
    for _ in range(2000):
        await asyncio.sleep(0.005)
        if frames:
            break
    await asyncio.sleep(0.05)  # a second frame would come after a 240th of a second
    return frames


async def test_the_cursor_and_the_preview_of_its_launch_are_drawn_together() -> None:
    async with session("tour.ncu-rep") as at:
        before = at.screen
        frames = await drawn(at, "down")
        assert frames[0] != before, "the first frame has the answer about the launch under the cursor"


async def test_a_page_of_another_length_is_drawn_once() -> None:
    async with session("tour.ncu-rep") as at:
        await at.open()
        await at.press("f3")
        frames = await drawn(at, "right")
        assert "[Roofline]" in frames[0] and len(frames) == 1


async def test_in_the_pause_after_a_key_the_next_proof_is_built() -> None:
    proved: list[str] = []

    class Counting(Analysis):
        def how(self, position: int, finding_id: str) -> Any:
            proved.append(finding_id)
            return super().how(position, finding_id)

    async with session("tour.ncu-rep", analyse=lambda *given: Counting(analyse(*given).diagnosis)) as at:
        await at.open()
        await at.press("f8")
        screen = at.app.screen
        assert isinstance(screen, ProofScreen)
        screen.prepare(at.app.state)
        await at.until(lambda: len(set(proved)) >= 2)
        await at.press("n")
        assert proved.count(at.app.state.view_subject) == 1, "built ahead, and not again when it is shown"


pty = pytest.importorskip("pty", reason="a pseudo-terminal exists on POSIX only")


async def test_a_lone_escape_waits_for_its_rest_only_and_broken_text_ends_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from advisor.tui import driver

    waits: list[float] = []

    def noted(read: Any, write: Any, other: Any, wait: float) -> Any:
        waits.append(wait)
        return select.select(read, write, other, wait)

    monkeypatch.setattr(driver, "select", SimpleNamespace(select=noted))
    monkeypatch.setattr(constants, "ESCAPE_DELAY", 0.02)
    got: list[str] = []

    class Listening(driver.QuickDriver):
        def process_message(self, message: Message) -> None:
            got.append(message.key if isinstance(message, Key) else type(message).__name__)

    async def until(keys: list[str]) -> None:
        for _ in range(2000):
            if got == keys:
                return
            await asyncio.sleep(0.005)
        raise AssertionError(f"{got} instead of {keys}")

    ours, theirs = os.pipe()
    listening = Listening(App(), size=(80, 24))
    listening.fileno = ours
    thread = Thread(target=listening.run_input_thread, daemon=True)
    thread.start()
    try:
        os.write(theirs, b"\x1b[A")
        await until(["up"])
        del waits[:]
        os.write(theirs, b"\x1b")
        await until(["up", "escape"])
        assert min(waits) < 0.1, "it does not wait for the next look at whether the program ends"
        os.write(theirs, b"\xff\xc3")
        os.write(theirs, b"\xa9x")
        await until(["up", "escape", "replacement_character", "é", "x"])
    finally:
        listening.exit_event.set()
        thread.join(10)
        os.close(theirs)
        os.close(ours)
    assert not thread.is_alive()
