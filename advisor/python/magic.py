"""`%%advise`: diagnose the kernels of a notebook cell."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Any

from advisor.program.collect import Step
from advisor.python.advise import Advice, AdviceError, advised
from advisor.python.child import INSIDE
from advisor.python.payload import send_block
from advisor.records.errors import AdvisorError, UsageError
from advisor.records.escapes import printable
from advisor.records.scratch import ScratchFolder

_USE = "%%advise [NAME] [--kernel REGEX] [--most N] [--report FILE]"


def register(shell: Any) -> None:
    """Register the cell magic."""

    def advise(line: str, cell: str) -> Advice | None:
        try:
            return cell_advice(shell, line, cell)
        except AdvisorError as e:
            print(f"ncu-advisor: {printable(str(e))}", file=sys.stderr)
            return None

    advise.__doc__ = f"Diagnose the kernels that the cell launches: {_USE}\n\nNAME: the variable for the diagnosis."
    shell.register_magic_function(advise, magic_kind="cell", magic_name="advise")


def options_of(line: str) -> tuple[str, dict[str, Any]]:
    """Return the variable for the result, '' for none, and the options. Raises UsageError for anything else."""
    try:
        words = shlex.split(line)
    except ValueError as e:
        raise UsageError(f"{e}: write {_USE}") from None
    name, options = "", {}
    while words:
        word = words.pop(0)
        if word in ("--kernel", "--most", "--report") and words:
            value = words.pop(0)
            if word == "--most" and not (value.isascii() and value.isdigit() and 0 < int(value) <= 100):
                raise UsageError(f"--most {value}: a number from 1 to 100")
            options[word[2:]] = int(value) if word == "--most" else value
        elif word.isidentifier() and not name:
            name = word
        else:
            raise UsageError(f"{word[:80]!r} is not understood: write {_USE}")
    return name, options


def cell_advice(shell: Any, line: str, cell: str) -> Advice | None:
    """Run a cell in child processes under ncu and return its advice. Raises AdvisorError with one line."""
    name, options = options_of(line)
    if os.environ.get(INSIDE):
        return None
    source = shell.transform_cell(cell)
    try:
        compile(source, "the cell", "exec")
    except SyntaxError as e:
        raise AdviceError(f"the cell is not Python, in line {e.lineno}: {e.msg}") from None
    with ScratchFolder() as folder:
        # Line 1 of the page is the line of the magic, as the notebook counts.
        sent = send_block(Path(folder), f"\n{source}", f"cell {shell.execution_count}", shell.user_ns)
        found = advised(Path(folder), sent, "the cell", step=_progress(), **options)
    if name:
        shell.user_ns[name] = found
    return found


def _progress() -> Any:
    seen: set[tuple[str, int]] = set()

    def step(at: Step) -> None:
        if (at.stage, at.run) not in seen:
            seen.add((at.stage, at.run))
            words = {"alone": "running alone", "survey": "timing the kernels", "collect": "profiling"}[at.stage]
            print(f"ncu-advisor: {words}", file=sys.stderr)

    return step
