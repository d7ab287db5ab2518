"""Which launch a question is about: the one that it names by number, by whole name, or by words of the name."""

from __future__ import annotations

import pytest
from tui.factory import launch

from advisor.records.diagnosis import LaunchDiagnosis
from advisor.session.language.kernel_names import also_named, named_launch
from advisor.session.language.launch_pairs import two_launches
from tests.changed import replace

# Name of the kernel, and how long it takes (in proportion to it, its first fix saves time).
KERNELS = {
    "flash_attn_fwd": 1.0,
    "ampere_sgemm_128x64": 4.0,
    "softmaxRows": 2.0,
    "shared_transpose": 3.0,
    "copy_pages": 0.0,
    "layer_norm": 9.0,
    "layer_norm_bwd": 8.0,
    "gemm_one_output": 7.0,
}
OPEN = 5


@pytest.fixture
def launches() -> tuple[LaunchDiagnosis, ...]:
    return tuple(launch(at, kernel, duration_ns=1e5 * length) for at, (kernel, length) in enumerate(KERNELS.items()))


@pytest.mark.parametrize(
    ("question", "kernel"),
    [
        ("why is flash attention slow", "flash_attn_fwd"),
        ("how do I fix the softmax", "softmaxRows"),
        ("what limits softmax rows", "softmaxRows"),
        ("is the transpose bound by memory", "shared_transpose"),
        ("why is the copy slow", "copy_pages"),
        ("how fast can ampere sgemm get", "ampere_sgemm_128x64"),
        ("what about layer_norm_bwd", "layer_norm_bwd"),
        ("why is launch 2 slow", "softmaxRows"),
        # Two kernels have these words: the open one stays.
        ("why is the layer norm slow", "layer_norm"),
        # `shared memory` is a subject, not a part of a name; the others name nothing.
        ("is shared memory the problem", "layer_norm"),
        ("why is it slow", "layer_norm"),
        ("is it latency bound", "layer_norm"),
        # Words that any kernel's data may be called by.
        ("why is the output slow", "layer_norm"),
        ("what limits my rows", "layer_norm"),
    ],
)
def test_a_question_is_about_the_kernel_that_it_names(
    question: str, kernel: str, launches: tuple[LaunchDiagnosis, ...]
) -> None:
    assert launches[named_launch(question, launches, OPEN)].kernel == kernel


def test_of_several_launches_of_a_kernel_the_one_that_saves_most(launches: tuple[LaunchDiagnosis, ...]) -> None:
    several = (*launches, replace(launches[2], index=7, duration_ns=6e5))
    assert named_launch("why is the softmax slow", several, OPEN) == len(launches)


def test_a_word_that_every_kernel_has_names_none(launches: tuple[LaunchDiagnosis, ...]) -> None:
    norms = launches[5:]
    assert named_launch("why is the layer slow", norms, 0) == 0
    assert named_launch("why is the layer slow", norms, 1) == 1


@pytest.mark.parametrize(
    ("question", "others"),
    [
        ("why is the layer norm slow", ("layer_norm_bwd",)),
        ("why is layer_norm slow", ()),  # the whole name
        ("why is launch 5 slow", ()),
        ("why is it slow", ()),
    ],
)
def test_what_a_question_may_name_too(
    question: str, others: tuple[str, ...], launches: tuple[LaunchDiagnosis, ...]
) -> None:
    assert also_named(question, launches, OPEN) == others


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("compare flash attention with softmax rows", (0, 2)),
        ("compare the layer norm with the transpose kernel", None),  # a single word with another meaning
        ("compare the layer norm with shared transpose", (5, 3)),  # the whole name, which begins another one too
        ("is ampere sgemm faster than the softmax", (2, 1)),
        ("compare this with flash", (OPEN, 0)),
        ("compare the norm with flash", None),  # of two kernels
        ("is it better with registers", None),
        ("compare softmax with cudnn", None),
    ],
)
def test_two_launches_by_words_of_their_names(
    text: str, pair: tuple[int, int] | None, launches: tuple[LaunchDiagnosis, ...]
) -> None:
    assert two_launches(text, launches, OPEN) == pair
