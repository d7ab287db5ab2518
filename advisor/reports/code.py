"""The machine code of one launch in a binary report: source lines with their calls, and the PTX that it was made of.

A launch names its code (container.py); of that record field 4 is the ELF file, and each field 9 a function with its
name (1) and the address that it was loaded at (2). Standard library only: the child process uses this module.
"""

from __future__ import annotations

import contextlib
from bisect import bisect_right

from advisor.reports.container import Bytes, DamagedError, fields, number_at
from advisor.reports.elf import BadCodeError, Elf
from advisor.reports.line_table import Frame, LineTable

_ELF, _FUNCTION = 4, 9
_PTX_BYTES = 16 << 20


class Code:
    """What the code says of an address. Anything that cannot be read is as if it were not there."""

    def __init__(self, record: Bytes) -> None:
        self.ptx: tuple[str, ...] = ()
        self._starts: list[tuple[int, int, int]] = []
        self._lines: LineTable | None = None
        self._ptx_lines: LineTable | None = None
        with contextlib.suppress(DamagedError, BadCodeError):
            self._read(record)

    def _read(self, record: Bytes) -> None:
        data, functions = b"", []
        for number, _, start, end in fields(record):
            if number == _ELF:
                data = bytes(record[start:end])
            elif number == _FUNCTION:
                functions += _functions(record[start:end])
        elf = Elf(data)
        places = {symbol.name: symbol for symbol in reversed(elf.symbols()) if symbol.section}
        known = [(address, places[name]) for name, address in functions if name in places]
        if not functions:  # the first versions of ncu write the addresses into the code itself
            known = [(symbol.value, symbol) for symbol in places.values() if symbol.value]
        self._starts = sorted((address, symbol.section, symbol.value) for address, symbol in known)
        with contextlib.suppress(BadCodeError):
            self._lines = LineTable(elf)
        with contextlib.suppress(BadCodeError):
            self._ptx_lines = LineTable(elf, ".nv_debug_line_sass")
        text = elf.section(".nv_debug_ptx_txt")[:_PTX_BYTES]
        self.ptx = tuple(text.decode("utf-8", "replace").split("\0"))

    def frames(self, pc: int) -> tuple[Frame, ...]:
        """The source line of an address and the calls around it, innermost first; () where the code does not tell."""
        return self._of(self._lines, pc)

    def ptx_line(self, pc: int) -> int:
        """The line of `ptx`, counted from 1; 0 where the code does not tell."""
        found = self._of(self._ptx_lines, pc)
        return found[0].line if found and found[0].line <= len(self.ptx) else 0

    def _of(self, table: LineTable | None, pc: int) -> tuple[Frame, ...]:
        at = bisect_right(self._starts, pc, key=lambda start: start[0]) - 1
        if table is None or at < 0:
            return ()
        address, section, value = self._starts[at]
        return table.frames(section, value + pc - address)


def _functions(message: Bytes) -> list[tuple[str, int]]:
    out = []
    for _, key, start, end in fields(message):
        if message[key] & 7 == 2:
            name, address = "", 0
            one = message[start:end]
            for number, _, a, b in fields(one):
                if number == 1:
                    name = bytes(one[a:b]).decode("utf-8", "replace")
                elif number == 2:
                    address = number_at(one, a)
            out.append((name, address))
    return out
