"""The first place of each recorded exercise is the line that was written down before the tool was asked."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
import yaml

from advisor import resources
from advisor.catalog import catalog
from advisor.source.listing import read_listing
from advisor.source.locate import places
from advisor.source.measures import measure

TRUTH = yaml.safe_load((Path(__file__).parents[1] / "data" / "hot_lines.yaml").read_text(encoding="utf-8"))
# Those where the compiler's line table names the line that the function was inlined into.
MOST_INLINED = 3


def source_of(truth: dict[str, Any]) -> list[str]:
    path = resources.folder("kernels") / truth["exercise"] / truth["file"]
    return path.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("truth", TRUTH, ids=[f"{t['exercise']}-{t['step']}" for t in TRUTH])
def test_the_first_place_is_the_line_that_an_engineer_names(truth: dict[str, Any]) -> None:
    recorded = resources.folder("kernels") / truth["exercise"] / "recorded" / "h200"
    record = json.loads((recorded / "record.json").read_text(encoding="utf-8"))
    wanted = measure(catalog().findings[truth["finding"]].locate)
    listing = read_listing(
        recorded / "profile.ncu-rep.xz", record["steps"][truth["step"]]["launches"][0], [wanted], cc=record["cc"]
    )
    first = places(listing, wanted)[0]
    source = source_of(truth)
    assert PurePosixPath(first.file).name == truth.get("recorded_as", truth["file"])
    texts = [truth["inlined_into"]] if "inlined_into" in truth else truth["line"]
    assert any(text in source[first.line - 1] for text in texts)
    assert first.sass and 0 < first.share <= 1


def test_the_truth_names_lines_that_are_there_and_few_are_inlined() -> None:
    for truth in TRUTH:
        source = source_of(truth)
        for text in [*truth["line"], *([truth["inlined_into"]] if "inlined_into" in truth else [])]:
            assert any(text in line for line in source), (truth["exercise"], text)
    assert sum("inlined_into" in truth for truth in TRUTH) <= MOST_INLINED < len(TRUTH) / 10
