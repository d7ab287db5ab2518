"""`ncu-advisor replay` as a user types it: exit codes, the difference in words, files rewritten or left alone."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.cli.main import main

ROOT = Path(__file__).parents[2]
BUNDLED = sorted((ROOT / "transcripts").glob("*.jsonl"))
SCRIPT = """
title: Bank conflicts in a transpose
cites: [guide.step3.bank]
begin: {reports: [mine.csv.xz]}
script:
  - /kernel transpose_tile
  - {do: expect, bound: memory}
  - {say: /how bank_conflicts, expect: {class: mixed_memory_bound, first: bank_conflicts, cards: [proof]}}
  - {say: /fix, expect: {findings: [bank_conflicts], without: [tail_effect], cards: [fix bank_conflicts]}}
  - {say: what if dram_pct = 95, expect: {told: {whatif: {dram_pct: 95}}}}
"""


def run(*args: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(list(args))
    return int(caught.value.code or 0)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session written from a script, on a report that lies beside the script and not beside the session."""
    folder = tmp_path_factory.mktemp("script")
    shutil.copy(ROOT / "tests" / "data" / "tour_raw.csv.xz", folder / "mine.csv.xz")
    (folder / "script.yaml").write_text(SCRIPT, encoding="utf-8")
    out = tmp_path_factory.mktemp("recorded") / "mine.jsonl"
    assert run("replay", "--record", str(folder / "script.yaml"), "--out", str(out)) == 0
    shutil.rmtree(folder)
    return out


@pytest.fixture
def session(recorded: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(recorded, tmp_path / "mine.jsonl"))


def changed(path: Path) -> str:
    text = path.read_text(encoding="utf-8").replace('"class": "mixed_memory_bound"', '"class": "latency_bound"')
    path.write_text(text, encoding="utf-8")
    return text


def test_a_session_that_concludes_the_same_is_exit_0(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("replay", "--check", str(session)) == 0
    captured = capsys.readouterr()
    assert "all 6 conclusions as saved" in captured.out and captured.err == ""


def test_another_conclusion_is_exit_1_and_told_step_by_step(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = changed(session)
    assert run("replay", "--check", str(session)) == 1
    out = capsys.readouterr().out
    for words in ("step 2, opens transpose_tile", "expected  latency_bound", "came      mixed_memory_bound"):
        assert words in out
    assert session.read_text(encoding="utf-8") == text


def test_accept_shows_the_difference_and_rewrites(
    session: Path, recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed(session)
    assert run("replay", "--accept", str(session)) == 0
    out = capsys.readouterr().out
    assert "expected  latency_bound" in out and "rewritten" in out
    assert session.read_bytes() == recorded.read_bytes()
    assert run("replay", "--check", str(session)) == 0


def test_accept_leaves_alone_what_would_lose_lines(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = changed(session) + '{"do": "dance"}\n'
    session.write_text(text, encoding="utf-8")
    assert run("replay", "--accept", str(session)) == 2
    assert "does not know" in capsys.readouterr().err and session.read_text(encoding="utf-8") == text


def test_a_deed_that_cannot_be_done_is_a_difference_and_is_not_accepted(
    session: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = session.read_text(encoding="utf-8").replace('{"do": "fix"}', '{"do": "answer", "question": "x", "value": 1}')
    session.write_text(text, encoding="utf-8")
    assert run("replay", "--check", str(session)) == 1
    assert "not possible and changed nothing" in capsys.readouterr().out
    assert run("replay", "--accept", str(session)) == 2
    assert "record the session again" in capsys.readouterr().err and session.read_text(encoding="utf-8") == text


def test_several_and_folders_are_checked_to_the_end(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad, other = session.with_name("bad.jsonl"), session.with_name("other.jsonl")
    bad.write_text("{}", encoding="utf-8")
    other.write_bytes(session.read_bytes())
    changed(other)
    assert run("replay", "--check", str(session.parent)) == 2
    captured = capsys.readouterr()
    assert "mine.jsonl: all 6" in captured.out and "other.jsonl: " in captured.out
    assert captured.err.count("\n") == 1 and "bad.jsonl" in captured.err
    bad.unlink()
    assert run("replay", "--check", str(session), str(other)) == 1


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--check"], "name the sessions"),
        (["--check", "--accept", "x.jsonl"], "one of them"),
        (["--check", "no-such.jsonl"], "no such file"),
        (["--out", "x"], "belongs to --record"),
        (["--record", "x.yaml", "y.jsonl"], "leave out sessions"),
        (["--record", "no.yaml"], "cannot be read"),
        (["a.jsonl", "b.jsonl"], "only one session can be replayed at a time"),
    ],
)
def test_wrong_use_is_one_line_and_exit_2(
    args: list[str], says: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("replay", *args) == 2
    err = capsys.readouterr().err
    assert says in err and err.count("\n") == 1


def test_without_a_terminal_a_session_is_not_played(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("replay", str(session)) == 2
    assert "terminal" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("hubba bubba", "not understood"),
        ("/nothing", "not understood"),
        ("{say: /fix}", "no effect here"),
        ("{do: dance}", "no action is called 'dance'"),
        ("{do: launch, position: x}", "line 1"),
        ("{sing: x}", "neither say"),
        ("{say: /kernel transpose_tile, expect: {class: dram_bound}}", "class is 'mixed_memory_bound'"),
        ("{say: /kernel transpose_tile, expect: {moon: 1}}", "unknown expectation 'moon'"),
        ("{say: /kernel transpose_tile, expect: {without: [bank_conflicts]}}", "there is a finding"),
        ("{say: /kernel transpose_tile, expect: {speedup: {bank_conflicts: [50, 60]}}}", "not 50 to 60"),
        ("{say: /kernel transpose_tile, expect: {says: moonshine}}", "no card contains"),
    ],
)
def test_a_script_that_does_not_hold_is_one_line(
    line: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(ROOT / "tests" / "data" / "tour_raw.csv.xz", tmp_path / "mine.csv.xz")
    script = tmp_path / "x.yaml"
    script.write_text(f"title: x\nbegin: {{reports: [mine.csv.xz]}}\nscript:\n  - {line}\n", encoding="utf-8")
    assert run("replay", "--record", str(script), "--out", str(tmp_path / "x.jsonl")) == 2
    err = capsys.readouterr().err
    assert says in err and err.count("\n") == 1 and not (tmp_path / "x.jsonl").exists()


@pytest.mark.parametrize("text", ["", "title: x", "[1]", "title: x\nscript: 3", "title: x\nscript: []\nmoon: 1", "{"])
def test_what_is_no_script_is_one_line(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "x.yaml"
    script.write_text(text, encoding="utf-8")
    assert run("replay", "--record", str(script)) == 2
    err = capsys.readouterr().err
    assert "not a script" in err and err.count("\n") == 1


def test_kept_sessions_are_listed_and_found_by_their_ids(
    session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from advisor.session.transcripts import autosave

    place = tmp_path / "sessions"
    place.mkdir()
    shutil.copy(session, place / "0123456789ab.jsonl")
    monkeypatch.setattr(autosave, "folder", lambda: place)
    assert run("replay") == 0
    out = capsys.readouterr().out
    assert "0123456789ab" in out and "mine.csv.xz" in out and "5 steps" in out and "interrupted" in out


def test_a_bundled_session_concludes_the_same_in_a_fresh_process(tmp_path: Path) -> None:
    """All of them: `ncu-advisor replay transcripts --check`, which .ci/run does."""
    path = min(BUNDLED, key=lambda path: path.stat().st_size)
    command = [sys.executable, "-m", "advisor", "replay", "--check", str(path)]
    found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert found.returncode == 0, found.stdout + found.stderr
