"""A report that ncu 2025.3 made with the section on an H200: first steps of nine exercises, 17 passes each."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.knowledge.base import catalog
from advisor.readers.read import read
from advisor.reasoning.analysis import Analysis
from advisor.reasoning.diagnose import analyse

REPORT = Path(__file__).parents[1] / "data" / "section_report.ncu-rep.xz"
# What the full set of the same exercises gives first, in `practice selfcheck`.
FIRST = {
    "conduct": "near_memory_roofline",
    "revenue": "uncoalesced_access",
    "heat_step": "launch_overhead",
    "integrate": "unfused_multiply_add",
    "filter": "bank_conflicts",
    "interleave": "uncoalesced_access",
    "triad": "block_launch_rate",
    "series": "sfu_saturation",
    "transpose": "uncoalesced_access",
}
# The section has them since; this report was made before.
NEWER = {"remote_shared_atomics", "remote_shared_bytes", "remote_shared_loads", "tma_load_bytes", "tma_store_bytes"}
NEWER |= {"l2_fabric_misses", "l2_fabric_requests", "l2_fabric_sector_pct", "l2_fabric_sectors", "l2_read_requests"}


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return analyse([REPORT])


def test_the_first_findings_are_those_of_the_full_set_and_nothing_is_missing(analysis: Analysis) -> None:
    launches = analysis.diagnosis.launches
    assert {x.kernel: next(f.id for f in x.findings if f.kind == "diagnosis") for x in launches} == FIRST
    assert {m.metric for x in launches for m in x.missing} <= NEWER
    assert all(catalog().metrics[name].names for name in NEWER)


def test_what_was_not_collected_is_reckoned_from_what_each_instruction_executed(analysis: Analysis) -> None:
    values = {x.kernel: x.metrics for x in analysis.diagnosis.launches}
    # By ncu's own counters with the full set: 2^33 additions and as many products, and no lane idle.
    assert values["integrate"]["fadd_lanes"] == values["integrate"]["fmul_lanes"] == 2**33
    assert values["integrate"]["ffma_lanes"] == 0
    assert values["integrate"]["lanes_active"] == pytest.approx(32)
    assert values["transpose"]["global_store_requests"] == values["transpose"]["global_store_inst"]
    # Counted with the full set: 0.17 and 0.03 %. The section has only the samples of these two.
    assert values["integrate"]["stall_branch_resolving_pct"] == pytest.approx(0.17, abs=0.1)
    assert values["integrate"]["stall_dispatch_stall_pct"] == pytest.approx(0.03, abs=0.1)


def test_lanes_by_opcode_are_read_where_the_counters_are_not_in_the_report() -> None:
    assert read(REPORT).frame["ffma_lanes"].notna().all()
