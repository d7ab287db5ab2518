"""Reports are data: names and source text are shown, never obeyed, and long ones stay within the width."""

from __future__ import annotations

import json

from listings import listing

from advisor.source.columns import parse_columns
from advisor.source.document import source_document
from advisor.source.listing import Listing, Row
from advisor.source.measures import MEASURES
from advisor.source.view import Query, View, arrange
from advisor.view.pages.source import source_page
from advisor.view.writers.json import document_json
from advisor.view.writers.terminal import terminal_text
from tests.changed import replace

STALLED = "smsp__pcsamp_warps_issue_stalled_short_scoreboard"
EVIL = "\x1b[2J\x07evil"


def source_text(view: View, top: int, width: int = 80) -> str:
    return terminal_text(source_page(view, top), width=width)


def made(code: Listing, text: str = "") -> View:
    measure = MEASURES["instructions"]
    sources = {row.file: "\n" * (row.line - 1) + text for row in code.rows if text and row.line}
    given = replace(code, sources=sources)
    columns = parse_columns("stalls,live")
    return arrange(given, "r", 0, EVIL * 40, (measure,), Query(columns=columns, ptx=True))


def test_nothing_in_a_report_reaches_the_terminal_as_it_is() -> None:
    one = listing([("MOV R0, R1", {"inst_executed": 3.0}, 7)]).rows[0]
    row = Row(one.pc, f"/tmp/{EVIL}/{EVIL * 30}.cu", 7, f"MOV {EVIL * 30}", one.sight)
    text = source_text(made(Listing((row,), frozenset()), f"\t{EVIL} x = " + "y" * 400), 5)
    assert "\x1b" not in text and "\x07" not in text and "\\x1b[2J" in text
    assert all(len(line) <= 80 for line in text.splitlines())
    assert json.loads(document_json(source_document(made(Listing((row,), frozenset())), 5)))["lines"][0]["line"] == 7


def test_names_of_callers_and_ptx_are_data_too() -> None:
    code = listing([("MOV R0, R1", {"inst_executed": 3.0}, 7)])
    calls = tuple((f"/tmp/{EVIL * n}.cu", n) for n in range(1, 40))
    inner = ((f"/usr/include/{EVIL}.h", 3),)
    row = replace(code.rows[0], calls=calls, inner=inner, function=EVIL, ptx=1)
    view = made(Listing((row,), frozenset(), (f"mov %r1, {EVIL * 500};",)))
    for width in (80, 160):
        text = source_text(view, 5, width=width)
        assert "\x1b" not in text and "\x07" not in text and "inlined at" in text and "installed header" in text
        assert all(len(line) <= width for line in text.splitlines())
    assert len(json.loads(document_json(source_document(view, 5)))["instructions"][0]["calls"]) == 39


def test_an_orphaned_wait_is_explained_and_a_report_without_ptx_says_so() -> None:
    code = listing([("CS2R R8, SRZ", {STALLED: 3.0, "inst_executed": 3.0}, 7)])
    measure = MEASURES["stall_short_scoreboard"]
    text = source_text(arrange(code, "r", 0, "k", (measure,), Query(ptx=True)), 5)
    assert "short scoreboard 100 %, placed by the compiler" in text and "The report holds no PTX" in text


def test_what_is_missing_is_said() -> None:
    bare = listing([("", {"inst_executed": 3.0}, 0)])
    text = source_text(made(bare), 5)
    assert "compile with -lineinfo" in text and "contains no SASS" in text
    assert "no line" in text and "no code" in text


def test_the_rest_is_counted() -> None:
    code = listing([("MOV R0, R1", {"inst_executed": 3.0}, n) for n in range(1, 8)])
    text = source_text(made(code), 5)
    assert "… 2 more lines" in text and "… 2 more instructions" in text
