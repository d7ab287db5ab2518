"""`ncu-advisor source` on a recorded exercise: text, JSON, filters, mistakes; places in a diagnosis."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from advisor.cli.json_schema import schema
from advisor.cli.main import cli
from advisor.records import resources
from advisor.records.errors import InputError, UsageError

LADDER = resources.folder("kernels") / "transpose-ladder"
REPORT = LADDER / "recorded" / "h200" / "profile.ncu-rep.xz"
CSV = Path(__file__).parents[1] / "data" / "tour_details.csv"


def said(*args: object) -> str:
    result = CliRunner().invoke(cli, [str(a) for a in args], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.stdout


def test_the_text_names_file_line_source_and_instruction() -> None:
    text = said("source", REPORT, "--launch", "1", "--sources", LADDER)
    assert "excess_wavefronts" in text and "bank_conflicts" in text
    assert "100 %  2-tile.cu:13" in text and "tile[threadIdx.x][threadIdx.y + j]" in text
    assert "LDS R11, [R14]" in text
    assert "R14: LDS, 3,964,928 executed, 32 wavefronts each (ideal 1)" in " ".join(text.split())
    assert all(len(line) <= 80 for line in text.splitlines())


def test_the_source_that_the_report_carries_is_shown_where_no_file_is_at_hand() -> None:
    text = said("source", REPORT, "--launch", "1", "--top", "2")
    assert "2-tile.cu:13" in text and "tile[threadIdx.x][threadIdx.y + j]" in text
    assert "from the report (a file" in text


def test_the_document_keeps_to_its_schema() -> None:
    document = json.loads(said("source", REPORT, "--launch", "0", "--sources", LADDER, "--format", "json"))
    jsonschema.validate(document, schema("source"))
    (line,) = document["lines"]
    assert (line["line"], line["share"]) == (6, 1)
    assert line["text"].startswith("out[(size_t)col * n + row] = in[(size_t)row * n + col];")
    assert document["instructions"][0]["opcode"] == "STG.E"


def test_filters_choose_and_may_leave_nothing() -> None:
    args = ("source", REPORT, "--launch", "1", "--by", "instructions", "--format", "json")
    document = json.loads(said(*args, "--search", "^LDS", "--where", "executed>1"))
    assert {i["opcode"] for i in document["instructions"]} == {"LDS"}
    assert "the filters exclude them all" in said("source", REPORT, "--launch", "1", "--where", "share>200%")


@pytest.mark.parametrize(
    ("args", "why"),
    [
        ((REPORT, "--by", "excess"), "is not a measure of instructions"),
        ((REPORT, "--search", "("), "not a regular expression"),
        ((REPORT, "--where", "hot"), "write FIELD>NUMBER"),
        ((REPORT, "--launch", "9"), "no launch 9"),
        ((REPORT, "--sources", "/nowhere/at/all"), "not a folder"),
        ((REPORT, "--by", "smsp__never_there"), "lacks smsp__never_there"),
        ((CSV,), "only a binary report"),
    ],
)
def test_a_mistake_is_one_line(args: tuple[object, ...], why: str) -> None:
    with pytest.raises((UsageError, InputError), match=why) as caught:
        said("source", *args)
    assert "\n" not in str(caught.value)


def first(document: dict[str, Any], at: int = 0) -> dict[str, Any]:
    return next(f for f in document["launches"][at]["findings"] if f["kind"] == "diagnosis")


def test_a_lone_launch_has_its_places_and_several_have_them_on_request() -> None:
    lone = json.loads(said("diagnose", REPORT, "--launch", "1", "--format", "json"))
    jsonschema.validate(lone, schema("diagnosis"))
    (place,) = first(lone)["locations"]
    assert place["file"].endswith("/2-tile.cu")
    assert (place["line"], place["metric"], place["share"]) == (13, "excess_wavefronts", 1)
    assert first(json.loads(said("diagnose", REPORT, "--format", "json")))["locations"] == []
    assert first(json.loads(said("diagnose", REPORT, "--format", "json", "--locate")), 1)["locations"] == [place]
    assert (
        "locations" in json.dumps(lone)
        and not first(json.loads(said("diagnose", REPORT, "--launch", "1", "--no-locate", "--format", "json")))[
            "locations"
        ]
    )


def test_the_text_of_a_diagnosis_says_where() -> None:
    text = said("diagnose", REPORT, "--launch", "1")
    assert "2-tile.cu:13 (100 % of shared-memory wavefronts beyond the ideal" in " ".join(text.split())


def test_text_reports_have_no_places_and_are_diagnosed_all_the_same() -> None:
    assert first(json.loads(said("diagnose", CSV, "--launch", "1", "--format", "json")))["locations"] == []


def test_two_launches_are_compared_by_opcode_and_by_line() -> None:
    args = ("source", REPORT, "--launch", "0", "--with", f"{REPORT}#1")
    document = json.loads(said(*args, "--format", "json", "--top", "50"))
    jsonschema.validate(document, schema("source_compare"))
    opcodes = {c["opcode"]: (c["before"], c["now"]) for c in document["opcodes"]}
    assert opcodes["LDS"] == (0, 3964928) and opcodes["STG.E"] == (3964928, 3964928)
    assert sum(c["before"] for c in document["lines"]) == document["before"]["total"]
    text = said(*args)
    assert "LDS 0 3,964,928 new" in " ".join(text.split())
    assert "1-naive.cu:6" in text and all(len(line) <= 80 for line in text.splitlines())
    same = said("source", REPORT, "--launch", "1", "--with", f"{REPORT}#1")
    assert " same" in same and "×\n" not in same


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (("--with", REPORT), "choose one with --launch N"),
        (("--launch", "0", "--with", f"{REPORT}#9"), "there is no launch 9"),
        (("--launch", "0", "--with", f"{REPORT}#1", "--where", "share>1%"), "leave them out with --with"),
        (("--launch", "0", "--with", f"{REPORT}#1", "--columns", "memory"), "leave them out with --with"),
    ],
)
def test_a_comparison_says_what_it_needs(args: tuple[object, ...], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        said("source", REPORT, *args)


def test_columns_and_ptx_are_shown_on_request_and_a_wrong_name_is_one_line() -> None:
    args = ("source", REPORT, "--launch", "1", "--columns", "memory", "--ptx")
    text = said(*args)
    assert "wavefr." in text and "ld.shared.f32" in text and all(len(line) <= 80 for line in text.splitlines())
    document = json.loads(said(*args, "--format", "json"))
    jsonschema.validate(document, schema("source"))
    assert document["instructions"][0]["columns"]["wavefronts"] == 32
    assert document["ptx"][0]["text"].startswith("ld.shared.f32") and document["shared"][0]["array"] == "tile"
    with pytest.raises(UsageError, match="sets: memory"):
        said("source", REPORT, "--columns", "hot")


def test_a_comparison_lays_instructions_side_by_side() -> None:
    args = ("source", REPORT, "--launch", "1", "--with", f"{REPORT}#2")
    by_opcode = json.loads(said(*args, "--format", "json"))["aligned"]
    whole = json.loads(said(*args, "--align", "instruction", "--format", "json"))["aligned"]
    assert by_opcode["hunks"] == [] and whole["same"] < by_opcode["same"]
    rows = [row["sass"] for hunk in whole["hunks"] for row in hunk["now"]]
    assert "STS [R15+0x420], R8" in rows  # 33 columns of four bytes, where there were 32
    assert "the same in opcode and operands" in said(*args, "--align", "instruction")
