"""The code of two launches as a page: opcodes, lines, and instructions side by side."""

from __future__ import annotations

from advisor.source.compare import Alignment, Comparison, Hunk
from advisor.source.listing import Row
from advisor.view.blocks import Block, Cell, Code, Column, Page, Paragraph, Section, Table
from advisor.view.blocks import facts as made_facts
from advisor.view.blocks import section as made_section
from advisor.view.numbers import count_text, speedup_text
from advisor.view.pages.source import line_ref
from advisor.view.text import place_text

_MOST_ROWS = 6  # instructions shown on each side of a code range


def source_compare_page(found: Comparison, names: tuple[str, str], top: int) -> Page:
    """Build the page with `top` opcodes, lines and code ranges. names: of the two launches."""
    total = f"{count_text(found.before)} before, {count_text(found.now)} now, {_change(found.before, found.now)}"
    about = made_facts(
        ("Before", names[0]),
        ("Now", names[1]),
        ("Measure", f"{found.measure.id}: {found.measure.title}, {total}"),
    )
    parts = []
    for title, one, changes in (("Opcodes", "Opcode", found.opcodes), ("Lines", "Line", found.lines)):
        if not changes:
            continue
        columns = (Column(one, keep="end"), Column("Before", True), Column("Now", True), Column("Change", True))
        rows = tuple(
            (
                Cell(change.opcode or place_text(change.file, change.line)),
                Cell(count_text(change.before), change.before),
                Cell(count_text(change.now), change.now),
                Cell(_change(change.before, change.now)),
            )
            for change in changes[:top]
        )
        left = len(changes) - top
        more = Paragraph(f"… {left} more {title.lower()}", "dim") if left > 0 else None
        parts.append(made_section(title, [Table(columns, rows), more]))
    return Page("Source comparison", (about,), (*parts, _aligned(found.aligned, top)))


def ordered(found: Alignment) -> list[Hunk]:
    """Sort by change, the largest first, then by length, then by position in the code."""
    return sorted(found.hunks, key=lambda hunk: (-abs(hunk.change), -len(hunk.before) - len(hunk.now)))


def _aligned(found: Alignment | None, top: int) -> Section:
    title = "Instructions side by side"
    if found is None:
        text = "A report lacks its code, or both codes are too long to align."
        return made_section(title, [Paragraph(text)])
    alike = "opcode" if found.by == "opcode" else "opcode and operands"
    before, now = (sum(len(getattr(hunk, side)) for hunk in found.hunks) for side in ("before", "now"))
    text = f"{found.same} the same in {alike}, {before} only before, {now} only now, in {len(found.hunks)} hunks"
    blocks: list[Block | None] = [Paragraph(text)]
    hunks = ordered(found)
    for hunk in hunks[:top]:
        first = max(hunk.now or hunk.before, key=lambda pair: pair[1])[0]
        lines: list[str] = []
        for sign, side in (("-", hunk.before), ("+", hunk.now)):
            # The hottest ones, in the order of the code.
            hot = sorted(sorted(range(len(side)), key=lambda i: (-side[i][1], i))[:_MOST_ROWS])
            lines += [_side_row(sign, *side[i], first) for i in hot]
            lines += [f"{sign} … {len(side) - _MOST_ROWS} more"] if len(side) > _MOST_ROWS else []
        blocks.append(Code(f"{place_text(first.file, first.line)}: {hunk.change:+,.0f}", 0, tuple(lines), diff=True))
    left = len(hunks) - top
    blocks.append(Paragraph(f"… {left} more hunks", "dim") if left > 0 else None)
    return made_section(title, blocks)


def _side_row(sign: str, row: Row, value: float, first: Row) -> str:
    return f"{sign} {count_text(value):>14}  {line_ref(first.file, row.file, row.line):<10}  {row.sass}"


def _change(before: float, now: float) -> str:
    if before == now:
        return "same"
    return speedup_text(now / before) if before and now else "new" if now else "gone"
