"""A launch without a diagnosis names the few sections, or the answers, that would decide, and gives the command."""

from __future__ import annotations

from advisor.knowledge.base import catalog
from advisor.reasoning.deciding import deciding
from advisor.reasoning.diagnose import analyse, analyse_numbers
from advisor.records import resources
from advisor.records.diagnosis import Question
from advisor.view.pages.deciding import deciding_blocks, deciding_facts, section_text

THIN = {
    "sm_throughput_pct": 42.0,
    "memory_throughput_pct": 45.0,
    "dram_pct": 17.0,
    "duration_ns": 1e6,
    "issue_active": 0.5,
}


def test_the_missing_sections_are_named_with_their_causes_and_one_command() -> None:
    launch = analyse_numbers(THIN, name="ns::merge<float>(int)").diagnosis.launches[0]
    assert launch.findings[0].id == "unexplained"
    found = launch.deciding
    assert found is not None
    sections = [one.section for one in found.sections]
    assert 1 <= len(sections) <= 3
    assert "WarpStateStats" in sections
    assert all(one.metrics and one.findings for one in found.sections)
    assert all(f"--section {name}" in found.command for name in (*sections, "SpeedOfLight"))
    assert "'regex:^merge$'" in found.command
    facts = deciding_facts(found)
    assert [fact.label for fact in facts] == ["Would decide"] * len(sections)
    assert any("(section WarpStateStats), for" in fact.text and "branch divergence" in fact.text for fact in facts)
    assert deciding_blocks(found)


def test_an_unknown_class_comes_first() -> None:
    launch = analyse_numbers({"duration_ns": 50_000}).diagnosis.launches[0]
    assert launch.deciding is not None
    first = launch.deciding.sections[0]
    assert first.section == "SpeedOfLight"
    assert "class" in first.findings
    assert "section SpeedOfLight" in section_text(first)


def test_a_launch_with_a_cause_needs_nothing() -> None:
    (path,) = resources.folder("kernels").glob("bank-conflicts/recorded/*/profile.ncu-rep.xz")
    assert all(one.deciding is None for one in analyse([path]).diagnosis.launches if one.findings[0].speedup)


def test_without_a_missing_section_the_questions_decide_and_without_both_nothing() -> None:
    asked = (
        Question("same_address", "Do all lanes load one address?", "", ("uniform_global_loads",)),
        Question("measured_duration", "How long?", "", ("duration_disagrees_not_a_cause",)),
    )
    found = deciding(catalog(), {}, asked, "k")
    assert found is not None
    assert found.questions == ("same_address",)
    assert found.command == ""
    assert deciding_blocks(found) == ()
    assert "your answer" in deciding_facts(found)[0].text
    assert deciding(catalog(), {}, (), "k") is None


def test_one_section_that_completes_more_causes_is_chosen_before_others() -> None:
    lacking = {
        "memory_latency": [frozenset({"stall_long_scoreboard"})],
        "barrier_stalls": [frozenset({"stall_barrier"})],
        "workload_imbalance": [frozenset({"sm_cycles_active_max"})],
        "unfused_multiply_add": [frozenset({"fmul_inst", "stall_wait"})],
    }
    found = deciding(catalog(), lacking, (), "k")
    assert found is not None
    first = found.sections[0]
    assert first.section == "WarpStateStats"
    assert set(first.findings) == {"memory_latency", "barrier_stalls"}
    # What needs two sections is decided by the second of them.
    assert "unfused_multiply_add" in {cause for one in found.sections[1:] for cause in one.findings}
