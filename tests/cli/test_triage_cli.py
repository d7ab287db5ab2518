"""`ncu-advisor triage` as a user types it: text within the width, JSON by its schema, Parquet, progress, mistakes."""

from __future__ import annotations

import json
import random
from pathlib import Path

import jsonschema
import pandas as pd
import pytest

from advisor.cli.json_schema import schema
from advisor.cli.main import main
from advisor.cli.triage import Teller, progress_text
from advisor.triage.one_file import METRICS
from advisor.triage.run import Progress
from tests.bench.triage.generate import raw_rows, table
from tests.damaged import MARKUP
from tests.timeline.generator import MS, Planted
from tests.triage.triage_fleet import LAUNCHES, fleet, here

__all__ = ["here"]
pytestmark = pytest.mark.usefixtures("here", "cache")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    folder = tmp_path / "reports"
    fleet(folder, 2)
    (folder / "bad.ncu-rep").write_bytes(b"")
    return folder


def run(*args: str | Path) -> int:
    with pytest.raises(SystemExit) as caught:
        main([str(arg) for arg in args])
    return int(caught.value.code or 0)


def validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(schema("triage"))


@pytest.mark.usefixtures("reports")
def test_the_text_ranks_explains_and_names_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("triage", "reports", "--top", "2") == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert max(map(len, lines)) <= 80
    for words in ("6 launches in 2 reports", "would save", "Fix first", "  ncu-advisor diagnose", "--launch"):
        assert words in captured.out
    assert "more kernels and shapes" in captured.out
    assert "bad.ncu-rep: the file is empty" in " ".join(captured.out.split())
    assert captured.err == ""


def test_json_follows_its_schema_and_is_alone_on_stdout(reports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("triage", reports, "--format", "json") == 0
    captured = capsys.readouterr()
    document = json.loads(captured.out)
    validator().validate(document)
    assert document["totals"]["launches"] == 2 * LAUNCHES
    assert "bad.ncu-rep: the file is empty" in captured.err
    assert run("triage", reports, "--format", "json", "--top", "1", "--strict") == 2
    top = json.loads(capsys.readouterr().out)
    assert (top["groups"], top["totals"]) == (document["groups"][:1], document["totals"])


def test_a_field_that_the_schema_does_not_know_is_refused(reports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("triage", reports, "--format", "json")
    document = json.loads(capsys.readouterr().out)
    document["groups"][0]["mystery"] = 1
    assert not validator().is_valid(document)


def test_parquet_has_a_row_for_each_launch(reports: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "launches.parquet"
    assert run("triage", reports, "--format", "parquet", "--out", out) == 0
    assert capsys.readouterr().out == ""
    found = pd.read_parquet(out)
    assert len(found) == 2 * LAUNCHES
    assert set(METRICS) <= set(found.columns)
    run("triage", reports, "--format", "json")
    groups = json.loads(capsys.readouterr().out)["groups"]
    times = found.groupby("kernel_full")["duration_ns"].sum()
    assert {g["kernel_full"]: pytest.approx(g["duration_ns"]) for g in groups} == times.to_dict()
    assert found["dram_pct"].between(0, 100).all()
    assert [name for name in tmp_path.iterdir() if name.name.startswith(".launches")] == []


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--format", "parquet"], "give --out FILE"),
        (["--format", "parquet", "--out", "x", "--top", "3"], "leave out --top"),
        (["--kernel", "("], "not a regular expression"),
        (["--gpu", "Voodoo"], "Voodoo"),
        (["--timeline", "nowhere.sqlite"], "nowhere.sqlite"),
        (["--out", "nowhere/x.json"], "cannot be written"),
    ],
)
def test_a_mistake_is_one_line_and_exit_2(
    reports: Path, args: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("triage", reports, *args) == 2
    err = capsys.readouterr().err.strip()
    assert words in err
    assert len(err.splitlines()) == 1
    assert "Traceback" not in err


def test_names_from_a_report_are_shown_and_never_obeyed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = raw_rows()
    name = rows[0].index("Kernel Name")
    for number, text in enumerate(MARKUP):
        hostile = [list(row) for row in rows]
        for row in hostile[2:]:
            row[name] = text.replace("\x00", "")
        (tmp_path / f"r{number}.csv").write_text(table(hostile, random.Random(number), 1))
    assert run("triage", tmp_path, "--top", "99") == 0
    out = capsys.readouterr().out
    assert not [c for c in out if not c.isprintable() and c != "\n"]
    assert "[bold red]" in out


def test_a_trace_gives_the_budget_of_the_program(
    reports: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("triage", reports, "--format", "json", "--top", "1")
    kernel = json.loads(capsys.readouterr().out)["groups"][0]
    trace = Planted()
    trace.kernel(0, 90 * MS, kernel["kernel_full"], kernel["kernel"])
    trace.kernel(95 * MS, 5 * MS, "void rest()", "rest")
    path = tmp_path / "trace.sqlite"
    trace.write(path)
    assert run("triage", reports, "--timeline", path) == 0
    text = capsys.readouterr().out
    assert "For the application" in text and "Not profiled: rest" in text
    assert run("triage", reports, "--timeline", path, "--format", "json") == 0
    document = json.loads(capsys.readouterr().out)
    validator().validate(document)
    found = document["applications"][0]
    whole, back = found["whole_ns"], 90 * MS * kernel["back_ns"] / kernel["duration_ns"]
    assert found["kernels"][0]["gain"] == pytest.approx(whole / (whole - back))


def test_a_finished_run_leaves_nothing_and_a_stopped_one_says_how_to_go_on(
    reports: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from advisor.cli import triage as command

    def states() -> list[Path]:
        return sorted((cache / "ncu-advisor" / "triage").glob("*.state"))

    assert run("triage", reports) == 0
    assert states() == []
    plain = capsys.readouterr().out

    def stop(self: Teller, progress: Progress) -> None:
        self.last = progress
        if progress.files_done == 1:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(command.Teller, "__call__", stop)
        assert run("triage", reports) == 130
    assert "1 of 3 files are done: run the same command again to resume" in capsys.readouterr().err
    assert len(states()) == 1
    assert run("triage", reports) == 0
    captured = capsys.readouterr()
    assert "resuming an interrupted run: 1 of 3 files are already done" in captured.err
    assert captured.out == plain
    assert states() == []


def test_progress_tells_the_rate_and_the_time_left_by_bytes() -> None:
    progress = Progress(100, 20, 1000_000, 250_000, 50_000, 400, False)
    assert progress_text(progress, 10.0) == "20 of 100 files, 400 launches, 20 kB/s, about 38 s left"
    long = Progress(100, 20, 10**12, 10**11, 0, 400, False)
    assert progress_text(long, 10_000.0).endswith("10 MB/s, about 25 h 0 min left")
    early = Progress(100, 1, 10**12, 10**9, 0, 20, False)
    assert progress_text(early, 10.0) == "1 of 100 files, 20 launches, 100 MB/s"
    assert progress_text(Progress(9, 0, 9, 0, 0, 0, False), 0.0) == "0 of 9 files, 0 launches"


def test_progress_is_a_line_that_changes_on_a_terminal_and_a_line_now_and_then_elsewhere() -> None:
    for terminal, expected in ((True, (5, 0)), (False, (0, 2))):
        notes: list[str] = []
        said: list[str] = []
        times = iter([0.0, 0.1, 5.0, 10.0, 15.0, 20.5, 21.0])
        tell = Teller(notes.append, said.append, lambda times=times: next(times), terminal)
        for done in range(7):
            tell(Progress(10, done, 10, done, 0, done, False))
        assert (len(notes), len(said)) == expected
