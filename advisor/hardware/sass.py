"""Look up SASS opcodes in knowledge/topics/sass.yaml, and parse lines of SASS.

The entry of an opcode is that of its longest stem: IMAD.MOV for `IMAD.MOV.U32`, IMAD for `IMAD.WIDE`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

import msgspec
from msgspec import Struct

from advisor.knowledge.base import catalog
from advisor.records.errors import KnowledgeError

# Entries whose id begins with a lower-case letter explain modifiers, not opcodes.
_OPCODE = re.compile(r"[A-Z][A-Z0-9_]*(\.[A-Z0-9_]+)*")
_WIDTHS = {"U8": 8, "S8": 8, "U16": 16, "S16": 16, "F16": 16, "BF16": 16, "64": 64, "F64": 64, "128": 128, "256": 256}
_MEMORY = frozenset({"load", "store", "atomic", "copy"})


class Entry(msgspec.Struct, frozen=True):
    """The fields of a dictionary entry that the reasoning uses; its texts are for `explain`."""

    title: str
    pipe: str
    kind: str
    cites: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    pipe_on: tuple[str, ...] = ()
    space: str = ""
    access: str = ""
    flops: int = 0
    counts: tuple[str, ...] = ()


class OpClass(Struct, frozen=True):
    """The classification of an opcode.

    entry: id in the dictionary, '' for an unknown opcode; pipe: fma, alu, fp64, xu, tensor, fp16, lsu, adu, cbu,
    uniform, tex, tma or none; kind: the work it does; space, access: of a memory instruction; width: bits per lane
    of a memory access, else 0; flops: floating-point operations per lane, except for matrix instructions; counts:
    canonical metrics that each execution increases by one.
    """

    opcode: str
    entry: str = ""
    pipe: str = ""
    kind: str = ""
    space: str = ""
    access: str = ""
    width: int = 0
    flops: int = 0
    counts: tuple[str, ...] = ()
    involves_f64: bool = False

    @property
    def is_conversion(self) -> bool:
        """Whether it converts a value to another type, on any pipe."""
        return self.kind == "conversion"


@lru_cache(maxsize=1)
def dictionary() -> dict[str, Entry]:
    """Return the entries by opcode; aliases have their own keys. Raises KnowledgeError for a malformed entry."""
    out: dict[str, Entry] = {}
    for name, topic in catalog().topic_file("sass").items():
        if not _OPCODE.fullmatch(name):
            continue
        try:
            entry = msgspec.convert(topic, Entry)
        except msgspec.ValidationError as e:
            raise KnowledgeError(f"knowledge/topics/sass.yaml:1: {name}: {e}") from None
        for opcode in (name, *entry.aliases):
            if opcode in out:
                raise KnowledgeError(f"knowledge/topics/sass.yaml:1: {opcode} has two entries")
            out[opcode] = entry
    return out


@lru_cache(maxsize=1)
def refined() -> dict[str, tuple[Entry, ...]]:
    """Map each opcode to the entries that apply with certain modifiers, such as IMAD -> IMAD.MOV."""
    out: dict[str, list[Entry]] = {}
    for name, entry in dictionary().items():
        stem, dot, _ = name.rpartition(".")
        if dot:
            out.setdefault(stem, []).append(entry)
    return {stem: tuple(entries) for stem, entries in out.items()}


def stem(opcode: str) -> str:
    """Return the longest stem of the opcode that has an entry, or ''."""
    entries = dictionary()
    name = opcode.strip().upper()
    while name and name not in entries:
        name = name.rpartition(".")[0]
    return name


@lru_cache(maxsize=8192)
def classify(opcode: str, cc: str = "") -> OpClass:
    """Classify an opcode such as `LDG.E.128`. cc (9.0, 8.6, …): selects the pipe if it depends on the GPU.

    An opcode without an entry gives an OpClass with empty fields. Source of the pipes: profiling guide of Nsight
    Compute, and the pipe counters of CC 9.0 compared with the executed opcodes.
    """
    name = stem(opcode)
    if not name:
        return OpClass(opcode)
    entry = dictionary()[name]
    modifiers = opcode.strip().upper().split(".")[1:]
    pipe = next((p.split()[1] for p in entry.pipe_on if p.split()[0] == cc), entry.pipe)
    return OpClass(
        opcode=opcode,
        entry=name,
        pipe=pipe,
        kind=entry.kind,
        space=entry.space,
        access=entry.access,
        width=_width(name, modifiers) if entry.access in _MEMORY else 0,
        flops=entry.flops,
        counts=entry.counts,
        involves_f64=entry.kind == "fp64" or any(m in ("F64", "RCP64H", "RSQ64H") for m in modifiers),
    )


def _width(name: str, modifiers: list[str]) -> int:
    """Return bits per lane. LDSM and STSM move 8x8 matrices of 16 bits, 32 bits per lane; bulk copies have no lanes."""
    if name.startswith("U") and name not in ("ULDC",):
        return 0
    if name in ("LDSM", "STSM"):
        return 32 * int(modifiers[-1]) if modifiers and modifiers[-1] in ("2", "4") else 32
    return next((_WIDTHS[m] for m in modifiers if m in _WIDTHS), 32)


# Shapes in the names of matrix instructions: 16816 is 16 x 8 x 16, 64x128x16 that of a warpgroup. Volta's HMMA.884 with
# STEP0 to STEP3 does a part of its shape in each step.
_SHAPE = re.compile(r"(8|16)8(\d+)")
_GROUP_SHAPE = re.compile(r"64x(\d+)x(\d+)")
_WARPS_OF_A_GROUP = 4


def multiply_adds(opcode: str) -> float | None:
    """Return the multiply-adds of one warp's matrix instruction, such as 2,048 of `HMMA.16816.F32`.

    Each of a warpgroup's four warps counts its instruction: HGMMA.64x128x16 is a quarter of 64 x 128 x 16. None for
    other instructions, sparse ones, and those whose name has no shape (UTC*MMA have it in a descriptor).
    """
    name, *modifiers = opcode.strip().upper().split(".")
    if not name.endswith("MMA") or "SP" in modifiers or any(m.startswith("STEP") for m in modifiers):
        return None
    warps, pattern = (_WARPS_OF_A_GROUP, _GROUP_SHAPE) if name.endswith("GMMA") else (1, _SHAPE)
    for modifier in modifiers:
        shape = pattern.fullmatch(modifier.lower())
        if shape is not None:
            rows, columns = (64, int(shape[1])) if warps > 1 else (int(shape[1]), 8)
            return rows * columns * int(shape[2]) / warps
    return None


_COMMENT = re.compile(r"/\*[^*]*\*/")
_PREDICATE = re.compile(r"@!?U?P[0-9T]")
_ANY_OPCODE = re.compile(r"[A-Z][A-Z0-9_]*(?:\.[A-Za-z0-9_]+)*")
# `[R2+0x10]`, or the same after a descriptor; a constant bank `c[0x0][…]` is no memory operand.
_BRACKET = re.compile(r"(?:g?desc\[[^\[\]]*\])?\[([^\[\]]*)\](?:\.\w+)*")
_REGISTER = re.compile(r"-?U?R(?:\d+|Z)(?:\.[A-Z0-9]+)*")
_NUMBER = re.compile(r"-?(?:0x[0-9a-f]+|\d+)")
_STACK_POINTER = "R1"


class Memory(Struct, frozen=True):
    """An operand in brackets: base register without suffixes ('' for none), uniform register, offset in bytes."""

    base: str
    uniform: str = ""
    offset: int = 0

    @property
    def on_stack(self) -> bool:
        """Whether the address is the stack pointer plus a constant: a spill, or an array element with a fixed index."""
        return self.base == _STACK_POINTER and not self.uniform


class Instruction(Struct, frozen=True):
    """An instruction. predicate: as written without the @, or ''; operands: as written, in order."""

    predicate: str
    opcode: str
    operands: tuple[str, ...]

    @property
    def memory(self) -> Memory | None:
        """The first operand that addresses memory, or None (constant operands c[..][..] do not count)."""
        for operand in self.operands:
            found = _memory(operand)
            if found is not None:
                return found
        return None


def parse(line: str) -> Instruction | None:
    """Parse one line of disassembly. Return None for a line without an instruction (a label, an empty line, N/A)."""
    text = _COMMENT.sub("", line).partition(";")[0].partition(" &")[0].strip()
    predicate = ""
    if text.startswith("@"):
        predicate, _, text = text.partition(" ")
        if not _PREDICATE.fullmatch(predicate):
            return None
    opcode, _, operands = text.strip().partition(" ")
    if not _ANY_OPCODE.fullmatch(opcode):
        return None
    return Instruction(predicate[1:], opcode, tuple(split_operands(operands)))


def split_operands(text: str) -> Iterable[str]:
    """Split operands at commas outside brackets."""
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
