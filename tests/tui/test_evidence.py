"""The pages of the evidence: what each shows, how they are reached, and what they say where something is unknown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.geometry import Offset
from textual.widgets import Input

from advisor.records.diagnosis import IssueSlots, Location, LostSlots, Place
from advisor.records.readings import Progress
from advisor.session.records import Card
from advisor.session.state import State
from advisor.tui.widgets.evidence import NAMES, Evidence, EvidencePage
from advisor.tui.widgets.evidence_pages import PAGES, EvidenceContext, Layout, evidence_context
from advisor.tui.widgets.lists import Choices
from advisor.tui.widgets.prompt import Prompt
from advisor.tui.widgets.text import CardView, LineWidget, Tabs
from advisor.view.blocks import Line
from advisor.view.charts.roofline_text import AlgorithmNeeds
from tests.changed import replace
from tui.driver import Driver, session
from tui.factory import CONFLICTS, INDEX, METRICS, Analysis, diagnosis, launch

KEYS = {name: page.key for name, page in PAGES.items()}
FULL = {
    **METRICS,
    "duration_ns": 333_000.0,
    "flop": 4e9,
    "fp32_flop": 4e9,
    "dram_bytes": 5e8,
    "intensity": 8.0,
    "gflop_per_s": 12_000.0,
    "dram_peak_bytes_per_s": 4.8e12,
    "inst_executed": 9.4e6,
    "global_load_inst": 524_288.0,
    "local_load_inst": 1000.0,
    "local_inst": 1000.0,
    "l2_load_bytes": 5.37e8,
    "l2_hit_pct": 11.7,
}


def shown(**changes: Any) -> EvidenceContext:
    return replace(
        EvidenceContext(launch(1, "transpose_tile", metrics=FULL), CONFLICTS, metrics=INDEX.metrics), **changes
    )


def page(name: str, what: EvidenceContext, width: int = 70, **how: Any) -> str:
    return "\n".join(line.plain for line in PAGES[name].lines(what, Layout(width, **how)))


def analysis(metrics: Mapping[str, float], **changes: Any) -> Any:
    def analyse(paths: Sequence[Path], gpu: str | None, progress: Progress) -> Analysis:
        return Analysis(diagnosis(launch(0, "one", metrics=metrics, **changes), launch(1, "two", metrics=metrics)))

    return analyse


async def opened(at: Driver) -> Driver:
    """The first launch of the report."""
    await at.say("/kernel 0")
    return at


# Pages by themselves


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", [46, 52, 78, 110])
@pytest.mark.parametrize("blocks", [True, False])
@pytest.mark.parametrize("metrics", [{}, FULL], ids=["nothing", "everything"])
def test_no_page_is_wider_than_asked_and_without_blocks_all_is_ascii(name, width, blocks, metrics):
    hostile = Location("/a/[red]k.cu", 3, 16, "LDG.E R0, [R2.64] \x1b[31m", "samples", 0.5)
    what = shown(
        launch=launch(1, "k\x1b[2J[bold]", metrics=metrics),
        finding=replace(CONFLICTS, locations=(hostile,)),
        earlier=((launch(1, "then", metrics=FULL), "version 1"),),
        needs=AlgorithmNeeds(1e9, 1e8, "f32"),
        napkin=Card("napkin", "transpose", (Line("8.59 GB", "fact", "Needs"),)),
        expected="memory",
    )
    lines = PAGES[name].lines(what, Layout(width, blocks))
    assert lines and all(line.cell_length <= width for line in lines)
    text = "\n".join(line.plain for line in lines)
    assert "\x1b" not in text
    if not blocks:
        text.encode("ascii")


def test_the_units_page_breaks_units_down_and_marks_thresholds_in_words():
    text = page(
        "units", shown(launch=launch(0, "k", metrics={"l2_pct": 70.0, "l2_tags_pct": 70.0, "l2_data_pct": 30.0}))
    )
    rows = text.splitlines()
    l2 = next(at for at, row in enumerate(rows) if row.startswith("  L2"))
    assert rows[l2 + 1].startswith("    tags") and "busy" in rows[l2 + 1] and rows[l2 + 2].startswith("    data")
    assert "60" in rows[1] and "80" in rows[1]


def test_the_roofline_page_names_what_is_missing_and_how_to_collect_it():
    text = page("roofline", shown(launch=launch(0, "k", metrics={"dram_peak_bytes_per_s": 4.8e12})))
    assert "is unknown without its operations, its DRAM bytes and its duration." in " ".join(text.split())
    assert "--section SpeedOfLight_RooflineChart" in text
    assert "this launch:" not in text


def test_the_roofline_page_shows_history_and_napkin_once_there_are_any():
    text = page("roofline", shown())
    assert "this launch: 8 FLOP/byte, 12 TFLOP/s" in text and "/napkin" in text and "napkin estimate" not in text
    text = page(
        "roofline", shown(earlier=((launch(0, "k", metrics=FULL), "as it came"),), needs=AlgorithmNeeds(4e9, 2e8))
    )
    assert "1 as it came: 8 FLOP/byte" in text and "napkin estimate: 20 FLOP/byte" in text and "/napkin" not in text


def test_the_memory_page_marks_local_traffic_and_says_what_it_cannot_show():
    for width in (46, 78):
        text = page("memory", shown(), width)
        assert "local !" in text and "537 MB" in text and "11.7 %" in text and "The chart cannot show" in text
    assert "has no memory chart" in page("memory", shown(launch=launch(0, "w", scope="workload")))


def test_the_source_page_shows_the_places_of_findings_with_their_share_or_where_to_look():
    place = Location("/home/x/k.cu", 12, 16, "LDS R0, [R1]", "excess", 0.62, calls=(Place("/home/x/main.cu", 7),))
    text = page("source", shown(finding=replace(CONFLICTS, locations=(place,))))
    assert "62 % ██████▏··· k.cu:12" in text and "LDS R0" in text and "inlined at main.cu:7" in text
    text = page("source", shown())
    assert "have not been read" in text and "/source" in text
    assert "Typed numbers have no code" in page("source", shown(report=False))


def test_the_napkin_page_sets_needs_beside_what_was_measured():
    text = page("napkin", shown(needs=AlgorithmNeeds(2e9, 4e8), expected="compute"))
    assert "50.0 %" in text and "2 GFLOP of 4 GFLOP" in text and "80.0 %" in text and "400 MB of 500 MB" in text
    assert "Your prediction: compute. Actual: L1/shared-memory-bound." in text
    text = page("napkin", shown(needs=AlgorithmNeeds(2e9, 4e8), launch=launch(0, "k", metrics={})))
    assert text.count("the measured value is unknown") == 2 and "0.0 %" not in text
    assert "/napkin" in page("napkin", shown())


def test_an_algorithm_without_floating_point_needs_none_and_gets_no_share():
    text = page("napkin", shown(needs=AlgorithmNeeds(0.0, 4e8), launch=launch(0, "k", metrics=FULL | {"flop": 0.0})))
    assert "Operations the algorithm needs none" in text and "unknown" not in text and "0 FLOP" not in text
    text = page("napkin", shown(needs=AlgorithmNeeds(2e9, 4e8), launch=launch(0, "k", metrics=FULL | {"flop": 0.0})))
    assert "2 GFLOP; none was measured" in text and "unknown" not in text


def test_the_numbers_page_lists_all_numbers_with_units_and_finds_them_by_name_or_meaning():
    text = page("numbers", shown())
    assert (
        "Evidence for the class" in text
        and "Evidence for the finding" in text
        and f"{len(FULL)} of {len(FULL)}" in text
    )
    assert "dram_pct" in text and "34.0 %" in text
    found = page("numbers", shown(), wanted="dram throughput")
    assert "dram_pct" in found and "l2_pct" not in found and "Evidence for the class" not in found
    assert "No metric has this" in page("numbers", shown(), wanted="nonsense")


# What is shown of a state


def test_before_the_class_was_told_nothing_gives_it_away():
    state = State(place="launch", position=0, diagnosis=diagnosis())
    assert evidence_context(state) is None
    told = replace(state, cards=(Card("class", "DRAM-bound", position=0),))
    assert evidence_context(told) is not None and evidence_context(replace(told, position=1)) is None
    assert evidence_context(replace(state, numbers=True)) is not None


def test_an_exhibit_takes_the_answers_and_the_napkin_of_its_own_launch():
    cards = (Card("class", "", position=0), Card("napkin", "mine", position=0), Card("napkin", "other", position=1))
    answers = ((0, "theoretical_bytes", 5.0), (0, "theoretical_flop", 7.0), (1, "theoretical_bytes", 9.0))
    state = State(place="launch", position=0, diagnosis=diagnosis(), cards=cards, answers=answers)
    made = evidence_context(replace(state, expected=((0, "memory"), (1, "compute"))))
    assert made is not None and made.needs == AlgorithmNeeds(7.0, 5.0) and made.expected == "memory"
    assert made.napkin is cards[1]
    again = evidence_context(replace(state, expected=((0, "memory"),)))
    assert again is not None and again.same(made) and not made.same(None)
    assert not again.same(evidence_context(replace(state, answers=answers[:1])))


# In the terminal


@pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=str)
async def test_every_page_is_reached_by_keys_from_the_choices_and_from_the_prompt(size: tuple[int, int]):
    async with session("tour.ncu-rep", size=size, analyse=analysis(FULL)) as at:
        await opened(at)
        seen = {}
        for name in NAMES:
            await at.press(KEYS[name])
            assert at.app.screen.query_one(Evidence).page == name
            assert f"[{PAGES[name][0]}]" in at.screen
            seen[name] = at.screen
        assert len(set(seen.values())) == len(NAMES)
        await at.press("f6")
        assert at.app.screen.query_one(Evidence).page == NAMES[0]
        await at.press("shift+f6")
        assert at.app.screen.query_one(Evidence).page == NAMES[-1]
        if size[0] >= 110:  # else the evidence is shown instead of the choices
            assert at.app.focused is at.app.screen.query_one(Choices)
        await at.press(":", KEYS["memory"])
        assert at.app.screen.query_one(Evidence).page == "memory"
        prompt = at.app.screen.query_one(Prompt)
        assert at.app.focused is prompt and prompt.value == ""


async def test_a_terminal_that_sends_the_letter_along_types_nothing():
    async with session("tour.ncu-rep", size=(160, 50), analyse=analysis(FULL)) as at:
        await opened(at)
        await at.press(":")
        assert at.app.focused is at.app.screen.query_one(Prompt)
        at.app.post_message(events.Key("alt+m", "m"))
        await at.settle()
        assert at.app.screen.query_one(Evidence).page == "memory"
        assert at.app.screen.query_one(Prompt).value == ""


async def test_on_a_small_screen_the_first_press_shows_the_evidence_and_escape_leaves_it():
    async with session("tour.ncu-rep", analyse=analysis(FULL)) as at:
        await opened(at)
        assert not at.shows("Speed of light")
        await at.press("f6")
        assert at.shows("Speed of light", "[Units]")
        await at.press("f6")
        assert at.shows("[Roofline]", "FLOP per byte of DRAM")
        await at.press("escape")
        assert not at.shows("[Roofline]") and at.shows("Fix first")


async def test_a_click_on_a_tab_shows_its_page():
    async with session("tour.ncu-rep", size=(160, 50), analyse=analysis(FULL)) as at:
        await opened(at)
        tabs = at.app.screen.query_one(Tabs)
        row = next(row for row in at.rows if "[Units]" in row)
        for name in ("memory", "units", "numbers"):
            label = PAGES[name][0]
            await at.pilot.click(tabs, offset=(row.index(label) - tabs.region.x + 1, 0))
            await at.settle()
            assert f"[{label}]" in at.screen


async def test_in_the_panel_arrows_and_digits_turn_pages_and_the_search_narrows_the_numbers():
    async with session("tour.ncu-rep", size=(160, 50), analyse=analysis(FULL)) as at:
        await opened(at)
        evidence = at.app.screen.query_one(Evidence)
        evidence.focus()
        await at.press("right")
        assert evidence.page == "roofline"
        await at.press("left", "left")
        assert evidence.page == "slots"
        await at.press("2")
        assert evidence.page == "roofline"
        await at.press("6", "slash", *"l2_hit")
        assert evidence.page == "numbers" and at.shows("1 of", "l2_hit_pct") and not at.shows("Evidence for the class")
        await at.press("escape")
        assert at.shows("Evidence for the class") and evidence.query_one(Input).value == ""
        # Escape again is the screen's.
        await at.press("escape")
        assert at.app.focused is at.app.screen.query_one(Choices)


async def test_what_is_typed_into_the_search_is_no_answer():
    async with session("tour.ncu-rep", size=(160, 50), analyse=analysis(FULL)) as at:
        await opened(at)
        before = at.app.state
        at.app.screen.query_one(Evidence).focus()
        await at.press("6", "slash", *"quit", "enter")
        assert at.app.state is before and at.app.is_running


async def test_tab_leads_to_the_evidence_the_prompt_and_the_choices_and_the_slash_there_opens_the_prompt():
    async with session("tour.ncu-rep", size=(160, 50), analyse=analysis(FULL)) as at:
        await opened(at)
        screen = at.app.screen
        prompt, evidence, listed = screen.query_one(Prompt), screen.query_one(Evidence), screen.query_one(Choices)
        before = evidence.query_one(Tabs).styles.background
        assert at.app.focused is listed
        await at.press("tab")
        assert at.app.focused is evidence
        assert evidence.query_one(Tabs).styles.background != before, "it is seen where the keys go"
        await at.press("tab")
        assert at.app.focused is prompt and "Choose" in at.rows[-1]
        await at.press("tab")
        assert at.app.focused is listed
        await at.press("tab", "6", "slash", "l", "tab")
        assert at.app.focused is prompt, "from the search too"
        await at.press("escape", "tab", "1", *"//how")
        assert at.app.focused is prompt and prompt.value == "/how"
        await at.press("enter")
        assert at.shows("How  ") and at.app.focused is listed


async def test_escape_leaves_the_prompt_then_the_evidence_then_the_launch():
    async with session("tour.ncu-rep", analyse=analysis(FULL)) as at:
        await opened(at)
        prompt = at.app.screen.query_one(Prompt)
        await at.press("f3", ":", *"dram")
        assert prompt.value == "dram"
        at.app.screen.query_one(Evidence).focus()
        await at.press("escape")
        assert prompt.value == "" and at.shows("[Units]")
        await at.press("escape")
        assert not at.shows("[Units]") and at.app.focused is at.app.screen.query_one(Choices)
        assert at.app.state.place == "launch"
        await at.press("escape")
        assert at.app.state.place == "launches"


async def test_evidence_that_is_hidden_gives_the_keys_back_to_the_choices():
    async with session("tour.ncu-rep", analyse=analysis(FULL)) as at:
        await opened(at)
        await at.press("v")
        assert at.app.focused is at.app.screen.query_one(Evidence)
        await at.press("v")
        assert not at.shows("[Units]") and at.app.focused is at.app.screen.query_one(Choices)
        await at.press(*"/how", "enter")
        assert at.shows("How  ") and at.app.focused is at.app.screen.query_one(Choices)


async def test_a_choice_that_is_taken_leaves_the_letters_actions():
    async with session("tour.ncu-rep", size=(160, 50)) as at:
        await at.open()
        await at.press("enter")
        assert at.app.state.has_card("fix", "bank_conflicts") and at.app.focused is at.app.screen.query_one(Choices)
        await at.press("h")
        assert at.app.state.has_card("proof", "bank_conflicts") and at.app.screen.query_one(Prompt).value == ""


async def test_the_page_stays_when_the_launch_changes_and_shows_the_new_one():
    async with session("tour.ncu-rep", size=(160, 50)) as at:
        await at.say("/kernel 1")
        await at.press("alt+n")
        await opened(at)
        assert at.app.screen.query_one(Evidence).page == "numbers" and at.shows("Evidence for the class: DRAM-bound")


@pytest.mark.heavy
async def test_pages_survive_every_size_and_both_themes():
    async with session("tour.ncu-rep", size=(110, 30), analyse=analysis(FULL)) as at:
        await opened(at)
        for name in NAMES:
            await at.press(KEYS[name])
            for size in ((160, 50), (80, 24), (40, 10), (110, 30)):
                await at.pilot.resize_terminal(*size)
                await at.settle()
                assert all(len(row) <= size[0] for row in at.rows), (name, size)
            assert f"[{PAGES[name][0]}]" in at.screen
            dark = at.screen
            await at.press("ctrl+t")
            assert at.screen == dark, f"the light theme is of other colours alone: {name}"
            await at.press("ctrl+t")


async def test_a_page_is_made_once_and_only_when_it_is_looked_at(monkeypatch: pytest.MonkeyPatch):
    made: list[str] = []

    def counted(name: str) -> Any:
        def build(what: EvidenceContext, how: Layout) -> Any:
            made.append(name)
            return PAGES[name].lines(what, how)

        return PAGES[name]._replace(lines=build)

    monkeypatch.setattr("advisor.tui.widgets.evidence.PAGES", {name: counted(name) for name in NAMES})
    async with session("tour.ncu-rep", size=(160, 50), analyse=analysis(FULL)) as at:
        await opened(at)
        assert set(made) == {"units"}
        await at.press("alt+m", "alt+u", "alt+m", "alt+u")
        await at.say("what is occupancy")
        assert {name: made.count(name) for name in set(made)} == {"units": made.count("units"), "memory": 1}
        assert made.count("units") <= 2  # with and without the scroll bar


@pytest.mark.parametrize("kind", [EvidencePage, CardView])
async def test_what_is_selected_by_mouse_is_the_text_under_it(kind: type[LineWidget]):
    async with session("tour.ncu-rep", size=(160, 50)) as at:
        await at.open()
        widget = max(at.app.screen.query(kind), key=lambda one: one.size.height)
        lines = widget.render().plain.splitlines()
        y = next(n for n, line in enumerate(lines) if n and len(line.strip()) > 8)
        x = len(lines[y]) - len(lines[y].lstrip())
        begin = widget.content_region.offset - widget.region.offset + Offset(x, y)
        end = begin + Offset(5, 0)
        await at.pilot.mouse_down(widget, offset=begin)
        await at.pilot.hover(widget, offset=end)
        await at.pilot.mouse_up(widget, offset=end)
        await at.settle()
        assert at.app.screen.get_selected_text() == lines[y][x : x + 6]


def test_the_slots_page_accounts_for_all_issue_slots_or_says_how_to_collect_them():
    load = Location("k.cu", 7, 0x20, "LDS R5, [R9]", "lost_short_scoreboard", 0.8)
    slots = IssueSlots(40.0, 10.0, (LostSlots("short_scoreboard", 50.0, (load,)),))
    known = page("slots", shown(launch=replace(shown().launch, issue_slots=slots)))
    for text in ("Issued", "40.0 %", "SM without a block", "10.0 %", "Short scoreboard", "LDS R5, [R9] at k.cu:7"):
        assert text in known
    assert "--section SourceCounters" in page("slots", shown())
