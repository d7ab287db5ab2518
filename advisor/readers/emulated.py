"""Read the document of an emulated launch, as `ncu-advisor emulate --save` writes it."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Annotated

import msgspec

from advisor.readers.container import Limits
from advisor.readers.frame import Contents, Launch, clean
from advisor.records.emulated import SCHEMA, TOOL, EmulatedDocument, EmulatedLocation
from advisor.records.errors import InputError
from advisor.records.readings import Access

LARGEST = 64 << 20  # bytes; a kernel of 20,000 instructions takes 4 MB
_ARCH = re.compile(r"sm_(\d{1,2})(\d)[af]?")
_Number = Annotated[float, msgspec.Meta(ge=0)]


class _Access(msgspec.Struct):
    space: str
    kind: str
    width: Annotated[int, msgspec.Meta(ge=0, le=1024)]
    executed: _Number
    lanes: _Number
    sectors: _Number = 0.0
    sectors_ideal: _Number = 0.0
    wavefronts: _Number = 0.0
    wavefronts_ideal: _Number = 0.0


class _Location(msgspec.Struct):
    sass: str
    address: int
    share: Annotated[float, msgspec.Meta(ge=0, le=1)]
    file: str = ""
    line: Annotated[int, msgspec.Meta(ge=0)] = 0


class _Finding(msgspec.Struct):
    id: str
    locations: tuple[_Location, ...] = ()


class _Document(msgspec.Struct):
    """The part of the document from which everything else follows."""

    schema: str
    kernel: str
    arch: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    counts: dict[str, _Number]
    opcodes: dict[str, _Number]
    accesses: tuple[_Access, ...] = ()
    findings: tuple[_Finding, ...] = ()


def is_emulated(head: bytes) -> bool:
    """Return whether these first bytes of a file are those of such a document."""
    return head.lstrip().startswith(b"{") and f'"{SCHEMA.rpartition("/")[0]}/'.encode() in head


def launch_of(document: EmulatedDocument) -> Launch:
    """Return the launch of a document in memory, as `read_emulated` returns that of a file."""
    return _launch(
        document.kernel,
        document.arch,
        document.grid,
        document.block,
        dict(document.counts),
        dict(document.opcodes),
        tuple(
            Access(
                *(one.space, one.kind, one.width, one.executed, one.lanes),
                *(one.sectors, one.sectors_ideal, one.wavefronts, one.wavefronts_ideal),
            )
            for one in document.accesses
        ),
    )


def _launch(
    kernel: str,
    arch: str,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    counts: dict[str, float],
    opcodes: dict[str, float],
    accesses: tuple[Access, ...],
) -> Launch:
    found = _ARCH.fullmatch(arch)
    return Launch(
        index=0,
        kernel=kernel,
        kernel_full=kernel,
        grid=grid,
        block=block,
        cc=f"{found[1]}.{found[2]}" if found else "",
        values={name: (value, "") for name, value in counts.items()},
        known={"emulated": 1.0},
        opcodes=opcodes,
        accesses=accesses,
    )


def _document(path: Path, name: str) -> _Document:
    if path.stat().st_size > LARGEST:
        raise InputError(f"{name}: larger than {LARGEST >> 20} MiB, too large for an emulated launch")
    try:
        found = msgspec.json.decode(path.read_bytes(), type=_Document)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{name}: a damaged document of an emulated launch: {str(error)[:200]}") from None
    if found.schema != SCHEMA:
        raise InputError(f"{name}: its schema is {found.schema[:60]}; this version reads {SCHEMA}")
    numbers = [*found.counts.values(), *found.opcodes.values()]
    if not all(map(math.isfinite, numbers)) or not all(n > 0 for n in (*found.grid, *found.block)):
        raise InputError(f"{name}: a number in this emulated launch is impossible")
    return found


def read_emulated(path: Path, name: str) -> Contents:
    """Read a document. Raises InputError, which names the file `name`, for anything else."""
    found = _document(path, name)
    accesses = tuple(Access(**msgspec.structs.asdict(one)) for one in found.accesses)
    launch = _launch(found.kernel, found.arch, found.grid, found.block, found.counts, found.opcodes, accesses)
    return Contents([launch], TOOL)


def read_locations(path: Path) -> dict[str, tuple[EmulatedLocation, ...]]:
    """Return finding -> its places in the code, as the document has them. Raises InputError."""

    def one(place: _Location) -> EmulatedLocation:
        words = [clean(text, Limits().name_chars)[0] for text in (place.sass, place.file)]
        return EmulatedLocation(words[0], place.address, place.share, words[1], place.line)

    return {found.id: tuple(map(one, found.locations)) for found in _document(path, path.name).findings}
