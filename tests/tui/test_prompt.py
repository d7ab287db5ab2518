"""The prompt: completing, going back to lines that were sent, copying a card."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.events import Key
from textual.widgets import Input

from advisor.session.choices import choices
from advisor.tui.screens.help import HelpScreen
from advisor.tui.widgets.prompt import History
from tui.driver import Driver, session


def prompt(at: Driver) -> Input:
    return at.app.screen.query_one(Input)


async def test_tab_completes_a_command_and_then_what_it_takes():
    async with session("tour.ncu-rep") as at:
        await at.open()
        await at.press("slash", *"/why", *"n")
        assert at.shows("/whynot")
        await at.press("tab")
        assert prompt(at).value == "/whynot "
        await at.press("tab")
        assert prompt(at).value == "/whynot tail_effect"
        await at.press("enter")
        assert at.app.state.cards[-1].finding == "tail_effect"


async def test_tab_goes_on_to_the_next_way_to_complete():
    async with session("tour.ncu-rep") as at:
        await at.open()
        await at.press("slash", *"/ex", "tab")
        assert prompt(at).value == "/explain "
        await at.press("tab")
        assert prompt(at).value == "/export "
        await at.press("tab")
        assert prompt(at).value == "/explain "


async def test_tab_on_an_empty_line_goes_to_the_next_part_of_the_screen():
    async with session("tour.ncu-rep", size=(160, 50)) as at:
        await at.open()
        await at.press("colon")
        assert at.app.focused is prompt(at)
        await at.press("tab")
        assert at.app.focused is not prompt(at) and prompt(at).value == ""


async def test_tab_does_no_harm_where_there_is_nothing_to_go_to():
    async with session("tour.ncu-rep") as at:
        await at.open()
        await at.press("tab", "slash", *"how", "enter")
        assert at.shows("How  Shared-memory bank conflicts")
        await at.press("colon", *"dra")
        await at.pilot.click("#conversation", offset=(5, 2))
        await at.press("m")
        assert prompt(at).value == "dram", "a click into the conversation takes nothing from the line"


async def test_files_are_completed_from_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("padded.ncu-rep").write_text("")
    async with session("tour.ncu-rep") as at:
        await at.open()
        prompt(at).focus()
        prompt(at).value = "/compare pa"
        prompt(at).cursor_position = len("/compare pa")
        await at.press("tab")
        assert prompt(at).value == "/compare padded.ncu-rep"


async def test_a_line_that_was_sent_is_brought_back_with_alt_and_the_arrows():
    async with session("tour.ncu-rep") as at:
        await at.open()
        await at.say("/explain occupancy")
        await at.say("/evidence")
        await at.press("colon", *"dra", "alt+up")
        assert prompt(at).value == "/evidence"
        await at.press("alt+up")
        assert prompt(at).value == "/explain occupancy"
        await at.press("alt+up", "alt+down", "alt+down", "alt+down")
        assert prompt(at).value == "dra"


def test_a_repeated_line_is_remembered_once_and_the_way_has_two_ends():
    history = History()
    for line in ("a", "a", " ", "b"):
        history.add(line)
    assert [history.step(-1, "x") for _ in range(3)] == ["b", "a", None]
    assert [history.step(1, "b") for _ in range(3)] == ["b", "x", None]


async def test_the_newest_card_is_copied_and_the_session_says_so():
    async with session("tour.ncu-rep", notes=True) as at:
        await at.open()
        await at.say("/evidence")
        await at.press("ctrl+y")
        assert at.app.clipboard.startswith("Evidence  Shared-memory bank conflicts\n")
        assert "shared_wavefront_ratio = 16.5, test > 1.1" in at.app.clipboard
        assert at.shows("Copied")


async def test_without_a_card_there_is_nothing_to_copy():
    async with session("tour.ncu-rep", notes=True) as at:
        await at.press("ctrl+y")
        assert at.app.clipboard == "" and at.shows("nothing to copy yet")


async def test_what_could_have_been_meant_is_among_the_choices_and_enter_alone_takes_none():
    async with session("tour.ncu-rep") as at:
        await at.open()
        await at.say("/whynot tial efect")
        assert at.shows("Not understood", "   /whynot tail_effect")
        before = at.app.state
        await at.press("enter", "enter")
        assert at.app.state is before
        await at.press("down", "enter")
        assert at.shows("Why not  Tail effect")
        assert not any(row.startswith("   /whynot tail_effect") for row in at.rows), "no choice any more"


async def test_banana_is_answered_with_help_and_not_with_silence():
    async with session("tour.ncu-rep") as at:
        await at.open()
        await at.say("banana")
        assert at.shows("Not understood  banana", "   /help")


async def test_in_the_list_a_note_says_what_could_have_been_meant():
    async with session("tour.ncu-rep", notes=True) as at:
        await at.say("/kernel transpse")
        assert at.notes == ["Give the number or the kernel of one launch. Did you mean: /kernel transpose_tile"]
        assert at.shows("Did you mean: /kernel", "transpose_tile")


@pytest.mark.parametrize("key", ["slash", "colon"])
@pytest.mark.parametrize(
    ("typed", "shows"),
    [
        ("what next", "Fix  "),
        ("how much faster does it get", "Answer  how much faster does it get"),
        ("/what next", "Fix  "),
        ("/how much faster does it get", "Answer  how much faster does it get"),
        ("/help", "What you can type"),
    ],
)
async def test_the_key_that_opens_the_prompt_is_no_part_of_the_line(key: str, typed: str, shows: str):
    async with session("tour.ncu-rep", size=(120, 60)) as at:
        await at.open()
        await at.press(key)
        assert at.app.focused is prompt(at) and prompt(at).value == ""
        await at.press(*("space" if c == " " else c for c in typed), "enter")
        assert at.shows(shows) and not at.shows("Not understood")


async def test_after_a_line_that_failed_letters_act_and_a_slash_opens_the_prompt_again():
    async with session("tour.ncu-rep") as at:
        await at.open()
        await at.say("banana")
        assert at.app.focused is not prompt(at) and at.shows("press / and type it in other words")
        await at.press("slash", *"fix")
        assert prompt(at).value == "fix"
        await at.press("escape", "f")
        assert prompt(at).value == "" and at.app.state.cards[-1].kind in ("fix", "next")


async def test_letters_act_while_a_question_is_open_and_other_characters_begin_its_answer():
    async with session("tour.ncu-rep") as at:
        await at.open()
        await at.say("theoretical_bytes")
        assert at.app.state.ask is not None and at.shows("d I don't know", "q Why is this asked?", "a Answer later")
        await at.press("w")
        assert at.app.state.view == "whatif", "a letter does what it does on every screen"
        await at.press("escape", "q")
        assert at.app.state.ask is not None and at.app.state.cards[-1].label == "Why"
        await at.press("6", "4", "space", "u")
        assert prompt(at).value == "64 u", "a digit has begun a line"
        await at.press("escape")
        assert prompt(at).value == "" and at.app.state.ask is not None
        await at.press("escape")
        assert at.app.state.ask is None and at.app.state.place == "launch", (
            "back one level: the question, not the launch"
        )
        await at.say("theoretical_bytes")
        await at.press("d")
        assert at.app.state.ask is None and at.app.state.unknown


async def test_letters_that_arrive_at_once_are_pasted_text_not_actions():
    async with session("tour.ncu-rep") as at:
        await at.open()
        await at.say("dtype")
        for letter in "double":
            at.app.post_message(Key(letter, letter))
        await at.settle()
        assert prompt(at).value == "double" and at.app.state.ask is not None


async def test_a_path_is_typed_into_an_open_prompt_with_its_letters():
    async with session("tour.ncu-rep") as at:
        await at.open()
        await at.press("c")
        assert at.app.focused is prompt(at), "the question asks for a line of text"
        await at.press("slash", *"fix")
        assert prompt(at).value == "/fix"
        await at.press("escape", "escape")
        assert at.app.state.ask is None and at.app.state.place == "launch"


async def test_a_line_that_failed_moves_no_number_of_the_open_question():
    async with session("tour.ncu-rep", predict=True) as at:
        await at.open()
        before = [choice.id for choice in choices(at.app.state)]
        await at.say("banana")
        assert [choice.id for choice in choices(at.app.state)][: len(before)] == before
        assert at.shows("Not understood  banana")


async def test_a_question_mark_opens_the_help_from_an_empty_prompt_and_is_typed_into_any_other():
    async with session("tour.ncu-rep") as at:
        await at.open()
        await at.press("slash", "question_mark")
        assert isinstance(at.app.screen, HelpScreen)
        await at.press("escape", *"why", "question_mark")
        assert prompt(at).value == "why?"


async def test_the_next_finding_of_a_launch_that_has_none_is_told_so_once():
    async with session("tour.ncu-rep") as at:
        await at.open()
        for _ in range(9):
            await at.press("n")
        titles = [(card.label, card.title) for card in at.app.state.cards]
        assert titles.count(("Next finding", "None")) == 1 and not at.shows("Not understood")
        assert at.shows("All findings of this launch are shown above", "l returns to the list of launches")
