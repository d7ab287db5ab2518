"""The command `fix`: patches, their forms, --write, exit codes, and one line for each mistake or hostile source."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from advisor.cli.json_schema import schema
from advisor.patches.syntax import _parser
from tests.emulator.tools import needs_tools, run
from tests.patches.small import FOLDER

TILE = (FOLDER / "rotate_macro_tile.cu").read_text(encoding="utf-8")
SHAPE = (
    "--grid",
    "4,4",
    "--block",
    "32,8",
    "--arg",
    "float[16384]=zeros",
    "--arg",
    "float[16384]",
    "--arg",
    "uint32=128",
)
ONE = ("--grid", "1", "--block", "32", "--arg", "float[32]")
GOOD = "__global__ void k(float* x) { x[threadIdx.x] += 1.f; }"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "tile ü.cu"
    path.write_text(TILE, encoding="utf-8")
    return path


@needs_tools
def test_json_follows_its_schema_and_nothing_is_written(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("fix", str(source), *SHAPE, "--kind", "pad_tile", "--format", "json") == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, schema("fix"))
    (patch,) = document["patches"]
    assert (document["kind"], patch["kind"], patch["results"]) == ("emulated", "pad_tile", "bit for bit")
    assert patch["promised"]["after"] < patch["promised"]["before"] / 10 and "text" not in patch
    assert source.read_text(encoding="utf-8") == TILE and len(list(source.parent.iterdir())) == 1


@needs_tools
def test_the_diff_alone_can_be_applied_with_patch(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("fix", str(source), *SHAPE, "--kind", "pad_tile", "--diff") == 0
    diff = capsys.readouterr().out
    assert diff.count("\n-") == 1 and "+  __shared__ Number Patch[EDGE][EDGE + 1];" in diff
    subprocess.run(["git", "apply", "-p1", "-"], input=diff, text=True, cwd=source.parent, check=True)
    assert "[EDGE + 1]" in source.read_text(encoding="utf-8")


@needs_tools
def test_write_changes_the_file_and_keeps_a_copy(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source.write_bytes(TILE.replace("\n", "\r\n").encode())
    source.chmod(0o640)
    assert run("fix", str(source), *SHAPE, "--kind", "pad_tile", "--write") == 0
    changed = source.read_bytes()
    assert b"[EDGE][EDGE + 1];\r\n" in changed and changed.count(b"\n") == changed.count(b"\r\n")
    backup = source.with_name(f"{source.name}.orig")
    assert backup.read_bytes() == TILE.replace("\n", "\r\n").encode() and source.stat().st_mode & 0o777 == 0o640
    assert "the old text is in" in " ".join(capsys.readouterr().out.split())
    # Nothing is left to pad: nothing is written.
    assert run("fix", str(source), *SHAPE, "--kind", "pad_tile", "--write") == 1
    assert source.read_bytes() == changed and not source.with_name(f"{source.name}.orig2").exists()


@needs_tools
def test_without_a_proven_patch_the_exit_code_is_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.cu"
    path.write_text(GOOD, encoding="utf-8")
    assert run("fix", str(path), *ONE) == 1
    assert "none is proven" in capsys.readouterr().out
    assert run("fix", str(path), *ONE, "--diff") == 1
    assert capsys.readouterr().out == ""


@needs_tools
def test_an_exercise_is_named_or_found_by_its_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("fix", "--exercise", "double-literals", "--kind", "single_precision", "--format", "json") == 0
    (patch,) = json.loads(capsys.readouterr().out)["patches"]
    assert patch["promised"]["after"] == 0 and patch["results"] == "within the exercise's tolerance"
    assert run("fix", "--exercise", "double-literals", "--kind", "single_precision", "--write") == 2
    assert "bundled" in capsys.readouterr().err


HOSTILE = {
    "syntax error": ("__global__ void k(float* x) { x[0] = ; }", "error"),
    "no kernel": ("__device__ float f(float x) { return x; }", "has the kernels none"),
    "host code": ("int main() { return 0; }", "error"),
    "empty": ("", "has the kernels none"),
    "two kernels": (f"{GOOD} __global__ void l(float* x) {{ x[0] = 1.f; }}", "choose one with --kernel"),
    "missing include": (f'#include "nowhere/at all.h"\n{GOOD}', "nowhere"),
    "deep": (f"__global__ void k(float* x) {{ x[0] = {'(' * 3000}1.f{')' * 3000}; }}", ""),
    "out of bounds": ("__global__ void k(float* x) { x[threadIdx.x + 9999] = 1.f; }", "the source itself has an error"),
    "endless": ("__global__ void k(volatile float* x) { while (x[0] < 2.f) { x[1] = 0.f; } }", "did not end"),
    "refused": ('__global__ void k(float* x) { x[0] = __nanosleep(1), clock(); printf("%d", 1); }', ""),
}


@needs_tools
@pytest.mark.parametrize("case", HOSTILE, ids=str)
def test_a_hostile_source_is_one_line_and_exit_2(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, says = HOSTILE[case]
    path = tmp_path / "k.cu"
    path.write_text(text, encoding="utf-8")
    assert run("fix", str(path), *ONE, "--seconds", "1", "--write") == 2
    err = capsys.readouterr().err.strip().splitlines()
    assert len(err) == 1 and says in err[0] and "Traceback" not in err[0]
    assert path.read_text(encoding="utf-8") == text and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("given", [("--seconds", "nan"), ("--seconds", "inf"), ("--tolerance", "nan")])
def test_a_limit_that_is_no_number_is_refused(given: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("fix", "k.cu", *given) == 2
    assert "is not a finite number" in capsys.readouterr().err


def test_files_that_are_no_source_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    big, latin = tmp_path / "big.cu", tmp_path / "latin.cu"
    big.write_bytes(b"//\n" * 400_000)
    latin.write_bytes("// Größe".encode("latin-1"))
    for path, says in (
        (big, "too large"),
        (latin, "not UTF-8"),
        (tmp_path / "none.cu", "no such file"),
        (tmp_path, "a folder"),
    ):
        assert run("fix", str(path), *ONE) == 2
        assert says in capsys.readouterr().err


@needs_tools
def test_without_the_grammar_one_line_says_what_to_install(
    source: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _parser.cache_clear()
    monkeypatch.setitem(sys.modules, "tree_sitter_cuda", None)
    try:
        assert run("fix", str(source), *SHAPE) == 2
    finally:
        _parser.cache_clear()
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert "ncu-advisor[emulate]" in line


@needs_tools
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "name a source"),
        (["K"], "--grid"),
        (["K", *ONE, "--kind", "faster"], "no kind of patch 'faster'"),
        (["K", *ONE, "--kernel", "l"], "no kernel 'l'"),
        (["K", *ONE, "--arg", "@7"], "@1"),
        (["K", *ONE, "--arg", "float[400000000]"], "up to 1024 MiB"),
        (["K", *ONE, "--diff", "--format", "json"], "leave out --format"),
        (["K", "--grid", "1", "--block", "32"], "takes 1 arguments, not 0"),
    ],
)
def test_wrong_use_is_one_line(
    arguments: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(GOOD, encoding="utf-8")
    assert run("fix", *(str(path) if a == "K" else a for a in arguments)) == 2
    assert says in capsys.readouterr().err


@needs_tools
def test_a_unicode_source_keeps_its_characters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "// 转置 \u2028 тест\n" + TILE.replace("// A tile", "// Ein Stück 🧩\n// A tile")
    path = tmp_path / "名.cu"
    path.write_text(text, encoding="utf-8")
    assert run("fix", str(path), *SHAPE, "--kind", "pad_tile", "--write") == 0
    assert path.read_text(encoding="utf-8") == text.replace("[EDGE][EDGE]", "[EDGE][EDGE + 1]")
