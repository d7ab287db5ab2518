"""Registers and predicates of machine code as bits, so that sets of them follow the control flow quickly."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.hardware.sass import Instruction
from advisor.hardware.sass_answers import inputs, results
from advisor.hardware.sass_flow import Codes


class Names:
    """What each instruction reads and writes, as masks of the names that occur in a kernel.

    always: whether all lanes execute it, so that its result replaces the old value.
    """

    def __init__(self, codes: Codes) -> None:
        """Give each register and predicate of the code a bit."""
        self._bits: dict[str, int] = {}
        self.reads = [self.read_by(code) if code is not None else 0 for code in codes]
        self.writes = [self._mask(results(code)) if code is not None else 0 for code in codes]
        self.always = [code is not None and code.predicate in ("", "PT") for code in codes]
        self.every = (1 << len(self._bits)) - 1

    def read_by(self, code: Instruction) -> int:
        """Return what an instruction reads, such as one without some of its operands."""
        return self._mask(inputs(code))

    def _mask(self, names: Iterable[str]) -> int:
        out = 0
        for name in names:
            out |= 1 << self._bits.setdefault(name, len(self._bits))
        return out

    def after(self, i: int, marked: int, result: bool) -> int:
        """Return which names are marked after an instruction. marked: before it; result: whether its result is."""
        written = self.writes[i]
        kept = 0 if self.always[i] else marked & written
        return marked & ~written | kept | (written if result else 0)

    def written(self, places: Iterable[int]) -> int:
        """Return the names that some instructions write."""
        out = 0
        for i in places:
            out |= self.writes[i]
        return out
