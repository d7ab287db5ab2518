"""`ncu-advisor compare` as a user types it: exit codes, streams, one line for each mistake."""

from __future__ import annotations

import json
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from advisor.cli.main import main


def run(*args: object) -> int:
    with pytest.raises(SystemExit) as caught:
        main([str(a) for a in args])
    return int(caught.value.code or 0)


def test_two_launches_of_one_report(tour_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("compare", f"{tour_path}#1", f"{tour_path}#2") == 0
    captured = capsys.readouterr()
    assert "2.7×: 137 µs → 50.1 µs" in captured.out and captured.err == ""
    assert max(map(len, captured.out.splitlines())) <= 80 and "\x1b" not in captured.out


def test_json_is_the_only_thing_on_stdout(tour_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("compare", f"{tour_path}#1", f"{tour_path}#2", "--format", "json", "--fail-on", "duration<-5%") == 3
    captured = capsys.readouterr()
    assert json.loads(captured.out)["schema"] == "ncu-advisor/compare/1"
    assert "crossed: duration<-5% on particle_field" in captured.err


def test_a_file_with_a_number_sign_in_its_name(
    tour_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = tmp_path / "a#1.ncu-rep.xz"
    shutil.copy(tour_path, odd)
    assert run("compare", f"{odd}#1", f"{odd}#2", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["pairs"][0]["base"]["launches"] == [1]


@pytest.mark.parametrize(
    ("thresholds", "code"),
    [
        (["duration>5%"], 0),
        (["duration<-50%"], 3),
        (["finding:block_launch_rate"], 3),
        (["finding:bank_conflicts", "dram_pct>+5"], 0),
        (["theoretical_bytes>+1"], 2),
        (["theoretical_bytes>+1", "finding:block_launch_rate"], 3),
    ],
)
def test_exit_codes_of_thresholds(
    tour_path: Path, thresholds: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [word for text in thresholds for word in ("--fail-on", text)]
    assert run("compare", f"{tour_path}#1", f"{tour_path}#2", *options) == code
    err = capsys.readouterr().err
    assert ("crossed" in err) == (code == 3)
    assert ("not checked" in err) == ("theoretical_bytes>+1" in thresholds)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["T#1", "T#99"], "there is no launch 99"),
        (["T#1", "T#two"], "write the launch number after #"),
        (["T#1", "none.ncu-rep"], "none.ncu-rep"),
        (["T#1", "T#2", "--fail-on", "dram_pcg>5"], "did you mean 'dram_pct'"),
        (["T#1", "T#2", "--map", "x=y"], "the base has no kernel called 'x'"),
        (["T#1", "T#2", "--kernel", "("], "is not a regular expression"),
        (["T#1", "T#2", "--kernel", "soa"], "no launch matches --kernel"),
    ],
)
def test_each_mistake_is_one_line_and_exit_2(
    tour_path: Path, arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("compare", *(a.replace("T#", f"{tour_path}#") for a in arguments)) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and says in captured.err
    assert len(captured.err.strip().splitlines()) == 1


def test_kernels_are_filtered_on_both_sides(tour_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("compare", tour_path, tour_path, "--kernel", "^chain_", "--format", "json") == 0
    names = [p["base"]["kernel"] for p in json.loads(capsys.readouterr().out)["pairs"]]
    assert names == ["chain_registers", "chain_shared", "chain_small_blocks"]


def test_what_has_no_partner_is_told_beside_the_thresholds(
    tour_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = shutil.copy(tour_path, tmp_path / "other.ncu-rep.xz")
    assert run("compare", tour_path, f"{other}#1", "--fail-on", "duration>5%", "--format", "junit") == 0
    captured = capsys.readouterr()
    assert "no threshold applies to kernels only in the base: vector_copy" in captured.err and "18 more" in captured.err
    suite = ET.fromstring(captured.out).find("testsuite")
    assert suite is not None and suite.get("skipped") == "21"


def test_out_is_written_whole_and_without_colour(
    tour_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "found.md"
    assert run("compare", f"{tour_path}#1", f"{tour_path}#2", "--format", "markdown", "--out", out) == 0
    assert capsys.readouterr().out == ""
    assert out.read_text(encoding="utf-8").startswith("# particle\\_field → particle\\_field\\_soa · H200-SXM")


def test_answers_set_the_floor_of_both_sides(
    tour_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = tmp_path / "answers.yaml"
    answers.write_text("theoretical_bytes: 201326592\n", encoding="utf-8")
    assert run("compare", f"{tour_path}#1", f"{tour_path}#2", "--answers", answers) == 0
    assert "over the minimum time" in capsys.readouterr().out


@pytest.mark.parametrize("form", ["tour_details.txt", "tour_details.csv", "tour_raw.csv.xz"])
def test_every_form_of_a_report_compares_with_the_binary_one(
    form: str, tour_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = Path(__file__).parents[1] / "data" / form
    assert run("compare", text, tour_path, "--format", "json") == 0
    document = json.loads(capsys.readouterr().out)
    assert [(p["base"]["kernel"], p["verdict"]) for p in document["pairs"]] == [
        ("vector_copy", "same"),
        ("transpose_tile", "same"),
        ("capped_moments", "same"),
    ]
    assert len(document["current_only"]) == 19
