"""Metrics that the report lacks, and the command that collects them."""

from __future__ import annotations

from typing import Any, Final

from advisor.reasoning.collect import Gathered
from advisor.session.action import Action, Command, Result
from advisor.session.cards import NOTHING_MISSING, missing_card
from advisor.session.records import Card
from advisor.session.requests import BuildCollectCommand, UserEvent
from advisor.session.state import State
from advisor.session.transitions import add, wait
from advisor.view.blocks import Line


class MissingShown(UserEvent, frozen=True, tag="missing"):
    """The metrics that rules need and the report lacks are listed."""


class CollectShown(UserEvent, frozen=True, tag="collect"):
    """The command that collects them is shown."""


def _missing_shown(state: State, event: MissingShown) -> State:
    if state.place != "launch" or state.launch is None or state.position is None:
        return state
    return add(state, missing_card(state.launch, state.position))


def _collect_shown(state: State, event: CollectShown) -> State:
    """Build the command; with typed numbers, show only the list of missing metrics."""
    if state.place != "launch" or state.launch is None or state.position is None:
        return state
    if state.numbers:
        return add(state, missing_card(state.launch, state.position))
    return wait(state, BuildCollectCommand(state.position))


def _collected(state: State, request: BuildCollectCommand, result: Any) -> State:
    if not isinstance(result, Gathered):
        return state
    lines = []
    for section, needed, metrics in result.sections:
        titles = [state.knowledge.title(name) for name in needed]
        more = "" if len(titles) <= 4 else f" and {len(titles) - 4} more"
        used = ", ".join(titles[:4]) + more if titles else "to identify the launch"
        lines.append(Line(used, "fact" if metrics else "quiet", section))
    if result.command:
        lines.append(Line(result.command, "strong", "Run"))
        text = "Each section replays the kernel, some several times. Source counters and sampling cost the most."
        lines.append(Line(text, "quiet"))
    else:
        lines.append(Line(NOTHING_MISSING))
    title = "Command that collects the missing metrics"
    return add(state, Card("missing", title, tuple(lines), request.position, label="Collect"))


_MISSING: Final = Command("missing", "what the report lacks", MissingShown, group="launch")
_COLLECT: Final = Command("collect", "the ncu command that collects the missing metrics", CollectShown, group="launch")

ACTIONS: Final = (
    Action(MissingShown, _missing_shown, "asks which metrics are missing", (_MISSING,)),
    Action(
        CollectShown,
        _collect_shown,
        "asks for the command that collects more",
        (_COLLECT,),
        step="A",
        results=(Result(BuildCollectCommand, _collected, done=lambda event, state: ("A",)),),
    ),
)
