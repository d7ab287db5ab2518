"""The source screen: hot lines, their instructions, what they wait for; searched and filtered with the keyboard."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from advisor.records.errors import InputError
from advisor.tui.screens.session import SessionScreen
from advisor.tui.screens.source import SourceScreen
from advisor.tui.widgets.evidence_pages import PAGES, Layout, evidence_context
from advisor.tui.widgets.lists import Rows
from advisor.tui.widgets.prompt import Prompt
from tests.changed import replace
from tui.code_factory import CODE, TEXT, listing, locator
from tui.driver import Driver, session
from tui.factory import diagnosis, launch

SIZES = pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])


@asynccontextmanager
async def source(
    size: tuple[int, int] = (80, 24), locate: Any = None, blocks: bool = True, **sources: Any
) -> AsyncIterator[Driver]:
    """The source screen of the transpose with bank conflicts."""
    made = locate or locator()
    async with session("tour.ncu-rep", size=size, blocks=blocks, locate=made, **sources) as at:
        await at.open()
        await at.press("f7")
        assert isinstance(at.app.screen, SourceScreen)
        yield at


async def typed(at: Driver, text: str) -> None:
    """Typed in the line below the lists, from a list."""
    at.app.screen.query_one(Prompt).focus()
    await at.say(text)


def rows(at: Driver, ident: str = "code") -> Rows:
    return at.app.screen.query_one(f"#{ident}", Rows)


def notes(at: Driver) -> str:
    """What was said in passing."""
    return " ".join(at.notes)


def sass(at: Driver) -> str:
    """The instruction under the cursor, as it stands on the screen."""
    region = rows(at).region
    return next(line[region.x :] for line in at.rows[region.y : region.bottom] if line[region.x :].startswith("▸"))


@SIZES
async def test_it_opens_at_the_findings_own_place_and_says_how_far_lines_can_be_trusted(size: tuple[int, int]):
    async with source(size) as at:
        assert at.shows(
            "excess_wavefronts", "is Shared-memory bank conflicts", "100 % of executed instructions have a line in k.cu"
        )
        assert at.shows(":7", "sum += tile[x][y]", "LDS R5, [R9]", "100 %")
        assert "LDS" in sass(at), "the cold ones come after it"
        await at.press("escape")
        assert isinstance(at.app.screen, SessionScreen)


async def test_a_search_keeps_what_matches_and_x_or_undo_brings_the_others_back():
    async with source() as at:
        await typed(at, "samples")
        assert at.shows("stall samples (samples), total 100", "FFMA", "STS")
        await at.press("slash", "L", "D", "enter")
        assert at.shows("only /LD: 2 of 8 instructions", "LDG.E", "LDS") and not at.shows("FFMA")
        await at.press("x")
        assert at.shows("FFMA") and not at.shows("only /LD")
        await typed(at, "share > 15%")
        assert at.shows("only share>15%: 2 of 8") and not at.shows("FFMA")
        await typed(at, "share>50%")
        assert at.shows("only share>50%: 1 of 8"), "one comparison a field and direction"
        await at.press("f4")
        assert at.shows("only share>15%: 2 of 8")


async def test_a_search_finds_every_instruction_that_matches_whatever_its_share_of_the_measure():
    async with source() as at:
        await typed(at, "/LD[GS]")
        assert at.shows("excess_wavefronts", "only /LD[GS]: 2 of 8 instructions", "LDS R5", "LDG.E R4", "0 %")
        await typed(at, "/LDG")
        assert at.shows("only /LDG: 1 of 8") and "LDG.E" in sass(at)
        assert "●" not in at.screen, "none of it is hot"
        await typed(at, "/nothing")
        assert at.shows("only /nothing: 0 of 8", "The measure is 0 on every line, or the filters exclude them all")


async def test_the_evidence_keeps_the_findings_own_places_whatever_is_searched_for():
    async with source((160, 50)) as at:
        await typed(at, "instructions")
        await typed(at, "/STS")
        for _ in range(8):
            await at.press("b")
        await at.press("escape")
        what = evidence_context(at.app.state)
        assert what is not None
        text = "\n".join(line.plain for line in PAGES["source"].lines(what, Layout(70)))
        assert "Shared-memory bank conflicts" in text and "Hot lines by shared-memory wavefronts beyond" in text
        assert "100 % ██████████ k.cu:7" in text and "sum += tile" in text and "LDS R5, [R9]" in text
        assert "k.cu:5" not in text and text.count("k.cu:7") == 1


async def test_what_is_no_search_is_told_and_changes_nothing():
    async with source() as at:
        before = at.app.state.source_query
        for text, said in (
            ("/(", "not a regular expression"),
            ("speed>5", "fields:"),
            ("[z", "not a regular expression"),
        ):
            await typed(at, text)
            assert said in notes(at), text
            assert at.app.state.source_query == before and isinstance(at.app.screen, SourceScreen)


async def test_measures_go_round_and_can_be_named():
    async with source((160, 50)) as at:
        assert at.app.state.source_query is not None
        seen = set()
        for _ in range(12):
            await at.press("b")
            seen.add(at.app.state.source_query.by)
        assert {"samples", "instructions", "excess_wavefronts", "load_wait"} <= seen
        assert "fp64" not in seen, "a measure that the launch has nothing of is passed over"
        first = at.app.state.source_query.by
        await at.press("b", "B")
        assert at.app.state.source_query.by == first, "the shifted letter goes the other way"
        await typed(at, "load_wait")
        assert at.shows("long-scoreboard samples, at the load waited for") and "LDG.E" in sass(at)


@SIZES
async def test_column_sets_go_round_and_can_be_named(size: tuple[int, int]):
    async with source(size) as at:
        await at.press("d")
        assert at.shows("columns: memory", "wavefr.", "(ideal)")
        await typed(at, "predication")
        assert at.shows("columns: predication", "lanes") and not at.shows("wavefr.")
        await typed(at, "none")
        assert not at.shows("columns:")


@SIZES
async def test_columns_leave_the_instruction_its_room_and_the_file_is_named_once(size: tuple[int, int]):
    code = tuple((one[0].replace("LDS R5, [R9]", "LDS R17, [R14+0x40]"), *one[1:]) for one in CODE)
    async with source(size, locate=locator(listing(file="/home/me/transpose_tile_of_mine.cu", code=code))) as at:
        for _ in range(4):
            await at.press("d")
            assert "LDS R17, [R14+0x40]" in sass(at), at.app.state.source_query
            assert at.screen.count("transpose_tile_of_mine.cu") == 1 and not at.shows("…nspose")
        assert "█" not in sass(at) or size[0] > 80


async def test_columns_of_code_from_several_files_leave_the_opcode_and_its_first_operands():
    made = listing(file="/home/me/transpose_tile_of_mine.cu")
    first = replace(made.rows[0], file="/usr/include/cuda_fp16.hpp", line=1234)
    async with source((80, 24), locate=locator(replace(made, rows=(first, *made.rows[1:])))) as at:
        assert ".cu:7" in sass(at) and not at.shows("have a line in")
        await at.press("d")
        assert "…mine.cu:7" in sass(at) and "LDS R5, [R9]" in sass(at), "the place gives way"


async def test_columns_tell_of_cold_instructions_too():
    async with source((160, 50)) as at:
        await at.press("d")
        region = rows(at).region
        load = next(line for line in at.rows[region.y : region.bottom] if "LDG.E" in line)
        assert "800" in load, "it ran, though it has none of the measure"


async def test_enter_on_a_line_shows_its_instructions_and_a_those_of_all():
    async with source() as at:
        await typed(at, "samples")
        await at.press("enter")
        assert at.shows("k.cu:5 (a: all)", "STS", "LDG") and not at.shows("FFMA")
        await at.press("a")
        assert at.shows("all (a: line)", "FFMA")


async def test_all_is_every_instruction_the_cold_after_the_hot():
    async with source((160, 50)) as at:
        assert at.shows("all (a: line)", "MOV R1", "EXIT")
        await at.press("a")
        assert at.shows("k.cu:7 (a: all)", "LDS", "FFMA R10") and not at.shows("MOV R1")
        await at.press("a", "tab", "]")
        assert "LDS" in sass(at) and "No further hot place" in notes(at)


async def test_in_the_order_of_the_code_cold_instructions_stand_too_and_brackets_go_from_hot_to_hot():
    async with source((160, 50)) as at:
        await typed(at, "samples")
        await at.press("o", "1", "home")
        assert at.shows("MOV R1", "EXIT") and "MOV" in sass(at)
        hot = []
        for _ in range(4):
            await at.press("]")
            hot.append(sass(at))
        assert [each.split("0x")[1].split()[1] for each in hot] == ["STS", "LDS", "FFMA", "FFMA"]
        assert "No further hot place in that direction" in notes(at)
        await at.press("[")
        assert "LDS" in sass(at)


async def test_from_what_waits_to_the_load_that_it_waits_for_and_to_the_most_live_registers():
    async with source((160, 50)) as at:
        await typed(at, "samples")
        assert at.shows("long scoreboard 100 %, for LDG.E R4")
        await at.press("j")
        assert "LDG.E" in sass(at)
        await at.press("j")
        assert "does not show what this instruction waits for" in notes(at)
        await at.press("z")
        view = at.app.screen.view  # type: ignore[attr-defined]
        assert view.peak is not None and view.peak.row.sass in sass(at)


async def test_the_panes_show_source_text_ptx_and_the_shape_of_the_kernel():
    async with source() as at:
        await at.press("2")
        assert at.shows("[2 Source text]", "for (int i = 0; i < n; ++i) {", "sum += tile")
        region = rows(at).region
        assert any("▸" in line and "sum +=" in line for line in at.rows[region.y : region.bottom])
        await at.press("3")
        assert at.shows("The report holds no PTX")
        await at.press("4")
        assert at.shows("Loops", "Loop 1: k.cu:4-7")
        await at.press("end")
        assert at.shows("Registers", "Shared memory, by base register")
        await at.press("1")
        assert at.shows("LDS R5")


async def test_a_large_screen_has_the_text_under_the_lines():
    async with source((160, 50)) as at:
        assert at.shows("for (int i = 0; i < n; ++i) {", "LDS R5, [R9]")


async def test_without_line_information_it_says_so_and_shows_instructions():
    async with source(locate=locator(listing(lines=False))) as at:
        assert at.shows("No line information: compile with -lineinfo", "LDS R5, [R9]", "no line")
        assert at.app.focused is rows(at)
        await at.press("2")
        assert at.shows("No line information")


async def test_what_cannot_be_read_is_said_and_can_be_tried_again():
    broken = [True]

    def locate(judged: Any, request: Any, progress: Any) -> Any:
        if broken[0]:
            raise InputError("tour.ncu-rep: launch 1 holds no per-instruction data")
        return locator()(judged, request, progress)

    async with source(locate=locate) as at:
        assert at.shows("holds no per-instruction data", "Ctrl+R retries")
        broken[0] = False
        await at.press("ctrl+r")
        assert at.shows("LDS R5, [R9]") and not at.shows("per-instruction data")
        assert [c.kind for c in at.app.state.cards].count("error") == 0, "the view says it, not the conversation"


async def test_reading_is_called_off_with_escape_and_the_screen_left_with_another():
    has_begun, go_on = threading.Event(), threading.Event()

    def locate(judged: Any, request: Any, progress: Any) -> Any:
        has_begun.set()
        go_on.wait(120)
        return locator()(judged, request, progress)

    async with session("tour.ncu-rep", locate=locate) as at:
        await at.open()
        await at.pilot.press("f7")
        await asyncio.to_thread(has_begun.wait, 120)
        # What takes longer than a moment is told.
        await at.until(lambda: at.shows("reading the instructions", "Esc cancels"))
        await at.pilot.press("escape")
        await at.pilot.pause()
        assert at.shows("Cancelled.") and isinstance(at.app.screen, SourceScreen)
        go_on.set()
        await at.press("escape")
        assert isinstance(at.app.screen, SessionScreen)


HOSTILE = "[bold red]x[/]\x1b[31m\u202egnp\u202c.cu"


@SIZES
async def test_names_and_lines_from_a_report_are_shown_and_never_obeyed(size: tuple[int, int]):
    text = "\n".join(["[blink]on[/blink] \x1b[2J\u2066 " + "y" * 10_000] * 9)
    code = tuple((f"{one[0]} [link=x]\x1b]0;t\x07", *one[1:]) for one in CODE)
    bad = listing(file="/home/" + "d" * 10_000 + "/" + HOSTILE, text=text, code=code)

    class One:
        diagnosis = diagnosis(launch(0, "[red]evil[/red]\x1b[31m" + "k" * 10_000))

    async with session("x.ncu-rep", size=size, locate=locator(bad), analyse=lambda p, g, r: One()) as at:
        await at.settle()
        await at.pilot.press("enter")
        await at.settle()
        await at.press("f7")
        for key in ("2", "4", "1", "o", "down", "a"):
            await at.press(key)
            assert "\x1b" not in at.screen and "\u202e" not in at.screen and "\u2066" not in at.screen
            assert all(len(line) == size[0] for line in at.rows)
        assert at.shows("[red]evil[/red]", "[blink]on[/blink]")


async def test_without_block_characters_every_sign_is_plain():
    async with source((80, 24), blocks=False) as at:
        assert at.shows("> * 100 %", "########") and not any(sign in at.screen for sign in "█●▸")


async def test_typed_numbers_have_no_source_and_a_launch_is_needed_for_one():
    async with session() as at:
        await at.press("f7")
        assert isinstance(at.app.screen, SessionScreen)
        assert at.app.state.view == ""


async def test_resizing_keeps_the_place():
    async with source((160, 50)) as at:
        await typed(at, "samples")
        await at.press("tab", "down", "down")
        here = sass(at).split("0x")[1]
        await at.pilot.resize_terminal(80, 24)
        await at.settle()
        assert sass(at).split("0x")[1].split()[:2] == here.split()[:2]


async def test_where_no_instruction_has_much_the_ones_with_the_most_are_still_gone_to():
    flat = tuple(("FFMA R4, R4, R5, R6", 5, 800, 9 if at % 8 == 0 else 1, 0, 0) for at in range(240))
    async with source((160, 50), locate=locator(listing(code=flat))) as at:
        await typed(at, "samples")
        await at.press("o", "1", "home", "]")
        assert rows(at).at == 8, "under 5 % of the whole, and yet the hottest there are"


async def test_the_key_of_the_prompt_leaves_no_slash_a_measure_sorts_and_anything_else_searches():
    async with source() as at:
        await at.press("slash", *"samples", "enter")
        assert at.shows("stall samples (samples)") and not at.shows("only /")
        await at.press("slash", *"LDG", "enter")
        assert at.shows("only /LDG: 1 of 8 instructions")
        await at.press("escape")
        assert not at.shows("only /LDG"), "Escape removes the search before it leaves"
        await at.press("escape")
        assert isinstance(at.app.screen, SessionScreen)


async def test_the_instructions_follow_the_selected_line():
    async with source((160, 50)) as at:
        screen = at.app.screen
        for _ in range(3):
            line, rows = screen._line, screen._rows  # type: ignore[attr-defined]
            here = screen._instruction  # type: ignore[attr-defined]
            assert line is not None and here in screen._code.instructions(line, False, False).places  # type: ignore[attr-defined]
            assert rows.count == 8, "all instructions stay listed"
            await at.press("down")


async def test_a_long_line_is_scrolled_sideways_to_its_end_and_back():
    async with source((44, 24)) as at:
        listed = rows(at, "lines")
        whole = listed._draw(0, 200).text.plain  # type: ignore[union-attr]
        before = at.screen
        assert at.shows("tile[x][y];"), "the whole line under the cursor is below the list"

        def first() -> str:
            return next(row for row in at.rows if "100 % █" in row)

        assert whole[-12:] not in first()
        for _ in range(20):
            await at.press("right")
        assert whole[-12:] in first()
        for _ in range(20):
            await at.press("left")
        assert at.screen == before


async def test_a_question_typed_as_a_search_is_answered_and_not_searched_for():
    async with source() as at:
        await at.press("slash", *"how much faster?", "enter")
        assert isinstance(at.app.screen, SessionScreen)
        assert at.app.state.source_query is None or not at.app.state.source_query.search
        assert at.shows("how much faster?")


async def test_scrolled_sideways_a_line_keeps_its_share_and_its_number():
    text = TEXT.replace("sum += tile[x][y]", "sum += " + " + ".join(f"tile[x][{n}]" for n in range(40)))
    async with source((80, 24), locate=locator(listing(text=text))) as at:

        def first() -> str:
            return next(row for row in at.rows if "100 % █" in row)

        assert ":7" in first() and "tile[x][0]" in first()
        await at.press("right", "right")
        assert ":7" in first() and "tile[x][0]" not in first()
