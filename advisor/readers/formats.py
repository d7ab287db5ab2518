"""Detect the format of a profile from its bytes, read its text lines, and decompress it within limits.

A file that is not a profile is rejected with one line that names what it is.
"""

from __future__ import annotations

import codecs
import lzma
import mmap
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from advisor.readers.container import ENDS, MAGIC, MIB, Limits, walk
from advisor.readers.emulated import is_emulated
from advisor.readers.frame import one_line
from advisor.records.emulated import FORMAT
from advisor.records.errors import InputError
from advisor.records.regular_files import why_special

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def encoding(head: bytes) -> str:
    """Return the encoding given by a byte order mark (PowerShell writes UTF-16); UTF-8 without one."""
    return next((name for mark, name in _MARKS if head.startswith(mark)), "utf-8")


def is_text(head: bytes) -> bool:
    """Return whether the bytes can be text: almost no control characters except tabs, newlines and escapes."""
    if encoding(head) == "utf-16":
        return True
    strange = sum(head.count(bytes([c])) for c in (*range(9), *range(14, 27), *range(28, 32), 127))
    return strange * 50 <= len(head)


def lines(path: Path, limits: Limits, name: str = "") -> Iterator[str]:
    """Yield the lines without their newline. Raises InputError, which names the file `name`, beyond the limits."""
    name = name or path.name
    if why := why_special(path):
        raise InputError(f"{name}: {why}")
    if path.stat().st_size > limits.text_bytes:
        raise InputError(f"{name}: larger than {limits.text_bytes >> 20} MiB; split it or give the .ncu-rep")
    with path.open("rb") as file:
        mark = encoding(file.read(4))
    with path.open(encoding=mark, errors="replace") as file:
        number = 0
        while line := file.readline(limits.line_chars + 1):
            number += 1
            if number > limits.text_lines:
                raise InputError(f"{name}: more than {limits.text_lines:,} lines; split it")
            if len(line) > limits.line_chars:
                raise InputError(
                    f"{name}: a line of more than {limits.line_chars:,} characters: this is not output of ncu; "
                    "give the CSV, the console text or the .ncu-rep"
                )
            yield line.rstrip("\n")


FORMATS = ("ncu-rep", "raw-csv", "details-csv", "text", "workload", "emulated")
_HEAD = 8192
_WRAPPINGS = {b"\xfd7zXZ\0": "xz", b"\x1f\x8b": "gz", b"\x28\xb5\x2f\xfd": "zst"}
_HEADERS = ('"ID"', "ID,", '"Process ID"', "Process ID,")
_HINT_LINES = 20_000
_WORKLOAD = re.compile(r"\ufeff?[ \"']{0,8}workload[\"']?\s*:", re.IGNORECASE)
_TIMELINE = "a timeline trace of Nsight Systems, not a kernel profile; `ncu-advisor timeline` reads it"
_BINARY = (
    (
        b"SQLite format 3\0",
        "an SQLite database as exported by Nsight Systems, a timeline trace; `ncu-advisor timeline` reads it",
    ),
    (b"PK\x03\x04", "a zip archive: unpack it and give the report in it"),
    (b"\x7fELF", "a program or library: profile it with `ncu --set full -o report PROGRAM` and give the report"),
    (b"MZ", "a program: profile it with `ncu --set full -o report PROGRAM` and give the report"),
    (b"BZh", "bzip2 data: unpack it first (.xz, .gz and .zst are read as they are)"),
    (b"version https://git-lfs", "a Git LFS pointer, not the file itself: run `git lfs pull` and try again"),
)
# Kinds of text without any launch, in order of precedence: a pattern and the message.
_HINTS = (
    (
        re.compile(
            r"Time ?\(%\).*Total Time|Executing '\w+' stats report|Generating '.*qdstrm'|nsys-rep"
            r"|(API|Kernel|Memory Operation) Statistics:|Trace Type,Event Type|^\"?Start \(ns\)\"?,"
        ),
        "a timeline trace (output of Nsight Systems), not a kernel profile; `ncu-advisor timeline` reads the SQLite "
        "export and the CSV of `nsys stats`",
    ),
    (
        re.compile(
            r"^==\d+== NVPROF|^(==\d+|=+)=* ?(Profiling|Metric|Event) result:|^\s*Type\s+Time\(%\)\s+Time\s+Calls\s"
            r"|^Invocations\s+(Metric|Event) Name\s|^\"?Type\"?,\"?Time\(%\)\"?,"
            r"|^\"?Device\"?,\"?Kernel\"?,\"?Invocations\"?|^\"?Start\"?,\"?Duration\"?,\"?Grid X\"?"
            r"|^\s*Start\s+Duration\s+Grid Size\s+Block Size\s"
        ),
        "output of nvprof, which has none of the needed metrics; profile with ncu (CC 7.0 or newer)",
    ),
    (re.compile(r"^usage: ncu"), "only the help page of ncu, no profile: correct the options and profile again"),
    (
        re.compile(r"^[a-z]\w*__\S+\s+(Counter|Ratio|Throughput|Metric)\s"),
        "a list of metric names (`ncu --query-metrics`), no measurements; profile a program",
    ),
    (
        re.compile(r"^(?!==)[^,]*,.*(Kernel|Metric Name|\b[a-z]\w*__\w+\.(sum|avg|max|min|ratio|pct)\b).*,"),
        "a table derived from ncu output, not ncu output itself (no ID, Process ID and Kernel Name columns); give the "
        "CSV as `ncu --csv` printed it",
    ),
    (re.compile(r"^==ERROR=="), "only an error of ncu, no profile: {rest}"),
    (
        re.compile(r"^==PROF== Report:"),
        "only ncu's progress lines: the profile itself is in {rest}; give that",
    ),
    (
        re.compile(r"^==PROF=="),
        "only ncu's progress lines, no profile: give the report that it wrote, or its console text",
    ),
)


# Rows of ncu's tables that were pasted without their sections; so many different ones are no chance.
ROW = re.compile(
    r"[\s/#|>]{0,12}((?:Memory|DRAM|Compute \(SM\)|L1/TEX Cache|L2 Cache) Throughput|(?:Memory|SM|Compute \(SM\)) \[%\]"
    r"|SOL \w+|(?:SM Active|Elapsed) Cycles|Achieved Occupancy|Registers Per Thread|Executed Ipc \w+|No Eligible"
    r"|Duration|SM Busy|Mem Busy)\s.{0,60}\d"
)
_FEWEST_ROWS = 3


class Sniffed(Struct, frozen=True):
    """A detected format: one of FORMATS, or '' for a compressed file before unpacking. wrapping: xz, gz, zst or ''."""

    format: str
    wrapping: str = ""


def sniff(path: Path, limits: Limits | None = None, name: str = "") -> Sniffed:
    """Detect the format of `path`. Raises InputError with one line that names what it is, if it is not a profile.

    name: the file's name in that message, if `path` is an unpacked copy.
    """
    path = Path(path)
    name = name or path.name
    try:
        if why := why_special(path):
            raise InputError(f"{path}: {why}")
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError as error:
        raise InputError(f"{path}: {(error.strerror or 'cannot be read').lower()}") from None
    if kind := wrapping(head):
        return Sniffed("", kind)
    refuse_head(name, head)
    if head.startswith(MAGIC):
        return Sniffed("ncu-rep")
    if is_emulated(head):
        return Sniffed(FORMAT)
    return Sniffed(_text_format(path, name, limits or Limits()))


def wrapping(head: bytes) -> str:
    """Return the compression given by a file's first bytes: xz, gz, zst or ''."""
    return next((name for magic, name in _WRAPPINGS.items() if head.startswith(magic)), "")


def refuse_head(name: str, head: bytes) -> None:
    """Raise InputError if the first bytes of a file show that it is not a profile."""
    if not head.strip():
        raise InputError(f"{name}: the file is empty; profile again, or copy it again")
    if head.startswith(MAGIC):
        return
    for magic, what in _BINARY:
        if head.startswith(magic):
            raise InputError(f"{name}: {what}")
    if wrapping(head):
        raise InputError(f"{name}: compressed twice; unpack it once by hand")
    if not is_text(head):
        if name.endswith((".nsys-rep", ".qdrep")):
            raise InputError(f"{name}: {_TIMELINE} once exported with `nsys export --type sqlite`")
        raise InputError(
            f"{name}: not an Nsight Compute report: it does not begin with the signature NVR. It is damaged or another "
            "kind of file; copy it again or profile again"
        )


def _text_format(path: Path, name: str, limits: Limits) -> str:
    seen: dict[int, str] = {}
    rows: set[str] = set()
    begun = False
    for number, line in enumerate(lines(path, limits, name)):
        if not begun and line.strip("\ufeff \t\r") and not line.lstrip("\ufeff ").startswith(("#", "---", "%")):
            # A workload file begins with `name`; in a file with a YAML extension it may be on any line.
            if _WORKLOAD.match(line):
                return "workload"
            begun = not name.endswith((".yaml", ".yml"))
        if found := _decisive(line):
            return found
        if number >= limits.search_lines:
            break
        if match := ROW.match(line):
            rows.add(match[1])
        if number < _HINT_LINES:
            for i, (mark, what) in enumerate(_HINTS):
                if i not in seen and (match := mark.search(line[:1000])):
                    seen[i] = what.format(rest=one_line(line[match.end() : match.end() + 400], 200))
    if len(rows) >= _FEWEST_ROWS:
        return "text"
    what = (
        seen[min(seen)]
        if seen
        else "not output of ncu; give an .ncu-rep, the CSV of `ncu --csv`, or ncu's console text"
    )
    raise InputError(f"{name}: {what}")


def _decisive(line: str) -> str:
    if "Section:" in line or "Table Name :" in line:
        start = line.lstrip(" ")[:40]
        return "text" if re.match(r"(\d+:\s+)?(Section: |Table Name :)", start) else ""
    if "Kernel Name" in line and "Process ID" in line and line.lstrip("\ufeff").startswith(_HEADERS):
        return "details-csv" if "Metric Name" in line else "raw-csv"
    return ""


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
    """Write the decompressed `path` to `target`; return the error in the compressed data, or ''.

    Raises InputError if the content is not a profile or exceeds the limits. Truncated or corrupt data is written up
    to the error: launches in it may still be complete.
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
                        "size, too much for a report; unpack it by hand if you trust it"
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
                    f"{path.name}: the {kind} data is damaged at its beginning; get the file again"
                ) from None
            return f"the {kind} data is truncated or damaged after {total:,} unpacked bytes"
    return ""


def _hopeless(target: Path) -> str:
    """Return why an incomplete file cannot be a report, or ''."""
    with target.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        found = walk(data)
        return found.damage if data[: len(MAGIC)] == MAGIC and not found.damage.startswith(ENDS) else ""
