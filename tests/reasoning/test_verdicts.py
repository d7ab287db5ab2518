"""Nsight Compute's own verdicts beside ours: which rule speaks of what, and why the two differ."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from advisor.cli.main import main
from advisor.knowledge.base import catalog, finding_title
from advisor.knowledge.texts import within_sentence
from advisor.reasoning.analysis import Analysis
from advisor.reasoning.diagnose import analyse
from advisor.reasoning.ncu_rules import CLASS, kinds, sentence
from advisor.records import resources
from advisor.records.diagnosis import LaunchDiagnosis, RuleVerdict
from advisor.records.readings import RuleResult
from advisor.view.pages.diagnosis import diagnosis_page
from advisor.view.pages.launch import launch_blocks
from advisor.view.pages.ncu_rules import HEADING, differing, rules_page
from advisor.view.writers.terminal import block_lines, terminal_text
from tests.changed import replace

STATUSES = {
    *("first", "ranked", "small", "trust", "gave_way", "refuted", "unknown", "none", "class_same", "class_differs"),
}
DATA = Path(__file__).parents[1] / "data"


def launch_of(analysis: Any, kernel: str) -> LaunchDiagnosis:
    return next(x for x in analysis.diagnosis.launches if x.kernel == kernel)


def verdict_on(launch: LaunchDiagnosis, short: str) -> RuleVerdict:
    return next(v for v in launch.ncu_rules if v.short == short)


def judged(analysis: Any, kernel: str, *results: RuleResult) -> LaunchDiagnosis:
    """One launch of the bundled report as if its rules had said this."""
    frame = analysis.inputs.frame
    frame = frame[frame["kernel"] == kernel].reset_index(drop=True).copy()
    frame["rules"] = [results] * len(frame)
    again = Analysis(analysis.catalog, replace(analysis.inputs, frame=frame))
    return again.diagnosis.launches[0]


def printed_rules(launches: tuple[LaunchDiagnosis, ...]) -> str:
    return terminal_text(rules_page(launches))


def lines(launch: LaunchDiagnosis) -> str:
    parts = {name: body for name, body, _ in launch_blocks(launch, {}).rest}
    return "\n".join(block_lines(parts[HEADING], width=80))


def test_what_rules_are_about_are_ids_of_ours() -> None:
    known = kinds(catalog())
    ids = {*catalog().findings, CLASS}
    for rule, found in known.of.items():
        for kind in found:
            assert set(kind.about) <= ids, rule
            assert not kind.symptom or kind.symptom in catalog().observations, rule
            assert bool(kind.about or kind.symptom) != bool(kind.nothing), (rule, kind.short)


def test_every_verdict_in_the_bundled_recordings_is_known(tour: Any) -> None:
    known = kinds(catalog())
    results = [r for rules in tour.inputs.frame["rules"] for r in rules if known.judges(r)]
    assert len(results) > 150
    assert [r for r in results if known.find(r) is None] == []


@pytest.mark.parametrize(
    "message",
    [
        "Required metric launch__block_size could not be found.",
        "The optional metric dram__cycles_active.avg could not be found.",
        "Rule Bottleneck returned an error: Some required metrics are missing.",
        "float division by zero /opt/sections/SpeedOfLight.py:69",
        "Check the Warp Stall Sampling (All Samples) table for the top stall locations.",
    ],
)
def test_a_rule_that_failed_or_only_points_elsewhere_judges_nothing(tour: Any, message: str) -> None:
    assert judged(tour, "vector_copy", RuleResult("SOLBottleneck", "Bottleneck", message, None)).ncu_rules == ()


def test_each_verdict_on_the_bundled_report_has_one_of_the_states_and_a_reason(tour: Any) -> None:
    for launch in tour.diagnosis.launches:
        assert launch.ncu_rules
        assert sum(v.leading for v in launch.ncu_rules) <= 1
        for verdict in launch.ncu_rules:
            assert verdict.here.status in STATUSES
            assert verdict.here.because
            diagnoses = [f.id for f in launch.findings if f.kind == "diagnosis"]
            assert (verdict.here.status in ("first", "ranked")) == (verdict.here.subject in diagnoses)


def test_where_both_find_the_same_the_verdict_says_so(tour: Any) -> None:
    verdict = verdict_on(launch_of(tour, "transpose_tile"), "uncoalesced shared accesses")
    assert (verdict.here.status, verdict.here.subject, verdict.here.place) == ("first", "bank_conflicts", 1)
    assert verdict.leading and verdict.saving > 0.9
    assert verdict not in differing(launch_of(tour, "transpose_tile"))


def test_a_symptom_counts_as_what_explains_it(tour: Any) -> None:
    verdict = verdict_on(launch_of(tour, "byte_image"), "long-scoreboard stalls")
    assert (verdict.here.status, verdict.here.subject) == ("first", "narrow_accesses")


def test_a_promise_that_the_numbers_refute_is_shown_with_them(tour: Any) -> None:
    launch = launch_of(tour, "row_per_thread")
    verdict = verdict_on(launch, "a partial last wave")
    assert (verdict.here.status, verdict.here.subject) == ("refuted", "tail_effect")
    assert {e.metric for e in verdict.here.evidence} <= {"sm_active_ratio", "ceil(waves) / waves"}
    assert all(e.holds is False for e in verdict.here.evidence)
    assert re.search(r"a partial last wave, 50 % of the time\. Advisor: not tail effect: .*\(sm_active_ratio = 1\.0\d",
                     " ".join(lines(launch).split()))  # fmt: skip


def test_a_cause_that_gave_way_names_what_it_gave_way_to(tour: Any) -> None:
    verdict = verdict_on(launch_of(tour, "capped_moments"), "issue slots")
    assert (verdict.here.status, verdict.here.by) == ("gave_way", "register_spilling")
    subject = within_sentence(finding_title(verdict.here.subject))
    assert verdict.here.because == f"not {subject}: register spilling explains it"


def test_a_finding_that_is_not_first_is_told_with_its_place(tour: Any) -> None:
    claim = RuleResult("HighPipe", "", "", None)
    assert judged(tour, "row_per_thread", claim).ncu_rules[0].here.status == "none"
    ladder = analyse([resources.folder("kernels") / "gemm-ladder" / "recorded" / "h200" / "profile.ncu-rep.xz"])
    launch = judged(
        ladder,
        "gemm",
        RuleResult("CPIStall", "x", "Each warp waits for the MIO (memory input/output) instruction queue.", 2.0),
    )
    (verdict,) = launch.ncu_rules
    assert (verdict.here.status, verdict.here.subject, verdict.here.place) == ("ranked", "lsu_saturation", 2)
    assert (
        f"load/store pipe saturated is number 2, {verdict.here.gain:.1f}×; uncoalesced global access comes first"
        in " ".join(lines(launch).split())
    )


def test_without_the_numbers_a_verdict_is_unknown_and_names_them(tour: Any) -> None:
    frame = tour.inputs.frame[tour.inputs.frame["kernel"] == "vector_copy"].reset_index(drop=True)
    frame = frame[[c for c in frame.columns if frame[c].dtype.kind not in "fiub" or c in ("report", "index")]].copy()
    frame["accesses"] = frame["opcodes"] = None
    message = "This kernel has uncoalesced shared accesses resulting in many excessive wavefronts."
    frame["rules"] = [(RuleResult("UncoalescedSharedAccess", "x", message, 1.5),)]
    launch = Analysis(tour.catalog, replace(tour.inputs, frame=frame)).diagnosis.launches[0]
    (verdict,) = launch.ncu_rules
    assert (verdict.here.status, verdict.here.subject) == ("unknown", "bank_conflicts")
    assert "shared_wavefront_ratio" in verdict.here.lacking or "shared_wavefronts" in verdict.here.lacking
    assert "is undecided" in " ".join(lines(launch).split())


def test_the_class_is_set_beside_the_bottleneck_rule_once(tour: Any) -> None:
    launch = launch_of(tour, "serial_step")
    assert verdict_on(launch, "bottleneck: compute").here.status == "class_differs"
    text = terminal_text(diagnosis_page(replace(tour.diagnosis, launches=(launch,)), sections=None))
    assert text.count("the rule says ") == 1
    assert text.index(HEADING) < text.index("the rule says ")
    same = verdict_on(launch_of(tour, "fma_chains"), "bottleneck: a unit over 80 %")
    assert (same.here.status, same.here.subject) == ("class_same", "class.compute_bound")


def test_a_kernel_that_is_done_answers_all_promises_at_once(tour: Any) -> None:
    text = lines(launch_of(tour, "vector_copy"))
    assert text.count("· ncu:") == 1
    assert "Advisor: Near the memory roofline: DRAM" in " ".join(text.split())


def test_no_report_floods_the_page(tour: Any) -> None:
    claims = [
        RuleResult("LaunchConfiguration", "x", "The grid for this launch is small.", 2.0),
        RuleResult("LaunchConfiguration", "x", "A wave of thread blocks is partial.", 2.0),
        RuleResult("AchievedOccupancy", "x", "theoretical and measured achieved occupancy", 2.0),
        RuleResult("FPInstructions", "x", "1 fused and 2 non-fused", 2.0),
        RuleResult("ThreadDivergence", "x", "groups of 32 threads", 2.0),
    ]
    launch = judged(tour, "transpose_tile", *claims)
    assert len(differing(launch)) == 5
    text = lines(launch)
    assert text.count("· ncu:") == 3
    assert "and 2 more: `ncu-advisor diagnose REPORT --rules` shows all" in text
    assert printed_rules((launch,)).count("advisor: ") == 5


def test_small_promises_are_left_to_the_full_list(tour: Any) -> None:
    message = "A wave of thread blocks is partial."
    quiet = judged(tour, "transpose_tile", RuleResult("LaunchConfiguration", "x", message, 1.05))
    assert lines(quiet) == ""
    assert "a partial last wave, 5 % of the time" in printed_rules((quiet,))


def test_a_promise_on_what_no_diagnosis_is_about_is_left_to_the_full_list(tour: Any) -> None:
    compression = RuleResult("MemoryL2Compression", "x", "Bytes sent to the L2 Compression unit.", 3.0)
    latency = RuleResult("LaunchConfiguration", "x", "A wave of thread blocks is partial.", 1.5)
    alone, both = judged(tour, "vector_copy", compression), judged(tour, "vector_copy", compression, latency)
    assert lines(alone) == "" and "L2 compression, 67 % of the time" in printed_rules((alone,))
    assert "up to 33 % of the time (a partial last wave)" in " ".join(lines(both).split())
    assert [v.short for v in both.ncu_rules if v.leading] == ["a partial last wave"]


def test_results_of_one_kind_are_told_once_with_the_largest_estimate(tour: Any) -> None:
    claims = [
        RuleResult("UncoalescedGlobalAccess", "x", f"Uncoalesced global access, at PC 0x{n:x}", 1 + n / 10)
        for n in range(5)
    ]
    (verdict,) = judged(tour, "particle_field", *claims).ncu_rules
    assert (verdict.times, verdict.speedup) == (5, 1.4)


def test_a_local_estimate_is_of_one_part_and_no_speedup(tour: Any) -> None:
    verdict = verdict_on(launch_of(tour, "capped_moments"), "issue slots")
    assert verdict.speedup is None and verdict.saving == 0
    assert verdict.local_pct == pytest.approx(31, abs=2)


@pytest.mark.parametrize("name", ["tour_details.csv", "tour_details.txt"])
def test_csv_and_text_give_the_local_estimates_of_the_binary_report(tour: Any, name: str) -> None:
    def estimates(analysis: Any) -> dict[str, list[float]]:
        frame = analysis.inputs.frame
        return {
            kernel: sorted(round(r.local_pct, 1) for r in rules if r.local_pct)
            for kernel, rules in zip(frame["kernel"], frame["rules"], strict=True)
        }

    other, ours = estimates(analyse([DATA / name])), estimates(tour)
    assert any(other.values())
    for kernel, found in other.items():
        assert found == pytest.approx(ours[kernel], abs=0.11), kernel


def test_a_message_is_cut_to_the_sentence_that_tells() -> None:
    message = "A wave is something. This launch results in 1.5 waves. See the guide."
    assert sentence(message, "launch results in") == "This launch results in 1.5 waves."
    assert sentence(message, "") == "A wave is something."
    assert len(sentence("x" * 10_000, "")) <= 240


def test_hostile_words_of_a_report_are_shown_and_not_obeyed(tour: Any) -> None:
    launch = judged(tour, "vector_copy", RuleResult("\x1b[2JEvil", "\x1b[31mred", "\x1b]0;title\x07 [bold]", 3.0))
    text = printed_rules((launch,)) + lines(launch)
    assert "\x1b" not in text and "\x07" not in text


def test_every_rule_seen_in_reports_of_ncu_2018_to_2026_has_a_counterpart() -> None:
    seen = """AchievedOccupancy CPIStall CPIStallBarrier FPInstructions HighPipeUtilization IssueSlotUtilization
    LaunchConfiguration MemoryCacheAccessPattern MemoryL2Compression Occupancy PCSamplingData PMSamplingData
    SOLBottleneck SOLFPRoofline SharedMemoryConflicts TheoreticalOccupancy ThreadDivergence UncoalescedGlobalAccess
    UncoalescedSharedAccess WorkloadImbalance"""
    known = kinds(catalog())
    assert [rule for rule in seen.split() if not known.of.get(rule)] == []


def test_the_option_shows_every_verdict_and_nothing_else(
    tour: Any, tour_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(["diagnose", str(tour_path), "--launch", "8", "--rules"])
    assert end.value.code == 0
    out = capsys.readouterr().out
    assert out.startswith("Nsight Compute's rules · mixed_branches · launch 8")
    assert out.count("\n  · advisor: ") == len(launch_of(tour, "mixed_branches").ncu_rules)
    assert max(map(len, out.splitlines())) <= 80
