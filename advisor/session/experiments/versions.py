"""Versions of the code: a new report or new numbers against the old, and the experiment log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from advisor.compare.compare import compare_diagnoses
from advisor.compare.matching import match, runs_of
from advisor.compare.records import Compared, FindingChange, Pair
from advisor.compare.words import amount, percent, plain_percent, times
from advisor.records.diagnosis import ENDS, Diagnosis, LaunchDiagnosis
from advisor.records.errors import UsageError
from advisor.session import cards as make
from advisor.session.experiments.timeline import timeline_card
from advisor.session.records import Card, Experiment, Line, VersionComparison
from advisor.session.requests import CompareVersion, Read, Trace
from advisor.session.state import State, main_finding
from advisor.session.transitions import add, ask_number, conclusion, note, wait
from advisor.timeline.results import TimelineResult
from advisor.view.numbers import short_gain_text, time_text
from advisor.view.text import sentence

if TYPE_CHECKING:
    from advisor.knowledge.base import Catalog
    from advisor.session.executor import Judged


VERSION: Final = "v{number}"
JUDGED: Final = {
    "faster": "Faster: {speed} as fast",
    "slower": "Slower: it takes {speed} as long",
    "same": "No difference that could be told from noise",
    "unknown": "Without both times nothing can be said of faster or slower",
}
ADVICE: Final = {
    "go_on": "go on: {title}",
    "stop": "stop",
    "go_back": "take the change back",
    "look": "look at what differs first",
}
NOT_COMPARED: Final = "The new version is not concluded yet: give its numbers first."
_MOST: Final = 4
_STATES: Final = (("gone", "Gone", "holds"), ("stayed", "Stayed", "text"), ("came", "Came", "warning"))


def compared_card(pair: Pair, version: str, position: int) -> Card:
    """The time first and whether it is beyond noise; then the promise, what to do, findings, traps, what moved."""
    word = pair.judged.word if pair.judged is not None else "unknown"
    speed = "" if pair.judged is None else times(max(pair.judged.speedup, 1 / pair.judged.speedup))
    lines = [*_time(pair)]
    lines += [Line(sentence(item.text), "warning", "Careful") for item in pair.conditions]
    old, new = pair.base.launch.verdict, pair.current.launch.verdict
    kept = f"{new.title}, as before"
    lines.append(Line(kept if old.id == new.id else f"{old.title} → {new.title}", "fact", "Class"))
    lines += [Line(sentence(pair.promise.text), "fact", "Promised")] if pair.promise is not None else []
    lines.append(Line(sentence(pair.next.text), "strong", "Next"))
    lines += _findings(pair.findings)
    lines += [Line(sentence(trap.text), "quiet", "Mind") for trap in pair.traps]
    shown = [row for row in pair.metrics if row.shown][:_MOST]
    for row in shown:
        before, after = amount(row.before, row.unit), amount(row.after, row.unit)
        told = f"{row.metric}: {before} → {after}"
        lines.append(Line(told, "quiet", "Moved" if row is shown[0] else " "))
    title = JUDGED[word].format(speed=speed)
    return Card("compared", title, tuple(lines), position, version, "Compared", version, detail=pair)


def _time(pair: Pair) -> list[Line]:
    sides = [amount(runs.times.median, "ns") if runs.times else "unknown" for runs in (pair.base, pair.current)]
    if pair.judged is None:
        return [Line(f"{sides[0]} → {sides[1]}", "unknown", "Time")]
    change, noise = percent(pair.judged.change), plain_percent(pair.judged.noise)
    told = f"{sides[0]} → {sides[1]} ({change}; noise {noise})"
    return [Line(told, "strong", "Time")]


def _findings(changes: tuple[FindingChange, ...]) -> list[Line]:
    lines = []
    for state, label, style in _STATES:
        for change in changes:
            if change.state == state and change.kind == "diagnosis":
                side = change.after or change.before
                gain = "" if side is None or side.speedup is None else f" ({short_gain_text(side.speedup)})"
                gain = "" if state == "gone" else gain
                text = f"; {change.text}" if change.text else ""
                # A limit that is reached is what was wanted.
                shown = "holds" if state == "came" and change.id in ENDS else style
                lines.append(Line(f"{change.title}{gain}{text}", shown, label))
    return lines


def row_of(launch: LaunchDiagnosis, version: str, change: str = "", pair: Pair | None = None) -> Experiment:
    """A version as a row of the log; `pair`: its comparison with the version before."""
    first = main_finding(launch)
    finding = first.title if first is not None and first.kind == "diagnosis" else ""
    seen = "{verdict}; {finding}" if finding else "{verdict}"
    same = pair is not None and pair.judged is not None and pair.judged.word == "same"
    judged = pair.judged if pair is not None else None
    return Experiment(
        version=version,
        change=change,
        duration_ns=launch.duration_ns,
        ratio=judged.speedup if judged is not None else None,
        class_id=launch.verdict.id,
        finding=first.id if first is not None and finding else "",
        observation=seen.format(verdict=launch.verdict.title, finding=finding)
        + ("; no difference in time beyond noise" if same else ""),
        next_step=_next(launch, pair),
    )


def _next(launch: LaunchDiagnosis, pair: Pair | None) -> str:
    first = main_finding(launch)
    title = first.title if first is not None and first.kind == "diagnosis" else ""
    if pair is not None:
        return ADVICE[pair.next.advice].format(title=title).rstrip(": ")
    fix = first.fix if first is not None else None
    return fix.summary if fix is not None else ""


def log_lines(state: State) -> tuple[Line, ...]:
    """The log, a block a version: time and ratio, the change, what was seen, what came next; then all together."""
    lines: list[Line] = []
    for row in state.experiments:
        ratio = "" if row.ratio is None else f", {row.ratio:.2f} times as fast as the version before"
        lines.append(Line(f"{time_text(row.duration_ns)}{ratio}", "strong", row.version))
        for label, text in (
            ("Change", row.change),
            ("Seen", row.observation),
            ("Next", row.next_step),
        ):
            lines += [Line(text, "fact", label, 1)] if text else []
    if len(state.experiments) > 2:
        first, last = state.experiments[0], state.experiments[-1]
        if first.duration_ns and last.duration_ns:
            whole = first.duration_ns / last.duration_ns
            lines.append(Line(f"{whole:.2f} times as fast as {first.version}", "strong", "Together"))
    return tuple(lines)


def log_card(state: State) -> Card:
    """The log as a card."""
    lines = log_lines(state) or (
        Line(
            (
                "There is one version so far. After a change give the new report (/compare REPORT), and it "
                "becomes a row here."
            ),
            "quiet",
        ),
    )
    return Card("log", "The versions so far", lines, state.position, label="Log")


def past(card: Card, position: int) -> Card:
    """The card as one about a former version."""
    return replace(card, position=position, past=True)


_SHOWN = 60  # characters of a kernel's name in a line


def compare(
    catalog: Catalog,
    before: Diagnosis,
    current: Judged,
    launch: int | None,
    answers: Mapping[str, float | str],
) -> VersionComparison:
    """`before` holds the former launch alone. launch: the index of the one meant in the new report, None for the match.

    The answers are applied to the launch found, so that both sides are judged with them. UsageError, with what to do,
    where no launch or several kernels could be meant.
    """
    position = _position(before.launches[0], current.diagnosis, launch)
    judged = current.answered(position, answers) if answers else current
    now = judged.diagnosis.launches[position]
    reports = judged.diagnosis.reports
    info = reports[now.report] if now.report < len(reports) else reports[0]
    alone = replace(judged.diagnosis, reports=(info,), launches=(now,))
    # Another card is no mistake here: the comparison says so, and what can still be said.
    return VersionComparison(judged.diagnosis, position, compare_diagnoses(before, alone, catalog, force=True))


def _position(former: LaunchDiagnosis, found: Diagnosis, launch: int | None) -> int:
    """The place of the launch to compare: the one named, else of the same kernel and shape, else of the same kernel."""
    name = found.reports[0].path if found.reports else ""
    if launch is not None:
        at = next((at for at, each in enumerate(found.launches) if each.index == launch), None)
        if at is None:
            highest = max((each.index for each in found.launches), default=0)
            raise UsageError(f"{_last(name)} has no launch {launch}: they count from 0 to {highest}")
        return at
    couples, _, _ = match(runs_of((former,)), runs_of(found.launches))
    if not couples:
        raise UsageError(
            f"{_last(name)} holds no launch of {former.kernel[:_SHOWN]}: name the launch that is meant as "
            f"{_last(name)}#N"
        )
    wanted = couples[0][1].launch
    return next(at for at, each in enumerate(found.launches) if each is wanted)


def _last(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


# Numbers that belong to the algorithm and not to one version of its code.
_OF_ALGORITHM: Final = ("theoretical_bytes", "theoretical_flop")
# Asked of an interview alone, and so of each version of it.
_OF_INTERVIEW: Final = ("gpu", "subject")
_LONGEST: Final = 4096


def carried(state: State) -> dict[str, float | str]:
    """The answers that hold for the next version too: sizes of the algorithm and choices, no measured number."""
    places = (None, state.position)
    given = {name: value for place, name, value in state.answers if place in places and name not in _OF_INTERVIEW}
    return {name: v for name, v in given.items() if name in _OF_ALGORITHM or state.knowledge.unit(name) is None}


def give_report(state: State, path: str, change: str = "") -> State:
    """A new report: compared with the launch at hand; where there is none, it is the one that is opened."""
    path = path.strip()
    if not path or len(path) > _LONGEST:
        return state
    if state.launch is None and (state.diagnosis is None or not state.diagnosis.launches):
        fresh = replace(state, paths=(path,), numbers=False, ask=None, napkin_input=None, diagnosis=None, position=None)
        return wait(fresh, Read((path,)))
    if state.place != "launch" or state.launch is None or state.position is None:
        return state
    if is_open(state):
        return note(state, NOT_COMPARED)
    return wait(state, CompareVersion(path, state.position, change), ask=None, napkin_input=None)


def begin_version(state: State, change: str) -> State:
    """A new version of typed numbers: those so far become a row of the log, and are asked for anew."""
    launch = state.launch
    if state.place != "launch" or launch is None:
        return state
    if not state.numbers:
        return note(state, "A new version of a report is a new report: /compare FILE. /version is for typed numbers.")
    if is_open(state):
        return note(state, NOT_COMPARED)
    name = VERSION.format(number=len(state.earlier) + 1)
    rows = state.experiments or (row_of(launch, name),)
    about = [(place, name, value) for place, name, value in state.answers if name in _OF_INTERVIEW]
    answers = (*about, *((None, name, value) for name, value in carried(state).items()))
    begun = replace(
        state,
        experiments=rows,
        earlier=(*state.earlier, (launch, name)),
        cards=tuple(past(card, card.position or 0) for card in state.cards),
        answers=answers,
        unknown=tuple((p, q) for p, q in state.unknown if state.knowledge.unit(q) is None),
        put_off=(),
        diagnosis=None,
        finding="",
        wanted=None,
        paused=False,
        ask=None,
        napkin_input=None,
    )
    title = change or "New version"
    begun_card = Card(
        "note",
        title,
        (Line(f"The numbers of {name} are kept. Type those of the new version: what is asked is asked anew."),),
        0,
        label="New version",
    )
    return ask_number(add(begun, begun_card))


def is_open(state: State) -> bool:
    """Whether a version of typed numbers was begun and not compared yet."""
    return state.numbers and 0 < len(state.experiments) == len(state.earlier)


def give_traces(state: State, paths: tuple[str, ...]) -> State:
    """A trace of the whole program."""
    paths = tuple(path for path in (p.strip() for p in paths) if path and len(path) <= _LONGEST)
    return wait(state, Trace(paths), ask=None, napkin_input=None) if paths else state


def compared(state: State, request: CompareVersion, result: Any) -> State:
    """The new version was read and compared: a card, a row of the log, and it is the one at hand from now on."""
    before = state.launch if request.path else state.earlier[-1][0] if state.earlier else None
    if not isinstance(result, VersionComparison) or before is None or not _sound(result):
        return state
    pair = result.compared.pairs[0]
    at = result.position
    now = result.diagnosis.launches[at]
    number = len(state.earlier) + (1 if request.path else 0)
    name, new = VERSION.format(number=number), VERSION.format(number=number + 1)
    rows = state.experiments or (row_of(before, name),)
    first = main_finding(now)
    change = request.change or _fix_tried(state, before)
    after = replace(
        state,
        experiments=(*rows, row_of(now, new, change, pair)),
        earlier=(*state.earlier, (before, name)) if request.path else state.earlier,
        diagnosis=result.diagnosis,
        finding=first.id if first is not None else "",
        stalled=None,
    )
    if request.path:
        after = _taken_over(state, after, result)
    told = compared_card(pair, new, at)
    if not request.path:
        # What the new numbers mean was told already.
        return add(after, told)
    return add(after, told, make.overview(now, at, after.several_reports), *conclusion(now, at))


def _sound(result: VersionComparison) -> bool:
    diagnosis, compared = result.diagnosis, result.compared
    if not isinstance(diagnosis, Diagnosis) or not isinstance(compared, Compared) or not compared.pairs:
        return False
    return 0 <= result.position < len(diagnosis.launches)


def _taken_over(state: State, after: State, result: VersionComparison) -> State:
    """The new report in place of the old: its path, the answers that still hold, the conversation so far as past."""
    at = result.position
    mine = (state.position, None) if state.numbers or state.place == "start" else (state.position,)
    return replace(
        after,
        paths=(result.path,),
        numbers=False,
        position=at,
        cards=tuple(past(card, at) for card in state.cards if card.position in mine),
        answers=tuple((at, question, value) for question, value in result.answers),
        unknown=tuple((at, question) for place, question in state.unknown if place in mine),
        put_off=(),
        results=(),
        source_query=None,
        expected=tuple((at, bound) for place, bound in state.expected if place in mine),
        ask=None,
        napkin_input=None,
    )


def _fix_tried(state: State, launch: Any) -> str:
    """Where nobody said what was changed: the last fix that was shown, as what was probably tried."""
    shown = [card.finding for card in state.cards if card.kind == "fix" and not card.past]
    found = next((f for f in launch.findings if shown and f.id == shown[-1] and f.fix is not None), None)
    return found.fix.summary if found is not None and found.fix is not None else ""


def traced(state: State, request: Trace, result: Any) -> State:
    """The traces were read, or the typed numbers judged: what they say, and whether to go on to a kernel."""
    if not isinstance(result, TimelineResult) or not result.gpus:
        return state
    place = "launch" if state.place == "start" else state.place
    after = replace(state, timeline=result, traces=request.paths, place=place, stalled=None)
    return add(after, timeline_card(after))
