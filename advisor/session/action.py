"""The declaration of a user action: its event, commands, method step, transcript words and reducer, in one value.

Each module of `actions` declares its own in ACTIONS; parser, completion, help, palette, transcripts and the reducer
read the registry that `actions` builds. A new slash command is one new module there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Final, Literal

from msgspec import Struct, field

from advisor.session.requests import Completed, Event, UserEvent
from advisor.session.state import State

Far = Literal["done", "skipped", "read", "open"]
Listing = Callable[[str, tuple[str, ...]], tuple[str, ...]]
Completer = Callable[[str, State, Listing], Iterable[str]]
# The parts of the help page, in its order.
GROUPS: Final = ("why", "launch", "program", "method", "session")


class Typed(Struct, frozen=True):
    """The text after a slash command or in a sentence: with single blanks, and as it was typed if that is known."""

    rest: str = ""
    raw: str = ""

    @property
    def text(self) -> str:
        """Return the text as it was typed if that is known, else with single blanks."""
        return self.raw or self.rest


Parse = Callable[[Typed, State], Event]


class Shape(Struct, frozen=True):
    """A sentence that means an action: a pattern whose group `rest` goes to `event`, which may return None."""

    pattern: re.Pattern[str]
    event: Callable[[Typed, State], Event | None]


def shape(opening: str, event: Callable[[Typed, State], Event | None]) -> Shape:
    """Return the shape of a sentence: one of these opening words (a regular expression), then an object."""
    return Shape(re.compile(rf"^{opening}\s+(?P<rest>.+)$", re.IGNORECASE | re.DOTALL), event)


class Command(Struct, frozen=True):
    """A slash command.

    does: its description for help and palette; parse: the event itself, or the function from a line to the event, which
    never raises (NotUnderstood has suggestions); takes: a description of its arguments, [optional]; said: phrases that
    mean it without arguments; shapes: sentences that mean it; complete: returns completions of its argument; explicit:
    without a slash it takes only the name of a file; key: the letter for it on every screen, with `short` as its name
    in the footer.
    """

    name: str
    does: str
    parse: type[UserEvent] | Parse
    takes: str = ""
    group: Literal["why", "launch", "program", "method", "session"] = "session"
    said: tuple[str, ...] = ()
    shapes: tuple[Shape, ...] = ()
    complete: Completer | None = None
    explicit: bool = False
    key: str = ""
    short: str = ""

    @property
    def usage(self) -> str:
        """Return the usage of the command: `/how [finding]`."""
        return f"/{self.name} {self.takes}".strip()

    def event(self, line: Typed, state: State) -> Event:
        """Return the event that the command produces for this line."""
        return self.parse() if isinstance(self.parse, type) else self.parse(line, state)


class Result(Struct, frozen=True):
    """The handling of the result of an action's request: the reducer, and the steps of the method.

    steps: the steps that the session passes, the last of which is the current one; done: the steps that the result
    completes.
    """

    request: type
    reduce: Callable[[State, Any, Any], State]
    steps: Callable[[Completed, State], tuple[str, ...]] = lambda event, state: ()
    done: Callable[[Completed, State], tuple[str, ...]] = lambda event, state: ()


class Action(Struct, frozen=True):
    """One thing the user can do.

    reduce: returns the next state, the same object if the event is not possible; words: the event in a replayed
    transcript, a text with its fields in braces or a function of the event and the kernels of the launches; step: the
    step of the method that it leads to; mark: the progress of that step, or a function that returns (step, progress)
    pairs; keeps_view: an open view stays open; shapes: sentences that mean it without a command; results: how its
    requests end.
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
        """Return the steps that the event leads to. state: the state after the event."""
        if callable(self.step):
            return self.step(event, state)
        return (self.step,) if self.step else ()

    def marks(self, event: UserEvent, state: State) -> tuple[tuple[str, Far], ...]:
        """Return the progress that the event makes on steps of the method. state: the state after the event."""
        if callable(self.mark):
            return self.mark(event, state)
        far: Far | None = self.mark
        return tuple((step, far) for step in self.steps(event, state)) if far is not None else ()
