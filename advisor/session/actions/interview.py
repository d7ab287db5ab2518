"""The course of an interview, the user's prediction, and numbers that are typed without a question."""

from __future__ import annotations

import math
import re
from typing import Final

from msgspec.structs import replace

from advisor.session.action import Action, Command, Shape, Typed
from advisor.session.actions.help import NotUnderstood
from advisor.session.interview import contradictions
from advisor.session.interview.choosing import BOUNDS, next_number, offer, open_numbers, replaced, revealed
from advisor.session.interview.pages import page_ask
from advisor.session.language.names import squash
from advisor.session.method.steps import steps_to_reveal
from advisor.session.records import Card
from advisor.session.requests import AnswerQuestion, Conclude, Event, UserEvent
from advisor.session.state import State
from advisor.session.transitions import add, ask_number, conclude_interview, go_on, note, put, wait
from advisor.view.blocks import Line
from advisor.view.numbers import amount_text, exact_text

# The id of each bound and the words for it.
_CALLED: Final = {
    "memory": ("memory", "dram", "bandwidth", "memory bandwidth", "mem", "dram bandwidth", "bytes", "traffic"),
    "compute": ("compute", "arithmetic", "math", "alu", "fma", "flops", "flop", "computation", "the arithmetic"),
    "latency": ("latency", "neither", "waiting", "stalls", "occupancy", "neither"),
}


class Expected(UserEvent, frozen=True, tag="expect"):
    """The user predicts a bound before the conclusion; None means no idea. again False: never ask for it again."""

    bound: str | None
    again: bool = True


class PredictionsSet(UserEvent, frozen=True, tag="predictions"):
    """The user turns the question for a prediction before each diagnosis on or off."""

    on: bool


class Volunteered(UserEvent, frozen=True, tag="volunteer"):
    """The user types numbers without a question: pairs of a metric and a value in its canonical unit.

    unread: the parts that were not understood, one line each; remark: where the numbers come from, in a session that
    retells a source, such as which of them are assumed; rule: a paragraph of a rule of ncu among them, to be answered.
    """

    values: tuple[tuple[str, float], ...]
    said: str = ""
    unread: tuple[str, ...] = ()
    remark: str = ""
    rule: str = ""


class PageRead(UserEvent, frozen=True, tag="page"):
    """The user gives the numbers of a page: pairs of a metric and a value in its canonical unit.

    The rows that are left out count as unknown. unread: the parts that were not understood, one line each; remark,
    rule: as of `Volunteered`.
    """

    page: str
    values: tuple[tuple[str, float], ...]
    said: str = ""
    unread: tuple[str, ...] = ()
    remark: str = ""
    rule: str = ""


class NumbersContinued(UserEvent, frozen=True, tag="numbers"):
    """In an interview: ask for more numbers after a pause at the conclusion."""


class ConclusionShown(UserEvent, frozen=True, tag="conclude"):
    """In an interview: show the conclusion without further questions."""


def _expected(state: State, event: Expected) -> State:
    """Keep the predicted bound, and offer the napkin math before the conclusion."""
    asked = state.ask is not None and state.ask.group == "expect"
    if state.place != "launch" or not (asked or not revealed(state)) or event.bound not in (None, *BOUNDS):
        return state
    said = BOUNDS[event.bound][0] if event.bound is not None else "I don't know"
    card = Card("answer", said, (), state.position, "expect", "You") if event.again else None
    after = add(state, card, ask=None, expected=(*state.expected, (state.position, event.bound)))
    if not event.again:
        return go_on(add(after, expects=False))
    if state.knowledge.algorithms and state.launch is not None:
        return put(after, offer(after), napkin_input=None)
    return go_on(after)


def _predictions_set(state: State, event: PredictionsSet) -> State:
    if state.place == "closed":
        return state
    text = "Predictions are off: each diagnosis appears at once."
    if event.on:
        text = "Predictions are on: before each diagnosis the session asks what you expect to limit the kernel."
    return note(replace(state, expects=event.on), text)


def _predictions(line: Typed, state: State) -> Event:
    wanted = {"": not state.expects, "on": True, "off": False}.get(line.rest.casefold())
    if wanted is None:
        return NotUnderstood(f"/predict {line.rest}", ("/predict on", "/predict off"), "Say on or off.")
    return PredictionsSet(wanted)


def _volunteered(state: State, event: Volunteered) -> State:
    """Add an answer for each metric without a value in the report; show a contradiction where the values differ."""
    if state.place != "launch" or (not state.numbers and state.launch is None):
        return state
    after = _taken(state, event)
    # The numbers may be rows of the open page, or decide that another page matters more.
    answered = after.answers != state.answers and after.ask is not None and after.ask.kind == "page"
    return replace(after, ask=None) if answered else after


def _page_read(state: State, event: PageRead) -> State:
    """Add the numbers; those of the open page that are left out are asked again only if one decides alone."""
    ask = state.ask
    if state.place != "launch" or not state.numbers or ask is None:
        return state
    page = next((page for page in state.knowledge.pages if page.id == event.page), None)
    if ask.id != event.page and page is not None and ask.group in ("page", "metric", "question"):
        ask = page_ask(page, open_numbers(state))  # sessions with pages in another order still replay
    if ask.id != event.page:
        return state
    after = _taken(replace(state, ask=None), event)
    if after.answers == state.answers:
        return state
    given = {name for name, _ in event.values}
    # A number whose unit is ambiguous is asked again at once.
    unclear = {row.id for row in ask.rows if row.row and any(text.startswith(row.row) for text in event.unread)}
    left = tuple(
        (None, row.id) for row in ask.rows if row.id not in given | unclear and (None, row.id) not in state.put_off
    )
    return replace(after, put_off=(*after.put_off, *left))


def _taken(state: State, event: Volunteered | PageRead) -> State:
    """Return the state with these numbers, a card that lists them, and the contradictions."""
    units = {name: unit for name, unit, _ in state.knowledge.metrics}
    rows = {name: row for page in state.knowledge.pages for name, row, _ in page.rows} if state.numbers else {}
    given = {name: float(v) for name, v in event.values if name in units and math.isfinite(v) and v >= 0}
    if not given:
        return state
    place = None if state.numbers else state.position
    cards: list[Card] = []
    lines: list[Line] = []
    for name in tuple(given):
        known = None if state.numbers or state.launch is None else state.launch.metrics.get(name)
        said = exact_text(given[name], units[name])
        if known is None or not math.isfinite(known) or replaced(state, place, name) is not None:
            old = replaced(state, place, name)
            before = "" if old is None else f", instead of {exact_text(float(old), units[name])}"
            lines.append(Line(said + before, "fact", rows.get(name, name)))
        elif contradictions.agrees(given.pop(name), known, units[name]):
            lines.append(Line(f"{name}: the report says the same, {amount_text(known, units[name])}", "quiet"))
        else:
            lines.append(Line(said, "fact", name))
            value = next(float(v) for n, v in event.values if n == name)
            cards.append(contradictions.against_report(state, name, value, known))
    if event.remark:
        lines.append(Line(event.remark, "quiet"))
    lines += [Line(text, "warning", "Not read") for text in event.unread]
    after = add(state, Card("answer", "Your own numbers", tuple(lines), state.position, label="You"), *cards)
    if not given:
        return after
    answers = (*state.answers, *((place, name, value) for name, value in given.items()))
    if after.ask is not None and after.ask.id in given:
        after = add(after, ask=None)
    after = wait(after, Conclude(answers, state.position), answers=answers)
    if event.rule:
        after = wait(after, AnswerQuestion(event.rule, state.position or 0))
    return add(after, contradictions.together(after, tuple(given))) if state.numbers else after


def _numbers_continued(state: State, event: NumbersContinued) -> State:
    if not state.numbers or state.place != "launch" or state.ask is not None or next_number(state) is None:
        return state
    return ask_number(replace(state, paused=False))


def _conclusion_shown(state: State, event: ConclusionShown) -> State:
    if not state.numbers or state.place != "launch" or state.launch is None:
        return state
    return conclude_interview(state)


def _typed_words(event: Volunteered | PageRead, kernels: tuple[str, ...]) -> str:
    """Return the typed line, else the numbers, and the remark."""
    text = event.said or ", ".join(f"{name} = {value:.6g}" for name, value in event.values)
    return f"types {text}{f' ({event.remark})' if event.remark else ''}"


def _predicted(line: Typed, state: State) -> Expected | None:
    """Return the prediction in a sentence such as `I think it is memory bound`."""
    plain = squash(line.rest).removesuffix(" bound").removesuffix(" limited").removesuffix(" bottleneck")
    bound = next((name for name, called in _CALLED.items() if plain in called), "")
    return Expected(bound) if bound else None


_PREDICTION: Final = Shape(
    re.compile(
        r"^(?:i\s+)?(?:expect|think|guess|bet|believe|suspect|would say|assume)\s+(?:that\s+)?"
        r"(?:(?:it|this|the kernel)\s+)?(?:to be\s+|is\s+|should be\s+|will be\s+)?(?P<rest>.+)$",
        re.IGNORECASE,
    ),
    _predicted,
)

_PREDICT: Final = Command(
    "predict",
    "turn the question for your prediction before each diagnosis on or off",
    _predictions,
    "[on|off]",
    group="method",
    explicit=True,
)

ACTIONS: Final = (
    Action(
        Expected,
        _expected,
        "expects the bound {bound}",
        step=lambda event, state: steps_to_reveal(state),
        shapes=(_PREDICTION,),
    ),
    Action(PredictionsSet, _predictions_set, "sets predictions to {on}", (_PREDICT,), keeps_view=True),
    Action(Volunteered, _volunteered, _typed_words),
    Action(PageRead, _page_read, _typed_words),
    Action(NumbersContinued, _numbers_continued, "continues with the numbers"),
    Action(
        ConclusionShown,
        _conclusion_shown,
        "asks for the diagnosis",
        step=lambda event, state: steps_to_reveal(state),
    ),
)
