"""Pages of HTML: whole by themselves, the same words as the text, and names that are shown, never obeyed."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import Any

import pytest

from advisor.compare.compare import compare_diagnoses
from advisor.compare.thresholds import check, parse
from advisor.records.diagnosis import Location
from advisor.view.blocks import Cell, Column, Page, Paragraph, Table, section
from advisor.view.charts.roofline import Point, place_of, rooflines
from advisor.view.pages.compare import Result, compare_page
from advisor.view.pages.diagnosis import diagnosis_page, grouped
from advisor.view.writers.html import page_html, rich
from tests.changed import replace
from tests.view.pages import HOSTILE, renamed, some, sound


def compared(tour: Any, base: list[int], current: list[int], *fail_on: str) -> Result:
    maps = ("particle_field=particle_field_soa",)
    found = compare_diagnoses(some(tour, *base), some(tour, *current), tour.catalog, maps=maps)
    thresholds = [parse(text, tour.catalog) for text in fail_on]
    return Result(found, tuple(tuple(check(t, p, tour.catalog) for t in thresholds) for p in found.pairs))


@pytest.fixture(scope="module")
def whole(tour: Any) -> str:
    return page_html(diagnosis_page(tour.diagnosis))


def test_a_page_is_whole_by_itself_and_links_to_its_own_sections(whole: str) -> None:
    page = sound(whole)
    assert page.tags["h1"] == 1 and page.tags["table"] > 20
    assert {"first", "roofline", "launches"} <= set(page.ids)


def test_only_the_one_style_and_the_one_script_may_run(whole: str) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', whole)
    assert policy is not None
    told = policy[1].replace("&#39;", "'")
    assert told.startswith("default-src 'none'; ") and "unsafe" not in told
    for tag in ("style", "script"):
        text = re.search(f"<{tag}>(.*?)</{tag}>", whole, re.DOTALL)
        assert text is not None
        digest = base64.b64encode(hashlib.sha256(text[1].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in told


def test_every_launch_is_in_the_table_and_those_with_most_to_win_come_first(tour: Any, whole: str) -> None:
    text = sound(whole).text
    assert all(launch.kernel in text for launch in tour.diagnosis.launches)
    order = [
        text.rindex(f"{tour.diagnosis.launches[g.at].kernel} · launch") for g in grouped(tour.diagnosis.launches)[:20]
    ]
    assert order == sorted(order)
    assert "2 more kernels or launch configurations appear only in the table" in text


def test_a_section_has_evidence_source_and_fix(tour: Any) -> None:
    diagnosis = some(tour, 4)
    launch = diagnosis.launches[0]
    place = Location("/src/t.cu", 3, 16, "LDS R1, [R2]", "excess_wavefronts", 0.97)
    first = replace(launch.findings[0], locations=(place,))
    located = replace(diagnosis, launches=(replace(launch, findings=(first, *launch.findings[1:])),))
    lines = {(launch.report, "/src/t.cu"): ("one", "two", "out[x] = tile[x][y]; // <here>", "four")}
    text = sound(page_html(diagnosis_page(located, texts=lines))).text
    for words in (first.title, first.because, first.fix.summary, first.evidence[0].says, *first.fix.steps):
        assert words.replace("`", "") in text
    assert "▶ 3" in text and "out[x] = tile[x][y]; // <here>" in text and "t.cu:3 (97 % of" in text


def test_what_could_not_be_looked_at_is_named_and_an_unknown_time_is_no_zero(tour: Any) -> None:
    launch = replace(tour.diagnosis.launches[1], duration_ns=None)
    text = sound(page_html(diagnosis_page(replace(tour.diagnosis, launches=(launch, launch))))).text
    assert "The time of 2 is unknown" in text
    missing = tour.diagnosis.launches[3].missing
    lacking = replace(some(tour, 3), launches=(replace(tour.diagnosis.launches[3], missing=missing),))
    assert ("unknown, not absent" in sound(page_html(diagnosis_page(lacking))).text) == bool(
        {f for m in missing for f in m.needed_for} - set(tour.catalog.trust)
    )


def test_launches_of_one_kernel_and_shape_share_a_section(tour: Any) -> None:
    twice = some(tour, 4, 4, 6)
    assert [len(g.launches) for g in grouped(twice.launches)] == [1, 2]
    text = sound(page_html(diagnosis_page(twice))).text
    assert "1 more launch of this kernel and shape has the same class and first finding" in text


def test_problems_of_a_report_stand_above_everything(tour: Any) -> None:
    info = replace(tour.diagnosis.reports[0], complete=False, problems=("launch 7 is cut off",))
    text = sound(page_html(diagnosis_page(replace(tour.diagnosis, reports=(info,))))).text
    assert text.index("launch 7 is cut off") < text.index("What to fix first")


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_hostile_names_are_shown_and_never_obeyed(tour: Any, name: str) -> None:
    page = sound(page_html(diagnosis_page(renamed(some(tour, 4, 1, 12), name))))
    if "7 * 7" in name:
        assert "{{ 7 * 7 }}{% include" in page.text
    beginning = re.split(r"[^ -~]|`", name)[0][:40]
    assert beginning in page.text
    assert max(map(len, page.text.split("\n"))) < 6000
    found = compare_diagnoses(renamed(some(tour, 4, 1), name), renamed(some(tour, 4), name), tour.catalog, force=True)
    sound(page_html(compare_page(Result(found))))


def test_hostile_source_lines_are_text(tour: Any) -> None:
    launch = tour.diagnosis.launches[4]
    for line in HOSTILE.values():
        place = Location("t.cu", 1, 16, "LDS", "samples", 1.0)
        first = replace(launch.findings[0], locations=(place,))
        diagnosis = replace(some(tour, 4), launches=(replace(launch, findings=(first,)),))
        sound(page_html(diagnosis_page(diagnosis, texts={(launch.report, "t.cu"): (line,)})))


def test_words_between_backticks_are_code_and_still_escaped() -> None:
    assert rich("a `b<c` d` <e>") == "a <code>b&lt;c</code> d` &lt;e&gt;"


def test_a_cell_is_sorted_by_its_number_not_by_its_words() -> None:
    table = Table((Column("t", True),), ((Cell("2 ms", 2e6),), (Cell("3 us", 3e3),), (Cell("unknown"),)), sortable=True)
    text = page_html(Page("x", (Paragraph("p"),), (section("s", [table]),)))
    assert 'data-key="2000000.0"' in text and 'data-key="3000.0"' in text and text.count("data-key") == 2


def test_a_comparison_tells_thresholds_time_findings_and_metrics(tour: Any) -> None:
    result = compared(tour, [1, 4], [2, 4], "duration<-50%")
    text = sound(page_html(compare_page(result))).text
    for words in (
        "1 crossed, 0 not checked, 1 kept.",
        "2.7×: 137 µs → 50.1 µs",
        "Estimate",
        "What changed most",
        "Hollow marks",
    ):
        assert words in text
    assert text.index("crossed: duration<-50%") < text.index("kept: duration<-50%")


def test_the_roofline_places_a_launch_where_its_counters_say_and_names_those_it_cannot(tour: Any) -> None:
    launches = tour.diagnosis.launches
    ((chart, left),) = rooflines([Point(launch) for launch in launches])
    drawn = [launch for launch in launches if place_of(launch) is not None]
    assert (
        len(chart.marks) == len(drawn)
        and left == f"Not drawn: {len(launches) - len(drawn)} without floating-point work."
    )
    by_title = {mark.title: mark for mark in chart.marks}
    spot = {t.split(",")[0]: m for t, m in by_title.items()}
    more, less = spot["launch 6"], spot["launch 1"]
    assert more.x > less.x and more.y < less.y
    roofs = [line for line in chart.lines if line.kind == "roof"]
    slope = max(roofs, key=lambda line: abs(line.y1 - line.y2))
    # A kernel at 91 % of the DRAM peak stands just below the sloping roof.
    on_roof = slope.y1 + (less.x - slope.x1) * (slope.y2 - slope.y1) / (slope.x2 - slope.x1)
    assert 0 < less.y - on_roof < 10
    shapes = {mark.kind: mark.shape for mark in chart.marks}
    assert len(set(shapes.values())) == len({"circle", "square", "triangle", "diamond"})


def test_a_launch_without_counters_has_no_point(tour: Any) -> None:
    bare = replace(tour.diagnosis.launches[6], metrics={"duration_ns": 1.0})
    assert rooflines([Point(bare)]) == []
    ((_, left),) = rooflines([Point(bare), Point(tour.diagnosis.launches[6])])
    assert left == "Not drawn: 1 with unknown operations or DRAM bytes."
