from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from advisor.cli.json_schema import schema
from advisor.cli.main import main
from advisor.explain.index import Index
from advisor.practice.manifest import Exercise, all_exercises
from advisor.records import resources
from advisor.records.errors import AdvisorError
from advisor.site import build as site
from advisor.site.addresses import Addresses, relative
from advisor.site.causes import cause_page
from advisor.site.course import exercise_page
from advisor.site.page import SitePage
from advisor.view.blocks import Bullets, Cell, Code, Column, Page, Paragraph, Section, Table, section
from advisor.view.writers.site import SiteWriter
from tests.site.crawl import Crawled

HOSTILE = "<script>alert(1)</script> [x](javascript:alert(1)) `</code>` {#a} *b* &lt; ![i](//evil.example)"


@pytest.fixture(scope="module")
def index() -> Index:
    return Index((resources.folder("knowledge"),))


@pytest.fixture(scope="module")
def addresses(index: Index) -> Addresses:
    return Addresses(index)


def texts(part: Any) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, tuple):
        for item in part:
            yield from texts(item)
    elif isinstance(part, Struct):
        for name in part.__struct_fields__:
            yield from texts(getattr(part, name))


def run(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    return int(stopped.value.code or 0), capsys.readouterr().err


def test_every_entry_has_a_place_of_its_own(index: Index, addresses: Addresses) -> None:
    entries = [p for p in index.everything() if p.path.name != "libraries.yaml"]
    assert [(p.kind, p.id) for p in entries if not addresses.of(p) and p.kind not in ("rule", "fix")] == []
    shared = Counter(addresses.of(p) for p in entries if p.kind not in ("rule", "fix", "gpu"))
    assert [address for address, count in shared.items() if count > 1] == []


def test_a_word_links_to_its_page_under_its_name(addresses: Addresses) -> None:
    assert addresses.link("bank_conflicts") == ("causes/bank_conflicts", "bank_conflicts")
    assert addresses.link("diagnosis:bank_conflicts") == ("causes/bank_conflicts", "Shared-memory bank conflicts")
    assert addresses.link("stall:wait") == ("stalls#wait", "Stall wait")
    assert addresses.link("guide.step3.bank") == ("sources#guide", "guide.step3.bank")
    assert addresses.link("LDG")[0] == "opcodes#LDG"
    for word in ("wait", "Bank_Conflicts", "no_such_word", "guide.nowhere", "metric:bank_conflicts", "1.5"):
        assert addresses.link(word) == ("", "")


def test_links_are_relative_so_that_the_site_opens_as_files() -> None:
    assert relative("stalls#wait", "causes/tail_effect") == "../stalls.html#wait"
    assert relative("causes/a", "index") == "causes/a.html"
    assert relative("causes/a#b", "causes/a") == "#b"


def test_no_text_becomes_markup() -> None:
    table = Table((Column(HOSTILE),), ((Cell(HOSTILE, link="elsewhere"),),))
    blocks = (Paragraph(HOSTILE), Bullets((HOSTILE,)), table, Code(HOSTILE, 0, (HOSTILE,)))
    page = Page(HOSTILE, blocks, (section(HOSTILE, blocks), section(HOSTILE, blocks, folded=True)))
    made = SiteWriter().page(page, {"title": HOSTILE}, lambda word: ("", ""), lambda link: f"{link}.html")
    body = made.split("---", 2)[2]
    assert "<script" not in body and 'href="javascript' not in body
    headings = [line for line in body.splitlines() if line.startswith("#")]
    assert len(headings) == 2
    assert all(r"\[x\](javascript" in line and r"\!\[i\]" in line and r"\{\#a\}" in line for line in headings)


def test_a_page_of_a_cause_says_how_it_is_recognised_with_thresholds_and_sources(index: Index) -> None:
    place = index.of("bank_conflicts", "diagnosis")
    assert place is not None
    page = cause_page(index, place, {}).page
    assert page is not None
    titles = [part.title for part in page.sections]
    assert {"Before and after", "How it is recognised", "Counters", "Fixes", "How it misleads", "Related"} <= set(
        titles
    )
    rule = next(part for part in page.sections if part.id == "bank_conflicts-excess")
    rows = [tuple(cell.text for cell in row) for block in rule.blocks if isinstance(block, Table) for row in block.rows]
    assert ("when", "shared_wavefronts_excessive", "shared_wavefront_ratio > 1.1") in {row[:3] for row in rows}
    assert all(row[3] for row in rows)


def test_what_is_open_on_a_page_of_the_course_does_not_name_the_cause(index: Index) -> None:
    kernels = [one for one in all_exercises() if isinstance(one, Exercise)]
    assert len(kernels) > 50
    for one in kernels:
        made = exercise_page(one, None)
        assert made.secret and one.name not in made.path
        assert made.page is not None
        shown = [
            made.page.title,
            *texts(made.page.made),
            *(t for part in made.page.sections if not part.folded for t in said(part)),
        ]
        place = index.of(one.diagnosis, "diagnosis")
        title = index.title(place) if place is not None else ""
        for text in shown:
            assert f"diagnosis:{one.diagnosis}" not in text, one.name
            assert not title or title not in text, one.name
        assert any(part.folded and part.title == "What limits it" for part in made.page.sections)


def said(part: Section) -> Iterator[str]:
    """The texts of a section, without the code and the quiz, which the terminal shows before the prediction, too."""
    yield part.title
    yield from (text for block in part.blocks if isinstance(block, Paragraph) for text in texts(block))


def test_a_folder_with_other_files_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").write_text("kept")
    code, said_ = run(["knowledge", "site", str(tmp_path)], capsys)
    assert code == 2 and said_.count("\n") == 1 and "holds other files" in said_
    code, said_ = run(["knowledge", "site", str(tmp_path / "mine.txt")], capsys)
    assert code == 2 and said_.count("\n") == 1 and "is not a folder" in said_
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_without_mkdocs_one_line_says_what_to_install(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site.importlib.util, "find_spec", lambda name: None)
    code, said_ = run(["knowledge", "site", str(tmp_path / "new")], capsys)
    assert code == 2 and said_.count("\n") == 1 and "pip install 'ncu-advisor[site]'" in said_
    assert not (tmp_path / "new").exists()


def test_a_site_that_cannot_be_finished_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / site.MARK).touch()
    (folder / "index.html").write_text("before")
    monkeypatch.setattr(site, "all_pages", lambda *_: [SitePage("index", "Start", text="# Start\n\n[no](where.md)\n")])
    with pytest.raises(AdvisorError, match=r"mkdocs could not build the site: .*where\.md"):
        site.build(folder, {}, lambda step: None)
    assert (folder / "index.html").read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_the_pages_of_docs_link_to_each_other_on_the_site() -> None:
    pages = {page.path: page for page in site.document_pages()}
    assert {"api/python", "api/agents", "worked-numbers", "program/architecture", "program/index"} <= set(pages)
    assert "(../api/python.md)" in pages["program/index"].text
    assert not re.search(r"\]\([^)]*\.yml\)", "".join(page.text for page in pages.values()))


def test_a_built_site_has_no_broken_link_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    """With the recordings of two exercises; all of them differ only in their numbers."""
    folder = tmp_path / "site"
    schemas = {name: schema(name) for name in ("diagnosis", "transcript")}
    pages = site.build(folder, schemas, lambda step: None, ["bank-conflicts", "heat-plate"])
    crawled = Crawled(folder)
    assert len(crawled.pages) == pages  # none for an unknown address
    assert pages > 200 and crawled.checked > 20_000
    assert (crawled.broken, crawled.loads, crawled.twice, crawled.nested, crawled.unreached) == ([], [], [], [], [])
    shown = (folder / "causes" / "bank_conflicts.html").read_text(encoding="utf-8")
    for text in ("A transpose through a tile", "2.2×", "806 µs", "NVIDIA H200", "shared_wavefront_ratio"):
        assert text in shown
    index = (folder / "search" / "search_index.js").read_text(encoding="utf-8")
    assert "bank_conflicts" in index and "Any odd row length works" not in index
    assert [path.name for path in tmp_path.iterdir()] == ["site"]
