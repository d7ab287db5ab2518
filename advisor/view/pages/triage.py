"""A triage as a document: what there is to win back, the groups that have most of it, and what could not be read."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from advisor.triage.results import Application, Group, Totals, Triage
from advisor.view.blocks import Block, Bullets, Cell, Column, Command, Fact, Facts, Page, Paragraph, Section, Table
from advisor.view.blocks import section as made_section
from advisor.view.numbers import speedup_text, time_text
from advisor.view.pages.diagnosis import ceiling_text, class_title
from advisor.view.pages.launch import evidence_rows
from advisor.view.text import shown
from advisor.view.triage import application_heading, application_texts, group_rows, look_text, shape_text, trouble_text

# Rows of the table, and groups with a section, so that a page of thousands of kernels stays one that opens at once.
HTML_ROWS, HTML_SECTIONS = 1000, 20
MARKDOWN_ROWS, MARKDOWN_SECTIONS = 20, 5
_TROUBLED = 200
_NAME = 200


def triage_page(
    result: Triage,
    *,
    rows: int = HTML_ROWS,
    sections: int = HTML_SECTIONS,
    applications: Sequence[Application] = (),
) -> Page:
    """The whole document. rows, sections: how many groups stand in the table, and how many are told of in full."""
    totals = result.totals
    groups = list(result.groups(rows))
    made: list[Block] = [Paragraph(text, "lead") for text in _head(totals)]
    made += [Paragraph(ceiling_text(card), "dim") for card in result.measured]
    parts = [made_section("What gives most back", _table(groups, totals, sections), name="groups")]
    parts += [_application(one) for one in applications]
    for at, group in enumerate(groups[:sections]):
        parts += _group(group, at)
    return Page("Triage", tuple(made), (*parts, *_trouble(result, totals)))


def _head(totals: Totals) -> list[str]:
    texts = [f"{totals.launches:,} launches in {totals.reports:,} reports, {totals.groups:,} kernels and shapes."]
    if totals.duration_ns:
        share = totals.back_ns / totals.duration_ns
        back = f"{time_text(totals.back_ns)} of it ({100 * share:.0f} %)"
        texts.append(f"{time_text(totals.duration_ns)} of GPU time; one fix for each would give back {back}.")
    return texts


def _table(groups: Sequence[Group], totals: Totals, sections: int) -> list[Block]:
    columns = (
        Column("rank", True),
        Column("kernel"),
        Column("shape"),
        Column("launches", True),
        Column("time", True),
        Column("class"),
        Column("fix first"),
        Column("gain", True),
        Column("gives back", True),
    )
    rows = []
    for at, group in enumerate(groups):
        gain = group.speedup
        shape = f"{shape_text(group.grid, '×')} of {shape_text(group.block, '×')}" if group.grid else "-"
        known = group.untimed < group.launches
        rows.append(
            (
                Cell(str(at + 1), at + 1),
                Cell(group.kernel[:_NAME], link=f"group-{at}" if at < sections else ""),
                Cell(shape),
                Cell(f"{group.launches:,}", group.launches),
                Cell(time_text(group.duration_ns) if known else "unknown", group.duration_ns if known else None),
                Cell(class_title(group.classes[0][0])),
                Cell(group.first or "nothing found"),
                Cell(f"{speedup_text(gain)}" if gain is not None else "-", gain),
                Cell(time_text(group.back_ns) if group.back_ns else "-", group.back_ns if gain is not None else None),
            )
        )
    blocks: list[Block] = [Table(columns, tuple(rows), sortable=True)]
    if (left := totals.groups - len(groups)) > 0:
        back = max(0.0, totals.back_ns - sum(group.back_ns for group in groups))
        blocks.append(Paragraph(f"{left:,} more kernels and shapes have {time_text(back)} to give back in all.", "dim"))
    return blocks


def _application(one: Application) -> Section:
    columns = (
        Column("kernel"),
        Column("share of the whole", True),
        Column("fix first"),
        Column("kernel's gain", True),
        Column("gain of the whole", True),
    )
    rows = [
        (
            Cell(k.kernel[:_NAME]),
            Cell(f"{k.share_pct:.1f} %", k.share_pct),
            Cell(k.fix or "-"),
            Cell(f"{speedup_text(k.speedup)}", k.speedup),
            Cell(f"{speedup_text(k.gain)}", k.gain),
        )
        for k in one.kernels
    ]
    table = Table(columns, tuple(rows), sortable=True) if rows else None
    return made_section(application_heading(one), [table, Bullets(tuple(application_texts(one)))])


def _group(group: Group, at: int) -> list[Section]:
    card = group.known_as or shown(group.gpu_name) or "GPU unknown"
    shape = f" · grid {shape_text(group.grid, '×')}, block {shape_text(group.block, '×')}" if group.grid else ""
    stands, finding = group.stands, group.stands.finding
    rows = Facts(
        tuple(Fact(label, text, "lead" if label == "Fix first" else "plain") for label, text in group_rows(group))
    )
    title = f"{at + 1}. {group.kernel[:_NAME]}{shape} · {card}"
    parts = [made_section(title, [rows, Command(look_text(group))], name=f"group-{at}")]
    if finding is not None and finding.fix is not None and finding.fix.steps:
        costs = Paragraph(f"Costs: {finding.fix.costs}", "dim") if finding.fix.costs else None
        parts.append(made_section("The fix, step by step", [Bullets(finding.fix.steps, ordered=True), costs], level=3))
    evidence = evidence_rows((*stands.verdict.evidence, *(finding.evidence if finding is not None else ())))
    if evidence:
        columns = (Column("what was seen"), Column("number and test"), Column("source"))
        cells = [(Cell(says), Cell("; ".join(tests)), Cell(", ".join(cites))) for says, tests, cites in evidence]
        name = f"Evidence, from the launch with most to give back: {stands.report}, launch {stands.index}"
        parts.append(made_section(name, [Table(columns, tuple(cells))], level=3, folded=True))
    return parts


def _trouble(result: Triage, totals: Totals) -> list[Section]:
    rows = [Fact(r.path, trouble_text(r), "warn") for r in islice(result.troubled(), _TROUBLED)]
    rows += [Fact(path, why, "warn") for path, why in result.problems]
    blocks: list[Block] = [Facts(tuple(rows))] if rows else []
    if (more := totals.refused + totals.incomplete - _TROUBLED) > 0:
        blocks.append(Paragraph(f"{more:,} more reports have a problem; `--format json` names them all."))
    if totals.foreign:
        blocks.append(
            Paragraph(f"{totals.foreign:,} files in the folders hold no profile; `--format json` names them.")
        )
    return [made_section("What could not be read", blocks, name="unread")] if blocks else []
