"""Which source line an instruction comes from, and through which calls: the line table of machine code, decoded.

The format is DWARF's line number program, versions 2 to 4. NVIDIA's compilers add the extended operation 0x90, found by
comparing tables with sources of known inlining (CUDA 11 to 13): two numbers follow, the row (counted from 1 within its
sequence, 0 for none) which holds the call that the code was inlined at, and where in .debug_str the function's name is.
Of several rows at one address the last counts. Standard library only: the child process uses this module.
"""

from __future__ import annotations

import posixpath
from bisect import bisect_right
from dataclasses import dataclass, field

from advisor.reports.elf import BadCodeError, Elf, text_at

_INLINED = 0x90
_MOST_ROWS = 1 << 21
# Deeper inlining than any seen, and a bound for tables that lead in a circle.
_MOST_CALLS = 64


@dataclass(frozen=True, slots=True)
class Frame:
    """A source line; function: mangled name of the inlined function that the line is in, '' for the kernel's own."""

    file: str
    line: int
    function: str = ""


@dataclass(slots=True)
class Sequence:
    """The rows of one function's code: (offset in its section, file, line, row of the call or 0, function)."""

    section: int
    rows: list[tuple[int, str, int, int, str]] = field(default_factory=list)
    end: int = 0


class LineTable:
    """The sequences of a section such as .debug_line; BadCodeError for what is no such table."""

    def __init__(self, elf: Elf, name: str = ".debug_line") -> None:
        self._data, self._at, self._rows = elf.section(name), 0, 0
        self._names = elf.section(".debug_str")
        self._moved, self._symbols = elf.relocations(name), elf.symbols()
        self._sequences: list[Sequence] = []
        while self._at < len(self._data):
            self._unit()
        self._by_section: dict[int, list[Sequence]] = {}
        for sequence in self._sequences:
            self._by_section.setdefault(sequence.section, []).append(sequence)

    def frames(self, section: int, offset: int) -> tuple[Frame, ...]:
        """The line at an offset of a section, then the calls that it was inlined at, innermost first; () if unknown."""
        for sequence in self._by_section.get(section, ()):
            rows = sequence.rows
            if not rows or not rows[0][0] <= offset < sequence.end:
                continue
            at = bisect_right(rows, offset, key=lambda row: row[0]) - 1
            out: list[Frame] = []
            while at >= 0 and len(out) < _MOST_CALLS:
                _, file, line, call, function = rows[at]
                if line > 0:
                    out.append(Frame(file, line, function))
                # A call stands in front of what it calls; anything else is damage.
                at = call - 1 if call - 1 < at else -1
            return tuple(out)
        return ()

    def _byte(self) -> int:
        if self._at >= len(self._data):
            raise BadCodeError("its line table ends too early")
        self._at += 1
        return self._data[self._at - 1]

    def _unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value
            if shift > 63:
                raise BadCodeError("a number in its line table runs over its end")

    def _signed(self) -> int:
        start = self._at
        value = self._unsigned()
        bits = 7 * (self._at - start)
        return value - (1 << bits) if value >> (bits - 1) & 1 else value

    def _fixed(self, size: int) -> int:
        self._at += size
        if self._at > len(self._data):
            raise BadCodeError("its line table ends too early")
        return int.from_bytes(self._data[self._at - size : self._at], "little")

    def _text(self) -> str:
        end = self._data.find(b"\0", self._at)
        if end < 0:
            raise BadCodeError("a name in its line table has no end")
        text, self._at = self._data[self._at : end].decode("utf-8", "replace"), end + 1
        return text

    def _unit(self) -> None:
        length = self._fixed(4)
        end = self._at + length
        if length >= 0xFFFFFFF0 or end > len(self._data):
            raise BadCodeError("a unit of its line table has no end")
        version = self._fixed(2)
        if not 2 <= version <= 4:
            raise BadCodeError(f"a line table of version {version}")
        self._fixed(4)  # the header's length, which NVIDIA's compilers give wrong
        step = self._byte()
        if version == 4:
            self._byte()
        self._byte()
        base, span, first = (self._byte() ^ 0x80) - 0x80, self._byte(), self._byte()
        if not span or not first:
            raise BadCodeError("a line table without operations")
        counts = [self._byte() for _ in range(first - 1)]
        folders = [""]
        while folder := self._text():
            folders.append(folder)
        files = [""]
        while file := self._text():
            files.append(_joined(folders, self._unsigned(), file))
            self._unsigned(), self._unsigned()
        self._program(end, step, base, span, counts, files)
        self._at = end

    def _program(self, end: int, step: int, base: int, span: int, counts: list[int], files: list[str]) -> None:
        address, file, line, call, function = 0, 1, 1, 0, ""
        current = Sequence(0)

        def row() -> None:
            self._rows += 1
            if self._rows > _MOST_ROWS:
                raise BadCodeError("a line table of millions of rows")
            name = files[file] if 0 <= file < len(files) else ""
            current.rows.append((address, name, line, call, function))

        first = len(counts) + 1
        while self._at < end:
            op = self._byte()
            if op >= first:
                address += (op - first) // span * step
                line += base + (op - first) % span
                row()
            elif op == 0:
                size = self._unsigned()
                after = self._at + size
                kind = self._byte() if size else 0
                if kind == 1:
                    current.end = address
                    self._sequences.append(current)
                    current, address, file, line, call, function = Sequence(0), 0, 1, 1, 0, ""
                elif kind == 2:
                    where = self._at
                    address = self._fixed(8)
                    if where in self._moved:
                        symbol, added = self._moved[where]
                        if symbol < len(self._symbols):
                            current.section = self._symbols[symbol].section
                            address = self._symbols[symbol].value + added
                elif kind == _INLINED:
                    call = self._unsigned()
                    name = self._unsigned()
                    function = text_at(self._names, name) if call else ""
                self._at = after
            elif op == 1:
                row()
            elif op == 2:
                address += self._unsigned() * step
            elif op == 3:
                line += self._signed()
            elif op == 4:
                file = self._unsigned()
            elif op == 8:
                address += (255 - first) // span * step
            elif op == 9:
                address += self._fixed(2)
            else:
                for _ in range(counts[op - 1]):
                    self._unsigned()


def _joined(folders: list[str], number: int, file: str) -> str:
    folder = folders[number] if number < len(folders) else ""
    absolute = file.startswith(("/", "\\")) or file[1:2] == ":"
    path = file if absolute or not folder else f"{folder.rstrip('/')}/{file}"
    return path if "\\" in path or not path else posixpath.normpath(path)
