"""With what a session begins: the interview one Enter away, files by what they are, what was opened last, themes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.events import Paste

from advisor.readers.kinds import Opening, kind_of, sort_out
from advisor.records.errors import InputError
from advisor.session import executor as real
from advisor.session.executor import Executor
from advisor.session.state import State
from advisor.tui.app import AdvisorApp
from advisor.tui.opening import (
    NAME,
    Saved,
    Settings,
    StartOptions,
    cases,
    completions,
    theme_for,
    typed_path,
)
from advisor.tui.screens.knowledge import KnowledgeScreen
from advisor.tui.screens.launches import LaunchesScreen
from advisor.tui.screens.session import SessionScreen
from advisor.tui.screens.start import StartScreen
from advisor.tui.widgets.prompt import Prompt
from tests.timeline.generator import busy
from tui.driver import Driver
from tui.factory import desk

SIZES = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])


@asynccontextmanager
async def start(
    start_options: StartOptions | None = None, size: tuple[int, int] = (80, 24), **options: Any
) -> AsyncIterator[Driver]:
    given = start_options or StartOptions(Path("tour.ncu-rep"), ("/nowhere/old.ncu-rep",))
    app = AdvisorApp(desk(), (), start_options=given, **options)
    async with app.run_test(size=size, notifications=True) as pilot:
        at = Driver(app, pilot)
        await at.settle()
        yield at


def notes(at: Driver) -> list[str]:
    """What was said beside the screen."""
    return at.notes


@SIZES
async def test_the_interview_is_marked_and_one_enter_away(size: tuple[int, int]):
    async with start(size=size) as at:
        assert at.shows(
            "Where do you want to start?", "Type in the numbers", "Practise on an exercise", "Tab completes"
        )
        await at.press("enter")
        assert isinstance(at.app.screen, SessionScreen) and at.app.state.numbers and at.app.state.ask is not None


async def test_the_demo_by_its_number():
    async with start() as at:
        await at.say("3")
        assert isinstance(at.app.screen, LaunchesScreen) and at.shows("6 launches")


async def test_what_was_looked_at_before_is_no_part_of_the_session():
    async with start() as at:
        await at.press("up", "enter")
        assert isinstance(at.app.screen, KnowledgeScreen)
        await at.press("escape")
        assert isinstance(at.app.screen, StartScreen) and at.app.state.log == ()
        await at.press("up")
        await at.say("1")
        assert at.app.state.ask is not None and [type(d).__name__ for d in at.app.state.log] == ["Began", "Opened"]


async def test_a_path_that_is_typed_is_opened_and_one_that_is_not_there_is_said(tmp_path: Path):
    report = tmp_path / "my [bold]x[ report.ncu-rep"
    report.write_bytes(b"NVR\0")
    async with start() as at:
        await at.say("/nowhere/x.ncu-rep")
        assert isinstance(at.app.screen, StartScreen) and at.shows("There is no file")
        await at.say(f"  '{report}' ")
        assert isinstance(at.app.screen, LaunchesScreen) and at.app.state.paths == (str(report),)


@pytest.mark.parametrize("way", ["2", "down"])
async def test_from_a_file_that_cannot_be_read_the_way_leads_back_to_the_start(tmp_path: Path, way: str):
    def analyse(paths: Any, gpu: Any, progress: Any) -> Any:
        raise InputError(f"{paths[0]}: is no report")

    (tmp_path / "bad.ncu-rep").touch()
    async with start() as at:
        at.app.executor = at.app.runner.executor = desk(analyse=analyse)
        await at.say(str(tmp_path / "bad.ncu-rep"))
        assert at.shows("is no report", "Try again", "Start with something else", "Quit")
        await (at.say(way) if way == "2" else at.press(way, "enter"))
        assert isinstance(at.app.screen, StartScreen) and at.app.state == State()
        await at.press("enter")
        assert at.app.state.numbers, "the interview can be has_begun after all"


async def test_tab_completes_a_path(tmp_path: Path):
    (tmp_path / "some.ncu-rep").touch()
    (tmp_path / "some.png").touch()
    async with start() as at:
        prompt = at.app.screen.query_one("#path")
        prompt.value = f"{tmp_path}/so"  # type: ignore[attr-defined]
        prompt.cursor_position = len(prompt.value)  # type: ignore[attr-defined]
        await at.press("tab")
        assert prompt.value == f"{tmp_path}/some.ncu-rep"  # type: ignore[attr-defined]


async def test_a_recent_file_that_is_gone_says_so_before_and_after_it_is_taken():
    async with start() as at:
        assert at.shows("Open old.ncu-rep", "no longer exists")
        await at.press("down", "enter")
        assert isinstance(at.app.screen, StartScreen)


async def test_bundled_sessions_are_a_list_of_their_own_and_escape_leads_back():
    given = StartOptions(None, (), (), (Saved(Path("a.jsonl"), "The averaging kernel"),))
    async with start(given) as at:
        await at.say("3")
        assert at.shows("Replay a worked case", "1 session,") or at.shows("The averaging kernel")
        assert at.shows("The averaging kernel")
        await at.press("escape")
        assert at.shows("Type in the numbers")


async def test_a_damaged_session_is_said_and_the_start_stays(tmp_path: Path):
    broken = tmp_path / "broken.jsonl"
    broken.write_text("{]\n")
    async with start() as at:
        await at.say(str(broken))
        await at.until(lambda: len(notes(at)) > 1)
        await at.settle()
        assert notes(at)[0].startswith("Opening the saved session"), "reading it may take a while"
        assert isinstance(at.app.screen, StartScreen) and "broken.jsonl" in notes(at)[-1]


@pytest.mark.parametrize("size", [(30, 8), (80, 24), (200, 12)])
async def test_any_size_and_garbage(size: tuple[int, int]):
    async with start(size=size) as at:
        for text in ("[bold]x[/", "\x1b[2J", "99", "0", "/", "//", "/tmp", "~nobody/x", "x" * 4000, "a\0b"):
            await at.say(text)
            assert at.app.is_running
        await at.press("escape", "f1", "escape", "escape")
        assert isinstance(at.app.screen, StartScreen)
        await at.say("/quit")
        assert at.app.return_code == 0


# What a file is


def test_files_are_told_apart_by_what_is_in_them(tmp_path: Path):
    made = {
        "a.ncu-rep": b"NVR\0xx",
        "b.csv": b'"ID","Process ID","Kernel Name"\n',
        "c_sum.csv": b"Time (%),Total Time (ns),Instances\n",
        "s.jsonl": b"{}\n",
        "renamed.txt": b'{"format": "ncu-advisor/transcript/1"}\n',
        "e.nsys-rep": b"\x00",
    }
    for name, content in made.items():
        (tmp_path / name).write_bytes(content)
    trace = busy().write(tmp_path / "named-otherwise")
    kinds = {name: kind_of(tmp_path / name) for name in made}
    assert kinds == {
        "a.ncu-rep": "report",
        "b.csv": "report",
        "c_sum.csv": "trace",
        "s.jsonl": "transcript",
        "renamed.txt": "transcript",
        "e.nsys-rep": "trace",
    }
    assert kind_of(trace) == "trace" and kind_of(tmp_path) == "report" and kind_of(tmp_path / "no.sqlite") == "trace"
    both = sort_out([tmp_path / "a.ncu-rep", trace])
    assert both == Opening((str(tmp_path / "a.ncu-rep"),), (str(trace),), ())


def test_paths_as_people_type_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "x.ncu-rep").touch()
    assert typed_path(" '~/x.ncu-rep' ") in (f"{tmp_path}/x.ncu-rep", "~/x.ncu-rep")
    assert typed_path("~/x.ncu-rep") == f"{tmp_path}/x.ncu-rep"
    assert completions("~/x") == ("~/x.ncu-rep",) and completions("/qu") == ("/quit",) and completions("") == ()


def test_bundled_sessions_by_title_and_nothing_else(tmp_path: Path):
    (tmp_path / "good.jsonl").write_text('{"format": "ncu-advisor/transcript/1", "title": "A title"}\n{}\n')
    (tmp_path / "plain.jsonl").write_text('{"format": "ncu-advisor/transcript/1"}\n')
    (tmp_path / "other.jsonl").write_text('{"format": "something/1"}\n')
    (tmp_path / "bad.jsonl").write_text("[" * 100_000)
    assert [one.title for one in cases(tmp_path)] == ["A title", "plain"]


# What is remembered


@pytest.mark.parametrize(
    ("asked", "remembered", "environment", "theme"),
    [
        ("", "", {}, "dark"),
        ("light", "dark", {"NCU_ADVISOR_THEME": "dark"}, "light"),
        ("", "dark", {"NCU_ADVISOR_THEME": " Light "}, "light"),
        ("", "light", {"COLORFGBG": "15;0"}, "light"),
        ("", "", {"COLORFGBG": "0;15"}, "light"),
        ("", "", {"COLORFGBG": "15;8"}, "dark"),
        ("", "", {"COLORFGBG": "x", "NCU_ADVISOR_THEME": "pink"}, "dark"),
    ],
)
def test_the_theme_is_the_one_that_was_asked_for_last(
    asked: str, remembered: str, environment: dict[str, str], theme: str
):
    assert theme_for(asked, remembered, environment) == theme


async def test_a_theme_that_was_chosen_is_there_the_next_time(tmp_path: Path):
    memory = Settings(tmp_path / "config")
    async with start(memory=memory) as at:
        await at.press("ctrl+t")
        assert at.app.theme == "advisor-light"
    assert memory.theme == "light"
    async with start(theme=theme_for("", memory.theme, {})) as at:
        assert at.app.theme == "advisor-light"


async def test_what_could_be_opened_is_offered_the_next_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    memory = Settings(tmp_path / "config")
    monkeypatch.chdir(tmp_path)
    for name in ("good.ncu-rep", "broken.ncu-rep"):
        (tmp_path / name).touch()
        async with start(memory=memory) as at:
            await at.say(name)
    assert memory.recent == (str(tmp_path / "good.ncu-rep"),)


@pytest.mark.parametrize(
    "content", ["", "[]", "{]", '{"theme": 3, "recent": 4}', '{"recent": [1, "", null]}', "[" * 9999]
)
def test_a_damaged_memory_is_none(tmp_path: Path, content: str):
    (tmp_path / NAME).write_text(content)
    memory = Settings(tmp_path)
    assert (memory.theme, memory.recent) == ("", ())
    memory.opened(("/a/b",))
    assert memory.recent == ("/a/b",)


def test_where_nothing_can_be_written_nothing_is_remembered_and_nothing_breaks(tmp_path: Path):
    (tmp_path / "file").touch()
    memory = Settings(tmp_path / "file" / "below")
    memory.choose("light")
    assert memory.theme == ""


def test_the_last_few_are_kept_each_once(tmp_path: Path):
    memory = Settings(tmp_path)
    for n in range(20):
        memory.opened((f"/r/{n}",))
    memory.opened(("/r/17",))
    assert memory.recent[:2] == ("/r/17", "/r/19") and len(memory.recent) == len(set(memory.recent)) == 6


async def test_rows_pasted_on_the_start_page_begin_an_interview_with_their_numbers():
    app = AdvisorApp(Executor(real.sources()), (), start_options=StartOptions(None))
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        at = Driver(app, pilot)
        await at.settle()
        prompt = app.screen.query_one(Prompt)
        rows = ("Memory Throughput  %  60.12", "DRAM Throughput  %  45.03", "Compute (SM) Throughput  %  8.11")
        prompt.post_message(Paste("\n".join(rows)))
        await at.settle()
        given = {name: value for _, name, value in app.state.answers}
        assert given == {"memory_throughput_pct": 60.12, "dram_pct": 45.03, "sm_throughput_pct": 8.11}
        assert app.state.ask is not None and app.state.ask.id == "subject", "the numbers wait for no other answer"


async def test_a_typed_row_on_the_start_page_begins_an_interview_too():
    app = AdvisorApp(Executor(real.sources()), (), start_options=StartOptions(None))
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        at = Driver(app, pilot)
        await at.settle()
        await at.say("DRAM Throughput % 83.2")
        await at.settle()
        assert {name: value for _, name, value in app.state.answers} == {"dram_pct": 83.2}


async def test_a_line_that_is_no_file_says_where_numbers_are_typed():
    app = AdvisorApp(desk(), (), start_options=StartOptions(None))
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        at = Driver(app, pilot)
        await at.say("why is my kernel slow")
        assert "Type in the numbers" in at.notes[-1]


async def test_a_served_session_says_of_no_file_outside_its_folder_whether_it_exists(tmp_path: Path):
    root = tmp_path / "reports"
    root.mkdir()
    there, missing = tmp_path / "there.csv", tmp_path / "missing.csv"
    there.write_text("1", encoding="utf-8")
    async with start(StartOptions(root=root)) as at:
        for path in (there, missing):
            await at.say(str(path))
            assert notes(at)[-1].startswith(f"{path}: is outside the folder")
            screen = at.app.screen
            assert isinstance(screen, StartScreen) and not screen._finds(str(path))
