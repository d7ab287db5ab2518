"""Sessions kept by themselves, on the screen: offered after a crash, gone on with, forgotten."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from session.transcripts.talk import CSV, real

from advisor.session import events as e
from advisor.session.executor import Executor
from advisor.session.executor import sources as real_sources
from advisor.session.transcripts import autosave
from advisor.session.transcripts import format as serialize
from advisor.session.transcripts.autosave import SavedSession, Saving, ago, remark, title, unfinished
from advisor.tui.app import AdvisorApp
from advisor.tui.opening import StartOptions, saved
from tui.driver import Driver
from tui.factory import sources

SIZES = [(80, 24), (160, 50)]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "sessions"
    monkeypatch.setattr(autosave, "folder", lambda: folder)
    return folder


@pytest.fixture
def interrupted(place: Path, tmp_path: Path) -> SavedSession:
    """A session on a report of its own, three steps long."""
    report = tmp_path / "mine.csv.xz"
    report.write_bytes(CSV.read_bytes())
    talk = real(place).begin(str(report)).do(e.LaunchSelected(1)).do(e.Expected(None)).do(e.HowAsked())
    talk.saving.close()
    [one] = unfinished((str(report),), place)
    return one


@asynccontextmanager
async def program(place: Path, one: SavedSession | None, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Driver]:
    saving = Saving(place=place)
    report = str(place.parent / "mine.csv.xz")
    desk = Executor(saving.sources(real_sources()))
    app = AdvisorApp(desk, (report,), saving=saving, interrupted=one)
    async with app.run_test(size=size) as pilot:
        driver = Driver(app, pilot)
        await driver.settle()
        yield driver
        saving.close()


async def until(driver: Driver, holds: object) -> None:
    for _ in range(100):
        await driver.settle()
        if holds():  # type: ignore[operator]
            return
    raise AssertionError(driver.screen)


@pytest.mark.parametrize("size", SIZES)
async def test_a_session_that_was_broken_off_is_offered_and_gone_on_with(
    interrupted: SavedSession, place: Path, size: tuple[int, int]
) -> None:
    async with program(place, interrupted, size) as driver:
        assert driver.shows("Continue: mine.csv.xz", "3 steps, just now", "Start over")
        await driver.press("enter")
        await until(driver, lambda: driver.app.state.has_card("proof", driver.app.state.finding))
        await driver.settle()
        assert driver.app.state.position == 1 and driver.shows("▌ How  "), driver.screen
        await driver.say("/fix")
        driver.app.saving.flush()  # type: ignore[union-attr]
        verbs = [entry.event.verb for entry in serialize.load(interrupted.path).entries]
        assert verbs == ["begin", "launch", "expect", "how", "fix"]


@pytest.mark.parametrize("answer", ["2", "n", "no"])
async def test_beginning_anew_leaves_it_where_it_is(interrupted: SavedSession, place: Path, answer: str) -> None:
    async with program(place, interrupted) as driver:
        await driver.say(answer)
        await until(driver, lambda: driver.app.state.place == "launches")
        assert interrupted.path.exists()


async def test_escape_begins_anew(interrupted: SavedSession, place: Path) -> None:
    async with program(place, interrupted) as driver:
        await driver.press("escape")
        await until(driver, lambda: driver.app.state.place == "launches")
        assert interrupted.path.exists()


async def test_it_can_be_forgotten(interrupted: SavedSession, place: Path) -> None:
    async with program(place, interrupted) as driver:
        await driver.press("down", "down", "enter")
        await until(driver, lambda: driver.app.state.place == "launches")
        assert not interrupted.path.exists()


async def test_garbage_and_a_smaller_window_do_not_close_the_question(interrupted: SavedSession, place: Path) -> None:
    async with program(place, interrupted) as driver:
        for text in ("7", "hubba", "[bold]", "/quit"):
            await driver.say(text)
            assert driver.shows("Start over")
        await driver.pilot.resize_terminal(160, 50)
        await driver.settle()
        assert driver.shows("Start over")


async def test_one_whose_report_cannot_be_read_stays_and_the_session_begins_anew(
    interrupted: SavedSession, place: Path
) -> None:
    async with program(place, interrupted) as driver:
        (place.parent / "mine.csv.xz").write_bytes(b"no report any more")
        text = interrupted.path.read_text(encoding="utf-8")
        await driver.press("enter")
        await until(driver, lambda: driver.app.state.stalled is not None)
        assert interrupted.path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("size", SIZES)
async def test_the_start_screen_lists_it_and_forgets_it(
    interrupted: SavedSession, place: Path, size: tuple[int, int]
) -> None:
    saving = Saving(place=place)
    start_options = StartOptions(None, (), saved(unfinished((), place), interrupted.modified + 90_000))
    app = AdvisorApp(Executor(saving.sources(real_sources())), (), saving=saving, start_options=start_options)
    async with app.run_test(size=size) as pilot:
        driver = Driver(app, pilot)
        await driver.settle()
        assert driver.shows("1 Continue mine.csv.xz", "3 steps, yesterday", "Delete")
        await driver.press("down", "f8")  # the mark stands on the interview: nothing is thrown away
        assert interrupted.path.exists() and not driver.shows("f8 Delete")
        await driver.press("up")
        assert driver.shows("Delete")
        await driver.press("f8")
        assert not interrupted.path.exists() and not driver.shows("mine.csv.xz")
    saving.close()


async def test_the_start_screen_goes_on_with_it(interrupted: SavedSession, place: Path) -> None:
    saving = Saving(place=place)
    start_options = StartOptions(None, (), saved(unfinished((), place), interrupted.modified))
    app = AdvisorApp(Executor(saving.sources(real_sources())), (), saving=saving, start_options=start_options)
    async with app.run_test(size=(80, 24)) as pilot:
        driver = Driver(app, pilot)
        await driver.settle()
        await driver.press("enter")
        await until(driver, lambda: driver.app.state.has_card("proof", driver.app.state.finding))
        assert driver.shows("transpose_tile") or driver.app.state.position == 1
    saving.close()


async def test_a_place_that_cannot_be_written_is_one_notice(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    saving = Saving(place=tmp_path / "file")
    app = AdvisorApp(Executor(saving.sources(sources())), ("tour.ncu-rep",), saving=saving)
    async with app.run_test(size=(80, 24)) as pilot:
        driver = Driver(app, pilot)
        await driver.settle()
        await driver.press("enter")
        for line in ("/help", "/fix"):
            await driver.say(line)
            saving.flush()
        await driver.settle()
        told = [note for note in driver.notes if "continues without it" in note]
        assert len(told) == 1
        assert app.state.place == "launch"
    saving.close()


async def test_leaving_finishes_a_session(place: Path) -> None:
    saving = Saving(place=place)
    app = AdvisorApp(Executor(saving.sources(sources())), ("tour.ncu-rep",), saving=saving)
    async with app.run_test(size=(80, 24)) as pilot:
        driver = Driver(app, pilot)
        await driver.settle()
        await driver.press("enter")
        await pilot.press("ctrl+q")
        await pilot.pause()
    saving.close()
    [one] = autosave.kept(place)
    assert one.finished and unfinished((), place) == ()


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "just now"),
        (59, "just now"),
        (60, "1 minute ago"),
        (3599, "59 minutes ago"),
        (3600, "1 hour ago"),
        (86_399, "23 hours ago"),
        (86_400, "yesterday"),
        (200_000, "2 days ago"),
    ],
)
def test_how_long_ago_in_words(seconds: float, words: str) -> None:
    assert ago(seconds) == words


def test_what_a_session_was_about_in_words() -> None:
    one = SavedSession("x", Path("x"), ("~/a/b.ncu-rep", "c.ncu-rep"), 7, 1, False, False, 100.0)
    assert title(one) == "b.ncu-rep and 1 more" and remark(one, 100.0) == "7 answers, 1 step, just now"
    typed = SavedSession("x", Path("x"), (), 0, 3, False, False, 0.0)
    assert title(typed) == "numbers typed by hand" and remark(typed, 86_400.0) == "3 steps, yesterday"
    hostile = SavedSession("x", Path("x"), ("\x1b[2J\u202e.ncu-rep",), 0, 0, False, False, 0.0)
    assert "\x1b" not in title(hostile) and "\u202e" not in title(hostile)
