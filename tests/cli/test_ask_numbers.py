"""`is 40 % occupancy ok?`: a stated number is judged by the launch's own numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from advisor.cli.main import main
from advisor.session.language.judged import judged
from advisor.session.language.known import known


@pytest.fixture
def asked(tour_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def ask(question: str, launch: int) -> tuple[str, str]:
        with pytest.raises(SystemExit) as caught:
            main(["ask", str(tour_path), question, "--launch", str(launch), "--format", "json"])
        assert not caught.value.code
        document = json.loads(capsys.readouterr().out)
        return document.get("verdict", ""), json.dumps(document, ensure_ascii=False)

    return ask


@pytest.mark.parametrize(
    ("question", "launch", "truth", "says"),
    [
        (
            "are 169 registers per thread too many?",
            13,
            "yes",
            ("That is a problem", "Low occupancy from registers", "128 or fewer: 25.0 %"),
        ),
        (
            "is 64 registers ok?",
            6,
            "unknown",
            (
                "theoretical occupancy 50.0 % (now 32 registers, 100.0 %)",
                "Register spilling is found now",
                "93,434,880",
            ),
        ),
        ("is 40 % occupancy ok?", 13, "no", ("12.1 % on this launch, not 40.0 %", "would not do either")),
        ("is 62 waves good", 0, "yes", ("no finding is about Waves Per SM", "nothing is lost")),
        ("is 8 blocks enough?", 11, "no", ("Grid too small", "leaves 124 of the 132 SMs")),
        ("is 86 % dram ok", 0, "yes", ("near the limit", "dram_pct >= 76.5: holds")),
        ("is 16 sectors per request bad?", 3, "yes", ("is 32 on this launch, not 16",)),
        ("is 1024 threads per block too many?", 0, "no", ("is 256 threads on this launch, not 1,024 threads",)),
    ],
)
def test_a_stated_number_is_judged_by_the_launch(
    asked: Any, question: str, launch: int, truth: str, says: tuple[str, ...]
):
    got, text = asked(question, launch)
    assert got == truth, text
    assert [part for part in says if part not in text] == []


@pytest.mark.parametrize(
    "text",
    ["is it the occupancy", "what if occupancy was 40 %", "is it memory bound", "is 32 ok", "what is 40 % occupancy"],
)
def test_other_questions_are_not_about_a_stated_number(text: str):
    assert judged(text, known()) is None
