"""The command line: a group that imports its commands when they are called, and messages on stderr."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem


class LazyGroup(click.Group):
    """A group that imports each command when it is called.

    lazy: command name -> (`module:attribute`, its line in the help of the group), in the order of that help.
    """

    def __init__(self, *args: Any, lazy: Mapping[str, tuple[str, str]], **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the command names in the order of the help."""
        return list(self.lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of this name."""
        if cmd_name not in self.lazy:
            return None
        module, attribute = self.lazy[cmd_name][0].split(":")
        found = getattr(import_module(module), attribute)
        assert isinstance(found, click.Command)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands and their help lines without importing any command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self.lazy.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete a command's name, or else a path, without importing any command."""
        found = [CompletionItem(n, help=text) for n, (_, text) in self.lazy.items() if n.startswith(incomplete)]
        return (found or [CompletionItem(incomplete, type="file")]) + click.Command.shell_complete(
            self, ctx, incomplete
        )


def is_terminal(stream: Any) -> bool:
    """Return whether a standard stream is open and is a terminal."""
    return stream is not None and bool(stream.isatty())


def warn(text: str) -> None:
    """Print a line on stderr that progress messages do not overwrite."""
    clear()
    click.echo(f"ncu-advisor: {text}", err=True)


def clear() -> None:
    """Erase the progress line."""
    if is_terminal(sys.stderr):
        click.echo("\r\x1b[K", nl=False, err=True)
