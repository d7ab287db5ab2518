"""Show the steps of the method."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from advisor.session.action import Action, Command, Far, Listing, Typed, shape
from advisor.session.actions.help import NotUnderstood, one_of, unless_unclear
from advisor.session.language.names import begun
from advisor.session.method.steps import here, step_card, steps_card
from advisor.session.requests import Event, UserEvent
from advisor.session.state import State
from advisor.session.transitions import add


class StepsShown(UserEvent, frozen=True, tag="steps"):
    """The steps of the method are listed with their progress."""


class StepShown(UserEvent, frozen=True, tag="goto"):
    """A step of the method is selected, by its id in the catalog."""

    step: str


def _steps_shown(state: State, event: StepsShown) -> State:
    """Show the list as a card, over the list of launches as a view."""
    if not state.knowledge.steps:
        return state
    return add(state, steps_card(state)) if state.place == "launch" else _as_view(state, "")


def _step_shown(state: State, event: StepShown) -> State:
    step = state.knowledge.step(event.step)
    if step is None:
        return state
    if state.place != "launch":
        return _as_view(state, step.id)
    # An open question becomes one of the choices; the others are those of the step.
    paused = state.paused or (state.numbers and state.ask is not None)
    card = step_card(step, here(step.id, state), state.position)
    return add(state, card, ask=None, napkin_input=None, paused=paused)


def _as_view(state: State, step: str) -> State:
    return replace(state, view="steps", view_subject=step) if state.place == "launches" else state


def _goto(line: Typed, state: State) -> Event:
    steps = {step.id: step.title for step in state.knowledge.steps}
    # `1` is a step, and so are 1b and 1c: an exact id takes precedence over longer ids.
    rest = line.rest.casefold().removeprefix("step ").strip()
    exact = next((name for name in steps if name.casefold() == rest), "")
    if exact:
        return StepShown(exact)
    found = one_of(rest, steps, "Name one step of the method; /steps lists them.", "goto")
    if not isinstance(found, NotUnderstood):
        return StepShown(found)
    return NotUnderstood(found.text, found.meant or ("/steps",), found.because)


def _steps(rest: str, state: State, listing: Listing) -> Iterable[str]:
    return begun(rest, (step.id for step in state.knowledge.steps))


def _step(event: StepShown, state: State) -> tuple[str, ...]:
    step = state.knowledge.step(event.step)
    return (step.id,) if step is not None else ()


def _mark(event: StepShown, state: State) -> tuple[tuple[str, Far], ...]:
    return tuple((step, "read") for step in _step(event, state))


_STEPS: Final = Command(
    "steps",
    "the steps of the method and your progress",
    StepsShown,
    group="method",
    said=("the method", "method", "where am i"),
)
_GOTO: Final = Command(
    "goto",
    "a step of the method: what to do and what your launch shows",
    _goto,
    "step",
    group="method",
    shapes=(shape("(?:go to|jump to|step|go to step)", lambda line, state: unless_unclear(_goto(line, state))),),
    complete=_steps,
)

ACTIONS: Final = (
    Action(StepsShown, _steps_shown, "opens the steps of the method", (_STEPS,)),
    Action(StepShown, _step_shown, "goes to the step {step}", (_GOTO,), step=_step, mark=_mark),
)
