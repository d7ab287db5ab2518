"""How to install an extra of this program: the same words in every command that lacks one."""

from __future__ import annotations

from importlib.util import find_spec

from advisor.records.errors import UsageError


def need(extra: str, module: str) -> None:
    """Raise UsageError, with the command that installs an extra, unless its module is there. Imports nothing."""
    if find_spec(module) is None:
        raise UsageError(f"this needs the extra `{extra}`: {install_text(extra)}")


def install_text(extra: str) -> str:
    """Return the command that installs an extra, from a checkout, and by name where a package index has the program."""
    return (
        f"`pip install '.[{extra}]'` in the project's folder, or `pip install 'ncu-advisor[{extra}]'` "
        "where a package index has it"
    )
