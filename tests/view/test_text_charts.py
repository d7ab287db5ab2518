"""Roofline, memory chart and breakdown in text cells: nothing wider than asked, nothing unknown drawn, order kept."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.knowledge.base import metrics
from advisor.knowledge.units import units
from advisor.records.diagnosis import LaunchDiagnosis, LaunchGpu, Verdict
from advisor.view.charts import bars as charts
from advisor.view.charts.canvas import Canvas, plain
from advisor.view.charts.memory import ASKED, WIDE, memory_chart
from advisor.view.charts.roofline import Point, rooflines
from advisor.view.charts.roofline_text import COLLECT, NO_FLOP, NO_ROOFS, AlgorithmNeeds, Scale, roofline
from tests.changed import replace

H200 = {
    "dram_peak_bytes_per_s": 4.8e12,
    "duration_ns": 1e6,
    "dram_bytes": 4e9,
    "flop": 1e9,
    "fp32_flop": 1e9,
    "intensity": 0.25,
    "gflop_per_s": 1000.0,
}
CHART = (
    *("inst_executed", "global_load_inst", "global_store_inst", "local_load_inst", "local_store_inst"),
    *("shared_load_inst", "shared_store_inst", "constant_inst", "l1_hit_pct", "l1_wavefronts_pct", "local_inst"),
    *("shared_wavefronts_hw_pct", "shared_wavefront_ratio", "idc_pct", "l2_load_bytes", "l2_store_bytes"),
    *("l2_read_xbar_pct", "l2_write_xbar_pct", "l2_hit_pct", "l2_pct", "dram_read_bytes", "dram_write_bytes"),
    *("dram_pct", "dram_bytes_per_s", "dram_peak_bytes_per_s", "sysmem_sectors", "peer_sectors", "spill_inst"),
)
VALUES = st.one_of(st.floats(allow_nan=True, allow_infinity=True), st.floats(0, 1e18), st.floats(0, 120))


def launch(metrics: dict[str, float], gpu: str = "NVIDIA H200", cc: str = "9.0") -> LaunchDiagnosis:
    return LaunchDiagnosis(
        report=0,
        index=0,
        kernel="k",
        kernel_full="k",
        grid=(1, 1, 1),
        block=(32, 1, 1),
        duration_ns=1e6,
        gpu=LaunchGpu(gpu, cc, ""),
        verdict=Verdict(id="dram_bound", title="DRAM-bound", because=""),
        findings=(),
        questions=(),
        missing=(),
        metrics=metrics,
    )


def text(rows) -> list[str]:
    return [plain(row) for row in rows]


# Cells


def test_a_line_goes_through_the_cells_between_its_ends_and_a_word_lies_over_it():
    canvas = Canvas(5, 3, blocks=False)
    canvas.line((0.5, 2.5), (4.5, 2.5), "a")
    canvas.put(2, 2, "x", "b")
    assert text(canvas.rows()) == ["", "", "--x--"]
    assert canvas.rows()[2] == (("--", "a"), ("x", "b"), ("--", "a"))
    assert canvas.free(0, 2) and not canvas.free(1, 2, 2) and not canvas.free(4, 0, 2)


def test_without_block_characters_a_line_leans_the_way_it_goes():
    for end, sign in (((2.5, 0.5), "/"), ((2.5, 2.5), "\\")):
        canvas = Canvas(3, 3, blocks=False)
        canvas.line((0.5, 2.5 if sign == "/" else 0.5), end, "")
        assert set("".join(text(canvas.rows())).replace(" ", "")) == {sign}


@given(*(st.floats(-1e6, 1e6) for _ in range(4)), st.booleans())
def test_whatever_lies_outside_is_cut_off(x0: float, y0: float, x1: float, y1: float, blocks: bool):
    canvas = Canvas(7, 4, blocks=blocks)
    canvas.line((x0, y0), (x1, y1), "")
    canvas.put(int(x0), int(y0), "word")
    rows = text(canvas.rows())
    assert len(rows) == 4 and all(len(row) <= 7 for row in rows)


# Roofline


def test_the_launch_its_history_and_what_paper_expects_stand_under_the_roofs_of_the_card():
    before = launch({**H200, "gflop_per_s": 100.0})
    made = roofline(launch(H200), earlier=[(before, "version 1")], needs=AlgorithmNeeds(1e9, 1e9), width=60)
    drawn = "".join(row[7:] for row in text(made.rows)[1:-3])  # without the axes
    assert all(drawn.count(sign) == 1 for sign in "●1◇a")
    keys = {key.sign: key.text for key in made.keys}
    assert "0.25 FLOP/byte, 1 TFLOP/s, 83.3 % of the DRAM roof" in keys["●"]
    assert keys["1"].startswith("version 1: 0.25 FLOP/byte, 100 GFLOP/s")
    assert "1 FLOP/byte, at most 4.8 TFLOP/s" in keys["◇"]
    assert "FP32" in keys["a"] and "ridge at" in keys["a"] and "4.8 TB/s" in keys["/"]
    assert not made.notes and not made.collect


def test_every_kind_of_work_and_the_type_that_is_meant_gets_its_roof():
    made = roofline(launch({**H200, "fp64_flop": 1.0, "tensor_ops": 5.0}), needs=AlgorithmNeeds(1, 1, "tf32"), width=70)
    assert [key.text.split(" ")[0] for key in made.keys if key.role == "roof"] == [
        "DRAM",
        "FP64",
        "FP32",
        "TF32",
        "FP16",
    ]


def test_a_compute_bound_launch_is_held_against_the_roof_of_the_type_it_computes_in():
    metrics = {**H200, "intensity": 1e4, "gflop_per_s": 30_000.0, "fp64_flop": 2e9}
    now = next(key for key in roofline(launch(metrics), width=60).keys if key.role == "now")
    assert "of the FP64 roof" in now.text


# The lattice Boltzmann slides: 51 % of an fp64 peak of 7.8 TFLOP/s at 11.1 FLOP/byte, 70 % fused.
LBM = {
    "flop": 96.7e9,
    "fp64_flop": 96.7e9,
    "dram_bytes": 8.71e9,
    "duration_ns": 24.3e6,
    "intensity": 11.1,
    "gflop_per_s": 3979.0,
    "fp64_fused_pct": 70.0,
    "fp64_mix_pct": 85.0,
}


@pytest.mark.parametrize("blocks", [True, False])
def test_the_ceiling_of_the_instruction_mix_is_drawn_below_the_peak(blocks):
    made = roofline(launch(LBM, "Tesla V100-SXM2-16GB", "7.0"), width=90, blocks=blocks)
    keys = {key.sign: key.text for key in made.keys}
    assert keys["m"] == "FP64 at 70 % fused 6.63 TFLOP/s, 85 % of the peak: instruction-mix ceiling"
    says = "51 % of the FP64 peak = 60 % of the instruction-mix ceiling; 73 % of the fused part of the peak"
    assert says in [key.text for key in made.keys]
    assert any("m" in row for row in text(made.rows))
    drawn = rooflines([Point(launch(LBM, "Tesla V100-SXM2-16GB", "7.0"))])[0][0]
    mix = next(line for line in drawn.lines if line.kind == "mix")
    peak = max(line.y2 for line in drawn.lines if line.kind == "roof" and line.y1 == line.y2)
    assert mix.y1 == mix.y2 > peak and says in drawn.says


def test_no_ceiling_of_the_mix_is_drawn_if_all_is_fused_or_the_mix_is_unknown():
    for fused, mix in ((98.0, 99.0), (math.nan, math.nan)):
        made = roofline(launch({**LBM, "fp64_fused_pct": fused, "fp64_mix_pct": mix}, "Tesla V100-SXM2-16GB", "7.0"))
        assert "m" not in {key.sign for key in made.keys}
    tensor = launch({**LBM, "tensor_ops": 1e12}, "Tesla V100-SXM2-16GB", "7.0")
    assert "m" not in {key.sign for key in roofline(tensor).keys}


@pytest.mark.parametrize(
    ("lacking", "told"),
    [
        (("flop", "gflop_per_s", "intensity"), "its operations"),
        (("dram_bytes", "intensity"), "its DRAM bytes"),
        (("duration_ns", "gflop_per_s"), "its duration"),
    ],
)
def test_a_launch_without_a_place_is_not_drawn_and_it_is_said_what_is_missing(lacking, told):
    made = roofline(launch({k: v for k, v in H200.items() if k not in lacking}), width=60)
    assert "●" not in "".join(text(made.rows)) and made.rows
    assert len(made.notes) == 1 and told in made.notes[0] and made.collect == COLLECT


def test_no_operations_are_no_missing_number():
    made = roofline(launch({**H200, "flop": 0.0, "gflop_per_s": 0.0, "intensity": 0.0}), width=60)
    assert made.notes == (NO_FLOP,) and not made.collect and made.rows


def test_a_card_of_which_nothing_is_known_has_no_roofs():
    metrics = {k: v for k, v in H200.items() if k != "dram_peak_bytes_per_s"}
    made = roofline(launch(metrics, "Nobody's GPU", "99.9"), width=60)
    assert not made.rows and made.notes[0] == NO_ROOFS


def test_a_place_beyond_the_drawing_stands_at_its_edge_with_an_arrow():
    made = roofline(launch({**H200, "intensity": 1e9, "gflop_per_s": 60_000.0}), width=60)
    row = next(row for row in text(made.rows) if "●" in row)
    assert row.endswith("→●")


@given(
    st.dictionaries(st.sampled_from(sorted(H200)), VALUES),
    st.integers(20, 200),
    st.integers(0, 60),
    st.booleans(),
    st.one_of(
        st.none(), st.builds(AlgorithmNeeds, st.floats(0, 1e18), st.floats(0, 1e18), st.sampled_from(["", "f64", "f8"]))
    ),
)
def test_a_roofline_is_never_wider_than_asked_and_no_value_breaks_it(metrics, width, height, blocks, needs):
    made = roofline(
        launch(metrics), earlier=[(launch(H200), "old")], needs=needs, width=width, height=height, blocks=blocks
    )
    assert all(len(row) <= max(width, 40) for row in text(made.rows))
    if not blocks:
        "".join(text(made.rows)).encode("ascii")
    known = [metrics.get(name) for name in ("intensity", "gflop_per_s")]
    if not all(value is not None and math.isfinite(value) and value for value in known):
        assert not any(key.role == "now" for key in made.keys)


@given(*(st.floats(1e-2, 1e4) for _ in range(2)), st.integers(20, 150), st.integers(9, 24))
def test_more_stands_further_right_and_higher(one: float, other: float, width: int, height: int):
    scale = Scale(1e-2, 1e4, 1e-2, 1e4, width, height)
    low, high = sorted((one, other))
    assert scale.x(low) <= scale.x(high) <= width - 1
    assert scale.y(low) >= scale.y(high) >= 0


# Memory chart


def test_volumes_percentages_and_hit_rates_stand_in_the_chart_whatever_its_form():
    given = {"l2_load_bytes": 5.37e8, "l2_read_xbar_pct": 38.3, "l2_hit_pct": 11.7, "dram_pct": 91.4, "l1_hit_pct": 0.0}
    for width in (46, 77, 100):
        drawn = "\n".join(text(memory_chart(given, width=width).rows))
        assert all(part in drawn for part in ("537 MB", "38.3 %", "hit 11.7 %", "busy 91.4 %", "hit 0.0 %"))


def test_local_traffic_and_traffic_beyond_the_card_are_marked_in_words():
    metrics = {
        "local_load_inst": 10.0,
        "local_inst": 10.0,
        "local_l2_share": 0.5,
        "spill_inst": 0.0,
        "peer_sectors": 4.0,
    }
    for width in (46, 80):
        made = memory_chart(metrics, width=width)
        assert "local !" in "\n".join(text(made.rows))
        assert any("10 instructions, none of them spills; 50 %" in note for note in made.notes)
        assert any("128 B of another GPU" in note for note in made.notes)
    assert "local !" not in "\n".join(text(memory_chart({"local_load_inst": 0.0}).rows))


def test_nothing_unknown_is_drawn_as_zero():
    for width in (46, WIDE):
        made = memory_chart({}, width=width)
        drawn = "\n".join(text(made.rows))
        assert not any(character.isdigit() for character in drawn.replace("L1", "").replace("L2", ""))
        assert ("?" in drawn and ASKED in made.notes) if width == WIDE else "unknown" in drawn
        assert any("Unknown utilisation" in note and "DRAM" in note for note in made.notes)


@given(st.dictionaries(st.sampled_from(CHART), VALUES), st.integers(20, 160), st.booleans())
def test_a_memory_chart_is_never_wider_than_asked_and_its_boxes_stay_whole(metrics, width, blocks):
    made = memory_chart(metrics, width=width, blocks=blocks)
    rows = text(made.rows)
    assert all(len(row) <= max(width, 40) for row in rows)
    if not blocks:
        "\n".join(rows).encode("ascii")
    elif width < WIDE:
        assert sum(row.count("┌") for row in rows) == sum(row.count("┘") for row in rows) == 4
    else:
        assert sum(row.count("┐") for row in rows) == sum(row.count("└") for row in rows) == 8


# Breakdown


def test_the_parts_of_a_unit_follow_it_and_only_when_asked_for():
    metrics = {"l2_pct": 70.0, "l2_tags_pct": 20.0, "l2_fill_pct": 70.0, "l2_data_pct": 0.5, "dram_pct": 30.0}
    rows = charts.speed_of_light(metrics, "memory", parts=True)
    assert [(row.label, row.depth) for row in rows[1:5]] == [("L2", 0), ("fills", 1), ("tags", 1), ("DRAM", 0)]
    assert "    fills" in charts.row_text(rows[2]) and rows[2].note == "busy"
    assert [row for row in charts.speed_of_light(metrics, "memory") if row.depth] == []


def test_other_stages_of_l1_are_no_part_of_its_data_stage():
    rows = charts.speed_of_light({"l1_wavefronts_pct": 13.0, "l1_other_pct": 18.0}, "memory", parts=True)
    assert [(row.label, row.depth) for row in rows[1:3]] == [("L1 other stages", 0), ("L1 data", 0)]


def test_every_part_of_the_breakdown_is_a_metric_of_the_knowledge_base():
    known = metrics()
    assert all(name in known and unit.part_of in {"", *known} for name, unit in units().items())
    assert set(CHART) <= set(known)


def test_a_launch_that_was_typed_in_as_a_workload_has_no_roofline():
    made = roofline(replace(launch(H200), scope="workload"), width=60)
    assert not made.rows and len(made.notes) == 1
