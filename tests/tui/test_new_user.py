"""What a person who sees the program for the first time stumbles over: the newest turn, the open question, names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from session.transcripts.talk import CSV
from textual.pilot import Pilot

from advisor.session import events as e
from advisor.session import executor as real
from advisor.session import services
from advisor.session.executor import Executor
from advisor.session.language.understand import understand
from advisor.session.records import Card
from advisor.tui.app import AdvisorApp
from advisor.tui.opening import Saved, StartOptions
from advisor.tui.screens.launches import LaunchesScreen
from advisor.tui.screens.session import SessionScreen
from advisor.tui.widgets.prompt import Prompt
from advisor.tui.widgets.text import newest
from advisor.view.blocks import Line
from tests.changed import replace
from tui.driver import Driver, session
from tui.factory import desk

SIZES = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])


def cards(*kinds: str, **changes: Any) -> tuple[Card, ...]:
    return tuple(Card(kind, f"{kind} {at}", **changes) for at, kind in enumerate(kinds))


def test_the_newest_turn_begins_at_the_first_card_that_was_not_in_view():
    seen = cards("overview", "class", "finding")
    assert newest(seen, (*seen, *cards("proof", "fix"))) == 3
    assert newest(seen, seen[:2]) is None, "undone: nothing is new"
    assert newest((), cards("overview", "class")) == 0
    assert newest((), ()) is None
    turns = cards("answer", "question", "answer", "question")
    assert newest(seen, (*seen, *turns[:2])) == 3
    assert newest(seen, (*seen, *turns)) == 5, "a replay went on by several turns"


def test_a_new_report_moves_a_launch_and_the_comparison_is_what_is_new():
    moved = cards("overview", "class", "finding", position=1, past=True)
    assert newest(cards("overview", "class", "finding", position=7), (*moved, *cards("compared", position=1))) == 3


def test_in_a_conversation_gone_back_to_the_last_turn_is_in_view():
    old = cards("note", "question", "answer", "question", "class", "fix", "next")
    assert newest((), old) == 5
    assert newest((), old[:5]) == 3
    assert newest(cards("overview"), old) == 5, "another launch's conversation was in view before"


async def test_after_a_comparison_it_is_what_stands_on_the_screen(tmp_path: Path):
    report = tmp_path / "mine.csv.xz"
    report.write_bytes(CSV.read_bytes())
    app = AdvisorApp(Executor(real.sources()), (str(report),))
    async with app.run_test(size=(80, 24)) as pilot:
        at = Driver(app, pilot)
        await at.settle()
        for line in ("/kernel 2", "/how", "/fix", "/missing", f"/compare {report}#1"):
            await at.say(line)
        assert at.shows("Compared", "Faster: 8.3×", "2.72 ms → 329 µs")


@SIZES
async def test_what_is_asked_can_always_be_read(size: tuple[int, int]):
    async with session(size=size) as at:
        assert at.shows("How long does the kernel take?") and not at.shows("Open question")
        await at.say("/explain long_scoreboard")
        assert at.shows("Open question: How long does the kernel take?")
        await at.say("12.5us")
        assert not at.shows("Open question"), "the next question has just been put"


async def test_a_unit_that_there_is_not_is_told_as_one():
    async with session() as at:
        await at.say("12.5 parsecs")
        assert at.shows("Not understood", "parsecs") and not at.shows("= 12.5"), "no other number was meant"


def test_compute_is_without_a_report_what_the_page_shows_under_that_name():
    app = AdvisorApp(Executor(real.sources()), ())
    state = app.state
    from tests.changed import replace

    typed = understand(
        "compute 14%, dram 29%", replace(state, numbers=True, place="launch", knowledge=services.knowledge_index())
    )
    assert isinstance(typed, e.Volunteered)
    assert dict(typed.values) == {"sm_throughput_pct": 14.0, "dram_pct": 29.0}


async def test_a_comparison_without_a_file_says_what_to_type():
    async with session("tour.ncu-rep", notes=True) as at:
        await at.say("/compare")
        assert at.shows("/compare") and "/compare after.ncu-rep" in at.notes[-1] and "Tab completes" in at.notes[-1]
    async with session("tour.ncu-rep") as at:
        await at.open()
        await at.press("c")
        assert at.shows("Question  Which report holds the new", "REPORT#N names one launch")
        assert at.app.state.ask is not None and at.app.screen.query_one(Prompt).has_focus, "a path can be typed now"


async def test_the_start_takes_the_words_of_its_choices_and_goes_on_first():
    given = StartOptions(Path("tour.ncu-rep"), (), (Saved(Path("x.jsonl"), "gemm.ncu-rep", "7 answers"),))
    app = AdvisorApp(desk(), (), start_options=given)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        at = Driver(app, pilot)
        await at.settle()
        assert at.shows("1 Continue gemm.ncu-rep", "2 Type in the numbers")
        await at.say("t")
        assert at.shows("There is no file t"), "several choices have a word that begins so"
        await at.press("escape")
        await at.say("demo")
        assert isinstance(at.app.screen, LaunchesScreen)


# What the three tasks of a new user look like at their key moments.


def lines(*texts: str) -> Callable[[Pilot[int]], Any]:
    async def run(pilot: Pilot[int]) -> None:
        assert isinstance(pilot.app, AdvisorApp)
        at = Driver(pilot.app, pilot)
        await at.settle()
        for text in texts:
            await at.say(text)
        assert isinstance(at.app.screen, SessionScreen)
        await at.settle()

    return run


def test_a_fix_understood(snap_compare: Any):
    typed = ("/kernel 1", "/how", "/fix")
    assert snap_compare(AdvisorApp(desk(), ("tour.ncu-rep",)), terminal_size=(80, 24), run_before=lines(*typed))


def test_numbers_read_off_a_screenshot(snap_compare: Any):
    typed = ("12.5us", "what is long scoreboard")
    assert snap_compare(AdvisorApp(desk(), ()), terminal_size=(80, 24), run_before=lines(*typed))


def test_a_card_that_gains_its_hot_lines_is_no_new_turn():
    seen = cards("overview", "class", "finding", "proof", position=1)
    located = (*seen[:2], replace(seen[2], blocks=(Line("a.cu:3", "fact", "Hot line"),)), seen[3])
    assert newest(seen, located) is None
    assert newest(cards("overview", "class", position=1), cards("overview", "class", position=2)) is None
