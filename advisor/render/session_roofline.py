"""The roofline of a kernel with all its versions: as a drawing, in text, and as a table of figures."""

from __future__ import annotations

from dataclasses import replace

from advisor.dialogue.state import State
from advisor.model import LaunchDiagnosis
from advisor.napkin import quantities
from advisor.render import roofline_text
from advisor.render.cells import plain
from advisor.render.document import Block, Cell, Column, Command, Paragraph, Picture, Section, Table
from advisor.render.document import section as made_section
from advisor.render.roofline import Point, place_of, rooflines
from advisor.render.session_story import Subject

_WIDTH = 78
_HOLLOW = "Hollow marks are former versions, the filled one is the last."


def roofline_section(state: State, subject: Subject, launch: LaunchDiagnosis) -> Section | None:
    """The section, which tells why where nothing can be drawn; None of what was typed as a graphics workload."""
    versions = [*subject.earlier, (launch, subject.version or "now")]
    points, before = [], None
    for at, (one, name) in enumerate(versions):
        points.append(Point(one, "", before, name if len(versions) > 1 else "", at + 1 < len(versions)))
        before = one
    if launch.scope != "launch":
        return None
    charts = rooflines(points)
    paper = _paper(state, subject)
    drawn = roofline_text.roofline(launch, earlier=subject.earlier, paper=paper, width=_WIDTH, blocks=False)
    if not charts:
        told = [*map(Paragraph, drawn.notes), Command(drawn.collect) if drawn.collect else None]
        return made_section("Roofline", told, name="roofline") if drawn.notes else None
    text = [plain(row) for row in drawn.rows] + [f"{key.sign} {key.text}" for key in drawn.keys]
    blocks: list[Block] = []
    for at, (chart, rest) in enumerate(charts):
        says = f"{chart.says} {_HOLLOW}" if len(versions) > 1 else chart.says
        blocks.append(Picture(replace(chart, says=says), tuple(text) if at == 0 else ()))
        blocks += [Paragraph(rest, "dim")] if rest else []
    blocks.append(_table(versions))
    return made_section("Roofline", blocks, name="roofline")


def _table(versions: list[tuple[LaunchDiagnosis, str]]) -> Table:
    columns = (Column("version"), Column("FLOP for each byte of DRAM", True), Column("reached", True))
    rows = []
    for one, name in versions:
        place = place_of(one)
        intensity, rate = place if place is not None else (None, None)
        reached = "unknown" if rate is None else quantities.show(float(f"{rate:.3g}"), "FLOP/s", 3)
        rows.append(
            (Cell(name), Cell("unknown" if intensity is None else f"{intensity:.3g}", intensity), Cell(reached, rate))
        )
    return Table(columns, tuple(rows))


def _paper(state: State, subject: Subject) -> roofline_text.Paper | None:
    """What the algorithm needs, where both of its numbers were answered."""
    places = (None,) if state.numbers else (subject.position, None)
    given = {question: value for place, question, value in state.answers if place in places}
    flop, size, dtype = (given.get(name) for name in ("theoretical_flop", "theoretical_bytes", "intended_dtype"))
    if not isinstance(flop, int | float) or not isinstance(size, int | float):
        return None
    return roofline_text.Paper(float(flop), float(size), dtype if isinstance(dtype, str) else "")
