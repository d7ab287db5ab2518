"""The class is named after the unit that leads, and no sentence calls a unit what it is not."""

from __future__ import annotations

import pytest

from advisor.knowledge.base import catalog
from advisor.knowledge.units import bound_title, unit_name
from advisor.reasoning.diagnose import analyse_numbers

L2 = {"l2_tags_pct": 95.0, "l2_data_pct": 40.0, "l2_fill_pct": 9.0, "l2_atomic_pct": 0.0}
L2 |= {"l2_read_xbar_pct": 50.0, "l2_write_xbar_pct": 20.0, "l1_wavefronts_pct": 30.0}
PIPES = {f"pipe_{name}_pct": 5.0 for name in ("fma", "alu", "fp64", "xu", "tensor")} | {"issue_pct": 6.0}
BASE = {**PIPES, "sm_throughput_pct": 12.0, "dram_pct": 20.0, "duration_ns": 1e6}


@pytest.mark.parametrize(
    ("values", "title"),
    [
        ({**L2, "memory_throughput_pct": 95.0}, "L2-bound"),
        ({**L2, "memory_throughput_pct": 95.2, "memory_internal_pct": 95.2}, "L2-bound"),  # the same from another pass
        ({**L2, "l1_wavefronts_pct": 97.0, "memory_throughput_pct": 97.0}, "L1/shared-memory-bound"),
        ({"memory_throughput_pct": 90.0, "memory_internal_pct": 90.0}, "On-chip-memory-bound"),
    ],
)
def test_the_class_of_on_chip_memory_is_named_after_its_leader(values: dict[str, float], title: str) -> None:
    verdict = analyse_numbers({**BASE, **values}).diagnosis.launches[0].verdict
    assert (verdict.id, verdict.title) == ("internal_congestion", title)


def test_a_unit_without_a_title_of_its_own_leaves_the_general_one() -> None:
    assert bound_title(unit_name("dram_pct"), "general") == "general" == bound_title("", "general")


def test_no_reason_calls_the_issue_slots_an_arithmetic_unit() -> None:
    texts = [rule.because for finding in catalog().findings.values() for rule in finding.seen]
    assert len(texts) > 100 and not any("arithmetic unit" in text for text in texts)


def test_atomics_on_one_slice_lead_where_averages_are_low() -> None:
    values = {**BASE, "memory_throughput_pct": 3.0, "dram_pct": 1.0, "l2_atomic_max_pct": 33.0, "l2_atomic_pct": 0.3}
    verdict = analyse_numbers(values).diagnosis.launches[0].verdict
    assert verdict.id == "latency_bound"
    assert any("atomics occupy the busiest slice for up to 99 %" in note for note in verdict.notes)
    assert any(note.startswith("leading unit: atomics on the busiest L2 slice") for note in verdict.notes)
