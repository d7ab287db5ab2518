"""The page of `emulate --validate`: emulated against recorded counts."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.practice.validation import BOUNDS, LABELS, QUICK_S, Row, Totals
from advisor.view.blocks import Bullets, Cell, Column, Fact, Facts, Page, Paragraph, Section, Table

_NAMES = ("exact", "≤ 0.1 %", "≤ 1 %", "≤ 2 %")
assert len(_NAMES) == len(BOUNDS)


def validation_page(rows: Sequence[Row], found: Totals) -> Page:
    """Return the page: totals, a table of metrics, a table of launches, and the reasons of refusals."""
    share = 100 * found.emulated / max(found.launches, 1)
    missing = len(found.without_code)
    words = f"{missing} more launches, of libraries' kernels: the report does not hold their code"
    without_code = (Fact("No code", words),) if missing else ()
    facts = Facts(
        (
            Fact("Launches", f"{found.emulated} of {found.launches} with code emulated ({share:.0f} %)"),
            *without_code,
            Fact("Time", f"{found.quick} of {found.emulated} within {QUICK_S:g} s"),
        )
    )
    metrics = Table(
        (
            Column("Metric"),
            Column("Instructions equal", numeric=True),
            Column("Same for other inputs", numeric=True),
            *(Column(n, numeric=True) for n in _NAMES),
            Column("Launches", numeric=True),
        ),
        tuple(
            (
                Cell(LABELS[name]),
                Cell(f"{equal[0]} of {equal[1]}", key=equal[0]),
                Cell(f"{equal[2]} of {equal[3]}", key=equal[2]),
                *(Cell(str(n), key=n) for n in found.within[name]),
            )
            for name, equal in found.instructions.items()
        ),
    )
    launches = Table(
        (
            Column("Launch"),
            Column("Kernel", spare=1),
            Column("Blocks", numeric=True, spare=2),
            Column("s", numeric=True),
            Column("Result"),
        ),
        tuple(
            (
                Cell(row.name),
                Cell(row.kernel[:40]),
                Cell(f"{row.executed_blocks} of {row.blocks}" if row.blocks else ""),
                Cell(f"{row.seconds:.1f}", key=row.seconds),
                Cell(result(row)),
            )
            for row in rows
        ),
    )
    sections = [
        Section("Metrics", (metrics,)),
        Section("Launches", (launches,)),
    ]
    if found.ordered:
        why = (
            "Results of atomic operations decide counts, such as retries of compare-and-swap or of a lock. They depend "
            "on the time at which warps run, which emulation does not know. Not in the table of metrics."
        )
        lines = tuple(f"{r.name}: {result(r)}" for r in found.ordered)
        sections.append(Section("Counts that depend on the order of warps", (Paragraph(why), Bullets(lines))))
    if found.refused:
        sections.append(Section("Not emulated", (Bullets(tuple(f"{r.name}: {r.refused}" for r in found.refused)),)))
    if found.without_code:
        names = tuple(f"{r.name}: {r.kernel or r.step}" for r in found.without_code)
        sections.append(Section("Without code in the report", (Bullets(names),)))
    return Page("Emulated counts against recorded ones", (facts,), tuple(sections))


def result(row: Row) -> str:
    """Describe a launch: exact, or the largest difference, or why it was refused."""
    if row.refused:
        return f"refused: {row.refused}"
    worst = max(row.compared, key=lambda one: one.difference, default=None)
    if all(one.equal == one.instructions for one in row.compared):
        return "exact"
    depends = ", depends on the inputs' values" if row.data_dependent else ""
    if worst is None or worst.difference == 0:
        return f"sums exact{depends}"
    return f"{LABELS[worst.metric]} within {100 * worst.difference:.2g} %{depends}"
