"""The entries of each round of pairs name kernels and cases that exist, and agree with one another."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
import yaml

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import pairs_run  # noqa: E402

# Pairs, families, and the least number of pairs that are not CUDA C.
ROUNDS = {
    "third": (60, 20, 12),
    "fourth": (40, 24, 10),
    "fifth": (40, 32, 13),
    "sixth": (40, 36, 13),
    "seventh": (54, 40, 13),
    "eighth": (42, 42, 14),
    "ninth": (42, 39, 14),
    "tenth": (42, 42, 14),
    "eleventh": (42, 42, 14),
    "twelfth": (42, 42, 14),
    "thirteenth": (42, 42, 14),
    "fourteenth": (42, 42, 14),
    "fifteenth": (42, 42, 14),
    "sixteenth": (42, 42, 14),
    "seventeenth": (42, 42, 14),
}
LAUNCHES = {name: yaml.safe_load((HERE / name / "causes.yaml").read_text())["launches"] for name in ROUNDS}
EACH = [(name, entry) for name, entries in LAUNCHES.items() for entry in entries]


@pytest.mark.parametrize("part", pairs_run.PARTS)
@pytest.mark.parametrize("name", ROUNDS)
def test_every_entry_has_a_case(name, part):
    ids = pairs_run.ids(HERE / name, part)
    assert ids == [x["id"] for x in LAUNCHES[name] if x["part"] == part]
    assert sorted(ids) == sorted(pairs_run.cases(HERE / name, part))


@pytest.mark.parametrize(("name", "launch"), EACH, ids=[f"{name}-{entry['id']}" for name, entry in EACH])
def test_entry_is_whole(name, launch):
    assert ("either" in launch) == isinstance(launch["cause"], list)
    assert all(launch[key] for key in ("family", "does", "why", "fix", "cured"))
    if launch["part"] == "ours":
        assert launch["where"]["file"].startswith(f"{name}/")
        source = (HERE / launch["where"]["file"]).read_text()
        for kernel in (launch["where"]["kernel"], launch["cured"]["kernel"]):
            assert kernel == "." or re.search(rf"\b{kernel}\(", source), kernel


@pytest.mark.parametrize(("name", "size"), ROUNDS.items())
def test_a_round_is_as_large_as_it_says(name, size):
    pairs, families, libraries = size
    entries = LAUNCHES[name]
    assert len({x["id"] for x in entries}) == len(entries) == pairs
    assert len({x["family"] for x in entries}) == families
    assert sum(x["part"] == "libraries" for x in entries) >= libraries


def test_no_id_is_in_two_rounds():
    assert len({entry["id"] for _, entry in EACH}) == len(EACH)


def test_results_that_differ_are_told():
    np = pytest.importorskip("numpy")
    a = np.arange(4.0)
    assert pairs_run.differ([a], [a.copy()], 0.0) == ""
    assert "1 of 4" in pairs_run.differ([a], [a + (a == 2)], 0.0)
    assert pairs_run.differ([a], [a * 1.001], 0.01) == ""
    assert "off by" in pairs_run.differ([a], [a * 1.1], 0.01)
    assert "all 0" in pairs_run.differ([a], [0 * a], 0.01)
    assert "not finite" in pairs_run.differ([np.full(4, np.nan)], [a], 0.01)
