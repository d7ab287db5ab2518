"""Pages of Markdown: headings, lists and tables that names from a report cannot break."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest
from markdown_it import MarkdownIt

from advisor.knowledge.sampling import sampling_knowledge
from advisor.view.blocks import BarRow, Bars, Cell, Code, Column, Command, Fact, Facts, Page, Table, for_report, section
from advisor.view.pages.diagnosis import diagnosis_page
from advisor.view.writers.markdown import escaped, page_markdown, rich
from tests.changed import replace
from tests.view.pages import HOSTILE, INVISIBLE, renamed, some


def outside_code(text: str) -> str:
    """The text without fenced blocks and code spans, where nothing is obeyed."""
    fenced = re.sub(r"^(`{3,})[^\n]*\n.*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"(?<![\\`])`[^`\n]+`", "", fenced)


def test_a_diagnosis_has_summary_table_and_a_section_for_those_with_most_to_win(tour: Any) -> None:
    text = page_markdown(diagnosis_page(tour.diagnosis, sections=5))
    assert text.startswith("# Diagnosis of tour.ncu-rep.xz\n")
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert headings[:2] == ["What to fix first", "All launches"] and headings[-1] == "Not shown in detail"
    assert len([h for h in headings if "· launch" in h]) == 5
    assert "\n\n\n" not in text


def test_all_rows_of_a_table_have_as_many_cells_as_its_head(tour: Any) -> None:
    for name in HOSTILE.values():
        text = page_markdown(diagnosis_page(renamed(some(tour, 4, 1), name)))
        for table in re.findall(r"(?:^\|.*\n)+", outside_code(text), re.MULTILINE):
            widths = {len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) for row in table.splitlines()}
            assert len(widths) == 1, table


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_a_reader_of_markdown_finds_neither_links_nor_images_nor_html_nor_emphasis(tour: Any, name: str) -> None:
    text = page_markdown(diagnosis_page(renamed(some(tour, 4, 1, 12), name)))
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough").parse(text)
    inline = [child for token in tokens for child in token.children or ()]
    assert not {"link_open", "image", "em_open", "s_open", "hardbreak"} & {child.type for child in inline}
    assert {c.content for c in inline if c.type == "html_inline"} <= {"<code>", "</code>"}
    assert "html_block" not in {token.type for token in tokens}
    labels = {
        "Class",
        "Cause",
        "Done",
        "Near limit",
        "No diagnosis",
        "Speedup",
        "Why",
        "Hot line",
        "Fix",
        "Fits because",
        "Cost",
        "Next",
        "Caveat",
        "Confidence",
        "Read on",
        "Practise",
        "Kernel",
        "Launch",
        "Gain",
    }
    labels |= {phase.title.capitalize() for phase in sampling_knowledge().phases}
    strong = [n.content for child, n in pairwise(inline) if child.type == "strong_open"]
    assert {label.rstrip(":") for label in strong} - labels <= {
        "Estimate",
        "Occupancy",
        "Minor",
        "Unknown",
        "You can add",
    }
    cells = [token.attrs for token in tokens if token.type == "td_open"]
    assert len(cells) > 20


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_hostile_names_are_neither_markup_nor_links_nor_mentions(tour: Any, name: str) -> None:
    text = page_markdown(diagnosis_page(renamed(some(tour, 4, 1, 12), name)))
    assert not INVISIBLE.search(text.replace("\n", "")) and max(map(len, text.splitlines())) < 9000
    bare = outside_code(text)
    assert not re.search(r"(?<!\\)[<>@$~]|(?<!\\)!\[|(?<!\\)\]\(", re.sub(r"</?code>", "", bare))
    assert not re.search(r"(?i)\b(https?|www|mailto)[:.]", bare)
    assert re.findall(r"^#+ .*", bare, re.MULTILINE) == re.findall(r"^#{1,3} .*", bare, re.MULTILINE)
    assert "\n- item" not in text


def test_words_at_the_start_of_a_line_start_no_list() -> None:
    assert rich("- a") == "\\- a" and rich("1. a") == "1\\. a" and rich("2.88 ms") == "2.88 ms"
    assert escaped("# a") == "\\# a"


def test_code_between_backticks_stays_code_but_cannot_end_a_cell() -> None:
    assert rich("see `a<b>` and `a|b`") == "see `a<b>` and <code>a\\|b</code>"
    assert rich("odd ` here") == "odd \\` here"


def test_a_fence_is_longer_than_any_in_the_source() -> None:
    code = Code("c", 7, ("x ```` y", "~~~"), 8)
    text = page_markdown(Page("t", (), (section("s", [code]),)))
    assert "\n`````\n  7  x ```` y\n> 8  ~~~\n`````\n" in text


def test_bars_say_unknown_and_draw_nothing_for_it() -> None:
    bars = Bars("c", (BarRow("DRAM", 0.5, "50.0 %", "busy", True), BarRow("L2", None, "unknown")))
    text = page_markdown(Page("t", (Facts((Fact("a", "b"),)), Command("x `y`")), (section("s", [bars]),)))
    assert "DRAM  50.0 % ████████████············ busy" in text
    assert re.search(r"^  L2 unknown$", text, re.MULTILINE) and "- **a:** b" in text and "```sh\nx `y`\n```" in text


def test_a_table_of_numbers_is_aligned_and_keeps_its_words() -> None:
    table = Table((Column("a|b"), Column("n", True)), ((Cell("x_y"), Cell("3")),))
    text = page_markdown(Page("t", (table,), ()))
    assert "| a\\|b | n |\n| --- | ---: |\n| x\\_y | 3 |" in text


def test_an_unknown_time_is_said(tour: Any) -> None:
    launch = replace(tour.diagnosis.launches[1], duration_ns=None)
    text = page_markdown(diagnosis_page(replace(tour.diagnosis, launches=(launch, launch))))
    assert "The time of 2 is unknown" in text and "| unknown |" in text


def test_commands_name_the_open_report_quoted_for_a_shell() -> None:
    block = Facts((Fact("Unknown", "`ncu-advisor collect REPORT` prints the command, REPORT stays"),))
    assert for_report(block, "my runs/a.ncu-rep") == Facts(
        (Fact("Unknown", "`ncu-advisor collect 'my runs/a.ncu-rep'` prints the command, REPORT stays"),)
    )
    assert for_report(block, "") is block
