"""Sort the files that a user opens: reports, Nsight Systems traces and saved sessions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

_HEAD: Final = 8192  # bytes read to detect the kind of a file
_SQLITE: Final = b"SQLite format 3\0"
_NSYS: Final = (".nsys-rep", ".qdrep", ".qdstrm")
# Headings of the tables that `nsys stats` writes. The CSV of ncu begins with "ID" and "Process ID" instead.
_STATS: Final = re.compile(r"Time ?\(%\).*Total Time|^\"?Start \(ns\)\"?,", re.MULTILINE)
_TRANSCRIPT: Final = b'"ncu-advisor/transcript/'
DEMO: Final = Path("tour") / "recorded" / "h200" / "tour.ncu-rep.xz"  # the bundled report, in the folder of kernels


class Opening(Struct, frozen=True):
    """Paths by kind, each in the order given."""

    reports: tuple[str, ...] = ()
    traces: tuple[str, ...] = ()
    transcripts: tuple[str, ...] = ()


def kind_of(path: Path) -> str:
    """Return `trace`, `transcript` or `report`; for an unreadable file `report`, whose reader then names the error."""
    name = path.name.casefold()
    if name.endswith(_NSYS):
        return "trace"
    try:
        if not path.is_file():  # reading a pipe would block
            return "transcript" if name.endswith(".jsonl") else "trace" if name.endswith(".sqlite") else "report"
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return "trace" if name.endswith(".sqlite") else "report"
    if head.startswith(_SQLITE) or (name.endswith(".sqlite") and not head):
        return "trace"
    if name.endswith(".jsonl") or _TRANSCRIPT in head.partition(b"\n")[0]:
        return "transcript"
    if name.endswith((".csv", ".txt")) and _STATS.search(head.decode("utf-8", "replace")):
        return "trace"
    return "report"


def sort_out(paths: Sequence[Path | str]) -> Opening:
    """Sort paths by kind."""
    kinds = [(kind_of(Path(path)), str(path)) for path in paths]
    reports, traces, transcripts = (
        tuple(p for k, p in kinds if k == kind) for kind in ("report", "trace", "transcript")
    )
    return Opening(reports, traces, transcripts)
