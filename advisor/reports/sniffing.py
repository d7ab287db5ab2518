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
from advisor.reports.unpack import wrapping

FORMATS = ("ncu-rep", "raw-csv", "details-csv", "text")
_HEAD = 8192
_TIMELINE = "a timeline trace of Nsight Systems, not a kernel profile; `ncu-advisor timeline` reads it"
_BINARY = (
    (b"SQLite format 3\0", f"an SQLite database, as Nsight Systems exports them: {_TIMELINE}"),
    (b"PK\x03\x04", "a zip archive: unpack it and give the report in it"),
    (b"\x7fELF", "a program or library: profile it with `ncu --set full -o report PROGRAM` and give the report"),
    (b"MZ", "a program: profile it with `ncu --set full -o report PROGRAM` and give the report"),
    (b"BZh", "bzip2 data: unpack it first (.xz, .gz and .zst are read as they are)"),
    (b"version https://git-lfs", "a Git LFS pointer, not the file itself: run `git lfs pull` and try again"),
)
_RAW_NAME = re.compile(r"\b[a-z]\w*__\w+\.(sum|avg|max|min|ratio|pct)\b")
_NSYS = re.compile(
    r"Time ?\(%\).*Total Time|Executing '\w+' stats report|Generating '.*qdstrm'|(API|Kernel|Memory Operation) Statistics:"
    r"|Trace Type,Event Type|^\"?Start \(ns\)\"?,|nsys-rep|CUDA API Statistics"
)
_NVPROF = re.compile(r"^==\d+== NVPROF|^=+ Profiling result:")
_LISTING = re.compile(r"^[a-z]\w*__\S+\s+(Counter|Ratio|Throughput|Metric)\s")


@dataclass(frozen=True, slots=True)
class Sniffed:
    """format: one of FORMATS; wrapping: xz, gz, zst or ''. A wrapped file's format is that of its contents, '' until unpacked."""

    format: str
    wrapping: str = ""


def sniff(path: Path, limits: Limits | None = None) -> Sniffed:
    """What `path` holds. Raises InputError with one line that says what else it is, if it is no profile."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError as error:
        raise InputError(f"{path}: {(error.strerror or 'cannot be read').lower()}") from None
    if kind := wrapping(head):
        return Sniffed("", kind)
    refuse_head(path.name, head)
    if head.startswith(MAGIC):
        return Sniffed("ncu-rep")
    return Sniffed(_text_format(path, limits or Limits()))


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
            f"{name}: no Nsight Compute report: it does not begin with the mark of one (NVR), so its beginning is lost or it is "
            "something else; copy it again or profile again"
        )


def _text_format(path: Path, limits: Limits) -> str:
    seen: dict[str, str] = {}
    for line in lines(path, limits):
        if found := _decisive(line):
            return found
        for kind, what in _hints(line):
            seen.setdefault(kind, what)
    for kind in ("table", "nsys", "nvprof", "help", "listing", "error", "progress"):
        if kind in seen:
            raise InputError(f"{path.name}: {seen[kind]}{seen.get('saved', '') if kind == 'progress' else ''}")
    raise InputError(f"{path.name}: no output of ncu in it; give an .ncu-rep, the CSV of `ncu --csv`, or ncu's console text")


def _decisive(line: str) -> str:
    start = line[:4096].lstrip(" \ufeff")
    if start.startswith(("Section: ", "Table Name :")) or re.match(r"\d+:\s+Section: ", start):
        return "text"
    if "Kernel Name" in line and "Process ID" in line and start.startswith(('"ID"', "ID,", '"Process ID"', "Process ID,")):
        return "details-csv" if "Metric Name" in line else "raw-csv"
    return ""


def _hints(line: str) -> list[tuple[str, str]]:
    start = line[:2000]
    hints = []
    if start.count(",") >= 3 and "," in start and ("Kernel" in start or "Metric Name" in start or _RAW_NAME.search(start)):
        if not start.startswith("=="):
            table = "a table made from ncu's numbers, not ncu's own output (no ID, Process ID and Kernel Name columns)"
            hints.append(("table", f"{table}; give the CSV as `ncu --csv` printed it"))
    if _NSYS.search(start):
        hints.append(("nsys", _TIMELINE))
    if _NVPROF.search(start):
        hints.append(("nvprof", "output of nvprof, which knows none of the metrics needed; profile with ncu (CC 7.0 or newer)"))
    if start.startswith("usage: ncu"):
        hints.append(("help", "only ncu's help page, no profile: the options were wrong; profile again"))
    if _LISTING.match(start):
        hints.append(("listing", "a list of metric names (`ncu --query-metrics`), no measurements; profile a program"))
    if start.startswith("==ERROR=="):
        hints.append(("error", f"only an error of ncu, no profile: {one_line(start[9:], 160)}"))
    if start.startswith("==PROF=="):
        where = f"; the profile itself is in {one_line(start.split('Report: ')[1], 200)}" if "Report: " in start else ""
        if where:
            hints.insert(0, ("saved", where))
        hints.append(("progress", "only ncu's progress lines, no profile: give the report that it wrote, or its console text"))
    return hints
