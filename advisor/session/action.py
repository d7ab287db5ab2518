"""The declaration of a user action: its event, commands, method step, transcript words and reducer, in one value.

Each module of `actions` declares its own in ACTIONS; parser, completion, help, palette, transcripts and the reducer
read the registry that `actions` makes of them. A new slash command is one new module there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from advisor.session.requests import Completed, Event, UserEvent
from advisor.session.state import State

Far = Literal["done", "skipped", "read", "open"]
Listing = Callable[[str, tuple[str, ...]], tuple[str, ...]]
Completer = Callable[[str, State, Listing], Iterable[str]]
# The parts of the help page, in its order.
GROUPS: Final = ("why", "launch", "program", "method", "session")


@dataclass(frozen=True, slots=True)
class Line:
    """What was typed behind a slash command: with single blanks, and as it stands."""

    rest: str = ""
    raw: str = ""

    @property
    def text(self) -> str:
        """As it stands, where that is known."""
        return self.raw or self.rest


@dataclass(frozen=True, slots=True)
class Shape:
    """A sentence that means a command's action: a pattern whose group `rest` goes to `event`, which may refuse it."""

    pattern: re.Pattern[str]
    event: Callable[[str, State], Event | None]


def shape(opening: str, event: Callable[[str, State], Event | None]) -> Shape:
    """A sentence that begins with one of these words (a regular expression) and goes on with its object."""
    return Shape(re.compile(rf"^{opening}\s+(?P<rest>.+)$", re.IGNORECASE | re.DOTALL), event)


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command.

    takes: its arguments in words, [optional]; does: what it does, for help and palette; parse: the event that a line
    means now, never raising (NotUnderstood says what could have been meant); said: phrases that mean it without a slash
    and arguments; shapes: sentences that mean it; complete: how its argument could go on; explicit: without a slash it
    takes arguments only where they name a file.
    """

    name: str
    takes: str
    does: str
    parse: Callable[[Line, State], Event]
    group: Literal["why", "launch", "program", "method", "session"] = "session"
    said: tuple[str, ...] = ()
    shapes: tuple[Shape, ...] = ()
    complete: Completer | None = None
    explicit: bool = False

    @property
    def usage(self) -> str:
        """As it is typed: `/how [finding]`."""
        return f"/{self.name} {self.takes}".strip()


@dataclass(frozen=True, slots=True)
class Result:
    """What becomes of a request that an action made: the reducer of its result, and the steps of the method then.

    steps: those that the session passes, the last of which is where it stands; done: those that the result completes.
    """

    request: type
    reduce: Callable[[State, Any, Any], State]
    steps: Callable[[Completed, State], tuple[str, ...]] = lambda event, state: ()
    done: Callable[[Completed, State], tuple[str, ...]] = lambda event, state: ()


@dataclass(frozen=True, slots=True)
class Action:
    """One thing the user can do.

    reduce: the next state, the same one where the event makes no sense there; words: the
    event in a replayed transcript, a text with its fields in braces or a function of the event and the kernels of the
    launches; step: the step of the method that it leads to; mark: how far it brings that step, or a function that gives
    (step, how far) pairs; keeps_view: an open view stays open; shapes: sentences
    that mean it without a command; results: what its requests come to.
    """

    event: type[UserEvent]
    reduce: Callable[[State, Any], State]
    words: str | Callable[[Any, tuple[str, ...]], str]
    commands: tuple[Command, ...] = ()
    step: str | Callable[[Any, State], tuple[str, ...]] = ""
    mark: Far | Callable[[Any, State], tuple[tuple[str, Far], ...]] | None = None
    keeps_view: bool = False
    shapes: tuple[Shape, ...] = ()
    results: tuple[Result, ...] = field(default=())

    def steps(self, event: UserEvent, state: State) -> tuple[str, ...]:
        """The steps that the event leads to. state: after it."""
        if callable(self.step):
            return self.step(event, state)
        return (self.step,) if self.step else ()

    def marks(self, event: UserEvent, state: State) -> tuple[tuple[str, Far], ...]:
        """How far the event brings steps of the method. state: after it."""
        if callable(self.mark):
            return self.mark(event, state)
        far: Far | None = self.mark
        return tuple((step, far) for step in self.steps(event, state)) if far is not None else ()


def nothing(state: State, event: Any) -> State:
    """The state as it is."""
    return state
