"""The state changes that reducers share: add a card, wait for a request, ask, reveal, select a launch."""

from __future__ import annotations

from typing import Any, Final

from msgspec.structs import replace

from advisor.records.diagnosis import ENDS, LaunchDiagnosis, main_finding, overriding, report_path
from advisor.session import cards as make
from advisor.session.interview.choosing import comparison_card, expectation, expectation_due, next_number, revealed
from advisor.session.records import Ask, Card
from advisor.session.requests import Request
from advisor.session.state import State
from advisor.view.blocks import Line, for_report

_UNEXPLAINED: Final = "unexplained"
_MOST_LACKING: Final = 4


def add(state: State, *new: Card | None, **changes: Any) -> State:
    """Add cards at the end of the conversation; commands in them name the report of their launch."""
    launches = () if state.diagnosis is None else state.diagnosis.launches
    cards = []
    for card in (card for card in new if card is not None):
        at = state.position if card.position is None else card.position
        path = report_path(state.diagnosis, launches[at]) if at is not None and at < len(launches) else ""
        cards.append(replace(card, blocks=for_report(card.blocks, path)))
    return replace(state, cards=(*state.cards, *cards), **changes)


def note(state: State, text: str) -> State:
    """Add a note to the conversation."""
    return add(state, Card("note", text, position=state.position, label="Note"))


def wait(state: State, request: Request, *new: Card | None, **changes: Any) -> State:
    """Wait for this request, and queue it only once."""
    waiting = state.waiting if request in state.waiting else (*state.waiting, request)
    return add(state, *new, waiting=waiting, **changes)


def settled(state: State, request: Request) -> State | None:
    """Stop waiting for this request; None if it is not waited for."""
    if request not in state.waiting:
        return None
    return replace(state, waiting=tuple(r for r in state.waiting if r != request))


def put(state: State, ask: Ask, **changes: Any) -> State:
    """Ask this question."""
    return add(state, make.question_card(ask, state.position), ask=ask, **changes)


def conclusion(launch: LaunchDiagnosis, position: int) -> tuple[Card | None, ...]:
    """Return the cards of a conclusion: class, first finding, caveats about the data, notes on the class.

    A finding that overrides all others precedes the class.
    """
    first = main_finding(launch)
    if first is None:
        text = "No finding: too few metrics of this launch are known."
        finding = Card("note", text, position=position, label="Note")
    else:
        finding = make.finding_card(launch, first, position)
    # A first finding of kind trust is itself a caveat.
    caveats = None if first is not None and first.kind == "trust" else make.caveats_card(launch, position)
    verdict = (make.class_card(launch, position), finding)
    if overriding(launch) is not None:
        verdict, caveats = (finding, verdict[0]), make.caveats_card(launch, position)
    return (*verdict, caveats, make.notes_card(launch, position))


def ask_number(state: State) -> State:
    """Ask the next question of the interview; if no other answer would change anything, conclude."""
    if expectation_due(state):
        return put(state, expectation(state))
    ask = next_number(state)
    if ask is not None:
        return put(state, ask)
    title, text = "The numbers, page by page", "That was the last page. The diagnosis uses your numbers."
    lacking = _lacking(state)
    if lacking:
        title, text = "The cause depends on numbers that are left out", "The numbers so far do not decide the cause."
    elif state.wanted == ():
        title = "Enough numbers"
        text = "No other number that ncu shows would change the first finding."
    lines = (Line(text), *lacking, *_not_asked(state))
    return conclude_interview(add(state, Card("note", title, lines, 0, label="Without a report")))


def _lacking(state: State) -> tuple[Line, ...]:
    """Return the numbers that were asked for and left out, and that rules need, if no cause was found without them."""
    launch = state.launch
    first = None if launch is None else main_finding(launch)
    if launch is None or (first is not None and first.id != _UNEXPLAINED):
        return ()
    left = {question for _, question in (*state.unknown, *state.put_off)}
    rows = {metric: (name, how) for page in state.knowledge.pages for metric, name, how in page.rows}
    needed = sorted(launch.missing, key=lambda lack: -len(lack.needed_for))
    lacks = [lack.metric for lack in needed if lack.metric in left and lack.metric in rows]
    return tuple(
        Line(f"{rows[name][0]}{f': {rows[name][1]}' if rows[name][1] else ''}", "unknown", "Could decide")
        for name in lacks[:_MOST_LACKING]
    )


def _not_asked(state: State) -> tuple[Line, ...]:
    """Return the pages of an interview without any answer, and how to add a number."""
    given = {question for _, question, _ in state.answers}
    pages = [p.section for p in state.knowledge.pages if not given & {metric for metric, _, _ in p.rows}]
    more = Line("To add or correct a number, type it with its name at any time: dram 83%", "quiet")
    return (*((Line(", ".join(dict.fromkeys(pages)), "unknown", "No numbers of"),) if pages else ()), more)


def conclude_interview(state: State) -> State:
    """Conclude from the numbers so far, without another question."""
    launch = state.launch
    if launch is None:
        return replace(state, ask=None, paused=True)
    first = main_finding(launch)
    shown = (*conclusion(launch, 0), comparison_card(state), _not_decided(state))
    return add(state, *shown, ask=None, paused=True, finding=first.id if first else "")


def _not_decided(state: State) -> Card | None:
    """Return the numbers still open that could refute the advice to stop; None for other findings."""
    launch, ask = state.launch, next_number(state) if state.wanted else None
    first = None if launch is None else main_finding(launch)
    if first is None or first.id not in ENDS or ask is None:
        return None
    rows = [row.row or row.ask for row in ask.rows or (ask,)]
    text = f"{', '.join(rows[:_MOST_LACKING])}{' and others' if len(rows) > _MOST_LACKING else ''}"
    lines = (
        Line(text, "unknown", "Could refute it"),
        Line("Type them with their names, or choose Enter more numbers.", "quiet"),
    )
    return Card("note", "Do not stop yet: the conclusion is not certain", lines, 0, label="Without a report")


def reveal(state: State) -> State:
    """Show the conclusion about the launch, once, compared with the user's prediction."""
    launch, position = state.launch, state.position
    if revealed(state) or launch is None or position is None:
        return state
    first = main_finding(launch)
    shown = (*conclusion(launch, position), comparison_card(state))
    return add(state, *shown, ask=None, napkin_input=None, finding=first.id if first else "")


def go_on(state: State) -> State:
    """Continue with the conclusion; in an interview, continue with the next number."""
    return ask_number(state) if state.numbers else reveal(state)


def look(state: State) -> State:
    """Show a launch for the first time: ask for the prediction if it is due, else show the conclusion."""
    if revealed(state) or not expectation_due(state):
        return reveal(state)
    ask = expectation(state)
    return replace(state, ask=ask) if state.has_card("question", ask.id) else put(state, ask)


def select(state: State, position: int) -> State:
    """Select a launch; other positions are ignored."""
    if state.numbers or state.diagnosis is None or not 0 <= position < len(state.diagnosis.launches):
        return state
    launch = state.diagnosis.launches[position]
    first = main_finding(launch)
    state = replace(
        state, place="launch", position=position, finding=first.id if first else "", ask=None, napkin_input=None
    )
    if not state.has_card("overview"):
        state = add(state, make.overview(launch, position, state.several_reports))
    return look(state)
