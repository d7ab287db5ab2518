"""The cases on cards that they were not recorded on: sizes, launch shapes and answers stay sound."""

from __future__ import annotations

import math

import pytest

from advisor.knowledge.base import catalog
from advisor.practice.api import Card
from advisor.practice.launchlines import read_lines, shape
from advisor.practice.manifest import answers, case, exercise, home, names, work_of
from advisor.practice.tasks import launch_words
from advisor.reasoning.inputs import checked_answers

GB = 1 << 30
# name, CC, SMs, memory, L2, most shared memory of a block (opt-in) and of an SM
CARDS = (
    Card("small Turing", "7.5", 14, 4 * GB, 1 << 20, 64 << 10, 64 << 10),
    Card("T4", "7.5", 40, 16 * GB, 4 << 20, 64 << 10, 64 << 10),
    Card("laptop Ampere", "8.6", 20, 4 * GB, 2 << 20, 99 << 10, 100 << 10),
    Card("large Ada", "8.9", 128, 24 * GB, 72 << 20, 99 << 10, 100 << 10),
    Card("A100", "8.0", 108, 80 * GB, 40 << 20, 163 << 10, 164 << 10),
    Card("H200", "9.0", 132, 150 * 10**9, 60 << 20, 227 << 10, 228 << 10),
    Card("large Blackwell", "10.0", 148, 180 * 10**9, 126 << 20, 227 << 10, 228 << 10),
)


@pytest.mark.parametrize("card", CARDS, ids=lambda c: c.name)
@pytest.mark.parametrize("name", names())
def test_a_case_scales_to_the_card(name: str, card: Card) -> None:
    sizes = case(name).sizes(card)
    assert all(isinstance(v, int) and 0 < v < 2**31 for v in sizes.values()), sizes
    for step in exercise(name).steps:
        work = work_of(name, step.id, sizes)
        assert math.isfinite(work.bytes) and work.bytes > 0 and work.flop >= 0
        # What the algorithm reads and writes once lies in arrays; half of the card must be left for copies of them.
        assert work.bytes <= 0.5 * card.memory
        checked_answers(catalog(), answers(name, step.id, sizes))
        for source in (step.source, *step.extra):
            path = home(name) / source
            if path.suffix != ".cu" or source in step.extra:
                continue
            launches, _ = read_lines(path.read_text(encoding="utf-8"), source)
            for line in launches:
                form = shape(line, launch_words(card, sizes), source)
                assert form.shared <= card.shared_per_block, f"{source}: {form.shared} bytes of shared memory"
