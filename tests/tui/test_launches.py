"""The table of launches: shares of time, totals, orders, filter, several reports, unknown durations, the mouse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from advisor.dialogue.desk import Progress
from advisor.model import Diagnosis, ReportInfo
from advisor.tui.launch_rows import ORDERS, arranged, rows_of, summary, totals
from advisor.tui.widgets.launches import LaunchTable
from tui.driver import Driver, session
from tui.factory import DONE, NARROW, Analysis, diagnosis, launch


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
    assert (totals(rows).time, totals(rows).unknown) == (800_000.0, 1)
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
    assert summary(rows, rows, "duration") == "3 of 3 launches, by time; 800 us; 1 of unknown duration"
    kept = arranged(rows, "quick", "report")
    assert summary(rows, kept, "report") == "1 of 3 launches, in order of the report; 200 us, 25 % of the time"
    assert "turned round" in summary(rows, rows, "kernel", upwards=True)
    assert summary((), (), "report") == "" and "No launch matches" in summary(rows, [], "report")


# On the screen


async def test_times_and_shares_stand_in_the_table_with_a_bar_where_there_is_room():
    async with session("tour.ncu-rep", size=(80, 24), analyse=given(three())) as at:
        slow, unknown = (next(row for row in at.rows if name in row) for name in ("b_slow", "a_unknown"))
        assert "600 us" in slow and "75 %" in slow and "█" not in slow
        assert "unknown" in unknown.replace("a_unknown", "") and "?" in unknown and "0 %" not in unknown
    async with session("tour.ncu-rep", size=(140, 24), analyse=given(three())) as at:
        slow, quick = (next(row for row in at.rows if name in row) for name in ("b_slow", "c_quick"))
        assert slow.count("█") > quick.count("█") > 0
    async with session("tour.ncu-rep", size=(140, 24), blocks=False, analyse=given(three())) as at:
        slow = next(row for row in at.rows if "b_slow" in row)
        assert "#########" in slow and "█" not in at.screen


async def test_keys_sort_and_turn_round_and_a_click_on_a_head_does_both():
    async with session("tour.ncu-rep", size=(120, 24), analyse=given(three())) as at:
        for order in (*ORDERS[1:], ORDERS[0]):
            await at.press("f5")
            assert kernels(at) == [row.kernel for row in arranged(rows_of(three()), "", order)]
        await at.press("shift+f5")
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
        assert table.position == 2
        await at.press("f5")
        assert table.position == 2 and table.cursor_row == 1
        await at.press("ctrl+home")
        assert table.position == 0


async def test_typing_filters_enter_opens_and_a_line_that_matches_nothing_is_understood():
    async with session("tour.ncu-rep", analyse=given(three())) as at:
        await at.press(*"quick")
        assert kernels(at) == ["c_quick"] and at.shows("25 % of the time")
        await at.press("enter")
        assert at.app.state.position == 2 and at.app.state.place == "launch"
    async with session("tour.ncu-rep", analyse=given(three())) as at:
        await at.press(*"/kernel 1", "enter")
        assert at.app.state.position == 1
    async with session("tour.ncu-rep", analyse=given(three())) as at:
        before = at.app.state
        await at.press(*"zzz", "enter")
        assert at.app.state.place == before.place and len(kernels(at)) == 3


async def test_several_reports_have_a_column_of_their_own_on_a_wide_screen():
    made = three()
    other = ReportInfo("/x/other.ncu-rep", "1" * 64, "ncu", "ncu-rep")
    two = replace(made, reports=(made.reports[0], other), launches=(*made.launches, launch(0, "d_other", report=1)))
    async with session("tour.ncu-rep", size=(160, 24), analyse=given(two)) as at:
        row = next(row for row in at.rows if "d_other" in row)
        assert "1#0" in row and "other.ncu-rep" in row and at.shows("Report")
    async with session("tour.ncu-rep", size=(80, 24), analyse=given(two)) as at:
        assert "1#0" in at.screen and "Report" not in at.screen


@pytest.mark.parametrize("width", [40, 60, 72, 80, 99, 100, 130, 200])
async def test_the_table_fits_every_width(width: int):
    async with session("tour.ncu-rep", size=(width, 24), analyse=given(three())) as at:
        assert all(len(row) <= width for row in at.rows)
        if width >= 72:
            assert all(head in at.screen for head in ("Kernel", "Time", "Share", "Class", "First finding", "Gain"))
