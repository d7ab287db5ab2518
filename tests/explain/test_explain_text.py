"""An explanation on the terminal and as JSON."""

from __future__ import annotations

import json

import jsonschema
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.cli.json_schema import schema
from advisor.explain.explain import explain, words
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
