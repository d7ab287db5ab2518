"""A session as a page: the results for each kernel, its evidence and versions, then the conversation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

from msgspec import Struct, structs
from msgspec.structs import replace

from advisor.compare.records import Pair
from advisor.practice.predictions import MINE
from advisor.practice.state import Prediction
from advisor.records.diagnosis import ENDS, LaunchDiagnosis, first_diagnosis, is_settled, report_path
from advisor.session.cards import NOTHING_MISSING
from advisor.session.experiments.versions import log_table
from advisor.session.practice import exercising
from advisor.session.practice.exercising import Exercising
from advisor.session.practice.pages import standing
from advisor.session.records import Card, Experiment
from advisor.session.state import State
from advisor.session.views import located
from advisor.view.blocks import (
    Block,
    Bullets,
    Cell,
    Code,
    Column,
    Command,
    Fact,
    Facts,
    Line,
    Outline,
    Page,
    Paragraph,
    Picture,
    Plain,
    Section,
    Table,
    Turn,
    for_report,
    in_lines,
    section,
)
from advisor.view.charts import roofline_text
from advisor.view.charts.canvas import plain
from advisor.view.charts.roofline import Point, place_of, rooflines
from advisor.view.numbers import estimate_text, rate_text, speedup_text, time_text
from advisor.view.pages.compare import pair_sections
from advisor.view.pages.launch import evidence_rows, launch_blocks
from advisor.view.pages.timeline import timeline_page
from advisor.view.text import NAME_WIDTH, cut, file_name, sentence, shown, title_text

# Kinds of cards that the page shows elsewhere, or that describe the program.
_LEFT_OUT = ("overview", "help", "steps")


def conversation(cards: Iterable[Card]) -> list[Card]:
    """Return the cards that matter to a reader; the card that names the saved file is left out."""
    return [
        card for card in cards if card.kind not in _LEFT_OUT and not (card.kind == "note" and card.title == "Saved")
    ]


class Step(Struct, frozen=True):
    """A change from one version to the next: the names of both, a description of the change, and both compared."""

    before: str
    after: str
    change: str
    pair: Pair


class Subject(Struct, frozen=True):
    """A kernel that the session is about.

    launch: None if nothing was concluded or its report is no longer open; revealed: whether its class was shown; cards:
    all turns about it, former versions included; experiments, earlier, steps: its versions, empty if there is only one.
    """

    position: int | None
    launch: LaunchDiagnosis | None
    revealed: bool
    cards: tuple[Card, ...]
    experiments: tuple[Experiment, ...] = ()
    earlier: tuple[tuple[LaunchDiagnosis, str], ...] = ()
    steps: tuple[Step, ...] = ()

    @property
    def name(self) -> str:
        """Return the kernel's name, with the number of its launch if there is only one version."""
        if self.launch is not None:
            return cut(shown(self.launch.kernel), NAME_WIDTH) if self.steps else title_text(self.launch, 0)
        return next((card.title for card in self.cards if card.kind == "overview"), "")

    @property
    def version(self) -> str:
        """Return the name of the current version, empty if there is only one."""
        return self.experiments[-1].version if self.experiments else ""


def subjects(state: State) -> tuple[Subject, ...]:
    """Return the kernels in the order they were shown; cards about no kernel come first, with position None."""
    whole = state.numbers
    places: dict[int | None, list[Card]] = {}
    for card in state.cards:
        place = (state.position if state.position is not None else 0) if whole else card.position
        places.setdefault(place, []).append(card)
    if state.launch is not None and state.place == "launch":
        places.setdefault(state.position, [])
    return tuple(
        _made_subject(state, place, tuple(places[place])) for place in sorted(places, key=lambda p: p is not None)
    )


def _made_subject(state: State, position: int | None, cards: tuple[Card, ...]) -> Subject:
    launch = _launch(state, position, cards)
    revealed = any(card.kind == "class" and not card.past for card in cards)
    revealed = revealed or (state.numbers and launch is not None and launch.verdict.id != "undetermined")
    steps = _steps(state, cards)
    if not steps:
        return Subject(position, launch, revealed, cards)
    return Subject(position, launch, revealed, cards, state.experiments, state.earlier, steps)


def _launch(state: State, position: int | None, cards: Sequence[Card]) -> LaunchDiagnosis | None:
    """Return the launch at this position; None if the report of the conversation was replaced by another one."""
    if position is None or state.diagnosis is None or position >= len(state.diagnosis.launches):
        return None
    launch = state.diagnosis.launches[position]
    names = [card.title for card in cards if card.kind == "overview" and not card.past]
    return launch if not names or names[-1] == launch.kernel or state.numbers else None


def _steps(state: State, cards: Iterable[Card]) -> tuple[Step, ...]:
    """Return the comparisons of the versions; the log has one row for each and one for the original version."""
    pairs = {card.finding: card.detail for card in cards if card.kind == "compared" and isinstance(card.detail, Pair)}
    rows = state.experiments
    return tuple(
        Step(before.version, row.version, row.change, pairs[row.version])
        for before, row in pairwise(rows)
        if row.version in pairs
    )


def class_summary(subject: Subject) -> str:
    """Return the class and the reason for it; if the first of several versions had another class, return that too."""
    launch = subject.launch
    if launch is None:
        return "no diagnosis"
    now = f"{launch.verdict.title or launch.verdict.id}: {launch.verdict.because}"
    if subject.earlier and subject.earlier[0][0].verdict.id != launch.verdict.id:
        first = subject.earlier[0][0].verdict
        return f"{first.title or first.id} at first, in {subject.version} {now}"
    return now


def first_summary(subject: Subject) -> str:
    """Return the first finding with its estimated speedup; with several versions, those of the first and the last."""
    if subject.earlier:
        begun = _first(subject.earlier[0][0])
        now = _first(subject.launch) if subject.launch is not None else "nothing"
        return f"{begun} at first; in {subject.version}: {now}"
    return _first(subject.launch) if subject.launch is not None else "no finding"


def _first(launch: LaunchDiagnosis) -> str:
    found = first_diagnosis(launch)
    if found is None:
        return "no finding to fix"
    if found.id in ENDS:
        return f"nothing: {found.title}" if is_settled(launch, found) else f"possibly nothing: {found.title}"
    return found.title if found.speedup is None else f"{found.title}, estimated speedup {estimate_text(found.speedup)}"


def gain_summary(subject: Subject) -> str:
    """Return the measured speedup of the changes; with only one version, a text that nothing was measured."""
    if not subject.steps:
        found = first_diagnosis(subject.launch) if subject.launch is not None else None
        if found is not None and subject.launch is not None and is_settled(subject.launch, found):
            return "no change was tried: the kernel is near the limit of the GPU"
        return "not measured: no report of a changed version was given"
    first, last = subject.experiments[0], subject.experiments[-1]
    judged = subject.steps[-1].pair.judged
    if not first.duration_ns or not last.duration_ns:
        return "unknown: the time of a version is missing" if judged is None else speedup_text(judged.speedup)
    span = f"{time_text(first.duration_ns)} in {first.version}, {time_text(last.duration_ns)} in {last.version}"
    if judged is not None and len(subject.steps) == 1 and judged.word == "same":
        return f"{span}: no difference beyond noise"
    ratio = first.duration_ns / last.duration_ns
    return f"{span}: {speedup_text(ratio)}" if ratio >= 1 else f"{span}: slower, {speedup_text(1 / ratio)} the time"


_Evidence = list[tuple[str, tuple[str, ...], tuple[str, ...]]]


def evidence(launch: LaunchDiagnosis) -> list[tuple[str, _Evidence]]:
    """Return the evidence of the class, then of each finding: title, rows of text, comparisons and sources."""
    found = [(launch.verdict.title or launch.verdict.id, launch.verdict.evidence)]
    found += [(finding.title, finding.evidence) for finding in launch.findings]
    return [(title, evidence_rows(items)) for title, items in found if items]


def cites(kernels: Sequence[Subject]) -> tuple[str, ...]:
    """Return the keys of all sources behind the cards shown, in the order of their first use."""
    keys: dict[str, None] = {}
    for subject in kernels:
        if subject.launch is not None and subject.revealed:
            for finding in subject.launch.findings:
                keys.update(dict.fromkeys(finding.cites))
            for _, rows in evidence(subject.launch):
                keys.update(dict.fromkeys(key for _, _, sources in rows for key in sources))
        for step in subject.steps:
            keys.update(dict.fromkeys((*step.pair.next.cites, *(k for c in step.pair.conditions for k in c.cites))))
        for card in subject.cards:
            proof = getattr(card.detail, "proof", None) if card.kind == "proof" else None
            keys.update(dict.fromkeys(key for rule in getattr(proof, "rules", ()) for key in rule.cites))
            rules = card.detail if card.kind == "proof" and isinstance(card.detail, tuple) else ()
            keys.update(dict.fromkeys(key for rule in rules for key in getattr(rule, "cites", ())))
    return tuple(keys)


def practice_section(state: State) -> Section | None:
    """Return each exercise with the work on it, and each prediction with the answer; None if no exercise was opened."""
    every = opened_exercises(state)
    if not every:
        return None
    done = tuple((Cell(_title(one)), Cell(_so_far(one))) for one in every)
    blocks: list[Block] = [
        Paragraph("From the practice record on this machine, including earlier work.", "dim"),
        Table((Column("Exercise"), Column("So far")), done),
    ]
    predicted = tuple(_prediction_row(one, p) for one in every for p in one.known.predictions)
    columns = ("Exercise", "Version", "Predicted", "Actual", "Points")
    if predicted:
        blocks.append(Table(tuple(Column(name, name == "Points") for name in columns), predicted))
    return section("Exercises", blocks, name="practised")


def opened_exercises(state: State) -> tuple[Exercising, ...]:
    """Return the exercises in the order in which they were opened."""
    here = state.exercising
    return () if here is None else tuple(Exercising(lesson=lesson) for lesson in here.worked)


def _so_far(one: Exercising) -> str:
    waiting = ["a prediction whose answer is hidden"] if any(p.points is None for p in one.known.predictions) else []
    return "; ".join((*standing(one), *waiting)) or "nothing yet"


def _title(one: Exercising) -> str:
    return f"{one.lesson.exercise.title} ({one.lesson.exercise.name})"


def _prediction_row(one: Exercising, made: Prediction) -> tuple[Cell, ...]:
    shown = made.points is not None
    if one.reads:
        said, is_ = _read_said(one, made.cause, made.estimate), _read_said(one, made.actual_cause, made.actual_estimate)
        points = Cell(f"{made.points} of 100", made.points) if shown else Cell("")
        name = Cell(one.lesson.exercise.name)
        return name, Cell(made.step), Cell(said), Cell(is_ if shown else "not shown yet"), points
    is_ = _said(one, made.actual_class, made.actual_cause, made.actual_speedup) if shown else "not shown yet"
    # The last version has no next version to compare with.
    last = made.step == one.lesson.exercise.stages[-1].id
    is_ = is_ if not shown or last or made.actual_speedup is None else f"{is_} measured"
    points = Cell(f"{made.points} of 100", made.points) if shown else Cell("")
    said = _said(one, made.class_id, made.cause, made.speedup)
    return Cell(one.lesson.exercise.name), Cell(_version(one, made)), Cell(said), Cell(is_), points


def _version(one: Exercising, made: Prediction) -> str:
    """Return the number of a later version until its answer is shown, since its name reveals the change."""
    ids = [step.id for step in one.lesson.exercise.stages]
    if made.step == MINE:
        return exercising.YOUR_VERSION
    hidden = made.points is None and made.step in ids[1:]
    return f"{ids.index(made.step) + 1} of {len(ids)}" if hidden else made.step


def _read_said(one: Exercising, cause: str, time: float | None) -> str:
    return ", ".join(part for part in (one.title(cause), "" if time is None else time_text(time)) if part)


def _said(one: Exercising, class_id: str, cause: str, speedup: float | None) -> str:
    gain = speedup_text(speedup) if speedup is not None else "not measured"
    return ", ".join(part for part in (one.title(class_id), one.title(cause), gain) if part)


_NAME = 200
_MOST = 60  # maximum number of rows of missing metrics


def session_document(state: State) -> Page:
    """Return the whole session. A kernel whose class was not shown in the session gets no conclusions."""
    every = subjects(state)
    kernels = [one for one in every if one.position is not None]
    parts: list[Section] = []
    if len(kernels) > 1:
        parts.append(section("Kernels", [_table(kernels)], name="kernels"))
    for subject in kernels:
        parts += _subject(state, subject, alone=len(kernels) == 1)
    if state.timeline is not None:
        parts += [
            structs.replace(part, id=part.id and f"timeline-{part.id}")
            for part in timeline_page(state.timeline).sections
        ]
    practised = practice_section(state)
    parts += [practised] if practised is not None else []
    general = conversation(card for one in every if one.position is None for card in one.cards)
    if general:
        parts.append(section("General", turns(general), name="general"))
    keys = cites(kernels)
    if keys:
        parts.append(
            section(
                "Sources", [Bullets(tuple(f"`{key}`: {state.knowledge.source(key)}" for key in keys))], name="sources"
            )
        )
    return Page(title(state, kernels), tuple(_made(state, kernels)), tuple(parts))


def title(state: State, kernels: Sequence[Subject]) -> str:
    """Return the kernel and its GPU; if there are several kernels or none, the names of the inputs."""
    if len(kernels) == 1 and kernels[0].name:
        launch = kernels[0].launch
        card = (launch.known_as or launch.gpu_name or state.gpu) if launch is not None else ""
        return f"{kernels[0].name}{f' on {shown(card)}' if card else ''}: a session"
    names = [file_name(path) for path in (*state.paths, *state.traces)]
    return f"{', '.join(names)[:_NAME]}: a session" if names else "A session without a report"


def _made(state: State, kernels: Sequence[Subject]) -> list[Block]:
    made: list[Block] = []
    concluded = [one for one in kernels if one.revealed and one.launch is not None]
    if len(kernels) == 1 and concluded:
        made.append(_summary(concluded[0]))
    elif not concluded and state.timeline is None:
        made.append(Paragraph("No conclusion was shown in this session.", "lead"))
    if state.diagnosis is not None and not state.numbers:
        made += [
            Paragraph(f"{info.path} · {info.tool}" if info.tool else info.path, "dim")
            for info in state.diagnosis.reports
        ]
        problems = [Fact("Caveat", f"{i.path}: {p}", "warn") for i in state.diagnosis.reports for p in i.problems]
        made += [Facts(tuple(problems))] if problems else []
    elif state.numbers:
        made.append(Paragraph("Without a report: all numbers were typed.", "dim"))
    return made


def _summary(subject: Subject) -> Facts:
    rows = (
        ("Class", class_summary(subject)),
        ("Fix first", first_summary(subject)),
        ("Measured", gain_summary(subject)),
    )
    return Facts(tuple(Fact(label, text, "lead" if label == "Fix first" else "plain") for label, text in rows))


def _table(kernels: Sequence[Subject]) -> Table:
    columns = (Column("Kernel"), Column("Time", True), Column("Class"), Column("Fix first"), Column("Measured"))
    rows = []
    for subject in kernels:
        launch, shows = subject.launch, subject.revealed and subject.launch is not None
        time = None if launch is None else launch.duration_ns
        rows.append(
            (
                Cell(subject.name, link=_link(subject)),
                Cell("unknown" if time is None else time_text(time), time),
                Cell(launch.verdict.title if shows and launch is not None else "not shown"),
                Cell(first_summary(subject) if shows else "not shown"),
                Cell(gain_summary(subject) if shows else ""),
            )
        )
    return Table(columns, tuple(rows), sortable=True)


def _link(subject: Subject) -> str:
    return f"kernel-{subject.position}"


def _subject(state: State, subject: Subject, *, alone: bool) -> list[Section]:
    """Return the sections of a kernel; if there are several kernels, each begins with its own heading."""
    parts: list[Section] = []
    name = "" if alone else f"-{subject.position}"
    launch = subject.launch
    if launch is not None and subject.revealed:
        parts = _told(state, subject, launch, name)
    above = [block for part in parts for block in part.blocks]
    talk = turns(conversation(subject.cards), brief=bool(subject.steps), above=above)
    if talk:
        parts.append(section("Conversation", talk, name=f"conversation{name}"))
    if alone:
        return parts
    head = (
        [_summary(subject)] if launch is not None and subject.revealed else [Paragraph("Its conclusion was not shown.")]
    )
    return [section(subject.name, head, name=_link(subject)), *(structs.replace(part, level=3) for part in parts)]


def _told(state: State, subject: Subject, launch: LaunchDiagnosis, name: str) -> list[Section]:
    of = f" ({subject.version})" if subject.version else ""
    found = tuple(located(state, finding, subject.position) for finding in launch.findings)
    page = launch_blocks(structs.replace(launch, findings=found), {})
    blocks = for_report(page, report_path(state.diagnosis, launch))
    parts: list[Section] = []
    if subject.steps:
        whole = f"Speedup: over the previous version. Total: {gain_summary(subject)}."
        log: list[Block] = [log_table(subject.experiments), Paragraph(whole, "dim")]
        parts.append(section("Versions", log, name=f"versions{name}"))
        for step in subject.steps:
            heading = f"{step.before} → {step.after}{f': {cut(shown(step.change), _NAME)}' if step.change else ''}"
            parts += pair_sections(step.pair, f"{step.after}{name}", heading=heading)
    parts.append(section(f"Conclusions{of}", blocks.first, name=f"concluded{name}"))
    for heading, body, more in blocks.rest:
        # The evidence of all conclusions and the open questions have their own sections below.
        if body and heading not in ("Evidence", "Open questions"):
            parts.append(section(heading, body, level=3, folded=more))
    if evidence(launch):
        parts.append(section(f"Evidence{of}", _evidence(launch), name=f"evidence{name}"))
    for former, version in subject.earlier:
        if evidence(former):
            parts.append(section(f"Evidence ({version})", _evidence(former), level=3, folded=True))
    expected = expected_blocks(subject)
    if expected:
        parts.append(section("Prediction and result", expected, name=f"expected{name}"))
    drawn = roofline_section(state, subject, launch)
    parts += [structs.replace(drawn, id=f"roofline{name}")] if drawn is not None else []
    parts.append(section("Unknown", _unknown(state, subject, launch), name=f"unknown{name}"))
    return parts


def _evidence(launch: LaunchDiagnosis) -> list[Block]:
    columns = (Column("Conclusion"), Column("Observation"), Column("Value and test"), Column("Source"))
    rows = tuple(
        (Cell(title), Cell(sentence(says)), Cell("; ".join(tests)), Cell(", ".join(f"`{key}`" for key in sources)))
        for title, found in evidence(launch)
        for says, tests, sources in found
    )
    notes = [Bullets(launch.verdict.notes)] if launch.verdict.notes else []
    return [Table(columns, rows, sortable=True), *notes]


def _unknown(state: State, subject: Subject, launch: LaunchDiagnosis) -> list[Block]:
    """Return the checks that lacked data, how to collect it, the unknown answers, and the questions still open."""
    blocks: list[Block] = []
    asks = {ask.id: ask.ask for ask in state.knowledge.interview} | {q.id: q.ask for q in launch.questions}
    asks |= {card.finding: card.title for card in subject.cards if card.kind == "question"}
    places = (None, subject.position)
    rows = [
        Fact(label, asks.get(question, question))
        for label, given in (("Answered with I don't know", state.unknown), ("Skipped", state.put_off))
        for place, question in given
        if place in places
    ]
    said = {question for place, question in (*state.unknown, *state.put_off) if place in places}
    for item in launch.questions:
        if item.id not in said:
            would = (
                f" The answer affects: {', '.join(map(state.knowledge.title, item.would_change))}."
                if item.would_change
                else ""
            )
            rows.append(Fact("Not asked", f"{item.ask}{would}"))
    if state.numbers and state.wanted:
        rows.append(Fact("Still useful", ", ".join(asks.get(name, name) for name in state.wanted)))
    blocks += [Facts(tuple(rows))] if rows else []
    if launch.missing and not state.numbers:
        wanted = [(m.metric, ", ".join(map(state.knowledge.title, m.needed_for))) for m in launch.missing]
        cells = tuple((Cell(metric), Cell(what)) for metric, what in wanted[:_MOST])
        blocks += [
            Paragraph("Metrics that were not collected, with the findings that need them:"),
            Table((Column("Metric"), Column("Needed for")), cells),
        ]
        commands = list(dict.fromkeys(m.collect for m in launch.missing if m.collect))
        blocks += [Paragraph("Collect them with:"), *map(Command, commands)] if commands else []
    return blocks or [Paragraph(NOTHING_MISSING)]


_WIDTH = 78
_HOLLOW = "Hollow marks are earlier versions; the filled mark is the latest."


def roofline_section(state: State, subject: Subject, launch: LaunchDiagnosis) -> Section | None:
    """Return the roofline section, or the reason why it is empty; None for a typed graphics workload."""
    versions = [*subject.earlier, (launch, subject.version or "now")]
    points, before = [], None
    for at, (one, name) in enumerate(versions):
        points.append(Point(one, "", before, name if len(versions) > 1 else "", at + 1 < len(versions)))
        before = one
    if launch.scope != "launch":
        return None
    charts = rooflines(points)
    needs = _needs(state, subject)
    drawn = roofline_text.roofline(launch, earlier=subject.earlier, needs=needs, width=_WIDTH, blocks=False)
    if not charts:
        notes = [*map(Paragraph, drawn.notes), Command(drawn.collect) if drawn.collect else None]
        return section("Roofline", notes, name="roofline") if drawn.notes else None
    text = [plain(row) for row in drawn.rows] + [f"{key.sign} {key.text}" for key in drawn.keys]
    blocks: list[Block] = []
    for at, (chart, rest) in enumerate(charts):
        says = f"{chart.says} {_HOLLOW}" if len(versions) > 1 else chart.says
        blocks.append(Picture(replace(chart, says=says), (lambda width, blocks: text) if at == 0 else None))
        blocks += [Paragraph(rest, "dim")] if rest else []
    blocks.append(_roofline_table(versions))
    return section("Roofline", blocks, name="roofline")


def _roofline_table(versions: list[tuple[LaunchDiagnosis, str]]) -> Table:
    columns = (Column("Version"), Column("FLOP per byte of DRAM", True), Column("Reached", True))
    rows = []
    for one, name in versions:
        place = place_of(one)
        intensity, rate = place if place is not None else (None, None)
        reached = "unknown" if rate is None else rate_text(rate, "FLOP/s")
        rows.append(
            (Cell(name), Cell("unknown" if intensity is None else f"{intensity:.3g}", intensity), Cell(reached, rate))
        )
    return Table(columns, tuple(rows))


def _needs(state: State, subject: Subject) -> roofline_text.AlgorithmNeeds | None:
    """Return the work that the algorithm needs; None unless both of its numbers were answered."""
    places = (None,) if state.numbers else (subject.position, None)
    given = {question: value for place, question, value in state.answers if place in places}
    flop, size, dtype = (given.get(name) for name in ("theoretical_flop", "theoretical_bytes", "intended_dtype"))
    if not isinstance(flop, int | float) or not isinstance(size, int | float):
        return None
    return roofline_text.AlgorithmNeeds(float(flop), float(size), dtype if isinstance(dtype, str) else "")


_LABELS: Final = {"question": "Question", "answer": "Answer", "error": "That did not work", "napkin": "Napkin"}


def turns(cards: Sequence[Card], *, brief: bool = False, above: Sequence[Block] = ()) -> list[Block]:
    """Return each card as a turn, and mark the end of a former version.

    brief: the page shows the versions; above: blocks that the page shows before, whose code is not repeated.
    """
    blocks: list[Block] = []
    known = {block.lines for block in above if isinstance(block, Code)}
    for at, card in enumerate(cards):
        label = card.label or _LABELS.get(card.kind, card.kind.capitalize())
        if brief and card.kind in ("log", "compared"):
            blocks.append(Turn(label, card.title, aside="shown above"))
        else:
            blocks += _turn(label, card, known)
        if card.past and (at + 1 == len(cards) or not cards[at + 1].past):
            blocks.append(Paragraph("All entries are about an earlier version of the code.", "dim"))
    return blocks


def _turn(label: str, card: Card, known: set[tuple[str, ...]]) -> list[Block]:
    """Return a card as a turn with its first lines, then its code, commands and lists as blocks of their own.

    known: code that was shown before, which is only named; the card's own code is added.
    """
    groups: list[Block] = []
    lines: list[Line] = []
    for block in card.blocks:
        if isinstance(block, Code) and block.lines in known:
            lines.append(Line("The code of this example is shown above.", "quiet"))
        elif isinstance(block, Code | Command | Bullets | Table | Plain):
            groups += [Outline(tuple(lines)), block] if lines or not groups else [block]
            lines = []
            known |= {block.lines} if isinstance(block, Code) else set()
        else:
            lines += in_lines((block,))
    groups += [Outline(tuple(lines))] if lines or not groups else []
    first = groups[0].lines if isinstance(groups[0], Outline) else ()
    return [Turn(label, card.title, first, card.kind == "answer", card.aside), *groups[1:]]


def expected_blocks(subject: Subject) -> list[Block]:
    """Return the user's predicted bound and the napkin math next to the measured values; empty without either."""
    rows = []
    for card in subject.cards:
        if card.kind == "napkin":
            rows.append(Fact("Napkin (earlier version)" if card.past else "Napkin", card.title, "lead"))
            rows += [Fact(x.label or "Note", x.text, "warn" if x.style == "warning" else "plain") for x in card.lines]
    for card in subject.cards:
        if card.kind == "note" and card.finding == "expect":
            label = f"{card.label} (earlier version)" if card.past else card.label
            rows.append(Fact(label, " ".join(map(sentence, (card.title, *(line.text for line in card.lines))))))
    return [Facts(tuple(rows))] if rows else []
