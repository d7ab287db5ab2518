"""What the screens of timeline, knowledge and start look like, to the character and colour, on fixed data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from advisor.session import events as e
from advisor.timeline.analyse import analyse
from advisor.tui.app import AdvisorApp
from advisor.tui.opening import Saved, StartOptions
from tests.timeline.generator import starved
from tui.driver import Driver
from tui.factory import desk

SIZES = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["small", "large"])


async def still(pilot: Pilot[int]) -> Driver:
    """Everything at rest."""
    assert isinstance(pilot.app, AdvisorApp)
    at = Driver(pilot.app, pilot)
    await at.settle()
    return at


@SIZES
def test_the_timeline(snap_compare: Any, tmp_path: Path, size: tuple[int, int]):
    path = str(starved().write(tmp_path / "run.sqlite"))
    app = AdvisorApp(desk(trace=lambda files, progress: analyse(files)), (), traces=(path,))

    async def run(pilot: Pilot[int]) -> None:
        at = await still(pilot)
        app.dispatch(e.ViewShown("timeline"))
        await at.settle()
        await at.press("down")

    assert snap_compare(app, terminal_size=size, run_before=run)


def test_the_knowledge_base(snap_compare: Any):
    app = AdvisorApp(desk(), ("tour.ncu-rep",))

    async def run(pilot: Pilot[int]) -> None:
        at = await still(pilot)
        await at.press("f12")
        await at.until(lambda: app.screen.contents is not None)  # type: ignore[attr-defined]
        await at.settle()
        await at.press("b", "enter")
        assert not at.notes, "a note is gone after some seconds, and the picture is another"

    assert snap_compare(app, terminal_size=(110, 24), run_before=run)


def test_the_start(snap_compare: Any):
    given = StartOptions(
        Path("tour.ncu-rep"),
        ("/nowhere/old.ncu-rep",),
        (Saved(Path("x.jsonl"), "gemm.ncu-rep", "7 answers, 12 steps, yesterday"),),
        (Saved(Path("a.jsonl"), "The averaging kernel"),),
    )

    async def run(pilot: Pilot[int]) -> None:
        await still(pilot)

    app = AdvisorApp(desk(), (), start_options=given)
    assert snap_compare(app, terminal_size=(80, 24), run_before=run)
