"""SARIF: the part of the standard's schema that is used here, the right lines, and names that are only text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from advisor.records import resources
from advisor.records.diagnosis import Diagnosis, Location, Missing, Place
from advisor.view.writers.sarif import diagnosis_sarif
from tests.changed import replace
from tests.view.pages import HOSTILE, INVISIBLE, renamed, some

SCHEMA = json.loads((Path(__file__).parent / "sarif-2.1.0-subset.json").read_text(encoding="utf-8"))


def log(diagnosis: Diagnosis, root: Path) -> dict[str, Any]:
    text = diagnosis_sarif(diagnosis, (), root)
    assert not INVISIBLE.search(text.replace("\n", ""))
    told: dict[str, Any] = json.loads(text)
    jsonschema.Draft202012Validator(SCHEMA).validate(told)
    run: dict[str, Any] = told["runs"][0]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    return run


def placed(tour: Any, at: int, *places: Location) -> Diagnosis:
    launch = tour.diagnosis.launches[at]
    first = replace(launch.findings[0], locations=places)
    return replace(some(tour, at), launches=(replace(launch, findings=(first, *launch.findings[1:])),))


def test_every_diagnosis_of_the_tour_is_a_result_except_where_nothing_is_to_be_mended(
    tour: Any, tmp_path: Path
) -> None:
    run = log(tour.diagnosis, tmp_path)
    kernels = {r["locations"][0]["logicalLocations"][0]["name"] for r in run["results"] if r["level"] == "warning"}
    expected = {
        x.kernel
        for x in tour.diagnosis.launches
        if next(f for f in x.findings if f.kind == "diagnosis").id
        not in ("near_memory_roofline", "near_compute_roofline")
    }
    assert kernels == expected and len(expected) >= 18


def test_a_result_stands_on_its_line_with_its_worth_and_the_calls_that_led_there(tour: Any, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "t.cu").write_text("x")
    hot = Location(
        "/build/7/src/t.cu", 8, 752, "LDS R7, [R4]", "excess_wavefronts", 0.97, (Place("/build/7/src/main.cu", 40),)
    )
    run = log(placed(tour, 4, hot, replace(hot, line=11, share=0.03, calls=())), tmp_path)
    result = run["results"][0]
    assert result["ruleId"] == "bank_conflicts" and result["level"] == "warning" and 50 < result["rank"] < 70
    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "src/t.cu", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 8},
    }
    lines = [x["physicalLocation"]["region"]["startLine"] for x in result["relatedLocations"]]
    assert lines == [11, 40]
    assert "16.5× their ideal wavefronts" in result["message"]["text"]
    help_ = run["tool"]["driver"]["rules"][0]["help"]["text"]
    assert "Pad the array by a column" in help_ and "Costs: " in help_


@pytest.mark.parametrize(
    ("file", "uri", "base"),
    [
        ("/nowhere/a b#.cu", "file:///nowhere/a%20b%23.cu", False),
        ("C:\\work\\k.cu", "file:///C:/work/k.cu", False),
        ("src/k.cu", "src/k.cu", True),
        ("/x/../../etc/passwd", "file:///x/../../etc/passwd", False),
    ],
)
def test_places_outside_the_folder_keep_their_address(
    tour: Any, tmp_path: Path, file: str, uri: str, base: bool
) -> None:
    run = log(placed(tour, 4, Location(file, 1, 0, "", "samples", 1.0)), tmp_path)
    artifact = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact["uri"] == uri and ("uriBaseId" in artifact) == base


def test_without_line_information_the_report_is_the_place(tour: Any, tmp_path: Path) -> None:
    run = log(placed(tour, 4, Location("", 0, 752, "LDS", "samples", 1.0)), tmp_path)
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["address"]["absoluteAddress"] == 752 and "region" not in place
    assert place["artifactLocation"]["uri"].endswith("tour.ncu-rep.xz")


def test_repeated_launches_are_one_result_that_counts_them(tour: Any, tmp_path: Path) -> None:
    run = log(some(tour, 4, 4, 4), tmp_path)
    assert [r["occurrenceCount"] for r in run["results"] if r["ruleId"] == "bank_conflicts"] == [3]


def test_the_fingerprint_lasts_when_lines_move(tour: Any, tmp_path: Path) -> None:
    place = Location("t.cu", 8, 752, "LDS", "samples", 1.0)
    old, new = (log(placed(tour, 4, p), tmp_path)["results"][0] for p in (place, replace(place, line=30)))
    assert old["partialFingerprints"] == new["partialFingerprints"]


def test_what_was_not_read_or_not_looked_at_is_told_so_that_an_empty_list_is_not_health(
    tour: Any, tmp_path: Path
) -> None:
    lacking = replace(tour.diagnosis.launches[0], missing=(Missing("l2_pct", ("l2_thrashing",), "ncu"),))
    whole = tour.diagnosis.reports[0]
    bad = replace(whole, path="b.ncu-rep", complete=False, problems=("not a report",))
    run = log(replace(tour.diagnosis, reports=(replace(whole, problems=("cut",)), bad), launches=(lacking,)), tmp_path)
    invocation = run["invocations"][0]
    assert not invocation["executionSuccessful"] and run["results"] == []
    told = [(n["level"], n["message"]["text"]) for n in invocation["toolExecutionNotifications"]]
    assert told[:2] == [("warning", "cut"), ("error", "not a report")]
    assert told[2][0] == "note" and "unknown, not absent: l2_thrashing" in told[2][1]


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_hostile_names_are_text_without_links(tour: Any, tmp_path: Path, name: str) -> None:
    run = log(renamed(some(tour, 4, 1), name), tmp_path)
    for result in run["results"]:
        assert "](" not in result["message"]["text"] and len(result["message"]["text"]) <= 1000
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert uri.isascii() and not set(uri) & set(" <>\"'`\\")


def test_a_typed_in_workload_has_rules_of_its_own(tmp_path: Path) -> None:
    from advisor.reasoning.diagnose import analyse

    file = resources.folder("transcripts") / "workloads" / "tiled_lighting.yaml"
    run = log(analyse([file]).diagnosis, tmp_path)
    assert run["results"] and all(r["ruleId"].startswith("workload:") for r in run["results"])
