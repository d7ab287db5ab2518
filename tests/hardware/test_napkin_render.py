"""The napkin as text and as JSON, and that it stays quick to start."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence

import jsonschema
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.cli import main
from advisor.cli.json_schema import schema
from advisor.hardware import algorithms
from advisor.hardware.gpus import gpu, ids
from advisor.hardware.roofline import Inconsistency, Result, estimate, napkin_document
from advisor.reasoning.napkin import check
from advisor.view.pages.napkin import napkin_page, roofline_lines
from advisor.view.writers.json import plain
from advisor.view.writers.terminal import terminal_text

SCHEMA = schema("napkin")
GEMM = estimate("gemm", dtype="f16", gpu_name="H100-SXM")


def napkin_text(result: Result, width: int = 80, colour: bool = False, checks: Sequence[Inconsistency] = ()) -> str:
    return terminal_text(napkin_page(result, checks), width=width, colour=colour)


MEASURED = {"duration_ns": 5e6, "dram_bytes": 1e9, "compute_pct": 30.0, "memory_pct": 80.0}


def test_the_first_screen_says_what_where_and_how_fast() -> None:
    text = napkin_text(estimate("gemm", dtype="f32", gpu_name="H100-SXM"))
    for expected in ("fp32 on H100 SXM", "682.7 FLOP/byte", "20.0 FLOP/byte", "compute-bound", "2.05 ms (FLOP / peak)"):
        assert expected in text


def test_both_kinds_of_core_stand_side_by_side_and_the_expected_one_is_marked() -> None:
    text = napkin_text(GEMM)
    assert re.search(r"plain cores\s+tensor cores \(expected\)", text)


def test_what_was_measured_is_set_against_it() -> None:
    single = estimate("gemm", dtype="f32", gpu_name="H200")
    text = napkin_text(single, checks=check(single, MEASURED))
    assert "Compared with the measurement" in text
    assert "4.97× the minimum bytes" in text


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(sorted(algorithms.algorithms())),
    st.sampled_from(sorted(algorithms.dtypes())),
    st.sampled_from([name for name in ids() if gpu(name).bandwidth]),
    st.integers(60, 160),
)
def test_no_line_is_wider_than_asked_and_no_colour_is_used_unasked(
    name: str, dtype: str, card: str, width: int
) -> None:
    text = napkin_text(estimate(name, dtype=dtype, gpu_name=card), width)
    assert max(map(len, text.splitlines())) <= width
    assert "\x1b" not in text
    assert text.endswith("\n")


def test_colour_changes_nothing_but_the_colour() -> None:
    coloured = napkin_text(GEMM, colour=True)
    assert "\x1b[" in coloured
    plain = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert [line.rstrip() for line in plain.splitlines()] == napkin_text(GEMM).splitlines()


def test_the_point_of_compute_bound_work_lies_on_the_flat_roof_and_of_memory_bound_work_on_the_slope() -> None:
    flat = next(line for line in roofline_lines(GEMM) if "O" in line.partition("|")[2])
    assert "=O" in flat
    slope = next(
        line for line in roofline_lines(estimate("reduction", gpu_name="H100")) if "O" in line.partition("|")[2]
    )
    assert re.search("/O|O/", slope)


def test_the_ridge_stands_left_of_compute_bound_work() -> None:
    lines = list(roofline_lines(estimate("gemm", dtype="f32", gpu_name="H100")))
    axis = next(line for line in lines if "^" in line and "+" in line)
    point = next(line for line in lines if "O" in line.partition("|")[2])
    assert axis.index("^") < point.rindex("O")


def test_work_that_computes_nothing_has_no_place_on_a_roofline() -> None:
    assert list(roofline_lines(estimate("transpose", gpu_name="H100"))) == []


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(sorted(algorithms.algorithms())),
    st.sampled_from(sorted(algorithms.dtypes())),
    st.sampled_from([name for name in ids() if gpu(name).bandwidth]),
)
def test_the_json_is_what_its_schema_says(name: str, dtype: str, card: str) -> None:
    result = estimate(name, dtype=dtype, gpu_name=card)
    out = json.loads(json.dumps(plain(napkin_document(result, check(result, MEASURED))), allow_nan=False))
    jsonschema.validate(out, SCHEMA, cls=jsonschema.Draft202012Validator)
    assert out["schema"] == SCHEMA["$id"]
    assert out["floor_ns"] == pytest.approx(result.floor_ns)


def test_the_napkin_loads_neither_pandas_nor_numpy_nor_a_screen() -> None:
    code = (
        "import sys\n"
        "from advisor.hardware.roofline import estimate\n"
        "from advisor.hardware.roofline import napkin_document\n"
        "from advisor.view.pages.napkin import napkin_page\n"
        "from advisor.view.writers.terminal import terminal_text\n"
        "import advisor.hardware.roofline, advisor.hardware.occupancy\n"
        "import advisor.records.quantities, advisor.hardware.simulators\n"
        "terminal_text(napkin_page(estimate('gemm', dtype='f16', gpu_name='H100')))\n"
        "heavy = {'numpy', 'pandas', 'textual', 'matplotlib', 'cupy', 'experta', 'rapidfuzz'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("name", "has"),
    [
        ("gemm", ["--m 4096", "rows of A and C", "--out_size size", "--reads_c 0"]),
        ("banks", ["--row 0", "--block 256", "paddings"]),
        ("occupancy", ["--registers 32", "--cc 8.6"]),
    ],
)
def test_the_help_of_an_algorithm_or_simulator_lists_its_options(name: str, has: list[str]) -> None:
    for word in ("--help", "-h"):
        result = CliRunner().invoke(main.cli, ["napkin", name, word], standalone_mode=False)
        assert result.exception is None and "--gpu NAME" in result.stdout
        assert [part for part in has if part not in result.stdout] == [], result.stdout
        assert max(map(len, result.stdout.splitlines())) <= 80


def test_the_achievable_time_says_which_share_of_the_peak_it_is() -> None:
    result = CliRunner().invoke(main.cli, ["napkin", "gemm"], standalone_mode=False)
    assert re.search(r"Achievable +[\d.]+ ms \(\d+ % of the peak, as good kernels reach\)", result.stdout)
