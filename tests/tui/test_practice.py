"""The practice room on the screen: by the keyboard alone, at 80 columns and wide, with the bundled exercises."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import TextArea

from advisor.practice.lessons import Lessons
from advisor.practice.manifest import Answer, QuizQuestion, exercise, names
from advisor.practice.readings import reading_names
from advisor.practice.state import Store
from advisor.session import events as e
from advisor.tui.app import AdvisorApp
from advisor.tui.drawing import code_lines
from advisor.tui.screens.practice import PracticeScreen
from advisor.tui.screens.practice_editor import PracticeEditor
from advisor.tui.widgets.prompt import Prompt
from advisor.tui.widgets.text import Tabs
from advisor.view.blocks import Code
from tui.driver import Driver, session
from tui.factory import desk

NAME, FILE = "bank-conflicts", "a-transpose-through-a-tile"
EVERY = len(names()) + len(reading_names())
SIZES = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])


def room(folder: Path) -> Callable[..., Any]:
    """The practice room on a state file of this test's own."""
    lessons = Lessons(Store(folder))
    return lambda request, progress: lessons.perform(
        request.action, request.exercise, dict(request.arguments), progress
    )


@contextmanager
def nothing() -> Iterator[None]:
    yield


async def opened(at: Driver, name: str = NAME) -> None:
    at.app.dispatch(e.ViewShown("practice", name))
    await at.settle()
    assert isinstance(at.app.screen, PracticeScreen)


@SIZES
async def test_an_exercise_from_the_list_to_its_score_by_the_keyboard_alone(tmp_path: Path, size: tuple[int, int]):
    async with session("tour.ncu-rep", size=size, practise=room(tmp_path)) as at:
        await at.say("/practice")
        assert at.shows("Training on images", f"{EVERY} of {EVERY} exercises, 0 solved")
        await at.press(*"transpose through")
        assert at.shows(f"1 of {EVERY} exercises")
        await at.press("enter")
        assert at.shows("[Story]", "An image-processing library", "Estimate the numbers")
        await at.press("enter")
        await at.say("1.3 GB")
        assert at.shows("✓ Right.", "1.32 GB")
        await at.say("d")
        await at.say("d")
        await at.press("enter")
        assert at.shows("[Profile]", "Speed of light", "88.4 %")
        assert not at.shows("bank conflicts"), "the cause is for the learner to find"
        await at.press("enter")
        await at.press(*"mixed", "enter")
        await at.press(*"bank", "enter")
        await at.say("2.2")
        assert at.shows("Shared-memory bank conflicts", "Show the answer")
        await at.press("enter")
        assert at.shows("[Answer]", "100 of 100 points", "correct: 40 of 40 points")
        await at.press("escape")
        await at.press(*"transpose through")
        assert at.shows("100  A transpose through a tile"), "the list has the points"
        await at.press("escape")
        await at.press("escape")
        assert not isinstance(at.app.screen, PracticeScreen)


async def test_the_line_keeps_the_keys_so_that_tab_and_a_click_lead_nowhere_and_escape_does_as_ever(tmp_path: Path):
    async with session("tour.ncu-rep", practise=room(tmp_path)) as at:
        await opened(at)
        await at.press("tab")
        await at.pilot.click("#page", offset=(5, 2))
        await at.press(*"pro")
        prompt = at.app.screen.query_one(Prompt)
        assert prompt.has_focus and prompt.value == "pro"
        await at.press("escape")
        assert prompt.value == "" and at.app.state.exercising.name == NAME, "first the line is emptied"


async def test_typing_finds_numbers_of_the_profile(tmp_path: Path):
    async with session("tour.ncu-rep", size=(100, 30), practise=room(tmp_path)) as at:
        await opened(at)
        await at.say("profile")
        await at.press(*"wavefront_ratio")
        await at.settle()
        assert at.shows("shared_wavefront_ratio", "16.5")
        await at.press("enter")
        assert at.shows("shared_wavefront_ratio"), "what was found stays in view"
        await at.press("escape")
        assert at.shows("Speed of light")
        await at.say("predict")
        await at.say("hints")
        assert at.shows("[Hints]"), "a stage is named wherever something can be typed"


async def test_the_number_beside_a_choice_takes_it(tmp_path: Path):
    async with session("tour.ncu-rep", practise=room(tmp_path), notes=True) as at:
        await opened(at)
        await at.say("profile")
        await at.press("1", "1")
        assert at.shows("Speed of light", "1 Predict class"), "digits are numbers of choices and find nothing"
        await at.press("enter")
        assert at.app.state.exercising.stage == "numbers" and at.shows("No choice matches that text.")
        await at.press("escape", "1", "enter")
        assert at.shows("[Predict]", "Which class is it?")
        classes = at.app.state.exercising.lesson.terms.classes
        await at.press("6")
        assert at.shows(f"6 {classes[5][1]}"), "the list stays"
        await at.press("9", "enter")
        assert at.app.state.exercising.pick == {}, "there is no such number"
        await at.press("escape", "6", "enter")
        assert at.app.state.exercising.pick == {"class": classes[5][0]}
        await at.press(*"bank")
        await at.press("space", "1", "enter")
        assert at.app.state.exercising.pick["cause"] == "bank_conflicts"
        assert not at.shows("1 Choose"), "a gain is typed here, so no choice has a number"


async def test_an_empty_line_takes_no_class_after_a_number_was_taken_back(tmp_path: Path):
    async with session("tour.ncu-rep", practise=room(tmp_path)) as at:
        await opened(at)
        await at.say("predict")
        await at.press("3", "backspace", "enter")
        assert at.app.state.exercising.pick == {}


async def test_a_napkin_number_of_another_unit_is_asked_for_again(tmp_path: Path):
    async with session("tour.ncu-rep", size=(160, 50), practise=room(tmp_path), notes=True) as at:
        await opened(at)
        await at.say("napkin")
        await at.say("250us")
        assert at.shows("1 of 3", "expects a size") and not at.shows("1.32 GB")
        await at.say("w")
        assert at.app.state.exercising.stage == "napkin" and not at.shows("1.32 GB")
        await at.say("1.3 GB")
        assert at.shows("✓ Right.", "2 of 3")


async def test_an_empty_line_gives_no_napkin_number_away(tmp_path: Path):
    async with session("tour.ncu-rep", practise=room(tmp_path)) as at:
        await opened(at)
        await at.say("napkin")
        await at.press("enter", "enter")
        assert at.app.state.exercising.ways == () and not at.shows("1.32 GB")
        await at.press("down", "enter")
        assert at.shows("1.32 GB")


async def test_all_patterns_of_a_timeline_are_listed_on_a_small_screen(tmp_path: Path):
    async with session("tour.ncu-rep", practise=room(tmp_path)) as at:
        await opened(at, "seismic-survey")
        await at.say("predict")
        titles = [title for _, title in at.app.state.exercising.lesson.terms.causes]
        assert len(titles) == 12 and at.shows(*titles)


async def test_every_stage_is_reached_by_its_key_and_left_again(tmp_path: Path):
    async with session("tour.ncu-rep", practise=room(tmp_path)) as at:
        await opened(at)
        seen = []
        for _ in range(11):
            seen.append(at.app.state.exercising.stage)
            await at.press("f6")
        seen.append(at.app.state.exercising.stage)
        assert len(set(seen)) == 12
        await at.press("f6")
        assert at.app.state.exercising.stage == "log", "there is nothing after the last"
        await at.press("f5")
        assert at.app.state.exercising.stage == "solution"
        # Where a terminal keeps the function keys for itself.
        await at.press("alt+left")
        assert at.app.state.exercising.stage != "solution"
        await at.press("alt+right")
        assert at.app.state.exercising.stage == "solution"
        await at.press("escape")
        assert not isinstance(at.app.screen, PracticeScreen)


async def test_hints_come_one_by_one_and_the_quiz_wants_a_letter(tmp_path: Path):
    async with session("tour.ncu-rep", practise=room(tmp_path)) as at:
        await opened(at)
        await at.say("hints")
        await at.press("enter", "enter")
        assert at.shows("Hint 1 of 4", "Hint 2 of 4", "(2 left)")
        await at.say("quiz")
        await at.press("enter")
        assert at.app.state.exercising.known.quiz == {}, "an accidental Enter answers nothing"
        await at.say("a")
        assert at.shows("✗ Wrong.", "Question 2 of 3")


async def test_causes_are_named_in_the_list_only_when_asked_for(tmp_path: Path):
    async with session("tour.ncu-rep", practise=room(tmp_path)) as at:
        await at.say("/practice")
        assert not at.shows("few_bytes") and not at.shows("data_loading_starved")
        await at.press("f7")
        assert at.shows("image-batches: data_loading_starved")
        await at.press(*"uncoalesced")
        assert at.shows("array-of-structs")


async def test_the_code_is_edited_in_place_saved_and_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1] / "practice" / "standin"))
    monkeypatch.setenv("STANDIN_CUPY", "no_gpu")
    async with session("tour.ncu-rep", practise=room(tmp_path)) as at:
        await opened(at)
        await at.say("edit")
        await at.press("enter", "down", "enter")
        assert isinstance(at.app.screen, PracticeEditor)
        area = at.app.screen.query_one(TextArea)
        assert area.text == (tmp_path / "practice" / FILE / f"{FILE}.cu").read_text("utf-8")
        await at.press("f1")
        assert at.shows("Keys on this screen", "Save the file and check it")
        await at.press("f1")
        assert isinstance(at.app.screen, PracticeEditor)
        await at.press(*"oops ", "escape")
        assert at.shows("not saved")
        await at.press("f6", "escape")
        assert isinstance(at.app.screen, PracticeScreen), "the original is what is saved"
        await at.say("edit here")
        await at.press(*"oops ", "f7")
        await at.settle()
        assert (tmp_path / "practice" / FILE / f"{FILE}.cu").read_text("utf-8").startswith("oops ")
        assert at.shows("[Run]")
        assert at.app.state.exercising.result("check", "").attempt.mine is None
        await at.say("edit")
        assert at.shows("What you changed", "+oops", "1 Check your version")


async def test_the_users_editor_gets_the_file_and_the_page_shows_what_it_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    script = tmp_path / "editor.py"
    script.write_text("import sys\nopen(sys.argv[-1], 'a').write('// by the editor\\n')\n", "utf-8")
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"{sys.executable} {script}")
    monkeypatch.setattr(AdvisorApp, "suspend", lambda self: nothing())
    async with session("tour.ncu-rep", practise=room(tmp_path / "data")) as at:
        await opened(at)
        await at.say("edit")
        await at.press("enter")
        assert at.shows(f"Edit in {Path(sys.executable).name}")
        await at.press("enter")
        assert at.shows("+// by the editor")
        assert isinstance(at.app.screen, PracticeScreen)


@pytest.mark.parametrize("command", ["/nowhere/editor", "'", "false"])
async def test_an_editor_that_cannot_be_had_opens_the_source_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
):
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", command)
    if command != "'":
        monkeypatch.setattr(AdvisorApp, "suspend", lambda self: nothing())
    async with session("tour.ncu-rep", practise=room(tmp_path)) as at:
        await opened(at)
        await at.say("edit")
        await at.press("enter", "enter")
        assert isinstance(at.app.screen, PracticeEditor)
        await at.press("escape")
        assert isinstance(at.app.screen, PracticeScreen)


async def test_work_can_be_called_off_and_what_fails_stands_on_the_page(tmp_path: Path):
    import threading

    real, wait, has_begun = room(tmp_path), threading.Event(), threading.Event()

    def slow(request: e.Practise, progress: Any) -> Any:
        if request.action == "check":
            has_begun.set()
            wait.wait(120)
            progress("check", 1, 3)
        return real(request, progress)

    async with session("tour.ncu-rep", practise=slow) as at:
        await opened(at)
        at.app.dispatch(e.Practised("check", NAME))
        await at.pilot.pause()
        assert has_begun.wait(120)
        await at.pilot.press("escape")
        await at.pilot.pause()
        wait.set()
        await at.settle()
        assert at.shows("That did not work", "Cancelled.")
        await at.say("log")
        await at.say("next: pad it")
        assert at.app.state.exercising.stage == "log"


async def test_without_room_or_signs_everything_is_still_there(tmp_path: Path):
    async with session("tour.ncu-rep", size=(60, 16), blocks=False, practise=room(tmp_path)) as at:
        await opened(at)
        for stage in ("profile", "compare", "solution", "log"):
            await at.say(stage)
            assert at.app.state.exercising.stage in ("numbers", "compare", "solution", "log")
            assert f"[{stage.capitalize()}]" in at.screen
        at.app.screen.query_one(Prompt)
        await at.pilot.resize_terminal(160, 50)
        await at.settle()
        assert at.shows("[Log]", "Story")


async def test_a_click_on_a_stage_goes_there(tmp_path: Path):
    async with session("tour.ncu-rep", practise=room(tmp_path)) as at:
        await opened(at)
        where = at.rows[1].index("Quiz")
        await at.pilot.click(Tabs, offset=(where, 0))
        await at.settle()
        assert at.app.state.exercising.stage == "quiz"


async def test_source_with_markup_and_controls_is_shown_as_it_is():
    lines = code_lines(Code("", 1, ("+[bold]x[/] \x1b[31m", " " + "y" * 200, "-‮z"), diff=True), 40)
    assert lines[0].plain.startswith("+[bold]x[/] ") and "\x1b" not in lines[0].plain
    assert all(line.cell_length <= 40 for line in lines[1:-1])
    assert "‮" not in lines[-1].plain


@pytest.mark.parametrize(
    ("size", "keys"), [((80, 24), ("predict",)), ((160, 50), ("quiz", "c"))], ids=["predict", "wide"]
)
def test_a_page_looks_as_it_did(snap_compare: Any, tmp_path: Path, size: tuple[int, int], keys: tuple[str, ...]):
    app = AdvisorApp(desk(practise=room(tmp_path)), ("tour.ncu-rep",))

    async def run(pilot: Any) -> None:
        at = Driver(pilot.app, pilot)
        await at.settle()
        await opened(at)
        for line in keys:
            await at.say(line)
        await at.settle()

    assert snap_compare(app, terminal_size=size, run_before=run)
    assert exercise(NAME).name == NAME


def test_the_score_looks_as_it_did(snap_compare: Any, tmp_path: Path):
    app = AdvisorApp(desk(practise=room(tmp_path)), ("tour.ncu-rep",))

    async def run(pilot: Any) -> None:
        at = Driver(pilot.app, pilot)
        await at.settle()
        await opened(at)
        for line in ("predict", "mixed", "bank", "2.4", "1"):
            await at.say(line)
        await at.settle()
        assert at.shows("[Answer]", "98 of 100 points")

    assert snap_compare(app, terminal_size=(80, 24), run_before=run)


async def test_dont_know_shows_the_number_and_guesses_no_stage(tmp_path: Path):
    async with session("tour.ncu-rep", practise=room(tmp_path)) as at:
        await opened(at)
        await at.say("napkin")
        await at.say("d")
        assert at.app.state.exercising.stage == "napkin" and at.shows("1.32 GB")


@SIZES
async def test_a_timeline_is_read_and_answered_by_the_keyboard_alone(tmp_path: Path, size: tuple[int, int]):
    async with session("tour.ncu-rep", size=size, practise=room(tmp_path)) as at:
        await at.say("/practice")
        await at.press(*"heat in", "enter")
        assert at.shows("[Story]", "Heat in a plate", "a timeline to read") and not at.shows("Edit")
        await at.press("enter")
        assert at.shows("[Facts]", "Synthetic trace", "kernels", "69.3 %")
        await at.press("enter")
        await at.press(*"synchronisation", "enter")
        assert at.shows("How much time would its fix save")
        await at.say("18 ms")
        assert at.shows("18 ms", "Show the answer")
        await at.press("enter")
        assert at.shows("[Answer]", "of 100 points", "70 of 70")
        await at.press("f6", "f6")
        assert at.shows("[Log]", "Your answer: sync_between_kernels")
        await at.press("f6")
        assert at.shows("[Log]"), "there is no stage after the last"


async def test_a_profile_is_judged_without_a_number(tmp_path: Path):
    async with session("tour.ncu-rep", size=(100, 40), practise=room(tmp_path)) as at:
        await opened(at, "price-update")
        await at.say("facts")
        assert at.shows("60 used, 132 on the GPU", "Utilisation")
        assert not at.shows("Only part of the GPU")
        await at.say("predict")
        await at.press(*"only part", "enter")
        await at.press("enter")
        assert at.shows("100 of 100 points", "the launch could use 60 of 132 SMs")


async def test_escape_in_a_prediction_takes_back_one_part_and_what_was_typed_comes_back(tmp_path: Path):
    async with session("tour.ncu-rep", practise=room(tmp_path)) as at:
        await at.say("/practice")
        await at.press(*"transpose through", "enter", "enter")
        await at.say("1.3 GB")
        while at.app.state.exercising.stage != "predict":
            await at.press("f6")
        await at.press(*"mixed", "enter")
        await at.press(*"bank", "enter")
        assert [kind for kind, _ in at.app.state.exercising.picks] == ["class", "cause"]
        await at.press("escape")
        assert [kind for kind, _ in at.app.state.exercising.picks] == ["class"]
        await at.press("f5")
        await at.press("escape")
        assert not at.app.state.exercising.name, "the list"
        await at.press(*"transpose through", "enter")
        here = at.app.state.exercising
        assert [kind for kind, _ in here.picks] == ["class"] and here.said == ((0, "1.3 GB"),)


@pytest.mark.parametrize(
    ("texts", "typed", "place"),
    [
        (("more", "less"), "b", 1),
        (("more", "less"), "B)", 1),
        (("more", "less"), "2", 1),
        (("1", "2", "32"), "32", 2),
        (("4x", "2x"), "2", None),
        (("more", "less"), "3", None),
        (("more", "less"), "c", None),
        (("more", "less"), "?", None),
    ],
)
def test_an_answer_of_the_quiz_is_named_by_its_letter_or_where_clear_by_its_row(
    texts: tuple[str, ...], typed: str, place: int | None
):
    assert QuizQuestion("", tuple(Answer(text, "") for text in texts)).place(typed) == place
