"""What the session takes from the knowledge base before any report."""

from __future__ import annotations

from typing import Any

from advisor.knowledge.base import catalog
from advisor.knowledge.loader import load
from advisor.records import resources
from advisor.session.interview.choosing import FIRST, interview, needed_for
from advisor.session.interview.pages import pages
from advisor.session.services import knowledge_index


def test_the_interview_asks_for_what_the_class_needs_first():
    asked = [ask.id for ask in knowledge_index().interview]
    assert asked[:2] == ["subject", "gpu"]
    known = set(asked)
    assert all(set(page) <= known for page in FIRST.values())


def test_every_number_of_the_interview_is_a_metric_with_words_a_unit_and_a_reason():
    asks = [ask for ask in interview(catalog()) if ask.group == "metric"]
    assert [ask.id for ask in asks] == [name for page in pages(catalog()) for name, _, _ in page.rows]
    assert len({ask.id for ask in asks}) == len(asks), "each number stands on one page"
    assert all(ask.row for ask in asks)
    assert all(ask.ask for ask in asks)
    assert all(ask.unit == catalog().metrics[ask.id].unit for ask in asks)
    deciding = ("sm_throughput_pct", "memory_throughput_pct", "dram_pct", "lanes_active", "shared_wavefronts")
    assert all(ask.why and ask.would_change for ask in asks if ask.id in deciding)


def test_the_reason_of_a_number_is_read_off_the_rules_through_derived_metrics():
    needed = needed_for(catalog())
    assert "dram_bound" in needed["dram_pct"]
    assert "bank_conflicts" in needed["shared_wavefront_ratio"]


def test_sources_are_told_in_words():
    known = knowledge_index()
    assert known.source("guide.step3.bank") != "guide.step3.bank"
    assert known.title("bank_conflicts") == catalog().findings["bank_conflicts"].title


def test_no_row_of_a_page_is_lost_because_its_metric_is_misspelt():
    made = load(resources.folder("knowledge") / "interview.yaml", dict[str, Any])
    named = [metric for page in made.values() for metric in page["rows"]]
    assert [name for name in named if name not in catalog().metrics] == []
