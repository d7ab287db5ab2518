"""The reasoning as a whole: JSON against its schema, the same bytes in every process, what if, answers, questions."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pytest

from advisor.cli.json_schema import schema
from advisor.reasoning.diagnose import analyse, analyse_numbers
from advisor.reasoning.document import diagnosis_document
from advisor.reasoning.enrich import add_neighbours
from advisor.records.errors import InputError, UsageError
from advisor.view.writers.json import document_json, plain


def position_of(analysis: Any, kernel: str) -> int:
    return next(i for i, x in enumerate(analysis.diagnosis.launches) if x.kernel == kernel)


def test_the_json_validates_against_the_shipped_schema(tour: Any) -> None:
    jsonschema.validate(json.loads(document_json(diagnosis_document(tour.diagnosis))), schema("diagnosis"))


def test_a_missing_number_is_absent_from_the_json_and_never_nan(tour: Any) -> None:
    text = document_json(diagnosis_document(tour.diagnosis))
    assert "NaN" not in text and "Infinity" not in text


def test_different_hash_seeds_give_the_same_bytes(tour_path: Path) -> None:
    outputs = set()
    for seed in ("0", "1", "4242"):
        run = subprocess.run(
            [sys.executable, "-m", "advisor", "diagnose", str(tour_path), "--format", "json"],
            env={"PYTHONHASHSEED": seed, "PATH": "/usr/bin:/bin"},
            capture_output=True,
            check=True,
        )
        outputs.add(run.stdout)
    assert len(outputs) == 1


def test_what_if_dram_were_busy_the_class_follows(tour: Any) -> None:
    at = position_of(tour, "line_chain")
    assert tour.diagnosis.launches[at].verdict.id == "latency_bound"
    assert tour.what_if(at, {"dram_pct": 70.0}).verdict.id == "dram_bound"


def test_what_if_changes_nothing_when_the_value_is_the_same(tour: Any) -> None:
    at = position_of(tour, "transpose_tile")
    launch = tour.diagnosis.launches[at]
    again = tour.what_if(at, {"dram_pct": launch.metrics["dram_pct"]})
    assert [f.id for f in again.findings] == [f.id for f in launch.findings]
    assert again.verdict.id == launch.verdict.id


def test_what_if_of_an_unknown_metric_is_refused(tour: Any) -> None:
    with pytest.raises(UsageError, match="is not a metric"):
        tour.what_if(0, {"dram_percent": 70.0})


def test_how_reaches_from_the_finding_to_number_and_source(tour: Any) -> None:
    at = position_of(tour, "transpose_tile")
    proof = tour.how(at, "bank_conflicts")
    clauses = [c for rule in proof.rules for c in rule.clauses]
    ratio = next(item for c in clauses for item in c.evidence if item.metric == "shared_wavefront_ratio")
    assert ratio.value == pytest.approx(16.5, abs=0.01)
    assert ratio.cites


def test_why_not_names_what_was_missing(tour: Any) -> None:
    at = position_of(tour, "vector_copy")
    rules = tour.why_not(at, "bank_conflicts")
    assert rules and all(not r.fired for r in rules)
    assert any(r.failing or r.unknown for r in rules)


def test_the_algorithm_s_bytes_turn_a_good_copy_into_excess_traffic(tour: Any) -> None:
    at = position_of(tour, "vector_copy")
    assert tour.diagnosis.launches[at].findings[0].id == "near_memory_roofline"
    answered = tour.answered(at, {"theoretical_bytes": 64e6})
    assert answered.diagnosis.launches[at].findings[0].id == "excess_traffic"
    assert tour.diagnosis.launches[at].findings[0].id == "near_memory_roofline"


def test_an_answer_may_carry_its_unit(tour: Any) -> None:
    at = position_of(tour, "vector_copy")
    answered = tour.answered(at, {"theoretical_bytes": "64 MB"})
    assert answered.diagnosis.launches[at].metrics["theoretical_bytes"] == 64e6


def test_a_finding_without_its_ratio_stays_a_diagnosis_without_a_number(tour: Any) -> None:
    # As in a CSV or an older report: the bytes used of a sector are known, the ideal number of sectors is not.
    at = position_of(tour, "particle_field")
    frame = tour.inputs.frame.copy()
    for name in ("accesses", "opcodes"):
        frame[name] = None
    from advisor.reasoning.analysis import Analysis
    from tests.changed import replace

    launch = Analysis(tour.catalog, replace(tour.inputs, frame=frame)).diagnosis.launches[at]
    found = next(f for f in launch.findings if f.id == "uncoalesced_access")
    assert found.kind == "diagnosis"
    assert launch.findings[0].id == "uncoalesced_access"


def test_stores_by_one_lane_do_not_hide_the_latency_of_loads(tour: Any) -> None:
    at = position_of(tour, "line_chain")
    assert tour.what_if(at, {"bytes_per_sector_store": 4.0}).findings[0].id == "memory_latency"


def test_the_report_s_own_card_wins_over_a_named_one(tour_path: Path) -> None:
    launch = analyse([tour_path], gpu="T4", launches=frozenset({0})).diagnosis.launches[0]
    assert launch.known_as == "H200-SXM"


def test_how_asks_of_the_supposed_launch(tour: Any) -> None:
    at = position_of(tour, "line_chain")
    proof = tour.supposed(at, {"dram_pct": 70.0}).how(0, "dram_bound")
    values = [
        item.value for rule in proof.rules for c in rule.clauses for item in c.evidence if item.metric == "dram_pct"
    ]
    assert 70.0 in values


def test_what_is_said_of_a_launch_does_not_depend_on_the_filter(tour: Any, tour_path: Path) -> None:
    alone = analyse([tour_path], launches=frozenset({6})).diagnosis.launches[0]
    assert [f.id for f in alone.findings] == [f.id for f in tour.diagnosis.launches[6].findings]


@pytest.mark.parametrize("dram", range(0, 101, 5))
def test_a_kernel_that_waits_for_loads_is_explained_at_every_dram_throughput(tour: Any, dram: int) -> None:
    at = position_of(tour, "line_chain")
    first = tour.what_if(at, {"dram_pct": float(dram)}).findings[0]
    assert first.id in {"memory_latency", "near_memory_roofline"}


def test_an_answer_that_is_no_number_is_refused(tour: Any) -> None:
    with pytest.raises(UsageError, match="not a number"):
        tour.answered(0, {"theoretical_bytes": "many"})


def test_typed_numbers_alone_reach_a_class() -> None:
    analysis = analyse_numbers({"compute_pct": 12.0, "memory_pct": 91.0, "dram_pct": 91.0, "duration_ns": 135000.0})
    launch = analysis.diagnosis.launches[0]
    assert launch.verdict.id == "dram_bound"
    assert launch.findings


def test_nothing_known_is_undetermined_and_says_what_to_collect() -> None:
    launch = analyse_numbers({"duration_ns": 135000.0}).diagnosis.launches[0]
    assert launch.verdict.id == "undetermined"
    assert launch.missing


def test_a_report_that_is_not_there_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        analyse([tmp_path / "absent.ncu-rep"])
    assert "\n" not in str(caught.value)


def test_a_launch_that_is_not_there_is_refused(tour_path: Path) -> None:
    with pytest.raises(UsageError, match="no launch 99"):
        analyse([tour_path], launches=frozenset({99}))


def test_reports_keep_their_launch_numbers_under_a_filter(tour_path: Path) -> None:
    diagnosis = analyse([tour_path], launches=frozenset({3, 20})).diagnosis
    assert [x.index for x in plain(diagnosis_document(diagnosis))["launches"] and diagnosis.launches] == [3, 20]


@pytest.mark.parametrize(("work", "cold"), [((10.0, 10.1, 9.9), True), ((90.0, 10.0, 10.0), False), (None, True)])
def test_a_slow_first_launch_is_cold_only_if_it_does_the_work_of_the_later_ones(work: Any, cold: bool) -> None:
    columns = {"report": 0, "kernel": "k", "kernel_full": "k", "gpu_name": "x", "duration_ns": [9e5, 1e5, 1e5]}
    frame = pd.DataFrame(columns if work is None else {**columns, "inst_executed": work})
    frame["grid"], frame["block"] = [(1, 1, 1)] * 3, [(32, 1, 1)] * 3
    first = add_neighbours(frame)["first_of_kernel_ratio"]
    assert first.notna().tolist() == [cold, False, False]


def test_what_the_launch_before_stores_is_compared_only_with_another_kernel_of_the_same_report() -> None:
    columns = {"report": [0, 0, 0, 1], "kernel_full": ["a", "b", "b", "c"], "gpu_name": "x", "duration_ns": 1e5}
    frame = pd.DataFrame(columns).assign(kernel=columns["kernel_full"])
    frame["grid"], frame["block"] = [(1, 1, 1)] * 4, [(32, 1, 1)] * 4
    frame["global_store_sectors"], frame["global_load_sectors"] = [100.0, 50.0, 50.0, 50.0], [90.0, 100.0, 50.0, 50.0]
    assert add_neighbours(frame)["written_before"].tolist() == [0, 1, 0, 0]
    assert add_neighbours(frame.drop(columns="global_load_sectors"))["written_before"].isna().all()
