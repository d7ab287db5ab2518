"""The child process: it reads launches of a report with NVIDIA's library and sends them to its parent.

It gets one JSON object on standard input and writes one JSON line per launch to standard output as soon as the launch
is read, so that a crash loses no earlier launch. NVIDIA's library parses a launch again for each request and frees no
memory until the process ends.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import sys
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from advisor.hardware.sass_constants import function_marks
from advisor.readers import container
from advisor.readers.actions import ALWAYS, INSTANCED, describe, instances, known_instances, local_split_by_code
from advisor.readers.addresses import LoadAddresses
from advisor.readers.code import Code
from advisor.readers.flow import Facts
from advisor.readers.marks import TABLES, from_code, looks, steps_of, texts_of
from advisor.readers.sampling import DROPPED, INTERVAL, bare_name, sampled
from advisor.records.child import claim_output, limit_memory, lines_in

# Total size of the source files in a report.
_SOURCE_BYTES = 32 << 20
# Bytes of an instruction (CC 7.0 and later; the library has no text of earlier code), and the longest kernel of which
# the text is sent: twenty times the length of a tuned product of matrices.
_INSTRUCTION_BYTES, _MOST_INSTRUCTIONS = 16, 20_000
# Instructions of the longest kernel that is followed.
_MOST_LINES = 3000
# Kernels of which the text is kept for their further launches.
_MOST_KEPT = 32


class Batch:
    """A batch of launches of one report, read from slim copies of it in a folder that the parent removes."""

    def __init__(
        self, data: mmap.mmap, folder: str, names: list[str], instanced: Collection[str] | None = None
    ) -> None:
        """Open the report. names: the metrics to read; instanced: those to read by instance (default: all)."""
        self._data = data
        self._found = container.walk(data)
        self._folder = folder
        self._names = frozenset(names)
        self._instanced = self._names if instanced is None else instanced
        self._codes: dict[int, Facts | None] = {}

    def strings(self) -> list[str]:
        """Return all strings of the report, the names of its metrics among them."""
        return container.strings_of(self._data, self._found)

    def _bare(self, name: str) -> bool:
        return name not in self._instanced

    def _wanted(self, name: str) -> bool:
        # The library looks up the units in a table of the chip, which it finds from the device attributes.
        return name in self._names or name.startswith("device__")

    def code_marks(self, first: int, last: int) -> dict[int, tuple[bool, bool]]:
        """Return launch -> (has line information, is a debug build), for launches whose code is in the report."""
        return container.code_marks(self._data, self._found, first, last)

    def code(self, launch: int) -> Any:
        """Return the source information in the launch's machine code (code.Code)."""
        with contextlib.suppress(container.DamagedError, IndexError):
            return Code(container.code_of(self._data, self._found, launch))
        return Code(b"")

    def code_key(self, launch: int, kernel: str) -> str:
        """Return a key that launches of one kernel share; '' if the report lacks the code."""
        with contextlib.suppress(container.DamagedError, IndexError):
            known = container.code_id(self._data, self._found, launch)
            return f"{known} {kernel}" if known else ""
        return ""

    def text(self, action: Any, launch: int, kernel: str) -> tuple[int, list[str]]:
        """Return the address of a kernel, by its mangled name, and its instructions, a line each; none if one is lost.

        action: the launch, with its code. A report has the code with any set of sections.
        """
        start, size = self.code(launch).extent(kernel)
        if not 0 < size <= _MOST_INSTRUCTIONS * _INSTRUCTION_BYTES:
            return start, []
        lines = [action.sass_by_pc(pc).strip() for pc in range(start, start + size, _INSTRUCTION_BYTES)]
        return start, lines if all(lines) and set(lines) != {"N/A"} else []

    def facts(self, launch: int) -> Facts | None:
        """Return what the kernel's PTX tells about its instructions; None without PTX."""
        with contextlib.suppress(container.DamagedError, IndexError):
            known = container.code_id(self._data, self._found, launch)
            if known not in self._codes:  # launches of one kernel share their code
                code = self.code(launch)
                self._codes[known] = Facts(LoadAddresses(code.ptx), code.ptx, code.ptx_line) if code.ptx else None
            return self._codes[known]
        return None

    def actions(self, first: int, last: int, code: bool = False) -> tuple[list[Any], list[int]]:
        """Return NVIDIA's objects for the launches, and the indices of launches with a damaged record."""
        import ncu_report

        # The file stays until the parent removes the folder: the library reads the code from it on request only.
        handle, path = tempfile.mkstemp(suffix=".ncu-rep", dir=self._folder)
        with os.fdopen(handle, "wb") as out:
            damaged = container.slim(
                self._data, self._found, first, last, self._wanted, out, bare=self._bare, code=code
            )
        context = ncu_report.load_report(path)
        ranges = [context.range_by_idx(i) for i in range(context.num_ranges())]
        found = [r.action_by_idx(i) for r in ranges for i in range(r.num_actions())]
        # Launches of several ranges may not be in the order of the file.
        return (found if len(ranges) < 2 else []), damaged

    def each(self, first: int, last: int, code: bool = False) -> Iterator[tuple[int, Any]]:
        """Yield (index, launch) for every launch; launch is None if the library fails or the record is damaged."""
        found, damaged = self.actions(first, last, code)
        whole = [i for i in range(first, last) if i not in damaged]
        if len(found) == len(whole):
            yield from zip(whole, found, strict=True)
        else:  # the library refused some: read them one by one to find out which
            for i in whole:
                alone, _ = self.actions(i, i + 1, code)
                yield i, alone[0] if len(alone) == 1 else None
        for i in damaged:
            yield i, None


def run(job: dict[str, Any], send: Callable[[dict[str, Any]], None]) -> None:
    """Execute the job {path, folder, first, last, names, instances, sampled}.

    instances: send the values by address; sampled: name without its group -> id of a sampled series.
    """
    with Path(job["path"]).open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if job.get("instances"):
            _instances(job, data, send)
        else:
            _launches(job, data, send)
    send({"done": True})


class _Lines:
    """The text of the kernels' instructions, and what it adds to the messages of their launches.

    The library takes long for each line, so each is read once for all launches of a kernel.
    """

    def __init__(self, code: Batch, send: Callable[[dict[str, Any]], None]) -> None:
        self._code, self._send = code, send
        self._texts: dict[str, dict[int, str]] = {}  # by the code of a kernel
        self._unreadable = set[str]()

    def add_to(self, message: dict[str, Any], index: int, action: Any) -> None:
        """Add the metrics of the text to a launch's message, and send before it what its parent follows."""
        local = any(row[0] == "local" for row in message["accesses"] or ())
        split = message["local"] is None and local
        look = looks(message["opcodes"], message["values"], local)
        if not split and not any(look):
            return
        key = self._code.code_key(index, str(action.name(action.NameBase_MANGLED) or ""))
        known = lines = self._texts.get(key, {})
        executed = known_instances(action, "inst_executed") or {}
        missing = [pc for pc, count in executed.items() if count and pc not in known]
        with contextlib.suppress(IndexError):
            if split or (missing and key not in self._unreadable):
                whole = self._code.actions(index, index + 1, code=True)[0][0]
                message["local"] = local_split_by_code(whole) if split else message["local"]
                lines = known | texts_of(whole, missing)
        if split or look.marks:
            message["patterns"] |= from_code(action, lines)
            message |= function_marks(lines, executed)
        if not key:
            return
        if not lines:
            self._unreadable.add(key)
        elif look.followed and len(lines) <= _MOST_LINES:
            if lines != known:
                self._send({"lines_key": key, "lines": list(lines.items())})
            message["steps"] = steps_of(action, key, look, executed)
        if key in self._texts or len(self._texts) < _MOST_KEPT:
            self._texts[key] = lines


def _launches(job: dict[str, Any], data: mmap.mmap, send: Callable[[dict[str, Any]], None]) -> None:
    code = Batch(data, job["folder"], list(TABLES))
    strings = code.strings()
    series = _sampled_names(strings, job["sampled"])
    wanted = [*job["names"], *ALWAYS, *series, INTERVAL, DROPPED]
    batch = Batch(data, job["folder"], wanted, INSTANCED | series.keys())
    known = frozenset(strings)
    names = [name for name in job["names"] if name in known]
    marks = batch.code_marks(job["first"], job["last"])
    kernels: dict[str, tuple[int, str]] = {}
    lines = _Lines(code, send)
    for index, action in batch.each(job["first"], job["last"]):
        message = None
        if action is not None and action.name() is not None:
            try:
                message = describe(action, names, batch.facts(index)) | {
                    "built": marks.get(index),
                    "sampling": sampled(action, series),
                }
                lines.add_to(message, index, action)
                if message["opcodes"] is None:
                    kernel = str(action.name(action.NameBase_MANGLED) or "")
                    message["code_key"] = code.code_key(index, kernel)
                    kernels.setdefault(message["code_key"], (index, kernel))
            except (TypeError, ValueError, RuntimeError, AttributeError, UnicodeError):
                message = None  # the library raises this for damaged data
        send({"index": index, "launch": message})
    # After the launches: code that the library cannot read, or that ends this process, loses none of them.
    kernels.pop("", None)
    if kernels:
        at = {index: (key, kernel) for key, (index, kernel) in kernels.items()}
        for index, action in code.each(job["first"], max(at) + 1, code=True):
            if index in at and action is not None:
                key, kernel = at[index]
                with contextlib.suppress(TypeError, ValueError, RuntimeError, AttributeError, UnicodeError):
                    send({"code_key": key, "code": code.text(action, index, kernel)})


def _sampled_names(strings: Iterable[str], known: dict[str, str]) -> dict[str, str]:
    """Return the report's sampled metrics, each with its series: of several for one, the first in `known`."""
    there: dict[str, str] = {}
    for name in strings:
        there.setdefault(bare_name(name), name)
    best: dict[str, str] = {}
    for bare, series in known.items():
        if bare in there:
            best.setdefault(series, there[bare])
    return {name: series for series, name in best.items()}


def _instances(job: dict[str, Any], data: mmap.mmap, send: Callable[[dict[str, Any]], None]) -> None:
    names = job["names"]
    batch = Batch(data, job["folder"], [*names, "inst_executed"])
    actions, _ = batch.actions(job["first"], job["first"] + 1, code=True)
    if not actions:
        return
    action, code = actions[0], batch.code(job["first"])
    tables = {name: instances(action, name) for name in names}
    pcs = sorted({pc for table in (*tables.values(), instances(action, "inst_executed")) for pc in table or ()})
    frames: dict[tuple[str, int, str], int] = {}
    for pc in pcs:
        found = [(frame.file, frame.line, frame.function) for frame in code.frames(pc)]
        if not found and (place := action.source_info(pc)) is not None:
            found = [(place.file_name(), place.line(), "")]
        send(
            {
                "pc": pc,
                "at": [frames.setdefault(frame, len(frames)) for frame in found],
                "ptx": code.ptx_line(pc),
                "sass": action.sass_by_pc(pc).strip() if job["sass"] else "",
                "values": [None if table is None else table.get(pc, 0.0) for table in tables.values()],
            }
        )
    send({"frames": list(frames), "ptx_text": code.ptx if job["sass"] else ()})
    named, left = {file for file, _, _ in frames}, _SOURCE_BYTES
    for name, text in (action.source_files() if job["sass"] else {}).items():
        if name in named and 0 < len(text) <= left:
            left -= len(text)
            send({"source": name, "text": text})


def main() -> None:
    """Wait for jobs on standard input, so that the parent can start the process before the first one is known."""
    output = claim_output()

    def send(message: dict[str, Any]) -> None:
        output(json.dumps(message).encode())

    limit_memory(int(sys.argv[1]))
    try:
        import ncu_report  # noqa: F401  (loaded while the parent still prepares the job)
    except (ImportError, OSError) as error:
        send({"fatal": f"NVIDIA's module ncu_report does not load: {error}"})
        return
    for line in lines_in():
        run(json.loads(line), send)
    # Exit without cleanup: that of the library takes longer than that of the system.
    os._exit(0)
