"""The first place of each recorded exercise is the line that was written down before the tool was asked."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Any

import pytest
import yaml

from advisor.knowledge.base import catalog
from advisor.practice.manifest import SLOW_MARK, bundled_text, exercise, home, names, recording
from advisor.source.listing import read_listing
from advisor.source.locate import places
from advisor.source.measures import measure

TRUTH = yaml.safe_load((Path(__file__).parents[1] / "data" / "hot_lines.yaml").read_text(encoding="utf-8"))
# Those in a function that is inlined: the line and the call are marked, and both are told.
MOST_INLINED = 4


STEP = {(t["exercise"], t["step"]): t for t in TRUTH}


def marked(truth: dict[str, Any]) -> tuple[str, list[str]]:
    """The file of a step and its lines."""
    one = exercise(truth["exercise"])
    file = one.step_of(truth["step"]).source
    return file, (home(one.name) / file).read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("truth", TRUTH, ids=[f"{t['exercise']}-{t['step']}" for t in TRUTH])
def test_the_first_place_is_a_line_that_an_engineer_marked(truth: dict[str, Any]) -> None:
    recorded = recording(exercise(truth["exercise"]))
    assert recorded is not None
    record, wanted = recorded.record, measure(catalog().findings[truth["finding"]].locate)
    listing = read_listing(recorded.report, record.steps[truth["step"]].launches[0], [wanted], cc=record.cc)
    first = places(listing, wanted)[0]
    file, source = marked(truth)
    assert PurePosixPath(first.file).name == file
    assert SLOW_MARK.search(source[first.line - 1])
    assert first.sass and 0 < first.share <= 1
    if truth.get("inlined"):
        call = first.calls[0]
        assert (call.file, call.line) != (first.file, first.line) and SLOW_MARK.search(source[call.line - 1])


def test_every_mark_belongs_to_a_listed_step_and_few_are_calls() -> None:
    for one in map(exercise, names()):
        for step in one.steps:
            text = (home(one.name) / step.source).read_text(encoding="utf-8")
            assert bool(SLOW_MARK.search(text)) == ((one.name, step.id) in STEP), (one.name, step.id)
    assert sum("inlined" in truth for truth in TRUTH) <= MOST_INLINED < len(TRUTH) / 10


def test_learners_do_not_see_the_marks() -> None:
    for truth in TRUTH:
        file, lines = marked(truth)
        seen = bundled_text(truth["exercise"], file).splitlines()
        assert len(seen) == len(lines) and not any("slow: here" in line for line in seen)
