"""Decode a cubin: code from nvdisasm, registers, memory sizes, parameters, constants and lines from the ELF file."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import struct
import subprocess
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

from advisor.emulator.decode import decode
from advisor.emulator.program import INSTRUCTION_BYTES, Instruction, Parameter, Program, RefusedError
from advisor.readers.code import BadCodeError, Elf, LineTable
from advisor.records.child import end_group, limit_memory_of
from advisor.records.extras import install_text
from advisor.records.scratch import ScratchFolder

INSTALL = f"decoding a cubin needs nvdisasm: {install_text('emulate')}"
_LARGEST = 32 << 20  # bytes of a cubin
_LIMIT_S = 25.0
_MOST_OUTPUT = 256 << 20
_MEMORY = 2_000_000_000  # bytes of address space; a damaged cubin can claim sections of any size
_PACKAGE = "nvidia-cuda-nvdisasm"
# What one block and one constant bank can have on any GPU: a damaged file can claim more than the machine's memory.
_MOST_SHARED, _MOST_CONSTANT, _MOST_LOCAL, _MOST_CLUSTER = 256 << 10, 64 << 10, 512 << 10, 16
# Attributes of .nv.info: (format 4) CUDA's cuobjdump prints their names.
_REGISTERS, _STACK, _CONSTANT_BANK, _PARAMETER, _CLUSTER = 0x2F, 0x12, 0x0A, 0x17, 0x3D
_UNKNOWN = 0xFFFFFFFF  # of a stack: the kernel calls itself


def nvdisasm() -> Path | None:
    """Return NVIDIA's disassembler from its package or from the PATH, or None."""
    with contextlib.suppress(metadata.PackageNotFoundError):
        for file in metadata.files(_PACKAGE) or ():
            if file.name in ("nvdisasm", "nvdisasm.exe"):
                found = Path(str(file.locate()))
                if found.is_file():
                    return found
    found_name = shutil.which("nvdisasm")
    return Path(found_name) if found_name else None


@lru_cache(maxsize=4)
def disassemble(cubin: bytes) -> list[dict[str, Any]]:
    """Return the functions of a cubin as nvdisasm's JSON has them; the last ones are kept.

    Raises RefusedError in one line.
    """
    program = nvdisasm()
    if program is None:
        raise RefusedError(INSTALL)
    if len(cubin) > _LARGEST:
        raise RefusedError(f"a cubin of {len(cubin) >> 20} MiB: the limit is {_LARGEST >> 20} MiB")
    with ScratchFolder() as folder:
        place = Path(folder) / "code.cubin"
        place.write_bytes(cubin)
        answer = Path(folder) / "code.json"
        with (
            answer.open("wb") as out,
            subprocess.Popen(
                [str(program), "-json", str(place)],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.PIPE,
                start_new_session=os.name == "posix",
            ) as child,
        ):
            limit_memory_of(child.pid, _MEMORY)
            try:
                _, errors = child.communicate(timeout=_LIMIT_S)
            except subprocess.TimeoutExpired:
                end_group(child)
                raise RefusedError(f"nvdisasm did not end within {_LIMIT_S:.0f} s") from None
            except BaseException:
                end_group(child)
                raise
        if child.returncode != 0:
            words = errors.decode("utf-8", "replace").replace(str(place), "the file").strip().splitlines()
            raise RefusedError(f"nvdisasm cannot read the cubin{': ' + words[-1][:160] if words else ''}")
        if answer.stat().st_size > _MOST_OUTPUT:
            raise RefusedError("the disassembly of the cubin is too long")
        try:
            found = json.loads(answer.read_bytes())
            functions = found[1]
        except (ValueError, RecursionError, LookupError, TypeError):
            raise RefusedError("the output of nvdisasm cannot be read") from None
    if not isinstance(functions, list):
        raise RefusedError("the output of nvdisasm cannot be read")
    return [f for f in functions if isinstance(f, dict) and f.get("sass-instructions")]


def kernels(cubin: bytes) -> tuple[str, ...]:
    """Return the names of the kernels in a cubin. Raises RefusedError if it is not an ELF file."""
    elf = _elf(cubin)
    return tuple(n.removeprefix(".nv.constant0.") for n in elf.names if n.startswith(".nv.constant0."))


def read_cubin(cubin: bytes, kernel: str) -> Program:
    """Decode one kernel of a cubin. Raises RefusedError if that is not possible."""
    elf = _elf(cubin)
    section = next((s.section for s in elf.symbols() if s.name == kernel), -1)
    places = {s.name: s.value for s in elf.symbols() if s.section == section and s.name}
    for function in disassemble(cubin):
        if function.get("function-name") == kernel:
            start = int(function.get("start", 0))
            try:
                lines = [_line(i, places) for i in function["sass-instructions"]]
            except (TypeError, KeyError, AttributeError):
                raise RefusedError("the output of nvdisasm cannot be read") from None
            code = decode((at * INSTRUCTION_BYTES, line) for at, line in enumerate(lines))
            return from_elf(elf, kernel, code, base=start)
    raise RefusedError(f"the cubin has no kernel {kernel!r}: it has {', '.join(kernels(cubin)) or 'none'}")


# nvdisasm's JSON of sm_80 to sm_89 puts the comma of `R0,desc[UR4][R2.64]` one word too late, or leaves it out.
_LATE_COMMA = re.compile(r"(?<=[\w\]])desc,?\[")


def _line(one: dict[str, Any], places: dict[str, int]) -> str:
    """Return an instruction of nvdisasm's JSON as a line of SASS."""
    opcode, guard = one["opcode"], one.get("predicate", "")
    operands = _LATE_COMMA.sub(",desc[", _resolved(one.get("operands", ""), places))
    if guard == "PR":  # the predicates of P2R and R2P, which are an operand
        first, _, rest = operands.partition(",")
        return f"{opcode} {first},PR,{rest}" if opcode.startswith("P2R") else f"{opcode} PR,{operands}"
    return f"{guard} {opcode} {operands}".strip()


def _resolved(operands: str, places: dict[str, int]) -> str:
    """Replace the names of functions of the same section by their addresses."""
    if "$" not in operands and not any(o in places for o in operands.split(",")):
        return operands
    return ",".join(hex(places[o.strip()]) if o.strip() in places else o for o in operands.split(","))


def _elf(data: bytes) -> Elf:
    try:
        return Elf(data)
    except BadCodeError as e:
        raise RefusedError(f"the cubin cannot be read: {e}") from None


def architecture(elf: Elf) -> str:
    """Return the architecture of a cubin, such as sm_90, from its flags."""
    flags = elf.flags
    number = (flags >> 8 if flags >> 24 else flags) & 0xFF
    return f"sm_{number}"


def from_elf(elf: Elf, kernel: str, code: list[Instruction], base: int = 0) -> Program:
    """Return the program of a kernel: its code, and what the ELF file says. Raises RefusedError for damaged data."""
    try:
        return _from_elf(elf, kernel, code, base)
    except (struct.error, IndexError, OverflowError):
        raise RefusedError("the cubin is damaged") from None


def _from_elf(elf: Elf, kernel: str, code: list[Instruction], base: int) -> Program:
    symbols, sizes = elf.symbols(), elf.sizes()
    program = Program(kernel, architecture(elf), code, base)
    section = next((s.section for s in symbols if s.name == kernel), 0)
    number = next((i for i, s in enumerate(symbols) if s.name == kernel), -1)
    for attribute, data in _attributes(elf.section(".nv.info")):
        if len(data) == 8:
            symbol, value = struct.unpack("<II", data)
            if symbol == number and attribute == _REGISTERS:
                program.registers = min(value, 255)
            elif symbol == number and attribute == _STACK and value != _UNKNOWN:
                program.local_bytes = value
    parameters: dict[int, Parameter] = {}
    for attribute, data in _attributes(elf.section(f".nv.info.{kernel}")):
        if attribute == _CONSTANT_BANK and len(data) == 8:
            program.parameters_at = struct.unpack("<IHH", data)[1]
        elif attribute == _PARAMETER and len(data) == 12:
            _, ordinal, offset, flags = struct.unpack("<IHHI", data)
            parameters[ordinal] = Parameter(offset, flags >> 18)
        elif attribute == _CLUSTER and len(data) == 12:
            x, y, z = struct.unpack("<III", data)
            program.cluster = x, y, z
            if not 0 < x * y * z <= _MOST_CLUSTER:
                raise RefusedError(f"a cluster of {x} x {y} x {z} blocks: no GPU has them")
    if sorted(parameters) == list(range(len(parameters))):
        program.parameters = tuple(parameters[i] for i in sorted(parameters))
    shared = elf.size(f".nv.shared.{kernel}")
    reserved = 0x400 if program.arch in ("sm_90", "sm_100", "sm_120") else 0
    program.shared_bytes = max(shared - reserved, 0)
    _check("shared memory", program.shared_bytes, _MOST_SHARED)
    _check("local memory of a thread", program.local_bytes or 0, _MOST_LOCAL)
    _constants(elf, kernel, program, symbols, sizes)
    with contextlib.suppress(BadCodeError):
        table = LineTable(elf)
        start = symbols[number].value if number >= 0 else 0
        lines = {}
        for one in code:
            frames = table.frames(section, start + one.address)
            if frames:
                lines[one.address] = (frames[0].file, frames[0].line)
        program.lines = lines
    return program


def _check(what: str, size: int, most: int) -> None:
    """Raise RefusedError if a size is beyond that of any GPU."""
    if size > most:
        raise RefusedError(f"{size:,} bytes of {what}: no GPU has over {most:,}")


def _constants(elf: Elf, kernel: str, program: Program, symbols: list[Any], sizes: list[int]) -> None:
    places = {name: index for index, name in reversed(list(enumerate(elf.names)))}
    for bank in range(1, 18):
        for name in (f".nv.constant{bank}", f".nv.constant{bank}.{kernel}"):
            if name not in places:
                continue
            _check(f"constant bank {bank}", elf.size(name), _MOST_CONSTANT)
            program.constants[bank] = elf.section(name) or bytes(elf.size(name))
            for offset, (symbol, added) in elf.relocations(name).items():
                if symbol < len(symbols) and not added:
                    program.pointers[bank, offset] = symbols[symbol].name
                else:
                    raise RefusedError(f"a constant of bank {bank} points to code or into the middle of a variable")
    user = places.get(".nv.constant3", -1)
    program.symbols = {
        s.name: (s.value, size) for s, size in zip(symbols, sizes, strict=True) if s.section == user and size
    }
    for name in (".nv.global", ".nv.global.init"):
        index = places.get(name, -1)
        initial = elf.section(name)
        for symbol, size in zip(symbols, sizes, strict=True):
            if symbol.section == index and size:
                start = initial[symbol.value : symbol.value + size] if initial else None
                program.variables[symbol.name] = (size, start, 256)


def _attributes(data: bytes) -> list[tuple[int, bytes]]:
    """Return (attribute, value) of a .nv.info section: a format, an attribute, and 2 bytes or a sized value."""
    out, at = [], 0
    while at + 4 <= len(data):
        form, attribute, size = struct.unpack_from("<BBH", data, at)
        at += 4
        if form == 4:
            out.append((attribute, data[at : at + size]))
            at += size
    return out
