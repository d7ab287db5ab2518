"""A page for each diagnosis, caveat and pattern: rules, code before and after, fixes and recorded evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from advisor.explain.entries import build, condition_text, fix_conditions, plain
from advisor.explain.index import Index, Place
from advisor.knowledge.base import catalog
from advisor.knowledge.loader import load
from advisor.knowledge.schemas import DiagnosisDef, FixDef, MetricDef, ObservationDef, RuleDef
from advisor.records.diagnosis import first_diagnosis
from advisor.site.addresses import OWN, anchor
from advisor.site.evidence import Recorded, Step, showing
from advisor.site.page import SitePage, parts, reading_sections
from advisor.view.blocks import (
    Block,
    Bullets,
    Cell,
    Code,
    Column,
    Fact,
    Facts,
    Page,
    Paragraph,
    Picture,
    Section,
    Table,
    section,
)
from advisor.view.charts.roofline import Point, rooflines
from advisor.view.numbers import estimate_text, speedup_text, time_text
from advisor.view.pages.explain import KINDS
from advisor.view.pages.launch import EVIDENCE_COLUMNS, evidence_cells, shape_facts, utilisation_bars
from advisor.view.pages.slots import ISSUE_SLOTS, slots_blocks

_NAMES = 2  # the most names of ncu per metric
_FOUND = "found."
_OPEN_RULES = 2  # the further rules are folded
_COUNTERS = 24  # rows of the table of counters


def cause_page(index: Index, place: Place, recorded: Mapping[str, Recorded]) -> SitePage:
    """Build the page of an entry with rules. recorded: the recordings of the exercises, by name."""
    entry = _entry(index, place)
    made = build(index, place, place.id)
    shown = list(showing(entry.id, recorded)) if place.kind == "diagnosis" else []
    kind = KINDS[place.kind]
    made_blocks: list[Block] = [Paragraph(f"{entry.id} · {kind}", "dim"), Paragraph(entry.what, "lead")]
    made_blocks += [Paragraph(entry.why)] if entry.why else []
    sections = [
        *_change(entry.fix),
        *_measured(shown),
        *_evidence(shown),
        *_rules(index, entry),
        *_counters(index, entry),
        *_fixes(index, entry),
        *parts(made, "misleads"),
        *_related(index, place, entry),
        *parts(made, "explains", "changes", "fires", "silent", "corrections"),
        *reading_sections(made),
    ]
    page = Page(entry.title, tuple(made_blocks), tuple(sections))
    return SitePage(f"{OWN[place.kind]}/{place.id}", entry.title, page, entry.what, boost=3.0)


def _entry(index: Index, place: Place) -> DiagnosisDef:
    """Return the entry; a diagnosis also has the fixes for kernels of libraries."""
    known = catalog().diagnoses if place.kind == "diagnosis" else {}
    return known.get(place.id) or load(place.path, DiagnosisDef)


def _change(fix: FixDef | None) -> list[Section]:
    """Return the code before and after the general fix."""
    code = _code(fix) if fix is not None else []
    return [section("Before and after", code, name="before-after")] if code else []


def _code(fix: FixDef) -> list[Block]:
    if not fix.before:
        return []
    texts = (("Before", fix.before), ("After", fix.after))
    return [Code(name, 0, tuple(text.rstrip().splitlines())) for name, text in texts]


def _rules(index: Index, entry: DiagnosisDef) -> list[Section]:
    if not entry.seen:
        return []
    text = "It is concluded if, for one of these rules, all tests under `when` hold and none under `unless`. "
    text += "A test whose metric was not collected is unknown, not false."
    head = section("How it is recognised", [Paragraph(text)], name="rules")
    return [head, *(_rule(index, rule, folded=at >= _OPEN_RULES) for at, rule in enumerate(entry.seen))]


def _rule(index: Index, rule: RuleDef, folded: bool) -> Section:
    roles = (("when", rule.when), ("unless", rule.unless))
    rows = [_condition(index, role, name) for role, names in roles for name in names]
    columns = (Column(""), Column("Test"), Column("Holds if"), Column("Source"))
    because = plain(rule.because)
    blocks: list[Block] = [Paragraph(because[:1].upper() + because[1:] + ".")] if because else []
    cites = Paragraph(f"Rule: {', '.join(rule.cites)}", "dim") if rule.cites else None
    title = rule.id.rpartition(".")[2].replace("_", " ")
    content = [*blocks, Table(columns, tuple(rows)), cites]
    return section(title[:1].upper() + title[1:], content, name=anchor(rule.id), level=3, folded=folded)


def _condition(index: Index, role: str, name: str) -> tuple[Cell, ...]:
    place = index.of(name, "observation")
    if place is not None:
        found: ObservationDef = index.entry(place, ObservationDef)
        return Cell(role), Cell(name), Cell(found.test), Cell(", ".join(found.cites))
    if name.startswith(_FOUND):
        return Cell(role), Cell("another finding"), Cell(f"`{name.removeprefix(_FOUND)}` is found"), Cell("")
    text = condition_text(index, name)
    head, _, rest = text.partition(": ")
    return Cell(role), Cell(head.removeprefix("class.")), Cell(rest), Cell("")


def _conditions(entry: DiagnosisDef) -> Iterator[str]:
    for names in ([rule.when for rule in entry.seen], [rule.unless for rule in entry.seen]):
        yield from (name for group in names for name in group)


def _counters(index: Index, entry: DiagnosisDef) -> list[Section]:
    """Return the metrics that the rules test, with their names in ncu."""
    names: dict[str, None] = {}
    for condition in _conditions(entry):
        place = index.of(condition, "observation")
        if place is not None:
            test = index.entry(place, ObservationDef).test
            names |= dict.fromkeys(word for word in re.findall(r"[a-z]\w+", test) if index.of(word, "metric"))
    rows = []
    for name in list(names)[:_COUNTERS]:
        at = index.of(name, "metric")
        assert at is not None
        metric: MetricDef = index.entry(at, MetricDef)
        source = ", ".join(f"`{one}`" for one in metric.names[:_NAMES]) or (
            f"= {metric.formula}" if metric.formula else ""
        )
        rows.append((Cell(name), Cell(metric.means), Cell(metric.unit), Cell(source)))
    if not rows:
        return []
    columns = (Column("Metric"), Column("Meaning"), Column("Unit"), Column("In Nsight Compute, or formula"))
    blocks: list[Block] = [Table(columns, tuple(rows))]
    left = len(names) - len(rows)
    blocks += [Paragraph(f"And {left} more, in the tests above.", "dim")] if left else []
    return [section("Counters", blocks, name="counters")]


def _fixes(index: Index, entry: DiagnosisDef) -> list[Section]:
    if not entry.fixes:
        return []
    several = len(entry.fixes) > 1
    text = "The first fix whose conditions hold on a launch is proposed for it." if several else ""
    out = [section("Fix" if not several else "Fixes", [Paragraph(text)] if text else [], name="fixes")]
    for fix in entry.fixes:
        blocks: list[Block] = []
        conditions = tuple(fix_conditions(index, fix))
        if conditions:
            blocks += [Paragraph("It suits a launch:"), Bullets(conditions)]
        elif several:
            blocks.append(Paragraph("The general fix, without conditions."))
        blocks += [Bullets(fix.steps, ordered=True)] if fix.steps else []
        blocks += [Facts((Fact("Cost", fix.costs),))] if fix.costs else []
        blocks += [Facts((Fact("Typical", fix.typical),))] if fix.typical else []
        blocks += _code(fix) if fix is not entry.fix else []
        folded = several and fix is not entry.fix
        out.append(section(fix.summary, blocks, name=anchor(fix.id), level=3, folded=folded))
    return out


def _measured(shown: Sequence[tuple[Recorded, Step]]) -> list[Section]:
    """Return the measured gain of each exercise whose version shows the cause."""
    rows: list[tuple[Cell, ...]] = []
    for one, step in shown:
        found = one.gain(step.step)
        first = first_diagnosis(step.launch) if step.launch is not None else None
        gain = first.speedup if first is not None else None
        after = next((s.time_ns for s in one.steps if found is not None and s.step is found[1]), None)
        also = next((m.but for m in found[1].mends if m.step == step.step.id), "") if found is not None else ""
        rows.append(
            (
                Cell(f"{one.exercise.number}. {one.exercise.title}", link=course(one.exercise.number)),
                Cell(f"{step.step.id} → {found[1].id}" if found else step.step.id),
                Cell(time_text(step.time_ns) if step.time_ns is not None else "–"),
                Cell(time_text(after) if after is not None else "–"),
                Cell(speedup_text(found[0]) if found is not None else "–"),
                Cell(estimate_text(gain) if gain is not None else "–"),
                Cell(also),
            )
        )
    if not rows:
        return []
    columns = (
        Column("Exercise"),
        Column("Versions"),
        *(Column(name, True) for name in ("Before", "After", "Measured", "Estimated from the profile")),
        Column("The version also changes"),
    )
    if not any(row[-1].text for row in rows):
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    text = "Medians of timed runs. The estimate is for the named fix alone, the measured version may change more."
    return [section("Measured gain", [Table(columns, tuple(rows)), Paragraph(text, "dim")], name="measured")]


def course(number: int) -> str:
    """Return the address of an exercise."""
    return f"course/{number:02d}"


def _evidence(shown: Sequence[tuple[Recorded, Step]]) -> list[Section]:
    """Return the recorded profile of the first version that shows the cause."""
    found = next(((one, step) for one, step in shown if step.launch is not None), None)
    if found is None:
        return []
    one, step = found
    launch = step.launch
    assert launch is not None
    first = first_diagnosis(launch)
    about = f"Exercise {one.exercise.number}, version {step.step.id}. {one.origin}"
    blocks: list[Block] = [Paragraph(about, "dim"), Facts(shape_facts(launch))]
    if first is not None:
        blocks.append(Table(EVIDENCE_COLUMNS, tuple(evidence_cells(first.evidence))))
    out = [section("Recorded evidence", blocks, name="evidence")]
    out.append(section("Utilisation and stalls", utilisation_bars(launch), level=3))
    if launch.issue_slots is not None:
        out.append(section(ISSUE_SLOTS, slots_blocks(launch.issue_slots), level=3))
    drawn = rooflines([Point(launch)])
    out += [
        section("Roofline", [Picture(chart), Paragraph(rest, "dim") if rest else None], level=3)
        for chart, rest in drawn
    ]
    return out


def _related(index: Index, place: Place, entry: DiagnosisDef) -> list[Section]:
    """Return the symptoms that lead here, the causes to tell apart, the caveats that concern it, and more to read."""
    stalls = [p for p in index.naming(entry.id) if p.kind == "stall" and entry.id in (p.content.get("leads_to") or ())]
    told = [n.removeprefix(_FOUND) for n in _conditions(entry) if n.startswith(_FOUND)]
    told += [p.id for p in index.naming(f"{_FOUND}{entry.id}") if p.kind == place.kind]
    caveats = [p for p in index.naming(entry.id) if p.kind == "trust" and p.id != entry.id]
    apart = [p for name in dict.fromkeys(told) if (p := index.of(name)) is not None and p.id != entry.id]
    more = [p for name in entry.see if (p := index.of(name)) is not None and p not in apart]
    groups = (("Stalls that lead here", stalls), ("Decided against", apart), ("Caveats", caveats), ("See also", more))
    rows = tuple(Fact(name, ", ".join(f"{p.kind}:{p.id}" for p in found)) for name, found in groups if found)
    return [section("Related", [Facts(rows)], name="related")] if rows else []
