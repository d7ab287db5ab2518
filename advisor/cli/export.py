"""The command `ncu-advisor export`."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

import click

from advisor.cli import terminal
from advisor.cli.options import PATH, Knowledge, argument, command
from advisor.knowledge.base import catalog
from advisor.records.errors import EXIT_DONE, UsageError


@click.group()
def export() -> None:
    """Write what other tools show: rules for Nsight Compute."""


@dataclass(frozen=True, kw_only=True)
class RulesOptions(Knowledge):
    """Options of `export ncu-rules`."""

    folder: Path = argument(type=PATH)


@command(RulesOptions)
def ncu_rules(options: RulesOptions) -> int:
    """Write a section and a rule for Nsight Compute, so that ncu and ncu-ui show the first finding of each launch.

    DIR must be new, or hold only what this command wrote before.
    """
    from advisor.nvrules.export import WRITTEN, write_rules  # reads the sources of this program

    folder = options.folder
    if folder.is_dir():
        other = next((p.name for p in sorted(folder.iterdir()) if p.name not in WRITTEN), None)
        if other is not None:
            raise UsageError(f"{folder} holds {other}: ncu would load it too; give a new folder")
    else:
        try:
            folder.mkdir(parents=True)
        except OSError as e:
            raise UsageError(f"{folder}: cannot be created: {e.strerror}") from None
    files = write_rules(catalog(options.knowledge), folder)
    terminal.write("\n".join([*(f"wrote {path}" for path in files), *_commands(folder)]))
    return EXIT_DONE


def _commands(folder: Path) -> list[str]:
    where = f"--section-folder {shlex.quote(str(folder))} --section NcuAdvisor"
    return [
        "",
        "# collect, and show the finding:",
        f"ncu {where} --import-source yes -o profile ./app",
        "ncu --import profile.ncu-rep --page details",
        "# `ncu --import` takes no section folder: the rule runs when the report is collected, or in ncu-ui",
    ]


export.add_command(ncu_rules, "ncu-rules")
