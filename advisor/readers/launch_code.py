"""Read the instructions of launches with their metrics, places and texts, from a binary report."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from msgspec import Struct

from advisor.readers import formats
from advisor.readers.container import Limits
from advisor.readers.formats import unpack
from advisor.readers.frame import clean
from advisor.readers.parent import messages, start_child
from advisor.readers.spares import MOST_LAUNCHES, SPARES
from advisor.records.child import Child
from advisor.records.errors import InputError
from advisor.records.scratch import ScratchFolder

if TYPE_CHECKING:
    import pandas as pd


class LaunchCode(Struct, frozen=True):
    """The instructions of one launch, in the order of their addresses.

    table: the result of `read_instances`. Per instruction: calls: (file, line) of the calls at which it was inlined,
    innermost first; functions: the mangled name of its inlined function, or ''; ptx_lines: the line of `ptx` that it
    was compiled from, from 1, or 0 if unknown. ptx: the text, empty if the report has none; sources: the text of each
    source file in the report.
    """

    table: pd.DataFrame
    calls: tuple[tuple[tuple[str, int], ...], ...]
    functions: tuple[str, ...]
    ptx_lines: tuple[int, ...]
    ptx: tuple[str, ...]
    sources: dict[str, str]


def read_instances(
    path: Path, index: int, metric_names: Sequence[str], with_sass: bool = True, *, limits: Limits | None = None
) -> pd.DataFrame:
    """Read one row per instruction of launch `index` of a binary report, ordered by address.

    Columns: pc (address), file and line ('' and 0 without line information), sass ('' unless `with_sass`, or if the
    code is not in the report), and a float column for each of `metric_names` (ncu's names of source metrics): NaN if
    the report lacks the metric, 0 if the metric has no value for this instruction. No rows without such metrics.
    Inlined code has the line in the inlined function; `read_code` returns the calls.
    Raises InputError for another kind of file and for a launch that cannot be read.
    """
    return read_code(path, index, metric_names, with_sass, limits=limits).table


def read_code(
    path: Path, index: int, metric_names: Sequence[str], with_sass: bool = True, *, limits: Limits | None = None
) -> LaunchCode:
    """Read the same table and the data of the machine code; PTX and sources only if `with_sass`."""
    with CodeReader(path, limits) as reader:
        return reader.read(index, metric_names, with_sass)


class CodeReader:
    """Reads launches of one binary report one after the other, several in one child process.

    Not for two threads at once.
    """

    def __init__(self, path: Path, limits: Limits | None = None) -> None:
        self.path, self._limits = Path(path), limits or Limits()
        self._closing = ExitStack()
        self._child: Child | None = None
        self._served = 0
        self._job: dict[str, Any] = {}

    def _open(self) -> None:
        """Start the child, which loads the library meanwhile, and unpack the report if it is compressed."""
        sniffed = formats.sniff(self.path, self._limits)
        if not sniffed.wrapping and sniffed.format != "ncu-rep":
            raise _another_kind(self.path)
        kept = SPARES.take(self.path, self._limits)
        self._child, self._served = kept or (start_child(self._limits), 0)
        folder = Path(self._closing.enter_context(ScratchFolder()))
        source = self.path
        if sniffed.wrapping:
            source = folder / "unpacked"
            unpack(self.path, sniffed.wrapping, source, self._limits)
            if formats.sniff(source, self._limits, self.path.name).format != "ncu-rep":
                raise _another_kind(self.path)
        self._job = {"path": str(source), "folder": str(folder), "instances": True}

    def read(self, index: int, metric_names: Sequence[str], with_sass: bool = True) -> LaunchCode:
        """Read launch `index` as `read_code` does.

        Raises InputError for another kind of file and for a launch that cannot be read.
        """
        names = list(dict.fromkeys(metric_names))
        if not self._job:
            self._open()
        if self._served >= MOST_LAUNCHES:
            self._end_child()
        used = self._served > 0
        replies = self._replies(index, names, with_sass)
        if used and not _done(replies):  # perhaps for lack of memory, which launches before took
            replies = self._replies(index, names, with_sass)
        if not _done(replies):
            why = str(replies[-1].get("fatal", "")) if replies else ""
            raise InputError(
                f"{self.path.name}: the instructions of launch {index} cannot be read{': ' + why if why else ''}"
            )
        return _launch_code(replies, names)

    def _replies(self, index: int, names: list[str], with_sass: bool) -> list[dict[str, Any]]:
        if self._child is None:
            self._child = start_child(self._limits)
        job = self._job | {"first": index, "last": index + 1, "names": names, "sass": with_sass}
        self._served += 1
        replies: list[dict[str, Any]] = []
        try:
            replies += messages(self._child, job, self._limits.silence_s, time.monotonic() + self._limits.total_s)
        finally:
            if not _done(replies):
                self._end_child()
        return replies

    def _end_child(self) -> None:
        child, self._child, self._served = self._child, None, 0
        if child is not None:
            child.close()

    def close(self) -> None:
        """Keep the child for the next reader of this report, or end it, and remove what it wrote."""
        child, self._child = self._child, None
        if child is not None:
            SPARES.keep(self.path, self._limits, child, self._served)
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _another_kind(path: Path) -> InputError:
    return InputError(f"{path.name}: only a binary report (.ncu-rep) has per-instruction data; give that")


def _done(replies: Sequence[dict[str, Any]]) -> bool:
    return bool(replies) and "done" in replies[-1]


def _launch_code(replies: Sequence[dict[str, Any]], names: Sequence[str]) -> LaunchCode:
    import pandas as pd

    rows = [message for message in replies if "pc" in message]
    known: dict[str, Any] = next(
        (message for message in replies if "frames" in message), {"frames": [], "ptx_text": []}
    )
    frames = [(clean(str(file), 4096)[0], int(line), clean(str(name), 4096)[0]) for file, line, name in known["frames"]]
    chains = [[frames[at] for at in row["at"]] for row in rows]
    firsts = [chain[0] if chain else ("", 0, "") for chain in chains]
    table: dict[str, object] = {
        "pc": pd.Series([row["pc"] for row in rows], dtype="uint64"),
        "file": pd.Series([file for file, _, _ in firsts], dtype=object),
        "line": pd.Series([line for _, line, _ in firsts], dtype="int64"),
        "sass": pd.Series([clean(str(row["sass"]), 4096)[0] for row in rows], dtype=object),
    }
    for i, name in enumerate(names):
        values = [math.nan if row["values"][i] is None else float(row["values"][i]) for row in rows]
        table[name] = pd.Series(values, dtype="float64")
    return LaunchCode(
        pd.DataFrame(table),
        tuple(tuple((file, line) for file, line, _ in chain[1:]) for chain in chains),
        tuple(name for _, _, name in firsts),
        tuple(int(row["ptx"]) for row in rows),
        tuple(map(str, known["ptx_text"])),
        {clean(str(m["source"]), 4096)[0]: str(m["text"]) for m in replies if "source" in m},
    )
