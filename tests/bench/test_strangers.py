"""The score of findings on other people's reports: what counts as right, near and misleading, and the fixed halves."""

from __future__ import annotations

import pytest

from advisor.knowledge.base import catalog
from advisor.reasoning.diagnose import analyse_numbers
from tests.bench.strangers import HALVES, TRUTH, Row, half_of, misses_of, outside, run, table, unexplained

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


def test_a_finding_that_may_also_come_first_agrees_and_is_not_right() -> None:
    entry = {**ENTRY, "truth": "reader", "also": ["tail_effect"], "argued": "why"}
    rows = [Row(entry, ("tail_effect",)), Row(entry, ("launch_overhead",)), Row(entry, ("uncoalesced_access",))]
    assert [(row.right, row.agrees) for row in rows] == [(False, True), (False, False), (True, True)]
    lines = list(table(rows))
    assert "first finding is the reader's or one that the reader also names: 2 of   3 ( 67%)" in lines
    assert "other than the reader's first: 2; 2 are argued" in lines


def test_every_argument_is_with_a_verdict_of_the_reader() -> None:
    import yaml

    entries = yaml.safe_load((TRUTH.parent / "second_reader.yaml").read_text(encoding="utf-8"))
    argued = [entry for entry in entries if "argued" in entry]
    assert len(entries) == 60
    assert {half_of(entry["digest"]) for entry in argued} == {*HALVES}
    assert all(entry["truth"] == "reader" and entry["argued"].strip() for entry in argued)


def test_misses_and_arguments_of_the_held_back_half_are_not_listed() -> None:
    wrong = {**ENTRY, "file": "f", "truth": "reader", "argued": "for a reason"}
    rows = [Row({**wrong, "digest": digest}, ("launch_overhead",)) for digest in ("00", "0f")]
    lines = list(misses_of(rows))
    assert len([line for line in lines if line.startswith("- f")]) == 1
    assert lines.count("    for a reason") == 1


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


def test_a_gain_counts_as_outside_only_with_a_range() -> None:
    entry = {**ENTRY, "gain": 2.0}
    inside, above, unknown = Row(entry, low=1.5, high=2.5), Row(entry, low=1.1, high=1.5), Row(entry)
    assert outside([inside, above, unknown, Row(ENTRY, low=1.0, high=1.0)]) == [above]


def test_kernels_of_one_name_in_two_files_are_two_kernels() -> None:
    blank = analyse_numbers({"duration_ns": 50_000.0}).diagnosis.launches[0]
    short = analyse_numbers({"duration_ns": 5_000.0}).diagnosis.launches[0]
    lines = list(
        unexplained([("basic", "a", blank), ("basic", "a", blank), ("basic", "b", blank), ("basic", "c", short)])
    )
    assert lines == ["unexplained, basic        2 of   2 kernels over 10 us; 2 say what would decide"]
