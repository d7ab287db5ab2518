"""The texts on stalls cover every reason that the metrics know."""

from __future__ import annotations

from advisor.knowledge.base import catalog
from advisor.reasoning.metrics.fills import REASONS

STALLS = catalog().topic_file("stalls")


def test_every_reason_is_explained_with_its_cures_and_names() -> None:
    for reason in REASONS:
        entry = STALLS[reason]
        assert entry["title"] and entry["what"] and entry["healthy"]
        assert entry["names"] and entry["aliases"] and entry["cites"]
        if reason not in ("selected",):
            assert entry["cure"], reason


def test_names_in_the_texts_are_those_that_the_metrics_read() -> None:
    metrics = catalog().metrics
    for reason in REASONS:
        known = set(metrics[f"stall_{reason}"].names) | set(metrics["pc_samples_by_reason"].names)
        assert set(STALLS[reason]["names"]) <= known, reason


def test_short_scoreboard_is_mio_and_chains_are_wait() -> None:
    assert "MIO" in STALLS["short_scoreboard"]["what"]
    assert "instruction_latency" in STALLS["wait"]["leads_to"]
    assert "instruction_latency" not in STALLS["short_scoreboard"]["leads_to"]


def test_every_stall_leads_to_a_diagnosis_of_the_catalogue_or_to_none() -> None:
    from advisor.explain.explain import explain

    for reason, entry in STALLS.items():
        for target in entry["leads_to"]:
            assert explain(target).title, (reason, target)
