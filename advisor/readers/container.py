"""Validate the container format of Nsight Compute reports before NVIDIA's library opens it, and write slim copies.

Layout: `NVR\\0`; a little-endian u32 and a file header of that length; then blocks, each a u32 length, a header and a
payload. Headers are protocol-buffer messages. In a block header field 1 is the number of sources, 2 the number of
results (launches), 3 the session, 4 the block's strings for the report's table, 5 the size of the payload. The
payload is the sources, then the results, each preceded by a u32 length. In a result, the fields 13 are metrics (field
1: index into the string table, 2: value, 3: instances, 4: category), 15 names the source with its code, 17 is the
layout of the report pages.

Standard library only: the child process imports this module too.
"""

from __future__ import annotations

import contextlib
import mmap
import struct
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for reading one file.

    children: processes at a time; batch_launches, batch_bytes: maximum for one child (bytes of launch records, each of
    which takes about ten times its size in memory); silence_s: seconds that a child may take for one launch (of
    processor time if others use the machine); total_s: seconds for the whole file; child_memory: address space of a
    child in bytes (if the system enforces it); message_bytes: limit of a child's output; unpacked_bytes, unpack_ratio:
    size of a decompressed file, absolute and as a multiple of the compressed one (real reports shrink 10 to 70 times);
    text_bytes, text_lines and line_chars: size of a text or CSV file, its number of lines, its longest line;
    search_lines: lines in which its first launch must begin; launches: number of launches in one file; name_chars:
    longest kernel name, longer ones are cut.
    """

    children: int = 2
    batch_launches: int = 40
    batch_bytes: int = 48 * MIB
    silence_s: float = 12.0
    total_s: float = 180.0
    child_memory: int = 2048 * MIB
    message_bytes: int = 128 * MIB
    unpacked_bytes: int = 2048 * MIB
    unpack_ratio: int = 400
    text_bytes: int = 256 * MIB
    text_lines: int = 10_000_000
    line_chars: int = 1 << 20
    search_lines: int = 2_000_000
    launches: int = 100_000
    name_chars: int = 20_000


MAGIC = b"NVR\0"
# No known version uses a field number above 35 in a result.
_HIGHEST_FIELD = 200
# Far more than in any report, and few enough to parse in seconds.
_MOST_FIELDS, _MOST_HEADER_FIELDS, _MOST_BLOCKS, _MOST_LAUNCHES = 1 << 20, 1 << 12, 400_000, 100_000
# Prefix of a damage message for a file that may only be incomplete.
ENDS = "it ends"
METRIC, CODE, LAYOUT = 13, 15, 17
# The machine code is an ELF file; its section names show how it was built.
_CODE_MARKS = (b"\x7fELF", b".debug_line", b".nv_debug_info_reg_sass")
LENGTH = struct.Struct("<I")
Bytes = bytes | memoryview | mmap.mmap


class DamagedError(ValueError):
    """The bytes are not a well-formed message of this container."""


@dataclass(frozen=True, slots=True)
class Block:
    """Byte offsets (start, end) in one block: of its header, and of each complete source and result."""

    header: tuple[int, int]
    sources: tuple[tuple[int, int], ...]
    results: tuple[tuple[int, int], ...]


@dataclass(slots=True)
class Container:
    """The result of parsing the blocks.

    announced: launches according to the headers; readable: launches with complete bytes; damage: a description of the
    damage, or ''; tool: version of the profiler, or ''; command: the profiler's command line, or ''.
    """

    blocks: list[Block] = field(default_factory=list)
    announced: int = 0
    readable: int = 0
    damage: str = ""
    tool: str = ""
    command: str = ""


def number_and_end(data: Bytes, at: int) -> tuple[int, int]:
    """Return the varint at an offset, and the offset of its end."""
    if at < len(data) and (first := data[at]) < 0x80:
        return first, at + 1
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise DamagedError("a number extends past its end")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def field_at(data: Bytes, at: int) -> tuple[int, int, int]:
    """Return (number, start of value, end) of the field at `at`; see `fields`."""
    tag, start = number_and_end(data, at)
    number, wire = tag >> 3, tag & 7
    if not 0 < number <= _HIGHEST_FIELD:
        raise DamagedError(f"a field is numbered {number}")
    if wire == 2:
        length, start = number_and_end(data, start)
        return number, start, start + length
    if wire == 0:
        return number, start, number_and_end(data, start)[1]
    if wire in (1, 5):
        return number, start, start + (8 if wire == 1 else 4)
    raise DamagedError(f"a field of unknown kind {wire}")


def fields(data: Bytes, most: int = _MOST_FIELDS) -> Iterator[tuple[int, int, int, int]]:
    """Yield the fields of a message: (number, start of key, start of value, end). Raises DamagedError if it is invalid.

    Start and end enclose the varint of a varint field, and the bytes without their length of a string or message.
    """
    at, size = 0, len(data)
    while at < size:
        key, most = at, most - 1
        if most < 0:
            raise DamagedError("a message with millions of fields")
        tag = data[key]
        if tag < 0x80 and tag & 7 == 2 and tag > 7 and key + 1 < size and data[key + 1] < 0x80:  # the common case
            number, start = tag >> 3, key + 2
            at = start + data[key + 1]
        else:
            number, start, at = field_at(data, key)
        if at > size:
            raise DamagedError("a field extends past the end of its message")
        yield number, key, start, at


def _header(data: Bytes) -> tuple[int, int, int, Bytes, Bytes]:
    """Return sources, results, payload size, session and strings of a block header."""
    numbers = {1: 0, 2: 0, 5: 0}
    parts: dict[int, Bytes] = {3: b"", 4: b""}
    for number, _, start, end in fields(data, _MOST_HEADER_FIELDS):
        if number in numbers:
            numbers[number] = number_and_end(data, start)[0]
        elif number in parts:
            parts[number] = data[start:end]
    return numbers[1], numbers[2], numbers[5], parts[3], parts[4]


def _session(data: Bytes, found: Container) -> None:
    for number, _, start, end in fields(data, _MOST_HEADER_FIELDS):
        if number == 11:
            found.command = bytes(data[start:end]).decode("utf-8", "replace")
        elif number == 8:
            pair = {n: bytes(data[start + a : start + b]) for n, _, a, b in fields(data[start:end])}
            if pair.get(1) == b"Nsight Compute Target":
                found.tool = pair.get(2, b"").decode("utf-8", "replace").split(" ")[0]


def walk(data: Bytes) -> Container:
    """Parse the blocks of a whole report. Never raises: problems are recorded in `damage`."""
    found = Container()
    if bytes(data[:4]) != MAGIC:
        found.damage = "it does not begin with the signature of a report"
        return found
    at = len(MAGIC)
    try:
        at = _skip(data, at, "its file header")
        while at < len(data):
            if len(found.blocks) > _MOST_BLOCKS or found.announced > _MOST_LAUNCHES:
                raise DamagedError("more launches than a report can hold")
            at = _block(data, at, found)
    except DamagedError as error:
        found.damage = str(error)
    if not found.damage and found.blocks and found.blocks[-1].sources and not found.blocks[-1].results:
        found.announced += 1  # the code of a launch is written before its results
        found.damage = f"{ENDS} between the code of a launch and its results"
    return found


def _skip(data: Bytes, at: int, what: str, limit: int | None = None) -> int:
    """Return the end of the record at `at`, which must not be beyond `limit` (default: the end of the file)."""
    limit = len(data) if limit is None else limit
    end = at + 4 + LENGTH.unpack_from(data, at)[0] if at + 4 <= limit else limit + 1
    if end > limit:
        raise DamagedError(
            f"{ENDS} inside {what}" if limit == len(data) else f"{what} extends past the end of its block"
        )
    return int(end)


def _block(data: Bytes, at: int, found: Container) -> int:
    header_end = _skip(data, at, "the header of a block")
    header = (at + 4, header_end)
    if header_end == at + 4:
        raise DamagedError(f"an empty block at byte {at}")
    try:
        sources, results, size, session, _ = _header(data[header[0] : header[1]])
    except DamagedError as error:
        raise DamagedError(f"the block header at byte {at} is not readable: {error}") from None
    if session:
        with contextlib.suppress(DamagedError):
            _session(session, found)
    end = header_end + size
    # Each source and result has at least its length field, so a larger count is impossible.
    if 4 * (sources + results) > size or results > _MOST_LAUNCHES:
        raise DamagedError(f"the block at byte {at} declares more than it holds")
    found.announced += results
    inside = header_end
    parts: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
    try:
        for i in range(sources + results):
            is_result = i >= sources
            after = _skip(data, inside, "a launch" if is_result else "the code of a launch", min(end, len(data)))
            parts[is_result].append((inside + 4, after))
            inside = after
    finally:
        found.blocks.append(Block(header, tuple(parts[0]), tuple(parts[1])))
        found.readable += len(parts[1])
    if end > len(data):
        raise DamagedError(f"{ENDS} inside a block")
    if inside != end:
        raise DamagedError(f"the block at byte {at} is {end - inside} bytes longer than its contents")
    return end


def spans(found: Container) -> list[tuple[int, int]]:
    """Return start and end of every readable launch record, in the order of the report."""
    return [span for block in found.blocks for span in block.results]


def extract(
    data: Bytes, found: Container, launches: Collection[int], out: BinaryIO, without_code: Collection[int] = ()
) -> None:
    """Write a report with only these launches, unchanged and with their code. Raises DamagedError for a bad record.

    Launches count from 0 in the order of the report, and keep that order. without_code: launches whose machine code
    is left out, such as a library's.
    """
    chosen: list[list[Bytes]] = []
    used: set[int] = set()
    index = 0
    for block in found.blocks:
        chosen.append([])
        for begin, end in block.results:
            if index in launches:
                chosen[-1].append(data[begin:end])
                if index not in without_code:
                    used.add(inner_id(data[begin:end], CODE))
            index += 1
    out.write(data[: 8 + LENGTH.unpack_from(data, 4)[0]])
    for block, records in zip(found.blocks, chosen, strict=True):
        sources = [data[begin:end] for begin, end in block.sources if inner_id(data[begin:end], None) in used]
        write_block(data[block.header[0] : block.header[1]], sources, records, out)


def inner_id(message: Bytes, number: int | None) -> int:
    """Return field 1 of a message, or of the message in its field `number`: the id of a launch's code; 0 if none."""
    for found, _, start, end in fields(message):
        if number is None and found == 1:
            return number_and_end(message, start)[0]
        if found == number:
            return inner_id(message[start:end], None)
    return 0


def code_id(data: mmap.mmap, found: Container, launch: int) -> int:
    """Return the id of a launch's machine code, 0 if it has none. Raises DamagedError for a bad record."""
    begin, end = spans(found)[launch]
    return inner_id(data[begin:end], CODE)


def code_of(data: mmap.mmap, found: Container, launch: int) -> bytes:
    """Return the record of a launch's machine code, or empty bytes. Raises DamagedError for a bad record.

    A later record of the same code adds functions used since; the concatenated records are one message.
    """
    wanted = code_id(data, found, launch)
    places = (place for block in found.blocks for place in block.sources)
    return b"".join(data[a:b] for a, b in places if wanted and inner_id(data[a:b], None) == wanted)


def number_at(data: Bytes, at: int) -> int:
    """Return the varint at an offset from `fields`."""
    return number_and_end(data, at)[0]


def code_marks(data: mmap.mmap, found: Container, first: int, last: int) -> dict[int, tuple[bool, bool]]:
    """Return launch -> (has line information, was built with nvcc -G, unoptimised) for launches with code."""
    places: dict[int, list[tuple[int, int]]] = {}
    for block in found.blocks:
        for begin, end in block.sources:
            places.setdefault(inner_id(data[begin:end], None), []).append((begin, end))
    if not places:  # no launch needs to be read
        return {}
    known: dict[int, tuple[bool, bool] | None] = {}
    marks: dict[int, tuple[bool, bool]] = {}
    for index, (begin, end) in enumerate(spans(found)[first:last], first):
        with contextlib.suppress(DamagedError):
            code = inner_id(data[begin:end], CODE)
            if code not in known:
                there = [any(data.find(mark, *place) >= 0 for place in places.get(code, ())) for mark in _CODE_MARKS]
                known[code] = (there[1], there[2]) if there[0] else None
            if mark := known[code]:
                marks[index] = mark
    return marks


def strings_of(data: Bytes, found: Container) -> list[str]:
    """Return the string table of all blocks."""
    strings: list[str] = []
    for block in found.blocks:
        head = data[block.header[0] : block.header[1]]
        for number, _, start, end in fields(head):
            if number == 4:
                table = head[start:end]
                strings.extend(bytes(table[a:b]).decode("utf-8", "replace") for _, _, a, b in fields(table))
    return strings


def encoded(value: int) -> bytes:
    """Return a number as a varint."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def write_block(head: Bytes, sources: Sequence[Bytes], records: Sequence[Bytes], out: BinaryIO) -> None:
    """Write a block with this header, with corrected counts and size."""
    payload = b"".join(LENGTH.pack(len(part)) + bytes(part) for part in (*sources, *records))
    numbers = {1: len(sources), 2: len(records), 5: len(payload)}
    header = b"".join(bytes(head[key:end]) for number, key, _, end in fields(head) if number not in numbers)
    header += b"".join(encoded(number << 3) + encoded(value) for number, value in numbers.items())
    out.write(LENGTH.pack(len(header)) + header + payload)


_METRIC_KEY = METRIC << 3 | 2
# Fields of a metric: value, instances, category, in this order after the name.
_VALUE_KEY, _INSTANCE_KEY, _CATEGORY_KEY = 0x12, 0x1A, 0x20
_LEAVE, _WHOLE, _BARE = range(3)


def slim(
    data: Bytes,
    found: Container,
    first: int,
    last: int,
    wanted: Callable[[str], bool],
    out: BinaryIO,
    *,
    bare: Callable[[str], bool] = lambda name: False,
    code: bool = False,
) -> list[int]:
    """Write a report with only the launches `first` to `last` (exclusive), without page layouts, unwanted metrics and,
    unless `code`, the machine code. `bare` metrics with an aggregate value are written without their instances.

    NVIDIA's library then reads a launch in a tenth of the time and memory. Return the launches that were left out
    because of a damaged record. Strings keep their index, since all block headers are kept.
    """
    strings = strings_of(data, found)  # of all blocks, since a launch may use names of a later block
    # In a truncated report, a name may be in a block that is lost.
    keep: dict[int, int] = dict.fromkeys(range(len(strings), 1 << 16), _LEAVE) if found.damage else {}
    choose = _Choice(strings, keep, wanted, bare)
    records: dict[int, list[bytes]] = {}
    damaged: list[int] = []
    index = 0
    for number, block in enumerate(found.blocks):
        for begin, end in block.results:
            if first <= index < last:
                try:
                    records.setdefault(number, []).append(_record(bytes(data[begin:end]), choose))
                except DamagedError:
                    damaged.append(index)
            index += 1
    used = {inner_id(record, CODE) for part in records.values() for record in part} if code else set()
    out.write(data[: 8 + LENGTH.unpack_from(data, 4)[0]])
    for number, block in enumerate(found.blocks):
        sources = [data[begin:end] for begin, end in block.sources if used and inner_id(data[begin:end], None) in used]
        write_block(data[block.header[0] : block.header[1]], sources, records.get(number, []), out)
    return damaged


@dataclass(slots=True)
class _Choice:
    """Decides how to write a metric, by the index of its name in the string table; `known` caches the answers."""

    strings: list[str]
    known: dict[int, int]
    wanted: Callable[[str], bool]
    bare: Callable[[str], bool]

    def of(self, index: int) -> int:
        """Return _LEAVE, _WHOLE or _BARE."""
        found = self.known.get(index)
        if found is None:
            if index >= len(self.strings):
                raise DamagedError("a metric whose name is not in the report")
            name = self.strings[index]
            found = self.known[index] = (_BARE if self.bare(name) else _WHOLE) if self.wanted(name) else _LEAVE
        return found


def _record(whole: bytes, choice: _Choice) -> bytes:
    parts = []
    at, size, since = 0, len(whole), 0  # since: start of the bytes to copy unchanged
    while at < size:
        key = at
        # Fast path for short metrics, of which a launch has two thousand.
        if whole[key] == _METRIC_KEY and key + 1 < size and whole[key + 1] < 0x80:
            number, start = METRIC, key + 2
            at = start + whole[key + 1]
        else:
            number, start, at = field_at(whole, key)
        if at > size:
            raise DamagedError("a field extends past the end of its message")
        what = _LEAVE if number == LAYOUT else _WHOLE
        if number == METRIC:
            if start >= at or whole[start] != 0x08:
                raise DamagedError("a metric without a name")
            name, value = number_and_end(whole, start + 1)
            what = choice.of(name)
            if what == _BARE:
                parts.append(whole[since:key] + _without_instances(whole, key, start, value, at))
                since = at
        if what == _LEAVE:
            parts.append(whole[since:key])
            since = at
    parts.append(whole[since:])
    return b"".join(parts)


def _without_instances(whole: bytes, key: int, start: int, value: int, end: int) -> bytes:
    """Return the metric from `key` to `end` without instances; unchanged if it has no aggregate value."""
    if value < end and whole[value] == _VALUE_KEY:
        length, first = number_and_end(whole, value + 1)
        last = first + length
        if (
            last < end - 2
            and whole[last] == _INSTANCE_KEY
            and whole[end - 2] == _CATEGORY_KEY
            and whole[end - 1] < 0x80
        ):
            inside = whole[start:last] + whole[end - 2 : end]
            return bytes((_METRIC_KEY,)) + encoded(len(inside)) + inside
    return whole[key:end]
