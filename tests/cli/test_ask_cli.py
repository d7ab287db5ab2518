"""The command `ask`, from a real report to text, JSON and pages."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from advisor.cli.json_schema import schema
from advisor.cli.main import main


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as caught:
        main([str(word) for word in arguments])
    return int(caught.value.code or 0)


def test_an_answer_leads_with_its_sentence_and_says_which_launch_it_is_about(
    tour_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("ask", tour_path, "why is it slow") == 0
    out = capsys.readouterr().out
    assert "Grid too small: a grid size of 8 leaves 124 of the 132 SMs without a block" in out
    assert "About launch 11 (one of 22 launches, the one whose fix saves most time)" in out


@pytest.mark.parametrize(
    ("launch", "question", "intent", "verdict", "says"),
    [
        ("1", "is it dram bound", "is_bound", "yes", "Yes: DRAM runs at 91.4 %; the launch is DRAM-bound."),
        ("1", "bank conflicts?", "is_cause", "no", "No, it is not shared-memory bank conflicts"),
        ("4", "bank conflicts?", "is_cause", "yes", "Yes, it comes first: Shared-memory bank conflicts"),
        ("1", "what is the l2 hit rate", "value", "", "L2 hit rate (l2_hit_pct): 11.7 %"),
        ("particle_field_soa", "how long did it take", "value", "", "The launch takes 50.1 µs."),
        ("4", "which line is it", "where", "", "transpose_tile.cu:8"),
    ],
)
def test_the_document_of_an_answer_fits_its_schema(
    tour_path: Path,
    capsys: pytest.CaptureFixture[str],
    launch: str,
    question: str,
    intent: str,
    verdict: str,
    says: str,
) -> None:
    assert run("ask", tour_path, question, "--launch", launch, "--format", "json") == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, schema("answer"))
    assert (document["meaning"]["intent"], document.get("verdict", "")) == (intent, verdict)
    assert document["answer"].startswith(says) and document["schema"] == "ncu-advisor/answer/1"


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_an_answer_can_be_written_as_a_page(tour_path: Path, tmp_path: Path, form: str) -> None:
    out = tmp_path / "answer"
    assert run("ask", tour_path, "how do I fix it", "--launch", "4", "--format", form, "--out", out) == 0
    text = out.read_text(encoding="utf-8")
    assert "bank conflicts" in text and "What to ask next" not in text


def test_a_launch_is_named_behind_the_report(tour_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("ask", f"{tour_path}#5", "what limits the occupancy") == 0
    shown = capsys.readouterr().out
    assert "launch 5" in shown and "The occupancy is limited by registers and the warp slots, 2 blocks per SM." in shown


def test_a_launch_that_does_not_exist_is_one_line(tour_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("ask", tour_path, "why", "--launch", "nothing_like_it") == 2
    assert "there is no such launch" in capsys.readouterr().err


def test_a_question_about_something_else_is_answered_with_what_can_be_asked(
    tour_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("ask", tour_path, "what is the weather like") == 0
    out = capsys.readouterr().out
    assert "That is not something this profile can answer" in out and "how do I fix it" in out


@pytest.mark.parametrize(
    ("question", "kernel"),
    [
        ("why is transpose_tile slow", "transpose_tile"),
        ("why is launch 4 slow", "transpose_tile"),
        ("is row 7 memory bound?", "private_bins"),
        ("how do I fix #5", "gemm_one_output"),
        ("what if I launch 5 blocks", "eight_blocks"),
        ("why is it slow", "eight_blocks"),
    ],
)
def test_a_question_is_about_the_launch_that_it_names(
    question: str, kernel: str, tour_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("ask", tour_path, question) == 0
    assert capsys.readouterr().out.startswith(f"{kernel} · launch ")
