"""Options of the commands that execute a kernel on the CPU: its launch, or the exercise that has it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from advisor.cli.options import Finite, option
from advisor.emulator.machine import Shape
from advisor.practice import manifest
from advisor.practice.emulated_source import ARCHITECTURES, parse_launch
from advisor.practice.manifest import Recording
from advisor.practice.state import Store
from advisor.records.errors import KnowledgeError, UsageError


@dataclass(frozen=True, kw_only=True)
class EmulatedLaunch:
    """The options that `emulate` and `fix` share."""

    kernel: str | None = option("--kernel", metavar="NAME", help="The kernel, if the source has several.")
    grid: str | None = option("--grid", metavar="X[,Y[,Z]]", help="Blocks.")
    block: str | None = option("--block", metavar="X[,Y[,Z]]", help="Threads of a block.")
    shared: int = option("--shared", default=0, type=click.IntRange(0), metavar="BYTES", help="Dynamic shared memory.")
    arch: str = option("--arch", default="sm_90", type=click.Choice(ARCHITECTURES), help="Architecture.")
    exercise: str | None = option(
        "--exercise", metavar="NAME", help="Use the launch lines of the source with the data of this exercise."
    )
    seconds: float = option("--seconds", default=60.0, type=Finite(1), help="Limit for one launch, of CPU time.")

    @property
    def shape(self) -> tuple[Shape, Shape]:
        """Grid and block. Raises UsageError if one is missing or not in the hardware's range."""
        if self.grid is None or self.block is None:
            raise UsageError("give the shape of the launch with --grid and --block, or name an --exercise")
        return parse_launch(self.grid, self.block)

    def exercise_of(self, source: Path) -> str | None:
        """Return the exercise that is named or whose source it is: a bundled one, or that of a learner's folder."""
        if self.exercise is not None:
            return manifest.exercise(self.exercise).name
        if self.grid is not None:
            return None
        folder = source.resolve().parent
        if folder.name in manifest.names():
            return folder.name
        kept = Store().read().exercises
        return next((name for name, record in kept.items() if record.folder and Path(record.folder) == folder), None)


def recorded(name: str) -> Recording:
    """Return the recording of an exercise. Raises KnowledgeError if its sizes were not recorded."""
    found = manifest.recording(manifest.exercise(name))
    if found is None:
        raise KnowledgeError(f"{name} has no recorded sizes: give --grid, --block and --arg")
    return found
