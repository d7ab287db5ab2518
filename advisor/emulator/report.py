"""Decode the code of a launch in a binary report, and read what Nsight Compute counted for each instruction.

The report holds the text of its instructions and the ELF file that they come from, so no compiler or disassembler is
needed.
"""

from __future__ import annotations

import contextlib
import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from advisor.emulator.cubin import from_elf
from advisor.emulator.decode import decode_line
from advisor.emulator.program import INSTRUCTION_BYTES, MOST_INSTRUCTIONS, Instruction, Program, RefusedError
from advisor.readers import container, formats
from advisor.readers.code import BadCodeError, Elf, functions_of
from advisor.readers.container import Limits
from advisor.readers.formats import unpack
from advisor.readers.launch_code import read_code
from advisor.records.errors import InputError
from advisor.records.scratch import ScratchFolder

_ELF, _FUNCTION = 4, 9


class NoCodeError(RefusedError):
    """The report does not hold the code of the launch, as of a library's kernels: there is nothing to emulate."""


@dataclass(frozen=True, slots=True)
class ReportedCode:
    """The program of a launch, and what was counted: metric -> address -> count, without metrics that are absent."""

    program: Program
    counts: dict[str, dict[int, float]]


@contextlib.contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """Give the path of the report itself: a wrapped one (.xz, .gz, .zst) is unpacked for the time of the context."""
    bounds = Limits()
    sniffed = formats.sniff(path, bounds)
    with ScratchFolder() as folder:
        source = path
        if sniffed.wrapping:
            source = Path(folder) / "unpacked"
            unpack(path, sniffed.wrapping, source, bounds)
            sniffed = formats.sniff(source, bounds, path.name)
        if sniffed.format != "ncu-rep":
            raise InputError(f"{path.name}: only a binary report (.ncu-rep) holds the code; give that")
        yield source


def read_launch(path: Path, index: int, metrics: tuple[str, ...] = ()) -> ReportedCode:
    """Decode a launch of an unpacked report. Raises InputError, NoCodeError without code, or RefusedError."""
    found = read_code(path, index, ("inst_executed", *metrics))
    table = found.table
    lines = [(int(pc), str(sass)) for pc, sass in zip(table["pc"], table["sass"], strict=True)]
    if not lines or not any(sass for _, sass in lines):
        raise NoCodeError("the report has no code of this launch")
    base = lines[0][0]
    code = _decoded({pc - base: sass for pc, sass in lines})
    elf, name = _elf(path, index, base)
    program = from_elf(elf, name, code, base)
    if not program.lines:
        places = zip(table["pc"], table["file"], table["line"], strict=True)
        program.lines = {int(pc) - base: (str(file), int(line)) for pc, file, line in places if file}
    counts = {}
    for metric in metrics:
        column = table[metric]
        if not column.isna().all():
            counts[metric] = {int(pc) - base: float(v) for pc, v in zip(table["pc"], column, strict=True)}
    return ReportedCode(program, counts)


def _decoded(lines: dict[int, str]) -> list[Instruction]:
    """Decode lines by address. The report leaves out what is between functions: that is refused if it is reached."""
    if max(lines) >= MOST_INSTRUCTIONS * INSTRUCTION_BYTES or any(at % INSTRUCTION_BYTES for at in lines):
        raise RefusedError("the addresses of the code cannot be read")
    code = []
    for at in range(0, max(lines) + INSTRUCTION_BYTES, INSTRUCTION_BYTES):
        if lines.get(at):
            code.append(decode_line(at, lines[at]))
        else:
            code.append(Instruction(at, "UNREPORTED", (), None, (), "code that is not in the report"))
    return code


def _elf(path: Path, index: int, base: int) -> tuple[Elf, str]:
    """Return the ELF file of a launch, and the name of the function that was loaded at `base`."""
    try:
        with path.open("rb") as file, contextlib.closing(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)) as data:
            record = container.code_of(data, container.walk(data), index)
        elf, functions = b"", []
        for number, _, start, end in container.fields(record):
            if number == _ELF:
                elf = bytes(record[start:end])
            elif number == _FUNCTION:
                functions += functions_of(record[start:end])
        name = next((name for name, address in functions if address == base), functions[0][0] if functions else "")
        return Elf(elf), name
    except (container.DamagedError, BadCodeError, OSError, ValueError, IndexError) as e:
        raise RefusedError(f"the code of launch {index} cannot be read: {e}") from None
