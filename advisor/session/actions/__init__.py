"""The registry of user actions: every module of this package declares its own in ACTIONS.

A new action or slash command is one new module here; nothing else lists it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Final

from advisor.session.action import GROUPS, Action, Command, Result, Shape
from advisor.session.actions.help import help_action
from advisor.session.requests import UserEvent


def _declared() -> Iterator[Action]:
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda found: found.name):
        yield from importlib.import_module(f"{__name__}.{module.name}").ACTIONS


def _by_name(actions: tuple[Action, ...]) -> dict[str, Command]:
    """Return the commands by name, in the order of the help page."""
    commands = [command for action in actions for command in action.commands]
    commands.sort(key=lambda command: GROUPS.index(command.group))
    return {command.name: command for command in commands}


COMMANDS: Final[dict[str, Command]] = {}
ACTIONS: Final = (*_declared(), help_action(COMMANDS))
COMMANDS.update(_by_name(ACTIONS))
BY_EVENT: Final[dict[type[UserEvent], Action]] = {action.event: action for action in ACTIONS}
RESULTS: Final[dict[type, Result]] = {result.request: result for action in ACTIONS for result in action.results}
# Phrases without an object and sentences with one, each with its command.
SAID: Final[dict[str, Command]] = {phrase: command for command in COMMANDS.values() for phrase in command.said}
SHAPES: Final[tuple[Shape, ...]] = (
    *(shape for command in COMMANDS.values() for shape in command.shapes),
    *(shape for action in ACTIONS for shape in action.shapes),
)
