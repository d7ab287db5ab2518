"""What ncu sampled over the run of a launch, as blocks: the drawing, its phases, and how it was sampled."""

from __future__ import annotations

from typing import Final

from advisor.records.sampling import Sampling
from advisor.view.blocks import Block, Fact, Facts, Paragraph, Picture
from advisor.view.charts.over_time import chart, facts_text, phase_text, picture
from advisor.view.text import sentence, sentence_start

OVER_RUN: Final = "Over the run"


def phase_facts(sampling: Sampling) -> Facts:
    """Return the phases in the order of time, each with its time, its share and its busiest unit."""
    return Facts(tuple(Fact(sentence_start(one.title), phase_text(one, sampling)) for one in sampling.phases))


def sampled_text(sampling: Sampling) -> str:
    """Return how it was sampled, as a sentence."""
    return sentence(sentence_start(facts_text(sampling)))


def over_run_blocks(sampling: Sampling) -> tuple[Block, ...]:
    """Return the drawing, the phases, and how it was sampled."""
    drawing = Picture(chart(sampling), lambda width, blocks: picture(sampling, width, blocks))
    facts = (phase_facts(sampling),) if sampling.phases else ()
    return (drawing, *facts, Paragraph(sampled_text(sampling), "dim"))
