"""However damaged one input is, at most three lines about it are on stderr."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.cli.main import main
from advisor.cli.terminal import MOST_LINES, tell_problems
from tests.damaged import DATA


def test_many_problems_are_counted_and_the_first_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    tell_problems("x", ["a"] * MOST_LINES)
    assert len(capsys.readouterr().err.splitlines()) == MOST_LINES
    tell_problems("x\n", ["first", "b", "c\x1b", "d"])
    assert capsys.readouterr().err.splitlines() == [
        "ncu-advisor: x\\n: first",
        "ncu-advisor: x\\n: 3 more: --format json lists all problems",
    ]


def test_of_two_reports_each_has_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    tell_problems("x", ["a", "b"], most=1)
    assert capsys.readouterr().err == "ncu-advisor: x: a (1 more: --format json lists all problems)\n"


@pytest.mark.parametrize("command", ["diagnose", "triage", "source"])
def test_a_console_text_with_everything_wrong(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Cut, with NUL bytes, odd names, mixed decimal marks and more launches announced than shown."""
    text = (DATA / "tour_details.txt").read_text()
    text = text[: int(len(text) * 0.8)].replace("transpose_tile", "transpose\x1b_tile")
    text = text.replace("Kbyte/block", "Kbyte\0/block", 1)
    text = '==PROF== Profiling "x" - 0\n==PROF== Profiling "x" - 1\n' * 40 + text.replace(".", ",", 60)
    text = "".join(f'==PROF== Profiling "x" - {i}\n' for i in range(99)) + text
    path = tmp_path / "x.txt"
    path.write_text(text)
    with pytest.raises(SystemExit):
        main([command, str(path)])
    assert len(capsys.readouterr().err.splitlines()) <= 3
