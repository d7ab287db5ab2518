"""A line of SASS taken apart: predicate, opcode, operands, and the memory operand that tells a spill from an array."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_COMMENT = re.compile(r"/\*[^*]*\*/")
_PREDICATE = re.compile(r"@!?U?P[0-9T]")
_OPCODE = re.compile(r"[A-Z][A-Z0-9_]*(?:\.[A-Za-z0-9_]+)*")
# `[R2+0x10]`, or the same behind a descriptor; a constant bank `c[0x0][…]` is no memory operand.
_BRACKET = re.compile(r"(?:g?desc\[[^\[\]]*\])?\[([^\[\]]*)\](?:\.\w+)*")
_REGISTER = re.compile(r"-?U?R(?:\d+|Z)(?:\.[A-Z0-9]+)*")
_NUMBER = re.compile(r"-?(?:0x[0-9a-f]+|\d+)")
_STACK_POINTER = "R1"


@dataclass(frozen=True, slots=True)
class Memory:
    """An operand in brackets: base register without suffixes ('' for none), uniform register, offset in bytes."""

    base: str
    uniform: str = ""
    offset: int = 0

    @property
    def on_stack(self) -> bool:
        """The address is the stack pointer and a constant: a spill, or an array element with a fixed index."""
        return self.base == _STACK_POINTER and not self.uniform


@dataclass(frozen=True, slots=True)
class Instruction:
    """predicate: as written without the @, '' for none; operands: as written, in order."""

    predicate: str
    opcode: str
    operands: tuple[str, ...]

    @property
    def memory(self) -> Memory | None:
        """The first operand that addresses memory; None without one (constant operands c[..][..] are none)."""
        for operand in self.operands:
            found = _memory(operand)
            if found is not None:
                return found
        return None


def parse(line: str) -> Instruction | None:
    """The parts of one line of disassembly; None for what is no instruction (a label, an empty line, N/A)."""
    text = _COMMENT.sub("", line).partition(";")[0].partition(" &")[0].strip()
    predicate = ""
    if text.startswith("@"):
        predicate, _, text = text.partition(" ")
        if not _PREDICATE.fullmatch(predicate):
            return None
    opcode, _, operands = text.strip().partition(" ")
    if not _OPCODE.fullmatch(opcode):
        return None
    return Instruction(predicate[1:], opcode, tuple(_split(operands)))


def _split(text: str) -> Iterable[str]:
    """Operands between commas, none of which is split inside brackets."""
    depth, start = 0, 0
    for at, char in enumerate(text):
        if char in "[(":
            depth += 1
        elif char in "])":
            depth -= 1
        elif char == "," and depth == 0:
            yield text[start:at].strip()
            start = at + 1
    if text[start:].strip():
        yield text[start:].strip()


def _memory(operand: str) -> Memory | None:
    match = _BRACKET.fullmatch(operand)
    if match is None:
        return None
    base, uniform, offset = "", "", 0
    for piece in map(str.strip, match[1].split("+")):
        if _REGISTER.fullmatch(piece):
            name = piece.lstrip("-").split(".")[0]
            if name.startswith("U"):
                uniform = "" if name == "URZ" else name
            elif not base:
                base = "" if name == "RZ" else name
        elif _NUMBER.fullmatch(piece):
            offset += int(piece, 0)
        elif piece:
            return None
    return Memory(base, uniform, offset)


def local_use(code: Iterable[tuple[str, float]]) -> tuple[float, float] | None:
    """Executions of (spills, run-time indexed accesses) among the local accesses of (SASS line, executions) pairs.

    `[R1+constant]` counts as a spill, any other base register as an index, as seen on kernels of known behaviour; an
    array element with a constant index counts as a spill too. None when a local access has no readable operand.
    """
    spills = indexed = 0.0
    for line, executed in code:
        instruction = parse(line)
        if instruction is None or instruction.opcode.split(".")[0] not in ("LDL", "STL"):
            continue
        if instruction.memory is None:
            return None
        if instruction.memory.on_stack:
            spills += executed
        else:
            indexed += executed
    return spills, indexed
