"""The four forms of one profile, as ncu itself wrote them, say the same."""

from __future__ import annotations

import csv
import lzma
import math
from pathlib import Path

import pandas as pd
import pytest

from advisor.knowledge import base
from advisor.readers.frame import convert
from advisor.readers.numbers import number
from advisor.readers.read import read

DATA = Path(__file__).parents[1] / "data"
KERNELS = ["vector_copy", "transpose_tile", "capped_moments"]
# Decided from the command line and the code, which text and CSV do not show.
BINARY_ONLY = {"cache_control", "clock_control", "indexed_local_inst", "line_info", "debug_build", "sampling_phases"}
BINARY_ONLY |= {
    "reread_bytes",
    "rewritten_bytes",
    "read_back_bytes",
    "level_inst",
    "level_lanes",
    "sparse_load_inst",
    "sparse_load_lanes",
    "sparse_load_share",
    "lone_lane_inst",
    "short_division_inst",
    "reused_reciprocal_inst",
    "selected_inst",
    "same_arithmetic_share",
    "same_work_inst",
    "warp_arithmetic_share",
    "warp_work_inst",
    "strong_sector_share",
    "strong_excess_share",
    "called_local_share",
    "function_check_inst",
}
BINARY_ONLY |= {
    "gather_excess_share",
    "gathered_share",
    "neighbour_excess_share",
    "far_excess_share",
    "lone_excess_share",
    "chained_load_share",
    "live_words",
}
BINARY_ONLY |= {"loaded_arithmetic_share", "literal_arithmetic_share", "loaded_pair_share", "stepped_function_share"}
BINARY_ONLY |= {
    "copied_work_share",
    "staged_arithmetic_share",
    "barrier_working_share",
    "shared_interleaved_excess_share",
}
BINARY_ONLY |= {"tested_load_share", "walked_load_share", "held_load_share", "indexed_load_share"}
BINARY_ONLY |= {"load_lines", "load_lines_ideal", "store_lines", "store_lines_ideal"}
BINARY_ONLY |= {f"{kind}function_{of}inst" for kind in ("", "fast_") for of in ("", "special_")}
BINARY_ONLY |= {f"{kind}_function_inst" for kind in ("power", "exponential", "logarithm", "angle")}
BINARY_ONLY |= {f"{kind}_function_share" for kind in ("power", "exponential", "logarithm", "angle")}
BINARY_ONLY |= {
    "function_conversion_inst",
    "function_xu_inst",
    "function_share",
    "check_share",
    "double_exponential_inst",
}
BINARY_ONLY |= {"straddling_excess_share", "distinct_load_bytes", "shared_varying_excess_share"}


@pytest.fixture(scope="module")
def binary(tour_path: Path) -> pd.DataFrame:
    frame = read(tour_path).frame
    return frame[frame["kernel"].isin(KERNELS)].reset_index(drop=True)


@pytest.fixture(scope="module")
def raw_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("raw") / "raw.csv"
    path.write_bytes(lzma.decompress((DATA / "tour_raw.csv.xz").read_bytes()))
    return path


def _resolution(path: Path) -> list[dict[str, float]]:
    """Metric -> half of the last printed digit in the metric's unit, for each launch of a raw page."""
    header, units, *rows = list(csv.reader(path.open(newline="")))
    place = {name: i for i, name in enumerate(header)}
    found = []
    for row in rows:
        steps = {}
        for id_, metric in base.metrics().items():
            name = next((n for n in metric.names if n in place and not math.isnan(number(row[place[n]]))), None)
            if name is not None:
                digits = len(row[place[name]].partition(".")[2])
                steps[id_] = abs(convert(0.51 * 10.0**-digits, units[place[name]], metric.unit))
        found.append(steps)
    return found


def _differences(one: pd.DataFrame, other: pd.DataFrame, steps: list[dict[str, float]], relative: float) -> list[str]:
    wrong = []
    for id_ in base.metrics():
        if id_ in one and id_ in other:
            for row, (a, b) in enumerate(zip(one[id_], other[id_], strict=True)):
                if not (
                    math.isnan(a) or math.isnan(b) or abs(a - b) <= max(relative * abs(a), steps[row].get(id_, 0.0051))
                ):
                    wrong.append(f"{id_} of launch {row}: {a} against {b}")
    return wrong


def _known(frame: pd.DataFrame) -> set[str]:
    return {id_ for id_ in base.metrics() if id_ in frame and frame[id_].notna().any()}


def test_the_raw_page_agrees_with_the_report_to_the_last_printed_digit(binary: pd.DataFrame, raw_path: Path) -> None:
    raw = read(raw_path).frame
    assert _differences(binary, raw, _resolution(raw_path), 1e-6) == []
    assert _known(binary) - _known(raw) <= BINARY_ONLY
    assert _known(raw) <= _known(binary)


@pytest.mark.parametrize("name", ["tour_details.csv", "tour_details.txt"])
def test_the_details_page_agrees_with_the_report_to_its_three_digits(binary: pd.DataFrame, name: str) -> None:
    details = read(DATA / name).frame
    assert _differences(binary, details, [{}] * 3, 6e-3) == []
    assert len(_known(details)) >= 40
    assert _known(details) <= _known(binary)


def test_console_text_and_details_csv_are_the_same_page() -> None:
    one, other = read(DATA / "tour_details.csv").frame, read(DATA / "tour_details.txt").frame
    assert _known(other) - _known(one) == {"clock_control"}
    for id_ in _known(one):
        pd.testing.assert_series_equal(one[id_], other[id_])
    for column in ("kernel", "kernel_full", "grid", "block", "cc"):
        assert list(one[column]) == list(other[column])


def test_what_a_form_does_not_show_is_unknown_there() -> None:
    for name in ("tour_details.csv", "tour_details.txt"):
        frame = read(DATA / name).frame
        assert frame["dram_read_bytes"].isna().all()
        assert frame["opcodes"].isna().all()
        assert frame["accesses"].isna().all()


def test_who_a_launch_is_agrees_in_all_forms(binary: pd.DataFrame, raw_path: Path) -> None:
    for path in (raw_path, DATA / "tour_details.csv", DATA / "tour_details.txt"):
        frame = read(path).frame
        assert list(frame["index"]) == [0, 1, 2]
        for column in ("kernel", "kernel_full", "grid", "block", "cc"):
            assert list(frame[column]) == list(binary[column])
    assert set(read(raw_path).frame["gpu_name"]) == {"NVIDIA H200"}


def test_the_rules_agree_where_a_form_tells_them(binary: pd.DataFrame) -> None:
    for name in ("tour_details.csv", "tour_details.txt"):
        for ours, theirs in zip(binary["rules"], read(DATA / name).frame["rules"], strict=True):
            estimates = [sorted(rule.speedup for rule in rules if rule.speedup) for rules in (ours, theirs)]
            assert len(ours) == len(theirs)
            assert estimates[1] == pytest.approx(estimates[0], rel=2e-3)
