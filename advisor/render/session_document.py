"""A session as a document for somebody who was not there: the outcome, then why, what was tried, what was said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from advisor.catalog.texts import BOUNDS
from advisor.dialogue import face
from advisor.dialogue.state import State
from advisor.model import Comparison, LaunchDiagnosis
from advisor.pipelines.compare.words import amount, times
from advisor.render.compare_document import pair_sections
from advisor.render.document import (
    Block,
    Bullets,
    Cell,
    Column,
    Command,
    Document,
    Fact,
    Facts,
    Paragraph,
    Section,
    Table,
)
from advisor.render.document import section as made_section
from advisor.render.launch_blocks import launch_blocks
from advisor.render.session_practice import practice_section
from advisor.render.session_roofline import roofline_section
from advisor.render.session_story import (
    Subject,
    cites,
    class_told,
    conversation,
    evidence,
    first_told,
    gave_told,
    subjects,
)
from advisor.render.session_turns import expected_blocks, turns
from advisor.render.text import cut, shown, time_text
from advisor.render.timeline_document import timeline_document

_NAME = 200
_PLAIN_UNITS = ("", "ratio", "count", "bool")
_MOST = 60  # rows of what a report lacks


def session_document(state: State) -> Document:
    """The whole session. Nothing is told of a kernel before its class was shown in the session."""
    every = subjects(state)
    told = [one for one in every if one.position is not None]
    parts: list[Section] = []
    if len(told) > 1:
        parts.append(made_section("Kernels that were looked at", [_table(told)], name="kernels"))
    for subject in told:
        parts += _subject(state, subject, alone=len(told) == 1)
    if state.timeline is not None:
        parts += [
            replace(part, id=part.id and f"timeline-{part.id}") for part in timeline_document(state.timeline).sections
        ]
    practised = practice_section(state)
    parts += [practised] if practised is not None else []
    general = conversation(card for one in every if one.position is None for card in one.cards)
    if general:
        parts.append(made_section("Said about no kernel", turns(general), name="general"))
    keys = cites(told)
    if keys:
        parts.append(
            made_section(
                "Sources", [Bullets(tuple(f"`{key}`: {state.lore.source(key)}" for key in keys))], name="sources"
            )
        )
    return Document(title(state, told), tuple(_made(state, told)), tuple(parts))


def title(state: State, told: Sequence[Subject]) -> str:
    """The kernel and its card; what was read where there are several or none."""
    if len(told) == 1 and told[0].name:
        launch = told[0].launch
        card = (launch.known_as or launch.gpu_name or state.gpu) if launch is not None else ""
        return f"{told[0].name}{f' on {shown(card)}' if card else ''}: a session"
    names = [path.replace("\\", "/").rpartition("/")[2] for path in (*state.paths, *state.traces)]
    return f"{', '.join(names)[:_NAME]}: a session" if names else "A session without a report"


def _made(state: State, told: Sequence[Subject]) -> list[Block]:
    made: list[Block] = []
    concluded = [one for one in told if one.told and one.launch is not None]
    if len(told) == 1 and concluded:
        made.append(_summary(concluded[0]))
    elif not concluded and state.timeline is None:
        made.append(Paragraph("No conclusion was shown in this session.", "lead"))
    if state.diagnosis is not None and not state.numbers:
        made += [
            Paragraph(f"{info.path} · {info.tool}" if info.tool else info.path, "dim")
            for info in state.diagnosis.reports
        ]
        problems = [Fact("Careful", f"{i.path}: {p}", "warn") for i in state.diagnosis.reports for p in i.problems]
        made += [Facts(tuple(problems))] if problems else []
    elif state.numbers:
        made.append(Paragraph("Without a report: all numbers were typed, as read off a screen.", "dim"))
    return made


def _summary(subject: Subject) -> Facts:
    rows = (("Class", class_told(subject)), ("Fix first", first_told(subject)), ("What it gave", gave_told(subject)))
    return Facts(tuple(Fact(label, text, "lead" if label == "Fix first" else "plain") for label, text in rows))


def _table(told: Sequence[Subject]) -> Table:
    columns = (Column("kernel"), Column("time", True), Column("class"), Column("fix first"), Column("what it gave"))
    rows = []
    for subject in told:
        launch, shows = subject.launch, subject.told and subject.launch is not None
        time = None if launch is None else launch.duration_ns
        rows.append(
            (
                Cell(subject.name, link=_link(subject)),
                Cell("unknown" if time is None else time_text(time), time),
                Cell(launch.verdict.title if shows and launch is not None else "not shown"),
                Cell(first_told(subject) if shows else "not shown"),
                Cell(gave_told(subject) if shows else ""),
            )
        )
    return Table(columns, tuple(rows), sortable=True)


def _link(subject: Subject) -> str:
    return f"kernel-{subject.position}"


def _subject(state: State, subject: Subject, *, alone: bool) -> list[Section]:
    """The parts of a kernel; of several, each begins with a heading of its own, and its parts stand under it."""
    parts: list[Section] = []
    name = "" if alone else f"-{subject.position}"
    launch = subject.launch
    if launch is not None and subject.told:
        parts = _told(state, subject, launch, name)
    talk = turns(conversation(subject.cards), brief=bool(subject.steps))
    if talk:
        parts.append(made_section("The conversation", talk, name=f"conversation{name}"))
    if alone:
        return parts
    head = [_summary(subject)] if launch is not None and subject.told else [Paragraph("Its conclusion was not shown.")]
    return [made_section(subject.name, head, name=_link(subject)), *(replace(part, level=3) for part in parts)]


def _told(state: State, subject: Subject, launch: LaunchDiagnosis, name: str) -> list[Section]:
    of = f" ({subject.version})" if subject.version else ""
    blocks = launch_blocks(launch, {})
    parts: list[Section] = []
    if subject.steps:
        parts.append(made_section("The versions", [_log(subject), _together(subject)], name=f"versions{name}"))
        for step in subject.steps:
            heading = f"{step.before} → {step.after}{f': {cut(shown(step.change), _NAME)}' if step.change else ''}"
            parts += pair_sections(step.pair, f"{step.after}{name}", heading=heading)
    parts.append(made_section(f"What was concluded{of}", blocks.first, name=f"concluded{name}"))
    for heading, body, more in blocks.rest:
        # The evidence of all conclusions, and what is open, have parts of their own below.
        if body and heading not in ("Evidence", "What is left open"):
            parts.append(made_section(heading, body, level=3, folded=more))
    if evidence(launch):
        parts.append(made_section(f"Evidence{of}", _evidence(launch), name=f"evidence{name}"))
    for former, version in subject.earlier:
        if evidence(former):
            parts.append(made_section(f"Evidence ({version})", _evidence(former), level=3, folded=True))
    expected = expected_blocks(subject)
    if expected:
        parts.append(made_section("Expected beforehand, and what came", expected, name=f"expected{name}"))
    drawn = roofline_section(state, subject, launch)
    parts += [replace(drawn, id=f"roofline{name}")] if drawn is not None else []
    parts.append(made_section("What is not known", _unknown(state, subject, launch), name=f"unknown{name}"))
    return parts


def _log(subject: Subject) -> Table:
    columns = (
        Column("version"),
        Column("change"),
        Column("time", True),
        Column("speed", True),
        Column("seen"),
        Column("next"),
    )
    rows = []
    for row in subject.experiments:
        time = amount(row.duration_ns, "ns") if row.duration_ns is not None else "unknown"
        speed = "" if row.ratio is None else times(row.ratio)
        rows.append(
            (
                Cell(row.version),
                Cell(row.change),
                Cell(time, row.duration_ns),
                Cell(speed, row.ratio),
                Cell(row.observation),
                Cell(row.next_step),
            )
        )
    return Table(columns, tuple(rows))


def _together(subject: Subject) -> Paragraph:
    return Paragraph(f"Speed: the time of the version before over this one's. In all: {gave_told(subject)}.", "dim")


def _evidence(launch: LaunchDiagnosis) -> list[Block]:
    columns = (
        Column("conclusion"),
        Column("what was seen"),
        Column("metric"),
        Column("value", True),
        Column("unit"),
        Column("threshold"),
        Column("margin", True),
        Column("source"),
    )
    rows = [_row(head, item) for head, items in evidence(launch) for item in items]
    notes = Bullets(launch.verdict.notes) if launch.verdict.notes else None
    remark = Paragraph("The margin is the distance from the threshold, as a share of it.", "dim")
    return [block for block in (Table(columns, tuple(rows), sortable=True), remark, notes) if block is not None]


def _row(head: str, item: Comparison) -> tuple[Cell, ...]:
    value = "unknown" if item.value is None else f"{BOUNDS[item.bound]}{item.value:,.4g}"
    worked_out = item.threshold is not None and any(c.isalpha() for c in item.test)
    limit = f" (here {item.threshold:,.4g})" if worked_out else ""
    share = item.margin if item.threshold else None
    return (
        Cell(head),
        Cell(face.sentence_start(item.says)),
        Cell(item.metric),
        Cell(value, item.value),
        Cell("" if item.unit in _PLAIN_UNITS else item.unit),
        Cell(f"{item.test}{limit}"),
        Cell("" if share is None else f"{100 * share:+,.0f} %", share),
        Cell(", ".join(f"`{key}`" for key in item.cites)),
    )


def _unknown(state: State, subject: Subject, launch: LaunchDiagnosis) -> list[Block]:
    """What could not be looked at and how to collect it, what the user did not know, what would still decide."""
    blocks: list[Block] = []
    asks = {ask.id: ask.ask for ask in state.lore.interview} | {q.id: q.ask for q in launch.questions}
    asks |= {card.finding: card.title for card in subject.cards if card.kind == "question"}
    places = (None, subject.position)
    rows = [
        Fact(label, asks.get(question, question))
        for label, given in (("Not known to the user", state.unknown), ("Put off", state.put_off))
        for place, question in given
        if place in places
    ]
    said = {question for place, question in (*state.unknown, *state.put_off) if place in places}
    for item in launch.questions:
        if item.id not in said:
            would = (
                f" It would decide: {', '.join(map(state.lore.title, item.would_change))}." if item.would_change else ""
            )
            rows.append(Fact("Not asked", f"{item.ask}{would}"))
    if state.numbers and state.wanted:
        rows.append(Fact("Would still count", ", ".join(asks.get(name, name) for name in state.wanted)))
    blocks += [Facts(tuple(rows))] if rows else []
    if launch.missing and not state.numbers:
        wanted = [(m.metric, ", ".join(map(state.lore.title, m.needed_for))) for m in launch.missing]
        cells = tuple((Cell(metric), Cell(what)) for metric, what in wanted[:_MOST])
        blocks += [
            Paragraph("Unknown, and so is what it was wanted for:"),
            Table((Column("metric"), Column("wanted for")), cells),
        ]
        commands = list(dict.fromkeys(m.collect for m in launch.missing if m.collect))
        blocks += [Paragraph("What collects it:"), *map(Command, commands)] if commands else []
    return blocks or [Paragraph("Nothing that a rule wanted is missing.")]
