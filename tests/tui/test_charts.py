"""Charts in plain text, shared with the commands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.knowledge.units import units
from advisor.view.charts import bars as charts
from tui.factory import METRICS

VALUES = st.one_of(st.none(), st.floats(allow_nan=True, allow_infinity=True), st.floats(-20, 400))


def overview(metrics, labels, width=80, blocks=True):
    sides = [
        row
        for side in ("compute", "memory")
        for row in charts.speed_of_light(metrics, side, width=width, blocks=blocks)
    ]
    waits = [
        *charts.stalls(metrics, width=width, blocks=blocks),
        charts.occupancy(metrics, labels, width=width, blocks=blocks),
    ]
    rows = [charts.row_text(row, width) for row in (*sides, *waits)]
    return "\n".join([charts.scale_text(width), *rows, charts.occupancy_limit(metrics, labels)])


def test_a_unit_that_the_report_does_not_know_reads_unknown_and_has_no_bar():
    rows = charts.speed_of_light({}, "compute")
    assert [row.value for row in rows] == [None] * len(rows)
    assert all(not row.bar.strip() and "unknown" in charts.row_text(row) for row in rows)


def test_zero_is_not_unknown():
    row = next(r for r in charts.speed_of_light(METRICS, "compute") if r.label == "FP64 pipe")
    assert row.value == 0.0 and "0.0 %" in charts.row_text(row) and "·" in row.bar


def test_the_side_comes_first_and_then_its_units_busiest_first_and_unknown_last():
    labels = [row.label for row in charts.speed_of_light(METRICS, "memory")]
    assert labels == ["Memory", "L1 data", "L2", "DRAM", "LSU"]
    values = [row.value for row in charts.speed_of_light(METRICS, "compute")[1:]]
    known = [v for v in values if v is not None]
    assert known == sorted(known, reverse=True) and values[len(known) :] == [None, None]


def test_rare_units_appear_when_they_do_something():
    assert "Constant cache" not in [r.label for r in charts.speed_of_light(METRICS, "memory")]
    assert "Constant cache" in [r.label for r in charts.speed_of_light({**METRICS, "idc_pct": 70.0}, "memory")]


@pytest.mark.parametrize(
    ("value", "note", "style"),
    [
        (59.9, "", "quiet"),
        (60.0, "busy", "busy"),
        (79.9, "busy", "busy"),
        (80.0, "near limit", "high"),
        (104.0, "over 100 %", "high"),
    ],
)
def test_thresholds_are_said_in_words_and_not_by_colour_alone(value: float, note: str, style: str):
    row = next(r for r in charts.speed_of_light({"dram_pct": value}, "memory") if r.label == "DRAM")
    assert (row.note, row.style) == (note, style)


def test_the_marks_of_the_bar_stand_at_60_and_80_under_their_numbers():
    row = next(r for r in charts.speed_of_light({"dram_pct": 0.0}, "memory", width=80) if r.label == "DRAM")
    text, scale = charts.row_text(row), charts.scale_text(80)
    assert [i for i, c in enumerate(text) if c == "┊"] == [scale.index("60"), scale.index("80")]


def test_stalls_are_named_with_their_share_and_what_is_healthy_says_so():
    rows = charts.stalls(
        {**METRICS, "stall_not_selected_pct": 4.0, "stall_long_scoreboard_not_issued_pct": 99.0}, top=4
    )
    assert [(r.label, r.value) for r in rows][:2] == [("MIO throttle", 61.0), ("Short scoreboard", 22.0)]
    assert rows[3].note == "healthy"
    assert all(r.metric != "stall_selected_pct" for r in rows)


def test_without_stalls_there_is_one_row_that_says_unknown():
    assert "unknown" in charts.row_text(charts.stalls({})[0])


def test_occupancy_names_what_limits_it():
    assert charts.occupancy_limit({"blocks_per_sm_limit": 1.0}, {"occupancy_limiter": "registers"}) == (
        "limited by registers, 1 block per SM"
    )
    assert (
        charts.occupancy_limit({}, {"occupancy_limiter": "registers+shared"})
        == "limited by registers and shared memory"
    )
    assert charts.occupancy_limit({}, {}) == ""


def test_an_output_that_cannot_take_block_characters_gets_ascii():
    assert (
        charts.can_draw("utf-8")
        and not charts.can_draw("ascii")
        and not charts.can_draw("no such")
        and not charts.can_draw(None)
    )
    text = overview(METRICS, {"occupancy_limiter": "warps"}, blocks=False)
    text.encode("ascii")
    assert "####" in text


@given(
    st.dictionaries(st.sampled_from([name for name, unit in units().items() if unit.side] + list(METRICS)), VALUES),
    st.integers(46, 200),
    st.booleans(),
)
def test_no_row_is_wider_than_the_screen_and_no_value_breaks_it(metrics, width, blocks):
    given_ = {name: value for name, value in metrics.items() if value is not None}
    text = overview(given_, {}, width=width, blocks=blocks)
    assert all(len(line) <= width for line in text.splitlines())


@given(st.floats(0, 100), st.integers(6, 100))
def test_a_longer_bar_is_never_drawn_for_less(value: float, width: int):
    def filled(v: float) -> int:
        return len(charts.bar(v, width, blocks=False, marks=()).rstrip("."))

    assert filled(value) <= filled(min(value + 5, 100))
    assert len(charts.bar(value, width)) == width
