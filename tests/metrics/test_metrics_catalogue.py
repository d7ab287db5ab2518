"""knowledge/metrics.yaml checks itself: every entry is complete, consistent and can be computed."""

from __future__ import annotations

from collections import defaultdict

import pytest

from advisor.knowledge.base import catalog
from advisor.knowledge.expressions import parse
from advisor.knowledge.schemas import MetricDef
from advisor.readers.frame import convert
from advisor.readers.frame import parse as parse_unit
from advisor.reasoning.metrics.derive import code_inputs, plan
from advisor.reasoning.metrics.fills import FILLS, SAMPLED
from advisor.records.errors import KnowledgeError
from advisor.records.readings import IDENTITY

METRICS = catalog().metrics
UNITS = {
    *("ns", "us", "cycle", "Hz", "kHz", "byte", "byte/s", "byte/cycle", "bit", "%", "ratio", "count", "bool"),
    *(
        "sector",
        "request",
        "wavefront",
        "inst",
        "warp",
        "block",
        "thread",
        "register",
        "sample",
        "flop",
        "GFLOP/s",
        "flag",
        "GB/s",
    ),
}
SECTIONS = {
    *("SpeedOfLight", "SpeedOfLight_RooflineChart", "SpeedOfLight_HierarchicalHalfRooflineChart"),
    *("SpeedOfLight_HierarchicalTensorRooflineChart", "ComputeWorkloadAnalysis", "MemoryWorkloadAnalysis"),
    *("MemoryWorkloadAnalysis_Chart", "MemoryWorkloadAnalysis_Tables", "SchedulerStats", "WarpStateStats"),
    *("InstructionStats", "LaunchStats", "Occupancy", "SourceCounters", "WorkloadDistribution", "Nvlink"),
}
# One ncu metric that is two things to us: the SMs that a launch may use, where old reports know only the card's.
SHARED_NAMES = {
    "device__attribute_multiprocessor_count": {"sm_count", "device_sm_count"},
    # A stand-in for ncu's counter there, what the lanes of the same run are divided by here.
    "inst_executed": {"inst_executed", "source_inst_executed"},
    # The two halves of the tag stage by themselves, and the fuller of them.
    "lts__t_tag_requests.avg.pct_of_peak_sustained_elapsed": {"l2_tags_pct", "l2_tag_requests_pct"},
    "lts__t_sectors.avg.pct_of_peak_sustained_elapsed": {"l2_tags_pct", "l2_lookups_pct"},
    # Each by itself, and in the sum of all.
    **{
        name: {"pc_samples_by_reason", f"samples_{reason}"}
        for reason in SAMPLED
        for name in METRICS[f"samples_{reason}"].names
    },
}


@pytest.mark.parametrize("name", METRICS)
def test_an_entry_says_what_it_is_where_it_comes_from_and_who_says_so(name: str) -> None:
    entry = METRICS[name]
    assert entry.unit in UNITS
    assert entry.means and not entry.means.endswith(".")
    assert entry.names or entry.formula or entry.source
    assert entry.cites and all(catalog().cite(key) is not None for key in entry.cites)
    assert not entry.section or entry.section in SECTIONS
    assert entry.combine == "first" or len(entry.names) > 1
    assert name not in IDENTITY


@pytest.mark.parametrize("name", [name for name, entry in METRICS.items() if entry.formula])
def test_a_formula_reads_only_metrics_that_are_there_and_not_itself(name: str) -> None:
    names = parse(METRICS[name].formula).names
    assert names <= METRICS.keys()
    assert name not in names


def test_no_name_of_ncu_stands_for_two_metrics_by_accident() -> None:
    users: dict[str, set[str]] = defaultdict(set)
    for name, entry in METRICS.items():
        assert len(set(entry.names)) == len(entry.names)
        for source in entry.names:
            users[source].add(name)
    assert {source: ids for source, ids in users.items() if len(ids) > 1} == SHARED_NAMES


def test_no_label_of_the_details_page_stands_for_two_metrics() -> None:
    users: dict[str, list[str]] = defaultdict(list)
    for name, entry in METRICS.items():
        for label in entry.text:
            section, slash, rest = label.partition("/")
            assert slash and section and rest
            users[label].append(name)
    assert {label: ids for label, ids in users.items() if len(ids) > 1} == {}


def test_the_readers_know_every_unit() -> None:
    for entry in METRICS.values():
        assert parse_unit(entry.unit) is not None, entry.unit
    assert convert(1.5, "msecond", "ns") == 1.5e6
    assert convert(1.5, "Gbyte/second", "byte/s") == 1.5e9


@pytest.mark.parametrize("name", [n for n, e in METRICS.items() if e.unit == "%" and e.names])
def test_a_percentage_is_named_after_a_percentage(name: str) -> None:
    for source in METRICS[name].names:
        assert "pct" in source or source.endswith(".ratio"), source


def test_what_code_computes_is_declared_in_the_catalogue() -> None:
    assert code_inputs().keys() | FILLS.keys() <= METRICS.keys()
    for name in code_inputs().keys() | FILLS.keys():
        # Code may also fill in for a counter or a formula that a profile lacks.
        entry = METRICS[name]
        assert entry.source in ("python", "accesses") or entry.names or entry.formula, name


def test_every_metric_of_every_section_of_a_throughput_has_a_unit_of_its_own() -> None:
    parts = ("pipe_fma_pct", "pipe_alu_pct", "pipe_fp64_pct", "pipe_xu_pct", "pipe_tensor_pct", "issue_pct", "lsu_pct")
    assert all(METRICS[name].section == "SpeedOfLight" for name in parts)


def test_metrics_that_derive_from_each_other_in_a_circle_are_refused() -> None:
    circle = {
        "a": MetricDef(unit="count", formula="b + 1"),
        "b": MetricDef(unit="count", formula="c * 2"),
        "c": MetricDef(unit="count", formula="a - 1"),
    }
    with pytest.raises(KnowledgeError, match=r"^knowledge/metrics\.yaml:1: .*cycle"):
        plan({**METRICS, **circle})


def test_a_formula_over_a_metric_that_is_not_there_is_refused() -> None:
    with pytest.raises(KnowledgeError, match="reads no_such_metric, which is not a metric"):
        plan({**METRICS, "a": MetricDef(unit="count", formula="no_such_metric + 1")})


def test_a_formula_outside_the_grammar_is_refused() -> None:
    with pytest.raises(KnowledgeError, match="a: "):
        plan({**METRICS, "a": MetricDef(unit="count", formula="__import__('os')")})


def test_every_metric_comes_after_what_it_reads() -> None:
    made = plan(METRICS)
    place = {name: at for at, name in enumerate(made.order)}
    assert set(place) == set(METRICS)
    assert all(place[name] > place[read] for name in METRICS for read in made.reads[name])
