"""Reports are data: names and source text are shown, never obeyed, and long ones stay within the width."""

from __future__ import annotations

import json

from listings import listing

from advisor.render.source import source_text
from advisor.render.source_json import source_json
from advisor.source.hotspots import lines, spots
from advisor.source.listing import Listing, Row
from advisor.source.measures import MEASURES
from advisor.source.structure import shared_groups, structure
from advisor.source.view import View

EVIL = "\x1b[2J\x07evil"


def made(code: Listing, text: str = "") -> View:
    measure = MEASURES["instructions"]
    values = code.values(measure) or []
    shape = structure(code)
    found = spots(code, values, shape.flow)
    texts = {(row.file, row.line): text for row in code.rows if text and row.line}
    shared = shared_groups(code)
    return View(
        0, EVIL * 40, measure, sum(values), lines(found), found, shape, shared, texts, code.has_lines, code.has_code
    )


def test_nothing_in_a_report_reaches_the_terminal_as_it_is() -> None:
    one = listing([("MOV R0, R1", {"inst_executed": 3.0}, 7)]).rows[0]
    row = Row(one.pc, f"/tmp/{EVIL}/{EVIL * 30}.cu", 7, f"MOV {EVIL * 30}", one.sight)
    text = source_text(made(Listing((row,), frozenset()), f"\t{EVIL} x = " + "y" * 400), 5)
    assert "\x1b" not in text and "\x07" not in text and "\\x1b[2J" in text
    assert all(len(line) <= 80 for line in text.splitlines())
    assert json.loads(source_json(made(Listing((row,), frozenset())), 5))["lines"][0]["line"] == 7


def test_what_is_missing_is_said() -> None:
    bare = listing([("", {"inst_executed": 3.0}, 0)])
    text = source_text(made(bare), 5)
    assert "compile with -lineinfo" in text and "does not hold the machine code" in text
    assert "no line" in text and "no code" in text


def test_the_rest_is_counted() -> None:
    code = listing([("MOV R0, R1", {"inst_executed": 3.0}, n) for n in range(1, 8)])
    text = source_text(made(code), 5)
    assert "... 2 more lines" in text and "... 2 more instructions" in text
