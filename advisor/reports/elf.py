"""Sections and symbols of a 64-bit little-endian ELF file, which is what machine code of a GPU comes in.

Standard library only: the child process uses this module.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

# Code of whole libraries has thousands of both.
_MOST_SECTIONS, _MOST_SYMBOLS = 1 << 16, 1 << 20
_SECTION, _SYMBOL = struct.Struct("<IIQQQQIIQQ"), struct.Struct("<IBBHQQ")
_ADDED, _PLAIN = struct.Struct("<QQq"), struct.Struct("<QQ")
_NO_BITS = 8


class BadCodeError(ValueError):
    """The bytes are no well-formed machine code."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol: the index of its section and its offset there."""

    name: str
    section: int
    value: int


def text_at(table: bytes, at: int) -> str:
    """The zero-terminated text at an offset of a string table; '' beyond its end."""
    end = table.find(b"\0", at) if 0 <= at < len(table) else -1
    return table[at:end].decode("utf-8", "replace") if end >= 0 else ""


class Elf:
    """An ELF file, its parts looked at on demand; BadCodeError where it is none."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        if data[:6] != b"\x7fELF\x02\x01":
            raise BadCodeError("not a 64-bit ELF file")
        try:
            (start,) = struct.unpack_from("<Q", data, 0x28)
            size, count, names = struct.unpack_from("<HHH", data, 0x3A)
            if size != _SECTION.size or count > _MOST_SECTIONS or names >= count:
                raise BadCodeError("its table of sections is not readable")
            self._sections = [_SECTION.unpack_from(data, start + i * size) for i in range(count)]
        except struct.error:
            raise BadCodeError("it ends inside its headers") from None
        table = self._bytes(names)
        self.names = [text_at(table, section[0]) for section in self._sections]

    def _bytes(self, index: int) -> bytes:
        _, kind, _, _, offset, size, *_ = self._sections[index]
        return b"" if kind == _NO_BITS else self._data[offset : offset + size]

    def section(self, name: str) -> bytes:
        """The bytes of the first section of that name; none where there is no such section."""
        return self._bytes(self.names.index(name)) if name in self.names else b""

    def symbols(self) -> list[Symbol]:
        """All symbols, in their order; empty without a table of symbols."""
        data, texts = self.section(".symtab"), self.section(".strtab")
        count = min(len(data) // _SYMBOL.size, _MOST_SYMBOLS)
        found = (_SYMBOL.unpack_from(data, i * _SYMBOL.size) for i in range(count))
        return [Symbol(text_at(texts, name), section, value) for name, _, _, section, value, _ in found]

    def relocations(self, name: str) -> dict[int, tuple[int, int]]:
        """Offset in the section `name` -> (index of the symbol whose address stands there, what is added to it)."""
        out: dict[int, tuple[int, int]] = {}
        # Before CUDA 12 what is added stands in the section itself, and is 0 in line tables.
        for prefix, entry in ((".rela", _ADDED), (".rel", _PLAIN)):
            data = self.section(prefix + name)
            for at in range(0, len(data) - entry.size + 1, entry.size):
                offset, info, *added = entry.unpack_from(data, at)
                out[offset] = info >> 32, added[0] if added else 0
        return out
