"""A diagnosis as a document: what to fix first of everything, all launches, then those with most to win back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from advisor.records.diagnosis import Diagnosis, LaunchDiagnosis
from advisor.records.readings import ReportInfo
from advisor.view.blocks import Block, Cell, Column, Document, Fact, Facts, Paragraph, Picture, Section, Table
from advisor.view.blocks import section as made_section
from advisor.view.diagnosis import SHORT, ceiling_text, first_diagnosis
from advisor.view.launch_blocks import Texts, launch_blocks
from advisor.view.roofline import Point, rooflines
from advisor.view.text import brief_factor, shown, time_text
from advisor.view.workload import SCOPE

# Launches that get a section of their own: the page of a report of thousands stays one that a browser shows at once.
HTML_SECTIONS = 20
MARKDOWN_SECTIONS = 5
_SUMMARY = 5
_NAME = 200


@dataclass(frozen=True, slots=True)
class Group:
    """Launches of one kernel and shape with the same class and first finding; `at`: the place of the one shown."""

    at: int
    launches: tuple[LaunchDiagnosis, ...]

    @property
    def back(self) -> float:
        """ns that the first fix would give back over all of them."""
        return sum(map(time_back, self.launches))


def time_back(launch: LaunchDiagnosis) -> float:
    """Nanoseconds that the first fix would give back: duration x (1 - 1 / speedup); 0 when unknown."""
    first = first_diagnosis(launch)
    gain = first.speedup.estimate if first is not None and first.speedup is not None else 1.0
    return (launch.duration_ns or 0.0) * (1 - 1 / gain)


def grouped(launches: Sequence[LaunchDiagnosis]) -> list[Group]:
    """The groups by the time that their fixes give back, then in the order of the reports."""
    found: dict[tuple[object, ...], list[int]] = {}
    for at, launch in enumerate(launches):
        first = first_diagnosis(launch)
        key = (launch.kernel_full, launch.grid, launch.block, launch.verdict.id, first.id if first else "")
        found.setdefault(key, []).append(at)
    groups = [
        Group(max(places, key=lambda p: (time_back(launches[p]), -p)), tuple(launches[p] for p in places))
        for places in found.values()
    ]
    return sorted(groups, key=lambda g: (-g.back, g.at))


def diagnosis_document(
    diagnosis: Diagnosis,
    *,
    texts: Texts | None = None,
    sections: int = HTML_SECTIONS,
    supposed: str = "",
) -> Document:
    """The whole document. texts: the source by (report, file); supposed: what was assumed instead of measured."""
    launches = diagnosis.launches
    groups = grouped(launches)
    shown_groups = groups[:sections]
    links = {id(each): f"launch-{g.at}" for g in shown_groups for each in g.launches}
    made: list[Block] = [Paragraph(_about(info), "dim") for info in diagnosis.reports]
    problems = [Fact("Careful", f"{info.path}: {p}", "warn") for info in diagnosis.reports for p in info.problems]
    made += [Facts(tuple(problems))] if problems else []
    made += [Paragraph(ceiling_text(card), "dim") for card in diagnosis.extra.get("measured_ceilings", ())]
    made += [Paragraph(supposed, "warn")] if supposed else []
    parts: list[Section] = []
    if len(launches) > 1:
        parts.append(made_section("What to fix first", _summary(groups, launches, links), name="first"))
    charts = rooflines([Point(launch, links.get(id(launch), "")) for launch in launches])
    drawn: list[Section] = []
    if charts:
        blocks: list[Block] = []
        for chart, rest in charts:
            blocks += [Picture(chart), *([Paragraph(rest, "dim")] if rest else [])]
        drawn = [made_section("Roofline", blocks, name="roofline")]
    if len(launches) > 1:
        parts += [*drawn, made_section("All launches", [_table(diagnosis, links)], name="launches")]
    for group in shown_groups:
        parts += _sections(group, launches[group.at], texts or {}, alone=len(shown_groups) == 1)
    # Of a lone launch the answer comes first.
    parts += drawn if len(launches) == 1 else []
    if left := len(groups) - len(shown_groups):
        text = f"{left} more kernels or shapes stand in the table only; `--launch` or `--top` chooses others."
        parts.append(made_section("And more", [Paragraph(text)]))
    return Document(_title(diagnosis), tuple(made), tuple(parts))


def _title(diagnosis: Diagnosis) -> str:
    names = list(dict.fromkeys(launch.kernel for launch in diagnosis.launches))
    if len(diagnosis.launches) == 1:
        return f"{names[0][:_NAME]}: diagnosis"
    files = [info.path.replace("\\", "/").rpartition("/")[2] for info in diagnosis.reports]
    return f"Diagnosis of {files[0]}" if len(files) == 1 else f"Diagnosis of {len(files)} reports"


def _about(info: ReportInfo) -> str:
    return f"{info.path} · {info.tool}" if info.tool else info.path


def _summary(groups: Sequence[Group], launches: Sequence[LaunchDiagnosis], links: Mapping[int, str]) -> list[Block]:
    total = sum(launch.duration_ns or 0.0 for launch in launches)
    unknown = sum(launch.duration_ns is None for launch in launches)
    text = f"{len(launches)} launches take {time_text(total)} together."
    if unknown:
        text += f" The time of {unknown} is unknown."
    worth = [g for g in groups if g.back > 0][:_SUMMARY]
    if not worth:
        return [Paragraph(text, "lead"), Paragraph("No fix with a known gain was found.")]
    rows = []
    for group in worth:
        launch = launches[group.at]
        first = first_diagnosis(launch)
        assert first is not None
        assert first.speedup is not None
        several = f" ({len(group.launches)} launches)" if len(group.launches) > 1 else ""
        rows.append(
            (
                Cell(launch.kernel[:_NAME] + several, link=links.get(id(launch), "")),
                Cell(first.title),
                Cell(f"{brief_factor(first.speedup.estimate)}x", first.speedup.estimate),
                Cell(time_text(group.back), group.back),
                Cell(f"{group.back / total:.0%}".replace("%", " %") if total else "-", group.back),
            )
        )
    columns = (
        Column("kernel"),
        Column("fix first"),
        Column("gain", True),
        Column("gives back", True),
        Column("of all time", True),
    )
    note = "Each gain is of its own fix on its own kernel."
    return [Paragraph(text, "lead"), Table(columns, tuple(rows)), Paragraph(note, "dim")]


def _table(diagnosis: Diagnosis, links: Mapping[int, str]) -> Table:
    several = len(diagnosis.reports) > 1
    columns = [
        Column("launch", True),
        Column("kernel"),
        Column("time", True),
        Column("class"),
        Column("fix first"),
        Column("gain", True),
        Column("gives back", True),
    ]
    if several:
        columns.insert(0, Column("report"))
    return Table(tuple(columns), tuple(_row(diagnosis, x, several, links) for x in diagnosis.launches), sortable=True)


def _row(diagnosis: Diagnosis, launch: LaunchDiagnosis, several: bool, links: Mapping[int, str]) -> tuple[Cell, ...]:
    first = first_diagnosis(launch)
    gain = first.speedup.estimate if first is not None and first.speedup is not None else None
    back = time_back(launch)
    cells = [
        Cell(str(launch.index), float(launch.index)),
        Cell(launch.kernel[:_NAME], link=links.get(id(launch), "")),
        Cell("unknown" if launch.duration_ns is None else time_text(launch.duration_ns), launch.duration_ns),
        Cell(SHORT.get(launch.verdict.id, launch.verdict.id)),
        Cell(first.id if first else "nothing found"),
        Cell(f"{brief_factor(gain)}x" if gain is not None else "-", gain),
        Cell(time_text(back) if back else "-", back if gain is not None else None),
    ]
    if several:
        cells.insert(0, Cell(diagnosis.reports[launch.report].path.replace("\\", "/").rpartition("/")[2]))
    return tuple(cells)


def _sections(group: Group, launch: LaunchDiagnosis, texts: Texts, *, alone: bool) -> list[Section]:
    card = launch.known_as or shown(launch.gpu_name) or "GPU unknown"
    number = SCOPE if launch.scope == SCOPE else f"launch {launch.index}"
    title = f"{launch.kernel[:_NAME]} · {number} · {card} · {time_text(launch.duration_ns)}"
    head = None
    if len(group.launches) > 1:
        others = len(group.launches) - 1
        text = f"{others} more of this kernel and shape have the same class and first finding"
        head = Paragraph(f"{text}; all together take {time_text(sum(x.duration_ns or 0 for x in group.launches))}.")
    blocks = launch_blocks(launch, texts)
    parts = [made_section(title, [head, *blocks.first], name=f"launch-{group.at}")]
    # Of many launches the fix and its grounds are seen at once, the rest on demand.
    parts += [made_section(name, body, level=3, folded=more and not alone) for name, body, more in blocks.rest if body]
    return parts
