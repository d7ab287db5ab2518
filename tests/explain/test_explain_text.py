"""An explanation on the terminal and as JSON."""

from __future__ import annotations

import json
from urllib.parse import urlsplit

import jsonschema
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.cli.json_schema import schema
from advisor.explain.explain import explain, words
from advisor.hardware.gpus import table
from advisor.knowledge.base import catalog
from advisor.session.records import Card
from advisor.tui.drawing import card_lines
from advisor.view.blocks import flat
from advisor.view.pages.explain import explain_page
from advisor.view.writers.json import plain
from advisor.view.writers.terminal import terminal_text

SCHEMA = schema("explain")
# Commands, formulas and names are for copying: they are never broken.
COPIED = ("commands", "collect", "names", "test", "formula", "code", "before", "after")


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(words()), st.integers(60, 140))
def test_every_line_keeps_to_the_width(word: str, width: int) -> None:
    found = explain(word)
    copied = {line.strip() for name in COPIED for line in found.section(name)}
    for line in terminal_text(explain_page(found), width=width).splitlines():
        assert len(line) <= width or line.strip() in copied or " " not in line.strip()


def test_steps_are_numbered_and_several_lines_listed() -> None:
    text = terminal_text(explain_page(explain("bank_conflicts")))
    assert "\n  1. " in text and "\n  2. " in text and "\n  · bank_conflicts.excess" in text


def test_the_first_lines_say_what_it_is() -> None:
    title, rule, kind, empty, what = terminal_text(explain_page(explain("bank_conflicts"))).splitlines()[:5]
    assert title == "Shared-memory bank conflicts"
    assert kind == "bank_conflicts (finding)"
    assert set(rule) == {"─"} and empty == "" and what.startswith("Lanes of one access")


def test_a_correction_stands_by_its_own_heading() -> None:
    text = terminal_text(explain_page(explain("errata.sectors")))
    assert "A source says" in text and "Correction" in text


def test_commands_are_not_broken() -> None:
    text = terminal_text(explain_page(explain("A")), width=60)
    assert "  ncu --metrics sm__throughput.avg.pct_of_peak_sustained_elapsed,dram__throughput.avg." in text


def test_colour_only_where_it_is_wanted() -> None:
    assert "\x1b[" in terminal_text(explain_page(explain("occupancy")), colour=True)
    assert "\x1b" not in terminal_text(explain_page(explain("occupancy")))


def test_the_json_is_what_its_schema_says() -> None:
    validator = jsonschema.Draft202012Validator(SCHEMA)
    for word in (*words(), "cudaHostAlloc"):
        document = plain(explain(word))
        validator.validate(document)
        json.dumps(document, allow_nan=False)


def test_annex_b_is_a_table_of_all_gpus() -> None:
    found = explain("B")
    assert [gpu.id for gpu in found.gpus] == list(table().cards)
    text = terminal_text(explain_page(found), width=80)
    head = next(line for line in text.splitlines() if line.startswith("GPU "))
    assert head.split() == [*("GPU", "CC", "SMs", "TFLOP/s", "GB/s", "L2", "MiB"), *("fp64", "fp32", "fp16", "tensor")]
    cells = [line.split() for line in text.splitlines() if line.strip()]
    rows = {first: rest for first, *rest in cells if first in table().cards}
    assert set(rows) == set(table().cards)
    # The guide's Annex B, corrected: fp32 and tensor ridge points.
    assert rows["A100-SXM-80GB"] == ["8.0", "108", "19.5", "2,039", "40", "4.76", "9.56", "38.3", "153"]
    assert rows["V100-SXM2"][-3:] == ["17.4", "34.9", "139"]
    assert rows["H100-SXM"][-3:] == ["20", "39.9", "295"]
    assert rows["GTX-1650"][-1] == "–", "a GPU without tensor cores has no tensor ridge point"


def test_the_table_of_gpus_keeps_its_ridge_points_on_a_narrow_terminal() -> None:
    text = terminal_text(explain_page(explain("B")), width=60)
    assert any(line.split() == ["GPU", "CC", "TFLOP/s", "GB/s", "fp32", "fp16", "tensor"] for line in text.splitlines())


def test_a_session_draws_the_table_of_gpus_in_a_narrow_pane() -> None:
    card = Card("explanation", "B", flat(explain_page(explain("B")).sections))
    lines = [line.plain.split() for line in card_lines(card, 50)]
    assert ["GPU", "TFLOP/s", "GB/s", "fp32", "fp16", "tensor"] in lines
    assert ["H100-SXM", "66.9", "3,350", "20", "39.9", "295"] in lines


def test_a_source_is_printed_with_its_address() -> None:
    guide = "https://docs.nvidia.com/nsight-compute/ProfilingGuide/index.html"
    found = explain("stall_wait")
    assert any(key.startswith("ncu.stalls") for key, _ in found.cites) and guide in dict(map(reversed, found.links))
    assert guide in terminal_text(explain_page(found), width=60), "an address is not wrapped"
    assert explain("ado.part2.grid").links[0][1].endswith("-nsight-compute-part-2/")
    assert [title for title, _ in explain("ado").links] == [f"{explain('ado').title}: Part {n}" for n in (1, 2, 3)]
    assert explain("h200.copy").links == ()


def test_annex_c_lists_further_reading_with_addresses() -> None:
    links = {url: title for title, url in explain("further reading").links}
    assert len(links) >= 20
    for part in ("youtube.com/watch?v=uHN5fpfu8As", "2012_gtc2010.pdf", "NvRulesAPI", "UserGuide", "forums.developer"):
        assert any(part in url for url in links), part
    for url in links:
        assert urlsplit(url).scheme == "https" and " " not in url


def test_every_page_of_a_source_names_places_that_exist() -> None:
    for key, source in catalog().sources.items():
        for page in source.pages:
            assert urlsplit(page.url).scheme == "https"
            for place in page.places:
                below = [name for name in source.places if name == place or name.startswith(f"{place}.")]
                assert below, f"{key}: {page.title}: {place}"
