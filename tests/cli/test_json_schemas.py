"""The schemas in docs/schemas are those of the records, so that a change of a document shows in a diff."""

from __future__ import annotations

import json
import math
from pathlib import Path

import jsonschema
import msgspec
import pytest

from advisor.cli.json_schema import DOCUMENTS, TRANSCRIPT, schema
from advisor.records.diagnosis import Comparison, Form, LaunchDiagnosis, LaunchGpu, Verdict
from advisor.timeline.results import Together
from advisor.view.writers.json import plain

FOLDER = Path(__file__).parents[2] / "docs" / "schemas"


@pytest.mark.parametrize("name", [*DOCUMENTS, TRANSCRIPT])
def test_the_schema_in_docs_is_the_one_of_the_records(name: str) -> None:
    made = schema(name)
    jsonschema.Draft202012Validator.check_schema(made)
    there = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    assert there == made, "run python docs/schemas.py"


def test_docs_hold_no_other_schema() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == {*DOCUMENTS, TRANSCRIPT}


def test_unknown_values_and_defaults_are_left_out_and_numbers_are_short() -> None:
    item = Comparison(
        observation="o",
        metric="m",
        value=1 / 3,
        unit="%",
        test="> 1",
        threshold=2.0,
        margin=math.nan,
        says="",
        cites=(),
    )
    assert plain(item) == {
        "observation": "o",
        "metric": "m",
        "value": 0.3333333333,
        "unit": "%",
        "test": "> 1",
        "threshold": 2,
        "says": "",
        "cites": [],
    }


def test_pairs_and_named_tuples_are_objects() -> None:
    assert plain(Form("pad", 2.0, numbers=(("by", 1.0),))) == {"kind": "pad", "result": 2, "numbers": {"by": 1}}
    both = plain(Together(kernels=(("k", 2, 3.0, 100.0),)))
    assert both["kernels"] == [{"name": "k", "launches": 2, "total_ns": 3, "share_pct": 100}]


def test_internal_fields_are_neither_written_nor_described() -> None:
    launch = LaunchDiagnosis(
        report=0,
        index=0,
        kernel="k",
        kernel_full="k",
        gpu=LaunchGpu("", "", ""),
        verdict=Verdict(id="balanced", title="Balanced", because="b"),
        findings=(),
        questions=(),
        missing=(),
        metrics={"dram_pct": 3.0},
    )
    written = plain(launch)
    assert "metrics" not in written and "title" not in written["class"]
    described = schema("diagnosis")["$defs"]
    assert "metrics" not in described["LaunchDiagnosis"]["properties"]
    assert "title" not in described["Verdict"]["properties"]


def test_a_field_that_is_always_written_is_required_and_one_at_its_default_cannot_be() -> None:
    described = schema("diagnosis")["$defs"]
    assert {"undecided", "locations"} <= set(described["Finding"]["required"])
    assert described["LaunchDiagnosis"]["properties"]["scope"]["enum"] == ["workload"]
    for kind in (LaunchDiagnosis, Comparison):
        names = {field.encode_name for field in msgspec.structs.fields(kind) if not field.required}
        assert set(described[kind.__name__]["required"]).isdisjoint(names)
