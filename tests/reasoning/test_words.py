"""Napkin math and quantification are rules like others: each fires on its examples, and later rules rest on them."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from advisor.knowledge.base import catalog, workloads
from advisor.reasoning.conclude import engine_of
from advisor.reasoning.diagnose import analyse_numbers
from advisor.reasoning.engine.program import is_quantified, kind_of
from advisor.reasoning.inputs import checked_answers
from advisor.reasoning.metrics.derive import derive
from advisor.reasoning.observations import observe
from advisor.records.errors import UsageError

KNOWN = catalog()
WORDS = KNOWN.words
CASES = [
    pytest.param(name, kind == "fires", values, id=f"{name} {kind} {at}")
    for name, word in WORDS.items()
    for kind in ("fires", "silent")
    for at, values in enumerate(getattr(word.examples, kind))
]


def words_of(values: dict[str, float]) -> tuple[str, ...]:
    """The words that the engine concludes from these metrics and those that follow from them."""
    frame = derive(pd.DataFrame([values], dtype=float), keep=values)
    observed = observe(frame, KNOWN)
    state = observed.state(0)
    late = {name: code for name, code in state.items() if is_quantified(KNOWN, name)}
    return engine_of(KNOWN).conclude(state, quantified=late).words


@pytest.mark.parametrize(("name", "fires", "values"), CASES)
def test_each_word_fires_on_its_examples_and_on_no_other(name: str, fires: bool, values: dict[str, float]) -> None:
    assert (name in words_of(values)) == fires


def test_each_napkin_rule_and_each_estimate_has_both_examples() -> None:
    for name, word in WORDS.items():
        assert word.area == "advice" or (word.examples.fires and word.examples.silent), name


def test_only_observations_hold_thresholds_of_words() -> None:
    for word in WORDS.values():
        for rule in word.seen:
            for name in (*rule.when, *rule.unless):
                assert kind_of(name) in ("observation", "found", "class", "napkin", "gain"), rule.id


# A launch that waits: little utilised, far from any limit, with nothing known of its schedulers.
WAITING = {
    "duration_ns": 900_000.0, "compute_pct": 15.0, "sm_throughput_pct": 15.0, "memory_throughput_pct": 35.0,
    "dram_pct": 35.0, "dram_achievable_pct": 90.0, "dram_peak_bytes_per_s": 4.8e12, "dram_bytes": 1.5e9,
    "stall_long_scoreboard_pct": 80.0, "access_bits_mean": 32.0,
}  # fmt: skip


def launch(values: dict[str, float]) -> Any:
    return analyse_numbers(values).diagnosis.launches[0]


def ids(values: dict[str, float]) -> tuple[set[str], set[str]]:
    found = launch(values)
    return {c.id for c in found.conclusions}, {f.id for f in found.findings}


def test_far_from_the_minimum_time_with_low_throughput_is_latency() -> None:
    words, found = ids({**WAITING, "theoretical_bytes": 1.4e9})
    assert {"napkin.waits", "napkin.slower_than_floor"} <= words and "memory_latency" in found
    words, found = ids({**WAITING, "theoretical_bytes": 3.8e9})
    assert "napkin.waits" not in words and "memory_latency" not in found


def test_near_the_minimum_time_the_advice_is_to_stop_whatever_the_gain() -> None:
    moved = {"dram_bytes": 4.0e9, "load_sector_ratio": 4.0, "dram_pct": 60.0, "memory_throughput_pct": 62.0}
    busy = {**WAITING, **moved}
    words, found = ids({**busy, "theoretical_bytes": 3.7e9})
    assert {"napkin.near_floor", "gain.any_diagnosis", "advice.floor"} <= words, (words, found)
    words, _ = ids({**busy, "theoretical_bytes": 2.0e9})
    assert "advice.floor" not in words and "gain.any_diagnosis" in words


def test_more_bytes_than_needed_are_napkin_math_before_they_are_a_diagnosis() -> None:
    values = {**WAITING, "memory_throughput_pct": 80.0, "dram_pct": 80.0, "dram_bytes": 3.4e9}
    words, found = ids({**values, "theoretical_bytes": 1e9})
    assert "napkin.excess_traffic" in words and "excess_traffic" in found
    found_finding = next(f for f in launch({**values, "theoretical_bytes": 1e9}).findings if f.id == "excess_traffic")
    assert "traffic_over_minimum" in {item.observation for item in found_finding.evidence}


@pytest.mark.parametrize("typed", [WAITING, {"dram_pct": 90.0}, {"duration_ns": 4000.0}, {}, {"compute_pct": 85.0}])
def test_every_launch_gets_one_advice(typed: dict[str, float]) -> None:
    advice = [c for c in launch(typed).conclusions if c.id.startswith("advice.")]
    assert len(advice) == 1 and launch(typed).advice == advice[0]
    assert "unknown" not in advice[0].because and advice[0].kind in ("stop", "look", "go_on")


def test_every_recorded_launch_gets_one_advice(tour: Any) -> None:
    for one in tour.diagnosis.launches:
        assert [c for c in one.conclusions if c.kind in ("stop", "look", "go_on")] == [one.advice]


def test_workloads_share_the_words_of_the_quantification_but_no_napkin_math() -> None:
    own = workloads(KNOWN).words
    assert {"gain.reaches_10", "advice.go", "advice.done_plain"} <= own.keys()
    assert not {name for name in own if name.startswith("napkin.")} and "advice.launch" not in own


def test_how_shows_a_word_with_number_threshold_and_source() -> None:
    analysis = analyse_numbers({**WAITING, "theoretical_bytes": 1.4e9})
    proof = analysis.how(0, "napkin.waits")
    assert proof.kind == "napkin" and [rule.rule_id for rule in proof.rules] == ["napkin.waits.time"]
    first = proof.rules[0].clauses[0].evidence[0]
    assert (first.metric, first.threshold) == ("floor_ratio", 1.5) and first.value and first.cites
    advice = analysis.diagnosis.launches[0].advice
    assert advice is not None
    below = [clause.proof for clause in analysis.how(0, advice.id).rules[0].clauses if clause.proof is not None]
    assert any(proof.kind in ("gain", "diagnosis", "class") for proof in below)


def test_a_word_that_does_not_hold_shows_what_it_lacks() -> None:
    analysis = analyse_numbers({**WAITING, "theoretical_bytes": 1.4e9})
    (rule,) = analysis.why_not(0, "advice.floor")
    lacking = {item.observation for clause in rule.failing for item in clause.evidence}
    assert not rule.fired and "time_near_floor" in lacking


def test_a_number_of_the_quantification_cannot_be_supposed_or_typed() -> None:
    analysis = analyse_numbers(WAITING)
    with pytest.raises(UsageError, match="follows from the other metrics"):
        analysis.what_if(0, {"gain_best": 3.0})
    with pytest.raises(UsageError, match="follows from the other metrics"):
        checked_answers(KNOWN, {"gain_best": 3.0})
