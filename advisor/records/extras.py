"""How to install an extra of this program: the same words in every command that lacks one."""

from __future__ import annotations


def install_text(extra: str) -> str:
    """Return the command that installs an extra, from a checkout, and by name where a package index has the program."""
    return (
        f"`pip install '.[{extra}]'` in the project's folder, or `pip install 'ncu-advisor[{extra}]'` "
        "where a package index has it"
    )
