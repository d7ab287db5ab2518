"""The entries of the fourth round's causes.yaml name kernels and cases that exist, and agree with one another."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
import yaml

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import pairs_run  # noqa: E402

LAUNCHES = yaml.safe_load((HERE / "causes.yaml").read_text())["launches"]


@pytest.mark.parametrize("part", ["ours", "libraries"])
def test_every_entry_has_a_case(part):
    assert pairs_run.ids(HERE, part) == [x["id"] for x in LAUNCHES if x["part"] == part]
    assert sorted(pairs_run.ids(HERE, part)) == sorted(pairs_run.cases(HERE, part))


@pytest.mark.parametrize("launch", LAUNCHES, ids=lambda launch: launch["id"])
def test_entry_is_whole(launch):
    assert ("either" in launch) == isinstance(launch["cause"], list)
    assert all(launch[key] for key in ("family", "does", "why", "fix", "cured"))
    if launch["part"] == "ours":
        source = (HERE.parent / launch["where"]["file"]).read_text()
        for kernel in (launch["where"]["kernel"], launch["cured"]["kernel"]):
            assert kernel == "." or re.search(rf"\b{kernel}\(", source), kernel


def test_the_round_is_as_large_as_it_should_be():
    assert len({x["id"] for x in LAUNCHES}) == len(LAUNCHES) == 40
    assert len({x["family"] for x in LAUNCHES}) == 24
    assert sum(x["part"] == "libraries" for x in LAUNCHES) >= 10
