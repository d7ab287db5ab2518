"""Write what the wheel installs beside the program: docs/man/*.1 and docs/completions/, from the help of the commands.

python docs/man.py            # rewrite the files
python docs/man.py --check    # exit 1 if one is out of date

click-man, which does this for other programs, knows only commands that are imported at once.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from advisor import __version__
from advisor.cli.main import cli

NAME = "ncu-advisor"
HERE = Path(__file__).resolve().parent
MAN, COMPLETIONS = HERE / "man", HERE / "completions"
# Where each shell looks for the file of a program: `share` in pyproject.toml has the folders.
SHELLS = {"bash": NAME, "zsh": f"_{NAME}", "fish": f"{NAME}.fish"}


def main() -> int:
    """Rewrite the files, or check them."""
    made = {MAN / f"{page}.1": text for page, text in pages(click.Context(cli, info_name=NAME))}
    made |= {COMPLETIONS / file: completion(shell) for shell, file in SHELLS.items()}
    there = {path: path.read_text(encoding="utf-8") for folder in (MAN, COMPLETIONS) for path in folder.glob("*")}
    if "--check" in sys.argv:
        for path in sorted(path for path in {**made, **there} if made.get(path) != there.get(path)):
            print(f"{path}: out of date: run python docs/man.py")
        return int(made != there)
    for path in there.keys() - made.keys():
        path.unlink()
    for path, text in made.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


def pages(context: click.Context) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of the page of a command and of those below it."""
    command = context.command
    below: list[tuple[str, click.Command]] = []
    if isinstance(command, click.Group):
        named = ((name, command.get_command(context, name)) for name in command.list_commands(context))
        below = [(name, found) for name, found in named if found is not None and not found.hidden]
    yield context.command_path.replace(" ", "-"), page(context, below)
    for name, found in below:
        yield from pages(click.Context(found, info_name=name, parent=context))


def page(context: click.Context, below: list[tuple[str, click.Command]]) -> str:
    """Return the page of one command in the language of man(7)."""
    command, path = context.command, context.command_path
    first, *rest = re.split(r"\n\s*\n", inspect.cleandoc(command.help or ""))
    lines = [
        f'.TH "{plain(path.replace(" ", "-")).upper()}" 1 "" "{NAME} {__version__}" "{NAME}"',
        ".SH NAME",
        f"{plain(path.replace(' ', '-'))} \\- {plain(first)}",
        ".SH SYNOPSIS",
        f".B {plain(path)}",
        plain(" ".join(command.collect_usage_pieces(context))),
    ]
    if rest:
        lines += [".SH DESCRIPTION", "\n.PP\n".join(map(plain, rest))]
    shown = (one.get_help_record(context) for one in command.get_params(context) if isinstance(one, click.Option))
    options = [found for found in shown if found is not None]
    for title, entries in (("OPTIONS", options), ("COMMANDS", [(name, summary(found)) for name, found in below])):
        if entries:
            lines.append(f".SH {title}")
        for term, text in entries:
            lines += [".TP", f".B {plain(term)}", plain(text)]
    if below:
        see = ", ".join(f"{path.replace(' ', '-')}-{name}(1)" for name, _ in below)
        lines += [".SH SEE ALSO", plain(see)]
    return "\n".join(lines) + "\n"


def summary(command: click.Command) -> str:
    """Return the first sentence of a command's help."""
    return command.get_short_help_str(limit=200)


def plain(text: str) -> str:
    """Return a text on one line, with the characters that mean something to roff escaped."""
    line = " ".join(text.replace("\b", "").split()).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{line}" if line.startswith((".", "'")) else line


def completion(shell: str) -> str:
    """Return the script by which a shell asks the program itself for completions."""
    found = get_completion_class(shell)
    assert found is not None
    variable = f"_{NAME.replace('-', '_').upper()}_COMPLETE"
    return found(cli, {}, NAME, variable).source().strip() + "\n"


if __name__ == "__main__":
    sys.exit(main())
