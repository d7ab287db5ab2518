"""Decompresses a report into a temporary file, within bounds: a few kilobytes can claim to hold terabytes."""

from __future__ import annotations

import lzma
import mmap
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from advisor.errors import InputError
from advisor.reports.container import ENDS, MAGIC, walk
from advisor.reports.limits import MIB, Limits
from advisor.reports.sniffing import refuse_head

_CHUNK = MIB
_SMALL = 64 * MIB
_DICTIONARY = 256 * MIB


def _xz(file: BinaryIO) -> Iterator[bytes]:
    def start() -> lzma.LZMADecompressor:
        return lzma.LZMADecompressor(memlimit=_DICTIONARY)

    machine, rest = start(), b""
    while True:
        data = rest or (file.read(_CHUNK) if machine.needs_input else b"")
        rest = b""
        if not data and machine.needs_input:
            if not machine.eof:
                raise EOFError
            return
        yield machine.decompress(data, _CHUNK)
        if machine.eof:
            rest = machine.unused_data.lstrip(b"\0") or file.read(_CHUNK).lstrip(b"\0")
            if not rest:
                return
            machine = start()


def _gz(file: BinaryIO) -> Iterator[bytes]:
    machine, rest = zlib.decompressobj(31), b""
    while True:
        data = rest or file.read(_CHUNK)
        if not data:
            raise EOFError
        yield machine.decompress(data, _CHUNK)
        rest = machine.unconsumed_tail
        if machine.eof:
            rest = machine.unused_data.lstrip(b"\0") or file.read(_CHUNK).lstrip(b"\0")
            if not rest:
                return
            machine = zlib.decompressobj(31)


def _zst(file: BinaryIO) -> Iterator[bytes]:
    import zstandard

    machine = zstandard.ZstdDecompressor(max_window_size=_DICTIONARY)
    try:
        with machine.stream_reader(file, read_across_frames=True, closefd=False) as reader:
            while data := reader.read(_CHUNK):
                yield data
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from None


_STREAMS: dict[str, Callable[[BinaryIO], Iterator[bytes]]] = {"xz": _xz, "gz": _gz, "zst": _zst}


def unpack(path: Path, kind: str, target: Path, limits: Limits) -> str:
    """Writes the decompressed `path` to `target`; returns what is wrong with the compressed data, or ''.

    Raises InputError for contents that are no profile, and for more than the limits allow. Data that ends early or does
    not check out is written as far as it goes: launches in it may still be whole.
    """
    size = path.stat().st_size
    most = min(limits.unpacked_bytes, max(_SMALL, limits.unpack_ratio * size))
    total, look_at = 0, _SMALL
    with path.open("rb") as file, target.open("wb") as out:
        try:
            for data in _STREAMS[kind](file):
                if not total and data:
                    refuse_head(path.name, data)
                    most = most if data.startswith(MAGIC) else min(most, limits.text_bytes)
                total += len(data)
                if total > most:
                    raise InputError(
                        f"{path.name}: unpacks to more than {most // MIB} MiB, over {total // max(size, 1)} times its "
                        "size: no report does that; unpack it by hand if you trust it"
                    )
                out.write(data)
                if total > look_at:
                    look_at *= 2
                    out.flush()
                    if why := _hopeless(target):
                        return f"unpacking stopped at {total:,} bytes: {why}"
        except (EOFError, lzma.LZMAError, zlib.error, ValueError):
            if not total:
                raise InputError(
                    f"{path.name}: the {kind} data is damaged from its beginning; get the file again"
                ) from None
            return f"the {kind} data is cut short or damaged after {total:,} unpacked bytes"
    return ""


def _hopeless(target: Path) -> str:
    """Why a half-written report can be no report whatever follows, or ''."""
    with target.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        found = walk(data)
        return found.damage if data[: len(MAGIC)] == MAGIC and not found.damage.startswith(ENDS) else ""
