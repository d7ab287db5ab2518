"""Help, and lines that are not understood."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from advisor.session.action import Action, Command
from advisor.session.language.names import named
from advisor.session.records import Card
from advisor.session.requests import Event, UserEvent
from advisor.session.state import State
from advisor.session.transitions import add
from advisor.view.blocks import Line

TYPE_HELP: Final = "Type /help for the commands."
_HINTS: Final = (
    "To choose, type the number, the name or its beginning. Enter takes the highlighted choice.",
    "Numbers take units: 83%, 12.5us, 1.2 TB/s, 512 MiB, 4k (4,000), 4Ki (4,096), 2^20.",
    "Type any metric at any time: dram 83%, l2 hit rate = 41, 40 registers; a line can hold several.",
    "Ask in plain words: what is long scoreboard, why not bank conflicts, what if dram = 70, compare with new.ncu-rep.",
)


class HelpAsked(UserEvent, frozen=True, tag="help"):
    """The commands are listed."""


class NotUnderstood(UserEvent, frozen=True, tag="unclear"):
    """A typed line is not understood. meant: suggestions, each a whole line that the parser understands."""

    text: str
    meant: tuple[str, ...] = ()
    because: str = ""


def one_of(rest: str, titles: dict[str, str], because: str, command: str) -> str | NotUnderstood:
    """Return the id that the text names, or suggestions of `/command ID`."""
    name, meant = named(rest, titles)
    lines = tuple(f"/{command} {one}" for one in meant)
    return name or NotUnderstood(f"/{command} {rest}".strip(), lines, because)


def unless_unclear(event: Event) -> Event | None:
    """Return the event, or None for NotUnderstood, so that the parser tries the sentence as something else."""
    return None if isinstance(event, NotUnderstood) else event


def help_card(commands: Mapping[str, Command], position: int | None) -> Card:
    """Return a card that lists the commands and the ways to answer a question."""
    lines = [Line(command.does, "fact", command.usage) for command in commands.values()]
    lines += [Line(hint, "quiet") for hint in _HINTS]
    return Card("help", "What you can type", tuple(lines), position, label="Help")


def _not_understood(state: State, event: NotUnderstood) -> State:
    # A view would cover the card.
    if state.place != "launch" or state.view:
        return state
    lines = [Line(event.because)] if event.because else []
    # The suggestions are among the choices too, so one line is enough here.
    lines += [Line("   or   ".join(event.meant), "fact", "Did you mean")] if event.meant else []
    lines = lines or [Line(TYPE_HELP)]
    return add(state, Card("error", event.text, tuple(lines), state.position, label="Not understood"))


def help_action(commands: Mapping[str, Command]) -> Action:
    """Return the action that lists the commands of the registry, this one included."""

    def help_asked(state: State, event: HelpAsked) -> State:
        return add(state, help_card(commands, state.position)) if state.place == "launch" else state

    command = Command("help", "this list", HelpAsked)
    return Action(HelpAsked, help_asked, "asks for help", (command,))


ACTIONS: Final = (Action(NotUnderstood, _not_understood, "types {text}, which is not understood"),)
