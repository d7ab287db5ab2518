"""A fix says where to read on, in the text of a diagnosis and in its JSON, and what it names can be explained."""

from __future__ import annotations

import json

import jsonschema
import pytest

from advisor.cli.json_schema import schema
from advisor.explain.explain import explain
from advisor.knowledge.base import catalog
from advisor.reasoning.diagnose import analyse_numbers
from advisor.reasoning.document import diagnosis_document
from advisor.view.pages.diagnosis import diagnosis_page
from advisor.view.writers.json import document_json
from advisor.view.writers.terminal import terminal_text


@pytest.mark.parametrize("found", ["atomic_contention", "grid_too_small", "launch_overhead"])
def test_the_fix_of_a_finding_leads_to_its_topic(found: str) -> None:
    entry = catalog().findings[found]
    diagnosis = analyse_numbers(dict(entry.examples.fires[0])).diagnosis
    first = diagnosis.launches[0].findings[0]
    assert first.id == found and first.fix is not None
    assert first.fix.see == entry.see
    assert f"Read on    `ncu-advisor explain {entry.see[0]}` (also {entry.see[1]}" in terminal_text(
        diagnosis_page(diagnosis, sections=None), width=200
    )
    document = json.loads(document_json(diagnosis_document(diagnosis)))
    assert document["launches"][0]["findings"][0]["fix"]["see"] == list(entry.see)
    jsonschema.Draft202012Validator(schema("diagnosis")).validate(document)


def test_every_topic_that_a_finding_names_can_be_explained() -> None:
    for name, entry in catalog().findings.items():
        for topic in entry.see:
            assert explain(topic).id == topic, f"{name}: {topic}"
