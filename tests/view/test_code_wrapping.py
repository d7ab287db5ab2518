"""Code that is wider than the screen wraps between tokens and keeps its indentation."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.tui.drawing import code_lines
from advisor.view.blocks import Code
from advisor.view.text import wrap_code
from advisor.view.writers.terminal import block_lines

LINE = "    for (int j = 0; j < 32; j += 8) out[(size_t)(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];"


@pytest.mark.parametrize("width", [30, 44, 60, 75])
def test_no_name_is_broken_and_the_indentation_stays(width: int) -> None:
    lines = wrap_code(LINE, width, 4)
    assert all(len(line) <= width for line in lines) and lines[0].startswith("    for")
    assert all(line.startswith(" " * 8) for line in lines[1:])
    assert [word for line in lines for word in re.findall(r"\w+", line)] == re.findall(r"\w+", LINE)


def test_a_name_that_is_too_long_is_cut_rather_than_run_over_the_edge() -> None:
    assert wrap_code("a" * 50, 20, 4) == ["a" * 20, "    " + "a" * 16, "    " + "a" * 14]
    assert wrap_code("short;", 20, 4) == ["short;"]


@given(st.text(alphabet=" ab(){}[];,+*/->\"'", max_size=200), st.integers(20, 80))
def test_no_character_but_blanks_is_lost(text: str, width: int) -> None:
    lines = wrap_code(text, width, 4)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(len(line) <= width for line in lines) or lines == [text]


def test_changed_lines_wrap_with_their_sign_on_the_screen_and_as_text() -> None:
    block = Code("", 0, (f"-{LINE}", f"+{LINE}"), diff=True)
    shown = [line.plain for line in code_lines(block, 60)]
    written = [line for line in block_lines([block], width=60) if line.strip()]
    for lines in (shown, written):
        assert [line[0] for line in lines if line[0] in "+-"] == ["-", "+"]
        assert not any(re.search(r"\bthr$|\badIdx", line) for line in lines), lines
        assert all(len(line) <= 60 for line in lines)
