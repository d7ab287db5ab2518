"""Which launch of which report is that of an entry of causes.yaml, in a folder that unseen.sh left.

Where the report has NVTX ranges a launch is the one in the range `unseen ID`; else one of ours is told by its index in
the report, and a library's by its kernel's name, which must be the only such. Of several kernels of a call that match,
the longest counts.
"""

from __future__ import annotations

import json
import mmap
import re
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from advisor.records.errors import InputError

RANGE = "unseen "
PACKED = ("", ".xz", ".gz", ".zst")

Entry = Mapping[str, Any]


@dataclass(frozen=True)
class Seen:
    """A launch of a report: its row in the frame, index in the report, names, duration in ns, its id by NVTX or ''."""

    row: int
    index: int
    kernel: str
    kernel_full: str
    duration: float
    range: str


def read_json(path: Path) -> dict[str, Any]:
    """A file that run.py wrote: ids with what is known of each; InputError, one line, for anything else."""
    try:
        content = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
    if not isinstance(content, dict) or not all(isinstance(v, dict) for v in content.values()):
        raise InputError(f"{path}: not of the form that run.py writes")
    return content


def profiled(folder: Path) -> dict[str, dict[str, Any]]:
    """Of each id that was profiled its report and launch, of all profiled-*.json; a try that worked counts."""
    out: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob("profiled-*.json")):
        for name, place in read_json(path).items():
            if name not in out or "broken" in out[name]:
                out[name] = place
    return out


def report(folder: Path, name: str) -> Path | None:
    """The report of that name, packed or not."""
    return next((p for end in PACKED if (p := folder / f"{name}.ncu-rep{end}").is_file()), None) if name else None


def ranges(path: Path) -> list[str]:
    """Of each launch of a binary report, in its order, the id in the innermost NVTX range of ours, or ''."""
    from advisor.readers.child import Batch
    from advisor.readers.container import Limits
    from advisor.readers.formats import sniff, unpack

    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        source, wrapping = path, sniff(path, Limits()).wrapping
        if wrapping:
            source = Path(folder) / "unpacked"
            unpack(path, wrapping, source, Limits())
        data = mmap.mmap(stack.enter_context(source.open("rb")).fileno(), 0, access=mmap.ACCESS_READ)
        batch = Batch(stack.enter_context(data), folder, [])
        return [_range(action) for _, action in batch.each(0, batch._found.readable)]


def _range(action: Any) -> str:
    state = action.nvtx_state() if action is not None else None
    for domain in state.domains() if state is not None else ():
        for name in reversed(state.domain_by_id(domain).push_pop_ranges()):
            if name.startswith(RANGE):
                return str(name.removeprefix(RANGE))
    return ""


def find(entry: Entry, index: int, launches: Sequence[Seen]) -> Seen | str:
    """The launch of an entry in its report, or why there is none; index: as profiled-*.json has it."""
    kernel, ours = entry["where"]["kernel"], entry["part"] == "ours"
    pattern = re.compile(rf"\b{kernel}\b" if ours else kernel)
    named = [x for x in launches if pattern.search(x.kernel_full) or pattern.search(x.kernel)]
    if any(x.range for x in launches):
        found = [x for x in named if x.range == entry["id"]]
        others = [x.kernel for x in launches if x.range == entry["id"]]
        what = f"its range holds {', '.join(others)}" if others else "the report has no launch in its range"
    else:
        found = [x for x in named if ours and x.index == index] or (named if len(named) == 1 else [])
        what = f"{len(named)} launches have such a name, and none of them has its place"
    return max(found, key=lambda x: x.duration) if found else f"no kernel {kernel}: {what}"


def located(folder: Path, entries: Sequence[Entry]) -> tuple[Any, Any, dict[str, int], dict[str, str]]:
    """The frame of all reports and their descriptions, of each id that was found its row, of the others why not."""
    from advisor.readers.read import read_many

    done = profiled(folder)
    names = dict.fromkeys(place.get("report", "") for place in done.values())
    paths = [path for path in (report(folder, name) for name in names) if path is not None]
    frame, infos = read_many(paths)
    frame = frame.reset_index(drop=True)
    launches: dict[Path, list[Seen]] = {}
    for path, number in ((p, i) for i, p in enumerate(paths) if infos[i].format):
        named = ranges(path) if infos[number].format == "ncu-rep" else []
        launches[path] = [
            Seen(row, i, str(k), str(full), float(ns), named[i] if i < len(named) else "")
            for row, i, k, full, ns in frame[frame["report"] == number][
                ["index", "kernel", "kernel_full", "duration_ns"]
            ].itertuples(name=None)
        ]
    at: dict[str, int] = {}
    why: dict[str, str] = {}
    for entry in entries:
        name, place = entry["id"], done.get(entry["id"])
        path = report(folder, place.get("report", "")) if place is not None else None
        if place is None:
            why[name] = "was not profiled"
        elif "broken" in place:
            why[name] = f"failed while it was profiled: {place['broken']}"
        elif path is None:
            why[name] = f"there is no report {place.get('report')}.ncu-rep"
        elif path not in launches:
            why[name] = f"{path.name} cannot be read: {', '.join(infos[paths.index(path)].problems)}"
        elif isinstance(found := find(entry, place.get("launch", -1), launches[path]), str):
            why[name] = f"{path.name}: {found}"
        elif not found.duration > 0:
            why[name] = f"{path.name}: launch {found.index} holds no duration: nothing was measured"
        else:
            at[name] = found.row
    return frame, infos, at, why
