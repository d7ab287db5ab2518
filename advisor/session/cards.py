"""Cards made from conclusions. Every sentence about a kernel is the knowledge base's; the face adds labels."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from advisor.knowledge.texts import BOUNDS
from advisor.records.diagnosis import Comparison, Finding, LaunchDiagnosis, Location
from advisor.session import strings
from advisor.session.numbers import number_text
from advisor.session.records import Ask, Card, Line
from advisor.session.state import State, is_end, main_finding

_NO_LIMIT = 1e15  # an upper bound that is only there to keep nonsense out is not worth a word


def sentence(text: str) -> str:
    """The text with a capital at its start and a full stop at its end."""
    text = text.strip()
    if not text:
        return ""
    return text[0].upper() + text[1:] + ("" if text[-1] in ".!?:" else ".")


def overview(launch: LaunchDiagnosis, position: int, several: bool) -> Card:
    """What the launch is: kernel, shape, duration, GPU."""
    shape = f"grid {strings.shape_text(launch.grid)}, block {strings.shape_text(launch.block)}"
    gpu = launch.known_as or launch.gpu_name
    facts = [f"launch {strings.launch_number(launch, several)}"]
    facts += [] if launch.duration_ns is None else [strings.duration_text(launch.duration_ns)]
    facts += [shape] if launch.grid or launch.block else []
    facts += [gpu] if gpu else []
    return Card("overview", launch.kernel, (Line(" · ".join(facts)),), position)


def class_card(launch: LaunchDiagnosis, position: int) -> Card:
    """The class, why, and how near the decision was."""
    verdict = launch.verdict
    lines = (Line(sentence(verdict.because)),) if verdict.because else ()
    margin = strings.margin_text(verdict.margin)
    return Card("class", verdict.title or verdict.id, lines, position, label=strings.CLASS, aside=margin)


def notes_card(launch: LaunchDiagnosis, position: int) -> Card | None:
    """What is said beside the class: the leading unit, what to do with it, where ncu's plain table would differ."""
    lines = tuple(Line(sentence(note)) for note in launch.verdict.notes)
    return Card("note", launch.verdict.title or launch.verdict.id, lines, position, label="Beside") if lines else None


def finding_card(launch: LaunchDiagnosis, finding: Finding, position: int) -> Card:
    """A finding: why it is concluded and what its fix would give."""
    lines = [Line(sentence(finding.because))]
    if finding.speedup is not None:
        lines.append(Line(sentence(strings.speedup_text(finding.speedup)), "strong", "Expected"))
        if finding.speedup.how:
            lines.append(Line(sentence(finding.speedup.how), "quiet"))
    elif finding.kind == "diagnosis" and not is_end(finding):
        lines.append(Line("The gain of its fix cannot be estimated from these numbers.", "quiet"))
    lines += [Line(place_text(place), "fact", "At") for place in finding.locations[:3]]
    if finding.undecided:
        names = ", ".join(name.partition(".")[2] or name for name in finding.undecided).replace("_", " ")
        lines.append(Line(names, "unknown", "Not known"))
    first = main_finding(launch)
    kind = {"trust": "trust", "note": "note"}.get(finding.kind, "finding")
    label = {"trust": strings.TRUST, "note": strings.NOTE}.get(finding.kind, strings.ALSO)
    if finding.kind == "diagnosis" and first is not None and first.id == finding.id:
        label = strings.FIRST_LABELS.get(finding.id) or ("Nothing to fix" if is_end(finding) else "Fix first")
    return Card(
        kind, finding.title, tuple(lines), position, finding.id, label, f"confidence {finding.confidence * 100:.0f} %"
    )


def place_text(place: Location, array: str = "") -> str:
    """File, line, instruction and share; the shared array where it is known; inlined code with the nearest call."""
    array = f", {strings.ARRAY} {array}" if array else ""
    calls = "".join(f", {strings.INLINED_AT} {file}:{line}" for file, line in place.calls[:1])
    return f"{place.file}:{place.line}  {place.sass}  ({place.share * 100:.0f} %){array}{calls}"


def fix_card(finding: Finding, position: int, where: Sequence[Line] = ()) -> Card:
    """The fix: where in the code, its steps and its price."""
    fix = finding.fix
    if fix is None:
        return Card(
            "fix",
            finding.title,
            (Line("There is no fix for this: it says how far to trust or read the numbers.", "quiet"),),
            position,
            finding.id,
            strings.FIX,
        )
    lines = [*where, *(Line(step, "step") for step in fix.steps)]
    if fix.costs:
        lines.append(Line(sentence(fix.costs), "fact", "Price"))
    return Card("fix", fix.summary, tuple(lines), position, finding.id, strings.FIX)


def next_card(launch: LaunchDiagnosis, finding: Finding, position: int, exercises: Collection[str]) -> Card | None:
    """What comes after the fix: measuring again, the findings that remain, the exercise where there is one."""
    lines = []
    if not is_end(finding):
        lines.append(Line("Apply the fix, profile again with the same options, and compare the durations first."))
    rest = [f for f in launch.findings if f.kind == "diagnosis" and f.id != finding.id]
    for other in rest[:4]:
        gain = "" if other.speedup is None else f" ({strings.gain_text(other.speedup)})"
        lines.append(Line(other.title + gain, "fact", strings.ALSO))
    if finding.fix is not None and finding.fix.practice in exercises:
        lines.append(Line(f"ncu-advisor practice show {finding.fix.practice}", "fact", "Exercise"))
    if launch.missing:
        names = ", ".join(m.metric for m in launch.missing[:4]) + (" …" if len(launch.missing) > 4 else "")
        lines.append(Line(names, "unknown", "Not in the report"))
    return Card("next", finding.title, tuple(lines), position, finding.id, "What next") if lines else None


def measured(item: Comparison) -> str:
    """The number of a comparison, its test, the threshold where that is worked out, and how far apart the two are."""
    value, threshold = BOUNDS[item.bound] + number_text(item.value, item.unit), item.threshold
    worked_out = threshold is not None and any(c.isalpha() for c in item.test)
    limit = f" (here {number_text(threshold, item.unit)})" if worked_out else ""
    away = ""
    if item.margin is not None and threshold:
        away = f", {strings.margin_share(item.margin, item.value, threshold)}"
    return f"{item.metric} = {value}, test {item.test}{limit}{away}"


def held(holds: bool | None) -> str:
    """The style of a line that says whether something holds."""
    return "unknown" if holds is None else "holds" if holds else "fails"


def evidence_lines(items: Sequence[Comparison]) -> tuple[Line, ...]:
    """What each observation says, once, and under it the numbers that it rests on."""
    lines: list[Line] = []
    for item in items:
        says = Line(strings.sentence_start(item.says or item.observation), held(item.holds))
        lines += [] if says in lines else [says]
        lines.append(Line(measured(item), "quiet", depth=1))
    return tuple(lines)


def evidence_card(launch: LaunchDiagnosis, finding: Finding | None, position: int) -> Card:
    """All comparisons behind a finding, or behind the class when no finding is given."""
    items = launch.verdict.evidence if finding is None else finding.evidence
    title = launch.verdict.title if finding is None else finding.title
    lines = evidence_lines(items) or (Line("No single number stands behind this finding.", "quiet"),)
    return Card("evidence", title, lines, position, "" if finding is None else finding.id, "Evidence")


def missing_card(launch: LaunchDiagnosis, position: int) -> Card:
    """Each metric that a rule wanted, what it was wanted for, and the command that collects it (once each)."""
    lines = []
    for item in launch.missing:
        wanted = ", ".join(item.needed_for[:4]) + (" …" if len(item.needed_for) > 4 else "")
        lines.append(Line(wanted, "fact", item.metric))
    commands = list(dict.fromkeys(item.collect for item in launch.missing if item.collect))
    lines += [Line(command, "strong", "Run") for command in commands]
    body = tuple(lines) or (Line("The report lacks nothing that a rule wanted."),)
    return Card("missing", "What a rule wanted and the report lacks", body, position, label="Missing")


def question_card(ask: Ask, position: int | None) -> Card:
    """A question: what is asked, why, in which unit and range."""
    lines = [Line(sentence(ask.why), "quiet")] if ask.why else []
    if ask.kind == "number":
        lines.append(Line(sentence(range_text(ask)), "quiet"))
    at, of = ask.step
    aside = f"{at} of {of}" if of else ""
    return Card("question", ask.ask, tuple(lines), position, ask.id, "Question", aside)


def range_text(ask: Ask) -> str:
    """How a number is to be typed, and the range it must lie in where that is narrower than common sense."""
    hint = strings.UNIT_HINTS.get(ask.unit, strings.UNIT_HINTS["count"] if not ask.unit else f"a number of {ask.unit}s")
    low = "" if ask.low is None or ask.low <= 1 else number_text(ask.low, ask.unit)
    high = "" if ask.high is None or ask.high >= _NO_LIMIT else number_text(ask.high, ask.unit)
    span = f"{low or number_text(ask.low or 0, ask.unit)} to {high}" if high else f"{low} or more" if low else ""
    span = "" if ask.unit == "%" else span
    return ", ".join(part for part in (hint, span) if part)


def why_question_card(ask: Ask, state: State) -> Card:
    """Why a question is asked: its reason, and the findings that its answer could change."""
    # The reason of a number is the list of what it decides: here it comes whole.
    lines = [Line(sentence(ask.why))] if ask.why and ask.group != "metric" else []
    if ask.would_change:
        titles = ", ".join(state.lore.title(name) for name in ask.would_change)
        lines.append(Line(titles, "fact", "Could change"))
    return Card("evidence", ask.ask, tuple(lines), state.position, ask.id, strings.WHY)


def careful_card(launch: LaunchDiagnosis, position: int) -> Card | None:
    """The findings about how far the numbers can be trusted, a line each; None when there are none."""
    lines = tuple(
        Line(f"{f.title}: {f.because}" if f.because else f.title, "warning")
        for f in launch.findings
        if f.kind == "trust"
    )
    return (
        Card("trust", "How far these numbers can be trusted", lines, position, label=strings.TRUST) if lines else None
    )


def answer_card(ask: Ask, value: float | str | None, position: int | None) -> Card:
    """What the user answered, in the words of the question."""
    if value is None:
        text = strings.DONT_KNOW
    elif isinstance(value, str):
        text = next((c.label for c in ask.choices if c.id == value), value)
    else:
        text = number_text(value, ask.unit)
    note = (
        (Line("Noted. The conclusions stand on what is known without it.", "quiet"),)
        if value is None and ask.group == "question"
        else ()
    )
    return Card("answer", text, note, position, ask.id, strings.YOU)


def help_card(position: int | None) -> Card:
    """The commands and how to answer."""
    lines = [Line(what, "fact", name) for name, what in strings.COMMANDS]
    lines += [Line(hint, "quiet") for hint in strings.HELP_HINTS]
    return Card("help", "What you can type", tuple(lines), position, label="Help")
