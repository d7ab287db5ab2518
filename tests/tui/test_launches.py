"""The table of launches: shares of time, totals, orders, filter, several reports, unknown durations, the mouse."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from advisor.records.diagnosis import Diagnosis, Verdict
from advisor.records.readings import Progress, ReportInfo
from advisor.session import events as e
from advisor.session.actions.question import QuestionAsked
from advisor.session.language.launch_pairs import two_launches
from advisor.session.language.understand import understand
from advisor.session.reducer import replay
from advisor.session.state import State
from advisor.tui.app import AdvisorApp
from advisor.tui.screens.launches import LaunchesScreen
from advisor.tui.widgets.launches import (
    ORDERS,
    LaunchTable,
    arranged,
    exactly,
    rows_of,
    share_text,
    summary,
    told_apart,
)
from advisor.tui.widgets.prompt import Prompt
from advisor.view.pages.diagnosis import grouped
from tests.changed import replace
from tui.driver import Driver, session
from tui.factory import CONFLICTS, DONE, NARROW, Analysis, desk, diagnosis, launch


def three() -> Diagnosis:
    return diagnosis(
        launch(0, "b_slow", duration_ns=600_000.0),
        launch(1, "a_unknown", duration_ns=None, findings=()),
        launch(2, "c_quick", duration_ns=200_000.0, findings=(DONE, NARROW)),
    )


def given(made: Diagnosis) -> Any:
    def analyse(paths: Sequence[Path], gpu: str | None, progress: Progress) -> Analysis:
        return Analysis(made)

    return analyse


def kernels(at: Driver) -> list[str]:
    return [row.kernel for row in at.app.screen.query_one(LaunchTable).kept]


# Rows


def test_shares_are_of_the_time_that_is_known_and_an_unknown_time_has_none():
    rows = rows_of(three())
    assert [row.share for row in rows] == [0.75, None, 0.25]
    assert summary(rows, rows, "report").endswith("800 µs of kernel time; 1 of unknown duration")
    assert rows[1].time == "unknown" and rows[1].back is None


@pytest.mark.parametrize(
    ("order", "down"),
    [
        ("report", [0, 1, 2]),
        ("kernel", [1, 0, 2]),
        ("duration", [0, 2, 1]),
        ("class", [0, 1, 2]),
        ("finding", [2, 0, 1]),
        ("gain", [0, 1, 2]),
        ("saves", [0, 2, 1]),
    ],
)
def test_what_is_unknown_or_empty_comes_last_in_either_direction(order: str, down: list[int]):
    rows = rows_of(three())
    assert [row.position for row in arranged(rows, "", order)] == down
    up = [row.position for row in arranged(rows, "", order, upwards=True)]
    if order == "duration":
        assert up == [2, 0, 1]
    if order == "finding":
        assert up == [0, 2, 1]
    assert sorted(up) == [0, 1, 2]


def test_the_filter_finds_what_a_row_shows_and_the_file_of_several():
    made = three()
    two = replace(
        made,
        reports=(made.reports[0], ReportInfo("/x/other.ncu-rep", "1" * 64, "ncu", "ncu-rep")),
        launches=(*made.launches, launch(0, "d_other", report=1)),
    )
    rows = rows_of(two)
    assert [row.position for row in arranged(rows, "near c_", "report")] == [2]
    assert not arranged(rows, "narrow", "report")  # found, but not first: the row would not say why it is there
    assert [row.position for row in arranged(rows, "other.ncu", "report")] == [3]
    assert rows[3].number == "1#0" and rows_of(made)[0].report == ""


def test_the_summary_adds_up_what_is_shown_and_names_what_has_no_time():
    rows = rows_of(three())
    assert summary(rows, rows, "duration") == "3 of 3 launches, by time; 800 µs of kernel time; 1 of unknown duration"
    kept = arranged(rows, "quick", "report")
    assert summary(rows, kept, "report") == "1 of 3 launches, in order of the report; 200 µs, 25 % of kernel time"
    assert "reversed" in summary(rows, rows, "kernel", upwards=True)
    assert summary((), (), "report") == ""
    assert summary(rows, kept, "report", wanted="quick").startswith("Filter “quick”, Esc shows all: 1 of 3")


# On the screen


async def test_times_and_shares_stand_in_the_table_with_a_bar_where_there_is_room():
    async with session("tour.ncu-rep", size=(80, 24), analyse=given(three())) as at:
        slow, unknown = (next(row for row in at.rows if name in row) for name in ("b_slow", "a_unknown"))
        assert "600 µs" in slow and "75 %" not in slow, "the cause needs the room"
        assert "unknown" in unknown.replace("a_unknown", "") and "0 %" not in unknown
    async with session("tour.ncu-rep", size=(90, 24), analyse=given(three())) as at:
        assert at.shows("Shared-memory bank conflicts") and not at.shows("75 %"), "the cause needs the room"
    async with session("tour.ncu-rep", size=(99, 24), analyse=given(three())) as at:
        slow, unknown = (next(row for row in at.rows if name in row) for name in ("b_slow", "a_unknown"))
        assert "600 µs" in slow and "75 %" in slow and "█" not in slow
        assert "unknown" in unknown.replace("a_unknown", "") and "?" in unknown and "0 %" not in unknown
    async with session("tour.ncu-rep", size=(200, 24), analyse=given(three())) as at:
        slow, quick = (next(row for row in at.rows if name in row) for name in ("b_slow", "c_quick"))
        assert slow.count("█") > quick.count("█") > 0
    async with session("tour.ncu-rep", size=(200, 24), blocks=False, analyse=given(three())) as at:
        slow = next(row for row in at.rows if "b_slow" in row)
        assert "#########" in slow and "█" not in at.screen


async def test_keys_sort_and_turn_round_and_a_click_on_a_head_does_both():
    async with session("tour.ncu-rep", size=(120, 24), analyse=given(three())) as at:
        for order in (*ORDERS[1:], ORDERS[0]):
            await at.press("o")
            assert kernels(at) == [row.kernel for row in arranged(rows_of(three()), "", order)]
        await at.press(*["f5"] * ORDERS.index("report"))
        assert kernels(at) == ["b_slow", "a_unknown", "c_quick"]
        await at.press("shift+f5")
        assert kernels(at) == ["c_quick", "a_unknown", "b_slow"]
        await at.press("O")
        assert kernels(at) == ["b_slow", "a_unknown", "c_quick"]
        await at.press("O")
        assert kernels(at) == ["c_quick", "a_unknown", "b_slow"]
        head = next(row for row in at.rows if "First finding" in row)
        await at.pilot.click(LaunchTable, offset=(head.index("Kernel") + 1, 0))
        await at.settle()
        assert kernels(at) == ["a_unknown", "b_slow", "c_quick"] and at.shows("Kernel ▾")
        await at.pilot.click(LaunchTable, offset=(head.index("Kernel") + 1, 0))
        await at.settle()
        assert kernels(at) == ["c_quick", "b_slow", "a_unknown"] and at.shows("Kernel ▴")


async def test_the_cursor_stays_on_its_launch_when_the_order_changes():
    async with session("tour.ncu-rep", analyse=given(three())) as at:
        await at.press("ctrl+end")
        table = at.app.screen.query_one(LaunchTable)
        assert table.position == 1, "an unknown time comes last"
        await at.press(*["f5"] * ORDERS.index("report"))
        assert table.position == 1 and table.cursor_row == 1
        await at.press("ctrl+home")
        assert table.position == 0


async def test_typing_filters_enter_opens_and_a_line_that_matches_nothing_is_understood():
    async with session("tour.ncu-rep", analyse=given(three())) as at:
        await at.press("slash", *"quick")
        assert kernels(at) == ["c_quick"] and at.shows("1 of 3 launches")
        await at.press("enter")
        assert at.app.state.place == "launches" and at.app.screen.query_one(LaunchTable).has_focus
        await at.press("enter")
        assert at.app.state.position == 2 and at.app.state.place == "launch"
        await at.press("l", "slash", *"kernel 1", "enter")
        assert at.app.state.position == 1
        await at.press("l", "down", "colon", *"/kernel 0", "enter")
        assert at.app.state.position == 0
        await at.press("l")
        before = at.app.state
        await at.press("slash", *"zzz", "enter")
        assert at.app.state.place == before.place and len(kernels(at)) == 3


def numbered() -> Diagnosis:
    """Launch 5 stands behind 15 by name, and both behind 51 by time."""
    names = {5: "tiles", 15: "pairs", 30: "twice", 31: "twice", 51: "apart"}
    return diagnosis(
        *(launch(at, names.get(at, f"kernel_{at:02}"), duration_ns=1e4 + 100.0 * at, findings=()) for at in range(52))
    )


async def test_a_launch_is_chosen_by_its_very_number_in_every_order():
    async with session("tour.ncu-rep", analyse=given(numbered())) as at:
        for order in ORDERS:
            await at.press("slash", "5")
            assert len(kernels(at)) > 1, order
            await at.press("enter", "enter")
            assert at.app.state.position == 5, order
            await at.press("l", "f5")


def test_a_whole_number_or_name_means_one_launch_and_a_part_or_a_shared_name_none():
    made = numbered()
    rows = rows_of(made)
    assert [exactly(rows, text) for text in ("5", " #15 ", "TILES")] == [5, 15, 5]
    assert [exactly(rows, text) for text in ("", "tile", "52", "1#5", "twice")] == [None] * 5
    two = replace(made, reports=made.reports * 2, launches=(*made.launches, launch(5, "later", report=1)))
    assert exactly(rows_of(two), "1#5") == 52 and exactly(rows_of(two), "5") is None


async def test_a_number_that_was_typed_holds_the_cursor_no_longer_than_the_user_wants():
    async with session("tour.ncu-rep", analyse=given(numbered())) as at:
        table = at.app.screen.query_one(LaunchTable)
        await at.press("slash", "5", "down")
        there = table.position
        assert there not in (None, 5)
        await at.press("f5")
        assert table.position == there


async def test_after_a_launch_the_list_is_whole_again_with_the_cursor_on_it():
    async with session("tour.ncu-rep", analyse=given(numbered())) as at:
        await at.press("x")
        table = at.app.screen.query_one(LaunchTable)
        for back in ("f2", "f4", "l", "u", "escape"):
            await at.press("home", "slash", *"15", "enter", "enter", back)
            assert len(table.kept) == 52 and table.position == 15, back
            assert table.has_focus and at.app.screen.query_one(Prompt).value == "", back
        await at.press("slash", *"apart")
        assert kernels(at) == ["apart"]


async def test_the_cursor_stands_on_the_launch_that_was_looked_at_however_it_was_chosen():
    async with session("tour.ncu-rep", analyse=given(numbered())) as at:
        await at.press("enter")
        await at.say("/kernel 7")
        await at.press("f2")
        table = at.app.screen.query_one(LaunchTable)
        assert table.position == 7
        # Help leaves filter and cursor alone.
        await at.press("slash", *"kernel", "down", "f1", "escape")
        assert table.position == 8 and at.app.screen.query_one(Prompt).value == "kernel"


def test_a_share_is_told_alike_in_the_row_and_in_the_summary():
    rows = rows_of(diagnosis(launch(0, "most", duration_ns=994_000.0), launch(1, "least", duration_ns=6_000.0)))
    assert share_text(0.0096) == "1 %" and share_text(0.0094) == "<1 %" and share_text(0.0) == "0 %"
    assert summary(rows, rows[1:], "report").endswith("6 µs, <1 % of kernel time")
    table = LaunchTable()
    assert table.share_cell(rows[1], 1.0).strip() == "<1 %"


@pytest.mark.parametrize("width", [80, 200])
async def test_what_is_cut_says_so_and_every_order_shows_its_mark(width: int):
    mixed = Verdict(id="memory_bound_mixed", title="Memory-bound, mixed", margin=0.1, because="")
    made = diagnosis(*three().launches, launch(3, "d_mixed", duration_ns=1e5, verdict=mixed))
    async with session("tour.ncu-rep", size=(width, 24), analyse=given(made)) as at:
        inner, both = (next(row for row in at.rows if name in row) for name in ("b_slow", "d_mixed"))
        assert "L1/shared-memory-bound" in inner if width > 100 else "L1/shared-me… " in inner
        assert "Memory-bound, mixed" in both if width > 100 else "Memory-bound… " in both
        assert at.shows("Saves ▾")
        for order, head in zip(ORDERS[1:-1], ("Time", "Kernel", "Class", "First finding", "Gain"), strict=True):
            await at.press("f5")
            assert at.shows(f"{head} ▾"), order


async def test_the_marked_column_shows_the_numbers_of_the_order():
    for width in (80, 100):
        async with session("tour.ncu-rep", size=(width, 40), analyse=given(three())) as at:
            head = next(row for row in at.rows if "Saves ▾" in row)
            rows = sorted((row for row in rows_of(three()) if row.back), key=lambda row: -(row.back or 0))
            assert rows and ("Gain" in head) == (width == 100)
            lines = [next(line for line in at.rows if row.kernel in line) for row in rows]
            assert all(row.saves in line for row, line in zip(rows, lines, strict=True))


async def test_several_reports_have_a_column_of_their_own_on_a_wide_screen():
    made = three()
    other = ReportInfo("/x/other.ncu-rep", "1" * 64, "ncu", "ncu-rep")
    two = replace(made, reports=(made.reports[0], other), launches=(*made.launches, launch(0, "d_other", report=1)))
    async with session("tour.ncu-rep", size=(240, 24), analyse=given(two)) as at:
        row = next(row for row in at.rows if "d_other" in row)
        assert "1#0" in row and "other.ncu-rep" in row and at.shows("Report")
    async with session("tour.ncu-rep", size=(80, 24), analyse=given(two)) as at:
        assert "1#0" in at.screen and "Report" not in at.screen


async def test_the_table_fits_every_width():
    async with session("tour.ncu-rep", size=(80, 24), analyse=given(three())) as at:
        for width in (40, 60, 72, 80, 99, 100, 130, 200):
            await at.pilot.resize_terminal(width, 24)
            await at.settle()
            assert all(len(row) <= width for row in at.rows), width
            if width >= 72:
                assert at.shows("Kernel", "Time", "Share", "Class", "First finding", "Saves"), width


async def test_equal_launches_share_a_row_until_they_are_expanded():
    async with session("tour.ncu-rep", analyse=given(numbered())) as at:
        assert len(kernels(at)) == 51 and "2 × twice" in kernels(at) and at.shows("52 of 52 launches")
        await at.press("x")
        assert len(kernels(at)) == 52 and kernels(at).count("twice") == 2
        await at.press("slash", *"twice", "enter", "x")
        assert kernels(at) == ["2 × twice"] and at.shows("2 of 52 launches")


def test_only_launches_of_one_kernel_shape_class_and_finding_share_a_row_and_it_adds_up_their_times():
    made = diagnosis(
        launch(0, "same", duration_ns=100_000.0),
        launch(1, "same", duration_ns=300_000.0),
        launch(2, "same", grid=(1, 1, 1)),
        launch(3, "same", block=(64, 1, 1)),
        launch(4, "same", findings=(NARROW,)),
        launch(5, "same", duration_ns=None),
    )
    first, *others = rows_of(made, collapse=True)
    assert first.positions == (0, 1, 5) and first.position == 1 and first.duration == 400_000.0
    assert first.back == pytest.approx(400_000.0 * (1 - 1 / 2.2))
    assert [row.positions for row in others] == [(2,), (3,), (4,)]
    assert [exactly((first, *others), text) for text in ("0", "5", "3")] == [1, 1, 3]


@pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])
async def test_a_preview_shows_class_cause_speedup_and_fix_of_the_highlighted_launch(size: tuple[int, int]):
    async with session("tour.ncu-rep", size=size) as at:
        assert at.shows(
            "Class      L1/shared-memory-bound", "Fix first  Shared-memory bank conflicts", "2.2× (1.9–2.6×)"
        )
        assert at.shows("Pad or swizzle the shared array") and at.app.state.place == "launches"
        await at.press("down")
        assert at.shows("Fix first  Narrow accesses", "1.08× (1.02–1.1×)", "Load 16 bytes a lane")
        assert not at.shows("Pad or swizzle the shared array")


async def test_a_session_that_asks_for_predictions_shows_no_preview_of_what_is_to_be_predicted():
    async with session("tour.ncu-rep", predict=True) as at:
        assert at.shows("transpose_tile") and not at.shows("Fix first")
        await at.open()
        assert at.app.state.ask is not None and at.app.state.ask.group == "expect"


async def test_a_letter_acts_on_the_highlighted_launch():
    async with session("tour.ncu-rep") as at:
        for key, seen in (("f", "1. Find the shared load"), ("h", "How  Shared-memory bank conflicts")):
            await at.press(key)
            assert at.app.state.position == 1 and at.app.state.place == "launch" and at.shows(seen), key
            await at.press("l")
        await at.press("down", "w")
        assert at.app.state.position == 2 and at.app.state.view == "whatif"


async def test_f5_orders_the_list_and_opens_the_steps_elsewhere_and_m_opens_them_everywhere():
    async with session("tour.ncu-rep") as at:
        await at.press("f5")
        assert at.app.state.view == "" and at.shows("Time ▾")
        await at.press("m")
        assert at.app.state.view == "steps"
        await at.press("escape", "enter", "f5")
        assert at.app.state.view == "steps"


async def test_a_line_submitted_while_the_report_is_read_is_a_filter_once_it_is_read():
    gate = threading.Event()

    def slow(paths: Sequence[Path], gpu: str | None, progress: Progress) -> Analysis:
        gate.wait(120)
        return Analysis(three())

    app = AdvisorApp(desk(analyse=slow), ("tour.ncu-rep",))
    async with app.run_test(size=(80, 24)) as pilot:
        at = Driver(app, pilot)
        await pilot.press("slash", *"quick", "enter", "f", "n")
        gate.set()
        await at.settle()
        assert kernels(at) == ["c_quick"] and app.state.place == "launches"
        await at.press("enter")
        assert app.state.launch is not None and app.state.launch.kernel == "c_quick"


async def test_a_question_submitted_while_the_report_is_read_is_asked_once_it_is_read():
    gate = threading.Event()

    def slow(paths: Sequence[Path], gpu: str | None, progress: Progress) -> Analysis:
        gate.wait(120)
        return Analysis(diagnosis(launch(0, "only")))

    app = AdvisorApp(desk(analyse=slow), ("tour.ncu-rep",))
    async with app.run_test(size=(80, 24)) as pilot:
        at = Driver(app, pilot)
        await pilot.press("slash", *"fix", "enter")
        gate.set()
        await at.settle()
        assert app.state.has_card("fix", app.state.finding)


async def test_the_answer_about_the_best_launch_stands_whole_on_the_first_screen():
    async with session("tour.ncu-rep", size=(80, 24)) as at:
        answer = [row for row in at.rows if re.match(r" (Fix first|Speedup|Why|Fix|Class|Cost) ", row)]
        assert len(answer) == 6 and not any("…" in row for row in answer)
        assert all(row[11] == " " != row[12] for row in answer), "the texts begin in one column"


async def test_an_export_from_the_list_says_where_the_page_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    async with session("tour.ncu-rep", write=lambda request, state: request.path) as at:
        await at.press("e")
        assert at.app.state.place == "launches" and any("Saved: " in note for note in at.notes)


@pytest.mark.parametrize("width", [80, 100, 160])
async def test_the_preview_names_cause_reason_fix_and_speedup_within_the_first_rows(width: int):
    long = "the reason is a long sentence " * 8
    found = replace(CONFLICTS, because=long)
    made = given(diagnosis(launch(0, "k", findings=(found,)), launch(1, "l")))
    labels = ("Fix first  ", "Speedup  ", "Why  ", "Fix  ", "Class  ")
    async with session("x.ncu-rep", size=(width, 24), analyse=made) as at:
        at_labels = [label for row in at.rows for label in labels if re.search(rf"(^|│) ?{label}", row)]
        assert at_labels == list(labels)
        assert at.shows("2.2× (1.9–2.6×) estimated") and not at.shows("shrink to 6 %")


@pytest.mark.parametrize(
    ("names", "room", "shown"),
    [
        (("copy", "scale"), 17, ["copy", "scale"]),
        (("a_name_that_is_far_too_long", "copy"), 10, ["a_name_that_is_far_too_long", "copy"]),
        (
            ("average_and_multiply_shared", "average_and_multiply_shuffle", "average_and_multiply_shuffle"),
            16,
            ["average_a…shared", "average_…shuffle", "average_…shuffle"],
        ),
        (("k<float, 1>(int)", "k<float, 2>(int)"), 9, ["k<fl…1>(…", "k<fl…2>(…"]),
    ],
)
def test_names_that_begin_alike_show_where_they_differ(names: tuple[str, ...], room: int, shown: list[str]):
    assert told_apart(names, room) == shown


async def test_the_hot_line_of_the_launch_under_the_cursor_is_read_ahead_and_kept_out_of_the_transcript():
    async with session("tour.ncu-rep") as at:
        screen = at.app.screen
        assert isinstance(screen, LaunchesScreen) and screen.launch is not None
        position = at.app.state.diagnosis.launches.index(screen.launch)
        request = e.Locate(position, finding=screen.launch.findings[0].id)
        at.app.runner.read_ahead(request)
        await at.settle()
        assert at.app.state.result(request) is not None and not at.app.state.waiting
        assert replay(at.app.state.log) == at.app.state, "an outcome like any other"
        assert isinstance(at.app.state.log[-1], e.OUTCOMES)
        await screen.remove_children()
        screen._read_ahead()  # the timer of a list that is being closed


async def test_a_highlighted_row_of_equal_launches_is_the_one_that_diagnose_shows():
    alike = [launch(at, "same", duration_ns=1e5 + at, findings=()) for at in range(3)]
    (row,) = rows_of(diagnosis(*alike), collapse=True)
    (group,) = grouped(alike)
    assert row.position == group.at == 0


@pytest.mark.parametrize(
    "text", ["why is the speedup 1.00 to 33?", "is it memory bound", "what should I do first", "how quick is c_quick"]
)
async def test_a_question_typed_on_the_list_never_empties_or_filters_it(text: str):
    async with session("tour.ncu-rep", analyse=given(three())) as at:
        await at.press("slash")
        for key in text:
            await at.press("space" if key == " " else key)
            assert kernels(at), at.app.screen.query_one(Prompt).value
        assert len(kernels(at)) == 3 and at.shows("No filter: Enter asks this")
        await at.press("escape")
        assert at.shows("3 of 3 launches")


async def test_two_launches_are_marked_with_a_key_and_compared():
    async with session("tour.ncu-rep", size=(80, 24)) as at:
        table = at.app.screen.query_one(LaunchTable)
        first = table.position
        await at.press("c")
        assert at.shows("Compare 1 transpose_tile with:", "press c; Esc cancels")
        assert at.shows(f"●{table.kept[0].number}")
        await at.press("escape")
        assert not at.shows("press c; Esc")
        await at.press("c", "down")
        second = table.position
        assert first is not None and second not in (None, first)
        await at.press("c")
        state = at.app.state
        assert state.place == "launch" and state.position == second
        numbers = [state.diagnosis.launches[place].index for place in (first, second)]
        assert state.log[-2] == QuestionAsked(f"compare launch {numbers[0]} with launch {numbers[1]}", second)
        assert state.cards[-1].label == "Answer"


@pytest.mark.parametrize(
    ("line", "pair"),
    [
        ("/compare 0 1", (0, 1)),
        ("compare 0 and 1", (0, 1)),
        ("please compare launch 1 with launch 2", (1, 2)),
        ("is launch 1 faster than 0", (0, 1)),
        ("why is 2 slower than launch 1?", (1, 2)),
        ("what is different between the first and the last launch", (0, 2)),
        ("b_slow vs c_quick", (1, 2)),
        ("which is better, 0 or 2", (0, 2)),
    ],
)
def test_a_line_that_compares_two_launches_names_them_in_many_ways(line: str, pair: tuple[int, int]):
    made = diagnosis(launch(0, "a_unknown"), launch(1, "b_slow"), launch(2, "c_quick"))
    state = State(diagnosis=made, place="launches")
    assert understand(line, state) == QuestionAsked(f"compare launch {pair[0]} with launch {pair[1]}", pair[1])


@pytest.mark.parametrize(
    "line", ["is 2 registers better than 1", "compare 0 and 7", "is it faster", "compare 1 with 1", "0 1"]
)
def test_numbers_that_are_no_two_launches_are_not_compared(line: str):
    made = diagnosis(launch(0, "a"), launch(1, "b"), launch(2, "c"))
    assert two_launches(line, made.launches) is None


def test_launches_of_two_reports_are_compared_by_both_numbers_and_the_open_one_as_this():
    one = diagnosis(launch(0, "a"), launch(1, "a"))
    two = replace(one, reports=one.reports * 2, launches=(*one.launches, launch(0, "a", report=1)))
    assert two_launches("compare 0#1 with 1#0", two.launches, several=True) == (1, 2)
    assert two_launches("is this faster than 0#0", two.launches, 2, several=True) == (0, 2)


async def test_a_letter_pressed_while_the_report_is_read_acts_once_it_is_read():
    gate = threading.Event()

    def slow(paths: Sequence[Path], gpu: str | None, progress: Progress) -> Analysis:
        gate.wait(120)
        return Analysis(three())

    app = AdvisorApp(desk(analyse=slow), ("tour.ncu-rep",))
    async with app.run_test(size=(80, 24)) as pilot:
        at = Driver(app, pilot)
        await pilot.press("s")
        assert "Source opens as soon as the report is read" in "\n".join(at.rows)
        gate.set()
        await at.settle()
        assert app.state.place == "launch" and app.state.view == "source"


@pytest.mark.parametrize(
    "text", ["what should I do first", "bank conflicts?", "why not occupancy", "explain wavefront", "is it dram bound"]
)
async def test_every_question_on_the_list_is_answered_about_the_highlighted_launch(text: str):
    async with session("tour.ncu-rep") as at:
        await at.press("down")
        highlighted = at.app.screen.query_one(LaunchTable).position
        await at.press("slash")
        await at.press(*("space" if key == " " else "question_mark" if key == "?" else key for key in text), "enter")
        state = at.app.state
        assert state.place == "launch" and state.position == highlighted
        assert state.cards[-1].label == "Answer" and state.cards[-1].title == text


async def test_hot_lines_that_are_wanted_while_the_program_closes_are_no_error():
    async with session("tour.ncu-rep") as at:
        await at.settle()
        runner = at.app.runner
    assert not at.app.screen_stack
    runner.read_ahead(None)
