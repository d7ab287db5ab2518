"""From the start to a finding understood, with the keyboard alone, at both sizes."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from advisor.tui.app import AdvisorApp
from advisor.tui.screens.help import HelpScreen
from advisor.tui.screens.launches import LaunchesScreen
from advisor.tui.screens.session import SessionScreen
from advisor.tui.widgets.evidence import Evidence
from advisor.tui.widgets.lists import Choices
from advisor.tui.widgets.prompt import Prompt
from tests.changed import replace
from tui.driver import Driver, session
from tui.factory import analyse, desk, diagnosis, launch

SIZES = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])


def one(**changes: object) -> Callable[..., object]:
    """A source with a single launch, changed as wanted."""

    class One:
        diagnosis = diagnosis(launch(0, **{"kernel": "alone", **changes}))  # type: ignore[arg-type]

    return lambda paths, gpu, progress: One()


@SIZES
async def test_from_the_list_to_a_finding_its_fix_and_its_proof(size: tuple[int, int]):
    async with session("tour.ncu-rep", size=size) as at:
        assert at.shows("transpose_tile", "333 µs", "2.2×", "6 of 6 launches")
        await at.open()
        assert at.shows("Class  L1/shared-memory-bound", "Fix first  Shared-memory bank conflicts")
        assert at.shows("2.2× (1.9–2.6×) estimated") and at.app.state.ask is None
        await at.press("enter")
        assert at.shows("1. Find the shared load", "What next")
        await at.press("h")
        assert at.shows("✓ Shared accesses need too many wavefronts", "15× the threshold")


@SIZES
async def test_a_question_is_answered_with_units_and_the_session_says_what_that_changed(size: tuple[int, int]):
    async with session("tour.ncu-rep", size=size) as at:
        await at.open()
        await at.say("theoretical_bytes")
        assert at.shows("How many bytes must the algorithm move at least?", "d I don't know")
        await at.say("64 apples")
        assert at.shows("Not understood", "apples")
        await at.say("64 MiB")
        assert at.shows("You  67.108864 MB", "Nothing changed")
        await at.say("dtype")
        await at.press("enter")
        assert at.app.state.ask is not None, "nothing is marked, so Enter takes nothing"
        await at.press("down", "down", "enter")
        assert at.shows("You  double precision", "Gone          Narrow accesses")


@SIZES
async def test_explain_and_back(size: tuple[int, int]):
    async with session("tour.ncu-rep", size=size) as at:
        await at.open()
        await at.say("what is occupancy?")
        assert at.shows("Explain  occupancy", "and a second line")
        await at.say("/explain nonsense")
        assert at.shows("nothing here is called 'nonsense'")
        await at.press("f4", "f4")
        assert not at.shows("Explain") and at.shows("Fix first")
        await at.press("f4", "f4")
        assert isinstance(at.app.screen, LaunchesScreen)


async def test_the_evidence_stands_beside_the_conversation_on_a_wide_screen_and_in_its_place_on_a_small_one():
    async with session("tour.ncu-rep", size=(80, 24)) as at:
        await at.open()
        assert not at.shows("Speed of light")
        await at.press("f3")
        assert at.shows("Speed of light", "L1 data", "near limit", "XU pipe", "unknown") and not at.shows("Fix first")
        await at.press("f3")
        assert at.shows("Fix first")
    async with session("tour.ncu-rep", size=(160, 50)) as at:
        await at.open()
        assert at.shows("Fix first", "Speed of light", "Warp stalls", "MIO throttle")
        await at.press("alt+n")
        assert at.shows("Fix first", "Evidence for the class", "Evidence for the finding")
        await at.press("alt+u", "v")
        assert at.app.focused is at.app.screen.query_one(Evidence) and at.shows("Fix first", "Speed of light")
        await at.press("v")
        assert at.shows("Fix first") and not at.shows("Speed of light")
        assert at.app.focused is at.app.screen.query_one(Choices)


@SIZES
async def test_v_and_a_digit_show_a_page_of_the_evidence(size: tuple[int, int]):
    async with session("tour.ncu-rep", size=size) as at:
        await at.open()
        await at.press("v", "3")
        assert at.shows("[Memory]", "Memory chart")
        await at.press("right")
        assert at.shows("[Source]")


async def test_the_screen_may_change_its_size_at_any_moment():
    async with session("tour.ncu-rep", size=(160, 50)) as at:
        await at.open()
        await at.press("enter")
        for width, height in ((80, 24), (40, 12), (200, 60), (110, 20), (20, 6), (80, 24)):
            await at.pilot.resize_terminal(width, height)
            await at.settle()
            assert len(at.rows) == height
            assert all(len(row) <= width for row in at.rows)
        assert at.shows("What next")
        await at.say("/how")
        assert at.shows("How  Shared-memory bank conflicts")


ODD = (
    "[bold red]kernel[/]",
    "\x1b[31mkernel\x1b[0m",
    "a\nb\tc",
    "\u202egnp.exe",
    "[@click=app.quit]x[/]",
    "λ" * 10_000,
    "\\[",
    "[/",
)


async def test_whatever_a_kernel_is_called_is_shown_and_never_obeyed():
    class Odd:
        diagnosis = diagnosis(*(launch(at, name, kernel_full=name) for at, name in enumerate(ODD)))

    async with session("x.ncu-rep", analyse=lambda *a: Odd()) as at:
        for number, name in enumerate(ODD):
            await at.say(f"/kernel {number}")
            everything = at.screen
            assert at.app.state.position == number
            assert "\x1b" not in everything and "\u202e" not in everything and "\t" not in everything, name
            if name.startswith("[bold"):
                assert "[bold red]kernel[/]" in everything
            if name.startswith("\x1b"):
                assert "\\x1b[31mkernel" in everything
            assert isinstance(at.app.screen, SessionScreen), name


async def test_odd_names_are_harmless_in_the_list_too():
    class Two:
        diagnosis = diagnosis(launch(0, "[bold]a[/]"), launch(1, "\x1b[2Jb"))

    async with session("x.ncu-rep", analyse=lambda *a: Two()) as at:
        assert at.shows("[bold]a[/]", "\\x1b[2Jb")


async def test_texts_of_findings_are_data_too():
    odd = launch(0, "k").findings[0]
    bad = replace(odd, title="[red]title[/]", because="because [b]of[/b] \x1b[1m this")
    async with session("x.ncu-rep", analyse=one(findings=(bad,))) as at:
        assert at.shows("[red]title[/]", "because [b]of[/b] \\x1b[1m this")


async def test_a_report_that_cannot_be_read_is_a_card_with_what_can_be_done():
    async with session("broken.ncu-rep") as at:
        assert at.shows("That did not work", "broken.ncu-rep is cut off: copy it again", "1 Try again", "2 Quit")
        await at.press("enter")
        assert at.shows("broken.ncu-rep is cut off")
        await at.press("down", "enter")
        assert at.app.return_code == 0


async def test_a_defect_of_ours_does_not_end_the_program():
    async with session("crash.ncu-rep") as at:
        assert at.shows("(RuntimeError: a defect") and at.app.is_running


@pytest.mark.parametrize("hasty", [False, True], ids=["tried again later", "tried again at once"])
async def test_work_is_shown_with_its_progress_and_can_be_called_off(hasty: bool):
    gate = threading.Event()

    def slow(paths: object, gpu: object, progress: Callable[[str, int, int], None]) -> object:
        progress("read", 3, 22)
        gate.wait(120)
        progress("read", 4, 22)
        return analyse(paths, gpu, progress)  # type: ignore[arg-type]

    app = AdvisorApp(desk(analyse=slow), ("tour.ncu-rep",))
    async with app.run_test(size=(80, 24)) as pilot:
        at = Driver(app, pilot)
        await at.until(lambda: at.shows("reading", "3 of 22", "Esc cancels"))
        await pilot.press("escape")
        await pilot.pause()
        assert at.shows("Cancelled.", "1 Try again")
        if hasty:
            await pilot.press("enter")
        gate.set()
        await at.settle()
        if not hasty:
            assert at.shows("Cancelled.") and app.state.diagnosis is None
            await at.press("enter")
        assert at.shows("transpose_tile")


async def test_typing_filters_the_list_and_escape_brings_it_back():
    async with session("tour.ncu-rep") as at:
        await at.press("slash", *"narrow")
        assert at.shows("Filter “narrow”, Esc shows all: 2 of 6 launches", "gemm_one_output") and not at.shows(
            "transpose_tile"
        )
        await at.press("enter", "enter")
        assert at.app.state.launch is not None and at.app.state.launch.kernel == "gemm_one_output"
        await at.press("f2")
        assert at.shows("6 of 6 launches")
        await at.press("colon", *"nothing like it")
        assert at.shows("6 of 6 launches") is False and at.shows("No filter: Enter asks this", "transpose_tile")
        await at.press("escape")
        assert at.shows("6 of 6 launches")
        await at.press("slash", *"nothing like it", "enter")
        assert isinstance(at.app.screen, LaunchesScreen)


async def test_escape_goes_back_one_level_from_the_prompt_the_evidence_and_the_launch():
    async with session("tour.ncu-rep", size=(80, 24)) as at:
        await at.open()
        await at.press("v", "slash", *"wh")
        assert at.app.screen.query_one(Prompt).value == "wh" and at.shows("Speed of light")
        await at.press("escape")
        assert at.app.screen.query_one(Prompt).value == "" and at.shows("Speed of light")
        await at.press("escape")
        assert at.shows("Fix first") and not at.shows("Speed of light")
        await at.press("escape")
        assert isinstance(at.app.screen, LaunchesScreen)
        await at.press("escape")
        assert isinstance(at.app.screen, LaunchesScreen) and at.app.is_running


async def test_the_prompt_opens_empty_with_a_slash_or_a_colon_and_takes_a_question():
    async with session("tour.ncu-rep") as at:
        await at.open()
        prompt = at.app.screen.query_one(Prompt)
        assert not prompt.has_focus
        await at.press("slash")
        assert prompt.has_focus and prompt.value == ""
        await at.press("escape", "colon")
        assert prompt.has_focus and prompt.value == ""
        await at.press("escape", "slash", *"what is occupancy", "enter")
        assert at.shows("Explain  occupancy") and not prompt.has_focus


async def test_the_list_is_sorted_by_time_saved_duration_and_name():
    def order(at) -> list[str]:
        rows = [row.split() for row in at.rows]
        return [row[1] for row in rows if len(row) > 4 and row[0].isdigit() and row[3] in ("ns", "µs", "ms")]

    async with session("tour.ncu-rep") as at:
        saved = ["transpose_tile", "gemm_one_output", "byte_image", "small_saxpy", "vector_copy", "fma_chains"]
        assert order(at) == saved and at.shows("by time saved by the fix", "Saves ▾")
        await at.press("f5")
        assert order(at)[:2] == ["gemm_one_output", "fma_chains"] and at.shows("by time", "Time ▾")
        await at.press("o")
        assert order(at) == sorted(order(at))


async def test_commands_work_in_the_list():
    async with session("tour.ncu-rep") as at:
        await at.say("/kernel byte")
        assert at.app.state.launch is not None and at.app.state.launch.kernel == "byte_image"
        await at.press("f2")
        await at.say("/help")
        assert isinstance(at.app.screen, HelpScreen)


async def test_help_opens_over_everything_and_closes():
    async with session("tour.ncu-rep") as at:
        await at.press("f1")
        assert at.shows("Keys on this screen", "How a finding was concluded", "s, f7")
        await at.press("pagedown")
        assert at.shows("o, f5")
        await at.press("escape")
        assert isinstance(at.app.screen, LaunchesScreen)


async def test_the_footer_offers_only_what_works_now():
    async with session("tour.ncu-rep") as at:
        keys = "\n".join(at.rows[-2:])
        assert "Open" in keys and "Undo" not in keys and "Launches" not in keys
        assert "Order" in keys and "Expand" in keys, "two rows where one is too short"
        await at.pilot.resize_terminal(160, 24)
        await at.settle()
        assert "Order" in at.rows[-1] and "Expand" in at.rows[-1]
        await at.press("enter")
        assert "Choose" in at.rows[-1] and "Undo" in at.rows[-1] and "Launches" in at.rows[-1]
        assert "Order" not in at.rows[-1] and "Expand" not in at.rows[-1]


async def test_without_a_report_the_interview_begins_and_concludes():
    async with session(predict=True) as at:
        assert at.shows("Without a report", "what do you expect")
        await at.press("enter")
        assert at.shows("How long does the kernel take?")
    async with session() as at:
        assert at.shows("Without a report", "How long does the kernel take?")
        await at.press("enter")
        assert at.app.state.ask is not None and at.app.state.ask.id == "duration_ns", "an accidental Enter is no answer"
        await at.say("12.5us")
        await at.press("8", "3", "percent_sign", "enter")
        assert at.shows("Undetermined → DRAM-bound", "L2 throughput")
        await at.press("d")
        assert at.shows("Nothing to fix  Near the memory roofline")


async def test_without_block_characters_everything_is_drawn_in_ascii():
    async with session("tour.ncu-rep", size=(160, 50), blocks=False) as at:
        await at.open()
        charts = [row for row in at.rows if "L1 data" in row and "96.1" in row]
        assert charts and "####" in charts[0] and "█" not in charts[0]
        await at.press("alt+n")
        assert at.shows("+ Memory is busy")


async def test_a_choice_is_taken_with_the_mouse():
    async with session("tour.ncu-rep") as at:
        await at.open()
        await at.pilot.click("Choices", offset=(5, 1))
        await at.settle()
        assert at.shows("How  Shared-memory bank conflicts")


async def test_a_launch_is_opened_with_the_mouse():
    async with session("tour.ncu-rep") as at:
        await at.pilot.click("LaunchTable", offset=(10, 2))
        await at.settle()
        assert at.app.state.launch is not None and at.app.state.launch.kernel == "gemm_one_output"


async def test_tab_completes_a_command():
    async with session("tour.ncu-rep") as at:
        await at.open()
        await at.press("slash", *"/exp")
        await at.press("tab")
        assert at.app.screen.query_one(Prompt).value == "/explain "


async def test_the_palette_does_what_the_commands_do_and_what_came_is_in_view():
    async with session("tour.ncu-rep") as at:
        await at.open()
        await at.press("ctrl+p")
        await at.press(*"evidence")
        await at.press("down", "enter")
        assert at.shows("Evidence  Shared-memory bank conflicts")


async def test_the_theme_changes_and_back():
    async with session("tour.ncu-rep") as at:
        await at.press("ctrl+t")
        assert at.app.theme == "advisor-light"
        await at.press("ctrl+t")
        assert at.app.theme == "advisor-dark"


@pytest.mark.parametrize("leave", ["ctrl+q", "/quit"])
async def test_it_can_always_be_left(leave: str):
    async with session("tour.ncu-rep") as at:
        await (at.press(leave) if leave.startswith("ctrl") else at.say(leave))
        assert at.app.return_code == 0
