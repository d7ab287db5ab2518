"""Before and after: which kernel is which, what the time says, what the counters say to it, stop or go on."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from advisor.cli.json_schema import schema
from advisor.compare.changes import settings
from advisor.compare.compare import compare, compare_diagnoses, read_sides
from advisor.compare.side import parse_side
from advisor.knowledge.base import catalog
from advisor.knowledge.expressions import FALSE, TRUE
from advisor.knowledge.loader import load
from advisor.reasoning.conclude import engine_of
from advisor.records import resources
from advisor.records.diagnosis import Conclusion, LaunchGpu
from advisor.records.errors import InputError, UsageError
from advisor.view.pages.compare import pair_sections
from advisor.view.writers.json import document_json
from tests.changed import replace

COPY, AOS, SOA, TILE, SERIAL, SMALL = 0, 1, 2, 4, 16, 18


def some(tour: Any, *launches: Any) -> Any:
    """A diagnosis of some launches: places in the bundled report, or launches."""
    whole = tour.diagnosis
    return replace(whole, launches=tuple(whole.launches[x] if isinstance(x, int) else x for x in launches))


def changed(tour: Any, at: int, metrics: dict[str, float] | None = None, **fields: Any) -> Any:
    """A launch of the bundled report with some fields or metrics at other values."""
    launch = tour.diagnosis.launches[at]
    return replace(launch, metrics={**launch.metrics, **(metrics or {})}, **fields)


def compared(tour: Any, base: Any, current: Any, **options: Any) -> Any:
    return compare_diagnoses(base, current, tour.catalog, **options)


def pair(tour: Any, before: Any, after: Any, **options: Any) -> Any:
    return compared(tour, some(tour, before), some(tour, after), **options).pairs[0]


# Which kernel is which.


def test_a_report_against_itself_matches_every_launch_and_finds_no_difference(tour: Any) -> None:
    found = compared(tour, tour.diagnosis, tour.diagnosis)
    assert len(found.pairs) == 22 and not found.base_only and not found.current_only
    assert {p.judged.word for p in found.pairs} == {"same"}
    assert all(not p.conditions or {c.id for c in p.conditions} == {"counter_implausible"} for p in found.pairs)
    assert all(f.state == "stayed" for p in found.pairs for f in p.findings)
    assert not any(m.shown for p in found.pairs for m in p.metrics)


def test_single_launches_are_compared_whatever_their_names(tour: Any) -> None:
    assert pair(tour, AOS, SOA).matched == "only"


def test_what_has_no_partner_is_listed_on_its_side(tour: Any) -> None:
    found = compared(tour, some(tour, COPY, AOS), some(tour, COPY, SOA, TILE))
    assert [p.base.launch.kernel for p in found.pairs] == ["vector_copy"]
    assert [r.launch.kernel for r in found.base_only] == ["particle_field"]
    assert [r.launch.kernel for r in found.current_only] == ["particle_field_soa", "transpose_tile"]


def test_a_renamed_kernel_is_found_by_its_map(tour: Any) -> None:
    found = compared(tour, some(tour, COPY, AOS), some(tour, SOA, COPY), maps=["particle_field=particle_field_soa"])
    assert [(p.base.launch.kernel, p.matched) for p in found.pairs] == [
        ("vector_copy", "shape"),
        ("particle_field", "map"),
    ]


def test_names_that_hold_an_equals_sign_can_be_mapped(tour: Any) -> None:
    old = changed(tour, AOS, kernel="op==", kernel_full="op==")
    found = compared(tour, some(tour, COPY, old), some(tour, SOA, COPY), maps=["op===particle_field_soa"])
    assert {p.matched for p in found.pairs} == {"shape", "map"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("particle_field", "is not OLD=NEW"),
        ("particle_fild=particle_field_soa", "the base has no kernel called 'particle_fild': did you mean"),
        ("particle_field=soa_field", "the current report has no kernel called 'soa_field'"),
    ],
)
def test_a_map_that_names_no_kernel_is_refused(tour: Any, text: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        compared(tour, some(tour, COPY, AOS), some(tour, SOA, COPY), maps=[text])
    assert says in str(caught.value)


def test_shape_goes_before_order_and_order_decides_among_the_rest(tour: Any) -> None:
    small, large, odd = (changed(tour, COPY, grid=(n, 1, 1), index=n) for n in (8, 64, 7))
    found = compared(tour, some(tour, small, large), some(tour, large, odd))
    couples = {(p.base.launch.grid[0], p.current.launch.grid[0], p.matched) for p in found.pairs}
    assert couples == {(64, 64, "shape"), (8, 7, "name")}


def test_nothing_in_common_is_an_error_that_names_both_sides(tour: Any) -> None:
    with pytest.raises(UsageError, match=r"'vector_copy', 'particle_field'.*--map OLD=NEW"):
        compared(tour, some(tour, COPY, AOS), some(tour, SOA, TILE))


def test_launches_of_one_kernel_and_shape_are_runs_and_their_median_counts(tour: Any) -> None:
    runs = [changed(tour, COPY, index=i, duration_ns=t) for i, t in enumerate((130e3, 100e3, 400e3))]
    found = compared(tour, some(tour, *runs), some(tour, changed(tour, COPY, duration_ns=129e3))).pairs[0]
    assert found.base.times.runs == 3 and found.base.times.median == 130e3
    assert found.base.launch.index == 0 and found.base.indexes == (0, 1, 2)
    assert found.judged.word == "same"
    assert [c.id for c in found.conditions] == ["spread"]


@limits(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 21), min_size=1, max_size=8), st.lists(st.integers(0, 21), min_size=1, max_size=8))
def test_every_launch_is_in_one_pair_or_left_on_its_side(tour: Any, before: list[int], after: list[int]) -> None:
    try:
        found = compared(tour, some(tour, *before), some(tour, *after))
    except UsageError:
        assert not set(before) & set(after)
        return
    for side, left, indexes in (("base", found.base_only, before), ("current", found.current_only, after)):
        seen = [i for p in found.pairs for i in getattr(p, side).indexes] + [i for r in left for i in r.indexes]
        assert sorted(seen) == sorted(indexes)


# The time.


def test_measured_runs_take_the_place_of_the_profile_s_durations(tour: Any) -> None:
    found = pair(tour, AOS, SOA, runs=([140e3 + i for i in range(20)], [139.9e3 + i for i in range(20)]))
    assert found.judged.word == "same" and found.current.measured and found.current.times.runs == 20
    with pytest.raises(UsageError, match="one kernel on each side"):
        compared(tour, some(tour, COPY, AOS), some(tour, COPY), runs=([1e3], [1e3]))


def test_without_a_time_nothing_is_said_of_faster_or_slower(tour: Any) -> None:
    found = pair(tour, AOS, changed(tour, SOA, duration_ns=None))
    assert found.judged is None and found.promise is None and not found.traps
    assert "has no duration" in found.next.text


# What the counters say.


def test_findings_went_and_came_and_the_estimate_held(tour: Any) -> None:
    found = pair(tour, AOS, SOA)
    states = {f.id: f.state for f in found.findings}
    assert states["uncoalesced_access"] == "gone" and states["block_launch_rate"] == "came"
    assert found.promise.id == "uncoalesced_access" and found.promise.outcome == "held"
    assert found.promise.low <= found.promise.measured <= found.promise.high
    assert found.next.advice == "go_on" and found.next.finding == "block_launch_rate"


def test_a_lower_dram_percentage_of_a_faster_kernel_is_explained_by_its_bytes(tour: Any) -> None:
    trap = next(t for t in pair(tour, AOS, SOA).traps if t.metric == "dram_pct")
    old, new = (tour.diagnosis.launches[x].metrics["dram_bytes"] for x in (AOS, SOA))
    assert (trap.work, trap.work_before, trap.work_after) == ("dram_bytes", old, new)
    assert "fell from 91.4 % to 47.9 %" in trap.text and "601 MB, now 115 MB" in trap.text


@pytest.mark.parametrize(
    ("pct", "bytes_", "time", "says"),
    [
        # A third of the bytes at 0.6 of the rate: 0.33 / 0.6 = 0.56 of the time.
        (54.0, 0.33, 0.55, "Less work alone would take 0.33× the time; the lower rate (0.6×) makes it 0.55×. It moves"),
        # The bytes did not shrink as percentage times time did.
        (
            45.0,
            0.9,
            0.5,
            "Less work alone would take 0.25× the time; the lower rate (0.5×) makes it 0.5×. It moves 0.9×",
        ),
    ],
)
def test_work_and_rate_are_told_apart_where_both_changed(
    tour: Any, pct: float, bytes_: float, time: float, says: str
) -> None:
    base = changed(tour, COPY, {"dram_pct": 90.0, "dram_bytes": 1e9}, duration_ns=1e6)
    fast = changed(tour, COPY, {"dram_pct": pct, "dram_bytes": 1e9 * bytes_}, duration_ns=1e6 * time)
    trap = next(t for t in pair(tour, base, fast).traps if t.metric == "dram_pct")
    assert says in trap.text
    assert ("other work of this unit changed too" in trap.text) is (bytes_ == 0.9)


def test_a_higher_percentage_of_a_slower_kernel_is_a_trap_as_well(tour: Any) -> None:
    found = pair(tour, SOA, AOS, maps=("particle_field_soa=particle_field",))
    assert any(t.metric == "dram_pct" and "rose" in t.text for t in found.traps)
    assert found.next.advice == "go_back" and "uncoalesced_access" in found.next.text
    assert found.promise.outcome == "worse"


def test_a_slower_version_with_a_side_effect_of_the_fix_is_not_reverted_at_once(tour: Any) -> None:
    for old, effects in settings().side_effects.items():
        assert {old, *effects} <= set(catalog().findings)
    old, new = (tour.diagnosis.launches[x].findings[0] for x in (AOS, SERIAL))
    assert old.id == "uncoalesced_access" and new.fix is not None
    conflicts = replace(new, id="bank_conflicts", title="Bank conflicts")
    slow = changed(tour, AOS, findings=(conflicts,), missing=(), duration_ns=3e6)
    found = pair(tour, AOS, slow).next
    assert found.advice == "go_on" and found.finding == "bank_conflicts"
    assert new.fix.summary in found.text and "revert" in found.text
    # Another new cause, or an old one that is still there, is a reason to revert.
    for findings in ((replace(new, id="register_spilling"),), (conflicts, old)):
        other = changed(tour, AOS, findings=findings, missing=(), duration_ns=3e6)
        assert pair(tour, AOS, other).next.advice == "go_back"


def test_a_slower_kernel_of_another_name_is_no_reason_to_go_back(tour: Any) -> None:
    """It may be one of several launches that do the work together."""
    found = pair(tour, SOA, AOS)
    assert [c.id for c in found.conditions] == ["kernel"] and found.promise is None
    assert found.next.advice == "look" and "do the same work" in found.next.text
    times = ([5e4, 5.1e4, 5e4], [14e4, 14.1e4, 14e4])
    measured = pair(tour, SOA, AOS, runs=times)
    assert not measured.conditions and measured.next.advice == "go_back"


GEMM, SCALED = 5, 3.0


def test_launches_that_do_other_work_are_compared_by_rates_and_nothing_is_advised(tour: Any) -> None:
    old = tour.diagnosis.launches[GEMM]
    more = {name: SCALED * old.metrics[name] for name in ("threads", "inst_executed")}
    longer = {name: SCALED * old.metrics[name] for name in ("inst_executed", "flop")}
    for launch in (
        changed(tour, GEMM, {**more, "store_sectors_ideal": math.nan}, duration_ns=SCALED * old.duration_ns),
        changed(tour, GEMM, longer, duration_ns=SCALED * old.duration_ns),
        changed(tour, COPY, duration_ns=SCALED * old.duration_ns),
        changed(tour, COPY, duration_ns=old.duration_ns / SCALED),
    ):
        found = pair(tour, GEMM, launch)
        assert found.next.advice == "look" and "evert" not in found.next.text, found.next.text
        assert "rates per unit of work" in found.next.text
        assert found.promise is None and not found.traps
        work = next(c.text for c in found.conditions if c.id == "work")
        assert "the work differs" in work and "Per unit of work" in work
        head = pair_sections(found, "")[0]
        assert head.blocks[0].rows[0].label == "Other work"
    rate = pair(tour, GEMM, changed(tour, GEMM, longer, duration_ns=SCALED * old.duration_ns))
    assert "(1.00×)" in next(c.text for c in rate.conditions if c.id == "work")  # as much arithmetic in each second


def test_a_renamed_kernel_with_the_same_results_does_the_same_work(tour: Any) -> None:
    old = tour.diagnosis.launches[GEMM]
    fewer = {name: old.metrics[name] / 2 for name in ("threads", "inst_executed", "requested_bytes")}
    launch = changed(tour, GEMM, fewer, duration_ns=old.duration_ns / 2)
    found = pair(tour, GEMM, replace(launch, kernel="tiled"))
    assert "work" not in [c.id for c in found.conditions]


def test_percentages_that_move_with_the_time_are_no_trap(tour: Any) -> None:
    base = changed(tour, COPY, {"dram_pct": 40.0, "l2_pct": 20.0}, duration_ns=300e3)
    assert not pair(tour, base, COPY).traps


def test_occupancy_that_rose_while_the_kernel_became_slower_is_named_with_what_it_cost(tour: Any) -> None:
    base = changed(tour, SERIAL, {"occupancy_achieved_pct": 25.0, "inst_executed": 1e6})
    slow = changed(tour, SERIAL, {"occupancy_achieved_pct": 60.0, "inst_executed": 2e6}, duration_ns=120e3)
    trap = next(t for t in pair(tour, base, slow).traps if t.metric == "occupancy_achieved_pct")
    assert "25.0 % to 60.0 %" in trap.text and "instructions 2.0×" in trap.text


def test_metrics_that_moved_most_are_few_and_all_are_there(tour: Any) -> None:
    found = pair(tour, AOS, SOA)
    shown = [m.metric for m in found.metrics if m.shown]
    assert 0 < len(shown) <= settings().shown.most
    assert {"dram_bytes", "load_sector_ratio", "dram_pct"} <= set(shown)
    known = set(tour.diagnosis.launches[AOS].metrics) | set(tour.diagnosis.launches[SOA].metrics)
    assert {m.metric for m in found.metrics} == known & set(catalog().metrics)
    dram = next(m for m in found.metrics if m.metric == "dram_pct")
    assert dram.change == pytest.approx(dram.after - dram.before)
    moved = next(m for m in found.metrics if m.metric == "dram_bytes")
    assert moved.change == pytest.approx(moved.after / moved.before)


def test_a_finding_that_the_other_report_cannot_decide_is_not_gone(tour: Any) -> None:
    from advisor.records.diagnosis import Missing

    blind = changed(tour, AOS, findings=(), missing=(Missing("load_sector_ratio", ("uncoalesced_access",), ""),))
    change = next(f for f in pair(tour, AOS, blind).findings if f.id == "uncoalesced_access")
    assert change.state == "unknown" and change.after is None and "lacks" in change.text


def test_a_finding_that_the_base_cannot_decide_is_not_new(tour: Any) -> None:
    from advisor.records.diagnosis import Missing

    blind = changed(tour, AOS, findings=(), missing=(Missing("load_sector_ratio", ("uncoalesced_access",), ""),))
    found = pair(tour, blind, AOS)
    change = next(f for f in found.findings if f.id == "uncoalesced_access")
    assert change.state == "unknown" and change.before is None and "base report lacks" in change.text


def test_only_what_both_reports_show_stayed(tour: Any) -> None:
    for base, current in ((AOS, SOA), (SOA, AOS), (AOS, AOS), (SERIAL, COPY)):
        for change in pair(tour, base, current).findings:
            assert (change.state == "stayed") == (
                all(side is not None and side.kind != "note" for side in (change.before, change.after))
            )


def test_an_estimate_is_not_judged_by_a_finding_that_is_unknown_now(tour: Any) -> None:
    from advisor.records.diagnosis import Missing

    first = tour.diagnosis.launches[AOS].findings[0]
    blind = changed(tour, AOS, findings=(), missing=(Missing("load_sector_ratio", (first.id,), ""),))
    promise = pair(tour, AOS, blind).promise
    assert promise is not None and promise.outcome != "open"
    assert "unknown" in promise.text and "remains and" not in promise.text


# Stop or go on.


def test_a_kernel_at_its_limit_stops_the_search(tour: Any) -> None:
    found = pair(tour, AOS, COPY, maps=("particle_field=vector_copy",))
    assert found.next.advice == "stop" and "99 % of the achievable rate" in found.next.text


def with_gain(tour: Any, gain: float) -> Any:
    """The struct-of-arrays launch, only slower to begin with, whose first finding gains so much, and its advice."""
    launch = tour.diagnosis.launches[SOA]
    first = replace(launch.findings[0], speedup=replace(launch.findings[0].speedup, estimate=gain))
    late = {"gain_worth_fixing": gain >= 1.05, "first_gain_large": gain >= 1.1, "first_gain_modest": gain < 1.1}
    late |= {"gain_keeps_going": gain >= 1.1, "gains_untold": False, "first_gain_untold": False}
    codes = {name: TRUE if holds else FALSE for name, holds in late.items()}
    advised = engine_of(tour.catalog).conclude({}, quantified=codes).words[-1]
    word = tour.catalog.words[advised]
    made = Conclusion(id=advised, kind=word.kind, title=word.title, because="", rules=(), cites=())
    return replace(launch, findings=(first,), conclusions=(made,))


@pytest.mark.parametrize(("gain", "advice"), [(1.06, "stop"), (1.08, "stop"), (1.2, "go_on")])
def test_the_next_gain_decides(tour: Any, gain: float, advice: str) -> None:
    found = pair(tour, AOS, with_gain(tour, gain)).next
    assert found.advice == advice and found.gain == gain


def test_a_kernel_at_the_floor_of_its_bytes_stops_whatever_the_gain(tour: Any) -> None:
    peak = tour.diagnosis.launches[SOA].metrics["dram_peak_bytes_per_s"]
    least = 0.9 * peak * tour.diagnosis.launches[SOA].duration_ns / 1e9 * 0.95
    near = tour.answered(None, {"theoretical_bytes": least}).diagnosis.launches[SOA]
    found = pair(tour, AOS, near).next
    assert found.advice == "stop" and "over the minimum time" in found.text


def test_a_change_without_effect_keeps_the_simpler_code(tour: Any) -> None:
    found = pair(tour, AOS, changed(tour, AOS, {"inst_executed": 1e6}))
    assert found.promise.outcome == "open"
    assert "keep the simpler code" in found.next.text and found.next.finding == "uncoalesced_access"


def test_a_tiny_kernel_is_not_worked_on_inside(tour: Any) -> None:
    found = pair(tour, SMALL, changed(tour, SMALL, {"inst_executed": 1e3})).next
    assert found.advice == "stop" and "CUDA graph" in found.text


# Conditions.


def test_other_gpus_are_refused_unless_forced(tour: Any) -> None:
    other = changed(tour, SOA, gpu=LaunchGpu("NVIDIA A100-SXM4-80GB", "8.0", "A100-SXM-80GB"))
    with pytest.raises(UsageError, match=r"NVIDIA H200.*NVIDIA A100-SXM4-80GB.*--force"):
        pair(tour, AOS, other)
    forced = pair(tour, AOS, other, force=True)
    assert [c.id for c in forced.conditions][:1] == ["gpu"]
    assert forced.promise is None and forced.next.advice == "look"


def test_another_clock_is_warned_of_and_cycles_are_compared(tour: Any) -> None:
    launch = tour.diagnosis.launches[AOS]
    clock, cycles = launch.metrics["sm_clock_hz"], launch.metrics["sm_cycles_elapsed"]
    slow = changed(
        tour, AOS, {"sm_clock_hz": clock * 0.8, "sm_cycles_elapsed": cycles}, duration_ns=launch.duration_ns / 0.8
    )
    found = pair(tour, AOS, slow)
    assert found.judged.word == "slower" and found.by_cycles.word == "same"
    assert [c.id for c in found.conditions] == ["clock"] and "the clock explains the time" in found.conditions[0].text
    assert found.next.advice == "look" and "clock" in found.next.text


def test_a_clock_that_drifts_by_two_percent_is_no_condition(tour: Any) -> None:
    clock = tour.diagnosis.launches[AOS].metrics["sm_clock_hz"]
    assert not pair(tour, AOS, changed(tour, AOS, {"sm_clock_hz": clock * 1.02})).conditions


def test_other_cache_control_is_warned_of(tour: Any) -> None:
    on, off = (changed(tour, AOS, {"cache_control": v}) for v in (1.0, 0.0))
    assert "cache control was on for the base and off" in pair(tour, on, off).conditions[0].text


def test_work_that_grew_on_every_count_may_be_another_problem(tour: Any) -> None:
    grown = {
        m: 4 * tour.diagnosis.launches[AOS].metrics[m] for m in ("threads", "inst_executed", "requested_bytes", "flop")
    }
    found = pair(tour, AOS, changed(tour, AOS, grown, duration_ns=540e3))
    assert [c.id for c in found.conditions] == ["size", "work"]
    assert found.next.advice == "look" and found.promise is None


def test_the_same_results_and_arithmetic_are_the_same_work_however_it_is_divided(tour: Any) -> None:
    work = {"threads": 1e6, "inst_executed": 4e8, "requested_bytes": 4e9, "flop": 8e9, "store_sectors_ideal": 1e6}
    before = changed(tour, AOS, work)
    less = {name: work[name] / 16 for name in ("threads", "inst_executed", "requested_bytes")}
    found = pair(tour, before, changed(tour, AOS, {**work, **less}, duration_ns=before.duration_ns / 3))
    assert not found.conditions and found.promise is not None and "rates per unit of work" not in found.next.text
    for other in ({"flop": 4e9}, {"store_sectors_ideal": 5e5}, {"flop": math.nan}):
        again = pair(tour, before, changed(tour, AOS, {**work, **less, **other}, duration_ns=before.duration_ns / 3))
        assert [c.id for c in again.conditions] == ["size", "work"], other


def test_a_report_compared_with_itself_is_said_to_be_the_same(tour: Any) -> None:
    found = compared(tour, tour.diagnosis, tour.diagnosis)
    assert all("the same report" in p.next.text and p.next.advice == "look" for p in found.pairs)
    assert not any(p.promise for p in found.pairs)
    assert "the same report" not in pair(tour, AOS, changed(tour, AOS, {"inst_executed": 1e6})).next.text


def test_the_fix_proposed_for_one_output_per_thread_is_judged_by_its_estimate() -> None:
    report = Path(__file__).parents[2] / "kernels" / "one-output-gemm" / "recorded" / "h200" / "profile.ncu-rep.xz"
    sides = read_sides(parse_side(f"{report}#0"), parse_side(f"{report}#1"))
    (found,) = compare_diagnoses(*(side.diagnosis for side in sides), sides[0].catalog).pairs
    assert found.promise is not None and found.promise.outcome == "held"
    assert "size" not in {c.id for c in found.conditions} and "rates per unit of work" not in found.next.text


def test_fewer_threads_with_more_work_each_are_the_same_problem(tour: Any) -> None:
    metrics = tour.diagnosis.launches[AOS].metrics
    coarser = {"threads": metrics["threads"] / 4, "inst_executed": metrics["inst_executed"] / 2}
    assert not pair(tour, AOS, changed(tour, AOS, coarser)).conditions


def test_a_debug_build_on_one_side_tests_no_estimate(tour: Any) -> None:
    launch = tour.diagnosis.launches[AOS]
    debug = replace(launch.findings[0], id="debug_build", kind="trust", title="Debug build", speedup=None)
    found = pair(tour, replace(launch, findings=(*launch.findings, debug)), SOA)
    assert found.promise is None and found.next.advice == "look" and "-G" in found.next.text
    assert "debug_build" in [c.id for c in found.conditions]


def test_reports_of_other_sections_are_warned_of(tour: Any) -> None:
    few = dict(list(tour.diagnosis.launches[AOS].metrics.items())[:60])
    found = pair(tour, replace(tour.diagnosis.launches[AOS], metrics=few), AOS)
    assert "counters" in [c.id for c in found.conditions]


# Reading.


def test_a_number_sign_names_a_launch_unless_the_file_is_called_so(tmp_path: Path) -> None:
    plain, odd = tmp_path / "a.ncu-rep", tmp_path / "b#2"
    plain.touch()
    odd.touch()
    assert (parse_side(f"{plain}#3").path, parse_side(f"{plain}#3").launch) == (plain, 3)
    assert (parse_side(str(odd)).path, parse_side(str(odd)).launch) == (odd, None)
    assert (parse_side(f"{odd}#0").path, parse_side(f"{odd}#0").launch) == (odd, 0)
    for wrong in ("x", "-1", "", "1.5", "99999999999999999999", "²"):
        with pytest.raises(UsageError, match="write the launch number after #"):
            parse_side(f"{plain}#{wrong}")


def test_two_launches_of_one_report_are_read_once_and_compared(tour_path: Path) -> None:
    found = compare(*read_sides(parse_side(f"{tour_path}#1"), parse_side(f"{tour_path}#2")))
    assert [(p.base.launch.index, p.current.launch.index) for p in found.pairs] == [(1, 2)]
    assert found.base.path.endswith("#1") and found.base.sha256 == found.current.sha256


def test_a_launch_that_is_not_there_is_refused(tour_path: Path) -> None:
    with pytest.raises(UsageError, match=r"#22: there is no launch 22: launches are numbered 0 to 21"):
        read_sides(parse_side(f"{tour_path}#22"), parse_side(f"{tour_path}#0"))


def test_a_report_that_cannot_be_read_is_named(tour_path: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nothing\.ncu-rep"):
        read_sides(parse_side(str(tour_path)), parse_side(str(tmp_path / "nothing.ncu-rep#3")))


@pytest.mark.parametrize(
    ("metrics", "fields"),
    [
        ({"sm_cycles_elapsed": 1e-308, "sm_clock_hz": 1e308}, {}),
        ({"dram_bytes": 5e-324, "inst_executed": 5e-324}, {}),
        ({"dram_clock_hz": 5e-324}, {}),
        ({}, {"duration_ns": -1.0}),
        ({}, {"duration_ns": 1e-308}),
        ({}, {"duration_ns": 1e300}),
    ],
)
def test_absurd_numbers_end_in_no_error_and_in_sound_json(
    tour: Any, metrics: dict[str, float], fields: dict[str, float]
) -> None:
    """Whole reports are typed by hand, or damaged: no ratio and no logarithm may fail on what they hold."""
    absurd = changed(tour, SOA, {**metrics}, **fields)
    for before, after in ((AOS, absurd), (absurd, AOS)):
        document = json.loads(document_json(compared(tour, some(tour, before), some(tour, after))))
        jsonschema.validate(document, schema("compare"))


def test_every_advice_of_the_rules_has_a_sentence(tour: Any) -> None:
    rules = load(resources.folder("knowledge") / "quantification" / "advice.yaml", dict[str, Any])
    assert len(rules) >= 10
    for name, rule in rules.items():
        advice = Conclusion(
            id=f"advice.{name}", kind=rule["kind"], title="", because="", rules=("r",), cites=("guide.step6",)
        )
        launch = replace(tour.diagnosis.launches[TILE], conclusions=(advice,))
        assert pair(tour, launch, launch).next.text, name
