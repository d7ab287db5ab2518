"""The score of findings on other people's reports: what counts as right, near and misleading, and the fixed halves."""

from __future__ import annotations

import pytest

from advisor.knowledge.base import catalog
from tests.bench.strangers import TRUTH, Row, half_of, run, table

ENTRY = {"accepted": ["uncoalesced_access", "latency_bound"], "wrong": ["launch_overhead"], "set": "basic"}


@pytest.mark.parametrize(
    ("found", "class_id", "right", "near", "misleads"),
    [
        (("uncoalesced_access",), "dram_bound", True, True, False),
        (("tail_effect", "uncoalesced_access"), "dram_bound", False, True, False),
        (("tail_effect", "a", "b", "uncoalesced_access"), "dram_bound", False, False, False),
        ((), "latency_bound", True, True, False),
        (("launch_overhead",), "balanced", False, False, True),
    ],
)
def test_the_first_finding_counts_and_without_one_the_class(
    found: tuple[str, ...], class_id: str, right: bool, near: bool, misleads: bool
) -> None:
    row = Row(ENTRY, found, "low", class_id)
    assert (row.right, row.near, row.misleads) == (right, near, misleads)


def test_a_refused_file_is_right_where_nothing_can_be_said() -> None:
    assert Row({"accepted": ["undetermined"]}, why="refused").right
    assert not Row(ENTRY, why="refused").right


def test_the_halves_depend_on_the_digest_only() -> None:
    assert (half_of("00"), half_of("0f")) == ("tuning", "held-back")


def test_a_table_of_nothing_says_so_and_a_folder_without_the_files_is_refused(tmp_path, capsys) -> None:
    assert "measured gains inside the stated range: 0 of 0" in list(table([]))
    assert run(tmp_path, "all", misses=False) == 1
    assert "is there" in capsys.readouterr().err


def test_every_id_of_the_truth_is_known() -> None:
    import yaml

    known = catalog()
    ids = {*known.findings, *known.classes, *known.trust}
    launches = [e for e in yaml.safe_load(TRUTH.read_text(encoding="utf-8")) if "kind" not in e]
    assert len(launches) > 150
    assert {one for e in launches for one in e["accepted"]} - ids == set()
