"""Counts from the machine code: what they fill in, what has priority over them, and how much they count as evidence."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from advisor.knowledge.base import catalog
from advisor.readers.read import read
from advisor.reasoning.analysis import Analysis
from advisor.reasoning.code_counts import _SCALES, _columns, _Scaled, _scaled
from advisor.reasoning.enrich import add_neighbours
from advisor.reasoning.inputs import Inputs
from advisor.reasoning.what_if import _supposed
from advisor.records import resources
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.records.readings import Access, CodeCounts
from tests.bench.thin import DEFAULT, causes, write_thin

CONVERSIONS = "oscillator-bank"  # recorded on an H100: conversions fill XU


def recording(name: str) -> Path:
    return next(resources.folder("kernels").glob(f"{name}/recorded/*/*.ncu-rep.xz"))


@pytest.fixture(scope="module")
def thin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_thin(recording(CONVERSIONS), DEFAULT, tmp_path_factory.mktemp("thin") / "thin.ncu-rep")


def analysis(path: Path, **answers: float) -> Analysis:
    found = read(path)
    return Analysis(
        catalog(), Inputs(add_neighbours(found.frame), (found.info,), None, {0: answers} if answers else {})
    )


@lru_cache
def launch(path: Path, **answers: float) -> LaunchDiagnosis:
    return analysis(path, **answers).diagnosis.launches[0]


def test_a_default_profile_has_the_code_and_no_counts(thin: Path) -> None:
    frame = read(thin).frame
    assert frame["opcodes"].iat[0] is None
    assert frame["accesses"].iat[0] is None
    assert any(opcode.startswith(("F2I", "I2F")) for opcode in frame["code"].iat[0].opcodes)


def test_a_report_with_counts_is_not_estimated() -> None:
    frame = read(recording(CONVERSIONS)).frame
    assert all(code is None for code in frame["code"])
    assert launch(recording(CONVERSIONS)).estimated == ()


def test_the_cause_that_only_opcodes_show_is_found_and_said_to_be_estimated(thin: Path) -> None:
    found = launch(thin)
    assert causes(found)[0] == causes(launch(recording(CONVERSIONS)))[0] == "conversions_saturate"
    first = next(f for f in found.findings if f.id == "conversions_saturate")
    assert re.search(r"about [1-9][0-9](,000)+ conversions", first.because), "two digits of an estimate"
    assert {item.bound for item in first.evidence if item.metric == "conversion_inst"} == {"about"}
    assert [f.id for f in found.findings if f.kind == "trust"][:1] == ["counts_from_code"]
    assert not any(f.id == "counts_from_code" for f in launch(recording(CONVERSIONS)).findings)


@pytest.mark.parametrize(
    ("exercise", "cause", "metric"),
    [
        ("bank-conflicts", "bank_conflicts", "shared_wavefront_ratio"),
        ("array-of-structs", "uncoalesced_access", "load_sector_ratio"),
        ("strided-store", "uncoalesced_access", "store_sector_ratio"),
    ],
)
def test_the_causes_that_addresses_show_are_found_with_a_gain(
    exercise: str, cause: str, metric: str, tmp_path: Path
) -> None:
    counted, found = (
        launch(path)
        for path in (recording(exercise), write_thin(recording(exercise), DEFAULT, tmp_path / "thin.ncu-rep"))
    )
    assert causes(found)[0] == causes(counted)[0] == cause
    assert metric in found.estimated
    assert found.metrics[metric] == pytest.approx(counted.metrics[metric], rel=0.25)
    first = next(f for f in found.findings if f.id == cause)
    assert first.speedup is not None and first.speedup.high > 1.2


def test_the_estimates_are_near_the_counts(thin: Path) -> None:
    counted, estimated = launch(recording(CONVERSIONS)).metrics, launch(thin).metrics
    for name in ("conversion_inst", "fp32_inst", "integer_inst"):
        share = [of[name] / of["inst_executed"] for of in (counted, estimated)]
        assert share[1] == pytest.approx(share[0], rel=0.5), name
    assert estimated["inst_executed"] == pytest.approx(counted["inst_executed"], rel=0.1)  # by the issue slots in use


def test_confidence_is_not_higher_than_with_counts(thin: Path) -> None:
    def of(path: Path) -> float:
        return next(f.confidence for f in launch(path).findings if f.id == "conversions_saturate")

    assert of(thin) <= of(recording(CONVERSIONS))


def test_what_was_measured_or_typed_has_priority(thin: Path) -> None:
    frame = read(thin).frame
    before = {name: float(frame[name].iat[0]) for name in ("issue_pct", "pipe_xu_pct", "duration_ns")}
    found = launch(thin, conversion_inst=12345.0)
    assert found.metrics["conversion_inst"] == 12345.0
    assert "conversion_inst" not in found.estimated
    assert {name: found.metrics[name] for name in before} == before


def test_the_time_model_uses_no_estimate(thin: Path) -> None:
    observed: Any = analysis(thin)._reasoned.observed
    assert observed.columns["conversion_inst"][0] > 0
    assert not observed.measured["conversion_inst"][0] > 0
    assert observed.measured["pipe_xu_pct"][0] == observed.columns["pipe_xu_pct"][0]


def test_a_supposed_number_is_no_estimate(thin: Path) -> None:
    one = analysis(thin)
    supposed = _supposed(catalog(), one._reasoned, 0, [{"conversion_inst": 5.0}])
    assert "conversion_inst" in one.diagnosis.launches[0].estimated
    assert "conversion_inst" not in supposed["estimated"].iat[0]


@pytest.mark.parametrize("other", ["LD.E", "TEX.SCR.B.LL", "UTMALDG.2D"])
def test_bytes_are_unknown_where_others_reach_global_memory_too(other: str) -> None:
    access = Access("global", "load", 32, 10.0, 320.0, *[math.nan] * 4)
    alone, beside = (_Scaled({"LDG.E": 10.0, **more}, (access,), 0.0, 0.0) for more in ({}, {other: 1.0}))
    found = _columns([alone, beside], catalog().metrics)["requested_bytes"]
    assert found[0] == 1280
    assert math.isnan(found[1])


def test_blocks_that_load_the_same_bytes_are_known_from_the_code() -> None:
    code = CodeCounts({"LDG.E": 10.0, "EXIT": 1.0}, loaded={"x": 1280.0}, grid_reads=2.0)
    of = dict.fromkeys((*_SCALES, "l1_passes"), math.nan) | {"inst_executed": 1100.0}
    found = _scaled(code, of, (), (256, 128, 1))
    assert found is not None and (found.repeats, found.grid_reads) == (128.0, 200.0)
    unknown = _scaled(code, of, (), None)
    assert unknown is not None and math.isnan(unknown.repeats)


def test_counts_of_functions_are_scaled_and_those_that_cannot_be_are_unknown() -> None:
    functions = {"function_inst": 40.0, "power_function_inst": -1.0, "inst_executed": 5.0}
    code = CodeCounts({"FFMA": 100.0, "EXIT": 1.0}, functions=functions)
    of = dict.fromkeys((*_SCALES, "l1_passes"), math.nan) | {"inst_executed": 10100.0}
    columns = _columns([_scaled(code, of, (), None)], catalog().metrics)
    assert columns["function_inst"] == [4000.0] and columns["inst_executed"] == [10100.0]
    assert math.isnan(columns["power_function_inst"][0])
