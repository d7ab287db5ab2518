"""The command `knowledge lint`: mistakes as lines that editors and CI can follow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from advisor import resources
from advisor.errors import EXIT_CHECK_FAILED, EXIT_DONE
from advisor.lint.check import lint
from advisor.lint.mistake import ERROR, Mistake


def run(folders: Sequence[Path], out: TextIO, own: Path | None = None) -> int:
    """Print each mistake as `file:line: severity: text`; exit code 1 when one of them is an error, else 0.

    folders: team directories, checked beside our own knowledge (`own`, by default the installation's), of which nothing
    is printed then; none: our own, and the bundled exercises. A folder with a classification of its own is no team's
    but a whole knowledge base, and is checked by itself.
    """
    whole = [f for f in folders if (f / "classification.yaml").is_file() and not (f / "team.yaml").exists()]
    teams = [f for f in folders if f not in whole]
    # A whole knowledge base has its exercises beside it, as ours has.
    found = [m for base in whole for m in lint([base], kernels=base.resolve().parent / "kernels")]
    if teams or not folders:
        base = own or resources.folder("knowledge")
        shown = teams or [base]
        found += [m for m in lint([base, *teams]) if any(m.file.is_relative_to(f) for f in shown)]
    if not folders and own is None:
        found += _exercises(found)
    for mistake in found:
        out.write(f"{mistake}\n")
    return EXIT_CHECK_FAILED if any(m.severity == ERROR for m in found) else EXIT_DONE


def _exercises(found: Sequence[Mistake]) -> list[Mistake]:
    """What is wrong with the bundled exercises; nothing while the knowledge that they name cannot be relied on."""
    if any(m.severity == ERROR for m in found):
        return []
    from advisor.catalog import catalog
    from advisor.practice.folders import faults

    return [Mistake(f.file, f.line, f.text, ERROR) for f in faults(catalog())]
