"""What the answers of `ask` say about a real report: the deciding test, limits, other GPUs, changes, pasted rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from advisor.cli.main import main

OPT = """      OPT   Est. Speedup: 62.5%
          The 4.00 theoretical warps per scheduler this kernel can issue according to its occupancy are below the
          hardware maximum of 16. This kernel's theoretical occupancy (25.0%) is limited by the required amount of
          shared memory."""


@pytest.fixture
def asked(tour_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def ask(question: str, launch: int, form: str = "text") -> str:
        with pytest.raises(SystemExit) as caught:
            main(["ask", str(tour_path), question, "--launch", str(launch), "--format", form])
        assert not caught.value.code
        out = capsys.readouterr().out
        return out if form == "json" else " ".join(out.split())

    return ask


@pytest.mark.parametrize(
    ("question", "launch", "says"),
    [
        ("is it the tail?", 11, "No, it is not tail effect: Waves Per SM (waves) = 0.0303, test > 1 does not hold"),
        ("why not tail effect", 3, "Tail effect was not concluded: ceil(waves) / waves = 1.031, test > 1.15 does not"),
        ("is it register spilling", 11, "(spill_inst) = 0 inst, test > 0 does not hold"),
    ],
)
def test_a_no_leads_with_the_number_that_fails_and_its_threshold(asked: Any, question: str, launch: int, says: str):
    document = json.loads(asked(question, launch, "json"))
    assert says in document["answer"]
    text = asked(question, launch)
    lines = [line for line in text.split("· ") if line.startswith(("✗", "✓"))]
    assert all("does not hold" in line for line in lines if line.startswith("✗"))
    assert [line[0] for line in lines] == sorted((line[0] for line in lines), reverse=True), "failing tests first"


@pytest.mark.parametrize(
    ("launch", "limit", "needs"),
    [
        (13, "is 12.5 %, limited by registers", "at most 32 registers per thread (now 169)"),
        (14, "is 25.0 %, limited by shared memory", "of shared memory per block (now 102 kB)"),
        (15, "is 50.0 %, limited by shared memory, the block slots", "64 threads per block (now 32)"),
    ],
)
def test_an_occupancy_above_the_theoretical_one_names_its_limit_and_what_to_change(
    asked: Any, launch: int, limit: str, needs: str
):
    text = asked("what if occupancy was 100%", launch)
    assert f"The theoretical occupancy of this launch {limit}" in text and needs in text
    assert "theoretical occupancy" not in asked("what if occupancy was 10%", launch)


def test_a_question_about_another_gpu_is_answered_for_that_gpu(asked: Any):
    text = asked("is the tail a problem on a T4?", 3)
    assert "On T4: no, tail effect is not found there" in text and "40 SMs, 132 on H200-SXM" in text


@pytest.mark.parametrize(
    ("gpu", "says"), [("an A100", "not for A100-SXM-80GB"), ("an RTX 9090", "Too little is known")]
)
def test_an_answer_for_the_gpu_of_the_report_says_so(asked: Any, gpu: str, says: str):
    text = asked(f"is it memory bound on {gpu}?", 3)
    assert says in text and "the GPU of the report" in text


def test_whether_a_change_helped_needs_two_reports_and_names_the_command(asked: Any, tour_path: Path):
    text = asked("did the padding help?", 4)
    assert "One report cannot show whether a change helped" in text and "ncu-advisor compare BEFORE.ncu-rep" in text


def test_another_block_size_changes_the_grid_and_the_occupancy_too(asked: Any):
    text = asked("what if I use 128 threads per block?", 15)
    assert "Grid Size = 8,448 blocks (now 33,792 blocks)" in text
    assert "Theoretical Occupancy = 100.0 % (now 50.0 %)" in text and "Low occupancy from the block size →" in text


@pytest.mark.parametrize(
    ("launch", "says"),
    [(14, "the same: low occupancy from shared memory comes first"), (11, "the same: grid too small comes first")],
)
def test_a_pasted_paragraph_of_a_rule_is_answered_with_the_conclusion_here(asked: Any, launch: int, says: str):
    document = json.loads(asked(OPT, launch, "json"))
    assert document["meaning"]["intent"] == "ncu_rule" and says in document["answer"]
