"""The command `emulate`: counts of one's own kernel, a check, and one line for each mistake."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from advisor.cli.json_schema import schema
from advisor.practice.validation import Compared, Row, totals
from advisor.view.pages.emulated_validation import validation_page
from advisor.view.writers.terminal import page_width, terminal_text
from tests.emulator.tools import needs_tools, run

STRIDED = """
extern "C" __global__ void strided(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[8 * i];
}
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "strided.cu"
    path.write_text(STRIDED, encoding="utf-8")
    return path


@needs_tools
def test_a_strided_load_is_found_with_its_line(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shape = (
        "--grid",
        "1000",
        "--block",
        "256",
        "--arg",
        "float[2048000]",
        "--arg",
        "float[256000]=zeros",
        "--arg",
        "int=256000",
    )
    assert run("emulate", str(source), *shape, "--format", "json") == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, schema("emulate"))
    assert document["kind"] == "emulated" and document["class"] == "undetermined"
    first = document["findings"][0]
    assert (first["id"], first["confidence"]) == ("uncoalesced_access", "medium")
    assert first["locations"][0]["line"] == 4
    assert document["metrics"]["load_sector_ratio"] == 8
    assert run("emulate", str(source), *shape) == 0
    text = capsys.readouterr().out
    assert "Emulated on the CPU" in text and "strided.cu:4" in text


@needs_tools
def test_an_address_out_of_bounds_is_one_line_with_the_source_line(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shape = ("--grid", "1", "--block", "64", "--arg", "float[100]", "--arg", "float[64]=zeros", "--arg", "int=64")
    assert run("emulate", str(source), *shape) == 2
    said = capsys.readouterr().err.strip().splitlines()
    assert len(said) == 1 and "strided.cu:4: block (0, 0, 0), thread (13, 0, 0): a load of 4 bytes" in said[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["absent.cu"], "there is no such file"),
        ([], "emulate takes one source"),
        (["SOURCE", "--grid", "0", "--block", "32"], "--grid '0'"),
        (["SOURCE", "--grid", "1", "--block", "32", "--arg", "string[4]"], "--arg 'string[4]'"),
        (["SOURCE", "--grid", "1", "--block", "32", "--arg", "int=many"], "no value of the type int"),
        (["SOURCE"], "--grid and --block"),
        (["SOURCE", "--gpu", "H2000"], "no GPU 'H2000'"),
        (["SOURCE", "--check"], "name it with --exercise"),
        (["SOURCE", "--trace", "4", "--save", "x.json"], "--save writes the counts"),
        (["SOURCE", "--trace", "4", "--format", "json"], "--trace has no JSON form"),
        (["--validate", "page-ranks"], "a recording to read"),
    ],
)
def test_mistakes_are_one_line(
    source: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("emulate", *(str(source) if a == "SOURCE" else a for a in arguments)) == 2
    said = capsys.readouterr().err
    assert words in said and "Traceback" not in said


@needs_tools
def test_saved_counts_of_two_versions_are_compared_without_a_gpu(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shape = ["--grid", "1000", "--block", "256", "--arg", "float[2048000]", "--arg", "float[256000]=zeros"]
    shape += ["--arg", "int=256000"]
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    assert run("emulate", str(source), *shape, "--save", str(before)) == 0
    source.write_text(STRIDED.replace("x[8 * i]", "x[i]"), encoding="utf-8")
    assert run("emulate", str(source), *shape, "--save", str(after)) == 0
    capsys.readouterr()
    worse = ("--fail-on", "global_sectors>0%", "--fail-on", "finding:uncoalesced_access")
    assert run("compare", str(before), str(after), *worse) == 0
    assert run("compare", str(after), str(before), *worse) == 3
    said = capsys.readouterr()
    assert "global_sectors +350 %" in said.err and "uncoalesced_access is new" in said.err
    # A time is unknown, which is no pass.
    assert run("compare", str(after), str(before), "--fail-on", "duration>5%") == 2


@needs_tools
def test_the_accesses_of_a_line_are_drawn_from_the_emulation(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shape = [
        "--grid",
        "10",
        "--block",
        "256",
        "--arg",
        "float[20480]",
        "--arg",
        "float[2560]=zeros",
        "--arg",
        "int=2560",
    ]
    assert run("emulate", str(source), *shape, "--trace", "4") == 0
    text = capsys.readouterr().out
    assert "load of 4 bytes per lane, global memory (`argument 1`)" in text and "32 sectors, ideal 4" in text
    assert "lanes 16-31   16  17" in text and "sector  1 ████" in text and "4 sectors, ideal 4" in text
    assert run("emulate", str(source), *shape, "--trace", "2") == 2
    assert "line 2 accesses no memory; lines that do: 4" in capsys.readouterr().err


@needs_tools
def test_bank_conflicts_of_a_line_are_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "tile.cu"
    path.write_text(
        'extern "C" __global__ void tile(float* y) {\n'
        "  __shared__ float s[32][32];\n  s[threadIdx.y][threadIdx.x] = threadIdx.x;\n  __syncthreads();\n"
        "  y[threadIdx.y * 32 + threadIdx.x] = s[threadIdx.x][threadIdx.y];\n}\n",
        encoding="utf-8",
    )
    shape = ("--grid", "1", "--block", "32,32", "--arg", "float[1024]=zeros", "--trace", "5")
    assert run("emulate", str(path), *shape, "--format", "html") == 0
    text = capsys.readouterr().out
    assert "32 wavefronts" in text and "Lanes by banks" in text


def test_no_figure_of_the_validation_is_cut() -> None:
    compared = Compared("ideal_sectors", 118_241, 119_362, 1.0, 1.5, 95_773, 95_721)
    rows = [
        Row("needless-recomputation", 10, "a", "average_and_multiply", "", (compared,), 0.1, 524_288, 35, True),
        Row("needless-recomputation", 11, "a", "average", "did not end within 20 s of CPU time"),
    ]
    page = validation_page(rows, totals(rows))
    text = terminal_text(page, width=page_width(page), colour=False, blocks=True)
    assert "…" not in text and "118241 of 119362" in text and "95721 of 95773" in text
    assert "≤ 2 %  Launches" in text and "35 of 524288" in text and "average_and_multiply" in text
    assert "global sectors, ideal within 33 %, depends on the inputs' values" in text
    assert "refused: did not end within 20 s of CPU time" in text
    assert "…" in terminal_text(page, width=80, colour=False, blocks=True)


def test_a_check_on_the_cpu_loads_no_pandas() -> None:
    code = "import sys, advisor.cli.practice_gpu; sys.exit('pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
