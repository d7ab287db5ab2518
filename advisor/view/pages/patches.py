"""The page of `fix`: proven patches with their counters and diffs, and the rejected ones with the reason."""

from __future__ import annotations

from pathlib import Path

from advisor.patches.records import Changed, FixDocument, Patch
from advisor.view.blocks import Block, Cell, Code, Column, Fact, Facts, Page, Paragraph, Section, Table

PROVEN = "Emulated on the CPU: results and counts are compared, time is unknown. Measure the speed on a GPU."


def fix_page(found: FixDocument) -> Page:
    """Return the page of the patches of a source."""
    name = Path(found.source).name
    facts = [Fact("Emulated", PROVEN, "warn")]
    if found.patches:
        best = found.patches[0]
        p = best.promised
        facts.append(
            Fact(
                "First patch",
                f"{best.title}, {name}:{best.line}: {p.title} {_fall(p)}, results equal {best.results}",
                "lead",
            )
        )
    else:
        facts.append(Fact("Patches", "none is proven", "warn"))
    shape = f"grid {_shape(found.grid)}, block {_shape(found.block)}"
    facts.append(Fact("Launch", f"{', '.join(found.kernels)} on {found.arch}, {shape}"))
    if found.written_to is not None:
        facts.append(Fact("Written", f"{found.written_to}; the old text is in {found.backup}", "good"))
    sections = []
    if found.patches:
        sections.append(Section("Proven patches", (_overview(found, name),)))
        sections += [Section(f"{one.title}, line {one.line}", _patch(one)) for one in found.patches]
    if found.rejected:
        sections.append(Section("Rejected", (_rejected(found),)))
    if not found.patches and not found.rejected:
        sections.append(Section("Rejected", (Paragraph("No kind of patch applies to this source."),)))
    return Page(f"Patches: {name}", (Facts(tuple(facts)),), tuple(sections))


def _overview(found: FixDocument, name: str) -> Table:
    columns = (
        Column("Patch"),
        Column("Line", numeric=True),
        Column("Counter"),
        Column("Before", numeric=True),
        Column("After", numeric=True),
        Column("Results equal"),
    )
    rows = []
    for one in found.patches:
        p = one.promised
        rows.append(
            (
                Cell(one.kind),
                Cell(str(one.line)),
                Cell(p.title),
                Cell(_number(p.before), key=p.before),
                Cell(_number(p.after), key=p.after),
                Cell(one.results),
            )
        )
    return Table(columns, tuple(rows))


def _patch(one: Patch) -> tuple[Block, ...]:
    lines: list[Block] = [Paragraph(f"{one.says[:1].upper()}{one.says[1:]}.")]
    lines.append(Code("", 0, tuple(one.diff.rstrip("\n").split("\n")), diff=True))
    lines.append(Paragraph(f"Compared: {one.compared}."))
    if one.others:
        changes = "; ".join(f"{c.title} {_number(c.before)} → {_number(c.after)}" for c in one.others)
        lines.append(Paragraph(f"Also changed: {changes}."))
    if one.registers_before != one.registers_after and one.registers_after is not None:
        lines.append(Paragraph(f"Registers per thread: {one.registers_before} → {one.registers_after}."))
    lines.append(Paragraph(f"Cost: {one.costs}"))
    return tuple(lines)


def _rejected(found: FixDocument) -> Table:
    return Table(
        (Column("Patch"), Column("Line", numeric=True), Column("Reason"), Column("Detail")),
        tuple((Cell(r.kind), Cell(str(r.line)), Cell(r.reason), Cell(r.detail)) for r in found.rejected),
        prose=True,
    )


def _fall(changed: Changed) -> str:
    if changed.after == 0:
        return f"fall from {_number(changed.before)} to 0"
    left = f"{100 * changed.after / changed.before:.0f} %"
    return f"fall from {_number(changed.before)} to {_number(changed.after)} ({left})"


def _shape(sizes: tuple[int, int, int]) -> str:
    return " × ".join(str(n) for n in sizes)


def _number(value: float) -> str:
    return f"{value:,.0f}"
