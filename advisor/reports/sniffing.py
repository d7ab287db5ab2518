"""Which form of a profile a file is, from its bytes and never from its name alone; what it is instead, if none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from advisor.errors import InputError
from advisor.reports.container import MAGIC
from advisor.reports.limits import Limits
from advisor.reports.names import one_line
from advisor.reports.textfile import is_text, lines

FORMATS = ("ncu-rep", "raw-csv", "details-csv", "text", "workload")
_HEAD = 8192
_WRAPPINGS = {b"\xfd7zXZ\0": "xz", b"\x1f\x8b": "gz", b"\x28\xb5\x2f\xfd": "zst"}
_HEADERS = ('"ID"', "ID,", '"Process ID"', "Process ID,")
_HINT_LINES = 20_000
_WORKLOAD = re.compile(r"\ufeff?[ \"']{0,8}workload[\"']?\s*:", re.IGNORECASE)
_TIMELINE = "a timeline trace of Nsight Systems, not a kernel profile; `ncu-advisor timeline` reads it"
_BINARY = (
    (
        b"SQLite format 3\0",
        "an SQLite database, as Nsight Systems exports them: a timeline trace; `ncu-advisor timeline` reads it",
    ),
    (b"PK\x03\x04", "a zip archive: unpack it and give the report in it"),
    (b"\x7fELF", "a program or library: profile it with `ncu --set full -o report PROGRAM` and give the report"),
    (b"MZ", "a program: profile it with `ncu --set full -o report PROGRAM` and give the report"),
    (b"BZh", "bzip2 data: unpack it first (.xz, .gz and .zst are read as they are)"),
    (b"version https://git-lfs", "a Git LFS pointer, not the file itself: run `git lfs pull` and try again"),
)
# What a text without any launch is, in order of precedence: a mark of it, and what to say.
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
        re.compile(r"^==\d+== NVPROF|^=+ Profiling result:"),
        "output of nvprof, which knows none of the metrics needed; profile with ncu (CC 7.0 or newer)",
    ),
    (re.compile(r"^usage: ncu"), "only ncu's help page, no profile: the options were wrong; profile again"),
    (
        re.compile(r"^[a-z]\w*__\S+\s+(Counter|Ratio|Throughput|Metric)\s"),
        "a list of metric names (`ncu --query-metrics`), no measurements; profile a program",
    ),
    (
        re.compile(r"^(?!==).*,.*(Kernel|Metric Name|\b[a-z]\w*__\w+\.(sum|avg|max|min|ratio|pct)\b).*,"),
        "a table made from ncu's numbers, not ncu's own output (no ID, Process ID and Kernel Name columns); give the "
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


@dataclass(frozen=True, slots=True)
class Sniffed:
    """format: one of FORMATS, '' for a compressed file that is not yet unpacked; wrapping: xz, gz, zst or ''."""

    format: str
    wrapping: str = ""


def sniff(path: Path, limits: Limits | None = None, name: str = "") -> Sniffed:
    """What `path` holds. Raises InputError with one line that says what else it is, if it is no profile.

    name: what to call the file in that line, where it is an unpacked copy.
    """
    path = Path(path)
    name = name or path.name
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError as error:
        raise InputError(f"{path}: {(error.strerror or 'cannot be read').lower()}") from None
    if kind := wrapping(head):
        return Sniffed("", kind)
    refuse_head(name, head)
    if head.startswith(MAGIC):
        return Sniffed("ncu-rep")
    return Sniffed(_text_format(path, name, limits or Limits()))


def wrapping(head: bytes) -> str:
    """The compression that a file's first bytes announce: xz, gz, zst or ''."""
    return next((name for magic, name in _WRAPPINGS.items() if head.startswith(magic)), "")


def refuse_head(name: str, head: bytes) -> None:
    """Raises InputError if the first bytes of a file already tell that it is no profile."""
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
            f"{name}: no Nsight Compute report: it does not begin with the mark of one (NVR), so its beginning is lost "
            "or it is something else; copy it again or profile again"
        )


def _text_format(path: Path, name: str, limits: Limits) -> str:
    seen: dict[int, str] = {}
    begun = False
    for number, line in enumerate(lines(path, limits, name)):
        if not begun and line.strip("\ufeff \t\r") and not line.lstrip("\ufeff ").startswith(("#", "---", "%")):
            # A workload file begins with its name; of a file that is called YAML any line may be that.
            if _WORKLOAD.match(line):
                return "workload"
            begun = not name.endswith((".yaml", ".yml"))
        if found := _decisive(line):
            return found
        if number >= limits.search_lines:
            break
        if number < _HINT_LINES:
            for i, (mark, what) in enumerate(_HINTS):
                if i not in seen and (match := mark.search(line[:1000])):
                    seen[i] = what.format(rest=one_line(line[match.end() : match.end() + 400], 200))
    what = (
        seen[min(seen)] if seen else "no output of ncu; give an .ncu-rep, the CSV of `ncu --csv`, or ncu's console text"
    )
    raise InputError(f"{name}: {what}")


def _decisive(line: str) -> str:
    if "Section:" in line or "Table Name :" in line:
        start = line.lstrip(" ")[:40]
        return "text" if re.match(r"(\d+:\s+)?(Section: |Table Name :)", start) else ""
    if "Kernel Name" in line and "Process ID" in line and line.lstrip("\ufeff").startswith(_HEADERS):
        return "details-csv" if "Metric Name" in line else "raw-csv"
    return ""
