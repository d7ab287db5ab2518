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

from tests.bench.unseen.followed import compared, errors, line  # noqa: E402
from tests.bench.unseen.score import Row  # noqa: E402

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
    "eighteenth": (42, 41, 14),
    "nineteenth": (42, 42, 14),
    "twentieth": (42, 38, 22),
    "twentyfirst": (42, 42, 22),
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


@pytest.mark.parametrize("name", ("sixteenth", "seventeenth", "eighteenth", "nineteenth"))
def test_each_kernel_of_a_round_has_a_cure_by_one_who_followed_the_advice(name):
    folder = HERE / f"{name}_followed"
    assert sorted(pairs_run.ids(folder, "ours")) == sorted(x["id"] for x in LAUNCHES[name] if x["part"] == "ours")
    assert pairs_run.ids(folder, "libraries") == []


def test_told_gains_are_held_against_both_cures():
    rows = [
        Row("a", "ours", False, ("x",), "right", gain=4.0, place=1, low=3.0, high=5.0, measured=2.0),
        Row("b", "ours", False, ("x",), "wrong", measured=3.0),
        Row("c", "ours", False, ("x",), "right", gain=4.0, place=1, measured=2.0),
    ]
    times = {"a": {"speedup": 8.0}, "b": {"speedup": 3.0}, "c": {"speedup": 2.0, "wrong_cured": "differs"}}
    found = compared(rows, times)
    assert [(one.id, one.told, one.low, one.pair, one.follower) for one in found] == [
        ("a", 4.0, 3.0, 2.0, 8.0),
        ("b", 1.0, 1.0, 3.0, 3.0),
    ]
    assert errors((one.told, one.follower) for one in found) == pytest.approx([2.0, 3.0])
    assert line("x", [1.0, 1.2, 4.0]).split() == ["x", "3", "1.20", "4.00", "67%"]


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
