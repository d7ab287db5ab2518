"""Compare a new version of the code (a report or typed numbers) with the old one; keep the experiment log."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any, Final

from msgspec.structs import replace

from advisor.compare.records import Compared, Pair
from advisor.records.diagnosis import Diagnosis, LaunchDiagnosis, main_finding
from advisor.session import cards as make
from advisor.session.experiments.timeline import timeline_card
from advisor.session.records import Card, Experiment, VersionComparison
from advisor.session.requests import CompareVersion, Read, Trace
from advisor.session.state import State
from advisor.session.transitions import add, ask_number, conclusion, note, wait
from advisor.timeline.results import TimelineResult
from advisor.view.blocks import Block, Cell, Column, Line, Table, flat
from advisor.view.numbers import speedup_text, time_text

VERSION: Final = "v{number}"
NOT_COMPARED: Final = "The new version has no diagnosis yet: give its numbers first."
_ADVICE: Final = {"stop": "stop", "go_back": "undo the change", "look": "check what differs first"}


def compared_card(pair: Pair, version: str, position: int) -> Card:
    """Return the comparison with the previous version: time and class, findings, busiest units, largest changes."""
    from advisor.view.pages.compare import pair_sections  # not needed before the first screen

    first, *rest = pair_sections(pair, "")
    return Card("compared", _judged(pair), (*first.blocks, *flat(rest)), position, version, "Compared", version, pair)


def _judged(pair: Pair) -> str:
    judged = pair.judged
    if judged is None:
        return "Speedup unknown: the time of a version is missing"
    if judged.word == "same":
        return "No difference beyond noise"
    if judged.speedup >= 1:
        return f"Faster: {speedup_text(judged.speedup)}"
    return f"Slower: {speedup_text(1 / judged.speedup)} the time"


def row_of(launch: LaunchDiagnosis, version: str, change: str = "", pair: Pair | None = None) -> Experiment:
    """Return a version as a row of the log. pair: its comparison with the previous version."""
    first = main_finding(launch)
    finding = first if first is not None and first.kind == "diagnosis" else None
    judged = pair.judged if pair is not None else None
    seen = [launch.verdict.title, finding.title if finding is not None else ""]
    seen += ["no difference in time beyond noise"] if judged is not None and judged.word == "same" else []
    following = finding.title if finding is not None else ""
    if pair is not None:
        advice = pair.next.advice
        following = _ADVICE.get(advice, f"continue: {following}" if following else "continue")
    else:
        following = first.fix.summary if first is not None and first.fix is not None else ""
    return Experiment(
        version=version,
        change=change,
        duration_ns=launch.duration_ns,
        ratio=judged.speedup if judged is not None else None,
        class_id=launch.verdict.id,
        finding=finding.id if finding is not None else "",
        observation="; ".join(text for text in seen if text),
        next_step=following,
    )


def new_baseline(state: State, change: str) -> State:
    """Add the current version of typed numbers to the log as a baseline, which is compared with none before it."""
    launch = state.launch
    if launch is None or not state.earlier:
        return state
    name = VERSION.format(number=len(state.earlier) + 1)
    row = replace(row_of(launch, name, change), baseline=True)
    text = f"It does other work than {state.earlier[-1][1]}, so their times are not compared. Later versions are."
    card = Card("note", f"{name} is the new baseline", (Line(text),), state.position, label="Baseline")
    return add(replace(state, experiments=(*state.experiments, row)), card)


def log_table(rows: Sequence[Experiment]) -> Table:
    """Return the experiment log: change, time, speedup over the previous version, result, next step of each version."""
    numeric = ("Time", "Speedup")
    columns = tuple(Column(n, n in numeric) for n in ("Version", "Change", *numeric, "Observation", "Next"))
    cells = tuple(
        (
            Cell(row.version),
            Cell(row.change),
            Cell(time_text(row.duration_ns), row.duration_ns),
            Cell("baseline" if row.baseline else "" if row.ratio is None else speedup_text(row.ratio), row.ratio),
            Cell(row.observation),
            Cell(row.next_step),
        )
        for row in rows
    )
    return Table(columns, cells)


def log_blocks(state: State) -> tuple[Block, ...]:
    """Return the log, and from three versions on the speedup of the last over the baseline; nothing without a log.

    The baseline is the first version unless a later one was declared as such.
    """
    rows = state.experiments
    if not rows:
        return ()
    begin = max((at for at, row in enumerate(rows) if row.baseline), default=0)
    first, last = rows[begin], rows[-1]
    if len(rows) - begin < 3 or not first.duration_ns or not last.duration_ns:
        return (log_table(rows),)
    whole = f"{speedup_text(first.duration_ns / last.duration_ns)} over {first.version}"
    return (log_table(rows), Line(whole, "strong", "Together"))


def log_card(state: State) -> Card:
    """Return the log as a card."""
    none = "There is one version so far. After a change, /compare REPORT adds a row."
    blocks = log_blocks(state) or (Line(none, "quiet"),)
    return Card("log", "The versions so far", blocks, state.position, label="Log")


def past(card: Card, position: int) -> Card:
    """Return the card, marked as about a former version."""
    return replace(card, position=position, past=True)


# Numbers that describe the algorithm and not one version of its code.
_OF_ALGORITHM: Final = ("theoretical_bytes", "theoretical_flop")
# Questions of interviews only, which each version asks again.
_OF_INTERVIEW: Final = ("gpu", "subject")
_LONGEST: Final = 4096


def carried(state: State) -> dict[str, float | str]:
    """Return the answers that hold for the next version too: sizes of the algorithm and choices, no measured number."""
    places = (None, state.position)
    given = {name: value for place, name, value in state.answers if place in places and name not in _OF_INTERVIEW}
    return {name: v for name, v in given.items() if name in _OF_ALGORITHM or state.knowledge.unit(name) is None}


def give_report(state: State, path: str, change: str = "") -> State:
    """Compare a new report with the current launch; without a launch, open the report."""
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
    return wait(state, CompareVersion(_in_full(state, path), state.position, change), ask=None, napkin_input=None)


def _in_full(state: State, path: str) -> str:
    """Return the path, where `#3` is a launch of the report of this launch, and a bare name that of an open report."""
    reports = [] if state.diagnosis is None else [report.path for report in state.diagnosis.reports]
    name, mark, launch = path.partition("#")
    if not name and state.launch is not None and state.launch.report < len(reports):
        return f"{reports[state.launch.report]}{mark}{launch}"
    same = [report for report in reports if PurePath(report).name == name]
    return f"{same[0]}{mark}{launch}" if len(same) == 1 else path


def begin_version(state: State, change: str) -> State:
    """Begin a new version of typed numbers: log the previous numbers as a row, and ask for them again."""
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
        (Line(f"The numbers of {name} are kept. Type those of the new version: the questions start again."),),
        0,
        label="New version",
    )
    return ask_number(add(begun, begun_card))


def is_open(state: State) -> bool:
    """Return whether a version of typed numbers was begun and is not compared yet."""
    return state.numbers and 0 < len(state.experiments) == len(state.earlier)


def give_traces(state: State, paths: tuple[str, ...]) -> State:
    """Read traces of the whole program."""
    paths = tuple(path for path in (p.strip() for p in paths) if path and len(path) <= _LONGEST)
    return wait(state, Trace(paths), ask=None, napkin_input=None) if paths else state


def compared(state: State, request: CompareVersion, result: Any) -> State:
    """Add the comparison of the new version as a card and a row of the log, and make that version the current one."""
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
    after = replace(
        state,
        experiments=(*rows, row_of(now, new, request.change, pair)),
        earlier=(*state.earlier, (before, name)) if request.path else state.earlier,
        diagnosis=result.diagnosis,
        finding=first.id if first is not None else "",
        stalled=None,
    )
    if request.path:
        after = _taken_over(state, after, result)
    outcome = compared_card(pair, new, at)
    if not request.path:
        # The explanation of the new numbers was already shown.
        return add(after, outcome)
    return add(after, outcome, make.overview(now, at, after.several_reports), *conclusion(now, at))


def _sound(result: VersionComparison) -> bool:
    diagnosis, compared = result.diagnosis, result.compared
    if not isinstance(diagnosis, Diagnosis) or not isinstance(compared, Compared) or not compared.pairs:
        return False
    return 0 <= result.position < len(diagnosis.launches)


def _taken_over(state: State, after: State, result: VersionComparison) -> State:
    """Replace the old report with the new one: its path, the answers that still hold, the previous cards as past."""
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


def traced(state: State, request: Trace, result: Any) -> State:
    """Show the results of traces or typed numbers, and whether to continue with a kernel."""
    if not isinstance(result, TimelineResult) or not result.gpus:
        return state
    place = "launch" if state.place == "start" else state.place
    after = replace(state, timeline=result, traces=request.paths, place=place, stalled=None)
    return add(after, timeline_card(after))
