"""The pages of an interview on a small terminal: rows in view, pasted rows taken at once."""

from __future__ import annotations

from textual import events

from advisor.session.executor import Executor, sources
from advisor.tui.app import AdvisorApp
from advisor.tui.widgets.prompt import Prompt
from tui.driver import Driver

ROWS = "    DRAM Throughput       %      41.20\n    Duration     us     412.50\n    Foo Bar   %   3\n"


async def test_a_page_fits_a_small_terminal_and_takes_pasted_rows():
    app = AdvisorApp(Executor(sources()), (), predict=False)
    async with app.run_test(size=(80, 24)) as pilot:
        at = Driver(app, pilot)
        await at.settle()
        await at.say("kernel")
        await at.say("h200")
        assert at.shows(
            "GPU Speed Of Light Throughput",
            "Duration: with its unit",
            "DRAM Throughput [%]",
            "I do not have this section",
        )
        at.app.screen.query_one(Prompt).post_message(events.Paste(ROWS))
        await at.settle()
        given = {question: value for _, question, value in app.state.answers}
        assert given["duration_ns"] == 412_500 and given["dram_pct"] == 41.2
        assert app.state.ask is not None and app.state.ask.id != "page:speed_of_light"
        assert app.screen.query_one(Prompt).value == ""


async def test_several_pasted_lines_without_numbers_stay_a_line_of_text():
    app = AdvisorApp(Executor(sources()), (), predict=False)
    async with app.run_test(size=(80, 24)) as pilot:
        at = Driver(app, pilot)
        await at.settle()
        at.app.screen.query_one(Prompt).post_message(events.Paste("a kernel\nof mine"))
        await at.settle()
        assert app.screen.query_one(Prompt).value == "a kernel"


async def test_letters_without_an_action_begin_the_answer_of_an_open_question():
    app = AdvisorApp(Executor(sources()), (), predict=False)
    async with app.run_test(size=(80, 24)) as pilot:
        at = Driver(app, pilot)
        await at.settle()
        assert app.state.ask is not None and app.state.ask.kind == "choice"
        await at.press("b", "g", "s")  # the first has no action here; then the prompt is open
        assert app.state.view == "" and app.screen.query_one(Prompt).value == "bgs"
        await at.press("escape", "m")
        assert app.state.view == "steps", "a letter acts while a question is open"


async def test_a_bad_item_of_a_list_is_named_and_the_others_are_taken():
    app = AdvisorApp(Executor(sources()), (), predict=False)
    async with app.run_test(size=(80, 24)) as pilot:
        at = Driver(app, pilot)
        await at.settle()
        await at.say("dram 83%, l2 5 ms, hello, registers 40")
        assert {name: value for _, name, value in app.state.answers} == {"dram_pct": 83, "registers_per_thread": 40}
        assert "l2 5 ms: expected" in at.notes[-1] and "hello: expected a name" in at.notes[-1]
        assert at.shows("Not read", "l2 5 ms: expected a percentage, such as 83%")


async def test_after_a_line_that_failed_enter_alone_takes_nothing():
    app = AdvisorApp(Executor(sources()), (), predict=False)
    async with app.run_test(size=(80, 24)) as pilot:
        at = Driver(app, pilot)
        await at.settle()
        await at.say("xdram 83%")
        before = app.state
        assert at.shows("Not understood", "dram_pct = 83%")
        await at.press("enter", "enter")
        assert app.state is before
