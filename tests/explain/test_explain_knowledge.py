"""Over the knowledge files themselves: everything can be explained, is sourced, and leads on."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.explain.entries import Explanation
from advisor.explain.explain import explain
from advisor.explain.index import Index, Place
from advisor.knowledge.base import catalog
from advisor.records import resources

KNOWLEDGE = resources.folder("knowledge")
INDEX = Index([KNOWLEDGE])
PLACES = sorted(INDEX.everything(), key=lambda p: (p.kind, p.id))
# fmt: off
STEPS = [
    "P0", "S0", "S1", "S1b", "S2", "S3", "S4", "S5", "S5b", "0", "0b", "1", "1b", "2", "2b", "3", "4", "4F", "5",
    "5b", "6", "6b", "III.l2", "III.atomics", "III.tensor", "III.pm_sampling", "III.balance", "III.replay",
    "III.custom_rules", "III.python_api", "III.mig", "III.graphs", "IV", "A", "B", "C", "D",
]
# fmt: on


@pytest.fixture(scope="module")
def explained() -> dict[Place, Explanation]:
    return {place: explain(f"{place.kind}:{place.id}") for place in PLACES}


def test_every_id_of_the_knowledge_base_can_be_explained(explained: dict[Place, Explanation]) -> None:
    assert len(explained) > 500
    for place, found in explained.items():
        assert (found.kind, found.id) == (place.kind, place.id)
        assert found.title and (found.sections or place.kind == "source"), place


def test_every_explanation_has_a_source_that_exists(explained: dict[Place, Explanation]) -> None:
    bare = [p for p, found in explained.items() if not any(title for _, title in found.cites)]
    assert [f"{p.path.name}: {p.id}" for p in bare] == []


def test_no_citation_dangles(explained: dict[Place, Explanation]) -> None:
    dangling = {f"{p.path.name}: {key}" for p, found in explained.items() for key, title in found.cites if not title}
    assert sorted(dangling) == []


def test_every_see_also_leads_somewhere(explained: dict[Place, Explanation]) -> None:
    for found in explained.values():
        for word in found.see:
            assert explain(word).id


def test_no_topic_names_what_does_not_exist() -> None:
    # An explanation leaves unknown names out, so the files are asked.
    lost = []
    for place in PLACES:
        if place.path.parent.name == "topics":
            lost += [
                f"{place.path.name}: {place.id}: {name}"
                for name in INDEX.raw(place).get("see", ())
                if not INDEX.of(name)
            ]
    assert lost == []


def test_no_topic_file_says_the_same_id_twice() -> None:
    for path in sorted((KNOWLEDGE / "topics").glob("*.yaml")):
        assert catalog().topic_file(path.stem), path.name


def test_a_title_for_each_citation_key_is_that_of_the_catalogue() -> None:
    for source, entry in catalog().sources.items():
        for key in (source, *(f"{source}.{place}" for place in entry.places)):
            assert INDEX.source_title(key) == catalog().cite(key)


def test_all_steps_of_a_session_are_told() -> None:
    steps = catalog().topic_file("steps") | catalog().topic_file("part_three")
    assert sorted(steps) == sorted(STEPS)
    assert {p.id for p in PLACES if p.kind == "step"} == set(STEPS)
    assert all(entry["title"] and entry["what"] for entry in steps.values())


def test_every_correction_says_what_was_wrong_what_is_right_and_why() -> None:
    entries = catalog().topic_file("errata")
    assert {f"errata.{place}" for place in catalog().sources["errata"].places} == set(entries)
    for name, entry in entries.items():
        assert entry["says"] and entry["what"] and entry["why"], name
        assert name in entry["cites"]


def test_a_correction_shows_where_its_topic_comes_up() -> None:
    assert any("float4" in line or "16" in line for line in explain("uncoalesced_access").section("corrections"))
    assert explain("max_warps_by_registers").section("corrections")
    assert not explain("errata.occupancy").section("corrections")


def test_a_cause_that_has_a_diagnosis_is_told_there_alone() -> None:
    assert not set(catalog().topic_file("causes")) & set(catalog().findings)


def test_every_formula_shows_a_worked_example() -> None:
    for name, entry in catalog().topic_file("formulas").items():
        assert entry["formula"] and any(c.isdigit() for c in entry["example"]), name


def test_a_diagnosis_is_told_with_its_tests_its_fix_and_its_examples() -> None:
    found = explain("bank_conflicts")
    rules = "\n".join(found.section("rules"))
    assert "shared_wavefronts_excessive: shared_wavefront_ratio > 1.1" in rules
    assert "unless excess_on_atomics" in rules
    assert "{" not in rules


def test_every_finding_has_a_whole_page() -> None:
    """What it is, why it matters, how it is seen and misleads, the fix and its price, an exercise, where to read on."""
    for name, entry in catalog().findings.items():
        if entry.scope != "launch":
            continue
        found = explain(f"{'trust' if entry.kind == 'trust' else 'diagnosis'}:{name}")
        wanted = ["what", "why", "rules", "misleads", "fix", "steps", "costs"]
        if entry.kind == "diagnosis" and name != "unexplained":
            wanted += ["fires", "silent", "exercise"]
        assert [heading for heading in wanted if not found.section(heading)] == [], name
        assert found.cites and entry.see, name


def test_every_topic_of_part_three_is_reached_from_a_finding() -> None:
    led = {topic for entry in catalog().findings.values() for topic in entry.see}
    assert set(catalog().topic_file("part_three")) - led == set()


def test_a_metric_names_the_tests_that_judge_it() -> None:
    found = explain("shared_wavefront_ratio")
    assert any(line.startswith("shared_wavefronts_excessive: ") for line in found.section("thresholds"))
    assert "shared_wavefronts_excessive" in found.see


def test_an_observation_names_who_uses_it() -> None:
    found = explain("shared_wavefronts_excessive")
    assert any(line.startswith("bank_conflicts: ") for line in found.section("used_by"))


def test_texts_are_plain_and_end_within_the_page() -> None:
    for path in sorted(Path(KNOWLEDGE / "topics").glob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        assert "\t" not in text and text.isascii(), path.name
