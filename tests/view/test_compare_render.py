"""A comparison in its four forms: 80 columns, one schema, well-formed XML, and names that are shown, never obeyed."""

from __future__ import annotations

import json
import math
import xml.etree.ElementTree as ET
from typing import Any

import jsonschema
import pytest

from advisor.cli.json_schema import schema
from advisor.compare.compare import compare_diagnoses
from advisor.compare.thresholds import check, parse
from advisor.view.pages.compare import Result, compare_page
from advisor.view.writers.json import document_json
from advisor.view.writers.junit import junit
from advisor.view.writers.markdown import page_markdown
from advisor.view.writers.terminal import terminal_text
from tests.changed import replace

SCHEMA = schema("compare")
HOSTILE = "k<int, 4>::\x1b[31mred\x00\n# head |`]]> & <b>\ud800\ufffe@here$x$ [l](http://x)"


def compare_text(found: Result, *, everything: bool = False, **options: Any) -> str:
    return terminal_text(compare_page(found, everything=everything, sections=None), **options)


def compare_markdown(found: Result, *, everything: bool = False) -> str:
    return page_markdown(compare_page(found, everything=everything, sections=None))


def result(tour: Any, base: list[Any], current: list[Any], *fail_on: str, **options: Any) -> Result:
    whole = tour.diagnosis

    def side(chosen: list[Any]) -> Any:
        return replace(whole, launches=tuple(whole.launches[x] if isinstance(x, int) else x for x in chosen))

    found = compare_diagnoses(side(base), side(current), tour.catalog, **options)
    thresholds = [parse(text, tour.catalog) for text in fail_on]
    return Result(found, tuple(tuple(check(t, p, tour.catalog) for t in thresholds) for p in found.pairs))


def hostile(tour: Any, at: int) -> Any:
    return replace(tour.diagnosis.launches[at], kernel=HOSTILE, kernel_full=HOSTILE)


@pytest.fixture(scope="module")
def all_pairs(tour: Any) -> Result:
    return result(tour, list(range(22)), list(range(21, -1, -1)), "duration>5%", "finding:bank_conflicts")


def test_the_time_stands_first_then_estimate_and_what_comes_next(tour: Any) -> None:
    lines = compare_text(result(tour, [1], [2])).splitlines()
    assert lines[0].startswith("particle_field → particle_field_soa")
    assert "Faster     2.7×: 137 µs → 50.1 µs (-63 %; noise 5 %)" in lines[:8]
    order = [
        next(i for i, line in enumerate(lines) if line.startswith(w)) for w in ("Faster", "Class", "Estimate", "Next")
    ]
    assert order == sorted(order)


@pytest.mark.parametrize("width", [60, 80, 100])
def test_no_line_is_wider_than_asked(tour: Any, width: int) -> None:
    for base, current in (([1], [2]), ([2], [1]), ([1, 4, 5], [1, 4, 6]), ([hostile(tour, 1)], [hostile(tour, 2)])):
        for everything in (False, True):
            text = compare_text(result(tour, base, current), width=width, everything=everything)
            assert max(len(line) for line in text.splitlines()) <= width


def test_without_block_characters_the_text_is_plain_but_for_names(tour: Any) -> None:
    text = compare_text(result(tour, [1], [2]), blocks=False)
    text.encode("ascii")


def test_colour_only_repeats_what_the_words_say(tour: Any) -> None:
    import re

    found = result(tour, [1, 4], [1, 4])
    painted = compare_text(found, colour=True)
    assert "\x1b[" in painted
    assert re.sub(r"\x1b\[\d*m", "", painted) == compare_text(found)


def test_all_shows_every_metric(tour: Any) -> None:
    found = result(tour, [1], [2])
    text = compare_text(found, everything=True)
    assert all(row.metric[:30] in text for row in found.compared.pairs[0].metrics)


def test_the_json_validates_against_the_shipped_schema(tour: Any, all_pairs: Result) -> None:
    for one in (
        all_pairs,
        result(tour, [1], [2], "dram_pct>+5"),
        result(tour, [1, 4], [2, 4], runs=None),
        result(tour, [replace(tour.diagnosis.launches[1], duration_ns=None, metrics={}, grid=None)], [2], "dram_pct>1"),
        result(tour, [hostile(tour, 1)], [2]),
        result(tour, [1], [2], runs=([100e3] * 20, [90e3] * 20)),
    ):
        text = document_json(one.document())
        assert "NaN" not in text and "Infinity" not in text
        jsonschema.validate(json.loads(text), SCHEMA)


def test_the_schema_refuses_what_is_not_said_in_it() -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"schema": "ncu-advisor/compare/1", "pairs": []}, SCHEMA)


def test_the_json_keeps_unknown_numbers_out(tour: Any) -> None:
    odd = replace(tour.diagnosis.launches[2], metrics={**tour.diagnosis.launches[2].metrics, "dram_pct": math.nan})
    pair = json.loads(document_json(result(tour, [1], [odd], "dram_pct>+5").document()))["pairs"][0]
    row = next(m for m in pair["metrics"] if m["metric"] == "dram_pct")
    assert "after" not in row and "change" not in row and row["before"] == pytest.approx(91.437, abs=0.01)
    assert "crossed" not in pair["fail_on"][0]


def test_junit_has_a_case_for_each_pair_and_a_failure_for_what_was_crossed(tour: Any) -> None:
    one = result(tour, [1, 2, 4], [2, 1, 0], "finding:uncoalesced_access", "duration>5%")
    suite = ET.fromstring(junit(one)).find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors"), suite.get("skipped")) == (
        "4",
        "0",
        "0",
        "2",
    )
    swapped = result(tour, [2], [1], "finding:uncoalesced_access", "duration>5%", "dram_pct>+500")
    failures = ET.fromstring(junit(swapped)).findall(".//failure")
    assert len(failures) == 1
    assert "finding:uncoalesced_access" in (failures[0].text or "") and "duration" in (failures[0].text or "")
    case = ET.fromstring(junit(swapped)).find(".//testcase")
    assert case is not None and float(case.get("time", "0")) == pytest.approx(136.576e-6)
    assert "DRAM rose" in (case.findtext("system-out") or "")


def test_a_kernel_of_either_side_alone_is_skipped_in_junit(tour: Any) -> None:
    suite = ET.fromstring(junit(result(tour, [1, 4], [1, 5, 6], "duration>5%"))).find("testsuite")
    assert suite is not None and (suite.get("tests"), suite.get("skipped"), suite.get("failures")) == ("4", "3", "0")
    said = [e.get("message") for e in suite.iter("skipped")]
    assert said == ["only in the base report", "only in the current report", "only in the current report"]


def test_what_could_not_be_checked_is_an_error_in_junit(tour: Any) -> None:
    blind = replace(tour.diagnosis.launches[2], metrics={})
    suite = ET.fromstring(junit(result(tour, [1], [blind], "dram_pct>+5"))).find("testsuite")
    assert suite is not None and suite.get("errors") == "1" and suite.find(".//error") is not None


def test_hostile_names_leave_xml_markdown_and_terminal_whole(tour: Any) -> None:
    one = result(tour, [hostile(tour, 1)], [hostile(tour, 2)], "duration>5%")
    tree = ET.fromstring(junit(one))
    assert len(tree.findall(".//testcase")) == 1
    assert "<b>" in (tree.find(".//testcase").get("name") or "")  # type: ignore[union-attr]
    text = compare_text(one)
    assert "\x1b" not in text and "\x00" not in text and "\\x1b[31mred" in text
    markdown = compare_markdown(one)
    assert "\x1b" not in markdown and "<b>" not in markdown.replace("\\<b\\>", "")
    assert not [line for line in markdown.splitlines() if line.startswith("# head")]
    assert "\\[l\\](http" in markdown and "\\@here" in markdown
    document_json(one.document()).encode("utf-8", "surrogatepass")


def test_markdown_tables_have_the_same_cells_in_every_row(tour: Any) -> None:
    import re

    one = result(tour, [hostile(tour, 1), 4], [hostile(tour, 2), 4], "duration>5%")
    tables: list[list[int]] = [[]]
    for line in compare_markdown(one, everything=True).splitlines():
        if line.startswith("|"):
            tables[-1].append(len(re.findall(r"(?<!\\)\|", line)))
        elif tables[-1]:
            tables.append([])
    assert [t for t in tables if t] and all(len(set(t)) == 1 for t in tables if t)


def test_different_runs_give_the_same_bytes(all_pairs: Result) -> None:
    for render in (lambda one: document_json(one.document()), junit, compare_markdown):
        assert render(all_pairs) == render(all_pairs)  # type: ignore[operator]
