"""Questions as users type them in different moods, read by the whole program; and what the answers say."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from advisor.reasoning.diagnose import analyse
from advisor.records import resources
from advisor.session.language.forms import by_form
from advisor.session.language.known import known
from advisor.session.language.launch_pairs import two_launches
from advisor.session.language.meaning import meaning_of
from advisor.session.questions import answer
from advisor.view.charts.bars import occupancy_limit, theoretical_limit
from advisor.view.pages.answers.parts import Answered
from tests.bench.questions import same_subject

SENTENCES = Path(__file__).parents[1] / "data" / "questions_in_moods.yaml"
_LABELS = {"occupancy_limiter": "registers+warps"}


@cache
def tour() -> Any:
    return analyse([resources.folder("kernels") / "tour" / "recorded" / "h200" / "tour.ncu-rep.xz"])


def asked(text: str, position: int) -> Answered:
    return answer(text, tour(), position, known())


def test_questions_in_ten_moods_are_read_right_by_the_whole_program() -> None:
    rows = yaml.safe_load(SENTENCES.read_text(encoding="utf-8"))
    wrong = []
    for row in rows:
        pair = two_launches(row["text"], tour().diagnosis.launches)
        meaning = meaning_of(row["text"], known())
        right = meaning.intent == row["intent"] and same_subject(row, meaning, known())
        if not (row["intent"] == "compare" if pair is not None else right):
            wrong.append(row["text"])
    assert len(rows) == 60 and len(wrong) <= 4, wrong


@pytest.mark.parametrize(
    ("text", "position", "says"),
    [
        ("is my occupancy good", 11, "That is a problem: Grid too small"),
        (
            "how many threads run at once",
            11,
            "At most 8,192 threads at once: 8 blocks of 1,024 threads, the whole grid",
        ),
        ("how far from cuBLAS", 11, "How fast cublas is at this problem, this report does not show"),
        ("why is compute so low", 11, "because something else takes the time: the launch is latency-bound"),
        ("why is occupancy low", 11, "limited by the grid: 8 blocks for 132 SMs, at most 1 of 2 on an SM (50 %)"),
        ("what if no spills", 11, "register spilling was not found on this launch"),
        ("why is the speedup 1.00 to 33?", 11, "Up to 33×"),
        ("is launch 1 faster than 0", 4, "Launch 1"),
        ("how much faster without the bank conflicts", 11, "bank conflicts was not found on this launch"),
    ],
)
def test_a_question_is_answered_with_the_launchs_own_numbers(text: str, position: int, says: str) -> None:
    assert says in asked(text, position).answer.says


def test_a_comparison_of_two_launches_is_an_answer_with_both_times() -> None:
    made = asked("compare launch 3 with launch 11", 0)
    launches = tour().diagnosis.launches
    assert made.asked.position == 11 and made.asked.before == 3 and made.asked.pair is not None
    assert launches[3].kernel in made.answer.says and launches[11].kernel in made.answer.says


def test_the_grid_limits_the_occupancy_if_it_has_fewer_blocks_than_the_sms_can_hold() -> None:
    few = {"grid_size": 8.0, "sm_count": 132.0, "blocks_per_sm_limit": 2.0, "occupancy_theoretical_pct": 100.0}
    assert occupancy_limit(few, _LABELS).startswith("limited by the grid: 8 blocks for 132 SMs")
    full = {**few, "grid_size": 133.0}
    assert occupancy_limit(full, _LABELS) == "limited by registers and the warp slots, 2 blocks per SM"
    assert theoretical_limit(few, _LABELS) == "limited by registers and the warp slots, 2 blocks per SM"
    unknown = {name: value for name, value in few.items() if name != "sm_count"}
    assert occupancy_limit(unknown, _LABELS) == "limited by registers and the warp slots, 2 blocks per SM"


@pytest.mark.parametrize(
    "text",
    [
        "why not occupancy",
        "why is it slow",
        "would more occupancy help",
        "is long scoreboard high",
        "how many active warps per scheduler",
        "why is the duration so high",
    ],
)
def test_other_questions_are_left_to_the_intents(text: str) -> None:
    found = by_form(text, known())
    assert found is None or found.intent not in ("why_value", "resident")
