from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.readers.frame import clean, one_line, short_name, without_links


@pytest.mark.parametrize(
    ("full", "name"),
    [
        ("vector_copy", "vector_copy"),
        ("basic(int, int, const float *, float *)", "basic"),
        ("void gmem_coalesce<(int)32>(int, const float *)", "gmem_coalesce"),
        ("void at::native::<unnamed>::scatter<float, (int)4, void (*)(int)>(at::Tensor &, T4)", "scatter"),
        ("void fused::(anonymous namespace)::kernel_vec<double, 1>(TensorInfo<double, unsigned int>)", "kernel_vec"),
        ("void Kernel<Gemm<Shape<(int)128>>>(T1::Params)", "Kernel"),
        ("main::[lambda(int) (instance 1)]::operator ()(int) const", "operator ()"),
        ("void unnamed>::stencil<float, lambda() (instance 2)]::operator ()()>(int)", "stencil"),
        ("void ns::broken<float, (int", "broken"),
        ("(", "("),
        ("", ""),
    ],
)
def test_the_kernels_own_name_is_found_in_its_signature(full: str, name: str) -> None:
    assert short_name(full) == name


@given(st.text(alphabet="ab<>()[]:,* ->", max_size=60))
def test_no_signature_however_broken_is_too_much(full: str) -> None:
    assert isinstance(short_name(full), str)


def test_escape_codes_in_a_name_are_shown_and_not_obeyed() -> None:
    text, done = clean("\x1b[31mred\x1b[0m\r\x00\u202e[bold]", 100)
    assert text == "\\x1b[31mred\\x1b[0m\\x0d\\x00\\u202e[bold]"
    assert "control characters" in done


def test_an_ordinary_name_is_left_alone() -> None:
    name = "void k<(int)4, [with T=float]>(const float *, “é”)"
    assert clean(name, 100) == (name, "")


def test_an_absurdly_long_name_is_cut_and_said_so() -> None:
    text, done = clean("k" * 50_000, 1000)
    assert len(text) < 1100
    assert "49,000 more" in text
    assert "50,000" in done


@given(st.text(max_size=200))
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    assert all(32 <= ord(c) != 127 and not 128 <= ord(c) < 160 for c in clean(text, 100)[0])


def test_links_in_messages_are_reduced_to_their_text() -> None:
    message = "See @section:Occupancy:Occupancy@, @url:the guide:https://x.org/a#b@, @source:C:\\k.cu:12:line 12@."
    assert without_links(message) == "See Occupancy, the guide, line 12."
    assert without_links("at @sass:0x1f:this load@") == "at this load"


def test_a_message_of_many_lines_becomes_one() -> None:
    assert one_line("  a\n   b\t c \x1b") == "a b c \\x1b"
