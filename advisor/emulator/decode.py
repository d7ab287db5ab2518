"""Decode lines of SASS, as nvdisasm and the reports of Nsight Compute write them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.emulator.program import INSTRUCTION_BYTES, MOST_INSTRUCTIONS, Instruction, Operand, RefusedError
from advisor.hardware.sass import split_operands

_OPCODE = re.compile(r"[A-Z][A-Z0-9_]*(?:\.[A-Za-z0-9_]+)*")
_GUARD = re.compile(r"(!)?(U?P)([0-6T])")
_REGISTER = re.compile(r"(U?R)(\d+|Z)((?:\.[A-Za-z0-9_]+)*)")
_PREDICATE = re.compile(r"(U?P)([0-6T])")
_BARRIER = re.compile(r"(B|SB)(\d+)")
_NUMBER = re.compile(r"[+-]?(?:0x[0-9a-f]+|(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|INF|QNAN|SNAN)", re.IGNORECASE)
_CONSTANT = re.compile(r"c\[0x([0-9a-f]+)\]\s*\[([^\[\]]*)\]((?:\.[A-Za-z0-9_]+)*)")
_BRACKETS = re.compile(r"(?:desc\[UR\d+\]|desc\[URZ\])?\[([^\[\]]*)\]((?:\.[A-Za-z0-9_]+)*)")
_LABEL = re.compile(r"`\([^()`]*\)\s*")
_SPECIAL = re.compile(r"(?:SR_[A-Za-z0-9_.]+|SRZ|PR|UPR|CC)")
_LARGEST_REGISTER = 254


def decode_line(address: int, line: str) -> Instruction:
    """Decode one line, such as `@!P0 LDG.E R0, desc[UR4][R2.64+0x4]`. Raises RefusedError for what it cannot read."""
    text = line.partition(";")[0].partition(" &")[0].strip()
    guard = None
    rest = text
    if rest.startswith("@"):
        word, _, rest = rest[1:].partition(" ")
        found = _GUARD.fullmatch(word)
        if found is None:
            raise RefusedError(f"the predicate of {_short(text)} cannot be decoded")
        guard = Operand(found[2], -1 if found[3] == "T" else int(found[3]), inverted=bool(found[1]))
    name, _, operands = rest.strip().partition(" ")
    if not _OPCODE.fullmatch(name):
        raise RefusedError(f"the instruction {_short(text)} cannot be decoded")
    opcode, *modifiers = name.split(".")
    return Instruction(
        address, opcode, tuple(modifiers), guard, tuple(_operand(o, text) for o in split_operands(operands)), text
    )


def decode(lines: Iterable[tuple[int, str]]) -> list[Instruction]:
    """Decode (address, text) pairs. Raises RefusedError for gaps in the addresses and for too many instructions."""
    out: list[Instruction] = []
    for address, line in lines:
        if len(out) >= MOST_INSTRUCTIONS:
            raise RefusedError(f"a kernel of more than {MOST_INSTRUCTIONS} instructions")
        if address != len(out) * INSTRUCTION_BYTES:
            raise RefusedError(f"the code has a gap at 0x{len(out) * INSTRUCTION_BYTES:x}")
        out.append(decode_line(address, line))
    if not out:
        raise RefusedError("the kernel has no code")
    return out


def _short(text: str) -> str:
    return repr(text[:60])


def _register(name: str, text: str) -> int:
    index = -1 if name == "Z" else int(name)
    if index > _LARGEST_REGISTER:
        raise RefusedError(f"a register of {_short(text)} does not exist")
    return index


def _operand(word: str, text: str) -> Operand:
    rest = _LABEL.sub("", word).strip()
    negative = inverted = absolute = False
    while rest[:1] in "-~!" and rest[:1] and not _NUMBER.fullmatch(rest):
        negative |= rest[0] == "-"
        inverted |= rest[0] in "~!"
        rest = rest[1:].strip()
    if rest.startswith("|"):
        absolute = True
        inner, _, after = rest[1:].partition("|")
        rest = inner.strip() + after
    if found := _REGISTER.fullmatch(rest):
        suffixes = tuple(s for s in found[3].split(".") if s and s != "reuse")
        return Operand(found[1], _register(found[2], text), rest, negative, absolute, inverted, suffixes)
    if found := _PREDICATE.fullmatch(rest):
        return Operand(found[1], -1 if found[2] == "T" else int(found[2]), inverted=inverted)
    if _NUMBER.fullmatch(rest):
        return Operand("number", text=rest, negative=negative, absolute=absolute, inverted=inverted)
    if found := _BARRIER.fullmatch(rest):
        return Operand(found[1], int(found[2]))
    if found := _CONSTANT.fullmatch(rest):
        place = _address(found[2], text)
        return Operand(
            "constant",
            negative=negative,
            absolute=absolute,
            inverted=inverted,
            suffixes=tuple(s for s in found[3].split(".") if s and s != "reuse"),
            bank=int(found[1], 16),
            base=place.base,
            uniform=place.uniform,
            offset=place.offset,
        )
    if found := _BRACKETS.fullmatch(rest):
        place = _address(found[1], text)
        return Operand(
            "memory",
            base=place.base,
            wide=place.wide,
            signed=place.signed,
            uniform=place.uniform,
            scale=place.scale,
            offset=place.offset,
            suffixes=tuple(s for s in found[2].split(".") if s),
        )
    if _SPECIAL.fullmatch(rest):
        return Operand("special", text=rest)
    if rest == "0x0" or not rest:
        return Operand("number", text="0")
    raise RefusedError(f"the operand {_short(word)} of {_short(text)} is not emulated")


def _address(inside: str, text: str) -> Operand:
    """Decode `R2.64+UR4+0x10`; the base has .64, .X4, .U32 or nothing after it."""
    base, uniform, offset, scale, wide, signed = -1, -1, 0, 1, False, False
    for piece in re.split(r"\+", inside.replace("+-", "+~")):
        word = piece.strip().replace("~", "-")
        if not word:
            continue
        if found := _REGISTER.fullmatch(word):
            index = _register(found[2], text)
            suffixes = [s for s in found[3].split(".") if s and s != "reuse"]
            if found[1] == "UR":
                uniform = index if index >= 0 else uniform
                continue
            for suffix in suffixes:
                if suffix == "64":
                    wide = True
                elif suffix in ("X4", "X8", "X16"):
                    scale = int(suffix[1:])
                elif suffix not in ("U32",):
                    raise RefusedError(f"the address modifier {suffix} of {_short(text)} is not emulated")
            base = index
        elif re.fullmatch(r"-?0x[0-9a-f]+|-?\d+", word):
            offset += int(word, 0)
        else:
            raise RefusedError(f"the address of {_short(text)} is not emulated")
    return Operand("memory", base=base, wide=wide, signed=signed, uniform=uniform, scale=scale, offset=offset)
