"""Part IV: each pitfall of the guide fires where a report can show it, else it is told where its topic comes up."""

from __future__ import annotations

import pytest

from advisor.explain.explain import explain
from advisor.knowledge.base import catalog

# The guide's list in its order: the pitfall -> the trust entry that fires, the entries that tell of it.
PITFALLS: dict[str, tuple[str, tuple[str, ...]]] = {
    "debug_flag": ("debug_build", ()),
    "no_line_info": ("line_info_missing", ()),
    "first_launches": ("cold_first_launch", ()),
    "throughput_compared": ("", ("1", "6", "throughput_trap")),
    "occupancy_as_goal": ("occupancy_not_the_limit", ("low_occupancy_registers", "more_is_not_better", "occupancy")),
    "conflict_counter": ("bank_conflict_counter_used", ()),
    "timers_in_kernel": ("timer_instrumented", ()),
    "mig_unnoticed": ("mig_or_green_context", ()),
    "sol_memory_as_dram": ("sol_memory_is_not_dram", ()),
    "rules_ignored": ("", ("1", "ncu_rules")),
    "rules_trusted": ("rules_disagree", ()),
}


def test_the_guides_pitfalls_are_all_there() -> None:
    entries = catalog().topic_file("pitfalls")
    assert list(entries) == list(PITFALLS)
    cited = {key for entry in entries.values() for key in entry["cites"]}
    places = {f"guide.{place}" for place in catalog().sources["guide"].places if place.startswith("pitfalls.")}
    assert places <= cited
    assert explain("IV").see == tuple(PITFALLS)


@pytest.mark.parametrize("name", PITFALLS)
def test_a_pitfall_fires_or_is_told(name: str) -> None:
    fires, told = PITFALLS[name]
    entry = catalog().topic_file("pitfalls")[name]
    assert entry["what"] and entry["cure"]
    assert entry.get("found_by", "") == fires
    assert set(told) <= set(entry.get("told_by", ()))
    assert fires or told
    if fires:
        assert catalog().trust[fires].examples.fires, "a report can show it"
        assert name in explain(fires).see
    for place in entry.get("told_by", ()):
        assert name in explain(place).see, place


def test_the_traps_of_a_comparison_cite_their_pitfalls() -> None:
    """Throughputs against times, and occupancy as a goal, come up where two profiles are compared."""
    from advisor.knowledge.loader import load
    from advisor.records import resources

    comparison = load(resources.folder("knowledge") / "comparison.yaml", dict)
    assert "guide.pitfalls.throughput" in comparison["traps"]["cites"]
    assert "guide.pitfalls.occupancy" in comparison["texts"]["goal_missed"]["cites"]
