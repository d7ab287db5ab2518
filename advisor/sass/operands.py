"""A line of SASS taken apart: predicate, opcode, operands, and the memory operand that tells a spill from an array."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_LINE = re.compile(
    r"\s*(?:/\*[0-9a-f]+\*/\s*)?(?:@(?P<predicate>!?U?P(?:\d|T))\s+)?(?P<opcode>[A-Z][A-Z0-9_]*(?:\.[A-Za-z0-9_]+)*)"
    r"\s*(?P<operands>[^;]*?)\s*;?\s*(?:&.*|/\*.*)?\s*"
)
_BRACKET = re.compile(r"(?:(?P<bank>[a-z]+)(?:\[(?P<first>[^\[\]]*)\])?|desc\[[^\[\]]*\])?\[(?P<inner>[^\[\]]*)\](?:\.\w+)*$")
_REGISTER = re.compile(r"-?U?R(?:\d+|Z)(?:\.[A-Z0-9]+)*")
_NUMBER = re.compile(r"-?(?:0x[0-9a-f]+|\d+)")
_STACK_POINTER = "R1"


@dataclass(frozen=True, slots=True)
class Memory:
    """An operand in brackets: its base register without suffixes ('' for none), a uniform register, the offset in bytes."""

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
    match = _LINE.fullmatch(line)
    if match is None or line.strip() in ("N/A", ""):
        return None
    return Instruction(match["predicate"] or "", match["opcode"], tuple(_split(match["operands"])))


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
    if match is None or match["bank"] in ("c", "cx"):
        return None
    base, uniform, offset = "", "", 0
    for part in re.split(r"(?<=[^\s+])\s*\+\s*", match["inner"].strip()):
        piece = part.strip()
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

    `[R1+constant]` counts as a spill, any other base register as an index (Compute profiling guide, measured on known
    kernels). None when a local access has no readable operand.
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
