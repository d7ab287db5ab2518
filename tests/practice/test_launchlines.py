"""Launch lines: data in a comment, read strictly, never run as code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.practice.launchlines import Shape, read_lines, shape
from advisor.records.errors import UsageError

WORDS = {"n": 1000.0, "sms": 132.0, "shared_per_block": 232448.0, "shared_per_sm": 233472.0}


def one(text: str) -> Shape:
    (line,), _ = read_lines(text, "x.cu")
    return shape(line, WORDS, "x.cu")


def test_a_launch_line_says_kernel_shape_and_arguments() -> None:
    lines, constants = read_lines(
        "// Copies.\n// launch: copy<<<(ceil(n / 32), 2), (32, 8), 1024>>>(in, out, n)\n// constant: weights = table\n",
        "x.cu",
    )
    assert lines[0].kernel == "copy"
    assert lines[0].args == ("in", "out", "n")
    assert lines[0].line == 2
    assert shape(lines[0], WORDS, "x.cu") == Shape((32, 2, 1), (32, 8, 1), 1024)
    assert (constants[0].symbol, constants[0].array, constants[0].line) == ("weights", "table", 3)


def test_several_lines_are_several_launches_in_order() -> None:
    lines, _ = read_lines("// launch: a<<<1, 32>>>(x)\n  // launch: b<<<sms, 64>>>(x)\n", "x.cu")
    assert [line.kernel for line in lines] == ["a", "b"]


def test_the_grid_follows_the_block_of_a_sweep() -> None:
    (line,), _ = read_lines("// launch: k<<<ceil(n / block), 256, block * 4>>>(x)", "x.cu")
    assert shape(line, WORDS, "x.cu") == Shape((4, 1, 1), (256, 1, 1), 1024)
    assert shape(line, WORDS, "x.cu", block=64) == Shape((16, 1, 1), (64, 1, 1), 256)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("__global__ void k() {}", "no launch line"),
        ("// launch: k<<<1>>>(x)", "write a launch line"),
        ("// launch: k<<<1, 32>>>", "write a launch line"),
        ("// launch: k<<<__import__('os'), 32>>>(x)", "x.cu:1"),
        ("// launch: k<<<n / 3, 32>>>(x)", "ceil"),
        ("// launch: k<<<1, 2048>>>(x)", "1024"),
        ("// launch: k<<<1, (64, 64)>>>(x)", "4096 threads"),
        ("// launch: k<<<0, 32>>>(x)", "between 1"),
        ("// launch: k<<<m, 32>>>(x)", "'m' is unknown"),
        ("// launch: k<<<n / 0, 32>>>(x)", "not a whole number"),
        ("// launch: k<<<1e200 * 1e200, 32>>>(x)", "not a whole number"),
        ("// launch: k<<<(1, 2, 3, 4), 32>>>(x)", "three dimensions"),
        ("// launch: k<<<1, 32, -4>>>(x)", "shared memory"),
        ("// constant: a", "write a constant line as"),
    ],
)
def test_a_wrong_line_is_named_with_its_place(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=r"x\.cu") as caught:
        one(text)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@given(st.text(max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        lines, _ = read_lines("// launch: " + text, "x.cu")
        shape(lines[0], WORDS, "x.cu")
    except UsageError:
        pass
