"""A diagnosis as a page: one launch with its evidence; for several, the first fix, a table and each launch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from advisor.knowledge.base import catalog
from advisor.records.diagnosis import (
    Diagnosis,
    LaunchDiagnosis,
    MeasuredCeilings,
    dominant_unknown,
    first_diagnosis,
    report_path,
)
from advisor.records.quantities import confidence_text
from advisor.records.readings import ReportInfo
from advisor.view.blocks import (
    Block,
    Cell,
    Column,
    Fact,
    Facts,
    Page,
    Paragraph,
    Picture,
    Section,
    Table,
    for_report,
    section,
)
from advisor.view.charts.roofline import Point, is_charted, rooflines
from advisor.view.numbers import counted, plural, saved_text, saves_nothing, share_text, short_gain_text, time_text
from advisor.view.pages.launch import Texts, launch_blocks, location_text, shape_facts, speedup_phrase
from advisor.view.text import cut, file_name, shown

# The most launches with a section, so that a browser opens the page of thousands of launches quickly.
HTML_SECTIONS = 20
MARKDOWN_SECTIONS = 5
NAME = 200  # characters of a kernel's name
_SUMMARY = 5
_SINGLE_ROWS = 20  # launches up to which each has a row of its own, as fit a screen of 24 lines
_HEADING_NAME = 100


class Group(Struct, frozen=True):
    """Launches of one kernel and shape with the same class and first finding; at: position of the shown launch."""

    at: int
    launches: tuple[LaunchDiagnosis, ...]

    @property
    def back(self) -> float:
        """Nanoseconds that the first fix would save in all launches of the group."""
        return sum(map(time_back, self.launches))

    @property
    def range(self) -> tuple[float, float]:
        """Nanoseconds that it would save, at least and at most."""
        gains = [(first_diagnosis(launch), launch.duration_ns) for launch in self.launches]
        each = [f.speedup.saved_range_ns(time) for f, time in gains if f is not None and f.speedup is not None]
        return sum(low for low, _ in each), sum(high for _, high in each)


def time_back(launch: LaunchDiagnosis) -> float:
    """Return the nanoseconds that the first fix would save; 0 if unknown."""
    first = first_diagnosis(launch)
    return 0.0 if first is None or first.speedup is None else first.speedup.saved_ns(launch.duration_ns)


def grouped(launches: Sequence[LaunchDiagnosis]) -> list[Group]:
    """Return the groups by the time that their fixes save, then in the order of the reports."""
    found: dict[tuple[object, ...], list[int]] = {}
    for at, launch in enumerate(launches):
        first = first_diagnosis(launch)
        key = (launch.kernel_full, launch.grid, launch.block, launch.verdict.id, first.id if first else "")
        found.setdefault(key, []).append(at)
    groups = [
        Group(max(places, key=lambda p: (time_back(launches[p]), -p)), tuple(launches[p] for p in places))
        for places in found.values()
    ]
    unknown = dominant_unknown(launches)
    longest = None if unknown is None else launches[unknown]
    return sorted(groups, key=lambda g: (not any(one is longest for one in g.launches), -g.back, g.at))


def worth_fixing(groups: Sequence[Group]) -> list[Group]:
    """Return the few groups whose fixes save most time."""
    return [group for group in groups if group.back > 0][:_SUMMARY]


def _part_text(group: Group, total: float) -> str:
    """Return the part of the time that the fix saves, its upper limit if it may save nothing."""
    low, high = group.range
    if not total:
        return "-"
    return f"≤ {share_text(high / total)}" if saves_nothing(low, high) else share_text(group.back / total)


def ceiling_text(card: MeasuredCeilings) -> str:
    """Return a text on a GPU's measured ceilings, which replace the peaks of its data sheet."""
    rates = f"read {card.read_bytes_per_s / 1e12:.3g} TB/s, copy {card.copy_bytes_per_s / 1e12:.3g} TB/s"
    when = card.measured[:10]
    return f"Achievable rates measured by `practice calibrate` on {card.gpu} on {when}: {rates}"


def class_title(class_id: str) -> str:
    """`DRAM-bound` for `dram_bound`."""
    found = catalog().classes.get(class_id)
    return found.title if found is not None else class_id


def listed(launch: LaunchDiagnosis) -> LaunchDiagnosis:
    """Return what the tables and charts of a page show of a launch; it takes little memory."""
    first = first_diagnosis(launch)
    kept = () if first is None else (replace(first, **_UNLISTED),)
    return replace(
        launch,
        findings=kept,
        verdict=replace(launch.verdict, evidence=(), notes=(), units=()),
        metrics={name: value for name, value in launch.metrics.items() if is_charted(name)},
        **dict.fromkeys(("conclusions", "quantities", "ncu_rules", "questions", "missing"), ()),
        **dict.fromkeys(("budget", "on", "sampling", "issue_slots", "deciding"), None),
        labels={},
    )


_UNLISTED: Final[dict[str, Any]] = {
    **dict.fromkeys(("evidence", "rules", "undecided", "locations", "alternatives", "cites"), ()),
    "because": "",
    "fix": None,
}


def diagnosis_page(
    diagnosis: Diagnosis,
    *,
    texts: Texts | None = None,
    sections: int | None = HTML_SECTIONS,
    supposed: str = "",
    whole: Sequence[LaunchDiagnosis] | None = None,
    each: bool = True,
    unlocated: bool = False,
) -> Page:
    """Build the whole page.

    texts: the source by (report, file). sections: groups of like launches shown in full; None: all, in the order of the
    reports, and every launch for itself with `each`. supposed: the values assumed instead of measured. whole: the
    launches, where those of the diagnosis are only `listed`. unlocated: whether only some findings are located.
    """
    page, rest = diagnosis_parts(
        diagnosis, texts=texts, sections=sections, supposed=supposed, whole=whole, each=each, unlocated=unlocated
    )
    return Page(page.title, page.made, (*page.sections, *rest))


def diagnosis_parts(
    diagnosis: Diagnosis,
    *,
    texts: Texts | None = None,
    sections: int | None = HTML_SECTIONS,
    supposed: str = "",
    whole: Sequence[LaunchDiagnosis] | None = None,
    each: bool = True,
    unlocated: bool = False,
) -> tuple[Page, Iterator[Section]]:
    """Build the page of `diagnosis_page` up to its launches, and their sections one by one."""
    launches = diagnosis.launches
    groups = grouped(launches)
    chosen = groups[:sections]
    if sections is None:
        alone_ = [Group(at, (launch,)) for at, launch in enumerate(launches)]
        chosen = alone_ if each else sorted(groups, key=lambda group: group.at)
    links = {id(each): f"launch-{g.at}" for g in chosen for each in g.launches}
    alone = len(launches) == 1
    made: list[Block] = [Paragraph(supposed, "warn")] if supposed else []
    about = [Paragraph(about_text(info), "dim") for info in diagnosis.reports]
    made += [] if alone else about
    problems = [Fact("Caveat", f"{info.path}: {p}", "warn") for info in diagnosis.reports for p in info.problems]
    made += [Facts(tuple(problems))] if problems else []
    made += [Paragraph(ceiling_text(card), "dim") for card in diagnosis.measured_ceilings]
    parts: list[Section] = []
    if len(launches) > 1:
        parts.append(
            section("What to fix first", _summary(groups, launches, links, whole or launches, unlocated), name="first")
        )
        parts += _rooflines(launches, links)
        parts.append(section("All launches", _listed(diagnosis, groups, links), name="launches"))

    def of(group: Group) -> tuple[Section, ...]:
        launch = (whole or launches)[group.at]
        found = _sections(group, launch, texts or {}, alone=alone, folds=len(chosen) > 1)
        reported: tuple[Section, ...] = for_report(tuple(found), report_path(diagnosis, launch))
        return reported

    if alone:  # the conclusion comes first
        head, *more = of(chosen[0])
        return Page(_title(diagnosis), (*made, *head.blocks, *about), (*more, *_rooflines(launches, {}))), iter(())

    def rest() -> Iterator[Section]:
        for group in chosen:
            yield from of(group)
        if sections is not None and (left := len(groups) - len(chosen)):
            text = f"{left} more kernels or launch configurations appear only in the table; "
            text += "use `--launch` or `--top` to show their details."
            yield section("Not shown in detail", [Paragraph(text)])

    return Page(_title(diagnosis), tuple(made), tuple(parts)), rest()


def _rooflines(launches: Sequence[LaunchDiagnosis], links: Mapping[int, str]) -> list[Section]:
    blocks: list[Block] = []
    for chart, rest in rooflines([Point(launch, links.get(id(launch), "")) for launch in launches]):
        blocks += [Picture(chart), *([Paragraph(rest, "dim")] if rest else [])]
    return [section("Roofline", blocks, name="roofline")] if blocks else []


def _title(diagnosis: Diagnosis) -> str:
    if len(diagnosis.launches) == 1:
        return launch_title(diagnosis.launches[0])
    files = [file_name(info.path) for info in diagnosis.reports]
    return f"Diagnosis of {files[0]}" if len(files) == 1 else f"Diagnosis of {len(files)} reports"


def launch_title(launch: LaunchDiagnosis) -> str:
    """`transpose · launch 0 · H200-SXM · 152 µs`."""
    gpu = launch.known_as or launch.gpu_name or "GPU unknown"
    which = "workload" if launch.scope == "workload" else f"launch {launch.index}"
    return f"{cut(shown(launch.kernel), _HEADING_NAME)} · {which} · {gpu} · {time_text(launch.duration_ns)}"


def about_text(info: ReportInfo) -> str:
    """Return the path of an input file and the tool that wrote it."""
    return f"{info.path} · {info.tool}" if info.tool else info.path


def _summary(
    groups: Sequence[Group],
    launches: Sequence[LaunchDiagnosis],
    links: Mapping[int, str],
    whole: Sequence[LaunchDiagnosis],
    unlocated: bool,
) -> list[Block]:
    total = sum(launch.duration_ns or 0.0 for launch in launches)
    unknown = sum(launch.duration_ns is None for launch in launches)
    text = counted(len(launches), "launch")
    takes = plural(len(launches), "takes", "take")
    text += f" {takes} {time_text(total)} in total." if unknown < len(launches) else "."
    text += f" The time of {unknown} is unknown." if unknown else ""
    unestimated = dominant_unknown(launches)
    if unestimated is not None:
        launch = launches[unestimated]
        first = first_diagnosis(launch)
        found = f"{first.title}, without an estimate" if first is not None else "no diagnosis"
        part = share_text((launch.duration_ns or 0.0) / total)
        text += f" {launch.kernel[:NAME]} takes {part} of it: {found}. Look at it first."
    gpus = dict.fromkeys(x.known_as or shown(x.gpu_name) for x in launches if x.known_as or x.gpu_name)
    if len(gpus) == 1:
        text = text.replace(" in total.", f" in total on {next(iter(gpus))}.", 1)
    worth = worth_fixing(groups)
    if not worth:
        return [Paragraph(text, "lead"), Paragraph("No fix with an estimated speedup was found.")]
    rows = []
    for group in worth:
        launch = launches[group.at]
        first = first_diagnosis(launch)
        assert first is not None
        assert first.speedup is not None
        several = f" ({len(group.launches)} launches)" if len(group.launches) > 1 else ""
        rows.append(
            (
                Cell(launch.kernel[:NAME] + several, link=links.get(id(launch), "")),
                Cell(first.title),
                Cell(short_gain_text(first.speedup), first.speedup.estimate),
                Cell(saved_text(*group.range), group.back),
                Cell(_part_text(group, total), group.back),
            )
        )
    columns = (
        Column("Kernel"),
        Column("Fix first"),
        Column("Speedup", True),
        Column("Saves", True),
        Column("Of total", True),
    )
    placed = any(finding.locations for group in worth for finding in whole[group.at].findings)
    rest = unlocated and placed and len(groups) > len(worth)
    note = " Hot lines are shown of these kernels; --locate shows them all." if rest else ""
    return [
        Paragraph(text, "lead"),
        *_first_fix(whole[worth[0].at]),
        Table(columns, tuple(rows)),
        Paragraph(f"Each speedup is that of the fix on its kernel alone.{note}", "dim"),
    ]


def _first_fix(launch: LaunchDiagnosis) -> list[Block]:
    """Return what to fix first of all: the kernel with its shape, the cause, the fix and its gain."""
    first = first_diagnosis(launch)
    if first is None or first.fix is None or first.speedup is None:
        return []
    which = f" (launch {launch.index}, {time_text(launch.duration_ns)})"
    rows = [Fact("Kernel", cut(shown(launch.kernel), NAME) + which, "lead"), *shape_facts(launch)]
    rows += [Fact("Cause", f"{first.title} (confidence {confidence_text(first.confidence)})")]
    rows += [Fact("Speedup", speedup_phrase(first.speedup)), Fact("Fix", first.fix.summary)]
    rows += [Fact("Hot line", location_text(place)) for place in first.locations[:1]]
    return [Facts(tuple(rows))]


def _listed(diagnosis: Diagnosis, groups: Sequence[Group], links: Mapping[int, str]) -> list[Block]:
    """Return the table of the launches; of many, those of one report that are alike share a row."""
    launches = diagnosis.launches
    if len(launches) <= _SINGLE_ROWS or len(groups) == len(launches):
        return [_table(diagnosis, [(launch,) for launch in launches], links)]
    alike: dict[tuple[int, int, int], list[LaunchDiagnosis]] = {}
    group_of = {id(launch): number for number, group in enumerate(groups) for launch in group.launches}
    for at, launch in enumerate(launches):
        alone = at if launch.grid is None else -1  # of unknown shape: nothing says that they are alike
        alike.setdefault((launch.report, group_of[id(launch)], alone), []).append(launch)
    if len(alike) == len(launches):
        return [_table(diagnosis, [(launch,) for launch in launches], links)]
    first = next(row for row in alike.values() if len(row) > 1)
    text = (
        "Launches of one kernel and shape with the same class and first finding share a row, with their times added: "
    )
    text += f"`{_numbers(first)}` is launch {first[0].index} and {len(first) - 1} more. `--all` shows each."
    return [Paragraph(text, "dim"), _table(diagnosis, list(alike.values()), links)]


def _table(diagnosis: Diagnosis, rows: Sequence[Sequence[LaunchDiagnosis]], links: Mapping[int, str]) -> Table:
    several = len(diagnosis.reports) > 1
    workloads = all(launch.scope == "workload" for launch in diagnosis.launches)
    columns = [
        Column("#", True),
        Column("Workload" if workloads else "Kernel"),
        Column("Time", True),
        Column("Class"),
        Column("First finding"),
        Column("Speedup", True),
        Column("Saves", True, spare=1),
    ]
    if several:
        columns.insert(0, Column("Report", keep="end", spare=2))
    return Table(tuple(columns), tuple(_row(diagnosis, alike, several, links) for alike in rows), sortable=True)


def _numbers(alike: Sequence[LaunchDiagnosis]) -> str:
    return f"{alike[0].index} +{len(alike) - 1}" if len(alike) > 1 else f"{alike[0].index}"


def _time_text(times: Sequence[float], launches: int) -> str:
    """Return the sum of the known times of some launches."""
    if not times:
        return "unknown"
    return time_text(sum(times)) if len(times) == launches else f"≥ {time_text(sum(times))}"


def _row(
    diagnosis: Diagnosis, alike: Sequence[LaunchDiagnosis], several: bool, links: Mapping[int, str]
) -> tuple[Cell, ...]:
    """Return the row of launches that are alike: the speedup is that of the one whose fix saves most."""
    shown_at = max(range(len(alike)), key=lambda at: (time_back(alike[at]), -at))
    launch, group = alike[shown_at], Group(shown_at, tuple(alike))
    first = first_diagnosis(launch)
    gain = first.speedup.estimate if first is not None and first.speedup is not None else None
    times = [one.duration_ns for one in alike if one.duration_ns is not None]
    cells = [
        Cell(_numbers(alike), float(alike[0].index)),
        Cell(launch.kernel[:NAME], link=links.get(id(launch), "")),
        Cell(_time_text(times, len(alike)), sum(times) if times else None),
        Cell(launch.verdict.title),
        Cell(first.id if first else "nothing found"),
        Cell(short_gain_text(first.speedup) if first is not None and first.speedup is not None else "-", gain),
        Cell(
            saved_text(*group.range) if group.back and first and first.speedup else "-",
            group.back if gain is not None else None,
        ),
    ]
    if several:
        cells.insert(0, Cell(file_name(diagnosis.reports[launch.report].path)))
    return tuple(cells)


def _sections(group: Group, launch: LaunchDiagnosis, texts: Texts, *, alone: bool, folds: bool) -> list[Section]:
    head = None
    if len(group.launches) > 1:
        others = len(group.launches) - 1
        alike = f"{counted(others, 'more launch', 'more launches')} of this kernel and shape"
        text = f"{alike} {plural(others, 'has', 'have')} the same class and first finding"
        known = [x.duration_ns for x in group.launches if x.duration_ns is not None]
        head = Paragraph(f"{text}; together they take {time_text(sum(known))}." if known else f"{text}.")
    blocks = launch_blocks(launch, texts)
    parts = [section(launch_title(launch), [head, *blocks.first], name=f"launch-{group.at}")]
    level = 2 if alone else 3
    # With many launches, only the fix and its reasons are visible; the rest is folded.
    parts += [section(name, body, level=level, folded=more and folds) for name, body, more in blocks.rest if body]
    return parts
