"""The commands as a user types them: exit codes, one line for each mistake, data on stdout and narration on stderr."""

from __future__ import annotations

import importlib.metadata
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from advisor.cli.main import cli, main

ROOT = Path(__file__).resolve().parents[2]


def run(*args: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(list(args))
    return int(caught.value.code or 0)


def test_help_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--help") == 0
    out = capsys.readouterr().out
    for command in ("demo", "diagnose", "napkin", "explain", "collect", "knowledge"):
        assert command in out


def test_the_version_is_told_where_the_package_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def absent(name: str) -> None:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", absent)
    monkeypatch.setattr(importlib.metadata, "version", absent)
    assert run("--version") == 0
    written = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert capsys.readouterr().out.strip() == f"ncu-advisor, version {written}"


def test_json_is_the_only_thing_on_stdout(tour_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("diagnose", str(tour_path), "--launch", "4", "--format", "json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "ncu-advisor/diagnosis/1"


def test_the_first_screen_is_short_and_within_80_columns(tour_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("diagnose", str(tour_path), "--launch", "4") == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    top = "\n".join(lines[:20])
    for word in ("transpose_tile", "H200", " µs", "Cause", "bank_conflicts", "Speedup", "Why", "Fix", "Next"):
        assert word in top
    assert "\x1b" not in top


def test_a_report_that_cannot_be_read_is_one_line_and_exit_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.ncu-rep"
    bad.write_bytes(b"nothing like a report")
    assert run("diagnose", str(bad)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.strip().splitlines()) == 1


def test_one_bad_report_beside_a_good_one_is_named_and_strict_makes_it_2(
    tmp_path: Path, tour_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.ncu-rep"
    bad.write_bytes(b"")
    assert run("diagnose", str(bad), str(tour_path), "--launch", "4", "--format", "json") == 0
    captured = capsys.readouterr()
    assert "bad.ncu-rep" in captured.err
    assert [r["complete"] for r in json.loads(captured.out)["reports"]] == [False, True]
    assert run("diagnose", str(bad), str(tour_path), "--launch", "4", "--strict", "--format", "json") == 2


def test_an_unknown_command_is_exit_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("diagnoze") == 2
    assert "diagnoze" in capsys.readouterr().err


def test_how_shows_rule_value_and_source(tour_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("diagnose", str(tour_path), "--launch", "4", "--how", "bank_conflicts") == 0
    out = capsys.readouterr().out
    assert "bank_conflicts.excess" in out and "shared_wavefront_ratio = 16.5" in out and "guide.step3.bank" in out


def test_why_not_and_what_if_answer_on_the_selected_launch(tour_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("diagnose", str(tour_path), "--launch", "0", "--why-not", "bank_conflicts") == 0
    assert "did not fire" in capsys.readouterr().out
    assert run("diagnose", str(tour_path), "--launch", "12", "--what-if", "dram_pct=70", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["launches"][0]["class"]["id"] == "dram_bound"


def test_out_is_written_whole(tour_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "found.json"
    assert run("diagnose", str(tour_path), "--launch", "4", "--format", "json", "--out", str(out)) == 0
    assert capsys.readouterr().out == ""
    assert json.loads(out.read_text(encoding="utf-8"))["launches"]
    assert [p.name for p in tmp_path.iterdir()] == ["found.json"]


def test_answers_from_a_file_change_the_verdict(
    tour_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = tmp_path / "answers.yaml"
    answers.write_text("theoretical_bytes: 64000000\n", encoding="utf-8")
    assert run("diagnose", str(tour_path), "--launch", "0", "--answers", str(answers), "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["launches"][0]["findings"][0]["id"] == "excess_traffic"


def test_a_wrong_answers_file_is_named_with_its_line(
    tour_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = tmp_path / "answers.yaml"
    answers.write_text("a: [1\nb: 2\n", encoding="utf-8")
    assert run("diagnose", str(tour_path), "--answers", str(answers)) == 2
    assert "answers.yaml:2" in capsys.readouterr().err


def test_collect_without_a_report_prints_one_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("collect", "--kernel", "gemm|copy") == 0
    out = capsys.readouterr().out
    assert out.count("\nncu ") == 1 and "--section SpeedOfLight" in out and "'regex:gemm|copy'" in out


def test_napkin_reckons_the_guide_s_gemm(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = ("--m", "4096", "--n", "4096", "--k", "4096")
    assert run("napkin", "gemm", *sizes, "--dtype", "f32", "--gpu", "H100-SXM", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["intensity"] == pytest.approx(682.7, abs=0.05)


def test_how_answers_for_the_launches_where_it_holds(tour_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("diagnose", str(tour_path), "--launch", "0", "--launch", "4", "--how", "bank_conflicts") == 0
    assert capsys.readouterr().out.count("How: Shared-memory bank conflicts") == 1
    assert run("diagnose", str(tour_path), "--launch", "0", "--how", "bank_conflicts") == 2
    assert "was not concluded on any selected launch" in capsys.readouterr().err


def test_a_file_that_is_not_there_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("absent.ncu-rep") == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_a_team_s_mistake_is_named_with_its_file_and_line(
    tour_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    team = tmp_path / "team"
    (team / "observations").mkdir(parents=True)
    (team / "team.yaml").write_text("prefix: acme\n", encoding="utf-8")
    (team / "observations" / "x.yaml").write_text(
        'acme_busy: {test: "dram_percent > 3", says: "x", cites: [guide.step1]}\n', encoding="utf-8"
    )
    assert run("diagnose", str(tour_path), "--knowledge", str(team)) == 2
    error = capsys.readouterr().err.strip()
    assert "x.yaml:1" in error and len(error.splitlines()) == 1


def test_every_switch_is_true_or_false() -> None:
    """A switch that is neither, such as None, is saved in a session that then cannot be loaded again."""

    def switches(command: click.Command, words: tuple[str, ...]) -> Iterator[tuple[str, object]]:
        context = click.Context(command)
        for each in command.params:
            if isinstance(each, click.Option) and each.is_bool_flag and not each.secondary_opts:
                yield " ".join((*words, each.opts[0])), each.get_default(context)
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                below = command.get_command(context, name)
                assert below is not None
                yield from switches(below, (*words, name))

    found = dict(switches(cli, ()))
    assert "open --predict" in found and "triage --strict" in found
    assert {name for name, default in found.items() if default not in (True, False)} == set()
