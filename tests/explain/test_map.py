"""The map of the GPU names every row of the speed-of-light chart, and where ncu shows it; the first lesson runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from advisor.cli import main
from advisor.explain.explain import explain
from advisor.knowledge.units import units
from advisor.practice.manifest import exercise

INTERVIEW = Path(__file__).resolve().parents[2] / "knowledge" / "interview.yaml"


def rows_of_ncu() -> dict[str, str]:
    """The names of ncu's rows, by metric."""
    found: dict[str, str] = {}

    def walk(part: object) -> None:
        if isinstance(part, dict):
            for key, value in part.items():
                if isinstance(value, dict) and isinstance(value.get("row"), str):
                    found[key] = value["row"]
                walk(value)
        elif isinstance(part, list):
            for one in part:
                walk(one)

    walk(yaml.safe_load(INTERVIEW.read_text(encoding="utf-8")))
    return found


def picture() -> str:
    return "\n".join(explain("map").section("picture"))


@pytest.mark.parametrize("label", sorted({unit.label for unit in units().values() if unit.label}))
def test_the_map_names_every_row_of_the_chart(label: str) -> None:
    assert label in picture()


@pytest.mark.parametrize(
    "metric",
    [
        *("issue_pct", "pipe_fma_pct", "pipe_alu_pct", "pipe_fp64_pct", "pipe_tensor_pct", "pipe_xu_pct", "adu_pct"),
        *("idc_pct", "lsu_pct", "l1_requests_pct", "l1_wavefronts_pct", "l2_fill_pct", "dram_pct"),
    ],
)
def test_the_map_has_the_name_that_ncu_gives_the_row(metric: str) -> None:
    assert rows_of_ncu()[metric] in picture()


def test_the_map_fits_80_columns_and_keeps_its_lines() -> None:
    result = CliRunner().invoke(main.cli, ["explain", "map"], standalone_mode=False)
    assert result.exception is None
    lines = result.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert all(f"  {line}".rstrip() in lines for line in explain("map").section("picture"))


@pytest.mark.parametrize(
    ("word", "has"),
    [
        ("ADU", "address divergence unit executes block barriers"),
        ("time model", "Units overlap"),
        ("long scoreboard", "A scoreboard is a counter of the warp"),
        ("load/store pipe", "executes loads, stores and atomics"),
        ("first lesson", "Why first"),
    ],
)
def test_a_word_that_a_student_meets_is_explained(word: str, has: str) -> None:
    found = explain(word)
    assert has in " ".join(" ".join(lines) for _, lines in found.sections)


def test_the_steps_of_the_lesson_are_commands_of_an_exercise_with_a_cause_to_fix() -> None:
    steps = explain("first lesson").section("steps")
    numbers = {int(n) for step in steps for n in re.findall(r"practice \w+ (\d+)", step)}
    assert len(numbers) == 1
    one = exercise(str(numbers.pop()))
    assert one.name == "bank-conflicts" and "--profile padded" in steps[-1]
    assert all("Why" in step for step in steps)
