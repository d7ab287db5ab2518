"""What-if questions, which try other values of metrics in the conversation and in the view."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from msgspec.structs import replace

from advisor.knowledge.base import catalog
from advisor.knowledge.schemas import checked
from advisor.reasoning.launch_shape import with_launch
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.records.errors import AdvisorError, UsageError
from advisor.records.quantities import parse_metric
from advisor.session.action import Action, Command, Listing, Result, Typed, shape
from advisor.session.actions.help import NotUnderstood
from advisor.session.actions.view import ViewShown
from advisor.session.language.launch_values import launch_values
from advisor.session.language.names import begun, metrics_of, plain
from advisor.session.language.values import said, understood
from advisor.session.questions import launch_supposed
from advisor.session.records import Card
from advisor.session.requests import Event, Suppose, UserEvent, ViewEvent
from advisor.session.state import State
from advisor.session.transitions import add, reveal, wait
from advisor.session.views import ask_for_view
from advisor.view.blocks import Line
from advisor.view.pages.answers.numbers import differences
from advisor.view.pages.answers.occupancy import assumptions, beyond_theoretical
from advisor.view.pages.answers.supposing import followed_text


class WhatIfAsked(UserEvent, frozen=True, tag="whatif"):
    """The user asks a what-if question in the conversation, with other values of metrics."""

    values: tuple[tuple[str, float], ...]


class Supposed(ViewEvent, frozen=True, tag="suppose"):
    """In the what-if view, the user sets all values to try; no card is added. Empty: return to the measured values."""

    values: tuple[tuple[str, float], ...]


def _what_if_asked(state: State, event: WhatIfAsked) -> State:
    if state.place != "launch" or state.position is None or state.launch is None or not event.values:
        return state
    return wait(reveal(state), Suppose(state.position, event.values))


def _supposed(state: State, event: Supposed) -> State:
    if state.view != "whatif" or state.launch is None or event.values == state.supposing:
        return state
    return ask_for_view(replace(state, supposing=event.values))


def _answered(state: State, request: Suppose, result: Any) -> State:
    launches = () if state.diagnosis is None else state.diagnosis.launches
    if request.position >= len(launches) or not isinstance(result, LaunchDiagnosis):
        return state
    lines = differences(launches[request.position], result)
    title, implied = assumptions(launches[request.position], request.values)
    caveats = beyond_theoretical(launches[request.position], request.values)
    followed = "" if implied else followed_text(launches[request.position], result, dict(request.values))
    body = (
        *((Line("; ".join(implied), "fact", "Implies"),) if implied else ()),
        *(lines or (Line("Class, findings and estimated speedups are unchanged.", "quiet"),)),
        *(Line(text, "warning") for text in caveats),
        *((Line(followed, "quiet"),) if followed else ()),
    )
    return add(state, Card("change", title, body, request.position, label="What if"))


def _what_if(line: Typed, state: State) -> Event:
    if not line.rest:
        return ViewShown("whatif")
    if (event := _of_launch(line.rest, state)) is not None:
        return event
    text = f"/whatif {line.rest}"
    pairs = said(line.rest)
    if not pairs:
        name, sign, value = line.rest.partition("=")
        because = ""
        if sign and name.strip() and value.strip() and "," not in value:
            because = _wrong_value(name, value, state)
        return NotUnderstood(
            text, ("/whatif dram_pct=70",), because or "Write metric=value; separate several with commas."
        )
    found = understood(pairs, state.knowledge, "/whatif {pairs}")
    if found.unread or not found.values:
        return NotUnderstood(text, found.meant, found.because)
    measured = {} if state.launch is None else state.launch.metrics
    try:
        for name, value_ in found.values:
            checked(name, state.knowledge.unit(name) or "", value_, measured.get(name))
        values = dict(found.values) if state.launch is None else with_launch(state.launch, dict(found.values))
    except UsageError as problem:
        return NotUnderstood(text, (), str(problem))
    return WhatIfAsked(tuple(values.items()))


def _what_if_sentence(line: Typed, state: State) -> Event | None:
    """Return the event of a sentence; None for one without a number, which may be a question (`I double it`)."""
    event = _of_launch(line.rest, state) or _twice(line.rest, state) or _what_if(line, state)
    return None if isinstance(event, NotUnderstood) and not any(c.isdigit() for c in line.rest) else event


def _of_launch(rest: str, state: State) -> Event | None:
    """Return the event for another launch in words, `I launch 264 blocks`; None for any other line."""
    if state.launch is None or "_" in rest or not (shape := launch_values(rest, state.launch, alone=True)):
        return None
    try:
        return WhatIfAsked(launch_supposed(shape, state.launch, catalog()))
    except UsageError as problem:
        return NotUnderstood(rest, (), str(problem))


# `more threads per block`, `fewer registers`: the double, or half, of what was measured.
_MORE: Final = re.compile(
    r"^(?:(?:i|we|it|there)\s+(?:use|used|had|have|has|were|are)\s+)?"
    r"(?:(?P<more>more|larger|bigger|higher)|(?:fewer|less|smaller|lower))\s+(?P<of>\D+)$",
    re.IGNORECASE,
)


def _twice(rest: str, state: State) -> Event | None:
    """Return the event for twice or half the measured value of a metric that is named without a number."""
    found = _MORE.match(rest.strip().rstrip("?!. "))
    if found is None or state.launch is None:
        return None
    names = [name for name in metrics_of(found["of"], state.knowledge) if name in state.launch.metrics]
    if not names:
        return None
    value = state.launch.metrics[names[0]] * (2.0 if found["more"] else 0.5)
    try:
        checked(names[0], state.knowledge.unit(names[0]) or "", value, state.launch.metrics[names[0]])
        return WhatIfAsked(tuple(with_launch(state.launch, {names[0]: value}).items()))
    except UsageError as problem:
        return NotUnderstood(rest, (), str(problem))


def _wrong_value(name: str, value: str, state: State) -> str:
    """Return the message about a value that is not a number; empty for a number."""
    found = metrics_of(name, state.knowledge)
    try:
        parse_metric(value, (state.knowledge.unit(found[0]) if found else "") or "")
    except AdvisorError as problem:
        return str(problem)
    return ""


def _metrics(rest: str, state: State, listing: Listing) -> Iterable[str]:
    """Complete the metric of the last pair; metrics with a measured value come first."""
    before, comma, last = rest.rpartition(",")
    if "=" in last:
        return ()
    gap = last[: len(last) - len(last.lstrip())] or (" " if comma else "")
    measured = {} if state.launch is None else state.launch.metrics
    names = [name for name, _, _ in state.knowledge.metrics]
    names.sort(key=lambda name: name not in measured)
    wanted = plain(last)
    called = dict.fromkeys(metric for said, metric in state.knowledge.names if wanted and said == wanted)
    return (f"{before}{comma}{gap}{name} = " for name in (*called, *begun(last, names)))


def _tried_words(event: Supposed, kernels: tuple[str, ...]) -> str:
    values = ", ".join(f"{name} = {value:.6g}" for name, value in event.values)
    return f"tries {values}" if values else "returns to the measured values"


_WHATIF: Final = Command(
    "whatif",
    "diagnose with other values; alone: try them interactively",
    _what_if,
    "[metric=value, …]",
    group="why",
    said=("what if",),
    shapes=(
        shape("(?:what if|suppose|what (?:would happen|happens) (?:if|with)|what about|and if)", _what_if_sentence),
    ),
    complete=_metrics,
)

ACTIONS: Final = (
    Action(
        WhatIfAsked,
        _what_if_asked,
        "asks what if {values}",
        (_WHATIF,),
        step="3",
        results=(Result(Suppose, _answered, done=lambda event, state: ("3",)),),
    ),
    Action(Supposed, _supposed, _tried_words, step="3", keeps_view=True),
)
