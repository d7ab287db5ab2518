"""Parse the machine code of one launch in a binary report: source lines with their inlined calls, and the PTX.

A launch names its code (container.py). In that record field 4 is a 64-bit little-endian ELF file, and each field 9 a
function with its name (1) and the address that it was loaded at (2).

Source lines come from DWARF's line number program, versions 2 to 4. NVIDIA's compilers add the extended operation 0x90,
found by comparing tables with sources of known inlining (CUDA 11 to 13). Two numbers follow: the row (counted from 1
within its sequence, 0 for none) of the call at which the code was inlined, and the offset of the function's name in
.debug_str. The last of several rows at one address is valid.

Standard library only: the child process imports this module.
"""

from __future__ import annotations

import contextlib
import posixpath
import struct
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property

from advisor.readers.container import Bytes, DamagedError, fields, number_at

# The code of a library has thousands of both.
_MOST_SECTIONS, _MOST_SYMBOLS = 1 << 16, 1 << 20
_SECTION, _SYMBOL = struct.Struct("<IIQQQQIIQQ"), struct.Struct("<IBBHQQ")
_ADDED, _PLAIN = struct.Struct("<QQq"), struct.Struct("<QQ")
_NO_BITS = 8


class BadCodeError(ValueError):
    """The bytes are not well-formed machine code."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol: the index of its section and its offset in that section."""

    name: str
    section: int
    value: int


def text_at(table: bytes, at: int) -> str:
    """Return the zero-terminated text at an offset of a string table; '' beyond its end."""
    end = table.find(b"\0", at) if 0 <= at < len(table) else -1
    return table[at:end].decode("utf-8", "replace") if end >= 0 else ""


class Elf:
    """An ELF file, parsed on demand. Raises BadCodeError for anything else."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        if data[:6] != b"\x7fELF\x02\x01":
            raise BadCodeError("not a 64-bit ELF file")
        try:
            (start,) = struct.unpack_from("<Q", data, 0x28)
            size, count, names = struct.unpack_from("<HHH", data, 0x3A)
            if size != _SECTION.size or count > _MOST_SECTIONS or names >= count:
                raise BadCodeError("its section table cannot be read")
            self._sections = [_SECTION.unpack_from(data, start + i * size) for i in range(count)]
        except struct.error:
            raise BadCodeError("it ends inside its headers") from None
        table = self._bytes(names)
        self.names = [text_at(table, section[0]) for section in self._sections]

    def _bytes(self, index: int) -> bytes:
        _, kind, _, _, offset, size, *_ = self._sections[index]
        return b"" if kind == _NO_BITS else self._data[offset : offset + size]

    def section(self, name: str) -> bytes:
        """Return the bytes of the first section with this name; empty if there is none."""
        return self._bytes(self.names.index(name)) if name in self.names else b""

    def size(self, name: str) -> int:
        """Return the size of a section in bytes, also of one that has no bytes in the file; 0 if there is none."""
        return int(self._sections[self.names.index(name)][5]) if name in self.names else 0

    @property
    def flags(self) -> int:
        """The file's flags, which hold the architecture."""
        return int(struct.unpack_from("<I", self._data, 0x30)[0])

    def sizes(self) -> list[int]:
        """Return the sizes of all symbols, in the order of `symbols`."""
        data = self.section(".symtab")
        count = min(len(data) // _SYMBOL.size, _MOST_SYMBOLS)
        return [int(_SYMBOL.unpack_from(data, i * _SYMBOL.size)[5]) for i in range(count)]

    def symbols(self) -> list[Symbol]:
        """Return all symbols in the order of the symbol table; empty without one."""
        data, texts = self.section(".symtab"), self.section(".strtab")
        count = min(len(data) // _SYMBOL.size, _MOST_SYMBOLS)
        found = (_SYMBOL.unpack_from(data, i * _SYMBOL.size) for i in range(count))
        return [Symbol(text_at(texts, name), section, value) for name, _, _, section, value, _ in found]

    def relocations(self, name: str) -> dict[int, tuple[int, int]]:
        """Return offset in the section `name` -> (index of the symbol whose address is stored there, addend)."""
        out: dict[int, tuple[int, int]] = {}
        # Before CUDA 12 the addend is stored in the section itself, and is 0 in line tables.
        for prefix, entry in ((".rela", _ADDED), (".rel", _PLAIN)):
            data = self.section(prefix + name)
            for at in range(0, len(data) - entry.size + 1, entry.size):
                offset, info, *added = entry.unpack_from(data, at)
                out[offset] = info >> 32, added[0] if added else 0
        return out


_INLINED = 0x90
_MOST_ROWS = 1 << 21
# More than any known depth of inlining; also ends the walk in a cyclic table.
_MOST_CALLS = 64


@dataclass(frozen=True, slots=True)
class Frame:
    """A source line. function: mangled name of the inlined function that contains it, or '' for the kernel itself."""

    file: str
    line: int
    function: str = ""


@dataclass(slots=True)
class Sequence:
    """The line table rows of one function: (offset in its section, file, line, row of the call or 0, function)."""

    section: int
    rows: list[tuple[int, str, int, int, str]] = field(default_factory=list)
    end: int = 0


class LineTable:
    """The sequences of a section such as .debug_line. Raises BadCodeError for malformed data."""

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
        """Return the line at an offset of a section, then its inlined calls, innermost first; () if unknown."""
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
                # The row of a call precedes the inlined rows; otherwise the table is damaged.
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
                raise BadCodeError("a number in its line table extends past its end")

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
        self._fixed(4)  # the header's length, which is wrong in the output of NVIDIA's compilers
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
                raise BadCodeError("a line table with millions of rows")
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


_ELF, _FUNCTION = 4, 9
_PTX_BYTES = 16 << 20


class Code:
    """Source information by address. Data that cannot be parsed is treated as missing."""

    def __init__(self, record: Bytes) -> None:
        self.ptx: tuple[str, ...] = ()
        self._starts: list[tuple[int, int, int]] = []
        self._kernels: dict[str, tuple[int, int]] = {}
        self._elf: Elf | None = None
        with contextlib.suppress(DamagedError, BadCodeError):
            self._read(record)

    def _read(self, record: Bytes) -> None:
        data, functions = b"", []
        for number, _, start, end in fields(record):
            if number == _ELF:
                data = bytes(record[start:end])
            elif number == _FUNCTION:
                functions += functions_of(record[start:end])
        elf = Elf(data)
        places = {symbol.name: symbol for symbol in reversed(elf.symbols()) if symbol.section}
        known = [(address, places[name]) for name, address in functions if name in places]
        if not functions:  # the first versions of ncu write the addresses into the code itself
            known = [(symbol.value, symbol) for symbol in places.values() if symbol.value]
        self._starts = sorted((address, symbol.section, symbol.value) for address, symbol in known)
        for address, symbol in known:
            # Functions that the compiler adds, such as a precise division, follow the kernel in its section. Some
            # versions of ncu have the loaded address as the value of the symbol.
            size = elf.size(elf.names[symbol.section]) if symbol.section < len(elf.names) else 0
            self._kernels[symbol.name] = address, size - symbol.value if symbol.value < size else size
        self._elf = elf
        text = elf.section(".nv_debug_ptx_txt")[:_PTX_BYTES]
        self.ptx = tuple(text.decode("utf-8", "replace").split("\0"))

    @cached_property
    def _lines(self) -> LineTable | None:
        return self._table(".debug_line")

    @cached_property
    def _ptx_lines(self) -> LineTable | None:
        return self._table(".nv_debug_line_sass")

    def _table(self, name: str) -> LineTable | None:
        with contextlib.suppress(BadCodeError):
            return LineTable(self._elf, name) if self._elf is not None else None
        return None

    def extent(self, kernel: str) -> tuple[int, int]:
        """Return the address of a kernel, by its mangled name, and the bytes of its code; (0, 0) if it is unknown."""
        return self._kernels.get(kernel, (0, 0))

    def frames(self, pc: int) -> tuple[Frame, ...]:
        """Return the source line of an address, then its inlined calls, innermost first; () if unknown."""
        return self._of(self._lines, pc)

    def ptx_line(self, pc: int) -> int:
        """Return the line of `ptx` for an address, counted from 1; 0 if unknown."""
        found = self._of(self._ptx_lines, pc)
        return found[0].line if found and found[0].line <= len(self.ptx) else 0

    def _of(self, table: LineTable | None, pc: int) -> tuple[Frame, ...]:
        at = bisect_right(self._starts, pc, key=lambda start: start[0]) - 1
        if table is None or at < 0:
            return ()
        address, section, value = self._starts[at]
        return table.frames(section, value + pc - address)


def functions_of(message: Bytes) -> list[tuple[str, int]]:
    """Return (name, address) of the functions in a record of loaded code."""
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
