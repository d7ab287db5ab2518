"""The command `knowledge lint`: mistakes as lines that editors and CI can follow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from advisor import resources
from advisor.errors import EXIT_CHECK_FAILED, EXIT_DONE
from advisor.lint.check import lint
from advisor.lint.mistake import ERROR


def run(folders: Sequence[Path], out: TextIO, own: Path | None = None) -> int:
    """Print each mistake as `file:line: severity: text`; exit code 1 when one of them is an error, else 0.

    folders: team directories, checked beside our own knowledge (`own`, by default the installation's), of which nothing
    is printed then; none: our own. A folder with a classification of its own is no team's but a whole knowledge base,
    and is checked by itself.
    """
    whole = [f for f in folders if (f / "classification.yaml").is_file() and not (f / "team.yaml").exists()]
    teams = [f for f in folders if f not in whole]
    runs = [([base], [base]) for base in whole]
    if teams or not folders:
        base = own or resources.folder("knowledge")
        runs.append(([base, *teams], teams or [base]))
    worst = EXIT_DONE
    for checked, shown in runs:
        for mistake in lint(checked):
            if any(mistake.file.is_relative_to(folder) for folder in shown):
                out.write(f"{mistake}\n")
                if mistake.severity == ERROR:
                    worst = EXIT_CHECK_FAILED
    return worst
