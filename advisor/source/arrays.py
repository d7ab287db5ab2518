"""Which shared array an access belongs to, by its PTX: from the address back to the name that it is made from."""

from __future__ import annotations

import re
from collections.abc import Sequence

_DECLARED = re.compile(r"\.shared\s+(?:\.align\s+\d+\s+)?\.\w+\s+([A-Za-z_$%][\w$]*)\s*(?:\[|;|$)")
_ENTRY = re.compile(r"\.(?:entry|func)\b")
_SHARED_ACCESS = re.compile(r"\.shared\b[^\[]*\[([^\]+]+)")
_ADDRESS = re.compile(r"\[([^\]+]+)")
_DEFINES = re.compile(r"^(?:@!?%p\d+\s+)?\w[\w.:]*\s+(%\w+)\s*,\s*(.*?);?$")
_NAME = re.compile(r"[%A-Za-z_$][\w$]*")
# Operations that make an address out of another one; a load does not.
_MADE = re.compile(r"(?:@!?%p\d+\s+)?(?:add|sub|mad|shl|mov|cvta?|mul|and|or|xor|selp|shf|bfi|prmt|lop3)\b")
_MOST_STEPS = 400


class SharedArrays:
    """The arrays of the kernels in a PTX text. Registers of PTX are written in few places, mostly one."""

    def __init__(self, ptx: Sequence[str]) -> None:
        self._ptx = [line.strip() for line in ptx]
        self.names = {m[1] for line in self._ptx if (m := _DECLARED.search(line))}
        self._starts = [i for i, line in enumerate(self._ptx) if _ENTRY.search(line)]
        self._written: dict[int, dict[str, list[int]]] = {}

    def of(self, line: int) -> str:
        """The array that the access on a line of PTX, counted from 1, belongs to; '' where one cannot be told."""
        if not self.names or not 0 < line <= len(self._ptx):
            return ""
        text = self._ptx[line - 1]
        found = _SHARED_ACCESS.search(text) or _ADDRESS.search(text)
        if found is None:
            return ""
        start = max((s for s in self._starts if s < line), default=0)
        arrays = self._made_of(found[1].strip(), self._definitions(start))
        return arrays.pop() if len(arrays) == 1 else ""

    def _definitions(self, start: int) -> dict[str, list[int]]:
        """Register -> the lines of its function that write it."""
        if start not in self._written:
            end = next((s for s in self._starts if s > start), len(self._ptx))
            found: dict[str, list[int]] = {}
            for i in range(start, end):
                if match := _DEFINES.match(self._ptx[i]):
                    found.setdefault(match[1], []).append(i)
            self._written[start] = found
        return self._written[start]

    def _made_of(self, name: str, written: dict[str, list[int]]) -> set[str]:
        found: set[str] = set()
        todo, seen = [name], {name}
        while todo and len(seen) < _MOST_STEPS:
            at = todo.pop()
            if at in self.names:
                found.add(at)
                continue
            for i in written.get(at, ()):
                match = _DEFINES.match(self._ptx[i])
                if match is None or not _MADE.match(self._ptx[i]):
                    continue
                fresh = [part for part in _NAME.findall(match[2]) if part not in seen]
                seen.update(fresh)
                todo += fresh
        return found


def plain_name(symbol: str) -> str:
    """The last part of a mangled name: `_ZZ6kernelE4tile` is `tile`; other names as they are."""
    at, last = 2, ""
    if not symbol.startswith("_Z"):
        return symbol
    while match := re.compile(r"\D*?(\d+)").match(symbol, at):
        start, size = match.end(), int(match[1])
        if size > len(symbol) - start:
            break
        last, at = symbol[start : start + size], start + size
    return last or symbol
