"""The decoded form of machine code, and the errors of the emulator.

A program is a list of instructions at consecutive addresses, 16 bytes each. Operands keep their modifiers; what an
opcode does with them is decided where it is executed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from advisor.records.errors import InputError

INSTRUCTION_BYTES = 16
# Addresses that stand for functions of the driver, which the code calls and no cubin holds.
_DRIVER_AT = 0x7E00_0000_0000
DRIVER_FUNCTIONS = {
    _DRIVER_AT + INSTRUCTION_BYTES * i: name for i, name in enumerate(("vprintf", "__assertfail", "malloc", "free"))
}
MOST_INSTRUCTIONS = 1 << 18


class RefusedError(InputError):
    """The code uses something that is not emulated, or a limit was reached: one line that names it."""


class TimeLimitError(RefusedError):
    """The limit of processor time was reached."""


@dataclass(frozen=True, slots=True)
class Operand:
    """An operand of an instruction.

    kind: R, UR (register), P, UP (predicate), B (convergence barrier), SB (scoreboard), number (immediate; `text`
    as written), constant (c[bank][…]), memory ([…]), special (SR_TID.X, PR); index: of a register; -1 is RZ, URZ, PT
    or UPT. bank: of a constant. base, wide, uniform, scale, offset: the address of a constant or memory operand: base
    register (-1: none), whether it is a pair of registers, uniform register (-1: none), factor of the base, bytes.
    """

    kind: str
    index: int = -1
    text: str = ""
    negative: bool = False
    absolute: bool = False
    inverted: bool = False
    suffixes: tuple[str, ...] = ()
    bank: int = 0
    base: int = -1
    wide: bool = False
    signed: bool = False
    uniform: int = -1
    scale: int = 1
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction. address: bytes from the start of the function; guard: its predicate, or None."""

    address: int
    opcode: str
    modifiers: tuple[str, ...]
    guard: Operand | None
    operands: tuple[Operand, ...]
    text: str

    @property
    def name(self) -> str:
        """The opcode with its modifiers, as ncu writes it."""
        return ".".join((self.opcode, *self.modifiers))


@dataclass(frozen=True, slots=True)
class Parameter:
    """A kernel parameter: offset in the parameter area and size, both in bytes."""

    offset: int
    size: int


@dataclass(slots=True)
class Program:
    """One kernel. arch: sm_90; base: the address at which its code was loaded, added to absolute targets in the text.

    constants: bank -> bytes, without the launch's own part; pointers: (bank, offset) -> symbol whose address belongs
    there; variables: symbol -> (size, initial bytes or None, alignment) in global memory; symbols: __constant__
    symbol -> (offset in bank 3, size). parameters_at: offset of the parameters in bank 0. A size or register count
    of None is unknown. lines: address -> (file, line). cluster: its blocks by axis.
    """

    kernel: str
    arch: str
    code: list[Instruction]
    base: int = 0
    constants: dict[int, bytes] = field(default_factory=dict)
    pointers: dict[tuple[int, int], str] = field(default_factory=dict)
    variables: dict[str, tuple[int, bytes | None, int]] = field(default_factory=dict)
    symbols: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    parameters: tuple[Parameter, ...] | None = None
    parameters_at: int = 0
    registers: int | None = None
    shared_bytes: int = 0
    local_bytes: int | None = None
    lines: Mapping[int, tuple[str, int]] = field(default_factory=dict)
    cluster: tuple[int, int, int] = (1, 1, 1)

    def where(self, at: int) -> str:
        """Return `file:line` of the instruction with this index, or its address and text."""
        one = self.code[at]
        known = self.lines.get(one.address)
        return f"{known[0]}:{known[1]}" if known else f"{self.kernel}+0x{one.address:x} {one.opcode}"
